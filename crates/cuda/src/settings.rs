//! What the environment says: the one place where variables are read.

use std::env;
use std::path::PathBuf;
use warpwise::{EngineChoice, Properties};

/// The device that a program finds unless the environment says another.
const DEVICE: &str = "sm_120";
/// Devices, at most.
const MAX_DEVICES: usize = 16;

/// The settings of a process.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// What the devices are: `WARPWISE_DEVICE`.
    pub(crate) properties: Option<Properties>,
    /// How many there are: `WARPWISE_DEVICES`.
    pub(crate) devices: usize,
    /// Whether launches are checked: `WARPWISE_CHECK`.
    pub(crate) check: bool,
    /// Whether memory that is left at the end is a finding: `WARPWISE_LEAKS`.
    pub(crate) leaks: bool,
    /// Where reports go, if not to standard error: `WARPWISE_REPORT`.
    pub(crate) report: Option<PathBuf>,
    /// Whether reports are lines for another process, that makes a document of them: `WARPWISE_FORMAT`.
    pub(crate) carried: bool,
    /// What executes kernels: `WARPWISE_ENGINE`.
    pub(crate) engine: EngineChoice,
    /// Where a table of kernels goes at the end, behind what is there: `WARPWISE_STATS`.
    pub(crate) stats: Option<PathBuf>,
    /// The kernel that is checked, and no other: `WARPWISE_ONLY`.
    pub(crate) only: Option<String>,
    /// The kernel that is not checked: `WARPWISE_SKIP`.
    pub(crate) skip: Option<String>,
    /// How many launches of a kernel are checked: `WARPWISE_FIRST`.
    pub(crate) first: Option<u64>,
    /// A file that gets a line for every finding, so that others know: `WARPWISE_FINDINGS`.
    pub(crate) findings: Option<PathBuf>,
    /// Whether a launch is told of what an earlier one of its kernel was told of: `WARPWISE_REPEAT`.
    pub(crate) repeats: bool,
    /// Whether every launch is waited for: `CUDA_LAUNCH_BLOCKING`.
    pub(crate) blocking: bool,
}

impl Settings {
    /// Whether what is found changes how the process ends.
    pub(crate) fn ends_with_findings(&self) -> bool {
        self.check || self.leaks
    }

    /// Whether there is something to do when the process ends.
    pub(crate) fn ends_with_report(&self) -> bool {
        self.check || self.leaks || self.stats.is_some()
    }

    /// Reads them, and says of each that makes no sense why.
    pub(crate) fn read() -> (Settings, Vec<String>) {
        let mut wrong = Vec::new();
        let get = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let is_set = |name: &str| get(name).is_some_and(|value| value != "0");
        let default = || Properties::of(DEVICE);
        let properties = match get("WARPWISE_DEVICE") {
            None => default(),
            Some(name) => Properties::of(&name).or_else(|| {
                let known: Vec<String> = Properties::targets().collect();
                wrong.push(format!(
                    "WARPWISE_DEVICE={name} names no device; there are {}",
                    known.join(", ")
                ));
                default()
            }),
        };
        let mut number = |name: &str, most: u64| {
            let value = get(name)?;
            let number = value.parse().ok().filter(|number| (1..=most).contains(number));
            if number.is_none() {
                wrong.push(format!("{name}={value} is no number from 1 to {most}"));
            }
            number
        };
        let devices = number("WARPWISE_DEVICES", MAX_DEVICES as u64).unwrap_or(1) as usize;
        let first = number("WARPWISE_FIRST", u64::MAX);
        let engine = get("WARPWISE_ENGINE").and_then(|name| {
            name.parse().map_err(|why| wrong.push(format!("WARPWISE_ENGINE={name}: {why}"))).ok()
        });
        let carried = match get("WARPWISE_FORMAT").as_deref() {
            None | Some("text") => false,
            Some("carried") => true,
            Some(other) => {
                wrong.push(format!("WARPWISE_FORMAT={other}: there are text and carried"));
                false
            }
        };
        let settings = Settings {
            carried,
            properties,
            devices,
            check: is_set("WARPWISE_CHECK"),
            leaks: is_set("WARPWISE_LEAKS"),
            report: get("WARPWISE_REPORT").map(PathBuf::from),
            engine: engine.unwrap_or(EngineChoice::Auto),
            stats: get("WARPWISE_STATS").map(PathBuf::from),
            only: get("WARPWISE_ONLY"),
            skip: get("WARPWISE_SKIP"),
            first,
            findings: get("WARPWISE_FINDINGS").map(PathBuf::from),
            repeats: is_set("WARPWISE_REPEAT"),
            blocking: is_set("CUDA_LAUNCH_BLOCKING"),
        };
        (settings, wrong)
    }
}
