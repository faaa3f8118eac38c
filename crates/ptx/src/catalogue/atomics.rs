//! Atomic updates.

use super::matrix::aligned;
use super::memory::{access, ordering, scope, space};
use super::{Entry, Form, Need, not_implemented};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use crate::syntax::ast::OperandKind;
use ir::{BinaryOp, MatrixWork, Op, Ordering, Reg, Round, Space, Src, UnaryOp, Update};

/// Memory order and scope.
macro_rules! words {
    (atom) => {
        "; .sem = { .relaxed, .acquire, .release, .acq_rel }; .scope = { .cta, .cluster, .gpu, .sys }"
    };
    (red) => {
        "; .sem = { .relaxed, .release }; .scope = { .cta, .cluster, .gpu, .sys }"
    };
}

/// What words and types need. `global` and `shared` forms are older than generic ones.
const NEEDS: &[Need] = &[
    Need::new("cta", (5, 0), 60),
    Need::new("gpu", (5, 0), 60),
    Need::new("sys", (5, 0), 60),
    Need::new("shared", (1, 2), 12),
    Need::new("shared::cta", (7, 8), 12),
    Need::new("u64", (1, 2), 12),
    Need::new("b64", (1, 2), 12),
    Need::new("f32", (2, 0), 20),
    Need::new("f64", (5, 0), 60),
    Need::new("f16", (6, 3), 70),
    Need::new("f16x2", (6, 2), 60),
    Need::new("bf16", (7, 8), 90),
    Need::new("bf16x2", (7, 8), 90),
];

/// What 128-bit exchanges need.
const WIDE: &[Need] = &[Need::new("sys", (8, 4), 90)];

/// A form on generic and global addresses, and one on those of a named space; `rest` goes on from there. Hints
/// about the second-level cache go with the first.
macro_rules! both {
    ($name:ident, $op:expr, $ty:expr, $operands:expr, $choices:expr, $lower:ident) => {
        both!($name, $op, $ty, $operands, $choices, $lower, ((2, 0), 20), ((1, 1), 11))
    };
    ($name:ident, $op:expr, $ty:expr, $operands:expr, $choices:expr, $lower:ident, $generic:expr, $named:expr) => {
        both!($name, $op, $ty, $operands, $choices, $lower, $generic, $named, NEEDS)
    };
    ($name:ident, $op:expr, $ty:expr, $operands:expr, $choices:expr, $lower:ident, $generic:expr, $named:expr, $needs:expr) => {
        [
            Form::new(
                concat!(
                    stringify!($name),
                    "{.sem}{.scope}{.global}",
                    $op,
                    "{.hint}",
                    $ty,
                    " ",
                    $operands,
                    "{, policy:b64 if hint}",
                    $choices,
                    words!($name),
                    "; .hint = { .L2::cache_hint }"
                ),
                $generic.0,
                $generic.1,
                $lower,
            )
            .needs($needs),
            Form::new(
                concat!(
                    stringify!($name),
                    "{.sem}{.scope}.ss",
                    $op,
                    $ty,
                    " ",
                    $operands,
                    $choices,
                    words!($name),
                    "; .ss = { .global, .shared, .shared::cta, .shared::cluster }"
                ),
                $named.0,
                $named.1,
                $lower,
            )
            .needs($needs),
        ]
    };
}

/// The forms that `atom` and `red` share, with the result of each.
macro_rules! common {
    ($name:ident, $d:literal, $int:literal) => {{
        const BITS: [Form; 2] = both!(
            $name,
            ".op",
            ".type",
            concat!($d, "[reg a], ", $int, "b"),
            "; .op = { .and, .or, .xor }; .type = { .b32 }",
            atomic
        );
        const BITS_WIDE: [Form; 2] = both!(
            $name,
            ".op",
            ".type",
            concat!($d, "[reg a], ", $int, "b"),
            "; .op = { .and, .or, .xor }; .type = { .b64 }",
            atomic,
            ((3, 1), 32),
            ((3, 1), 32)
        );
        const ADD: [Form; 2] = both!(
            $name,
            ".add",
            ".type",
            concat!($d, "[reg a], ", $int, "b"),
            "; .type = { .u32, .s32, .u64, .f32, .f64 }",
            atomic
        );
        const COUNT: [Form; 2] = both!(
            $name,
            ".op",
            ".type",
            concat!($d, "[reg a], ", $int, "b"),
            "; .op = { .inc, .dec }; .type = { .u32 }",
            atomic
        );
        const EXTREMUM: [Form; 2] = both!(
            $name,
            ".op",
            ".type",
            concat!($d, "[reg a], ", $int, "b"),
            "; .op = { .min, .max }; .type = { .u32, .s32 }",
            atomic
        );
        const EXTREMUM_WIDE: [Form; 2] = both!(
            $name,
            ".op",
            ".type",
            concat!($d, "[reg a], ", $int, "b"),
            "; .op = { .min, .max }; .type = { .u64, .s64 }",
            atomic,
            ((3, 1), 32),
            ((3, 1), 32)
        );
        const HALVES: [Form; 2] = both!(
            $name,
            ".add.noftz",
            ".type",
            concat!($d, "[reg a], ", $int, "b"),
            "; .type = { .f16, .f16x2, .bf16, .bf16x2 }",
            atomic
        );
        const EXACT: [Form; 2] = both!(
            $name,
            ".add.noftz",
            ".f32",
            concat!($d, "[reg a], ", $int, "b"),
            "",
            atomic,
            ((9, 4), 90),
            ((9, 4), 90)
        );
        [
            EXACT[0],
            EXACT[1],
            BITS[0],
            BITS[1],
            ADD[0],
            ADD[1],
            COUNT[0],
            COUNT[1],
            EXTREMUM[0],
            EXTREMUM[1],
            HALVES[0],
            HALVES[1],
            BITS_WIDE[0],
            BITS_WIDE[1],
            EXTREMUM_WIDE[0],
            EXTREMUM_WIDE[1],
        ]
    }};
}

/// Vectors of floats in global memory.
macro_rules! vectors {
    ($name:ident, $d:literal) => {
        [
            Form::new(concat!(stringify!($name), "{.sem}{.scope}{.global}.add.noftz{.hint}.vec.f32 ", $d, "[reg a], b*{, policy:b64 if hint}; .vec = { .v2, .v4 }; .hint = { .L2::cache_hint }", words!($name)), (9, 4), 90, vector),
            Form::new(concat!(stringify!($name), "{.sem}{.scope}{.global}.add{.hint}.vec.f32 ", $d, "[reg a], b*{, policy:b64 if hint}; .vec = { .v2, .v4 }; .hint = { .L2::cache_hint }", words!($name)), (8, 1), 90, vector),
            Form::new(concat!(stringify!($name), "{.sem}{.scope}{.global}.op.noftz{.hint}.vec.type ", $d, "[reg a], b*{, policy:b64 if hint}; .op = { .add, .min, .max }; .vec = { .v2, .v4, .v8 }; .type = { .f16, .bf16 }; .hint = { .L2::cache_hint }", words!($name)), (8, 1), 90, vector),
            Form::new(concat!(stringify!($name), "{.sem}{.scope}{.global}.op.noftz{.hint}.vec.type ", $d, "[reg a], b*{, policy:b64 if hint}; .op = { .add, .min, .max }; .vec = { .v2, .v4 }; .type = { .f16x2, .bf16x2 }; .hint = { .L2::cache_hint }", words!($name)), (8, 1), 90, vector),
        ]
    };
}

const COMMON_ATOM: [Form; 16] = common!(atom, "d_, ", "int ");
const COMMON_RED: [Form; 16] = common!(red, "", "");
const ATOM_VECTORS: [Form; 4] = vectors!(atom, "d_*, ");
const RED_VECTORS: [Form; 4] = vectors!(red, "");
const EXCHANGE: [Form; 2] =
    both!(atom, ".exch", ".type", "d_, [reg a], int b", "; .type = { .b32, .b64 }", exchange);
const EXCHANGE_WIDE: [Form; 2] = both!(
    atom,
    ".exch",
    ".b128",
    "d_, [reg a], int b",
    "",
    not_implemented,
    ((8, 3), 90),
    ((8, 3), 90),
    WIDE
);

/// Comparing exchanges, which take no cache hint.
macro_rules! compare {
    ($ty:literal, $start:literal, $end:literal, $ptx:expr, $sm:literal, $lower:ident) => {
        Form::new(
            concat!(
                "atom{.sem}{.scope}",
                $start,
                ".cas",
                $ty,
                " d_, [reg a], int b, int c",
                words!(atom),
                $end
            ),
            $ptx,
            $sm,
            $lower,
        )
        .needs(NEEDS)
    };
}

const COMPARE: [Form; 4] = [
    compare!(".type", "", "; .type = { .b32, .b64 }", (2, 0), 20, compare_exchange),
    compare!(
        ".type",
        ".ss",
        "; .type = { .b32, .b64 }; .ss = { .global, .shared, .shared::cta, .shared::cluster }",
        (1, 1),
        11,
        compare_exchange
    ),
    compare!(
        ".b16",
        "{.ss}",
        "; .ss = { .global, .shared, .shared::cta, .shared::cluster }",
        (6, 3),
        70,
        compare_exchange
    ),
    compare!(
        ".b128",
        "{.ss}",
        "; .ss = { .global, .shared, .shared::cta, .shared::cluster }",
        (8, 3),
        90,
        not_implemented
    )
    .needs(WIDE),
];

/// Two lists of forms in one.
const fn join<const A: usize, const B: usize, const N: usize>(
    a: [Form; A],
    b: [Form; B],
) -> [Form; N] {
    let mut all = [a[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < A { a[at] } else { b[at - A] };
        at += 1;
    }
    all
}

const ATOM: [Form; 28] = join::<20, 8, 28>(
    join::<16, 4, 20>(COMMON_ATOM, ATOM_VECTORS),
    join::<4, 4, 8>(COMPARE, join::<2, 2, 4>(EXCHANGE, EXCHANGE_WIDE)),
);
const RED: [Form; 20] = join(COMMON_RED, RED_VECTORS);

pub(super) const ENTRIES: &[Entry] = &[
    Entry { name: "atom", section: "9.7.13.5 atom", forms: &ATOM },
    Entry { name: "red", section: "9.7.13.6 red", forms: &RED },
];

/// The function that an operation applies to the old value and its operand. `flushes`: subnormal operands and results of sums in
/// binary32 are zero.
pub(super) fn function(op: &str, ty: ScalarType, flushes: bool) -> Option<BinaryOp> {
    use BinaryOp as B;
    use ScalarType as T;
    Some(match (op, ty) {
        ("and", T::B32) => B::And32,
        ("and", _) => B::And64,
        ("or", T::B32) => B::Or32,
        ("or", _) => B::Or64,
        ("xor", T::B32) => B::Xor32,
        ("xor", _) => B::Xor64,
        ("inc", _) => B::IncWrap32,
        ("dec", _) => B::DecWrap32,
        ("add", T::U32 | T::S32) => B::AddI32,
        ("add", T::U64 | T::S64) => B::AddI64,
        ("add", T::F32) if flushes => B::AddFtzF32,
        ("add", T::F32) => B::AddF32(Round::NearestEven),
        ("add", T::F64) => B::AddF64(Round::NearestEven),
        ("add", T::F16) => B::AddF16,
        ("add", T::F16x2) => B::AddF16x2,
        ("add", T::Bf16) => B::AddBf16,
        ("add", T::Bf16x2) => B::AddBf16x2,
        ("min", T::U32) => B::MinU32,
        ("min", T::S32) => B::MinS32,
        ("min", T::U64) => B::MinU64,
        ("min", T::S64) => B::MinS64,
        ("min", T::F16) => B::MinF16,
        ("min", T::F16x2) => B::MinF16x2,
        ("min", T::Bf16) => B::MinBf16,
        ("min", T::Bf16x2) => B::MinBf16x2,
        ("max", T::U32) => B::MaxU32,
        ("max", T::S32) => B::MaxS32,
        ("max", T::U64) => B::MaxU64,
        ("max", T::S64) => B::MaxS64,
        ("max", T::F16) => B::MaxF16,
        ("max", T::F16x2) => B::MaxF16x2,
        ("max", T::Bf16) => B::MaxBf16,
        ("max", T::Bf16x2) => B::MaxBf16x2,
        _ => return None,
    })
}

/// The function of an instruction. In global memory subnormal operands and results are flushed, in shared memory they are not.
fn of(inst: &Inst<'_>, space: Space) -> Option<BinaryOp> {
    let flushes = space != Space::Shared && inst.word("noftz").is_none();
    function(inst.word("op").or(inst.word("add")).unwrap_or(""), inst.ty("type"), flushes)
}

fn atomic(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let space = space(lo, inst.space(), named);
    match of(inst, space) {
        Some(op) => {
            let b = lo.value(inst, "b")?;
            update(lo, inst, address, space, Update::Apply(op), b, Src::Imm(0))
        }
        None => not_implemented(lo, inst),
    }
}

/// A vector's elements are updated one by one: only each by itself is atomic.
fn vector(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let (ty, space) = (inst.ty("type"), space(lo, inst.space(), named));
    let Some(op) = of(inst, space) else { return not_implemented(lo, inst) };
    let operand = lo.operand(inst, "b")?;
    let mut values = Vec::new();
    for element in lo.elements(operand) {
        // What an element returns may be the operand of the next one.
        let value = lo.value_of(element, ty)?;
        values.push(lo.b.unary(UnaryOp::Mov32, value).into());
    }
    let results = match inst.operand("d") {
        Some(operand) if !matches!(operand.kind, OperandKind::Sink) => {
            lo.elements(operand).iter().collect()
        }
        Some(_) | None => Vec::new(),
    };
    if !results.is_empty() && results.len() != values.len() {
        return lo.reject(operand, format!("{} elements are wanted", results.len()));
    }
    let bytes = u64::from(access(ty).bytes()) * values.len() as u64;
    aligned(lo, MatrixWork::Load, (address, space), bytes, lanes::WARP);
    let mut results = results.into_iter();
    for (nth, b) in values.into_iter().enumerate() {
        let d = match results.next() {
            Some(d) if !matches!(d.kind, OperandKind::Sink) => Some(lo.result_of(d, ty)?),
            Some(_) | None => None,
        };
        let offset = address.offset + i64::from(access(ty).bytes()) * nth as i64;
        let address = ir::Address { offset, ..address };
        push(lo, inst, d, (address, space), Update::Apply(op), (b, Src::Imm(0)));
    }
    Ok(())
}

fn exchange(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let b = lo.value(inst, "b")?;
    let space = space(lo, inst.space(), named);
    update(lo, inst, address, space, Update::Exchange, b, Src::Imm(0))
}

fn compare_exchange(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let (address, named) = lo.address(inst, "a")?;
    let (b, c) = (lo.value(inst, "b")?, lo.value(inst, "c")?);
    let space = space(lo, inst.space(), named);
    update(lo, inst, address, space, Update::CompareExchange, b, c)
}

fn update(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    address: ir::Address,
    space: Space,
    update: Update,
    b: Src,
    c: Src,
) -> Result {
    let d = match inst.operand("d") {
        Some(_) => Some(lo.result(inst, "d")?),
        None => None,
    };
    push(lo, inst, d, (address, space), update, (b, c));
    Ok(())
}

fn push(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    d: Option<Reg>,
    (address, space): (ir::Address, Space),
    update: Update,
    (b, c): (Src, Src),
) {
    let ordering = match ordering(inst) {
        Ordering::Weak => Ordering::Relaxed(scope(inst.word("scope"))),
        ordering => ordering,
    };
    let access = access(inst.ty("type"));
    lo.b.push(Op::Atomic { d, update, space, access, address, b, c, ordering });
}
