//! Whether accesses lie inside the region that they found last.

use super::checked::{Check, Failed};
use super::{Cold, Emitter, SITE_BYTES, context};
use crate::context as at;
use crate::registers::SCRATCH;
use crate::x86::operands::Part;
use crate::x86::{self, Memory, Operand as X};
use iced_x86::{Code, ConditionCode, Register};

impl Emitter {
    fn of_site(check: &Check, offset: u32) -> X {
        let disp = i64::from(check.site * SITE_BYTES + offset);
        X::M(Memory { base: SCRATCH, index: None, disp, broadcast: false })
    }

    pub(super) fn check(&mut self, check: Check) -> Result<(), String> {
        if check.align > 1 {
            self.check_alignment(&check)?;
        }
        let [address] = check.addresses[..] else { return self.check_several(check) };
        let room = check.rooms[0];
        let again = self.end;
        self.op(Code::Mov_r64_rm64, &[X::R(SCRATCH), context(at::SITES)])?;
        self.op(Code::Mov_r64_rm64, &[X::R(room), Self::of_site(&check, 8)])?;
        self.op(Code::Sub_r64_rm64, &[X::R(room), X::R(address)])?;
        let cold = self.cold_code(Cold::Find(check.clone(), Failed::One { again }));
        self.jump_if(ConditionCode::b, cold);
        self.op(Code::Cmp_rm64_imm32, &[X::R(room), X::I32(check.bytes as i32)])?;
        self.jump_if(ConditionCode::b, cold);
        self.op(Code::Cmp_r64_rm64, &[X::R(address), Self::of_site(&check, 0)])?;
        self.jump_if(ConditionCode::b, cold);
        Ok(())
    }

    fn check_alignment(&mut self, check: &Check) -> Result<(), String> {
        let all = match check.addresses[..] {
            [one] => one,
            _ => {
                for (nth, address) in check.addresses.iter().enumerate() {
                    let code = if nth == 0 { Code::Mov_r64_rm64 } else { Code::Or_r64_rm64 };
                    self.op(code, &[X::R(SCRATCH), X::R(*address)])?;
                }
                SCRATCH
            }
        };
        let low = x86::sized(all, Part::Double);
        self.op(Code::Test_rm32_imm32, &[X::R(low), X::I32(check.align as i32 - 1)])?;
        let cold = self.cold_code(Cold::Exit(check.exit));
        self.jump_if(ConditionCode::ne, cold);
        Ok(())
    }

    fn check_several(&mut self, check: Check) -> Result<(), String> {
        let failed = self.test_several(&check)?;
        let behind = self.end;
        for (address, jump) in failed {
            let failed = Failed::Several { first: address, behind };
            let cold = self.cold_code(Cold::Find(check.clone(), failed));
            self.redirect(jump, cold);
        }
        Ok(())
    }

    /// Tests several addresses. The result is, per address, a jump if it lies elsewhere.
    fn test_several(&mut self, check: &Check) -> Result<Vec<(Register, usize)>, String> {
        let [start, last] = check.rooms.map(X::R);
        let mut failed = Vec::new();
        self.op(Code::Mov_r64_rm64, &[X::R(SCRATCH), context(at::SITES)])?;
        self.op(Code::Mov_r64_rm64, &[start, Self::of_site(check, 0)])?;
        self.op(Code::Mov_r64_rm64, &[last, Self::of_site(check, 8)])?;
        self.op(Code::Sub_r64_rm64, &[last, start])?;
        // Negative if the region is too short, or ends before it begins: then there is none yet.
        self.op(Code::Sub_rm64_imm32, &[last, X::I32(check.bytes as i32)])?;
        failed.push((check.addresses[0], self.jump_to(ConditionCode::s)));
        for address in &check.addresses {
            self.op(Code::Mov_r64_rm64, &[X::R(SCRATCH), X::R(*address)])?;
            self.op(Code::Sub_r64_rm64, &[X::R(SCRATCH), start])?;
            self.op(Code::Cmp_r64_rm64, &[X::R(SCRATCH), last])?;
            failed.push((*address, self.jump_to(ConditionCode::a)));
        }
        Ok(failed)
    }

    /// Looks a region up, and checks once more.
    pub(super) fn check_again(&mut self, check: &Check, failed: Failed) -> Result<(), String> {
        let address = match failed {
            Failed::One { .. } => check.addresses[0],
            Failed::Several { first, .. } => first,
        };
        self.look_up(check.site, address, check.bytes)?;
        let scratch = X::R(Register::R11D);
        self.op(Code::Test_rm32_r32, &[scratch, scratch])?;
        match failed {
            Failed::One { again } => self.jump_back(ConditionCode::ne, again),
            Failed::Several { behind, .. } => {
                let none = self.jump_on(ConditionCode::e);
                let elsewhere = self.test_several(check)?;
                self.go_back(behind);
                let exit = self.cold_code(Cold::Exit(check.exit));
                for (_, jump) in elsewhere {
                    self.redirect(jump, exit);
                }
                self.land(none);
            }
        }
        self.exit(check.exit)
    }
}
