//! Which copy writes or reads which bytes.

use foldhash::{HashMap, HashMapExt};
use ir::Space;

/// Bytes that are marked together: the size of the smallest copy, and its alignment.
const UNIT: u64 = 4;

/// The copies of bytes of shared and global memory; each byte has that of the last one.
#[derive(Debug)]
pub(super) struct Marks {
    /// Per unit of shared memory, one more than the number of the copy; 0 for none.
    shared: Vec<u32>,
    global: HashMap<u64, u32>,
}

/// Bytes of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) space: Space,
    pub(super) start: u64,
    pub(super) bytes: u64,
}

impl Span {
    /// Whether they have a byte in common.
    pub(super) fn overlaps(&self, other: &Span) -> bool {
        let ends_before =
            |one: &Span, other: &Span| one.start.saturating_add(one.bytes) <= other.start;
        self.space == other.space && !ends_before(self, other) && !ends_before(other, self)
    }

    fn units(&self) -> std::ops::Range<u64> {
        self.start / UNIT..self.start.saturating_add(self.bytes).div_ceil(UNIT)
    }
}

impl Marks {
    pub(super) fn new(shared_bytes: u64) -> Marks {
        Marks { shared: vec![0; shared_bytes.div_ceil(UNIT) as usize], global: HashMap::new() }
    }

    pub(super) fn clear(&mut self) {
        self.shared.fill(0);
        self.global.clear();
    }

    /// The units of shared memory; those outside of it have none.
    fn shared(&mut self, span: &Span) -> &mut [u32] {
        let all = self.shared.len();
        let within = |unit: u64| usize::try_from(unit).map_or(all, |unit| unit.min(all));
        let units = span.units();
        &mut self.shared[within(units.start)..within(units.end)]
    }

    pub(super) fn set(&mut self, span: &Span, copy: usize) {
        let mark = copy as u32 + 1;
        match span.space {
            Space::Shared => self.shared(span).fill(mark),
            Space::Generic | Space::Global | Space::Local | Space::Param => {
                self.global.extend(span.units().map(|unit| (unit, mark)))
            }
        }
    }

    /// Takes back the marks of a copy.
    pub(super) fn unset(&mut self, span: &Span, copy: usize) {
        let mark = copy as u32 + 1;
        match span.space {
            Space::Shared => {
                self.shared(span)
                    .iter_mut()
                    .filter(|unit| **unit == mark)
                    .for_each(|unit| *unit = 0);
            }
            Space::Generic | Space::Global | Space::Local | Space::Param => {
                for unit in span.units() {
                    if self.global.get(&unit) == Some(&mark) {
                        self.global.remove(&unit);
                    }
                }
            }
        }
    }

    /// The copy of the first byte that has one.
    pub(super) fn find(&mut self, span: &Span) -> Option<usize> {
        let mark = match span.space {
            Space::Shared => self.shared(span).iter().copied().find(|mark| *mark != 0),
            Space::Generic | Space::Global | Space::Local | Space::Param
                if self.global.is_empty() =>
            {
                None
            }
            Space::Generic | Space::Global | Space::Local | Space::Param => {
                span.units().find_map(|unit| self.global.get(&unit).copied())
            }
        };
        mark.map(|mark| mark as usize - 1)
    }
}
