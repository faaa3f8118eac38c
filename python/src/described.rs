//! An array apart from the protocol that describes it.

use pyo3::prelude::*;
use warpwise::ElementType;

/// Whose memory an array says that it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    Host,
    /// A CUDA device's: Warpwise's, whose addresses are those of the process, or a real one's.
    Device,
}

/// An array, and what keeps its memory.
pub(crate) struct Described<'py> {
    /// Of the first element.
    pub(crate) address: u64,
    /// Bytes of an element.
    pub(crate) item: u64,
    pub(crate) shape: Vec<u64>,
    /// Bytes from one element to the next, in each dimension; `None` if they lie one after another.
    pub(crate) strides: Option<Vec<i64>>,
    /// What elements are, if that is a number of ours.
    pub(crate) element: Option<ElementType>,
    pub(crate) readonly: bool,
    pub(crate) place: Where,
    /// Whether it is known that the memory is there, and the process's own.
    pub(crate) is_trusted: bool,
    pub(crate) keep: Bound<'py, PyAny>,
}

impl Described<'_> {
    /// The bytes of its elements; `None` if there cannot be so many.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let count = self.shape.iter().try_fold(1_u64, |all, extent| all.checked_mul(*extent))?;
        count.checked_mul(self.item).filter(|bytes| i64::try_from(*bytes).is_ok())
    }

    /// Whether the elements lie one after another, the last index first.
    pub(crate) fn is_contiguous(&self) -> bool {
        let Some(strides) = &self.strides else { return true };
        let mut expected = self.item as i64;
        for (extent, stride) in self.shape.iter().zip(strides).rev() {
            if *extent == 0 {
                return true;
            }
            if *extent > 1 && *stride != expected {
                return false;
            }
            expected = expected.saturating_mul(i64::try_from(*extent).unwrap_or(i64::MAX));
        }
        true
    }
}
