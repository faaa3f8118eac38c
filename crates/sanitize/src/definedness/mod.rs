//! M004, M005, W002, W010: undefined values, from where they arise to where they are used.
//!
//! An undefined value is one of a register or of memory that nothing wrote, or the result of a collective that the
//! ISA leaves undefined. It may be moved and computed with freely; compilers do. It is reported where a defined value
//! is required: at a branch, a guard, an address, a membermask, a barrier's number, or a
//! store to global memory, which the host can see. It is reported once and counts as defined from then on.
//!
//! Bytes that are copied with a structure and hold nothing (padding) may be undefined anywhere. They are distinguished
//! from values by where they arise: in a load that reads defined bytes too, and with nothing computed from them
//! since.

mod asynchronous;
mod collective;
mod compute;
mod copies;
mod memory;
mod product;
mod uses;

use crate::anew::Anew;
use crate::detail::{Born, Use};
use crate::finding::Findings;
use crate::per_cta::PerCta;
use crate::shadow::term::Term;
use crate::shadow::{Births, GlobalShadow, Kind, Origin, Registers, Shadow};
use crate::straight::Summary;
use crate::touch::Touches;
use foldhash::HashSet;
use ir::{Class, Inst, Kernel, Op, Place, Pred, Reg, Src, Terminator};
use lanes::{Lanes, WARP};
use std::ops::Range;
use std::sync::Arc;
use vm::{Arrival, BARRIERS, BarrierArrival, BarrierPart, Firing, HeapEvent, View};

/// What is undefined in a CTA.
#[derive(Debug)]
struct Cta {
    registers: Registers,
    /// Per thread that has used it.
    local: Anew<Vec<Option<Shadow>>>,
    /// Local memory that nothing has written.
    new_local: Shadow,
    /// Per barrier, an undefined predicate that was brought to it.
    votes: [Option<Origin>; BARRIERS],
}

/// Follows undefined values.
#[derive(Debug)]
pub(crate) struct Definedness {
    kernel: Arc<Kernel>,
    /// Loads that copy structures word by word.
    word_copies: HashSet<Place>,
    /// Stores of the bytes between two members of a structure.
    padding_stores: HashSet<Place>,
    pedantic: bool,
    ctas: PerCta<Cta>,
    /// Apart from the rest: CTAs of a cluster access each other's.
    shared: PerCta<Shadow>,
    global: GlobalShadow,
    births: Births,
}

/// One operand of a class in every lane of a warp.
enum Row {
    Narrow(Lanes<u32>),
    Wide(Lanes<u64>),
}

impl Row {
    fn of(view: &View<'_>, src: Src, class: Class, warp: usize) -> Row {
        match class {
            Class::W64 => Row::Wide(view.w64(src, warp)),
            Class::W32 | Class::Pred => Row::Narrow(view.w32(src, warp)),
        }
    }

    fn at(&self, lane: u32) -> u64 {
        match self {
            Row::Narrow(row) => u64::from(row[lane as usize]),
            Row::Wide(row) => row[lane as usize],
        }
    }
}

/// The register of an operand.
fn reg_of(src: Src) -> Option<Reg> {
    match src {
        Src::Reg(reg) => Some(reg),
        Src::Imm(_) => None,
    }
}

/// What a register holds that nothing wrote: the same wherever it is read.
fn unwritten_register(reg: Reg, warp: usize, lane: u32) -> Term {
    Term::of(1 << 63 | u64::from(reg.0) << 31 | (warp as u64 * WARP as u64 + u64::from(lane)))
}

/// What detectors of undefined values work on during an event.
struct Scene<'a, 'v> {
    cta: &'a mut Cta,
    shared: &'a mut PerCta<Shadow>,
    global: &'a mut GlobalShadow,
    births: &'a mut Births,
    word_copies: &'a HashSet<Place>,
    padding_stores: &'a HashSet<Place>,
    findings: &'a mut Findings,
    view: &'a View<'v>,
    pedantic: bool,
}

impl Scene<'_, '_> {
    /// The undefined bits of an operand in a lane.
    fn bits(&self, src: Src, warp: usize, lane: u32) -> u64 {
        reg_of(src).map_or(0, |reg| self.cta.registers.bits(reg, warp, lane))
    }

    /// The lanes in which a bit of an operand is undefined.
    fn undefined(&self, src: Src, warp: usize) -> u32 {
        reg_of(src).map_or(0, |reg| self.cta.registers.undefined(reg, warp))
    }

    /// Where the undefined bits of a register come from: a register that nothing wrote is undefined from here,
    /// where it is read.
    fn origin(&mut self, reg: Reg, warp: usize, lane: u32, place: Place) -> Origin {
        if !self.cta.registers.is_unwritten(reg, warp, lane) {
            return self.cta.registers.origin(reg, warp, lane);
        }
        let view = self.view;
        let born = || (view.thread(warp, lane), Born::Register, None);
        let origin = self.births.at(Kind::Register, place, born);
        origin.with_term(unwritten_register(reg, warp, lane))
    }

    /// The undefined part of an operand's value in a lane; `None` if nothing is known of it.
    fn term(&self, src: Src, warp: usize, lane: u32) -> Option<Term> {
        let registers = &self.cta.registers;
        match reg_of(src) {
            Some(reg) if registers.is_unwritten(reg, warp, lane) => {
                Some(unwritten_register(reg, warp, lane))
            }
            Some(reg) if registers.bits(reg, warp, lane) != 0 => {
                registers.origin(reg, warp, lane).term()
            }
            _ => Some(Term::DEFINED),
        }
    }
}

impl Definedness {
    /// For memory of which nobody has written some ranges.
    pub(crate) fn new(
        kernel: &Arc<Kernel>,
        pedantic: bool,
        unwritten: &[Range<u64>],
    ) -> Definedness {
        Definedness {
            kernel: Arc::clone(kernel),
            word_copies: copies::of_words(kernel),
            padding_stores: copies::of_padding(kernel),
            pedantic,
            ctas: PerCta::new(),
            shared: PerCta::new(),
            global: GlobalShadow::new(unwritten),
            births: Births::new(),
        }
    }

    fn scene<'a, 'v>(
        &'a mut self,
        view: &'a View<'v>,
        findings: &'a mut Findings,
    ) -> Option<Scene<'a, 'v>> {
        Some(Scene {
            cta: self.ctas.get(view.cta())?,
            shared: &mut self.shared,
            global: &mut self.global,
            births: &mut self.births,
            word_copies: &self.word_copies,
            padding_stores: &self.padding_stores,
            findings,
            view,
            pedantic: self.pedantic,
        })
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        let kernel = &self.kernel;
        // What the system keeps is its own affair; accesses between variables are reported as such.
        let given = || {
            let parts = kernel.shared_gaps.iter().chain([&kernel.system_shared]);
            parts.map(|part| (u64::from(part.start), u64::from(part.end)))
        };
        let restart = |cta: &mut Cta| {
            cta.registers.restart();
            cta.local.restart(|local| local.iter_mut().for_each(|memory| *memory = None));
            cta.votes = [None; BARRIERS];
        };
        let new = || {
            // It becomes larger where a thread writes its stack.
            let mut new_local = Shadow::new(kernel.local_bytes.into());
            let variables = kernel.frames.iter().flat_map(|frame| frame.variables.iter().cloned());
            for gap in ir::gaps(variables) {
                new_local.define(gap.start.into(), gap.end.into());
            }
            Cta {
                registers: Registers::new(kernel, view.warps()),
                local: Anew::new(vec![None; view.warps() * WARP]),
                new_local,
                votes: [None; BARRIERS],
            }
        };
        self.ctas.begin(view.cta(), restart, new);
        let with_given = |shared: &mut Shadow| {
            given().for_each(|(start, end)| shared.define(start, end));
        };
        let restart = |shared: &mut Shadow| {
            shared.restart();
            with_given(shared);
        };
        let new = || {
            let mut shared = Shadow::new(view.shared_bytes());
            with_given(&mut shared);
            shared
        };
        self.shared.begin(view.cta(), restart, new);
    }

    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.ctas.end(view.cta());
        self.shared.end(view.cta());
    }

    #[inline]
    pub(crate) fn inst(
        &mut self,
        view: &View<'_>,
        inst: &Inst,
        touches: &Touches,
        findings: &mut Findings,
    ) {
        let Some(mut scene) = self.scene(view, findings) else { return };
        match &inst.op {
            Op::Unary { d, a, .. } => scene.pure(inst, *d, [reg_of(*a), None, None]),
            Op::Binary { d, a, b, .. } | Op::Compare { d, a, b, .. } => {
                scene.pure(inst, *d, [reg_of(*a), reg_of(*b), None]);
            }
            Op::Ternary { d, a, b, c, .. } => {
                scene.pure(inst, *d, [reg_of(*a), reg_of(*b), reg_of(*c)]);
            }
            Op::Logic { d, a, b, .. } => scene.pure(inst, *d, [a.reg(), b.reg(), None]),
            Op::Select { d, a, b, p } => {
                scene.pure(inst, *d, [reg_of(*a), reg_of(*b), p.reg()]);
            }
            Op::Special { d, .. } | Op::ActiveMask { d } => scene.pure(inst, *d, [None; 3]),
            Op::Load { .. } => scene.load(inst, touches),
            Op::Store { .. } => scene.store(inst, touches),
            Op::Atomic { .. } => scene.atomic(inst, touches),
            Op::Host { service, d, operands } => scene.host(inst, *d, (*service, operands)),
            Op::Copy(copy) => scene.copy(inst, copy),
            Op::Fence(_) | Op::Nanosleep { .. } | Op::CopyProgress(_) => {}
            // These are told of when lanes arrive.
            Op::Collective { .. } | Op::Barrier { .. } | Op::ClusterBarrier { .. } => {}
        }
    }

    /// Instructions that compute, and collectives of whole warps. Whether all results are defined, which is noted then, because all
    /// operands are.
    pub(crate) fn straight(&mut self, view: &View<'_>, summary: &Summary) -> bool {
        let Some(Cta { registers, .. }) = self.ctas.get(view.cta()) else { return true };
        let (first, lanes) = view.lanes();
        let defined = registers.are_defined(&summary.reads, first, lanes);
        if defined {
            registers.define_all(&summary.writes, first, lanes, view.is_whole_cta());
        }
        defined
    }

    /// What a kernel allocates holds nothing yet.
    pub(crate) fn heap(&mut self, event: &HeapEvent) {
        let HeapEvent { address, bytes, frees, .. } = *event;
        if !frees {
            self.global.undefine(address, address.saturating_add(bytes));
        }
    }

    pub(crate) fn guard(
        &mut self,
        view: &View<'_>,
        guard: Pred,
        place: Place,
        findings: &mut Findings,
    ) {
        let (Some(reg), Some(mut scene)) = (guard.reg(), self.scene(view, findings)) else {
            return;
        };
        scene.all_must_be_defined(reg, place, Use::Guard);
    }

    pub(crate) fn leave(
        &mut self,
        view: &View<'_>,
        terminator: &Terminator,
        place: Place,
        findings: &mut Findings,
    ) {
        let Terminator::Branch { p, .. } = terminator else { return };
        let (Some(reg), Some(mut scene)) = (p.reg(), self.scene(view, findings)) else { return };
        scene.all_must_be_defined(reg, place, Use::Branch);
    }

    pub(crate) fn arrive(
        &mut self,
        view: &View<'_>,
        arrival: &Arrival<'_>,
        findings: &mut Findings,
    ) {
        let Some(mut scene) = self.scene(view, findings) else { return };
        scene.membermask(arrival.inst, arrival.warp, arrival.lanes);
    }

    pub(crate) fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>, findings: &mut Findings) {
        let Some(mut scene) = self.scene(view, findings) else { return };
        scene.fire(firing);
    }

    pub(crate) fn arrive_at_barrier(
        &mut self,
        view: &View<'_>,
        arrival: &BarrierArrival<'_>,
        findings: &mut Findings,
    ) {
        let Some(mut scene) = self.scene(view, findings) else { return };
        scene.arrive_at_barrier(arrival);
    }

    pub(crate) fn complete_barrier(
        &mut self,
        view: &View<'_>,
        id: u32,
        parts: &[BarrierPart<'_>],
        findings: &mut Findings,
    ) {
        let Some(mut scene) = self.scene(view, findings) else { return };
        scene.complete_barrier(id, parts);
    }
}
