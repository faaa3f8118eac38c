//! How bits of operands reach the result of a scalar operation: a property of its row.
//!
//! It is told by what becomes of bits that are undefined. The rules are conservative: a bit that they call defined is
//! defined.

/// How undefined bits travel through a scalar operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitRule {
    /// The operation moves bits: done to the undefined bits of the data operand, it says where they go. What
    /// controls the movement must be defined.
    Apply,
    /// Bit by bit: undefined where any operand is.
    Union,
    /// Undefined from the lowest undefined bit of any operand upwards: carries go left.
    Upward,
    /// A product of the first two operands, to which a third may be added: undefined from the lowest bit that an undefined one
    /// can change.
    Product {
        /// The bit of the operands that is extended; 0 if none is.
        sign: u64,
    },
    /// The high half of a product: all of it, but nothing times zero is zero.
    High,
    /// The sum of the products of fields (their masks in the two operands), to which a third operand is added.
    Dot(&'static [(u64, u64)]),
    /// Bitwise and: a defined 0 decides.
    And,
    /// Bitwise or: a defined 1 decides.
    Or,
    /// `c` where `a` is set, else `b`.
    BitSelect,
    /// Magnitude and sign (the mask) come from different operands.
    Copysign(u64),
    /// Both halves of 16 bits, each on its own; all of a half or nothing.
    Halves,
    /// These bits of the result if any bit of an operand is undefined.
    Count(u64),
    /// Every bit of the result if any bit of an operand is undefined.
    All,
}

/// How undefined bits travel into a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Defined bits that differ decide.
    Equal,
    /// Decided when the ranges of possible values do not overlap.
    Order {
        /// Whether the topmost bit is a sign.
        signed: bool,
        /// Whether equal values fulfil it.
        equal: bool,
    },
    /// Undefined if any operand bit is.
    Any,
}

/// Products of four bytes.
pub(crate) const DOT4: BitRule = BitRule::Dot(&[
    (0xff, 0xff),
    (0xff00, 0xff00),
    (0xff_0000, 0xff_0000),
    (0xff00_0000, 0xff00_0000),
]);
/// Products of two halves with the lower two bytes, or the upper two.
pub(crate) const DOT2_LOW: BitRule = BitRule::Dot(&[(0xffff, 0xff), (0xffff_0000, 0xff00)]);
pub(crate) const DOT2_HIGH: BitRule =
    BitRule::Dot(&[(0xffff, 0xff_0000), (0xffff_0000, 0xff00_0000)]);
