//! Judges the accesses of one instruction: which of them race with earlier ones, and what to say of that.

use super::clock::Clocks;
use super::line::{self, Access, Keep, Kind, Line, Lines, Row, distance};
use super::pages::Pages;
use super::step::{Step, Thread};
use super::unread::{Pair, Unread};
use crate::detail::{self, Race, Reader, WarpLanes};
use crate::finding::{Finding, Findings, HARMFUL};
use crate::touch::Touch;
use ir::{Address, AsyncCopy, Place, Space, Src};
use lanes::{LaneMask, Lanes, WARP};
use std::ops::Range;
use vm::{ThreadId, View, cta_index};

/// The shape of the launch, to name threads of CTAs that are not running any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extents {
    pub(super) grid: [u32; 3],
    pub(super) cluster: [u32; 3],
    pub(super) block: [u32; 3],
}

impl Extents {
    fn thread(&self, access: &Access) -> ThreadId {
        self.thread_id(access.by.thread(access.by.lanes))
    }

    /// The coordinates of a thread.
    pub(super) fn thread_id(&self, Thread { cta, warp, lane }: Thread) -> ThreadId {
        let split = |number: u64, [x, y, _]: [u32; 3]| {
            let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
            [number % x, number / x % y, number / x / y].map(|index| index as u32)
        };
        let (warp, lane) = (u32::from(warp), u32::from(lane));
        let number = u64::from(warp) * WARP as u64 + u64::from(lane);
        ThreadId {
            cta: cta_index(cta.into(), self.grid, self.cluster),
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
    /// To tell writes that change nothing.
    pub(super) written: Written<'a>,
    /// Whether it was looked at before, and lasts until now: then it is noted, and nothing is told.
    pub(super) lasts: bool,
}

/// What an access writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Written<'a> {
    /// Nothing, or what depends on what it finds: it is a load or an atomic.
    Read,
    /// These registers, each of them an element of so many bytes.
    Stored(&'a [Src], u32),
    /// The bytes of another place.
    Copied(&'a AsyncCopy),
}

/// The lines of the space that is accessed.
pub(super) enum Where<'a> {
    Shared(&'a mut Lines, &'a mut Unread),
    Global(&'a mut Pages),
}

/// What comes of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    /// Every access finds and leaves the same value, with these inputs.
    None,
    /// It may matter which access comes first.
    Possible,
}

/// Bytes of a lane in a row that is noted as one.
const LEAST: u64 = 4;
const MOST: u64 = 16;

/// Judges the accesses of one instruction.
pub(super) struct Judge<'a, 'v> {
    pub(super) extents: &'a Extents,
    pub(super) pedantic: bool,
    pub(super) view: &'a View<'v>,
    pub(super) how: &'a How<'a>,
}

impl Judge<'_, '_> {
    /// Lanes access a space: notes that, and tells of races.
    pub(super) fn touched(
        &self,
        touch: &Touch<'_>,
        mut lines: Where<'_>,
        clocks: &Clocks,
        found: &mut Findings,
    ) {
        let cta = self.view.cta();
        let stamps = clocks.stamps(touch.warp);
        let access = |lane: u32| {
            let (warp, stamp) = (touch.warp as u8, stamps.of(lane as usize));
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
        if touch.lanes.is_power_of_two() {
            let lanes = LaneMask(touch.lanes);
            let mut access = access(touch.lanes.trailing_zeros());
            return self.access(touch, &mut lines, clocks, (&mut access, lanes), found);
        }
        let keep = lines.keep();
        if let Some(shift) = rows(touch)
            && let Some(uniform) = clocks.uniform(touch.warp)
        {
            let lanes_per_line = (line::BYTES >> shift) as u32;
            let unchanged = self.unchanged_in_row(touch);
            for nth in 0..(WARP as u32 / lanes_per_line) {
                let at = touch.low + u64::from(nth) * line::BYTES;
                let first = nth * lanes_per_line;
                let alone = self.known_to_all(clocks, &lines, (touch.warp, first));
                let row = Row { access: access(first), shift };
                let of_line = LaneMask((((1_u64 << lanes_per_line) - 1) << first) as u32);
                // The host has written global memory, and nobody shared memory.
                let silent_if = of_line.is_subset(unchanged).then_some(alone);
                let taken = match &mut lines {
                    Where::Shared(lines, _) => lines
                        .at(at)
                        .is_none_or(|line| line.take_row(&row, keep, &uniform, silent_if, false)),
                    Where::Global(pages) => pages.take_row(at, &row, keep, &uniform, silent_if),
                };
                if !taken {
                    for lane in nth * lanes_per_line..(nth + 1) * lanes_per_line {
                        let lanes = LaneMask::single(lane);
                        self.access(touch, &mut lines, clocks, (&mut access(lane), lanes), found);
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
        // Of plain writes it matters what memory holds.
        if ascending
            && !self.may_change_nothing()
            && let Some(uniform) = clocks.uniform(touch.warp)
        {
            left = self.not_settled(touch, &mut lines, uniform.floor, &access);
        }
        while let Some(lane) = left.lowest() {
            let address = touch.address(lane);
            let same = match ascending {
                true => LaneMask::single(lane),
                false => left.iter().filter(|other| touch.address(*other) == address).collect(),
            };
            left -= same;
            self.same_bytes(touch, same, &mut lines, (clocks, &access), found);
        }
    }

    /// Notes the accesses of lanes to bytes of their own that all earlier accesses came before. The result is which lanes are left.
    fn not_settled(
        &self,
        touch: &Touch<'_>,
        lines: &mut Where<'_>,
        floor: u32,
        access: &impl Fn(u32) -> Access,
    ) -> LaneMask {
        let keep = lines.keep();
        let mut take = |(lane, address): (u32, u64)| {
            let at = (address % line::BYTES, touch.bytes);
            let (line, _) = lines.at(address);
            line.is_none_or(|line| line.take_settled(at, &access(lane), keep, floor))
        };
        touch.iter().filter(|each| !take(*each)).map(|(lane, _)| lane).collect()
    }

    /// Whether it is a load or an atomic.
    fn reads(&self) -> bool {
        matches!(self.how.written, Written::Read)
    }

    /// The accesses of lanes to the same bytes. Of plain writes, the last one stands for all.
    fn same_bytes(
        &self,
        touch: &Touch<'_>,
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
                None => left & LaneMask::from_fn(|lane| stamps.of(lane) == access.by.stamp),
            };
            access.by.lanes = alike.0;
            left -= alike;
            self.access(touch, lines, clocks, (&mut access, lanes), found);
        }
    }

    /// The access of lanes to the same bytes, element by element of the lines; it may stand for those of `all`.
    fn access(
        &self,
        touch: &Touch<'_>,
        lines: &mut Where<'_>,
        clocks: &Clocks,
        (access, all): (&mut Access, LaneMask),
        found: &mut Findings,
    ) {
        let lane = access.by.lanes.trailing_zeros();
        let (start, keep) = (touch.address(lane), lines.keep());
        let alone =
            self.may_change_nothing().then(|| self.known_to_all(clocks, lines, (touch.warp, lane)));
        let given = touch.space == Space::Global;
        let (Some(line), mut unread) = lines.at(start) else { return };
        let offset = start % line::BYTES;
        let at = (offset, touch.bytes);
        let is_silent = alone.is_some_and(|alone| line.is_quiet(at, alone, given))
            && all.iter().all(|lane| self.unchanged(touch, lane));
        if is_silent {
            access.kind = access.kind.silent();
        }
        let access = &*access;
        if let Some(uniform) = clocks.uniform(touch.warp)
            && line.take_settled(at, access, keep, uniform.floor)
        {
            return;
        }
        let order = |by: &Step| clocks.order(by, &access.by);
        line.access(at, access, keep, order, |earlier, lanes, at| {
            if self.how.lasts {
                return true;
            }
            let of = |lane: u32| Access { by: Step { lanes: 1 << lane, ..earlier.by }, ..*earlier };
            let is_over = |earlier: &Access| {
                !earlier.kind.writes() && !self.pedantic && clocks.have_met(&earlier.by, &access.by)
            };
            let each = LaneMask(lanes).iter().map(of).filter(|earlier| !is_over(earlier));
            let mut worst = None;
            for earlier in each {
                match self.race_of(touch, &earlier, access) {
                    Some(Harm::Possible) => {
                        worst = Some((earlier, Harm::Possible));
                        break;
                    }
                    Some(Harm::None) => worst = worst.or(Some((earlier, Harm::None))),
                    None => {}
                }
            }
            let Some((earlier, harm)) = worst else { return true };
            let base = start - offset;
            let who = self.other(&earlier, access);
            let bytes = base + at.start..base + at.end;
            self.race(touch, bytes, ([&earlier, &who], harm), unread.as_deref_mut(), found);
            // A read with which this write is harmless may race with another one.
            harm == Harm::Possible || earlier.kind.writes() && access.kind.writes()
        });
    }

    /// What all threads know that may still access the lines: the CTA, and the time before which they know everything.
    fn known_to_all(
        &self,
        clocks: &Clocks,
        lines: &Where<'_>,
        (warp, lane): (usize, u32),
    ) -> (u32, u32) {
        let alone = match lines {
            Where::Shared(..) => !self.view.has_peers(),
            Where::Global(_) => self.extents.grid == [1; 3],
        };
        (self.view.cta() as u32, if alone { clocks.floor(warp, lane) } else { 0 })
    }

    /// Whether it matters that lanes store what memory holds.
    fn may_change_nothing(&self) -> bool {
        let kind = self.how.kind;
        kind.writes() && kind.is_weak() && !self.how.lasts && !self.pedantic
    }

    /// The lanes of a row that store what memory holds.
    fn unchanged_in_row(&self, touch: &Touch<'_>) -> LaneMask {
        if !self.may_change_nothing() {
            return LaneMask::EMPTY;
        }
        let mut held = [0; WARP * MOST as usize];
        let held = &mut held[..WARP * touch.bytes as usize];
        match self.how.written {
            Written::Stored(values, element)
                if touch.is_row()
                    && self.view.peek_all(touch.location(touch.low), (touch.warp, 0), held) =>
            {
                let mut unchanged = LaneMask::FULL;
                for (value, offset) in values.iter().zip((0..).step_by(element as usize)) {
                    unchanged &= self.holds(held, touch, (*value, element), offset);
                }
                unchanged
            }
            Written::Read | Written::Stored(..) | Written::Copied(_) => {
                LaneMask(touch.lanes).iter().filter(|lane| self.unchanged(touch, *lane)).collect()
            }
        }
    }

    /// The lanes for which the bytes of a row hold a value, so far behind the first byte of each.
    fn holds(
        &self,
        row: &[u8],
        touch: &Touch<'_>,
        (value, bytes): (Src, u32),
        offset: usize,
    ) -> LaneMask {
        let of_lane = touch.bytes as usize;
        match bytes {
            8 => {
                let value = self.view.w64(value, touch.warp).map(u64::to_le_bytes);
                equal(row, of_lane, offset, &value)
            }
            4 => {
                let value = self.view.w32(value, touch.warp).map(u32::to_le_bytes);
                equal(row, of_lane, offset, &value)
            }
            _ => {
                let value = self.view.w32(value, touch.warp).map(u32::to_le_bytes);
                let element = |lane: usize| &row[lane * of_lane + offset..];
                LaneMask::from_fn(|lane| element(lane).starts_with(&value[lane][..bytes as usize]))
            }
        }
    }

    /// Whether two accesses that nothing orders are a race, and what comes of it.
    fn race_of(&self, touch: &Touch<'_>, earlier: &Access, access: &Access) -> Option<Harm> {
        let (one, other) = (earlier.kind, access.kind);
        if !one.writes() && !other.writes() {
            return None;
        }
        if !one.is_weak() && !other.is_weak() {
            let same_warp = in_one_warp(earlier, access);
            let together = same_warp && touch.lanes & earlier.by.lanes != 0;
            let lockstep = touch.space == Space::Shared
                && one.is_volatile()
                && other.is_volatile()
                && together;
            let apart = earlier.by.cta != access.by.cta;
            let race = lockstep || apart && (one.is_narrow() || other.is_narrow());
            return race.then_some(Harm::Possible);
        }
        let same_value = !self.pedantic
            && match (one.writes(), other.writes()) {
                (true, true) => {
                    let lane = access.by.lanes.trailing_zeros();
                    self.unchanged(touch, lane) || self.wrote_the_same(touch, lane, earlier)
                }
                (true, false) => one.is_silent(),
                (false, _) => other.is_silent(),
            };
        Some(if same_value { Harm::None } else { Harm::Possible })
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
    fn unchanged(&self, touch: &Touch<'_>, lane: u32) -> bool {
        let (start, thread) = (touch.address(lane), (touch.warp, lane));
        if let Written::Stored([value], 4) = self.how.written {
            let held = self.view.peek(touch.location(start), thread, 4);
            return held == Some(self.view.word(*value, thread).into());
        }
        !self.reads()
            && self.elements(touch).all(|(offset, bytes)| {
                let held =
                    self.view.peek(touch.location(start + offset), (touch.warp, lane), bytes);
                held.is_some() && held == self.value(touch, (touch.warp, lane), (offset, bytes))
            })
    }

    /// Whether the earlier write is part of this very step of the group, and of the same value: then memory does
    /// not hold it yet.
    fn wrote_the_same(&self, touch: &Touch<'_>, lane: u32, earlier: &Access) -> bool {
        let (warp, other) = (usize::from(earlier.by.warp), earlier.by.lanes.trailing_zeros());
        let mut group = self.view.group();
        let here = u64::from(earlier.by.cta) == self.view.cta() & u64::from(u32::MAX)
            && earlier.place == self.how.place
            && group.any(|(at, lanes)| at == warp && lanes.contains(other));
        let address = |warp: usize, lane: u32| {
            self.view.address(self.how.address, warp)[lane as usize % WARP]
        };
        here && address(warp, other) == address(touch.warp, lane)
            && self.elements(touch).all(|element| {
                let of = |thread| self.value(touch, thread, element);
                of((warp, other)) == of((touch.warp, lane))
            })
    }

    /// The elements that each lane writes: where each begins, counted from its first byte, and its bytes.
    fn elements(&self, touch: &Touch<'_>) -> impl Iterator<Item = (u64, u32)> + use<> {
        let element = match self.how.written {
            Written::Read => 8,
            Written::Stored(_, bytes) => bytes,
            Written::Copied(_) => touch.bytes.min(8) as u32,
        };
        (0..touch.bytes).step_by(element as usize).map(move |offset| (offset, element))
    }

    /// What a lane writes to an element, if that is known. The lane begins its access where those of the touch do.
    fn value(
        &self,
        touch: &Touch<'_>,
        (warp, lane): (usize, u32),
        (offset, bytes): (u64, u32),
    ) -> Option<u64> {
        let thread = (warp, lane);
        match self.how.written {
            Written::Read => None,
            Written::Stored(values, element) => {
                let value = *values.get((offset / u64::from(element)) as usize)?;
                Some(match 8 * bytes {
                    64 => self.view.long(value, thread),
                    bits => u64::from(self.view.word(value, thread)) & ((1 << bits) - 1),
                })
            }
            Written::Copied(copy) => {
                let first = self.view.address(&copy.to.1, touch.warp);
                let lane_of_touch = touch.lanes.trailing_zeros() % WARP as u32;
                let first = self.view.locate(copy.to.0, first[lane_of_touch as usize]);
                let offset = touch.address(lane_of_touch).wrapping_sub(first.address) + offset;
                let read = u64::from(self.view.word(copy.read, thread));
                let left = read.saturating_sub(offset).min(bytes.into()) as u32;
                let from = self.view.address(&copy.from.1, warp)[lane as usize % WARP]
                    .wrapping_add(offset);
                let from = self.view.locate(copy.from.0, from);
                match left {
                    0 => Some(0),
                    _ => self.view.peek(from, thread, left),
                }
            }
        }
    }

    /// Lanes that store to one address in one instruction. Different values are worse.
    fn overlap(
        &self,
        touch: &Touch<'_>,
        lines: &mut Where<'_>,
        access: &impl Fn(u32) -> Access,
        found: &mut Findings,
    ) {
        if self.reads() {
            return;
        }
        let mut sorted: Vec<(u64, u32)> = touch.iter().map(|(lane, at)| (at, lane)).collect();
        sorted.sort_unstable();
        for pair in sorted.windows(2) {
            let [(at, one), (same, other)] = *pair else { continue };
            let differs = |element| {
                let of = |lane| self.value(touch, (touch.warp, lane), element);
                of(one) != of(other)
            };
            if at == same {
                let both = [&access(one), &access(other)];
                let harm = match self.pedantic || self.elements(touch).any(differs) {
                    true => Harm::Possible,
                    false => Harm::None,
                };
                self.race(touch, at..at + touch.bytes, (both, harm), lines.unread(), found);
            }
        }
    }

    /// Accesses to some bytes race. A race of two writes is reported once a thread reads what they leave.
    #[cold]
    fn race(
        &self,
        touch: &Touch<'_>,
        bytes: Range<u64>,
        ([earlier, access], harm): ([&Access; 2], Harm),
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
        let rank = distance(earlier, access) + if harm == Harm::None { 0 } else { HARMFUL };
        let make = || self.finding(touch, bytes.start, (earlier, access), harm == Harm::None);
        let plain_write = |access: &Access| access.kind.writes() && access.kind.is_weak();
        match unread {
            Some(unread) if !self.pedantic && plain_write(earlier) && plain_write(access) => {
                unread.hold(bytes.clone(), pair, [earlier.by, access.by], (rank, make));
            }
            _ => found.report_worst(touch.race(), pair, rank, make),
        }
    }

    /// Lanes access bytes of shared memory, some of which racing writes have left.
    #[cold]
    fn look_at_unread(
        &self,
        touch: &Touch<'_>,
        unread: &mut Unread,
        (clocks, access): (&Clocks, &impl Fn(u32) -> Access),
        found: &mut Findings,
    ) {
        for (lane, address) in touch.iter() {
            let (bytes, by) = (address..address + touch.bytes, access(lane).by);
            if self.reads() {
                let by = self.view.thread(touch.warp, lane);
                unread.read(bytes, Reader { place: self.how.place, thread: by }, found);
            } else {
                unread.written(bytes, |write| clocks.order(write, &by).all == write.lanes);
            }
        }
    }

    fn finding(
        &self,
        touch: &Touch<'_>,
        address: u64,
        (earlier, later): (&Access, &Access),
        same_value: bool,
    ) -> Finding {
        let (one, other) = (self.extents.thread(earlier), self.extents.thread(later));
        let at = touch.at(self.view, address);
        let as_data = |access: &Access, thread| detail::Access {
            place: access.place,
            thread,
            writes: access.kind.writes(),
            strength: access.kind.strength(),
        };
        let race = Race {
            at,
            earlier: as_data(earlier, one),
            later: as_data(later, other),
            read: None,
            same_value,
        };
        let finding = Finding::new(later.place, other, race);
        if !in_one_warp(earlier, later) {
            return finding;
        }
        let lanes = WarpLanes::new(self.view.live(touch.warp), self.view.existing(touch.warp));
        let two = LaneMask::single(one.lane) | LaneMask::single(other.lane);
        finding.lanes(lanes.with(LaneMask(touch.lanes), two))
    }
}

/// The lanes whose element of a row, each so many bytes, is this one, so far behind the lane's first byte.
fn equal<const N: usize>(
    row: &[u8],
    of_lane: usize,
    offset: usize,
    value: &Lanes<[u8; N]>,
) -> LaneMask {
    let elements = row.as_chunks::<N>().0;
    match elements.first_chunk::<WARP>() {
        // Without the bounds of each lane, whole vectors are compared.
        Some(elements) if of_lane == N => LaneMask::from_fn(|lane| elements[lane] == value[lane]),
        _ => {
            let (each, nth) = (of_lane / N, offset / N);
            LaneMask::from_fn(|lane| elements.get(lane * each + nth) == Some(&value[lane]))
        }
    }
}

fn in_one_warp(one: &Access, other: &Access) -> bool {
    (one.by.cta, one.by.warp) == (other.by.cta, other.by.warp)
}

/// If the lanes access whole lines in order, the logarithm of the bytes of one.
fn rows(touch: &Touch<'_>) -> Option<u8> {
    let whole = touch.is_row()
        && touch.low.is_multiple_of(line::BYTES)
        && (LEAST..=MOST).contains(&touch.bytes);
    whole.then(|| touch.bytes.trailing_zeros() as u8)
}

impl Where<'_> {
    /// The line that holds an address, and the racing writes to shared memory that nobody has read.
    fn at(&mut self, address: u64) -> (Option<&mut Line>, Option<&mut Unread>) {
        match self {
            Where::Shared(lines, unread) => (lines.at(address), Some(unread)),
            Where::Global(pages) => (Some(pages.at(address)), None),
        }
    }

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
}
