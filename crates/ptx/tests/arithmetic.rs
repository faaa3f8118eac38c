//! Which arithmetic, logic and bit instructions lower. NVIDIA's assembler (13.5) accepts every text of
//! `arithmetic/accepted.txt` and rejects every text of `arithmetic/rejected.txt`.

mod lane;

use ir::Kernel;
use lane::{lines, result};

/// A kernel of these instructions, lowered.
fn lower(version: &str, target: &str, instructions: &str) -> Result<Kernel, String> {
    let module = format!(".version {version}\n.target {target}\n.address_size 64");
    let registers = ".reg .pred %p<5>; .reg .b16 %h<6>; .reg .b32 %r<6>; .reg .b64 %d<6>;\n\
         .reg .f32 %f<6>; .reg .f64 %fd<6>; .reg .u16 %u<6>; .reg .s16 %s<6>;";
    lane::lower(&module, registers, instructions)
}

#[test]
fn what_the_assembler_accepts_lowers() {
    let failed: Vec<String> = lines(include_str!("arithmetic/accepted.txt"))
        .filter_map(|line| lower("9.1", "sm_100a", line).err().map(|why| format!("{line}\n{why}")))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn what_the_assembler_rejects_is_an_error() {
    let passed: Vec<&str> = lines(include_str!("arithmetic/rejected.txt"))
        .filter(|line| lower("9.1", "sm_100a", line).is_ok())
        .collect();
    assert!(passed.is_empty(), "{}", passed.join("\n"));
}

/// Instruction, PTX version, target, and whether the assembler accepts it there.
#[test]
fn forms_need_their_version_and_target() {
    for (instruction, version, target, lowers) in [
        ("fma.rn.bf16 %h0, %h1, %h2, %h3;", "7.0", "sm_80", true),
        ("fma.rn.bf16 %h0, %h1, %h2, %h3;", "7.0", "sm_75", false),
        ("fma.rn.bf16 %h0, %h1, %h2, %h3;", "6.5", "sm_80", false),
        ("add.bf16 %h0, %h1, %h2;", "7.8", "sm_90", true),
        ("add.bf16 %h0, %h1, %h2;", "7.8", "sm_89", false),
        ("min.NaN.f16 %h0, %h1, %h2;", "7.0", "sm_80", true),
        ("min.NaN.f16 %h0, %h1, %h2;", "7.0", "sm_75", false),
        ("min.xorsign.abs.f32 %f0, %f1, %f2;", "7.2", "sm_86", true),
        ("min.xorsign.abs.f32 %f0, %f1, %f2;", "7.2", "sm_80", false),
        ("add.f32x2 %d0, %d1, %d2;", "8.6", "sm_100", true),
        ("add.f32x2 %d0, %d1, %d2;", "8.6", "sm_90", false),
        ("max.s16x2 %r0, %r1, %r2;", "8.0", "sm_90", true),
        ("max.s16x2 %r0, %r1, %r2;", "8.0", "sm_80", false),
        ("tanh.approx.f32 %f0, %f1;", "7.0", "sm_75", true),
        ("tanh.approx.f32 %f0, %f1;", "6.5", "sm_75", false),
        ("lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 1, %p1;", "8.2", "sm_75", true),
        ("lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 1, %p1;", "8.1", "sm_75", false),
        ("min.f32 %f0, %f1, %f2, %f3;", "8.8", "sm_100", true),
        ("min.f32 %f0, %f1, %f2, %f3;", "8.7", "sm_100", false),
    ] {
        let result = lower(version, target, instruction);
        assert_eq!(result.is_ok(), lowers, "{instruction} {version} {target}: {result:?}");
    }
}

/// Each line is code, `=` and the value of its last result: from the manual's pseudo-code in Python's
/// integers, and from numpy for floats.
#[test]
fn results_are_those_of_the_manual() {
    let mut failed = Vec::new();
    for line in lines(include_str!("arithmetic/values.txt")) {
        let (code, expected) = line.split_once(" = 0x").expect("a line is code = value");
        let expected = u64::from_str_radix(expected, 16).expect("the value is hexadecimal");
        match lower("9.1", "sm_100a", code).and_then(|kernel| result(&kernel)) {
            Ok(value) if value == expected => {}
            Ok(value) => failed.push(format!("{line}, not {value:#x}")),
            Err(why) => failed.push(format!("{line}\n{why}")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
