//! Where lanes meet or part: collectives, barriers and branches, with their operands' rows.

use super::pc::Pc;
use super::rows::{Rows, value_class};
use super::slot::Slot;
use crate::simd::ConstantSources;
use ir::{
    BarrierAction, BarrierReduction, BlockId, Class, CollectiveKind, Members, Op, Src, Terminator,
    WarpRules,
};
use lanes::{LaneMask, Product, ShflMode, WARP, shfl};

/// A collective. Which operands are used depends on the kind.
#[derive(Clone, Debug)]
pub(crate) struct CollectiveOp {
    pub(crate) kind: CollectiveKind,
    /// Receives values; [`Slot::NONE`] when dropped.
    pub(crate) d: Slot,
    /// Receives predicates; [`Slot::NONE`] when dropped.
    pub(crate) p: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    /// The predicate operand is negated.
    pub(crate) negated: bool,
    /// The membermask; `None` takes the executing lanes.
    pub(crate) members: Option<Slot>,
    /// Whether lanes wait for those of the membermask that are not there.
    pub(crate) waits: bool,
    /// The source lanes of a shuffle whose `b` and `c` are constants.
    pub(crate) sources: Option<ConstantShuffle>,
    /// A product of matrices, which has operands of its own.
    pub(crate) product: Option<Box<ProductOp>>,
}

/// The operands of a product of matrices: for each matrix, its registers.
#[derive(Clone, Debug)]
pub(crate) struct ProductOp {
    pub(crate) product: Product,
    pub(crate) a: Box<[Slot]>,
    pub(crate) b: Box<[Slot]>,
    pub(crate) c: Box<[Slot]>,
    /// [`Slot::NONE`] drops a register.
    pub(crate) d: Box<[Slot]>,
}

/// What a shuffle with constant `b` and `c` does.
#[derive(Clone, Debug)]
pub(crate) struct ConstantShuffle {
    pub(crate) sources: ConstantSources,
    pub(crate) in_range: LaneMask,
}

impl ConstantShuffle {
    fn new(mode: ShflMode, b: u32, c: u32) -> Self {
        let found = shfl::source_lanes(mode, &[b; WARP], &[c; WARP]);
        let sources = ConstantSources::new(found.lane);
        ConstantShuffle { sources, in_range: found.in_range }
    }
}

impl CollectiveOp {
    pub(super) fn new(
        what: &ir::Collective,
        members: Members,
        rules: WarpRules,
        rows: &mut Rows,
    ) -> CollectiveOp {
        use ir::Collective as C;
        let none = Slot::NONE;
        let (mut b, mut c, mut negated) = (none, none, false);
        let (mut sources, mut product) = (None, None);
        let (d, p, a) = match what {
            C::Shfl { mode, d, p, a, b: offset, c: clamp } => {
                b = rows.src(*offset, Class::W32);
                c = rows.src(*clamp, Class::W32);
                if let (Src::Imm(b), Src::Imm(c)) = (offset, clamp) {
                    sources = Some(ConstantShuffle::new(*mode, *b as u32, *c as u32));
                }
                (rows.reg(*d), rows.optional(*p), rows.src(*a, Class::W32))
            }
            C::Vote { d, a, .. } => {
                let (a, flip) = rows.pred(*a);
                negated = flip;
                (none, rows.reg(*d), a)
            }
            C::Ballot { d, a } => {
                let (a, flip) = rows.pred(*a);
                negated = flip;
                (rows.reg(*d), none, a)
            }
            C::MatchAny { d, a, wide } => (rows.reg(*d), none, rows.src(*a, value_class(*wide))),
            C::MatchAll { d, p, a, wide } => {
                (rows.optional(*d), rows.optional(*p), rows.src(*a, value_class(*wide)))
            }
            C::Redux { d, a, .. } | C::ReduxF32 { d, a, .. } | C::MovMatrix { d, a } => {
                (rows.reg(*d), none, rows.src(*a, Class::W32))
            }
            C::Elect { d, p } => (rows.optional(*d), rows.reg(*p), none),
            C::WarpSync | C::Matrix(_) => (none, none, none),
            C::Mma(mma) => {
                let slots = |rows: &mut Rows, sources: &[Src]| {
                    sources.iter().map(|src| rows.src(*src, mma.class())).collect()
                };
                product = Some(Box::new(ProductOp {
                    product: mma.product,
                    a: slots(rows, &mma.a),
                    b: slots(rows, &mma.b),
                    c: slots(rows, &mma.c),
                    d: mma.d.iter().map(|d| rows.optional(*d)).collect(),
                }));
                (none, none, none)
            }
        };
        // Below sm_70 the lanes of a warp run in lockstep: nobody waits, and of the active lanes those of each
        // membermask take part. What moves values asks for nobody else's membermask.
        let waits = matches!(members, Members::Mask(_)) && rules == WarpRules::Independent;
        let counts = waits || !(what.offered().is_some() || what.only_waits());
        let everybody = Members::Mask(Src::Imm(u64::from(u32::MAX)));
        let members = match members {
            Members::Mask(mask) if waits || (counts && members != everybody) => {
                Some(rows.src(mask, Class::W32))
            }
            Members::Mask(_) | Members::Active => None,
        };
        let kind = what.kind();
        CollectiveOp { kind, d, p, a, b, c, negated, members, waits, sources, product }
    }
}

/// A CTA barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierOp {
    pub(crate) id: Slot,
    pub(crate) threads: Option<Slot>,
    /// Arrives without waiting.
    pub(crate) arrive_only: bool,
    pub(crate) reduction: Option<Reduction>,
}

/// What a barrier makes of the predicates of those who arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    pub(crate) op: BarrierReduction,
    pub(crate) d: Slot,
    pub(crate) p: Slot,
    pub(crate) negated: bool,
}

impl BarrierOp {
    /// Whether all threads of a CTA name the same barrier, and the same number of threads.
    pub(crate) fn is_uniform(&self) -> bool {
        self.id.is_uniform() && self.threads.is_none_or(Slot::is_uniform)
    }

    fn new(action: &BarrierAction, id: Src, threads: Option<Src>, rows: &mut Rows) -> BarrierOp {
        let reduction = match action {
            BarrierAction::Sync | BarrierAction::Arrive => None,
            BarrierAction::Reduce { op, d, p } => {
                let (p, negated) = rows.pred(*p);
                Some(Reduction { op: *op, d: rows.reg(*d), p, negated })
            }
        };
        BarrierOp {
            id: rows.src(id, Class::W32),
            threads: threads.map(|threads| rows.src(threads, Class::W32)),
            arrive_only: *action == BarrierAction::Arrive,
            reduction,
        }
    }
}

/// A branch: where its lanes go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BranchOp {
    pub(crate) p: Slot,
    pub(crate) negated: bool,
    pub(crate) then: Pc,
    pub(crate) otherwise: Pc,
}

/// The meetings of a plan, each kind in its order.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    pub(super) collectives: Vec<CollectiveOp>,
    pub(super) barriers: Vec<BarrierOp>,
    pub(super) branches: Vec<BranchOp>,
}

impl Meetings {
    /// Adds what an operation is, if lanes meet there, and says which of its kind it is.
    pub(super) fn op(&mut self, op: &Op, rules: WarpRules, rows: &mut Rows) -> u32 {
        match op {
            Op::Collective { what, members, .. } => {
                self.collectives.push(CollectiveOp::new(what, *members, rules, rows));
                self.collectives.len() as u32 - 1
            }
            Op::Barrier { action, id, threads, .. } => {
                self.barriers.push(BarrierOp::new(action, *id, *threads, rows));
                self.barriers.len() as u32 - 1
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
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
            | Op::Host { .. } => 0,
        }
    }

    /// Adds a terminator, if lanes may part there, and says which of its kind it is. `start` knows where blocks begin.
    pub(super) fn terminator(
        &mut self,
        terminator: &Terminator,
        start: impl Fn(BlockId) -> Pc,
        rows: &mut Rows,
    ) -> u32 {
        match terminator {
            Terminator::Branch { p, then, otherwise } => {
                let (p, negated) = rows.pred(*p);
                let (then, otherwise) = (start(*then), start(*otherwise));
                self.branches.push(BranchOp { p, negated, then, otherwise });
                self.branches.len() as u32 - 1
            }
            Terminator::Jump(_) | Terminator::Exit | Terminator::Trap => 0,
        }
    }
}
