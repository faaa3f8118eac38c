//! The interpreter itself, on texts whose value can be seen at a glance.

use crate::pseudo::{Interface, compile};

const INTERFACE: Interface<'_> = Interface {
    inputs: &[".mode", "Thread.laneid", "x"],
    array: "A",
    labels: &["first", "second"],
};

/// The value of `y` after `text`, with `.mode` first, lane 7, `x` given and `A[i] = 100 + i`.
fn value(text: &str, mode: i64, x: i64) -> Result<i64, String> {
    let program = compile(text, &INTERFACE)?;
    let mut array: Vec<i64> = (100..132).collect();
    let mut values = Vec::new();
    program.run(&[mode, 7, x], &mut array, &mut values);
    Ok(values[program.slot("y")?])
}

#[test]
fn expressions_follow_c() {
    for (text, expected) in [
        ("y = 1 + 2 - 4;", -1),
        ("y = 3 - 2 - 1;", 0),
        ("y = 1 | 6 & 3;", 3),
        ("y = 1 | 2 ^ 3 & 1;", 3),
        ("y = 6 & 3 == 3;", 0),
        ("y = (6 & 3) == 2;", 1),
        ("y = 1 + 1 >= 2 == 1;", 1),
        ("y = 0 - 1 >= 0;", 0),
        ("y = 2 < 3 && 3 > 2 && 2 != 3;", 1),
        ("y = 1 || 1 && 0;", 1),
        ("y = ~5 & 31;", 26),
        ("y = ~5;", -6),
        ("y = -x;", -0x1234),
        ("y = !x;", 0),
        ("y = !!x;", 1),
        ("y = !0 <= 1;", 1),
        ("y = [Thread].laneid ^ 2;", 5),
        ("y = A[3] + A[[Thread].laneid];", 103 + 107),
    ] {
        assert_eq!(value(text, 0, 0x1234), Ok(expected), "{text}");
    }
}

#[test]
fn fields_are_unsigned_and_plain_names_are_signed() {
    for (text, expected) in [
        ("y = x[12:8];", 0x12),
        ("y = x[3:0];", 4),
        ("y = x[4:4];", 1),
        ("y = x[31:0];", 0x1234),
        ("y[4:0] = x;", 0x14),
        ("y[4:0] = 3 - 5;", 30),
        ("y = 3 - 5;", -2),
        ("n[4:0] = 3; m[4:0] = 5; y = n - m;", -2),
        ("n[4:0] = 3 - 5; y = n >= 0;", 1),
    ] {
        assert_eq!(value(text, 0, 0x1234), Ok(expected), "{text}");
    }
}

#[test]
fn statements_run_in_order_and_choose() {
    let switch =
        "switch (.mode) { case .first: y = 1; break; case .second: y = 2; y = y + 1; break; }";
    assert_eq!(value(switch, 0, 0), Ok(1));
    assert_eq!(value(switch, 1, 0), Ok(3));
    assert_eq!(value("y = 1; if (x) y = 2; // y = 3;", 0, 0), Ok(1));
    assert_eq!(value("y = 1; if (x) y = 2; // y = 3;", 0, 9), Ok(2));
    assert_eq!(value("if (x >= 5) { y = 1; } else { z = 4; y = z; }", 0, 4), Ok(4));
    assert_eq!(value("A[x] = 5; y = A[x] + A[x + 1];", 0, 0), Ok(5 + 101));
}

#[test]
fn bad_texts_are_rejected() {
    for text in [
        "y = z;",
        "y = 1",
        "y = ;",
        "y = (1;",
        "y = 1 $ 2;",
        "y = x[3];",
        "y = x[3:5];",
        "y = x[40:0];",
        "y[5:1] = x;",
        "y = A;",
        "y = .other;",
        "x = 1;",
        "y = [Thread].warpid;",
        "y = 1; switch (.mode) { case .third: y = 1; break; }",
        "switch (.mode) { case .first: y = 1; }",
        "{ y = 1;",
        "= 1;",
    ] {
        assert!(compile(text, &INTERFACE).is_err(), "{text}");
    }
}
