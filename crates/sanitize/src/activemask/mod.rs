//! W009: a mask from `activemask` that names the lanes of a shuffle.
//!
//! `activemask` gives the lanes that execute it together, which may be fewer than those that take the same path (PTX ISA 9.1,
//! `activemask`: no synchronisation). Code that is right for any set of active lanes may use it: it counts lanes, elects a leader
//! among them, or shuffles to lanes computed from the mask, as cooperative groups do. A shuffle by a fixed pattern reads lanes
//! that the mask need not contain: that is W009. Other collectives with such a mask are suspected: they are wrong if
//! the memory that the kernel leaves depends on which lanes were active.

mod marks;

use crate::code::Code;
use crate::detail::FromActiveMask;
use crate::finding::{Finding, Findings};
use crate::meeting;
use crate::per_cta::PerCta;
use crate::touch::Touches;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use ir::analysis::{Marked, Regions, influenced, influenced_at};
use ir::{
    BlockId, Collective, Inst, Kernel, Members, Op, Operand, Place, Space, Src, Tells, Terminator,
    Touched,
};
use lanes::LaneMask;
use marks::{Mark, Marks};
use vm::{Arrival, View};

/// Follows the values of `activemask`. Kernels without it cost nothing.
#[derive(Debug)]
pub(crate) struct ActiveMasks {
    registers: usize,
    /// The shuffles whose source lanes `activemask` may have a say in, also by what branches decide, but not through memory.
    chosen: HashSet<Place>,
    /// Whether a register's value can ever depend on `activemask`, through local memory too, which is one place here: only then it
    /// can have a mark.
    reached: Vec<bool>,
    /// Whether local memory is written, and what branches decide about that.
    decides: Option<Decides>,
    /// Stores about which a branch on a mask has decided.
    decided: HashSet<Place>,
    source: Place,
    present: bool,
    pedantic: bool,
    /// Collectives that are wrong only if the result depends on the mask.
    suspected: Findings,
    marks: PerCta<Marks>,
}

/// Which stores to local memory branches decide about. A branch is known by where it comes from and leads to.
#[derive(Debug)]
struct Decides {
    branches: HashMap<(Place, BlockId, BlockId), usize>,
    regions: Regions,
    marked: Marked,
    /// Per block, its stores.
    stores: Vec<Vec<Place>>,
}

impl Decides {
    /// `None` for kernels that store nothing there.
    fn new(kernel: &Kernel) -> Option<Decides> {
        let stores = kernel.blocks.iter().map(|block| {
            let insts = block.insts.iter().filter(|inst| inst.op.stores_to_own());
            insts.map(|inst| inst.place).collect()
        });
        let stores: Vec<Vec<Place>> = stores.collect();
        if stores.iter().all(Vec::is_empty) {
            return None;
        }
        let mut branches = HashMap::new();
        for (at, block) in kernel.blocks.iter().enumerate() {
            if let Terminator::Branch { then, otherwise, .. } = block.terminator {
                branches.insert((block.place, then, otherwise), at);
            }
        }
        let regions = Regions::of(kernel);
        let marked = Marked::new(&regions);
        Some(Decides { branches, regions, marked, stores })
    }

    /// The stores that are control-dependent on a branch, except those returned for an earlier branch.
    fn take(&mut self, branch: (Place, BlockId, BlockId)) -> Vec<Place> {
        let Some(at) = self.branches.remove(&branch) else { return Vec::new() };
        let new = self.marked.mark(&self.regions, at);
        new.into_iter().flat_map(|block| std::mem::take(&mut self.stores[block])).collect()
    }
}

impl ActiveMasks {
    pub(crate) fn new(kernel: &Kernel, pedantic: bool) -> ActiveMasks {
        let insts = || kernel.blocks.iter().flat_map(|block| &block.insts);
        let source = insts().find(|inst| matches!(inst.op, Op::ActiveMask { .. }));
        let tells = |op: &Op| matches!(op, Op::ActiveMask { .. });
        let lane = |op: &Op| {
            let Op::Collective { what: Collective::Shfl { b, .. }, .. } = op else { return None };
            if let Src::Reg(b) = b { Some(*b) } else { None }
        };
        ActiveMasks {
            registers: kernel.registers.len(),
            chosen: source.map_or_else(HashSet::new, |_| influenced_at(kernel, tells, lane)),
            reached: source.map_or_else(Vec::new, |_| influenced(kernel, tells)),
            decides: source.and_then(|_| Decides::new(kernel)),
            decided: HashSet::new(),
            source: source.map_or(Place::default(), |inst| inst.place),
            present: source.is_some(),
            pedantic,
            suspected: Findings::default(),
            marks: PerCta::new(),
        }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        if self.present {
            Marks::begin(&mut self.marks, view, self.registers);
        }
    }

    /// The collectives whose mask is from `activemask` and that are not reported.
    pub(crate) fn into_suspected(self) -> Vec<Finding> {
        self.suspected.into_found().findings
    }

    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.marks.end(view.cta());
    }

    /// Results of operations on a marked value are marked: a mask stays one when it is narrowed or widened.
    #[inline]
    pub(crate) fn inst(&mut self, view: &View<'_>, inst: &Inst, touches: &Touches) {
        if self.present {
            self.follow(view, inst, touches);
        }
    }

    /// Whether it wants to know what lanes compute.
    pub(crate) fn follows(&self) -> bool {
        self.present
    }

    fn follow(&mut self, view: &View<'_>, inst: &Inst, touches: &Touches) {
        let Some(marks) = self.marks.get(view.cta()) else { return };
        for (warp, lanes) in view.group() {
            let lanes = lanes.0;
            let mark = made(marks, inst, warp);
            inst.op.operands(|operand| {
                if let Operand::Def(reg) = operand
                    && self.reached[reg.0 as usize]
                {
                    marks.set(reg, warp, lanes, mark);
                }
            });
            match &inst.op {
                Op::Load { d, access, .. } if !marks.local_is_clean() => {
                    let bytes = u64::from(access.bytes());
                    each_local(warp, &inst.op, touches, |lane, at| {
                        for (at, reg) in (at..).step_by(bytes as usize).zip(d) {
                            let Some(reg) = *reg else { continue };
                            let there = marks.read(warp, lane, at, bytes);
                            marks.set(reg, warp, 1 << lane, mark.or(there));
                        }
                    });
                }
                Op::Store { values, access, .. } => {
                    let mark = match self.decided.contains(&inst.place) {
                        true => Mark::ALL.only_depends(),
                        false => mark,
                    };
                    let marked = |value: &Src| !marks.get(*value, warp).is_none();
                    if mark.is_none() && marks.local_is_clean() && !values.iter().any(marked) {
                        continue;
                    }
                    let bytes = u64::from(access.bytes());
                    each_local(warp, &inst.op, touches, |lane, at| {
                        for (at, value) in (at..).step_by(bytes as usize).zip(values) {
                            let mark = mark.or(marks.get(*value, warp));
                            marks.write(warp, lane, at, bytes, mark);
                        }
                    });
                }
                Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Ternary { .. }
                | Op::Compare { .. }
                | Op::Logic { .. }
                | Op::Select { .. }
                | Op::Special { .. }
                | Op::ActiveMask { .. }
                | Op::Load { .. }
                | Op::Atomic { .. }
                | Op::Collective { .. }
                | Op::Barrier { .. }
                | Op::ClusterBarrier { .. }
                | Op::Fence(_)
                | Op::Nanosleep { .. }
                | Op::Copy(_)
                | Op::CopyProgress(_)
                | Op::Host { .. } => {}
            }
        }
    }

    /// A branch on a marked value influences what the stores that depend on it leave.
    pub(crate) fn leave(&mut self, view: &View<'_>, terminator: &Terminator, place: Place) {
        let Terminator::Branch { p, then, otherwise } = *terminator else { return };
        let Some(decides) = &mut self.decides else { return };
        let (Some(reg), Some(marks)) = (p.reg(), self.marks.get(view.cta())) else { return };
        let marked =
            |(warp, lanes): (usize, LaneMask)| marks.get(reg.into(), warp).depends & lanes.0 != 0;
        if view.group().any(marked) {
            self.decided.extend(decides.take((place, then, otherwise)));
        }
    }

    pub(crate) fn arrive(&mut self, view: &View<'_>, arrival: &Arrival<'_>, found: &mut Findings) {
        let Some(marks) = self.marks.get(view.cta()).filter(|_| self.present) else { return };
        let Op::Collective { what, members: Members::Mask(mask), .. } = &arrival.inst.op else {
            return;
        };
        let (warp, place) = (arrival.warp, arrival.inst.place);
        let from = LaneMask(marks.get(*mask, warp).comes) & arrival.lanes;
        // The source lanes may be chosen by what the mask says.
        let chosen = match what {
            Collective::Shfl { .. } if self.chosen.contains(&place) => u32::MAX,
            Collective::Shfl { b, .. } => marks.get(*b, warp).depends,
            Collective::Vote { .. }
            | Collective::Ballot { .. }
            | Collective::MatchAny { .. }
            | Collective::MatchAll { .. }
            | Collective::Redux { .. }
            | Collective::ReduxF32 { .. }
            | Collective::Elect { .. }
            | Collective::MovMatrix { .. }
            | Collective::WarpSync
            | Collective::Matrix(_)
            | Collective::Mma(_) => 0,
        };
        // What a collective gives to lanes of such a mask was computed from the lanes that were active.
        let result = Mark { comes: from.0, ..made(marks, arrival.inst, warp) };
        arrival.inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand
                && self.reached[reg.0 as usize]
            {
                marks.set(reg, warp, arrival.lanes.0, result);
            }
        });
        let (wrong, fixed_pattern) = match what {
            Collective::Shfl { .. } => (from - LaneMask(chosen), true),
            Collective::Vote { .. }
            | Collective::Ballot { .. }
            | Collective::MatchAny { .. }
            | Collective::MatchAll { .. }
            | Collective::Redux { .. }
            | Collective::ReduxF32 { .. }
            | Collective::Elect { .. }
            | Collective::MovMatrix { .. }
            | Collective::WarpSync
            | Collective::Matrix(_)
            | Collective::Mma(_) => (if self.pedantic { from } else { LaneMask::EMPTY }, false),
        };
        let (into, lanes, fixed_pattern) = match wrong.is_empty() {
            false => (found, wrong, fixed_pattern),
            true => (&mut self.suspected, from, false),
        };
        let Some(lane) = lanes.lowest() else { return };
        let source = self.source;
        into.report(Code::W009, place, None, || {
            let membermask = arrival.membermask.unwrap_or(LaneMask::EMPTY);
            let detail = FromActiveMask { membermask, lanes, fixed_pattern, source, shown: None };
            let warp_lanes = meeting::lanes(view, warp, membermask);
            Finding::new(place, view.thread(warp, lane), detail)
                .lanes(warp_lanes.with(arrival.executing, LaneMask::EMPTY))
        });
    }
}

/// The mark of what an instruction makes of its register operands. Only pure operations compute values from them.
fn made(marks: &Marks, inst: &Inst, warp: usize) -> Mark {
    let mut mark = match inst.op.tells() {
        Tells::Presence => Mark::ALL,
        Tells::Nothing | Tells::Access | Tells::Order | Tells::Participants => Mark::default(),
    };
    if let Some(guard) = inst.guard.and_then(|guard| guard.reg()) {
        mark = mark.or(marks.get(guard.into(), warp).only_depends());
    }
    let pure = inst.op.is_pure();
    inst.op.operands(|operand| {
        if let Operand::Use(reg) = operand {
            let operand = marks.get(reg.into(), warp);
            mark = mark.or(if pure { operand } else { operand.only_depends() });
        }
    });
    mark
}

/// Calls `each` with the lanes of a warp that a load or a store makes access their local memory, and with the first byte.
fn each_local(warp: usize, op: &Op, touches: &Touches, mut each: impl FnMut(u32, u64)) {
    let is_local = |touched: Touched<'_>| matches!(touched.space, Space::Local | Space::Generic);
    let Some(nth) = op.touches().position(is_local) else { return };
    for touch in touches.of(nth).filter(|it| it.warp == warp && it.space == Space::Local) {
        touch.iter().for_each(|(lane, at)| each(lane, at));
    }
}
