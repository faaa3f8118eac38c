//! Comparisons, and selections by their results.

use super::{Entry, Form};
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use diag::Diagnostic;
use ir::{BinaryOp, Class, CompareOp, Op, Pred, Src, UnaryOp};

/// A form whose line goes on with the comparison and Boolean operators. Which comparisons there are depends
/// on what is compared.
macro_rules! comparison {
    (bits $line:literal, $ptx:expr, $sm:literal, $lower:ident) => {
        Form::new(concat!($line, "; .cmp = { .eq, .ne }; .bool = { .and, .or, .xor }"), $ptx, $sm, $lower)
    };
    (signed $line:literal, $ptx:expr, $sm:literal, $lower:ident) => {
        Form::new(
            concat!($line, "; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }; .bool = { .and, .or, .xor }"),
            $ptx,
            $sm,
            $lower,
        )
    };
    (unsigned $line:literal, $ptx:expr, $sm:literal, $lower:ident) => {
        Form::new(
            concat!(
                $line,
                "; .cmp = { .eq, .ne, .lt, .le, .gt, .ge, .lo, .ls, .hi, .hs }; \
                   .bool = { .and, .or, .xor }"
            ),
            $ptx,
            $sm,
            $lower,
        )
    };
    (float $line:literal, $ptx:expr, $sm:literal, $lower:ident) => {
        Form::new(
            concat!(
                $line,
                "; .cmp = { .eq, .ne, .lt, .le, .gt, .ge, .equ, .neu, .ltu, .leu, .gtu, .geu, .num, \
                   .nan }; .bool = { .and, .or, .xor }"
            ),
            $ptx,
            $sm,
            $lower,
        )
    };
}

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "setp",
        section: "9.7.6.2 setp, 9.7.7.2 setp",
        forms: &[
            comparison!(unsigned "setp.cmp{.bool}.type p_[|q]:pred, a, b{, {!}c if bool}; .type = { .u16, .u32, .u64 }", (1, 0), 10, setp),
            comparison!(signed "setp.cmp{.bool}.type p_[|q]:pred, a, b{, {!}c if bool}; .type = { .s16, .s32, .s64 }", (1, 0), 10, setp),
            comparison!(bits "setp.cmp{.bool}.type p_[|q]:pred, a, b{, {!}c if bool}; .type = { .b16, .b32, .b64 }", (1, 0), 10, setp),
            comparison!(float "setp.cmp{.bool}{.ftz}.f32 p_[|q]:pred, a, b{, {!}c if bool}", (1, 0), 10, setp),
            comparison!(float "setp.cmp{.bool}.f64 p_[|q]:pred, a, b{, {!}c if bool}", (1, 0), 10, setp),
            comparison!(float "setp.cmp{.bool}{.ftz}.f16 p_:pred, a, b{, {!}c if bool}", (4, 2), 53, setp),
            comparison!(float "setp.cmp{.bool}{.ftz}.f16x2 p_[|q]:pred, a, b{, {!}c if bool}", (4, 2), 53, setp),
            comparison!(float "setp.cmp{.bool}.bf16 p_:pred, a, b{, {!}c if bool}", (7, 8), 90, setp),
            comparison!(float "setp.cmp{.bool}.bf16x2 p_[|q]:pred, a, b{, {!}c if bool}", (7, 8), 90, setp),
        ],
    },
    Entry {
        name: "set",
        section: "9.7.6.1 set, 9.7.7.1 set",
        forms: &[
            comparison!(unsigned "set.cmp{.bool}.dtype.type d:dtype, a, b{, {!}c if bool}; .dtype = { .u32, .s32, .f32 }; .type = { .u16, .u32, .u64 }", (1, 0), 10, set),
            comparison!(signed "set.cmp{.bool}.dtype.type d:dtype, a, b{, {!}c if bool}; .dtype = { .u32, .s32, .f32 }; .type = { .s16, .s32, .s64 }", (1, 0), 10, set),
            comparison!(bits "set.cmp{.bool}.dtype.type d:dtype, a, b{, {!}c if bool}; .dtype = { .u32, .s32, .f32 }; .type = { .b16, .b32, .b64 }", (1, 0), 10, set),
            comparison!(float "set.cmp{.bool}{.ftz}.dtype.f32 d:dtype, a, b{, {!}c if bool}; .dtype = { .u32, .s32, .f32 }", (1, 0), 10, set),
            comparison!(float "set.cmp{.bool}.dtype.f64 d:dtype, a, b{, {!}c if bool}; .dtype = { .u32, .s32, .f32 }", (1, 0), 10, set),
            comparison!(unsigned "set.cmp{.bool}.f16.type d:f16, a, b{, {!}c if bool}; .type = { .u16, .u32, .u64 }", (4, 2), 53, set),
            comparison!(signed "set.cmp{.bool}.f16.type d:f16, a, b{, {!}c if bool}; .type = { .s16, .s32, .s64 }", (4, 2), 53, set),
            comparison!(bits "set.cmp{.bool}.f16.type d:f16, a, b{, {!}c if bool}; .type = { .b16, .b32, .b64 }", (4, 2), 53, set),
            comparison!(float "set.cmp{.bool}{.ftz}.f16.type d:f16, a, b{, {!}c if bool}; .type = { .f16, .f32 }", (4, 2), 53, set),
            comparison!(float "set.cmp{.bool}.f16.f64 d:f16, a, b{, {!}c if bool}", (4, 2), 53, set),
            comparison!(float "set.cmp{.bool}{.ftz}.dtype.f16 d:dtype, a:f16, b:f16{, {!}c if bool}; .dtype = { .u16, .s16, .u32, .s32 }", (6, 5), 53, set),
            comparison!(float "set.cmp{.bool}{.ftz}.f16x2.type d:f16x2, a, b{, {!}c if bool}; .type = { .f16x2 }", (4, 2), 53, set_halves),
            comparison!(float "set.cmp{.bool}{.ftz}.dtype.f16x2 d:dtype, a:f16x2, b:f16x2{, {!}c if bool}; .dtype = { .u32, .s32 }", (6, 5), 53, set_halves),
            comparison!(unsigned "set.cmp{.bool}.bf16.type d:bf16, a, b{, {!}c if bool}; .type = { .u16, .u32, .u64 }", (7, 8), 90, set),
            comparison!(signed "set.cmp{.bool}.bf16.type d:bf16, a, b{, {!}c if bool}; .type = { .s16, .s32, .s64 }", (7, 8), 90, set),
            comparison!(bits "set.cmp{.bool}.bf16.type d:bf16, a, b{, {!}c if bool}; .type = { .b16, .b32, .b64 }", (7, 8), 90, set),
            comparison!(float "set.cmp{.bool}.bf16.type d:bf16, a, b{, {!}c if bool}; .type = { .f16, .bf16, .f32, .f64 }", (7, 8), 90, set),
            comparison!(float "set.cmp{.bool}.dtype.bf16 d:dtype, a:bf16, b:bf16{, {!}c if bool}; .dtype = { .u16, .s16, .u32, .s32 }", (7, 8), 90, set),
            comparison!(float "set.cmp{.bool}.dtype.bf16x2 d:dtype, a:bf16x2, b:bf16x2{, {!}c if bool}; .dtype = { .bf16x2, .u32, .s32 }", (7, 8), 90, set_halves),
        ],
    },
    Entry {
        name: "selp",
        section: "9.7.6.3 selp",
        forms: &[Form::new(
            "selp.type d, a, b, {!}c; .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, \
             .s64, .f32, .f64 }",
            (1, 0),
            10,
            selp,
        )],
    },
    Entry {
        name: "slct",
        section: "9.7.6.4 slct",
        forms: &[
            Form::new(
                "slct.type.s32 d, a, b, c:s32; .type = { .b16, .b32, .b64, .u16, .u32, .u64, \
                 .s16, .s32, .s64, .f32, .f64 }",
                (1, 0),
                10,
                slct_s32,
            ),
            Form::new(
                "slct{.ftz}.type.f32 d, a, b, c:f32; .type = { .b16, .b32, .b64, .u16, .u32, \
                 .u64, .s16, .s32, .s64, .f32, .f64 }",
                (1, 0),
                10,
                slct_f32,
            ),
        ],
    },
    Entry {
        name: "testp",
        section: "9.7.3.1 testp",
        forms: &[Form::new(
            "testp.op.type p:pred, int a; .op = { .finite, .infinite, .number, .notanumber, .normal, \
             .subnormal }; .type = { .f32, .f64 }",
            (2, 0),
            20,
            testp,
        )],
    },
];

use CompareOp as C;

/// Relations of signed and unsigned integers, of 32 and of 64 bits.
const INTEGERS: &[(&str, [CompareOp; 4])] = &[
    ("eq", [C::EqI32, C::EqI32, C::EqI64, C::EqI64]),
    ("ne", [C::NeI32, C::NeI32, C::NeI64, C::NeI64]),
    ("lt", [C::LtS32, C::LtU32, C::LtS64, C::LtU64]),
    ("le", [C::LeS32, C::LeU32, C::LeS64, C::LeU64]),
];

/// Relations of single and of double precision.
const FLOATS: &[(&str, [CompareOp; 2])] = &[
    ("eq", [C::EqF32, C::EqF64]),
    ("ne", [C::NeF32, C::NeF64]),
    ("lt", [C::LtF32, C::LtF64]),
    ("le", [C::LeF32, C::LeF64]),
    ("equ", [C::EquF32, C::EquF64]),
    ("neu", [C::NeuF32, C::NeuF64]),
    ("ltu", [C::LtuF32, C::LtuF64]),
    ("leu", [C::LeuF32, C::LeuF64]),
    ("num", [C::NumF32, C::NumF64]),
    ("nan", [C::NanF32, C::NanF64]),
];

/// The relation of a comparison operator, and whether its operands change places. `None`: the type does
/// not have the operator.
fn relation(cmp: &str, ty: ScalarType) -> Option<(CompareOp, bool)> {
    use ScalarType as T;
    let (cmp, swapped) = match cmp {
        "gt" => ("lt", true),
        "ge" => ("le", true),
        "gtu" => ("ltu", true),
        "geu" => ("leu", true),
        "lo" | "ls" | "hi" | "hs" => {
            if !matches!(ty, T::U16 | T::U32 | T::U64) {
                return None;
            }
            (if matches!(cmp, "lo" | "hi") { "lt" } else { "le" }, matches!(cmp, "hi" | "hs"))
        }
        other => (other, false),
    };
    let op = match ty {
        T::B16 | T::B32 | T::B64 if !matches!(cmp, "eq" | "ne") => return None,
        T::F16 | T::Bf16 | T::F32 | T::F64 => {
            let (_, ops) = FLOATS.iter().find(|(word, _)| *word == cmp)?;
            ops[usize::from(ty == T::F64)]
        }
        _ => {
            let (_, ops) = INTEGERS.iter().find(|(word, _)| *word == cmp)?;
            let unsigned = !matches!(ty, T::S16 | T::S32 | T::S64);
            ops[usize::from(unsigned) + 2 * usize::from(ty.bits() == 64)]
        }
    };
    Some((op, swapped))
}

/// A relation and its operands.
struct Relation {
    op: CompareOp,
    a: Src,
    b: Src,
}

impl Relation {
    fn holds(self, lo: &mut Lowering) -> Pred {
        lo.b.compare(self.op, self.a, self.b).into()
    }
}

fn wrong<T>(inst: &Inst<'_>, what: String) -> Result<T> {
    Err(Box::new(Diagnostic::error(inst.instruction.span, what)))
}

/// Compares `a` and `b`, which are of type `ty`.
fn compare(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    ty: ScalarType,
    [a, b]: [Src; 2],
) -> Result<Relation> {
    let cmp = inst.word("cmp").unwrap_or_default();
    let Some((op, swapped)) = relation(cmp, ty) else {
        return wrong(inst, format!("`.{cmp}` does not compare {ty} values"));
    };
    let ftz = inst.has("ftz");
    if ftz && !matches!(ty, ScalarType::F16 | ScalarType::F32) {
        return wrong(inst, format!("`.ftz` does not apply to {ty} values"));
    }
    let (a, b) = (comparable(lo, a, ty, ftz), comparable(lo, b, ty, ftz));
    let (a, b) = if swapped { (b, a) } else { (a, b) };
    Ok(Relation { op, a, b })
}

/// A value in the class in which its type is compared: half precision as `f32`, which is exact.
fn comparable(lo: &mut Lowering, value: Src, ty: ScalarType, ftz: bool) -> Src {
    match ty {
        ScalarType::S16 => lo.extend(value, ty),
        ScalarType::F16 => {
            let value = if ftz { lo.b.unary(UnaryOp::FlushF16, value).into() } else { value };
            lo.b.unary(UnaryOp::F16ToF32, value).into()
        }
        ScalarType::Bf16 => lo.b.unary(UnaryOp::Bf16ToF32, value).into(),
        ScalarType::F32 if ftz => lo.b.unary(UnaryOp::FlushF32, value).into(),
        _ => value,
    }
}

/// The Boolean operator as a truth table (see [`Op::Logic`]), and its second operand.
fn boolean(lo: &mut Lowering, inst: &Inst<'_>) -> Result<Option<(u8, Pred)>> {
    let table = match inst.word("bool") {
        Some("and") => 0b1000,
        Some("or") => 0b1110,
        Some(_) => 0b0110,
        None => {
            return match inst.operand("c") {
                Some(c) => lo.reject(c, "a predicate here needs `.and`, `.or` or `.xor`"),
                None => Ok(None),
            };
        }
    };
    if inst.operand("c").is_none() {
        return wrong(inst, "a Boolean operator needs a predicate as last operand".to_owned());
    }
    Ok(Some((table, lo.predicate(inst, "c")?)))
}

/// The type of each half of a packed type.
fn half_of(ty: ScalarType) -> Option<ScalarType> {
    match ty {
        ScalarType::F16x2 => Some(ScalarType::F16),
        ScalarType::Bf16x2 => Some(ScalarType::Bf16),
        _ => None,
    }
}

/// The low and the high half of a value, each in a register.
pub(super) fn halves(lo: &mut Lowering, value: Src) -> [Src; 2] {
    let high = lo.b.binary(BinaryOp::ShrU32, value, Src::Imm(16));
    [lo.b.unary(UnaryOp::ZeroExtend16, value).into(), high.into()]
}

/// Compares the halves of `a` and `b`.
fn compare_halves(lo: &mut Lowering, inst: &Inst<'_>, ty: ScalarType) -> Result<[Pred; 2]> {
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let ([a0, a1], [b0, b1]) = (halves(lo, a), halves(lo, b));
    let first = compare(lo, inst, ty, [a0, b0])?.holds(lo);
    let second = compare(lo, inst, ty, [a1, b1])?.holds(lo);
    Ok([first, second])
}

fn combine(lo: &mut Lowering, t: Pred, with: Option<(u8, Pred)>) -> Pred {
    match with {
        Some((table, c)) => lo.b.logic(table, t, c).into(),
        None => t,
    }
}

fn setp(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let ty = inst.operand_type("a");
    let with = boolean(lo, inst)?;
    let (d, q) = (lo.result(inst, "p")?, lo.result_predicate(inst, "p")?);
    let [first, second] = match half_of(ty) {
        Some(half) => compare_halves(lo, inst, half)?,
        None => {
            let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
            let relation = compare(lo, inst, ty, [a, b])?;
            if q.is_none() && with.is_none() {
                let Relation { op, a, b } = relation;
                lo.b.push(Op::Compare { op, d, a, b });
                return Ok(());
            }
            let t = relation.holds(lo);
            [t, t.negated()]
        }
    };
    // Both results exist before either is written: `c` may be one of their registers.
    let second = q.map(|q| (q, combine(lo, second, with)));
    match with {
        Some((table, c)) => lo.b.push(Op::Logic { table, d, a: first, b: c }),
        None => lo.b.pred_to(d, first),
    }
    if let Some((q, second)) = second {
        lo.b.pred_to(q, second);
    }
    Ok(())
}

/// What `set` writes for a relation that holds.
fn truth(ty: ScalarType) -> u64 {
    match ty {
        ScalarType::F32 => 0x3f80_0000,
        ScalarType::F16 => 0x3c00,
        ScalarType::Bf16 => 0x3f80,
        ScalarType::U16 | ScalarType::S16 => 0xffff,
        _ => 0xffff_ffff,
    }
}

fn set(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let with = boolean(lo, inst)?;
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let t = compare(lo, inst, inst.operand_type("a"), [a, b])?.holds(lo);
    let p = combine(lo, t, with);
    let (d, one) = (lo.result(inst, "d")?, Src::Imm(truth(inst.operand_type("d"))));
    lo.b.push(Op::Select { d, a: one, b: Src::Imm(0), p });
    Ok(())
}

fn set_halves(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let with = boolean(lo, inst)?;
    let half = half_of(inst.operand_type("a")).unwrap_or(ScalarType::F16);
    let one = truth(half_of(inst.operand_type("d")).unwrap_or(ScalarType::U16));
    let [low, high] = compare_halves(lo, inst, half)?.map(|t| {
        let p = combine(lo, t, with);
        lo.b.select(Class::W32, p, Src::Imm(one), Src::Imm(0))
    });
    let d = lo.result(inst, "d")?;
    lo.b.binary_to(d, BinaryOp::Pack32, low, high);
    Ok(())
}

/// `p ? a : b`.
fn select(lo: &mut Lowering, inst: &Inst<'_>, p: Pred) -> Result {
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    let d = lo.result(inst, "d")?;
    lo.b.push(Op::Select { d, a, b, p });
    Ok(())
}

fn selp(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let p = lo.predicate(inst, "c")?;
    select(lo, inst, p)
}

fn slct_s32(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let c = lo.value(inst, "c")?;
    let p = lo.b.compare(CompareOp::LeS32, Src::Imm(0), c).into();
    select(lo, inst, p)
}

fn slct_f32(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let c = lo.value(inst, "c")?;
    let c = comparable(lo, c, ScalarType::F32, inst.has("ftz"));
    let p = lo.b.compare(CompareOp::LeF32, Src::Imm(0), c).into();
    select(lo, inst, p)
}

fn testp(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let wide = inst.ty("type").bits() == 64;
    let (infinity, smallest_normal) =
        if wide { (0x7ff << 52, 1 << 52) } else { (0xff << 23, 1 << 23) };
    let (abs, sub, eq, lt, le) = if wide {
        (UnaryOp::AbsF64, BinaryOp::SubI64, C::EqI64, C::LtU64, C::LeU64)
    } else {
        (UnaryOp::AbsF32, BinaryOp::SubI32, C::EqI32, C::LtU32, C::LeU32)
    };
    let a = lo.value(inst, "a")?;
    let magnitude = lo.b.unary(abs, a);
    // Zero is normal; less one, it is above every other magnitude.
    let subnormal = |lo: &mut Lowering| -> Pred {
        let less_one = lo.b.binary(sub, magnitude, Src::Imm(1));
        lo.b.compare(lt, less_one, Src::Imm(smallest_normal - 1)).into()
    };
    let infinity = Src::Imm(infinity);
    let holds: Pred = match inst.word("op") {
        Some("finite") => lo.b.compare(lt, magnitude, infinity).into(),
        Some("infinite") => lo.b.compare(eq, magnitude, infinity).into(),
        Some("number") => lo.b.compare(le, magnitude, infinity).into(),
        Some("notanumber") => lo.b.compare(lt, infinity, magnitude).into(),
        Some("subnormal") => subnormal(lo),
        _ => {
            let finite = lo.b.compare(lt, magnitude, infinity);
            let subnormal = subnormal(lo);
            lo.b.logic(0b0100, finite, subnormal).into()
        }
    };
    let p = lo.result(inst, "p")?;
    lo.b.pred_to(p, holds);
    Ok(())
}
