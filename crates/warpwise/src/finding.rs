//! Findings with their schedule and the source locations of their instructions.

use diag::{Diagnostic, Severity, Sources, Span};
use ir::Place;
use sanitize::report::{self, Places};
use sanitize::{Code, Detail, WarpLanes};
use schemars::JsonSchema;
use serde::Serialize;
use vm::{Schedule, ThreadId};

/// Something wrong with a kernel that a run has shown. As JSON it is an object with these fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Finding {
    /// What it is about, as reports print it.
    pub code: Code,
    /// A warning is harmless with these inputs.
    pub severity: Severity,
    /// One sentence with the values of the first time.
    pub message: String,
    /// The schedule under which it was seen, or one of those that it compares.
    pub schedule: Schedule,
    /// The instruction. [`Finding::location`] leads to texts.
    pub place: Place,
    /// The first thread that it happened to.
    pub thread: ThreadId,
    /// How many warp instructions it happened in.
    pub count: u64,
    /// The lanes of the warp, the first time.
    pub lanes: Option<WarpLanes>,
    /// All facts of the first time, by what kind of finding it is.
    pub detail: Detail,
    pub(crate) locations: Vec<Location>,
}

/// A line and column of a text, both from 1; 0 where it is not known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct Position {
    /// The file, as the module or the caller names it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Position {
    /// Where a part of a text begins.
    pub(crate) fn of(sources: &Sources, span: Span) -> Position {
        let at = sources.location(span);
        Position {
            file: sources.file(span.file).name().to_owned(),
            line: at.line,
            column: at.column,
        }
    }
}

/// Where an instruction stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Location {
    /// The instruction, as a finding's facts name it.
    pub place: Place,
    /// Its text: the PTX, or the assembly of a machine program.
    pub instruction: Option<Position>,
    /// The source line that the module's `.loc` names, and then where it was inlined or called, the nearest first.
    pub source: Vec<Position>,
    /// The functions that it belongs to, by their names in the module: the innermost first, and those that it was inlined into
    /// or called from.
    pub functions: Vec<String>,
    /// Whether the compiler gave the instruction no line, and `source` is the last one before it.
    pub is_guessed: bool,
}

impl Finding {
    /// What a run has shown under a schedule.
    fn new(seen: &sanitize::Finding, schedule: &Schedule, places: &dyn Locate) -> Finding {
        let mut locations: Vec<Location> = Vec::new();
        for place in seen.all_places() {
            if locations.iter().all(|known| known.place != place) {
                locations.push(places.location(place));
            }
        }
        let mut detail = seen.detail.clone();
        for address in detail.addresses() {
            *address = places.shown(*address);
        }
        Finding {
            code: seen.code(),
            severity: seen.severity(),
            message: String::new(),
            schedule: schedule.clone(),
            place: seen.place,
            thread: seen.thread,
            count: seen.count,
            lanes: seen.lanes,
            detail,
            locations,
        }
    }

    /// Whether nothing can come of it with these inputs: then it is a warning.
    pub fn is_harmless(&self) -> bool {
        self.severity != Severity::Error
    }

    /// Where the instructions stand that the finding names, its own first.
    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    /// Where one of them stands.
    pub fn location(&self, place: Place) -> Option<&Location> {
        self.locations.iter().find(|location| location.place == place)
    }
}

/// Leads instructions to texts, in words and as data.
pub(crate) trait Locate: Places {
    /// Where an instruction stands.
    fn location(&self, place: Place) -> Location;

    /// An address of device memory as reports show it: the same in every run.
    fn shown(&self, address: u64) -> u64;
}

/// What a checked run hands out: findings as data, and everything in words.
#[derive(Default)]
pub(crate) struct Told {
    /// Each with the index of its diagnostic.
    findings: Vec<(usize, Finding)>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Told {
    /// Adds a finding that was seen under a schedule.
    pub(crate) fn add<L: Locate>(
        &mut self,
        seen: &sanitize::Finding,
        schedule: &Schedule,
        places: &L,
    ) {
        self.findings.push((self.diagnostics.len(), Finding::new(seen, schedule, places)));
        let functions = places.location(seen.place).functions;
        let told = report::diagnostic(seen, places, schedule);
        self.diagnostics.push(Diagnostic { functions, ..told });
    }

    /// Findings, and diagnostics that carry them.
    pub(crate) fn finish(mut self) -> (Vec<Finding>, Vec<Diagnostic>) {
        let diagnostics = &mut self.diagnostics;
        let finish = |(at, mut finding): (usize, Finding)| {
            let told: &mut Diagnostic = &mut diagnostics[at];
            finding.message.clone_from(&told.message);
            told.finding = Some(serde_json::to_value(&finding).unwrap_or_default());
            finding
        };
        let findings = self.findings.into_iter().map(finish).collect();
        (findings, self.diagnostics)
    }
}
