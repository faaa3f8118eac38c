//! What `mma` and `wmma.mma` do: a product of matrices is one operation (`lanes::product`).

use super::fragment::WARP;
use super::shape::shape;
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use crate::syntax::ast::OperandKind;
use ir::{BinaryOp, Class, Collective, Mma, Op, Reg, Round, Src};
use lanes::product::{Adder, Factor, Layout, Product, Sum};

/// `mma`.
pub(super) fn multiply(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    product(lo, inst, Layout::Mma)
}

/// `wmma.mma`.
pub(super) fn multiply_wmma(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    product(lo, inst, Layout::Wmma)
}

/// The registers that a product multiplies and adds to.
pub(in crate::catalogue) struct Operands<'a> {
    pub(in crate::catalogue) a: &'a [Src],
    pub(in crate::catalogue) b: &'a [Src],
    pub(in crate::catalogue) c: &'a [Src],
}

/// Words of a row of `a` that one operation multiplies, at most.
pub(super) const WORDS: usize = 8;

/// The registers of `d = a b + c`, of a product whose rows may be twice as long as those of an operation.
pub(in crate::catalogue) fn in_parts(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    product: Product,
    Operands { a, b, c }: Operands<'_>,
) -> Result<Vec<Src>> {
    if product.words() <= WORDS {
        return push(lo, inst, product, Operands { a, b, c });
    }
    // The registers of a fragment hold the first half of its words, then the others.
    let ((a, later_a), (b, later_b)) = (a.split_at(a.len() / 2), b.split_at(b.len() / 2));
    let integers = product.d == Sum::S32;
    let between = if integers { Sum::S32 } else { Sum::F32 };
    let half = Product { k: product.k / 2, satfinite: false, ..product };
    let (first, second) = (Product { d: between, ..half }, Product { c: between, ..half });
    if !product.satfinite {
        let sums = push(lo, inst, first, Operands { a, b, c })?;
        return push(lo, inst, second, Operands { a: later_a, b: later_b, c: &sums });
    }
    // Only the whole sum is clamped, and that of the products of integers is far from the bounds.
    let zeros = vec![Src::Imm(0); c.len()];
    let sums = push(lo, inst, first, Operands { a, b, c: &zeros })?;
    let sums = push(lo, inst, second, Operands { a: later_a, b: later_b, c: &sums })?;
    let clamped = |(c, sum): (&Src, Src)| lo.b.binary(BinaryOp::AddSatS32, *c, sum).into();
    Ok(c.iter().zip(sums).map(clamped).collect())
}

/// The registers of `d = a b + c`, new ones, of a product that is one operation, by all lanes of the warp.
pub(super) fn push(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    product: Product,
    Operands { a, b, c }: Operands<'_>,
) -> Result<Vec<Src>> {
    if !product.is_valid() {
        return lo.unsupported(inst, "a product of matrices of this shape and these types");
    }
    let d: Vec<Reg> = (0..product.registers().d).map(|_| lo.b.reg(Class::W32)).collect();
    let qualifiers = lo.qualifiers(inst);
    let kept = d.iter().copied().map(Some).collect();
    let mma = Mma { product, qualifiers, a: a.into(), b: b.into(), c: c.into(), d: kept };
    let what = Collective::Mma(Box::new(mma));
    // Who has to be there was settled when the instruction began.
    lo.b.push(Op::Collective { what, members: WARP, aligned: false });
    Ok(d.into_iter().map(Src::from).collect())
}

/// Writes the registers of `d`.
pub(in crate::catalogue) fn write(lo: &mut Lowering, inst: &Inst<'_>, d: &[Src]) -> Result {
    let operand = lo.operand(inst, "d")?;
    for (element, value) in lo.elements(operand).iter().zip(d) {
        lo.write_to(element, *value, ScalarType::B32)?;
    }
    Ok(())
}

fn product(lo: &mut Lowering, inst: &Inst<'_>, layout: Layout) -> Result {
    let Some(product) = described(inst, layout).filter(Product::is_valid) else {
        return lo.unsupported(inst, "a product of matrices of this shape and these types");
    };
    let register = if product.is_wide() { ScalarType::B64 } else { ScalarType::B32 };
    let [a, b, c] = [
        values(lo, inst, "a", register)?.into_boxed_slice(),
        values(lo, inst, "b", register)?.into_boxed_slice(),
        values(lo, inst, "c", register)?.into_boxed_slice(),
    ];
    let operand = lo.operand(inst, "d")?;
    let elements = lo.elements(operand);
    let mut d: Vec<Option<Reg>> = Vec::with_capacity(elements.len());
    // Registers of another width, which receive their part of the result behind the product.
    let mut others = Vec::new();
    for element in elements {
        d.push(match lo.declared_bits(element) {
            _ if matches!(element.kind, OperandKind::Sink) => None,
            Some(bits) if bits != register.bits() => {
                let found =
                    lo.b.reg(if product.is_wide() { ir::Class::W64 } else { ir::Class::W32 });
                others.push((element, found));
                Some(found)
            }
            _ => Some(lo.result_of(element, register)?),
        });
    }
    let qualifiers = lo.qualifiers(inst);
    let mma = Mma { product, qualifiers, a, b, c, d: d.into_boxed_slice() };
    let what = Collective::Mma(Box::new(mma));
    // Before PTX 6.3 `wmma` did not spell `.aligned` and meant it.
    lo.b.push(Op::Collective { what, members: WARP, aligned: true });
    for (element, found) in others {
        lo.write_to(element, found.into(), register)?;
    }
    Ok(())
}

/// The product that an instruction asks for.
pub(in crate::catalogue) fn described(inst: &Inst<'_>, layout: Layout) -> Option<Product> {
    let (m, n, k) = shape(inst);
    let bits = inst.word("op").is_some();
    // The types of products of single bits stand in the opcode, and so does that of products of binary16 (`wmma`).
    let factor = |slot| match (bits, inst.word(slot)) {
        (true, _) => Some(Factor::B1),
        (false, Some(_)) => factor(inst.ty(slot)),
        (false, None) => Some(Factor::F16),
    };
    let sum = |slot| match (bits, inst.word(slot)) {
        (true, _) => Some(Sum::S32),
        (false, Some(_)) => sum(inst.ty(slot)),
        (false, None) => sum(inst.operand_type("d")),
    };
    // Where `c` is `d`, its type is said once.
    let c = if inst.word("ctype").is_some() { "ctype" } else { "dtype" };
    let a = factor("atype")?;
    Some(Product {
        m,
        n,
        k,
        a,
        b: factor("btype")?,
        c: sum(c)?,
        d: sum("dtype")?,
        layout,
        satfinite: inst.has("satfinite"),
        xor: inst.word("op") == Some("xor"),
        adder: if a.is_small_float() { Adder::Halves } else { Adder::Full },
        round: match inst.word("rnd") {
            Some("rz") => Round::TowardZero,
            Some("rm") => Round::Down,
            Some("rp") => Round::Up,
            _ => Round::NearestEven,
        },
    })
}

fn factor(ty: ScalarType) -> Option<Factor> {
    use ScalarType as T;
    Some(match ty {
        T::F16 => Factor::F16,
        T::Bf16 => Factor::Bf16,
        T::Tf32 => Factor::Tf32,
        T::E4m3 => Factor::E4m3,
        T::E5m2 => Factor::E5m2,
        T::E2m3 => Factor::E2m3,
        T::E3m2 => Factor::E3m2,
        T::E2m1 => Factor::E2m1,
        T::F64 => Factor::F64,
        T::S8 => Factor::S8,
        T::U8 => Factor::U8,
        T::S4 => Factor::S4,
        T::U4 => Factor::U4,
        T::B1 => Factor::B1,
        _ => return None,
    })
}

fn sum(ty: ScalarType) -> Option<Sum> {
    Some(match ty {
        ScalarType::F16 => Sum::F16,
        ScalarType::F32 => Sum::F32,
        ScalarType::F64 => Sum::F64,
        ScalarType::S32 => Sum::S32,
        _ => return None,
    })
}

/// The registers of a fragment.
pub(in crate::catalogue) fn values(
    lo: &mut Lowering,
    inst: &Inst<'_>,
    name: &str,
    ty: ScalarType,
) -> Result<Vec<Src>> {
    let operand = lo.operand(inst, name)?;
    lo.elements(operand).iter().map(|element| lo.value_of(element, ty)).collect()
}
