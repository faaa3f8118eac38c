//! What the cells of a picture show: numbers where they are short, and letters that a line below explains where not.

use crate::explain::explanation::{Explanation, Input, NumberKind, Outcome};
use lanes::LaneMask;

/// Names of up to 32 different values: those that lanes bring, and those that they get.
const BROUGHT: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyzABCDEF";
const RESULTS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef";
/// Most characters of a number in a cell.
const SHORT: usize = 2;

/// A row of cells, one a lane, and the lines that explain its letters.
#[derive(Default)]
pub(super) struct Cells {
    cells: Vec<String>,
    pub(super) legend: Vec<String>,
}

impl Cells {
    /// What a lane shows.
    pub(super) fn of(&self, lane: u32) -> &str {
        self.cells.get(lane as usize).map_or("", String::as_str)
    }
}

/// What lanes bring, for those that take part.
pub(super) fn input(explanation: &Explanation) -> Option<Cells> {
    let lanes = explanation.participants;
    Some(match explanation.input.as_ref()? {
        Input::Predicate(mask) => Cells { cells: truth(*mask, lanes), legend: Vec::new() },
        Input::Number { values, kind } => numbers("a", BROUGHT, values, lanes, *kind),
    })
}

/// The result that is made of what several lanes bring.
pub(super) fn result(explanation: &Explanation) -> Option<Cells> {
    if explanation.combined.is_empty() {
        return None;
    }
    let lanes = explanation.executing - explanation.undefined;
    match explanation.value.as_ref()? {
        Outcome::Predicate(_) => None,
        Outcome::Number(values) => {
            Some(numbers("d", RESULTS, &values.map(u64::from), lanes, kind(explanation)))
        }
    }
}

/// What the bits of the result mean.
fn kind(explanation: &Explanation) -> NumberKind {
    match explanation.input {
        Some(Input::Number { kind, .. }) => kind,
        Some(Input::Predicate(_)) | None => NumberKind::Unsigned,
    }
}

fn truth(mask: LaneMask, lanes: LaneMask) -> Vec<String> {
    let cell = |lane| match (lanes.contains(lane), mask.contains(lane)) {
        (false, _) => ".".to_owned(),
        (true, is_true) => u8::from(is_true).to_string(),
    };
    (0..32).map(cell).collect()
}

fn numbers(
    name: &str,
    letters: &[u8; 32],
    values: &[u64; 32],
    lanes: LaneMask,
    kind: NumberKind,
) -> Cells {
    let groups = groups(values, lanes);
    let short = groups.iter().all(|(value, _)| shown(*value, kind).len() <= SHORT);
    let mut out = Cells { cells: vec![".".to_owned(); 32], legend: Vec::new() };
    for ((value, lanes), letter) in groups.into_iter().zip(letters) {
        let letter = char::from(*letter);
        let cell = if short { shown(value, kind) } else { letter.to_string() };
        for lane in lanes.iter() {
            out.cells[lane as usize].clone_from(&cell);
        }
        // What a cell shows whole needs no line, but for results.
        let of = if short { String::new() } else { format!("{letter}: ") };
        if !short || name == "d" {
            let shown = shown(value, kind);
            out.legend
                .push(format!("{of}{name} = {value:#010x} ({shown}) in lanes {}", lanes.ranges()));
        }
    }
    out
}

fn shown(value: u64, kind: NumberKind) -> String {
    match kind {
        NumberKind::Unsigned => value.to_string(),
        NumberKind::Signed => (value as u32 as i32).to_string(),
        NumberKind::Float => f32::from_bits(value as u32).to_string(),
    }
}

/// The values of some lanes, each with the lanes that have it, in the order of the lanes.
pub(super) fn groups<T: Copy + PartialEq>(values: &[T; 32], lanes: LaneMask) -> Vec<(T, LaneMask)> {
    let mut groups: Vec<(T, LaneMask)> = Vec::new();
    for lane in lanes.iter() {
        let value = values[lane as usize];
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, mask)) => mask.insert(lane),
            None => groups.push((value, LaneMask::single(lane))),
        }
    }
    groups
}
