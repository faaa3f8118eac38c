//! `nvcc`: what the command is when it is called by that name.
//!
//! Programs that compile as they run (PyCUDA, the backend `nvcc` of CuPy) ask NVIDIA's compiler for machine code. Called `nvcc`, Warpwise
//! looks for the compiler that comes next in `PATH` and has it make a fat binary with PTX instead, which Warpwise's driver runs, and
//! any other one compiles. Calls that do not ask for machine code are passed on as they are.

use crate::report::{self, Stop};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name that makes the command a compiler.
pub(crate) const NAME: &str = "nvcc";

/// What a shell ends with that finds no command.
const NOT_FOUND: u8 = 127;

/// Options that ask for machine code (`nvcc --help`, CUDA 13.5).
const MACHINE_CODE: [&str; 2] = ["--cubin", "-cubin"];
/// Options that say for which architecture, each with a value.
const ARCHITECTURE: [&str; 4] = ["-arch", "--gpu-architecture", "-gencode", "--generate-code"];
/// Options that say which code is kept of it.
const CODE: [&str; 2] = ["-code", "--gpu-code"];
const OUTPUT: [&str; 2] = ["-o", "--output-file"];
const FOLDER: [&str; 2] = ["-odir", "--output-directory"];

/// The arguments, if the command is called as the compiler.
pub(crate) fn arguments() -> Option<Vec<OsString>> {
    let mut all = env::args_os();
    let name = all.next()?;
    (Path::new(&name).file_stem()? == NAME).then(|| all.collect())
}

/// Has the compiler do what is asked for, and returns its exit status.
pub(crate) fn run(arguments: Vec<OsString>) -> u8 {
    let Some(compiler) = compiler() else {
        return refused(
            "there is no other nvcc in PATH, and this one hands its calls on to NVIDIA's: install the CUDA toolkit, or its package nvidia-cuda-nvcc"
                .to_owned(),
        );
    };
    match Command::new(&compiler).args(translated(arguments)).status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1),
        Err(why) => refused(format!("cannot run {}: {why}", compiler.display())),
    }
}

fn refused(why: String) -> u8 {
    let stop = Stop::rejected(why);
    report::tell(&stop.sources, &stop.diagnostics);
    NOT_FOUND
}

/// The next compiler in `PATH` that is not this command.
fn compiler() -> Option<PathBuf> {
    let own = env::current_exe().and_then(fs::canonicalize).ok();
    let paths = env::var_os("PATH")?;
    let other = |file: &PathBuf| file.is_file() && fs::canonicalize(file).ok() != own;
    env::split_paths(&paths).map(|folder| folder.join(NAME)).find(other)
}

/// The same call for a fat binary with PTX, if it asks for machine code.
fn translated(arguments: Vec<OsString>) -> Vec<OsString> {
    let asks = |argument: &OsString| MACHINE_CODE.iter().any(|name| *argument == *name);
    if !arguments.iter().any(asks) {
        return arguments;
    }
    let mut found = vec![OsString::from("--fatbin")];
    let (mut architecture, mut named, mut folder, mut source) = (None, false, None, None);
    let mut arguments = arguments.into_iter().filter(|argument| !asks(argument));
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy().into_owned();
        let (name, own) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text.as_str(), None),
        };
        let mut value = || {
            let next = || arguments.next().map(|next| next.to_string_lossy().into_owned());
            own.clone().or_else(next).unwrap_or_default()
        };
        if ARCHITECTURE.contains(&name) {
            architecture = number(&value()).or(architecture);
            continue;
        }
        if CODE.contains(&name) {
            value();
            continue;
        }
        named |= OUTPUT.contains(&name);
        if FOLDER.contains(&name) {
            folder = Some(value());
            continue;
        }
        if is_source(&text) {
            source = Some(PathBuf::from(&argument));
        }
        found.push(argument);
    }
    if let Some(number) = architecture {
        let code = format!("arch=compute_{number},code=compute_{number}");
        found.extend([OsString::from("-gencode"), code.into()]);
    }
    // The file that is asked for, by the name that the compiler would give it.
    if let (false, Some(stem)) = (named, source.as_deref().and_then(Path::file_stem)) {
        let file = Path::new(folder.as_deref().unwrap_or("")).join(stem).with_extension("cubin");
        found.extend([OsString::from(OUTPUT[0]), file.into()]);
    }
    found
}

/// Of `sm_80`, `compute_80` or `arch=compute_80,code=sm_80`, the number with its letters.
fn number(architecture: &str) -> Option<String> {
    let after = ["compute_", "sm_"].iter().find_map(|name| architecture.split_once(name))?.1;
    let number: String = after.chars().take_while(char::is_ascii_alphanumeric).collect();
    number.starts_with(|first: char| first.is_ascii_digit()).then_some(number)
}

fn is_source(text: &str) -> bool {
    let ends = ["cu", "cpp", "cxx", "cc", "c", "ptx"];
    let end = Path::new(text).extension().and_then(OsStr::to_str);
    !text.starts_with('-') && end.is_some_and(|end| ends.contains(&end))
}

#[cfg(test)]
mod tests {
    use super::translated;
    use std::ffi::OsString;

    fn translation(call: &str) -> String {
        let arguments = call.split(' ').map(OsString::from).collect();
        let all: Vec<String> = translated(arguments)
            .into_iter()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        all.join(" ")
    }

    #[test]
    fn machine_code_becomes_a_fat_binary_with_ptx() {
        let expected =
            "--fatbin -I/a kernel.cu -gencode arch=compute_86,code=compute_86 -o kernel.cubin";
        // As PyCUDA 2026.1 calls it.
        assert_eq!(translation("--cubin -arch sm_86 -I/a kernel.cu"), expected);
        assert_eq!(
            translation("-cubin --gpu-architecture=compute_86 -code=sm_86 -I/a kernel.cu"),
            expected
        );
        assert_eq!(
            translation("--cubin -gencode=arch=compute_90a,code=sm_90a -o out.bin a/kernel.cu"),
            "--fatbin -o out.bin a/kernel.cu -gencode arch=compute_90a,code=compute_90a"
        );
        assert_eq!(
            translation("--cubin -odir b a/kernel.cu"),
            "--fatbin a/kernel.cu -o b/kernel.cubin"
        );
    }

    #[test]
    fn other_calls_stay_as_they_are() {
        for call in ["--version", "-ptx -arch=sm_80 kernel.cu", "-o program main.cu"] {
            assert_eq!(translation(call), call);
        }
    }
}
