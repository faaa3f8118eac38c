//! Parameters of blocks that are always given one value are that value.
//!
//! Blocks are made with a parameter for each value that they need, since who comes to them is not known yet. Most values do not change
//! on the way: then there is nothing to allocate or to move.

use super::{Func, reverse_postorder};
use regalloc2::{Operand, VReg};

/// Of each value, the number of the one that it always is, itself if it is no other; [`UNKNOWN`] as long as that is not known.
struct Same(Vec<u32>);

/// Nothing is known of a value.
const UNKNOWN: u32 = u32::MAX;

impl Same {
    fn of(&self, value: VReg) -> u32 {
        self.0[value.vreg()]
    }

    /// Whether a value is no other one.
    fn is_itself(&self, value: VReg) -> bool {
        self.of(value) == value.vreg() as u32
    }
}

/// Per block, who goes there: a block, and the number of its successor.
type Ways = [Vec<(usize, usize)>];

impl Func {
    /// Replaces parameters that are always given one value, or themselves, by that value: it is there wherever they are. What is left
    /// is numbered in order.
    pub(super) fn replace_params(&mut self) {
        let mut ways = vec![Vec::new(); self.blocks.len()];
        for (from, block) in self.blocks.iter().enumerate() {
            for (nth, to) in block.succs.iter().enumerate() {
                ways[to.index()].push((from, nth));
            }
        }
        let same = self.same_params(&ways);
        self.drop_params(&ways, &same);
        self.number_again(&same);
    }

    /// Of each parameter that is always given one value, that value.
    ///
    /// A parameter of which nothing is known yet may be anything. So those are found, too, that loops hand to themselves and to each other;
    /// and only what nothing has changed in a whole round is true.
    fn same_params(&self, ways: &Ways) -> Same {
        let mut same = Same((0..self.values as u32).collect());
        let params = || self.blocks.iter().flat_map(|block| &block.params);
        params().for_each(|param| same.0[param.vreg()] = UNKNOWN);
        let mut order = reverse_postorder(self);
        order.retain(|block| !self.blocks[*block].params.is_empty());
        loop {
            let mut changed = false;
            for at in order.iter().copied() {
                for (nth, param) in self.blocks[at].params.iter().enumerate() {
                    if same.is_itself(*param) {
                        continue;
                    }
                    let given = ways[at].iter().map(|(from, to)| &self.blocks[*from].args[*to]);
                    let mut given =
                        given.map(|args| same.of(args[nth])).filter(|value| *value != UNKNOWN);
                    let first = given.next().unwrap_or(UNKNOWN);
                    let is_one = given.all(|value| value == first);
                    let found = if is_one { first } else { param.vreg() as u32 };
                    changed |= std::mem::replace(&mut same.0[param.vreg()], found) != found;
                }
            }
            if changed {
                continue;
            }
            // Code that nothing leads to hands these on.
            let unknown = params().filter(|param| same.of(**param) == UNKNOWN);
            let unknown: Vec<usize> = unknown.map(|param| param.vreg()).collect();
            if unknown.is_empty() {
                return same;
            }
            unknown.into_iter().for_each(|param| same.0[param] = param as u32);
        }
    }

    /// Takes parameters away that are other values, and what they are given.
    fn drop_params(&mut self, ways: &Ways, same: &Same) {
        for (at, ways) in ways.iter().enumerate() {
            let params = std::mem::take(&mut self.blocks[at].params);
            for (from, nth) in ways {
                let mut params = params.iter();
                self.blocks[*from].args[*nth]
                    .retain(|_| params.next().is_some_and(|param| same.is_itself(*param)));
            }
            self.blocks[at].params =
                params.into_iter().filter(|param| same.is_itself(*param)).collect();
        }
    }

    /// Numbers the values that are left.
    fn number_again(&mut self, same: &Same) {
        let mut number = vec![0; self.values];
        let mut left = 0;
        for (value, number) in number.iter_mut().enumerate() {
            *number = left;
            left += usize::from(same.0[value] == value as u32);
        }
        let renumbered = |value: VReg| VReg::new(number[same.of(value) as usize], value.class());
        for block in &mut self.blocks {
            let values = block.params.iter_mut().chain(block.args.iter_mut().flatten());
            values.for_each(|value| *value = renumbered(*value));
        }
        for operand in &mut self.operands {
            let (constraint, kind, pos) = (operand.constraint(), operand.kind(), operand.pos());
            *operand = Operand::new(renumbered(operand.vreg()), constraint, kind, pos);
        }
        self.values = left;
    }
}

#[cfg(test)]
mod tests {
    use crate::mir::{Func, Kind, O};
    use iced_x86::{Code, ConditionCode};
    use regalloc2::{Block, Function, Operand, PRegSet, RegClass, VReg};

    /// A block with these parameters, an instruction that reads them, and where it goes on with what.
    fn block(func: &mut Func, at: Block, params: &[VReg], succs: &[(Block, &[VReg])]) {
        func.begin(at);
        func.blocks[at.index()].params = params.to_vec();
        for param in params {
            func.x(Code::Test_rm64_r64, &[O::U(*param), O::U(*param)]);
        }
        let kind = match succs.len() {
            0 => Kind::Leave { exit: 0 },
            1 => Kind::Jump,
            _ => Kind::Branch(ConditionCode::ne),
        };
        func.end(kind, succs.iter().map(|(to, args)| (*to, args.to_vec())).collect());
    }

    /// The numbers of values that the instructions of a block read.
    fn read(func: &Func, at: usize) -> Vec<usize> {
        let insts = func.block_insns(Block::new(at));
        let operands = insts.iter().flat_map(|inst| func.inst_operands(inst));
        let mut read: Vec<usize> = operands.map(|operand| operand.vreg().vreg()).collect();
        read.dedup();
        read
    }

    /// A loop with two values around a branch: `[same, changed]` of the loop come from the entry, and what the branch hands on.
    fn looped(handed: impl Fn([VReg; 2], [VReg; 2]) -> [VReg; 2]) -> Func {
        let mut func = Func::new(32, PRegSet::empty());
        let [entry, head, left, right, join, end] = [0; 6].map(|_| func.block());
        let mut two = || [0; 2].map(|_| func.value(RegClass::Int));
        let [first, of_head, of_join, other] = [0; 4].map(|_| two());
        func.begin(entry);
        for value in first.iter().chain(&other) {
            func.x(Code::Mov_r64_rm64, &[O::D(*value), O::U(*value)]);
        }
        func.end(Kind::Jump, vec![(head, first.to_vec())]);
        block(&mut func, head, &of_head, &[(left, &[]), (right, &[])]);
        block(&mut func, left, &[], &[(join, &of_head)]);
        block(&mut func, right, &[], &[(join, &handed(of_head, other))]);
        block(&mut func, join, &of_join, &[(head, &of_join), (end, &[])]);
        block(&mut func, end, &[], &[]);
        func.finish();
        func
    }

    #[test]
    fn what_never_changes_is_no_parameter() {
        let func = looped(|of_head, _| of_head);
        assert!(func.blocks.iter().all(|block| block.params.is_empty()));
        assert!(func.blocks.iter().flat_map(|block| &block.args).all(Vec::is_empty));
        // Whoever read a parameter reads the value of the entry.
        assert_eq!((read(&func, 1), read(&func, 4)), (vec![0, 1], vec![0, 1]));
        assert_eq!(func.num_vregs(), 4);
    }

    #[test]
    fn what_changes_on_one_way_stays_a_parameter_of_both() {
        let func = looped(|[same, _], [_, other]| [same, other]);
        let counts: Vec<usize> = func.blocks.iter().map(|block| block.params.len()).collect();
        assert_eq!(counts, [0, 1, 0, 0, 1, 0]);
        let params = func.blocks.iter().flat_map(|block| &block.params);
        assert_eq!(params.map(|param| param.vreg()).collect::<Vec<_>>(), [2, 3]);
        assert_eq!((read(&func, 1), read(&func, 4)), (vec![0, 2], vec![0, 3]));
        let args: Vec<usize> = func
            .blocks
            .iter()
            .flat_map(|block| block.args.concat())
            .map(|arg| arg.vreg())
            .collect();
        assert_eq!(args, [1, 2, 5, 3]);
    }

    #[test]
    fn what_loops_hand_to_each_other_is_no_parameter() {
        let mut func = Func::new(32, PRegSet::empty());
        let [entry, outer, inner, end] = [0; 4].map(|_| func.block());
        let [first, of_outer, of_inner] = [0; 3].map(|_| func.value(RegClass::Int));
        func.begin(entry);
        func.x(Code::Mov_r64_rm64, &[O::D(first), O::U(first)]);
        func.end(Kind::Jump, vec![(outer, vec![first])]);
        block(&mut func, outer, &[of_outer], &[(inner, &[of_outer]), (end, &[])]);
        block(&mut func, inner, &[of_inner], &[(inner, &[of_inner]), (outer, &[of_inner])]);
        block(&mut func, end, &[], &[]);
        func.finish();
        assert!(func.blocks.iter().all(|block| block.params.is_empty()));
        assert_eq!((read(&func, 1), read(&func, 2)), (vec![0], vec![0]));
    }

    #[test]
    fn code_that_nothing_leads_to_keeps_its_own_values() {
        let mut func = Func::new(32, PRegSet::empty());
        let [entry, round, join] = [0; 3].map(|_| func.block());
        let [first, of_round, of_join] = [0; 3].map(|_| func.value(RegClass::Int));
        func.begin(entry);
        func.x(Code::Mov_r64_rm64, &[O::D(first), O::U(first)]);
        func.end(Kind::Jump, vec![(join, vec![first])]);
        block(&mut func, round, &[of_round], &[(round, &[of_round]), (join, &[of_round])]);
        block(&mut func, join, &[of_join], &[]);
        func.finish();
        let counts: Vec<usize> = func.blocks.iter().map(|block| block.params.len()).collect();
        assert_eq!(counts, [0, 1, 1]);
    }

    #[test]
    fn operands_stay_what_they_are() {
        let func = looped(|of_head, _| of_head);
        let first = func.block_insns(Block::new(0)).iter().next().expect("an instruction");
        let [def, read] = func.inst_operands(first) else { panic!("two operands") };
        let value = VReg::new(0, RegClass::Int);
        assert_eq!([*def, *read], [Operand::reg_def(value), Operand::reg_use(value)]);
    }
}
