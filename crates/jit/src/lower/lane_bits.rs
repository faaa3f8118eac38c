//! A bit for each lane of a gang, in a general register: predicates, and the lanes that execute.
//!
//! Bits of lanes that are not there are zero.

use super::Lower;
use super::value::INT;
use crate::mir::{Mem, O};
use iced_x86::Code;
use regalloc2::VReg;

/// A function of two sets of lanes.
#[derive(Clone, Copy)]
pub(super) enum Sets {
    And,
    Or,
    Xor,
}

impl Lower<'_> {
    /// The instruction for as many bits as there are lanes.
    fn sized(&self, one_warp: Code, two: Code) -> Code {
        if self.gang.warps == 1 { one_warp } else { two }
    }

    /// A constant set.
    pub(super) fn lanes_constant(&mut self, lanes: u64) -> VReg {
        self.number(lanes & self.gang.all(), ir::Class::W64)
    }

    pub(super) fn lanes_of(&mut self, what: Sets, a: VReg, b: VReg) -> VReg {
        let code = match what {
            Sets::And => self.sized(Code::And_r32_rm32, Code::And_r64_rm64),
            Sets::Or => self.sized(Code::Or_r32_rm32, Code::Or_r64_rm64),
            Sets::Xor => self.sized(Code::Xor_r32_rm32, Code::Xor_r64_rm64),
        };
        self.tied(code, a, O::U(b))
    }

    pub(super) fn lanes_not(&mut self, a: VReg) -> VReg {
        let found = self.func.value(INT);
        let code = self.sized(Code::Not_rm32, Code::Not_rm64);
        self.func.x(code, &[O::Tied(found, a)]);
        found
    }

    pub(super) fn lanes_load(&mut self, from: Mem) -> VReg {
        let found = self.func.value(INT);
        let code = self.sized(Code::Mov_r32_rm32, Code::Mov_r64_rm64);
        self.func.x(code, &[O::D(found), O::M(from)]);
        found
    }

    pub(super) fn lanes_store(&mut self, to: Mem, lanes: VReg) {
        let code = self.sized(Code::Mov_rm32_r32, Code::Mov_rm64_r64);
        self.func.x(code, &[O::M(to), O::U(lanes)]);
    }

    /// A condition of not equal says that there is a lane.
    pub(super) fn is_any(&mut self, lanes: VReg) {
        let code = self.sized(Code::Test_rm32_r32, Code::Test_rm64_r64);
        self.func.x(code, &[O::U(lanes), O::U(lanes)]);
    }

    /// A condition of equal says that all lanes are there.
    pub(super) fn are_all(&mut self, lanes: VReg) {
        let code = self.sized(Code::Cmp_rm32_imm8, Code::Cmp_rm64_imm8);
        self.func.x(code, &[O::U(lanes), O::I8(0xff)]);
    }

    /// All lanes if a condition holds, else none.
    pub(super) fn all_or_none(&mut self, set: Code) -> VReg {
        self.negated_flag(set, self.sized(Code::Neg_rm32, Code::Neg_rm64))
    }

    /// All lanes of a warp if a condition holds, else none.
    pub(super) fn warp_or_none(&mut self, set: Code) -> VReg {
        self.negated_flag(set, Code::Neg_rm32)
    }

    fn negated_flag(&mut self, set: Code, negate: Code) -> VReg {
        let [byte, word, found] = [0; 3].map(|_| self.func.value(INT));
        self.func.x(set, &[O::D(byte)]);
        self.func.x(Code::Movzx_r32_rm8, &[O::D(word), O::U(byte)]);
        self.func.x(negate, &[O::Tied(found, word)]);
        found
    }

    /// The lanes of each warp, as those of a gang of one.
    pub(super) fn of_warps(&mut self, lanes: VReg) -> Vec<VReg> {
        if self.gang.warps == 1 {
            return vec![lanes];
        }
        let [low, high] = [0; 2].map(|_| self.func.value(INT));
        self.func.x(Code::Mov_r32_rm32, &[O::D(low), O::U(lanes)]);
        self.func.x(Code::Shr_rm64_imm8, &[O::Tied(high, lanes), O::I8(32)]);
        vec![low, high]
    }

    /// The opposite of [`Self::of_warps`], of bits whose upper halves are zero.
    pub(super) fn of_gang(&mut self, warps: &[VReg]) -> VReg {
        let [low, high] = *warps else { return warps[0] };
        let up = self.tied(Code::Shl_rm64_imm8, high, O::I8(32));
        self.tied(Code::Or_r64_rm64, up, O::U(low))
    }
}
