//! Scalar operations as loops over lanes. The functions come from the tables of crate `ir`.

use super::handler::{Body, select};
use super::program::Handler;
use super::program::{Code, Program};
use super::rows::{self, OfRows, RowCode, RowFunction};
use crate::Level;
use crate::frame::Frame;
use ir::{BinaryOp, CompareOp, RowOp, TernaryOp, UnaryOp};
use lanes::{Lanes, WARP};
use numeric::Round;
use std::marker::PhantomData;
use std::sync::LazyLock;

/// A function of one lane's operands. Fewer operands than three leave the rest unused.
trait Scalar {
    type A: Copy;
    type B: Copy;
    type C: Copy;
    type R: Copy;
    fn eval(a: Self::A, b: Self::B, c: Self::C) -> Self::R;
}

const ROUNDS: [Round; 4] = Round::ALL;

macro_rules! row_types {
    (@impl [$($generics:tt)*] $name:ty, $ret:ident, $result:expr, ($a:ident: $ta:ident)) => {
        row_types!(@body [$($generics)*] $name, $ret, $result, $a: $ta, _unused: u8, _unused2: u8);
    };
    (@impl [$($generics:tt)*] $name:ty, $ret:ident, $result:expr, ($a:ident: $ta:ident, $b:ident: $tb:ident)) => {
        row_types!(@body [$($generics)*] $name, $ret, $result, $a: $ta, $b: $tb, _unused: u8);
    };
    (@impl [$($generics:tt)*] $name:ty, $ret:ident, $result:expr, ($a:ident: $ta:ident, $b:ident: $tb:ident, $c:ident: $tc:ident)) => {
        row_types!(@body [$($generics)*] $name, $ret, $result, $a: $ta, $b: $tb, $c: $tc);
    };
    (@rows $name:ty, $result:expr, ($a:ident: u32)) => {
        row_types!(@rows $name, false, $result, $a, _unused);
    };
    (@rows $name:ty, $result:expr, ($a:ident: u32, $b:ident: u32)) => {
        row_types!(@rows $name, true, $result, $a, $b);
    };
    (@rows $name:ty, $has_two:literal, $result:expr, $a:ident, $b:ident) => {
        impl RowFunction for $name {
            const HAS_TWO: bool = $has_two;

            #[inline(always)]
            fn eval($a: Lanes<u32>, $b: Lanes<u32>) -> Lanes<u32> {
                $result
            }
        }
    };
    (@body [$($generics:tt)*] $name:ty, $ret:ident, $result:expr, $a:ident: $ta:ident, $b:ident: $tb:ident, $c:ident: $tc:ident) => {
        impl<$($generics)*> Scalar for $name {
            type A = $ta;
            type B = $tb;
            type C = $tc;
            type R = $ret;
            #[inline(always)]
            fn eval($a: $ta, $b: $tb, $c: $tc) -> $ret {
                $result
            }
        }
    };
}

/// For one table: a type per row, and the handler of each operation.
macro_rules! handlers {
    ($module:ident, $enum:ident, $body:ident,
     plain { $($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ident),*) -> $ret:ident [$($of:tt)*] = $result:expr;)* }
     rounded { $($(#[$rdoc:meta])* $rname:ident($($rarg:ident: $rty:ident),*; $r:ident) -> $rret:ident [$($rof:tt)*] = $rresult:expr;)* }
     $(of_rows { $($(#[$wdoc:meta])* $wname:ident($($warg:ident: $wty:ident),*) -> $wret:ident [$($wof:tt)*] = $wresult:expr;)* })?
    ) => {
        mod $module {
            use super::*;

            $(struct $name; row_types!(@impl [] $name, $ret, $result, ($($arg: $ty),*));)*
            $(
                struct $rname<const R: usize>;
                row_types!(@impl [const R: usize] $rname<R>, $rret, { let $r = ROUNDS[R]; $rresult }, ($($rarg: $rty),*));
            )*
            $($(struct $wname; row_types!(@rows $wname, $wresult, ($($warg: $wty),*));)*)?

            /// The handler of an operation.
            pub(in crate::interp) fn handler(op: $enum, level: Level) -> Handler {
                fn of<F: Scalar>(level: Level) -> Handler
                where
                    $body<F>: Body,
                {
                    select::<$body<F>>(level)
                }
                match op {
                    $($enum::$name => of::<$name>(level),)*
                    $($enum::$rname(round) => match round {
                        Round::NearestEven => of::<$rname<0>>(level),
                        Round::TowardZero => of::<$rname<1>>(level),
                        Round::Down => of::<$rname<2>>(level),
                        Round::Up => of::<$rname<3>>(level),
                    },)*
                    $($($enum::$wname => select::<OfRows<$wname>>(level),)*)?
                }
            }

            $(
                /// The code of an operation that is a function of rows.
                pub(in crate::interp) fn row_code(op: $enum, level: Level) -> Option<RowCode> {
                    match op {
                        $($enum::$wname => Some(rows::code::<$wname>(level)),)*
                        _ => None,
                    }
                }
            )?
        }
    };
}

macro_rules! unary_handlers {
    ($($rows:tt)*) => { handlers! { unary, UnaryOp, Unary, $($rows)* } };
}
macro_rules! binary_handlers {
    ($($rows:tt)*) => { handlers! { binary, BinaryOp, Binary, $($rows)* } };
}
macro_rules! ternary_handlers {
    ($($rows:tt)*) => { handlers! { ternary, TernaryOp, Ternary, $($rows)* } };
}
macro_rules! compare_handlers {
    ($($rows:tt)*) => { handlers! { compare, CompareOp, Compare, $($rows)* } };
}

ir::unary_ops!(unary_handlers);
ir::binary_ops!(binary_handlers);
ir::ternary_ops!(ternary_handlers);
ir::compare_ops!(compare_handlers);

pub(super) use binary::handler as binary_handler;
pub(super) use compare::handler as compare_handler;
pub(super) use ternary::handler as ternary_handler;
pub(super) use unary::handler as unary_handler;

/// The code of every function of rows for the best level that the machine has, by [`RowOp::number`].
pub(crate) fn row_functions() -> &'static [RowCode] {
    static ALL: LazyLock<Vec<RowCode>> = LazyLock::new(|| {
        let level = Level::detect();
        let code = |op| match op {
            RowOp::Unary(op) => unary::row_code(op, level),
            RowOp::Binary(op) => binary::row_code(op, level),
        };
        RowOp::all().filter_map(code).collect()
    });
    &ALL
}

/// Computes `$value` for each lane and stores it in the lanes of `$keep` of the row at `$d`. Rows are copied in and
/// out whole, so that no store can change an operand and the loop becomes vector code. A macro rather than a
/// function of a closure: closures that are not inlined are compiled without the level's instructions.
macro_rules! fill {
    ($d:expr, $keep:ident, |$lane:ident| $value:expr) => {
        let mut new = *$d;
        if $keep == u32::MAX {
            for $lane in 0..WARP {
                new[$lane] = $value;
            }
        } else {
            for $lane in 0..WARP {
                let value = $value;
                new[$lane] = if ($keep >> $lane) & 1 != 0 { value } else { new[$lane] };
            }
        }
        *$d = new;
    };
}

struct Unary<F>(PhantomData<F>);

impl<F: Scalar<B = u8, C = u8>> Body for Unary<F> {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        for warp in frame.warps(code.d) {
            let keep = frame.keep(code.d, warp);
            if keep == 0 {
                continue;
            }
            // SAFETY: the slots lie inside the registers.
            unsafe {
                let a = *frame.row::<F::A>(code.a, warp);
                fill!(frame.row::<F::R>(code.d, warp), keep, |lane| F::eval(a[lane], 0, 0));
            }
        }
        at + 1
    }
}

struct Binary<F>(PhantomData<F>);

impl<F: Scalar<C = u8>> Body for Binary<F> {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        for warp in frame.warps(code.d) {
            let keep = frame.keep(code.d, warp);
            if keep == 0 {
                continue;
            }
            // SAFETY: the slots lie inside the registers.
            unsafe {
                let a = *frame.row::<F::A>(code.a, warp);
                let b = *frame.row::<F::B>(code.b, warp);
                fill!(frame.row::<F::R>(code.d, warp), keep, |lane| F::eval(a[lane], b[lane], 0));
            }
        }
        at + 1
    }
}

struct Ternary<F>(PhantomData<F>);

impl<F: Scalar> Body for Ternary<F> {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        for warp in frame.warps(code.d) {
            let keep = frame.keep(code.d, warp);
            if keep == 0 {
                continue;
            }
            // SAFETY: the slots lie inside the registers.
            unsafe {
                let a = *frame.row::<F::A>(code.a, warp);
                let b = *frame.row::<F::B>(code.b, warp);
                let c = *frame.row::<F::C>(code.c, warp);
                fill!(frame.row::<F::R>(code.d, warp), keep, |lane| {
                    F::eval(a[lane], b[lane], c[lane])
                });
            }
        }
        at + 1
    }
}

struct Compare<F>(PhantomData<F>);

impl<F: Scalar<C = u8, R = bool>> Body for Compare<F> {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        for warp in frame.warps(code.d) {
            let keep = frame.keep(code.d, warp);
            if keep == 0 {
                continue;
            }
            // SAFETY: the slots lie inside the registers.
            let (d, a, b) = unsafe {
                (
                    &mut *frame.pred(code.d, warp),
                    &*frame.row::<F::A>(code.a, warp),
                    &*frame.row::<F::B>(code.b, warp),
                )
            };
            let mut bits = 0;
            for lane in 0..WARP {
                bits |= u32::from(F::eval(a[lane], b[lane], 0)) << lane;
            }
            *d = (*d & !keep) | (bits & keep);
        }
        at + 1
    }
}
