//! Windows of sites: which numbers lead into the region of an access, found anew where they count from another address.

use super::later::{Counted, Unknown};
use super::{Cold, Emitter, SITE_BYTES, Target, after};
use crate::exit::Index;
use crate::registers::SCRATCH;
use crate::window;
use crate::x86::Operand as X;
use iced_x86::{Code, ConditionCode, Register};

impl Emitter {
    /// Sees to it that the window of a site is that of an address.
    pub(super) fn window(
        &mut self,
        site: u32,
        counted: Counted,
        key: Register,
        sites: Register,
    ) -> Result<(), String> {
        let known = self.windows.iter().position(|known| *known == counted);
        let function = known.unwrap_or_else(|| {
            self.windows.push(counted);
            self.windows.len() - 1
        });
        let disp = i64::from(site) * i64::from(SITE_BYTES);
        let there = after(sites, disp + i64::from(window::KEY));
        self.op(Code::Cmp_r64_rm64, &[X::R(key), there])?;
        let jump = self.jump_to(ConditionCode::ne);
        let unknown = Unknown { key, sites, disp, function, behind: self.end };
        let cold = self.cold_code(Cold::Window(unknown));
        self.redirect(jump, cold);
        Ok(())
    }

    /// Has a window found.
    pub(super) fn call_window(&mut self, unknown: Unknown) -> Result<(), String> {
        let Unknown { key, sites, disp, function, behind } = unknown;
        self.op(Code::Lea_r64_m, &[X::R(SCRATCH), after(sites, disp)])?;
        self.op(Code::Push_r64, &[X::R(key)])?;
        self.call(Target::Window(function));
        self.op(Code::Pop_r64, &[X::R(key)])?;
        self.go_back(behind);
        Ok(())
    }

    /// Called with the site in the scratch register and the address on the stack: finds the window. Keeps all other registers.
    pub(super) fn find_window(
        &mut self,
        (bytes, Index { signed, shift }): Counted,
    ) -> Result<(), String> {
        let used = [Register::RAX, Register::RCX, Register::RDX, Register::RSI];
        let [low, count, other, key] = used.map(X::R);
        for register in used {
            self.op(Code::Push_r64, &[X::R(register)])?;
        }
        let of_site = |offset: i32| after(SCRATCH, i64::from(offset));
        // Behind what was pushed, and the place to return to.
        self.op(Code::Mov_r64_rm64, &[key, after(Register::RSP, 8 * (used.len() as i64 + 1))])?;
        // The first number that leads into the region.
        self.op(Code::Mov_r64_rm64, &[low, of_site(0)])?;
        self.op(Code::Sub_r64_rm64, &[low, key])?;
        self.op(Code::Add_rm64_imm32, &[low, X::I32((1 << shift) - 1)])?;
        self.op(Code::Sar_rm64_imm8, &[low, X::I8(shift)])?;
        let least = if signed { i32::MIN } else { 0 };
        self.op(Code::Mov_rm64_imm32, &[other, X::I32(least)])?;
        self.clamp(Code::Cmovl_r64_rm64, low, other)?;
        // The last one, and how many there are. Offsets have 31 bits.
        self.op(Code::Mov_r64_rm64, &[count, of_site(8)])?;
        self.op(Code::Sub_r64_rm64, &[count, key])?;
        self.op(Code::Sub_rm64_imm32, &[count, X::I32(bytes as i32)])?;
        self.op(Code::Sar_rm64_imm8, &[count, X::I8(shift)])?;
        self.op(Code::Mov_rm64_imm32, &[other, X::I32(i32::MAX)])?;
        self.clamp(Code::Cmovg_r64_rm64, count, other)?;
        self.op(Code::Sub_r64_rm64, &[count, low])?;
        self.op(Code::Add_rm64_imm8, &[count, X::I8(1)])?;
        let most = (u64::from(i32::MAX.unsigned_abs()) >> shift) + 1;
        self.op(Code::Mov_r64_imm64, &[other, X::I64(most)])?;
        self.clamp(Code::Cmovg_r64_rm64, count, other)?;
        // None, where elements are not aligned.
        self.op(Code::Mov_rm64_imm32, &[other, X::I32(0)])?;
        let align = X::I32(bytes as i32 - 1);
        self.op(Code::Test_rm32_imm32, &[X::R(Register::ESI), align])?;
        self.op(Code::Cmovne_r64_rm64, &[count, other])?;
        self.clamp(Code::Cmovl_r64_rm64, count, other)?;
        let [first, counted, word] = [Register::EAX, Register::ECX, Register::EDX].map(X::R);
        self.op(Code::Mov_rm64_r64, &[of_site(window::KEY), key])?;
        self.op(Code::Mov_r32_rm32, &[word, first])?;
        self.op(Code::Xor_rm32_imm32, &[word, X::I32(window::UPPER.cast_signed())])?;
        self.op(Code::Mov_rm32_r32, &[of_site(window::FIRST), word])?;
        self.op(Code::Xor_rm32_imm32, &[counted, X::I32(window::UPPER.cast_signed())])?;
        self.op(Code::Mov_rm32_r32, &[of_site(window::COUNT), counted])?;
        self.op(Code::Shl_rm64_imm8, &[low, X::I8(shift)])?;
        self.op(Code::Add_r64_rm64, &[low, key])?;
        self.op(Code::Mov_rm64_r64, &[of_site(window::START), low])?;
        for register in used.into_iter().rev() {
            self.op(Code::Pop_r64, &[X::R(register)])?;
        }
        self.op(Code::Retnq, &[])
    }

    /// Makes a number another one where it is less, or greater.
    fn clamp(&mut self, when: Code, number: X, to: X) -> Result<(), String> {
        self.op(Code::Cmp_r64_rm64, &[number, to])?;
        self.op(when, &[number, to])
    }
}
