//! Quadratic interpolation, as the hardware does it.
//!
//! The range of a function is cut into segments. In one, at the place t between 0 and 1, the function is
//! c0 + c1 t + c2 t², with coefficients from a table and a squarer that leaves out all partial
//! products below 2⁻¹⁵. The sum is exact; what becomes of it is cut off to 24 bits (Oberman and
//! Siu, "A High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005).

/// The coefficients of each segment without their signs, in one word, which one access loads: c0, c1 above it, and c2 on top.
pub(super) type Curve<const N: usize> = [u64; N];

/// How many bits c0 has in a [`Curve`].
const FIRST: u32 = 32;
/// How many bits c1 has beside c2.
pub const SLOPE_BITS: u32 = 17;

/// The two words of a segment: c0, and c1 with c2 above it.
pub(super) const fn words_of(segment: u64) -> [u32; 2] {
    [segment as u32, (segment >> FIRST) as u32]
}

/// The table of rows of coefficients.
pub(super) const fn curve<const N: usize>(rows: &[[i32; 3]]) -> Curve<N> {
    let mut all = [0; N];
    let mut i = 0;
    while i < rows.len() {
        let [c0, c1, c2] = rows[i];
        let (c1, c2) = (c1.unsigned_abs(), c2.unsigned_abs());
        assert!(c1 < 1 << SLOPE_BITS && c2 < 1 << (32 - SLOPE_BITS), "a coefficient is too large");
        all[i] = c0 as u32 as u64 | ((c1 | c2 << SLOPE_BITS) as u64) << FIRST;
        i += 1;
    }
    all
}

/// How many bits a place in a segment has, t in units of 2⁻¹⁷, and which they are.
pub const PLACE_BITS: u32 = 17;
pub(super) const PLACE: u32 = (1 << PLACE_BITS) - 1;

/// How the terms of a function are added up.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// The unit of the sum, as a power of two: that of c1 with t in 2⁻¹⁷.
    pub unit: i32,
    /// By which powers of two those of c0, and of c2 with t² in 2⁻¹⁵, are larger.
    pub shifts: [u32; 2],
    /// The signs of c1 and c2.
    pub signs: [i32; 2],
    /// What is added beside.
    pub bias: i32,
}

/// How many bits of a sum are in its lower part, and of a place are multiplied apart from those above them, so that products have 32 bits.
pub const LOW_BITS: u32 = 9;

/// A sum, exactly: its upper part, and the lower one of [`LOW_BITS`] bits.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    upper: u32,
    lower: u32,
}

/// A function of one operand. What it makes of *ordinary* operands, which are nearly all, is told apart: nothing there is an
/// exception.
pub(super) trait Function<const N: usize> {
    const SUM: Sum;
    const CURVE: &'static Curve<N>;

    /// Whether an operand is ordinary.
    fn is_ordinary(a: u32) -> bool;

    /// Where an ordinary operand lies: its segment, of which only the lowest bits count, above the
    /// bits of its [`PLACE`].
    fn position(a: u32) -> u32;

    /// What follows from the sum for an ordinary operand.
    fn result(a: u32, sum: Parts) -> u32;

    /// Where any operand lies.
    #[inline(always)]
    fn position_of_any(a: u32) -> u32 {
        Self::position(a)
    }

    /// What follows from the sum for any operand.
    fn result_of_any(a: u32, sum: Parts) -> u32;
}

/// The results of a function for a row.
#[inline(always)]
pub(super) fn row<F: Function<N>, const N: usize, const L: usize>(a: &[u32; L]) -> [u32; L] {
    interpolated::<F, N, L, true>(a)
}

/// The results of a function for a row of ordinary operands; `None` if there are others.
#[inline(always)]
pub(super) fn ordinary_row<F: Function<N>, const N: usize, const L: usize>(
    a: &[u32; L],
) -> Option<[u32; L]> {
    let mut all = true;
    for a in a {
        all &= F::is_ordinary(*a);
    }
    if all { Some(interpolated::<F, N, L, false>(a)) } else { None }
}

#[inline(always)]
fn interpolated<F: Function<N>, const N: usize, const L: usize, const ANY: bool>(
    a: &[u32; L],
) -> [u32; L] {
    const { assert!(N.is_power_of_two()) };
    let (mut segments, mut places) = ([0; L], [0; L]);
    for lane in 0..L {
        let position = if ANY { F::position_of_any(a[lane]) } else { F::position(a[lane]) };
        segments[lane] = position >> PLACE_BITS;
        places[lane] = position & PLACE;
    }
    // In loops of their own, which have twice as many lanes in a vector.
    let mut squares = [0; L];
    for lane in 0..L {
        squares[lane] = (places[lane] >> 1) as u16;
    }
    for square_of in &mut squares {
        *square_of = square(*square_of);
    }
    let (mut firsts, mut others) = ([0; L], [0; L]);
    for lane in 0..L {
        [firsts[lane], others[lane]] = words_of(F::CURVE[segments[lane] as usize & (N - 1)]);
    }
    let mut results = [0; L];
    for lane in 0..L {
        let sum = F::SUM.at([firsts[lane], others[lane]], places[lane], squares[lane]);
        let a = a[lane];
        results[lane] = if ANY { F::result_of_any(a, sum) } else { F::result(a, sum) };
    }
    results
}

/// The square of 16 bits after the point, in units of 2⁻¹⁵: the sum of the products of two bits
/// each that are not below that.
#[inline(always)]
const fn square(t: u16) -> u16 {
    let high = t >> 8;
    let mut sum = (high * high) >> 1;
    // Bit i of the lower half with those of the upper half that are above bit 15 - i.
    let mut i = 1;
    while i < 8 {
        sum += (t >> (16 - i)) & 0_u16.wrapping_sub((t >> i) & 1);
        i += 1;
    }
    sum
}

impl Sum {
    /// The sum for the coefficients of a segment, a place in it and its square.
    #[inline(always)]
    const fn at(self, [c0, others]: [u32; 2], place: u32, square: u16) -> Parts {
        let (c1, c2) = (others & ((1 << SLOPE_BITS) - 1), others >> SLOPE_BITS);
        let upper_linear = (c1 * (place >> LOW_BITS)) as i32;
        let linear = (c1 * (place & ((1 << LOW_BITS) - 1))) as i32;
        let quadratic = ((c2 * square as u32) << self.shifts[1]) as i32;
        let rest = self.bias + self.signs[0] * linear + self.signs[1] * quadratic;
        let upper = (c0 << (self.shifts[0] - LOW_BITS)) as i32;
        let upper = upper.wrapping_add(self.signs[0] * upper_linear).wrapping_add(rest >> LOW_BITS);
        Parts { upper: upper as u32, lower: rest as u32 & ((1 << LOW_BITS) - 1) }
    }
}

impl Parts {
    /// A sum, in that unit, whose highest bit has the exponent, or the next one with all others 0:
    /// cut off to 24 bits.
    #[inline(always)]
    pub(super) const fn leading(self, unit: i32, exponent: i32) -> u32 {
        (self.upper >> (exponent - unit - 23 - LOW_BITS as i32)) + (((126 + exponent) as u32) << 23)
    }

    /// The value of a sum in that unit.
    #[inline(always)]
    pub(super) const fn exact(self, unit: i32) -> f64 {
        let upper = self.upper as i32 as f64 * power(unit + LOW_BITS as i32);
        upper + self.lower as i32 as f64 * power(unit)
    }
}

/// 2 to a power.
pub(super) const fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// A number cut off to 24 bits.
#[inline(always)]
pub(super) const fn cut(exact: f64) -> u32 {
    const LOST: u64 = (1 << 29) - 1;
    (f64::from_bits(exact.to_bits() & !LOST) as f32).to_bits()
}
