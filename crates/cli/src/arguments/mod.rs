//! The command line as clap reads it.

mod machine;
mod program;
mod reporting;

pub(crate) use machine::{
    AsmArguments, DisasmArguments, IsaCommand, LowerArguments, MachineArguments, ManualFormat,
    SimArguments,
};
pub(crate) use program::{DriverArguments, ExecArguments, LibraryArguments};
pub(crate) use reporting::{Accepting, Allow, Answering, ReportFormat, Reporting};

use crate::spec::{Spec, Subject};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::num::NonZero;
use std::path::PathBuf;
use std::str::FromStr;
use warpwise::{
    DEFAULT_STACK, ElementType, EngineChoice, Exploration, Extents, LaneMask, Schedule, Tolerance,
};

/// Runs warp-level GPU code on the CPU.
#[derive(Debug, Parser)]
#[command(name = "warpwise", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a kernel of a PTX module.
    #[command(after_help = SPEC_HELP)]
    Run(RunCommand),
    /// Run a kernel and report undefined uses, races, deadlocks and bad accesses.
    #[command(after_help = CHECK_HELP)]
    Check(CheckArguments),
    /// Run a CUDA program as nvcc built it, without a GPU.
    #[command(after_help = program::EXEC_HELP)]
    Exec(ExecArguments),
    /// Say where the libraries are that take the place of CUDA's driver and runtime.
    Driver(DriverArguments),
    /// Run the tests of plans: launches, their inputs, and what must come of them.
    #[command(after_help = TEST_HELP)]
    Test(TestArguments),
    /// Say what a PTX module has and needs: kernels, parameters, memory, and what cannot run.
    Info(InfoArguments),
    /// Say what is wrong with PTX modules, and what deserves a look, without running them.
    #[command(after_help = LINT_HELP)]
    Lint(LintArguments),
    /// Show what one warp instruction does, lane by lane.
    #[command(after_help = EXPLAIN_HELP)]
    Explain(ExplainArguments),
    /// Turn assembly of a described machine into words.
    Asm(AsmArguments),
    /// Turn words, or the code of a cubin, into assembly.
    Disasm(DisasmArguments),
    /// Run assembly of a described machine as one warp, and print its registers.
    #[command(after_help = machine::STATE_HELP)]
    Sim(SimArguments),
    /// Turn the warp instructions of a PTX kernel into assembly of a described machine.
    Lower(LowerArguments),
    /// Check, document or list a description of a machine.
    #[command(subcommand)]
    Isa(IsaCommand),
    /// Print the JSON schema of a command's document, or which there are.
    Schema(SchemaArguments),
    /// Print a script that completes commands and options in a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page of warpwise or of a command, for `man -l`.
    Man {
        /// The command, such as `check` or `isa list`.
        #[arg(value_name = "COMMAND")]
        command: Vec<String>,
    },
}

/// The arguments of `schema`.
#[derive(Args, Debug)]
pub(crate) struct SchemaArguments {
    /// The command, such as `check` or `isa list`, or another form of the list.
    #[arg(value_name = "COMMAND", num_args = 1..)]
    pub(crate) form: Option<Vec<String>>,
}

const SPEC_HELP: &str = "\
SPEC, once per kernel parameter, in order:
  TYPE:VALUE         a number, such as s32:-7, f32:0.5, b32:0x3f800000
  TYPE[N]=VALUE      a buffer of N elements that all hold VALUE
  TYPE[N]=iota       a buffer that holds 0, 1, 2, ...
  TYPE[N]=rand:SEED  a buffer of pseudo-random values
  @FILE.npy          a buffer that holds the array of a file
  bytes:HEX          the bytes of a by-value structure, first byte first
  struct:SPEC;SPEC   a by-value structure of such values, each at its natural alignment: buffers in it are
                     pointers, and field 1 of parameter 2 is called 2.1
  tex:TYPExC[H,W]:OPTION,...=VALUE
                     a texture by its handle: C channels of TYPE (1, 2 or 4; xC may be left out), extents from the outermost
                     on ([W], [H,W] or [D,H,W]), what channels hold as for buffers; options: wrap, clamp, mirror, border;
                     point, linear; normalized (coordinates); float (integers are read as such); layers (the first
                     extent counts layers, six for each cube). Without any: clamp, point
  surf:TYPExC[H,W]=VALUE
                     a surface, the same way; its one option is layers
  sampler:OPTION,... a sampler apart from textures: wrap, clamp, mirror, border; point, linear; texels (coordinates count
                     them, whatever the texture says). Without any: clamp, point
  &I, &NAME          the address of the buffer of another parameter, by number or name, or of a variable

TYPE: u8 s8 b8 u16 s16 b16 f16 bf16 u32 s32 b32 f32 u64 s64 b64 f64
VALUE: integers in decimal, hexadecimal (0x), octal (0o) or binary (0b); floats in decimal,
  as nan, inf or -inf, or as bits the way PTX writes them (0f3f800000 for f32,
  0d3ff0000000000000 for f64)

A buffer's parameter receives its device address. Arrays of files are laid out row by row.

rand: element i is made of the i-th output z of SplitMix64 seeded with SEED. Integers and
  bits are the topmost bits of z. Floats are uniform in [0, 1): the topmost 53 bits of z
  times 2^-53 for f64, and likewise 24 bits for f32, 11 for f16 and 8 for bf16.

VAR is a variable of the module in global or constant memory, by its name in PTX or in C++ (ns::counter). --set gives its
  contents, which have its size and its type; TYPE[N]=... and @FILE.npy are what an array holds, &I is what a pointer
  holds. tex:..., surf:... and sampler:... are bound to a .texref, .surfref or .samplerref. Variables that are not set keep their initial values. Compilers declare arrays as bytes: --print and --out
  show them in the type that --set gave, or in one that is said: --print table:f32:8, --out table:f32=F.npy.

--out writes bf16 and the b types as unsigned integers of their size.

--expect compares with a file of the same type and as many elements, and of the same shape if both have several
  dimensions. Bits (b32) are compared as whatever the file holds. With --rtol or --atol the rule is that of
  numpy.testing.assert_allclose: |got - expected| <= ATOL + RTOL * |expected|, what is not given is 0, infinities equal
  themselves, and any NaN equals any other.

Exit status: 0 fine, 1 results are not as expected, 2 wrong usage, 3 input rejected, 4 the kernel was stopped.";

const LINT_HELP: &str = "\
The verdict is that of NVIDIA's assembler; docs/rules.md lists the rules and the exceptions.

Exit status: 0 no errors, 1 errors, 2 wrong usage, 3 a file cannot be read or written.";

/// The arguments of `lint`.
#[derive(Args, Debug)]
pub(crate) struct LintArguments {
    /// The modules, as PTX text.
    #[arg(value_name = "K.ptx", required_unless_present = "list")]
    pub(crate) files: Vec<PathBuf>,
    /// Check as if `.target` named this architecture, such as sm_90a.
    #[arg(long, value_name = "sm_XX", value_parser = target)]
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) reporting: Reporting,
    #[command(flatten)]
    pub(crate) accepting: Accepting,
    /// Rewrite the files with the replacements that mend them.
    #[arg(long)]
    pub(crate) fix: bool,
    /// List the rules instead.
    #[arg(long)]
    pub(crate) list: bool,
}

/// The arguments of `run`.
#[derive(Args, Debug)]
pub(crate) struct RunArguments {
    /// The module, as PTX text; several are linked.
    #[arg(value_name = "K.ptx", required = true)]
    pub(crate) modules: Vec<PathBuf>,
    /// The kernel; may be left out if the module has one kernel.
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Extents of the grid in CTAs.
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) grid: Extents,
    /// Extents of a CTA in threads.
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) block: Extents,
    /// Extents of a cluster in CTAs, for targets from sm_90 on. Without them, those that the kernel requires, or one CTA.
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) cluster: Option<Extents>,
    /// Bytes of dynamic shared memory.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub(crate) smem: u32,
    /// Bytes of the stack of each thread, for functions that call themselves and for `alloca`.
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_STACK)]
    pub(crate) stack: u32,
    /// An argument of the kernel; see below.
    #[arg(long = "arg", value_name = "SPEC")]
    pub(crate) args: Vec<Spec>,
    /// Give a variable of the module its contents before the run; see below.
    #[arg(long = "set", value_name = "VAR=SPEC")]
    pub(crate) sets: Vec<Set>,
    /// Write the buffer of parameter I (from 0), or a variable, to a file when the kernel has finished.
    #[arg(long = "out", value_name = "I|VAR[:TYPE]=FILE.npy")]
    pub(crate) outs: Vec<Out>,
    /// Print the first COUNT elements of the buffer of parameter I, or of a variable; all without a count.
    #[arg(long = "print", value_name = "I|VAR[:TYPE][:COUNT]")]
    pub(crate) prints: Vec<Print>,
    /// Compare the buffer of parameter I, or a variable, with the array of a file when the kernel has finished.
    #[arg(long = "expect", value_name = "I|VAR[:TYPE]=FILE.npy")]
    pub(crate) expects: Vec<Out>,
    /// Allow --expect differences up to ATOL + RTOL * |expected|; without --rtol and --atol, every bit counts.
    #[arg(long, value_name = "RTOL", value_parser = tolerance, requires = "expects")]
    rtol: Option<f64>,
    /// See --rtol.
    #[arg(long, value_name = "ATOL", value_parser = tolerance, requires = "expects")]
    atol: Option<f64>,
    /// Run as if the module were written for this architecture, on a device of it with its limits.
    #[arg(long, value_name = "sm_XX", value_parser = target)]
    pub(crate) target: Option<String>,
    /// Bytes that the kernel may have allocated with `malloc` at one time; more of it returns null.
    #[arg(long, value_name = "BYTES", default_value_t = warpwise::HEAP_LIMIT)]
    pub(crate) heap: u64,
    /// Threads of the host; 0 takes all cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// How free choices are made: `fair`, `seed:N` for pseudo-random ones, or `apart:N` or `switch:...` from a report.
    #[arg(long, value_name = "STRING", default_value_t)]
    pub(crate) schedule: Schedule,
    #[command(flatten)]
    pub(crate) engine: Engine,
    /// Make equal runs equal in all: one thread of the host, and clocks that count what was executed.
    #[arg(long)]
    pub(crate) deterministic: bool,
    /// Stop the kernel after so many warp instructions.
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u64>,
    #[command(flatten)]
    pub(crate) reporting: Reporting,
    /// Report instruction counts, divergence, time and throughput.
    #[arg(long)]
    pub(crate) stats: bool,
}

/// What `run` is given.
#[derive(Args, Debug)]
pub(crate) struct RunCommand {
    #[command(flatten)]
    pub(crate) launch: RunArguments,
    /// Write the launch to a file, with the module, what memory holds before, and what it holds behind the kernel where --out names it:
    /// `warpwise-conformance` makes it again on any CUDA driver.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) save: Option<PathBuf>,
}

impl RunArguments {
    /// How far results may lie from what `--expect` names.
    pub(crate) fn tolerance(&self) -> Tolerance {
        match (self.rtol, self.atol) {
            (None, None) => Tolerance::Exact,
            (rtol, atol) => {
                Tolerance::Close { rtol: rtol.unwrap_or(0.0), atol: atol.unwrap_or(0.0) }
            }
        }
    }
}

/// A tolerance: a number from 0 on.
fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("write a number from 0 on, such as 1e-5".to_owned()),
    }
}

const CHECK_HELP: &str = "\
SPEC, TYPE and VALUE are those of `warpwise run --help`. Buffers count as written.

docs/findings.md explains the codes. One host thread runs the kernel; --explore N takes as many processes as --threads says.

--explore repeats the run under other schedules. What only they show comes with a schedule that --schedule replays. A kernel
  that reaches its step limit under the first schedule is not repeated.

Exit status: 0 nothing found, 1 findings, 2 wrong usage, 3 input rejected, 4 the kernel was stopped
  by something that is no finding: a trap, a stack overflow, the step limit, an interruption.";

/// The arguments of `check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    #[command(flatten)]
    pub(crate) accepting: Accepting,
    /// Also report what is undefined and does not matter; races in which no value changes are errors.
    #[arg(long)]
    pub(crate) pedantic: bool,
    /// Run the kernel under N other schedules too, or under all that could do anything else; N:SEED makes other random
    /// choices.
    #[arg(long, value_name = "N|all")]
    pub(crate) explore: Option<Explore>,
    /// Set by the command itself, for the processes that it starts.
    #[arg(long, hide = true, env = SCOUT, hide_env = true, requires = "explore")]
    pub(crate) scout: Option<Scout>,
}

/// What executes kernels.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Engine {
    /// What executes the kernel: `interp`, the interpreter; `jit`, machine code, where this machine can run it; or `auto`, which
    /// interprets a kernel until machine code pays. `interp:portable`, `interp:avx2`, `interp:avx512`, `jit:avx2` and `jit:avx512` name the vector
    /// instructions, too. All give the same results, but for what depends on the order in which warps run; with `--deterministic`,
    /// `auto` interprets.
    #[arg(
        long = "engine",
        value_name = "ENGINE",
        env = "WARPWISE_ENGINE",
        hide_env_values = true,
        default_value = "auto"
    )]
    pub(crate) choice: EngineChoice,
}

const TEST_HELP: &str = "\
docs/test-plans.md explains plans, with an example. A test is called by its plan's file and its own name: histogram::counts.

Exit status: 0 every test passed, 1 a test failed, 2 wrong usage, 3 a plan or a module of it is wrong, and nothing ran.";

/// The arguments of `test`.
#[derive(Args, Debug)]
pub(crate) struct TestArguments {
    /// The plans.
    #[arg(value_name = "PLAN.toml", required = true)]
    pub(crate) plans: Vec<PathBuf>,
    /// Run only the tests whose names contain one of these.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Vec<String>,
    /// Leave out the tests whose names contain one of these.
    #[arg(long, value_name = "TEXT")]
    pub(crate) skip: Vec<String>,
    /// Names are equal to what --filter and --skip say, and do not just contain it.
    #[arg(long)]
    pub(crate) exact: bool,
    /// List the tests instead.
    #[arg(long)]
    pub(crate) list: bool,
    /// How many tests run at a time; as many as there are cores without it.
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    pub(crate) engine: Engine,
    /// Report how long each test took; JUnit always says it.
    #[arg(long)]
    pub(crate) times: bool,
    /// The same as `--format json`.
    #[arg(long)]
    json: bool,
    /// How to report: text for people, or a document on standard output.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = TestFormat::Text)]
    format: TestFormat,
}

impl TestArguments {
    /// How to report.
    pub(crate) fn format(&self) -> TestFormat {
        match (self.json, self.format) {
            (true, TestFormat::Text) => TestFormat::Json,
            (_, format) => format,
        }
    }
}

/// How `test` reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// JUnit XML, for CI systems.
    Junit,
}

/// The arguments of `info`.
#[derive(Args, Debug)]
pub(crate) struct InfoArguments {
    /// The module, as PTX text; several are linked.
    #[arg(value_name = "K.ptx", required = true)]
    pub(crate) modules: Vec<PathBuf>,
    /// Say what can run as if the module were written for this architecture.
    #[arg(long, value_name = "sm_XX", value_parser = target)]
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) answering: Answering,
}

/// `--explore N[:SEED]` or `--explore all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Explore(pub(crate) Exploration);

/// Schedules that `--explore all` runs at most.
const MAX_SCHEDULES: u64 = 20_000;

impl FromStr for Explore {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Explore(Exploration::All { limit: MAX_SCHEDULES }));
        }
        let (count, seed) = text.split_once(':').unwrap_or((text, "0"));
        match (count.parse(), seed.parse()) {
            (Ok(count), Ok(seed)) if count > 0 => Ok(Explore(Exploration::Some { count, seed })),
            _ => Err("write a number of schedules, NUMBER:SEED, or all".to_owned()),
        }
    }
}

/// The variable of the environment that makes `check --explore N` a scout of the process that set it.
pub(crate) const SCOUT: &str = "WARPWISE_SCOUT";

/// `WHICH/OF`: which scout, of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scout {
    pub(crate) which: usize,
    pub(crate) of: NonZero<usize>,
}

impl FromStr for Scout {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let parsed = parts.and_then(|(which, of)| Some((which.parse().ok()?, of.parse().ok()?)));
        let (which, of) = parsed.ok_or("write WHICH/OF")?;
        Ok(Scout { which, of })
    }
}

/// `--set VAR=SPEC`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Set {
    pub(crate) variable: String,
    pub(crate) spec: Spec,
}

impl FromStr for Set {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (variable, spec) = text.split_once('=').ok_or("write VAR=SPEC")?;
        match variable.is_empty() {
            true => Err("write the name of a variable before `=`".to_owned()),
            false => Ok(Set { variable: variable.to_owned(), spec: spec.parse()? }),
        }
    }
}

/// What is printed or written, and as what if that is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) subject: Subject,
    pub(crate) element: Option<ElementType>,
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // `::` is part of a name.
        let typed = text.rsplit_once(':').filter(|(name, _)| !name.ends_with(':'));
        let typed = typed.and_then(|(name, word)| Some((name, word.parse::<ElementType>().ok()?)));
        Ok(match typed {
            Some((name, element)) => Selection { subject: name.parse()?, element: Some(element) },
            None => Selection { subject: text.parse()?, element: None },
        })
    }
}

/// `--out I|VAR=FILE.npy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Out {
    pub(crate) what: Selection,
    pub(crate) file: PathBuf,
}

impl FromStr for Out {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (what, file) = text.split_once('=').ok_or("write I=FILE.npy or VAR=FILE.npy")?;
        if file.is_empty() {
            return Err("the file has no name".to_owned());
        }
        Ok(Out { what: what.parse()?, file: PathBuf::from(file) })
    }
}

/// `--print I|VAR[:COUNT]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Print {
    pub(crate) what: Selection,
    pub(crate) count: Option<u64>,
}

impl FromStr for Print {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_count = |tail: &str| {
            tail.is_empty()
                || tail.starts_with(|first: char| first.is_ascii_digit() || first == '-')
        };
        let counted = text.rsplit_once(':').filter(|(_, tail)| is_count(tail));
        let (what, count) = match counted {
            Some((what, count)) => {
                let count = count.parse().map_err(|_| format!("`{count}` is not a count"))?;
                (what, Some(count))
            }
            None => (text, None),
        };
        Ok(Print { what: what.parse()?, count })
    }
}

/// The name of an architecture that there is.
fn target(text: &str) -> Result<String, String> {
    warpwise::target::check_name(text).map(|()| text.to_owned())
}

const EXPLAIN_HELP: &str = "\
Operands that are numbers count as written. What registers hold that are not set is said below the picture.

SPEC of `--set NAME=SPEC`:
  TYPE:VALUE           the same number in every lane, such as u32:0xff
  TYPE[32]=VALUE       the same; also iota (the lane's number) and rand:SEED
  @FILE.npy            32 numbers, one a lane
A predicate register is true in the lanes whose number is not 0; b32:MASK gives one bit a lane instead.

Exit status: 0 fine, 2 wrong usage, 3 not a legal instruction of this kind.";

/// The arguments of `explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// A warp instruction, such as 'shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff', or a warp function of CUDA C++, such as
    /// '__shfl_up_sync(0xffffffff, a, 1)'.
    #[arg(value_name = "INSTRUCTION")]
    pub(crate) instruction: String,
    /// The lanes that execute it.
    #[arg(long, value_name = "MASK", value_parser = lane_mask, default_value = "0xffffffff")]
    pub(crate) lanes: LaneMask,
    /// What a register holds: the membermask, `a`, `b`, `c`, a predicate.
    #[arg(long, value_name = "NAME=SPEC", value_parser = setting)]
    pub(crate) set: Vec<(String, Spec)>,
    /// The same as `--format json`.
    #[arg(long)]
    pub(crate) json: bool,
    /// How to draw.
    #[arg(long, value_enum, default_value_t = PictureFormat::Text)]
    pub(crate) format: PictureFormat,
}

/// How `explain` draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureFormat {
    /// For terminals, 100 columns wide.
    Text,
    /// A picture for pages, with no other file.
    Svg,
    /// One JSON document.
    Json,
}

fn setting(text: &str) -> Result<(String, Spec), String> {
    let (name, spec) = text.split_once('=').ok_or("write NAME=SPEC, such as mask=u32:0xff")?;
    Ok((name.trim().to_owned(), spec.parse()?))
}

fn lane_mask(text: &str) -> Result<LaneMask, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map(LaneMask).map_err(|_| format!("`{text}` is no mask of 32 lanes, such as 0x0000ffff"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn out_and_print_name_a_parameter_or_a_variable() {
        let argument =
            |nth, field| Selection { subject: Subject::Argument(nth, field), element: None };
        let variable =
            |name: &str, element| Selection { subject: Subject::Name(name.to_owned()), element };
        let f32s = Some(ElementType::F32);
        let file = PathBuf::from("a=b.npy");
        assert_eq!("1=a=b.npy".parse(), Ok(Out { what: argument(1, None), file }));
        let file = PathBuf::from("b");
        assert_eq!("n::v:f32=b".parse(), Ok(Out { what: variable("n::v", f32s), file }));
        for (text, what, count) in [
            ("2:40", argument(2, None), Some(40)),
            ("2", argument(2, None), None),
            ("2.1:3", argument(2, Some(1)), Some(3)),
            ("v", variable("v", None), None),
            ("n::v:3", variable("n::v", None), Some(3)),
            ("n::v:f32:3", variable("n::v", f32s), Some(3)),
            ("n::f32", variable("n::f32", None), None),
        ] {
            assert_eq!(text.parse(), Ok(Print { what, count }), "{text}");
        }
        assert!("=f".parse::<Out>().is_err() && "1=".parse::<Out>().is_err());
        assert!("1:".parse::<Print>().is_err() && "-1".parse::<Print>().is_err());
        assert!("1:-1".parse::<Print>().is_err() && "1x".parse::<Print>().is_err());
    }
}
