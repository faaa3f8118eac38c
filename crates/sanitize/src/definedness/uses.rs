//! Uses that require a defined value, and how an undefined one is reported.

use super::Scene;
use crate::detail::{Facts, Undefined, Use};
use crate::finding::Finding;
use crate::shadow::{Kind, Origin};
use ir::{Place, Reg};
use lanes::LaneMask;

impl Scene<'_, '_> {
    /// Reports the lanes in which a register is undefined that must not be, and lets it count as defined.
    #[inline]
    pub(super) fn must_be_defined(
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

    /// The same for the lanes of the group.
    #[inline]
    pub(super) fn all_must_be_defined(&mut self, reg: Reg, place: Place, used: Use) {
        let (first, lanes) = self.view.lanes();
        if !self.cta.registers.is_defined(reg, first, lanes) {
            for (warp, lanes) in self.view.group() {
                self.must_be_defined(reg, (warp, lanes.0), place, used);
            }
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
        let view = self.view;
        let thread = view.thread(warp, lanes.lowest().unwrap_or(0));
        let detail = Undefined {
            born: birth.born,
            born_at: birth.place,
            born_in: birth.thread,
            used,
            used_at: place,
            lanes,
        };
        let at = detail.place();
        // Findings about memory are one wherever its value is used.
        let other = Some(birth.place).filter(|birth| *birth != at);
        self.findings.report(detail.code(), at, other, || Finding {
            lanes: birth.lanes,
            ..Finding::new(at, thread, detail)
        });
    }
}
