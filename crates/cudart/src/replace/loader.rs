//! What the dynamic loader has loaded, and how it says that there is more.
//!
//! Both are the interface that debuggers use (`link.h`): `_r_debug` has the list of loaded objects, and `r_brk`, an empty
//! function that the loader calls when it has mapped new ones, before their constructors run.

use super::jump;
use super::symbols::Function;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::OnceLock;

/// An executable or a library.
pub(super) struct Loaded {
    /// What is to be added to the addresses in its file.
    pub(super) base: usize,
    pub(super) path: PathBuf,
}

/// `struct link_map`.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
    dynamic: *const c_void,
    next: *const LinkMap,
    previous: *const LinkMap,
}

/// `struct r_debug`.
#[repr(C)]
struct Debug {
    version: c_int,
    map: *const LinkMap,
    changed: usize,
    state: c_int,
    loader: usize,
}

fn debug() -> *const Debug {
    // SAFETY: the name is a string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_r_debug".as_ptr()) }.cast()
}

/// What is loaded now. The first is the executable.
pub(super) fn loaded() -> Vec<Loaded> {
    let debug = debug();
    if debug.is_null() {
        return Vec::new();
    }
    // SAFETY: the loader keeps the list, and changes it under a lock that the thread holds that loads a library.
    let mut map = unsafe { (&raw const (*debug).map).read_volatile() };
    let mut found = Vec::new();
    // SAFETY: as above; names are strings.
    while let Some(object) = unsafe { map.as_ref() } {
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(object.name) };
        let path = match name.is_empty() {
            true => PathBuf::from("/proc/self/exe"),
            false => PathBuf::from(OsStr::from_bytes(name.to_bytes())),
        };
        // An object without a name that is not the first is the kernel's.
        if !name.is_empty() || found.is_empty() {
            found.push(Loaded { base: object.base, path });
        }
        map = object.next;
    }
    found
}

/// `RT_CONSISTENT`: the list is complete.
const CONSISTENT: c_int = 0;

static CALLED: OnceLock<extern "C" fn()> = OnceLock::new();

/// Has a function called whenever libraries have been mapped.
pub(super) fn call_when_loaded(function: extern "C" fn()) {
    let debug = debug();
    if debug.is_null() {
        return;
    }
    // SAFETY: the loader has filled it in.
    let entry = unsafe { (&raw const (*debug).changed).read_volatile() };
    CALLED.get_or_init(|| function);
    if !is_empty_function(entry) {
        return;
    }
    let entry = Function { name: "r_brk".to_owned(), address: entry, room: ALIGNED };
    // Without it, libraries that the program opens later keep their runtimes.
    let _ = jump::write(std::iter::once((&entry, changed as *const () as usize)));
}

/// Bytes in which the empty function stands alone.
const ALIGNED: usize = 16;

/// Whether there is nothing at an address but a return, and padding up to where the next function may begin.
fn is_empty_function(entry: usize) -> bool {
    const RETURN: u8 = 0xc3;
    const LANDING: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
    if entry == 0 || !entry.is_multiple_of(ALIGNED) {
        return false;
    }
    let code: *const [u8; ALIGNED] = std::ptr::with_exposed_provenance(entry);
    // SAFETY: it is code of the loader, which can be read, and a page ends at a multiple of 16.
    let code = unsafe { code.read() };
    let body = code.strip_prefix(&LANDING).unwrap_or(&code);
    let padding = [0x90, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x44, 0x40, 0x80, 0x00, 0xcc];
    body.first() == Some(&RETURN) && body[1..].iter().all(|byte| padding.contains(byte))
}

/// What the loader calls.
extern "C" fn changed() {
    let debug = debug();
    // SAFETY: the loader has filled it in, and called us.
    let state = unsafe { (&raw const (*debug).state).read_volatile() };
    if let (CONSISTENT, Some(function)) = (state, CALLED.get()) {
        function();
    }
}
