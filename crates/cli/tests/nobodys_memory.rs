//! Kept kernels with a pointer to memory that nobody has: they end with a fault, or do without, and never with a signal, by machine
//! code of any level. The checks of addresses in machine code are all that keeps a kernel inside its memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Near null, where no machine has anything; and far beyond what is mapped.
const NOWHERE: [&str; 2] = ["u64:4096", "u64:70368744177664"];

/// The arguments of each `warpwise run` of a test file, with its folder.
fn runs(file: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
    let plain = |line: &&str| !line.contains(['"', '\'']) && !line.contains("--schedule");
    text.lines()
        .filter_map(|line| line.strip_prefix("$ warpwise run "))
        .filter(plain)
        .map(|line| (folder.clone(), without_results(line)))
        .collect()
}

/// What a command says but for the files that it would write.
fn without_results(line: &str) -> Vec<String> {
    let mut words = line.split_whitespace();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "--out" | "--engine" => _ = words.next(),
            _ => kept.push(word.to_owned()),
        }
    }
    kept
}

#[test]
fn pointers_to_nobodys_memory_never_end_a_kernel_with_a_signal() {
    let themes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels");
    let folders = fs::read_dir(themes).expect("it is there").flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten());
    let mut tests: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    tests.retain(|path| path.extension().is_some_and(|it| it == "test"));
    tests.sort();
    let all: Vec<(PathBuf, Vec<String>)> = tests.iter().flat_map(|file| runs(file)).collect();
    assert!(all.len() > 500, "{} commands", all.len());
    let levels: Vec<String> = warpwise::EngineChoice::available()
        .map(|engine| engine.to_string())
        .filter(|engine| engine.starts_with("jit:"))
        .collect();
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    let Some((folder, words)) = all.get(nth) else { break };
                    let pointers: Vec<usize> =
                        (1..words.len()).filter(|at| words[at - 1] == "--arg").collect();
                    let (Some(level), false) =
                        (levels.get(nth % levels.len().max(1)), pointers.is_empty())
                    else {
                        continue;
                    };
                    let mut words = words.clone();
                    NOWHERE[nth % 2].clone_into(&mut words[pointers[nth % pointers.len()]]);
                    let status = Command::new(env!("CARGO_BIN_EXE_warpwise"))
                        .arg("run")
                        .args(&words)
                        .args(["--engine", level, "--max-steps", "2000000"])
                        .current_dir(folder)
                        .output()
                        .expect("it starts")
                        .status;
                    assert!(
                        matches!(status.code(), Some(0..=9)),
                        "{status}, by {level} in {}: {}",
                        folder.display(),
                        words.join(" ")
                    );
                }
            });
        }
    });
}
