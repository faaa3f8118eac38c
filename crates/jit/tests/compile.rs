//! Every kernel of `tests/ir` becomes machine code for every level, whatever this machine has.

use ir::{Class, Interrupt, Kernel};
use std::path::Path;
use warpwise_jit::{Code, Home, Input, Level, compile};

/// Code of a kernel whose registers have a row each.
fn code(kernel: &Kernel, block: [u32; 3], level: Level) -> Code {
    let mut end = 0;
    let warps = block.iter().product::<u32>().div_ceil(32);
    let homes: Vec<_> = kernel
        .registers
        .iter()
        .map(|class| {
            let stride = match class {
                Class::W32 => 32,
                Class::W64 => 64,
                Class::Pred => 1,
            };
            let offset = end;
            end += stride * warps;
            Some(Home { offset, stride })
        })
        .collect();
    let mut starts = Vec::new();
    let mut place = 0;
    for block in &kernel.blocks {
        starts.push(place);
        place += block.insts.len() as u32 + 1;
    }
    let instructions: Vec<u32> =
        kernel.blocks.iter().map(|block| block.insts.len() as u32 + 1).collect();
    let input = Input {
        kernel,
        prologue: &[],
        homes: &homes,
        starts: &starts,
        instructions: &instructions,
        block,
        shared_bytes: u64::from(kernel.shared_bytes),
        first_site: 0,
        level,
    };
    compile(&input, &Interrupt::never()).expect("not interrupted").expect("code")
}

#[test]
fn kernels_of_all_kinds_become_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("a folder") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "ir") {
            continue;
        }
        println!("{}", path.display());
        let text = std::fs::read_to_string(&path).expect("text");
        let kernel = ir::text::parse(&text).expect("a kernel");
        for level in Level::ALL {
            for block in [[32, 1, 1], [16, 16, 1], [256, 1, 1]] {
                assert!(code(&kernel, block, level).bytes() > 0);
                count += 1;
            }
        }
    }
    assert!(count > 0);
}

/// `cargo test --release -p warpwise-jit --test compile -- --ignored --nocapture` says how long code takes to make.
#[test]
#[ignore = "measures"]
fn time_of_an_operation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|file| file.expect("a file").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ir"));
    files.sort();
    for level in Level::ALL {
        let (mut operations, mut bytes) = (0, 0);
        let text = |path| std::fs::read_to_string(path).expect("text");
        let kernels: Vec<Kernel> =
            files.iter().map(|path| ir::text::parse(&text(path)).expect("a kernel")).collect();
        let mut time = std::time::Duration::MAX;
        for _ in 0..20 {
            let started = std::time::Instant::now();
            (operations, bytes) = (0, 0);
            for kernel in &kernels {
                operations +=
                    kernel.blocks.iter().map(|block| block.insts.len() + 1).sum::<usize>();
                bytes += code(kernel, [256, 1, 1], level).bytes();
            }
            time = time.min(started.elapsed());
        }
        let each = time.as_secs_f64() * 1e6 / operations as f64;
        println!("{level}: {operations} operations, {bytes} bytes, {each:.1} µs an operation");
    }
}
