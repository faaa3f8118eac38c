//! What a kernel does with its cluster, in the forms in which the generator makes it: `mapa` and `getctarank` for arithmetic
//! of addresses.

use ir::{BinaryOp, CLUSTER_STRIDE, Kernel, Op, Operand, Reg, Special, Src, UnaryOp};
use std::collections::HashMap;

/// What arithmetic of addresses is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Where the shared memory of the CTA of a rank begins.
    Memory(Reg),
    /// The same, as a generic address.
    Generic(Reg),
    /// The rank of the CTA to whose shared memory an address leads.
    Rank(Reg),
}

/// The operation that alone writes a register.
pub(super) struct Definitions<'k>(HashMap<Reg, Option<&'k Op>>);

impl<'k> Definitions<'k> {
    pub(super) fn new(kernel: &'k Kernel) -> Self {
        let mut all = HashMap::new();
        for inst in kernel.blocks.iter().flat_map(|block| &block.insts) {
            inst.op.operands(|operand| {
                if let Operand::Def(d) = operand {
                    all.entry(d).and_modify(|op| *op = None).or_insert(Some(&inst.op));
                }
            });
        }
        Definitions(all)
    }

    pub(super) fn of(&self, src: Src) -> Option<&'k Op> {
        let Src::Reg(reg) = src else { return None };
        self.0.get(&reg).copied().flatten()
    }

    fn is_window(&self, src: Src, which: Special) -> bool {
        matches!(self.of(src), Some(Op::Special { what, .. }) if *what == which)
    }

    /// The register that is shifted by the bits of an address that lead to a place in the memory of a CTA.
    fn shifted(&self, src: Src, by: BinaryOp) -> Option<Reg> {
        let Op::Binary { op, a: Src::Reg(a), b: Src::Imm(bits), .. } = *self.of(src)? else {
            return None;
        };
        (op == by && bits == u64::from(CLUSTER_STRIDE.trailing_zeros())).then_some(a)
    }

    /// What an operation does, if it is one of the forms.
    pub(super) fn form(&self, op: &Op) -> Option<Form> {
        let Op::Binary { op, a, b, .. } = *op else { return None };
        if op == BinaryOp::AddI32 {
            let rank = self.shifted(b, BinaryOp::Shl32)?;
            return self.is_window(a, Special::ClusterWindow).then_some(Form::Memory(rank));
        }
        if op == BinaryOp::AddI64 {
            let Op::Unary { op: UnaryOp::ZeroExtend32, a: start, .. } = *self.of(b)? else {
                return None;
            };
            let Form::Memory(rank) = self.form(self.of(start)?)? else { return None };
            return self.is_window(a, Special::SharedWindow).then_some(Form::Generic(rank));
        }
        if op == BinaryOp::SubI32 {
            let address = self.shifted(a, BinaryOp::ShrU32)?;
            let window = Src::Reg(self.shifted(b, BinaryOp::ShrU32)?);
            return self.is_window(window, Special::ClusterWindow).then_some(Form::Rank(address));
        }
        None
    }
}
