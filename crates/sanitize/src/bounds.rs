//! M001 within shared, local and parameter memory: accesses between variables, which are no fault in the VM.

use crate::code::Code;
use crate::detail::BetweenVariables;
use crate::finding::{Finding, Findings};
use crate::touch::{Touch, Touches};
use foldhash::HashMap;
use ir::{Frame, Inst, Kernel, Op, Place, Space, Touched};
use lanes::LaneMask;
use std::cmp::Reverse;
use std::ops::Range;
use vm::{AccessKind, View};

/// Watches what lies between variables.
#[derive(Debug)]
pub(crate) struct Bounds {
    shared: Vec<Range<u64>>,
    params: Vec<Range<u64>>,
    frames: Frames,
    /// By the innermost function that runs, what local memory holds between the variables of all that run.
    local: HashMap<Option<usize>, Vec<Range<u64>>>,
}

/// The functions that have variables in local memory, once per call.
#[derive(Debug)]
struct Frames {
    /// Those that begin first come first, and callers before those whom they call at once.
    sorted: Vec<Frame>,
    /// Per frame, the last one before it that goes on when it begins.
    around: Vec<Option<usize>>,
}

impl Frames {
    fn new(kernel: &Kernel) -> Frames {
        let frames = kernel.frames.iter().filter(|frame| !frame.variables.is_empty());
        let mut sorted: Vec<_> = frames.cloned().collect();
        sorted.sort_by_key(|frame| (frame.places.start, Reverse(frame.places.end)));
        let mut around = Vec::with_capacity(sorted.len());
        let mut open: Vec<usize> = Vec::new();
        for (nth, frame) in sorted.iter().enumerate() {
            while open.last().is_some_and(|top| sorted[*top].places.end <= frame.places.start) {
                open.pop();
            }
            around.push(open.last().copied());
            open.push(nth);
        }
        Frames { sorted, around }
    }

    /// The innermost of the functions that run at an instruction.
    fn at(&self, place: Place) -> Option<usize> {
        let begun = self.sorted.partition_point(|frame| frame.places.start <= place.0);
        let last = begun.checked_sub(1);
        self.outwards(last).find(|nth| self.sorted[*nth].places.contains(&place.0))
    }

    /// A frame and those around it.
    fn outwards(&self, from: Option<usize>) -> impl Iterator<Item = usize> + Clone + '_ {
        std::iter::successors(from, |nth| self.around[*nth])
    }

    /// What lies between and behind the variables of the functions that run where this one is the innermost. Nothing is known
    /// of kernels without frames.
    fn between(&self, innermost: Option<usize>) -> Vec<Range<u64>> {
        let run = self.outwards(innermost).map(|nth| &self.sorted[nth]);
        let variables = || run.clone().flat_map(|frame| &frame.variables);
        let mut gaps = wide(&ir::gaps(variables().cloned()));
        if !self.sorted.is_empty() {
            let end = variables().map(|variable| variable.end).max().unwrap_or(0);
            gaps.push(end.into()..u64::MAX);
        }
        gaps
    }
}

impl Bounds {
    pub(crate) fn new(kernel: &Kernel) -> Bounds {
        Bounds {
            shared: wide(&kernel.shared_gaps),
            params: wide(&kernel.param_gaps),
            frames: Frames::new(kernel),
            local: HashMap::default(),
        }
    }

    #[inline]
    pub(crate) fn inst(
        &mut self,
        view: &View<'_>,
        inst: &Inst,
        touches: &Touches,
        found: &mut Findings,
    ) {
        for (nth, touched) in inst.op.touches().enumerate() {
            if !self.has_nothing_in(touched.space) {
                self.touched(view, inst, (touched, touches.of(nth)), found);
            }
        }
    }

    /// Whether anybody wants to know what is accessed in a space. Parameters are written by the host.
    pub(crate) fn looks_at(&self, space: Space) -> bool {
        space != Space::Param || !self.has_nothing_in(space)
    }

    /// Whether a space has nothing between variables, as far as is known.
    fn has_nothing_in(&self, space: Space) -> bool {
        match space {
            Space::Global => true,
            Space::Shared => self.shared.is_empty(),
            Space::Param => self.params.is_empty(),
            Space::Local => self.frames.sorted.is_empty(),
            Space::Generic => {
                self.shared.is_empty() && self.params.is_empty() && self.frames.sorted.is_empty()
            }
        }
    }

    fn touched<'t>(
        &mut self,
        view: &View<'_>,
        inst: &Inst,
        (touched, touches): (Touched<'_>, impl Iterator<Item = Touch<'t>>),
        found: &mut Findings,
    ) {
        let kind = match (touched.writes, matches!(inst.op, Op::Atomic { .. })) {
            (_, true) => AccessKind::Atomic,
            (true, false) => AccessKind::Store,
            (false, false) => AccessKind::Load,
        };
        for touch in touches {
            let gaps = match touch.space {
                Space::Shared => &self.shared,
                Space::Param => &self.params,
                Space::Local => {
                    let (frames, innermost) = (&self.frames, self.frames.at(inst.place));
                    self.local.entry(innermost).or_insert_with(|| frames.between(innermost))
                }
                Space::Global | Space::Generic => continue,
            };
            // They are sorted and apart.
            let first = gaps.partition_point(|gap| gap.end <= touch.low);
            for gap in gaps[first..].iter().take_while(|gap| gap.start < touch.high) {
                report(view, &touch, gap, kind, inst.place, found);
            }
        }
    }
}

fn wide(ranges: &[Range<u32>]) -> Vec<Range<u64>> {
    ranges.iter().map(|range| range.start.into()..range.end.into()).collect()
}

/// Reports the lanes that access a gap, if there are any.
fn report(
    view: &View<'_>,
    touch: &Touch<'_>,
    gap: &Range<u64>,
    kind: AccessKind,
    place: Place,
    found: &mut Findings,
) {
    let is_in = |at: u64| at < gap.end && gap.start < at + touch.bytes;
    let lanes: LaneMask =
        touch.iter().filter(|(_, address)| is_in(*address)).map(|(lane, _)| lane).collect();
    let Some(lane) = lanes.lowest() else { return };
    found.report(Code::M001, place, None, || {
        let at = touch.at(view, touch.address(lane));
        let end = view.address_of(touch.location(gap.start));
        let detail = BetweenVariables { access: kind, at, end };
        Finding::new(place, view.thread(touch.warp, lane), detail)
    });
}
