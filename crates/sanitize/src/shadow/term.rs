//! What cancels in sums of undefined values.
//!
//! An undefined value is some value, and the same wherever it is copied to: `(a + u) - u` is `a` whatever `u`
//! is. Block scans count on it. They compute an exclusive sum as the inclusive sum less the thread's own value,
//! and in a tile that is not full, threads bring values that nothing wrote.
//!
//! A value is taken as something defined plus a sum of unknowns, its *term*. An unknown is represented by an odd
//! number that depends on it alone, so that terms are added as the values are and a term of zero says that the
//! unknowns have cancelled. Sums that differ have the same term with a chance of 1 in 2³¹. All other operations
//! give a new unknown. Terms of 64-bit values are not multiplied: their 32 bits would not show what is left.

use ir::{BinaryOp, TernaryOp, UnaryOp};

/// The sum of unknowns in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term(u32);

impl Term {
    /// That of a value with no unknowns.
    pub(crate) const DEFINED: Term = Term(0);

    /// The unknown of this name.
    pub(crate) fn of(name: u64) -> Term {
        // The finalizer of SplitMix64.
        let name = (name ^ name >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let name = (name ^ name >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Term((name >> 32) as u32 | 1)
    }

    pub(super) fn number(self) -> u32 {
        self.0
    }

    pub(super) fn from_number(number: u32) -> Term {
        Term(number)
    }

    /// The high half of an unknown value is another unknown, of which only this is known.
    fn high_half(self) -> Term {
        Term(self.0.rotate_left(5) ^ 0x9e37_79b9)
    }

    fn plus(self, other: Term) -> Term {
        Term(self.0.wrapping_add(other.0))
    }

    fn minus(self, other: Term) -> Term {
        Term(self.0.wrapping_sub(other.0))
    }

    fn times(self, factor: u64) -> Term {
        Term(self.0.wrapping_mul(factor as u32))
    }
}

/// The term of `op(a)`; `None` for a new unknown.
pub(crate) fn unary(op: UnaryOp, a: Term) -> Option<Term> {
    if op.is_move() || op == UnaryOp::Low32 {
        Some(a)
    } else if op == UnaryOp::High32 {
        Some(a.high_half())
    } else if matches!(op, UnaryOp::NegI32 | UnaryOp::NegI64 | UnaryOp::Not32 | UnaryOp::Not64) {
        Some(Term::DEFINED.minus(a))
    } else {
        None
    }
}

/// The term of `op(a, b)`, `v` being the operands' values where they are defined.
pub(crate) fn binary(op: BinaryOp, [a, b]: [Term; 2], v: [u64; 2]) -> Option<Term> {
    if matches!(op, BinaryOp::AddI32 | BinaryOp::AddI64) {
        Some(a.plus(b))
    } else if matches!(op, BinaryOp::SubI32 | BinaryOp::SubI64) {
        Some(a.minus(b))
    } else if op == BinaryOp::MulLo32 {
        product([a, b], v)
    } else if op == BinaryOp::Shl32 && b == Term::DEFINED {
        Some(a.times(1_u64.checked_shl(v[1] as u32).unwrap_or(0)))
    } else if op == BinaryOp::Pack64 && b == a.high_half() {
        // Both halves of one value.
        Some(a)
    } else {
        None
    }
}

/// The term of `op(a, b, c)`.
pub(crate) fn ternary(op: TernaryOp, [a, b, c]: [Term; 3], v: [u64; 3]) -> Option<Term> {
    if op == TernaryOp::MadLo32 {
        product([a, b], [v[0], v[1]]).map(|product| product.plus(c))
    } else {
        None
    }
}

fn product([a, b]: [Term; 2], v: [u64; 2]) -> Option<Term> {
    match (a == Term::DEFINED, b == Term::DEFINED) {
        (_, true) => Some(a.times(v[1])),
        (true, false) => Some(b.times(v[0])),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Class;

    /// Values that the operands may have: something defined, and unknowns `x` and `y` added to it or not.
    const FORMS: [[u64; 3]; 5] = [[5, 0, 0], [7, 1, 0], [9, 0, 1], [3, 1, 1], [2, 0, 0]];

    fn value([defined, x, y]: [u64; 3], unknowns: [u64; 2], width: u64) -> u64 {
        let [first, second] = unknowns;
        let sum = x.wrapping_mul(first).wrapping_add(y.wrapping_mul(second));
        defined.wrapping_add(sum) & width
    }

    fn term([_, x, y]: [u64; 3]) -> Term {
        Term::of(1).times(x).plus(Term::of(2).times(y))
    }

    /// Different unknowns, with carries and without.
    const UNKNOWNS: [[u64; 2]; 4] =
        [[0, 0], [1, 0xffff_ffff], [0x8000_0000_0000_0001, 3], [u64::MAX, 1 << 63]];

    fn width(class: Class) -> u64 {
        super::super::transfer::full(class)
    }

    #[test]
    fn what_cancels_is_the_same_for_all_unknowns() {
        let mut cancelled = 0;
        for op in BinaryOp::all() {
            let ([first, second], _) = op.signature();
            for (a, b) in FORMS.iter().flat_map(|a| FORMS.map(|b| (*a, b))) {
                let values = UNKNOWNS.map(|unknowns| {
                    [value(a, unknowns, width(first)), value(b, unknowns, width(second))]
                });
                let terms = [term(a), term(b)];
                if terms == [Term::DEFINED; 2] || binary(op, terms, values[0]).is_none() {
                    continue;
                }
                if binary(op, terms, values[0]) == Some(Term::DEFINED) {
                    let results = values.map(|values| op.eval(values));
                    assert!(
                        results.iter().all(|result| *result == results[0]),
                        "{op:?} {a:?} {b:?}"
                    );
                    cancelled += 1;
                }
            }
        }
        assert!(cancelled > 0);
    }

    #[test]
    fn sums_cancel_through_every_operation_that_adds() {
        let (x, y) = (Term::of(1), Term::of(2));
        let sum = binary(BinaryOp::AddI32, [x, y], [0; 2]).unwrap();
        assert_ne!(sum, Term::DEFINED);
        let rest = binary(BinaryOp::SubI32, [sum, x], [0; 2]).unwrap();
        assert_eq!(rest, y);
        let thrice = binary(BinaryOp::MulLo32, [y, Term::DEFINED], [0, 3]).unwrap();
        let four = ternary(TernaryOp::MadLo32, [Term::DEFINED, y, thrice], [1, 0, 0]).unwrap();
        assert_eq!(binary(BinaryOp::Shl32, [y, Term::DEFINED], [0, 2]), Some(four));
        assert_eq!(binary(BinaryOp::Shl32, [y, Term::DEFINED], [0, 32]), Some(Term::DEFINED));
        assert_eq!(binary(BinaryOp::Shl32, [y, x], [0, 0]), None);
        let less = unary(UnaryOp::NegI32, y).unwrap();
        assert_eq!(binary(BinaryOp::AddI32, [y, less], [0; 2]), Some(Term::DEFINED));
    }

    #[test]
    fn halves_make_their_value_again() {
        let x = Term::of(1);
        let low = unary(UnaryOp::Low32, x).unwrap();
        let high = unary(UnaryOp::High32, x).unwrap();
        assert_eq!(binary(BinaryOp::Pack64, [low, high], [0; 2]), Some(x));
        assert_eq!(binary(BinaryOp::Pack64, [high, low], [0; 2]), None);
        assert_eq!(binary(BinaryOp::Pack64, [low, Term::of(2)], [0; 2]), None);
    }
}
