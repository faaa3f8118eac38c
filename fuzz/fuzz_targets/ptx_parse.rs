//! Any bytes: the PTX parser returns, and what it accepts prints to text that it accepts again.

#![no_main]

use diag::Sources;
use libfuzzer_sys::fuzz_target;
use ptx::syntax;

fuzz_target!(|bytes: &[u8]| {
    let mut sources = Sources::new();
    let file = sources.add("fuzz.ptx", String::from_utf8_lossy(bytes));
    let (module, diagnostics) = syntax::parse(&sources, file);
    assert!(diagnostics.len() <= syntax::MAX_ERRORS + 1);
    let printed = module.to_string();
    if !diagnostics.is_empty() {
        return;
    }
    let file = sources.add("printed.ptx", printed.as_str());
    let (again, diagnostics) = syntax::parse(&sources, file);
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{printed}");
    assert_eq!(again.to_string(), printed);
});
