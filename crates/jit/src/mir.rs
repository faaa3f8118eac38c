//! Machine instructions before registers are allocated: x86 instructions whose operands are values.

mod add_compound;
mod compound;
mod params;
mod postorder;

pub(crate) use compound::Compound;
pub(crate) use postorder::reverse_postorder;

use crate::exit::Leaving;
use iced_x86::{Code, ConditionCode, Mnemonic};
use ir::{Access, Round};
use regalloc2::{Block, Function, Inst, InstRange, Operand, PReg, PRegSet, RegClass, VReg};
use std::ops::Range;

/// An operand of an x86 instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum O {
    /// A new value.
    D(VReg),
    /// A new value in the register of the operand that follows, which no part of the instruction names.
    Tied(VReg, VReg),
    /// A value.
    U(VReg),
    /// Memory.
    M(Mem),
    /// A constant of 8 bits.
    I8(u8),
    /// A constant of 32 bits.
    I32(i32),
    /// A constant of 64 bits.
    I64(u64),
    /// The instruction changes memory in one piece.
    Locked,
    /// The instruction rounds so. Unless that is to nearest even, its operands are values.
    Rounded(Round),
    /// The mask of an instruction of AVX-512.
    Masked(VReg),
    /// The same; lanes outside it become zero.
    Zeroing(VReg),
}

/// An address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mem {
    pub(crate) base: Base,
    pub(crate) index: Option<(VReg, u32)>,
    pub(crate) disp: i32,
    /// One element for all lanes (AVX-512).
    pub(crate) broadcast: bool,
}

/// Where an address begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The register file; with the warp's number times so many times 128.
    Registers(u32),
    /// The context.
    Context,
    /// The number of the gang's first warp times 128, as if it were an address.
    Warp,
    /// A constant.
    Pool(u32),
    /// A value.
    Value(VReg),
}

impl Mem {
    pub(crate) fn new(base: Base, disp: i32) -> Mem {
        Mem { base, index: None, disp, broadcast: false }
    }
}

/// An operand as it is encoded: which of the instruction's allocated operands, or what else.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg {
    Register(u8),
    Memory { base: ArgBase, index: Option<(u8, u32)>, disp: i32, broadcast: bool },
    I8(u8),
    I32(i32),
    I64(u64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ArgBase {
    Registers(u32),
    Context,
    Warp,
    Pool(u32),
    Register(u8),
}

/// How an x86 instruction does what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Usual,
    /// It changes memory in one piece.
    Locked,
    /// It does not round to nearest even.
    Rounded(Round),
}

/// What an instruction is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// An x86 instruction.
    X { code: Code, args: Range<u32>, mask: Option<(u8, bool)>, way: Way },
    /// Goes on at the only successor.
    Jump,
    /// Goes on at the first successor if the condition holds, else at the second.
    Branch(ConditionCode),
    /// Goes on where the context says.
    Dispatch,
    /// Leaves the code if the condition holds.
    Guard { condition: ConditionCode, exit: u32 },
    /// Leaves the code unless the region of a site holds `bytes` from each address on; the addresses are the first operands, and two
    /// temporaries follow.
    Check { site: u32, bytes: u32, align: u32, exit: u32, addresses: u8 },
    /// Has an instruction performed by all lanes, or by those of the second operand. The first is the result: 0 if that was done. What
    /// else is in registers stays there where the call saves it.
    Perform { place: u32, lanes: bool, saves: bool },
    /// Calls the function of rows of this number for each of so many warps: the context's elements are its operands, and the first
    /// its result.
    Rows { function: u32, warps: u32 },
    /// Has an access served by somebody else if a condition of not equal holds. The operands are where it begins and so many vectors
    /// of offsets, the lanes if not all execute, and what the former two are from here on: then what lanes access instead.
    Serve { site: Option<u32>, exit: u32, offsets: u8, lanes: bool },
    /// Does something for each lane of the first operand, at the lane's offset from the second, which is an address. The others
    /// are temporaries.
    EachLane(EachLane),
    /// Does what takes several instructions.
    Compound(Compound),
    /// Leaves the code; everything is in its home row.
    Leave { exit: u32 },
}

/// What is done for each lane: offsets and elements are the context's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EachLane {
    /// Loads the element of this number to the first of the context's.
    Load { access: Access, nth: u8 },
    /// Stores the first of the context's elements as that of this number.
    Store { access: Access, nth: u8 },
    /// The same of all lanes, without asking which.
    StoreOfAll { access: Access, nth: u8 },
    /// Changes memory by the first of the context's elements. What the register holds afterwards is the second.
    Atomic { how: How, access: Access, locked: bool },
    /// The same of all lanes by one instruction each, whose operand the first lane's is for all.
    AtomicOfAll { code: Code, access: Access, locked: bool },
}

/// How an atomic is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// By one instruction on memory and a register, which afterwards holds the old value, if anybody wants it.
    One(Code),
    /// The second of the context's elements is stored if memory holds the first.
    CompareExchange,
    /// By attempts to exchange: the instruction makes the new value of the operand and the old value, which were compared.
    Loop(Code),
    /// The same for a sum of binary32; subnormal numbers become zero, and those of the operand have.
    AddF32 { flush: bool },
    /// The same for a sum of binary64.
    AddF64,
}

impl How {
    /// Whether it exchanges what memory holds, and may so be part of a wait for a lock.
    pub(crate) fn exchanges(self) -> bool {
        matches!(self, How::CompareExchange | How::One(Code::Xchg_rm32_r32 | Code::Xchg_rm64_r64))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct MInst {
    pub(crate) kind: Kind,
    operands: Range<u32>,
    /// Whether it changes all registers that calls change.
    pub(crate) calls: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct MBlock {
    pub(crate) params: Vec<VReg>,
    pub(crate) insts: Range<u32>,
    pub(crate) succs: Vec<Block>,
    /// Per successor, the values for its parameters.
    pub(crate) args: Vec<Vec<VReg>>,
    /// Whether it is seldom reached: its code lies behind that of the others.
    pub(crate) is_cold: bool,
    preds: Vec<Block>,
}

/// A function of machine instructions.
#[derive(Debug)]
pub(crate) struct Func {
    pub(crate) blocks: Vec<MBlock>,
    pub(crate) insts: Vec<MInst>,
    operands: Vec<Operand>,
    pub(crate) args: Vec<Arg>,
    values: usize,
    /// Constants, each of 64 bytes.
    pub(crate) pool: Vec<[u8; 64]>,
    known: foldhash::HashMap<[u8; 64], u32>,
    pub(crate) exits: Vec<Leaving>,
    /// Slots of 8 bytes of a vector register.
    vector_slots: usize,
    clobbered: PRegSet,
    current: Option<usize>,
}

impl Func {
    pub(crate) fn new(vector_bytes: usize, clobbered: PRegSet) -> Func {
        Func {
            blocks: Vec::new(),
            insts: Vec::new(),
            operands: Vec::new(),
            args: Vec::new(),
            values: 0,
            pool: Vec::new(),
            known: foldhash::HashMap::default(),
            exits: Vec::new(),
            vector_slots: vector_bytes / 8,
            clobbered,
            current: None,
        }
    }

    /// A new value.
    pub(crate) fn value(&mut self, class: RegClass) -> VReg {
        self.values += 1;
        VReg::new(self.values - 1, class)
    }

    /// A constant of the pool.
    pub(crate) fn constant(&mut self, bytes: [u8; 64]) -> u32 {
        let pool = &mut self.pool;
        *self.known.entry(bytes).or_insert_with(|| {
            pool.push(bytes);
            pool.len() as u32 - 1
        })
    }

    /// A new block.
    pub(crate) fn block(&mut self) -> Block {
        self.blocks.push(MBlock::default());
        Block::new(self.blocks.len() - 1)
    }

    /// A new block that is seldom reached.
    pub(crate) fn cold_block(&mut self) -> Block {
        let block = self.block();
        self.blocks[block.index()].is_cold = true;
        block
    }

    /// Instructions are added to this block from now on, until its end.
    pub(crate) fn begin(&mut self, block: Block) {
        let at = self.insts.len() as u32;
        self.blocks[block.index()].insts = at..at;
        self.current = Some(block.index());
    }

    /// Ends the block.
    pub(crate) fn end(&mut self, kind: Kind, succs: Vec<(Block, Vec<VReg>)>) {
        self.push(kind, &[], false);
        if let Some(at) = self.current.take() {
            let block = &mut self.blocks[at];
            block.insts.end = self.insts.len() as u32;
            (block.succs, block.args) = succs.into_iter().unzip();
        }
    }

    /// The operands of all instructions.
    pub(crate) fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// Which of them are those of an instruction.
    pub(crate) fn operand_range(&self, inst: Inst) -> Range<usize> {
        let Range { start, end } = self.insts[inst.index()].operands;
        start as usize..end as usize
    }

    /// Puts the instructions of a range into another order.
    pub(crate) fn arrange(&mut self, range: Range<u32>, order: Vec<usize>) {
        let arranged: Vec<MInst> = order.into_iter().map(|at| self.insts[at].clone()).collect();
        self.insts.splice(range.start as usize..range.end as usize, arranged);
    }

    fn push(&mut self, kind: Kind, operands: &[Operand], calls: bool) {
        let tests = matches!(kind, Kind::Branch(_) | Kind::Guard { .. } | Kind::Serve { .. });
        debug_assert!(
            !tests || self.flags_are_meant(),
            "{kind:?}: what changes flags stands before"
        );
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        let operands = start..self.operands.len() as u32;
        self.insts.push(MInst { kind, operands, calls });
    }

    /// Whether what changed flags last is there for that.
    fn flags_are_meant(&self) -> bool {
        let last = self.insts.iter().rev().find_map(|inst| match inst.kind {
            Kind::X { code, .. } => crate::x86::changes_flags(code).then(|| code.mnemonic()),
            Kind::Compound(what) => what.flags(),
            _ => None,
        });
        use Mnemonic as M;
        matches!(last, Some(M::Test | M::Cmp | M::Sub | M::Kortestw | M::Vptest))
    }

    /// Adds an x86 instruction.
    pub(crate) fn x(&mut self, code: Code, operands: &[O]) {
        let start = self.operands.len() as u32;
        let first = self.args.len() as u32;
        let mut mask = None;
        let mut way = Way::Usual;
        let mut count = 0u8;
        let mut add = |all: &mut Vec<Operand>, operand: Operand| {
            all.push(operand);
            count += 1;
            count - 1
        };
        // The operand of a tied result is named by its index, so it stands first.
        for operand in operands {
            let all = &mut self.operands;
            match *operand {
                O::D(value) => {
                    // Late, so that it may have the register of an operand.
                    let nth = add(all, Operand::reg_def(value));
                    self.args.push(Arg::Register(nth));
                }
                O::Tied(value, from) => {
                    let nth = add(all, Operand::reg_use(from));
                    add(all, Operand::reg_reuse_def(value, usize::from(nth)));
                    self.args.push(Arg::Register(nth));
                }
                O::U(value) => {
                    let nth = add(all, Operand::reg_use(value));
                    self.args.push(Arg::Register(nth));
                }
                O::M(Mem { base, index, disp, broadcast }) => {
                    let base = match base {
                        Base::Registers(scale) => ArgBase::Registers(scale),
                        Base::Context => ArgBase::Context,
                        Base::Warp => ArgBase::Warp,
                        Base::Pool(nth) => ArgBase::Pool(nth),
                        Base::Value(value) => ArgBase::Register(add(all, Operand::reg_use(value))),
                    };
                    let index =
                        index.map(|(index, scale)| (add(all, Operand::reg_use(index)), scale));
                    self.args.push(Arg::Memory { base, index, disp, broadcast });
                }
                O::I8(value) => self.args.push(Arg::I8(value)),
                O::I32(value) => self.args.push(Arg::I32(value)),
                O::I64(value) => self.args.push(Arg::I64(value)),
                O::Locked => way = Way::Locked,
                O::Rounded(Round::NearestEven) => {}
                O::Rounded(round) => way = Way::Rounded(round),
                O::Masked(value) => mask = Some((add(all, Operand::reg_use(value)), false)),
                O::Zeroing(value) => mask = Some((add(all, Operand::reg_use(value)), true)),
            }
        }
        let operands = start..self.operands.len() as u32;
        let kind = Kind::X { code, args: first..self.args.len() as u32, mask, way };
        self.insts.push(MInst { kind, operands, calls: false });
    }

    /// Adds a call that performs an instruction, by these lanes or by all. The value is 0 if that was done. Where it is seldom made it
    /// saves all registers: that is less code than to store values before it and to load them behind it.
    pub(crate) fn perform(&mut self, place: u32, lanes: Option<VReg>) -> VReg {
        let result = self.value(RegClass::Int);
        let mut operands = vec![Operand::reg_fixed_def(result, register(0, RegClass::Int))];
        operands.extend(lanes.map(Operand::reg_use));
        let saves = self.current.is_some_and(|block| self.blocks[block].is_cold);
        let kind = Kind::Perform { place, lanes: lanes.is_some(), saves };
        self.push(kind, &operands, !saves);
        result
    }

    /// Adds calls of a function of rows.
    pub(crate) fn rows(&mut self, function: u32, warps: u32) {
        // Nobody reads what is in the register of results.
        let result = self.value(RegClass::Int);
        let result = Operand::reg_fixed_def(result, register(0, RegClass::Int));
        self.push(Kind::Rows { function, warps }, &[result], true);
    }

    /// Adds what serves an access that was checked: of a site, if it has one, from an address and vectors of offsets on. The results are
    /// what these become; `values` must be known by the exit where nobody can serve it.
    pub(crate) fn serve(
        &mut self,
        (site, exit): (Option<u32>, u32),
        base: VReg,
        offsets: &[VReg],
        lanes: Option<VReg>,
        values: &[VReg],
    ) -> (VReg, Vec<VReg>) {
        let base_after = self.value(RegClass::Int);
        let offsets_after: Vec<VReg> =
            offsets.iter().map(|_| self.value(RegClass::Float)).collect();
        let before = [base].into_iter().chain(offsets.iter().copied());
        let mut operands: Vec<Operand> = before.chain(lanes).map(Operand::reg_use).collect();
        let after = [base_after].into_iter().chain(offsets_after.iter().copied());
        operands.extend(after.zip(0..).map(|(value, nth)| Operand::reg_reuse_def(value, nth)));
        let kind = Kind::Serve { site, exit, offsets: offsets.len() as u8, lanes: lanes.is_some() };
        self.may_leave(kind, &operands, values);
        (base_after, offsets_after)
    }

    /// Adds something that is done for each lane.
    pub(crate) fn each_lane(&mut self, what: EachLane, operands: &[Operand]) {
        self.push(Kind::EachLane(what), operands, false);
    }

    /// Adds an instruction that may leave the code: after `operands` come the values that must be known then.
    pub(crate) fn may_leave(&mut self, kind: Kind, operands: &[Operand], values: &[VReg]) {
        if let Kind::Guard { exit, .. } | Kind::Check { exit, .. } | Kind::Serve { exit, .. } = kind
        {
            self.exits[exit as usize].first = operands.len();
        }
        // Nothing is written that could take their places.
        let any = |value: &VReg| Operand::any_use(*value);
        let all: Vec<Operand> = operands.iter().copied().chain(values.iter().map(any)).collect();
        self.push(kind, &all, false);
    }

    /// Puts the blocks in the order of their instructions, when all are there, finds predecessors, and leaves out parameters that
    /// always have one value. The result is where each
    /// block is now.
    pub(crate) fn finish(&mut self) -> Vec<Block> {
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.sort_by_key(|at| self.blocks[*at].insts.start);
        let mut now = vec![Block::new(0); order.len()];
        for (to, from) in order.iter().enumerate() {
            now[*from] = Block::new(to);
        }
        self.blocks = order.iter().map(|at| std::mem::take(&mut self.blocks[*at])).collect();
        for block in &mut self.blocks {
            block.succs.iter_mut().for_each(|to| *to = now[to.index()]);
        }
        for at in 0..self.blocks.len() {
            for to in self.blocks[at].succs.clone() {
                self.blocks[to.index()].preds.push(Block::new(at));
            }
        }
        self.replace_params();
        now
    }
}

impl Function for Func {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let Range { start, end } = self.blocks[block.index()].insts;
        InstRange::new(Inst::new(start as usize), Inst::new(end as usize))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].succs
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].preds
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.blocks[block.index()].params
    }

    fn is_ret(&self, inst: Inst) -> bool {
        matches!(self.insts[inst.index()].kind, Kind::Leave { .. })
    }

    fn is_branch(&self, inst: Inst) -> bool {
        matches!(self.insts[inst.index()].kind, Kind::Jump | Kind::Branch(_) | Kind::Dispatch)
    }

    fn branch_blockparams(&self, block: Block, _inst: Inst, nth: usize) -> &[VReg] {
        &self.blocks[block.index()].args[nth]
    }

    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        &self.operands[self.operand_range(inst)]
    }

    fn inst_clobbers(&self, inst: Inst) -> PRegSet {
        if self.insts[inst.index()].calls { self.clobbered } else { PRegSet::empty() }
    }

    fn num_vregs(&self) -> usize {
        self.values
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        match class {
            RegClass::Int | RegClass::Vector => 1,
            RegClass::Float => self.vector_slots,
        }
    }
}

/// A register by its number.
pub(crate) fn register(number: usize, class: RegClass) -> PReg {
    PReg::new(number, class)
}
