//! The lines of memory that is used here and there.
//!
//! Most memory is accessed once or twice, in rows of whole lines: then one short record a line is all there is.

use super::line::{Access, BYTES, Keep, Kind, Line, Row};
use super::step::{Step, Uniform};
use foldhash::{HashMap, HashMapExt};
use ir::Place;

/// Lines of a page.
const PAGE: usize = 32;

/// A line that was accessed in one row, or not at all: a [`Row`] in fewer bytes.
#[derive(Clone, Copy, Debug)]
struct Brief {
    cta: u32,
    stamp: u32,
    place: Place,
    warp: u8,
    /// The first lane.
    lane: u8,
    kind: Kind,
    shift: u8,
}

impl Brief {
    /// Nobody accessed the line; no lane has so many bytes.
    const NONE: u8 = u8::MAX;

    const UNTOUCHED: Brief = Brief {
        cta: 0,
        stamp: 0,
        place: Place(0),
        warp: 0,
        lane: 0,
        kind: Kind::READ,
        shift: Brief::NONE,
    };

    fn new(row: &Row) -> Brief {
        let Row { access: Access { by, place, kind }, shift } = *row;
        let Step { cta, warp, lanes, stamp } = by;
        Brief { cta, stamp, place, warp, lane: lanes.trailing_zeros() as u8, kind, shift }
    }

    fn row(&self) -> Option<Row> {
        let Brief { cta, stamp, place, warp, lane, kind, shift } = *self;
        let by = Step { cta, warp, lanes: 1 << (lane % 32), stamp };
        (shift != Brief::NONE).then_some(Row { access: Access { by, place, kind }, shift })
    }

    fn line(&self) -> Line {
        Line::of(self.row())
    }
}

/// Where a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Among those whose lines are brief.
    Brief(u32),
    Full(u32),
}

/// The pages of a memory that have been accessed.
#[derive(Debug)]
pub(super) struct Pages {
    brief: Vec<[Brief; PAGE]>,
    full: Vec<[Line; PAGE]>,
    index: HashMap<u64, At>,
    /// The page that was asked for last.
    last: (u64, At),
}

/// The page and the line in it that hold an address.
fn place(address: u64) -> (u64, usize) {
    let line = address / BYTES;
    (line / PAGE as u64, (line % PAGE as u64) as usize)
}

impl Pages {
    pub(super) fn new() -> Pages {
        let (brief, full) = (Vec::new(), Vec::new());
        Pages { brief, full, index: HashMap::new(), last: (u64::MAX, At::Brief(0)) }
    }

    /// The line that holds an address.
    pub(super) fn at(&mut self, address: u64) -> &mut Line {
        let (page, nth) = place(address);
        let at = match self.find(page) {
            At::Full(at) => at,
            At::Brief(at) => self.unfold(page, at),
        };
        &mut self.full[at as usize][nth]
    }

    /// Notes a row in the line that begins at an address ([`Line::take_row`]).
    pub(super) fn take_row(
        &mut self,
        address: u64,
        row: &Row,
        keep: Keep,
        clocks: &Uniform,
        silent_if: Option<(u32, u32)>,
    ) -> bool {
        let (page, nth) = place(address);
        let at = match self.find(page) {
            At::Full(at) => {
                return self.full[at as usize][nth].take_row(row, keep, clocks, silent_if, true);
            }
            At::Brief(at) => at,
        };
        let brief = &mut self.brief[at as usize][nth];
        if brief.shift == Brief::NONE && silent_if.is_none() {
            *brief = Brief::new(row);
            return true;
        }
        let mut line = brief.line();
        let taken = line.take_row(row, keep, clocks, silent_if, true);
        match line.only_row() {
            Some(row) => *brief = Brief::new(&row),
            None => {
                let full = self.unfold(page, at);
                self.full[full as usize][nth] = line;
            }
        }
        taken
    }

    /// Where a page is, which is there from now on.
    fn find(&mut self, page: u64) -> At {
        if self.last.0 != page {
            let brief = &mut self.brief;
            let at = *self.index.entry(page).or_insert_with(|| {
                brief.push([Brief::UNTOUCHED; PAGE]);
                At::Brief(brief.len() as u32 - 1)
            });
            self.last = (page, at);
        }
        self.last.1
    }

    /// Makes full lines of those of a page, and says where they are.
    #[cold]
    fn unfold(&mut self, page: u64, brief: u32) -> u32 {
        let lines = &self.brief[brief as usize];
        self.full.push(std::array::from_fn(|nth| lines[nth].line()));
        let at = self.full.len() as u32 - 1;
        self.index.insert(page, At::Full(at));
        self.last = (page, At::Full(at));
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(warp: u8, stamp: u32) -> Row {
        let by = Step { cta: 7, warp, lanes: 1 << 16, stamp };
        Row { access: Access { by, place: Place(9), kind: Kind::weak(true).silent() }, shift: 3 }
    }

    #[test]
    fn a_brief_line_says_the_same() {
        assert_eq!(Brief::UNTOUCHED.row(), None);
        assert_eq!(Brief::new(&row(3, 5)).row(), Some(row(3, 5)));
        assert_eq!(size_of::<Brief>(), 16);
    }

    #[test]
    fn a_page_is_full_when_a_line_has_more_than_one_row() {
        let mut pages = Pages::new();
        let clocks = Uniform { floor: 6, warp_floor: 6, lockstep: false };
        let take = |pages: &mut Pages, at: u64, new: Row| {
            pages.take_row(at, &new, Keep::Few, &clocks, None)
        };
        let rows = |pages: &mut Pages, at: u64| pages.at(at).only_row();
        // One that happened before is forgotten.
        assert!(take(&mut pages, 4096, row(0, 5)) && take(&mut pages, 4096, row(1, 6)));
        assert!(take(&mut pages, 4096 + 128, row(0, 5)));
        assert!(pages.full.is_empty());
        // A race is looked at elsewhere: the line stays as it was.
        assert!(!take(&mut pages, 4096, row(2, 6)) && pages.full.is_empty());
        assert_eq!(rows(&mut pages, 4096), Some(row(1, 6)));
        assert_eq!(pages.full.len(), 1);
        assert_eq!(rows(&mut pages, 4096 + 200), Some(row(0, 5)));
        assert_eq!(rows(&mut pages, 8191), None);
        assert_eq!((pages.full.len(), pages.brief.len()), (1, 1));
    }
}
