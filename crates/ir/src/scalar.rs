//! The enums of scalar operations, derived from the tables: names, signatures, reference evaluators.

use crate::bits::{BitRule, Relation};
use crate::{Class, binary_ops, compare_ops, ternary_ops, unary_ops};
use numeric::Round;

/// The class of register that holds a value of a row's type.
trait Held {
    const CLASS: Class;
}

impl Held for u32 {
    const CLASS: Class = Class::W32;
}

impl Held for u64 {
    const CLASS: Class = Class::W64;
}

impl Held for bool {
    const CLASS: Class = Class::Pred;
}

/// Properties that a row may name.
mod property {
    pub(super) const MOVES: u8 = 1;
    pub(super) const ANY_ORDER: u8 = 2;
}

impl UnaryOp {
    /// Whether the result is the operand.
    pub fn is_move(self) -> bool {
        self.properties() & property::MOVES != 0
    }
}

impl BinaryOp {
    /// Whether values that it puts together one after the other give the same in any order.
    pub fn any_order(self) -> bool {
        self.properties() & property::ANY_ORDER != 0
    }
}

/// An operation that is a function of the rows of a warp: look-ups stand between what vectors do, and lanes one by one would take
/// much longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowOp {
    /// Of one row.
    Unary(UnaryOp),
    /// Of two.
    Binary(BinaryOp),
}

impl RowOp {
    /// Every such operation.
    pub fn all() -> impl Iterator<Item = RowOp> {
        let unary = UnaryOp::OF_ROWS.iter().copied().map(RowOp::Unary);
        unary.chain(BinaryOp::OF_ROWS.iter().copied().map(RowOp::Binary))
    }

    /// Where it stands among all.
    pub fn number(self) -> Option<usize> {
        RowOp::all().position(|op| op == self)
    }
}

/// A floating-point type that a register has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Float {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl Float {
    /// Its size.
    pub fn bytes(self) -> u64 {
        match self {
            Float::F32 => 4,
            Float::F64 => 8,
        }
    }

    /// The type that the name of a row ends with.
    fn at_end(row: &str) -> Option<Float> {
        match row.get(row.len().checked_sub(3)?..)? {
            "F32" => Some(Float::F32),
            "F64" => Some(Float::F64),
            _ => None,
        }
    }
}

macro_rules! define {
    ($(#[$meta:meta])* $enum:ident, $arity:literal, $how:ident,
     plain { $($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ident),*) -> $ret:ident [$bits:expr $(; $property:ident)*] = $result:expr;)* }
     rounded { $($(#[$rdoc:meta])* $rname:ident($($rarg:ident: $rty:ident),*; $r:ident) -> $rret:ident [$rbits:expr] = $rresult:expr;)* }
     $(of_rows { $($(#[$wdoc:meta])* $wname:ident($($warg:ident: $wty:ident),*) -> $wret:ident [$wbits:expr] = $wresult:expr;)* })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $enum {
            $($(#[$doc])* $name,)*
            $($(#[$rdoc])* $rname(Round),)*
            $($($(#[$wdoc])* $wname,)*)?
        }

        impl $enum {
            /// Every operation, each rounded one with each rounding mode.
            pub fn all() -> impl Iterator<Item = $enum> {
                let plain = [$($enum::$name,)* $($($enum::$wname,)*)?];
                let rounded = Round::ALL.into_iter().flat_map(|_round| [$($enum::$rname(_round),)*]);
                plain.into_iter().chain(rounded)
            }

            $(
                /// Those that are functions of the rows of a warp, rather than of the values of a lane.
                const OF_ROWS: &[$enum] = &[$($enum::$wname,)*];
            )?

            /// The name of its row: what it does and the type of its operands, with `To` and another type if the result has one.
            pub(crate) fn row(self) -> &'static str {
                match self {
                    $($enum::$name => stringify!($name),)*
                    $($enum::$rname(_) => stringify!($rname),)*
                    $($($enum::$wname => stringify!($wname),)*)?
                }
            }

            /// Its rounding mode, if it has one.
            pub(crate) fn round(self) -> Option<Round> {
                match self {
                    $($enum::$name => None,)*
                    $($enum::$rname(round) => Some(round),)*
                    $($($enum::$wname => None,)*)?
                }
            }

            /// The floating-point type that it takes its operands for; `None` for others than binary32 and binary64.
            pub fn takes(self) -> Option<Float> {
                let row = self.row();
                Float::at_end(row.split_once("To").map_or(row, |(from, _)| from))
            }

            /// The floating-point type of its result; `None` for others than binary32 and binary64.
            pub fn gives(self) -> Option<Float> {
                Float::at_end(self.row())
            }

            /// How bits of its operands reach the result.
            pub fn bits(self) -> $how {
                #[allow(unused_imports)]
                use crate::bits::{BitRule::*, DOT2_HIGH, DOT2_LOW, DOT4, Relation::*};
                match self {
                    $($enum::$name => $bits,)*
                    $($enum::$rname(_) => $rbits,)*
                    $($($enum::$wname => $wbits,)*)?
                }
            }

            #[allow(dead_code)]
            fn properties(self) -> u8 {
                match self {
                    $($enum::$name => 0 $(| property::$property)*,)*
                    $($enum::$rname(_) => 0,)*
                    $($($enum::$wname => 0,)*)?
                }
            }

            /// The classes of the operands and of the result.
            pub fn signature(self) -> ([Class; $arity], Class) {
                match self {
                    $($enum::$name => ([$(<$ty as Held>::CLASS),*], <$ret as Held>::CLASS),)*
                    $($enum::$rname(_) => ([$(<$rty as Held>::CLASS),*], <$rret as Held>::CLASS),)*
                    $($($enum::$wname => ([$(<$wty as Held>::CLASS),*], <$wret as Held>::CLASS),)*)?
                }
            }

            /// The result for one lane. Operands and result are in the low bits.
            pub fn eval(self, operands: [u64; $arity]) -> u64 {
                match self {
                    $($enum::$name => {
                        let [$($arg),*] = operands;
                        $(#[allow(clippy::unnecessary_cast)] let $arg = $arg as $ty;)*
                        let result: $ret = $result;
                        u64::from(result)
                    })*
                    $($enum::$rname($r) => {
                        let [$($rarg),*] = operands;
                        $(#[allow(clippy::unnecessary_cast)] let $rarg = $rarg as $rty;)*
                        let result: $rret = $rresult;
                        u64::from(result)
                    })*
                    $($($enum::$wname => {
                        let [$($warg),*] = operands;
                        $(let $warg = [$warg as $wty];)*
                        let [result]: [$wret; 1] = $wresult;
                        u64::from(result)
                    })*)?
                }
            }
        }
    };
}

macro_rules! define_unary {
    ($($rows:tt)*) => { define! {
        /// A function of one value per lane.
        UnaryOp, 1, BitRule, $($rows)*
    } };
}

macro_rules! define_binary {
    ($($rows:tt)*) => { define! {
        /// A function of two values per lane.
        BinaryOp, 2, BitRule, $($rows)*
    } };
}

macro_rules! define_ternary {
    ($($rows:tt)*) => { define! {
        /// A function of three values per lane.
        TernaryOp, 3, BitRule, $($rows)*
    } };
}

macro_rules! define_compare {
    ($($rows:tt)*) => { define! {
        /// A relation of two values per lane.
        CompareOp, 2, Relation, $($rows)*
    } };
}

unary_ops!(define_unary);
binary_ops!(define_binary);
ternary_ops!(define_ternary);
compare_ops!(define_compare);
