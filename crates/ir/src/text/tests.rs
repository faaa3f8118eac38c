//! Text to kernel and back, and what is said of text that is none.

use super::forms::op_forms;
use super::parse;
use crate::{
    BinaryOp, Builder, Class, CompareOp, Kernel, Op, Reg, Src, TernaryOp, UnaryOp, WarpRules,
};

const EVERY_FORM: &str = include_str!("every_form.ir");

macro_rules! names {
    (
        scalar { $($scalar:tt)* }
        named { $($name:literal, ($($op:tt)*) = [$($d:ident),*] [$($m:ident),*] [$($a:ident),*];)* }
    ) => {
        const NAMES: &[&str] = &[$($name),*];
    };
}

op_forms!(names);

fn parsed(text: &str) -> Kernel {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn every_form_is_read_and_written() {
    assert_eq!(parsed(EVERY_FORM).to_string(), EVERY_FORM);
    for name in NAMES {
        let stands = |line: &str| {
            let op = line.split_once("= ").map_or(line, |(_, op)| op).trim();
            op.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ']))
        };
        assert!(EVERY_FORM.lines().any(stands), "{name}");
    }
}

/// `a.b` would hide `a.b.c`.
#[test]
fn no_name_is_the_beginning_of_another() {
    for (nth, name) in NAMES.iter().enumerate() {
        let begins = |other: &str| format!("{other}.").starts_with(&format!("{name}."));
        assert_eq!(NAMES.iter().position(|other| begins(other)), Some(nth), "{name}");
        assert_eq!(NAMES.iter().filter(|other| begins(other)).count(), 1, "{name}");
    }
}

#[test]
fn every_row_is_read_and_written() {
    let mut b = Builder::new("rows", WarpRules::Independent);
    let (d, a): (Reg, Src) = (b.reg(Class::W32), Src::Imm(7));
    UnaryOp::all().for_each(|op| b.push(Op::Unary { op, d, a }));
    BinaryOp::all().for_each(|op| b.push(Op::Binary { op, d, a, b: a }));
    TernaryOp::all().for_each(|op| b.push(Op::Ternary { op, d, a, b: a, c: a }));
    CompareOp::all().for_each(|op| b.push(Op::Compare { op, d, a, b: a }));
    let kernel = b.finish();
    assert_eq!(parsed(&kernel.to_string()), kernel);
}

#[test]
fn comments_spaces_and_decimal_numbers_are_read() {
    let text = "\n; a comment\nkernel \"k\" independent ; more\r\n\nregisters v0\tw32\n\nblock0:\n\
        v0=AddI32 v0,-1;last\n\n  exit";
    let expected = "kernel \"k\" independent\nregisters v0 w32\nblock0:\n    v0 = AddI32 v0, 0xffffffffffffffff\n    \
        exit\n";
    assert_eq!(parsed(text).to_string(), expected);
}

#[test]
fn errors_tell_where_and_what() {
    let body = |inst: &str| format!("kernel \"k\" independent\nblock0:\n    {inst}\n    exit\n");
    for (inst, expected) in [
        ("v0 = AddI33 v1, v2", "3:10: expected an operation, found `AddI33`"),
        ("v0 = AddF32 v1, v2", "3:16: expected a rounding mode (rn, rz, rm, rp), found `AddF32`"),
        (
            "v0 = AddI32 v1",
            "3:19: expected `,` and a register or a number, found the end of the line",
        ),
        ("v0 = AddI32 v1, x", "3:21: expected a register or a number, found `x`"),
        ("v0, v1 = AddI32 v1, v2", "3:14: expected an operation with 2 results, found `AddI32`"),
        ("AddI32 v1, v2", "3:5: expected a result before the operation, found `AddI32`"),
        ("v0 = special.tad", "3:18: expected a special register, found `special.tad`"),
        (
            "v0 = load.global.b33 [v0]",
            "3:22: expected the type of an element (u8, s8, u16, s16, b32, b64), \
            found `load.global.b33`",
        ),
        (
            "v0 = load.global.b32.weak [v0]",
            "3:26: expected the end of the name, found `load.global.b32.weak`",
        ),
        ("v0 = load.global.b32 v0", "3:26: expected an address (`[v0+8]`), found `v0`"),
        (
            "v0 = load.global.b32 [v0+9223372036854775808]",
            "3:30: expected an offset of 64 bits, \
            found `9223372036854775808`",
        ),
        (
            "v0 = ballot v1",
            "3:19: expected `,` and `members` with a membermask, or `active`, found the end \
            of the line",
        ),
        ("@v0 = x", "3:9: expected an operation, found `=`"),
        ("nanosleep 5 6", "3:17: expected the end of the line, found `6`"),
        ("branch v0, block1", "3:22: expected `,`, found the end of the line"),
        ("v4294967296 = activemask", "3:5: expected a register (v0, v1, …), found `v4294967296`"),
        ("exit\nblock2:", "4:1: expected `block1`, found `block2`"),
    ] {
        let error = parse(&body(inst)).expect_err(inst);
        assert_eq!(error.to_string(), expected, "{inst}");
    }
    for (text, expected) in [
        ("", "1:1: expected `kernel`, found the end of the text"),
        ("kernel k", "1:8: expected a name in quotes, found `k`"),
        (
            "kernel \"a\\q\" lockstep",
            "1:10: expected an escape (\\t, \\r, \\n, \\', \\\", \\\\, \\u{…}), found \
            a quoted text",
        ),
        (
            "kernel \"ä\" fair",
            "1:12: expected the rules of its warps (independent, lockstep), found `fair`",
        ),
        ("kernel \"k\" lockstep\nregisters v1 w32", "2:11: expected `v0`, found `v1`"),
        (
            "kernel \"k\" lockstep\nregisters v0-v99999999 w32",
            "2:14: expected a register from v0 to v16777215, \
            found `v99999999`",
        ),
        (
            "kernel \"k\" lockstep\nlocal 4294967296",
            "2:7: expected bytes of 32 bits, found `4294967296`",
        ),
    ] {
        assert_eq!(parse(text).expect_err(text).to_string(), expected, "{text}");
    }
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

/// Whatever the text, the parser returns; and what it takes for a kernel is written as a text of that kernel.
#[test]
fn mutated_texts_are_kernels_or_errors() {
    let mut random = Random(1);
    let original: Vec<char> = EVERY_FORM.chars().collect();
    let alphabet: Vec<char> = "v0v1_9-+[]@!,.:;=\"\\{}\n xabu..ä\0block".chars().collect();
    let (mut kernels, mut errors) = (0, 0);
    for _ in 0..3000 {
        let mut text = original.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            let end = (at + random.below(12)).min(text.len());
            match random.below(4) {
                0 => drop(text.drain(at..end)),
                1 => text.insert(at, alphabet[random.below(alphabet.len())]),
                2 => text[at] = alphabet[random.below(alphabet.len())],
                _ => {
                    let part = text[at..end].to_vec();
                    let to = random.below(text.len());
                    text.splice(to..to, part);
                }
            }
        }
        let text: String = text.into_iter().collect();
        match parse(&text) {
            Ok(kernel) => {
                kernels += 1;
                assert_eq!(parsed(&kernel.to_string()), kernel);
            }
            Err(error) => {
                errors += 1;
                let line =
                    text.split('\n').nth(error.line as usize - 1).expect("a line of the text");
                assert!(error.column as usize <= line.chars().count() + 1, "{error}\n{line}");
            }
        }
    }
    assert!(kernels > 50 && errors > 1000, "{kernels} kernels, {errors} errors");
}

#[test]
fn a_hundred_thousand_instructions_are_quick() {
    let mut b = Builder::new("long", WarpRules::Independent);
    let regs: Vec<Reg> = (0..100_000).map(|_| b.reg(Class::W32)).collect();
    regs.windows(2).for_each(|pair| b.binary_to(pair[1], BinaryOp::AddI32, pair[0], Src::Imm(1)));
    let kernel = b.finish();
    assert_eq!(parsed(&kernel.to_string()), kernel);
}
