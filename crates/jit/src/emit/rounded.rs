//! Instructions that do not round to nearest even.

use super::{Emitter, context};
use crate::context as at;
use crate::isa::Family;
use crate::mir::{Kind, Way};
use crate::x86::{self, Operand as X};
use iced_x86::{Code, RoundingControl};
use ir::Round;

impl Emitter {
    /// Emits an instruction that rounds so, whose operands are registers.
    pub(super) fn rounded(
        &mut self,
        code: Code,
        operands: &[X],
        round: Round,
    ) -> Result<(), String> {
        let mut instruction = x86::instruction(code, operands, None);
        if self.family == Family::Avx512 {
            instruction.set_rounding_control(match round {
                Round::NearestEven => RoundingControl::RoundToNearest,
                Round::Down => RoundingControl::RoundDown,
                Round::Up => RoundingControl::RoundUp,
                Round::TowardZero => RoundingControl::RoundTowardZero,
            });
        }
        self.encode(&instruction)
    }

    /// Without AVX-512 the processor rounds all in one way at a time, and to change it takes as long as many instructions: it stays until
    /// there is something else to compute.
    pub(super) fn round_for(&mut self, kind: &Kind) -> Result<(), String> {
        let round = match kind {
            Kind::X { way: Way::Rounded(round), .. } => *round,
            Kind::X { code, .. } if *code == x86::vector_moves(self.family).0 => return Ok(()),
            _ => Round::NearestEven,
        };
        if self.family == Family::Avx2 && round != self.round {
            self.round = round;
            let control = context(at::ROUNDING + 4 * i32::from(x86::rounding(round)));
            self.op(Code::VEX_Vldmxcsr_m32, &[control])?;
        }
        Ok(())
    }
}
