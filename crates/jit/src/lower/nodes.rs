//! A kernel cut into pieces that run without anybody else: between barriers, and what the code leaves to others.

use ir::analysis::order::repeated;
use ir::analysis::{Liveness, reads_and_writes};
use ir::{
    BarrierAction, Interrupt, Kernel, Op, Operand, Pred, Reg, Src, Terminator, terminator_use,
};

/// How a piece ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At the end of its block.
    Terminator,
    /// At a barrier at which all threads of the CTA wait.
    Barrier,
    /// Where warps meet (`meets`).
    Meet,
    /// At an instruction that somebody else performs, who goes on behind it.
    Leave,
}

/// A piece of a block.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) block: usize,
    /// The instructions, without what it ends at.
    pub(super) insts: std::ops::Range<usize>,
    pub(super) end: End,
    /// Registers whose values are needed where it begins, in their order; not those of the prologue.
    pub(super) live: Vec<Reg>,
    /// Whether code can be entered there.
    pub(super) is_entry: bool,
    /// Ways that lead there from other pieces.
    pub(super) ways: u32,
}

impl Node {
    /// Whether it pays that code can be entered here, where it is seldom left before: what is needed has to be loaded for that, and as much
    /// is to be executed here.
    pub(super) fn pays_entering(&self) -> bool {
        self.insts.len() >= self.live.len()
    }
}

/// The pieces of a kernel, block after block.
#[derive(Debug)]
pub(super) struct Nodes {
    pub(super) all: Vec<Node>,
    /// Per block, its first piece.
    pub(super) first: Vec<usize>,
    /// Per block and instruction, the registers whose values nobody needs behind it.
    pub(super) kills: Vec<Vec<Vec<Reg>>>,
    /// Per block, whether lanes may come there again.
    pub(super) repeated: Vec<bool>,
}

/// Whether somebody else has to perform an instruction, and go on behind it.
fn end_at(inst: &ir::Inst) -> Option<End> {
    match &inst.op {
        Op::Barrier { action: BarrierAction::Sync, id: Src::Imm(_), threads: None, .. }
            if inst.guard.is_none() =>
        {
            Some(End::Barrier)
        }
        Op::Barrier { .. } | Op::ClusterBarrier { .. } => Some(End::Leave),
        Op::Host { service, .. } => (!service.is_read_only()).then_some(End::Leave),
        Op::Unary { .. }
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
        | Op::Collective { .. }
        | Op::Fence(_)
        | Op::Nanosleep { .. }
        | Op::Copy(_)
        | Op::CopyProgress(_) => None,
    }
}

impl Nodes {
    /// Cuts a kernel into pieces. `None` if it was interrupted.
    pub(super) fn of(
        kernel: &Kernel,
        live: &Liveness,
        invariant: &[bool],
        meets: &[Vec<usize>],
        interrupt: &Interrupt<'_>,
    ) -> Option<Nodes> {
        let mut all: Vec<Node> = Vec::new();
        let (mut first, mut kills) = (Vec::new(), Vec::new());
        let mut needed = vec![false; kernel.registers.len()];
        for (id, block) in kernel.blocks.iter().enumerate() {
            needed.fill(false);
            interrupt.go_on(needed.len() / 64)?;
            for to in block.terminator.successors() {
                live.live_in(to.0 as usize).for_each(|reg| needed[reg.0 as usize] = true);
            }
            terminator_use(&block.terminator)
                .into_iter()
                .for_each(|reg| needed[reg.0 as usize] = true);
            let mut killed = vec![Vec::new(); block.insts.len()];
            let mut pieces = Vec::new();
            let listed = |needed: &[bool]| -> Vec<Reg> {
                let wanted = needed.iter().zip(invariant).enumerate();
                let wanted = wanted.filter(|(_, (needed, invariant))| **needed && !**invariant);
                wanted.map(|(reg, _)| Reg(reg as u32)).collect()
            };
            let (mut to, mut end) = (block.insts.len(), End::Terminator);
            for (nth, inst) in block.insts.iter().enumerate().rev() {
                interrupt.go_on(1)?;
                let behind = meets[id].contains(&nth).then_some((nth + 1, End::Meet));
                if let Some(before) = behind.or(end_at(inst).map(|end| (nth, end))) {
                    let live = listed(&needed);
                    pieces.push(Node {
                        block: id,
                        insts: nth + 1..to,
                        end,
                        live,
                        is_entry: true,
                        ways: 0,
                    });
                    (to, end) = before;
                }
                inst.op.operands(|operand| {
                    let (Operand::Use(reg) | Operand::Def(reg)) = operand;
                    if !needed[reg.0 as usize] && !killed[nth].contains(&reg) {
                        killed[nth].push(reg);
                    }
                });
                let guard = inst.guard.and_then(Pred::reg);
                if let Some(reg) =
                    guard.filter(|reg| !needed[reg.0 as usize] && !killed[nth].contains(reg))
                {
                    killed[nth].push(reg);
                }
                reads_and_writes(inst, |reg, reads| needed[reg.0 as usize] = reads);
            }
            let live = listed(&needed);
            pieces.push(Node { block: id, insts: 0..to, end, live, is_entry: id == 0, ways: 0 });
            first.push(all.len());
            all.extend(pieces.into_iter().rev());
            kills.push(killed);
        }
        // What lies behind a piece that others end is entered there, as are loops.
        for (id, block) in kernel.blocks.iter().enumerate() {
            let next = first.get(id + 1).copied().unwrap_or(all.len());
            let last = &all[next - 1];
            let leaves = last.end == End::Leave;
            let any_left = all[first[id]..next].iter().any(|node| node.end == End::Leave) || leaves;
            // A branch on a constant leads to one block alone.
            let taken = |to: &ir::BlockId| match &block.terminator {
                Terminator::Branch { p: Pred::Const(value), then, otherwise } => {
                    *to == if *value { *then } else { *otherwise }
                }
                Terminator::Branch { .. }
                | Terminator::Jump(_)
                | Terminator::Exit
                | Terminator::Trap => true,
            };
            let is_constant =
                matches!(block.terminator, Terminator::Branch { p: Pred::Const(_), .. });
            let ways = if is_constant { 1 } else { 2 };
            for to in block.terminator.successors().filter(taken).take(ways) {
                let target = &mut all[first[to.0 as usize]];
                target.ways += 1;
                target.is_entry |= any_left || to.0 as usize <= id;
            }
        }
        for node in &mut all {
            node.is_entry |= node.ways == 0 || node.ways > 1 && node.pays_entering();
        }
        Some(Nodes { all, first, kills, repeated: repeated(kernel) })
    }

    /// The last piece of a block.
    pub(super) fn last(&self, block: usize) -> &Node {
        let next = self.first.get(block + 1).copied().unwrap_or(self.all.len());
        &self.all[next - 1]
    }

    /// Whether a block is one piece.
    pub(super) fn is_whole(&self, block: usize) -> bool {
        let next = self.first.get(block + 1).copied().unwrap_or(self.all.len());
        next - self.first[block] == 1 && self.last(block).end == End::Terminator
    }

    /// The place of a piece's first instruction in its block.
    pub(super) fn place(&self, node: usize, starts: &[u32]) -> u32 {
        let node = &self.all[node];
        starts[node.block] + node.insts.start as u32
    }
}
