//! `cargo xtask record launches`: the launches of file tests whose results numpy has computed, for `warpwise-conformance`.

use filetest::{discover, execute, parse};
use std::fmt::Write as _;
use std::path::Path;

/// The folders whose tests are taken.
const FOLDERS: [&str; 2] = ["examples", "tests/run"];

/// Runs the tests' commands once more with `--save`, and writes what they save into one archive: JSON, a line each, as an LZ4
/// block behind its size.
///
/// # Errors
/// There is no `target/release/warpwise`, or a file cannot be read or written.
pub(crate) fn record(root: &Path) -> Result<(), String> {
    let to = root.join("crates/conformance/launches.lz4");
    let lines = lines(root)?;
    std::fs::write(&to, lz4_flex::block::compress_prepend_size(lines.as_bytes()))
        .map_err(|why| format!("{}: {why}", to.display()))
}

fn lines(root: &Path) -> Result<String, String> {
    let warpwise = root.join("target/release/warpwise");
    if !warpwise.is_file() {
        return Err("there is no target/release/warpwise: `cargo build --release` makes it".into());
    }
    let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
    let saved = folder.path().join("launch.json");
    let mut lines = String::new();
    for name in FOLDERS {
        let files = discover(&root.join(name)).map_err(|why| format!("{name}: {why}"))?;
        for file in files {
            let named = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            let told = |why: String| format!("{named}: {why}");
            let text = std::fs::read_to_string(&file).map_err(|why| told(why.to_string()))?;
            let script = parse(&text).map_err(told)?;
            // What numpy knows is defined, and the same everywhere.
            let known = script.cases.into_iter().enumerate().filter(|(_, case)| {
                case.status == 0
                    && !case.same.is_empty()
                    && case.command.trim_start().starts_with("warpwise run ")
            });
            for (nth, mut case) in known {
                let _ = std::fs::remove_file(&saved);
                let _ = write!(case.command, " --save {}", saved.display());
                let ran = execute(&warpwise, &file, &case, None)?;
                let Ok(text) = std::fs::read_to_string(&saved) else {
                    let why = ran.errors.lines().next().unwrap_or_default().to_owned();
                    println!("left out: {named}, command {}: {why}", nth + 1);
                    continue;
                };
                let mut launch: serde_json::Value =
                    serde_json::from_str(&text).map_err(|why| told(why.to_string()))?;
                let kernel = launch["name"].as_str().unwrap_or_default();
                launch["name"] = format!("{named}, command {}, {kernel}", nth + 1).into();
                lines.push_str(&launch.to_string());
                lines.push('\n');
            }
        }
    }
    Ok(lines)
}
