//! Statements that access memory that no other thread accesses, that nobody writes, or in an order that does not matter.

use super::generator::{Generator, INPUT, LOCAL, OWN, RESULTS, SCRATCH};
use ir::{
    Access, Address, AsyncCopy, BinaryOp, Builder, Class, Completion, CopyProgress, Fence, Groups,
    Op, Ordering, Reg, Scope, Space, Src, UnaryOp, Update,
};

/// The counters: each has its operation, 8 bytes apart.
pub(super) const COUNTERS: [BinaryOp; 16] = {
    use BinaryOp as B;
    [
        B::AddI32,
        B::And32,
        B::Or32,
        B::Xor32,
        B::MinU32,
        B::MaxU32,
        B::MinS32,
        B::MaxS32,
        B::AddI64,
        B::And64,
        B::Or64,
        B::Xor64,
        B::MinU64,
        B::MaxU64,
        B::MinS64,
        B::MaxS64,
    ]
};

const SCOPES: [Scope; 4] = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];

/// The element that an operation updates.
pub(super) fn cell_of(op: BinaryOp) -> Access {
    if op.signature().1 == Class::W64 { Access::B64 } else { Access::B32 }
}

impl Generator<'_> {
    /// The type of an element, and how many of them are accessed.
    fn elements(&mut self) -> (Access, usize) {
        let all = [Access::B32, Access::B64, Access::U8, Access::S8, Access::U16, Access::S16];
        let access = self.choices.pick(&all, Access::B32);
        let most = if access == Access::B64 { 2 } else { 3 };
        (access, 1 << self.choices.below(most))
    }

    fn ordering(&mut self, of_load: bool) -> Ordering {
        let scope = self.choices.pick(&SCOPES, Scope::Gpu);
        match (self.choices.below(8), of_load) {
            (5, _) => Ordering::Volatile,
            (6, _) => Ordering::Relaxed(scope),
            (7, true) => Ordering::Acquire(scope),
            (7, false) => Ordering::Release(scope),
            _ => Ordering::Weak,
        }
    }

    pub(super) fn load(
        &mut self,
        space: Space,
        access: Access,
        count: usize,
        address: Address,
        ordering: Ordering,
    ) {
        let class = Builder::class_of(access);
        // Two elements in one register would make their order count.
        let mut d: Vec<Option<Reg>> = Vec::new();
        for _ in 0..count {
            let reg = self.target(class);
            let is_new = !d.contains(&Some(reg)) && !self.choices.one_in(6);
            d.push(is_new.then_some(reg));
        }
        self.b.push(Op::Load { d, space, access, address, ordering });
    }

    /// An index in so many bytes for an access of `size` bytes.
    fn index(&mut self, bytes: u64, size: u64) -> Reg {
        let word = self.word();
        self.b.binary(BinaryOp::And32, word, Src::Imm((bytes - 1) & !(size - 1)))
    }

    pub(super) fn load_input(&mut self) {
        self.perhaps_guarded(|g| {
            if g.choices.one_in(5) {
                let word = g.word();
                let offset = g.b.binary(BinaryOp::And32, word, Src::Imm(12));
                let address = Address { base: offset.into(), offset: 24 };
                return g.load(Space::Param, Access::B32, 1, address, Ordering::Weak);
            }
            let (access, count) = g.elements();
            let index = g.index(INPUT, u64::from(access.bytes()) * count as u64);
            let index = g.b.unary(UnaryOp::ZeroExtend32, index);
            let base = g.b.binary(BinaryOp::AddI64, g.fixed.input, index).into();
            let space = g.choices.pick(&[Space::Global, Space::Generic], Space::Global);
            let ordering = match g.choices.one_in(4) {
                true => Ordering::Constant,
                false => g.ordering(true),
            };
            g.load(space, access, count, Address { base, offset: 0 }, ordering);
        });
    }

    /// Space and address of bytes of the thread's own, for an access of `size` bytes; atomics are not on local memory (PTX ISA 9.1, atom).
    fn own(&mut self, size: u64, is_atomic: bool) -> (Space, Address) {
        let mut offset =
            |bytes: u64| (self.choices.below((bytes / size) as usize) as u64 * size) as i64;
        let (shared, scratch) = (offset(OWN), offset(SCRATCH) + RESULTS as i64);
        match self.choices.below(if is_atomic { 5 } else { 7 }) {
            0 | 1 => (Space::Shared, Address { base: self.fixed.own.into(), offset: shared }),
            2 => {
                let base = self.generic_own().into();
                (Space::Generic, Address { base, offset: shared })
            }
            3 => {
                let space = self.choices.pick(&[Space::Global, Space::Generic], Space::Global);
                (space, Address { base: self.fixed.output.into(), offset: scratch })
            }
            // Lanes of one instruction access different spaces.
            4 => {
                let (p, own) = (self.pred(), self.generic_own());
                let scratch = self.b.binary(BinaryOp::AddI64, self.fixed.output, Src::Imm(RESULTS));
                let base = self.b.select(Class::W64, p, own, scratch).into();
                (Space::Generic, Address { base, offset: shared })
            }
            5 => {
                let base = self.index(LOCAL, size).into();
                (Space::Local, Address { base, offset: 0 })
            }
            _ => {
                let index = self.index(LOCAL, size);
                let index = self.b.unary(UnaryOp::ZeroExtend32, index);
                let base = self.b.binary(BinaryOp::AddI64, index, self.fixed.local).into();
                (Space::Generic, Address { base, offset: 0 })
            }
        }
    }

    /// The generic address of the thread's own bytes of shared memory.
    fn generic_own(&mut self) -> Reg {
        let own = self.b.unary(UnaryOp::ZeroExtend32, self.fixed.own);
        self.b.binary(BinaryOp::AddI64, own, self.fixed.shared)
    }

    pub(super) fn own_memory(&mut self) {
        self.perhaps_guarded(|g| {
            let (access, count) = g.elements();
            let (space, address) = g.own(u64::from(access.bytes()) * count as u64, false);
            let address = g.as_others_reach(space, address);
            let is_load = g.choices.one_in(2);
            let ordering = g.ordering(is_load);
            if is_load {
                return g.load(space, access, count, address, ordering);
            }
            let class = Builder::class_of(access);
            let values = (0..count).map(|_| g.value(class)).collect();
            g.b.push(Op::Store { values, space, access, address, ordering });
        });
    }

    /// A copy of the input, or of the thread's own bytes, to others of its own.
    pub(super) fn own_copy(&mut self) {
        self.perhaps_guarded(|g| {
            let unit = 4 << g.choices.below(3);
            let from = if g.choices.one_in(2) {
                let index = g.index(INPUT, unit);
                let index = g.b.unary(UnaryOp::ZeroExtend32, index);
                let base = g.b.binary(BinaryOp::AddI64, g.fixed.input, index).into();
                (Space::Global, Address { base, offset: 0 })
            } else {
                g.own(unit, false)
            };
            let to = g.own(unit, false);
            let most = Src::Imm(unit);
            let bytes = g.size(unit);
            // It reads what it writes, no more than is there, or as it comes.
            let read = match g.choices.below(3) {
                0 => bytes,
                1 => most,
                _ => g.size(unit),
            };
            let until = Completion::Group(Groups::Plain);
            let copy = AsyncCopy { to, from, bytes, read, unit: unit as u32, update: None, until };
            g.b.push(Op::Copy(Box::new(copy)));
            g.b.push(Op::CopyProgress(CopyProgress::Commits(Groups::Plain)));
        });
    }

    /// How much to copy of so many bytes.
    fn size(&mut self, most: u64) -> Src {
        if self.choices.one_in(2) {
            return Src::Imm(most);
        }
        let word = self.word();
        self.b.binary(BinaryOp::And32, word, Src::Imm(most - 1)).into()
    }

    fn atomic_ordering(&mut self) -> Ordering {
        let scope = self.choices.pick(&SCOPES, Scope::Gpu);
        match self.choices.below(4) {
            0 => Ordering::Relaxed(scope),
            1 => Ordering::Acquire(scope),
            2 => Ordering::Release(scope),
            _ => Ordering::AcqRel(scope),
        }
    }

    /// An atomic on the thread's own bytes: what it finds is known.
    pub(super) fn own_atomic(&mut self) {
        let same = |op: &BinaryOp| {
            let ([a, b], d) = op.signature();
            a == b && b == d
        };
        self.perhaps_guarded(|g| {
            // Steps of barrier objects are in `objects.rs`: in PTX no other word has them.
            let plain = |op: &BinaryOp| same(op) && *op != BinaryOp::MbarrierStep;
            let all: Vec<BinaryOp> = BinaryOp::all().filter(plain).collect();
            let op = g.choices.pick(&all, BinaryOp::AddI32);
            let access = cell_of(op);
            let update = match g.choices.below(5) {
                3 => Update::Exchange,
                4 => Update::CompareExchange,
                _ => Update::Apply(op),
            };
            let (space, address) = g.own(u64::from(access.bytes()), true);
            let address = g.as_others_reach(space, address);
            let class = Builder::class_of(access);
            let (b, c) = (g.value(class), g.value(class));
            let d = if g.choices.one_in(4) { None } else { Some(g.target(class)) };
            let ordering = g.atomic_ordering();
            g.b.push(Op::Atomic { d, update, space, access, address, b, c, ordering });
        });
    }

    /// An atomic on one of the counters; nobody looks at what it finds.
    pub(super) fn counter(&mut self) {
        self.perhaps_guarded(|g| {
            let nth = g.choices.below(COUNTERS.len());
            let op = COUNTERS.get(nth).copied().unwrap_or(BinaryOp::AddI32);
            let access = cell_of(op);
            let space = g.choices.pick(&[Space::Global, Space::Generic], Space::Global);
            let address = Address { base: g.fixed.counters.into(), offset: 8 * nth as i64 };
            let b = g.value(Builder::class_of(access));
            let (update, ordering) = (Update::Apply(op), g.atomic_ordering());
            g.b.push(Op::Atomic {
                d: None,
                update,
                space,
                access,
                address,
                b,
                c: Src::Imm(0),
                ordering,
            });
        });
    }

    /// What changes nothing.
    pub(super) fn order(&mut self) {
        let scope = self.choices.pick(&SCOPES, Scope::Gpu);
        self.perhaps_guarded(|g| match g.choices.below(3) {
            0 => g.b.push(Op::Fence(Fence { sequential: false, scope })),
            1 => g.b.push(Op::Fence(Fence { sequential: true, scope })),
            _ => g.b.push(Op::Nanosleep { nanoseconds: Src::Imm(1) }),
        });
    }
}
