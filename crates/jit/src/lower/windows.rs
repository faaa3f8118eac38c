//! Words, and pairs of words, at known places that lie near each other: every third one, a row backwards. Loads take them out of a few
//! whole vectors of memory, and stores put them into such (AVX-512, whose gathers and scatters take longer).

use super::Lower;
use super::memory::Lanes;
use super::value::{mask_class, words_of_lanes};
use crate::isa::{Family, U, V};
use crate::mir::{Mem, O};
use iced_x86::Code;
use ir::Access;
use ir::analysis::Shape;
use regalloc2::VReg;

/// Bytes of a word, and words of a vector.
const WORD: i64 = 4;
const WORDS: i64 = 16;
/// Beyond so many vectors of memory, a gather or a scatter takes no longer.
const MOST: usize = 5;

/// Vectors of memory that hold the words of a vector.
struct Windows {
    /// Where each word is, in words.
    places: Vec<i64>,
    /// Where each vector begins, in ascending order. None reaches beyond the first or the last of the words.
    starts: Vec<i64>,
}

impl Windows {
    /// Those of lanes of so many words each, which lie so many bytes from the first one, if they are few.
    fn of(each: i64, distance: impl Fn(usize) -> Option<i64>) -> Option<Windows> {
        let place = |word: i64| {
            let bytes = distance((word / each) as usize)?;
            (bytes % WORD == 0).then_some(bytes / WORD + word % each)
        };
        let places: Vec<i64> = (0..WORDS).map(place).collect::<Option<_>>()?;
        let mut sorted = places.clone();
        sorted.sort_unstable();
        let (low, high) = (*sorted.first()?, *sorted.last()?);
        // A vector would reach beyond what is accessed.
        let last = high.checked_sub(WORDS - 1).filter(|last| *last >= low)?;
        let mut starts: Vec<i64> = Vec::new();
        for place in sorted {
            if starts.last().is_none_or(|start| place - start >= WORDS) {
                starts.push(place.min(last));
            }
        }
        (starts.len() <= MOST).then_some(Windows { places, starts })
    }

    /// In which vector a word is, and where there.
    fn place(&self, word: usize) -> (usize, u32) {
        let place = self.places[word];
        let nth = self.starts.iter().rposition(|start| *start <= place).unwrap_or(0);
        (nth, (place - self.starts[nth]) as u32)
    }

    /// Per word of a vector of memory, the word that is stored there: the last one, since lanes store in ascending order.
    fn stored_in(&self, nth: usize) -> [Option<u32>; WORDS as usize] {
        let mut found = [None; WORDS as usize];
        for stored in 0..self.places.len() {
            let (own, word) = self.place(stored);
            if own == nth {
                found[word as usize] = Some(stored as u32);
            }
        }
        found
    }

    fn memory(&self, lanes: &Lanes, first: usize, nth: usize, offset: i64) -> Mem {
        lanes.memory(first, offset + self.starts[nth] * WORD)
    }
}

/// Words of an element that is moved as words.
fn words_of(access: Access) -> Option<i64> {
    match access {
        Access::B32 => Some(1),
        Access::B64 => Some(2),
        Access::U8 | Access::S8 | Access::U16 | Access::S16 => None,
    }
}

impl Lower<'_> {
    /// Whether elements at such addresses, of so many bits, can be moved that way.
    pub(super) fn are_near(&self, shape: &Shape, bits: u32, access: Access) -> bool {
        let (slice, affine) = match shape {
            Shape::Affine(affine) => (self.gang.lanes(), affine),
            Shape::Sliced(lanes, affine) => (*lanes as usize, affine),
            Shape::Mask(_) | Shape::Varying => return false,
        };
        let Some(each) = words_of(access).filter(|_| self.family == Family::Avx512) else {
            return false;
        };
        let (own, steps) = ((WORDS / each) as usize, affine.signed_steps(bits));
        let are_few = |first: usize| {
            Windows::of(each, |lane| steps[first + lane].checked_sub(steps[first])).is_some()
        };
        slice.is_multiple_of(own) && (0..self.gang.lanes()).step_by(own).all(are_few)
    }

    /// The elements of a vector's lanes, from the first on, if they are loaded that way.
    pub(super) fn load_windows(
        &mut self,
        lanes: &Lanes,
        first: usize,
        access: Access,
        offset: i64,
    ) -> Option<VReg> {
        let windows = self.windows(lanes, first, access)?;
        let load = |this: &mut Self, nth: usize| {
            this.unary(U::Load, O::M(windows.memory(lanes, first, nth, offset)))
        };
        let mut all = load(self, 0);
        if windows.starts.len() == 1 {
            let picks = self.pool(words_of_lanes(|word| windows.place(word).1));
            let picks = self.unary(U::Load, O::M(picks));
            return Some(self.binary(V::PermD, picks, O::U(all)));
        }
        for nth in 1..windows.starts.len() {
            let more = load(self, nth);
            all = self.picked([all, more], |loaded| {
                let (own, word) = windows.place(loaded as usize);
                // What has been taken out before is in its place.
                if own == nth {
                    word + WORDS as u32
                } else if nth == 1 {
                    word
                } else {
                    loaded
                }
            });
        }
        Some(all)
    }

    /// The vectors of memory that elements of a vector's lanes are in, from the first on, if these are few.
    fn windows(&self, lanes: &Lanes, first: usize, access: Access) -> Option<Windows> {
        let each = words_of(access).filter(|_| self.family == Family::Avx512)?;
        Windows::of(each, |lane| lanes.distance(first, first + lane))
    }

    /// Stores the elements of a vector's lanes, from the first on, which do not lie one after the other. With AVX-512, those of 64 bits
    /// lie near each other.
    pub(super) fn store_apart(
        &mut self,
        (lanes, first): (&Lanes, usize),
        access: Access,
        offset: i64,
        vector: VReg,
    ) {
        if self.are_strided(access.bytes().into()) {
            return self.store_strided(lanes, first, access, offset, vector);
        }
        let Some(windows) = self.windows(lanes, first, access) else {
            debug_assert_eq!(access, Access::B32, "others lie near each other");
            let (start, offsets) = self.places(lanes, first, self.family.lanes(), offset);
            return self.func.scatter(start, offsets, vector, None);
        };
        for nth in 0..windows.starts.len() {
            let from = windows.stored_in(nth);
            let picks = self.pool(words_of_lanes(|word| from[word].unwrap_or(0)));
            let picks = self.unary(U::Load, O::M(picks));
            let words = self.binary(V::PermD, picks, O::U(vector));
            let written = (0..).zip(from).filter(|(_, stored)| stored.is_some());
            let bits = written.fold(0, |bits, (word, _)| bits | 1u64 << word);
            let to = O::M(windows.memory(lanes, first, nth, offset));
            if bits == u64::from(u16::MAX) {
                self.func.x(Code::EVEX_Vmovups_zmmm512_k1z_zmm, &[to, O::U(words)]);
                continue;
            }
            let mask = self.func.value(mask_class(self.family));
            let bits = self.number(bits, ir::Class::W32);
            self.func.x(Code::VEX_Kmovw_kr_r32, &[O::D(mask), O::U(bits)]);
            let operands = [to, O::U(words), O::Masked(mask)];
            self.func.x(Code::EVEX_Vmovups_zmmm512_k1z_zmm, &operands);
        }
    }
}
