//! What machine code is known by: everything that it depends on, as one number.

use crate::input::Input;
use sha2::{Digest, Sha256};
use std::hash::{Hash, Hasher};

/// A number for an input and what makes code of it. Equal keys mean code that does the same.
pub type Key = [u8; 32];

/// What makes code, as one word: other sources, or another version, have another (`build.rs`).
const COMPILER: &str = env!("WARPWISE_COMPILER");

impl Input<'_> {
    /// The number of this input.
    pub fn key(&self) -> Key {
        let mut digest = Digesting(Sha256::new());
        (COMPILER, self).hash(&mut digest);
        digest.0.finalize().into()
    }
}

/// Gives what is hashed to a digest.
struct Digesting(Sha256);

impl Hasher for Digesting {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest.iter().take(8).fold(0, |all, byte| all << 8 | u64::from(*byte))
    }
}
