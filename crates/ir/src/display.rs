//! The IR as text, for tests and for inspecting what an instruction lowers to.

use crate::{
    Address, AsyncCopy, BlockId, Collective, Inst, Kernel, Mma, Op, Pred, Reg, Src, Terminator,
};
use lanes::Product;
use std::fmt;

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block{}", self.0)
    }
}

impl fmt::Display for Src {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Src::Reg(reg) => reg.fmt(f),
            Src::Imm(value) => write!(f, "{value:#x}"),
        }
    }
}

impl fmt::Display for Pred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pred::Is(reg) => reg.fmt(f),
            Pred::Not(reg) => write!(f, "!{reg}"),
            Pred::Const(value) => value.fmt(f),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            0 => write!(f, "[{}]", self.base),
            offset => write!(f, "[{}{offset:+}]", self.base),
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Unary { op, d, a } => write!(f, "{d} = {op:?} {a}"),
            Op::Binary { op, d, a, b } => write!(f, "{d} = {op:?} {a}, {b}"),
            Op::Ternary { op, d, a, b, c } => write!(f, "{d} = {op:?} {a}, {b}, {c}"),
            Op::Compare { op, d, a, b } => write!(f, "{d} = {op:?} {a}, {b}"),
            Op::Logic { table, d, a, b } => write!(f, "{d} = Logic({table:04b}) {a}, {b}"),
            Op::Select { d, a, b, p } => write!(f, "{d} = {p} ? {a} : {b}"),
            Op::Special { d, what } => write!(f, "{d} = {what:?}"),
            Op::ActiveMask { d } => write!(f, "{d} = ActiveMask"),
            Op::Load { d, space, access, address, ordering } => {
                write!(f, "(")?;
                for (nth, reg) in d.iter().enumerate() {
                    write!(f, "{}", if nth == 0 { "" } else { ", " })?;
                    match reg {
                        Some(reg) => reg.fmt(f)?,
                        None => write!(f, "_")?,
                    }
                }
                write!(f, ") = Load {space:?} {access:?} {ordering:?} {address}")
            }
            Op::Store { values, space, access, address, ordering } => {
                write!(f, "Store {space:?} {access:?} {ordering:?} {address} = (")?;
                for (nth, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if nth == 0 { "" } else { ", " })?;
                }
                write!(f, ")")
            }
            Op::Atomic { d, update, space, access, address, b, c, ordering } => {
                if let Some(d) = d {
                    write!(f, "{d} = ")?;
                }
                write!(f, "Atomic {update:?} {space:?} {access:?} {ordering:?} ")?;
                write!(f, "{address}, {b}, {c}")
            }
            Op::Collective { what: Collective::Mma(mma), .. } => mma.fmt(f),
            Op::Collective { what, members, aligned } => {
                write!(f, "{what:?} members {members:?}{}", if *aligned { " aligned" } else { "" })
            }
            Op::Barrier { action, id, threads, aligned } => {
                write!(f, "Barrier {action:?} {id} threads {threads:?}")?;
                write!(f, "{}", if *aligned { " aligned" } else { "" })
            }
            Op::Fence(fence) => write!(f, "{fence:?}"),
            Op::AsyncCopy(AsyncCopy::Begins { to, bytes, .. }) => {
                write!(f, "AsyncCopy begins: {bytes} bytes to {}", to.1)
            }
            Op::AsyncCopy(step) => write!(f, "AsyncCopy {step:?}"),
            Op::Nanosleep { nanoseconds } => write!(f, "Nanosleep {nanoseconds}"),
            Op::Host { service, d, operands } => {
                if let Some(d) = d {
                    write!(f, "{d} = ")?;
                }
                write!(f, "{service:?}")?;
                for (nth, operand) in operands.iter().enumerate() {
                    write!(f, "{}{operand}", if nth == 0 { " " } else { ", " })?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Mma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Product { m, n, k, a, b, c, d, layout, .. } = self.product;
        let results: Vec<String> =
            self.d.iter().map(|d| d.map_or("_".to_owned(), |d| d.to_string())).collect();
        write!(f, "({}) = {layout:?} m{m}n{n}k{k} {d:?} {a:?} {b:?} {c:?}", results.join(", "))?;
        for (nth, sources) in [&self.a, &self.b, &self.c].into_iter().enumerate() {
            let sources: Vec<String> = sources.iter().map(Src::to_string).collect();
            write!(f, "{} ({})", if nth == 0 { "" } else { "," }, sources.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.guard {
            Some(guard) => write!(f, "@{guard} {}", self.op),
            None => self.op.fmt(f),
        }
    }
}

impl fmt::Display for Terminator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Jump(to) => write!(f, "jump {to}"),
            Terminator::Branch { p, then, otherwise } => {
                write!(f, "branch {p} ? {then} : {otherwise}")
            }
            Terminator::Exit => write!(f, "exit"),
            Terminator::Trap => write!(f, "trap"),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {} ({:?})", self.name, self.rules)?;
        for (id, block) in self.blocks.iter().enumerate() {
            writeln!(f, "block{id}:")?;
            for inst in &block.insts {
                writeln!(f, "    {inst}")?;
            }
            writeln!(f, "    {}", block.terminator)?;
        }
        Ok(())
    }
}
