//! Calls of whoever runs the code, before which registers are saved where it goes on with them.

use super::later::Served;
use super::{Emitter, Target, context};
use crate::context as at;
use crate::isa::Family;
use crate::registers::{CONTEXT, SCRATCH, WARP};
use crate::x86::{self, Operand as X};
use iced_x86::{Code, ConditionCode, Register};

impl Emitter {
    /// Has an instruction performed by these lanes, or by all. The result is 0 if that was done.
    pub(super) fn perform(
        &mut self,
        place: u32,
        lanes: Option<Register>,
        saves: bool,
    ) -> Result<(), String> {
        let place = X::I32(place as i32);
        if saves {
            match lanes {
                Some(lanes) => self.op(Code::Mov_rm64_r64, &[context(at::BYTES), X::R(lanes)])?,
                None => self.op(Code::Mov_rm64_imm32, &[context(at::BYTES), X::I32(-1)])?,
            }
            self.op(Code::Mov_rm64_imm32, &[context(at::SITE), place])?;
            self.call(Target::Perform);
            return self.op(Code::Mov_r32_rm32, &[X::R(Register::EAX), X::R(Register::R11D)]);
        }
        match lanes {
            Some(lanes) => {
                self.op(Code::Mov_r64_rm64, &[X::R(Register::RDX), X::R(lanes)])?;
            }
            None => self.op(Code::Mov_rm64_imm32, &[X::R(Register::RDX), X::I32(-1)])?,
        }
        self.op(Code::Mov_r32_imm32, &[X::R(Register::ESI), place])?;
        self.call_out(at::PERFORM)
    }

    /// Calls one of the context's functions, whose other arguments are in their registers.
    fn call_out(&mut self, function: i32) -> Result<(), String> {
        self.op(Code::Mov_rm64_r64, &[context(at::WARP_BYTES), X::R(WARP)])?;
        self.op(Code::Mov_r64_rm64, &[X::R(Register::RDI), X::R(CONTEXT)])?;
        self.op(Code::VEX_Vzeroupper, &[])?;
        self.op(Code::Call_rm64, &[context(function)])
    }

    /// Called: has an instruction performed that the context names, and says in the scratch register whether that was done.
    pub(super) fn perform_saving(&mut self) -> Result<(), String> {
        self.saving(|this| {
            this.op(Code::Mov_r64_rm64, &[X::R(Register::RSI), context(at::SITE)])?;
            this.op(Code::Mov_r64_rm64, &[X::R(Register::RDX), context(at::BYTES)])?;
            this.call_out(at::PERFORM)
        })
    }

    /// Has an access served, and goes on with what its lanes access instead.
    pub(super) fn serve(&mut self, served: &Served) -> Result<(), String> {
        match served.lanes {
            Some(lanes) => self.op(Code::Mov_rm64_r64, &[context(at::ADDRESS), X::R(lanes)])?,
            None => self.op(Code::Mov_rm64_imm32, &[context(at::ADDRESS), X::I32(-1)])?,
        }
        let site = served.site.map_or(-1, u32::cast_signed);
        self.op(Code::Mov_rm64_imm32, &[context(at::SITE), X::I32(site)])?;
        self.op(Code::Mov_rm64_imm32, &[context(at::BYTES), X::I32(served.exit.cast_signed())])?;
        self.call(Target::Serve);
        let failed = X::R(Register::R11D);
        self.op(Code::Test_rm32_r32, &[failed, failed])?;
        let done = self.jump_on(ConditionCode::e);
        self.exit(served.exit)?;
        self.land(done);
        self.op(Code::Lea_r64_m, &[X::R(served.base), context(at::SERVED)])?;
        let (load, _) = x86::vector_moves(self.family);
        for (nth, offsets) in (0..).zip(&served.offsets) {
            let own = context(at::OFFSETS + nth * self.family.bytes() as i32);
            self.op(load, &[X::R(*offsets), own])?;
        }
        self.go_back(served.behind);
        Ok(())
    }

    /// Called: has an access served that the context names, and says in the scratch register whether that was done.
    pub(super) fn serve_saving(&mut self) -> Result<(), String> {
        self.saving(|this| {
            this.op(Code::Mov_r64_rm64, &[X::R(Register::RSI), context(at::BYTES)])?;
            this.op(Code::Mov_r64_rm64, &[X::R(Register::RDX), context(at::ADDRESS)])?;
            this.op(Code::Mov_r64_rm64, &[X::R(Register::RCX), context(at::SITE)])?;
            this.call_out(at::SERVE)
        })
    }

    /// Called: looks a region up and says in the scratch register whether it is there.
    pub(super) fn find(&mut self) -> Result<(), String> {
        self.saving(|this| {
            this.op(Code::VEX_Vzeroupper, &[])?;
            this.op(Code::Mov_r64_rm64, &[X::R(Register::RDI), X::R(CONTEXT)])?;
            this.op(Code::Call_rm64, &[context(at::FIND)])
        })
    }

    /// Makes a function of a call that keeps all registers but the scratch register, where the result is.
    fn saving(&mut self, call: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        self.all(false)?;
        self.op(Code::Sub_rm64_imm8, &[X::R(Register::RSP), X::I8(8)])?;
        call(self)?;
        self.op(Code::Add_rm64_imm8, &[X::R(Register::RSP), X::I8(8)])?;
        self.op(Code::Mov_r32_rm32, &[X::R(Register::R11D), X::R(Register::EAX)])?;
        self.all(true)?;
        self.op(Code::Retnq, &[])
    }

    /// Calls code that is made in the end.
    pub(super) fn call(&mut self, target: Target) {
        self.byte(0xe8);
        (0..4).for_each(|_| self.byte(0));
        self.jumps.push((self.end, target));
    }

    /// Moves all registers between the machine and the context.
    fn all(&mut self, loads: bool) -> Result<(), String> {
        for nth in 0..16u32 {
            let register = Register::RAX + nth;
            if [Register::RSP, CONTEXT, SCRATCH].contains(&register) {
                continue;
            }
            let memory = context(at::GENERALS + 8 * nth as i32);
            match loads {
                true => self.op(Code::Mov_r64_rm64, &[X::R(register), memory])?,
                false => self.op(Code::Mov_rm64_r64, &[memory, X::R(register)])?,
            }
        }
        let count = if self.family == Family::Avx512 { 32 } else { 16 };
        for nth in 0..count {
            let register = X::R(x86::vector(nth, self.family));
            let memory = context(at::VECTORS + 64 * nth as i32);
            let (load, store) = x86::vector_moves(self.family);
            match loads {
                true => self.op(load, &[register, memory])?,
                false => self.op(store, &[memory, register])?,
            }
        }
        if self.family == Family::Avx512 {
            for nth in 1..8u32 {
                let register = X::R(Register::K0 + nth);
                let memory = context(at::MASKS + 8 * nth as i32);
                match loads {
                    true => self.op(Code::VEX_Kmovq_kr_km64, &[register, memory])?,
                    false => self.op(Code::VEX_Kmovq_m64_kr, &[memory, register])?,
                }
            }
        }
        Ok(())
    }

    /// Looks the region of an access up. The scratch register says whether it is there.
    pub(super) fn look_up(
        &mut self,
        site: u32,
        address: Register,
        bytes: u32,
    ) -> Result<(), String> {
        self.op(Code::Mov_rm64_r64, &[context(at::ADDRESS), X::R(address)])?;
        self.op(Code::Mov_rm64_imm32, &[context(at::BYTES), X::I32(bytes as i32)])?;
        self.op(Code::Mov_rm64_imm32, &[context(at::SITE), X::I32(site as i32)])?;
        self.call(Target::Find);
        Ok(())
    }

    /// Leaves the code with all registers in the context.
    pub(super) fn save(&mut self) -> Result<(), String> {
        self.all(false)?;
        self.op(Code::Mov_r32_rm32, &[X::R(Register::EAX), X::R(Register::R11D)])?;
        // What follows leaves.
        Ok(())
    }
}
