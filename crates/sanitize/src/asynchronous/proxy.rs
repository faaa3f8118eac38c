//! Stores to shared memory that a bulk copy or a warpgroup's product of matrices then accesses without a proxy fence
//! (`fence.proxy.async`): these work through the asynchronous proxy, and nothing else orders them after the stores.
//!
//! Which thread executes the fence, and whether a barrier follows it, is not tracked: a fence by any thread of the CTA covers all
//! earlier stores.

use super::marks::Span;
use crate::code::Code;
use crate::detail::{At, NoProxyFence, ProxyUser};
use crate::finding::{Finding, Findings};
use crate::touch::Touch;
use foldhash::{HashMap, HashMapExt};
use ir::{BULK_UNIT, Place, Space};
use vm::ThreadId;

/// Stores to shared memory of a CTA that no fence has made visible to the asynchronous proxy.
#[derive(Debug)]
pub(super) struct Unfenced {
    /// The last store to each unit of bulk copies.
    stores: HashMap<u64, (Place, ThreadId)>,
}

impl Unfenced {
    pub(super) fn new() -> Unfenced {
        Unfenced { stores: HashMap::new() }
    }

    pub(super) fn clear(&mut self) {
        self.stores.clear();
    }

    pub(super) fn stored(
        &mut self,
        touch: &Touch<'_>,
        place: Place,
        thread: impl Fn(u32) -> ThreadId,
    ) {
        for (lane, start) in touch.iter() {
            let span = Span { space: touch.space, start, bytes: touch.bytes };
            self.stores.extend(units(&span).map(|unit| (unit, (place, thread(lane)))));
        }
    }

    /// A bulk copy accesses bytes. What it writes no store is behind any more.
    pub(super) fn copied(
        &mut self,
        span: &Span,
        writes: bool,
        at: (Place, ThreadId),
        found: &mut Findings,
    ) {
        self.accessed(span, (ProxyUser::Copy, writes), at, found);
        if writes && span.space == Space::Shared {
            units(span).for_each(|unit| {
                self.stores.remove(&unit);
            });
        }
    }

    /// Something accesses bytes through the asynchronous proxy.
    pub(super) fn accessed(
        &self,
        span: &Span,
        (user, writes): (ProxyUser, bool),
        (place, thread): (Place, ThreadId),
        found: &mut Findings,
    ) {
        if span.space != Space::Shared || self.stores.is_empty() {
            return;
        }
        let store = units(span).find_map(|unit| Some((unit, self.stores.get(&unit)?)));
        let Some((unit, (stored, by))) = store else { return };
        // The fence is missing behind the store, whatever else reads what it has stored.
        found.report(Code::R001, *stored, None, || {
            let at = At { space: span.space, address: unit * BULK_UNIT, bytes: 1 };
            let (store, stored_by) = (*stored, *by);
            let detail = NoProxyFence { at, by: user, writes, bytes: span.bytes, store, stored_by };
            Finding::new(place, thread, detail)
        });
    }
}

/// The units of bulk copies that bytes are parts of.
fn units(span: &Span) -> std::ops::Range<u64> {
    span.start / BULK_UNIT..span.start.saturating_add(span.bytes).div_ceil(BULK_UNIT)
}
