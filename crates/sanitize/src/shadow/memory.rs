//! Undefined bits of memory.

use super::origin::Origin;
use super::term::Term;
use foldhash::{HashMap, HashMapExt};
use std::ops::Range;

/// Memory that begins undefined, as shared and local memory do. A shadow bit is set where a bit is defined, so
/// that a new shadow is zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    defined: Vec<u8>,
    /// Undefined values that were stored, by the words of 4 bytes that they are in.
    stored: HashMap<u64, Stored>,
}

/// An undefined value that was stored: where, how many bytes of it, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stored {
    address: u64,
    bytes: usize,
    origin: Origin,
}

fn low_bytes(bytes: usize) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 }
}

impl Shadow {
    /// Memory of so many bytes in which nothing is written.
    pub(crate) fn new(bytes: u64) -> Shadow {
        Shadow { defined: vec![0; bytes as usize], stored: HashMap::new() }
    }

    /// Nothing is written any more.
    pub(crate) fn restart(&mut self) {
        self.defined.fill(0);
        self.stored.clear();
    }

    /// Nothing is written any more of a range.
    pub(crate) fn forget(&mut self, start: u64, end: u64) {
        let end = end.min(self.defined.len() as u64);
        if start >= end {
            return;
        }
        self.defined[start as usize..end as usize].fill(0);
        if !self.stored.is_empty() {
            for word in start / 4..end.div_ceil(4) {
                self.stored.remove(&word);
            }
        }
    }

    /// Makes the memory larger, where nothing is written.
    pub(crate) fn reach(&mut self, end: u64) {
        if self.defined.len() < end as usize {
            // No access lies across two of these.
            self.defined.resize((end as usize).next_multiple_of(64), 0);
        }
    }

    /// Whether every bit of a range is defined. Ranges outside the memory are not.
    #[inline]
    pub(crate) fn is_defined(&self, start: u64, end: u64) -> bool {
        let Some(range) = self.defined.get(start as usize..end as usize) else { return false };
        range.iter().fold(u8::MAX, |all, byte| all & byte) == u8::MAX
    }

    /// The undefined bits of up to 8 bytes.
    pub(crate) fn bits(&self, address: u64, bytes: usize) -> u64 {
        let start = address as usize;
        let mut word = [0; 8];
        if let Some(defined) = self.defined.get(start..start + bytes) {
            word[..bytes].copy_from_slice(defined);
        }
        !u64::from_le_bytes(word) & low_bytes(bytes)
    }

    /// Where undefined bits that were stored there come from; `None` if nothing was stored. The origin has the
    /// term of the stored value if this reads all of that.
    pub(crate) fn origin(&self, address: u64, bytes: usize) -> Option<Origin> {
        let stored = self.stored.get(&(address / 4))?;
        let last = self.stored.get(&((address + bytes as u64 - 1) / 4));
        let whole = (stored.address, stored.bytes) == (address, bytes) && last == Some(stored);
        Some(if whole { stored.origin } else { stored.origin.with_term(Term::DEFINED) })
    }

    /// Every bit of a range is written with defined values.
    #[inline]
    pub(crate) fn define(&mut self, start: u64, end: u64) {
        if let Some(range) = self.defined.get_mut(start as usize..end as usize) {
            match <&mut [u8; 4]>::try_from(&mut *range) {
                // By far the most.
                Ok(word) => *word = [u8::MAX; 4],
                Err(_) => range.fill(u8::MAX),
            }
        }
    }

    /// Nothing in a range is written any more.
    pub(crate) fn undefine(&mut self, start: u64, end: u64) {
        if let Some(range) = self.defined.get_mut(start as usize..end as usize) {
            range.fill(0);
        }
        self.stored.retain(|word, _| word * 4 + 4 <= start || end <= word * 4);
    }

    /// Up to 8 bytes are written with a value of which these bits are undefined.
    pub(crate) fn store(&mut self, address: u64, bytes: usize, undefined: u64, origin: Origin) {
        let start = address as usize;
        if let Some(defined) = self.defined.get_mut(start..start + bytes) {
            defined.copy_from_slice(&(!undefined).to_le_bytes()[..bytes]);
        }
        if undefined != 0 {
            for word in address / 4..(address + bytes as u64).div_ceil(4) {
                self.stored.insert(word, Stored { address, bytes, origin });
            }
        }
    }
}

/// Bytes of a page of [`GlobalShadow`].
const PAGE: u64 = 4096;

/// Memory that begins defined, as global memory does: the host wrote it, but for what it says that nobody has written.
#[derive(Debug)]
pub(crate) struct GlobalShadow {
    /// Pages that hold an undefined bit, or did.
    pages: HashMap<u64, Shadow>,
    /// What nobody had written when the launch began, in ascending order.
    unwritten: Vec<Range<u64>>,
}

impl GlobalShadow {
    /// Memory of which nobody has written some ranges, which are in ascending order and apart.
    pub(crate) fn new(unwritten: &[Range<u64>]) -> GlobalShadow {
        GlobalShadow { pages: HashMap::new(), unwritten: unwritten.to_vec() }
    }

    /// Whether all of it is defined.
    #[inline(always)]
    pub(crate) fn is_clean(&self) -> bool {
        self.pages.is_empty() && self.unwritten.is_empty()
    }

    /// The ranges that nobody had written, from the first on that ends behind an address.
    fn unwritten_from(&self, address: u64) -> &[Range<u64>] {
        let first = self.unwritten.partition_point(|range| range.end <= address);
        self.unwritten.get(first..).unwrap_or_default()
    }

    /// Whether nobody had written some of a range.
    fn has_unwritten(&self, start: u64, end: u64) -> bool {
        self.unwritten_from(start).first().is_some_and(|range| range.start < end)
    }

    /// Whether every bit of a range is defined.
    pub(crate) fn is_defined(&self, start: u64, end: u64) -> bool {
        let mut at = start;
        while at < end {
            let stop = end.min(at - at % PAGE + PAGE);
            let defined = match self.pages.get(&(at / PAGE)) {
                Some(page) => page.is_defined(at % PAGE, at % PAGE + (stop - at)),
                None => !self.has_unwritten(at, stop),
            };
            if !defined {
                return false;
            }
            at = stop;
        }
        true
    }

    /// The undefined bits of up to 8 aligned bytes.
    pub(crate) fn bits(&self, address: u64, bytes: usize) -> u64 {
        if let Some(page) = self.pages.get(&(address / PAGE)) {
            return page.bits(address % PAGE, bytes);
        }
        (0..bytes as u64)
            .filter(|nth| self.has_unwritten(address + nth, address + nth + 1))
            .fold(0, |bits, nth| bits | 0xff << (8 * nth))
    }

    /// Where undefined bits there come from.
    pub(crate) fn origin(&self, address: u64, bytes: usize) -> Option<Origin> {
        self.pages.get(&(address / PAGE))?.origin(address % PAGE, bytes)
    }

    /// Up to 8 aligned bytes are written with a value of which these bits are undefined.
    pub(crate) fn store(&mut self, address: u64, bytes: usize, undefined: u64, origin: Origin) {
        if undefined == 0 && self.is_untouched(address / PAGE) {
            return;
        }
        self.page(address / PAGE).store(address % PAGE, bytes, undefined, origin);
    }

    /// A range is written with defined values.
    pub(crate) fn define(&mut self, start: u64, end: u64) {
        self.each_page(start, end, |global, nth, start, end| {
            if !global.is_untouched(nth) {
                global.page(nth).define(start, end);
            }
        });
    }

    /// A kernel has allocated a range: nothing in it is written.
    pub(crate) fn undefine(&mut self, start: u64, end: u64) {
        self.each_page(start, end, |global, nth, start, end| {
            global.page(nth).undefine(start, end);
        });
    }

    /// The parts of a range in each page.
    fn each_page(&mut self, start: u64, end: u64, each: impl Fn(&mut Self, u64, u64, u64)) {
        let mut at = start;
        while at < end {
            let stop = end.min(at - at % PAGE + PAGE);
            each(self, at / PAGE, at % PAGE, at % PAGE + (stop - at));
            at = stop;
        }
    }

    /// Whether all of a page is defined, and always was.
    fn is_untouched(&self, nth: u64) -> bool {
        !self.pages.contains_key(&nth) && !self.has_unwritten(nth * PAGE, (nth + 1) * PAGE)
    }

    fn page(&mut self, nth: u64) -> &mut Shadow {
        let (start, end) = (nth * PAGE, (nth + 1) * PAGE);
        if !self.pages.contains_key(&nth) {
            let mut page = Shadow::new(PAGE);
            page.define(0, PAGE);
            let parts = self.unwritten_from(start).iter().take_while(|range| range.start < end);
            for part in parts {
                page.undefine(part.start.max(start) - start, part.end.min(end) - start);
            }
            self.pages.insert(nth, page);
        }
        self.pages.entry(nth).or_insert_with(|| Shadow::new(PAGE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_begins_undefined_and_global_memory_defined() {
        let mut shared = Shadow::new(16);
        assert_eq!((shared.bits(4, 4), shared.is_defined(0, 1)), (0xffff_ffff, false));
        shared.define(4, 8);
        assert!(shared.is_defined(4, 8) && !shared.is_defined(4, 9));
        shared.store(4, 2, 0x0100, Origin::default());
        assert_eq!(shared.bits(4, 4), 0x0100);
        shared.restart();
        assert_eq!(shared.bits(4, 2), 0xffff);

        let mut global = GlobalShadow::new(&[]);
        assert_eq!(global.bits(PAGE - 8, 8), 0);
        global.store(PAGE - 8, 8, 1 << 63, Origin::default());
        assert_eq!((global.bits(PAGE - 8, 8), global.bits(PAGE, 8)), (1 << 63, 0));
        assert_eq!(global.bits(PAGE - 1, 1), 0x80);
        global.undefine(PAGE - 4, 2 * PAGE + 4);
        assert_eq!(global.bits(PAGE - 8, 8), 0xffff_ffff << 32);
        assert_eq!((global.bits(PAGE, 8), global.bits(2 * PAGE, 8)), (u64::MAX, 0xffff_ffff));
        assert_eq!((global.origin(PAGE - 4, 4), global.bits(3 * PAGE, 8)), (None, 0));
    }

    #[test]
    fn what_the_host_has_not_written_is_undefined_until_it_is_written() {
        let (start, end) = (PAGE - 8, 2 * PAGE + 2);
        let mut global = GlobalShadow::new(&[0..4, start..end]);
        assert!(!global.is_clean() && global.is_defined(4, start) && !global.is_defined(0, 8));
        assert_eq!((global.bits(0, 8), global.bits(start, 4)), (0xffff_ffff, 0xffff_ffff));
        assert_eq!((global.bits(2 * PAGE, 4), global.bits(8, 8)), (0xffff, 0));
        global.define(start, 2 * PAGE);
        assert_eq!((global.bits(start, 8), global.bits(PAGE, 8)), (0, 0));
        assert!(global.is_defined(4, 2 * PAGE) && !global.is_defined(PAGE, 2 * PAGE + 1));
        global.store(2 * PAGE, 2, 0, Origin::default());
        assert_eq!(global.bits(2 * PAGE, 8), 0);
        global.store(8 * PAGE, 8, 0, Origin::default());
        assert!(!global.pages.contains_key(&8));
    }

    #[test]
    fn a_value_is_known_again_where_all_of_it_is_read() {
        let value = Origin::default().with_term(Term::of(1));
        let mut shared = Shadow::new(16);
        shared.store(8, 8, u64::MAX, value);
        let term = |shared: &Shadow, at, bytes| shared.origin(at, bytes).and_then(Origin::term);
        assert_eq!(term(&shared, 8, 8), Some(Term::of(1)));
        assert_eq!((term(&shared, 8, 4), term(&shared, 12, 4)), (None, None));
        shared.store(14, 2, 0xffff, value.with_term(Term::of(2)));
        assert_eq!((term(&shared, 8, 8), term(&shared, 12, 4)), (None, None));
        assert_eq!(term(&shared, 14, 2), Some(Term::of(2)));
        assert_eq!(shared.origin(0, 4), None);
    }

    #[test]
    fn what_is_forgotten_is_undefined_again() {
        let mut local = Shadow::new(8);
        local.reach(16);
        local.store(4, 8, 1, Origin::default());
        assert_eq!((local.bits(4, 8), local.origin(4, 8).is_some()), (1, true));
        local.forget(8, 100);
        assert_eq!((local.bits(4, 4), local.bits(8, 4)), (1, 0xffff_ffff));
        assert_eq!(local.origin(8, 4), None);
    }

    #[test]
    fn ranges_outside_memory_do_no_harm() {
        let mut shared = Shadow::new(4);
        shared.define(2, 8);
        shared.store(3, 4, 0, Origin::default());
        assert!(!shared.is_defined(0, 8));
        assert_eq!(shared.bits(100, 4), 0xffff_ffff);
    }
}
