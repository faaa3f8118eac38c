/// A rounding mode of the ISA.
///
/// Rounds to a floating-point value (`.rn`, `.rz`, `.rm`, `.rp`) or to an integer (`.rni`,
/// `.rzi`, `.rmi`, `.rpi`) (PTX ISA 9.1, 6.5.2 "Rounding Modifiers").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Round {
    /// `.rn`, `.rni`: to nearest, ties to even.
    NearestEven,
    /// `.rz`, `.rzi`: toward zero.
    TowardZero,
    /// `.rm`, `.rmi`: toward negative infinity.
    Down,
    /// `.rp`, `.rpi`: toward positive infinity.
    Up,
}

impl Round {
    /// Every mode.
    pub const ALL: [Self; 4] = [Self::NearestEven, Self::TowardZero, Self::Down, Self::Up];

    /// Whether this is the mode that the host's arithmetic rounds in.
    #[inline(always)]
    pub(crate) const fn is_nearest(self) -> bool {
        matches!(self, Self::NearestEven)
    }

    /// Whether an inexact value of the given sign rounds away from zero. False for nearest.
    #[inline(always)]
    pub(crate) const fn is_outward(self, negative: bool) -> bool {
        match self {
            Self::NearestEven | Self::TowardZero => false,
            Self::Down => negative,
            Self::Up => !negative,
        }
    }

    /// Whether an inexact value of the given sign rounds toward zero. False for nearest.
    #[inline(always)]
    pub(crate) const fn is_inward(self, negative: bool) -> bool {
        match self {
            Self::NearestEven => false,
            Self::TowardZero => true,
            Self::Down => !negative,
            Self::Up => negative,
        }
    }
}
