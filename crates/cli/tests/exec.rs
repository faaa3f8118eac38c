//! `warpwise exec` and `warpwise driver`, in a folder with the command and the libraries as an installation has them.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

/// An installation, `bin/warpwise` and perhaps `lib/warpwise` with the libraries, and a cache of the test's own.
struct Installed {
    folder: &'static Path,
    cache: tempfile::TempDir,
}

/// Makes an installation.
fn install(with_libraries: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (bin, lib) = (folder.path().join("bin"), folder.path().join("lib/warpwise"));
    fs::create_dir_all(&bin).and_then(|()| fs::create_dir_all(&lib)).expect("folders");
    fs::copy(env!("CARGO_BIN_EXE_warpwise"), bin.join("warpwise")).expect("the command");
    if with_libraries {
        for name in ["libcuda.so", "libcudart.so"] {
            symlink(library(name), lib.join(name)).expect("a library");
        }
    }
    folder
}

/// Both installations are made before any test starts a process: a process that is being started holds files open, and what is
/// open for writing cannot be run.
static MADE: LazyLock<[tempfile::TempDir; 2]> = LazyLock::new(|| [install(true), install(false)]);

impl Installed {
    fn new() -> Installed {
        Installed { folder: MADE[0].path(), cache: tempfile::tempdir().expect("a folder") }
    }

    fn without_libraries() -> Installed {
        Installed { folder: MADE[1].path(), ..Installed::new() }
    }

    fn warpwise(&self) -> PathBuf {
        self.folder.join("bin/warpwise")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.warpwise());
        command.env("XDG_CACHE_HOME", self.cache.path());
        command.env_remove("LD_LIBRARY_PATH").env_remove("LD_PRELOAD");
        command.env_remove("WARPWISE_CACHE_DIR");
        command
    }

    /// The folder that programs are to look in.
    fn path(&self) -> PathBuf {
        let out = self.command().args(["driver", "--path"]).output().expect("it runs");
        assert!(out.status.success(), "{out:?}");
        PathBuf::from(text(&out.stdout).trim_end())
    }

    /// Runs a line of a shell as the program.
    fn shell(&self, options: &[&str], line: &str) -> Output {
        let mut command = self.command();
        command.arg("exec").args(options).args(["--", "sh", "-c", line]);
        command.output().expect("it runs")
    }
}

/// A shared library that cargo has built with the tests.
fn library(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let path = test.parent().expect("it is in a folder").join(name);
    assert!(path.is_file(), "{} is not there", path.display());
    path
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_folder_has_the_names_that_programs_ask_for() {
    let installed = Installed::new();
    let path = installed.path();
    assert!(path.starts_with(installed.cache.path()));
    for (name, of) in [
        ("libcuda.so", "libcuda.so"),
        ("libcuda.so.1", "libcuda.so"),
        ("libcudart.so", "libcudart.so"),
        ("libwarpwise_cudart.so", "libcudart.so"),
    ] {
        let found = fs::canonicalize(path.join(name)).expect(name);
        assert_eq!(found, fs::canonicalize(library(of)).expect(of), "{name}");
    }
    for name in ["libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"] {
        assert!(fs::read(path.join(name)).expect(name).starts_with(b"\x7fELF"), "{name}");
    }
    // The second time nothing is made anew, and what is damaged is mended.
    let made = |name: &str| {
        fs::symlink_metadata(path.join(name)).and_then(|file| file.modified()).expect(name)
    };
    let before = made("libcuda.so.1");
    fs::write(path.join("libcudart.so.13"), "").expect("it can be written to");
    assert_eq!(installed.path(), path);
    assert_eq!(made("libcuda.so.1"), before);
    assert!(fs::read(path.join("libcudart.so.13")).expect("it is there").starts_with(b"\x7fELF"));
}

#[test]
fn settings_are_in_the_environment() {
    let installed = Installed::new();
    let path = installed.path();
    let line = "echo $LD_LIBRARY_PATH; echo $LD_PRELOAD; echo $WARPWISE_DEVICE $WARPWISE_DEVICES $WARPWISE_ENGINE; \
        echo $WARPWISE_CHECK $WARPWISE_LEAKS $WARPWISE_ONLY $WARPWISE_FIRST; echo $WARPWISE_REPORT";
    let out = installed.shell(&[], line);
    let shown = path.display();
    assert_eq!(text(&out.stdout), format!("{shown}\n{shown}/libwarpwise_cudart.so\n\n\n\n"));
    let options = [
        "--device",
        "sm_90",
        "--devices",
        "2",
        "--engine",
        "interp:portable",
        "--check",
        "--leaks",
        "--only",
        "k",
        "--first",
        "3",
        "--report",
        "found.sarif",
    ];
    let out = installed.shell(&options, line);
    let here = std::env::current_dir().expect("a folder");
    let report = here.join("found.sarif");
    let lines = format!("sm_90 2 interp:portable\n1 1 k 3\n{}\n", report.display());
    assert!(text(&out.stdout).ends_with(&lines), "{out:?}");
    // One inside the other changes nothing.
    let line = format!("{} exec sh -c 'echo $LD_LIBRARY_PATH'", installed.warpwise().display());
    assert_eq!(text(&installed.shell(&[], &line).stdout), format!("{shown}\n"));
    let mut command = installed.command();
    command.env("LD_LIBRARY_PATH", "/other").args(["exec", "sh", "-c", &line]);
    let out = command.output().expect("it runs");
    assert_eq!(text(&out.stdout), format!("{shown}:/other\n"));
}

#[test]
fn the_end_is_that_of_the_program() {
    let installed = Installed::new();
    for options in [&[][..], &["--check"]] {
        assert_eq!(installed.shell(options, "exit 0").status.code(), Some(0));
        assert_eq!(installed.shell(options, "exit 7").status.code(), Some(7));
    }
    assert_eq!(installed.shell(&[], "kill -9 $$").status.signal(), Some(9));
    assert_eq!(installed.shell(&["--check"], "kill -9 $$").status.code(), Some(137));
    // What a library finds in any process of the program decides, unless that fails itself.
    assert_eq!(
        installed.shell(&["--check"], "echo x >> $WARPWISE_FINDINGS").status.code(),
        Some(1)
    );
    assert_eq!(
        installed.shell(&["--check"], "echo x >> $WARPWISE_FINDINGS; exit 5").status.code(),
        Some(5)
    );
    let out = installed.shell(&["--stats"], "echo table > $WARPWISE_STATS; cat; echo out");
    assert_eq!((text(&out.stdout).as_str(), text(&out.stderr).as_str()), ("out\n", "table\n"));
    let out = installed.shell(&["--stats"], "echo row > $WARPWISE_STATS.77; kill -9 $$");
    let stopped = "process 77 was stopped; until then:\nrow\n";
    assert_eq!((text(&out.stderr).as_str(), out.status.code()), (stopped, Some(137)));
}

/// A report is that of its run, of all processes and of commands inside of it.
#[test]
fn a_report_in_words_begins_anew() {
    let installed = Installed::new();
    let report = installed.cache.path().join("report");
    let path = report.display().to_string();
    let inside = format!("{} exec --check --report {path}", installed.warpwise().display());
    for word in ["one", "two"] {
        let line = format!(
            "echo {word} >> $WARPWISE_REPORT; {inside} sh -c 'echo in >> $WARPWISE_REPORT'"
        );
        assert_eq!(installed.shell(&["--check", "--report", &path], &line).status.code(), Some(0));
        assert_eq!(fs::read_to_string(&report).expect("it is there"), format!("{word}\nin\n"));
    }
    assert_eq!(installed.shell(&["--check", "--report", &path], "true").status.code(), Some(0));
    assert_eq!(fs::read_to_string(&report).expect("it is there"), "");
}

/// What two processes have found, as their libraries write it down.
#[test]
fn findings_of_all_processes_are_one_document() {
    use warpwise::diag::{Carried, Class, Diagnostic, Severity, Sources, Span};
    let installed = Installed::new();
    let mut sources = Sources::new();
    let file = sources.add("k.ptx", "bar.sync 0;\n");
    let told = Diagnostic::new(Severity::Error, Class::Undefined, "lane 3 is missing");
    let told = told.code("W001").label(Span::new(file, 0, 8), "here");
    let bad = Carried::new("reduce", true, &sources, &[told]).line();
    let good = Carried::new("fill", false, &Sources::new(), &[]).line();
    let lines = installed.cache.path().join("lines");
    fs::write(&lines, bad + &good).expect("it can be written");
    let line = format!(
        "echo out; cat {} >> $WARPWISE_REPORT; echo x >> $WARPWISE_FINDINGS",
        lines.display()
    );
    let report = installed.cache.path().join("report");
    let document = |format: &str| {
        let path = report.display().to_string();
        let out = installed.shell(&["--check", "--format", format, "--report", &path], &line);
        assert_eq!((out.status.code(), text(&out.stdout).as_str()), (Some(1), "out\n"), "{out:?}");
        fs::read_to_string(&report).expect("the report is there")
    };
    let json: serde_json::Value = serde_json::from_str(&document("json")).expect("it is JSON");
    assert_eq!(
        (json["schema"].as_str(), json["status"].as_str()),
        (Some("exec"), Some("findings"))
    );
    assert_eq!(json["checked"], serde_json::json!({"reduce": true, "fill": false}));
    assert_eq!(json["diagnostics"][0]["places"][0]["text"], "here");
    assert_eq!(json["exit_status"], 0);
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas/exec.json");
    let schema = fs::read_to_string(schema).expect("the schema is there");
    let schema = serde_json::from_str(&schema).expect("it is JSON");
    assert!(jsonschema::is_valid(&schema, &json), "{json:#}");
    let sarif = document("sarif");
    assert!(
        sarif.contains("\"ruleId\":\"W001\"") || sarif.contains("\"ruleId\": \"W001\""),
        "{sarif}"
    );
    let junit = document("junit");
    assert!(junit.contains("tests=\"3\"") && junit.contains("failures=\"1\""), "{junit}");
    assert!(document("github").contains("::error"));
    // Without a file it goes to standard error, because standard output is the program's.
    let out = installed.shell(&["--check", "--format", "json"], "true");
    assert!(text(&out.stderr).contains("\"status\":\"fine\""), "{out:?}");
    assert_eq!((out.status.code(), text(&out.stdout).as_str()), (Some(0), ""));
}

#[test]
fn signals_reach_the_program() {
    let installed = Installed::new();
    let line = "trap 'echo ended; exit 9' TERM; echo ready; while :; do sleep 0.01; done";
    let mut child = installed
        .command()
        .args(["exec", "--check", "--", "sh", "-c", line])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut out = child.stdout.take().expect("it is piped");
    let mut ready = [0; 6];
    std::io::Read::read_exact(&mut out, &mut ready).expect("it is ready");
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut out, &mut rest).expect("it ends");
    assert_eq!(rest, "ended\n");
    assert_eq!(child.wait().expect("it has ended").code(), Some(9));
}

#[test]
fn what_cannot_be_run_is_told() {
    let installed = Installed::new();
    let told = |arguments: &[&str]| {
        let out = installed.command().args(arguments).output().expect("it runs");
        (out.status.code(), text(&out.stderr))
    };
    let (status, why) = told(&["exec", "no-such-program"]);
    assert!(status == Some(3) && why.contains("there is no such command"), "{status:?} {why}");
    let (status, why) = told(&["exec", "--device", "sm_99", "true"]);
    assert!(status == Some(2) && why.contains("sm_90"), "{status:?} {why}");
    assert_eq!(told(&["exec"]).0, Some(2));
    let installed = Installed::without_libraries();
    let out = installed.command().args(["exec", "true"]).output().expect("it runs");
    let (status, why) = (out.status.code(), text(&out.stderr));
    assert!(status == Some(3) && why.contains("cargo build --release"), "{status:?} {why}");
}

#[test]
fn the_variables_that_a_program_gets_can_be_asked_for() {
    let installed = Installed::new();
    let shown = |options: &[&str]| {
        let out = installed.command().args(["driver", "--env"]).args(options).output();
        let out = out.expect("it runs");
        assert!(out.status.success(), "{out:?}");
        text(&out.stdout)
    };
    let set = shown(&["--python", "--device", "sm_90", "--check"]);
    let value = |name: &str| {
        let line = set.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.unwrap_or_else(|| panic!("{name} is missing in\n{set}")).to_owned()
    };
    assert_eq!(value("WARPWISE_DEVICE"), "sm_90");
    assert_eq!(value("WARPWISE_CHECK"), "1");
    assert_eq!(value("LD_LIBRARY_PATH"), installed.path().display().to_string());
    assert!(value("LD_PRELOAD").contains("libnvJitLink.so.13"));
    assert!(!shown(&[]).contains("libnvJitLink"));
    // They are those of `exec`.
    let program = installed.shell(&["--device", "sm_90"], "echo $WARPWISE_DEVICE:$LD_LIBRARY_PATH");
    let expected = format!("sm_90:{}\n", installed.path().display());
    assert_eq!(text(&program.stdout), expected);
}
