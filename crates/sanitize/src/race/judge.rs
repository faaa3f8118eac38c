//! Judges the accesses of one instruction: which of them race with earlier ones, and what to say of that.

use super::clock::{Clocks, Step, Thread};
use super::line::{self, Access, Keep, Kind, Lines, Pages, Row, distance};
use super::unread::{Pair, Unread};
use crate::at::At;
use crate::finding::{Finding, Findings};
use crate::strip::{Cell as Mark, Strip};
use crate::touch::Touch;
use ir::{Address, Place, Space, Src};
use lanes::{LaneMask, WARP};
use std::ops::Range;
use vm::{ThreadId, View};

/// The shape of the launch, to name threads of CTAs that are not running any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extents {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
}

impl Extents {
    fn thread(&self, access: &Access) -> ThreadId {
        let split = |number: u64, [x, y, _]: [u32; 3]| {
            let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
            [number % x, number / x % y, number / x / y].map(|index| index as u32)
        };
        let Thread { warp, lane, .. } = access.by.thread(access.by.lanes);
        let (warp, lane) = (u32::from(warp), u32::from(lane));
        let number = u64::from(warp) * WARP as u64 + u64::from(lane);
        ThreadId {
            cta: split(u64::from(access.by.cta), self.grid),
            thread: split(number, self.block),
            warp,
            lane,
        }
    }
}

/// How an instruction accesses memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct How<'a> {
    pub(super) kind: Kind,
    pub(super) place: Place,
    pub(super) address: &'a Address,
    /// The values that a store writes, to tell writes that change nothing.
    pub(super) values: &'a [Src],
    pub(super) element: u32,
    /// Whether it was looked at before, and lasts until now: then it is noted, and nothing is told.
    pub(super) lasts: bool,
}

/// The lines of the space that is accessed.
pub(super) enum Where<'a> {
    Shared(&'a mut Lines, &'a mut Unread),
    Global(&'a mut Pages),
}

/// Judges the accesses of one instruction.
pub(super) struct Judge<'a, 'v> {
    pub(super) extents: Extents,
    pub(super) pedantic: bool,
    pub(super) view: &'a View<'v>,
    pub(super) how: How<'a>,
}

impl Judge<'_, '_> {
    /// Lanes access a space: notes that, and tells of races.
    pub(super) fn touched(
        &self,
        touch: &Touch,
        mut lines: Where<'_>,
        clocks: &Clocks,
        found: &mut Findings,
    ) {
        let cta = self.view.cta();
        let stamps = clocks.stamps(touch.warp);
        let access = |lane: u32| {
            let (warp, stamp) = (touch.warp as u8, stamps[lane as usize % WARP]);
            let by = Step { cta: cta as u32, warp, lanes: 1 << lane, stamp };
            Access { by, place: self.how.place, kind: self.how.kind }
        };
        if let Some(unread) = lines.unread()
            && !self.how.lasts
        {
            unread.any_reads |= self.reads();
            if !unread.is_empty() {
                self.look_at_unread(touch, unread, (clocks, &access), found);
            }
        }
        let keep = lines.keep();
        if let Some(shift) = rows(touch)
            && let Some(uniform) = clocks.uniform(touch.warp)
        {
            let lanes_per_line = (line::BYTES >> shift) as u32;
            for nth in 0..(WARP as u32 / lanes_per_line) {
                let at = touch.low + u64::from(nth) * line::BYTES;
                let Some(line) = lines.line(at) else { continue };
                let row = Row { access: access(nth * lanes_per_line), shift };
                if !line.take_row(&row, keep, &uniform) {
                    for lane in nth * lanes_per_line..(nth + 1) * lanes_per_line {
                        self.access(touch, &mut lines, clocks, access(lane), found);
                    }
                }
            }
            return;
        }
        let mut last = None;
        let mut ascending = true;
        for (_, address) in touch.iter() {
            ascending &= last.is_none_or(|last| last < address);
            last = Some(address);
        }
        if !ascending && self.how.kind.writes() && self.how.kind.is_weak() {
            self.overlap(touch, &mut lines, &access, found);
        }
        let mut left = LaneMask(touch.lanes);
        while let Some(lane) = left.lowest() {
            let address = touch.addresses[lane as usize % WARP];
            let same = match ascending {
                true => LaneMask::single(lane),
                false => left & LaneMask::from_fn(|other| touch.addresses[other] == address),
            };
            left -= same;
            self.same_bytes(touch, same, &mut lines, (clocks, &access), found);
        }
    }

    /// Whether it is a load or an atomic.
    fn reads(&self) -> bool {
        self.how.values.is_empty()
    }

    /// The accesses of lanes to the same bytes. Of plain writes, the last one stands for all.
    fn same_bytes(
        &self,
        touch: &Touch,
        lanes: LaneMask,
        lines: &mut Where<'_>,
        (clocks, access): (&Clocks, &impl Fn(u32) -> Access),
        found: &mut Findings,
    ) {
        let kind = self.how.kind;
        let mut left = match lanes.highest() {
            Some(last) if kind.writes() && kind.is_weak() => LaneMask::single(last),
            _ => lanes,
        };
        while let Some(lane) = left.lowest() {
            let mut access = access(lane);
            let stamps = clocks.stamps(touch.warp);
            let alike = match clocks.uniform(touch.warp) {
                Some(_) => left,
                None => left & LaneMask::from_fn(|lane| stamps[lane] == access.by.stamp),
            };
            access.by.lanes = alike.0;
            left -= alike;
            self.access(touch, lines, clocks, access, found);
        }
    }

    /// The access of lanes to the same bytes, element by element of the lines.
    fn access(
        &self,
        touch: &Touch,
        lines: &mut Where<'_>,
        clocks: &Clocks,
        access: Access,
        found: &mut Findings,
    ) {
        let lane = access.by.lanes.trailing_zeros() as usize % WARP;
        let (start, keep) = (touch.addresses[lane], lines.keep());
        let (line, mut unread) = match lines {
            Where::Shared(lines, unread) => (lines.at(start), Some(&mut **unread)),
            Where::Global(pages) => (Some(pages.at(start)), None),
        };
        let Some(line) = line else { return };
        let offset = start % line::BYTES;
        let order = |by: &Step| clocks.order(by, &access.by);
        line.access((offset, touch.bytes), &access, keep, order, |earlier, lanes, at| {
            if self.how.lasts {
                return;
            }
            let of = |lane: u32| Access { by: Step { lanes: 1 << lane, ..earlier.by }, ..*earlier };
            let is_over = |earlier: &Access| {
                !earlier.kind.writes() && !self.pedantic && clocks.have_met(&earlier.by, &access.by)
            };
            let mut each = LaneMask(lanes).iter().map(of).filter(|earlier| !is_over(earlier));
            if let Some(earlier) = each.find(|earlier| self.is_race(touch, earlier, &access)) {
                let base = start - offset;
                let who = self.other(&earlier, &access);
                let bytes = base + at.start..base + at.end;
                self.race(touch, bytes, [&earlier, &who], unread.as_deref_mut(), found);
            }
        });
    }

    /// Whether two accesses that nothing orders are a race.
    fn is_race(&self, touch: &Touch, earlier: &Access, access: &Access) -> bool {
        let (one, other) = (earlier.kind, access.kind);
        if !one.writes() && !other.writes() {
            return false;
        }
        if !one.is_weak() && !other.is_weak() {
            let same_warp = in_one_warp(earlier, access);
            let together = same_warp && touch.lanes & earlier.by.lanes != 0;
            let lockstep = touch.space == Space::Shared
                && one.is_volatile()
                && other.is_volatile()
                && together;
            let apart = earlier.by.cta != access.by.cta;
            return lockstep || apart && (one.is_narrow() || other.is_narrow());
        }
        let same_value = one.writes() && other.writes() && !self.pedantic && {
            let lane = access.by.lanes.trailing_zeros();
            self.unchanged(touch, lane) || self.wrote_the_same(touch, lane, earlier)
        };
        !same_value
    }

    /// Those lanes of an access that are not the thread of an earlier one.
    fn other(&self, earlier: &Access, access: &Access) -> Access {
        let mut other = *access;
        if in_one_warp(earlier, access) && access.by.lanes != earlier.by.lanes {
            other.by.lanes &= !earlier.by.lanes;
        }
        other
    }

    /// Whether a store writes what memory holds already.
    fn unchanged(&self, touch: &Touch, lane: u32) -> bool {
        let start = touch.addresses[lane as usize];
        let element = self.how.element;
        !self.how.values.is_empty()
            && self.how.values.iter().zip(0..).all(|(value, nth)| {
                let at = start + nth * u64::from(element);
                self.view.peek(touch.space, (touch.warp, lane), at, element)
                    == Some(self.value(*value, touch.warp, lane))
            })
    }

    /// Whether the earlier write is part of this very step of the group, and of the same value: then memory does
    /// not hold it yet.
    fn wrote_the_same(&self, touch: &Touch, lane: u32, earlier: &Access) -> bool {
        let (warp, other) = (usize::from(earlier.by.warp), earlier.by.lanes.trailing_zeros());
        let mut group = self.view.group();
        let here = u64::from(earlier.by.cta) == self.view.cta() & u64::from(u32::MAX)
            && earlier.place == self.how.place
            && group.any(|(at, lanes)| at == warp && lanes.contains(other));
        let address = |warp: usize, lane: u32| {
            self.view.address(self.how.address, warp)[lane as usize % WARP]
        };
        here && address(warp, other) == address(touch.warp, lane)
            && self.how.values.iter().all(|value| {
                self.value(*value, warp, other) == self.value(*value, touch.warp, lane)
            })
    }

    /// The low bytes of a stored value.
    fn value(&self, value: Src, warp: usize, lane: u32) -> u64 {
        let (lane, bits) = (lane as usize % WARP, 8 * self.how.element);
        match bits {
            64 => self.view.w64(value, warp)[lane],
            _ => u64::from(self.view.w32(value, warp)[lane]) & ((1 << bits) - 1),
        }
    }

    /// Lanes that store different values to one address in one instruction.
    fn overlap(
        &self,
        touch: &Touch,
        lines: &mut Where<'_>,
        access: &impl Fn(u32) -> Access,
        found: &mut Findings,
    ) {
        if self.how.values.is_empty() {
            return;
        }
        let mut sorted: Vec<(u64, u32)> = touch.iter().map(|(lane, at)| (at, lane)).collect();
        sorted.sort_unstable();
        for pair in sorted.windows(2) {
            let [(at, one), (same, other)] = *pair else { continue };
            let differs = |value: &Src| {
                self.value(*value, touch.warp, one) != self.value(*value, touch.warp, other)
            };
            if at == same && (self.pedantic || self.how.values.iter().any(differs)) {
                let both = [&access(one), &access(other)];
                self.race(touch, at..at + touch.bytes, both, lines.unread(), found);
            }
        }
    }

    /// Accesses to some bytes race. Of two writes it matters only to those who read what they leave.
    #[cold]
    fn race(
        &self,
        touch: &Touch,
        bytes: Range<u64>,
        [earlier, access]: [&Access; 2],
        unread: Option<&mut Unread>,
        found: &mut Findings,
    ) {
        // Which of the two comes first is chance: they are one finding.
        let (low, high) = match earlier.place.0 <= access.place.0 {
            true => (earlier.place, access.place),
            false => (access.place, earlier.place),
        };
        let pair: Pair = (low, (low != high).then_some(high));
        // A race of more distant threads needs more to mend.
        let rank = distance(earlier, access);
        let make = || self.finding(touch, bytes.start, earlier, access);
        let plain_write = |access: &Access| access.kind.writes() && access.kind.is_weak();
        match unread {
            Some(unread) if !self.pedantic && plain_write(earlier) && plain_write(access) => {
                unread.hold(bytes.clone(), pair, [earlier.by, access.by], (rank, make));
            }
            _ => found.report_worst(touch.race().0, pair, rank, make),
        }
    }

    /// Lanes access bytes of shared memory, some of which racing writes have left.
    #[cold]
    fn look_at_unread(
        &self,
        touch: &Touch,
        unread: &mut Unread,
        (clocks, access): (&Clocks, &impl Fn(u32) -> Access),
        found: &mut Findings,
    ) {
        for (lane, address) in touch.iter() {
            let (bytes, by) = (address..address + touch.bytes, access(lane).by);
            if self.reads() {
                let by = self.view.thread(touch.warp, lane);
                unread.read(bytes, (self.how.place, || format!("read by {by}")), found);
            } else {
                unread.written(bytes, |write| clocks.order(write, &by).all == write.lanes);
            }
        }
    }

    fn finding(&self, touch: &Touch, address: u64, earlier: &Access, access: &Access) -> Finding {
        let (code, space) = touch.race();
        let (one, other) = (self.extents.thread(earlier), self.extents.thread(access));
        let same_warp = in_one_warp(earlier, access);
        let relation = if same_warp {
            "two lanes of one warp"
        } else if earlier.by.cta == access.by.cta {
            "two warps of one CTA"
        } else {
            "two CTAs"
        };
        let at = At { space: touch.space, address, bytes: touch.bytes };
        let message = format!(
            "{relation} access {space} memory at {at}, and nothing orders their {} and {}",
            earlier.kind.word(),
            access.kind.word(),
        );
        let mut finding = Finding::new(code, access.place, other, message).label(format!(
            "{} of {} bytes by {other}",
            access.kind.word(),
            touch.bytes
        ));
        finding = match earlier.place == access.place {
            true => finding.fact(format!("the other access is the same instruction, by {one}")),
            false => {
                finding.related(earlier.place, format!("earlier {} by {one}", earlier.kind.word()))
            }
        };
        if earlier.kind.is_copy() {
            finding = finding
                .fact("a copy lasts until its thread has waited for it")
                .help("put a barrier between the wait of the copy's thread and the other access: one before the wait is too early");
        }
        if !earlier.kind.is_weak() && !access.kind.is_weak() {
            finding = finding.fact(match same_warp {
                true => "volatile accesses are not ordered between lanes: from sm_70 on the lanes of a warp do \
                         not run in lockstep",
                false => "one of the accesses is strong for its own CTA only",
            });
            if !same_warp {
                finding = finding.help("give both accesses a scope that reaches both CTAs, such as `.gpu`: `atomicAdd`, not `atomicAdd_block`");
            }
        }
        if same_warp {
            let (live, existing) = (self.view.live(touch.warp), self.view.existing(touch.warp));
            let strip = Strip::new((live, existing), "executes the later access", "one of the two")
                .mark(LaneMask(touch.lanes), Mark::Arrived)
                .mark(LaneMask::single(one.lane) | LaneMask::single(other.lane), Mark::Wrong);
            finding = finding.strip(strip);
        }
        finding
    }
}

fn in_one_warp(one: &Access, other: &Access) -> bool {
    (one.by.cta, one.by.warp) == (other.by.cta, other.by.warp)
}

/// If the lanes access whole lines in order, the logarithm of the bytes of one.
fn rows(touch: &Touch) -> Option<u8> {
    let whole = touch.lanes == u32::MAX
        && touch.low.is_multiple_of(line::BYTES)
        && touch.high - touch.low == touch.bytes * WARP as u64
        && (4..=16).contains(&touch.bytes);
    let mut ordered = whole;
    for (lane, address) in (0..).zip(&touch.addresses) {
        ordered &= *address == touch.low.wrapping_add(lane * touch.bytes);
    }
    ordered.then(|| touch.bytes.trailing_zeros() as u8)
}

impl Where<'_> {
    fn unread(&mut self) -> Option<&mut Unread> {
        match self {
            Where::Shared(_, unread) => Some(unread),
            Where::Global(_) => None,
        }
    }

    fn keep(&self) -> Keep {
        match self {
            Where::Shared(..) => Keep::All,
            Where::Global(_) => Keep::Few,
        }
    }

    fn line(&mut self, address: u64) -> Option<&mut line::Line> {
        match self {
            Where::Shared(lines, _) => lines.at(address),
            Where::Global(pages) => Some(pages.at(address)),
        }
    }
}
