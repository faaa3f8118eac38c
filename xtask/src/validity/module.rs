//! Modules around single instructions. Names in an instruction say what they are: `b32_a` is a `.b32`
//! register, `global_v` a variable, `label_t` a label, `table_t` a table of labels, `func_f` a function.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Types that registers are declared with.
pub(crate) const REGISTERS: &[&str] = &[
    "pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32",
    "s64", "f16", "f16x2", "f32", "f64",
];

/// A PTX ISA version.
pub(crate) type Version = (u32, u32);

/// A module of instructions, one a line, and the number of the first one's line.
pub(crate) fn module(version: Version, target: &str, instructions: &[&str]) -> (String, usize) {
    let names: BTreeSet<&str> = instructions.iter().flat_map(|text| names(text)).collect();
    let mut text = format!(".version {}.{}\n.target {target}\n", version.0, version.1);
    let mut line = |what: &str| {
        text.push_str(what);
        text.push('\n');
    };
    if version >= (2, 3) {
        line(".address_size 64");
    }
    for space in ["global", "const", "shared"] {
        if names.contains(format!("{space}_v").as_str()) {
            line(&format!(".{space} .align 16 .b8 {space}_v[64];"));
        }
    }
    if names.contains("func_f") {
        line(".func func_f () { ret; }");
    }
    match names.contains("param_v") {
        true => line(".entry k (.param .align 16 .b8 param_v[64]) {"),
        false => line(".entry k () {"),
    }
    if names.contains("local_v") {
        line(".local .align 16 .b8 local_v[64];");
    }
    for name in &names {
        if let Some((ty, _)) = name.split_once('_').filter(|(ty, _)| REGISTERS.contains(ty)) {
            line(&format!(".reg .{ty} {name};"));
        }
    }
    if names.contains("table_t") {
        line("table_t: .branchtargets label_t;");
    }
    let first = text.lines().count() + 1;
    for instruction in instructions {
        let _ = writeln!(text, "{instruction}");
    }
    text.push_str("label_t: ret;\n}\n");
    (text, first)
}

/// The words of an instruction that may be names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| {
        !char.is_ascii_alphanumeric() && char != '_' && char != '.' && char != '%'
    })
    .flat_map(|word| word.split('.'))
    .filter(|word| word.contains('_'))
}
