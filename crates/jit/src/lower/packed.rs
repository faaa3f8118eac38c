//! Several bytes or halves a lane that fill words, such as a pixel's: moved as words, and taken apart or put together in registers.

use super::Lower;
use super::value::access_class;
use super::values::words;
use crate::isa::{U, V};
use crate::mir::O;
use ir::{Access, Src};
use regalloc2::VReg;

/// Bits of a word.
const WORD: u8 = 32;

/// The elements as which so many of an access are moved.
pub(super) fn moved_as(access: Access, elements: usize) -> (Access, usize) {
    match words_of(access, elements) {
        Some(words) => (Access::B32, words),
        None => (access, elements),
    }
}

/// Which of those are wanted, if these elements of the access are.
pub(super) fn wanted_as(access: Access, wanted: &[bool]) -> Vec<bool> {
    words_of(access, wanted.len()).map_or_else(|| wanted.to_vec(), |words| vec![true; words])
}

/// How many words so many elements of an access fill, if these are smaller.
fn words_of(access: Access, elements: usize) -> Option<usize> {
    let bytes = access.bytes() as usize * elements;
    (access.bytes() < 4 && bytes.is_multiple_of(4)).then_some(bytes / 4)
}

impl Lower<'_> {
    /// The elements of an access, as far as they are wanted, of what was loaded for it ([`moved_as`]).
    pub(super) fn taken_from(
        &mut self,
        moved: Vec<Vec<VReg>>,
        access: Access,
        wanted: &[bool],
    ) -> Vec<Vec<VReg>> {
        if words_of(access, wanted.len()).is_none() {
            return moved;
        }
        let bits = 8 * access.bytes() as u8;
        let is_signed = matches!(access, Access::S8 | Access::S16);
        (0..)
            .zip(wanted)
            .map(|(nth, wanted)| {
                let (word, from) = (nth * bits / WORD, nth * bits % WORD);
                let words = moved[usize::from(word)].iter().filter(|_| *wanted);
                words.map(|word| self.piece(*word, from, bits, is_signed)).collect()
            })
            .collect()
    }

    /// So many bits of each word, from a place on.
    fn piece(&mut self, word: VReg, from: u8, bits: u8, is_signed: bool) -> VReg {
        let above = WORD - from - bits;
        let up = if above == 0 { word } else { self.shift(U::ShlD, word, above) };
        self.shift(if is_signed { U::SarD } else { U::ShrD }, up, WORD - bits)
    }

    /// The vectors of the elements as which values are stored ([`moved_as`]).
    pub(super) fn put_as(&mut self, values: &[Src], access: Access) -> Vec<Vec<VReg>> {
        let class = access_class(access);
        let Some(count) = words_of(access, values.len()) else {
            return values.iter().map(|value| self.vectors_of(*value, class)).collect();
        };
        let bits = 8 * access.bytes() as u8;
        let low = self.pool(words(u32::MAX >> (WORD - bits)));
        let each = values.len() / count;
        values
            .chunks_exact(each)
            .filter_map(|values| {
                let all: Vec<Vec<VReg>> =
                    values.iter().map(|value| self.vectors_of(*value, class)).collect();
                // What lies above the last one is shifted out.
                let (last, others) = all.split_last()?;
                let one = |(slice, last): (usize, &VReg)| {
                    others.iter().rev().fold(*last, |above, vectors| {
                        let up = self.shift(U::ShlD, above, bits);
                        let value = self.binary(V::And, vectors[slice], O::M(low));
                        self.binary(V::Or, up, O::U(value))
                    })
                };
                Some(last.iter().enumerate().map(one).collect())
            })
            .collect()
    }
}
