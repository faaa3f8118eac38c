//! Extended-precision arithmetic: the carry flag `CC.CF` in and out of sums.
//!
//! After a subtraction the flag says that nothing was borrowed: the machine adds the complement, and the flag is the carry
//! of that. The manual leaves chains that mix sums and subtractions open; here they are what NVIDIA's assembler makes of them.

use super::arithmetic::{ADD, LESS, LESS_EQUAL, SUB, product};
use super::step::Step;
use super::{Entry, Form, Role};
use crate::lower::{Inst, Lowering, Result};
use ir::{Class, Op, Reg, Src};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "addc",
        section: "9.7.2.2 addc",
        forms: &[
            Form::new("addc{.cc}.type d, a, b; .type = { .u32, .s32 }", (1, 2), 10, add)
                .role(SUM_ON),
            Form::new("addc.type d, a, b; .type = { .u64, .s64 }", (1, 2), 10, add).role(SUM_ON),
            Form::new("addc.cc.type d, a, b; .type = { .u64, .s64 }", (4, 3), 20, add).role(SUM_ON),
        ],
    },
    Entry {
        name: "subc",
        section: "9.7.2.4 subc",
        forms: &[
            Form::new("subc{.cc}.type d, a, b; .type = { .u32, .s32 }", (1, 2), 10, sub)
                .role(DIFFERENCE_ON),
            Form::new("subc.type d, a, b; .type = { .u64, .s64 }", (1, 2), 10, sub)
                .role(DIFFERENCE_ON),
            Form::new("subc.cc.type d, a, b; .type = { .u64, .s64 }", (4, 3), 20, sub)
                .role(DIFFERENCE_ON),
        ],
    },
    Entry {
        name: "madc",
        section: "9.7.2.6 madc",
        forms: &[
            Form::new(
                "madc.mode!{.cc}.type d, a, b, c; .mode = { .lo, .hi }; .type = { .u32, .s32 }",
                (3, 0),
                20,
                mad,
            )
            .role(SUM_ON),
            Form::new(
                "madc.mode!.type d, a, b, c; .mode = { .lo, .hi }; .type = { .u64, .s64 }",
                (3, 0),
                20,
                mad,
            )
            .role(SUM_ON),
            Form::new(
                "madc.mode!.cc.type d, a, b, c; .mode = { .lo, .hi }; .type = { .u64, .s64 }",
                (4, 3),
                20,
                mad,
            )
            .role(SUM_ON),
        ],
    },
];

/// What sets the flag to the carry of a sum.
pub(super) const SUM: Role = Role::Carry { subtracts: false, takes: false };
/// What sets the flag where a subtraction borrows nothing.
pub(super) const DIFFERENCE: Role = Role::Carry { subtracts: true, takes: false };
/// What continues a sum.
const SUM_ON: Role = Role::Carry { subtracts: false, takes: true };
/// What continues a subtraction.
const DIFFERENCE_ON: Role = Role::Carry { subtracts: true, takes: true };

/// Truth tables (see [`Op::Logic`]).
const OR: u8 = 0b1110;
const AND: u8 = 0b1000;

/// Which of the two sums.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sum {
    Add,
    Subtract,
}

/// `add.cc` and `addc`.
pub(super) fn add(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    sum(lo, inst, Sum::Add, a, b)
}

/// `sub.cc` and `subc`.
pub(super) fn sub(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    sum(lo, inst, Sum::Subtract, a, b)
}

/// `mad.cc` and `madc`: the carry is that of the addition.
pub(super) fn mad(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let product = product(lo, inst)?.value(lo);
    let c = lo.value(inst, "c")?;
    sum(lo, inst, Sum::Add, product, c)
}

/// `a + b + CC.CF` or `a - b - !CC.CF`, where the opcode ends in `c`; with `.cc`, `CC.CF` becomes the carry of all steps,
/// or whether none of them borrowed.
fn sum(lo: &mut Lowering, inst: &Inst<'_>, kind: Sum, a: Src, b: Src) -> Result {
    let ty = inst.ty("type");
    let op = match kind {
        Sum::Add => ADD.of(ty),
        Sum::Subtract => SUB.of(ty),
    };
    let flag = lo.carry();
    let (takes_carry, sets_carry) = (inst.instruction.opcode.ends_with('c'), inst.has("cc"));
    let first = Step::Binary(op, a, b);
    if !takes_carry && !sets_carry {
        return first.write(lo, inst);
    }
    let first = first.value(lo);
    let class = if ty.bits() == 64 { Class::W64 } else { Class::W32 };
    let second = takes_carry.then(|| {
        let (set, clear) = match kind {
            Sum::Add => (Src::Imm(1), Src::Imm(0)),
            Sum::Subtract => (Src::Imm(0), Src::Imm(1)),
        };
        let carry: Src = lo.b.select(class, flag, set, clear).into();
        (carry, Step::Binary(op, first, carry))
    });
    let Some((carry, second)) = second else {
        carried(lo, kind, ty, flag, [a, b, first]);
        return Step::Value(first).write(lo, inst);
    };
    if !sets_carry {
        return second.write(lo, inst);
    }
    let second = second.value(lo);
    let early = lo.b.reg(Class::Pred);
    carried(lo, kind, ty, early, [a, b, first]);
    carried(lo, kind, ty, flag, [first, carry, second]);
    let table = match kind {
        Sum::Add => OR,
        Sum::Subtract => AND,
    };
    lo.b.push(Op::Logic { table, d: flag, a: early.into(), b: flag.into() });
    Step::Value(second).write(lo, inst)
}

/// Sets `flag` to the carry of one step, `total` from `a` and `b`, or to whether it borrowed nothing.
fn carried(
    lo: &mut Lowering,
    kind: Sum,
    ty: crate::syntax::ScalarType,
    flag: Reg,
    [a, b, total]: [Src; 3],
) {
    let op = match kind {
        Sum::Add => Op::Compare { op: LESS.of(ty), d: flag, a: total, b: a },
        Sum::Subtract => Op::Compare { op: LESS_EQUAL.of(ty), d: flag, a: b, b: a },
    };
    lo.b.push(op);
}
