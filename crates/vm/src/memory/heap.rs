//! Which addresses are given out: best fit over free ranges, with a frontier behind which nothing was given out yet.
//!
//! Free ranges next to each other are one. An allocation takes the low end of the smallest range that is large enough, of
//! equal ones the lowest, so equal sequences of calls have equal addresses. What is freed first waits in quarantine, so that
//! a late access still finds that it is free. The memory that an allocation gets is zero: what is large is given back to the
//! host when it is freed, and what is small is cleared when it is given out again.

use super::regions::Region;
use super::reserve::{PAGE, Range};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How long the addresses of freed memory are not given out again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quarantine {
    /// While fewer than [`WAITING`] allocations are freed after it.
    #[default]
    Short,
    /// For ever, for the first [`KEPT`] allocations: every access to freed memory is told from one out of bounds. The n-th block of so many bytes that a thread
    /// allocates then has an address of its own, too, whatever other threads do before it.
    Forever,
}

/// Freed allocations that a quarantine for ever keeps, so that it does not use up the host's memory; those behind them wait in a
/// short one.
pub const KEPT: usize = 1 << 22;

/// Freed allocations that wait in a short quarantine.
pub const WAITING: usize = 256;

/// Allocations of so many bytes are given back to the host as soon as they are freed. Below, clearing costs less.
const LARGE: u64 = 16 << 10;
/// Bytes that may be freed in small allocations before their pages are given back, together.
const DIRTY: u64 = 16 << 20;

/// A free range, known by its end.
#[derive(Clone, Copy, Debug)]
struct Free {
    start: u64,
    /// All that may hold something else than zeros lies here.
    dirty: Region,
}

/// What is nowhere dirty.
const CLEAN: Region = Region { start: u64::MAX, end: 0 };

/// Gives pages back.
fn give(range: &Range, pages: Region) {
    if pages.start < pages.end {
        range.clear(pages.start, pages.end);
    }
}

/// A region that holds both.
fn both(one: Region, other: Region) -> Region {
    Region { start: one.start.min(other.start), end: one.end.max(other.end) }
}

/// Addresses of a range, and which of them are given out.
#[derive(Clone, Debug)]
pub(super) struct Heap {
    align: u64,
    gap: u64,
    /// Where the addresses begin that were never given out, and where they end.
    next: u64,
    end: u64,
    free: BTreeMap<u64, Free>,
    by_size: BTreeSet<(u64, u64)>,
    /// What is in quarantine, by its first address, and in the order in which it was freed.
    freed: BTreeMap<u64, u64>,
    order: VecDeque<u64>,
    /// Bytes of small allocations in dirty ranges since pages were given back last.
    dirty: u64,
    /// Allocations whose quarantine is for ever, since pages were given back last, and their bytes.
    kept: Vec<u64>,
    kept_bytes: u64,
}

impl Heap {
    /// Allocations in a range begin at multiples of `align`, and at least `gap` bytes lie between them.
    pub(super) fn new(range: Region, align: u64, gap: u64) -> Heap {
        Heap {
            align,
            gap,
            next: range.start,
            end: range.end,
            free: BTreeMap::new(),
            by_size: BTreeSet::new(),
            freed: BTreeMap::new(),
            order: VecDeque::new(),
            dirty: 0,
            kept: Vec::new(),
            kept_bytes: 0,
        }
    }

    /// Bytes that were never given out.
    pub(super) fn left(&self) -> u64 {
        self.end - self.next
    }

    /// Addresses that an allocation takes, the gap behind it included.
    fn footprint(&self, bytes: u64) -> Option<u64> {
        bytes.checked_add(self.gap + self.align)?.checked_next_multiple_of(self.align)
    }

    /// Gives out addresses for so many bytes, which are zero.
    pub(super) fn allocate(&mut self, bytes: u64, range: &Range) -> Option<u64> {
        let wanted = self.footprint(bytes)?;
        let Some(&(size, start)) = self.by_size.range((wanted, 0)..).next() else {
            return self.allocate_fresh(bytes);
        };
        self.by_size.remove(&(size, start));
        let end = start + wanted;
        let mut dirty = CLEAN;
        if size == wanted {
            dirty = self.free.remove(&end).map_or(CLEAN, |free| free.dirty);
        } else {
            self.by_size.insert((size - wanted, end));
            if let Some(free) = self.free.get_mut(&(start + size)) {
                (free.start, dirty) = (end, free.dirty);
                free.dirty.start = dirty.start.max(end);
                if free.dirty.start >= free.dirty.end {
                    free.dirty = CLEAN;
                }
            }
        }
        // The gap behind it, too: who frees what is large makes no more than its bytes zero.
        let (from, to) = (dirty.start.max(start), dirty.end.min(end));
        match to.saturating_sub(from) {
            0 => {}
            LARGE.. => range.clear(from, to),
            some => super::copy::zero(from, some),
        }
        Some(start)
    }

    /// The same, of addresses that were never given out.
    pub(super) fn allocate_fresh(&mut self, bytes: u64) -> Option<u64> {
        let wanted = self.footprint(bytes).filter(|wanted| *wanted <= self.left())?;
        let start = self.next;
        self.next += wanted;
        Some(start)
    }

    /// The same, on pages that nothing else will be on.
    pub(super) fn allocate_pages(&mut self, bytes: u64) -> Option<u64> {
        let start = self.next.checked_next_multiple_of(PAGE)?;
        let wanted = self.footprint(bytes)?.checked_next_multiple_of(PAGE)?;
        let next = start.checked_add(wanted).filter(|next| *next <= self.end)?;
        self.next = next;
        Some(start)
    }

    /// Takes an allocation back.
    pub(super) fn free(&mut self, allocation: Region, quarantine: Quarantine, range: &Range) {
        let Region { start, end } = allocation;
        if end - start >= LARGE {
            range.clear(start, end);
        }
        self.freed.insert(start, end);
        if quarantine == Quarantine::Forever && self.freed.len() <= KEPT {
            return self.keep(allocation, range);
        }
        self.order.push_back(start);
        while self.order.len() > WAITING {
            let Some(start) = self.order.pop_front() else { break };
            let Some(end) = self.freed.remove(&start) else { continue };
            self.release(Region { start, end });
        }
        if self.dirty > DIRTY {
            self.give_back(range);
        }
    }

    /// The quarantine of an allocation is for ever. Nobody reads what it holds, so pages on which nothing lives are given back.
    fn keep(&mut self, allocation: Region, range: &Range) {
        // Of what is large, the pages that lie inside are given back already.
        let bytes = (allocation.end - allocation.start).min(2 * PAGE);
        self.kept.push(allocation.start);
        self.kept_bytes += bytes + self.gap;
        if self.kept_bytes <= DIRTY {
            return;
        }
        self.kept_bytes = 0;
        let mut kept = std::mem::take(&mut self.kept);
        kept.sort_unstable();
        // Pages beside each other go together.
        let mut run = CLEAN;
        let mut next = 0;
        for start in kept {
            let end = self.freed.get(&start).map_or(start, |end| *end);
            let first = start - start % PAGE;
            let last = end.saturating_sub(1).max(start) / PAGE * PAGE;
            let is_large = end - start >= LARGE;
            let mut page = first.max(next);
            while page <= last {
                if self.is_freed(page) {
                    if run.end != page {
                        give(range, run);
                        run.start = page;
                    }
                    run.end = page + PAGE;
                }
                page = if is_large && page < last { last } else { page + PAGE };
                next = page;
            }
        }
        give(range, run);
    }

    /// Whether a page belongs to allocations in quarantine alone.
    fn is_freed(&self, page: u64) -> bool {
        let Some((start, end)) = self.freed.range(..=page).next_back() else { return false };
        let (mut start, mut end) = (*start, *end);
        loop {
            let Some(footprint) = self.footprint(end - start) else { return false };
            let behind = start + footprint;
            match self.freed.get(&behind) {
                _ if behind >= page + PAGE => return true,
                Some(next) if behind > page => (start, end) = (behind, *next),
                Some(_) | None => return false,
            }
        }
    }

    /// The allocation in quarantine that held an address.
    pub(super) fn freed(&self, address: u64) -> Option<Region> {
        let (start, end) = self.freed.range(..=address).next_back()?;
        (address < *end).then_some(Region { start: *start, end: *end })
    }

    /// The allocation in quarantine that began at an address.
    pub(super) fn was_freed(&self, start: u64) -> bool {
        self.freed.contains_key(&start)
    }

    /// Ends the quarantine of an allocation: its addresses may be given out again.
    fn release(&mut self, allocation: Region) {
        let bytes = allocation.end - allocation.start;
        let Some(footprint) = self.footprint(bytes) else { return };
        let (mut start, mut end) = (allocation.start, allocation.start + footprint);
        let is_dirty = bytes > 0 && bytes < LARGE;
        let mut dirty = if is_dirty { allocation } else { CLEAN };
        self.dirty += if is_dirty { footprint } else { 0 };
        if let Some(before) = self.free.remove(&start) {
            self.by_size.remove(&(start - before.start, before.start));
            (start, dirty) = (before.start, both(dirty, before.dirty));
        }
        let behind = self.free.range(end..).next().map(|(end, free)| (*end, *free));
        if let Some((its_end, behind)) = behind.filter(|(_, behind)| behind.start == end) {
            self.by_size.remove(&(its_end - end, end));
            self.free.remove(&its_end);
            (end, dirty) = (its_end, both(dirty, behind.dirty));
        }
        self.free.insert(end, Free { start, dirty });
        self.by_size.insert((end - start, start));
    }

    /// Gives the pages of free ranges back that may hold something.
    fn give_back(&mut self, range: &Range) {
        self.dirty = 0;
        for (end, free) in &mut self.free {
            // Whole pages that are partly dirty are given back, too.
            let from = (free.dirty.start - free.dirty.start % PAGE).max(free.start);
            let to = free.dirty.end.next_multiple_of(PAGE).min(*end);
            if to.saturating_sub(from) >= PAGE {
                range.clear(from, to);
                free.dirty = CLEAN;
            }
        }
    }

    /// Goes back to an earlier state, and makes all addresses zero that were given out since; those are not given out again.
    pub(super) fn restore(&mut self, earlier: &Heap, range: &Range) {
        let next = self.next;
        range.clear(earlier.next, next);
        *self = Heap { next, ..earlier.clone() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{ALIGN, GAP, RESERVED};

    /// Random sequences against a list of what is live.
    #[test]
    fn allocations_are_apart_and_zero() {
        let range = Range::reserve().expect("address space");
        let start = range.base() + RESERVED;
        let end = if cfg!(miri) { range.end() } else { start + (1 << 30) };
        let mut heap = Heap::new(Region { start, end }, ALIGN, GAP);
        let mut live: Vec<Region> = Vec::new();
        let mut state = 5u64;
        let mut number = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let steps = if cfg!(miri) { 100 } else { 20_000 };
        let largest = if cfg!(miri) { 9 } else { 20 };
        for _ in 0..steps {
            let bits = number(largest);
            let bytes = number(1 << bits);
            if number(20) < if live.len() < 500 { 11 } else { 9 } {
                let Some(start) = heap.allocate(bytes, &range) else { continue };
                let region = Region { start, end: start + bytes };
                assert!(start.is_multiple_of(ALIGN) && region.end + GAP <= end);
                assert!(
                    live.iter().all(|other| {
                        other.end + GAP <= start || region.end + GAP <= other.start
                    })
                );
                let mut found = vec![1; bytes as usize];
                super::super::copy::read(start, &mut found);
                assert!(found.iter().all(|byte| *byte == 0));
                super::super::copy::write(start, &vec![7; bytes as usize]);
                live.push(region);
            } else if !live.is_empty() {
                let region = live.swap_remove(number(live.len() as u64) as usize);
                heap.free(region, Quarantine::Short, &range);
                assert!(heap.was_freed(region.start));
            }
        }
        for region in live {
            heap.free(region, Quarantine::Short, &range);
        }
        // All but what is in quarantine is free, and neighbours are one range.
        let free: u64 = heap.free.iter().map(|(end, free)| end - free.start).sum();
        let waiting = heap.freed.iter().filter_map(|(start, end)| heap.footprint(end - start));
        assert_eq!(free + waiting.sum::<u64>(), heap.next - start);
        let ends: Vec<u64> = heap.free.keys().copied().collect();
        assert!(heap.free.values().all(|free| !ends.contains(&free.start)));
        assert!(
            heap.free.iter().map(|(end, it)| (end - it.start, it.start)).collect::<BTreeSet<_>>()
                == heap.by_size
        );
    }

    #[test]
    #[cfg_attr(miri, ignore = "many allocations")]
    fn what_is_in_quarantine_for_ever_has_no_pages_of_its_own() {
        let range = Range::reserve().expect("address space");
        let start = range.base() + RESERVED;
        let mut heap = Heap::new(Region { start, end: range.end() }, ALIGN, GAP);
        // So many that those which were freed last, and what shares their pages, are few.
        let count = 8 * DIRTY as usize / 1000;
        let all: Vec<u64> =
            (0..count).map(|_| heap.allocate(1000, &range).expect("room")).collect();
        let written = [7_u8; 1000];
        all.iter().for_each(|start| super::super::copy::write(*start, &written));
        let lives = |nth: usize| nth.is_multiple_of(100);
        // In an order in which neighbours are freed at other times.
        for turn in 0..3 {
            for (nth, start) in all.iter().enumerate().filter(|(nth, _)| nth % 3 == turn) {
                let region = Region { start: *start, end: start + 1000 };
                if !lives(nth) {
                    heap.free(region, Quarantine::Forever, &range);
                    assert!(heap.was_freed(*start) && heap.freed(start + 999).is_some());
                }
            }
        }
        let mut holds = 0;
        for (nth, start) in all.iter().enumerate() {
            let mut found = [0; 1000];
            super::super::copy::read(*start, &mut found);
            assert!(!lives(nth) || found == written, "allocation {nth} lives");
            holds += usize::from(!lives(nth) && found == written);
        }
        // Those beside what lives, and those that were freed last, are still there.
        assert!(holds * 2 < count, "{holds} of {count} freed allocations have pages");
        // Addresses are not given out again.
        assert!(heap.allocate(1000, &range).is_some_and(|new| new > all[count - 1]));
    }

    #[test]
    fn a_free_range_that_fits_best_is_used_again() {
        let range = Range::reserve().expect("address space");
        let start = range.base() + RESERVED;
        let mut heap = Heap::new(Region { start, end: range.end() }, ALIGN, GAP);
        let sizes = [3000, 1, 1500, 1];
        let all = sizes.map(|bytes| heap.allocate(bytes, &range).expect("room"));
        heap.free(Region { start: all[0], end: all[0] + 3000 }, Quarantine::Short, &range);
        heap.free(Region { start: all[2], end: all[2] + 1500 }, Quarantine::Short, &range);
        assert!(heap.freed(all[2] + 1499).is_some() && heap.freed(all[2] + 1500).is_none());
        assert!(heap.allocate(1400, &range).is_some_and(|fresh| fresh > all[3]));
        while let Some(start) = heap.order.pop_front() {
            let end = heap.freed.remove(&start).expect("in quarantine");
            heap.release(Region { start, end });
        }
        assert_eq!(heap.allocate(1400, &range), Some(all[2]));
        assert_eq!(heap.allocate(1400, &range), Some(all[0]));
    }
}
