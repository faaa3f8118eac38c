//! Operands: edge values of every format, and reproducible random ones that hit ties,
//! cancellation and the ends of the range.

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// The layout of a binary floating-point encoding.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) fraction: u32,
    pub(crate) exponent: u32,
}

pub(crate) const F16: Layout = Layout { fraction: 10, exponent: 5 };
pub(crate) const BF16: Layout = Layout { fraction: 7, exponent: 8 };
pub(crate) const F32: Layout = Layout { fraction: 23, exponent: 8 };
pub(crate) const F64: Layout = Layout { fraction: 52, exponent: 11 };

impl Layout {
    fn encode(self, sign: u64, exponent: u64, fraction: u64) -> u64 {
        let exponent = exponent & ((1 << self.exponent) - 1);
        let fraction = fraction & ((1 << self.fraction) - 1);
        sign << (self.fraction + self.exponent) | exponent << self.fraction | fraction
    }

    /// Zeros, subnormals, the ends of the range, values around 1 and around the largest odd
    /// integer, infinities, quiet and signalling NaNs, with both signs.
    pub(crate) fn edges(self) -> Vec<u64> {
        let bias = (1 << (self.exponent - 1)) - 1;
        let special = (1 << self.exponent) - 1;
        let ones = u64::MAX;
        let half = 1 << (self.fraction - 1);
        let magnitudes = [
            (0, 0),
            (0, 1),
            (0, 2),
            (0, half),
            (0, ones),
            (1, 0),
            (1, 1),
            (1, ones),
            (2, 0),
            (bias - u64::from(self.fraction), 0),
            (bias - 1, 0),
            (bias - 1, ones),
            (bias, 0),
            (bias, 1),
            (bias, half),
            (bias, ones),
            (bias + 1, 0),
            (bias + 1, half | 1),
            (bias + u64::from(self.fraction), 0),
            (bias + u64::from(self.fraction), 1),
            (bias + u64::from(self.fraction) - 1, 1),
            (special - 2, ones),
            (special - 1, 0),
            (special - 1, half),
            (special - 1, ones),
            (special, 0),
            (special, 1),
            (special, half),
            (special, half | 5),
            (special, ones),
        ];
        let signed = |sign| magnitudes.map(|(e, f)| self.encode(sign, e, f));
        [signed(0), signed(1)].concat()
    }

    /// A random encoding. Half of them have few significant bits, so that sums and products tie.
    pub(crate) fn any(self, random: &mut Random) -> u64 {
        let exponent = random.next();
        let exponent = match random.below(8) {
            0 => 0,
            1 => exponent % 3,
            2 => (1 << self.exponent) - 2 - exponent % 3,
            3 | 4 => (1 << (self.exponent - 1)) - 4 + exponent % 8,
            _ => exponent,
        };
        self.encode(random.next() & 1, exponent, self.fraction(random))
    }

    /// A random encoding whose exponent is near that of `other`, or almost its negative.
    pub(crate) fn near(self, other: u64, random: &mut Random) -> u64 {
        let sign = other >> (self.fraction + self.exponent);
        if random.below(4) == 0 {
            let step = random.below(5).wrapping_sub(2);
            let magnitude = self.encode(0, other >> self.fraction, other).wrapping_add(step);
            return self.encode(sign ^ 1, magnitude >> self.fraction, magnitude);
        }
        let reach = u64::from(self.fraction) * 2 + 6;
        let exponent = (other >> self.fraction) + random.below(2 * reach + 1);
        self.encode(random.next() & 1, exponent.wrapping_sub(reach), self.fraction(random))
    }

    fn fraction(self, random: &mut Random) -> u64 {
        let bits = random.next();
        match random.below(6) {
            0 => bits << (self.fraction - self.fraction.min(3)),
            1 => bits << random.below(u64::from(self.fraction)),
            2 => u64::MAX << random.below(u64::from(self.fraction)),
            _ => bits,
        }
    }
}
