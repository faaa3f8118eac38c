//! B001: more arrivals at a barrier object than its phase expects.
//!
//! Rules: PTX ISA 9.1, `mbarrier.arrive` (a count between one and the pending arrivals).

use crate::code::Code;
use crate::detail::TooManyArrivals;
use crate::finding::{Finding, Findings};
use crate::touch::Touches;
use foldhash::{HashMap, HashMapExt};
use ir::mbarrier::{arrivals, pending, step};
use ir::{Access, BinaryOp, Inst, Op, Update};
use vm::{Location, View};

/// Judges the arrivals of one instruction.
pub(crate) fn inst(view: &View<'_>, inst: &Inst, touches: &Touches, found: &mut Findings) {
    let Op::Atomic { update: Update::Apply(BinaryOp::MbarrierStep), b, .. } = &inst.op else {
        return;
    };
    // Lanes that arrive together do so one after another.
    let mut states: HashMap<Location, u64> = HashMap::new();
    for touch in touches.of(0) {
        let warp = touch.warp;
        let steps = view.w64(*b, warp);
        for (lane, at) in touch.iter() {
            let now = || view.peek(touch.location(at), (warp, lane), Access::B64.bytes());
            let Some(state) = states.get(&touch.location(at)).copied().or_else(now) else {
                continue;
            };
            let (left, come) = (pending(state), arrivals(steps[lane as usize]));
            if come > left {
                found.report(Code::B001, inst.place, None, || {
                    let detail = TooManyArrivals { arrivals: come, pending: left };
                    let thread = view.thread(warp, lane);
                    Finding::new(inst.place, thread, detail)
                });
            }
            states.insert(touch.location(at), step(state, steps[lane as usize]));
        }
    }
}
