//! What stays the same of a diagnostic when the text around it changes: by that tools know it again.

use crate::{Diagnostic, Sources};
use std::collections::HashMap;

/// Fingerprints of the diagnostics of one report, which are asked for in its order.
#[derive(Clone, Debug, Default)]
pub struct Fingerprints {
    /// How many diagnostics had each.
    seen: HashMap<u64, u32>,
}

impl Fingerprints {
    /// The fingerprint of the next diagnostic: a hash of its code and of the text of the lines that it points at, wherever those
    /// stand, and how many of the report have had the same. A diagnostic without a place is known by its message.
    pub fn of(&mut self, sources: &Sources, diagnostic: &Diagnostic) -> String {
        let mut hash = Fnv::default();
        hash.add(diagnostic.code);
        if diagnostic.labels.is_empty() {
            hash.add(&diagnostic.message);
        }
        for label in &diagnostic.labels {
            let file = sources.file(label.span.file);
            let name = file.name().rsplit(['/', '\\']).next().unwrap_or_default();
            hash.add(name);
            // Blanks say nothing.
            let line = file.line(file.location(label.span.start).line);
            line.split_whitespace().for_each(|word| hash.add(word));
        }
        let count = self.seen.entry(hash.0).or_default();
        *count += 1;
        format!("{:016x}:{count}", hash.0)
    }
}

/// The hash of Fowler, Noll and Vo, FNV-1a with 64 bits: it is the same everywhere and for ever.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds a word and its end.
    fn add(&mut self, word: &str) {
        for byte in word.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    fn of(text: &str, at: usize) -> String {
        let mut sources = Sources::new();
        let file = sources.add("folder/k.ptx", text);
        let found = Diagnostic::error(Span::new(file, at, at + 1), "x").code("P001");
        Fingerprints::default().of(&sources, &found)
    }

    #[test]
    fn fingerprints_survive_new_lines_and_blanks() {
        assert_eq!(of("a b\n", 0), of("\n\n  a   b\n", 5));
        assert_ne!(of("a b\n", 0), of("a c\n", 0));
    }

    #[test]
    fn equal_lines_are_counted() {
        let mut sources = Sources::new();
        let file = sources.add("k.ptx", "a\na\n");
        let found = |at| Diagnostic::error(Span::new(file, at, at + 1), "x");
        let mut fingerprints = Fingerprints::default();
        let first = fingerprints.of(&sources, &found(0));
        let second = fingerprints.of(&sources, &found(2));
        assert!(first.ends_with(":1") && second.ends_with(":2"));
        assert_eq!(first[..17], second[..17]);
    }

    #[test]
    fn the_hash_is_the_published_one() {
        // FNV-1a of no bytes is the offset basis; of "a" and a zero byte, as the reference implementation gives it.
        let mut hash = Fnv::default();
        assert_eq!(hash.0, 0xcbf2_9ce4_8422_2325);
        hash.add("");
        assert_eq!(hash.0, 0xaf63_bd4c_8601_b7df);
    }
}
