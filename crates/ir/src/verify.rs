//! Checks that a kernel is well formed. A failure is a bug of the front end that made it.

use crate::{
    BULK_UNIT, BarrierAction, BarrierReduction, Class, Collective, CopyProgress, ElementUpdate,
    Kernel, Members, Mma, Op, Pred, Reg, Src, Terminator,
};
use lanes::product::Registers;

/// Checks every register's class against the operations that use it, and every branch target.
///
/// # Errors
/// The first violation, in words.
pub fn verify(kernel: &Kernel) -> Result<(), String> {
    let checker = Checker { kernel };
    if kernel.blocks.is_empty() {
        return Err("a kernel needs an entry block".into());
    }
    for (id, block) in kernel.blocks.iter().enumerate() {
        for (at, inst) in block.insts.iter().enumerate() {
            let guard = inst.guard.map_or(Ok(()), |guard| checker.pred(guard));
            guard
                .and_then(|()| checker.op(&inst.op))
                .map_err(|why| format!("block {id}, instruction {at} ({}): {why}", inst.op))?;
        }
        if let Terminator::Branch { p, .. } = block.terminator {
            checker.pred(p).map_err(|why| format!("terminator of block {id}: {why}"))?;
        }
        if block.terminator.successors().any(|to| to.0 as usize >= kernel.blocks.len()) {
            return Err(format!("terminator of block {id} goes to a block that is not there"));
        }
        if block.terminator.successors().any(|to| to.0 == 0) {
            return Err(format!("block {id} goes back to the entry block"));
        }
    }
    Ok(())
}

struct Checker<'a> {
    kernel: &'a Kernel,
}

impl Checker<'_> {
    fn reg(&self, reg: Reg, class: Class) -> Result<(), String> {
        match self.kernel.registers.get(reg.0 as usize) {
            Some(found) if *found == class => Ok(()),
            Some(found) => Err(format!("{reg} has class {found:?}, {class:?} is needed")),
            None => Err(format!("{reg} does not exist")),
        }
    }

    fn src(&self, src: Src, class: Class) -> Result<(), String> {
        match src {
            Src::Reg(reg) => self.reg(reg, class),
            Src::Imm(_) => Ok(()),
        }
    }

    fn pred(&self, pred: Pred) -> Result<(), String> {
        pred.reg().map_or(Ok(()), |reg| self.reg(reg, Class::Pred))
    }

    /// Addresses may have either width.
    fn address(&self, base: Src) -> Result<(), String> {
        self.src(base, Class::W64).or_else(|_| self.src(base, Class::W32))
    }

    fn op(&self, op: &Op) -> Result<(), String> {
        match op {
            Op::Unary { op, d, a } => {
                let ([first], result) = op.signature();
                self.src(*a, first).and_then(|()| self.reg(*d, result))
            }
            Op::Binary { op, d, a, b } => {
                let ([first, second], result) = op.signature();
                self.src(*a, first)?;
                self.src(*b, second).and_then(|()| self.reg(*d, result))
            }
            Op::Ternary { op, d, a, b, c } => {
                let ([first, second, third], result) = op.signature();
                self.src(*a, first)?;
                self.src(*b, second)?;
                self.src(*c, third).and_then(|()| self.reg(*d, result))
            }
            Op::Compare { op, d, a, b } => {
                let ([first, second], result) = op.signature();
                self.src(*a, first)?;
                self.src(*b, second).and_then(|()| self.reg(*d, result))
            }
            Op::Logic { d, a, b, .. } => {
                self.pred(*a)?;
                self.pred(*b).and_then(|()| self.reg(*d, Class::Pred))
            }
            Op::Select { d, a, b, p } => {
                let class = self.kernel.registers.get(d.0 as usize).copied().unwrap_or(Class::W32);
                if class == Class::Pred {
                    return Err("select makes data, not predicates".into());
                }
                self.src(*a, class)?;
                self.src(*b, class)?;
                self.pred(*p).and_then(|()| self.reg(*d, class))
            }
            Op::Special { d, what } => {
                self.reg(*d, if what.is_wide() { Class::W64 } else { Class::W32 })
            }
            Op::ActiveMask { d } => self.reg(*d, Class::W32),
            Op::Load { d, access, address, .. } => {
                self.address(address.base)?;
                let class = crate::Builder::class_of(*access);
                d.iter().flatten().try_for_each(|reg| self.reg(*reg, class))
            }
            Op::Store { values, access, address, .. } => {
                self.address(address.base)?;
                let class = crate::Builder::class_of(*access);
                values.iter().try_for_each(|value| self.src(*value, class))
            }
            Op::Atomic { d, access, address, b, c, .. } => {
                self.address(address.base)?;
                let class = crate::Builder::class_of(*access);
                self.src(*b, class)?;
                self.src(*c, class)?;
                d.map_or(Ok(()), |d| self.reg(d, class))
            }
            Op::Collective { what, members, .. } => {
                if let Members::Mask(mask) = members {
                    self.src(*mask, Class::W32)?;
                }
                self.collective(what)
            }
            Op::Barrier { action, id, threads, .. } => {
                self.src(*id, Class::W32)?;
                threads.map_or(Ok(()), |threads| self.src(threads, Class::W32))?;
                match action {
                    BarrierAction::Sync | BarrierAction::Arrive => Ok(()),
                    BarrierAction::Reduce { op, d, p } => {
                        self.pred(*p)?;
                        let class = match op {
                            BarrierReduction::Popc => Class::W32,
                            BarrierReduction::And | BarrierReduction::Or => Class::Pred,
                        };
                        self.reg(*d, class)
                    }
                }
            }
            Op::Copy(copy) => {
                if !copy.unit.is_power_of_two() || u64::from(copy.unit) > BULK_UNIT {
                    return Err(format!("a copy has no unit of {} bytes", copy.unit));
                }
                if let Some(ElementUpdate { op, access }) = copy.update {
                    let class = crate::Builder::class_of(access);
                    if op.signature() != ([class; 2], class) || access.bytes() > copy.unit {
                        return Err(format!("a copy does not update {access:?} by {op:?}"));
                    }
                }
                let object = copy.until.object();
                let addresses = [copy.from, copy.to].into_iter().chain(object);
                addresses.into_iter().try_for_each(|(_, address)| self.address(address.base))?;
                self.src(copy.bytes, Class::W32)?;
                self.src(copy.read, Class::W32)
            }
            Op::CopyProgress(CopyProgress::Signals(_, object)) => self.address(object.base),
            Op::ClusterBarrier { .. } | Op::Fence(_) | Op::CopyProgress(_) => Ok(()),
            Op::Nanosleep { nanoseconds } => self.src(*nanoseconds, Class::W32),
            Op::Host { service, d, operands } => {
                let classes = service.operands();
                if operands.len() != classes.len() {
                    return Err(format!("{service:?} takes {} operands", classes.len()));
                }
                let mut pairs = operands.iter().zip(classes);
                pairs.try_for_each(|(operand, class)| self.src(*operand, *class))?;
                match (d, service.result()) {
                    (Some(d), Some(class)) => self.reg(*d, class),
                    (Some(_), None) => Err(format!("{service:?} has no result")),
                    (None, _) => Ok(()),
                }
            }
        }
    }

    fn collective(&self, what: &Collective) -> Result<(), String> {
        let value = |wide: bool| if wide { Class::W64 } else { Class::W32 };
        match what {
            Collective::Shfl { d, p, a, b, c, .. } => {
                [a, b, c].into_iter().try_for_each(|src| self.src(*src, Class::W32))?;
                p.map_or(Ok(()), |p| self.reg(p, Class::Pred))?;
                self.reg(*d, Class::W32)
            }
            Collective::Vote { d, a, .. } => self.pred(*a).and_then(|()| self.reg(*d, Class::Pred)),
            Collective::Ballot { d, a } => self.pred(*a).and_then(|()| self.reg(*d, Class::W32)),
            Collective::MatchAny { d, a, wide } => {
                self.src(*a, value(*wide)).and_then(|()| self.reg(*d, Class::W32))
            }
            Collective::MatchAll { d, p, a, wide } => {
                self.src(*a, value(*wide))?;
                d.map_or(Ok(()), |d| self.reg(d, Class::W32))?;
                p.map_or(Ok(()), |p| self.reg(p, Class::Pred))
            }
            Collective::Redux { d, a, .. }
            | Collective::ReduxF32 { d, a, .. }
            | Collective::MovMatrix { d, a } => {
                self.src(*a, Class::W32).and_then(|()| self.reg(*d, Class::W32))
            }
            Collective::Elect { d, p } => {
                d.map_or(Ok(()), |d| self.reg(d, Class::W32))?;
                self.reg(*p, Class::Pred)
            }
            Collective::WarpSync | Collective::Matrix(_) => Ok(()),
            Collective::Mma(mma) => {
                let Mma { product, a, b, c, d, .. } = &**mma;
                let counts = Registers { a: a.len(), b: b.len(), c: c.len(), d: d.len() };
                if !product.is_valid() || counts != product.registers() {
                    return Err(format!("{counts:?} do not make {product:?}"));
                }
                let class = mma.class();
                mma.sources().try_for_each(|src| self.src(src, class))?;
                mma.results().try_for_each(|d| self.reg(d, class))
            }
        }
    }
}
