//! Which major version of the runtime a program was built for: some functions kept their names and changed their arguments.

use std::ffi::CStr;
use std::sync::OnceLock;

/// A major version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Generation {
    V11,
    V12,
    V13,
}

impl Generation {
    /// What `cudaRuntimeGetVersion` says: the last version of the generation that is known here.
    pub(crate) fn version(self) -> i32 {
        match self {
            Generation::V11 => 11080,
            Generation::V12 => 12090,
            Generation::V13 => 13050,
        }
    }
}

/// The names of the shared runtimes.
const SONAMES: [(&CStr, Generation); 3] = [
    (c"libcudart.so.11.0", Generation::V11),
    (c"libcudart.so.12", Generation::V12),
    (c"libcudart.so.13", Generation::V13),
];

static GENERATION: OnceLock<Generation> = OnceLock::new();

/// Says that the program has a runtime of that generation inside. The first one counts.
pub(crate) fn found(generation: Generation) {
    let _ = GENERATION.set(generation);
}

/// The generation of the process: that of the static runtime, or the one of the shared library that is loaded.
pub(crate) fn generation() -> Generation {
    *GENERATION.get_or_init(|| {
        let loaded = |name: &CStr| {
            // SAFETY: the name is a string; a library that is loaded stays so when it is closed once more.
            unsafe {
                let library = libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
                !library.is_null() && libc::dlclose(library) == 0
            }
        };
        let named = SONAMES.iter().find(|(name, _)| loaded(name));
        named.map_or(Generation::V13, |(_, generation)| *generation)
    })
}
