//! Statements in which threads meet at a barrier object, `mbarrier`, in their own or in another CTA's memory. All threads of the CTA,
//! or of the cluster where one takes part, come to each, and none has exited.
//!
//! An object lives for one statement: it is made, its phases pass, and it is unmade, between barriers. What threads leave for each
//! other before they arrive, and read when they have waited, shows whether it orders them.

use super::generator::{Cluster, Generator, OWN};
use super::layout::{OBJECTS, objects};
use super::region::{Region, Together};
use ir::mbarrier as object;
use ir::{
    Access, Address, BinaryOp, Class, CompareOp, Op, Ordering, Pred, Reg, Scope, Space, Src,
    Terminator, UnaryOp, Update,
};

/// Who arrives in a phase.
#[derive(Clone, Copy)]
enum Arrivals {
    /// Each thread, once.
    Each,
    /// Every other thread, for two.
    Pairs,
    /// A lane of each warp, when the warp is together.
    Warps,
    /// The first thread, when all are together.
    First,
}

/// An object, as all threads know it.
#[derive(Clone, Copy)]
pub(super) struct Object {
    /// Its place in the memory of each CTA.
    pub(super) offset: i64,
    /// Whom its order speaks of.
    pub(super) scope: Scope,
}

impl Object {
    /// That of the thread's CTA.
    pub(super) fn own(self) -> (Space, Address) {
        (Space::Shared, Address { base: Src::Imm(0), offset: self.offset })
    }
}

impl Generator<'_> {
    pub(super) fn object_statement(&mut self, region: &Region) {
        match self.cluster_of(region) {
            Some(cluster) if self.choices.one_in(2) => self.arrive_at_another(cluster),
            Some(_) | None => self.phases(region),
        }
    }

    /// The cluster, if all of it comes to a region.
    pub(super) fn cluster_of(&self, region: &Region) -> Option<Cluster> {
        self.fixed.cluster.filter(|_| region.who == Together::Cluster)
    }

    /// A new object that expects so many arrivals. All threads that use it know of it when they have met.
    pub(super) fn make_object(&mut self, arrivals: u64, scope: Scope) -> Object {
        let nth = self.choices.below(OBJECTS as usize) as i64;
        let object = Object { offset: self.objects() + 8 * nth, scope };
        let (space, address) = object.own();
        let count = self.moved(Src::Imm(arrivals));
        self.first_thread(|g| {
            let state = g.b.binary(BinaryOp::MulWideU32, count, Src::Imm(object::NEW));
            let (access, ordering) = (Access::B64, Ordering::Weak);
            g.b.push(Op::Store { values: vec![state.into()], space, access, address, ordering });
        });
        object
    }

    /// Its bytes are memory again. All threads have met before.
    pub(super) fn unmake_object(&mut self, object: Object) {
        let (space, address) = object.own();
        self.first_thread(|g| {
            let (access, ordering) = (Access::B64, Ordering::Relaxed(Scope::Cta));
            g.b.push(Op::Store { values: vec![Src::Imm(0)], space, access, address, ordering });
        });
    }

    /// Where the objects stand.
    fn objects(&self) -> i64 {
        objects(self.threads) as i64
    }

    /// Instructions of the CTA's first thread alone.
    pub(super) fn first_thread(&mut self, make: impl FnOnce(&mut Self)) {
        self.one_thread(0, make);
    }

    /// The same of the thread of a number.
    fn one_thread(&mut self, number: u32, make: impl FnOnce(&mut Self)) {
        let number = Src::Imm(number.into());
        let is_it = self.b.compare(CompareOp::EqI32, self.fixed.thread, number);
        self.b.set_guard(Some(is_it.into()));
        make(self);
        self.b.set_guard(None);
    }

    /// Changes an object by a step.
    pub(super) fn step(
        &mut self,
        d: Option<Reg>,
        (space, address): (Space, Address),
        step: Src,
        ordering: Ordering,
    ) {
        let (update, access) = (Update::Apply(BinaryOp::MbarrierStep), Access::B64);
        let c = Src::Imm(0);
        self.b.push(Op::Atomic { d, update, space, access, address, b: step, c, ordering });
    }

    /// So many bytes, as a step that expects them.
    pub(super) fn transfers(&mut self, bytes: Src) -> Reg {
        let bytes = self.b.unary(UnaryOp::ZeroExtend32, bytes);
        self.b.binary(BinaryOp::Shl64, bytes, Src::Imm(object::TRANSFERS.into()))
    }

    /// The same in one step with an arrival.
    pub(super) fn arrival_with(&mut self, bytes: Src) -> Src {
        let step = self.transfers(bytes);
        self.b.binary(BinaryOp::Or64, step, Src::Imm(object::ARRIVE)).into()
    }

    /// So many bytes have come.
    pub(super) fn complete_transfers(
        &mut self,
        at: (Space, Address),
        bytes: Src,
        ordering: Ordering,
    ) {
        let step = self.transfers(bytes);
        let step = self.b.binary(BinaryOp::SubI64, Src::Imm(0), step);
        self.step(None, at, step.into(), ordering);
    }

    /// Phases of an object of the CTA.
    fn phases(&mut self, region: &Region) {
        let threads = u64::from(self.threads);
        let who = match self.choices.below(6) {
            0 if threads.is_multiple_of(2) => Arrivals::Pairs,
            1 => Arrivals::Warps,
            2 => Arrivals::First,
            _ => Arrivals::Each,
        };
        let arrivals = match who {
            Arrivals::Each | Arrivals::Pairs => threads,
            Arrivals::Warps => threads.div_ceil(32),
            Arrivals::First => 1,
        };
        let scope = self.choices.pick(&[Scope::Cta, Scope::Cluster], Scope::Cta);
        let object = self.make_object(arrivals, scope);
        self.sync();
        let last = self.choices.below(3) as u64;
        for phase in 0..=last {
            let cell = self.leave_word();
            let bytes = self.choices.one_in(3).then(|| self.expected_bytes());
            if let Some(bytes) = bytes.filter(|_| !matches!(who, Arrivals::First)) {
                self.expect(object, bytes);
            }
            let drops = phase == last && self.choices.one_in(2);
            let token = match who {
                Arrivals::Each if self.choices.one_in(3) => {
                    self.arrive_from_two_sides(region, object, drops);
                    None
                }
                Arrivals::Each if drops => {
                    self.arrive_or_drop(object);
                    None
                }
                Arrivals::Each | Arrivals::Pairs | Arrivals::Warps | Arrivals::First => {
                    self.arrive(region, object, who, bytes)
                }
            };
            if let Some(bytes) = bytes {
                self.thread_completes(object, bytes);
            }
            let parity = match token {
                Some(token) => self.phase_of(token).into(),
                None => Src::Imm(phase & 1),
            };
            self.wait_perhaps(region, object, parity);
            self.read_word(cell);
            self.sync();
        }
        self.unmake_object(object);
    }

    /// How many bytes the transfers of a phase have, which the first thread expects and the last one sends.
    fn expected_bytes(&mut self) -> Src {
        Src::Imm(16 * (1 + self.choices.below(200) as u64))
    }

    /// The first thread expects transfers before it arrives, so the phase waits for them.
    fn expect(&mut self, object: Object, bytes: Src) {
        let step = self.transfers(bytes);
        self.first_thread(|g| {
            g.step(None, object.own(), step.into(), Ordering::Relaxed(object.scope));
        });
    }

    /// The last thread says that the transfers have come, perhaps before they are expected.
    fn thread_completes(&mut self, object: Object, bytes: Src) {
        self.one_thread(self.threads - 1, |g| {
            g.complete_transfers(object.own(), bytes, Ordering::Relaxed(object.scope));
        });
    }

    /// Threads arrive. The state before, if each has one.
    fn arrive(
        &mut self,
        region: &Region,
        object: Object,
        who: Arrivals,
        bytes: Option<Src>,
    ) -> Option<Reg> {
        let ordering = Ordering::Release(object.scope);
        let one = Src::Imm(object::ARRIVE);
        match who {
            Arrivals::Each => {
                let token = self.choices.one_in(3).then(|| self.b.reg(Class::W64));
                self.step(token, object.own(), one, ordering);
                return token;
            }
            Arrivals::Pairs => {
                let odd = self.b.binary(BinaryOp::And32, self.fixed.thread, Src::Imm(1));
                let even = self.b.compare(CompareOp::EqI32, odd, Src::Imm(0));
                let count = self.moved(Src::Imm(2));
                let step = self.b.binary(BinaryOp::MulWideU32, count, one);
                self.together(region);
                self.b.set_guard(Some(even.into()));
                self.step(None, object.own(), step.into(), ordering);
            }
            Arrivals::Warps => {
                let first = self.b.compare(CompareOp::EqI32, self.fixed.lane, Src::Imm(0));
                self.together(region);
                self.b.set_guard(Some(first.into()));
                self.step(None, object.own(), one, ordering);
            }
            Arrivals::First => {
                let step = bytes.map_or(one, |bytes| self.arrival_with(bytes));
                self.sync();
                self.first_thread(|g| g.step(None, object.own(), step, ordering));
            }
        }
        self.b.set_guard(None);
        None
    }

    /// All threads but the first arrive, and are expected no more. It stays, since an object expects somebody.
    fn arrive_or_drop(&mut self, object: Object) {
        let first: Pred = self.b.compare(CompareOp::EqI32, self.fixed.thread, Src::Imm(0)).into();
        for (guard, step) in [(first, object::ARRIVE), (first.negated(), object::DROP)] {
            self.b.set_guard(Some(guard));
            self.step(None, object.own(), Src::Imm(step), Ordering::Release(object.scope));
        }
        self.b.set_guard(None);
    }

    /// The lanes of a warp meet.
    fn together(&mut self, region: &Region) {
        self.meet(ir::Collective::WarpSync, region.mask);
    }

    /// Threads arrive at several instructions.
    fn arrive_from_two_sides(&mut self, region: &Region, object: Object, drops: bool) {
        let p = self.kept_pred();
        self.on_two_sides(region, p, |g, mask| {
            g.statements(region.inner(mask, Together::Some), 2);
            match drops {
                true => g.arrive_or_drop(object),
                false => {
                    let ordering = Ordering::Release(object.scope);
                    g.step(None, object.own(), Src::Imm(object::ARRIVE), ordering);
                }
            }
            g.statements(region.inner(mask, Together::Some), 2);
        });
    }

    /// Whether the phase of a state is odd.
    fn phase_of(&mut self, state: Reg) -> Reg {
        let odd = self.b.binary(BinaryOp::ShrU64, state, Src::Imm(object::PHASE.into()));
        self.b.unary(UnaryOp::Low32, odd)
    }

    /// Threads wait for the end of the phase of that parity; perhaps not all do.
    fn wait_perhaps(&mut self, region: &Region, object: Object, parity: Src) {
        if !self.choices.one_in(4) {
            return self.wait(object.own(), object.scope, parity);
        }
        // The others go by the barrier of the CTA alone.
        let p = self.kept_pred();
        let mask = self.ballot(p, region.mask);
        let (inside, join) = (self.b.block(), self.b.block());
        self.b.terminate(Terminator::Branch { p, then: inside, otherwise: join });
        self.b.switch_to(inside);
        self.wait(object.own(), object.scope, parity);
        self.statements(region.inner(mask.into(), Together::Some), 2);
        self.b.terminate(Terminator::Jump(join));
        self.b.switch_to(join);
        self.sync();
    }

    /// Waits for the end of the phase of that parity.
    pub(super) fn wait(&mut self, (space, address): (Space, Address), scope: Scope, parity: Src) {
        let gives_way = self.choices.one_in(2);
        let (again, done) = (self.b.block(), self.b.block());
        self.b.terminate(Terminator::Jump(again));
        self.b.switch_to(again);
        let state = self.b.reg(Class::W64);
        let access = Access::B64;
        let load = |d, ordering| Op::Load { d: vec![d], space, access, address, ordering };
        self.b.push(load(Some(state), Ordering::Relaxed(scope)));
        let now = self.phase_of(state);
        let over: Pred = self.b.compare(CompareOp::NeI32, now, parity).into();
        self.b.set_guard(Some(over));
        self.b.push(load(None, Ordering::Acquire(scope)));
        if gives_way {
            self.b.set_guard(Some(over.negated()));
            self.b.push(Op::Nanosleep { nanoseconds: Src::Imm(0) });
        }
        self.b.set_guard(None);
        self.b.terminate(Terminator::Branch { p: over, then: done, otherwise: again });
        self.b.switch_to(done);
    }

    /// Where the word of a thread is that is there for the CTA.
    fn word_of(&mut self, thread: Reg) -> Address {
        let offset = self.b.binary(BinaryOp::MulLo32, thread, Src::Imm(4));
        Address { base: offset.into(), offset: i64::from(self.threads) * OWN as i64 }
    }

    /// Each thread leaves a word; where a thread finds that of another one.
    fn leave_word(&mut self) -> Address {
        let value = self.word();
        let address = self.word_of(self.fixed.thread);
        let (space, access, ordering) = (Space::Shared, Access::B32, Ordering::Weak);
        self.b.push(Op::Store { values: vec![value], space, access, address, ordering });
        let theirs = self.a_thread();
        self.word_of(theirs)
    }

    pub(super) fn read_word(&mut self, address: Address) {
        let d = vec![Some(self.target(Class::W32))];
        let (space, access, ordering) = (Space::Shared, Access::B32, Ordering::Weak);
        self.b.push(Op::Load { d, space, access, address, ordering });
    }

    /// Each thread leaves a word for a thread of another CTA, and arrives there; who waits at the own object finds the word that was
    /// left here. With transfers, each is told of with its word (`st.async`), and nobody else arrives.
    fn arrive_at_another(&mut self, cluster: Cluster) {
        let threads = u64::from(self.threads);
        let sends = self.choices.one_in(2);
        let object = self.make_object(if sends { 1 } else { threads }, Scope::Cluster);
        if sends {
            let step = self.arrival_with(Src::Imm(4 * threads));
            self.first_thread(|g| {
                g.step(None, object.own(), step, Ordering::Release(Scope::Cluster));
            });
        }
        self.cluster_sync();
        let rank = self.another(cluster);
        let thread = self.a_thread();
        let (offset, further) = self.cell(thread);
        let (space, address) = self.there(cluster, rank, offset, further);
        let at = self.there_in_shared(cluster, rank, Src::Imm(0), object.offset);
        let (value, access) = (self.word(), Access::B32);
        let ordering = match self.choices.one_in(2) {
            true => Ordering::Relaxed(Scope::Cluster),
            false => Ordering::Weak,
        };
        self.b.push(Op::Store { values: vec![value], space, access, address, ordering });
        let order = Ordering::Release(Scope::Cluster);
        match sends {
            true => self.complete_transfers((Space::Shared, at), Src::Imm(4), order),
            false => self.step(None, (Space::Shared, at), Src::Imm(object::ARRIVE), order),
        }
        self.wait(object.own(), Scope::Cluster, Src::Imm(0));
        let (offset, further) = self.cell(self.fixed.thread);
        self.read_word(Address { base: offset, offset: further });
        self.cluster_sync();
        self.unmake_object(object);
    }
}
