//! Ranges of bits in a 128-bit word.

/// Number of bits in an instruction word.
pub const WORD_BITS: u32 = 128;

/// A run of adjacent bits of a word, `position` being its least significant bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitRange {
    /// The least significant bit, 0 … 127.
    pub position: u32,
    /// Number of bits, 1 … 128.
    pub width: u32,
}

impl BitRange {
    /// The range, or `None` when it is empty or reaches past bit 127.
    pub fn new(position: u32, width: u32) -> Option<Self> {
        let end = position.checked_add(width)?;
        (width > 0 && end <= WORD_BITS).then_some(BitRange { position, width })
    }

    /// A word with ones at the bits of the range.
    pub fn mask(self) -> u128 {
        low_mask(self.width) << self.position
    }

    /// The number of the most significant bit.
    pub fn last(self) -> u32 {
        self.position + self.width - 1
    }
}

/// Some bits of a word and their values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    /// Which bits.
    pub mask: u128,
    /// Their values; 0 outside the mask.
    pub value: u128,
}

/// A number with its `width` lowest bits set.
pub(crate) fn low_mask(width: u32) -> u128 {
    if width >= WORD_BITS { u128::MAX } else { (1 << width) - 1 }
}

/// Whether `value` fits `width` bits.
pub(crate) fn fits(value: u128, width: u32) -> bool {
    value & !low_mask(width) == 0
}

/// The ranges of adjacent ones in a mask, lowest first.
pub(crate) fn runs(mask: u128) -> Vec<BitRange> {
    let mut runs = Vec::new();
    let mut position = 0;
    while position < WORD_BITS {
        let rest = mask >> position;
        if rest == 0 {
            break;
        }
        position += rest.trailing_zeros();
        let width = (!(mask >> position)).trailing_zeros().min(WORD_BITS - position);
        runs.push(BitRange { position, width });
        position += width;
    }
    runs
}

/// Bits as people name them: `bit 91`, `bits 40-57, 60-63`.
pub(crate) fn describe(mask: u128) -> String {
    let runs = runs(mask);
    let word = if mask.count_ones() == 1 { "bit" } else { "bits" };
    let list: Vec<String> = runs
        .iter()
        .map(|run| match run.width {
            1 => run.position.to_string(),
            _ => format!("{}-{}", run.position, run.last()),
        })
        .collect();
    format!("{word} {}", list.join(", "))
}

/// A number of bits in words: `1 bit`, `3 bits`.
pub(crate) fn count(bits: u32) -> String {
    if bits == 1 { "1 bit".to_owned() } else { format!("{bits} bits") }
}

/// Gathers the ranges of a word into a number, the first range lowest.
pub(crate) fn extract(word: u128, ranges: &[BitRange]) -> u128 {
    let mut value = 0;
    let mut at = 0;
    for range in ranges {
        let part = (word >> range.position) & low_mask(range.width);
        value |= part.checked_shl(at).unwrap_or(0);
        at += range.width;
    }
    value
}

/// Spreads a number over the ranges of a word, the first range taking the lowest bits.
pub(crate) fn insert(value: u128, ranges: &[BitRange]) -> u128 {
    let mut word = 0;
    let mut rest = value;
    for range in ranges {
        word |= (rest & low_mask(range.width)) << range.position;
        rest = rest.checked_shr(range.width).unwrap_or(0);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_stay_inside_the_word() {
        assert!(BitRange::new(127, 1).is_some());
        assert!(BitRange::new(127, 2).is_none());
        assert!(BitRange::new(0, 0).is_none());
        assert!(BitRange::new(u32::MAX, 1).is_none());
        assert_eq!(BitRange::new(0, 128).map(BitRange::mask), Some(u128::MAX));
    }

    #[test]
    fn split_fields_take_their_lowest_bits_from_the_first_range() {
        let ranges = [BitRange { position: 16, width: 8 }, BitRange { position: 34, width: 48 }];
        let word = insert(0x12_3456, &ranges);
        assert_eq!(word, (0x56 << 16) | (0x1234 << 34));
        assert_eq!(extract(word, &ranges), 0x12_3456);
    }

    #[test]
    fn runs_of_ones() {
        assert_eq!(runs(0), []);
        assert_eq!(runs(u128::MAX), [BitRange { position: 0, width: 128 }]);
        assert_eq!(describe(1 << 91), "bit 91");
        assert_eq!(describe((1 << 127) | 0b110), "bits 1-2, 127");
    }
}
