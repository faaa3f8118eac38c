//! Instructions on constants, against what NVIDIA's assembler folds them to (`cargo xtask record folded`).

use std::fmt::Write as _;
use warpwise::{Device, LaunchConfig, Module};

const TABLE: &str = include_str!("../../../tests/folded/folded.tsv");

/// Instructions of a target, the width of what they leave in `%r0` or `%w0`, and the value.
struct Row<'t> {
    target: &'t str,
    bits: u32,
    text: &'t str,
    value: u64,
}

fn row(line: &str) -> Option<Row<'_>> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [target, bits, text, value] = cells[..] else { return None };
    let value = u64::from_str_radix(value.strip_prefix("0x")?, 16).ok()?;
    Some(Row { target, bits: bits.parse().ok()?, text, value })
}

/// A kernel that stores the result of every row.
fn kernel(target: &str, rows: &[Row<'_>]) -> String {
    let mut text = format!(
        ".version 8.7\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .b64 %p;\nld.param.u64 %p, [out];\n"
    );
    for (nth, row) in rows.iter().enumerate() {
        let source = if row.bits == 64 { "%w0" } else { "%r0" };
        let _ = writeln!(
            text,
            "{{ .reg .b64 %w<16>; .reg .b32 %r<16>; .reg .pred %q<4>;\n{}\nst.global.b{} [%p+{}], {source}; }}",
            row.text,
            row.bits,
            8 * nth
        );
    }
    text + "ret; }\n"
}

#[test]
fn constants_fold_to_what_instructions_compute() {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Row<'_>> =
        lines.map(|line| row(line).expect("the table is well formed")).collect();
    assert!(rows.len() > 1000, "{}", rows.len());
    let device = Device::new().expect("the host gives memory");
    for rows in rows.chunk_by(|one, other| one.target == other.target) {
        let target = rows[0].target;
        let module = Module::from_ptx("folded.ptx", kernel(target, rows)).expect("it is legal");
        let kernel = module.kernel("k").expect("it lowers");
        let out = device.upload(&vec![0_u64; rows.len()]).expect("it fits");
        kernel.launch(&device, &LaunchConfig::new(1, 1), &[out.into()]).expect("it runs");
        let found = device.download::<u64>(out).expect("it is there");
        for (row, found) in rows.iter().zip(found) {
            assert_eq!(
                found, row.value,
                "{target}: {}: {found:#x}, not {:#x}",
                row.text, row.value
            );
        }
    }
}
