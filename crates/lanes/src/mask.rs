//! Sets of lanes.

mod show;

use core::iter::FusedIterator;
use core::ops::{
    BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign,
};

pub use show::{Ranges, Strip};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Lanes, WARP};

/// A set of lanes of one warp: bit `i` stands for lane `i`.
///
/// The same value serves as membermask, active mask and predicate register of a warp (bit `i` is
/// the predicate of lane `i`). Every operation accepts any lane number; numbers from 32 on name no
/// lane.
///
/// `Display` prints the mask as an operand, `0x0000ffff`; [`LaneMask::strip`] and
/// [`LaneMask::ranges`] print it for people.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, JsonSchema)]
pub struct LaneMask(pub u32);

impl LaneMask {
    /// No lane.
    pub const EMPTY: Self = Self(0);

    /// All 32 lanes.
    pub const FULL: Self = Self(u32::MAX);

    /// The set of `lane` alone: `%lanemask_eq` of that lane. Empty if `lane` is not below 32.
    #[inline]
    pub const fn single(lane: u32) -> Self {
        Self(if lane < 32 { 1 << lane } else { 0 })
    }

    /// Lanes with a number less than `lane`: `%lanemask_lt` of that lane.
    #[inline]
    pub const fn lt(lane: u32) -> Self {
        Self(if lane < 32 { (1 << lane) - 1 } else { u32::MAX })
    }

    /// Lanes with a number less than or equal to `lane`: `%lanemask_le` of that lane.
    #[inline]
    pub const fn le(lane: u32) -> Self {
        Self(Self::lt(lane).0 | Self::single(lane).0)
    }

    /// Lanes with a number greater than `lane`: `%lanemask_gt` of that lane.
    #[inline]
    pub const fn gt(lane: u32) -> Self {
        Self(!Self::le(lane).0)
    }

    /// Lanes with a number greater than or equal to `lane`: `%lanemask_ge` of that lane.
    #[inline]
    pub const fn ge(lane: u32) -> Self {
        Self(!Self::lt(lane).0)
    }

    /// The lanes for which `test` holds, called once for each lane number from 0 to 31.
    #[inline(always)]
    pub fn from_fn(mut test: impl FnMut(usize) -> bool) -> Self {
        let mut bits = 0;
        for lane in 0..WARP {
            bits |= u32::from(test(lane)) << lane;
        }
        Self(bits)
    }

    /// The lanes whose element is true.
    #[inline]
    pub fn from_bools(values: &Lanes<bool>) -> Self {
        Self::from_fn(|lane| values[lane])
    }

    /// One truth value per lane.
    #[inline]
    pub fn to_bools(self) -> Lanes<bool> {
        core::array::from_fn(|lane| self.0 & (1 << lane) != 0)
    }

    /// Whether `lane` is in the set.
    #[inline]
    pub const fn contains(self, lane: u32) -> bool {
        self.0 & Self::single(lane).0 != 0
    }

    /// Number of lanes in the set, 0 to 32.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether no lane is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all 32 lanes are in the set.
    #[inline]
    pub const fn is_full(self) -> bool {
        self.0 == u32::MAX
    }

    /// Whether every lane of this set is also in `other`.
    #[inline]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether some lane is in both sets.
    #[inline]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The lowest lane number in the set.
    #[inline]
    pub const fn lowest(self) -> Option<u32> {
        if self.is_empty() { None } else { Some(self.0.trailing_zeros()) }
    }

    /// The highest lane number in the set.
    #[inline]
    pub const fn highest(self) -> Option<u32> {
        if self.is_empty() { None } else { Some(31 - self.0.leading_zeros()) }
    }

    /// Adds `lane`; no effect if it is not below 32.
    #[inline]
    pub const fn insert(&mut self, lane: u32) {
        self.0 |= Self::single(lane).0;
    }

    /// Takes `lane` out.
    #[inline]
    pub const fn remove(&mut self, lane: u32) {
        self.0 &= !Self::single(lane).0;
    }

    /// The lane numbers in the set, in rising order.
    #[inline]
    pub const fn iter(self) -> LaneIter {
        LaneIter(self)
    }
}

impl From<u32> for LaneMask {
    #[inline]
    fn from(bits: u32) -> Self {
        Self(bits)
    }
}

impl From<LaneMask> for u32 {
    #[inline]
    fn from(mask: LaneMask) -> Self {
        mask.0
    }
}

impl Not for LaneMask {
    type Output = Self;

    /// The lanes not in the set.
    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl BitAnd for LaneMask {
    type Output = Self;

    /// The lanes in both sets.
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for LaneMask {
    type Output = Self;

    /// The lanes in either set.
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for LaneMask {
    type Output = Self;

    /// The lanes in exactly one of the sets.
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Sub for LaneMask {
    type Output = Self;

    /// The lanes of `self` that are not in `other`.
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitAndAssign for LaneMask {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOrAssign for LaneMask {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl BitXorAssign for LaneMask {
    #[inline]
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

impl SubAssign for LaneMask {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl FromIterator<u32> for LaneMask {
    /// The set of the lane numbers given; numbers from 32 on are ignored.
    fn from_iter<I: IntoIterator<Item = u32>>(lanes: I) -> Self {
        let mut mask = Self::EMPTY;
        mask.extend(lanes);
        mask
    }
}

impl Extend<u32> for LaneMask {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, lanes: I) {
        for lane in lanes {
            self.insert(lane);
        }
    }
}

impl IntoIterator for LaneMask {
    type Item = u32;
    type IntoIter = LaneIter;

    #[inline]
    fn into_iter(self) -> LaneIter {
        self.iter()
    }
}

/// Iterator over the lane numbers of a [`LaneMask`] in rising order.
#[derive(Clone, Debug)]
pub struct LaneIter(LaneMask);

impl Iterator for LaneIter {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let lane = self.0.lowest()?;
        self.0.remove(lane);
        Some(lane)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count() as usize;
        (left, Some(left))
    }
}

impl DoubleEndedIterator for LaneIter {
    #[inline]
    fn next_back(&mut self) -> Option<u32> {
        let lane = self.0.highest()?;
        self.0.remove(lane);
        Some(lane)
    }
}

impl ExactSizeIterator for LaneIter {}

impl FusedIterator for LaneIter {}

/// Per lane: `inside` for the lanes of `mask`, `outside` for the others.
///
/// This is how a caller merges the result of a collective into a destination register.
#[inline(always)]
pub fn select<T: Copy>(mask: LaneMask, inside: &Lanes<T>, outside: &Lanes<T>) -> Lanes<T> {
    let mut merged = *outside;
    for (lane, slot) in merged.iter_mut().enumerate() {
        let value = inside[lane];
        *slot = if mask.0 & (1 << lane) != 0 { value } else { *slot };
    }
    merged
}
