//! The shape of an operation's result, by the shapes of its operands.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of a function that is not named nothing is known, which is always right"
)]

use super::launch::{GANG_LANES, LaunchShape};
use super::shape::{Affine, Shape, Steps, cut};
use crate::{
    BinaryOp, Class, CompareOp, Dim, Members, Op, Pred, Reg, Space, Special, Src, TernaryOp,
    UnaryOp,
};
use lanes::WARP;

/// Gangs of a CTA, at most.
const MOST_GANGS: u64 = 32;

/// What is known where an operation stands. `None` is a register that nothing has been said of yet.
pub(super) trait Known {
    /// The shape of a register.
    fn shape(&self, reg: Reg) -> Option<Shape>;
    /// The class of a register.
    fn class(&self, reg: Reg) -> Class;
    /// Whether threads have local memory.
    fn has_local(&self) -> bool;
}

/// The shape of an operation's results when all lanes execute it together. `None` if nothing has been said of an operand.
///
/// Where a value of 32 bits becomes one of 64, lanes are taken to follow from the first for numbers of any size
/// ([`Affine::is_exact`] says where that is certain).
pub(super) fn evaluate(op: &Op, known: &impl Known, launch: &LaunchShape) -> Option<Shape> {
    let src = |src: Src| match src {
        Src::Reg(reg) => known.shape(reg),
        Src::Imm(value) => Some(Shape::Affine(Affine::constant(value))),
    };
    let pred = |pred: Pred| match pred {
        Pred::Is(reg) => known.shape(reg),
        Pred::Not(reg) => known.shape(reg).map(|shape| match shape {
            Shape::Mask(lanes) => Shape::Mask(!lanes),
            Shape::Affine(_) => Shape::UNIFORM,
            Shape::Sliced(..) | Shape::Varying => Shape::Varying,
        }),
        Pred::Const(value) => Some(Shape::Mask(if value { u64::MAX } else { 0 })),
    };
    let class = |src: Src| match src {
        Src::Reg(reg) => known.class(reg),
        Src::Imm(_) => Class::W64,
    };
    let operand = |of: Src| Some((src(of)?, class(of)));
    Some(match op {
        Op::Unary { op, a, .. } => result([operand(*a)?], launch, |[a]| {
            unary(*op, a).or_else(|| of_known_lanes([a], op.signature(), |all| op.eval(all)))
        }),
        Op::Binary { op, a, b, .. } => result([operand(*a)?, operand(*b)?], launch, |[a, b]| {
            let known = || of_known_lanes([a, b], op.signature(), |all| op.eval(all));
            binary(*op, a, b).or_else(known)
        }),
        Op::Ternary { op, a, b, c, .. } => {
            let operands = [operand(*a)?, operand(*b)?, operand(*c)?];
            result(operands, launch, |[a, b, c]| {
                let known = || of_known_lanes([a, b, c], op.signature(), |all| op.eval(all));
                ternary(*op, a, b, c).or_else(known)
            })
        }
        Op::Compare { op, a, b, .. } => compare(*op, &src(*a)?, &src(*b)?),
        Op::Logic { table, a, b, .. } => match (pred(*a)?, pred(*b)?) {
            (Shape::Mask(a), Shape::Mask(b)) => {
                let bit = |at: u32| u64::from(*table >> at & 1).wrapping_neg();
                let (not_a, not_b) = (!a, !b);
                Shape::Mask(
                    bit(0) & not_a & not_b
                        | bit(1) & not_a & b
                        | bit(2) & a & not_b
                        | bit(3) & a & b,
                )
            }
            (a, b) if a.is_uniform() && b.is_uniform() => Shape::UNIFORM,
            _ => Shape::Varying,
        },
        Op::Select { d, a, b, p } => match pred(*p)? {
            Shape::Mask(u64::MAX) => src(*a)?,
            Shape::Mask(0) => src(*b)?,
            p => {
                let both = src(*a)?.join(&src(*b)?, known.class(*d), launch);
                if p.is_uniform() { both } else { Shape::Varying }
            }
        },
        Op::Special { what, .. } => special(*what, launch),
        Op::ActiveMask { .. } => of_each_warp(launch),
        Op::Load { space: Space::Local, .. } => Shape::Varying,
        // At the same generic address in its local memory, each lane has a value of its own.
        Op::Load { space: Space::Generic, .. } if known.has_local() => Shape::Varying,
        Op::Load { address, .. } if src(address.base)?.is_uniform() => Shape::UNIFORM,
        Op::Collective { what, members, .. } => {
            let mut known = true;
            let alike = what.gives_all_the_same(|of| match src(of) {
                Some(shape) => shape.is_uniform(),
                None => {
                    known = false;
                    true
                }
            });
            // The lanes of each membermask have a result of their own.
            let one_group = match members {
                Members::Active => true,
                Members::Mask(mask) => src(*mask)?.is_uniform(),
            };
            if !known {
                return None;
            }
            if alike && one_group { of_each_warp(launch) } else { Shape::Varying }
        }
        Op::Load { .. }
        | Op::Store { .. }
        | Op::Atomic { .. }
        | Op::Barrier { .. }
        | Op::ClusterBarrier { .. }
        | Op::Fence(_)
        | Op::Nanosleep { .. }
        | Op::Copy(_)
        | Op::CopyProgress(_)
        | Op::Host { .. } => Shape::Varying,
    })
}

/// The shape of what a function of the lanes' values gives: of the gang if it follows from the first lane, else of each slice.
fn result<const N: usize>(
    operands: [(Shape, Class); N],
    launch: &LaunchShape,
    function: impl Fn([&Affine; N]) -> Option<Affine>,
) -> Shape {
    let whole: Option<Vec<&Affine>> = operands.iter().map(|(shape, _)| shape.affine()).collect();
    if let Some(Ok(whole)) = whole.map(<[&Affine; N]>::try_from) {
        if let Some(found) = function(whole) {
            return Shape::Affine(found);
        }
        if whole.iter().all(|affine| affine.is_uniform()) {
            return Shape::UNIFORM;
        }
    }
    let found = launch.slices().find_map(|lanes| {
        let slices = operands.iter().map(|(shape, class)| shape.in_slices(*class, lanes));
        let slices = slices.collect::<Option<Vec<Affine>>>()?;
        let slices: Vec<&Affine> = slices.iter().collect();
        let found = <[&Affine; N]>::try_from(slices).ok().and_then(&function)?;
        Some(Shape::Sliced(lanes, found))
    });
    found.unwrap_or(Shape::Varying)
}

/// What a function gives in each lane, of operands whose values in all lanes are known.
fn of_known_lanes<const N: usize>(
    operands: [&Affine; N],
    (classes, class): ([Class; N], Class),
    function: impl Fn([u64; N]) -> u64,
) -> Option<Affine> {
    let bits = |class: Class| if class == Class::W64 { 64 } else { 32 };
    let mut values = [[0; GANG_LANES]; N];
    for ((values, operand), class) in values.iter_mut().zip(operands).zip(classes) {
        *values = operand.lanes(bits(class))?;
    }
    let of_lane = |lane: usize| function(values.map(|values| values[lane]));
    Some(Affine::of_lanes(std::array::from_fn(of_lane), bits(class)))
}

/// What is the same in all lanes of a warp, and may be something else in every warp.
fn of_each_warp(launch: &LaunchShape) -> Shape {
    if launch.gang == 1 { Shape::UNIFORM } else { Shape::Sliced(WARP as u32, Affine::UNIFORM) }
}

fn unary(op: UnaryOp, a: &Affine) -> Option<Affine> {
    if let Some(value) = a.value() {
        return Some(Affine::constant(op.eval([value])));
    }
    match op {
        UnaryOp::Mov32 | UnaryOp::Mov64 => Some(a.clone()),
        UnaryOp::Low32 => {
            let range = a.range.filter(|(_, high)| *high <= u64::from(u32::MAX));
            let steps = a.all_steps().map(|step| step & u64::from(u32::MAX));
            Some(Affine { range, ..a.clone() }.with_steps(steps))
        }
        UnaryOp::ZeroExtend32 => Some(widened(a, 1)),
        UnaryOp::SignExtend32 => {
            let range = a.range.filter(|(_, high)| *high <= i32::MAX as u64);
            Some(widened(&Affine { range, ..a.clone() }, 1))
        }
        _ => None,
    }
}

/// A value of 32 bits times a constant, as one of 64 bits.
fn widened(a: &Affine, factor: u64) -> Affine {
    let signed = |step: u64| i64::from(step as u32 as i32).cast_unsigned().wrapping_mul(factor);
    let zeros = (a.zeros + factor.trailing_zeros()).min(64);
    let range =
        a.range.and_then(|(low, high)| Some((low.checked_mul(factor)?, high.checked_mul(factor)?)));
    Affine { steps: None, zeros, range }.with_steps(a.all_steps().map(signed))
}

fn binary(op: BinaryOp, a: &Affine, b: &Affine) -> Option<Affine> {
    use BinaryOp as B;
    if let (Some(a), Some(b)) = (a.value(), b.value()) {
        return Some(Affine::constant(op.eval([a, b])));
    }
    match op {
        B::AddI32 => Some(sum(a, b, 32)),
        B::AddI64 => Some(sum(a, b, 64)),
        B::SubI32 => Some(difference(a, b, 32)),
        B::SubI64 => Some(difference(a, b, 64)),
        B::MulLo32 => product(a, b, 32),
        B::MulLo64 => product(a, b, 64),
        B::MulWideU32 => wide_product(a, b, u64::from(u32::MAX)),
        B::MulWideS32 => wide_product(a, b, i32::MAX as u64),
        B::Shl32 => shifted_left(a, b, 32),
        B::Shl64 => shifted_left(a, b, 64),
        B::ShrU32 => b.value().filter(|by| *by < 32).and_then(|by| low_bits(a, |v| v >> by, by)),
        B::ShrU64 => b.value().filter(|by| *by < 64).and_then(|by| low_bits(a, |v| v >> by, by)),
        B::ShrS32 if is_not_negative(a, 32) => binary(B::ShrU32, a, b),
        B::ShrS64 if is_not_negative(a, 64) => binary(B::ShrU64, a, b),
        B::And32 | B::And64 => masked(a, b),
        B::Or32 | B::Xor32 => put_together(a, b, 32),
        B::Or64 | B::Xor64 => put_together(a, b, 64),
        _ => None,
    }
}

fn mask(bits: u32) -> u64 {
    cut(u64::MAX, bits)
}

fn sum(a: &Affine, b: &Affine, bits: u32) -> Affine {
    let (x, y) = (a.all_steps(), b.all_steps());
    let steps = std::array::from_fn(|lane| x[lane].wrapping_add(y[lane]) & mask(bits));
    let range = a.range.zip(b.range).and_then(|(a, b)| {
        let range = (a.0.checked_add(b.0)?, a.1.checked_add(b.1)?);
        (range.1 <= mask(bits)).then_some(range)
    });
    Affine { steps: None, zeros: a.zeros.min(b.zeros), range }.with_steps(steps)
}

fn difference(a: &Affine, b: &Affine, bits: u32) -> Affine {
    let (x, y) = (a.all_steps(), b.all_steps());
    let steps = std::array::from_fn(|lane| x[lane].wrapping_sub(y[lane]) & mask(bits));
    let range = a
        .range
        .zip(b.range)
        .and_then(|(a, b)| Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)));
    Affine { steps: None, zeros: a.zeros.min(b.zeros), range }.with_steps(steps)
}

/// A product with a constant, or of uniform values.
fn product(a: &Affine, b: &Affine, bits: u32) -> Option<Affine> {
    let (a, factor) = match (a.value(), b.value()) {
        (_, Some(factor)) => (a, factor),
        (Some(factor), _) => (b, factor),
        (None, None) => {
            let zeros = (a.zeros + b.zeros).min(64);
            return (a.is_uniform() && b.is_uniform()).then_some(Affine {
                steps: None,
                zeros,
                range: None,
            });
        }
    };
    let steps = a.all_steps().map(|step| step.wrapping_mul(factor) & mask(bits));
    let range = a.range.and_then(|(low, high)| {
        let range = (low.checked_mul(factor)?, high.checked_mul(factor)?);
        (range.1 <= mask(bits)).then_some(range)
    });
    let zeros = (a.zeros + factor.trailing_zeros()).min(64);
    Some(Affine { steps: None, zeros, range }.with_steps(steps))
}

/// The product of 64 bits with a constant of at most `most`.
fn wide_product(a: &Affine, b: &Affine, most: u64) -> Option<Affine> {
    let (a, factor) = match (a.value(), b.value()) {
        (_, Some(factor)) => (a, factor),
        (Some(factor), _) => (b, factor),
        (None, None) => return None,
    };
    let range = a.range.filter(|(_, high)| *high <= most);
    let a = Affine { range, ..a.clone() };
    if (factor & mask(32)) > most {
        return None;
    }
    Some(widened(&a, factor & mask(32)))
}

fn shifted_left(a: &Affine, by: &Affine, bits: u32) -> Option<Affine> {
    let by = by.value().filter(|by| *by < u64::from(bits))?;
    product(a, &Affine::constant(1 << by), bits)
}

/// What a function makes of values whose constants are in the low bits that the first lane's value has not, if it works on each
/// bit for itself and lowers numbers of zeros by `fewer`.
fn low_bits(a: &Affine, function: impl Fn(u64) -> u64, fewer: u64) -> Option<Affine> {
    let steps = a.all_steps();
    let fits = a.zeros >= 64 || steps.iter().all(|step| *step < 1 << a.zeros);
    let range = a.range.map(|(low, high)| (function(low), function(high)));
    let range = range.filter(|(low, high)| low <= high);
    let zeros = if a.zeros >= 64 { 64 } else { a.zeros.saturating_sub(fewer as u32) };
    fits.then(|| Affine { steps: None, zeros, range }.with_steps(steps.map(function)))
}

/// Whether no lane has a negative number, in any gang.
fn is_not_negative(a: &Affine, bits: u32) -> bool {
    a.greatest(bits).is_some_and(|greatest| greatest <= mask(bits - 1))
}

fn masked(a: &Affine, b: &Affine) -> Option<Affine> {
    let (a, mask) = match (a.value(), b.value()) {
        (_, Some(mask)) => (a, mask),
        (Some(mask), _) => (b, mask),
        (None, None) => return None,
    };
    let mut found = low_bits(a, |value| value & mask, 0)?;
    // Bits of the first lane's value that are not masked out.
    let rest = if found.zeros >= 64 { 0 } else { mask >> found.zeros << found.zeros };
    found.range = if rest == 0 { Some((0, 0)) } else { a.range.map(|(_, high)| (0, high)) };
    found.zeros = if rest == 0 { 64 } else { found.zeros.max(rest.trailing_zeros()) };
    Some(found)
}

/// The bits of both, if all of one value's lie above all of the other's: then it is their sum.
fn put_together(a: &Affine, b: &Affine, bits: u32) -> Option<Affine> {
    let lies_above = |upper: &Affine, lower: &Affine| {
        let steps = upper.all_steps().into_iter().filter(|step| *step != 0);
        let zeros = steps.map(u64::trailing_zeros).fold(upper.zeros, u32::min);
        let greatest = lower.greatest(bits);
        greatest.is_some_and(|greatest| greatest.checked_shr(zeros).unwrap_or(0) == 0)
    };
    (lies_above(a, b) || lies_above(b, a)).then(|| sum(a, b, bits))
}

fn ternary(op: TernaryOp, x: &Affine, y: &Affine, z: &Affine) -> Option<Affine> {
    use TernaryOp as T;
    match op {
        T::MadLo32 => product(x, y, 32).map(|found| sum(&found, z, 32)),
        T::MadLo64 => product(x, y, 64).map(|found| sum(&found, z, 64)),
        T::MadWideU32 => wide_product(x, y, u64::from(u32::MAX)).map(|found| sum(&found, z, 64)),
        T::MadWideS32 => wide_product(x, y, i32::MAX as u64).map(|found| sum(&found, z, 64)),
        _ => None,
    }
}

fn compare(op: CompareOp, a: &Shape, b: &Shape) -> Shape {
    let (Shape::Affine(a), Shape::Affine(b)) = (a, b) else { return Shape::Varying };
    if a.is_uniform() && b.is_uniform() {
        return match (a.value(), b.value()) {
            (Some(a), Some(b)) => Shape::Mask(if op.eval([a, b]) != 0 { u64::MAX } else { 0 }),
            _ => Shape::UNIFORM,
        };
    }
    let ([width, _], _) = op.signature();
    let bits = if width == Class::W64 { 64 } else { 32 };
    let (Some(firsts), Some(others)) = (firsts(a), firsts(b)) else { return Shape::Varying };
    if firsts.len() > 1 && others.len() > 1 {
        // Which of them come together is not known.
        return Shape::Varying;
    }
    let holds = |x: u64, y: u64, lane: usize| {
        let a = x.wrapping_add(a.step(lane)) & mask(bits);
        op.eval([a, y.wrapping_add(b.step(lane)) & mask(bits)]) != 0
    };
    let in_gangs = firsts.iter().flat_map(|x| others.iter().map(move |y| (*x, *y)));
    let lanes = in_gangs.map(|(x, y)| {
        (0..GANG_LANES).fold(0, |lanes, lane| lanes | u64::from(holds(x, y, lane)) << lane)
    });
    let shapes = lanes.map(Shape::Mask).reduce(|one, other| match one == other {
        true => one,
        false if one.is_uniform() && other.is_uniform() => Shape::UNIFORM,
        false => Shape::Varying,
    });
    shapes.unwrap_or(Shape::Varying)
}

/// The values that the first lane may have in some gang, if these are known and few.
fn firsts(affine: &Affine) -> Option<Vec<u64>> {
    let (low, high) = affine.range?;
    if low == high {
        return Some(vec![low]);
    }
    let step = 1u64.checked_shl(affine.zeros)?;
    let first = low.checked_next_multiple_of(step)?;
    let count = high.checked_sub(first)? / step + 1;
    (count <= MOST_GANGS).then(|| (0..count).map(|nth| first + nth * step).collect())
}

fn special(what: Special, launch: &LaunchShape) -> Shape {
    let by_lane = |function: fn(u32) -> u32| {
        let first = u64::from(function(0));
        let step =
            |lane: usize| u64::from(function((lane % WARP) as u32).wrapping_sub(function(0)));
        Shape::Affine(Affine::constant(first).with_steps(std::array::from_fn(step)))
    };
    match what {
        Special::Tid(dim) => tid(dim, launch),
        Special::Laneid => by_lane(|lane| lane),
        Special::LanemaskEq => by_lane(|lane| 1 << lane),
        Special::LanemaskLt => by_lane(|lane| (1 << lane) - 1),
        Special::LanemaskLe => by_lane(|lane| u32::MAX >> (31 - lane)),
        Special::LanemaskGe => by_lane(|lane| u32::MAX << lane),
        Special::LanemaskGt => by_lane(|lane| (u32::MAX << lane) ^ (1 << lane)),
        Special::Warpid => {
            let gang = launch.gang as usize;
            let last = launch.gangs().saturating_sub(1) * launch.gang;
            let zeros = launch.gang.trailing_zeros();
            let first = Affine { steps: None, zeros, range: Some((0, u64::from(last))) };
            let step = |lane: usize| (lane / WARP % gang) as u64;
            Shape::Affine(first.with_steps(std::array::from_fn(step)))
        }
        _ if what.varies_by_time() => Shape::Varying,
        _ => Shape::UNIFORM,
    }
}

/// `%tid`: the same constants in all gangs, or anything.
fn tid(dim: Dim, launch: &LaunchShape) -> Shape {
    let index = |gang: u32, lane: usize| u64::from(launch.tid(gang, lane)[dim.index()]);
    let steps = |gang: u32| -> Steps {
        let first = index(gang, 0);
        std::array::from_fn(|lane| index(gang, lane).wrapping_sub(first) & mask(32))
    };
    let same = steps(0);
    let (mut zeros, mut range) = (64, (u64::MAX, 0));
    for gang in 0..launch.gangs().max(1) {
        if steps(gang) != same {
            return Shape::Varying;
        }
        let first = index(gang, 0);
        zeros = zeros.min(if first == 0 { 64 } else { first.trailing_zeros() });
        range = (range.0.min(first), range.1.max(first));
    }
    Shape::Affine(Affine { steps: None, zeros, range: Some(range) }.with_steps(same))
}
