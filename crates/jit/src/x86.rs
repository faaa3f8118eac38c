//! x86 instructions as `iced-x86` has them.

pub(crate) mod operands;

use crate::isa::Family;
use iced_x86::{Code, ConditionCode, Instruction, OpKind, Register};
use ir::{Access, Round};
use operands::{Operands, Part};
use regalloc2::{PReg, RegClass};

/// Registers that a function keeps for its caller (System V ABI).
pub(crate) const KEPT: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    R(Register),
    M(Memory),
    I8(u8),
    I32(i32),
    I64(u64),
}

/// An address. Of one relative to the instruction pointer, `disp` is the address itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) base: Register,
    pub(crate) index: Option<(Register, u32)>,
    pub(crate) disp: i64,
    pub(crate) broadcast: bool,
}

/// An instruction with its operands.
pub(crate) fn instruction(
    code: Code,
    operands: &[Operand],
    mask: Option<(Register, bool)>,
) -> Instruction {
    let mut made = Instruction::new();
    made.set_code(code);
    for (nth, operand) in operands.iter().enumerate() {
        let nth = nth as u32;
        match *operand {
            Operand::R(register) => {
                made.set_op_kind(nth, OpKind::Register);
                made.set_op_register(nth, register);
            }
            Operand::M(memory) => {
                made.set_op_kind(nth, OpKind::Memory);
                made.set_memory_base(memory.base);
                if let Some((index, scale)) = memory.index {
                    made.set_memory_index(index);
                    made.set_memory_index_scale(scale);
                }
                made.set_memory_displacement64(memory.disp as u64);
                made.set_memory_displ_size(if memory.base == Register::RIP { 8 } else { 1 });
                made.set_is_broadcast(memory.broadcast);
            }
            Operand::I8(value) => {
                let kind = Operands::of(code).byte(code);
                made.set_op_kind(nth, kind);
                made.set_immediate8(value);
            }
            Operand::I32(value) => {
                let kind = Operands::of(code).word();
                made.set_op_kind(nth, kind);
                made.set_immediate32(value as u32);
            }
            Operand::I64(value) => {
                made.set_op_kind(nth, OpKind::Immediate64);
                made.set_immediate64(value);
            }
        }
    }
    if let Some((register, zeroing)) = mask {
        made.set_op_mask(register);
        made.set_zeroing_masking(zeroing);
    }
    made
}

/// A vector register of a family's width.
pub(crate) fn vector(number: usize, family: Family) -> Register {
    match family {
        Family::Avx2 => Register::YMM0 + number as u32,
        Family::Avx512 => Register::ZMM0 + number as u32,
    }
}

/// The register of a value.
pub(crate) fn name(reg: PReg, family: Family) -> Register {
    match reg.class() {
        RegClass::Int => Register::RAX + reg.hw_enc() as u32,
        RegClass::Float => vector(reg.hw_enc(), family),
        RegClass::Vector => Register::K0 + reg.hw_enc() as u32,
    }
}

/// The part of a register that an operand names.
pub(crate) fn sized(register: Register, part: Part) -> Register {
    let number = register.number() as u32;
    match part {
        Part::Whole => register,
        Part::Byte => register8(number),
        Part::Word => Register::AX + number,
        Part::Double => Register::EAX + number,
        Part::Xmm => Register::XMM0 + number,
        Part::Ymm => Register::YMM0 + number,
        Part::Zmm => Register::ZMM0 + number,
    }
}

/// The low byte of a general register.
fn register8(number: u32) -> Register {
    const LOW: [Register; 8] = [
        Register::AL,
        Register::CL,
        Register::DL,
        Register::BL,
        Register::SPL,
        Register::BPL,
        Register::SIL,
        Register::DIL,
    ];
    let low = LOW.get(number as usize).copied();
    low.unwrap_or_else(|| Register::R8L + number.saturating_sub(8).min(7))
}

/// The instruction that loads an element to a general register.
pub(crate) fn scalar_load(access: Access) -> Code {
    match access {
        Access::U8 => Code::Movzx_r32_rm8,
        Access::S8 => Code::Movsx_r32_rm8,
        Access::U16 => Code::Movzx_r32_rm16,
        Access::S16 => Code::Movsx_r32_rm16,
        Access::B32 => Code::Mov_r32_rm32,
        Access::B64 => Code::Mov_r64_rm64,
    }
}

/// The instruction that stores an element from a general register.
pub(crate) fn scalar_store(access: Access) -> Code {
    match access {
        Access::U8 | Access::S8 => Code::Mov_rm8_r8,
        Access::U16 | Access::S16 => Code::Mov_rm16_r16,
        Access::B32 => Code::Mov_rm32_r32,
        Access::B64 => Code::Mov_rm64_r64,
    }
}

/// Loads and stores a whole vector register; the load copies registers, too.
pub(crate) fn vector_moves(family: Family) -> (Code, Code) {
    match family {
        Family::Avx2 => (Code::VEX_Vmovups_ymm_ymmm256, Code::VEX_Vmovups_ymmm256_ymm),
        Family::Avx512 => (Code::EVEX_Vmovups_zmm_k1z_zmmm512, Code::EVEX_Vmovups_zmmm512_k1z_zmm),
    }
}

/// Whether an instruction changes flags. Shifts do unless they shift by nothing, which nobody asks for.
pub(crate) fn changes_flags(code: Code) -> bool {
    let mut instruction = Instruction::default();
    instruction.set_code(code);
    instruction.set_immediate8(1);
    instruction.rflags_modified() != 0
}

/// The bits that say how to round, in constants of instructions and in `MXCSR`.
pub(crate) fn rounding(round: Round) -> u8 {
    match round {
        Round::NearestEven => 0,
        Round::Down => 1,
        Round::Up => 2,
        Round::TowardZero => 3,
    }
}

/// The bits of a condition in the opcodes of jumps.
pub(crate) fn condition(condition: ConditionCode) -> u8 {
    match condition {
        ConditionCode::o => 0,
        ConditionCode::no => 1,
        ConditionCode::b => 2,
        ConditionCode::ae => 3,
        ConditionCode::e => 4,
        ConditionCode::ne | ConditionCode::None => 5,
        ConditionCode::be => 6,
        ConditionCode::a => 7,
        ConditionCode::s => 8,
        ConditionCode::ns => 9,
        ConditionCode::p => 10,
        ConditionCode::np => 11,
        ConditionCode::l => 12,
        ConditionCode::ge => 13,
        ConditionCode::le => 14,
        ConditionCode::g => 15,
    }
}

/// The condition that holds where another does not.
pub(crate) fn opposite(of: ConditionCode) -> ConditionCode {
    use ConditionCode as C;
    match of {
        C::o => C::no,
        C::no => C::o,
        C::b => C::ae,
        C::ae => C::b,
        C::e => C::ne,
        C::ne | C::None => C::e,
        C::be => C::a,
        C::a => C::be,
        C::s => C::ns,
        C::ns => C::s,
        C::p => C::np,
        C::np => C::p,
        C::l => C::ge,
        C::ge => C::l,
        C::le => C::g,
        C::g => C::le,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_what_changes_flags() {
        for code in [
            Code::Shr_rm64_imm8,
            Code::Shl_rm64_imm8,
            Code::Sar_rm64_imm8,
            Code::Rol_rm32_imm8,
            Code::Add_rm64_imm32,
            Code::Test_rm32_r32,
            Code::VEX_Kortestw_kr_kr,
            Code::VEX_Vptest_ymm_ymmm256,
        ] {
            assert!(changes_flags(code), "{code:?}");
        }
        for code in [
            Code::Mov_r64_imm64,
            Code::Lea_r64_m,
            Code::VEX_Rorx_r32_rm32_imm8,
            Code::VEX_Shlx_r64_rm64_r64,
            Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
            Code::VEX_Kmovw_kr_r32,
        ] {
            assert!(!changes_flags(code), "{code:?}");
        }
    }
}
