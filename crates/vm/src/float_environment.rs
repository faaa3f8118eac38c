//! The floating-point environment of a host's thread. Programs change theirs (`fesetround`, `-ffast-math`,
//! `torch.set_flush_denormal`), threads inherit it, and what `numeric` leaves to the host's arithmetic would follow it.

use std::marker::PhantomData;

/// Until it is dropped, the thread's arithmetic rounds to nearest even, keeps subnormal numbers, and traps nothing, as a program
/// finds it when it starts.
#[derive(Debug)]
#[must_use = "it lasts until it is dropped"]
pub struct FloatEnvironment {
    /// What the thread had, if that was something else.
    before: Option<Control>,
    /// It belongs to the thread.
    own: PhantomData<*const ()>,
}

impl FloatEnvironment {
    /// Enters that environment.
    pub fn enter() -> FloatEnvironment {
        let now = read();
        let before = (now & MEANT != STANDARD).then_some(now);
        if before.is_some() {
            write(now & !MEANT | STANDARD);
        }
        FloatEnvironment { before, own: PhantomData }
    }
}

impl Drop for FloatEnvironment {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            write(before);
        }
    }
}

/// The register that controls arithmetic.
#[cfg(target_arch = "aarch64")]
type Control = u64;
#[cfg(not(target_arch = "aarch64"))]
type Control = u32;

/// Of `MXCSR`, all but the flags that say what has happened: exceptions are masked, the rest is zero.
#[cfg(target_arch = "x86_64")]
const MEANT: Control = !0x3f;
#[cfg(target_arch = "x86_64")]
const STANDARD: Control = 0x1f80;

/// `FPCR`, all of which is zero.
#[cfg(not(target_arch = "x86_64"))]
const MEANT: Control = Control::MAX;
#[cfg(not(target_arch = "x86_64"))]
const STANDARD: Control = 0;

fn read() -> Control {
    let mut control: Control = 0;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it stores four bytes.
    unsafe {
        std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut control, options(nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: it changes nothing else.
    unsafe {
        std::arch::asm!("mrs {}, fpcr", out(reg) control, options(nomem, nostack, preserves_flags));
    }
    // Of other machines nothing is known: theirs counts as the standard one.
    std::hint::black_box(&mut control);
    control
}

fn write(control: Control) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: what is written was read, or is the standard one: no reserved bit is set.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const control, options(nostack));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("msr fpcr, {}", in(reg) control, options(nostack));
    }
    let _ = control;
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn arithmetic_is_the_standard_one_inside_and_as_it_was_behind() {
        // Subnormal numbers are flushed, and sums are rounded up.
        const OTHER: Control = STANDARD | 0x8040 | 0x4000;
        let (small, sum) = (|| black_box(1e-39_f32) * 0.5, || black_box(1.0_f32) + 1e-9);
        let before = read();
        write(OTHER);
        let inside = {
            let _environment = FloatEnvironment::enter();
            let _again = FloatEnvironment::enter();
            (small(), sum())
        };
        let (behind, found) = ((small(), sum()), read());
        write(before);
        assert_eq!(inside, (5e-40, 1.0));
        assert_eq!(behind, (0.0, 1.0 + f32::EPSILON));
        assert_eq!(found & MEANT, OTHER);
    }
}
