//! What is checked of addresses.

use iced_x86::Register;

/// Addresses that are to lie inside a region, which they find if need be.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) site: u32,
    /// Bytes from each address on.
    pub(super) bytes: u32,
    pub(super) align: u32,
    /// By which the code is left if there is no such region.
    pub(super) exit: u32,
    pub(super) addresses: Vec<Register>,
    pub(super) rooms: [Register; 2],
}

/// What is done about a check that has failed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Failed {
    /// It is made again.
    One { again: usize },
    /// It is made once more, behind which the code goes on: each address may have a region of its own.
    Several { first: Register, behind: usize },
}
