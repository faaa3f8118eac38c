//! Who takes part in a warp instruction, what is read, and what results.

use super::module::Found;
use super::{Explanation, Outcome, Read};
use crate::error::{Error, Stage};
use diag::Class;
use ir::{Collective, Members, Op, Pred, Src};
use lanes::{LANE_IDS, LaneMask, Lanes, ShflMode, VoteMode, elect, matching, movmatrix};
use lanes::{ReduxF32, redux, select, shfl, splat, vote};

/// The lanes where a predicate register is taken to be true.
const ODD: LaneMask = LaneMask(0xaaaa_aaaa);

/// Values of registers, and what was assumed of them.
#[derive(Default)]
struct Registers {
    assumed: Vec<String>,
}

impl Registers {
    fn assume(&mut self, what: &str) {
        if !self.assumed.iter().any(|known| known == what) {
            self.assumed.push(what.to_owned());
        }
    }

    fn predicate(&mut self, pred: Pred) -> LaneMask {
        match pred {
            Pred::Const(true) => LaneMask::FULL,
            Pred::Const(false) => LaneMask::EMPTY,
            Pred::Is(_) | Pred::Not(_) => {
                self.assume("predicate registers are true in odd lanes");
                if matches!(pred, Pred::Is(_)) { ODD } else { !ODD }
            }
        }
    }

    /// A number of each lane; `sample` is what a register holds.
    fn number(&mut self, src: Src, sample: &Lanes<u32>, what: &str) -> Lanes<u64> {
        match src {
            Src::Imm(value) => splat(value),
            Src::Reg(_) => {
                self.assume(what);
                sample.map(u64::from)
            }
        }
    }

    fn lane_numbers(&mut self, src: Src) -> Lanes<u32> {
        self.number(src, &LANE_IDS, "registers hold the lane's number").map(|value| value as u32)
    }
}

pub(super) fn evaluate(found: &Found, given: LaneMask) -> Result<Explanation, Error> {
    let refuse = |message: String| Error::message(Stage::Module, Class::Unsupported, message);
    let insts = found.kernel.lowered.kernel.blocks.iter().flat_map(|block| &block.insts);
    let collective = insts.into_iter().find(|inst| inst.op.is_collective());
    let name = found.entry.entry.name;
    let Some(inst) = collective else {
        return Err(refuse(format!("`{name}` is no instruction in which lanes work together")));
    };
    let mut registers = Registers::default();
    let guard = inst.guard.map_or(LaneMask::FULL, |guard| registers.predicate(guard));
    let executing = given & guard;
    let mut out = Explanation {
        instruction: found.text.clone(),
        section: section(found),
        since: found.form.since,
        removed: found.form.removed,
        executing,
        members: None,
        participants: executing,
        reads: Vec::new(),
        segments: None,
        value: None,
        predicate: None,
        undefined: LaneMask::EMPTY,
        assumed: Vec::new(),
        rule: Vec::new(),
        notes: Vec::new(),
    };
    match &inst.op {
        Op::Collective { what, members, aligned } => {
            if let Members::Mask(mask) = members {
                let Src::Imm(mask) = mask else {
                    let message = "the membermask is a register; write it as a number".to_owned();
                    return Err(Error::message(Stage::Module, Class::BadInput, message));
                };
                membermask(&mut out, LaneMask(*mask as u32), *aligned);
            }
            collective_result(&mut out, what, &mut registers);
        }
        Op::ActiveMask { .. } => {
            out.value = Some(Outcome::Number(splat(executing.0)));
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

/// Who takes part under a membermask.
fn membermask(out: &mut Explanation, members: LaneMask, aligned: bool) {
    let executing = out.executing;
    out.participants = executing & members;
    if aligned {
        out.rule.push("Every lane of the warp must execute it together (`.aligned`).".into());
        if !executing.is_full() {
            out.undefined |= executing;
            out.notes.push("Not every lane executes it: the behaviour is undefined (W006).".into());
        }
        return;
    }
    out.members = Some(members);
    let strangers = executing - members;
    if !strangers.is_empty() {
        out.undefined |= strangers;
        out.notes.push(format!(
            "Lanes {} execute it and are not in their membermask: undefined (W001).",
            strangers.ranges()
        ));
    }
    let absent = members - executing;
    if !absent.is_empty() {
        out.notes.push(format!(
            "Lanes {} of the membermask do not execute it: the others wait for them, unless they have exited.",
            absent.ranges()
        ));
    }
}

fn collective_result(out: &mut Explanation, what: &Collective, registers: &mut Registers) {
    let participants = out.participants;
    match *what {
        Collective::Shfl { mode, p, a, b, c, .. } => {
            let (b, c) = (registers.lane_numbers(b), registers.lane_numbers(c));
            shuffle(out, mode, &b, &c);
            let read = &out.reads[0].source;
            let a = registers.lane_numbers(a);
            out.value = Some(Outcome::Number(shfl::permute(&a, read)));
            if p.is_none() {
                out.predicate = None;
            }
        }
        Collective::Vote { mode, a, .. } => {
            let votes = registers.predicate(a);
            let result = vote::vote(mode, votes, participants);
            out.value =
                Some(Outcome::Predicate(if result { LaneMask::FULL } else { LaneMask::EMPTY }));
            out.rule.push(match mode {
                VoteMode::All => "True when the predicate is true in every participant.".into(),
                VoteMode::Any => "True when the predicate is true in some participant.".into(),
                VoteMode::Uni => "True when the predicate is the same in all participants.".into(),
            });
        }
        Collective::Ballot { a, .. } => {
            let votes = registers.predicate(a);
            out.value = Some(Outcome::Number(splat(vote::ballot(votes, participants).0)));
            out.rule.push("Bit i is lane i's predicate, 0 for lanes that take no part.".into());
        }
        Collective::MatchAny { a, .. } => {
            let a = equal_groups(registers, a);
            out.value = Some(Outcome::Number(matching::match_any(&a, participants)));
            out.rule
                .push("A lane gets the mask of the participants that hold its own value.".into());
        }
        Collective::MatchAll { p, a, .. } => {
            let a = equal_groups(registers, a);
            let (mask, equal) = matching::match_all(&a, participants);
            out.value = Some(Outcome::Number(splat(mask.0)));
            out.predicate = p.map(|_| if equal { LaneMask::FULL } else { LaneMask::EMPTY });
            out.rule.push(
                "The mask of all participants and true, if all hold one value; else 0 and false."
                    .into(),
            );
        }
        Collective::Redux { op, a, .. } => {
            let a = registers.lane_numbers(a);
            out.value = Some(Outcome::Number(splat(redux::redux(op, &a, participants))));
            out.rule.push("Every participant gets the reduction of the values of all.".into());
        }
        Collective::ReduxF32 { mode, a, .. } => {
            let sample = LANE_IDS.map(|lane| (lane as f32).to_bits());
            let a = registers.number(a, &sample, "registers hold the lane's number as a binary32");
            let a = a.map(|value| value as u32);
            out.value = Some(Outcome::Number(splat(redux::redux_f32(mode, &a, participants))));
            let ReduxF32 { abs, propagate_nan, .. } = mode;
            let first = if abs { "Absolute values first. " } else { "" };
            let nan = if propagate_nan { "Any NaN gives NaN." } else { "NaNs are left out." };
            out.rule.push(format!(
                "Every participant gets the smallest or largest value. {first}{nan}"
            ));
        }
        Collective::Elect { .. } => {
            let members = out.members.unwrap_or(participants);
            let chosen = elect::elect(members, members - participants);
            out.value = chosen.map(|lane| Outcome::Number(splat(lane)));
            out.predicate = Some(chosen.map_or(LaneMask::EMPTY, LaneMask::single));
            out.rule.push(
                "One participant is chosen, here the lowest: all get its number, it alone gets true.".into(),
            );
        }
        Collective::MovMatrix { .. } => transpose(out),
        Collective::WarpSync => {
            out.rule.push("Nothing is exchanged: the participants wait for each other.".into());
        }
        Collective::Matrix(_) => {
            out.rule
                .push("The elements of the matrices are spread over the lanes of the warp.".into());
        }
    }
}

/// Values that are equal in groups of four lanes, so that there is something to find.
fn equal_groups(registers: &mut Registers, a: Src) -> Lanes<u64> {
    let sample = LANE_IDS.map(|lane| lane / 4);
    registers.number(a, &sample, "registers hold the lane's number divided by 4")
}

fn shuffle(out: &mut Explanation, mode: ShflMode, b: &Lanes<u32>, c: &Lanes<u32>) {
    let sources = shfl::source_lanes(mode, b, c);
    // The lane that an index of 0 names is the first of the segment.
    let firsts = shfl::source_lanes(ShflMode::Idx, &splat(0), c).lane;
    out.segments = Some(LaneMask::from_fn(|lane| firsts[lane] == lane as u32));
    let undefined = shfl::undefined_reads(&sources.lane, out.participants, out.executing);
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
    out.reads = vec![Read { part: "src", source: sources.lane }];
}

/// Every element of the matrix gets a number of its own, so that the transpose says where each came from.
fn transpose(out: &mut Explanation) {
    let elements = LANE_IDS.map(|lane| (2 * lane) | ((2 * lane + 1) << 16));
    let moved = movmatrix::movmatrix(&elements);
    let low = moved.map(|value| (value & 0xffff) / 2);
    let high = moved.map(|value| (value >> 16) / 2);
    out.reads = vec![Read { part: "low", source: low }, Read { part: "high", source: high }];
    out.value = Some(Outcome::Number(select(out.executing, &moved, &splat(0))));
    out.assumed.push(
        "the elements of the matrix are numbered 0 to 63, two a lane, the low half first"
            .to_owned(),
    );
    out.rule.push(
        "Lane i holds row i/4, columns 2*(i%4) and 2*(i%4)+1 of an 8x8 matrix of b16.".into(),
    );
    out.rule.push("The result is the transpose in the same layout.".into());
}
