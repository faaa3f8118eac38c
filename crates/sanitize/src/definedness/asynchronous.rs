//! Asynchronous copies: what is undefined at the source is undefined at the destination.

use super::Scene;
use super::memory::low_bits;
use crate::detail::Use;
use crate::shadow::transfer;
use crate::touch::{Touch, reached};
use ir::{Access, Address, AsyncCopy, ElementUpdate, Inst, Place, Space, pieces};
use lanes::{LaneMask, WARP};
use vm::Location;

/// Undefined bits are copied with where they come from, a word at a time.
const WORD: u32 = 4;

impl Scene<'_, '_> {
    pub(super) fn copy(&mut self, inst: &Inst, copy: &AsyncCopy) {
        for base in copy.sources() {
            self.address(&Address { base, offset: 0 }, inst.place);
        }
        let view = self.view;
        for (warp, lanes) in view.group() {
            let [bytes, read] = [copy.bytes, copy.read].map(|src| view.w32(src, warp));
            let [from, to] = [copy.from, copy.to].map(|(space, address)| {
                view.address(&address, warp).map(|address| view.locate(space, address))
            });
            for lane in lanes {
                let at = lane as usize % WARP;
                let (bytes, from, to) = (u64::from(bytes[at]), from[at], to[at]);
                let read = bytes.min(read[at].into());
                let is_there =
                    |at, count| reached(view, at, (warp, lane), (count, copy.unit)) == count;
                if is_there(from, read) && is_there(to, bytes) {
                    let part = |at: Location, bytes| Touch::one(at, (warp, lane), bytes);
                    let parts = (part(from, read), part(to, bytes));
                    match copy.update {
                        None => self.copied(parts, copy.unit, inst.place),
                        Some(element) => self.updated(parts, element, inst.place),
                    }
                }
            }
        }
    }

    /// A lane updates elements by others.
    fn updated(
        &mut self,
        (from, to): (Touch<'_>, Touch<'_>),
        ElementUpdate { op, access }: ElementUpdate,
        place: Place,
    ) {
        let (warp, lane) = (to.warp, to.lanes.trailing_zeros());
        for offset in (0..from.bytes).step_by(access.bytes() as usize) {
            let bytes = access.bytes() as usize;
            let (at, into) = (from.low + offset, to.low + offset);
            let read = self.memory_bits(&from, lane, at, bytes);
            let old = self.memory_bits(&to, lane, into, bytes);
            if read | old == 0 {
                continue;
            }
            let (part, start) = if read != 0 { (&from, at) } else { (&to, into) };
            let origin = match self.memory_origin(part, lane, start, bytes) {
                Some(origin) => origin,
                None => self.unwritten(part, lane, start, place),
            };
            let mut read = read;
            if read != 0 && to.space == Space::Global {
                self.report_origin(
                    origin,
                    (warp, LaneMask::single(lane)),
                    place,
                    Use::GlobalAtomic,
                );
                read = 0;
            }
            let new = transfer::update(op, [old, read]) & low_bits(bytes);
            self.store_bits(&to, (lane, into), bytes, (new, origin.computed()));
        }
    }

    /// A lane copies as many bytes as it reads, and clears the rest.
    fn copied(&mut self, (from, to): (Touch<'_>, Touch<'_>), unit: u32, place: Place) {
        let (warp, lane) = (to.warp, to.lanes.trailing_zeros());
        let clean = match from.space {
            Space::Param | Space::Generic => true,
            Space::Global => self.global.is_clean(),
            Space::Shared => {
                self.shared(&from).is_some_and(|it| it.is_defined(from.low, from.high))
            }
            Space::Local => false,
        };
        match to.space {
            Space::Shared if clean => {
                return self.shared(&to).into_iter().for_each(|it| it.define(to.low, to.high));
            }
            Space::Global if clean && self.global.is_clean() => return,
            Space::Shared | Space::Global | Space::Local | Space::Generic | Space::Param => {}
        }
        for (offset, size) in pieces(from.bytes, unit) {
            let location = from.location(from.low + offset);
            let piece = Touch::one(location, (warp, lane), size.into());
            for (within, bytes) in pieces(size.into(), unit.min(WORD)) {
                let (at, into) = (piece.low + within, to.low + offset + within);
                let bits = self.memory_bits(&piece, lane, at, bytes as usize);
                let origin = match self.memory_origin(&piece, lane, at, bytes as usize) {
                    _ if bits == 0 => Default::default(),
                    Some(origin) => origin,
                    None => self.unwritten(&piece, lane, at, place),
                };
                let padding =
                    bits != 0 && self.reads_padding(&piece, lane, piece.low, (Access::B64, place));
                let origin = if padding { origin.padding() } else { origin };
                let whole = bits.count_ones() == 8 * bytes;
                let mut left = bits;
                if bits != 0
                    && to.space == Space::Global
                    && (self.pedantic || self.leaves(origin, whole))
                {
                    let lanes = LaneMask::single(lane);
                    self.report_origin(origin, (warp, lanes), place, Use::GlobalStore);
                    left = 0;
                }
                self.store_bits(&to, (lane, into), bytes as usize, (left, origin));
            }
        }
        for (offset, bytes) in pieces(to.bytes - from.bytes, WORD) {
            let into = to.low + from.bytes + offset;
            self.store_bits(&to, (lane, into), bytes as usize, (0, Default::default()));
        }
    }
}
