//! How the values of a gang's lanes follow from that of its first lane, for each register of a kernel.

use super::LaunchShape;
use super::definitions::definitions;
use super::divergence::Divergence;
use super::evaluate::{Known, evaluate};
use super::liveness::Liveness;
use super::possible::{Possible, possible};
use super::shape::Shape;
use crate::{Class, Inst, Interrupt, Kernel, Operand, Pred, Reg, Terminator};
use fixedbitset::FixedBitSet;
use foldhash::HashMap;

/// Passes over a kernel after which everything is taken to vary that has not settled: compilers make kernels that settle within
/// a few.
const PASSES: usize = 12;

/// Per register, the shape that it has in lanes that have executed the same operations. They hold among lanes that execute
/// together, whichever these are; among all lanes of a gang where all are together.
///
/// Where a value of 32 bits becomes one of 64, lanes are taken to follow from the first for numbers of any size
/// ([`super::Affine::is_exact`] says where that is certain): who relies on it looks there.
#[derive(Clone, Debug)]
pub struct Shapes {
    shapes: Vec<Shape>,
    /// Per block, whether lanes of a gang may leave it in different directions.
    parts: Vec<bool>,
    /// The blocks at which some lanes of a warp may stand while others are elsewhere.
    apart: FixedBitSet,
    /// What is known of predicates that differ from gang to gang.
    possible: HashMap<Reg, Possible>,
}

struct State<'k> {
    kernel: &'k Kernel,
    launch: &'k LaunchShape,
    shapes: Vec<Option<Shape>>,
}

impl Known for State<'_> {
    fn shape(&self, reg: Reg) -> Option<Shape> {
        self.shapes[reg.0 as usize].clone()
    }

    fn class(&self, reg: Reg) -> Class {
        self.kernel.class(reg)
    }

    fn has_local(&self) -> bool {
        self.kernel.local_bytes > 0 || self.kernel.has_stack
    }
}

impl State<'_> {
    /// A register may have one more shape. Says whether that changes anything.
    fn add(&mut self, reg: Reg, shape: Shape) -> bool {
        let class = self.kernel.class(reg);
        let known = &mut self.shapes[reg.0 as usize];
        let joined = match known {
            Some(known) => known.join(&shape, class, self.launch),
            None => shape,
        };
        let changed = known.as_ref() != Some(&joined);
        *known = Some(joined);
        changed
    }

    /// What an instruction writes. Says whether that changes anything.
    fn inst(&mut self, inst: &Inst) -> bool {
        let guard_varies = match inst.guard {
            None | Some(Pred::Const(_)) => Some(false),
            Some(Pred::Is(reg) | Pred::Not(reg)) => {
                self.shapes[reg.0 as usize].as_ref().map(|shape| !shape.is_uniform())
            }
        };
        let Some(guard_varies) = guard_varies else { return false };
        let Some(shape) = evaluate(&inst.op, self, self.launch) else { return false };
        let mut changed = false;
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                let shape = match (&shape, self.kernel.class(reg)) {
                    _ if guard_varies => Shape::Varying,
                    // Further results of one operation, such as whether a lane is in range.
                    (Shape::Mask(_), Class::W32 | Class::W64) => Shape::Varying,
                    (shape, _) => shape.clone(),
                };
                changed |= self.add(reg, shape);
            }
        });
        changed
    }
}

impl Shapes {
    /// Finds the shapes. `prologue` is what runs before the kernel, with all lanes and the same registers. `None` if it was
    /// interrupted.
    pub fn of(
        kernel: &Kernel,
        prologue: &[Inst],
        live: &Liveness,
        launch: &LaunchShape,
        interrupt: &Interrupt<'_>,
    ) -> Option<Shapes> {
        let count = kernel.registers.len();
        let insts = kernel.blocks.iter().flat_map(|block| &block.insts).chain(prologue);
        let mut defined = definitions(count, insts, interrupt)?;
        let mut state = State { kernel, launch, shapes: vec![None; count] };
        let written = definitions(count, prologue.iter(), interrupt)?;
        // What may be read before it is written is zero then.
        for reg in live.live_in(0).filter(|reg| written[reg.0 as usize] == 0) {
            defined[reg.0 as usize] += 1;
            let zero = super::shape::Affine::constant(0);
            let shape = match kernel.class(reg) {
                Class::Pred => Shape::Mask(0),
                Class::W32 | Class::W64 => Shape::Affine(zero),
            };
            state.add(reg, shape);
        }
        for inst in prologue {
            interrupt.go_on(1)?;
            state.inst(inst);
        }
        let mut divergence = Divergence::new(kernel);
        let mut settled = false;
        for _ in 0..PASSES {
            let mut changed = false;
            for (id, block) in kernel.blocks.iter().enumerate() {
                for inst in &block.insts {
                    interrupt.go_on(1)?;
                    changed |= state.inst(inst);
                    inst.op.operands(|operand| {
                        if let Operand::Def(reg) = operand {
                            let at = reg.0 as usize;
                            let several = defined[at] > 1 && divergence.is_brought(at);
                            if several || divergence.is_left_behind(at) {
                                changed |= state.add(reg, Shape::Varying);
                            }
                        }
                    });
                }
                if let Terminator::Branch { p: Pred::Is(reg) | Pred::Not(reg), .. } =
                    block.terminator
                    && state.shapes[reg.0 as usize].as_ref().is_some_and(|p| !p.is_uniform())
                {
                    changed |= divergence.part(kernel, live, id, interrupt)?;
                }
            }
            if !changed {
                settled = true;
                break;
            }
        }
        let varying = |shape: Option<Shape>| shape.filter(|_| settled).unwrap_or(Shape::Varying);
        let shapes: Vec<Shape> = state.shapes.into_iter().map(varying).collect();
        let parts = |block: &crate::Block| match block.terminator {
            Terminator::Branch { p: Pred::Is(reg) | Pred::Not(reg), .. } => {
                !shapes[reg.0 as usize].is_uniform()
            }
            Terminator::Branch { .. }
            | Terminator::Jump(_)
            | Terminator::Exit
            | Terminator::Trap => false,
        };
        let parts = kernel.blocks.iter().map(parts).collect();
        let is_uniform = |guard: Option<Pred>| {
            guard.and_then(Pred::reg).is_none_or(|reg| shapes[reg.0 as usize].is_uniform())
        };
        for (id, block) in kernel.blocks.iter().enumerate() {
            interrupt.go_on(block.insts.len())?;
            let parted = |inst: &Inst| inst.op.may_wait_apart() || !is_uniform(inst.guard);
            if block.insts.iter().any(|inst| inst.op.may_wait() && parted(inst)) {
                divergence.wait_apart(id, interrupt)?;
            }
        }
        let mut apart = divergence.apart();
        if !settled {
            apart.insert_range(..);
        }
        let insts = kernel.blocks.iter().flat_map(|block| &block.insts);
        let possible = possible(prologue.iter().chain(insts), &defined, launch);
        Some(Shapes { shapes, parts, apart, possible })
    }

    /// The shape of a register.
    pub fn shape(&self, reg: Reg) -> &Shape {
        self.shapes.get(reg.0 as usize).unwrap_or(&Shape::Varying)
    }

    /// The lanes of a gang in which a predicate is true, if they are the same in every gang.
    pub fn constant_lanes(&self, pred: Pred) -> Option<u64> {
        match (pred, self.shape(pred.reg()?)) {
            (Pred::Not(_), Shape::Mask(lanes)) => Some(!lanes),
            (_, Shape::Mask(lanes)) => Some(*lanes),
            (_, Shape::Affine(_) | Shape::Sliced(..) | Shape::Varying) => None,
        }
    }

    /// The lanes of a gang in which a predicate is true in some gang, and perhaps others.
    pub fn possible_lanes(&self, pred: Pred) -> u64 {
        let of = |reg: Reg| self.possible.get(&reg);
        self.constant_lanes(pred).unwrap_or_else(|| match pred {
            Pred::Const(value) => {
                if value {
                    u64::MAX
                } else {
                    0
                }
            }
            Pred::Is(reg) => of(reg).map_or(u64::MAX, |it| it.holds),
            Pred::Not(reg) => of(reg).map_or(u64::MAX, |it| it.fails),
        })
    }

    /// Whether lanes of a gang that execute together may leave a block in different directions.
    pub fn parts(&self, block: crate::BlockId) -> bool {
        self.parts.get(block.0 as usize).copied().unwrap_or(true)
    }

    /// Whether all lanes of a warp that has all its lanes come to a block together, where the earliest run first.
    pub fn all_come(&self, block: crate::BlockId) -> bool {
        !self.apart.contains(block.0 as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysed(text: &str, block: [u32; 3]) -> Shapes {
        let kernel = crate::text::parse(text).expect("a kernel");
        let live = Liveness::of(&kernel).expect("small");
        let launch = LaunchShape { block, gang: 1, vector: 16 };
        Shapes::of(&kernel, &[], &live, &launch, &Interrupt::never()).expect("not interrupted")
    }

    /// The shapes of all registers of a kernel in CTAs of these extents, as text.
    fn shapes(text: &str, block: [u32; 3]) -> Vec<String> {
        let named = |shape: &Shape| match shape {
            Shape::Varying => "varying".to_owned(),
            Shape::Mask(lanes) => format!("mask {lanes:x}"),
            Shape::Affine(affine) if affine.is_uniform() => "uniform".to_owned(),
            Shape::Affine(affine) => {
                format!("+{},{},{}", affine.step(1), affine.step(2), affine.step(31))
            }
            Shape::Sliced(lanes, affine) => {
                format!("{lanes} +{},{},{}", affine.step(1), affine.step(2), affine.step(15))
            }
        };
        analysed(text, block).shapes.iter().map(named).collect()
    }

    #[test]
    fn addresses_follow_from_the_first_lane() {
        let b = crate::WarpRules::Independent;
        let mut b = crate::Builder::new("k", b);
        use crate::{BinaryOp as B, Dim, Op, Special, Src};
        let [tid, cta, index, bit] = [0; 4].map(|_| b.reg(Class::W32));
        let address = b.reg(Class::W64);
        b.push(Op::Special { d: tid, what: Special::Tid(Dim::X) });
        b.push(Op::Special { d: cta, what: Special::Ctaid(Dim::X) });
        let ternary = Op::Ternary {
            op: crate::TernaryOp::MadLo32,
            d: index,
            a: cta.into(),
            b: Src::Imm(256),
            c: tid.into(),
        };
        b.push(ternary);
        b.binary_to(bit, B::And32, tid, Src::Imm(31));
        b.binary_to(address, B::MulWideU32, index, Src::Imm(4));
        let text = b.finish().to_string();
        let steps = ["+1,2,31", "uniform", "+1,2,31", "+1,2,31", "+4,8,124"];
        assert_eq!(shapes(&text, [256, 1, 1]), steps);
        assert_eq!(shapes(&text, [16, 16, 1])[0], "+1,2,15");
        // The rows of a CTA do not fill its warps.
        assert_eq!(shapes(&text, [24, 4, 1])[0], "varying");
    }

    /// As CUB numbers the elements of a warp's tile: bits of the lane beside those of the warp.
    #[test]
    fn bits_beside_each_other_are_a_sum() {
        use crate::{BinaryOp as B, Builder, Dim, Op, Special, Src, WarpRules};
        let mut b = Builder::new("k", WarpRules::Independent);
        let [tid, cta] = [0; 2].map(|_| b.reg(Class::W32));
        b.push(Op::Special { d: tid, what: Special::Tid(Dim::X) });
        b.push(Op::Special { d: cta, what: Special::Ctaid(Dim::X) });
        let lane = b.binary(B::And32, tid, Src::Imm(31));
        let warp = b.binary(B::And32, tid, Src::Imm(0xffff_ffe0));
        let first = b.binary(B::MulLo32, warp, Src::Imm(15));
        let far = b.binary(B::MulLo32, cta, Src::Imm(64));
        let number = b.binary(B::ShrS32, tid, Src::Imm(5));
        let below = b.binary(B::SubI32, Src::Imm(0), lane);
        b.binary(B::ShrS32, below, Src::Imm(5));
        let of = |op, x: crate::Reg, y: crate::Reg| (op, x, y);
        for (op, x, y) in [
            of(B::Or32, first, lane),
            of(B::Xor32, lane, far),
            // The number of a CTA may have any bits, of a lane one only those that it has.
            of(B::Or32, cta, lane),
            of(B::Or32, lane, lane),
            of(B::Or32, number, far),
        ] {
            b.binary(op, x, y);
        }
        let text = b.finish().to_string();
        let steps = [
            "+1,2,31",
            "uniform",
            "+1,2,31",
            "uniform",
            "uniform",
            "uniform",
            "uniform",
            "+4294967295,4294967294,4294967265",
            // Lanes below zero stay there: all lanes are known, and so is what is made of them.
            "+4294967295,4294967295,4294967295",
            "+1,2,31",
            "+1,2,31",
            "varying",
            "+1,2,31",
            "uniform",
        ];
        assert_eq!(shapes(&text, [256, 1, 1]), steps, "{text}");
    }

    /// A register that is written on one side of a branch, and the counter of a loop that lanes leave in different rounds.
    #[test]
    fn lanes_that_part_bring_different_values() {
        use crate::{BinaryOp as B, CompareOp, Dim, Op, Special, Src, Terminator};
        let mut b = crate::Builder::new("k", crate::WarpRules::Independent);
        let [tid, side, count, seen, end] = [0; 5].map(|_| b.reg(Class::W32));
        let [p, q] = [0; 2].map(|_| b.reg(Class::Pred));
        b.push(Op::Special { d: tid, what: Special::Tid(Dim::X) });
        b.binary_to(side, B::AddI32, Src::Imm(1), Src::Imm(2));
        b.binary_to(count, B::AddI32, Src::Imm(1), Src::Imm(2));
        b.push(Op::Compare { op: CompareOp::LtU32, d: p, a: tid.into(), b: Src::Imm(7) });
        let [then, body, join, out] = [0; 4].map(|_| b.block());
        b.terminate(Terminator::Branch { p: p.into(), then, otherwise: body });
        b.switch_to(then);
        b.binary_to(side, B::AddI32, Src::Imm(3), Src::Imm(2));
        b.terminate(Terminator::Jump(body));
        b.switch_to(body);
        b.binary_to(count, B::AddI32, count, Src::Imm(1));
        b.binary_to(seen, B::AddI32, count, Src::Imm(1));
        b.push(Op::Compare { op: CompareOp::LtU32, d: q, a: seen.into(), b: tid.into() });
        b.terminate(Terminator::Branch { p: q.into(), then: body, otherwise: join });
        b.switch_to(join);
        b.binary_to(end, B::AddI32, seen, side);
        b.terminate(Terminator::Jump(out));
        b.switch_to(out);
        b.terminate(Terminator::Exit);
        let text = b.finish().to_string();
        let found = shapes(&text, [32, 1, 1]);
        assert_eq!(
            found[1..5],
            ["varying", "uniform", "varying", "varying"].map(str::to_owned),
            "{text}"
        );
    }

    /// All lanes come to block 3 in the end, but those that are there first do not wait for others at block 5.
    #[test]
    fn lanes_meet_behind_the_block_that_all_come_to() {
        let text = "kernel \"k\" independent
            registers v0-v1 w32, v2-v3 pred
            block0:
            v0 = special.tid.x
            v1 = Mov32 0x0
            jump block1
            block1:
            v0 = AddI32 v0, v1
            v2 = LtU32 v0, 0x7
            branch v2, block2, block3
            block2:
            v1 = Mov32 0x1
            jump block5
            block3:
            v3 = LtU32 v0, 0x9
            branch v3, block4, block6
            block4:
            v1 = Mov32 0x2
            jump block5
            block5:
            jump block1
            block6:
            exit\n";
        assert_eq!(shapes(text, [32, 1, 1])[1], "varying");
    }

    /// `if (tid < 7) for (i = 0; i < 9; i++) sum += i;`, then `sum` in all lanes: only that is brought to where they meet.
    #[test]
    fn lanes_that_part_go_round_a_loop_together() {
        let text = "kernel \"k\" independent
            registers v0-v3 w32, v4-v5 pred
            block0:
            v0 = special.tid.x
            v1 = Mov32 0x0
            v2 = Mov32 0x0
            v4 = LtU32 v0, 0x7
            branch v4, block1, block3
            block1:
            v3 = Mov32 0x5
            jump block2
            block2:
            v2 = AddI32 v2, v1
            v1 = AddI32 v1, 0x1
            v3 = AddI32 v3, v1
            v5 = LtU32 v1, 0x9
            branch v5, block2, block3
            block3:
            v0 = AddI32 v2, 0x1
            exit\n";
        let found = shapes(text, [32, 1, 1]);
        let known = ["uniform", "varying", "uniform", "varying"].map(str::to_owned);
        assert_eq!(found[1..5], known, "{text}");
        // They leave the loop in different rounds: what they need behind it differs, and what only those inside need does not.
        let text = text.replace("LtU32 v1, 0x9", "LtU32 v1, v0");
        let found = shapes(&text, [32, 1, 1]);
        assert_eq!(found[1..4], known[..3], "{text}");
        // Where both sides come to one block before all lanes meet, they bring different values, too.
        let text = "kernel \"k\" independent
            registers v0-v2 w32, v3-v4 pred
            block0:
            v0 = special.tid.x
            v1 = Mov32 0x0
            v2 = Mov32 0x0
            v3 = LtU32 v0, 0x7
            branch v3, block1, block2
            block1:
            v1 = Mov32 0x1
            v2 = Mov32 0x1
            v4 = LtU32 v0, 0x5
            branch v4, block2, block3
            block2:
            v0 = AddI32 v1, 0x1
            jump block3
            block3:
            exit\n";
        assert_eq!(shapes(text, [32, 1, 1])[1..3], ["varying", "uniform"].map(str::to_owned));
        // One side changes what the other side, whose turn comes later, needs.
        let text = "kernel \"k\" independent
            registers v0-v2 w32, v3-v4 pred
            block0:
            v0 = special.tid.x
            v1 = Mov32 0x0
            v3 = LtU32 v0, 0x7
            branch v3, block1, block2
            block1:
            v1 = AddI32 v1, 0x1
            v4 = LtU32 v1, 0x5
            branch v4, block1, block3
            block2:
            v2 = AddI32 v1, 0x1
            jump block3
            block3:
            exit\n";
        assert_eq!(shapes(text, [32, 1, 1])[1], "varying");
    }

    /// Blocks to which all lanes of a warp come together: not those on one side of a branch, nor any behind one where somebody exits,
    /// waits or goes round a loop.
    #[test]
    fn lanes_come_together_where_none_stays_behind() {
        let come = |side: &str, end: &str| -> Vec<usize> {
            let text = format!(
                "kernel \"k\" independent
            registers v0-v1 w32, v2-v3 pred
            block0:
            v0 = special.tid.x
            v1 = Mov32 0x0
            v2 = LtU32 v0, 0x7
            branch v2, block1, block2
            block1:
            {side}
            v3 = LtU32 v1, v0
            {end}
            block2:
            v1 = AddI32 v0, 0x1
            jump block3
            block3:
            exit\n"
            );
            let found = analysed(&text, [64, 1, 1]);
            (0..4).filter(|block| found.all_come(crate::BlockId(*block as u32))).collect()
        };
        assert_eq!(come("v1 = Mov32 0x1", "jump block2"), [0, 2, 3]);
        assert_eq!(come("v1 = Mov32 0x1", "exit"), [0]);
        assert_eq!(come("v1 = AddI32 v1, 0x1", "branch v3, block1, block2"), [0]);
        assert_eq!(come("barrier.sync 0x0", "jump block2"), [0]);
    }

    #[test]
    fn each_membermask_has_a_result_of_its_own() {
        use crate::{Builder, Op, Special, Src, WarpRules};
        let mut b = Builder::new("k", WarpRules::Independent);
        let [lane, one, two] = [0; 3].map(|_| b.reg(Class::W32));
        b.push(Op::Special { d: lane, what: Special::Tid(crate::Dim::X) });
        for (d, mask) in [(one, Src::Imm(u64::from(u32::MAX))), (two, lane.into())] {
            let (op, a) = (lanes::ReduxOp::Add, lane.into());
            let what = crate::Collective::Redux { op, d, a };
            let members = crate::Members::Mask(mask);
            b.push(Op::Collective { what, members, aligned: false });
        }
        let kernel = b.finish();
        let live = Liveness::of(&kernel).expect("small");
        let launch = LaunchShape { block: [32, 1, 1], gang: 1, vector: 16 };
        let never = Interrupt::never();
        let found = Shapes::of(&kernel, &[], &live, &launch, &never).expect("not interrupted");
        assert!(found.shape(one).is_uniform());
        assert!(!found.shape(two).is_uniform());
    }

    #[test]
    fn lanes_have_values_of_their_own_at_one_address_of_local_memory() {
        use crate::{Access, Address, Builder, Op, Ordering, Src, WarpRules};
        let shape_of = |local_bytes: u32| {
            let mut b = Builder::new("k", WarpRules::Independent);
            let d = b.reg(Class::W32);
            let address = Address { base: Src::Imm(1 << 40), offset: 0 };
            b.push(Op::Load {
                d: vec![Some(d)],
                space: crate::Space::Generic,
                access: Access::B32,
                address,
                ordering: Ordering::Weak,
            });
            let mut kernel = b.finish();
            kernel.local_bytes = local_bytes;
            let live = Liveness::of(&kernel).expect("small");
            let launch = LaunchShape { block: [32, 1, 1], gang: 1, vector: 16 };
            let never = Interrupt::never();
            let found = Shapes::of(&kernel, &[], &live, &launch, &never).expect("not interrupted");
            found.shape(d).clone()
        };
        assert!(shape_of(0).is_uniform());
        assert!(!shape_of(16).is_uniform());
    }
}
