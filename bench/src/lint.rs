//! How fast `lint` reads and checks a long module of a real compiler.

use crate::median::median;
use std::fmt::Write as _;
use std::time::Instant;
use warpwise::diag::{Severity, Sources};

/// What the CUDA compiler made of scans and reductions of CUB.
const SOURCE: &str = include_str!("../../tests/kernels/cub/look_back.sm_90.ptx");

const LINES: usize = 50_000;
const REPETITIONS: usize = 7;

/// Prints how long it takes to lint a module of fifty thousand lines.
pub(crate) fn bench() {
    let text = module();
    let mut times = Vec::new();
    for _ in 0..REPETITIONS {
        let mut sources = Sources::new();
        let file = sources.add("long.ptx", text.clone());
        let started = Instant::now();
        let found = warpwise::lint(&sources, file, None);
        times.push(started.elapsed());
        assert!(
            found.iter().all(|it| it.severity != Severity::Error),
            "the compiler's module is legal"
        );
    }
    let seconds = median(times);
    println!("lines     KB       lint ms    MB/s   ns/line");
    println!(
        "{:<9} {:<8} {:>7.1} {:>7.1} {:>9.0}",
        text.lines().count(),
        text.len() / 1000,
        seconds * 1e3,
        text.len() as f64 / seconds / 1e6,
        seconds * 1e9 / text.lines().count() as f64,
    );
}

/// The kernels of the source, under new names, as often as it takes.
fn module() -> String {
    let start = SOURCE.find(".visible .entry").unwrap_or(SOURCE.len());
    let (head, kernels) = SOURCE.split_at(start);
    let mut text = head.to_owned();
    let (mut lines, per_copy) = (head.lines().count(), kernels.lines().count().max(1));
    for copy in 0.. {
        if lines >= LINES {
            break;
        }
        for part in kernels.split_inclusive('(') {
            match part.strip_suffix('(').filter(|part| part.contains(".entry ")) {
                Some(part) => _ = write!(text, "{part}_{copy}("),
                None => text.push_str(part),
            }
        }
        lines += per_copy;
    }
    text
}
