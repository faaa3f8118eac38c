//! M001 within shared, local and parameter memory: accesses between variables, which the VM lets pass.

use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::touch::Touch;
use foldhash::HashMap;
use ir::{Frame, Inst, Kernel, Op, Place, Space};
use lanes::{LaneMask, WARP};
use std::ops::Range;
use vm::{AccessKind, View};

/// Watches what lies between variables.
#[derive(Debug)]
pub(crate) struct Bounds {
    shared: Vec<Range<u64>>,
    params: Vec<Range<u64>>,
    frames: Vec<Frame>,
    /// By instruction, what local memory holds between the variables of the functions that run.
    local: HashMap<Place, Vec<Range<u64>>>,
}

impl Bounds {
    pub(crate) fn new(kernel: &Kernel) -> Bounds {
        let frames = kernel.frames.iter().filter(|frame| !frame.variables.is_empty());
        Bounds {
            shared: wide(&kernel.shared_gaps),
            params: wide(&kernel.param_gaps),
            frames: frames.cloned().collect(),
            local: HashMap::default(),
        }
    }

    #[inline]
    pub(crate) fn inst(&mut self, view: &View<'_>, inst: &Inst, found: &mut Findings) {
        let Some(touched) = inst.op.touches() else { return };
        let nothing = match touched.space {
            Space::Global => true,
            Space::Shared => self.shared.is_empty(),
            Space::Param => self.params.is_empty(),
            Space::Local => self.frames.is_empty(),
            Space::Generic => {
                self.shared.is_empty() && self.params.is_empty() && self.frames.is_empty()
            }
        };
        if nothing {
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
                let gaps = match touch.space {
                    Space::Shared => &self.shared,
                    Space::Param => &self.params,
                    Space::Local => {
                        let (frames, place) = (&self.frames, inst.place);
                        self.local.entry(place).or_insert_with(|| between(frames, place))
                    }
                    Space::Global | Space::Generic => return,
                };
                let overlaps = |gap: &&Range<u64>| touch.low < gap.end && gap.start < touch.high;
                for gap in gaps.iter().filter(overlaps) {
                    report(view, touch, gap, kind, inst.place, found);
                }
            });
        }
    }
}

/// What lies between and behind the variables of the functions that run at an instruction. Nothing is known of kernels
/// without frames.
fn between(frames: &[Frame], place: Place) -> Vec<Range<u64>> {
    let run = frames.iter().filter(|frame| frame.places.contains(&place.0));
    let variables = || run.clone().flat_map(|frame| &frame.variables);
    let mut gaps = wide(&ir::gaps(variables().cloned()));
    if !frames.is_empty() {
        let end = variables().map(|variable| variable.end).max().unwrap_or(0);
        gaps.push(end.into()..u64::MAX);
    }
    gaps
}

fn wide(ranges: &[Range<u32>]) -> Vec<Range<u64>> {
    ranges.iter().map(|range| range.start.into()..range.end.into()).collect()
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
        let before = match touch.space {
            Space::Shared => "the variable in shared memory before it",
            Space::Local => "the variable in local memory before it",
            Space::Param => "the parameter before it",
            Space::Global | Space::Generic => "the memory before it",
        };
        Finding::new(Code::M001, place, thread, message)
            .label(thread.to_string())
            .fact(format!("{before} ends at {end:#x}"))
    });
}
