//! Stores to shared memory that a bulk copy then accesses without a proxy fence (`fence.proxy.async`): the copy works through the
//! asynchronous proxy, and nothing else orders it after them.
//!
//! Which thread executes the fence, and whether a barrier follows it, is not tracked: a fence by any thread of the CTA covers all
//! earlier stores.

use super::marks::Span;
use crate::code::Code;
use crate::detail::{At, NoProxyFence};
use crate::finding::{Finding, Findings};
use crate::touch::Touch;
use foldhash::{HashMap, HashMapExt};
use ir::{BULK_UNIT, Place, Space};
use vm::ThreadId;

/// Stores to shared memory of a CTA that no fence has made visible to bulk copies.
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
        for (lane, address) in touch.iter() {
            self.stores.insert(address / BULK_UNIT, (place, thread(lane)));
        }
    }

    /// A bulk copy accesses bytes. What it writes no store is behind any more.
    pub(super) fn copied(
        &mut self,
        span: &Span,
        writes: bool,
        (place, thread): (Place, ThreadId),
        found: &mut Findings,
    ) {
        if span.space != Space::Shared || self.stores.is_empty() {
            return;
        }
        let units = || span.start / BULK_UNIT..span.start.saturating_add(span.bytes) / BULK_UNIT;
        let store = units().find_map(|unit| Some((unit, self.stores.get(&unit)?)));
        let Some((unit, (stored, by))) = store else { return };
        found.report(Code::R001, place, Some(*stored), || {
            let at = At { space: span.space, address: unit * BULK_UNIT, bytes: 1 };
            let (store, stored_by) = (*stored, *by);
            let detail = NoProxyFence { at, writes, bytes: span.bytes, store, stored_by };
            Finding::new(place, thread, detail)
        });
        if writes {
            units().for_each(|unit| {
                self.stores.remove(&unit);
            });
        }
    }
}
