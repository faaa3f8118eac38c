//! Functions of the rows of a warp, compiled once for each level: the interpreter's handlers and machine code call the same.

use super::handler::Body;
use super::program::{Code, Program};
use crate::Level;
use crate::frame::Frame;
use lanes::{Lanes, WARP};
use std::marker::PhantomData;

/// A function of the rows of one or two operands.
pub(super) trait RowFunction {
    /// Whether it has two operands.
    const HAS_TWO: bool;

    fn eval(a: Lanes<u32>, b: Lanes<u32>) -> Lanes<u32>;
}

/// Puts into the first row what a function makes of the others, of which it may be one. A function of one operand has any last row.
pub(crate) type RowCode =
    unsafe extern "C" fn(*mut Lanes<u32>, *const Lanes<u32>, *const Lanes<u32>);

/// The code of a function for a level.
pub(super) fn code<F: RowFunction>(level: Level) -> RowCode {
    match level {
        Level::Portable => portable::<F>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<F>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::<F>,
        #[cfg(not(target_arch = "x86_64"))]
        Level::Avx2 | Level::Avx512 => portable::<F>,
    }
}

/// What the code of a function does.
///
/// # Safety
/// The rows are there, also one that a function of one operand does not look at.
#[inline(always)]
unsafe fn apply<F: RowFunction>(d: *mut Lanes<u32>, a: *const Lanes<u32>, b: *const Lanes<u32>) {
    // SAFETY: as for the caller.
    unsafe { *d = F::eval(*a, *b) }
}

unsafe extern "C" fn portable<F: RowFunction>(
    d: *mut Lanes<u32>,
    a: *const Lanes<u32>,
    b: *const Lanes<u32>,
) {
    // SAFETY: as for the caller.
    unsafe { apply::<F>(d, a, b) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe extern "C" fn avx2<F: RowFunction>(
    d: *mut Lanes<u32>,
    a: *const Lanes<u32>,
    b: *const Lanes<u32>,
) {
    // SAFETY: as for the caller.
    unsafe { apply::<F>(d, a, b) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt"
)]
unsafe extern "C" fn avx512<F: RowFunction>(
    d: *mut Lanes<u32>,
    a: *const Lanes<u32>,
    b: *const Lanes<u32>,
) {
    // SAFETY: as for the caller.
    unsafe { apply::<F>(d, a, b) }
}

/// The handler of a function.
pub(super) struct OfRows<F>(PhantomData<F>);

impl<F: RowFunction> Body for OfRows<F> {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        _program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let function = self::code::<F>(Level::ALL[LEVEL]);
        for warp in frame.warps(code.d) {
            let keep = frame.keep(code.d, warp);
            if keep == 0 {
                continue;
            }
            // SAFETY: the slots of the operands that there are lie inside the registers.
            unsafe {
                let a = frame.row::<u32>(code.a, warp);
                let b = if F::HAS_TWO { frame.row::<u32>(code.b, warp) } else { a };
                let d = frame.row::<u32>(code.d, warp);
                if keep == u32::MAX {
                    function(d, a, b);
                } else {
                    let mut results = [0; WARP];
                    function(&mut results, a, b);
                    *d = lanes::select(lanes::LaneMask(keep), &results, &*d);
                }
            }
        }
        at + 1
    }
}
