//! Collectives and barriers of CTAs: who waits for whom, and what they get.

use super::cluster::{Barrier, Cluster};
use super::thread::State;
use ir::{BarrierAction, BarrierReduction, Collective, CollectiveKind, Members, Op, Pred, Src};
use lanes::{LaneMask, Lanes, WARP, elect, matching, movmatrix, redux, shfl, vote};

/// What a lane gets from one that does not take part: nobody must use it.
const UNDEFINED: u32 = 0xdead_beef;

/// What a collective gives to all lanes of the warp.
#[derive(Clone, Copy)]
struct Given {
    d: Lanes<u32>,
    p: LaneMask,
}

impl Cluster<'_> {
    /// Completes the collectives of a warp at which all members have arrived; whether there was one.
    pub(super) fn meet(&mut self, warp: usize) -> Result<bool, String> {
        let mut waiting: Vec<(CollectiveKind, u32)> = Vec::new();
        for (_, thread) in self.warp(warp) {
            if let State::Meets(kind, members) = thread.state
                && !waiting.contains(&(kind, members))
            {
                waiting.push((kind, members));
            }
        }
        let mut any = false;
        for (kind, members) in waiting {
            let here = State::Meets(kind, members);
            let arrived = self.warp(warp).filter(|(_, thread)| thread.state == here);
            let arrived = LaneMask(arrived.map(|(lane, _)| 1 << lane).sum());
            if !(arrived - LaneMask(members)).is_empty() {
                return Err(format!(
                    "lanes {arrived:?} are not all among the members {members:#x}"
                ));
            }
            if (LaneMask(members) & self.live(warp)) == arrived {
                self.fire(warp, kind, arrived)?;
                any = true;
            }
        }
        Ok(any)
    }

    /// The collective at which a lane waits.
    fn collective(&self, warp: usize, lane: usize) -> Option<Collective> {
        let thread = self.threads.get(warp * WARP + lane)?;
        let inst = self.case.kernel.blocks.get(thread.block)?.insts.get(thread.at)?;
        if let Op::Collective { what, .. } = &inst.op { Some(what.clone()) } else { None }
    }

    fn fire(&mut self, warp: usize, kind: CollectiveKind, arrived: LaneMask) -> Result<(), String> {
        let (mut a, mut b, mut c) = ([0_u64; WARP], [0_u32; WARP], [0_u32; WARP]);
        let mut votes = 0;
        for lane in arrived.iter().map(|lane| lane as usize) {
            let (Some(what), Some(thread)) =
                (self.collective(warp, lane), self.threads.get(warp * WARP + lane))
            else {
                return Err("a thread waits at no collective".into());
            };
            let word = |src: Src| thread.src(src) as u32;
            let mut offer = |src: Src, wide: bool| {
                a[lane] = if wide { thread.src(src) } else { u64::from(word(src)) };
            };
            let mut says = |pred: Pred| votes |= u32::from(thread.pred(pred)) << lane;
            match what {
                Collective::Shfl { a, b: index, c: clamp, .. } => {
                    offer(a, false);
                    (b[lane], c[lane]) = (word(index), word(clamp));
                }
                Collective::Vote { a, .. } | Collective::Ballot { a, .. } => says(a),
                Collective::MatchAny { a, wide, .. } | Collective::MatchAll { a, wide, .. } => {
                    offer(a, wide);
                }
                Collective::Redux { a, .. }
                | Collective::ReduxF32 { a, .. }
                | Collective::MovMatrix { a, .. } => offer(a, false),
                Collective::Elect { .. } | Collective::WarpSync | Collective::Matrix(_) => {}
                Collective::Mma(_) => return Err("the reference multiplies no matrices".into()),
            }
        }
        let given = give(kind, &a, &b, &c, LaneMask(votes), arrived);
        for lane in arrived.iter().map(|lane| lane as usize) {
            let (d, p) = match self.collective(warp, lane) {
                Some(Collective::Shfl { d, p, .. }) => (Some(d), p),
                Some(Collective::Vote { d, .. }) => (None, Some(d)),
                Some(
                    Collective::Ballot { d, .. }
                    | Collective::MatchAny { d, .. }
                    | Collective::Redux { d, .. }
                    | Collective::ReduxF32 { d, .. }
                    | Collective::MovMatrix { d, .. },
                ) => (Some(d), None),
                Some(Collective::MatchAll { d, p, .. }) => (d, p),
                Some(Collective::Elect { d, p }) => (d, Some(p)),
                Some(Collective::WarpSync | Collective::Matrix(_) | Collective::Mma(_)) | None => {
                    (None, None)
                }
            };
            let number = warp * WARP + lane;
            if let Some(d) = d {
                self.write(number, d, u64::from(given.d[lane]));
            }
            if let Some(p) = p {
                self.write(number, p, u64::from(given.p.0 >> lane & 1));
            }
            if let Some(thread) = self.threads.get_mut(number) {
                thread.go_on();
            }
        }
        Ok(())
    }

    /// A thread arrives at a barrier.
    pub(super) fn arrive(
        &mut self,
        number: usize,
        action: BarrierAction,
        id: usize,
        expected: Option<usize>,
    ) -> Result<(), String> {
        let (rank, _) = self.of_cta(number);
        let barriers = self.ctas.get_mut(rank).map(|cta| &mut cta.barriers);
        let (Some(thread), Some(barrier)) =
            (self.threads.get_mut(number), barriers.and_then(|barriers| barriers.get_mut(id)))
        else {
            return Err(format!("there is no barrier {id}"));
        };
        barrier.arrived += 1;
        barrier.expected = expected;
        match action {
            BarrierAction::Sync => thread.state = State::Waits(id),
            BarrierAction::Arrive => thread.go_on(),
            BarrierAction::Reduce { p, .. } => {
                barrier.trues += usize::from(thread.pred(p));
                thread.state = State::Waits(id);
            }
        }
        Ok(())
    }

    /// Lets the threads go that wait at a barrier of a CTA at which all have arrived; whether it was so.
    pub(super) fn complete(&mut self, rank: usize, id: usize) -> bool {
        let threads = self.threads_of(rank);
        let live = threads.clone().filter(|number| self.lives(*number)).count();
        let Some(cta) = self.ctas.get_mut(rank) else { return false };
        let Some(barrier) = cta.barriers.get_mut(id) else { return false };
        if barrier.arrived == 0 || barrier.arrived < barrier.expected.unwrap_or(live) {
            return false;
        }
        let Barrier { arrived, trues, .. } = std::mem::take(barrier);
        let waiting: Vec<usize> = threads
            .filter(|number| self.threads.get(*number).is_some_and(|t| t.state == State::Waits(id)))
            .collect();
        for number in waiting {
            let Some(thread) = self.threads.get_mut(number) else { continue };
            let inst = self.case.kernel.blocks.get(thread.block);
            let inst = inst.and_then(|block| block.insts.get(thread.at));
            thread.go_on();
            if let Some(Op::Barrier { action: BarrierAction::Reduce { op, d, .. }, .. }) =
                inst.map(|inst| &inst.op)
            {
                let value = match op {
                    BarrierReduction::Popc => trues as u64,
                    BarrierReduction::And => u64::from(trues == arrived),
                    BarrierReduction::Or => u64::from(trues != 0),
                };
                self.write(number, *d, value);
            }
        }
        true
    }
}

/// The members that a thread waits for.
pub(super) fn members(members: &Members, value: impl FnOnce(Src) -> u64) -> Result<u32, String> {
    match members {
        Members::Mask(mask) => Ok(value(*mask) as u32),
        Members::Active => Err("who is active is the schedule's choice".into()),
    }
}

fn give(
    kind: CollectiveKind,
    a: &Lanes<u64>,
    b: &Lanes<u32>,
    c: &Lanes<u32>,
    votes: LaneMask,
    arrived: LaneMask,
) -> Given {
    let words: Lanes<u32> = a.map(|value| value as u32);
    let all = |value: u32| Given { d: [value; WARP], p: LaneMask::EMPTY };
    let truth = |value: bool| Given {
        d: [0; WARP],
        p: if value { LaneMask::FULL } else { LaneMask::EMPTY },
    };
    match kind {
        CollectiveKind::Shfl(mode) => {
            let sources = shfl::source_lanes(mode, b, c);
            let there = |lane: u32| arrived.0 >> lane & 1 != 0;
            let value =
                |lane: u32| if there(lane) { words[lane as usize % WARP] } else { UNDEFINED };
            Given { d: sources.lane.map(value), p: sources.in_range }
        }
        CollectiveKind::Vote(mode) => truth(vote::vote(mode, votes, arrived)),
        CollectiveKind::Ballot => all(vote::ballot(votes, arrived).0),
        CollectiveKind::MatchAny { wide: true } => {
            Given { d: matching::match_any(a, arrived), p: LaneMask::EMPTY }
        }
        CollectiveKind::MatchAny { wide: false } => {
            Given { d: matching::match_any(&words, arrived), p: LaneMask::EMPTY }
        }
        CollectiveKind::MatchAll { wide } => {
            let (mask, equal) = match wide {
                true => matching::match_all(a, arrived),
                false => matching::match_all(&words, arrived),
            };
            Given { d: [mask.0; WARP], p: truth(equal).p }
        }
        CollectiveKind::Redux(op) => all(redux::redux(op, &words, arrived)),
        CollectiveKind::ReduxF32(mode) => all(redux::redux_f32(mode, &words, arrived)),
        CollectiveKind::Elect => {
            let leader = elect::elect(arrived, LaneMask::EMPTY).unwrap_or(0);
            Given { d: [leader; WARP], p: LaneMask::single(leader) }
        }
        CollectiveKind::MovMatrix => Given { d: movmatrix::movmatrix(&words), p: LaneMask::EMPTY },
        CollectiveKind::WarpSync | CollectiveKind::Matrix(_) => truth(false),
    }
}
