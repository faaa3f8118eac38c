//! Instructions that detectors are done with in one look: what they read and write, and how lanes meet in them.

use crate::reg_set::Regs;
use foldhash::HashSet;
use ir::{Inst, Operand, Place};
use vm::Straight;

/// What instructions that follow each other do.
#[derive(Debug)]
pub(crate) struct Summary {
    /// The registers that are read before they are written.
    pub(crate) reads: Regs,
    pub(crate) writes: Regs,
    pub(crate) meetings: Option<Meetings>,
}

/// Collectives in a row. Between them lanes do nothing that others could notice, so those of one kind are as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meetings {
    /// The last one.
    pub(crate) last: Place,
    /// Whether that orders memory.
    pub(crate) last_orders: bool,
    /// Whether some order memory, and some do not.
    pub(crate) orders: bool,
    pub(crate) tells: bool,
}

impl Summary {
    fn new(insts: &[Inst]) -> Summary {
        let (mut read, mut written) = (Vec::new(), HashSet::default());
        let mut meetings: Option<Meetings> = None;
        for inst in insts {
            inst.op.operands(|operand| match operand {
                Operand::Use(reg) if written.contains(&reg) => {}
                Operand::Use(reg) => read.push(reg),
                Operand::Def(reg) => {
                    written.insert(reg);
                }
            });
            if inst.op.may_wait() {
                let (last, last_orders) = (inst.place, inst.op.orders_memory());
                let (orders, tells) =
                    meetings.map_or((false, false), |all| (all.orders, all.tells));
                let (orders, tells) = (orders | last_orders, tells | !last_orders);
                meetings = Some(Meetings { last, last_orders, orders, tells });
            }
        }
        let reads = read.into_iter().collect();
        Summary { reads, writes: written.into_iter().collect(), meetings }
    }
}

/// Summaries by the number of what they are of.
#[derive(Debug, Default)]
pub(crate) struct Summaries(Vec<Option<Summary>>);

impl Summaries {
    /// That of some instructions, made when they are asked for first.
    #[inline]
    pub(crate) fn of(&mut self, straight: &Straight<'_>) -> &Summary {
        if self.0.len() <= straight.number {
            self.0.resize_with(straight.number + 1, || None);
        }
        self.0[straight.number].get_or_insert_with(|| Summary::new(straight.insts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{BinaryOp, Collective, Members, Op, Reg, Src};
    use lanes::VoteMode;

    #[test]
    fn what_is_read_before_it_is_written_comes_from_outside() {
        let inst = |op| Inst { op, guard: None, place: Place(7) };
        let add = |d, a, b| {
            let (d, a, b) = (Reg(d), Src::Reg(Reg(a)), Src::Reg(Reg(b)));
            inst(Op::Binary { op: BinaryOp::AddI32, d, a, b })
        };
        let all = Members::Mask(Src::Imm(u32::MAX.into()));
        let what = Collective::Vote { mode: VoteMode::All, d: Reg(5), a: Reg(4).into() };
        let vote = inst(Op::Collective { what, members: all, aligned: false });
        let sync = Op::Collective { what: Collective::WarpSync, members: all, aligned: false };
        let insts = [add(1, 0, 0), add(0, 1, 2), vote, inst(sync), add(1, 0, 3)];
        let summary = Summary::new(&insts);
        let numbers = |set: &Regs| set.iter().map(|reg| reg.0).collect::<Vec<_>>();
        assert_eq!(numbers(&summary.reads), [0, 2, 3, 4]);
        assert_eq!(numbers(&summary.writes), [0, 1, 5]);
        let meetings = summary.meetings.expect("two collectives");
        assert!(meetings.orders && meetings.tells && meetings.last_orders);
        assert!(Summary::new(&insts[..2]).meetings.is_none());
    }
}
