//! Who accessed memory last, line by line.
//!
//! Most lines of 128 bytes are only ever accessed whole, by adjacent lanes of a warp: then one record per
//! line says who accessed each byte. Other lines have a cell for each word of 4 bytes, or for each byte once an access
//! is smaller.

use super::clock::{Thread, Uniform};
use foldhash::{HashMap, HashMapExt};
use ir::Place;

/// Bytes of a line.
pub(super) const BYTES: u64 = 128;
/// Lines of a page.
const PAGE: usize = 32;

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

impl Kind {
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

    pub(super) fn word(self) -> &'static str {
        match (self.writes(), self.is_weak(), self.is_volatile()) {
            (false, true, _) => "read",
            (true, true, _) => "write",
            (false, false, true) => "volatile read",
            (true, false, true) => "volatile write",
            (false, false, false) => "strong read",
            (true, false, false) => "atomic or strong write",
        }
    }
}

/// One access by one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) thread: Thread,
    pub(super) stamp: u32,
    pub(super) place: Place,
    pub(super) kind: Kind,
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
        access.thread.lane += (byte >> self.shift) as u8;
        access
    }

    /// Whether all of it happened before another row, as far as shared clocks tell.
    fn before(&self, row: &Row, clocks: &Uniform) -> bool {
        let (one, other) = (self.access.thread, row.access.thread);
        let same_warp = one.warp == other.warp;
        let same_threads = same_warp && one.lane == other.lane && self.shift == row.shift;
        one.cta == other.cta
            && (self.access.stamp < clocks.floor
                || same_threads
                || same_warp && (clocks.lockstep || self.access.stamp < clocks.warp_floor))
    }
}

/// The last write of some bytes, and two readers of different threads since.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    write: Option<Access>,
    reads: [Option<Access>; 2],
}

/// How different two threads are: other lane, other warp, other CTA.
fn distance(one: Thread, other: Thread) -> u8 {
    match (one.cta == other.cta, one.warp == other.warp, one.lane == other.lane) {
        (false, _, _) => 3,
        (true, false, _) => 2,
        (true, true, false) => 1,
        (true, true, true) => 0,
    }
}

/// Notes a reader among two: those of other CTAs and warps are worth more than neighbours.
fn note<T: Copy>(reads: &mut [Option<T>; 2], new: T, thread: impl Fn(&T) -> Thread) {
    let far = |a: &T, b: &T| distance(thread(a), thread(b));
    match reads {
        [first @ None, _] => *first = Some(new),
        [Some(first), second] if far(first, &new) == 0 => {
            *first = new;
            if second.as_ref().is_some_and(|second| far(second, &new) == 0) {
                *second = None;
            }
        }
        [Some(first), Some(second)] if far(first, second) > far(first, &new) => {}
        [_, second] => *second = Some(new),
    }
}

impl Cell {
    /// Shows the accesses that conflict with a new one, and notes that.
    fn access(&mut self, new: &Access, mut conflict: impl FnMut(&Access)) {
        if let Some(write) = &self.write
            && write.thread != new.thread
        {
            conflict(write);
        }
        if new.kind.writes() {
            for read in self.reads.iter().flatten().filter(|read| read.thread != new.thread) {
                conflict(read);
            }
            *self = Cell { write: Some(*new), reads: [None; 2] };
        } else {
            note(&mut self.reads, *new, |access| access.thread);
        }
    }
}

/// The cells of a line that is not accessed in rows.
#[derive(Clone, Debug)]
enum Cells {
    Words(Box<[Cell; 32]>),
    Bytes(Box<[Cell; 128]>),
}

/// Who accessed a line of memory last.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    write: Option<Row>,
    reads: [Option<Row>; 2],
    cells: Option<Cells>,
}

impl Line {
    /// Notes a row, if everything that is known of the line happened before it or is another read. Else
    /// the line is as it was, and each lane must be looked at.
    #[inline]
    pub(super) fn take_row(&mut self, row: &Row, clocks: &Uniform) -> bool {
        if self.cells.is_some() {
            return false;
        }
        if self.write.as_ref().is_some_and(|write| !write.before(row, clocks)) {
            return false;
        }
        if row.access.kind.writes() {
            if self.reads.iter().flatten().any(|read| !read.before(row, clocks)) {
                return false;
            }
            (self.write, self.reads) = (Some(*row), [None; 2]);
            return true;
        }
        for read in &mut self.reads {
            if read.as_ref().is_some_and(|read| read.before(row, clocks)) {
                *read = None;
            }
        }
        if let [None, second @ Some(_)] = &mut self.reads {
            self.reads = [second.take(), None];
        }
        note(&mut self.reads, *row, |row| row.access.thread);
        true
    }

    /// Shows every earlier access that conflicts with a new one to some bytes, with the byte, and notes the new one.
    pub(super) fn access(
        &mut self,
        offset: u64,
        bytes: u64,
        access: &Access,
        mut conflict: impl FnMut(&Access, u64),
    ) {
        let (offset, end) = (offset as usize, (offset + bytes).min(BYTES) as usize);
        match self.cells(bytes >= 4) {
            Cells::Words(cells) => {
                for word in offset / 4..end / 4 {
                    cells[word].access(access, |earlier| conflict(earlier, 4 * word as u64));
                }
            }
            Cells::Bytes(cells) => {
                for byte in offset..end {
                    cells[byte].access(access, |earlier| conflict(earlier, byte as u64));
                }
            }
        }
    }

    /// The line's cells, made from its rows if need be.
    fn cells(&mut self, words: bool) -> &mut Cells {
        let cells = self.cells.take();
        let cells = match (cells, words) {
            (None, _) => {
                let (write, reads) = (self.write.take(), std::mem::take(&mut self.reads));
                let cell = |byte: u64| Cell {
                    write: write.map(|row| row.at(byte)),
                    reads: reads.map(|row| row.map(|row| row.at(byte))),
                };
                match words {
                    true => Cells::Words(Box::new(std::array::from_fn(|at| cell(4 * at as u64)))),
                    false => Cells::Bytes(Box::new(std::array::from_fn(|at| cell(at as u64)))),
                }
            }
            (Some(Cells::Words(cells)), false) => {
                Cells::Bytes(Box::new(std::array::from_fn(|byte| cells[byte / 4])))
            }
            (Some(cells), _) => cells,
        };
        self.cells.insert(cells)
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
        self.lines.fill_with(Line::default);
    }

    /// The line that holds an address.
    pub(super) fn at(&mut self, address: u64) -> Option<&mut Line> {
        self.lines.get_mut((address / BYTES) as usize)
    }
}

/// The lines of memory that is used here and there.
#[derive(Debug)]
pub(super) struct Pages {
    pages: Vec<[Line; PAGE]>,
    index: HashMap<u64, usize>,
    /// The page that was asked for last.
    last: (u64, usize),
}

impl Pages {
    pub(super) fn new() -> Pages {
        Pages { pages: Vec::new(), index: HashMap::new(), last: (u64::MAX, 0) }
    }

    /// The line that holds an address.
    pub(super) fn at(&mut self, address: u64) -> &mut Line {
        let line = address / BYTES;
        let (page, nth) = (line / PAGE as u64, (line % PAGE as u64) as usize);
        if self.last.0 != page {
            let pages = &mut self.pages;
            let at = *self.index.entry(page).or_insert_with(|| {
                pages.push(std::array::from_fn(|_| Line::default()));
                pages.len() - 1
            });
            self.last = (page, at);
        }
        &mut self.pages[self.last.1][nth]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(warp: usize, lane: u32, write: bool) -> Access {
        let kind = Kind::weak(write);
        Access { thread: Thread::new(0, warp, lane), stamp: 1, place: Place(0), kind }
    }

    fn conflicts(line: &mut Line, offset: u64, bytes: u64, access: &Access) -> Vec<(u8, u64)> {
        let mut found = Vec::new();
        line.access(offset, bytes, access, |earlier, at| found.push((earlier.thread.lane, at)));
        found
    }

    #[test]
    fn bytes_are_told_apart() {
        let mut line = Line::default();
        for lane in 0..4 {
            assert_eq!(conflicts(&mut line, u64::from(lane), 1, &access(0, lane, true)), []);
        }
        let read = conflicts(&mut line, 0, 4, &access(0, 1, false));
        assert_eq!(read, [(0, 0), (2, 2), (3, 3)]);
    }

    #[test]
    fn rows_become_cells_of_the_lanes_that_accessed_them() {
        let mut line = Line::default();
        let clocks = Uniform { floor: 1, warp_floor: 1, lockstep: false };
        let row = Row { access: access(0, 0, true), shift: 2 };
        assert!(line.take_row(&row, &clocks));
        let other = Row { access: access(1, 0, false), shift: 2 };
        assert!(!line.take_row(&other, &clocks), "nothing orders two warps");
        assert_eq!(conflicts(&mut line, 8, 4, &access(1, 0, false)), [(2, 8)]);
        // After a barrier everything is older than the floor.
        let mut line = Line::default();
        assert!(line.take_row(&row, &clocks));
        let later = Uniform { floor: 2, ..clocks };
        assert!(line.take_row(&other, &later));
    }

    #[test]
    fn a_writer_meets_a_reader_that_is_not_itself() {
        let mut line = Line::default();
        for lane in [1, 2] {
            conflicts(&mut line, 0, 4, &access(0, lane, false));
        }
        assert_eq!(conflicts(&mut line, 0, 4, &access(0, 2, true)), [(1, 0)]);
    }
}
