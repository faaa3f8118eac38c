//! W003, W004, W007, B001: why nobody can go on.
//!
//! A run that stops in a deadlock says who waits where, or goes round a loop that never ends. Who waits for whom, and why that can never be, follows from it.

use crate::code::Code;
use crate::definedness::matters::named;
use crate::finding::Finding;
use crate::meeting;
use crate::strip::{Cell, Strip};
use ir::{Collective, Inst, Kernel, Op, Place};
use lanes::LaneMask;
use vm::{Fault, Waiting, WaitingFor};

/// The waiting instruction of a place.
fn inst_at(kernel: &Kernel, place: Place) -> Option<&Inst> {
    let all = kernel.blocks.iter().flat_map(|block| &block.insts);
    all.into_iter().find(|inst| inst.place == place && inst.op.may_wait())
}

fn name(kernel: &Kernel, place: Place) -> &'static str {
    match inst_at(kernel, place).map(|inst| &inst.op) {
        Some(Op::Collective { what, .. }) => meeting::name(what),
        Some(Op::Barrier { .. }) => "a CTA barrier",
        _ => "an instruction",
    }
}

/// Whether lanes wait for each other only, and exchange nothing.
fn is_warp_barrier(kernel: &Kernel, place: Place) -> bool {
    let what = inst_at(kernel, place).map(|inst| &inst.op);
    matches!(what, Some(Op::Collective { what: Collective::WarpSync, .. }))
}

/// Whether two collectives are of the same kind.
fn same_kind(kernel: &Kernel, one: Place, other: Place) -> bool {
    let kind = |place| match inst_at(kernel, place).map(|inst| &inst.op) {
        Some(Op::Collective { what, .. }) => Some(what.kind()),
        _ => None,
    };
    one == other || kind(one) == kind(other)
}

/// A deadlock as a finding.
pub(crate) fn explain(kernel: &Kernel, fault: &Fault, waiting: &[Waiting]) -> Finding {
    if let Some(group) = waiting.iter().find(|group| group.goes_round()) {
        return endless(kernel, fault, waiting, group);
    }
    let in_warp = |warp: u32| waiting.iter().filter(move |group| group.warp == warp);
    let collectives = || {
        waiting.iter().filter_map(|group| match group.waiting_for {
            WaitingFor::Lanes(mask) => Some((group, mask)),
            WaitingFor::Barrier { .. } | WaitingFor::Change => None,
        })
    };
    // Whoever waits for lanes that wait at another collective comes first, then who waits for lanes at a barrier.
    let blocked = collectives().flat_map(|(group, mask)| {
        let missing = mask - group.lanes;
        in_warp(group.warp).filter_map(move |there| match there.waiting_for {
            WaitingFor::Lanes(theirs) if there.lanes.intersects(missing) => {
                Some((group, mask, there, theirs))
            }
            _ => None,
        })
    });
    // Where lanes exchange values is what the report is about, rather than where they only wait; and what can never fit,
    // rather than those who would meet if nobody else were missing.
    let blocked = blocked.min_by_key(|(group, mask, there, theirs)| {
        let same = same_kind(kernel, group.place, there.place);
        (is_warp_barrier(kernel, group.place), same && mask == theirs)
    });
    if let Some((group, mask, there, theirs)) = blocked {
        let same = same_kind(kernel, group.place, there.place);
        let mutual = theirs.intersects(group.lanes);
        let (code, why) = match (same, mutual) {
            (true, _) if theirs != mask => (
                Code::W003,
                format!(
                    "give{} the membermask {mask}, and {} {theirs}",
                    third(group, "s"),
                    named(there.lanes)
                ),
            ),
            (false, true) => {
                let (here, elsewhere) = (name(kernel, group.place), name(kernel, there.place));
                let elsewhere =
                    if here == elsewhere { "one with other qualifiers" } else { elsewhere };
                let lanes = named(there.lanes);
                let (one, other) = (third(group, "s"), third(there, "s"));
                let why = format!(
                    "wait{one} at {here} for {lanes}, which wait{other} at {elsewhere} for them"
                );
                (Code::W004, why)
            }
            _ => (
                Code::W007,
                format!(
                    "wait{} at {} for {}, which wait{} at {} themselves",
                    third(group, "s"),
                    name(kernel, group.place),
                    named(mask & there.lanes),
                    third(there, "s"),
                    name(kernel, there.place)
                ),
            ),
        };
        let message = format!("warp {}: {} {why}", group.warp, named(group.lanes));
        return finding(code, message, fault, waiting, group, Some(there));
    }
    let at_barrier = collectives().find_map(|(group, mask)| {
        let missing = mask - group.lanes;
        let there = in_warp(group.warp).find(|other| other.lanes.intersects(missing))?;
        Some((group, missing, there))
    });
    if let Some((group, missing, there)) = at_barrier {
        let message = format!(
            "warp {}: {} wait{} at {} for {}, which wait{} at a CTA barrier",
            group.warp,
            named(group.lanes),
            third(group, "s"),
            name(kernel, group.place),
            named(missing & there.lanes),
            third(there, "s"),
        );
        return finding(Code::W007, message, fault, waiting, group, Some(there));
    }
    plain(fault, waiting)
}

/// Everybody waits at barriers.
fn plain(fault: &Fault, waiting: &[Waiting]) -> Finding {
    let barrier = waiting.iter().find_map(|group| match group.waiting_for {
        WaitingFor::Barrier { id, arrived, expected } => Some((group, id, arrived, expected)),
        WaitingFor::Lanes(_) | WaitingFor::Change => None,
    });
    let Some((group, id, arrived, expected)) = barrier else {
        return Finding::new(Code::W007, fault.place, fault.thread, "no lane can go on");
    };
    let other = waiting.iter().find(|other| other.waiting_for_barrier() != Some(id));
    let elsewhere = match other.and_then(|other| other.waiting_for_barrier()) {
        Some(theirs) => format!(", and the others wait at barrier {theirs}"),
        None => ", and nobody is left to come".to_owned(),
    };
    let message = format!("{arrived} of {expected} threads have reached barrier {id}{elsewhere}");
    finding(Code::B001, message, fault, waiting, group, other)
}

/// Lanes go round loops for ever, and the others, if there are any, wait at meetings.
fn endless(kernel: &Kernel, fault: &Fault, waiting: &[Waiting], first: &Waiting) -> Finding {
    // Whoever waits is what the report is about, rather than who is waited for.
    let blocked = waiting.iter().find_map(|group| {
        let other = |other: &&Waiting| {
            let same = (other.cta, other.warp) == (group.cta, group.warp);
            other.goes_round()
                && match group.waiting_for {
                    WaitingFor::Lanes(mask) => same && other.lanes.intersects(mask),
                    WaitingFor::Barrier { .. } => other.cta == group.cta,
                    WaitingFor::Change => false,
                }
        };
        Some((group, waiting.iter().find(other)?))
    });
    let round = "a loop in which nothing changes any more";
    let (group, other, message) = match blocked {
        Some((group, other)) => {
            let who = named(other.lanes);
            let elsewhere = match other.warp == group.warp {
                true => who,
                false => format!("{who} of warp {}", other.warp),
            };
            let message = format!(
                "warp {}: {} wait{} at {} while {elsewhere} go{} round {round}",
                group.warp,
                named(group.lanes),
                third(group, "s"),
                name(kernel, group.place),
                third(other, "es"),
            );
            (group, Some(other), message)
        }
        None => {
            let (who, ending) = (named(first.lanes), third(first, "es"));
            let message = format!("warp {}: {who} go{ending} round {round}", first.warp);
            let other = waiting.iter().find(|other| other.place != first.place);
            (first, other, message)
        }
    };
    let fact = "memory stays as it is, as all others have exited, wait or go round such loops, too";
    finding(Code::W007, message, fault, waiting, group, other)
        .fact(fact)
        .help("let somebody who still can write what the loop waits for: not who waits for it himself, nor who has passed by")
}

trait Waits {
    fn waiting_for_barrier(&self) -> Option<u32>;
    fn goes_round(&self) -> bool;
}

impl Waits for Waiting {
    /// Whether the lanes go round a loop for ever.
    fn goes_round(&self) -> bool {
        self.waiting_for == WaitingFor::Change
    }

    /// The barrier at which the lanes wait.
    fn waiting_for_barrier(&self) -> Option<u32> {
        match self.waiting_for {
            WaitingFor::Barrier { id, .. } => Some(id),
            WaitingFor::Lanes(_) | WaitingFor::Change => None,
        }
    }
}

fn finding(
    code: Code,
    message: String,
    fault: &Fault,
    waiting: &[Waiting],
    group: &Waiting,
    other: Option<&Waiting>,
) -> Finding {
    let of_group = |other: &&Waiting| (other.cta, other.warp) == (group.cta, group.warp);
    let of_warp = waiting.iter().filter(of_group);
    let live = of_warp.fold(LaneMask::EMPTY, |all, group| all | group.lanes);
    let (here, others) = match group.goes_round() {
        true => ("goes round", "waits elsewhere"),
        false => ("waits here", "is waited for and waits elsewhere"),
    };
    let mut strip = Strip::new((live, group.existing), here, others);
    if let WaitingFor::Lanes(mask) = group.waiting_for {
        strip = strip.mark(live - mask, Cell::Outside).mark(mask & live, Cell::Wrong);
    }
    let strip = strip.mark(group.lanes, Cell::Arrived);
    let mut thread = fault.thread;
    if let (true, Some(lane)) = (thread.warp == group.warp, group.lanes.lowest()) {
        let shift = lane.wrapping_sub(thread.lane);
        // Coordinates of another lane are known only in blocks of one dimension.
        if thread.thread[1] == 0 && thread.thread[2] == 0 {
            thread.thread[0] = thread.thread[0].wrapping_add(shift);
            thread.lane = lane;
        }
    }
    let mut found =
        Finding::new(code, group.place, thread, message).label(does(group)).strip(strip);
    if let Some(other) = other.filter(|other| other.place != group.place) {
        found = found.related(other.place, does(other));
    }
    found.waiting = waiting.to_vec();
    found
}

/// The ending of a verb of which these lanes are the subject.
fn third(group: &Waiting, ending: &'static str) -> &'static str {
    if group.lanes.count() == 1 { ending } else { "" }
}

/// Who does what at a place.
fn does(group: &Waiting) -> String {
    let what = match group.waiting_for {
        WaitingFor::Lanes(_) | WaitingFor::Barrier { .. } => {
            format!("wait{} here", third(group, "s"))
        }
        WaitingFor::Change => format!("go{} round here", third(group, "es")),
    };
    format!("{} of warp {} {what}", named(group.lanes), group.warp)
}
