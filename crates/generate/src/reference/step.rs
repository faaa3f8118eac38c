//! One instruction of one thread.

use super::cluster::Cluster;
use super::meeting::members;
use super::memory::{LOCAL, SHARED, WINDOW, load, store};
use super::thread::{State, Thread, cut};
use ir::{
    Access, Address, Builder, CLUSTER_STRIDE, Class, Dim, Op, Space, Special, Src, Terminator,
};
use lanes::WARP;

impl Cluster<'_> {
    pub(super) fn step(&mut self, number: usize) -> Result<(), String> {
        let kernel = &self.case.kernel;
        let thread = self.threads.get_mut(number).ok_or("there is no such thread")?;
        let block = kernel.blocks.get(thread.block).ok_or("there is no such block")?;
        let Some(inst) = block.insts.get(thread.at) else {
            leave(thread, &block.terminator);
            return if block.terminator == Terminator::Trap {
                Err("the kernel traps".into())
            } else {
                Ok(())
            };
        };
        if inst.guard.is_some_and(|guard| !thread.pred(guard)) {
            thread.at += 1;
            return Ok(());
        }
        match &inst.op {
            Op::Collective { what, members: named, .. } => {
                let mask = members(named, |src| thread.src(src))?;
                thread.state = State::Meets(what.kind(), mask);
                Ok(())
            }
            Op::Barrier { action, id, threads, .. } => {
                let (id, expected) = (thread.src(*id), threads.map(|threads| thread.src(threads)));
                let word = |value: u64| value as u32 as usize;
                self.arrive(number, *action, word(id), expected.map(word))
            }
            Op::ClusterBarrier { half, .. } => self.come_to_cluster(number, *half),
            op @ (Op::Unary { .. }
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
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
            | Op::Host { .. }) => {
                self.execute(number, op)?;
                if let Some(thread) = self.threads.get_mut(number) {
                    thread.at += 1;
                }
                Ok(())
            }
        }
    }

    fn value(&self, number: usize, src: Src) -> u64 {
        self.threads.get(number).map_or(0, |thread| thread.src(src))
    }

    /// An instruction at which nobody waits.
    fn execute(&mut self, number: usize, op: &Op) -> Result<(), String> {
        let value = |all: &Self, src: &Src| all.value(number, *src);
        let thread = self.threads.get(number).ok_or("there is no such thread")?;
        let (d, result) = match op {
            Op::Unary { op, d, a } => (d, op.eval([value(self, a)])),
            Op::Binary { op, d, a, b } => (d, op.eval([value(self, a), value(self, b)])),
            Op::Ternary { op, d, a, b, c } => {
                (d, op.eval([value(self, a), value(self, b), value(self, c)]))
            }
            Op::Compare { op, d, a, b } => (d, op.eval([value(self, a), value(self, b)])),
            Op::Logic { table, d, a, b } => {
                let bit = 2 * u8::from(thread.pred(*a)) + u8::from(thread.pred(*b));
                (d, u64::from(table >> bit & 1))
            }
            Op::Select { d, a, b, p } => (d, value(self, if thread.pred(*p) { a } else { b })),
            Op::Special { d, what } => (d, self.special(number, *what)?),
            // At least the thread itself.
            Op::ActiveMask { d } => (d, 1 << (number % WARP)),
            Op::Load { d, space, access, address, .. } => {
                for (nth, reg) in d.iter().enumerate() {
                    let found = self.load(number, *space, *access, address, nth)?;
                    if let Some(reg) = reg {
                        self.write(number, *reg, found);
                    }
                }
                return Ok(());
            }
            Op::Store { values, space, access, address, .. } => {
                for (nth, src) in values.iter().enumerate() {
                    let new = value(self, src);
                    self.store(number, *space, *access, address, nth, new)?;
                }
                return Ok(());
            }
            Op::Atomic { d, update, space, access, address, b, c, .. } => {
                let class = Builder::class_of(*access);
                let old = self.load(number, *space, *access, address, 0)?;
                let [b, c] = [b, c].map(|src| cut(class, value(self, src)));
                let new = update.stored(old, b, c);
                self.store(number, *space, *access, address, 0, new)?;
                let Some(d) = d else { return Ok(()) };
                (d, old)
            }
            Op::Copy(copy) => {
                // Byte by byte; all are read before any is written.
                let word = |src| value(self, src) as u32;
                let (bytes, read) = (word(&copy.bytes), word(&copy.read));
                let mut copied = vec![0; bytes as usize];
                for (nth, byte) in copied.iter_mut().enumerate().take(read as usize) {
                    *byte = self.load(number, copy.from.0, Access::U8, &copy.from.1, nth)?;
                }
                for (nth, byte) in copied.into_iter().enumerate() {
                    self.store(number, copy.to.0, Access::U8, &copy.to.1, nth, byte)?;
                }
                return Ok(());
            }
            Op::Fence(_) | Op::Nanosleep { .. } | Op::CopyProgress(_) => return Ok(()),
            Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Host { .. } => {
                return Err(format!("the reference does not know `{op}`"));
            }
        };
        self.write(number, *d, result);
        Ok(())
    }

    /// The bytes in which an element lies, and where.
    fn place(
        &mut self,
        number: usize,
        space: Space,
        access: Access,
        address: &Address,
        nth: usize,
    ) -> Result<(&mut [u8], u64), String> {
        let base = self.value(number, address.base);
        let mut at = base.wrapping_add(address.offset.cast_unsigned());
        if let Src::Reg(reg) = address.base
            && self.case.kernel.registers.get(reg.0 as usize) == Some(&Class::W32)
        {
            at = cut(Class::W32, at);
        }
        at = at.wrapping_add(nth as u64 * u64::from(access.bytes()));
        let window = |start: u64| (start..start + WINDOW).contains(&at);
        match space {
            Space::Shared => self.shared(number, at),
            Space::Generic if window(SHARED) => self.shared(number, at - SHARED),
            Space::Local => self.local(number, at),
            Space::Generic if window(LOCAL) => self.local(number, at - LOCAL),
            Space::Generic | Space::Global => self.global.at(at),
            Space::Param => Err("parameters are only read".into()),
        }
    }

    fn local(&mut self, number: usize, at: u64) -> Result<(&mut [u8], u64), String> {
        let thread = self.threads.get_mut(number).ok_or("there is no such thread")?;
        Ok((&mut thread.local, at))
    }

    /// The shared memory to which an address of a thread leads, and the offset there: its own begins at 0, and that of
    /// each CTA of the cluster once more, where [`Special::ClusterWindow`] says.
    fn shared(&mut self, number: usize, at: u64) -> Result<(&mut [u8], u64), String> {
        let (own, _) = self.of_cta(number);
        let (rank, at) = match (self.ctas.len(), at / CLUSTER_STRIDE) {
            (1, _) | (_, 0) => (own, at),
            (_, nth) => (nth as usize - 1, at % CLUSTER_STRIDE),
        };
        if !self.threads_of(rank).any(|number| self.lives(number)) {
            return Err(format!("no CTA of rank {rank} is there any more"));
        }
        let cta = self.ctas.get_mut(rank).ok_or("there is no such rank")?;
        Ok((&mut cta.shared, at))
    }

    fn load(
        &mut self,
        number: usize,
        space: Space,
        access: Access,
        address: &Address,
        nth: usize,
    ) -> Result<u64, String> {
        let bytes = access.bytes() as usize;
        let found = if space == Space::Param {
            let base =
                self.value(number, address.base).wrapping_add(address.offset.cast_unsigned());
            let mut params = self.params.to_vec();
            load(&mut params, base.wrapping_add((nth * bytes) as u64), bytes)?
        } else {
            let (memory, at) = self.place(number, space, access, address, nth)?;
            load(memory, at, bytes)?
        };
        Ok(match access {
            Access::S8 => u64::from(found as i8 as u32),
            Access::S16 => u64::from(found as i16 as u32),
            Access::U8 | Access::U16 | Access::B32 | Access::B64 => found,
        })
    }

    fn store(
        &mut self,
        number: usize,
        space: Space,
        access: Access,
        address: &Address,
        nth: usize,
        value: u64,
    ) -> Result<(), String> {
        let (memory, at) = self.place(number, space, access, address, nth)?;
        store(memory, at, access.bytes() as usize, value)
    }

    /// PTX ISA 9.1, 10 "Special Registers".
    fn special(&self, number: usize, what: Special) -> Result<u64, String> {
        let of = |[x, y, z]: [u32; 3], dim: Dim| {
            u64::from(match dim {
                Dim::X => x,
                Dim::Y => y,
                Dim::Z => z,
            })
        };
        let [nx, ny, _] = self.case.block;
        let (rank, thread) = self.of_cta(number);
        let (lane, thread, warp) = (thread % WARP, thread as u32, thread / WARP);
        let threads: u32 = self.case.block.iter().product();
        let cta = self.ctas.get(rank).ok_or("there is no such rank")?;
        let clusters = self.case.clusters();
        let is_explicit = self.case.cluster.or(self.case.kernel.cluster.required).is_some();
        let tid = [thread % nx, thread / nx % ny, thread / nx / ny];
        let (eq, lt) = (1_u64 << lane, (1_u64 << lane) - 1);
        let full = u64::from(u32::MAX);
        let (fixed, dynamic) = (self.case.kernel.shared_bytes, self.case.dynamic_shared);
        Ok(match what {
            Special::Tid(dim) => of(tid, dim),
            Special::Ntid(dim) => of(self.case.block, dim),
            Special::Ctaid(dim) => of(cta.index, dim),
            Special::Nctaid(dim) => of(self.case.grid, dim),
            Special::Laneid => lane as u64,
            Special::Warpid => warp as u64,
            Special::Nwarpid => u64::from(threads).div_ceil(WARP as u64),
            Special::LanemaskEq => eq,
            Special::LanemaskLt => lt,
            Special::LanemaskLe => lt | eq,
            Special::LanemaskGe => full & !lt,
            Special::LanemaskGt => full & !(lt | eq),
            Special::DynamicSmemSize => u64::from(dynamic),
            Special::TotalSmemSize => u64::from(fixed + dynamic),
            Special::DynamicSharedBase => u64::from(fixed),
            Special::SharedWindow => SHARED,
            Special::LocalWindow => LOCAL,
            Special::Constant(value) => u64::from(value),
            Special::Clusterid(dim) => of(self.index, dim),
            Special::Nclusterid(dim) => of(self.case.grid, dim) / of(clusters, dim),
            Special::ClusterCtaid(dim) => of(cta.inside, dim),
            Special::ClusterNctaid(dim) => of(clusters, dim),
            Special::ClusterCtarank => rank as u64,
            Special::ClusterNctarank => self.ctas.len() as u64,
            Special::IsExplicitCluster => u64::from(is_explicit),
            Special::ClusterWindow => {
                if self.ctas.len() > 1 {
                    CLUSTER_STRIDE
                } else {
                    0
                }
            }
            Special::Smid
            | Special::Nsmid
            | Special::Gridid
            | Special::Clock
            | Special::ClockHi
            | Special::Clock64
            | Special::Globaltimer
            | Special::GlobaltimerLo
            | Special::GlobaltimerHi
            | Special::ImageBase
            | Special::StackEnd
            | Special::ParamWindow => return Err(format!("{what:?} is the machine's choice")),
        })
    }
}

fn leave(thread: &mut Thread, terminator: &Terminator) {
    let to = match terminator {
        Terminator::Jump(to) => to,
        Terminator::Branch { p, then, otherwise } => {
            if thread.pred(*p) {
                then
            } else {
                otherwise
            }
        }
        Terminator::Exit | Terminator::Trap => return thread.state = State::Exited,
    };
    (thread.block, thread.at) = (to.0 as usize, 0);
}
