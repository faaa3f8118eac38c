//! What `mma` and `wmma.mma` do: a product of matrices is one operation (`lanes::product`).

use super::fragment::WARP;
use super::shape::shape;
use crate::lower::{Inst, Lowering, Result};
use crate::syntax::ScalarType;
use crate::syntax::ast::OperandKind;
use ir::{Collective, Mma, Op, Reg, Round, Src};
use lanes::product::{Factor, Layout, Product, Sum};

/// `mma`.
pub(super) fn multiply(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    product(lo, inst, Layout::Mma)
}

/// `wmma.mma`.
pub(super) fn multiply_wmma(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    product(lo, inst, Layout::Wmma)
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
    let sum = |slot| if bits { Some(Sum::S32) } else { sum(inst.ty(slot)) };
    // Where `c` is `d`, its type is said once.
    let c = if inst.word("ctype").is_some() { "ctype" } else { "dtype" };
    Some(Product {
        m,
        n,
        k,
        a: factor("atype")?,
        b: factor("btype")?,
        c: sum(c)?,
        d: sum("dtype")?,
        layout,
        satfinite: inst.has("satfinite"),
        xor: inst.word("op") == Some("xor"),
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
