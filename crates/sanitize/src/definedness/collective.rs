//! Collectives and barriers: undefined values that travel between lanes, and those that begin there.

use super::{Scene, reg_of};
use crate::code::Code;
use crate::detail::{Born, SourceAbsent, Use, WarpLanes};
use crate::finding::Finding;
use crate::meeting;
use crate::shadow::{Kind, Origin, transfer};
use ir::{BarrierAction, Collective, Inst, Members, Op, Operand, Pred, Reg, Src};
use lanes::{LaneMask, Lanes, ReduxOp, VoteMode, WARP, movmatrix, shfl};
use vm::{BarrierArrival, BarrierPart, Firing, Part, View};

/// Undefined bits of one value, and where they come from.
pub(super) type Taint = (u64, Origin);

const NONE: Taint = (0, Origin::NONE);

impl Scene<'_, '_> {
    /// A membermask must be defined.
    pub(super) fn membermask(&mut self, inst: &Inst, warp: usize, lanes: LaneMask) {
        if let Op::Collective { members: Members::Mask(Src::Reg(reg)), .. } = inst.op {
            self.must_be_defined(reg, (warp, lanes.0), inst.place, Use::Membermask);
        }
    }

    pub(super) fn fire(&mut self, firing: &Firing<'_>) {
        if self.all_is_well(firing) {
            return;
        }
        let sources = self.gather(firing);
        for part in firing.parts {
            let Op::Collective { what, .. } = &part.inst.op else { continue };
            match what {
                Collective::Shfl { d, p, .. } => self.shuffle(firing, part, &sources, *d, *p),
                Collective::MovMatrix { d, .. } => self.transpose(firing, part, &sources, *d),
                Collective::Vote { mode, d, a } => {
                    let taint = self.vote(firing, *mode, *a, &sources);
                    self.give(firing, part, &[Some(*d)], taint);
                }
                Collective::Ballot { d, .. } => {
                    let taint = joined(
                        firing,
                        &sources,
                        |lane, bits| {
                            if bits != 0 { 1 << lane } else { 0 }
                        },
                    );
                    self.give(firing, part, &[Some(*d)], taint);
                }
                Collective::Redux { op, d, .. } => {
                    let taint = joined(firing, &sources, |_, bits| bits);
                    let bits = match op {
                        ReduxOp::And | ReduxOp::Or | ReduxOp::Xor => taint.0,
                        ReduxOp::Add => taint.0 | taint.0.wrapping_neg(),
                        ReduxOp::MinU32 | ReduxOp::MaxU32 | ReduxOp::MinS32 | ReduxOp::MaxS32 => {
                            if taint.0 != 0 {
                                u64::MAX
                            } else {
                                0
                            }
                        }
                    };
                    self.give(firing, part, &[Some(*d)], (bits, taint.1));
                }
                Collective::ReduxF32 { d, .. } | Collective::MatchAny { d, .. } => {
                    let taint = joined(firing, &sources, |_, bits| all_or_nothing(bits));
                    self.give(firing, part, &[Some(*d)], taint);
                }
                Collective::MatchAll { d, p, .. } => {
                    let taint = joined(firing, &sources, |_, bits| all_or_nothing(bits));
                    self.give(firing, part, &[*d, *p], taint);
                }
                Collective::Elect { d, p } => self.give(firing, part, &[*d, Some(*p)], NONE),
                Collective::WarpSync | Collective::Matrix(_) => {}
                Collective::Mma(mma) => self.product(firing, part, mma),
            }
        }
    }

    /// Nearly always the whole warp takes part with defined values, and then the results are defined.
    fn all_is_well(&mut self, firing: &Firing<'_>) -> bool {
        let ([part], true) = (firing.parts, firing.participants.is_full()) else { return false };
        let (registers, warp) = (&mut self.cta.registers, firing.warp);
        let mut undefined = 0;
        part.inst.op.operands(|operand| {
            if let Operand::Use(reg) = operand {
                undefined |= registers.undefined(reg, warp);
            }
        });
        if undefined == 0 {
            part.inst.op.operands(|operand| {
                if let Operand::Def(reg) = operand {
                    registers.define(reg, warp, u32::MAX);
                }
            });
        }
        undefined == 0
    }

    /// What each lane offers: the taint of its value or predicate. Nothing of lanes that do not take part counts: who reads one
    /// gets what is undefined for that reason.
    fn gather(&mut self, firing: &Firing<'_>) -> Lanes<Taint> {
        let mut offered = [NONE; WARP];
        for part in firing.parts {
            self.offer(firing.warp, part.inst, part.lanes, &mut offered);
        }
        offered
    }

    fn offer(&mut self, warp: usize, inst: &Inst, lanes: LaneMask, offered: &mut Lanes<Taint>) {
        let Op::Collective { what, .. } = &inst.op else { return };
        let reg = match what {
            Collective::Shfl { a, .. }
            | Collective::MatchAny { a, .. }
            | Collective::MatchAll { a, .. }
            | Collective::Redux { a, .. }
            | Collective::ReduxF32 { a, .. }
            | Collective::MovMatrix { a, .. } => reg_of(*a),
            Collective::Vote { a, .. } | Collective::Ballot { a, .. } => a.reg(),
            Collective::Elect { .. }
            | Collective::WarpSync
            | Collective::Matrix(_)
            // A product has many operands.
            | Collective::Mma(_) => None,
        };
        let Some(reg) = reg else { return };
        let tainted = LaneMask(self.cta.registers.undefined(reg, warp)) & lanes;
        for lane in tainted {
            let bits = self.cta.registers.bits(reg, warp, lane);
            offered[lane as usize] = (bits, self.origin(reg, warp, lane, inst.place));
        }
    }

    /// Writes the same taint to the results of all lanes of a part. A lane that its membermask does not name has
    /// an undefined result whatever the others bring.
    fn give(&mut self, firing: &Firing<'_>, part: &Part<'_>, to: &[Option<Reg>], taint: Taint) {
        let stray = self.strays(firing, part);
        for d in to.iter().flatten() {
            let full = transfer::full(self.cta.registers.class(*d));
            if taint.0 & full == 0 && stray.is_empty() {
                self.cta.registers.define(*d, firing.warp, part.lanes.0);
                continue;
            }
            for lane in part.lanes {
                let (bits, origin) = match stray.contains(lane) {
                    true => (full, self.born_astray(firing, part, lane)),
                    false => (taint.0 & full, taint.1.with_term(self.births.term())),
                };
                self.cta.registers.set(*d, firing.warp, lane, bits, origin);
            }
        }
    }

    /// The lanes of a part that execute it although their membermask does not name them.
    pub(super) fn strays(&self, firing: &Firing<'_>, part: &Part<'_>) -> LaneMask {
        let Op::Collective { members: Members::Mask(mask), .. } = &part.inst.op else {
            return LaneMask::EMPTY;
        };
        let masks = self.view.w32(*mask, firing.warp);
        part.lanes - LaneMask::from_fn(|lane| masks[lane] >> lane & 1 != 0)
    }

    pub(super) fn born_astray(
        &mut self,
        firing: &Firing<'_>,
        part: &Part<'_>,
        lane: u32,
    ) -> Origin {
        let view = self.view;
        self.births.at(Kind::Collective, part.inst.place, || {
            (view.thread(firing.warp, lane), Born::NotNamed, None)
        })
    }

    fn shuffle(
        &mut self,
        firing: &Firing<'_>,
        part: &Part<'_>,
        offered: &Lanes<Taint>,
        d: Reg,
        p: Option<Reg>,
    ) {
        let Op::Collective { what: Collective::Shfl { mode, b, c, .. }, .. } = &part.inst.op else {
            return;
        };
        let (warp, view) = (firing.warp, self.view);
        let stray = self.strays(firing, part);
        let undecided = LaneMask(self.undefined(*b, warp) | self.undefined(*c, warp)) & part.lanes;
        let clean = offered.iter().all(|taint| taint.0 == 0);
        let whole = firing.participants.is_full();
        if clean && whole && stray.is_empty() && undecided.is_empty() {
            self.cta.registers.define(d, warp, part.lanes.0);
            p.into_iter().for_each(|p| self.cta.registers.define(p, warp, part.lanes.0));
            return;
        }
        let sources = shfl::source_lanes(*mode, &view.w32(*b, warp), &view.w32(*c, warp));
        let lost = shfl::undefined_reads(&sources.lane, firing.participants, part.lanes);
        let lost = lost - stray - undecided;
        if !lost.is_empty() && self.pedantic {
            self.report_lost(firing, part, lost, &sources.lane);
        }
        for lane in part.lanes {
            let source = sources.lane[lane as usize];
            let (bits, origin) = if stray.contains(lane) {
                (u64::MAX, self.born_astray(firing, part, lane))
            } else if undecided.contains(lane) {
                let from = [*b, *c].into_iter().find(|src| self.bits(*src, warp, lane) != 0);
                let from = from.and_then(reg_of);
                let origin = from.map(|reg| self.origin(reg, warp, lane, part.inst.place));
                (u64::MAX, origin.unwrap_or(Origin::NONE).computed())
            } else if lost.contains(lane) {
                (u64::MAX, self.born_of_lost_lane(firing, part, lost, (lane, source)))
            } else {
                offered[source as usize]
            };
            self.cta.registers.set(d, warp, lane, bits & 0xffff_ffff, origin);
            if let Some(p) = p {
                // The predicate depends on the operands alone.
                let bits = u64::from(stray.contains(lane) || undecided.contains(lane));
                self.cta.registers.set(p, warp, lane, bits, origin);
            }
        }
    }

    /// What a lane gets that reads one that does not take part.
    pub(super) fn born_of_lost_lane(
        &mut self,
        firing: &Firing<'_>,
        part: &Part<'_>,
        lost: LaneMask,
        (lane, source): (u32, u32),
    ) -> Origin {
        let view = self.view;
        let why = || {
            let mask = meeting::membermask(view, part.inst, firing.warp, lane);
            let why = meeting::why_absent(view, firing, mask, source);
            let lanes = lost_lanes(view, firing, mask, lost);
            let born = Born::SourceAbsent { lane, source, why };
            (view.thread(firing.warp, lane), born, Some(lanes))
        };
        self.births.at(Kind::Collective, part.inst.place, why)
    }

    pub(super) fn report_lost(
        &mut self,
        firing: &Firing<'_>,
        part: &Part<'_>,
        lost: LaneMask,
        sources: &Lanes<u32>,
    ) {
        let (view, warp) = (self.view, firing.warp);
        self.findings.report(Code::W002, part.inst.place, None, || {
            let lane = lost.lowest().unwrap_or(0);
            let source = sources[lane as usize];
            let mask = meeting::membermask(view, part.inst, warp, lane);
            let why = meeting::why_absent(view, firing, mask, source);
            Finding::new(
                part.inst.place,
                view.thread(warp, lane),
                SourceAbsent { lane, source, why, lanes: lost },
            )
            .lanes(lost_lanes(view, firing, mask, lost))
        });
    }

    fn transpose(&mut self, firing: &Firing<'_>, part: &Part<'_>, offered: &Lanes<Taint>, d: Reg) {
        let bits = movmatrix::movmatrix(&offered.map(|taint| taint.0 as u32));
        let any = offered.iter().find(|taint| taint.0 != 0).map_or(Origin::NONE, |taint| taint.1);
        let lost = movmatrix::undefined_reads(firing.participants, part.lanes);
        for lane in part.lanes {
            let (bits, origin) = match lost.contains(lane) {
                true => {
                    let view = self.view;
                    let born = || (view.thread(firing.warp, lane), Born::SourcesAbsent, None);
                    (0xffff_ffff, self.births.at(Kind::Collective, part.inst.place, born))
                }
                false => (u64::from(bits[lane as usize]), any),
            };
            self.cta.registers.set(d, firing.warp, lane, bits, origin);
        }
    }

    /// A vote whose result the defined predicates do not decide.
    fn vote(&self, firing: &Firing<'_>, mode: VoteMode, a: Pred, offered: &Lanes<Taint>) -> Taint {
        let (bits, origin) = joined(firing, offered, |_, bits| bits & 1);
        if bits == 0 {
            return NONE;
        }
        let defined = LaneMask::from_fn(|lane| offered[lane].0 == 0) & firing.participants;
        // With several instructions the first one's predicate stands for all; that is rare enough.
        let values = self.view.pred(a, firing.warp);
        let (trues, falses) = (defined & values, defined - values);
        let decided = match mode {
            VoteMode::All => !falses.is_empty(),
            VoteMode::Any => !trues.is_empty(),
            VoteMode::Uni => !trues.is_empty() && !falses.is_empty(),
        };
        (u64::from(!decided), origin)
    }

    pub(super) fn arrive_at_barrier(&mut self, arrival: &BarrierArrival<'_>) {
        let Op::Barrier { action, id, threads, .. } = &arrival.inst.op else { return };
        for reg in [Some(*id), *threads].into_iter().flatten().filter_map(reg_of) {
            self.must_be_defined(
                reg,
                (arrival.warp, arrival.lanes.0),
                arrival.inst.place,
                Use::Barrier,
            );
        }
        if let BarrierAction::Reduce { p, .. } = action
            && let Some(reg) = p.reg()
        {
            let undefined =
                LaneMask(self.cta.registers.undefined(reg, arrival.warp)) & arrival.lanes;
            if let Some(lane) = undefined.lowest() {
                let origin = self.origin(reg, arrival.warp, lane, arrival.inst.place);
                let vote = self.cta.votes.get_mut(arrival.id as usize);
                vote.into_iter().for_each(|vote| *vote = Some(origin));
            }
        }
    }

    pub(super) fn complete_barrier(&mut self, id: u32, parts: &[BarrierPart<'_>]) {
        let vote = self.cta.votes.get_mut(id as usize).and_then(Option::take);
        for part in parts {
            let Op::Barrier { action: BarrierAction::Reduce { d, .. }, .. } = part.inst.op else {
                continue;
            };
            let full = transfer::full(self.cta.registers.class(d));
            for lane in part.lanes {
                let (bits, origin) = vote.map_or(NONE, |origin| (full, origin.computed()));
                self.cta.registers.set(d, part.warp, lane, bits, origin);
            }
        }
    }
}

/// The lanes that take part in a shuffle, and those that read a lane that does not.
fn lost_lanes(view: &View<'_>, firing: &Firing<'_>, mask: LaneMask, lost: LaneMask) -> WarpLanes {
    meeting::lanes(view, firing.warp, mask).with(firing.participants, lost)
}

/// The taints of all participants as one.
fn joined(firing: &Firing<'_>, offered: &Lanes<Taint>, bits: impl Fn(u32, u64) -> u64) -> Taint {
    let mut joined = NONE;
    for lane in firing.participants {
        let (found, origin) = offered[lane as usize];
        let found = bits(lane, found);
        if found != 0 {
            joined = (joined.0 | found, origin.computed());
        }
    }
    joined
}

fn all_or_nothing(bits: u64) -> u64 {
    if bits != 0 { u64::MAX } else { 0 }
}
