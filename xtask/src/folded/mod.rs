//! `cargo xtask record folded`: what NVIDIA's assembler makes of instructions whose operands are constants.
//!
//! The assembler computes them itself. Each result is combined with a word from memory by `xor`, so that it stands in the
//! machine code as the constant of one instruction; what it does not fold is left out of the table.

mod sequences;

use crate::oracle::Oracle;
use sequences::Sequence;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rows: target, width of the result, instructions that leave it in `%r0` or `%w0`, the result.
const TABLE: &str = "folded.tsv";

/// Targets, each with the PTX version of the module.
const TARGETS: [(&str, &str); 4] =
    [("sm_75", "7.8"), ("sm_90", "8.0"), ("sm_100", "8.6"), ("sm_120", "8.7")];

/// Kernels of a module.
const BATCH: usize = 250;

/// What every kernel declares; the test that runs the rows has the same.
const REGISTERS: &str = ".reg .b64 %p, %w<16>; .reg .b32 %j, %r<16>; .reg .pred %q<4>;";

/// Writes the table anew.
///
/// # Errors
/// The assembler or the disassembler cannot be run, or the table cannot be written.
pub(crate) fn record(folder: &Path) -> Result<(), String> {
    let oracle = Oracle::new()?;
    let mut table = String::from("# target, bits, instructions, what is in %r0 or %w0\n");
    for (at, (target, version)) in TARGETS.into_iter().enumerate() {
        let all = sequences::generate(at as u64);
        for batch in all.chunks(BATCH) {
            let cubin = oracle.cubin(&module(version, target, batch), target)?;
            let text = disassembled(&cubin)?;
            let folded = constants(&text);
            for (nth, sequence) in batch.iter().enumerate() {
                let Some(found) = folded.get(&nth) else { continue };
                let words = sequence.bits / 32;
                let Some(value) = value(found, words as usize) else { continue };
                let (bits, digits) = (sequence.bits, 2 + sequence.bits as usize / 4);
                let _ = writeln!(table, "{target}\t{bits}\t{}\t{value:#0digits$x}", sequence.text);
            }
        }
    }
    let path = folder.join(TABLE);
    std::fs::create_dir_all(folder).map_err(|why| why.to_string())?;
    std::fs::write(&path, table).map_err(|why| format!("{}: {why}", path.display()))
}

/// A module with a kernel for each sequence.
fn module(version: &str, target: &str, all: &[Sequence]) -> String {
    let mut text = format!(".version {version}\n.target {target}\n.address_size 64\n");
    for (nth, sequence) in all.iter().enumerate() {
        let _ = writeln!(text, ".visible .entry k{nth}(.param .u64 out) {{");
        let _ = writeln!(text, "{REGISTERS}\nld.param.u64 %p, [out];\n{}", sequence.text);
        if sequence.bits == 64 {
            text.push_str("mov.b64 {%r0, %r1}, %w0;\n");
        }
        for word in 0..sequence.bits / 32 {
            let at = 4 * word;
            let _ = writeln!(
                text,
                "ld.global.u32 %j, [%p+{at}]; xor.b32 %j, %j, %r{word}; st.global.u32 [%p+{at}], %j;"
            );
        }
        text.push_str("ret; }\n");
    }
    text
}

/// The machine code of a cubin as text, by the disassembler that `WARPWISE_CUOBJDUMP` names.
fn disassembled(cubin: &Path) -> Result<String, String> {
    let program: PathBuf =
        std::env::var_os("WARPWISE_CUOBJDUMP").map_or_else(|| "cuobjdump".into(), Into::into);
    let said = Command::new(&program).arg("-sass").arg(cubin).output();
    let said = said.map_err(|why| format!("cannot run {}: {why}", program.display()))?;
    let _ = std::fs::remove_file(cubin);
    Ok(String::from_utf8_lossy(&said.stdout).into_owned())
}

/// The words of a result, if each was folded.
fn value(found: &HashMap<u32, Option<u32>>, words: usize) -> Option<u64> {
    let word = |nth: usize| found.get(&(4 * nth as u32)).copied().flatten();
    (0..words).try_fold(0, |value, nth| Some(value | u64::from(word(nth)?) << (32 * nth)))
}

/// Per kernel and offset of a store: the constant that was combined with the word from there.
fn constants(text: &str) -> HashMap<usize, HashMap<u32, Option<u32>>> {
    let mut all = HashMap::new();
    for part in text.split("Function : k").skip(1) {
        let Some(nth) = part.split_whitespace().next().and_then(|word| word.parse().ok()) else {
            continue;
        };
        // What each register holds: the offset of the word that was loaded, and the constant.
        let mut held: HashMap<&str, (u32, u32)> = HashMap::new();
        let mut stored = HashMap::new();
        for line in part.lines().filter_map(instruction) {
            let (opcode, operands) = line.split_once(' ').unwrap_or((line, ""));
            let operands: Vec<&str> = operands.split(',').map(plain).collect();
            match operands[..] {
                [d, at] if opcode.starts_with("LDG") => _ = held.insert(d, (offset(at), 0)),
                [at, value] if opcode.starts_with("STG") => {
                    let found = held.get(value).filter(|(from, _)| *from == offset(at));
                    stored.insert(offset(at), found.map(|(_, constant)| *constant));
                }
                [d, a, constant, "RZ", "0x3c", ..] if opcode == "LOP3.LUT" => {
                    let new = held.get(a).copied().zip(number(constant));
                    held.remove(d);
                    if let Some(((from, _), constant)) = new {
                        held.insert(d, (from, constant));
                    }
                }
                [d, "RZ", a, "RZ", "0x33", ..] if opcode == "LOP3.LUT" => {
                    let new = held.get(a).copied();
                    held.remove(d);
                    if let Some((from, _)) = new {
                        held.insert(d, (from, u32::MAX));
                    }
                }
                [d, ..] => _ = held.remove(d),
                [] => {}
            }
        }
        all.insert(nth, stored);
    }
    all
}

/// The instruction of a line: `/*0010*/ MOV R1, 0x4 ; /* … */`.
fn instruction(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("*/")?;
    let (text, _) = rest.split_once(';')?;
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// An operand without what does not matter here.
fn plain(operand: &str) -> &str {
    let operand = operand.trim();
    operand.strip_suffix(".reuse").unwrap_or(operand)
}

/// The offset in an address such as `[UR4+0x4]` or `desc[UR6][R2.64+0x4]`.
fn offset(address: &str) -> u32 {
    let found = address.rsplit_once('+').map(|(_, found)| found.trim_end_matches(']'));
    found.and_then(number).unwrap_or(0)
}

/// A constant such as `0x10` or `-0x10`.
fn number(text: &str) -> Option<u32> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = u32::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?;
    Some(if negative { value.wrapping_neg() } else { value })
}
