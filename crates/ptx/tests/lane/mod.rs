//! Straight-line kernels: lowered from a few instructions, executed in one lane.

use diag::Sources;
use ir::{Kernel, Op, Operand, Pred, Reg, Src};
use std::collections::HashMap;
use warpwise_ptx::Module;

/// The kernel `k` of these instructions, lowered. `module` stands before it, `registers` are its declarations.
pub(crate) fn lower(module: &str, registers: &str, instructions: &str) -> Result<Kernel, String> {
    let text = format!("{module}\n.visible .entry k() {{\n{registers}\n{instructions}\nret;\n}}\n");
    let mut sources = Sources::new();
    let file = sources.add("test.ptx", text);
    let render = |found: Vec<diag::Diagnostic>| -> String {
        found.iter().map(|diagnostic| diag::render::text(&sources, diagnostic, false)).collect()
    };
    let (module, _) = Module::parse(&sources, file).map_err(render)?;
    module.lower("k").map(|lowered| std::sync::Arc::unwrap_or_clone(lowered.kernel)).map_err(render)
}

/// The lines of a data file.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// One lane's registers, in the low bits.
#[derive(Default)]
struct Lane(HashMap<Reg, u64>);

impl Lane {
    fn value(&self, src: Src) -> u64 {
        match src {
            Src::Imm(bits) => bits,
            Src::Reg(reg) => self.0.get(&reg).copied().unwrap_or(0),
        }
    }

    fn holds(&self, p: Pred) -> bool {
        match p {
            Pred::Is(reg) => self.value(reg.into()) != 0,
            Pred::Not(reg) => self.value(reg.into()) == 0,
            Pred::Const(value) => value,
        }
    }

    /// Executes an operation that only computes.
    fn execute(&mut self, op: &Op) -> Result<(), String> {
        let (d, value) = match *op {
            Op::Unary { op, d, a } => (d, op.eval([self.value(a)])),
            Op::Binary { op, d, a, b } => (d, op.eval([self.value(a), self.value(b)])),
            Op::Ternary { op, d, a, b, c } => {
                (d, op.eval([self.value(a), self.value(b), self.value(c)]))
            }
            Op::Compare { op, d, a, b } => (d, op.eval([self.value(a), self.value(b)])),
            Op::Logic { table, d, a, b } => {
                let row = 2 * u8::from(self.holds(a)) + u8::from(self.holds(b));
                (d, u64::from(table >> row & 1))
            }
            Op::Select { d, a, b, p } => (d, self.value(if self.holds(p) { a } else { b })),
            Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
            | Op::Host { .. } => return Err(format!("{op:?} does not only compute")),
        };
        self.0.insert(d, value);
        Ok(())
    }
}

/// The value that the last operation writes.
pub(crate) fn result(kernel: &Kernel) -> Result<u64, String> {
    let mut lane = Lane::default();
    let mut last = None;
    for inst in kernel.blocks.iter().flat_map(|block| &block.insts) {
        lane.execute(&inst.op)?;
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                last = Some(reg);
            }
        });
    }
    last.map(|reg| lane.value(reg.into())).ok_or_else(|| "nothing is written".to_owned())
}
