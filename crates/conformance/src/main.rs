//! `warpwise-conformance`: whether a CUDA driver, Warpwise's or that of a GPU, does what Warpwise says. It uses the driver's public
//! interface alone, and needs nothing beside it.

mod driver;
mod functions;
mod launches;
mod random;
mod recording;
mod told;

use clap::{Parser, ValueEnum};
use driver::Driver;
use functions::{FUNCTIONS, Function};
use recording::{Recorded, Recording, Runs};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use told::{Counts, Told, Verdict};

/// Ask a CUDA driver whether kernels do what Warpwise says: launches with known results, random kernels, and functions of one operand.
/// Exit status 0: they do; 1: something differs; 2: the driver cannot be used.
#[derive(Debug, Parser)]
#[command(name = "warpwise-conformance", version)]
struct Arguments {
    /// The driver's library.
    #[arg(long, value_name = "PATH", default_value = "libcuda.so.1")]
    libcuda: PathBuf,
    /// Which of its devices, from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: i32,
    /// Try only these; all without.
    #[arg(long, value_enum, value_name = "WHAT")]
    only: Vec<What>,
    /// Launches that `warpwise run --save` wrote, in the place of those that are part of this program.
    #[arg(long, value_name = "FILE")]
    launches: Vec<PathBuf>,
    /// The first seed of random kernels.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many random kernels.
    #[arg(long, value_name = "N", default_value_t = 500)]
    kernels: u64,
    /// Attempts to make a random kernel smaller that differs; its PTX is printed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    shrink: u32,
    /// Of functions with 32 bits of input, try the multiples of this number; 1 is all.
    #[arg(long, value_name = "N", default_value_t = 4099)]
    stride: u32,
    /// Of the functions, only these.
    #[arg(long, value_name = "NAME")]
    function: Vec<String>,
    /// Write the launches to a file, as the device leaves them, a line each.
    #[arg(long, value_name = "FILE")]
    record_launches: Option<PathBuf>,
    /// Write the results of the functions to a file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Compare the functions with a recording of another device, and not with Warpwise's results.
    #[arg(long, value_name = "FILE")]
    hold: Option<PathBuf>,
    /// Where the process before this one stood, which a kernel has stopped.
    #[arg(long, value_name = "COUNTS", hide = true)]
    goes_on: Option<Counts>,
}

/// The stack of a thread that recorded launches may need: recursive ones do.
const STACK: usize = 16 << 10;

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Launches with known results.
    Launches,
    /// Random kernels.
    Random,
    /// Functions of one operand.
    Functions,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let out = io::stdout().lock();
    match run(&arguments, out) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            // Nobody is left to tell if that fails, too.
            let _ = writeln!(io::stderr(), "error: {why}");
            ExitCode::from(2)
        }
    }
}

/// Tries what is asked for. Whether nothing differs.
fn run(arguments: &Arguments, out: impl Write) -> Result<bool, String> {
    let driver =
        Driver::open(&arguments.libcuda, arguments.device).map_err(|why| why.to_string())?;
    let mut recording = identify(&driver).map_err(|why| why.to_string())?;
    let mut told = Told::new(out, arguments.goes_on.unwrap_or_default());
    let tries = |what: What| arguments.only.is_empty() || arguments.only.contains(&what);
    if arguments.goes_on.is_none() {
        let Recording { driver: version, device, capability, .. } = &recording;
        let (major, minor) = (capability / 10, capability % 10);
        let library = arguments.libcuda.display();
        told.say(&format!(
            "{device}, compute capability {major}.{minor}; {library}, for CUDA {version}"
        ))
        .map_err(told::failed)?;
    }
    let mut goes_well = true;
    if tries(What::Launches) {
        goes_well = try_launches(arguments, &driver, &mut told)?;
    }
    if goes_well && tries(What::Random) {
        goes_well = try_random(arguments, &driver, recording.capability, &mut told)?;
    }
    if !goes_well {
        return in_a_new_process(told.counts);
    }
    if tries(What::Functions) {
        recording.functions = try_functions(arguments, &driver, recording.capability, &mut told)?;
    }
    if let Some(file) = &arguments.record {
        let text = serde_json::to_string(&recording).map_err(|why| why.to_string())?;
        std::fs::write(file, text).map_err(|why| named(file, why))?;
    }
    let Counts { same, different, refused, .. } = told.counts;
    told.say(&format!("{same} as they should be, {different} that differ, {refused} not run"))
        .map_err(told::failed)?;
    Ok(different == 0)
}

/// Goes on behind a kernel that the driver has stopped: "the process must be terminated and relaunched" (CUDA Driver API, `CUresult`).
/// Whether nothing differs; where processes can be replaced, this one is.
fn in_a_new_process(stood: Counts) -> Result<bool, String> {
    const OPTION: &str = "--goes-on";
    let failed = |why: io::Error| format!("the program cannot be started anew: {why}");
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == OPTION {
            arguments.next();
        } else {
            command.arg(argument);
        }
    }
    command.args([OPTION, &stood.to_string()]);
    #[cfg(unix)]
    {
        Err(failed(std::os::unix::process::CommandExt::exec(&mut command)))
    }
    #[cfg(not(unix))]
    {
        command.status().map(|status| status.success()).map_err(failed)
    }
}

/// Whether the driver goes on.
fn try_launches(
    arguments: &Arguments,
    driver: &Driver,
    told: &mut Told<impl Write>,
) -> Result<bool, String> {
    // What a device does not have is told where a kernel needs it.
    let _ = driver.allow_stack(STACK);
    let mut to = match &arguments.record_launches {
        None => None,
        Some(file) => {
            let goes_on = arguments.goes_on.is_some();
            let mut options = OpenOptions::new();
            options.create(true).write(true).append(goes_on).truncate(!goes_on);
            Some((options.open(file).map_err(|why| named(file, why))?, file))
        }
    };
    for launch in launches_of(arguments)? {
        if !told.next() {
            continue;
        }
        let (verdict, left) = launches::run(driver, &launch);
        let is_stopped = matches!(verdict, Verdict::Stopped(_));
        told.judge(&format!("launch {}", launch.name), verdict).map_err(told::failed)?;
        if let (Some((to, file)), Some(left)) = (&mut to, left) {
            let line = serde_json::to_string(&left).map_err(|why| why.to_string())?;
            writeln!(to, "{line}").map_err(|why| named(file, why))?;
        }
        if is_stopped {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the driver goes on.
fn try_random(
    arguments: &Arguments,
    driver: &Driver,
    capability: u32,
    told: &mut Told<impl Write>,
) -> Result<bool, String> {
    let Some(target) = random::target(capability) else {
        let why = Verdict::Refused("the device is older than sm_80".to_owned());
        told.judge("random kernels", why).map_err(told::failed)?;
        return Ok(true);
    };
    for seed in arguments.seed..arguments.seed.saturating_add(arguments.kernels) {
        if !told.next() {
            continue;
        }
        let tried = random::run(driver, seed, target, arguments.shrink);
        told.judge(&format!("random kernel {seed}"), tried.verdict).map_err(told::failed)?;
        if let Some(text) = &tried.smallest {
            told.say(text).map_err(told::failed)?;
        }
        if !tried.goes_on {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is recorded of the functions.
fn try_functions(
    arguments: &Arguments,
    driver: &Driver,
    capability: u32,
    told: &mut Told<impl Write>,
) -> Result<Vec<Recorded>, String> {
    let held = held(arguments)?;
    let mut recorded = Vec::new();
    let meant = |name: &str| {
        let names = &arguments.function;
        names.is_empty() || names.iter().any(|it| it == name)
    };
    let there = |function: &&Function| function.since <= capability && meant(function.name);
    for function in FUNCTIONS.iter().filter(there) {
        let held = match &held {
            None => None,
            Some(held) => match held.functions.iter().find(|it| it.name == function.name) {
                None => continue,
                Some(recorded) => Some(recorded),
            },
        };
        let records = arguments.record.is_some();
        let (verdict, found) = attempt(driver, function, arguments.stride, held, records)?;
        if let Verdict::Different(lines) = &verdict
            && function.bound.is_some()
            && held.is_none()
        {
            // What the ISA only bounds may differ.
            told.counts.same += 1;
            told.say(&format!("bounded  {}: {}", function.name, lines.join("; ")))
                .map_err(told::failed)?;
        } else {
            told.judge(function.name, verdict).map_err(told::failed)?;
        }
        recorded.extend(found);
    }
    Ok(recorded)
}

fn named(file: &Path, why: impl std::fmt::Display) -> String {
    format!("{}: {why}", file.display())
}

fn identify(driver: &Driver) -> driver::Asked<Recording> {
    Ok(Recording {
        driver: driver.version()?,
        device: driver.device_name()?,
        capability: driver.capability()?,
        functions: Vec::new(),
    })
}

fn launches_of(arguments: &Arguments) -> Result<Vec<warpwise::SavedLaunch>, String> {
    if arguments.launches.is_empty() {
        return launches::recorded();
    }
    let mut all = Vec::new();
    for file in &arguments.launches {
        let bytes = std::fs::read(file).map_err(|why| named(file, why))?;
        all.extend(launches::parse(&bytes).map_err(|why| named(file, why))?);
    }
    Ok(all)
}

fn held(arguments: &Arguments) -> Result<Option<Recording>, String> {
    let Some(file) = &arguments.hold else { return Ok(None) };
    let text = std::fs::read_to_string(file).map_err(|why| named(file, why))?;
    serde_json::from_str(&text).map(Some).map_err(|why| named(file, why))
}

/// Applies a function to its inputs, and compares what it gives with Warpwise's results, or with a recording.
fn attempt(
    driver: &Driver,
    function: &Function,
    stride: u32,
    held: Option<&Recorded>,
    records: bool,
) -> Result<(Verdict, Option<Recorded>), String> {
    let inputs = match held {
        Some(recorded) => functions::Inputs { stride: recorded.stride, count: recorded.count },
        None => function.inputs(stride),
    };
    let mut wanted = held.map(Recorded::runs).transpose()?.unwrap_or_default().into_iter();
    let (mut wanted_now, mut left) = (0, if held.is_some() { 0 } else { u64::MAX });
    let mut runs = Runs::default();
    let (mut differing, mut furthest, mut first) = (0_u64, 0_i64, None);
    let target = function.since.max(80);
    let applied = function.apply(driver, target, inputs, |input, found, expected| {
        let distance = function.distance(found, expected);
        if records {
            runs.push(distance);
        }
        while left == 0 {
            (wanted_now, left) = wanted.next().unwrap_or((0, u64::MAX));
        }
        left -= 1;
        if distance != wanted_now {
            differing += 1;
            furthest = furthest.max((distance - wanted_now).abs());
            first.get_or_insert((input, found, expected));
        }
    });
    if let Err(refused) = applied {
        return Ok((Verdict::Refused(refused.to_string()), None));
    }
    let recorded = records.then(|| runs.recorded(function.name, inputs.stride, inputs.count));
    let verdict = match first {
        None => Verdict::Same,
        Some((input, found, expected)) => Verdict::Different(vec![
            format!(
                "{differing} of {} results differ, by {furthest} at most{}",
                inputs.count,
                bound(function)
            ),
            format!("the first: of 0x{input:08x} it is 0x{found:08x}, and not 0x{expected:08x}"),
        ]),
    };
    Ok((verdict, recorded))
}

fn bound(function: &Function) -> String {
    function.bound.map_or_else(String::new, |bound| format!(" (documented: {bound})"))
}
