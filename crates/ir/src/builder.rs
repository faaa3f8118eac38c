//! Builds a kernel block by block.

use crate::analysis::{Graph, Liveness, order};
use crate::{
    Access, BinaryOp, Block, BlockId, Class, CompareOp, Inst, Kernel, Op, Place, Pred, Reg, Src,
    Terminator, TernaryOp, UnaryOp, WarpRules,
};
use std::collections::{HashMap, VecDeque};

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
    /// Where control goes on within its function from the blocks that call and return.
    flows: HashMap<BlockId, Vec<BlockId>>,
    /// Where functions begin, in the order in which they are laid out.
    functions: Vec<BlockId>,
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
            flows: HashMap::new(),
            functions: Vec::new(),
        }
    }

    /// How many registers there are.
    pub fn registers(&self) -> usize {
        self.registers.len()
    }

    /// Says that a block calls, or returns: within its function control goes on from it to these blocks only, in the end,
    /// whatever its terminator says.
    pub fn flows(&mut self, from: BlockId, to: Vec<BlockId>) {
        self.flows.insert(from, to);
    }

    /// Takes back what was said of a block: its terminator says where control goes on.
    pub fn flows_as_it_ends(&mut self, from: BlockId) {
        self.flows.remove(&from);
    }

    /// Says where functions begin: the blocks of each are laid out together, in the order in which they are given here, behind
    /// what control enters first. Splits that stand earlier run first; so a function comes before those that call it, who wait
    /// for all lanes that are in it.
    pub fn lay_out(&mut self, functions: Vec<BlockId>) {
        self.functions = functions;
    }

    /// The registers of a function whose values are needed at the start of some of its blocks, as far as the function itself
    /// reads them. `None` if it is too large for that to be known.
    pub fn live_in(&self, function: BlockId, at: &[BlockId]) -> Option<Vec<Vec<Reg>>> {
        let mut number = HashMap::from([(function, 0)]);
        let mut blocks = Vec::new();
        let mut open = VecDeque::from([function]);
        while let Some(id) = open.pop_front() {
            let draft = &self.blocks[id.0 as usize];
            let mut next = |to: BlockId| {
                let count = number.len() as u32;
                BlockId(*number.entry(to).or_insert_with(|| {
                    open.push_back(to);
                    count
                }))
            };
            let flow = self.flow(id);
            let terminator = match (&draft.end, flow.as_slice()) {
                (Some((Terminator::Branch { p, .. }, _)), [then, otherwise]) => {
                    Terminator::Branch { p: *p, then: next(*then), otherwise: next(*otherwise) }
                }
                (_, [to, ..]) => Terminator::Jump(next(*to)),
                (_, []) => Terminator::Exit,
            };
            let (insts, place) = (draft.insts.clone(), Place::default());
            blocks.push(Block { insts, terminator, place });
        }
        let kernel =
            Kernel { blocks, ..Kernel::empty(String::new(), self.rules, self.registers.clone()) };
        let live = Liveness::of(&kernel)?;
        let needed = |block: &BlockId| {
            let number = number.get(block)?;
            Some(live.live_in(*number as usize).collect())
        };
        Some(at.iter().map(|block| needed(block).unwrap_or_default()).collect())
    }

    /// Where control goes on from a block within its function.
    fn flow(&self, id: BlockId) -> Vec<BlockId> {
        if let Some(to) = self.flows.get(&id) {
            return to.clone();
        }
        let end = self.blocks[id.0 as usize].end.iter();
        end.flat_map(|(terminator, _)| terminator.successors()).collect()
    }

    /// The blocks that control can reach, function by function, each in reconvergence order.
    fn order(&self) -> Vec<usize> {
        let index = |id: BlockId| id.0 as usize;
        let flow = |at: usize| self.flow(BlockId(at as u32)).into_iter().map(index).collect();
        let flows: Vec<Vec<usize>> = (0..self.blocks.len()).map(flow).collect();
        if self.functions.is_empty() {
            return order::reconvergence_order(&flows, &[0]);
        }
        let edges = self.blocks.iter().enumerate().flat_map(|(from, draft)| {
            let to = draft.end.iter().flat_map(|(terminator, _)| terminator.successors());
            to.map(move |to| (from, index(to)))
        });
        let mut reached = Graph::new(self.blocks.len(), edges).behind([0]);
        reached.insert(0);
        let roots: Vec<_> =
            std::iter::once(0).chain(self.functions.iter().copied().map(index)).collect();
        // What is reached and has its place is not looked for any more.
        let found = order::reconvergence_order(&flows, &roots).into_iter();
        let mut found: Vec<_> = found
            .filter(|at| {
                let is_new = reached.contains(*at);
                reached.set(*at, false);
                is_new
            })
            .collect();
        // Behind a call that nothing reaches there may be code that something does: a function returns there, as far as can be
        // known.
        let rest: Vec<_> = reached.ones().collect();
        if !rest.is_empty() {
            let rest = order::reconvergence_order(&flows, &rest).into_iter();
            found.extend(rest.filter(|at| reached.contains(*at)));
        }
        found
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

    /// Lets the ends of every loop that has several lead to its head by way of a new block.
    fn join_ends_of_loops(&mut self) {
        let flow = |at: usize| self.flow(BlockId(at as u32)).into_iter().map(|to| to.0 as usize);
        let flows: Vec<Vec<usize>> = (0..self.blocks.len()).map(|at| flow(at).collect()).collect();
        for (head, ends) in order::loops_of_several_ends(&flows, &self.order()) {
            let (head, new) = (BlockId(head as u32), BlockId(self.blocks.len() as u32));
            let mut place = Place::default();
            for end in ends {
                let Some((terminator, from)) = &mut self.blocks[end].end else { continue };
                place = *from;
                let redirect = |to: &mut BlockId| *to = if *to == head { new } else { *to };
                match terminator {
                    Terminator::Jump(to) => redirect(to),
                    Terminator::Branch { then, otherwise, .. } => {
                        redirect(then);
                        redirect(otherwise);
                    }
                    Terminator::Exit | Terminator::Trap => {}
                }
            }
            let end = Some((Terminator::Jump(head), place));
            self.blocks.push(Draft { end, ..Draft::default() });
        }
    }

    /// The finished kernel: reachable blocks in reconvergence order. A block without a terminator
    /// ends in exit. The ends of a loop go by way of one block, where lanes meet before they begin the next
    /// turn: in lockstep they must, and elsewhere a collective at the loop's head would else be waited for in each turn.
    /// Sizes of memory spaces are zero; the caller fills them in.
    pub fn finish(mut self) -> Kernel {
        self.join_ends_of_loops();
        let order = self.order();
        let exit = (Terminator::Exit, Place::default());
        let mut blocks: Vec<_> = self
            .blocks
            .into_iter()
            .map(|Draft { insts, end }| {
                let (terminator, place) = end.unwrap_or(exit.clone());
                Some(Block { insts, terminator, place })
            })
            .collect();
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
        Kernel { blocks, ..Kernel::empty(self.name, self.rules, self.registers) }
    }
}
