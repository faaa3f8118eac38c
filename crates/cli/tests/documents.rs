//! Every command that the documents print runs as printed.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folders that the commands read, in a place where they may also write.
fn writable_copy() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder can be made");
    for folder in ["examples", "isa", "tests/check"] {
        copy(&root().join(folder), &place.path().join(folder));
    }
    place
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    for entry in std::fs::read_dir(from).expect("it is a folder") {
        let (from, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("readable");
        match from.is_dir() {
            true => copy(&from, &to.join(name)),
            false => drop(std::fs::copy(&from, to.join(name)).expect("the file can be copied")),
        }
    }
}

/// The shell scripts of a Markdown text: blocks marked `sh`, and commands in backticks on a line of their own.
fn scripts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        match &mut block {
            Some(_) if line == "```" => found.extend(block.take()),
            Some(script) => *script += &format!("{line}\n"),
            None if line == "```sh" => block = Some(String::new()),
            None => {
                let command = line.strip_prefix('`').and_then(|line| line.strip_suffix('`'));
                found.extend(command.filter(|it| it.starts_with("warpwise ")).map(str::to_owned));
            }
        }
    }
    found
}

/// The script with the built binary as `warpwise`; it prints the exit status of every command of ours on a line of its
/// own. Commands of cargo itself are left out: they are what runs this test.
fn measured(script: &str) -> String {
    let joined = script.replace("\\\n", " ");
    let mut measured = String::from("set -e\n");
    for line in joined.lines() {
        let line = line.replace("cargo run --release -p warpwise-cli --", "warpwise");
        if line.starts_with("warpwise ") {
            measured += &format!("set +e\n{line}\necho \"status: $?\"\nset -e\n");
        } else if !line.starts_with("cargo ") && !line.starts_with("bash ") {
            measured += &format!("{line}\n");
        }
    }
    measured
}

/// Runs the commands of a document in a folder, and returns what they print together with their exit statuses.
fn run(document: &str, folder: &str) -> Vec<(String, String, Vec<i32>)> {
    let place = writable_copy();
    let text = std::fs::read_to_string(root().join(document)).expect("the document is there");
    let binary = Path::new(env!("CARGO_BIN_EXE_warpwise")).parent().expect("it has a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let one = |script: String| {
        let output = Command::new("sh")
            .args(["-c", &measured(&script)])
            .current_dir(place.path().join(folder))
            .env("PATH", format!("{}:{path}", binary.display()))
            .output()
            .expect("there is a shell");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{document}: {script}\n{printed}");
        let statuses =
            printed.lines().filter_map(|line| line.strip_prefix("status: ")?.parse().ok());
        let statuses = statuses.collect();
        (script, printed, statuses)
    };
    scripts(&text).into_iter().map(one).collect()
}

#[test]
fn commands_of_the_readmes_run() {
    for (document, folder, count) in [
        ("README.md", ".", 10),
        ("docs/output.md", ".", 12),
        ("docs/test-plans.md", ".", 1),
        ("docs/tutorial.md", ".", 7),
        ("docs/install.md", ".", 2),
        ("docs/continuous-integration.md", ".", 2),
        ("examples/README.md", "examples", 1),
        ("examples/described_machine/README.md", "examples/described_machine", 4),
    ] {
        let mut ran = 0;
        for (script, printed, statuses) in run(document, folder) {
            ran += statuses.len();
            // Findings and faults are what some of them show; wrong usage and rejected input are mistakes of the document.
            let right = |status: &i32| matches!(status, 0 | 1 | 4);
            assert!(statuses.iter().all(right), "{document}: {script}\n{printed}");
        }
        assert_eq!(ran, count, "{document}: commands that ran");
    }
}

/// The document's commands write into a folder beside it, where the same pictures are.
#[test]
fn pictures_are_what_their_commands_draw() {
    let text = std::fs::read_to_string(root().join("docs/warps.md")).expect("it is there");
    let place = tempfile::tempdir().expect("a folder can be made");
    std::fs::create_dir(place.path().join("pictures")).expect("a folder can be made");
    let all: Vec<String> = scripts(&text);
    for script in &all {
        let output = Command::new("sh")
            .args(["-c", &script.replace("warpwise ", "\"$WARPWISE\" ")])
            .env("WARPWISE", env!("CARGO_BIN_EXE_warpwise"))
            .current_dir(place.path())
            .output()
            .expect("there is a shell");
        // An instruction whose result is undefined is a finding.
        assert!(output.status.code() <= Some(1), "{script}: {output:?}");
    }
    let shown = text.matches("](pictures/").count();
    assert!(shown >= 4 && shown == all.len(), "{shown} pictures of {} commands", all.len());
    for file in std::fs::read_dir(root().join("docs/pictures")).expect("it is there") {
        let file = file.expect("readable");
        let drawn = std::fs::read(place.path().join("pictures").join(file.file_name()));
        let kept = std::fs::read(file.path()).expect("readable");
        assert!(drawn.is_ok_and(|drawn| drawn == kept), "{:?} is drawn anew", file.file_name());
    }
}

#[test]
fn the_plan_of_the_document_is_the_example() {
    let read = |path| std::fs::read_to_string(root().join(path)).expect("it is there");
    let document = read("docs/test-plans.md");
    let (_, shown) = document.split_once("```toml\n").expect("a plan");
    let (shown, _) = shown.split_once("```").expect("its end");
    assert!(read("examples/counting_sort/counting_sort.toml").starts_with(shown), "{shown}");
}

#[test]
fn examples_of_findings_show_them() {
    let text = std::fs::read_to_string(root().join("docs/findings.md")).expect("it is there");
    let sections = text.split("\n## ").skip(1);
    let examples = sections.flat_map(|section| {
        let code = section.lines().next().unwrap_or_default().to_owned();
        scripts(section).into_iter().map(move |script| (code.clone(), script))
    });
    let ran = run("docs/findings.md", "tests/check");
    assert!(ran.len() >= 19, "{} commands", ran.len());
    for ((code, script), (_, printed, statuses)) in examples.zip(&ran) {
        assert_eq!(statuses, &[1], "{script}\n{printed}");
        assert!(printed.contains(&format!("[{code}]")), "{script}\n{printed}");
    }
}
