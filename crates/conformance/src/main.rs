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
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use told::{Told, Verdict};

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
    /// Of functions with 32 bits of input, try the multiples of this number; 1 is all.
    #[arg(long, value_name = "N", default_value_t = 4099)]
    stride: u32,
    /// Write the results of the functions to a file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Compare the functions with a recording of another device, and not with Warpwise's results.
    #[arg(long, value_name = "FILE")]
    hold: Option<PathBuf>,
}

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
    let mut told = Told::new(out);
    let tries = |what: What| arguments.only.is_empty() || arguments.only.contains(&what);
    let Recording { driver: version, device, capability, .. } = &recording;
    let (capability, written) = (*capability, |why: io::Error| why.to_string());
    told.say(&format!(
        "{device}, compute capability {}.{}; {}, for CUDA {version}",
        capability / 10,
        capability % 10,
        arguments.libcuda.display(),
    ))
    .map_err(written)?;
    if tries(What::Launches) {
        for launch in launches_of(arguments)? {
            let verdict = launches::run(&driver, &launch);
            told.judge(&format!("launch {}", launch.name), verdict).map_err(written)?;
        }
    }
    if tries(What::Random) {
        match random::target(capability) {
            None => {
                let why = Verdict::Refused("the device is older than sm_80".to_owned());
                told.judge("random kernels", why).map_err(written)?;
            }
            Some(target) => {
                for seed in arguments.seed..arguments.seed.saturating_add(arguments.kernels) {
                    let verdict = random::run(&driver, seed, target);
                    told.judge(&format!("random kernel {seed}"), verdict).map_err(written)?;
                }
            }
        }
    }
    if tries(What::Functions) {
        let held = held(arguments)?;
        for function in FUNCTIONS.iter().filter(|function| function.since <= capability) {
            let held = match &held {
                None => None,
                Some(held) => match held.functions.iter().find(|it| it.name == function.name) {
                    None => continue,
                    Some(recorded) => Some(recorded),
                },
            };
            let (verdict, recorded) = attempt(&driver, function, arguments.stride, held)?;
            if let Verdict::Different(lines) = &verdict
                && function.bound.is_some()
                && held.is_none()
            {
                // What the ISA only bounds may differ.
                told.same += 1;
                told.say(&format!("bounded  {}: {}", function.name, lines.join("; ")))
                    .map_err(written)?;
            } else {
                told.judge(function.name, verdict).map_err(written)?;
            }
            recording.functions.extend(recorded);
        }
    }
    if let Some(file) = &arguments.record {
        let text = serde_json::to_string(&recording).map_err(|why| why.to_string())?;
        std::fs::write(file, text).map_err(|why| format!("{}: {why}", file.display()))?;
    }
    let (same, different, refused) = (told.same, told.different, told.refused);
    told.say(&format!("{same} as they should be, {different} that differ, {refused} not run"))
        .map_err(written)?;
    Ok(different == 0)
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
        let named = |why: String| format!("{}: {why}", file.display());
        let bytes = std::fs::read(file).map_err(|why| named(why.to_string()))?;
        all.extend(launches::parse(&bytes).map_err(named)?);
    }
    Ok(all)
}

fn held(arguments: &Arguments) -> Result<Option<Recording>, String> {
    let Some(file) = &arguments.hold else { return Ok(None) };
    let named = |why: String| format!("{}: {why}", file.display());
    let text = std::fs::read_to_string(file).map_err(|why| named(why.to_string()))?;
    serde_json::from_str(&text).map(Some).map_err(|why| named(why.to_string()))
}

/// Applies a function to its inputs, and compares what it gives with Warpwise's results, or with a recording.
fn attempt(
    driver: &Driver,
    function: &Function,
    stride: u32,
    held: Option<&Recorded>,
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
    let applied = function.apply(driver, target, inputs, |input, found| {
        let expected = (function.value)(input);
        let distance = function.distance(found, expected);
        runs.push(distance);
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
        let _ = driver.recover();
        return Ok((Verdict::Refused(refused.to_string()), None));
    }
    let recorded = runs.recorded(function.name, inputs.stride, inputs.count);
    let verdict = match first {
        None => Verdict::Same,
        Some((input, found, expected)) => Verdict::Different(vec![
            format!(
                "{differing} of {} results differ, by {furthest} at most{}",
                inputs.count,
                bound(function)
            ),
            format!(
                "the first: of 0x{input:08x} it is 0x{found:08x}, and correctly rounded 0x{expected:08x}"
            ),
        ]),
    };
    Ok((verdict, Some(recorded)))
}

fn bound(function: &Function) -> String {
    function.bound.map_or_else(String::new, |bound| format!(" (documented: {bound})"))
}
