//! The choices that a kernel is made of.

/// A sequence of bytes, each a choice. Zeros choose what is simplest.
#[derive(Clone, Debug)]
pub struct Choices {
    bytes: Vec<u8>,
    at: usize,
    /// The state of the generator that makes more of them; 0 makes zeros.
    state: u64,
}

impl Choices {
    /// Random choices.
    pub fn from_seed(seed: u64) -> Self {
        // Seeds that are neighbours begin alike without this (SplitMix64).
        let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        Choices { bytes: Vec::new(), at: 0, state: (state ^ state >> 31).max(1) }
    }

    /// These choices, and zeros behind them.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Choices { bytes: bytes.to_vec(), at: 0, state: 0 }
    }

    /// The choices that were made, as bytes for [`Choices::from_bytes`].
    pub fn made(&self) -> &[u8] {
        self.bytes.get(..self.at).unwrap_or(&self.bytes)
    }

    fn byte(&mut self) -> u8 {
        let byte = match self.bytes.get(self.at) {
            Some(byte) => *byte,
            None => {
                let byte = self.random();
                self.bytes.push(byte);
                byte
            }
        };
        self.at += 1;
        byte
    }

    /// xorshift64*.
    fn random(&mut self) -> u8 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8
    }

    /// A number below a bound of at most 2¹⁶; 0 below 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let mut value = usize::from(self.byte());
        if bound > 256 {
            value = value << 8 | usize::from(self.byte());
        }
        value.checked_rem(bound).unwrap_or(0)
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) + 1 == times
    }

    /// One of a list that is not empty.
    pub(crate) fn pick<T: Copy>(&mut self, list: &[T], otherwise: T) -> T {
        let nth = self.below(list.len());
        list.get(nth).copied().unwrap_or(otherwise)
    }

    /// Any 64 bits: small numbers, numbers of few bits, bit patterns of floats, and others.
    pub(crate) fn bits(&mut self) -> u64 {
        match self.below(5) {
            0 => u64::from(self.byte()) % 40,
            1 => u64::from(self.byte()).wrapping_neg(),
            2 => 1_u64.rotate_left(self.below(64) as u32),
            3 => {
                let float = f32::from(self.byte()) - 128.0;
                u64::from(float.to_bits()) | u64::from(self.byte()) << 56
            }
            _ => (0..8).fold(0, |bits, _| bits << 8 | u64::from(self.byte())),
        }
    }
}
