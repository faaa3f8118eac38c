//! Shadow memory of the race detector: the last accesses to each byte, by lines of 128 bytes.
//!
//! Most lines of 128 bytes are only accessed completely, by adjacent lanes of a warp: then one record per
//! line says who accessed each byte. Other lines have a cell for each word of 4 bytes, or for each byte once an access
//! is smaller.

use super::step::{Order, Step, Uniform};
use crate::detail::Strength;
use ir::Place;
use lanes::LaneMask;
use smallvec::{Array, SmallVec};
use std::ops::Range;

/// Bytes of a line.
pub(super) const BYTES: u64 = 128;
/// Accesses to a byte after which it is worth looking for those that tell nothing new.
const MANY: usize = 8;
/// What an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind(u8);

/// The bit that says so, if `set`.
fn bit(set: bool, bit: u8) -> u8 {
    if set { bit } else { 0 }
}

const WRITE: u8 = 1;
const STRONG: u8 = 2;
const NARROW: u8 = 4;
const VOLATILE: u8 = 8;
const COPY: u8 = 16;
const BLIND: u8 = 32;
const SILENT: u8 = 64;
const EXCUSED: u8 = 128;

impl Kind {
    /// A plain read.
    pub(super) const READ: Kind = Kind(0);

    /// A plain access.
    pub(super) fn weak(write: bool) -> Kind {
        Kind(bit(write, WRITE))
    }

    /// A strong access, of CTA scope if `narrow`.
    pub(super) fn strong(write: bool, narrow: bool) -> Kind {
        Kind(STRONG | bit(write, WRITE) | bit(narrow, NARROW))
    }

    pub(super) fn volatile(write: bool) -> Kind {
        Kind(STRONG | VOLATILE | bit(write, WRITE))
    }

    /// A plain read that may meet strong accesses as if it were one.
    pub(super) fn excused() -> Kind {
        Kind(STRONG | EXCUSED)
    }

    /// An atomic update whose result nobody reads.
    pub(super) fn blind(self) -> Kind {
        Kind(self.0 | BLIND)
    }

    /// A write that leaves what the bytes held before anybody wrote them, or since all threads that may still access them
    /// know what was written: whoever races with it finds the same value before and after.
    pub(super) fn silent(self) -> Kind {
        Kind(self.0 | SILENT)
    }

    pub(super) fn is_silent(self) -> bool {
        self.0 & SILENT != 0
    }

    fn is_blind(self) -> bool {
        self.0 & BLIND != 0
    }

    /// An access of an asynchronous copy until its thread waited for it.
    pub(super) fn copy(self) -> Kind {
        Kind(self.0 | COPY)
    }

    pub(super) fn is_copy(self) -> bool {
        self.0 & COPY != 0
    }

    pub(super) fn writes(self) -> bool {
        self.0 & WRITE != 0
    }

    pub(super) fn is_weak(self) -> bool {
        self.0 & STRONG == 0
    }

    pub(super) fn is_narrow(self) -> bool {
        self.0 & NARROW != 0
    }

    pub(super) fn is_volatile(self) -> bool {
        self.0 & VOLATILE != 0
    }

    pub(super) fn strength(self) -> Strength {
        if self.is_copy() {
            Strength::Asynchronous
        } else if self.is_weak() || self.0 & EXCUSED != 0 {
            Strength::Weak
        } else if self.is_volatile() {
            Strength::Volatile
        } else if self.is_narrow() {
            Strength::Cta
        } else {
            Strength::Gpu
        }
    }
}

/// One access by lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) by: Step,
    pub(super) place: Place,
    pub(super) kind: Kind,
}

impl Access {
    /// Whether whoever races with `earlier`, which happened before this access, races with this one, too.
    fn stands_for(&self, earlier: &Access) -> bool {
        let (new, old) = (self.kind, earlier.kind);
        (new.writes() || !old.writes())
            && (new.is_weak() || !old.is_weak() && new.is_narrow() == old.is_narrow())
    }

    /// Whether the two may be a race if nothing orders them. Strong accesses may meet, but for atomics of too narrow a scope
    /// and volatile accesses.
    fn conflicts(&self, earlier: &Access) -> bool {
        let (one, other) = (self.kind, earlier.kind);
        let narrow = self.by.cta != earlier.by.cta && (one.is_narrow() || other.is_narrow());
        let apart = narrow || one.is_volatile() && other.is_volatile();
        (one.writes() || other.writes()) && (apart || one.is_weak() || other.is_weak())
    }
}

/// An access to a whole line by adjacent lanes: `access` is that of the first lane, and each lane has
/// `1 << shift` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) access: Access,
    pub(super) shift: u8,
}

impl Row {
    /// The access to a byte of the line.
    fn at(&self, byte: u64) -> Access {
        let mut access = self.access;
        access.by.lanes <<= byte >> self.shift;
        access
    }

    /// Whether all of it happened before another row, as far as shared clocks tell.
    fn before(&self, row: &Row, clocks: &Uniform) -> bool {
        let (one, other) = (self.access.by, row.access.by);
        let same_warp = one.warp == other.warp;
        let same_threads = same_warp && one.lanes == other.lanes && self.shift == row.shift;
        one.cta == other.cta
            && (one.stamp < clocks.floor
                || same_threads
                || same_warp && (clocks.lockstep || one.stamp < clocks.warp_floor))
    }
}

/// How much is kept of accesses that nothing orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Everything that a later access can race with.
    All,
    /// The last plain and the last strong write, one more of another CTA if it was not seen, and four reads since.
    Few,
}

/// How different two threads are: other lanes, other warp, other CTA.
pub(super) fn distance(one: &Access, other: &Access) -> u8 {
    let (one, other) = (one.by, other.by);
    match (one.cta == other.cta, one.warp == other.warp, one.lanes == other.lanes) {
        (false, _, _) => 3,
        (true, false, _) => 2,
        (true, true, false) => 1,
        (true, true, true) => 0,
    }
}

/// Reads that are kept of those that nothing orders, if few are.
const READS: usize = 4;

/// Drops what is too much, when one more was added at the end: earlier writes of its strength, but for one of another
/// CTA that it has not seen; of reads, one of the two that
/// are nearest to each other.
fn keep_few<T, const N: usize>(list: &mut SmallVec<[T; N]>, access: impl Fn(&T) -> &Access)
where
    [T; N]: Array<Item = T>,
{
    let Some(newest) = list.last().map(|it| *access(it)) else { return };
    let rest = list.len() - 1;
    if newest.kind.writes() {
        let is_like = |nth: &usize| {
            let kind = access(&list[*nth]).kind;
            kind.writes() && kind.is_weak() == newest.kind.is_weak()
        };
        let is_near = |nth: &usize| access(&list[*nth]).by.cta == newest.by.cta;
        let alike: SmallVec<[usize; 4]> = (0..rest).filter(is_like).collect();
        let dropped = match alike.as_slice() {
            [] => None,
            // Who has updated a word, and not looked, may race with others that did: two CTAs are kept.
            [one] if newest.kind.is_blind() && !is_near(one) => None,
            all => all.iter().find(|nth| is_near(nth)).or(all.first()).copied(),
        };
        if let Some(earlier) = dropped {
            list.remove(earlier);
        }
        return;
    }
    let reads: SmallVec<[usize; READS + 2]> =
        (0..=rest).filter(|nth| !access(&list[*nth]).kind.writes()).collect();
    if reads.len() <= READS {
        return;
    }
    let pairs = reads
        .iter()
        .enumerate()
        .flat_map(|(nth, one)| reads[nth + 1..].iter().map(move |other| (*one, *other)));
    let far = |(one, other): &(usize, usize)| distance(access(&list[*one]), access(&list[*other]));
    if let Some((_, later)) = pairs.min_by_key(far) {
        list.remove(later);
    }
}

/// The accesses to some bytes that later ones can race with.
#[derive(Clone, Debug, Default)]
struct Cell {
    accesses: SmallVec<[Access; 2]>,
}

impl Cell {
    /// Whether all accesses were made by a CTA before a time.
    fn is_settled(&self, cta: u32, before: u32) -> bool {
        self.accesses.iter().all(|access| access.by.cta == cta && access.by.stamp < before)
    }

    /// Notes an access that comes after all others.
    fn settle(&mut self, new: &Access, keep: Keep) {
        let many = self.accesses.len() >= MANY && self.accesses.len().is_power_of_two();
        if many || keep == Keep::Few || new.kind.writes() && new.kind.is_weak() {
            self.accesses.retain(|old| !new.stands_for(old));
        }
        self.accesses.push(*new);
        if keep == Keep::Few {
            keep_few(&mut self.accesses, |access| access);
        }
    }

    /// Shows the accesses that conflict with a new one and do not happen before it, with their lanes, and notes the new
    /// one. `conflict` says whether that is all there is to say of them.
    fn access(
        &mut self,
        new: &Access,
        keep: Keep,
        order: impl Fn(&Step) -> Order,
        mut conflict: impl FnMut(&Access, u32) -> bool,
    ) {
        let mut gone = false;
        for old in self.accesses.iter_mut().filter(|old| new.conflicts(old)) {
            let open = old.by.lanes & !order(&old.by).all;
            if open != 0 {
                // Who races with both was told of one of them.
                let told = conflict(old, open)
                    && new.kind.writes()
                    && (new.kind.is_weak() || old.kind.is_weak());
                old.by.lanes &= if told { !open } else { u32::MAX };
                gone |= told;
            }
        }
        let prune = |accesses: &mut SmallVec<[Access; 2]>| {
            accesses.retain(|old| {
                old.by.lanes &= if new.stands_for(old) { !order(&old.by).some } else { u32::MAX };
                old.by.lanes != 0
            });
        };
        if gone || keep == Keep::Few || new.kind.writes() && new.kind.is_weak() {
            prune(&mut self.accesses);
        }
        let alike = |old: &&mut Access| {
            let by = Step { lanes: old.by.lanes, ..new.by };
            Access { by, ..*new } == **old
        };
        if let Some(known) = self.accesses.iter_mut().find(alike) {
            known.by.lanes |= new.by.lanes;
            return;
        }
        // Those for which the new one stands are in nobody's way while they are few.
        if self.accesses.len() >= MANY && self.accesses.len().is_power_of_two() {
            prune(&mut self.accesses);
        }
        self.accesses.push(*new);
        if keep == Keep::Few {
            keep_few(&mut self.accesses, |access| access);
        }
    }
}

/// The cells of a line that is not accessed in rows.
#[derive(Clone, Debug)]
enum Cells {
    /// One a word of 4 bytes.
    Words(Box<Words>),
    Bytes(Box<[Cell]>),
}

/// Words of a line.
const WORDS: usize = BYTES as usize / 4;

/// A cell for each word of a line.
#[derive(Clone, Debug, Default)]
struct Words {
    cells: [Cell; WORDS],
    /// Those of which something may be known, a bit each.
    used: u32,
}

impl Words {
    /// The cells of some words, of which something will be known.
    fn of(&mut self, words: Range<usize>) -> &mut [Cell] {
        let words = words.start.min(WORDS)..words.end.min(WORDS);
        self.used |= (u64::MAX << words.start & !(u64::MAX << words.end)) as u32;
        self.cells.get_mut(words).unwrap_or_default()
    }

    /// Nobody accessed anything.
    fn clear(&mut self) {
        for nth in LaneMask(std::mem::take(&mut self.used)) {
            self.cells[nth as usize].accesses.clear();
        }
    }
}

/// Who accessed a line of memory last.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    rows: SmallVec<[Row; 2]>,
    cells: Option<Cells>,
    /// Cells of which nothing is known, to be used again.
    spare: Option<Box<Words>>,
}

impl Line {
    /// A line that was accessed in this row, or not at all.
    pub(super) fn of(row: Option<Row>) -> Line {
        Line { rows: row.into_iter().collect(), ..Line::default() }
    }

    /// Nobody accessed anything.
    fn clear(&mut self) {
        self.rows.clear();
        if let Some(Cells::Words(mut words)) = self.cells.take() {
            words.clear();
            self.spare = Some(words);
        }
    }

    /// The row in which it was accessed, if that is all that is known of it.
    pub(super) fn only_row(&self) -> Option<Row> {
        match (self.rows.as_slice(), &self.cells) {
            ([row], None) => Some(*row),
            _ => None,
        }
    }

    /// Notes a row, if everything that is known of the line happened before it or is another read. Else
    /// the line is as it was, and each lane must be looked at. It is silent, if the line is quiet for somebody ([`Line::is_quiet`]).
    #[inline]
    pub(super) fn take_row(
        &mut self,
        row: &Row,
        keep: Keep,
        clocks: &Uniform,
        silent_if: Option<(u32, u32)>,
        given: bool,
    ) -> bool {
        let mut row = *row;
        if silent_if.is_some_and(|by| self.is_quiet((0, BYTES), by, given)) {
            row.access.kind = row.access.kind.silent();
        }
        let (row, new) = (&row, &row.access);
        let fits = |old: &Row| match old.before(row, clocks) {
            true => !new.kind.writes() || new.stands_for(&old.access),
            false => !new.conflicts(&old.access),
        };
        if self.cells.is_some() || !self.rows.iter().all(fits) {
            return false;
        }
        self.rows.retain(|old| !(new.stands_for(&old.access) && old.before(row, clocks)));
        self.rows.push(*row);
        if keep == Keep::Few {
            keep_few(&mut self.rows, |row| &row.access);
        }
        true
    }

    /// Notes an access to some bytes, if all earlier ones were made by its CTA before a time, and happened before it for that
    /// reason. Else the line is as it was.
    #[inline]
    pub(super) fn take_settled(
        &mut self,
        (offset, bytes): (u64, u64),
        access: &Access,
        keep: Keep,
        before: u32,
    ) -> bool {
        let (offset, end) = (offset as usize, (offset + bytes).min(BYTES) as usize);
        let cells = match self.cells(bytes >= 4) {
            Cells::Words(words) => words.of(offset / 4..end / 4),
            Cells::Bytes(cells) => cells.get_mut(offset..end).unwrap_or_default(),
        };
        let settled = cells.iter().all(|cell| cell.is_settled(access.by.cta, before));
        if settled {
            cells.iter_mut().for_each(|cell| cell.settle(access, keep));
        }
        settled
    }

    /// Shows every earlier access to some bytes that conflicts with a new one and does not happen before it, with its lanes
    /// and the bytes, and notes the new one.
    pub(super) fn access(
        &mut self,
        (offset, bytes): (u64, u64),
        access: &Access,
        keep: Keep,
        order: impl Fn(&Step) -> Order,
        mut conflict: impl FnMut(&Access, u32, Range<u64>) -> bool,
    ) {
        let (offset, end) = (offset as usize, (offset + bytes).min(BYTES) as usize);
        match self.cells(bytes >= 4) {
            Cells::Words(words) => {
                for (cell, word) in words.of(offset / 4..end / 4).iter_mut().zip(offset / 4..) {
                    let bytes = 4 * word as u64..4 * (word as u64 + 1);
                    let conflict =
                        |earlier: &Access, lanes| conflict(earlier, lanes, bytes.clone());
                    cell.access(access, keep, &order, conflict);
                }
            }
            Cells::Bytes(cells) => {
                for byte in offset..end {
                    let bytes = byte as u64..byte as u64 + 1;
                    let conflict =
                        |earlier: &Access, lanes| conflict(earlier, lanes, bytes.clone());
                    cells[byte].access(access, keep, &order, conflict);
                }
            }
        }
    }

    /// Whether all writes to some bytes that are known are silent, or were made by this CTA before a time. `unknown` says
    /// whether bytes count that nobody has written.
    pub(super) fn is_quiet(
        &self,
        (offset, bytes): (u64, u64),
        (cta, before): (u32, u32),
        unknown: bool,
    ) -> bool {
        let quiet = |access: &Access| {
            let (kind, by) = (access.kind, access.by);
            kind.is_silent() || by.cta == cta && by.stamp < before
        };
        // Of the writes to a byte, whether there are any, and whether one is not quiet.
        let add = |(any, loud): (bool, bool), access: &Access| match access.kind.writes() {
            true => (true, loud || !quiet(access)),
            false => (any, loud),
        };
        let is_quiet = |(any, loud): (bool, bool)| any && !loud;
        let none = (unknown, false);
        let cells = |cells: &[Cell], bytes: Range<u64>| {
            let mut cells = cells.iter().take(bytes.end as usize).skip(bytes.start as usize);
            cells.all(|cell| is_quiet(cell.accesses.iter().fold(none, add)))
        };
        let end = offset + bytes;
        match &self.cells {
            None => is_quiet(self.rows.iter().map(|row| &row.access).fold(none, add)),
            Some(Cells::Words(words)) => cells(&words.cells, offset / 4..end.div_ceil(4)),
            Some(Cells::Bytes(each)) => cells(&each[..], offset..end),
        }
    }

    /// The line's cells, made from its rows if need be.
    fn cells(&mut self, words: bool) -> &mut Cells {
        let cells = match (self.cells.take(), words) {
            (None, true) => {
                let mut words = self.spare.take().unwrap_or_default();
                if !self.rows.is_empty() {
                    tell(words.of(0..WORDS), std::mem::take(&mut self.rows));
                }
                Cells::Words(words)
            }
            (None, false) => {
                let mut cells = vec![Cell::default(); BYTES as usize];
                tell(&mut cells, std::mem::take(&mut self.rows));
                Cells::Bytes(cells.into())
            }
            (Some(Cells::Words(words)), false) => Cells::Bytes(
                (0..BYTES as usize).map(|byte| words.cells[byte / 4].clone()).collect(),
            ),
            (Some(cells), _) => cells,
        };
        self.cells.insert(cells)
    }
}

/// Tells the cells of a line of the rows in which it was accessed.
fn tell(cells: &mut [Cell], rows: SmallVec<[Row; 2]>) {
    let step = BYTES as usize / cells.len();
    for (cell, byte) in cells.iter_mut().zip((0..BYTES).step_by(step)) {
        cell.accesses.extend(rows.iter().map(|row| row.at(byte)));
    }
}

/// The lines of a memory of known size.
#[derive(Debug)]
pub(super) struct Lines {
    lines: Vec<Line>,
}

impl Lines {
    pub(super) fn new(bytes: u64) -> Lines {
        Lines { lines: vec![Line::default(); bytes.div_ceil(BYTES) as usize] }
    }

    /// Nobody accessed anything.
    pub(super) fn restart(&mut self) {
        self.lines.iter_mut().for_each(Line::clear);
    }

    /// The line that holds an address.
    pub(super) fn at(&mut self, address: u64) -> Option<&mut Line> {
        self.lines.get_mut((address / BYTES) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(warp: u8, lane: u32, write: bool) -> Access {
        let by = Step { cta: 0, warp, lanes: 1 << lane, stamp: 1 };
        Access { by, place: Place(0), kind: Kind::weak(write) }
    }

    fn strong(warp: u8, lane: u32, write: bool) -> Access {
        Access { kind: Kind::strong(write, false), ..access(warp, lane, write) }
    }

    /// The lanes and bytes of earlier accesses that an access conflicts with, where it comes after those of some warps.
    fn conflicts(
        line: &mut Line,
        (offset, bytes): (u64, u64),
        access: &Access,
        after: &[u8],
    ) -> Vec<(u32, u64)> {
        let mut found = Vec::new();
        let order = |by: &Step| {
            let same = by.warp == access.by.warp;
            let known = if same { by.lanes & access.by.lanes } else { 0 };
            let known = if after.contains(&by.warp) { by.lanes } else { known };
            Order { some: known, all: known }
        };
        line.access((offset, bytes), access, Keep::All, order, |_, lanes, at| {
            found.push((lanes, at.start));
            true
        });
        found
    }

    #[test]
    fn silent_writes_keep_a_line_quiet_and_others_do_until_a_barrier() {
        let mut line = Line::default();
        assert!(line.is_quiet((0, 4), (0, 0), true) && !line.is_quiet((0, 4), (0, 9), false));
        let silent = Access { kind: Kind::weak(true).silent(), ..access(0, 0, true) };
        assert_eq!(conflicts(&mut line, (0, 4), &silent, &[]), []);
        assert_eq!(conflicts(&mut line, (4, 4), &access(0, 1, true), &[]), []);
        assert!(line.is_quiet((0, 4), (0, 0), false));
        // The stamp of the other write is 1.
        assert!(!line.is_quiet((0, 8), (0, 1), false) && !line.is_quiet((4, 4), (1, 2), false));
        assert!(line.is_quiet((0, 8), (0, 2), false));
    }

    #[test]
    fn bytes_are_told_apart() {
        let mut line = Line::default();
        for lane in 0..4 {
            let at = (u64::from(lane), 1);
            assert_eq!(conflicts(&mut line, at, &access(0, lane, true), &[]), []);
        }
        let read = conflicts(&mut line, (0, 4), &access(0, 1, false), &[]);
        assert_eq!(read, [(1, 0), (4, 2), (8, 3)]);
    }

    #[test]
    fn rows_become_cells_of_the_lanes_that_accessed_them() {
        let mut line = Line::default();
        let clocks = Uniform { floor: 1, warp_floor: 1, lockstep: false };
        let row = Row { access: access(0, 0, true), shift: 2 };
        assert!(line.take_row(&row, Keep::All, &clocks, None, false));
        let other = Row { access: access(1, 0, false), shift: 2 };
        assert!(
            !line.take_row(&other, Keep::All, &clocks, None, false),
            "nothing orders two warps"
        );
        assert_eq!(conflicts(&mut line, (8, 4), &access(1, 0, false), &[]), [(4, 8)]);
        // After a barrier everything is older than the floor.
        let mut line = Line::default();
        assert!(line.take_row(&row, Keep::All, &clocks, None, false));
        let later = Uniform { floor: 2, ..clocks };
        assert!(line.take_row(&other, Keep::All, &later, None, false));
    }

    #[test]
    fn a_writer_meets_every_reader_that_is_not_itself() {
        let mut line = Line::default();
        for warp in 0..5 {
            for lane in [1, 2] {
                conflicts(&mut line, (0, 4), &access(warp, lane, false), &[]);
            }
        }
        let all_but_one = conflicts(&mut line, (0, 4), &access(0, 2, true), &[1, 2, 4]);
        assert_eq!(all_but_one, [(2, 0), (6, 0)]);
    }

    #[test]
    fn whole_rows_of_every_reader_are_kept() {
        let clocks = Uniform { floor: 1, warp_floor: 1, lockstep: false };
        let row = |warp, write| Row { access: access(warp, 0, write), shift: 2 };
        let mut line = Line::default();
        assert!((0..5).all(|warp| line.take_row(
            &row(warp, false),
            Keep::All,
            &clocks,
            None,
            false
        )));
        assert!(!line.take_row(&row(7, true), Keep::All, &clocks, None, false));
        assert_eq!(conflicts(&mut line, (4, 4), &access(7, 1, true), &[0, 1, 3, 4]), [(2, 4)]);
    }

    #[test]
    fn an_atomic_hides_nothing_from_plain_accesses() {
        // One wrote, another added, and a third knows of the second alone.
        let mut line = Line::default();
        let at = (0, 4);
        assert_eq!(conflicts(&mut line, at, &access(0, 0, true), &[]), []);
        assert_eq!(conflicts(&mut line, at, &strong(1, 0, true), &[0]), []);
        assert_eq!(conflicts(&mut line, at, &strong(2, 0, true), &[1]), [(1, 0)]);
        // Two add, and who reads knows of the later one.
        let mut line = Line::default();
        assert_eq!(conflicts(&mut line, at, &strong(0, 0, true), &[]), []);
        assert_eq!(conflicts(&mut line, at, &strong(1, 0, true), &[]), []);
        assert_eq!(conflicts(&mut line, at, &access(2, 0, false), &[1]), [(1, 0)]);
    }

    /// Threads in three warps access a word and learn from each other, up to the first race: the line shows it where it is.
    #[test]
    fn the_first_race_is_found_and_no_other() {
        const THREADS: usize = 6;
        let mut random = vm::Random::new(1);
        let mut below = |count: u64| random.below(count) as usize;
        let races = |one: &Access, other: &Access| {
            let (one, other) = (one.kind, other.kind);
            (one.writes() || other.writes()) && (one.is_weak() || other.is_weak())
        };
        let mut found_some = 0;
        for _ in 0..20_000 {
            let mut line = Line::default();
            // Per thread, how many of each thread's accesses happened before what it does next.
            let mut clocks = [[0_usize; THREADS]; THREADS];
            let mut all: Vec<(usize, usize, Access)> = Vec::new();
            for _ in 0..12 {
                let (thread, other) = (below(THREADS as u64), below(THREADS as u64));
                if below(3) == 0 {
                    let news = clocks[other];
                    for (known, new) in clocks[thread].iter_mut().zip(news) {
                        *known = (*known).max(new);
                    }
                    continue;
                }
                let (warp, lane) = ((thread / 2) as u8, (thread % 2) as u32);
                let new = match below(4) {
                    0 => access(warp, lane, true),
                    1 => strong(warp, lane, true),
                    2 => strong(warp, lane, false),
                    _ => access(warp, lane, false),
                };
                let nth = clocks[thread][thread] + 1;
                let stamp = nth as u32;
                let new = Access { by: Step { stamp, ..new.by }, ..new };
                let expected = all.iter().any(|(other, nth, old)| {
                    *other != thread && clocks[thread][*other] < *nth && races(old, &new)
                });
                let order = |by: &Step| {
                    let known = LaneMask(by.lanes).iter().filter(|lane| {
                        let other = 2 * usize::from(by.warp) + *lane as usize;
                        other == thread || clocks[thread][other] >= by.stamp as usize
                    });
                    let known = known.collect::<LaneMask>().0;
                    Order { some: known, all: known }
                };
                let mut shown = false;
                line.access((0, 4), &new, Keep::All, order, |old, _, _| {
                    shown |= races(old, &new);
                    true
                });
                assert_eq!(shown, expected, "{all:?}, {new:?}");
                if shown {
                    found_some += 1;
                    break;
                }
                clocks[thread][thread] = nth;
                all.push((thread, nth, new));
            }
        }
        assert!(found_some > 1000, "{found_some}");
    }
}
