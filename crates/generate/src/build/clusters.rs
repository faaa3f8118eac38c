//! Statements in which the CTAs of a cluster meet, and reach each other's shared memory. All threads of the cluster that have
//! not exited come to each.
//!
//! Every access to the memory of another CTA has a barrier of the cluster behind it, so that no CTA exits before; and no thread
//! has exited, so that all are there.

use super::generator::{Cluster, Generator, OWN};
use super::memory::{COUNTERS, cell_of};
use super::region::{Region, Together};
use ir::{
    Access, Address, BinaryOp, Builder, CLUSTER_STRIDE, Class, ClusterHalf, Op, Ordering, Reg,
    Scope, Space, Src, UnaryOp, Update,
};

/// Where the shared memory of the CTA of a rank begins. [`ptx`](crate::ptx) knows it by this form.
pub(super) fn memory_of(b: &mut Builder, window: Reg, rank: Reg) -> Reg {
    let from = b.binary(BinaryOp::Shl32, rank, Src::Imm(CLUSTER_STRIDE.trailing_zeros().into()));
    b.binary(BinaryOp::AddI32, window, from)
}

/// Accesses to parts of a word.
const PARTS: [(Access, usize); 5] =
    [(Access::B32, 1), (Access::U16, 2), (Access::S16, 1), (Access::U8, 4), (Access::S8, 1)];

impl Generator<'_> {
    pub(super) fn cluster_statement(&mut self, region: &Region) {
        let Some(cluster) = self.fixed.cluster else { return };
        let all_are_there = !self.has_exits;
        match self.choices.below(6) {
            1 if all_are_there => self.leave_for_another(cluster),
            2 if all_are_there => self.fetch_from_another(cluster),
            3 if all_are_there => self.reduce_in_cluster(cluster),
            4 if all_are_there => self.rank_of_address(cluster),
            5 => self.cluster_barrier_from_two_sides(region),
            _ => self.cluster_barrier_with_work(region),
        }
    }

    /// An address of the thread's own bytes of shared memory, perhaps in the form in which other CTAs reach them.
    pub(super) fn as_others_reach(&mut self, space: Space, address: Address) -> Address {
        match self.fixed.cluster {
            Some(cluster) if space == Space::Shared && self.choices.one_in(3) => {
                Address { base: cluster.own.into(), ..address }
            }
            Some(_) | None => address,
        }
    }

    fn cluster_half(&mut self, half: ClusterHalf) {
        self.b.push(Op::ClusterBarrier { half, aligned: false });
    }

    pub(super) fn cluster_sync(&mut self) {
        self.cluster_half(ClusterHalf::Arrive { releases: true });
        self.cluster_half(ClusterHalf::Wait);
    }

    /// Threads arrive, do something, and wait.
    fn cluster_barrier_with_work(&mut self, region: &Region) {
        let releases = !self.choices.one_in(3);
        self.cluster_half(ClusterHalf::Arrive { releases });
        if self.choices.one_in(2) {
            self.statements(region.inner(region.mask, Together::Cta), 3);
        }
        self.cluster_half(ClusterHalf::Wait);
    }

    /// Threads come to the halves of the barrier at several instructions.
    fn cluster_barrier_from_two_sides(&mut self, region: &Region) {
        let p = self.kept_pred();
        let waits_inside = self.choices.one_in(2);
        self.on_two_sides(region, p, |g, mask| {
            g.statements(region.inner(mask, Together::Some), 2);
            g.cluster_half(ClusterHalf::Arrive { releases: true });
            g.statements(region.inner(mask, Together::Some), 2);
            if waits_inside {
                g.cluster_half(ClusterHalf::Wait);
            }
        });
        if !waits_inside {
            self.cluster_half(ClusterHalf::Wait);
        }
    }

    /// The rank of a CTA; each is that of one only.
    pub(super) fn another(&mut self, cluster: Cluster) -> Reg {
        let distance = match (self.choices.one_in(3), self.uniform()) {
            (true, (value, Together::Cluster)) => {
                self.b.binary(BinaryOp::And32, value, Src::Imm(7)).into()
            }
            (_, _) => Src::Imm(1 + self.choices.below(4) as u64),
        };
        let rank = self.b.binary(BinaryOp::AddI32, cluster.rank, distance);
        self.b.binary(BinaryOp::RemU32, rank, cluster.ctas)
    }

    /// An address in the memory of the CTA of a rank: of this offset, and so many bytes further on.
    pub(super) fn there(
        &mut self,
        cluster: Cluster,
        rank: Reg,
        offset: Src,
        further: i64,
    ) -> (Space, Address) {
        let start = memory_of(&mut self.b, cluster.window, rank);
        if self.choices.one_in(2) {
            let base = self.b.binary(BinaryOp::AddI32, start, offset).into();
            return (Space::Shared, Address { base, offset: further });
        }
        // `ptx` knows generic addresses by this form.
        let start = self.b.unary(UnaryOp::ZeroExtend32, start);
        let start = self.b.binary(BinaryOp::AddI64, self.fixed.shared, start);
        let offset = self.b.unary(UnaryOp::ZeroExtend32, offset);
        let base = self.b.binary(BinaryOp::AddI64, start, offset).into();
        (Space::Generic, Address { base, offset: further })
    }

    /// The same, in shared memory.
    pub(super) fn there_in_shared(
        &mut self,
        cluster: Cluster,
        rank: Reg,
        offset: Src,
        further: i64,
    ) -> Address {
        let start = memory_of(&mut self.b, cluster.window, rank);
        Address { base: self.b.binary(BinaryOp::AddI32, start, offset).into(), offset: further }
    }

    /// Where the word of a thread is that is there for the cluster, as an offset and bytes further on.
    pub(super) fn cell(&mut self, thread: Reg) -> (Src, i64) {
        let offset = self.b.binary(BinaryOp::MulLo32, thread, Src::Imm(4));
        (offset.into(), i64::from(self.threads) * (OWN as i64 + 4))
    }

    /// A thread of the same number, or of another one, each of one only.
    pub(super) fn a_thread(&mut self) -> Reg {
        let distance = Src::Imm(self.choices.below(64) as u64);
        let thread = self.b.binary(BinaryOp::AddI32, self.fixed.thread, distance);
        self.b.binary(BinaryOp::RemU32, thread, Src::Imm(u64::from(self.threads)))
    }

    /// Each thread changes the word of a thread of another CTA, which looks at it.
    fn leave_for_another(&mut self, cluster: Cluster) {
        let (rank, thread) = (self.another(cluster), self.a_thread());
        let (offset, further) = self.cell(thread);
        let (space, address) = self.there(cluster, rank, offset, further);
        let (access, count) = self.choices.pick(&PARTS, (Access::B32, 1));
        self.perhaps_guarded(|g| match g.choices.below(4) {
            0 => {
                let (b, c, d) = (g.word(), g.word(), g.target(Class::W32));
                let (op, _) = g.counter_of(false);
                let update = match g.choices.below(3) {
                    0 => Update::Exchange,
                    1 => Update::CompareExchange,
                    _ => Update::Apply(op),
                };
                let ordering = Ordering::Relaxed(Scope::Cluster);
                let (access, d) = (Access::B32, Some(d));
                g.b.push(Op::Atomic { d, update, space, access, address, b, c, ordering });
            }
            nth => {
                let ordering = match nth {
                    1 => Ordering::Relaxed(Scope::Cluster),
                    _ => Ordering::Weak,
                };
                let values = (0..count).map(|_| g.word()).collect();
                g.b.push(Op::Store { values, space, access, address, ordering });
            }
        });
        self.cluster_sync();
        let (offset, further) = self.cell(self.fixed.thread);
        let address = Address { base: offset, offset: further };
        let d = vec![Some(self.target(Class::W32))];
        let (space, access, ordering) = (Space::Shared, Access::B32, Ordering::Weak);
        self.b.push(Op::Load { d, space, access, address, ordering });
        self.cluster_sync();
    }

    /// Each thread leaves a word, which a thread of another CTA fetches.
    fn fetch_from_another(&mut self, cluster: Cluster) {
        let value = self.word();
        let (offset, further) = self.cell(self.fixed.thread);
        let address = Address { base: offset, offset: further };
        let (space, access, ordering) = (Space::Shared, Access::B32, Ordering::Weak);
        self.b.push(Op::Store { values: vec![value], space, access, address, ordering });
        self.cluster_sync();
        let (rank, thread) = (self.another(cluster), self.a_thread());
        let (offset, further) = self.cell(thread);
        let (space, address) = self.there(cluster, rank, offset, further);
        let (access, count) = self.choices.pick(&PARTS, (Access::B32, 1));
        self.perhaps_guarded(|g| {
            let ordering = match g.choices.one_in(3) {
                true => Ordering::Relaxed(Scope::Cluster),
                false => Ordering::Weak,
            };
            g.load(space, access, count, address, ordering);
        });
        self.cluster_sync();
    }

    /// One of the operations whose order does not matter, and its number.
    fn counter_of(&mut self, any_width: bool) -> (BinaryOp, usize) {
        // The first half has 32 bits.
        let nth = self.choices.below(if any_width { COUNTERS.len() } else { COUNTERS.len() / 2 });
        (COUNTERS.get(nth).copied().unwrap_or(BinaryOp::AddI32), nth)
    }

    /// Threads of all CTAs update cells in the memory of some, and all look at what has become of one.
    fn reduce_in_cluster(&mut self, cluster: Cluster) {
        let (op, nth) = self.counter_of(true);
        let access = cell_of(op);
        let class = Builder::class_of(access);
        let cells = 8 * COUNTERS.len() as i64;
        let further = i64::from(self.threads) * (OWN as i64 + 8) + cells + 8 * nth as i64;
        let updated = match self.choices.one_in(2) {
            true => self.another(cluster),
            // Any, by thread.
            false => {
                let word = self.word();
                self.b.binary(BinaryOp::RemU32, word, cluster.ctas)
            }
        };
        let (space, address) = self.there(cluster, updated, Src::Imm(0), further);
        self.cluster_sync();
        self.perhaps_guarded(|g| {
            let (b, c) = (g.value(class), Src::Imm(0));
            let (d, update) = (None, Update::Apply(op));
            let ordering = Ordering::Relaxed(Scope::Cluster);
            g.b.push(Op::Atomic { d, update, space, access, address, b, c, ordering });
        });
        self.cluster_sync();
        let rank = self.another(cluster);
        let (space, address) = self.there(cluster, rank, Src::Imm(0), further);
        let d = vec![Some(self.target(class))];
        let ordering = Ordering::Weak;
        self.b.push(Op::Load { d, space, access, address, ordering });
        self.cluster_sync();
    }

    /// The rank of the CTA to whose memory an address leads. `ptx` knows it by this form.
    fn rank_of_address(&mut self, cluster: Cluster) {
        let (rank, word) = (self.another(cluster), self.word());
        let start = memory_of(&mut self.b, cluster.window, rank);
        let inside = self.b.binary(BinaryOp::And32, word, Src::Imm(15));
        let address = self.b.binary(BinaryOp::AddI32, start, inside);
        let bits = Src::Imm(CLUSTER_STRIDE.trailing_zeros().into());
        let nth = self.b.binary(BinaryOp::ShrU32, address, bits);
        let first = self.b.binary(BinaryOp::ShrU32, cluster.window, bits);
        let d = self.target(Class::W32);
        self.b.binary_to(d, BinaryOp::SubI32, nth, first);
    }
}
