//! R002 for non-coherent loads (`ld.global.nc`) of memory that the kernel also writes.
//!
//! Such loads go through a cache that is not kept coherent, and the compiler may move them (PTX ISA 9.1, `ld.global.nc`:
//! read-only memory). A load before a write by the same thread is not reported: programs update arrays in place, and the load
//! cannot see another value.

use crate::code::Code;
use crate::detail::{At, ConstantRace};
use crate::finding::{Finding, Findings};
use crate::touch::{Touch, Touches};
use fixedbitset::FixedBitSet;
use foldhash::{HashMap, HashMapExt};
use ir::{Inst, Kernel, Op, Ordering, Place, Space};
use lanes::WARP;
use std::ops::Range;
use vm::View;

/// Bytes that are looked at together.
const WORD: u64 = 4;
/// Words of a page, and of a line of one.
const PAGE: usize = 1024;
const LINE: usize = 32;

/// Who read a word in this way: nobody, a thread, or several.
type Reader = u32;
const NOBODY: Reader = 0;
const SEVERAL: Reader = u32::MAX;

/// What has happened to a page of global memory.
#[derive(Debug)]
struct Page {
    /// Whether anybody read or wrote it at all.
    is_read: bool,
    is_written: bool,
    readers: Box<[Reader; PAGE]>,
    written: FixedBitSet,
    /// Per line, where it was read and written last.
    reads: [Place; PAGE / LINE],
    writes: [Place; PAGE / LINE],
}

impl Page {
    fn new() -> Page {
        let places = [Place::default(); PAGE / LINE];
        let readers = Box::new([NOBODY; PAGE]);
        let written = FixedBitSet::with_capacity(PAGE);
        Page { is_read: false, is_written: false, readers, written, reads: places, writes: places }
    }
}

/// Watches the memory that a kernel calls constant.
#[derive(Debug)]
pub(crate) struct Constants {
    /// Whether the kernel does.
    any: bool,
    pages: Vec<Page>,
    index: HashMap<u64, usize>,
    /// The page that was asked for last.
    last: (u64, usize),
}

impl Constants {
    pub(crate) fn new(kernel: &Kernel) -> Constants {
        let insts = || kernel.blocks.iter().flat_map(|block| &block.insts);
        let any = insts().any(|inst| is_constant(&inst.op))
            && insts().any(|inst| inst.op.touches().any(|touched| touched.writes));
        Constants { any, pages: Vec::new(), index: HashMap::new(), last: (u64::MAX, 0) }
    }

    #[inline]
    pub(crate) fn inst(
        &mut self,
        view: &View<'_>,
        inst: &Inst,
        touches: &Touches,
        found: &mut Findings,
    ) {
        if !self.any {
            return;
        }
        for (nth, touched) in inst.op.touches().enumerate() {
            if !matches!(touched.space, Space::Global | Space::Generic) {
                continue;
            }
            if !touched.writes && !is_constant(&inst.op) {
                continue;
            }
            for touch in touches.of(nth).filter(|touch| touch.space == Space::Global) {
                self.touched(view, &touch, (touched.writes, inst.place), found);
            }
        }
    }

    fn touched(
        &mut self,
        view: &View<'_>,
        touch: &Touch<'_>,
        (writes, place): (bool, Place),
        found: &mut Findings,
    ) {
        let first = (view.cta() as u32).wrapping_mul(1024).wrapping_add((touch.warp * WARP) as u32);
        if self.takes_row(touch, first, (writes, place)) {
            return;
        }
        for (lane, address) in touch.iter() {
            let thread = first.wrapping_add(lane).wrapping_add(1);
            for at in words(address, touch.bytes) {
                let page = self.page(at / PAGE as u64);
                let nth = at as usize % PAGE;
                let line = nth / LINE;
                let reader = &mut page.readers[nth];
                page.is_written |= writes;
                page.is_read |= !writes;
                let (clash, other) = if writes {
                    page.written.insert(nth);
                    page.writes[line] = place;
                    (*reader != NOBODY && *reader != thread, page.reads[line])
                } else {
                    *reader = if *reader == NOBODY || *reader == thread { thread } else { SEVERAL };
                    page.reads[line] = place;
                    (page.written.contains(nth), page.writes[line])
                };
                if clash {
                    let byte = at * WORD;
                    report(view, (touch.warp, lane), byte, (writes, place, other), found);
                }
            }
        }
    }

    /// Notes the accesses of a warp to words in a row, in a page that is only read or only written; `false` where it is not so.
    fn takes_row(&mut self, touch: &Touch<'_>, first: u32, (writes, place): (bool, Place)) -> bool {
        let each = (touch.bytes / WORD) as usize;
        let (nth, count) = ((touch.low / WORD) as usize % PAGE, WARP * each);
        let dense = touch.is_row() && each > 0 && nth + count <= PAGE;
        let page = self.page(touch.low / WORD / PAGE as u64);
        if !dense || (if writes { page.is_read } else { page.is_written }) {
            return false;
        }
        let lines = nth / LINE..=(nth + count - 1) / LINE;
        if writes {
            page.is_written = true;
            page.writes[lines].fill(place);
            page.written.insert_range(nth..nth + count);
        } else {
            page.is_read = true;
            page.reads[lines].fill(place);
            let words = page.readers[nth..nth + count].chunks_exact_mut(each);
            for (thread, words) in (first.wrapping_add(1)..).zip(words) {
                for reader in words {
                    let fresh = *reader == NOBODY || *reader == thread;
                    *reader = if fresh { thread } else { SEVERAL };
                }
            }
        }
        true
    }

    #[inline]
    fn page(&mut self, number: u64) -> &mut Page {
        if self.last.0 != number {
            let pages = &mut self.pages;
            let at = *self.index.entry(number).or_insert_with(|| {
                pages.push(Page::new());
                pages.len() - 1
            });
            self.last = (number, at);
        }
        &mut self.pages[self.last.1]
    }
}

fn is_constant(op: &Op) -> bool {
    matches!(op, Op::Load { ordering: Ordering::Constant, .. })
}

fn words(address: u64, bytes: u64) -> Range<u64> {
    address / WORD..(address + bytes).div_ceil(WORD)
}

#[cold]
fn report(
    view: &View<'_>,
    (warp, lane): (usize, u32),
    byte: u64,
    (writes, place, other): (bool, Place, Place),
    found: &mut Findings,
) {
    found.report(Code::R002, place, Some(other), || {
        let at = At { space: Space::Global, address: byte, bytes: 1 };
        Finding::new(place, view.thread(warp, lane), ConstantRace { at, writes, other })
    });
}
