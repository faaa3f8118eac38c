//! Random kernels on the VM, in every way that must not make a difference, against the reference.

use warpwise_generate::{Choices, compare, generate, shrink};

/// Kernels of one run, and of which seeds.
const SEEDS: std::ops::Range<u64> = 0..2500;
/// Attempts to make a kernel with a mismatch smaller.
const ATTEMPTS: u32 = 2000;

/// What is wrong with the kernel of a seed.
fn failure(seed: u64) -> Option<String> {
    let mut choices = Choices::from_seed(seed);
    let mismatch = compare(&generate(&mut choices)).err()?;
    let fails = |bytes: &[u8]| compare(&generate(&mut Choices::from_bytes(bytes))).err();
    let shrunk = shrink(choices.made(), ATTEMPTS, fails);
    let (bytes, smallest) = shrunk.unwrap_or_else(|| (choices.made().to_vec(), mismatch));
    Some(format!("seed {seed}, choices {bytes:?}\n{smallest}"))
}

#[test]
fn the_vm_and_the_reference_agree() {
    let from_environment = |name: &str| std::env::var(name).ok()?.parse().ok();
    let start = from_environment("WARPWISE_SEED").unwrap_or(SEEDS.start);
    let count = from_environment("WARPWISE_SEEDS").unwrap_or(SEEDS.end - SEEDS.start);
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work =
            |core: u64| (start + core..start + count).step_by(cores as usize).find_map(failure);
        let workers: Vec<_> = (0..cores).map(|core| scope.spawn(move || work(core))).collect();
        workers.into_iter().filter_map(|worker| worker.join().expect("no panic")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// All bytes are choices.
#[test]
fn choices_of_a_fuzzer_make_kernels() {
    for length in [0, 1, 7, 40, 300] {
        for byte in [0, 1, 0x5a, 0xff] {
            let case = generate(&mut Choices::from_bytes(&vec![byte; length]));
            compare(&case).unwrap_or_else(|mismatch| panic!("{length} times {byte}\n{mismatch}"));
        }
    }
}
