//! The accesses of asynchronous copies for race detection: to other threads they happen when the copying thread has waited for
//! the copy, not when the copy was issued.

use super::marks::Span;
use crate::touch::Touch;
use ir::Place;
use lanes::{Lanes, WARP};

/// Bytes that are told together: the largest access of an instruction.
const PIECE: u64 = 16;

/// What a copy does with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Reads,
    Writes,
    /// It changes each element by itself, atomically.
    Updates,
}

/// An access by copies of one instruction.
#[derive(Clone, Debug)]
struct Access {
    place: Place,
    part: Part,
    /// That of the lowest lane, for the space and the size.
    span: Span,
    lanes: u32,
    addresses: Lanes<u64>,
}

/// The accesses of copies for which lanes of a warp have waited in one instruction.
#[derive(Debug, Default)]
pub(super) struct Lasting {
    accesses: Vec<Access>,
}

impl Lasting {
    /// A copy of a lane did not end before now.
    pub(super) fn add(&mut self, lane: u32, place: Place, part: Part, span: Span) {
        let alike = |known: &&mut Access| {
            (known.place, known.part) == (place, part)
                && (known.span.space, known.span.bytes) == (span.space, span.bytes)
                && known.lanes >> lane & 1 == 0
        };
        let at = match self.accesses.iter_mut().find(alike) {
            Some(known) => known,
            None => {
                let (lanes, addresses) = (0, [0; WARP]);
                self.accesses.push(Access { place, part, span, lanes, addresses });
                let last = self.accesses.len() - 1;
                &mut self.accesses[last]
            }
        };
        at.lanes |= 1 << lane;
        at.addresses[lane as usize % WARP] = span.start;
    }

    /// Shows all of them, in pieces.
    pub(super) fn each(
        self,
        (cta, warp): (u64, usize),
        mut each: impl FnMut(&Touch<'_>, Place, Part),
    ) {
        for Access { place, part, span, lanes, addresses } in self.accesses {
            for start in (0..span.bytes).step_by(PIECE as usize) {
                let bytes = PIECE.min(span.bytes - start);
                let addresses = addresses.map(|address| address.wrapping_add(start));
                let touch = Touch::scattered((span.space, cta), (warp, lanes), &addresses, bytes);
                each(&touch, place, part);
            }
        }
    }
}
