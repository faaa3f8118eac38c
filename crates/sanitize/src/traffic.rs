//! Which bytes of global memory a launch reads and writes: what whoever orders launches and copies must know.

use crate::touch::{Touch, Touches};
use foldhash::HashMap;
use ir::{Inst, Space};
use std::ops::Range;
use vm::{Observer, View};

/// The bytes of global memory that a launch accessed, as ranges in ascending order that do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Read by plain loads, and by copies.
    pub reads: Vec<Range<u64>>,
    /// Written by plain stores, and by copies.
    pub writes: Vec<Range<u64>>,
    /// Read by strong loads.
    pub strong_reads: Vec<Range<u64>>,
    /// Written by strong stores and atomics.
    pub strong_writes: Vec<Range<u64>>,
}

impl Traffic {
    /// Adds what was written, in whatever way, to ranges in ascending order that do not touch.
    pub fn add_written_to(&self, ranges: &mut Vec<Range<u64>>) {
        ranges.extend(self.writes.iter().chain(&self.strong_writes).cloned());
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup_by(|next, range| {
            let touches = next.start <= range.end;
            if touches {
                range.end = range.end.max(next.end);
            }
            touches
        });
    }
}

/// What a byte can be, in the order of [`Traffic`].
const READ: usize = 0;
const WRITE: usize = 1;
const STRONG: usize = 2;
const KINDS: usize = 4;

/// Bytes of a page.
const PAGE: u64 = 4096;
const WORDS: usize = PAGE as usize / 64;

/// A bit for each byte of a page.
type Bits = [u64; WORDS];

/// Notes accesses of a launch: an observer of its own, for runs that no detector watches.
#[derive(Debug, Default)]
pub struct Watch {
    pages: Vec<(u64, Box<[Bits; KINDS]>)>,
    index: HashMap<u64, usize>,
    /// The page that was asked for last.
    last: Option<(u64, usize)>,
    touches: Touches,
}

impl Observer for Watch {
    fn inst(&mut self, view: &View<'_>, inst: &Inst) {
        let mut touches = std::mem::take(&mut self.touches);
        touches.find(view, inst);
        self.see(inst, &touches);
        self.touches = touches;
    }
}

impl Watch {
    /// Nothing has been accessed.
    pub fn new() -> Watch {
        Watch::default()
    }

    /// Notes what the group's lanes access in an instruction.
    pub(crate) fn see(&mut self, inst: &Inst, touches: &Touches) {
        let strong = STRONG * usize::from(inst.op.is_strong());
        for (nth, touched) in inst.op.touches().enumerate() {
            if !matches!(touched.space, Space::Global | Space::Generic) {
                continue;
            }
            let kind = strong | if touched.writes { WRITE } else { READ };
            for touch in touches.of(nth).filter(|touch| touch.space == Space::Global) {
                self.touched(&touch, kind);
            }
        }
    }

    fn touched(&mut self, touch: &Touch<'_>, kind: usize) {
        if let Some((low, high)) = touch.dense() {
            return self.note(low, high, kind);
        }
        for (_, address) in touch.iter() {
            self.note(address, address + touch.bytes, kind);
        }
    }

    fn note(&mut self, start: u64, end: u64, kind: usize) {
        let mut at = start;
        while at < end {
            let stop = end.min(at - at % PAGE + PAGE);
            let bits = &mut self.page(at / PAGE)[kind];
            fill(bits, (at % PAGE) as usize, (stop - at) as usize);
            at = stop;
        }
    }

    fn page(&mut self, number: u64) -> &mut [Bits; KINDS] {
        let at = match self.last {
            Some((last, at)) if last == number => at,
            _ => {
                let pages = &mut self.pages;
                *self.index.entry(number).or_insert_with(|| {
                    pages.push((number, Box::new([[0; WORDS]; KINDS])));
                    pages.len() - 1
                })
            }
        };
        self.last = Some((number, at));
        &mut self.pages[at].1
    }

    /// What was accessed.
    pub fn into_traffic(mut self) -> Traffic {
        self.pages.sort_unstable_by_key(|(number, _)| *number);
        let ranges = |kind: usize| {
            let mut all: Vec<Range<u64>> = Vec::new();
            for (number, bits) in &self.pages {
                runs(&bits[kind], |start, end| {
                    let (start, end) = (number * PAGE + start, number * PAGE + end);
                    match all.last_mut() {
                        Some(last) if last.end == start => last.end = end,
                        _ => all.push(start..end),
                    }
                });
            }
            all
        };
        Traffic {
            reads: ranges(READ),
            writes: ranges(WRITE),
            strong_reads: ranges(STRONG | READ),
            strong_writes: ranges(STRONG | WRITE),
        }
    }
}

/// Sets bits.
fn fill(bits: &mut Bits, start: usize, count: usize) {
    let mut at = start;
    while at < start + count {
        let stop = (start + count).min(at - at % 64 + 64);
        let mask = if stop - at == 64 { u64::MAX } else { ((1 << (stop - at)) - 1) << (at % 64) };
        bits[at / 64] |= mask;
        at = stop;
    }
}

/// The runs of bits that are set.
fn runs(bits: &Bits, mut each: impl FnMut(u64, u64)) {
    for (word, first) in bits.iter().zip((0..).step_by(64)) {
        let (mut left, mut at) = (*word, first);
        while left != 0 {
            let zeros = left.trailing_zeros();
            (left, at) = (left >> zeros, at + u64::from(zeros));
            let ones = left.trailing_ones();
            each(at, at + u64::from(ones));
            (left, at) = (left.checked_shr(ones).unwrap_or(0), at + u64::from(ones));
        }
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges are meant")]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_across_words_and_pages() {
        let mut watch = Watch::new();
        for (start, end) in [(8192, 8196), (4090, 4100), (4100, 4104), (60, 70), (0, 4), (4, 8)] {
            watch.note(start, end, WRITE);
        }
        watch.note(PAGE, 3 * PAGE, STRONG | READ);
        let traffic = watch.into_traffic();
        assert_eq!(traffic.writes, [0..8, 60..70, 4090..4104, 8192..8196]);
        assert_eq!(traffic.strong_reads, [PAGE..3 * PAGE]);
        assert!(traffic.reads.is_empty() && traffic.strong_writes.is_empty());
    }
}
