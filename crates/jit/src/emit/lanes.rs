//! What is done lane after lane: loads, stores and atomics whose lanes have passed their check.

use super::Emitter;
use crate::context as at;
use crate::fuel;
use crate::isa::Family;
use crate::mir::{EachLane, How};
use crate::registers::{CONTEXT, SCRATCH, vector_scratch};
use crate::x86::operands::{Operands, Part};
use crate::x86::{self, Memory, Operand as X};
use iced_x86::{Code, ConditionCode, Register};
use ir::Access;
use lanes::WARP;

/// The lower half of a register.
fn word(register: Register) -> X {
    X::R(x86::sized(register, Part::Double))
}

impl Emitter {
    /// Does something lane after lane.
    pub(super) fn each_lane(
        &mut self,
        what: EachLane,
        registers: [Register; 6],
    ) -> Result<(), String> {
        let [lanes, base, left, lane, offset, value] = registers;
        match what {
            EachLane::AtomicOfAll { code, access, locked } => {
                return self.atomic_of_all(code, access == Access::B64, locked, registers);
            }
            EachLane::StoreOfAll { access, nth } => {
                return self.store_of_all(access, nth, registers);
            }
            EachLane::Load { .. } | EachLane::Store { .. } | EachLane::Atomic { .. } => {}
        }
        let of_lane = |disp: i32, scale: u32| {
            let (disp, index) = (i64::from(disp), Some((lane, scale)));
            X::M(Memory { base: CONTEXT, index, disp, broadcast: false })
        };
        self.op(Code::Mov_r64_rm64, &[X::R(left), X::R(lanes)])?;
        self.op(Code::Test_rm64_r64, &[X::R(left), X::R(left)])?;
        let done = self.jump_on(ConditionCode::e);
        let exchanges = matches!(what, EachLane::Atomic { how, .. } if how.exchanges());
        if exchanges {
            let cost = X::I32(fuel::IN_VAIN);
            self.op(Code::Mov_rm64_imm32, &[super::context(at::IN_VAIN), cost])?;
        }
        let again = self.end;
        self.op(Code::Tzcnt_r64_rm64, &[X::R(lane), X::R(left)])?;
        self.op(Code::Mov_r32_rm32, &[word(offset), of_lane(at::OFFSETS, 4)])?;
        let there = |access: Access, nth: u8| {
            let disp = i64::from(access.bytes() * u32::from(nth));
            X::M(Memory { base, index: Some((offset, 1)), disp, broadcast: false })
        };
        let second = at::ELEMENTS + at::ELEMENT_BYTES as i32;
        match what {
            EachLane::Load { access, nth } => {
                let (code, wide) = (x86::scalar_load(access), access == Access::B64);
                let to = if wide { X::R(value) } else { word(value) };
                self.op(code, &[to, there(access, nth)])?;
                self.element(value, at::ELEMENTS, wide, lane, false)?;
            }
            EachLane::Store { access, nth } => {
                self.element(value, at::ELEMENTS, access == Access::B64, lane, true)?;
                let code = x86::scalar_store(access);
                let from = X::R(x86::sized(value, Operands::of(code).part(1)));
                self.op(code, &[there(access, nth), from])?;
            }
            EachLane::AtomicOfAll { .. } | EachLane::StoreOfAll { .. } => {}
            EachLane::Atomic { how, access, locked } => {
                let wide = access == Access::B64;
                let sized = |register: Register| if wide { X::R(register) } else { word(register) };
                let exchange = if wide { Code::Cmpxchg_rm64_r64 } else { Code::Cmpxchg_rm32_r32 };
                let compare = if wide { Code::Cmp_r64_rm64 } else { Code::Cmp_r32_rm32 };
                let at = there(access, 0);
                match how {
                    How::One(code) => {
                        self.element(value, at::ELEMENTS, wide, lane, true)?;
                        self.atomically(code, &[at, sized(value)], locked)?;
                        if exchanges {
                            let put = of_lane(at::ELEMENTS, if wide { 8 } else { 4 });
                            self.op(compare, &[sized(value), put])?;
                            self.gets_on(ConditionCode::e)?;
                        }
                    }
                    How::CompareExchange => {
                        self.element(value, at::ELEMENTS, wide, lane, true)?;
                        self.element(SCRATCH, second, wide, lane, true)?;
                        self.atomically(exchange, &[at, sized(SCRATCH)], locked)?;
                        self.gets_on(ConditionCode::ne)?;
                    }
                    How::AddF32 { .. } | How::AddF64 => {
                        let load = if wide { Code::Mov_r64_rm64 } else { Code::Mov_r32_rm32 };
                        self.op(load, &[sized(value), at])?;
                        let retry = self.end;
                        self.add_floats(
                            how,
                            value,
                            of_lane(at::ELEMENTS, if wide { 8 } else { 4 }),
                        )?;
                        self.atomically(exchange, &[at, sized(SCRATCH)], locked)?;
                        self.jump_back(ConditionCode::ne, retry);
                    }
                    How::Loop(code) => {
                        let load = if wide { Code::Mov_r64_rm64 } else { Code::Mov_r32_rm32 };
                        self.op(load, &[sized(value), at])?;
                        let retry = self.end;
                        self.element(SCRATCH, at::ELEMENTS, wide, lane, true)?;
                        self.op(compare, &[sized(SCRATCH), sized(value)])?;
                        self.op(code, &[sized(SCRATCH), sized(value)])?;
                        self.atomically(exchange, &[at, sized(SCRATCH)], locked)?;
                        self.jump_back(ConditionCode::ne, retry);
                    }
                }
                self.element(value, second, wide, lane, false)?;
            }
        }
        self.op(Code::VEX_Blsr_r64_rm64, &[X::R(left), X::R(left)])?;
        self.jump_back(ConditionCode::ne, again);
        if exchanges {
            self.op(Code::Mov_r64_rm64, &[X::R(left), super::context(at::IN_VAIN)])?;
            self.op(Code::Sub_rm64_r64, &[super::context(at::FUEL), X::R(left)])?;
        }
        self.land(done);
        Ok(())
    }

    /// The exchanges that run are not in vain, unless this condition holds: the lane has left memory as it was.
    fn gets_on(&mut self, unless: ConditionCode) -> Result<(), String> {
        let over = self.jump_on(unless);
        self.op(Code::Mov_rm64_imm32, &[super::context(at::IN_VAIN), X::I32(0)])?;
        self.land(over);
        Ok(())
    }

    /// The sum of the old value and an operand, in the scratch register.
    fn add_floats(&mut self, how: How, old: Register, operand: X) -> Result<(), String> {
        let scratch = X::R(Register::XMM0 + vector_scratch(self.family) as u32);
        let word = X::R(Register::R11D);
        let code = |avx2: Code, avx512: Code| match self.family {
            Family::Avx2 => avx2,
            Family::Avx512 => avx512,
        };
        if how == How::AddF64 {
            let put = code(Code::VEX_Vmovq_xmm_rm64, Code::EVEX_Vmovq_xmm_rm64);
            let add =
                code(Code::VEX_Vaddsd_xmm_xmm_xmmm64, Code::EVEX_Vaddsd_xmm_k1z_xmm_xmmm64_er);
            let get = code(Code::VEX_Vmovq_rm64_xmm, Code::EVEX_Vmovq_rm64_xmm);
            self.op(put, &[scratch, X::R(old)])?;
            self.op(add, &[scratch, scratch, operand])?;
            return self.op(get, &[X::R(SCRATCH), scratch]);
        }
        let put = code(Code::VEX_Vmovd_xmm_rm32, Code::EVEX_Vmovd_xmm_rm32);
        let add = code(Code::VEX_Vaddss_xmm_xmm_xmmm32, Code::EVEX_Vaddss_xmm_k1z_xmm_xmmm32_er);
        let get = code(Code::VEX_Vmovd_rm32_xmm, Code::EVEX_Vmovd_rm32_xmm);
        let compare = code(Code::VEX_Vucomiss_xmm_xmmm32, Code::EVEX_Vucomiss_xmm_xmmm32_sae);
        let flush = how == (How::AddF32 { flush: true });
        let old = X::R(x86::sized(old, Part::Double));
        self.op(Code::Mov_r32_rm32, &[word, old])?;
        if flush {
            self.flush(word)?;
        }
        self.op(put, &[scratch, word])?;
        self.op(add, &[scratch, scratch, operand])?;
        self.op(get, &[word, scratch])?;
        if flush {
            self.flush(word)?;
        }
        self.op(compare, &[scratch, scratch])?;
        let number = self.jump_on(ConditionCode::np);
        self.op(Code::Mov_r32_imm32, &[word, X::I32(ir::numeric::f32::NAN as i32)])?;
        self.land(number);
        Ok(())
    }

    /// All lanes in ascending order, without asking which: offsets are read two at a time.
    fn atomic_of_all(
        &mut self,
        code: Code,
        wide: bool,
        locked: bool,
        registers: [Register; 6],
    ) -> Result<(), String> {
        let [_, base, _, low, pair, value] = registers;
        let operand = if wide { X::R(value) } else { word(value) };
        let load = if wide { Code::Mov_r64_rm64 } else { Code::Mov_r32_rm32 };
        self.op(load, &[operand, super::context(at::ELEMENTS)])?;
        for lane in (0..WARP * self.gang).step_by(2) {
            self.offsets_of_two(lane, [low, pair])?;
            for offset in [low, pair] {
                let there = Memory { base, index: Some((offset, 1)), disp: 0, broadcast: false };
                self.atomically(code, &[X::M(there), operand], locked)?;
            }
        }
        Ok(())
    }

    /// Stores the elements of all lanes in ascending order, without asking which.
    fn store_of_all(
        &mut self,
        access: Access,
        nth: u8,
        registers: [Register; 6],
    ) -> Result<(), String> {
        let [_, base, _, low, pair, value] = registers;
        let wide = access == Access::B64;
        let store = x86::scalar_store(access);
        let from = X::R(x86::sized(value, Operands::of(store).part(1)));
        let disp = i64::from(access.bytes() * u32::from(nth));
        for lane in (0..WARP * self.gang).step_by(2) {
            self.offsets_of_two(lane, [low, pair])?;
            for (lane, offset) in [(lane, low), (lane + 1, pair)] {
                let size = if wide { 8 } else { 4 };
                let element = super::context(at::ELEMENTS + size * lane as i32);
                match wide {
                    true => self.op(Code::Mov_r64_rm64, &[X::R(value), element])?,
                    false => self.op(Code::Mov_r32_rm32, &[word(value), element])?,
                }
                let there = Memory { base, index: Some((offset, 1)), disp, broadcast: false };
                self.op(store, &[X::M(there), from])?;
            }
        }
        Ok(())
    }

    /// Reads the offsets of a lane and the next one at once.
    fn offsets_of_two(&mut self, lane: usize, [low, high]: [Register; 2]) -> Result<(), String> {
        let offsets = super::context(at::OFFSETS + 4 * lane as i32);
        self.op(Code::Mov_r64_rm64, &[X::R(high), offsets])?;
        self.op(Code::Mov_r32_rm32, &[word(low), word(high)])?;
        self.op(Code::Shr_rm64_imm8, &[X::R(high), X::I8(32)])
    }

    /// Makes a subnormal number of binary32 zero, of the same sign.
    fn flush(&mut self, word: X) -> Result<(), String> {
        self.op(Code::Test_rm32_imm32, &[word, X::I32(0x7f80_0000)])?;
        let normal = self.jump_on(ConditionCode::ne);
        self.op(Code::And_rm32_imm32, &[word, X::I32(i32::MIN)])?;
        self.land(normal);
        Ok(())
    }

    /// Emits an instruction that changes memory, in one piece for other threads of the host or not.
    pub(super) fn atomically(
        &mut self,
        code: Code,
        operands: &[X],
        locked: bool,
    ) -> Result<(), String> {
        let mut instruction = x86::instruction(code, operands, None);
        instruction.set_has_lock_prefix(locked);
        self.encode(&instruction)
    }

    /// Moves a lane's element between the context and a register.
    fn element(
        &mut self,
        value: Register,
        disp: i32,
        wide: bool,
        lane: Register,
        loads: bool,
    ) -> Result<(), String> {
        let (disp, index) = (i64::from(disp), Some((lane, if wide { 8 } else { 4 })));
        let memory = X::M(Memory { base: CONTEXT, index, disp, broadcast: false });
        let value = X::R(if wide { value } else { x86::sized(value, Part::Double) });
        match (loads, wide) {
            (true, true) => self.op(Code::Mov_r64_rm64, &[value, memory]),
            (true, false) => self.op(Code::Mov_r32_rm32, &[value, memory]),
            (false, true) => self.op(Code::Mov_rm64_r64, &[memory, value]),
            (false, false) => self.op(Code::Mov_rm32_r32, &[memory, value]),
        }
    }
}
