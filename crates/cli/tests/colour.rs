//! When output has colour: what the environment asks for counts (no-color.org, bixense.com/clicolors).

use std::process::Command;

/// What a command prints, both streams, under some variables of the environment.
fn printed(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("bad.ptx"), ".version 8.0\n.target sm_80\nret;\n")
        .expect("it can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(arguments)
        .current_dir(folder.path())
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .env_remove("CLICOLOR_FORCE")
        .envs(environment.iter().copied())
        .output()
        .expect("the command starts");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
}

#[test]
fn colour_is_for_terminals_and_those_who_ask() {
    let explained = ["explain", "shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff"];
    for arguments in [&["lint", "bad.ptx"], &explained] {
        let plain = printed(arguments, &[]);
        let forced = printed(arguments, &[("CLICOLOR_FORCE", "1")]);
        let refused = printed(arguments, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]);
        assert!(!plain.contains('\u{1b}'), "{arguments:?}: not a terminal\n{plain}");
        assert!(forced.contains('\u{1b}'), "{arguments:?}: asked for\n{forced}");
        assert_eq!(refused, plain, "{arguments:?}: NO_COLOR wins");
    }
}
