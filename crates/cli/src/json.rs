//! What the JSON documents of `run` and `check` hold. The field names are stable.

use crate::accept::Suppressed;
use crate::covered::JsonCovered;
use crate::expect::position;
use crate::npy::Array;
use crate::spec::Subject;
use schemars::JsonSchema;
use serde::Serialize;
use warpwise::{Comparison, Coverage, Difference, ExploreEnd, Kind, Report, Scalar, Stats};

/// What a run was, did and gave.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Document {
    /// The name of the kernel in the module.
    pub(crate) kernel: Option<String>,
    /// What C++ calls it, with its parameters; absent for names that are not mangled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<String>,
    /// What the run did, as far as it got.
    pub(crate) stats: Option<JsonStats>,
    /// What the kernel printed with `printf`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) printed: Option<String>,
    /// What `--print` asks for, in order.
    pub(crate) prints: Vec<JsonPrint>,
    /// What `--out` has written, in order.
    pub(crate) outputs: Vec<JsonOutput>,
    /// What was left out because the user accepts it; with `--allow` and baselines only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suppressed: Option<Suppressed>,
    /// What a check looked at that found nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) covered: Option<JsonCovered>,
    /// What `--expect` has shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) expectations: Vec<JsonExpectation>,
    /// What `check --explore` covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explored: Option<JsonCoverage>,
}

/// How many schedules were run, and whether all that matter were.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Coverage")]
pub(crate) struct JsonCoverage {
    /// Schedules that were run.
    schedules: u64,
    /// Whether no other schedule can do anything else.
    complete: bool,
}

impl From<Coverage> for JsonCoverage {
    fn from(Coverage { schedules, end }: Coverage) -> JsonCoverage {
        JsonCoverage { schedules, complete: end == ExploreEnd::Covered }
    }
}

/// What the run did.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Stats")]
pub(crate) struct JsonStats {
    /// Instructions, each counted once for every lane that executed it.
    thread_instructions: u64,
    /// Instructions, each counted once for the lanes that executed it together.
    warp_instructions: u64,
    /// Branches at which lanes of a warp parted.
    divergences: u64,
    /// Lanes that executed an instruction together, on average.
    lanes_active: f64,
    /// CTAs that ran to their end.
    ctas: u64,
    /// Threads of those.
    threads: u64,
    /// Time on the host's clock; with `--stats` only, as it differs from run to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    /// Throughput; with `--stats` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_instructions_per_second: Option<f64>,
}

impl From<&Stats> for JsonStats {
    fn from(stats: &Stats) -> JsonStats {
        JsonStats {
            thread_instructions: stats.thread_instructions,
            warp_instructions: stats.warp_instructions,
            divergences: stats.divergences,
            lanes_active: stats.lanes_active(),
            ctas: stats.ctas,
            threads: stats.threads,
            seconds: None,
            thread_instructions_per_second: None,
        }
    }
}

impl From<&Report> for JsonStats {
    fn from(report: &Report) -> JsonStats {
        let seconds = report.elapsed.as_secs_f64();
        let mut stats = JsonStats::from(&report.stats);
        stats.seconds = Some(seconds);
        stats.thread_instructions_per_second = Some(report.throughput());
        stats
    }
}

/// What was printed or written.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Subject")]
pub(crate) struct JsonSubject {
    /// The number of the parameter, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<usize>,
    /// The number of a field of a by-value structure, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<usize>,
    /// The name of the parameter or variable, as it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl From<&Subject> for JsonSubject {
    fn from(subject: &Subject) -> JsonSubject {
        match subject {
            Subject::Argument(nth, field) => {
                JsonSubject { parameter: Some(*nth), field: *field, name: None }
            }
            Subject::Name(name) => {
                JsonSubject { parameter: None, field: None, name: Some(name.clone()) }
            }
        }
    }
}

/// The elements of a `--print`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Print")]
pub(crate) struct JsonPrint {
    #[serde(flatten)]
    pub(crate) of: JsonSubject,
    /// The type of the elements.
    #[serde(rename = "type")]
    pub(crate) ty: &'static str,
    /// The elements in order.
    pub(crate) values: Vec<JsonValue>,
}

/// A file that was written.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub(crate) struct JsonOutput {
    #[serde(flatten)]
    pub(crate) of: JsonSubject,
    /// The file.
    pub(crate) file: String,
    /// The type of the elements, as numpy calls it.
    #[serde(rename = "type")]
    pub(crate) ty: String,
    /// The extents, the outermost first.
    pub(crate) shape: Vec<u64>,
}

/// A result beside what was expected of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Expectation")]
pub(crate) struct JsonExpectation {
    #[serde(flatten)]
    pub(crate) of: JsonSubject,
    /// The file that holds what was expected.
    pub(crate) file: String,
    #[serde(flatten)]
    pub(crate) found: JsonComparison,
}

/// What a comparison has shown.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JsonComparison {
    /// Whether all is as expected.
    matches: bool,
    /// How many elements were compared.
    elements: u64,
    /// How many are not as expected.
    differing: u64,
    /// The largest difference of floats, in units in the last place.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_ulps: Option<u64>,
    /// The first elements that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first: Vec<JsonDifference>,
}

/// An element that is not as expected.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Difference")]
struct JsonDifference {
    /// Where it stands in the array of the file.
    index: Vec<u64>,
    /// What it is.
    got: JsonValue,
    /// What it should be.
    expected: JsonValue,
    /// How many floats of the type lie between the two, and one more.
    #[serde(skip_serializing_if = "Option::is_none")]
    ulps: Option<u64>,
}

impl JsonComparison {
    /// What was found in an array of a shape.
    pub(crate) fn new(found: &Comparison, shape: &Array) -> JsonComparison {
        let Comparison { elements, differing, max_ulps, .. } = *found;
        let difference = |one: &Difference| JsonDifference {
            index: position(one.index, shape),
            got: one.got.into(),
            expected: one.expected.into(),
            ulps: one.ulps(),
        };
        let first = found.first.iter().map(difference).collect();
        JsonComparison { matches: found.matches(), elements, differing, max_ulps, first }
    }
}

/// One element. Numbers where JSON has them; NaN, infinities and bits are strings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Value")]
pub(crate) enum JsonValue {
    Unsigned(u64),
    Signed(i64),
    Single(f32),
    Double(f64),
    Text(String),
}

impl From<Scalar> for JsonValue {
    fn from(scalar: Scalar) -> JsonValue {
        let ty = scalar.ty();
        match (ty.kind(), scalar.integer(), scalar.float()) {
            (Kind::Unsigned, _, _) => JsonValue::Unsigned(scalar.bits()),
            (Kind::Signed, Some(value), _) => JsonValue::Signed(value as i64),
            (Kind::Float | Kind::Brain, _, Some(value)) if value.is_finite() => match ty.bytes() {
                8 => JsonValue::Double(value),
                _ => JsonValue::Single(value as f32),
            },
            _ => JsonValue::Text(scalar.to_string()),
        }
    }
}
