//! `cargo xtask programs`: compiles CUDA programs with `nvcc`, runs them under `warpwise exec`, and prints a table.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How programs are linked with the runtime: `nvcc`'s default, and the other way.
const LINKS: [(&str, &[&str]); 2] = [("static", &[]), ("shared", &["-cudart", "shared"])];

/// The exit status by which NVIDIA's samples say that the device lacks what they need.
const WAIVED: i32 = 2;

/// How often a running program is looked at.
const PACE: Duration = Duration::from_millis(2);

/// What is compiled into one program.
struct Program {
    name: String,
    sources: Vec<PathBuf>,
    /// Options from the line `// nvcc: …` of a source.
    options: Vec<String>,
    /// The code of what is wrong with it on purpose, from the line `// finds: …` of a source: it is checked, and passes if that is found.
    finds: Option<String>,
}

/// How a program fared.
enum Verdict {
    Passed(Duration),
    Waived,
    Failed(String),
    NotCompiled(String),
}

impl Verdict {
    fn word(&self) -> String {
        match self {
            Verdict::Passed(time) => format!("passed ({:.2} s)", time.as_secs_f64()),
            Verdict::Waived => "waived".to_owned(),
            Verdict::Failed(_) => "failed".to_owned(),
            Verdict::NotCompiled(_) => "not compiled".to_owned(),
        }
    }

    fn why(&self) -> Option<&str> {
        match self {
            Verdict::Passed(_) | Verdict::Waived => None,
            Verdict::Failed(why) | Verdict::NotCompiled(why) => Some(why),
        }
    }
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
    let warpwise = root.join("target/release/warpwise");
    if !warpwise.is_file() {
        return Err(
            "there is no target/release/warpwise: `cargo build --release` makes it".to_owned()
        );
    }
    let nvcc = std::env::var("NVCC").unwrap_or_else(|_| "nvcc".to_owned());
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
                Ok(()) => execute(&warpwise, options, program, &to, limit),
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

/// The last line that says something.
fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it said nothing")
        .trim()
        .to_owned()
}

/// The first line that speaks of an error.
fn first_error(text: &[u8]) -> String {
    let lines = String::from_utf8_lossy(text);
    let mut errors =
        lines.lines().filter(|line| ["error", "undefined"].iter().any(|word| line.contains(word)));
    errors.next().map_or_else(|| last_line(text), |line| line.trim().to_owned())
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

/// Runs a program in its folder, where it may have data.
fn execute(
    warpwise: &Path,
    options: &[String],
    program: &Program,
    file: &Path,
    limit: Duration,
) -> Verdict {
    let failed = |why: io::Error| Verdict::Failed(why.to_string());
    let log = PathBuf::from(format!("{}.log", file.display()));
    let started = Instant::now();
    let ended = File::create(&log).and_then(|out| {
        let mut command = Command::new(warpwise);
        let check = program.finds.as_ref().map(|_| "--check");
        command.arg("exec").args(check).args(options).arg("--").arg(file);
        if let Some(folder) = program.sources.first().and_then(|source| source.parent()) {
            command.current_dir(folder);
        }
        let mut child =
            command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out).spawn()?;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if started.elapsed() > limit {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(PACE);
        }
    });
    match ended {
        Err(why) => failed(why),
        Ok(None) => Verdict::Failed(format!("it runs for more than {} s", limit.as_secs())),
        Ok(Some(_)) if program.finds.is_some() => {
            let code = program.finds.as_deref().unwrap_or_default();
            let text = fs::read(&log).unwrap_or_default();
            match String::from_utf8_lossy(&text).contains(&format!("[{code}]")) {
                true => Verdict::Passed(started.elapsed()),
                false => Verdict::Failed(format!("{code} is not found: {}", last_line(&text))),
            }
        }
        Ok(Some(status)) if status.success() => Verdict::Passed(started.elapsed()),
        Ok(Some(status)) if status.code() == Some(WAIVED) => Verdict::Waived,
        Ok(Some(status)) => {
            let text = fs::read(&log).unwrap_or_default();
            Verdict::Failed(format!("{status}: {}", last_line(&text)))
        }
    }
}
