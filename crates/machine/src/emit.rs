//! Emitting IR for the instructions of a program: registers, memory, the lanes' own numbers.

use crate::register::{File, Register};
use crate::state::{Layout, ROW_BYTES};
use ir::{
    Access, Address, BinaryOp, BlockId, Builder, Class, Collective, CompareOp, Members, Op,
    Ordering, Place, Pred, Reg, Scope, Space, Special, Src, Terminator, UnaryOp, WarpRules,
};
use std::collections::BTreeMap;

/// Bytes of the kernel's parameters: the addresses of the register buffer and of memory.
pub(crate) const PARAM_BYTES: u32 = 16;

/// A kernel under construction.
///
/// General-purpose and predicate registers live in registers of the IR. A prologue loads those that the program
/// uses, and an epilogue stores them when lanes exit. Registers of the warp live in the buffer all the
/// time, so that lanes that have parted see the same value.
pub(crate) struct Emitter {
    pub(crate) b: Builder,
    layout: Layout,
    held: BTreeMap<Register, Reg>,
    entry: BlockId,
    epilogue: BlockId,
    /// The address of the register buffer.
    buffer: Reg,
    /// The address of memory.
    memory: Reg,
    laneid: Reg,
    /// The lanes that each lane takes part with, where that is fewer than execute an instruction.
    group: Option<Reg>,
    /// How much more pseudo-code may be compiled.
    work: u32,
}

/// Registers of the warp are no memory that lanes race for.
const UNIFORM: Ordering = Ordering::Relaxed(Scope::Cta);

/// A finished kernel.
pub(crate) struct Emitted {
    pub(crate) kernel: ir::Kernel,
    pub(crate) layout: Layout,
    /// The registers of the IR that hold registers of the lanes.
    pub(crate) held: BTreeMap<Register, Reg>,
    /// Holds the address of the register buffer.
    pub(crate) buffer: Reg,
}

/// Statements and expressions of pseudo-code that a program may unfold to.
const MOST_WORK: u32 = 2_000_000;

impl Emitter {
    /// A kernel whose code goes to the block that is current now.
    pub(crate) fn new(name: &str) -> Self {
        let mut b = Builder::new(name, WarpRules::Independent);
        let (buffer, memory) = (b.reg(Class::W64), b.reg(Class::W64));
        let laneid = b.reg(Class::W32);
        let entry = b.current();
        let epilogue = b.block();
        let layout = Layout::default();
        let (held, group, work) = (BTreeMap::new(), None, MOST_WORK);
        Emitter { b, layout, held, entry, epilogue, buffer, memory, laneid, group, work }
    }

    /// Takes one piece of the work that a program may make; `false` when nothing is left.
    pub(crate) fn spend(&mut self) -> bool {
        self.work = self.work.saturating_sub(1);
        self.work > 0
    }

    /// The block that ends the lanes' program.
    pub(crate) fn exit_block(&self) -> BlockId {
        self.epilogue
    }

    /// The number of the lane, 32 bits.
    pub(crate) fn laneid(&self) -> Reg {
        self.laneid
    }

    /// The register of the IR that holds a register of each lane.
    pub(crate) fn held(&mut self, register: Register) -> Reg {
        let class = if register.file.is_predicate() { Class::Pred } else { Class::W32 };
        let Emitter { b, layout, held, .. } = self;
        *held.entry(register).or_insert_with(|| {
            layout.offset(register);
            b.reg(class)
        })
    }

    /// Reads a register of the warp, 32 bits.
    pub(crate) fn load_uniform(&mut self, register: Register) -> Reg {
        let address = self.row(register);
        let d = self.b.reg(Class::W32);
        let (space, access) = (Space::Global, Access::B32);
        self.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering: UNIFORM });
        d
    }

    /// Writes a register of the warp: the value of the lowest lane that executes the instruction.
    pub(crate) fn store_uniform(&mut self, register: Register, value: Src) {
        let address = self.row(register);
        let guard = self.b.guard();
        let leader = self.b.reg(Class::Pred);
        self.b.set_guard(None);
        self.b.pred_to(leader, Pred::Const(false));
        self.b.set_guard(guard);
        let what = Collective::Elect { d: None, p: leader };
        self.b.push(Op::Collective { what, members: Members::Active, aligned: false });
        self.b.set_guard(Some(Pred::Is(leader)));
        let (values, space, access) = (vec![value], Space::Global, Access::B32);
        self.b.push(Op::Store { values, space, access, address, ordering: UNIFORM });
        self.b.set_guard(guard);
    }

    /// A collective of the lanes that execute the instruction, or of those that are in a group.
    pub(crate) fn collective(&mut self, what: Collective) {
        let members = match (self.group, self.b.guard()) {
            (None, _) => Members::Active,
            (Some(group), None) => Members::Mask(group.into()),
            (Some(group), Some(guard)) => {
                // Of the group, those that the guard lets through.
                let d = self.b.reg(Class::W32);
                let (what, members) =
                    (Collective::Ballot { d, a: guard }, Members::Mask(group.into()));
                self.b.set_guard(None);
                self.b.push(Op::Collective { what, members, aligned: false });
                self.b.set_guard(Some(guard));
                Members::Mask(d.into())
            }
        };
        self.b.push(Op::Collective { what, members, aligned: false });
    }

    /// Lets the lanes of a mask wait for each other.
    pub(crate) fn rendezvous(&mut self, mask: Src) {
        self.group = None;
        let (what, members) = (Collective::WarpSync, Members::Mask(mask));
        self.b.push(Op::Collective { what, members, aligned: false });
    }

    /// From here on the lanes of a mask take part with each other only, and those that the guard leaves out
    /// likewise. Holds in straight code: to [`Emitter::end_groups`].
    pub(crate) fn begin_groups(&mut self, mask: Src) {
        let guard = self.b.guard();
        let group = self.b.reg(Class::W32);
        self.b.set_guard(None);
        if let Some(guard) = guard {
            let (what, members) =
                (Collective::Ballot { d: group, a: guard.negated() }, Members::Active);
            self.b.push(Op::Collective { what, members, aligned: false });
        }
        self.b.set_guard(guard);
        self.b.copy_to(group, mask);
        self.group = Some(group);
    }

    /// Whether lanes are in groups.
    pub(crate) fn in_groups(&self) -> bool {
        self.group.is_some()
    }

    /// From here on those that execute an instruction together take part together.
    pub(crate) fn end_groups(&mut self) {
        self.group = None;
    }

    /// The address of a number of bytes into memory. Addresses have 32 bits.
    pub(crate) fn memory_address(&mut self, address: Src) -> Address {
        let wide = match address {
            Src::Imm(value) => Src::Imm(value & u64::from(u32::MAX)),
            Src::Reg(_) => {
                self.b.binary(BinaryOp::And64, address, Src::Imm(u32::MAX.into())).into()
            }
        };
        let base = self.b.binary(BinaryOp::AddI64, self.memory, wide);
        Address { base: base.into(), offset: 0 }
    }

    /// Loads one element of global memory.
    pub(crate) fn load(&mut self, d: Reg, access: Access, address: Address) {
        let (space, ordering) = (Space::Global, Ordering::Weak);
        self.b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
    }

    /// Stores to global memory.
    pub(crate) fn store(&mut self, values: Vec<Src>, access: Access, address: Address) {
        let (space, ordering) = (Space::Global, Ordering::Weak);
        self.b.push(Op::Store { values, space, access, address, ordering });
    }

    fn row(&mut self, register: Register) -> Address {
        let offset = self.layout.offset(register).cast_signed();
        Address { base: self.buffer.into(), offset }
    }

    /// The finished kernel: the prologue goes on at `start`.
    pub(crate) fn finish(mut self, start: BlockId) -> Emitted {
        self.b.set_guard(None);
        self.b.set_place(Place::default());
        self.b.switch_to(self.entry);
        self.prologue(start);
        self.b.switch_to(self.epilogue);
        self.epilogue();
        let mut kernel = self.b.finish();
        kernel.param_bytes = PARAM_BYTES;
        Emitted { kernel, layout: self.layout, held: self.held, buffer: self.buffer }
    }

    /// Loads registers; lanes that are not active exit.
    fn prologue(&mut self, start: BlockId) {
        for (parameter, d) in [(0, self.buffer), (8, self.memory)] {
            let address = Address { base: Src::Imm(parameter), offset: 0 };
            let (space, ordering) = (Space::Param, Ordering::Weak);
            let d = vec![Some(d)];
            self.b.push(Op::Load { d, space, access: Access::B64, address, ordering });
        }
        self.b.push(Op::Special { d: self.laneid, what: Special::Laneid });
        let active = self.b.reg(Class::W32);
        self.load(active, Access::B32, Address { base: self.buffer.into(), offset: 0 });
        let bit = self.b.binary(BinaryOp::ShrU32, active, self.laneid);
        let bit = self.b.binary(BinaryOp::And32, bit, Src::Imm(1));
        let runs = self.b.compare(CompareOp::NeI32, bit, Src::Imm(0));
        let lane = self.lane_address();
        for (register, reg) in self.held.clone() {
            let offset = self.layout.offset(register).cast_signed();
            let address = Address { base: lane.into(), offset };
            if register.file.is_predicate() {
                let word = self.b.reg(Class::W32);
                self.load(word, Access::B32, address);
                let bit = self.b.compare(CompareOp::NeI32, word, Src::Imm(0));
                self.b.pred_to(reg, bit);
            } else {
                self.load(reg, Access::B32, address);
            }
        }
        let out = self.b.block();
        self.b.terminate(Terminator::Branch { p: runs.into(), then: start, otherwise: out });
        self.b.switch_to(out);
        self.b.terminate(Terminator::Exit);
    }

    fn epilogue(&mut self) {
        let lane = self.lane_address();
        for (register, reg) in self.held.clone() {
            let offset = self.layout.offset(register).cast_signed();
            let value = match register.file {
                File::Predicate | File::UniformPredicate => {
                    self.b.select(Class::W32, reg, Src::Imm(1), Src::Imm(0))
                }
                File::General | File::Uniform => reg,
            };
            self.store(vec![value.into()], Access::B32, Address { base: lane.into(), offset });
        }
        self.b.terminate(Terminator::Exit);
    }

    /// Where this lane's words begin in the register buffer's rows.
    fn lane_address(&mut self) -> Reg {
        const WORD_BYTES: u64 = ROW_BYTES / lanes::WARP as u64;
        let wide = self.b.unary(UnaryOp::ZeroExtend32, self.laneid);
        let offset = self.b.binary(BinaryOp::MulLo64, wide, Src::Imm(WORD_BYTES));
        self.b.binary(BinaryOp::AddI64, self.buffer, offset)
    }
}
