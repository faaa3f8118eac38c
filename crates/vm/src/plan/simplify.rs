//! Makes a kernel's blocks shorter before they are compiled: registers hold one value each, constants take the place of those that
//! hold nothing else, copies are read at their source, and results that nobody reads are not computed.
//!
//! What a shuffle offers to other lanes is left alone: a lane that is not there is read as its register stands. Only in
//! the entry block all lanes are there, if they begin together.

use super::invariant::is_certain_param;
use super::shape::Shape;
use ir::{Class, Inst, Interrupt, Kernel, Op, Operand, Pred, Reg, Src, Terminator, UnaryOp};

/// The kernel simplified for launches of one shape, whose extents are constants. Blocks stay where they are. `None` if it
/// was interrupted.
pub(super) fn simplify(
    kernel: &Kernel,
    shape: &Shape,
    interrupt: &Interrupt<'_>,
) -> Option<Kernel> {
    ir::made_of(kernel.clone(), |simplified| shorten(simplified, kernel, shape, interrupt))
}

/// The kernel with constants in the place of registers that hold nothing else, but for those that are read before they are written,
/// and with copies read at their source. Its instructions stay one by one what they were, and so does what every register holds. `None`
/// if it was interrupted.
pub(super) fn with_sources(
    kernel: &Kernel,
    shape: &Shape,
    at_entry: &[Reg],
    interrupt: &Interrupt<'_>,
) -> Option<Kernel> {
    ir::made_of(kernel.clone(), |constant| {
        fix_extents(constant, kernel, shape, interrupt)?;
        propagate_constants(constant, at_entry, interrupt)?;
        propagate_copies(constant, shape, interrupt)
    })
}

/// Special registers that are the same in every launch of the shape become constants.
fn fix_extents(
    kernel: &mut Kernel,
    original: &Kernel,
    shape: &Shape,
    interrupt: &Interrupt<'_>,
) -> Option<()> {
    for inst in kernel.blocks.iter_mut().flat_map(|block| &mut block.insts) {
        interrupt.go_on(1)?;
        if let Op::Special { d, what } = inst.op
            && let Some(value) = shape.special(original, what)
        {
            let op = if what.is_wide() { UnaryOp::Mov64 } else { UnaryOp::Mov32 };
            inst.op = Op::Unary { op, d, a: Src::Imm(value) };
        }
    }
    Some(())
}

fn shorten(
    kernel: &mut Kernel,
    original: &Kernel,
    shape: &Shape,
    interrupt: &Interrupt<'_>,
) -> Option<()> {
    separate(kernel, shape.begins_together(), interrupt)?;
    fix_extents(kernel, original, shape, interrupt)?;
    propagate_constants(kernel, &[], interrupt)?;
    propagate_copies(kernel, shape, interrupt)?;
    remove_dead(kernel, interrupt)
}

/// A register that is used again for another value becomes two: what is known of a register is known of all its values.
fn separate(kernel: &mut Kernel, begin_together: bool, interrupt: &Interrupt<'_>) -> Option<()> {
    let mut offered = vec![false; kernel.registers.len()];
    // In the entry block all lanes are there.
    let blocks = kernel.blocks.iter().skip(usize::from(begin_together));
    for inst in blocks.flat_map(|block| &block.insts) {
        interrupt.go_on(1)?;
        if let Some(Src::Reg(reg)) = inst.op.offered() {
            offered[reg.0 as usize] = true;
        }
    }
    ir::split_webs(kernel, |reg| offered[reg.0 as usize], interrupt)
}

/// Registers with one definition, which is unguarded and has a constant result, become that constant, but for some.
fn propagate_constants(
    kernel: &mut Kernel,
    except: &[Reg],
    interrupt: &Interrupt<'_>,
) -> Option<()> {
    let insts = kernel.blocks.iter().flat_map(|block| &block.insts);
    let mut defs = ir::analysis::definitions(kernel.registers.len(), insts, interrupt)?;
    except.iter().for_each(|reg| defs[reg.0 as usize] = 0);
    let mut constants: Vec<Option<u64>> = vec![None; kernel.registers.len()];
    let mut any = false;
    for inst in kernel.blocks.iter().flat_map(|block| &block.insts) {
        interrupt.go_on(1)?;
        if inst.guard.is_some() {
            continue;
        }
        let value = |src: &Src| match src {
            Src::Imm(value) => Some(*value),
            Src::Reg(reg) => constants[reg.0 as usize],
        };
        let (d, result) = match &inst.op {
            Op::Unary { op, d, a } => (d, value(a).map(|a| op.eval([a]))),
            Op::Binary { op, d, a, b } => (d, value(a).zip(value(b)).map(|(a, b)| op.eval([a, b]))),
            Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
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
            | Op::Host { .. } => continue,
        };
        if defs[d.0 as usize] == 1 && result.is_some() {
            constants[d.0 as usize] = result;
            any = true;
        }
    }
    if !any {
        return Some(());
    }
    for inst in kernel.blocks.iter_mut().flat_map(|block| &mut block.insts) {
        interrupt.go_on(1)?;
        let constant = |src: Src| match src {
            Src::Reg(reg) => constants[reg.0 as usize],
            Src::Imm(_) => None,
        };
        for address in inst.op.addresses_mut().into_iter().flatten() {
            let narrow = |reg: Reg| kernel.registers[reg.0 as usize] == Class::W32;
            if let (Src::Reg(reg), Some(value)) = (address.base, constant(address.base)) {
                let whole = value.wrapping_add(address.offset.cast_unsigned());
                // Addresses of 32 bits wrap at 32 bits, constants are taken as 64 bits.
                let whole = if narrow(reg) { u64::from(whole as u32) } else { whole };
                *address = ir::Address { base: Src::Imm(whole), offset: 0 };
            }
        }
        for src in inst.op.sources_mut() {
            if let Some(value) = constant(*src) {
                *src = Src::Imm(value);
            }
        }
    }
    Some(())
}

/// Within each block, what reads a copy reads the original.
fn propagate_copies(kernel: &mut Kernel, shape: &Shape, interrupt: &Interrupt<'_>) -> Option<()> {
    let mut copies = Copies::new(kernel.registers.len());
    for (id, block) in kernel.blocks.iter_mut().enumerate() {
        let all_here = id == 0 && shape.begins_together();
        copies.propagate(&mut block.insts, &mut block.terminator, all_here, interrupt)?;
    }
    Some(())
}

/// The copies that hold at a point of a block. Every definition begins a new version of its register, and a copy counts as
/// long as its source has the version that was copied: nothing is searched, whatever the number of copies.
struct Copies {
    /// Per register: the block that copied into it, counted from 1, what it copied, and the version of that.
    of: Vec<(u32, Reg, u32)>,
    version: Vec<u32>,
    block: u32,
}

impl Copies {
    fn new(registers: usize) -> Copies {
        Copies { of: vec![(0, Reg(0), 0); registers], version: vec![0; registers], block: 0 }
    }

    /// The register that holds the same value and was copied, or the register itself.
    fn original(&self, reg: Reg) -> Reg {
        let (block, of, version) = self.of[reg.0 as usize];
        let holds = block == self.block && self.version[of.0 as usize] == version;
        if holds { of } else { reg }
    }

    fn define(&mut self, reg: Reg) {
        self.version[reg.0 as usize] += 1;
        self.of[reg.0 as usize].0 = 0;
    }

    fn copy(&mut self, copy: Reg, of: Reg) {
        self.of[copy.0 as usize] = (self.block, of, self.version[of.0 as usize]);
    }

    /// Within a block, what reads a copy reads the original, as long as neither has changed.
    fn propagate(
        &mut self,
        insts: &mut [Inst],
        terminator: &mut Terminator,
        all_here: bool,
        interrupt: &Interrupt<'_>,
    ) -> Option<()> {
        self.block += 1;
        for inst in insts {
            interrupt.go_on(1)?;
            for src in inst.op.sources_mut() {
                if let Src::Reg(reg) = src {
                    *reg = self.original(*reg);
                }
            }
            if let Op::Collective { what: ir::Collective::Shfl { a: Src::Reg(a), .. }, .. } =
                &mut inst.op
                && all_here
            {
                *a = self.original(*a);
            }
            for pred in inst.op.predicates_mut().into_iter().chain(&mut inst.guard) {
                self.rename(pred);
            }
            inst.op.operands(|operand| {
                if let Operand::Def(changed) = operand {
                    self.define(changed);
                }
            });
            if let Some((d, a)) = inst.op.copied().filter(|(d, a)| inst.guard.is_none() && d != a) {
                self.copy(d, a);
            }
        }
        if let Terminator::Branch { p, .. } = terminator {
            self.rename(p);
        }
        Some(())
    }

    fn rename(&self, pred: &mut Pred) {
        match pred {
            Pred::Is(reg) | Pred::Not(reg) => *reg = self.original(*reg),
            Pred::Const(_) => {}
        }
    }
}

/// Removes pure operations whose results nobody reads, until there are none.
fn remove_dead(kernel: &mut Kernel, interrupt: &Interrupt<'_>) -> Option<()> {
    let param_bytes = kernel.param_bytes;
    let mut uses = vec![0u32; kernel.registers.len()];
    for_each_operand(kernel, interrupt, |operand| {
        if let Operand::Use(reg) = operand {
            uses[reg.0 as usize] += 1;
        }
    })?;
    for inst in kernel.blocks.iter_mut().flat_map(|block| &mut block.insts) {
        if let Op::Collective { what, .. } = &mut inst.op {
            drop_unread(what, &uses);
        }
    }
    let mut kept = Vec::new();
    for block in kernel.blocks.iter_mut().rev() {
        kept.clear();
        for inst in block.insts.iter().rev() {
            interrupt.go_on(1)?;
            let mut read = !removable(&inst.op, param_bytes);
            inst.op.operands(|operand| {
                if let Operand::Def(reg) = operand {
                    read |= uses[reg.0 as usize] > 0;
                }
            });
            kept.push(read);
            if read {
                continue;
            }
            let mut forget = |reg: Reg| uses[reg.0 as usize] -= 1;
            inst.op.operands(|operand| {
                if let Operand::Use(reg) = operand {
                    forget(reg);
                }
            });
            if let Some(reg) = inst.guard.and_then(Pred::reg) {
                forget(reg);
            }
        }
        block.insts.retain(|_| kept.pop().unwrap_or(true));
    }
    Some(())
}

/// Leaves out results of a collective that nobody reads: compilers always ask for the predicate of a shuffle.
fn drop_unread(what: &mut ir::Collective, uses: &[u32]) {
    match what {
        ir::Collective::Shfl { p, .. } | ir::Collective::MatchAll { d: Some(_), p, .. } => {
            *p = p.filter(|reg| uses[reg.0 as usize] > 0);
        }
        ir::Collective::MatchAll { d: None, .. }
        | ir::Collective::MatchAny { .. }
        | ir::Collective::Vote { .. }
        | ir::Collective::Ballot { .. }
        | ir::Collective::Redux { .. }
        | ir::Collective::ReduxF32 { .. }
        | ir::Collective::Elect { .. }
        | ir::Collective::MovMatrix { .. }
        | ir::Collective::WarpSync
        | ir::Collective::Matrix(_) => {}
        ir::Collective::Mma(mma) => {
            for d in &mut mma.d {
                *d = d.filter(|reg| uses[reg.0 as usize] > 0);
            }
        }
    }
}

/// Whether leaving the operation out changes nothing but its results.
fn removable(op: &Op, param_bytes: u32) -> bool {
    op.is_pure()
        || matches!(op, Op::Special { what, .. } if what.is_cta_invariant())
        || is_certain_param(op, param_bytes)
}

fn for_each_operand(
    kernel: &Kernel,
    interrupt: &Interrupt<'_>,
    mut visit: impl FnMut(Operand),
) -> Option<()> {
    for block in &kernel.blocks {
        for inst in &block.insts {
            interrupt.go_on(1)?;
            inst.op.operands(&mut visit);
            if let Some(reg) = inst.guard.and_then(Pred::reg) {
                visit(Operand::Use(reg));
            }
        }
        if let Terminator::Branch { p, .. } = block.terminator {
            p.reg().into_iter().for_each(|reg| visit(Operand::Use(reg)));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Builder, WarpRules};

    const SHAPE: Shape = Shape {
        block: [32, 1, 1],
        cluster: [1; 3],
        explicit_cluster: false,
        dynamic_shared: 0,
        stack: 0,
        observed: false,
        stepwise: false,
    };

    fn simplified(b: Builder) -> Kernel {
        simplify(&b.finish(), &SHAPE, &Interrupt::never()).expect("nobody interrupts")
    }

    #[test]
    fn extents_are_constants() {
        let mut b = Builder::new("k", WarpRules::Independent);
        let [n, sum] = [0; 2].map(|_| b.reg(Class::W32));
        b.push(Op::Special { d: n, what: ir::Special::Ntid(ir::Dim::X) });
        b.binary_to(sum, ir::BinaryOp::AddI32, n, Src::Imm(7));
        b.push(Op::Nanosleep { nanoseconds: sum.into() });
        let kernel = simplified(b);
        let text: Vec<_> = kernel.blocks[0].insts.iter().map(ToString::to_string).collect();
        assert_eq!(text, ["nanosleep 0x27"]);
    }

    /// A register that holds one constant after the other, as people write address arithmetic. What a shuffle reads in lanes that are
    /// elsewhere is left as it is.
    #[test]
    fn registers_hold_one_value_each() {
        let blocks = "block0:
            v0 = Mov32 0x2
            v1 = special.laneid
            v1 = AddI32 v1, v0
            v0 = Mov32 0x3
            v1 = AddI32 v1, v0
            v4 = LtU32 v1, 0x8
            branch v4, block1, block2
            block1:
            v2 = Mov32 0x5
            v3 = shfl.idx v2, 0x0, 0x1f, members 0xffffffff
            v2 = Mov32 0x6
            nanosleep v2
            jump block2
            block2:
            exit";
        let registers = "registers v0-v3 w32, v4 pred";
        let text = format!("kernel \"k\" independent\n{registers}\n{blocks}\n");
        let kernel = ir::text::parse(&text).expect("a kernel");
        let kernel = simplify(&kernel, &SHAPE, &Interrupt::never()).expect("nobody interrupts");
        let text: Vec<_> = kernel.blocks[0].insts.iter().map(ToString::to_string).collect();
        let expected = [
            "v1 = special.laneid",
            "v5 = AddI32 v1, 0x2",
            "v7 = AddI32 v5, 0x3",
            "v4 = LtU32 v7, 0x8",
        ];
        assert_eq!(text, expected);
        let text: Vec<_> = kernel.blocks[1].insts.iter().map(ToString::to_string).collect();
        let offered = "v3 = shfl.idx v2, 0x0, 0x1f, members 0xffffffff";
        assert_eq!(text, ["v2 = Mov32 0x5", offered, "v2 = Mov32 0x6", "nanosleep v2"]);
    }

    #[test]
    fn constants_and_copies_vanish() {
        let mut b = Builder::new("k", WarpRules::Independent);
        let [two, x, copy, sum] = [0; 4].map(|_| b.reg(Class::W32));
        b.copy_to(two, Src::Imm(2));
        b.push(Op::Special { d: x, what: ir::Special::Laneid });
        b.copy_to(copy, x);
        b.binary_to(sum, ir::BinaryOp::AddI32, copy, two);
        b.push(Op::Store {
            values: vec![sum.into()],
            space: ir::Space::Shared,
            access: ir::Access::B32,
            address: ir::Address { base: Src::Imm(0), offset: 0 },
            ordering: ir::Ordering::Weak,
        });
        let kernel = simplified(b);
        let text: Vec<_> = kernel.blocks[0].insts.iter().map(ToString::to_string).collect();
        assert_eq!(
            text,
            ["v1 = special.laneid", "v3 = AddI32 v1, 0x2", "store.shared.b32 [0x0], v3"]
        );
    }

    #[test]
    fn a_copy_of_a_value_that_changes_is_kept() {
        let mut b = Builder::new("k", WarpRules::Independent);
        let [x, old, y] = [0; 3].map(|_| b.reg(Class::W32));
        let p = b.reg(Class::Pred);
        b.push(Op::Special { d: x, what: ir::Special::Laneid });
        b.copy_to(old, x);
        b.set_guard(Some(p.into()));
        b.binary_to(x, ir::BinaryOp::AddI32, x, Src::Imm(1));
        b.set_guard(None);
        b.binary_to(y, ir::BinaryOp::SubI32, x, old);
        b.push(Op::Nanosleep { nanoseconds: y.into() });
        let kernel = simplified(b);
        assert_eq!(kernel.blocks[0].insts[3].to_string(), "v2 = SubI32 v0, v1");
    }

    #[test]
    fn copies_of_copies_are_read_at_their_source() {
        let mut b = Builder::new("k", WarpRules::Independent);
        let [x, first, second, third, sum] = [0; 5].map(|_| b.reg(Class::W32));
        b.push(Op::Special { d: x, what: ir::Special::Laneid });
        b.copy_to(first, x);
        b.copy_to(second, first);
        b.copy_to(third, second);
        // `second` changes, `third` still holds what it was copied from.
        b.binary_to(second, ir::BinaryOp::AddI32, second, Src::Imm(1));
        b.binary_to(sum, ir::BinaryOp::AddI32, third, second);
        b.push(Op::Nanosleep { nanoseconds: sum.into() });
        let kernel = simplified(b);
        let text: Vec<_> = kernel.blocks[0].insts.iter().map(ToString::to_string).collect();
        // What `second` was is another value than what it is then.
        let expected =
            ["v0 = special.laneid", "v5 = AddI32 v0, 0x1", "v4 = AddI32 v0, v5", "nanosleep v4"];
        assert_eq!(text, expected);
    }

    #[test]
    fn long_blocks_of_copies_can_be_interrupted() {
        let mut b = Builder::new("k", WarpRules::Independent);
        let regs: Vec<_> = (0..100_000).map(|_| b.reg(Class::W32)).collect();
        regs.windows(2).for_each(|pair| b.copy_to(pair[1], pair[0]));
        let kernel = b.finish();
        assert!(simplify(&kernel, &SHAPE, &Interrupt::new(&|| true)).is_none());
        let kernel = simplify(&kernel, &SHAPE, &Interrupt::never());
        assert_eq!(kernel.map(|kernel| kernel.blocks[0].insts.len()), Some(0));
    }
}
