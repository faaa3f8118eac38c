//! The bytes that the lanes of a warp access in one instruction.

use crate::code::Code;
use crate::detail::{self, At};
use ir::{Length, Op, Space, Touched};
use lanes::{LaneMask, Lanes, WARP};
use vm::{Location, View};

/// Lanes of a warp that access one space, each the same number of bytes. Lanes whose access faults are left
/// out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) warp: usize,
    pub(crate) lanes: u32,
    /// Never [`Space::Generic`].
    pub(crate) space: Space,
    /// The CTA whose memory it is, if that is shared memory: another one's of the cluster perhaps. Else that of the lanes.
    pub(crate) cta: u64,
    /// Per lane, the first byte: an offset in the space, or the device address.
    pub(crate) addresses: Lanes<u64>,
    /// Bytes of one lane; their address is a multiple of it.
    pub(crate) bytes: u64,
    /// The lowest byte, and one past the highest.
    pub(crate) low: u64,
    pub(crate) high: u64,
}

impl Touch {
    /// Calls `each` for the lanes of a warp, by the space that they access, and for each piece of what is longer than an access.
    #[inline]
    pub(crate) fn each(
        view: &View<'_>,
        (warp, lanes): (usize, u32),
        touched: &Touched<'_>,
        mut each: impl FnMut(&Touch),
    ) {
        let addresses = view.address(touched.address, warp);
        let unit = match touched.length {
            Length::Whole(bytes) => {
                let at = (touched.space, addresses);
                return Self::by_space(view, (warp, lanes), at, bytes, &mut each);
            }
            Length::Counted { unit, .. } => unit,
        };
        let counts = view.length(touched.length, warp);
        let reached = |lane: usize| {
            let at = view.locate(touched.space, addresses[lane]);
            reached(view, at, (warp, lane as u32), (counts[lane], unit))
        };
        let reached: Lanes<u64> = std::array::from_fn(|lane| match lanes >> lane & 1 {
            0 => 0,
            _ => reached(lane),
        });
        let mut left = lanes;
        while left != 0 {
            // Most lanes copy as much as the first.
            let first = reached[left.trailing_zeros() as usize % WARP];
            let alike = LaneMask::from_fn(|lane| reached[lane] == first).0 & left;
            left &= !alike;
            for (offset, size) in ir::pieces(first, unit) {
                let at = (touched.space, addresses.map(|address| address.wrapping_add(offset)));
                Self::by_space(view, (warp, alike), at, size.into(), &mut each);
            }
        }
    }

    /// The same for an access of so many bytes.
    #[inline]
    fn by_space(
        view: &View<'_>,
        (warp, lanes): (usize, u32),
        (space, addresses): (Space, Lanes<u64>),
        bytes: u64,
        each: &mut impl FnMut(&Touch),
    ) {
        let cta = view.cta();
        let shared = space == Space::Shared && view.has_peers();
        if space != Space::Generic && !shared {
            let touch = Touch { warp, lanes, space, cta, addresses, bytes, low: 0, high: 0 };
            return touch.within(view, each);
        }
        let locations = addresses.map(|address| view.locate(space, address));
        let addresses = locations.map(|location| location.address);
        let mut left = lanes;
        while left != 0 {
            let first = locations[left.trailing_zeros() as usize % WARP];
            let alike = |lane: &Location| (lane.space, lane.cta) == (first.space, first.cta);
            let alike = LaneMask::from_fn(|lane| alike(&locations[lane])).0 & left;
            left &= !alike;
            let Location { space, cta, .. } = first;
            let touch = Touch { warp, lanes: alike, space, cta, addresses, bytes, low: 0, high: 0 };
            touch.within(view, each);
        }
    }

    /// Where a lane's access is that begins at an address of it.
    pub(crate) fn location(&self, address: u64) -> Location {
        Location { space: self.space, address, cta: self.cta }
    }

    /// The same as findings tell it.
    pub(crate) fn at(&self, view: &View<'_>, address: u64) -> At {
        let address = view.address_of(self.location(address));
        At { space: self.space, address, bytes: self.bytes }
    }

    /// The code of a race there.
    pub(crate) fn race(&self) -> Code {
        detail::race(self.space)
    }

    /// Leaves out the lanes that fault, and finds the ends.
    fn within(mut self, view: &View<'_>, each: &mut impl FnMut(&Touch)) {
        let size = match self.space {
            Space::Shared if view.has_exited(self.cta) => 0,
            Space::Shared => view.shared_bytes(),
            Space::Local => view.local_bytes(),
            Space::Global | Space::Generic | Space::Param => u64::MAX,
        };
        let last = size.checked_sub(self.bytes);
        let mut good = 0;
        (self.low, self.high) = (u64::MAX, 0);
        for lane in 0..WARP {
            let address = self.addresses[lane];
            let fits = last.is_some_and(|last| address <= last) && address & (self.bytes - 1) == 0;
            let executes = self.lanes >> lane & 1 != 0 && fits;
            good |= u32::from(executes) << lane;
            self.low = self.low.min(if executes { address } else { u64::MAX });
            self.high = self.high.max(if executes { address.wrapping_add(self.bytes) } else { 0 });
        }
        self.lanes = good;
        if good != 0 {
            each(&self);
        }
    }

    /// Whether an instruction leaves memory as it is: a load does, and a store or atomic of what is there already. `false`
    /// where that is not known.
    pub(crate) fn leaves(&self, view: &View<'_>, op: &Op) -> bool {
        let row = |src, bytes: u32| match bytes {
            8 => view.w64(src, self.warp),
            _ => view.w32(src, self.warp).map(u64::from),
        };
        let all = |bytes: u32| if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
        match op {
            Op::Store { values, access, .. } => {
                let bytes = access.bytes();
                bytes <= 8
                    && values.iter().zip(0u64..).all(|(value, nth)| {
                        let row = row(*value, bytes);
                        self.iter().all(|(lane, address)| {
                            let at = address + nth * u64::from(bytes);
                            let found = view.peek(self.location(at), (self.warp, lane), bytes);
                            found == Some(row[lane as usize] & all(bytes))
                        })
                    })
            }
            Op::Atomic { update, b, c, access, .. } => {
                let bytes = access.bytes();
                let (b, c) = (row(*b, bytes), row(*c, bytes));
                bytes <= 8
                    && self.iter().all(|(lane, address)| {
                        let [b, c] = [b, c].map(|row| row[lane as usize] & all(bytes));
                        view.peek(self.location(address), (self.warp, lane), bytes)
                            .is_some_and(|old| update.stored(old, b, c) & all(bytes) == old)
                    })
            }
            // What it reads is not looked at.
            Op::Copy(_) => false,
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Load { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::CopyProgress(_)
            | Op::Host { .. } => true,
        }
    }

    /// The range that adjacent lanes access without gaps, in ascending order; `None` if they do not.
    pub(crate) fn dense(&self) -> Option<(u64, u64)> {
        let width = u64::from(self.lanes.count_ones()) * self.bytes;
        let is_dense = self.high - self.low == width
            && self.iter().zip(0..).all(|((_, at), nth)| at == self.low + nth * self.bytes);
        is_dense.then_some((self.low, self.high))
    }

    /// The lanes with their addresses.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        LaneMask(self.lanes).iter().map(|lane| (lane, self.addresses[lane as usize]))
    }
}

/// How many bytes of a copy a thread reaches before one that is not there: what it copies, in pieces of up to `unit` bytes.
pub(crate) fn reached(
    view: &View<'_>,
    at: Location,
    thread: (usize, u32),
    (bytes, unit): (u64, u32),
) -> u64 {
    if bytes == 0 || view.holds(at, thread, bytes) {
        return bytes;
    }
    let there = |(offset, size): &(u64, u32)| {
        let at = Location { address: at.address.wrapping_add(*offset), ..at };
        view.holds(at, thread, u64::from(*size))
    };
    ir::pieces(bytes, unit).take_while(there).map(|(_, size)| u64::from(size)).sum()
}
