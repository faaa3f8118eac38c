//! The folder of a release and its archive, the same bytes whenever it is packed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where completions go, by shell.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/warpwise"),
    ("zsh", "share/zsh/site-functions/_warpwise"),
    ("fish", "share/fish/vendor_completions.d/warpwise.fish"),
];

/// The variable by which packers are told how old things are.
pub(crate) const TIME: &str = "SOURCE_DATE_EPOCH";

/// Where manual pages go.
const PAGES: &str = "share/man/man1";

/// Puts a file into the folder. Everybody may read it; what is in `bin` and `lib` is run.
pub(super) fn put(tree: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let file = tree.join(name);
    let fail = |why: std::io::Error| format!("{}: {why}", file.display());
    fs::create_dir_all(file.parent().unwrap_or(tree)).map_err(fail)?;
    fs::write(&file, bytes).map_err(fail)?;
    set_mode(&file, if name.starts_with("bin/") { 0o755 } else { 0o644 }).map_err(fail)
}

#[cfg(unix)]
fn set_mode(file: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_file: &Path, _mode: u32) -> std::io::Result<()> {
    Ok(())
}

/// Puts completions and the manual pages of all commands into the folder, as the command that is in it prints them.
pub(super) fn document(tree: &Path) -> Result<(), String> {
    let print = |words: &[&str]| output(Command::new(tree.join("bin/warpwise")).args(words));
    for (shell, to) in COMPLETIONS {
        put(tree, to, &print(&["completions", shell])?)?;
    }
    let whole = print(&["man"])?;
    let names: Vec<String> = commands(&String::from_utf8_lossy(&whole));
    if names.is_empty() {
        return Err("the manual page of warpwise names no command".to_owned());
    }
    put(tree, &format!("{PAGES}/warpwise.1"), &whole)?;
    for name in names {
        let page = print(&["man", &name])?;
        put(tree, &format!("{PAGES}/warpwise-{name}.1"), &page)?;
    }
    Ok(())
}

/// The commands that a manual page lists: `warpwise\-run(1)`.
fn commands(page: &str) -> Vec<String> {
    let listed =
        page.lines().filter_map(|line| line.strip_prefix("warpwise\\-")?.strip_suffix("(1)"));
    listed.map(|name| name.replace("\\-", "-")).filter(|name| name != "help").collect()
}

/// How old what is packed is, in seconds since 1970: as old as the last commit.
pub(crate) fn time(root: &Path) -> Result<String, String> {
    std::env::var(TIME).or_else(|_| {
        let last =
            output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root))?;
        Ok(String::from_utf8_lossy(&last).trim().to_owned())
    })
}

/// Packs the folder: files in the order of their names, of nobody, as old as the last commit.
pub(super) fn pack(root: &Path, tree: &Path, archive: &Path) -> Result<PathBuf, String> {
    let time = time(root)?;
    let tar = archive.with_extension("");
    let name = tar.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut command = Command::new("tar");
    command.args([
        "--create",
        "--format=ustar",
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
    ]);
    command.arg(format!("--mtime=@{time}")).arg(format!("--transform=s,^[.],{name},"));
    output(command.arg("--file").arg(&tar).arg("--directory").arg(tree).arg("."))?;
    output(Command::new("gzip").args(["--no-name", "--best", "--force"]).arg(&tar))?;
    Ok(archive.to_owned())
}

fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|why| format!("cannot run {name}: {why}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_a_page() {
        let page = ".TP\nwarpwise\\-run(1)\nRun a kernel\n.TP\nwarpwise\\-help(1)\n";
        assert_eq!(commands(page), ["run"]);
    }
}
