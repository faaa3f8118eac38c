//! Statements in which a thread copies in bulk, `cp.async.bulk`: into the shared memory of its own CTA, of another one, or of all of
//! the cluster, where a barrier object is told of it; and from shared memory to its own bytes of the output.

use super::clusters::memory_of;
use super::generator::{Cluster, Generator, INPUT, OWN, RESULTS};
use super::layout::{LANDING, landing};
use super::objects::Object;
use super::region::Region;
use ir::{
    Access, Address, AsyncCopy, BULK_UNIT, BinaryOp, Class, CompareOp, Completion, CopyProgress,
    Groups, Op, Ordering, Scope, Space, Src, Terminator,
};

impl Generator<'_> {
    pub(super) fn copy_statement(&mut self, region: &Region) {
        let cluster = self.cluster_of(region);
        match cluster {
            Some(cluster) if self.choices.one_in(3) => self.copy_to_all(cluster),
            _ => self.copy_in(cluster),
        }
    }

    /// A whole number of units that is the same in all threads of the cluster, up to so many bytes.
    fn bulk_size(&mut self, most: u64) -> Src {
        let units = (most / BULK_UNIT).max(1);
        if self.choices.one_in(2) {
            return Src::Imm(BULK_UNIT * (1 + self.choices.below(units as usize) as u64));
        }
        // One of the parameters.
        let few = self.choices.below(4);
        let few = self.fixed.uniform.get(few).copied().unwrap_or(self.fixed.thread);
        let units = self.b.binary(BinaryOp::RemU32, few, Src::Imm(units));
        let units = self.b.binary(BinaryOp::AddI32, units, Src::Imm(1));
        self.b.binary(BinaryOp::MulLo32, units, Src::Imm(BULK_UNIT)).into()
    }

    /// Where to copy from: the input, or what the threads have of shared memory; and how many bytes there are.
    fn bulk_source(&mut self) -> ((Space, Address), u64) {
        let own = u64::from(self.threads) * OWN;
        if self.choices.one_in(2) {
            let most = own.min(LANDING);
            let first =
                BULK_UNIT * self.choices.below(((own - most) / BULK_UNIT + 1) as usize) as u64;
            return ((Space::Shared, Address { base: Src::Imm(0), offset: first as i64 }), most);
        }
        let first =
            BULK_UNIT * self.choices.below(((INPUT - LANDING) / BULK_UNIT + 1) as usize) as u64;
        let from = Address { base: self.fixed.input.into(), offset: first as i64 };
        ((Space::Global, from), LANDING)
    }

    /// What threads have written to shared memory is there for copies that begin from now on.
    fn before_copies(&mut self) {
        self.b.push(Op::CopyProgress(CopyProgress::Fences));
    }

    /// The threads of the cluster meet, or those of the CTA.
    fn all_meet(&mut self, cluster: Option<Cluster>) {
        match cluster {
            Some(_) => self.cluster_sync(),
            None => self.sync(),
        }
    }

    /// Where copies land.
    fn landing(&self) -> i64 {
        landing(self.threads) as i64
    }

    fn bulk_copy(
        &mut self,
        from: (Space, Address),
        to: (Space, Address),
        bytes: Src,
        until: Completion,
    ) {
        let unit = BULK_UNIT as u32;
        let copy = AsyncCopy { to, from, bytes, read: bytes, unit, update: None, until };
        self.b.push(Op::Copy(Box::new(copy)));
    }

    /// The same into shared memory, of which an object there is told.
    fn copy_and_tell(&mut self, from: (Space, Address), to: Address, bytes: Src, told: Address) {
        let until = Completion::Object(Space::Shared, told);
        self.bulk_copy(from, (Space::Shared, to), bytes, until);
        let order = Ordering::Release(Scope::Cluster);
        self.complete_transfers((Space::Shared, told), bytes, order);
    }

    /// The first thread says what it waits for. All meet before any copy may begin.
    fn expect_copies(&mut self, cluster: Option<Cluster>, bytes: Src) -> Object {
        let object = self.make_object(1, Scope::Cluster);
        let step = self.arrival_with(bytes);
        self.before_copies();
        self.all_meet(cluster);
        // Before or behind the first copy.
        self.first_thread(|g| {
            g.step(None, object.own(), step, Ordering::Release(Scope::Cluster));
        });
        object
    }

    /// The first thread of each CTA copies to its own, or to one that nobody else copies to.
    fn copy_in(&mut self, cluster: Option<Cluster>) {
        let (from, most) = self.bulk_source();
        let bytes = self.bulk_size(most);
        let object = self.expect_copies(cluster, bytes);
        let (to, told) = match cluster {
            Some(cluster) => {
                let rank = self.another(cluster);
                let to = self.there_in_shared(cluster, rank, Src::Imm(0), self.landing());
                (to, self.there_in_shared(cluster, rank, Src::Imm(0), object.offset))
            }
            None => {
                let to = Address { base: Src::Imm(0), offset: self.landing() };
                (to, object.own().1)
            }
        };
        self.first_thread(|g| g.copy_and_tell(from, to, bytes, told));
        self.read_landed(cluster, object, bytes);
    }

    /// The first thread of one CTA copies the input to all of the cluster.
    fn copy_to_all(&mut self, cluster: Cluster) {
        let first = BULK_UNIT * self.choices.below(8) as u64;
        let base = self.fixed.input.into();
        let from = (Space::Global, Address { base, offset: first as i64 });
        let bytes = self.bulk_size(LANDING);
        let object = self.expect_copies(Some(cluster), bytes);
        let copies = self.b.binary(BinaryOp::Or32, self.fixed.thread, cluster.rank);
        let copies = self.b.compare(CompareOp::EqI32, copies, Src::Imm(0));
        let rank = self.moved(Src::Imm(0));
        let (round, join) = (self.b.block(), self.b.block());
        self.b.terminate(Terminator::Branch { p: copies.into(), then: round, otherwise: join });
        self.b.switch_to(round);
        let start = memory_of(&mut self.b, cluster.window, rank);
        let at = |offset: i64| Address { base: start.into(), offset };
        self.copy_and_tell(from, at(self.landing()), bytes, at(object.offset));
        self.b.binary_to(rank, BinaryOp::AddI32, rank, Src::Imm(1));
        let more = self.b.compare(CompareOp::LtU32, rank, cluster.ctas);
        self.b.terminate(Terminator::Branch { p: more.into(), then: round, otherwise: join });
        self.b.switch_to(join);
        self.read_landed(Some(cluster), object, bytes);
    }

    /// All wait for what is to come, and look at it.
    fn read_landed(&mut self, cluster: Option<Cluster>, object: Object, bytes: Src) {
        self.wait(object.own(), Scope::Cluster, Src::Imm(0));
        let thread = self.b.binary(BinaryOp::MulLo32, self.fixed.thread, Src::Imm(4));
        let at = self.b.binary(BinaryOp::RemU32, thread, bytes);
        let address = Address { base: at.into(), offset: self.landing() };
        self.read_word(address);
        self.all_meet(cluster);
        self.unmake_object(object);
    }

    /// Each thread copies its own bytes of shared memory to its own of the output, and reads them there.
    pub(super) fn copy_out(&mut self) {
        self.before_copies();
        let from = (Space::Shared, Address { base: self.fixed.own.into(), offset: 0 });
        let base = self.fixed.output.into();
        let second = if self.choices.one_in(2) { BULK_UNIT } else { 0 };
        let to = Address { base, offset: (RESULTS + second) as i64 };
        let bytes = Src::Imm(OWN);
        self.perhaps_guarded(|g| {
            let until = Completion::Group(Groups::Bulk);
            g.bulk_copy(from, (Space::Global, to), bytes, until);
            g.b.push(Op::CopyProgress(CopyProgress::Commits(Groups::Bulk)));
        });
        let (of, groups, reads) = (Groups::Bulk, 0, false);
        self.b.push(Op::CopyProgress(CopyProgress::Waits { of, groups, reads }));
        let at = 4 * self.choices.below(4) as i64;
        let address = Address { base, offset: to.offset + at };
        let d = vec![Some(self.target(Class::W32))];
        let (space, access, ordering) = (Space::Global, Access::B32, Ordering::Weak);
        self.b.push(Op::Load { d, space, access, address, ordering });
    }
}
