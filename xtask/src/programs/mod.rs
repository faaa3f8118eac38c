//! `cargo xtask programs`: compiles CUDA programs with `nvcc`, runs them under `warpwise exec`, and prints a table.

mod execution;
mod made;
mod verdict;

use execution::{Ended, execute, under};
pub(crate) use made::run as run_made;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use verdict::{Verdict, first_error, last_line};

/// How programs are linked with the runtime: `nvcc`'s default, and the other way.
const LINKS: [(&str, &[&str]); 2] = [("static", &[]), ("shared", &["-cudart", "shared"])];

/// What is compiled into one program.
struct Program {
    name: String,
    sources: Vec<PathBuf>,
    /// Options from the line `// nvcc: …` of a source.
    options: Vec<String>,
    /// The code of what is wrong with it on purpose, from the line `// finds: …` of a source: it is checked, and passes if that is found.
    finds: Option<String>,
}

/// Compiles and runs every program in a folder and those below it, and prints how each fared.
///
/// # Errors
/// A folder cannot be read or made, or a program failed.
pub(crate) fn run(
    root: &Path,
    folder: &Path,
    limit: Duration,
    options: &[String],
) -> Result<(), String> {
    let warpwise = built_command(root)?;
    let nvcc = compiler();
    let nvcc: Vec<&str> = nvcc.split_whitespace().collect();
    let built = root.join("target/programs");
    fs::create_dir_all(&built).map_err(|why| format!("{}: {why}", built.display()))?;
    name_shared_runtime(&nvcc, &built);
    let mut programs = Vec::new();
    find(&root.join(folder), "", &mut programs)
        .map_err(|why| format!("{}: {why}", folder.display()))?;
    println!("| program | {} | {} | why not |\n|---|---|---|---|", LINKS[0].0, LINKS[1].0);
    let (mut good, mut all) = (0, 0);
    for program in &programs {
        let verdicts = LINKS.map(|(link, flags)| {
            let to = built.join(format!("{}.{link}", program.name.replace('/', "-")));
            match compile(&nvcc, program, flags, &built, &to) {
                Ok(()) => try_out(&warpwise, options, program, &to, limit),
                Err(why) => Verdict::NotCompiled(why),
            }
        });
        let why = verdicts.iter().find_map(Verdict::why).unwrap_or_default();
        let [first, second] = [&verdicts[0], &verdicts[1]].map(Verdict::word);
        println!("| {} | {first} | {second} | {} |", program.name, why.replace('|', "\\|"));
        all += verdicts.len();
        good += verdicts.iter().filter(|verdict| verdict.why().is_none()).count();
    }
    match good == all {
        true => Ok(()),
        false => Err(format!("{} of {all} did not pass", all - good)),
    }
}

/// The command that runs them.
fn built_command(root: &Path) -> Result<PathBuf, String> {
    let warpwise = root.join("target/release/warpwise");
    match warpwise.is_file() {
        true => Ok(warpwise),
        false => {
            Err("there is no target/release/warpwise: `cargo build --release` makes it".to_owned())
        }
    }
}

/// The compiler with its options.
fn compiler() -> String {
    std::env::var("NVCC").unwrap_or_else(|_| "nvcc".to_owned())
}

/// Toolkits from PyPI have the shared runtime by its version alone; linkers look for it without.
fn name_shared_runtime(nvcc: &[&str], built: &Path) {
    let folders = nvcc.iter().enumerate().filter_map(|(nth, word)| match word.strip_prefix("-L") {
        Some("") => nvcc.get(nth + 1).copied(),
        other => other,
    });
    for folder in folders {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let found = entries.map(|entry| entry.path()).find(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            name.is_some_and(|name| name.starts_with("libcudart.so."))
        });
        if let Some(found) = found {
            let link = built.join("libcudart.so");
            let _ = fs::remove_file(&link);
            let _ = std::os::unix::fs::symlink(found, link);
        }
    }
}

/// Each source with a `main` is a program, with the sources beside it that have none.
fn find(folder: &Path, prefix: &str, programs: &mut Vec<Program>) -> io::Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    let is_source =
        |path: &&PathBuf| path.extension().is_some_and(|end| end == "cu" || end == "cpp");
    let mut mains = Vec::new();
    let mut parts = Vec::new();
    for source in entries.iter().filter(is_source) {
        let text = String::from_utf8_lossy(&fs::read(source)?).into_owned();
        let has_main = text
            .lines()
            .any(|line| line.starts_with("int main(") || line.starts_with("void main("));
        let said = |what: &str| text.lines().find_map(|line| line.strip_prefix(what));
        let finds = said("// finds:").map(|code| code.trim().to_owned());
        let options = said("// nvcc:");
        let options: Vec<String> =
            options.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        match has_main {
            true => mains.push((source.clone(), options, finds)),
            false => parts.push(source.clone()),
        }
    }
    for (source, mut options, finds) in mains {
        let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let sources: Vec<PathBuf> = [source].into_iter().chain(parts.iter().cloned()).collect();
        if sources.iter().filter(|source| source.extension().is_some_and(|end| end == "cu")).count()
            > 1
        {
            options.push("-rdc=true".to_owned());
        }
        let name = match stem == "main" && !prefix.is_empty() {
            true => prefix.trim_end_matches('/').to_owned(),
            false => format!("{prefix}{stem}"),
        };
        programs.push(Program { name, sources, options, finds });
    }
    for entry in entries.iter().filter(|entry| entry.is_dir()) {
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        find(entry, &format!("{prefix}{name}/"), programs)?;
    }
    Ok(())
}

fn compile(
    nvcc: &[&str],
    program: &Program,
    flags: &[&str],
    built: &Path,
    to: &Path,
) -> Result<(), String> {
    let [compiler, options @ ..] = nvcc else { return Err("NVCC names no compiler".to_owned()) };
    let said = Command::new(compiler)
        .arg("-L")
        .arg(built)
        .args(options)
        .args(flags)
        .args(&program.options)
        .args(&program.sources)
        .arg("-o")
        .arg(to)
        .output()
        .map_err(|why| format!("cannot run {compiler}: {why}"))?;
    match said.status.success() {
        true => Ok(()),
        false => Err(first_error(&[said.stdout, said.stderr].concat())),
    }
}

/// Runs a program and judges it by its exit status, or by what is found in it.
fn try_out(
    warpwise: &Path,
    options: &[String],
    program: &Program,
    file: &Path,
    limit: Duration,
) -> Verdict {
    let mut options = options.to_vec();
    options.extend(program.finds.as_ref().map(|_| "--check".to_owned()));
    let folder =
        program.sources.first().and_then(|source| source.parent()).unwrap_or(Path::new("."));
    let log = PathBuf::from(format!("{}.log", file.display()));
    let ended = File::create(&log)
        .and_then(|out| execute(&mut under(warpwise, &options, file, folder), out, limit));
    let text = fs::read(&log).unwrap_or_default();
    match (ended, &program.finds) {
        (Err(why), _) => Verdict::Failed(why.to_string()),
        (Ok(Ended::Late), _) => Verdict::late(limit),
        (Ok(Ended::Itself(_, time)), Some(code)) => {
            match String::from_utf8_lossy(&text).contains(&format!("[{code}]")) {
                true => Verdict::Passed(time),
                false => Verdict::Failed(format!("{code} is not found: {}", last_line(&text))),
            }
        }
        (Ok(Ended::Itself(status, time)), None) => Verdict::of(status, time, &text),
    }
}
