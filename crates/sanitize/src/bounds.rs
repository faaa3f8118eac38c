//! M001 in shared memory: accesses between variables, which the VM lets pass.

use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::touch::Touch;
use ir::{Inst, Kernel, Op, Place, Space};
use lanes::{LaneMask, WARP};
use std::ops::Range;
use vm::{AccessKind, View};

/// Watches the gaps between the variables of shared memory.
#[derive(Debug)]
pub(crate) struct Bounds {
    gaps: Vec<Range<u64>>,
}

impl Bounds {
    pub(crate) fn new(kernel: &Kernel) -> Bounds {
        let gaps = kernel.shared_gaps.iter().map(|gap| gap.start.into()..gap.end.into());
        Bounds { gaps: gaps.collect() }
    }

    #[inline]
    pub(crate) fn inst(&self, view: &View<'_>, inst: &Inst, found: &mut Findings) {
        if self.gaps.is_empty() {
            return;
        }
        let Some(touched) = inst.op.touches() else { return };
        if !matches!(touched.space, Space::Shared | Space::Generic) {
            return;
        }
        let kind = match (touched.writes, matches!(inst.op, Op::Atomic { .. })) {
            (_, true) => AccessKind::Atomic,
            (true, false) => AccessKind::Store,
            (false, false) => AccessKind::Load,
        };
        let (space, address, bytes) = (touched.space, touched.address, touched.bytes);
        for (warp, lanes) in view.group() {
            Touch::each(view, (warp, lanes.0), space, address, bytes, |touch| {
                let overlaps = |gap: &&Range<u64>| touch.low < gap.end && gap.start < touch.high;
                if touch.space == Space::Shared {
                    for gap in self.gaps.iter().filter(overlaps) {
                        report(view, touch, gap, kind, inst.place, found);
                    }
                }
            });
        }
    }
}

/// Reports the lanes that access a gap, if there are any.
fn report(
    view: &View<'_>,
    touch: &Touch,
    gap: &Range<u64>,
    kind: AccessKind,
    place: Place,
    found: &mut Findings,
) {
    let is_in = |at: u64| at < gap.end && gap.start < at + touch.bytes;
    let lanes = LaneMask::from_fn(|lane| is_in(touch.addresses[lane])) & LaneMask(touch.lanes);
    let Some(lane) = lanes.lowest() else { return };
    found.report(Code::M001, place, None, || {
        let (at, end) = (touch.addresses[lane as usize % WARP], gap.start);
        let (what, thread) = (kind.word(), view.thread(touch.warp, lane));
        let message = format!("out-of-bounds {what} of {} bytes at {at:#x}", touch.bytes);
        Finding::new(Code::M001, place, thread, message)
            .label(thread.to_string())
            .fact(format!("the variable in shared memory before it ends at {end:#x}"))
    });
}
