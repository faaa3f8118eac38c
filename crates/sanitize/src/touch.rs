//! The bytes that the lanes of a warp access in one instruction.

use crate::code::Code;
use crate::detail::{self, At};
use ir::{Inst, Length, Op, Space, Touched};
use lanes::{LaneMask, Lanes, WARP};
use vm::{Location, View};

/// Lanes of a warp that access one space, each the same number of bytes. Lanes whose access faults are left
/// out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch<'t> {
    pub(crate) warp: usize,
    pub(crate) lanes: u32,
    /// Never [`Space::Generic`].
    pub(crate) space: Space,
    /// The CTA whose memory it is, if that is shared memory: another one's of the cluster perhaps. Else that of the lanes.
    pub(crate) cta: u64,
    shape: Shape<'t>,
    /// Bytes of one lane; their address is a multiple of it.
    pub(crate) bytes: u64,
    /// The lowest byte, and one past the highest.
    pub(crate) low: u64,
    pub(crate) high: u64,
}

/// Where each lane's access begins: an offset in the space, or the device address.
#[derive(Clone, Copy, Debug)]
enum Shape<'t> {
    /// All 32 lanes access adjacent elements, in order.
    Row,
    /// All lanes access the same element.
    Same,
    /// Each has an address of its own. Means nothing for lanes that access nothing.
    Each(&'t Lanes<u64>),
    /// The same, kept at this place by [`Touches`].
    Kept(usize),
}

/// A memory that an instruction names.
#[derive(Clone, Copy, Debug)]
struct Named {
    /// Its number among them ([`Op::touches`]).
    nth: usize,
    writes: bool,
}

/// What the group's lanes access in an instruction: found once for all detectors.
#[derive(Debug, Default)]
pub(crate) struct Touches {
    found: Vec<(Named, Touch<'static>)>,
    /// Those of lanes that have each their own, one behind the other.
    addresses: Vec<Lanes<u64>>,
    /// Whether every lane is looked at by itself.
    one_by_one: bool,
}

impl Touches {
    /// For looking at every lane by itself.
    pub(crate) fn one_by_one() -> Touches {
        Touches { one_by_one: true, ..Touches::default() }
    }

    /// Nobody accesses anything.
    pub(crate) fn clear(&mut self) {
        self.found.clear();
        self.addresses.clear();
    }

    /// Finds what the group's lanes access in an instruction.
    pub(crate) fn find(&mut self, view: &View<'_>, inst: &Inst) {
        self.clear();
        // What was just written is looked at and kept where it is, since a copy would wait for it.
        for (nth, touched) in inst.op.touched().iter().flatten().enumerate() {
            let named = Named { nth, writes: touched.writes };
            for (warp, lanes) in view.group() {
                let lanes = (warp, lanes.0);
                // Most accesses have a shape.
                if let (Length::Whole(bytes), false) = (touched.length, self.one_by_one) {
                    if let Some(row) = Touch::row(view, lanes, touched, bytes) {
                        self.found.push((named, row));
                        continue;
                    }
                    if let Some(lone) = Touch::lone(view, lanes, touched, bytes) {
                        self.found.push((named, lone));
                        continue;
                    }
                }
                Touch::each(view, lanes, touched, |touch| self.take(named, touch));
            }
        }
    }

    fn take(&mut self, named: Named, touch: Touch<'_>) {
        let Touch { shape, warp, lanes, space, cta, bytes, low, high } = touch;
        let kept = Shape::Kept(self.addresses.len());
        let shape = match shape {
            Shape::Row if !self.one_by_one => Shape::Row,
            Shape::Same if !self.one_by_one => Shape::Same,
            Shape::Each(addresses) => {
                self.addresses.push(*addresses);
                kept
            }
            Shape::Row | Shape::Same | Shape::Kept(_) => {
                self.addresses.push(std::array::from_fn(|lane| touch.address(lane as u32)));
                kept
            }
        };
        self.found.push((named, Touch { shape, warp, lanes, space, cta, bytes, low, high }));
    }

    /// Of one of the memories that the instruction names: what lanes access of it, warp by warp, by the space to which their
    /// addresses lead, and for each piece of what is longer than an access.
    #[inline]
    pub(crate) fn of(&self, nth: usize) -> impl Iterator<Item = Touch<'_>> {
        self.all().filter(move |(named, _)| named.nth == nth).map(|(_, touch)| touch)
    }

    /// The same of the memory that the instruction reads, or writes.
    #[inline]
    pub(crate) fn that(&self, writes: bool) -> impl Iterator<Item = Touch<'_>> {
        self.all().filter(move |(named, _)| named.writes == writes).map(|(_, touch)| touch)
    }

    #[inline]
    fn all(&self) -> impl Iterator<Item = (Named, Touch<'_>)> {
        self.found.iter().map(|(named, touch)| match touch.shape {
            Shape::Kept(at) => {
                (*named, Touch { shape: Shape::Each(&self.addresses[at]), ..*touch })
            }
            Shape::Row | Shape::Same | Shape::Each(_) => (*named, *touch),
        })
    }
}

impl<'t> Touch<'t> {
    /// What one lane accesses.
    pub(crate) fn one(at: Location, (warp, lane): (usize, u32), bytes: u64) -> Touch<'t> {
        let Location { space, address: low, cta } = at;
        let (lanes, shape, high) = (1 << lane, Shape::Same, low.saturating_add(bytes));
        Touch { warp, lanes, space, cta, shape, bytes, low, high }
    }

    /// Lanes that access so many bytes each, at addresses of their own.
    pub(crate) fn scattered(
        (space, cta): (Space, u64),
        (warp, lanes): (usize, u32),
        addresses: &'t Lanes<u64>,
        bytes: u64,
    ) -> Touch<'t> {
        let used = || LaneMask(lanes).iter().map(|lane| addresses[lane as usize % WARP]);
        let (low, high) = (used().min().unwrap_or(0), used().max().unwrap_or(0) + bytes);
        let shape = Shape::Each(addresses);
        Touch { warp, lanes, space, cta, shape, bytes, low, high }
    }

    /// Calls `each` for the lanes of a warp, by the space that they access, and for each piece of what is longer than an access.
    #[inline]
    pub(crate) fn each(
        view: &View<'_>,
        (warp, lanes): (usize, u32),
        touched: &Touched<'_>,
        mut each: impl FnMut(Touch<'_>),
    ) {
        let unit = match touched.length {
            Length::Whole(bytes) => {
                if lanes.is_power_of_two() {
                    return Touch::lone(view, (warp, lanes), touched, bytes)
                        .into_iter()
                        .for_each(each);
                }
                let addresses = view.address(touched.address, warp);
                let at = (touched.space, &addresses);
                return by_space(view, (warp, lanes), at, bytes, &mut each);
            }
            Length::Counted { unit, .. } => unit,
        };
        let addresses = view.address(touched.address, warp);
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
                let at = addresses.map(|address| address.wrapping_add(offset));
                by_space(view, (warp, alike), (touched.space, &at), size.into(), &mut each);
            }
        }
    }

    /// The access of a lane that is alone. `None` if it is not, or not all of it is there.
    #[inline(always)]
    fn lone(
        view: &View<'_>,
        (warp, lanes): (usize, u32),
        touched: &Touched<'_>,
        bytes: u64,
    ) -> Option<Touch<'t>> {
        let lane = lanes.is_power_of_two().then(|| lanes.trailing_zeros())?;
        let at = view.locate(touched.space, view.address_in(touched.address, (warp, lane)));
        let fits = last_fit(view, at, bytes).is_some_and(|last| at.address <= last);
        (fits && at.address & (bytes - 1) == 0).then(|| Touch::one(at, (warp, lane), bytes))
    }

    /// The access of a whole warp to elements in a row. `None` if it is not one, or not all of it is there.
    #[inline]
    fn row(
        view: &View<'_>,
        (warp, lanes): (usize, u32),
        touched: &Touched<'_>,
        bytes: u64,
    ) -> Option<Touch<'t>> {
        if lanes != u32::MAX {
            return None;
        }
        let first = view.adjacent(touched.address, warp, bytes)?;
        let last = first + (WARP as u64 - 1) * bytes;
        if touched.space == Space::Global {
            let (space, cta, shape) = (Space::Global, view.cta(), Shape::Row);
            let touch =
                Touch { warp, lanes, space, cta, shape, bytes, low: first, high: last + bytes };
            return (first & (bytes - 1) == 0).then_some(touch);
        }
        let [at, end] = [first, last].map(|address| view.locate(touched.space, address));
        // Spaces and the memories of CTAs lie apart in one piece each.
        let in_one = (at.space, at.cta) == (end.space, end.cta)
            && end.address.wrapping_sub(at.address) == last - first;
        let fits = last_fit(view, at, bytes).is_some_and(|last| end.address <= last);
        let (low, high) = (at.address, end.address.wrapping_add(bytes));
        let is_there = in_one && fits && low < high && low & (bytes - 1) == 0;
        let (space, cta, shape) = (at.space, at.cta, Shape::Row);
        is_there.then_some(Touch { warp, lanes, space, cta, shape, bytes, low, high })
    }

    /// Where a lane's access begins.
    #[inline]
    pub(crate) fn address(&self, lane: u32) -> u64 {
        match &self.shape {
            Shape::Row => self.low.wrapping_add(u64::from(lane) * self.bytes),
            Shape::Same | Shape::Kept(_) => self.low,
            Shape::Each(addresses) => addresses[lane as usize % WARP],
        }
    }

    /// Whether all 32 lanes access adjacent elements, in order.
    #[inline]
    pub(crate) fn is_row(&self) -> bool {
        matches!(self.shape, Shape::Row)
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
        if self.is_row() || self.lanes.is_power_of_two() {
            return Some((self.low, self.high));
        }
        let width = u64::from(self.lanes.count_ones()) * self.bytes;
        let is_dense = self.high - self.low == width
            && self.iter().zip(0..).all(|((_, at), nth)| at == self.low + nth * self.bytes);
        is_dense.then_some((self.low, self.high))
    }

    /// The lanes with their addresses.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        LaneMask(self.lanes).iter().map(|lane| (lane, self.address(lane)))
    }
}

/// Calls `each` for lanes of a warp that access so many bytes each, by the space that addresses lead to.
#[inline]
fn by_space(
    view: &View<'_>,
    (warp, lanes): (usize, u32),
    (space, addresses): (Space, &Lanes<u64>),
    bytes: u64,
    each: &mut impl FnMut(Touch<'_>),
) {
    let cta = view.cta();
    let shared = space == Space::Shared && view.has_peers();
    if space != Space::Generic && !shared {
        return within(view, (space, cta), (warp, lanes), addresses, bytes, each);
    }
    let locations = addresses.map(|address| view.locate(space, address));
    let addresses = locations.map(|location| location.address);
    let mut left = lanes;
    while left != 0 {
        let first = locations[left.trailing_zeros() as usize % WARP];
        let alike = |lane: &Location| (lane.space, lane.cta) == (first.space, first.cta);
        let alike = LaneMask::from_fn(|lane| alike(&locations[lane])).0 & left;
        left &= !alike;
        within(view, (first.space, first.cta), (warp, alike), &addresses, bytes, each);
    }
}

/// Leaves out the lanes that fault, and finds the ends.
fn within(
    view: &View<'_>,
    (space, cta): (Space, u64),
    (warp, lanes): (usize, u32),
    addresses: &Lanes<u64>,
    bytes: u64,
    each: &mut impl FnMut(Touch<'_>),
) {
    let last = last_fit(view, Location { space, address: 0, cta }, bytes);
    let (mut good, mut same) = (0, true);
    let (mut low, mut high) = (u64::MAX, 0);
    let first = addresses[lanes.trailing_zeros() as usize % WARP];
    for lane in LaneMask(lanes) {
        let address = addresses[lane as usize % WARP];
        let fits = last.is_some_and(|last| address <= last) && address & (bytes - 1) == 0;
        good |= u32::from(fits) << lane;
        same &= address == first;
        low = low.min(if fits { address } else { u64::MAX });
        high = high.max(if fits { address.wrapping_add(bytes) } else { 0 });
    }
    if good != 0 {
        let shape = if same { Shape::Same } else { Shape::Each(addresses) };
        each(Touch { warp, lanes: good, space, cta, shape, bytes, low, high });
    }
}

/// The last address in a space at which so many bytes are all in it; `None` if there is none.
fn last_fit(view: &View<'_>, at: Location, bytes: u64) -> Option<u64> {
    let size = match at.space {
        Space::Shared if at.cta != view.cta() && view.has_exited(at.cta) => 0,
        Space::Shared => view.shared_bytes(),
        Space::Local => view.local_bytes(),
        Space::Global | Space::Generic | Space::Param => u64::MAX,
    };
    size.checked_sub(bytes)
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
