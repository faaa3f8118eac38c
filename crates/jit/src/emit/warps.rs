//! From gang to gang, from barrier to barrier, and from CTA to CTA, while nobody else is needed.

use super::cleared::Cleared;
use super::{Emitter, Target, after, context};
use crate::context as at;
use crate::registers::{CONTEXT, REGISTERS, SCRATCH, WARP};
use crate::x86::{self, Memory, Operand as X};
use iced_x86::{Code, ConditionCode, Instruction, Register};

/// Which exit a gang has left by.
const EXIT: X = X::R(Register::EAX);
/// Where gangs go on behind the barrier at which they have left; 0 if their lanes have exited.
const BEHIND: X = X::R(Register::RDX);
const ROOM: X = X::R(Register::RCX);
const ROOM_LOW: X = X::R(Register::ECX);
/// No gang has left yet.
const NOBODY: u8 = at::NOBODY as u8;
/// A warp's number times 128 has so many bits more than its number times 4.
const WARP_BYTES_OF_WORDS: u8 = 5;

/// Bytes that are cleared by single stores.
const FEW_BYTES: u64 = 4096;

impl Emitter {
    /// Tells where gangs go on that have left.
    pub(super) fn next_entry(&mut self, block: Option<usize>) -> Result<(), String> {
        let Some(block) = block else {
            return self.op(Code::Xor_r32_rm32, &[X::R(Register::EDX), X::R(Register::EDX)]);
        };
        // The address that the instruction names is told when all blocks are there.
        self.op(Code::Lea_r64_m, &[BEHIND, after(Register::RIP, self.end as i64)])?;
        self.jumps.push((self.end, Target::Block(block)));
        Ok(())
    }

    /// Notes the exit of a gang and begins with the next. Behind the last one, if all have left in the same way, comes the first
    /// again, behind the barrier or in the next CTA. Where that cannot be the code is left.
    pub(super) fn next_gang(&mut self) -> Result<(), String> {
        self.op(Code::Mov_r64_rm64, &[X::R(SCRATCH), X::R(WARP)])?;
        self.op(Code::Shr_rm64_imm8, &[X::R(SCRATCH), X::I8(WARP_BYTES_OF_WORDS)])?;
        let index = Some((SCRATCH, 1));
        let noted = Memory { base: CONTEXT, index, disp: i64::from(at::EXITS), broadcast: false };
        self.op(Code::Mov_rm32_r32, &[X::M(noted), EXIT])?;
        self.op(Code::Cmp_r64_rm64, &[BEHIND, context(at::FIRST_BEHIND)])?;
        let other = self.jump_on(ConditionCode::ne);
        let alike = self.end;
        self.op(Code::Mov_r64_rm64, &[ROOM, context(at::FUEL)])?;
        self.op(Code::Cmp_r64_rm64, &[ROOM, context(at::LEAST)])?;
        let less = self.jump_on(ConditionCode::l);
        let noted = self.end;
        self.op(Code::Lea_r64_m, &[ROOM, after(WARP, 128 * self.gang as i64)])?;
        self.op(Code::Cmp_r64_rm64, &[ROOM, context(at::END_BYTES)])?;
        let last = self.jump_on(ConditionCode::e);
        self.op(Code::Mov_r64_rm64, &[X::R(WARP), ROOM])?;
        self.begin_gang()?;
        self.land(other);
        self.op(Code::Cmp_rm64_imm8, &[context(at::FIRST_BEHIND), X::I8(NOBODY)])?;
        let differs = self.jump_on(ConditionCode::ne);
        self.op(Code::Mov_rm64_r64, &[context(at::FIRST_BEHIND), BEHIND])?;
        self.go_back(alike);
        self.land(differs);
        self.op(Code::Mov_rm64_imm32, &[context(at::DIFFER), X::I32(1)])?;
        self.go_back(alike);
        self.land(less);
        self.op(Code::Mov_rm64_r64, &[context(at::LEAST), ROOM])?;
        self.go_back(noted);
        self.land(last);
        self.op(Code::Cmp_rm64_imm8, &[context(at::WHOLE), X::I8(0)])?;
        self.jump_if(ConditionCode::e, Target::Leave);
        self.op(Code::Cmp_rm64_imm8, &[context(at::DIFFER), X::I8(0)])?;
        self.jump_if(ConditionCode::ne, Target::Leave);
        self.op(Code::Mov_r64_rm64, &[ROOM, context(at::LEAST)])?;
        self.op(Code::Test_rm64_r64, &[BEHIND, BEHIND])?;
        let exited = self.jump_on(ConditionCode::e);
        self.op(Code::Mov_rm64_r64, &[context(at::ENTRY), BEHIND])?;
        self.op(Code::Mov_rm64_r64, &[context(at::TURN), ROOM])?;
        self.begin_gangs()?;
        self.land(exited);
        self.next_cta()
    }

    /// Begins with the next CTA, if there may be one. The least that a turn had left is at hand.
    fn next_cta(&mut self) -> Result<(), String> {
        self.op(Code::Cmp_rm64_imm8, &[context(at::CTAS_LEFT), X::I8(0)])?;
        self.jump_if(ConditionCode::e, Target::Leave);
        self.op(Code::Cmp_r64_rm64, &[ROOM, context(at::ENOUGH)])?;
        self.jump_if(ConditionCode::l, Target::Leave);
        self.op(Code::Sub_rm64_imm8, &[context(at::CTAS_LEFT), X::I8(1)])?;
        let [x, y, z] = [0, 4, 8].map(|disp| context(at::CTA + disp));
        self.op(Code::Add_rm32_imm8, &[x, X::I8(1)])?;
        self.op(Code::Mov_r32_rm32, &[ROOM_LOW, x])?;
        self.op(Code::Cmp_r32_rm32, &[ROOM_LOW, context(at::GRID)])?;
        let inside = self.jump_on(ConditionCode::ne);
        self.op(Code::Mov_rm32_imm32, &[x, X::I32(0)])?;
        self.op(Code::Add_rm32_imm8, &[y, X::I8(1)])?;
        self.op(Code::Mov_r32_rm32, &[ROOM_LOW, y])?;
        self.op(Code::Cmp_r32_rm32, &[ROOM_LOW, context(at::GRID + 4)])?;
        let in_plane = self.jump_on(ConditionCode::ne);
        self.op(Code::Mov_rm32_imm32, &[y, X::I32(0)])?;
        self.op(Code::Add_rm32_imm8, &[z, X::I8(1)])?;
        self.land(inside);
        self.land(in_plane);
        self.clear()?;
        for (to, from) in [(at::ENTRY, at::START), (at::TURN, at::FIRST_TURN)] {
            self.op(Code::Mov_r64_rm64, &[ROOM, context(from)])?;
            self.op(Code::Mov_rm64_r64, &[context(to), ROOM])?;
        }
        self.op(Code::Mov_rm64_r64, &[context(at::LEAST), ROOM])?;
        self.begin_gangs()
    }

    /// Makes zero what is zero when a CTA begins.
    fn clear(&mut self) -> Result<(), String> {
        let Cleared { shared, rows } = self.cleared.clone();
        if shared > 0 {
            self.op(Code::Mov_r64_rm64, &[X::R(Register::RDI), context(at::SHARED)])?;
            self.clear_bytes(shared)?;
        }
        for (from, bytes) in rows {
            self.op(Code::Lea_r64_m, &[X::R(Register::RDI), after(REGISTERS, from as i64)])?;
            self.clear_bytes(bytes)?;
        }
        Ok(())
    }

    /// Clears so many bytes where `rdi` points to.
    fn clear_bytes(&mut self, bytes: u64) -> Result<(), String> {
        let vector = self.family.bytes() as u64;
        if bytes > FEW_BYTES || !bytes.is_multiple_of(vector) {
            self.op(Code::Xor_r32_rm32, &[X::R(Register::EAX), X::R(Register::EAX)])?;
            self.op(Code::Mov_r32_imm32, &[ROOM_LOW, X::I32((bytes / 4) as i32)])?;
            let fill = Instruction::with_rep_stosd(64).map_err(|error| error.to_string())?;
            return self.encode(&fill);
        }
        let zero = X::R(Register::XMM0);
        self.op(Code::VEX_Vpxor_xmm_xmm_xmmm128, &[zero, zero, zero])?;
        let (_, store) = x86::vector_moves(self.family);
        for at in (0..bytes).step_by(self.family.bytes()) {
            let to = after(Register::RDI, at as i64);
            self.op(store, &[to, X::R(x86::vector(0, self.family))])?;
        }
        Ok(())
    }

    /// Begins with the first gang, where the context says.
    fn begin_gangs(&mut self) -> Result<(), String> {
        self.op(Code::Mov_rm64_imm32, &[context(at::DIFFER), X::I32(0)])?;
        self.op(Code::Mov_rm64_imm32, &[context(at::FIRST_BEHIND), X::I32(i32::from(NOBODY))])?;
        self.op(Code::Mov_r64_rm64, &[X::R(WARP), context(at::BEGIN_BYTES)])?;
        self.begin_gang()
    }

    /// Begins with a gang whose number is at hand.
    fn begin_gang(&mut self) -> Result<(), String> {
        self.op(Code::Mov_r64_rm64, &[ROOM, context(at::TURN)])?;
        self.op(Code::Mov_rm64_r64, &[context(at::FUEL), ROOM])?;
        self.op(Code::Jmp_rm64, &[context(at::ENTRY)])
    }
}
