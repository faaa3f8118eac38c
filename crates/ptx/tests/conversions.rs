//! Which moves, comparisons and conversions lower. The files beside this one hold the verdicts of NVIDIA's
//! assembler (13.5): `accepted.txt` and `rejected.txt` are single instructions, `unsupported.txt` those that
//! it accepts and that are not implemented, and `cvt.txt`, `setp.txt` and `set.txt` everything that it
//! accepts of the spaces enumerated here.

mod lane;

use ir::Kernel;
use lane::lines;
use std::collections::HashSet;

/// A kernel of these instructions, lowered.
fn lower(instructions: &str) -> Result<Kernel, String> {
    let module = ".version 9.1\n.target sm_100a\n.address_size 64\n.global .b32 var[4];\n\
         .func fn() { ret; }";
    let registers = ".reg .pred %p<5>; .reg .b8 %c<9>; .reg .b16 %h<9>; .reg .u16 %us<5>;\n\
         .reg .s16 %ss<5>; .reg .b32 %r<9>; .reg .u32 %u<5>; .reg .s32 %s<5>; .reg .b64 %rd<9>;\n\
         .reg .u64 %ud<3>; .reg .s64 %sd<3>; .reg .f16 %hf<5>; .reg .f16x2 %hx<5>;\n\
         .reg .f32 %f<5>; .reg .f64 %fd<5>; .reg .b128 %q<3>;";
    lane::lower(module, registers, instructions)
}

#[test]
fn what_the_assembler_accepts_lowers() {
    let failed: Vec<String> = lines(include_str!("conversions/accepted.txt"))
        .filter_map(|line| lower(line).err().map(|why| format!("{line}\n{why}")))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn what_the_assembler_rejects_is_an_error() {
    let passed: Vec<&str> = lines(include_str!("conversions/rejected.txt"))
        .filter(|line| lower(line).is_ok())
        .collect();
    assert!(passed.is_empty(), "{}", passed.join("\n"));
}

#[test]
fn what_is_not_implemented_says_so() {
    for line in lines(include_str!("conversions/unsupported.txt")) {
        let why = lower(line).expect_err(line);
        assert!(why.contains("not implemented"), "{line}\n{why}");
    }
}

/// A register as wide as a type, 8-bit types in 16 bits.
fn register(ty: &str) -> &'static str {
    match ty {
        "u32" | "s32" | "b32" | "f32" | "f16x2" | "bf16x2" => "%r",
        "u64" | "s64" | "b64" | "f64" => "%rd",
        _ => "%h",
    }
}

/// Checks that exactly the mnemonics in `accepted` lower, out of all of `space`.
fn check(space: impl Iterator<Item = (String, String)>, accepted: &str) {
    let mut accepted: HashSet<&str> = lines(accepted).collect();
    let mut wrong = Vec::new();
    for (mnemonic, operands) in space {
        let lowered = lower(&format!("{mnemonic} {operands};"));
        match (accepted.remove(mnemonic.as_str()), lowered) {
            (true, Err(why)) => wrong.push(format!("{mnemonic} is not accepted:\n{why}")),
            (false, Ok(_)) => wrong.push(format!("{mnemonic} is accepted")),
            (true, Ok(_)) | (false, Err(_)) => {}
        }
    }
    assert!(accepted.is_empty(), "outside of the space: {accepted:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cvt_accepts_what_the_assembler_accepts() {
    const ROUNDINGS: [&str; 9] = ["", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi"];
    const TYPES: [&str; 12] =
        ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "bf16", "f32", "f64"];
    let space = ROUNDINGS.into_iter().flat_map(|rnd| {
        ["", ".ftz", ".sat", ".ftz.sat"].into_iter().flat_map(move |rest| {
            TYPES.into_iter().flat_map(move |d| {
                TYPES.into_iter().map(move |a| {
                    let operands = format!("{}0, {}1", register(d), register(a));
                    (format!("cvt{rnd}{rest}.{d}.{a}"), operands)
                })
            })
        })
    });
    check(space, include_str!("conversions/cvt.txt"));
}

const COMPARED: [&str; 15] = [
    "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f16", "f16x2", "bf16",
    "bf16x2", "f32", "f64",
];

#[test]
fn setp_accepts_what_the_assembler_accepts() {
    const COMPARISONS: [&str; 18] = [
        "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu",
        "gtu", "geu", "num", "nan",
    ];
    let space = COMPARISONS.into_iter().flat_map(|cmp| {
        ["", ".ftz"].into_iter().flat_map(move |ftz| {
            COMPARED.into_iter().map(move |ty| {
                let operands = format!("%p0, {0}1, {0}2", register(ty));
                (format!("setp.{cmp}{ftz}.{ty}"), operands)
            })
        })
    });
    check(space, include_str!("conversions/setp.txt"));
}

#[test]
fn set_accepts_what_the_assembler_accepts() {
    const RESULTS: [&str; 11] =
        ["u16", "s16", "u32", "s32", "f16", "f16x2", "bf16", "bf16x2", "f32", "u64", "f64"];
    let space = ["eq", "lo", "ltu", "gt"].into_iter().flat_map(|cmp| {
        ["", ".ftz"].into_iter().flat_map(move |ftz| {
            RESULTS.into_iter().flat_map(move |d| {
                COMPARED.into_iter().map(move |ty| {
                    let operands = format!("{}0, {1}1, {1}2", register(d), register(ty));
                    (format!("set.{cmp}{ftz}.{d}.{ty}"), operands)
                })
            })
        })
    });
    check(space, include_str!("conversions/set.txt"));
}

/// Each line is code, `=` and the value of its last result: from Python's integers and numpy's floats.
#[test]
fn results_are_those_of_the_manual() {
    let mut failed = Vec::new();
    for line in lines(include_str!("conversions/values.txt")) {
        let (code, expected) = line.split_once(" = 0x").expect("a line is code = value");
        let expected = u64::from_str_radix(expected, 16).expect("the value is hexadecimal");
        match lower(code).and_then(|kernel| lane::result(&kernel)) {
            Ok(value) if value == expected => {}
            Ok(value) => failed.push(format!("{line}, not {value:#x}")),
            Err(why) => failed.push(format!("{line}\n{why}")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
