//! Renaming of an operation's registers.

use crate::{BarrierAction, Collective, CopyProgress, Members, Op, Operand, Pred, Reg, Src};

/// What gives each operand its new register.
type To<'a> = &'a mut dyn FnMut(Operand) -> Reg;

impl Pred {
    /// The same predicate of another register.
    pub fn renamed(self, to: impl FnOnce(Reg) -> Reg) -> Pred {
        match self {
            Pred::Is(reg) => Pred::Is(to(reg)),
            Pred::Not(reg) => Pred::Not(to(reg)),
            Pred::Const(_) => self,
        }
    }
}

impl Op {
    /// Replaces every register: those read first, then those written, each as `to` says. The new registers are of
    /// the class of the old ones.
    pub fn rename(&mut self, mut to: impl FnMut(Operand) -> Reg) {
        let to: To<'_> = &mut to;
        match self {
            Op::Unary { d, a, .. } => {
                uses([a], to);
                def(d, to);
            }
            Op::Binary { d, a, b, .. } | Op::Compare { d, a, b, .. } => {
                uses([a, b], to);
                def(d, to);
            }
            Op::Ternary { d, a, b, c, .. } => {
                uses([a, b, c], to);
                def(d, to);
            }
            Op::Logic { d, a, b, .. } => {
                conditions([a, b], to);
                def(d, to);
            }
            Op::Select { d, a, b, p } => {
                uses([a, b], to);
                conditions([p], to);
                def(d, to);
            }
            Op::Special { d, .. } | Op::ActiveMask { d } => def(d, to),
            Op::Load { d, address, .. } => {
                uses([&mut address.base], to);
                d.iter_mut().flatten().for_each(|d| def(d, to));
            }
            Op::Store { values, address, .. } => {
                uses(values.iter_mut().chain([&mut address.base]), to);
            }
            Op::Atomic { d, address, b, c, .. } => {
                uses([&mut address.base, b, c], to);
                d.iter_mut().for_each(|d| def(d, to));
            }
            Op::Collective { what, members, .. } => {
                if let Members::Mask(mask) = members {
                    uses([mask], to);
                }
                collective(what, to);
            }
            Op::Barrier { action, id, threads, .. } => {
                uses(std::iter::once(id).chain(threads), to);
                match action {
                    BarrierAction::Sync | BarrierAction::Arrive => {}
                    BarrierAction::Reduce { d, p, .. } => {
                        conditions([p], to);
                        def(d, to);
                    }
                }
            }
            Op::ClusterBarrier { .. } | Op::Fence(_) => {}
            Op::Nanosleep { nanoseconds } => uses([nanoseconds], to),
            Op::Copy(copy) => uses(copy.sources_mut(), to),
            Op::CopyProgress(copy) => match copy {
                CopyProgress::Signals(_, object) => uses([&mut object.base], to),
                CopyProgress::Commits(_) | CopyProgress::Waits { .. } | CopyProgress::Fences => {}
            },
            Op::Host { d, operands, .. } => {
                uses(operands, to);
                d.iter_mut().for_each(|d| def(d, to));
            }
        }
    }
}

fn collective(what: &mut Collective, to: To<'_>) {
    match what {
        Collective::Shfl { d, p, a, b, c, .. } => {
            uses([a, b, c], to);
            def(d, to);
            p.iter_mut().for_each(|p| def(p, to));
        }
        Collective::Vote { d, a, .. } | Collective::Ballot { d, a } => {
            conditions([a], to);
            def(d, to);
        }
        Collective::MatchAny { d, a, .. }
        | Collective::Redux { d, a, .. }
        | Collective::ReduxF32 { d, a, .. }
        | Collective::MovMatrix { d, a } => {
            uses([a], to);
            def(d, to);
        }
        Collective::MatchAll { d, p, a, .. } => {
            uses([a], to);
            d.iter_mut().chain(p).for_each(|d| def(d, to));
        }
        Collective::Elect { d, p } => {
            d.iter_mut().for_each(|d| def(d, to));
            def(p, to);
        }
        Collective::WarpSync | Collective::Matrix(_) => {}
        Collective::Mma(mma) => {
            uses(mma.sources_mut(), to);
            mma.d.iter_mut().flatten().for_each(|d| def(d, to));
        }
    }
}

fn uses<'s>(sources: impl IntoIterator<Item = &'s mut Src>, to: To<'_>) {
    for src in sources {
        if let Src::Reg(reg) = src {
            *reg = to(Operand::Use(*reg));
        }
    }
}

fn conditions<'p>(predicates: impl IntoIterator<Item = &'p mut Pred>, to: To<'_>) {
    for pred in predicates {
        *pred = pred.renamed(|reg| to(Operand::Use(reg)));
    }
}

fn def(reg: &mut Reg, to: To<'_>) {
    *reg = to(Operand::Def(*reg));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Access, Address, AsyncCopy, BarrierReduction, BinaryOp, Completion, Mma, Ordering, Space,
        Special,
    };

    /// What `rename` asks for is what `operands` shows, and it takes every answer.
    #[test]
    fn every_operand_is_renamed() {
        let (r, p) = (|n| Src::Reg(Reg(n)), |n| Pred::Not(Reg(n)));
        let address = Address { base: r(7), offset: 4 };
        let collective =
            |what| Op::Collective { what, members: Members::Mask(r(9)), aligned: false };
        let ops = [
            Op::Binary { op: BinaryOp::AddI32, d: Reg(1), a: r(2), b: r(2) },
            Op::Logic { table: 8, d: Reg(1), a: p(2), b: p(3) },
            Op::Select { d: Reg(1), a: r(2), b: Src::Imm(3), p: p(4) },
            Op::Special { d: Reg(1), what: Special::Laneid },
            Op::Load {
                d: vec![Some(Reg(1)), None, Some(Reg(2))],
                space: Space::Global,
                access: Access::B32,
                address,
                ordering: Ordering::Weak,
            },
            Op::Store {
                values: vec![r(1), r(2)],
                space: Space::Global,
                access: Access::B32,
                address,
                ordering: Ordering::Weak,
            },
            collective(Collective::Shfl {
                mode: lanes::ShflMode::Up,
                d: Reg(1),
                p: Some(Reg(2)),
                a: r(3),
                b: r(4),
                c: r(5),
            }),
            collective(Collective::Ballot { d: Reg(1), a: p(2) }),
            collective(Collective::MatchAll {
                d: Some(Reg(1)),
                p: Some(Reg(2)),
                a: r(3),
                wide: false,
            }),
            collective(Collective::Elect { d: Some(Reg(1)), p: Reg(2) }),
            collective(Collective::Mma(Box::new(Mma {
                product: lanes::Product {
                    m: 16,
                    n: 8,
                    k: 8,
                    a: lanes::product::Factor::F16,
                    b: lanes::product::Factor::F16,
                    c: lanes::product::Sum::F16,
                    d: lanes::product::Sum::F16,
                    layout: lanes::product::Layout::Mma,
                    satfinite: false,
                    xor: false,
                    adder: lanes::product::Adder::Full,
                    round: crate::Round::NearestEven,
                },
                qualifiers: 0,
                a: Box::new([r(1), r(2)]),
                b: Box::new([r(3)]),
                c: Box::new([r(4), Src::Imm(5)]),
                d: Box::new([Some(Reg(6)), None]),
            }))),
            Op::Barrier {
                action: BarrierAction::Reduce { op: BarrierReduction::Popc, d: Reg(1), p: p(2) },
                id: r(3),
                threads: Some(r(4)),
                aligned: false,
            },
            Op::Copy(Box::new(AsyncCopy {
                to: (Space::Shared, address),
                from: (Space::Global, address),
                bytes: r(3),
                read: r(4),
                unit: 16,
                update: None,
                until: Completion::Object(Space::Shared, address),
            })),
        ];
        for op in ops {
            let (mut expected, mut asked, mut found) = (Vec::new(), Vec::new(), Vec::new());
            op.operands(|operand| expected.push(operand));
            let mut renamed = op.clone();
            renamed.rename(|operand| {
                asked.push(operand);
                let (Operand::Use(Reg(n)) | Operand::Def(Reg(n))) = operand;
                Reg(n + 100)
            });
            renamed.operands(|operand| {
                found.push(match operand {
                    Operand::Use(Reg(n)) => Operand::Use(Reg(n - 100)),
                    Operand::Def(Reg(n)) => Operand::Def(Reg(n - 100)),
                })
            });
            assert_eq!(expected, found, "{op:?}");
            let sorted = |mut list: Vec<Operand>| {
                list.sort_by_key(|operand| format!("{operand:?}"));
                list
            };
            assert_eq!(sorted(expected), sorted(asked), "{op:?}");
        }
    }
}
