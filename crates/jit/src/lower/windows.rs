//! Words at known places that lie near each other: every third one, a row backwards. Loads take them out of a few whole vectors of memory,
//! and stores put them into such (AVX-512, whose gathers and scatters take longer).

use super::Lower;
use super::memory::Lanes;
use super::value::{mask_class, words_of_lanes};
use crate::Level;
use crate::isa::{U, V};
use crate::mir::{Mem, O};
use iced_x86::Code;
use regalloc2::VReg;

/// Bytes of a word, and words of a vector.
const WORD: i64 = 4;
const WORDS: i64 = 16;
/// Beyond so many vectors of memory, a gather or a scatter takes no longer.
const MOST: usize = 5;

/// Vectors of memory that hold the words of a vector's lanes.
struct Windows {
    /// Where each lane's word is, in words.
    places: Vec<i64>,
    /// Where each vector begins, in ascending order. None reaches beyond the first or the last of the words.
    starts: Vec<i64>,
}

impl Windows {
    /// Those of lanes from the first on, if they are few.
    fn of(lanes: &Lanes, first: usize) -> Option<Windows> {
        let place = |lane: i64| {
            let bytes = lanes.distance(first, first + lane as usize)?;
            (bytes % WORD == 0).then_some(bytes / WORD)
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

    /// In which vector a lane's word is, and where there.
    fn place(&self, lane: usize) -> (usize, u32) {
        let place = self.places[lane];
        let nth = self.starts.iter().rposition(|start| *start <= place).unwrap_or(0);
        (nth, (place - self.starts[nth]) as u32)
    }

    /// Per word of a vector of memory, the lane that stores it: the last one, since lanes store in ascending order.
    fn lanes_of(&self, nth: usize) -> [Option<u32>; WORDS as usize] {
        let mut found = [None; WORDS as usize];
        for lane in 0..self.places.len() {
            let (own, word) = self.place(lane);
            if own == nth {
                found[word as usize] = Some(lane as u32);
            }
        }
        found
    }

    fn memory(&self, lanes: &Lanes, first: usize, nth: usize, offset: i64) -> Mem {
        lanes.memory(first, offset + self.starts[nth] * WORD)
    }
}

impl Lower<'_> {
    /// The words of a vector's lanes, from the first on, if they are loaded that way.
    pub(super) fn load_windows(
        &mut self,
        lanes: &Lanes,
        first: usize,
        offset: i64,
    ) -> Option<VReg> {
        if self.level != Level::Avx512 {
            return None;
        }
        let windows = Windows::of(lanes, first)?;
        let load = |this: &mut Self, nth: usize| {
            this.unary(U::Load, O::M(windows.memory(lanes, first, nth, offset)))
        };
        let mut all = load(self, 0);
        if windows.starts.len() == 1 {
            let picks = self.pool(words_of_lanes(|lane| windows.place(lane).1));
            let picks = self.unary(U::Load, O::M(picks));
            return Some(self.binary(V::PermD, picks, O::U(all)));
        }
        for nth in 1..windows.starts.len() {
            let more = load(self, nth);
            all = self.picked([all, more], |lane| {
                let (own, word) = windows.place(lane as usize);
                // What has been taken out before is in its place.
                if own == nth {
                    word + WORDS as u32
                } else if nth == 1 {
                    word
                } else {
                    lane
                }
            });
        }
        Some(all)
    }

    /// Stores a vector to the words of its lanes, from the first on. Says whether that can be done.
    pub(super) fn store_windows(&mut self, lanes: &Lanes, first: usize, vector: VReg) -> bool {
        let windows = match self.level {
            Level::Avx2 => None,
            Level::Avx512 => Windows::of(lanes, first),
        };
        let Some(windows) = windows else { return false };
        for nth in 0..windows.starts.len() {
            let from = windows.lanes_of(nth);
            let picks = self.pool(words_of_lanes(|word| from[word].unwrap_or(0)));
            let picks = self.unary(U::Load, O::M(picks));
            let words = self.binary(V::PermD, picks, O::U(vector));
            let written = (0..).zip(from).filter(|(_, lane)| lane.is_some());
            let bits = written.fold(0, |bits, (word, _)| bits | 1u64 << word);
            let to = O::M(windows.memory(lanes, first, nth, 0));
            if bits == u64::from(u16::MAX) {
                self.func.x(Code::EVEX_Vmovups_zmmm512_k1z_zmm, &[to, O::U(words)]);
                continue;
            }
            let mask = self.func.value(mask_class(self.level));
            let bits = self.number(bits, ir::Class::W32);
            self.func.x(Code::VEX_Kmovw_kr_r32, &[O::D(mask), O::U(bits)]);
            let operands = [to, O::U(words), O::Masked(mask)];
            self.func.x(Code::EVEX_Vmovups_zmmm512_k1z_zmm, &operands);
        }
        true
    }
}
