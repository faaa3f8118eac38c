//! Jumps at the entries of functions.

use super::function::Function;
use std::fmt;
use std::io;

/// Bytes of a jump.
#[cfg(target_arch = "x86_64")]
const SIZE: usize = 14;

/// A jump to an address, wherever it is: `jmp *0(%rip)`, and the address behind it.
#[cfg(target_arch = "x86_64")]
fn encoded(target: usize) -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    bytes[..2].copy_from_slice(&[0xff, 0x25]);
    bytes[6..].copy_from_slice(&target.to_le_bytes());
    bytes
}

/// Why jumps cannot be written.
#[derive(Debug)]
pub(super) enum JumpError {
    /// Nobody has written down how machines of this kind jump.
    #[cfg_attr(target_arch = "x86_64", expect(dead_code))]
    Machine,
    /// A function is shorter than a jump.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    Short(String),
    /// The system does not let code be changed.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    Protected(io::Error),
}

impl fmt::Display for JumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JumpError::Machine => write!(f, "that is done on x86-64 alone"),
            JumpError::Short(name) => write!(f, "its `{name}` has no room for a jump"),
            JumpError::Protected(why) => write!(f, "its code cannot be changed ({why})"),
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn write<'f>(
    _jumps: impl Iterator<Item = (&'f Function, usize)>,
) -> Result<(), JumpError> {
    Err(JumpError::Machine)
}

/// Writes a jump to its target at the entry of every function. Pages are never writable and executable at once; nobody may be
/// running in them.
#[cfg(target_arch = "x86_64")]
pub(super) fn write<'f>(
    jumps: impl Iterator<Item = (&'f Function, usize)>,
) -> Result<(), JumpError> {
    let jumps: Vec<(&Function, usize)> = jumps.collect();
    if let Some((function, _)) = jumps.iter().find(|(function, _)| function.room < SIZE) {
        return Err(JumpError::Short(function.name.clone()));
    }
    let begin = jumps.iter().map(|(function, _)| function.address).min();
    let end = jumps.iter().map(|(function, _)| function.address + SIZE).max();
    let (Some(begin), Some(end)) = (begin, end) else { return Ok(()) };
    let writable = Writable::pages(begin, end).map_err(JumpError::Protected)?;
    for (function, target) in jumps {
        let place: *mut u8 = std::ptr::with_exposed_provenance_mut(function.address);
        // SAFETY: the bytes are code in the pages that can be written to now, and all of them the function's own.
        unsafe { place.copy_from_nonoverlapping(encoded(target).as_ptr(), SIZE) };
    }
    writable.done().map_err(JumpError::Protected)
}

/// Pages of code that can be written to instead of run.
#[cfg(target_arch = "x86_64")]
struct Writable {
    begin: usize,
    bytes: usize,
}

#[cfg(target_arch = "x86_64")]
impl Writable {
    fn pages(begin: usize, end: usize) -> io::Result<Writable> {
        // SAFETY: it takes no pointers.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let begin = begin / page * page;
        let pages = Writable { begin, bytes: end.next_multiple_of(page) - begin };
        pages.protect(libc::PROT_READ | libc::PROT_WRITE)?;
        Ok(pages)
    }

    fn done(self) -> io::Result<()> {
        self.protect(libc::PROT_READ | libc::PROT_EXEC)
    }

    fn protect(&self, protection: i32) -> io::Result<()> {
        let begin = std::ptr::with_exposed_provenance_mut(self.begin);
        // SAFETY: these are pages of one segment of code of an object that stays loaded while this runs.
        match unsafe { libc::mprotect(begin, self.bytes, protection) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
