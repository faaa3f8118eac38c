//! How control goes from one piece to the next.

use super::Lower;
use crate::exit::Why;
use crate::mir::Kind;
use iced_x86::ConditionCode;
use ir::{BlockId, Pred, Reg, Terminator};
use regalloc2::Block;

impl Lower<'_> {
    /// Ends a node at its block's end.
    pub(super) fn terminator(&mut self, node: usize, place: u32) {
        let block = self.nodes.all[node].block;
        match self.input.kernel.blocks[block].terminator {
            Terminator::Jump(to) => self.go(block, to),
            Terminator::Branch { p, then, otherwise } => {
                self.branch(block, p, then, otherwise, place)
            }
            Terminator::Exit => {
                self.count_block(block);
                let exit = self.leaving_with(Why::Exits, place, &[]);
                self.func.end(Kind::Leave { exit }, Vec::new());
            }
            Terminator::Trap => self.leave_all(Why::Leaves, place),
        }
    }

    /// Goes on at a block.
    fn go(&mut self, from: usize, to: BlockId) {
        self.count_block(from);
        let target = self.nodes.first[to.0 as usize];
        if to.0 as usize <= from {
            let live: Vec<Reg> = self.nodes.all[target].live.clone();
            let place = self.nodes.place(target, self.input.starts);
            let exit = self.leaving_with(Why::Yields, place, &live);
            let values = std::mem::take(&mut self.leaving_values);
            self.spend(1);
            let kind = Kind::Guard { condition: ConditionCode::s, exit };
            self.func.may_leave(kind, &[], &values);
        }
        let args = self.handed_on(target);
        self.func.end(Kind::Jump, vec![(self.blocks[target], args)]);
    }

    /// Goes on in one direction with all lanes; where they part, the code is left before the branch.
    fn branch(&mut self, block: usize, p: Pred, then: BlockId, otherwise: BlockId, place: u32) {
        let reg = match p {
            Pred::Const(true) => return self.go(block, then),
            Pred::Const(false) => return self.go(block, otherwise),
            Pred::Is(reg) | Pred::Not(reg) => reg,
        };
        let (then, otherwise) = match p {
            Pred::Not(_) => (otherwise, then),
            Pred::Is(_) | Pred::Const(_) => (then, otherwise),
        };
        if let Some((part, lanes)) = self.parts.always.get(&block).copied() {
            let lanes = lanes & self.gang.all();
            let bits = self.lanes_constant(lanes);
            self.count_block(block);
            return self.come_apart(part, bits, Some(lanes), [then, otherwise]);
        }
        let mut bits = self.scalar(reg);
        let [to_then, to_otherwise] = [0; 2].map(|_| self.func.block());
        let state = self.state.clone();
        let bases = self.bases;
        if self.pred_is_uniform(p) {
            self.is_any(bits);
            self.part(ConditionCode::ne, to_then, to_otherwise);
        } else {
            let rest = self.func.block();
            bits = self.there(bits);
            self.are_all_there(bits);
            self.part(ConditionCode::e, to_then, rest);
            self.func.begin(rest);
            if let Some(part) = self.parts.of.get(&block).copied().filter(|_| then != otherwise) {
                let mixed = self.func.block();
                self.is_any(bits);
                self.part(ConditionCode::e, to_otherwise, mixed);
                let (state, bases) = (self.state.clone(), self.bases);
                self.func.begin(mixed);
                self.count_block(block);
                self.come_apart(part, bits, None, [then, otherwise]);
                (self.state, self.bases) = (state, bases);
            } else {
                self.guard(ConditionCode::ne, place, |this| this.is_any(bits));
                self.func.end(Kind::Jump, vec![(to_otherwise, Vec::new())]);
            }
        }
        (self.state, self.bases) = (state.clone(), bases);
        self.func.begin(to_then);
        self.go(block, then);
        (self.state, self.bases) = (state, bases);
        self.func.begin(to_otherwise);
        self.go(block, otherwise);
    }

    fn part(&mut self, condition: ConditionCode, then: Block, otherwise: Block) {
        let both = vec![(then, Vec::new()), (otherwise, Vec::new())];
        self.func.end(Kind::Branch(condition), both);
    }
}
