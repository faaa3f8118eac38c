//! Takes the place of static runtimes: each function of theirs that the table names, in the executable and in every library
//! as it is loaded, becomes a jump to ours. Functions are found by their names in the symbol table of the file.

mod jump;
mod loader;
mod symbols;

use crate::api::Row;
use crate::generation;
use crate::said::say_once;
use crate::table;
use loader::Loaded;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, OnceLock, PoisonError};
use symbols::Runtime;

/// Runs before the constructors of everything else (`build.rs`).
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

extern "C" fn constructor() {
    // Nothing may unwind into the loader, and nobody can be told.
    let _ = std::panic::catch_unwind(|| {
        replace_in_new();
        loader::call_when_loaded(on_load);
    });
}

/// Called when libraries have been mapped, before their constructors run.
extern "C" fn on_load() {
    let _ = std::panic::catch_unwind(replace_in_new);
}

/// Replaces the runtimes in what has been loaded since it was last asked.
fn replace_in_new() {
    static SEEN: Mutex<BTreeSet<(usize, Vec<u8>)>> = Mutex::new(BTreeSet::new());
    for loaded in loader::loaded() {
        let key = (loaded.base, loaded.path.as_os_str().as_encoded_bytes().to_vec());
        let new = SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        if new {
            replace_in(&loaded);
        }
    }
}

fn ours() -> &'static HashMap<&'static str, &'static Row> {
    static OURS: OnceLock<HashMap<&'static str, &'static Row>> = OnceLock::new();
    OURS.get_or_init(|| table::rows().map(|row| (row.name, row)).collect())
}

/// Replaces the runtime in an executable or a library, if it has one.
fn replace_in(loaded: &Loaded) {
    let help = "link it with `nvcc -cudart shared` (CMake: CUDA_RUNTIME_LIBRARY Shared), or keep its symbols";
    let shown = std::fs::read_link(&loaded.path).unwrap_or_else(|_| loaded.path.clone());
    let shown = shown.display();
    let functions = match symbols::runtime_in(loaded) {
        Runtime::None => return,
        Runtime::Nameless => {
            return say_once(&format!(
                "{shown} has a CUDA runtime inside, but no symbols by which it could be replaced: {help}"
            ));
        }
        Runtime::Functions(functions) => functions,
    };
    generation::found(symbols::generation_of(&functions));
    let jumps = functions.iter().filter_map(|function| {
        let target = ours().get(function.name.as_str())?.address.addr();
        // Where our functions are linked into the executable itself, they are these.
        (target != function.address).then_some((function, target))
    });
    if let Err(why) = jump::write(jumps) {
        say_once(&format!("the CUDA runtime inside {shown} cannot be replaced: {why}; {help}"));
    }
}
