//! Any bytes: the parser of IR text returns, and what it accepts prints to text of the same kernel.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(kernel) = ir::text::parse(&String::from_utf8_lossy(bytes)) else { return };
    assert_eq!(ir::text::parse(&kernel.to_string()).as_ref(), Ok(&kernel));
    // Whether it makes sense or not, telling must not panic.
    let _ = ir::verify(&kernel);
});
