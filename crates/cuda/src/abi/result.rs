//! Results, and the constants of the interface.

/// What a function of the driver returns.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct CUresult(pub u32);

/// Success, or another result.
pub type Answer<T = ()> = Result<T, CUresult>;

/// The constants that the headers define, by their names there, all as 32 bits.
#[allow(non_upper_case_globals)]
pub mod constants {
    use super::CUresult;
    use std::ffi::CStr;

    include!(concat!(env!("OUT_DIR"), "/constants.rs"));
}
