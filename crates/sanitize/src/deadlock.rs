//! W003, W004, W007, B001: why no lane can make progress.
//!
//! The VM's deadlock fault lists where each group of lanes waits or spins in an endless loop. From that follow which lanes each group waits
//! for and why they cannot arrive.

use crate::detail::{Blocked, Deadlock, Meeting, WarpLanes, Why};
use crate::finding::Finding;
use ir::{CollectiveKind, Inst, Kernel, Op, Place};
use lanes::LaneMask;
use vm::{Fault, Waiting, WaitingFor};

/// The waiting instruction of a place.
fn inst_at(kernel: &Kernel, place: Place) -> Option<&Inst> {
    let all = kernel.blocks.iter().flat_map(|block| &block.insts);
    all.into_iter().find(|inst| inst.place == place && inst.op.may_wait())
}

/// What lanes wait at.
fn meeting(kernel: &Kernel, place: Place) -> Meeting {
    match inst_at(kernel, place).map(|inst| &inst.op) {
        Some(Op::Collective { what, .. }) => Meeting::Collective(what.kind()),
        Some(Op::Barrier { .. }) => Meeting::Barrier,
        Some(Op::ClusterBarrier { .. }) => Meeting::ClusterBarrier,
        _ => Meeting::Loop,
    }
}

/// Whether lanes wait for each other only, and exchange nothing.
fn is_warp_barrier(kernel: &Kernel, place: Place) -> bool {
    meeting(kernel, place) == Meeting::Collective(CollectiveKind::WarpSync)
}

/// Whether two collectives are of the same kind.
fn same_kind(kernel: &Kernel, one: Place, other: Place) -> bool {
    let kind = |place| match meeting(kernel, place) {
        Meeting::Collective(kind) => Some(kind),
        Meeting::Barrier | Meeting::ClusterBarrier | Meeting::Loop => None,
    };
    one == other || kind(one) == kind(other)
}

/// A deadlock as a finding. `silent` says whether others could have written what loops wait for, and have not.
pub(crate) fn explain(
    kernel: &Kernel,
    fault: &Fault,
    waiting: &[Waiting],
    silent: bool,
) -> Finding {
    let (why, first, other) = cause(kernel, waiting);
    let why = if silent && why == Why::Loop { Why::Silence } else { why };
    let blocked = |group: &Waiting| Blocked { waiting: *group, at: meeting(kernel, group.place) };
    let detail = |waiting: &[Waiting]| Deadlock {
        why,
        first: first.map(blocked),
        other: other.map(blocked),
        waiting: waiting.to_vec(),
    };
    let Some(group) = first else {
        return Finding::new(fault.place, fault.thread, detail(&[]));
    };
    let of_group = |other: &&Waiting| (other.cta, other.warp) == (group.cta, group.warp);
    let of_warp = waiting.iter().filter(of_group);
    let live = of_warp.fold(LaneMask::EMPTY, |all, group| all | group.lanes);
    let lanes = WarpLanes::new(live, group.existing);
    let lanes = match group.waiting_for {
        WaitingFor::Lanes(mask) => {
            WarpLanes { outside: live - mask, wrong: (mask & live) - group.lanes, ..lanes }
        }
        WaitingFor::Barrier { .. } | WaitingFor::Cluster { .. } | WaitingFor::EndlessLoop => lanes,
    };
    let mut thread = fault.thread;
    if let (true, Some(lane)) = (thread.warp == group.warp, group.lanes.lowest()) {
        let shift = lane.wrapping_sub(thread.lane);
        // Coordinates of another lane are known only in blocks of one dimension.
        if thread.thread[1] == 0 && thread.thread[2] == 0 {
            thread.thread[0] = thread.thread[0].wrapping_add(shift);
            thread.lane = lane;
        }
    }
    Finding::new(group.place, thread, detail(waiting))
        .lanes(WarpLanes { taking_part: group.lanes, ..lanes })
}

/// The cause of a deadlock, the group of lanes to report, and the group that it waits for.
fn cause<'w>(
    kernel: &Kernel,
    waiting: &'w [Waiting],
) -> (Why, Option<&'w Waiting>, Option<&'w Waiting>) {
    if let Some(group) = waiting.iter().find(|group| spins(group)) {
        return endless(waiting, group);
    }
    let in_warp = |of: &Waiting| {
        let warp = (of.cta, of.warp);
        waiting.iter().filter(move |group| (group.cta, group.warp) == warp)
    };
    let collectives = || {
        waiting.iter().filter_map(|group| match group.waiting_for {
            WaitingFor::Lanes(mask) => Some((group, mask)),
            WaitingFor::Barrier { .. } | WaitingFor::Cluster { .. } | WaitingFor::EndlessLoop => {
                None
            }
        })
    };
    // Lanes that wait for lanes at another collective come first, then those that wait for lanes at a barrier.
    let blocked = collectives().flat_map(|(group, mask)| {
        let missing = mask - group.lanes;
        in_warp(group).filter_map(move |there| match there.waiting_for {
            WaitingFor::Lanes(theirs) if there.lanes.intersects(missing) => {
                Some((group, mask, there, theirs))
            }
            WaitingFor::Lanes(_)
            | WaitingFor::Barrier { .. }
            | WaitingFor::Cluster { .. }
            | WaitingFor::EndlessLoop => None,
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
        let why = match (same, theirs.intersects(group.lanes)) {
            (true, _) if theirs != mask => Why::OtherMembermask,
            (false, true) => Why::ForEachOther,
            _ => Why::AtCollective,
        };
        return (why, Some(group), Some(there));
    }
    let at_barrier = collectives().find_map(|(group, mask)| {
        let missing = mask - group.lanes;
        let there = in_warp(group).find(|other| other.lanes.intersects(missing))?;
        Some((group, there))
    });
    if let Some((group, there)) = at_barrier {
        return (Why::AtBarrier, Some(group), Some(there));
    }
    // Everybody waits at barriers.
    let Some(group) = waiting.iter().find(|group| barrier(group).is_some()) else {
        return (Why::Nobody, None, None);
    };
    let other = waiting.iter().find(|other| barrier(other) != barrier(group));
    (Why::TooFewThreads, Some(group), other)
}

/// Lanes go round loops for ever, and the others, if there are any, wait at meetings.
fn endless<'w>(
    waiting: &'w [Waiting],
    first: &'w Waiting,
) -> (Why, Option<&'w Waiting>, Option<&'w Waiting>) {
    // The report is about the lanes that wait, rather than those waited for.
    let blocked = waiting.iter().find_map(|group| {
        let other = |other: &&Waiting| {
            let same = (other.cta, other.warp) == (group.cta, group.warp);
            spins(other)
                && match group.waiting_for {
                    WaitingFor::Lanes(mask) => same && other.lanes.intersects(mask),
                    WaitingFor::Barrier { .. } => other.cta == group.cta,
                    WaitingFor::Cluster { .. } => true,
                    WaitingFor::EndlessLoop => false,
                }
        };
        Some((group, waiting.iter().find(other)?))
    });
    let (group, other) = match blocked {
        Some((group, other)) => (group, Some(other)),
        None => (first, waiting.iter().find(|other| other.place != first.place)),
    };
    (Why::Loop, Some(group), other)
}

/// Whether the lanes go round a loop for ever.
fn spins(group: &Waiting) -> bool {
    group.waiting_for == WaitingFor::EndlessLoop
}

/// The barrier at which the lanes wait: the CTA's of a number, or that of the cluster.
fn barrier(group: &Waiting) -> Option<Option<u32>> {
    match group.waiting_for {
        WaitingFor::Barrier { id, .. } => Some(Some(id)),
        WaitingFor::Cluster { .. } => Some(None),
        WaitingFor::Lanes(_) | WaitingFor::EndlessLoop => None,
    }
}
