//! Addresses in findings.
//!
//! Detectors know where an access is, and not whose memory that is. They write an [`At`] into their sentences, which stands
//! there as a mark until somebody who knows puts words in its place ([`Finding::name_addresses`]).

use crate::finding::Finding;
use ir::Space;
use std::fmt;

/// What an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The space that the address counts in. Generic addresses are device addresses, as global ones are.
    pub space: Space,
    /// The first byte.
    pub address: u64,
    /// How many bytes an element of the access has; 1 if it has no elements.
    pub bytes: u64,
}

/// Begins and ends a mark; no text of a module's has such characters.
const BEGIN: char = '\u{1}';
const END: char = '\u{2}';

const SPACES: [Space; 5] =
    [Space::Generic, Space::Global, Space::Shared, Space::Local, Space::Param];

/// The mark.
impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = SPACES.iter().position(|space| *space == self.space).unwrap_or_default();
        write!(f, "{BEGIN}{space},{:x},{:x}{END}", self.address, self.bytes)
    }
}

impl At {
    /// A mark without what is around it.
    fn read(mark: &str) -> Option<At> {
        let mut parts = mark.split(',');
        let space = *SPACES.get(parts.next()?.parse::<usize>().ok()?)?;
        let mut number = || u64::from_str_radix(parts.next()?, 16).ok();
        Some(At { space, address: number()?, bytes: number()? })
    }

    /// A text with words in the place of every mark.
    pub fn name(text: &str, words: &impl Fn(At) -> String) -> String {
        let mut parts = text.split(BEGIN);
        let mut named = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            match part.split_once(END).and_then(|(mark, rest)| Some((At::read(mark)?, rest))) {
                Some((at, rest)) => {
                    named.push_str(&words(at));
                    named.push_str(rest);
                }
                None => named.push_str(part),
            }
        }
        named
    }
}

impl Finding {
    /// Puts words in the place of every address.
    pub fn name_addresses(&mut self, words: &impl Fn(At) -> String) {
        let related = self.related.iter_mut().map(|related| &mut related.text);
        let texts = [&mut self.message, &mut self.label].into_iter();
        for text in texts.chain(related).chain(&mut self.facts) {
            if text.contains(BEGIN) {
                *text = At::name(text, words);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_words() {
        let at = At { space: Space::Shared, address: 0xffff_0000_1234_5678, bytes: 4 };
        let text = format!("a {at} b {at}");
        let named = At::name(&text, &|read| {
            assert_eq!(read, at);
            "HERE".to_owned()
        });
        assert_eq!(named, "a HERE b HERE");
        assert_eq!(At::name("\u{1}9,9,9\u{2}\u{1}", &|_| String::new()), "9,9,9\u{2}");
    }
}
