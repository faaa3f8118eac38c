//! Any bytes: a fat binary, a wrapper or an ELF file around one is read or refused, and so is every payload in it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use machine::fatbin::{self, Fatbin, Wrapper};

fuzz_target!(|bytes: &[u8]| {
    let _ = Wrapper::parse(bytes);
    let mut all = Vec::new();
    match machine::cubin::is_elf(bytes) {
        true => {
            let found = fatbin::embedded(bytes).unwrap_or_default();
            all.extend(found.modules.into_iter().chain(found.parts));
        }
        false => all.extend(Fatbin::parse(bytes)),
    }
    for entry in all.iter().flat_map(|fatbin| &fatbin.entries) {
        let _ = entry.text();
    }
});
