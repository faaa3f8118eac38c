//! What operands an instruction has, as its name in `iced-x86` says: `Add_rm64_imm8` has a general register of 64 bits, or memory, and a
//! byte. The library has a table of this, too, which takes 2 ms to make when it is first asked: as long as a kernel takes.

use iced_x86::{Code, Mnemonic, OpKind};
use std::fmt::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The part of a register that an operand names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it, as it is called already; or there is no register.
    Whole,
    Byte,
    Word,
    Double,
    Xmm,
    Ymm,
    Zmm,
}

const PARTS: [Part; 7] =
    [Part::Whole, Part::Byte, Part::Word, Part::Double, Part::Xmm, Part::Ymm, Part::Zmm];

/// Bits of an operand.
const BITS: u32 = 4;
/// Whether general registers of 64 bits are among the operands.
const WIDE: u32 = 1 << 30;
/// Marks what is known.
const KNOWN: u32 = 1 << 31;

/// The operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands(u32);

/// Per instruction, what is known of it.
static ALL: LazyLock<Box<[AtomicU32]>> =
    LazyLock::new(|| Code::values().map(|_| AtomicU32::new(0)).collect());

impl Operands {
    pub(crate) fn of(code: Code) -> Operands {
        let known = &ALL[code as usize];
        match known.load(Ordering::Relaxed) {
            0 => {
                let made = Operands::read(code);
                known.store(made.0, Ordering::Relaxed);
                made
            }
            known => Operands(known),
        }
    }

    /// The part of a register that an operand names.
    pub(crate) fn part(self, nth: usize) -> Part {
        PARTS[(self.0 >> (BITS * nth as u32) & ((1 << BITS) - 1)) as usize % PARTS.len()]
    }

    /// How a byte is written in the instruction.
    pub(crate) fn byte(self, code: Code) -> OpKind {
        use Mnemonic as M;
        let arithmetic = [M::Add, M::Or, M::Adc, M::Sbb, M::And, M::Sub, M::Xor, M::Cmp, M::Imul];
        if !arithmetic.contains(&code.mnemonic()) {
            return OpKind::Immediate8;
        }
        match self.part(0) {
            _ if self.0 & WIDE != 0 => OpKind::Immediate8to64,
            Part::Double => OpKind::Immediate8to32,
            Part::Word => OpKind::Immediate8to16,
            _ => OpKind::Immediate8,
        }
    }

    /// How 32 bits are written in the instruction.
    pub(crate) fn word(self) -> OpKind {
        if self.0 & WIDE != 0 { OpKind::Immediate32to64 } else { OpKind::Immediate32 }
    }

    /// Reads the name.
    fn read(code: Code) -> Operands {
        let mut name = String::new();
        // A string takes all that is written to it.
        let _ = write!(name, "{code:?}");
        let encoded = ["VEX_", "EVEX_"].iter().find_map(|prefix| name.strip_prefix(prefix));
        let operands = encoded.unwrap_or(&name).split('_').skip(1);
        let mut found = KNOWN;
        // Masks stand between operands, and what is said of rounding behind them.
        for (nth, operand) in operands.filter(|name| !["k1", "k1z"].contains(name)).enumerate() {
            let part = match operand {
                "r8" | "rm8" => Part::Byte,
                "r16" | "rm16" => Part::Word,
                "r32" | "rm32" | "r32m8" | "r32m16" => Part::Double,
                _ if operand.starts_with("xmm") => Part::Xmm,
                _ if operand.starts_with("ymm") => Part::Ymm,
                _ if operand.starts_with("zmm") => Part::Zmm,
                _ => Part::Whole,
            };
            if nth < 5 {
                found |= (part as u32) << (BITS * nth as u32);
            }
            if ["r64", "rm64"].contains(&operand) {
                found |= WIDE;
            }
        }
        Operands(found)
    }
}

#[cfg(test)]
mod tests {
    use super::{Operands, Part};
    use iced_x86::{Code, EncodingKind, OpCodeOperandKind as K, OpKind};

    /// What the library's table says of all instructions of the encodings that are used.
    #[test]
    fn names_say_what_the_table_of_the_library_does() {
        let (mut compared, mut differ) = (0, Vec::new());
        for code in Code::values() {
            let known = code.op_code();
            let is_used = match known.encoding() {
                EncodingKind::Legacy => known.mode64(),
                EncodingKind::VEX | EncodingKind::EVEX => true,
                _ => false,
            };
            // Those of Xeon Phi have names of their own.
            if !is_used || format!("{code:?}").starts_with("VEX_KNC") {
                continue;
            }
            let operands = Operands::of(code);
            for nth in 0..known.op_count() {
                let kind = known.op_kind(nth);
                let part = match kind {
                    K::r32_reg | K::r32_or_mem | K::r32_rm | K::r32_vvvv => Part::Double,
                    K::r8_or_mem | K::r8_reg => Part::Byte,
                    K::r16_reg | K::r16_or_mem => Part::Word,
                    K::xmm_reg | K::xmm_or_mem | K::xmm_vvvv | K::xmm_rm | K::xmm_is4 => Part::Xmm,
                    K::ymm_reg | K::ymm_or_mem | K::ymm_vvvv | K::ymm_rm | K::ymm_is4 => Part::Ymm,
                    K::zmm_reg | K::zmm_or_mem | K::zmm_vvvv | K::zmm_rm => Part::Zmm,
                    K::r64_reg | K::r64_or_mem | K::r64_vvvv | K::mem | K::k_reg | K::k_rm => {
                        Part::Whole
                    }
                    _ => continue,
                };
                if operands.part(nth as usize) != part {
                    differ.push(format!("{code:?}, operand {nth}: {part:?}"));
                }
                compared += 1;
            }
        }
        assert_eq!(differ, Vec::<String>::new());
        assert!(compared > 5000, "{compared}");
    }

    #[test]
    fn constants_are_written_as_the_table_of_the_library_says() {
        use Code as C;
        let codes = [
            C::Mov_rm64_imm32,
            C::Mov_rm32_imm32,
            C::Mov_r32_imm32,
            C::Shr_rm64_imm8,
            C::Shl_rm32_imm8,
            C::Sub_rm64_imm32,
            C::Sub_rm64_imm8,
            C::Add_rm64_imm32,
            C::Add_rm32_imm8,
            C::Cmp_rm64_imm8,
            C::Cmp_rm32_imm8,
            C::Test_rm32_imm32,
            C::Test_rm64_imm32,
            C::Xor_rm64_imm32,
            C::Or_rm32_imm32,
            C::Imul_r64_rm64_imm32,
            C::Imul_r32_rm32_imm32,
            C::And_rm32_imm8,
            C::Sar_rm64_imm8,
            C::VEX_Vpslld_ymm_ymm_imm8,
            C::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
            C::VEX_Vpextrw_r32m16_xmm_imm8,
        ];
        for code in codes {
            let (known, operands) = (code.op_code(), Operands::of(code));
            let kind = match known.op_kind(known.op_count() - 1) {
                K::imm8 => (OpKind::Immediate8, operands.byte(code)),
                K::imm8sex32 => (OpKind::Immediate8to32, operands.byte(code)),
                K::imm8sex64 => (OpKind::Immediate8to64, operands.byte(code)),
                K::imm32 => (OpKind::Immediate32, operands.word()),
                K::imm32sex64 => (OpKind::Immediate32to64, operands.word()),
                kind => panic!("{code:?}: {kind:?}"),
            };
            assert_eq!(kind.0, kind.1, "{code:?}");
        }
    }
}
