//! Any bytes are the choices of a kernel: the VM gives what the reference gives, in every way that must not make a difference.

#![no_main]

use generate::Choices;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let case = generate::generate(&mut Choices::from_bytes(bytes));
    if let Err(mismatch) = generate::compare(&case) {
        panic!("{mismatch}");
    }
});
