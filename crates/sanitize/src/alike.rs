//! A value for each lane of a warp, mostly the same for all.

use lanes::{LaneMask, Lanes, WARP};

/// A value for each lane of a warp. Where it is the same for all, it is written and read as one.
#[derive(Clone, Debug)]
pub(crate) struct Alike<T> {
    same: Option<T>,
    /// Those of the lanes, where they are not the same.
    each: Lanes<T>,
}

impl<T: Copy> Alike<T> {
    pub(crate) const fn new(value: T) -> Alike<T> {
        Alike { same: Some(value), each: [value; WARP] }
    }

    #[inline]
    pub(crate) fn of(&self, lane: usize) -> T {
        self.same.unwrap_or_else(|| self.each[lane % WARP])
    }

    /// Sets that of some lanes.
    #[inline]
    pub(crate) fn set(&mut self, lanes: LaneMask, value: T) {
        match lanes {
            LaneMask::FULL => return self.set_all(value),
            LaneMask::EMPTY => return,
            _ => {}
        }
        if let Some(same) = self.same.take() {
            self.each = [same; WARP];
        }
        for lane in lanes {
            self.each[lane as usize % WARP] = value;
        }
    }

    #[inline]
    pub(crate) fn set_all(&mut self, value: T) {
        self.same = Some(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_has_what_was_set_last() {
        let mut values = Alike::new(3);
        values.set(LaneMask::single(7), 5);
        assert_eq!([6, 7, 8].map(|lane| values.of(lane)), [3, 5, 3]);
        values.set_all(9);
        assert_eq!(values.of(7), 9);
        values.set(LaneMask(1 << 31 | 1), 10);
        assert_eq!([0, 7, 31].map(|lane| values.of(lane)), [10, 9, 10]);
        values.set(LaneMask::FULL, 11);
        assert_eq!(values.of(0), 11);
    }
}
