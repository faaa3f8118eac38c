//! M008: accesses to the shared memory of other CTAs of a cluster, which must have begun and not exited.
//!
//! Rules: CUDA C++ Programming Guide, "Distributed Shared Memory": all CTAs must have started to execute before their shared memory is
//! accessed, and must not exit before all such accesses are over. So a thread of the other CTA has done something that
//! happens before the access, and the access happens before the exit of some thread of it, whatever order this run had.

use super::clock::Clocks;
use super::judge::Extents;
use super::step::{Step, Thread};
use crate::code::Code;
use crate::detail::{Absent, At, NotThere};
use crate::finding::{Finding, Findings};
use crate::touch::Touch;
use foldhash::HashMap;
use ir::Place;
use vm::{AccessKind, View};

/// The last access of a thread to the shared memory of another CTA.
#[derive(Clone, Copy, Debug)]
struct Access {
    stamp: u32,
    place: Place,
    kind: AccessKind,
    at: At,
}

/// Accesses of threads to the shared memory of other CTAs.
#[derive(Debug, Default)]
pub(super) struct Presence {
    /// By the CTA whose memory it is: what nothing has shown to be over.
    open: HashMap<u64, HashMap<Thread, Access>>,
}

impl Presence {
    /// Lanes access the memory of another CTA.
    pub(super) fn accessed(
        &mut self,
        view: &View<'_>,
        touch: &Touch<'_>,
        clocks: &Clocks,
        (place, kind): (Place, AccessKind),
        found: &mut Findings,
    ) {
        let stamps = clocks.stamps(touch.warp);
        let open = self.open.entry(touch.cta).or_default();
        for (lane, address) in touch.iter() {
            let thread = Thread::new(view.cta(), touch.warp, lane);
            let at = touch.at(view, address);
            if !clocks.knows_of(thread, touch.cta as u32) {
                let rank = (touch.cta - view.cluster_ctas().start) as u32;
                found.report(Code::M008, place, None, || {
                    let why = Absent::MayNotHaveBegun;
                    let detail = NotThere { access: kind, at, rank, why };
                    Finding::new(place, view.thread(touch.warp, lane), detail)
                });
            }
            let stamp = stamps.of(lane as usize);
            open.insert(thread, Access { stamp, place, kind, at });
        }
    }

    /// Threads of a CTA exit: what one of them knows of is over.
    pub(super) fn exits(&mut self, view: &View<'_>, clocks: &Clocks) {
        let Some(open) = self.open.get_mut(&view.cta()) else { return };
        for (warp, lanes) in view.group() {
            for lane in lanes {
                if open.is_empty() {
                    return;
                }
                let exits = Thread::new(view.cta(), warp, lane);
                open.retain(|thread, access| {
                    let Thread { cta, warp, lane } = *thread;
                    let step = Step { cta, warp, lanes: 1 << lane, stamp: access.stamp };
                    clocks.known(exits, &step) == 0
                });
            }
        }
    }

    /// All threads of a CTA have exited.
    pub(super) fn end(&mut self, view: &View<'_>, extents: &Extents, found: &mut Findings) {
        let Some(open) = self.open.remove(&view.cta()) else { return };
        let rank = (view.cta() - view.cluster_ctas().start) as u32;
        let mut left: Vec<_> = open.into_iter().collect();
        left.sort_unstable_by_key(|(Thread { cta, warp, lane }, _)| (*cta, *warp, *lane));
        for (thread, Access { place, kind, at, .. }) in left {
            found.report(Code::M008, place, None, || {
                let detail = NotThere { access: kind, at, rank, why: Absent::MayHaveExited };
                Finding::new(place, extents.thread_id(thread), detail)
            });
        }
    }
}
