//! The explanation as data, for programs.

use schemars::JsonSchema;
use serde::Serialize;
use warpwise::explain::{Explanation, Input, Outcome};

/// What the document holds.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Body {
    /// What the instruction does; nothing if it was refused.
    explanation: Option<JsonExplanation>,
}

/// What a warp instruction does in each lane of a warp.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Explanation")]
struct JsonExplanation {
    /// The call of CUDA C++ that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// The instruction as it was given, or the one that the call stands for.
    instruction: String,
    /// The section of the manual.
    section: &'static str,
    /// The first PTX version and target of the form.
    since: JsonTarget,
    /// Where the form is gone again.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<JsonTarget>,
    /// The lanes that execute it.
    executing: u32,
    /// The executing lanes by the membermask that they pass.
    groups: Vec<JsonGroup>,
    /// The lanes that take part.
    participants: u32,
    /// What lanes read of each other, one row for each part of the result.
    reads: Vec<JsonRead>,
    /// What each lane brings to a result that is made of what several lanes bring.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<JsonInput>,
    /// Whose inputs make whose result; absent where each lane's result is what one other lane holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    combined: Vec<JsonCombined>,
    /// The lanes at which a segment of a shuffle begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    segments: Option<u32>,
    /// The result.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<JsonOutcome>,
    /// The second result, a predicate: the lanes in which it is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    predicate: Option<u32>,
    /// Executing lanes whose result is undefined.
    undefined: u32,
    /// What registers are taken to hold that were not set.
    assumed: Vec<String>,
    /// How the result comes about.
    rule: Vec<String>,
    /// What deserves attention.
    notes: Vec<String>,
}

/// A version and a target.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Target")]
struct JsonTarget {
    /// The version of PTX.
    ptx: String,
    /// The number of the target: 70 for `sm_70`.
    sm: u32,
}

/// Lanes that pass one membermask.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Group")]
struct JsonGroup {
    /// The membermask.
    membermask: u32,
    /// The lanes that pass it.
    lanes: u32,
}

/// From which lane each lane takes a part of its result.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Read")]
struct JsonRead {
    /// Which part.
    part: &'static str,
    /// The source lane of every lane.
    source: [u32; 32],
    /// The executing lanes whose source lane does not take part with them.
    lost: u32,
}

/// What each lane brings.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Input")]
enum JsonInput {
    /// A number in each lane, as its bits.
    Numbers(Box<[u64; 32]>),
    /// Of a predicate, the lanes in which it is true.
    Predicate(u32),
}

/// Lanes whose inputs make one result.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Combined")]
struct JsonCombined {
    /// The lanes whose inputs are used.
    from: u32,
    /// The lanes that get the result.
    to: u32,
}

/// A result.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Result")]
enum JsonOutcome {
    /// A number in each lane.
    Numbers([u32; 32]),
    /// Of a predicate, the lanes in which it is true.
    Predicate(u32),
}

impl From<&Explanation> for Body {
    fn from(it: &Explanation) -> Body {
        let target =
            |(major, minor): (u32, u32), sm| JsonTarget { ptx: format!("{major}.{minor}"), sm };
        let groups = it.groups.iter();
        let reads = it.reads.iter();
        let combined = it.combined.iter();
        let explanation = JsonExplanation {
            call: it.call.clone(),
            instruction: it.instruction.clone(),
            section: it.section,
            since: target(it.since.ptx, it.since.sm),
            removed: it.removed.map(|removed| target(removed.ptx, removed.sm)),
            executing: it.executing.0,
            groups: groups
                .map(|group| JsonGroup { membermask: group.membermask.0, lanes: group.lanes.0 })
                .collect(),
            participants: it.participants.0,
            reads: reads
                .map(|read| JsonRead { part: read.part, source: read.source, lost: read.lost.0 })
                .collect(),
            input: it.input.as_ref().map(|input| match input {
                Input::Number { values, .. } => JsonInput::Numbers(values.clone()),
                Input::Predicate(mask) => JsonInput::Predicate(mask.0),
            }),
            combined: combined
                .map(|made| JsonCombined { from: made.from.0, to: made.to.0 })
                .collect(),
            segments: it.segments.map(|mask| mask.0),
            value: it.value.as_ref().map(|value| match value {
                Outcome::Number(lanes) => JsonOutcome::Numbers(*lanes),
                Outcome::Predicate(mask) => JsonOutcome::Predicate(mask.0),
            }),
            predicate: it.predicate.map(|mask| mask.0),
            undefined: it.undefined.0,
            assumed: it.assumed.clone(),
            rule: it.rule.clone(),
            notes: it.notes.clone(),
        };
        Body { explanation: Some(explanation) }
    }
}
