//! Undefined bits of one lane's result, from undefined bits and values of its operands.
//!
//! Of an operand, `s` are its undefined bits and `v` its bits as the run has them.

use ir::{BinaryOp, BitRule, Class, CompareOp, Relation, TernaryOp, UnaryOp};

/// Every bit of a register of a class.
pub(crate) fn full(class: Class) -> u64 {
    match class {
        Class::Pred => 1,
        Class::W32 => 0xffff_ffff,
        Class::W64 => u64::MAX,
    }
}

/// The lowest set bit and everything above it.
fn upward(bits: u64) -> u64 {
    bits | bits.wrapping_neg()
}

/// Undefined bits of a product, without end to the left. `sign` is the bit of the operands that is extended.
fn product(s: [u64; 2], v: [u64; 2], sign: u64) -> u64 {
    let shifts = |s: [u64; 2], v: u64| s[1] == 0 && v.is_power_of_two() && (s[0] | v) & sign == 0;
    if shifts(s, v[1]) {
        return s[0] << v[1].trailing_zeros();
    }
    if shifts([s[1], s[0]], v[0]) {
        return s[1] << v[0].trailing_zeros();
    }
    // What changes is a multiple of the lowest undefined bit and of the other factor.
    let lowest = |s: u64, other: u64| match s {
        0 => u64::BITS,
        _ => s.trailing_zeros() + other.trailing_zeros(),
    };
    let changes = lowest(s[0], s[1] | v[1]).min(lowest(s[1], s[0] | v[0]));
    u64::MAX.checked_shl(changes).unwrap_or(0)
}

/// Whether undefined bits of two factors can change the product: nothing times zero is zero.
fn changes(s: [u64; 2], v: [u64; 2]) -> bool {
    s[0] != 0 && s[1] | v[1] != 0 || s[1] != 0 && s[0] | v[0] != 0
}

/// Each half of 16 bits in which any bit is set.
fn halves(bits: u64) -> u64 {
    let half = |mask: u64| if bits & mask != 0 { mask } else { 0 };
    half(0xffff) | half(0xffff_0000)
}

fn and(s: [u64; 2], v: [u64; 2]) -> u64 {
    (s[0] | v[0]) & (s[1] | v[1]) & (s[0] | s[1])
}

/// The rules that look at the union of undefined bits alone.
fn spread(rule: BitRule, any: u64, result: u64) -> u64 {
    match rule {
        BitRule::Union => any & result,
        BitRule::Upward => upward(any) & result,
        BitRule::Halves => halves(any),
        BitRule::Count(bits) => bits,
        BitRule::Apply
        | BitRule::Product { .. }
        | BitRule::High
        | BitRule::Dot(_)
        | BitRule::And
        | BitRule::Or
        | BitRule::BitSelect
        | BitRule::Copysign(_)
        | BitRule::All => result,
    }
}

/// Undefined bits of `op(a)`.
pub(crate) fn unary(op: UnaryOp, s: u64) -> u64 {
    match op.bits() {
        BitRule::Apply => op.eval([s]),
        rule @ (BitRule::Union
        | BitRule::Upward
        | BitRule::Product { .. }
        | BitRule::High
        | BitRule::Dot(_)
        | BitRule::And
        | BitRule::Or
        | BitRule::BitSelect
        | BitRule::Copysign(_)
        | BitRule::Halves
        | BitRule::Count(_)
        | BitRule::All) => spread(rule, s, full(op.signature().1)),
    }
}

/// Undefined bits of `op(a, b)`.
pub(crate) fn binary(op: BinaryOp, s: [u64; 2], v: [u64; 2]) -> u64 {
    let result = full(op.signature().1);
    match op.bits() {
        BitRule::And => and(s, v) & result,
        BitRule::Or => and(s, v.map(|v| !v)) & result,
        BitRule::Copysign(sign) => s[0] & sign | s[1] & !sign & result,
        BitRule::Product { sign } => product(s, v, sign) & result,
        BitRule::High if !changes(s, v) => 0,
        // Packing has two data operands, shifting has one and an amount.
        BitRule::Apply if matches!(op, BinaryOp::Pack32 | BinaryOp::Pack64) => op.eval(s),
        BitRule::Apply if s[1] == 0 => op.eval([s[0], v[1]]),
        rule @ (BitRule::Apply
        | BitRule::Union
        | BitRule::Upward
        | BitRule::High
        | BitRule::Dot(_)
        | BitRule::BitSelect
        | BitRule::Halves
        | BitRule::Count(_)
        | BitRule::All) => spread(rule, s[0] | s[1], result),
    }
}

/// Undefined bits of what `op(old, b)` leaves in memory, where `old` is not known.
pub(crate) fn update(op: BinaryOp, s: [u64; 2]) -> u64 {
    let any = s[0] | s[1];
    match op.bits() {
        BitRule::And | BitRule::Or => any,
        rule @ (BitRule::Apply
        | BitRule::Union
        | BitRule::Upward
        | BitRule::Product { .. }
        | BitRule::High
        | BitRule::Dot(_)
        | BitRule::BitSelect
        | BitRule::Copysign(_)
        | BitRule::Halves
        | BitRule::Count(_)
        | BitRule::All) => match any {
            0 => 0,
            any => spread(rule, any, full(op.signature().1)),
        },
    }
}

/// Undefined bits of `op(a, b, c)`.
pub(crate) fn ternary(op: TernaryOp, s: [u64; 3], v: [u64; 3]) -> u64 {
    let result = full(op.signature().1);
    let any = s[0] | s[1] | s[2];
    match op.bits() {
        BitRule::BitSelect => {
            let either = v[1] ^ v[2] | s[1] | s[2];
            (s[0] & either | !s[0] & (v[0] & s[2] | !v[0] & s[1])) & result
        }
        BitRule::Product { sign } => {
            let undefined = product([s[0], s[1]], [v[0], v[1]], sign) & result;
            let extend = |v: u64| if v & sign == 0 { v } else { v | sign.wrapping_neg() };
            let value = extend(v[0]).wrapping_mul(extend(v[1]));
            // Where no bit of the two meets one of the other, nothing is carried.
            match (value | undefined) & (v[2] | s[2]) & result {
                0 => undefined | s[2] & result,
                _ => upward(undefined | s[2]) & result,
            }
        }
        BitRule::Dot(fields) => {
            let counts = |(a, b): &(u64, u64)| changes([s[0] & a, s[1] & b], [v[0] & a, v[1] & b]);
            if fields.iter().any(counts) { result } else { upward(s[2]) & result }
        }
        // A field of one operand, its position and length.
        BitRule::Apply
            if matches!(
                op,
                TernaryOp::BfeU32 | TernaryOp::BfeU64 | TernaryOp::BfeS32 | TernaryOp::BfeS64
            ) =>
        {
            if s[1] | s[2] == 0 {
                op.eval([s[0], v[1], v[2]])
            } else {
                result
            }
        }
        // Bits of a pair, chosen by the third operand.
        BitRule::Apply if s[2] == 0 => op.eval([s[0], s[1], v[2]]),
        rule @ (BitRule::Apply
        | BitRule::Union
        | BitRule::Upward
        | BitRule::High
        | BitRule::And
        | BitRule::Or
        | BitRule::Copysign(_)
        | BitRule::Halves
        | BitRule::Count(_)
        | BitRule::All) => spread(rule, any, result),
    }
}

/// Whether the predicate `op(a, b)` is undefined.
pub(crate) fn compare(op: CompareOp, s: [u64; 2], v: [u64; 2]) -> bool {
    let width = full(op.signature().0[0]);
    let any = (s[0] | s[1]) & width;
    if any == 0 {
        return false;
    }
    match op.bits() {
        Relation::Equal => (v[0] ^ v[1]) & width & !any == 0,
        Relation::Order { signed, equal } => {
            // A sign bit counts the other way round.
            let sign = if signed { width ^ width >> 1 } else { 0 };
            let range = |s: u64, v: u64| {
                let (low, high) = (v & !s & width, (v | s) & width);
                let undefined_sign = s & sign;
                ((low | undefined_sign) ^ sign, (high & !undefined_sign) ^ sign)
            };
            let ((low_a, high_a), (low_b, high_b)) = (range(s[0], v[0]), range(s[1], v[1]));
            let (always, never) = match equal {
                true => (high_a <= low_b, low_a > high_b),
                false => (high_a < low_b, low_a >= high_b),
            };
            !(always || never)
        }
        Relation::Any => true,
    }
}

/// Whether bit `2*a + b` of a truth table depends on operands that are undefined.
pub(crate) fn logic(table: u8, s: [bool; 2], v: [bool; 2]) -> bool {
    let value = |a: bool, b: bool| table >> (2 * u8::from(a) + u8::from(b)) & 1;
    let here = value(v[0], v[1]);
    s[0] && value(!v[0], v[1]) != here
        || s[1] && value(v[0], !v[1]) != here
        || s[0] && s[1] && value(!v[0], !v[1]) != here
}

/// Undefined bits of `p ? a : b`.
pub(crate) fn select(p: (bool, bool), s: [u64; 2], v: [u64; 2], result: u64) -> u64 {
    match p {
        (true, _) => (v[0] ^ v[1] | s[0] | s[1]) & result,
        (false, true) => s[0],
        (false, false) => s[1],
    }
}

/// Whether the operation only moves bits: what it makes of padding is padding still.
pub(crate) fn moves(op: UnaryOp) -> bool {
    op.bits() == BitRule::Apply
}

/// Whether the operation only puts values side by side.
pub(crate) fn packs(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Pack32 | BinaryOp::Pack64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to fill in the undefined bits of a value, which lie in the low `bits` bits.
    fn fillings(s: u64, v: u64, bits: u32) -> impl Iterator<Item = u64> {
        (0..1_u64 << bits).filter(move |fill| fill & !s == 0).map(move |fill| v & !s | fill)
    }

    const BITS: u32 = 3;
    const SPACE: u64 = 1 << BITS;

    /// The bits in which results differ when undefined bits are filled in every way.
    fn truth(s: [u64; 2], v: [u64; 2], f: impl Fn(u64, u64) -> u64) -> u64 {
        let (mut ones, mut zeros) = (0, 0);
        for a in fillings(s[0], v[0], BITS) {
            for b in fillings(s[1], v[1], BITS) {
                ones |= f(a, b);
                zeros |= !f(a, b);
            }
        }
        ones & zeros
    }

    fn every(mut test: impl FnMut([u64; 2], [u64; 2])) {
        for n in 0..SPACE.pow(4) {
            let part = |at: u32| n >> (BITS * at) & (SPACE - 1);
            test([part(0), part(1)], [part(2), part(3)]);
        }
    }

    #[test]
    fn bitwise_operations_and_comparisons_are_exact() {
        let exact = [BinaryOp::And32, BinaryOp::Or32, BinaryOp::Xor32];
        every(|s, v| {
            for op in exact {
                let truth = truth(s, v, |a, b| op.eval([a, b]));
                assert_eq!(binary(op, s, v), truth, "{op:?} {s:?} {v:?}");
            }
            for op in [CompareOp::EqI32, CompareOp::NeI32, CompareOp::LtU32, CompareOp::LeU32] {
                let truth = truth(s, v, |a, b| op.eval([a, b]));
                assert_eq!(compare(op, s, v), truth != 0, "{op:?} {s:?} {v:?}");
            }
            // The same values at the top of the word, where the sign is.
            let up = |x: u64| x << (32 - BITS);
            for op in [CompareOp::LtS32, CompareOp::LeS32] {
                let truth = truth(s, v, |a, b| op.eval([up(a), up(b)]));
                assert_eq!(compare(op, s.map(up), v.map(up)), truth != 0, "{op:?} {s:?} {v:?}");
            }
        });
    }

    #[test]
    fn no_rule_calls_an_undefined_bit_defined() {
        let shifts = |op| matches!(op, BinaryOp::Shl32 | BinaryOp::ShrU32 | BinaryOp::ShrS32);
        for op in BinaryOp::all() {
            let result = full(op.signature().1);
            every(|s, v| {
                let truth = truth(s, v, |a, b| op.eval([a, b])) & result;
                let found = binary(op, s, v);
                assert_eq!(truth & !found, 0, "{op:?} {s:?} {v:?}");
                if s == [0, 0] {
                    assert!(found == 0 || !shifts(op), "{op:?} {s:?} {v:?}");
                }
            });
        }
        for op in UnaryOp::all() {
            for (s, v) in (0..SPACE * SPACE).map(|n| (n / SPACE, n % SPACE)) {
                let truth = truth([s, 0], [v, 0], |a, _| op.eval([a])) & full(op.signature().1);
                assert_eq!(truth & !unary(op, s), 0, "{op:?} {s} {v}");
            }
        }
        for op in CompareOp::all() {
            every(|s, v| {
                let truth = truth(s, v, |a, b| op.eval([a, b]));
                assert!(truth == 0 || compare(op, s, v), "{op:?} {s:?} {v:?}");
            });
        }
    }

    #[test]
    fn ternary_rules_err_to_one_side_only() {
        for op in TernaryOp::all() {
            let result = full(op.signature().1);
            for c in [0, 1, 5, 8] {
                every(|s, v| {
                    for third in [0, 1] {
                        let f = |a, b| op.eval([a, b, c]) & result;
                        let truth = truth(s, v, f)
                            | if third == 0 {
                                0
                            } else {
                                truth(s, v, |a, b| op.eval([a, b, c ^ 1])) & result
                                    | (f(v[0], v[1]) ^ op.eval([v[0], v[1], c ^ 1])) & result
                            };
                        let found = ternary(op, [s[0], s[1], third], [v[0], v[1], c]);
                        let nothing = s == [0, 0] && third == 0;
                        assert!(nothing || truth & !found == 0, "{op:?} {s:?} {v:?} {c}");
                    }
                });
            }
        }
    }

    #[test]
    fn products_with_powers_of_two_are_shifts_and_sums_without_carries_unions() {
        every(|s, v| {
            for amount in [0, 1, 8, 29] {
                let by = 1 << amount;
                for op in [BinaryOp::MulLo32, BinaryOp::MulWideU32, BinaryOp::MulWideS32] {
                    let moved = (s[0] << amount) & full(op.signature().1);
                    assert_eq!(binary(op, [s[0], 0], [v[0], by]), moved, "{op:?}");
                    assert_eq!(binary(op, [0, s[0]], [by, v[0]]), moved, "{op:?}");
                }
                for op in [TernaryOp::MadLo32, TernaryOp::MadWideU32, TernaryOp::MadWideS32] {
                    let c = (s[1] | v[1]) << (amount + BITS) & 0xffff_ffff;
                    let found = ternary(op, [s[0], 0, 0], [v[0], by, c]);
                    assert_eq!(found, (s[0] << amount) & full(op.signature().1), "{op:?}");
                }
            }
            // Undefined sign bits fill what is above them.
            let high = binary(BinaryOp::MulWideS32, [1 << 31, 0], [v[0], 4]);
            assert_eq!(high, u64::MAX << 33);
        });
    }

    #[test]
    fn undefined_bytes_of_a_dot_product_with_zero_are_harmless() {
        for op in [TernaryOp::Dp4aUU, TernaryOp::Dp4aUS, TernaryOp::Dp4aSU, TernaryOp::Dp4aSS] {
            let undefined = |b: u64, c: u64| ternary(op, [0xff00_0000, 0, c], [7, b, 5]);
            assert_eq!(undefined(0x00ff_0101, 0), 0, "{op:?}");
            assert_eq!(undefined(0x00ff_0101, 0x10), 0xffff_fff0, "{op:?}");
            assert_eq!(undefined(0x0100_0000, 0), 0xffff_ffff, "{op:?}");
        }
        // Two halves of one operand, and the low or the high two bytes of the other.
        for (op, other) in [(TernaryOp::Dp2aLoUU, 0xffff_00ff), (TernaryOp::Dp2aHiSS, 0x00ff_ffff)]
        {
            let undefined = |b: u64| ternary(op, [0xffff_0000, 0, 0], [7, b, 5]);
            assert_eq!(undefined(other), 0, "{op:?}");
            assert_eq!(undefined(!other & 0xffff_ffff), 0xffff_ffff, "{op:?}");
        }
        for op in [BinaryOp::MulHiU32, BinaryOp::MulHiS64] {
            assert_eq!(binary(op, [0xff, 0], [3, 0]), 0, "{op:?}");
            assert_eq!(binary(op, [0xff, 0], [3, 1]), full(op.signature().1), "{op:?}");
        }
    }

    #[test]
    fn logic_and_select_are_exact() {
        for n in 0..16_u32 * 16 {
            let (table, bits) = ((n >> 4) as u8, n & 15);
            let bit = |at: u32| bits >> at & 1 != 0;
            let (s, v) = ([bit(0), bit(1)], [bit(2), bit(3)]);
            let value = |a: u64, b: u64| u64::from(table >> (2 * a + b) & 1);
            let wide = |x: [bool; 2]| x.map(u64::from);
            assert_eq!(logic(table, s, v), truth(wide(s), wide(v), value) != 0, "{table:04b}");
        }
        every(|s, v| {
            let undecided = truth(s, v, |a, _| a) | truth(s, v, |_, b| b) | (v[0] ^ v[1]);
            assert_eq!(select((true, true), s, v, SPACE - 1), undecided & (SPACE - 1));
            assert_eq!(select((false, true), s, v, SPACE - 1), s[0]);
            assert_eq!(select((false, false), s, v, SPACE - 1), s[1]);
        });
    }
}
