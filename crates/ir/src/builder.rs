//! Builds a kernel block by block.

use crate::{
    Access, BinaryOp, Block, BlockId, Class, CompareOp, Inst, Kernel, Op, Place, Pred, Reg, Src,
    Terminator, TernaryOp, ThreadLimits, UnaryOp, WarpRules, order,
};

/// A block under construction.
#[derive(Clone, Debug, Default)]
struct Draft {
    insts: Vec<Inst>,
    end: Option<(Terminator, Place)>,
}

/// A kernel under construction. Instructions go to the current block, under the current guard and
/// place. Code after a terminator goes to a new block that nothing reaches and is dropped at the end.
#[derive(Debug)]
pub struct Builder {
    name: String,
    rules: WarpRules,
    registers: Vec<Class>,
    blocks: Vec<Draft>,
    current: BlockId,
    guard: Option<Pred>,
    place: Place,
}

impl Builder {
    /// An empty kernel, standing in its entry block.
    pub fn new(name: impl Into<String>, rules: WarpRules) -> Self {
        Builder {
            name: name.into(),
            rules,
            registers: Vec::new(),
            blocks: vec![Draft::default()],
            current: BlockId(0),
            guard: None,
            place: Place::default(),
        }
    }

    /// A new virtual register.
    pub fn reg(&mut self, class: Class) -> Reg {
        self.registers.push(class);
        Reg(self.registers.len() as u32 - 1)
    }

    /// The class of a register made by [`Builder::reg`].
    pub fn class(&self, reg: Reg) -> Class {
        self.registers[reg.0 as usize]
    }

    /// A new, empty block.
    pub fn block(&mut self) -> BlockId {
        self.blocks.push(Draft::default());
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Goes on in another block.
    pub fn switch_to(&mut self, block: BlockId) {
        self.current = block;
    }

    /// The block that instructions go to.
    pub fn current(&self) -> BlockId {
        self.current
    }

    /// The place of instructions that are pushed next.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Sets where the following instructions come from.
    pub fn set_place(&mut self, place: Place) {
        self.place = place;
    }

    /// Sets the guard of the following instructions.
    pub fn set_guard(&mut self, guard: Option<Pred>) {
        self.guard = guard;
    }

    /// The guard of the following instructions.
    pub fn guard(&self) -> Option<Pred> {
        self.guard
    }

    /// Appends an operation.
    pub fn push(&mut self, op: Op) {
        if self.blocks[self.current.0 as usize].end.is_some() {
            self.current = self.block();
        }
        let inst = Inst { guard: self.guard, op, place: self.place };
        self.blocks[self.current.0 as usize].insts.push(inst);
    }

    /// Ends the current block. A second terminator of the same block is unreachable and dropped.
    pub fn terminate(&mut self, terminator: Terminator) {
        let place = self.place;
        let block = &mut self.blocks[self.current.0 as usize];
        block.end.get_or_insert((terminator, place));
        // Most blocks are short, and there may be very many.
        block.insts.shrink_to_fit();
    }

    /// Whether the current block has its terminator.
    pub fn is_terminated(&self) -> bool {
        self.blocks[self.current.0 as usize].end.is_some()
    }

    /// `d = op(a)`.
    pub fn unary_to(&mut self, d: Reg, op: UnaryOp, a: impl Into<Src>) {
        self.push(Op::Unary { op, d, a: a.into() });
    }

    /// `op(a)` in a new register.
    pub fn unary(&mut self, op: UnaryOp, a: impl Into<Src>) -> Reg {
        let d = self.reg(op.signature().1);
        self.unary_to(d, op, a);
        d
    }

    /// `d = op(a, b)`.
    pub fn binary_to(&mut self, d: Reg, op: BinaryOp, a: impl Into<Src>, b: impl Into<Src>) {
        self.push(Op::Binary { op, d, a: a.into(), b: b.into() });
    }

    /// `op(a, b)` in a new register.
    pub fn binary(&mut self, op: BinaryOp, a: impl Into<Src>, b: impl Into<Src>) -> Reg {
        let d = self.reg(op.signature().1);
        self.binary_to(d, op, a, b);
        d
    }

    /// `d = op(a, b, c)`.
    pub fn ternary_to(
        &mut self,
        d: Reg,
        op: TernaryOp,
        a: impl Into<Src>,
        b: impl Into<Src>,
        c: impl Into<Src>,
    ) {
        self.push(Op::Ternary { op, d, a: a.into(), b: b.into(), c: c.into() });
    }

    /// `op(a, b, c)` in a new register.
    pub fn ternary(
        &mut self,
        op: TernaryOp,
        a: impl Into<Src>,
        b: impl Into<Src>,
        c: impl Into<Src>,
    ) -> Reg {
        let d = self.reg(op.signature().1);
        self.ternary_to(d, op, a, b, c);
        d
    }

    /// The predicate `op(a, b)` in a new register.
    pub fn compare(&mut self, op: CompareOp, a: impl Into<Src>, b: impl Into<Src>) -> Reg {
        let d = self.reg(Class::Pred);
        self.push(Op::Compare { op, d, a: a.into(), b: b.into() });
        d
    }

    /// The predicate that `table` makes of `a` and `b` (see [`Op::Logic`]) in a new register.
    pub fn logic(&mut self, table: u8, a: impl Into<Pred>, b: impl Into<Pred>) -> Reg {
        let d = self.reg(Class::Pred);
        self.push(Op::Logic { table, d, a: a.into(), b: b.into() });
        d
    }

    /// Copies a value into a register of class `W32` or `W64`, or a predicate into a predicate.
    pub fn copy_to(&mut self, d: Reg, a: impl Into<Src>) {
        let a = a.into();
        match (self.class(d), a) {
            (Class::W32, _) => self.unary_to(d, UnaryOp::Mov32, a),
            (Class::W64, _) => self.unary_to(d, UnaryOp::Mov64, a),
            (Class::Pred, Src::Reg(reg)) => self.pred_to(d, Pred::Is(reg)),
            (Class::Pred, Src::Imm(value)) => self.pred_to(d, Pred::Const(value != 0)),
        }
    }

    /// Copies a predicate.
    pub fn pred_to(&mut self, d: Reg, a: impl Into<Pred>) {
        const FIRST: u8 = 0b1100;
        self.push(Op::Logic { table: FIRST, d, a: a.into(), b: Pred::Const(false) });
    }

    /// `p ? a : b` in a new register of that class.
    pub fn select(
        &mut self,
        class: Class,
        p: impl Into<Pred>,
        a: impl Into<Src>,
        b: impl Into<Src>,
    ) -> Reg {
        let d = self.reg(class);
        self.push(Op::Select { d, a: a.into(), b: b.into(), p: p.into() });
        d
    }

    /// The class of register that an element of this width is loaded into.
    pub fn class_of(access: Access) -> Class {
        match access {
            Access::U8 | Access::S8 | Access::U16 | Access::S16 | Access::B32 => Class::W32,
            Access::B64 => Class::W64,
        }
    }

    /// The finished kernel: reachable blocks in reconvergence order. A block without a terminator
    /// ends in exit. In lockstep the ends of a loop go by way of one block, where lanes meet before they begin the next
    /// turn. Sizes of memory spaces are zero; the caller fills them in.
    pub fn finish(self) -> Kernel {
        let exit = (Terminator::Exit, Place::default());
        let mut blocks: Vec<_> = self
            .blocks
            .into_iter()
            .map(|Draft { insts, end }| {
                let (terminator, place) = end.unwrap_or(exit.clone());
                Some(Block { insts, terminator, place })
            })
            .collect();
        let mut successors = successors_of(&blocks);
        let mut order = order::reconvergence_order(&successors);
        if self.rules == WarpRules::Lockstep {
            let loops = order::loops_of_several_ends(&successors, &order);
            if !loops.is_empty() {
                loops.into_iter().for_each(|(head, ends)| join_ends(&mut blocks, head, &ends));
                successors = successors_of(&blocks);
                order = order::reconvergence_order(&successors);
            }
        }
        let mut position = vec![BlockId(0); blocks.len()];
        for (at, block) in order.iter().enumerate() {
            position[*block] = BlockId(at as u32);
        }
        let place_block = |id: BlockId| position[id.0 as usize];
        let blocks = order
            .iter()
            .filter_map(|id| blocks[*id].take())
            .map(|mut block| {
                match &mut block.terminator {
                    Terminator::Jump(to) => *to = place_block(*to),
                    Terminator::Branch { then, otherwise, .. } => {
                        *then = place_block(*then);
                        *otherwise = place_block(*otherwise);
                    }
                    Terminator::Exit | Terminator::Trap => {}
                }
                block
            })
            .collect();
        Kernel {
            name: self.name,
            rules: self.rules,
            registers: self.registers,
            blocks,
            param_bytes: 0,
            param_gaps: Vec::new(),
            shared_bytes: 0,
            shared_gaps: Vec::new(),
            system_shared: 0..0,
            local_bytes: 0,
            frames: Vec::new(),
            threads: ThreadLimits::default(),
        }
    }
}

fn successors_of(blocks: &[Option<Block>]) -> Vec<Vec<usize>> {
    let to = |block: &Block| block.terminator.successors().map(|to| to.0 as usize).collect();
    blocks.iter().flatten().map(to).collect()
}

/// Lets the ends of a loop lead to its head by way of a new block.
fn join_ends(blocks: &mut Vec<Option<Block>>, head: usize, ends: &[usize]) {
    let (head, new) = (BlockId(head as u32), BlockId(blocks.len() as u32));
    let mut place = Place::default();
    for end in ends {
        let Some(Some(block)) = blocks.get_mut(*end) else { continue };
        place = block.place;
        let redirect = |to: &mut BlockId| *to = if *to == head { new } else { *to };
        match &mut block.terminator {
            Terminator::Jump(to) => redirect(to),
            Terminator::Branch { then, otherwise, .. } => {
                redirect(then);
                redirect(otherwise);
            }
            Terminator::Exit | Terminator::Trap => {}
        }
    }
    blocks.push(Some(Block { insts: Vec::new(), terminator: Terminator::Jump(head), place }));
}
