//! Where an undefined value matters, and how it is reported.

use super::Scene;
use crate::code::Code;
use crate::finding::Finding;
use crate::shadow::{Kind, Origin};
use ir::{Place, Reg, Space};
use lanes::LaneMask;

/// What an undefined value decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Branch,
    Guard,
    Address,
    Membermask,
    Barrier,
    GlobalStore,
    GlobalAtomic,
    Print,
}

impl Use {
    fn words(self) -> &'static str {
        match self {
            Use::Branch => "decides a branch",
            Use::Guard => "decides whether an instruction is executed",
            Use::Address => "is used as an address",
            Use::Membermask => "is used as a membermask",
            Use::Barrier => "is used as a barrier's number or thread count",
            Use::GlobalStore => "is stored to global memory",
            Use::GlobalAtomic => "is combined into global memory",
            Use::Print => "is printed",
        }
    }
}

/// The code and the subject of a sentence for a kind of birth.
fn subject(kind: Kind) -> (Code, &'static str) {
    match kind {
        Kind::Register => (Code::M005, "the value of a register that nothing wrote"),
        Kind::Memory(Space::Shared) => (Code::M004, "a value of shared memory that nothing wrote"),
        Kind::Memory(Space::Local) => (Code::M004, "a value of local memory that nothing wrote"),
        Kind::Memory(Space::Global | Space::Generic | Space::Param) => {
            (Code::M004, "a value of memory that nothing wrote")
        }
        Kind::Collective => (Code::W010, "the undefined result of a collective"),
    }
}

impl Scene<'_, '_> {
    /// Reports the lanes in which a register is undefined that must not be, and lets it count as defined.
    #[inline]
    pub(super) fn matters(
        &mut self,
        reg: Reg,
        (warp, lanes): (usize, u32),
        place: Place,
        used: Use,
    ) {
        let undefined = self.cta.registers.undefined(reg, warp) & lanes;
        if undefined != 0 {
            self.report(reg, (warp, undefined), place, used);
            self.cta.registers.define(reg, warp, undefined);
        }
    }

    #[cold]
    fn report(&mut self, reg: Reg, (warp, lanes): (usize, u32), place: Place, used: Use) {
        let mut left = LaneMask(lanes);
        while let Some(lane) = left.lowest() {
            let origin = self.origin(reg, warp, lane, place);
            let same: LaneMask = left
                .iter()
                .filter(|other| {
                    self.same_birth(self.origin_of(reg, warp, *other), origin, *other == lane)
                })
                .collect();
            left -= same;
            self.report_origin(origin, (warp, same), place, used);
        }
    }

    fn origin_of(&self, reg: Reg, warp: usize, lane: u32) -> Option<Origin> {
        let registers = &self.cta.registers;
        (!registers.is_unwritten(reg, warp, lane)).then(|| registers.origin(reg, warp, lane))
    }

    /// Whether two lanes' values were born at one place. Registers that nothing wrote are all born where they are read.
    fn same_birth(&self, other: Option<Origin>, origin: Origin, itself: bool) -> bool {
        let place = |origin| self.births.get(origin).map(|birth| (birth.kind, birth.place));
        match other {
            Some(other) => place(other) == place(origin),
            None => {
                itself || self.births.get(origin).is_some_and(|birth| birth.kind == Kind::Register)
            }
        }
    }

    /// Reports values of one birth.
    pub(super) fn report_origin(
        &mut self,
        origin: Origin,
        (warp, lanes): (usize, LaneMask),
        place: Place,
        used: Use,
    ) {
        let Some(birth) = self.births.get(origin) else { return };
        let (code, subject) = subject(birth.kind);
        let view = self.view;
        let thread = view.thread(warp, lanes.lowest().unwrap_or(0));
        let itself = birth.place == place;
        // Memory is read at a place that somebody chose: that is what is wrong. Registers and collectives
        // are read and executed freely where nothing comes of it.
        let first = matches!(birth.kind, Kind::Memory(_)) && !itself;
        let (at, other) = match (first, itself) {
            (true, _) => (birth.place, None),
            (false, true) => (place, None),
            (false, false) => (place, Some(birth.place)),
        };
        self.findings.report(code, at, other, || {
            let message = format!("{subject} {}", used.words());
            let matters = format!("here it matters, in {}", named(lanes));
            let mut finding = Finding::new(code, at, thread, message);
            finding = match (first, other) {
                (true, _) => finding.label(&birth.text).related(place, matters),
                (false, Some(other)) => finding.label(matters).related(other, &birth.text),
                (false, None) => {
                    finding.label(matters).fact(format!("the instruction itself {}", birth.text))
                }
            };
            if birth.thread != thread {
                finding = finding.fact(format!("the value was first born in {}", birth.thread));
            }
            finding.strip = birth.strip;
            finding
        });
    }
}

/// `lane 3`, `lanes 0-15`.
pub(crate) fn named(lanes: LaneMask) -> String {
    match lanes.count() {
        1 => format!("lane {}", lanes.ranges()),
        _ => format!("lanes {}", lanes.ranges()),
    }
}
