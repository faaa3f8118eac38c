//! Lanes that are not there, of a CTA's last warp: they compute what the others do, and access nothing.

use super::Lower;
use super::lane_bits::Sets;
use super::mask::Masked;
use super::value::INT;
use crate::mir::O;
use crate::partial::Partial;
use iced_x86::Code;
use regalloc2::VReg;

impl Lower<'_> {
    /// Who executes where no lanes have parted: `None` if a warp has all lanes.
    pub(super) fn everybody(&mut self) -> Option<Masked> {
        let partial = self.partial?;
        let lanes = self.existing(partial);
        let known = (partial.warp == 0).then_some(partial.lanes);
        Some(Masked { at: None, lanes, known, waiting: Vec::new(), masks: None, wide: None })
    }

    /// The lanes of the warp that are there.
    fn existing(&mut self, partial: Partial) -> VReg {
        if let Some(Masked { at: None, lanes, .. }) = self.masked {
            return lanes;
        }
        let own = self.lanes_constant(partial.lanes);
        if partial.warp == 0 {
            return own;
        }
        let warp = self.warp_number(7);
        self.func.x(Code::Cmp_rm32_imm8, &[O::U(warp), O::I8(partial.warp as u8)]);
        let others = self.all_or_none(Code::Setne_rm8);
        self.lanes_of(Sets::Or, others, own)
    }

    /// Of these lanes, those that are there.
    pub(super) fn there(&mut self, lanes: VReg) -> VReg {
        match self.partial {
            None => lanes,
            Some(partial) => {
                let existing = self.existing(partial);
                self.lanes_of(Sets::And, lanes, existing)
            }
        }
    }

    /// These lanes, and those that are not there if the first one, which is, is among them.
    pub(super) fn as_the_first(&mut self, lanes: VReg) -> VReg {
        let Some(partial) = self.partial else { return lanes };
        let existing = self.existing(partial);
        let first = self.tied(Code::And_rm32_imm8, lanes, O::I8(1));
        let alike = self.func.value(INT);
        self.func.x(Code::Neg_rm32, &[O::Tied(alike, first)]);
        let differ = self.lanes_of(Sets::Xor, lanes, alike);
        let there = self.lanes_of(Sets::And, differ, existing);
        self.lanes_of(Sets::Xor, alike, there)
    }

    /// A condition of equal says that these are all lanes that are there.
    pub(super) fn are_all_there(&mut self, lanes: VReg) {
        match self.partial {
            None => self.are_all(lanes),
            Some(partial) => {
                let existing = self.existing(partial);
                self.func.x(Code::Cmp_r32_rm32, &[O::U(lanes), O::U(existing)]);
            }
        }
    }
}
