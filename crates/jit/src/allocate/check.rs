//! Proof that each instruction finds its operands, by the checker of `regalloc2`.

use super::Allocated;
use super::order::Order;
use crate::isa::Family;
use crate::mir::Func;
use crate::registers::environment;
use regalloc2::checker::Checker;
use regalloc2::{
    Block, Edit, Function, Inst, InstRange, Operand, Output, PRegSet, ProgPoint, RegClass, VReg,
};

/// A function whose blocks are numbered so that each comes behind one that leads to it: the checker, which begins with the first, has
/// to know what a block is handed when it comes there.
struct Numbered<'a> {
    func: &'a Func,
    /// Per block, the one that it is.
    blocks: &'a [usize],
    /// Per instruction, the one that it is.
    insts: Vec<Inst>,
    ranges: Vec<InstRange>,
    succs: Vec<Vec<Block>>,
    preds: Vec<Vec<Block>>,
}

impl<'a> Numbered<'a> {
    fn of(func: &'a Func, order: &'a Order) -> Numbered<'a> {
        let mut insts = Vec::with_capacity(func.num_insts());
        let mut ranges = Vec::new();
        let again = |blocks: &[Block]| -> Vec<Block> {
            blocks.iter().map(|block| Block::new(order.at[block.index()])).collect()
        };
        let (mut succs, mut preds) = (Vec::new(), Vec::new());
        for block in order.blocks.iter().map(|block| Block::new(*block)) {
            let start = insts.len();
            insts.extend(func.block_insns(block).iter());
            ranges.push(InstRange::new(Inst::new(start), Inst::new(insts.len())));
            succs.push(again(func.block_succs(block)));
            preds.push(again(func.block_preds(block)));
        }
        Numbered { func, blocks: &order.blocks, insts, ranges, succs, preds }
    }

    fn block(&self, block: Block) -> Block {
        Block::new(self.blocks[block.index()])
    }
}

impl Function for Numbered<'_> {
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
        self.ranges[block.index()]
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.succs[block.index()]
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.preds[block.index()]
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        self.func.block_params(self.block(block))
    }

    fn is_ret(&self, inst: Inst) -> bool {
        self.func.is_ret(self.insts[inst.index()])
    }

    fn is_branch(&self, inst: Inst) -> bool {
        self.func.is_branch(self.insts[inst.index()])
    }

    fn branch_blockparams(&self, block: Block, inst: Inst, nth: usize) -> &[VReg] {
        self.func.branch_blockparams(self.block(block), self.insts[inst.index()], nth)
    }

    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        self.func.inst_operands(self.insts[inst.index()])
    }

    fn inst_clobbers(&self, inst: Inst) -> PRegSet {
        self.func.inst_clobbers(self.insts[inst.index()])
    }

    fn num_vregs(&self) -> usize {
        self.func.num_vregs()
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        self.func.spillslot_size(class)
    }
}

impl Allocated {
    /// What is moved around one instruction.
    fn moves_at(&self, inst: Inst) -> &[(ProgPoint, Edit)] {
        let moves = self.moves_from(inst.index() as u32);
        &moves[..moves.partition_point(|(point, _)| *point <= ProgPoint::after(inst))]
    }

    /// Proves that each instruction finds its operands where it reads them. The error says which does not.
    pub(crate) fn check(&self, func: &Func, family: Family) -> Result<(), String> {
        let order = Order::of(func);
        let numbered = Numbered::of(func, &order);
        let mut output = Output { num_spillslots: self.words, ..Output::default() };
        for (nth, inst) in numbered.insts.iter().enumerate() {
            output.inst_alloc_offsets.push(output.allocs.len() as u32);
            output.allocs.extend_from_slice(&self.operands[func.operand_range(*inst)]);
            let nth = Inst::new(nth);
            for (point, edit) in self.moves_at(*inst) {
                let before = *point == ProgPoint::before(*inst);
                let point = if before { ProgPoint::before(nth) } else { ProgPoint::after(nth) };
                output.edits.push((point, edit.clone()));
            }
        }
        let environment = environment(family);
        let mut checker = Checker::new(&numbered, &environment);
        checker.prepare(&output);
        checker.run().map_err(|errors| format!("registers are allocated wrongly: {errors:?}"))
    }
}
