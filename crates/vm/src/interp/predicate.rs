//! Operations on predicates, and the guard.

use super::handler::Body;
use super::program::{Code, Program};
use crate::frame::Frame;
use lanes::WARP;

/// A function of two predicates by its truth table: `d`, `a`, `b` are slots, `x` is the table.
pub(super) struct Logic;

impl Body for Logic {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let row = |bit: u32| if code.x >> bit & 1 != 0 { u32::MAX } else { 0 };
        let table = [row(0), row(1), row(2), row(3)];
        for warp in frame.warps(code.d) {
            let keep = frame.keep(code.d, warp);
            if keep == 0 {
                continue;
            }
            // SAFETY: the slots lie inside the registers.
            let (a, b) = unsafe { (*frame.pred(code.a, warp), *frame.pred(code.b, warp)) };
            let bits = (table[0] & !a & !b)
                | (table[1] & !a & b)
                | (table[2] & a & !b)
                | (table[3] & a & b);
            // SAFETY: as above.
            let d = unsafe { &mut *frame.pred(code.d, warp) };
            *d = (*d & !keep) | (bits & keep);
        }
        at + 1
    }
}

/// `d = c ? a : b` for values of type `T`; `c` is a predicate slot, `x` is 1 when it is negated.
pub(super) struct Select<T>(std::marker::PhantomData<T>);

/// A value that can be picked without a branch.
pub(super) trait Word: Copy {
    /// `a` if bit 0 of `bit` is set, else `b`. Masks, because a choice between two array elements becomes a
    /// choice between two addresses, lane by lane.
    fn pick(bit: u32, a: Self, b: Self) -> Self;
}

impl Word for u32 {
    #[inline(always)]
    fn pick(bit: u32, a: u32, b: u32) -> u32 {
        let mask = (bit & 1).wrapping_neg();
        a & mask | b & !mask
    }
}

impl Word for u64 {
    #[inline(always)]
    fn pick(bit: u32, a: u64, b: u64) -> u64 {
        let mask = u64::from(bit & 1).wrapping_neg();
        a & mask | b & !mask
    }
}

impl<T: Word> Body for Select<T> {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let flip = if code.x != 0 { u32::MAX } else { 0 };
        for warp in frame.warps(code.d) {
            let keep = frame.keep(code.d, warp);
            if keep == 0 {
                continue;
            }
            // SAFETY: the slots lie inside the registers. Rows are copied, because `d` may be one of them.
            unsafe {
                let (a, b) = (*frame.row::<T>(code.a, warp), *frame.row::<T>(code.b, warp));
                let p = *frame.pred(code.c, warp) ^ flip;
                let mut d = *frame.row::<T>(code.d, warp);
                if keep == u32::MAX {
                    for lane in 0..WARP {
                        d[lane] = T::pick(p >> lane, a[lane], b[lane]);
                    }
                } else {
                    for lane in 0..WARP {
                        let chosen = T::pick(p >> lane, a[lane], b[lane]);
                        d[lane] = T::pick(keep >> lane, chosen, d[lane]);
                    }
                }
                *frame.row::<T>(code.d, warp) = d;
            }
        }
        at + 1
    }
}

/// Narrows the executing lanes to those whose predicate `a` is true (false if `x` is 1). When none are left
/// in any warp, goes on at the matching [`Unguard`], `y`.
pub(super) struct Guard;

impl Body for Guard {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let flip = if code.x != 0 { u32::MAX } else { 0 };
        let mut any = 0;
        frame.unguarded = frame.exec;
        for warp in frame.first..frame.first + frame.count {
            // SAFETY: the slot lies inside the registers.
            let p = unsafe { *frame.pred(code.a, warp) } ^ flip;
            let lanes = frame.exec[warp] & p;
            frame.set_exec(warp, lanes);
            any |= lanes;
        }
        if any == 0 { code.y as usize } else { at + 1 }
    }
}

/// Undoes [`Guard`].
pub(super) struct Unguard;

impl Body for Unguard {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        _code: &Code,
        at: usize,
    ) -> usize {
        for warp in frame.first..frame.first + frame.count {
            let lanes = frame.unguarded[warp];
            frame.set_exec(warp, lanes);
        }
        at + 1
    }
}
