//! Who takes part in a warp instruction, what is read, and what results.

use super::explanation::{Combined, Explanation, Input, NumberKind, Outcome, Read, Setting};
use super::module::Found;
use super::registers::Registers;
use crate::error::{Error, Stage};
use diag::Class;
use ir::{Collective, Members, Op};
use lanes::{Group, LANE_IDS, LaneMask, Lanes, ReduxF32, ShflMode, VoteMode};
use lanes::{groups, movmatrix, select, shfl, splat};
use vm::Operands;

pub(super) fn evaluate(
    found: &Found,
    given: LaneMask,
    settings: &[Setting],
) -> Result<Explanation, Error> {
    let refuse = |message: String| Error::message(Stage::Module, Class::Unsupported, message);
    let insts = found.kernel.lowered.kernel.blocks.iter().flat_map(|block| &block.insts);
    let collective = insts.into_iter().find(|inst| inst.op.is_collective());
    let name = found.entry.entry.name;
    let Some(inst) = collective else {
        return Err(refuse(format!("`{name}` is no instruction in which lanes work together")));
    };
    let mut registers = Registers::new(found, settings)?;
    let guard = inst.guard.map_or(LaneMask::FULL, |guard| registers.predicate(guard));
    let executing = given & guard;
    let mut out = Explanation {
        call: None,
        instruction: found.text.clone(),
        section: section(found),
        since: found.form.since,
        removed: found.form.removed,
        executing,
        groups: Vec::new(),
        participants: executing,
        reads: Vec::new(),
        input: None,
        combined: Vec::new(),
        segments: None,
        value: None,
        predicate: None,
        undefined: LaneMask::EMPTY,
        is_set: !settings.is_empty(),
        assumed: Vec::new(),
        rule: Vec::new(),
        notes: Vec::new(),
    };
    match &inst.op {
        Op::Collective { what, members, aligned } => {
            if let Members::Mask(mask) = members {
                membermask(&mut out, &registers.membermasks(*mask)?, *aligned);
            }
            collective_result(&mut out, what, &mut registers);
        }
        Op::ActiveMask { .. } => {
            out.value = Some(Outcome::Number(splat(executing.0)));
            out.combined = made(executing, executing);
            out.rule
                .push("Every lane gets the mask of the lanes that execute this together.".into());
            out.notes.push(
                "Which lanes run together is up to the hardware: do not use the result as a membermask."
                    .into(),
            );
        }
        _ => return Err(refuse(format!("`{name}` cannot be explained lane by lane"))),
    }
    out.assumed.extend(registers.assumed);
    Ok(out)
}

/// The part of an entry's section that speaks of the form: with or without `.sync`.
fn section(found: &Found) -> &'static str {
    let whole = found.entry.entry.section;
    let sync = found.form.syntax.contains(".sync");
    whole.split(", ").find(|part| part.contains(".sync") == sync).unwrap_or(whole)
}

/// Who takes part under the membermask of each lane.
fn membermask(out: &mut Explanation, masks: &Lanes<u32>, aligned: bool) {
    let executing = out.executing;
    if aligned {
        out.rule.push("Every lane of the warp must execute it together (`.aligned`).".into());
        if !executing.is_full() {
            out.undefined |= executing;
            out.notes.push("Not every lane executes it: the behaviour is undefined (W006).".into());
        }
        return;
    }
    out.groups = groups(masks, executing).collect();
    out.participants = together(out, Group::participants);
    let strangers = executing - out.participants;
    if !strangers.is_empty() {
        out.undefined |= strangers;
        out.notes.push(format!(
            "Lanes {} execute it and are not in their membermask: undefined (W001).",
            strangers.ranges()
        ));
    }
    let absent = together(out, |group| group.membermask) - executing;
    if !absent.is_empty() {
        out.notes.push(format!(
            "Lanes {} of the membermask do not execute it: the others wait for them, unless they have exited.",
            absent.ranges()
        ));
    }
    let theirs = |group: Group| match group.participants().is_empty() {
        true => LaneMask::EMPTY,
        false => (group.membermask & executing) - group.lanes,
    };
    let disagreeing = together(out, theirs);
    if !disagreeing.is_empty() {
        out.notes.push(format!(
            "Lanes {} are in the membermask of lanes that pass another one than they do: undefined (W003).",
            disagreeing.ranges()
        ));
    }
    if out.groups.len() > 1 {
        out.rule.push("Lanes take part with those that pass the same membermask.".into());
    }
}

/// Lanes of all groups.
fn together(out: &Explanation, of: impl Fn(Group) -> LaneMask) -> LaneMask {
    out.groups.iter().fold(LaneMask::EMPTY, |lanes, group| lanes | of(*group))
}

/// The groups of lanes that take part with each other: one of all, where there is no membermask.
fn parts(out: &Explanation) -> Vec<Group> {
    let all = Group { membermask: LaneMask::FULL, lanes: out.executing };
    if out.groups.is_empty() { vec![all] } else { out.groups.clone() }
}

fn collective_result(out: &mut Explanation, what: &Collective, registers: &mut Registers<'_>) {
    let (mut a, mut wide) = (splat(0), splat(0));
    let (mut b, mut c, mut predicate) = (splat(0), splat(0), LaneMask::EMPTY);
    match *what {
        Collective::Shfl { mode, p, a: value, b: offset, c: clamp, .. } => {
            (b, c) = (registers.lane_numbers(offset), registers.lane_numbers(clamp));
            shuffle(out, mode, &b, &c);
            a = registers.lane_numbers(value);
            if p.is_none() {
                out.predicate = None;
            }
        }
        Collective::Vote { mode, a: votes, .. } => {
            predicate = registers.predicate(votes);
            out.rule.push(match mode {
                VoteMode::All => "True when the predicate is true in every participant.".into(),
                VoteMode::Any => "True when the predicate is true in some participant.".into(),
                VoteMode::Uni => "True when the predicate is the same in all participants.".into(),
            });
        }
        Collective::Ballot { a: votes, .. } => {
            predicate = registers.predicate(votes);
            out.rule.push("Bit i is lane i's predicate, 0 for lanes that take no part.".into());
        }
        Collective::MatchAny { a: value, .. } => {
            wide = registers.equal_groups(value);
            out.rule
                .push("A lane gets the mask of the participants that hold its own value.".into());
        }
        Collective::MatchAll { a: value, .. } => {
            wide = registers.equal_groups(value);
            out.rule.push(
                "The mask of all participants and true, if all hold one value; else 0 and false."
                    .into(),
            );
        }
        Collective::Redux { a: value, .. } => {
            a = registers.lane_numbers(value);
            out.rule.push("Every participant gets the reduction of the values of all.".into());
        }
        Collective::ReduxF32 { mode, a: value, .. } => {
            a = registers.floats(value);
            let ReduxF32 { abs, propagate_nan, .. } = mode;
            let first = if abs { "Absolute values first. " } else { "" };
            let nan = if propagate_nan { "Any NaN gives NaN." } else { "NaNs are left out." };
            out.rule.push(format!(
                "Every participant gets the smallest or largest value. {first}{nan}"
            ));
        }
        Collective::Elect { .. } => {
            out.rule.push(
                "One participant is chosen, here the lowest: all get its number, it alone gets true.".into(),
            );
        }
        Collective::MovMatrix { a: value, .. } => {
            a = registers.elements(value);
            transpose(out);
        }
        Collective::WarpSync => {
            out.rule.push("Nothing is exchanged: the participants wait for each other.".into());
            return;
        }
        Collective::Matrix(_) | Collective::Mma(_) => {
            out.rule
                .push("The elements of the matrices are spread over the lanes of the warp.".into());
            return;
        }
    }
    // Values of 32 bits and their extensions are equal alike.
    let narrow = matches!(
        what,
        Collective::MatchAny { wide: false, .. } | Collective::MatchAll { wide: false, .. }
    );
    if narrow {
        a = wide.map(|value| value as u32);
    }
    out.input = input(out, what, predicate, &a, &wide);
    let operands = Operands { a: &a, wide: &wide, b: &b, c: &c, predicate: predicate.0 };
    let (mut d, mut p) = (splat(0), LaneMask::EMPTY);
    let mut chosen = false;
    for group in parts(out) {
        let results = vm::evaluate(what.kind(), operands, group.participants());
        d = select(group.lanes, &results.d, &d);
        p |= LaneMask(results.p) & group.lanes;
        chosen |= !group.participants().is_empty();
        out.combined.extend(combined(what, group.participants(), &d));
    }
    match what {
        Collective::Vote { .. } => out.value = Some(Outcome::Predicate(p)),
        Collective::Elect { .. } => {
            out.value = chosen.then_some(Outcome::Number(d));
            out.predicate = Some(p);
        }
        Collective::MatchAll { p: result, .. } => {
            out.value = Some(Outcome::Number(d));
            out.predicate = result.map(|_| p);
        }
        Collective::Shfl { .. }
        | Collective::Ballot { .. }
        | Collective::MatchAny { .. }
        | Collective::Redux { .. }
        | Collective::ReduxF32 { .. }
        | Collective::MovMatrix { .. } => out.value = Some(Outcome::Number(d)),
        Collective::WarpSync | Collective::Matrix(_) | Collective::Mma(_) => {}
    }
}

/// What each lane brings, where several make a result.
fn input(
    out: &Explanation,
    what: &Collective,
    predicate: LaneMask,
    a: &Lanes<u32>,
    wide: &Lanes<u64>,
) -> Option<Input> {
    let number = |values, kind| Some(Input::Number { values: Box::new(values), kind });
    match what {
        Collective::Vote { .. } | Collective::Ballot { .. } => Some(Input::Predicate(predicate)),
        Collective::MatchAny { .. } | Collective::MatchAll { .. } => {
            number(*wide, NumberKind::Unsigned)
        }
        Collective::Redux { .. } => {
            let signed = out.instruction.contains(".s32");
            let kind = if signed { NumberKind::Signed } else { NumberKind::Unsigned };
            number(a.map(u64::from), kind)
        }
        Collective::ReduxF32 { .. } => number(a.map(u64::from), NumberKind::Float),
        Collective::Shfl { .. }
        | Collective::Elect { .. }
        | Collective::MovMatrix { .. }
        | Collective::WarpSync
        | Collective::Matrix(_)
        | Collective::Mma(_) => None,
    }
}

/// Whose inputs make the results of lanes that take part with each other.
fn combined(what: &Collective, participants: LaneMask, d: &Lanes<u32>) -> Vec<Combined> {
    match what {
        // The result is the mask of the lanes that hold the same.
        Collective::MatchAny { .. } => {
            let mut masks: Vec<LaneMask> =
                participants.iter().map(|lane| LaneMask(d[lane as usize])).collect();
            let mut known = LaneMask::EMPTY;
            masks.retain(|mask| {
                let is_new = (*mask & known).is_empty();
                known |= *mask;
                is_new
            });
            masks.into_iter().flat_map(|mask| made(mask, mask)).collect()
        }
        Collective::Vote { .. }
        | Collective::Ballot { .. }
        | Collective::MatchAll { .. }
        | Collective::Redux { .. }
        | Collective::ReduxF32 { .. }
        | Collective::Elect { .. } => made(participants, participants),
        Collective::Shfl { .. }
        | Collective::MovMatrix { .. }
        | Collective::WarpSync
        | Collective::Matrix(_)
        | Collective::Mma(_) => Vec::new(),
    }
}

/// One result, if there are lanes that it is made of.
fn made(from: LaneMask, to: LaneMask) -> Vec<Combined> {
    if from.is_empty() { Vec::new() } else { vec![Combined { from, to }] }
}

fn shuffle(out: &mut Explanation, mode: ShflMode, b: &Lanes<u32>, c: &Lanes<u32>) {
    let sources = shfl::source_lanes(mode, b, c);
    // The lane that an index of 0 names is the first of the segment.
    let firsts = shfl::source_lanes(ShflMode::Idx, &splat(0), c).lane;
    out.segments = Some(LaneMask::from_fn(|lane| firsts[lane] == lane as u32));
    let reads =
        |group: Group| shfl::undefined_reads(&sources.lane, group.participants(), group.lanes);
    let undefined = parts(out).into_iter().fold(LaneMask::EMPTY, |all, group| all | reads(group));
    out.undefined |= undefined;
    out.predicate = Some(sources.in_range);
    out.rule.push(match mode {
        ShflMode::Up => "j = lane - b; p = j >= maxLane.".into(),
        ShflMode::Down => "j = lane + b; p = j <= maxLane.".into(),
        ShflMode::Bfly => "j = lane ^ b; p = j <= maxLane.".into(),
        ShflMode::Idx => "j = minLane | (b & ~segmask); p = j <= maxLane.".into(),
    });
    out.rule
        .push("maxLane = (lane & segmask) | (clamp & ~segmask); minLane = lane & segmask.".into());
    out.rule
        .push("clamp is c[4:0], segmask is c[12:8]. Where p is false a lane reads itself.".into());
    let reading = undefined & out.participants;
    if !reading.is_empty() {
        out.notes.push(format!(
            "Lanes {} read a lane that takes no part: their result is undefined (W002).",
            reading.ranges()
        ));
    }
    let lower = LaneMask::from_fn(|lane| sources.lane[lane] < firsts[lane]) & out.executing;
    if mode == ShflMode::Bfly && !lower.is_empty() {
        out.notes.push(format!(
            "Lanes {} read a lower segment: a butterfly is tested against the upper bound only.",
            lower.ranges()
        ));
    }
    out.reads = vec![Read { part: "src", source: sources.lane, lost: undefined }];
}

/// Every element of a matrix gets a number of its own, so that the transpose says where each came from.
fn transpose(out: &mut Explanation) {
    let moved = movmatrix::movmatrix(&LANE_IDS.map(|lane| (2 * lane) | ((2 * lane + 1) << 16)));
    let from = |shift: u32| moved.map(|value| (value >> shift & 0xffff) / 2);
    let read = |part, source: Lanes<u32>| {
        let lost = shfl::undefined_reads(&source, out.participants, out.executing);
        Read { part, source, lost }
    };
    out.reads = vec![read("low", from(0)), read("high", from(16))];
    out.rule.push(
        "Lane i holds row i/4, columns 2*(i%4) and 2*(i%4)+1 of an 8x8 matrix of b16.".into(),
    );
    out.rule.push("The result is the transpose in the same layout.".into());
}

#[cfg(test)]
mod tests {
    use super::super::explain;
    use super::*;

    fn combined(instruction: &str, lanes: u32) -> Vec<(u32, u32)> {
        let explanation = explain(instruction, LaneMask(lanes), &[]).unwrap();
        explanation.combined.iter().map(|made| (made.from.0, made.to.0)).collect()
    }

    // Registers hold the lane's number divided by 4, so groups of four are equal (PTX ISA 9.1, match.sync).
    #[test]
    fn results_are_made_of_the_inputs_of_lanes() {
        assert_eq!(combined("match.any.sync.b32 d, a, 0xff", 0xff), [(0x0f, 0x0f), (0xf0, 0xf0)]);
        assert_eq!(combined("match.all.sync.b32 d|p, a, 0xff", 0xff), [(0xff, 0xff)]);
        // Lanes that are not in their membermask take no part.
        assert_eq!(combined("redux.sync.add.u32 d, a, 0x3c", 0xff), [(0x3c, 0x3c)]);
        assert_eq!(combined("activemask.b32 d", 0x99), [(0x99, 0x99)]);
        assert_eq!(combined("@p activemask.b32 d", 0x55), []);
        assert_eq!(combined("shfl.sync.up.b32 d, a, 1, 0, -1", 0xff), []);
    }
}
