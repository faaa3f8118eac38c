//! Errors of allocation.

use std::fmt;

/// Why memory could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryError {
    /// The host did not reserve an address range.
    Reserve(String),
    /// The allocation does not fit.
    Full {
        /// Bytes asked for.
        wanted: u64,
        /// Bytes left.
        left: u64,
    },
    /// A host copy outside an allocation.
    OutOfBounds {
        /// The device address.
        address: u64,
        /// Bytes to copy.
        bytes: u64,
    },
    /// Host memory that is mapped already, is empty, or lies where device memory or one of its windows does.
    NotMappable {
        /// The address of its first byte.
        address: u64,
        /// Its bytes.
        bytes: u64,
    },
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryError::Reserve(why) => write!(f, "cannot reserve device memory: {why}"),
            MemoryError::Full { wanted, left } => {
                write!(f, "cannot allocate {wanted} bytes of device memory: {left} are left")
            }
            MemoryError::OutOfBounds { address, bytes } => {
                write!(f, "{bytes} bytes at {address:#x} are not inside an allocation")
            }
            MemoryError::NotMappable { address, bytes } => write!(
                f,
                "{bytes} bytes of the host at {address:#x} cannot be mapped: some are device memory, or are mapped already"
            ),
        }
    }
}

impl std::error::Error for MemoryError {}
