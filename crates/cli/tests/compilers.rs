//! The commands of docs/bring-your-kernel.md give PTX that runs, and the program of README.md runs. They need compilers of others, so the test is left out
//! unless somebody asks for it: `nvcc` and `cuobjdump` in the path, and in `WARPWISE_PYTHON` a Python with the packages that
//! the page names.
//!
//! ```text
//! WARPWISE_PYTHON=/venv/bin/python cargo test --release -p warpwise-cli --test compilers -- --ignored
//! ```

use std::path::Path;
use std::process::Command;

/// The blocks of a Markdown text: their languages and texts.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let inside = text.split("\n```").enumerate().filter(|(nth, _)| nth % 2 == 1);
    inside.filter_map(|(_, block)| block.split_once('\n')).collect()
}

#[test]
#[ignore = "needs NVIDIA's compiler, and a Python with NVRTC, Numba and Triton"]
fn every_compiler_makes_ptx_that_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/bring-your-kernel.md")).expect("the page");
    let python = std::env::var("WARPWISE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let place = tempfile::tempdir().expect("a folder can be made");
    let binary = Path::new(env!("CARGO_BIN_EXE_warpwise")).parent().expect("it has a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let mut runs = 0;
    for (language, text) in blocks(&page) {
        let mut command = match language {
            "cuda" => {
                std::fs::write(place.path().join("scale.cu"), text).expect("it can be written");
                continue;
            }
            "python" => {
                // Triton reads the source of a kernel from its file.
                let file = place.path().join("kernel.py");
                std::fs::write(&file, text).expect("it can be written");
                let mut command = Command::new(&python);
                command.arg(file);
                command
            }
            // What installs something is the business of whoever runs this.
            "bash" if text.starts_with("pip ") => continue,
            "bash" => {
                let mut command = Command::new("bash");
                command.args(["-e", "-c", text]);
                command
            }
            _ => continue,
        };
        let ran = command.current_dir(place.path()).env("PATH", &path).output();
        let ran = ran.unwrap_or_else(|why| panic!("{text}: {why}"));
        let printed = String::from_utf8_lossy(&ran.stdout);
        let errors = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{text}\n{printed}{errors}");
        if text.starts_with("warpwise run") {
            runs += 1;
            assert!(printed.ends_with(": 0.0 2.0 4.0 6.0\n"), "{text}\n{printed}");
        }
    }
    assert_eq!(runs, 3, "runs of the page");
    for (file, name) in [("scale.1.sm_90.ptx", "scale"), ("scale.nvrtc.ptx", "scale")] {
        let file = place.path().join(file);
        let words = "--grid 4 --block 32 --arg f32[128]=iota --arg f32:2 --arg s32:128 --print 0:4";
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
        command.arg("run").arg(&file).args(["--entry", name]).args(words.split_whitespace());
        let ran = command.output().expect("the command starts");
        assert_eq!(
            String::from_utf8_lossy(&ran.stdout),
            "0: 0.0 2.0 4.0 6.0\n",
            "{file:?}: {ran:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs NVIDIA's compiler"]
fn the_program_of_the_readme_runs() {
    use std::os::unix::fs::symlink;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("README.md")).expect("the page");
    let script = blocks(&page).into_iter().find(|(language, _)| *language == "bash");
    let (_, script) = script.expect("commands that compile a program");
    // What cargo would build is what this test belongs to; its libraries are beside it.
    let place = tempfile::tempdir().expect("a folder can be made");
    let built = place.path().join("target/release");
    std::fs::create_dir_all(&built).expect("a folder can be made");
    let beside = std::env::current_exe().expect("the test has a path");
    let beside = beside.parent().expect("it is in a folder");
    for name in ["libcuda.so", "libcudart.so"] {
        symlink(beside.join(name), built.join(name)).expect("a library");
    }
    std::fs::copy(env!("CARGO_BIN_EXE_warpwise"), built.join("warpwise")).expect("the command");
    symlink(root.join("tests"), place.path().join("tests")).expect("the sources");
    let script = script.replace("cargo build --release\n", "");
    let mut command = Command::new("bash");
    command.args(["-e", "-c", &script]).current_dir(place.path());
    let ran = command.env("XDG_CACHE_HOME", place.path()).output().expect("there is a shell");
    assert!(ran.status.success(), "{script}: {ran:?}");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "passed\n");
}
