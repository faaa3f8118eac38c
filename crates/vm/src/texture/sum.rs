//! Means of texels, to the last bit as an H100 has them.
//!
//! Four texels are added at a time. Those of floats are cut off some bits behind the leading bit of the largest of them; what remains is
//! added exactly. Sums of four are added in units whose exponents are multiples of four, rounded down.

use super::texel::Texel;

/// The sum of texels, each times its weight out of [`super::weight::ONE`].
#[derive(Clone, Debug)]
pub(super) struct Sum<const N: usize> {
    sum: [f64; N],
    /// The power of two that the largest texel begins with, at least [`Texel::LEAST`].
    top: [f64; N],
    /// What is infinite or no number, added up.
    odd: [f64; N],
    is_empty: bool,
}

/// Texels that are added at once.
pub(super) const AT_ONCE: usize = 4;

/// The bits of an exponent.
const EXPONENT: u64 = 0x7ff << 52;

/// The power of two that a positive number begins with.
#[inline(always)]
pub(super) fn leading(number: f64) -> f64 {
    f64::from_bits(number.to_bits() & EXPONENT)
}

/// One by a power of two.
#[inline(always)]
fn inverse(power: f64) -> f64 {
    f64::from_bits(((2 * 1023) << 52) - power.to_bits())
}

impl<const N: usize> Sum<N> {
    pub(super) fn new() -> Sum<N> {
        // Zeros of one sign are a zero of that sign.
        Sum { sum: [-0.0; N], top: [0.0; N], odd: [0.0; N], is_empty: true }
    }

    /// Adds texels, at most [`AT_ONCE`]. `counts` says of those that are no numbers whether they count.
    #[inline(always)]
    pub(super) fn add<T: Texel>(
        &mut self,
        texels: &[[T; N]],
        weights: &[[f64; N]],
        counts: impl Fn(usize) -> [bool; N],
    ) {
        let mut values = [[0.0; N]; AT_ONCE];
        for (values, texels) in values.iter_mut().zip(texels) {
            for (value, texel) in values.iter_mut().zip(texels) {
                *value = texel.value();
            }
        }
        let values = &mut values[..texels.len().min(AT_ONCE)];
        let Some(bits) = T::BITS else {
            for (values, weights) in values.iter().zip(weights) {
                for lane in 0..N {
                    self.sum[lane] += values[lane] * weights[lane];
                }
            }
            return;
        };
        let mut is_odd = false;
        for value in values.iter().flatten() {
            is_odd |= !value.is_finite();
        }
        if is_odd {
            self.set_apart(values, counts);
        }
        let mut top = [T::LEAST; N];
        for (nth, weights) in weights.iter().enumerate().take(values.len()) {
            for lane in 0..N {
                let size = texels[nth][lane].size(values[nth][lane]);
                let size = if weights[lane] > 0.0 { size } else { 0.0 };
                top[lane] = if size > top[lane] { size } else { top[lane] };
            }
        }
        let kept = f64::from(1_u32 << bits);
        let mut sum = [-0.0; N];
        for (values, weights) in values.iter().zip(weights) {
            for lane in 0..N {
                let top = leading(top[lane]);
                let whole = (values[lane] * (inverse(top) * kept)).trunc();
                // What does not count leaves the sign of a zero as it is.
                sum[lane] += if weights[lane] > 0.0 { whole * weights[lane] } else { -0.0 };
            }
        }
        for lane in 0..N {
            let here = leading(top[lane]);
            let (sum, top) = (sum[lane] * (here / kept), here);
            if self.is_empty {
                (self.sum[lane], self.top[lane]) = (sum, top);
                continue;
            }
            let before = self.top[lane];
            let larger = if before > top { before } else { top };
            let larger = f64::from_bits(larger.to_bits() & !(3 << 52));
            let (unit, parts) = (larger / kept, inverse(larger) * kept);
            self.sum[lane] = ((self.sum[lane] * parts).floor() + (sum * parts).floor()) * unit;
            self.top[lane] = larger;
        }
        self.is_empty = false;
    }

    /// Takes those out that are no finite numbers.
    #[cold]
    #[inline(never)]
    fn set_apart(&mut self, values: &mut [[f64; N]], counts: impl Fn(usize) -> [bool; N]) {
        for (nth, values) in values.iter_mut().enumerate() {
            let counts = counts(nth);
            for lane in 0..N {
                if !values[lane].is_finite() {
                    self.odd[lane] += if counts[lane] { values[lane] } else { 0.0 };
                    values[lane] = 0.0;
                }
            }
        }
    }

    /// The means, as threads get them.
    #[inline(always)]
    pub(super) fn means<T: Texel>(&self) -> [u32; N] {
        let mut found = [0; N];
        for ((found, sum), odd) in found.iter_mut().zip(&self.sum).zip(&self.odd) {
            *found = if *odd == 0.0 { T::mean(*sum) } else { T::odd(*odd) };
        }
        found
    }
}
