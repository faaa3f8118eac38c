//! `ptxas`: what the command is when it is called by that name.
//!
//! Compilers hand their PTX to NVIDIA's assembler and its output to the driver. Called `ptxas`, by a link or a copy, Warpwise takes that
//! place: it checks the module as the assembler would, and its output is a fat binary that holds the PTX, which Warpwise's driver
//! runs, and any other one compiles. Options that only change machine code are taken and change nothing.

use crate::output;
use crate::report::{self, Stop};
use crate::status::Status;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use warpwise::fatbin::{self, Reach};
use warpwise::{Module, target};

/// The name that makes the command an assembler.
const NAME: &str = "ptxas";

/// What the assembler ends with if it has refused something.
const REFUSED: u8 = 255;

/// Options with a value, in both of their spellings (`ptxas --help`, CUDA 13.5). All others are flags.
const VALUES: [[&str; 2]; 21] = [
    ["Ofast-compile", "Ofc"],
    ["allow-expensive-optimizations", "allow-expensive-optimizations"],
    ["def-load-cache", "dlcm"],
    ["def-store-cache", "dscm"],
    ["device-function-maxrregcount", "func-maxrregcount"],
    ["device-stack-protector", "device-stack-protector"],
    ["enable-func-clone-sc", "enable-func-clone-sc"],
    ["entry", "e"],
    ["fmad", "fmad"],
    ["force-load-cache", "flcm"],
    ["force-store-cache", "fscm"],
    [ARCHITECTURE, "arch"],
    ["machine", "m"],
    ["maxntid", "maxntid"],
    ["maxrregcount", "maxrregcount"],
    ["minnctapersm", "minnctapersm"],
    ["opt-level", "O"],
    [OUTPUT, "o"],
    ["position-independent-code", "pic"],
    ["register-usage-level", "regUsageLevel"],
    ["split-compile", "split-compile"],
];

const ARCHITECTURE: &str = "gpu-name";
const OUTPUT: &str = "output-file";

/// Options that say where PTX or further options are, which are not read from there.
const SOURCES: [&str; 4] = ["input-as-string", "ias", "options-file", "optf"];

/// What is asked for.
enum Request {
    Version,
    Assemble { input: PathBuf, output: PathBuf, architecture: Option<String> },
}

/// The arguments, if the command is called as the assembler.
pub(crate) fn arguments() -> Option<Vec<OsString>> {
    let mut all = std::env::args_os();
    let name = all.next()?;
    (Path::new(&name).file_stem()? == NAME).then(|| all.collect())
}

/// Does what the assembler would, and returns its exit status.
pub(crate) fn run(arguments: Vec<OsString>) -> u8 {
    let done = read(arguments).and_then(|request| match request {
        Request::Version => Ok(version()),
        Request::Assemble { input, output, architecture } => {
            assemble(&input, &output, architecture.as_deref()).map(|()| String::new())
        }
    });
    match done {
        Ok(text) => report::print(&text, Status::Fine).number(),
        Err(stop) => {
            report::tell(&stop.sources, &stop.diagnostics);
            REFUSED
        }
    }
}

/// What `--version` prints. Clients read the release, which says up to which version they may write PTX.
fn version() -> String {
    // PTX ISA 9.1 came with release 13.1, and so on.
    let (major, minor) = target::versions().last().unwrap_or_default();
    format!(
        "ptxas: Warpwise {} in the place of NVIDIA's assembler\nCuda compilation tools, release {}.{minor}, V{}.{minor}.0\n",
        env!("CARGO_PKG_VERSION"),
        major + 4,
        major + 4,
    )
}

/// Reads the arguments: `--name=value`, `--name value`, with one hyphen or two.
fn read(arguments: Vec<OsString>) -> Result<Request, Stop> {
    let (mut input, mut output, mut architecture) = (None, PathBuf::from("elf.o"), None);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or_default();
        let Some(option) = text.strip_prefix("--").or_else(|| text.strip_prefix('-')) else {
            if let Some(first) = input.replace(PathBuf::from(argument)) {
                let first = first.display();
                return Err(Stop::usage(format!("one module at a time: {first} is another one")));
            }
            continue;
        };
        if matches!(option, "version" | "V") {
            return Ok(Request::Version);
        }
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        if SOURCES.contains(&name) {
            return Err(Stop::usage(format!("{text}: give the module as a file")));
        }
        let Some([long, _]) = VALUES.iter().find(|names| names.contains(&name)) else { continue };
        let value = match value {
            Some(value) => OsString::from(value),
            None => arguments.next().ok_or_else(|| Stop::usage(format!("{text} has no value")))?,
        };
        match *long {
            OUTPUT => output = value.into(),
            ARCHITECTURE => architecture = Some(value.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    match input {
        Some(input) => Ok(Request::Assemble { input, output, architecture }),
        None => Err(Stop::usage("no module is given")),
    }
}

/// Checks a module and writes the fat binary with it.
fn assemble(input: &Path, output: &Path, architecture: Option<&str>) -> Result<(), Stop> {
    let text = report::read_text(input)?;
    let module = Module::from_ptx(input.display().to_string(), &text)?;
    let written = module.target();
    let sm = target::sm_number(&written).unwrap_or(0);
    if let Some(architecture) = architecture {
        target::check_name(architecture).map_err(Stop::usage)?;
        if target::sm_number(architecture) < Some(sm) {
            let why = format!("the module is written for {written}, not for {architecture}");
            return Err(Stop::rejected(why));
        }
    }
    report::tell(module.sources(), module.warnings());
    let (major, minor) = module.info().version;
    let image = fatbin::of_ptx(sm, Reach::of(&written), (major as u16, minor as u16), &text);
    output::write_bytes(output, &image).map_err(Stop::rejected)
}
