//! W003, W004, W007, B001: why nobody can go on.
//!
//! A run that stops in a deadlock says who waits where. Who waits for whom, and why that can never be, follows from it.

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
    let in_warp = |warp: u32| waiting.iter().filter(move |group| group.warp == warp);
    let collectives = || {
        waiting.iter().filter_map(|group| match group.waiting_for {
            WaitingFor::Lanes(mask) => Some((group, mask)),
            WaitingFor::Barrier { .. } => None,
        })
    };
    // Whoever waits for lanes that wait at another collective comes first, then who waits for lanes at a barrier.
    let mut blocked = collectives().filter_map(|(group, mask)| {
        let missing = mask - group.lanes;
        let there = in_warp(group.warp).find(|other| {
            other.lanes.intersects(missing) && matches!(other.waiting_for, WaitingFor::Lanes(_))
        })?;
        Some((group, mask, there))
    });
    // Where lanes exchange values is what the report is about, rather than where they only wait.
    let exchanges = blocked.clone().find(|(group, ..)| !is_warp_barrier(kernel, group.place));
    let blocked = exchanges.or_else(|| blocked.next());
    if let Some((group, mask, there)) = blocked {
        let same = same_kind(kernel, group.place, there.place);
        let WaitingFor::Lanes(theirs) = there.waiting_for else { return plain(fault, waiting) };
        let mutual = theirs.intersects(group.lanes);
        let (code, why) = match (same, mutual) {
            (true, _) if theirs != mask => (
                Code::W003,
                format!("give the membermask {mask}, and {} {theirs}", named(there.lanes)),
            ),
            (false, true) => {
                let (here, elsewhere) = (name(kernel, group.place), name(kernel, there.place));
                let elsewhere =
                    if here == elsewhere { "one with other qualifiers" } else { elsewhere };
                let lanes = named(there.lanes);
                let why = format!("wait at {here} for {lanes}, which wait at {elsewhere} for them");
                (Code::W004, why)
            }
            _ => (
                Code::W007,
                format!(
                    "wait at {} for {}, which wait at {} themselves",
                    name(kernel, group.place),
                    named(mask & there.lanes),
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
            "warp {}: {} wait at {} for {}, which wait at a CTA barrier",
            group.warp,
            named(group.lanes),
            name(kernel, group.place),
            named(missing & there.lanes),
        );
        return finding(Code::W007, message, fault, waiting, group, Some(there));
    }
    plain(fault, waiting)
}

/// Everybody waits at barriers.
fn plain(fault: &Fault, waiting: &[Waiting]) -> Finding {
    let barrier = waiting.iter().find_map(|group| match group.waiting_for {
        WaitingFor::Barrier { id, arrived, expected } => Some((group, id, arrived, expected)),
        WaitingFor::Lanes(_) => None,
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

trait AtBarrier {
    fn waiting_for_barrier(&self) -> Option<u32>;
}

impl AtBarrier for Waiting {
    /// The barrier at which the lanes wait.
    fn waiting_for_barrier(&self) -> Option<u32> {
        match self.waiting_for {
            WaitingFor::Barrier { id, .. } => Some(id),
            WaitingFor::Lanes(_) => None,
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
    let of_warp = waiting.iter().filter(|other| other.warp == group.warp);
    let live = of_warp.fold(LaneMask::EMPTY, |all, group| all | group.lanes);
    let mut strip = Strip::new(live, "waits here", "is waited for and waits elsewhere");
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
    let mut found = Finding::new(code, group.place, thread, message)
        .label(format!("{} of warp {} wait here", named(group.lanes), group.warp))
        .strip(strip);
    if let Some(other) = other.filter(|other| other.place != group.place) {
        let text = format!("{} of warp {} wait here", named(other.lanes), other.warp);
        found = found.related(other.place, text);
    }
    found.waiting = waiting.to_vec();
    found
}
