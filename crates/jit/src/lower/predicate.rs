//! Predicates: as a bit a lane in a general register, and as a mask a vector.

use super::Lower;
use super::lane_bits::Sets;
use super::value::{FLOAT, INT, Value, Vectors, mask_class, words_of_lanes};
use super::values::words;
use super::wide::Quads;
use crate::isa::{Family, U, V};
use crate::mir::O;
use iced_x86::Code;
use ir::{Class, CompareOp, Pred, Reg, Src};
use lanes::WARP;
use regalloc2::{RegClass, VReg};

/// How integers or numbers compare: the constants of `vpcmp` and `vcmpps`.
#[derive(Clone, Copy)]
enum Relation {
    Signed(u8),
    Unsigned(u8),
    Float(u8),
}

const EQ: u8 = 0;
const LT: u8 = 1;
const LE: u8 = 2;
const NE: u8 = 4;

fn relation(op: CompareOp) -> (Relation, bool) {
    use CompareOp as C;
    use Relation::{Float, Signed, Unsigned};
    match op {
        C::EqI32 => (Unsigned(EQ), false),
        C::NeI32 => (Unsigned(NE), false),
        C::LtU32 => (Unsigned(LT), false),
        C::LeU32 => (Unsigned(LE), false),
        C::LtS32 => (Signed(LT), false),
        C::LeS32 => (Signed(LE), false),
        C::EqI64 => (Unsigned(EQ), true),
        C::NeI64 => (Unsigned(NE), true),
        C::LtU64 => (Unsigned(LT), true),
        C::LeU64 => (Unsigned(LE), true),
        C::LtS64 => (Signed(LT), true),
        C::LeS64 => (Signed(LE), true),
        // Predicates of `vcmpps` (Intel SDM, CMPPS, table 3-1): quiet, with the wanted answer for NaNs.
        C::EqF32 => (Float(0x00), false),
        C::EquF32 => (Float(0x08), false),
        C::NeF32 => (Float(0x0c), false),
        C::NeuF32 => (Float(0x04), false),
        C::LtF32 => (Float(0x11), false),
        C::LtuF32 => (Float(0x19), false),
        C::LeF32 => (Float(0x12), false),
        C::LeuF32 => (Float(0x1a), false),
        C::NumF32 => (Float(0x07), false),
        C::NanF32 => (Float(0x03), false),
        C::EqF64 => (Float(0x00), true),
        C::EquF64 => (Float(0x08), true),
        C::NeF64 => (Float(0x0c), true),
        C::NeuF64 => (Float(0x04), true),
        C::LtF64 => (Float(0x11), true),
        C::LtuF64 => (Float(0x19), true),
        C::LeF64 => (Float(0x12), true),
        C::LeuF64 => (Float(0x1a), true),
        C::NumF64 => (Float(0x07), true),
        C::NanF64 => (Float(0x03), true),
    }
}

/// The same for values of 64 bits, of which vectors can tell whether they are equal, or one is greater: how, whether operands are
/// swapped, whether they are unsigned, and whether the answer is the opposite one.
fn in_quads(relation: Relation) -> (Quads, bool, bool, bool) {
    match relation {
        Relation::Float(how) => (Quads::Float(how), false, false, false),
        Relation::Signed(EQ) | Relation::Unsigned(EQ) => (Quads::Equal, false, false, false),
        Relation::Signed(NE) | Relation::Unsigned(NE) => (Quads::Equal, false, false, true),
        Relation::Signed(LE) => (Quads::Greater, false, false, true),
        Relation::Unsigned(LE) => (Quads::Greater, false, true, true),
        Relation::Signed(_) => (Quads::Greater, true, false, false),
        Relation::Unsigned(_) => (Quads::Greater, true, true, false),
    }
}

impl Lower<'_> {
    /// The lanes of a vector in which numbers compare so (`vcmpps`).
    pub(super) fn compare_ps(&mut self, a: VReg, b: O, predicate: u8) -> VReg {
        let found = self.func.value(mask_class(self.family));
        let code = match self.family {
            Family::Avx2 => Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8,
            Family::Avx512 => Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
        };
        self.func.x(code, &[O::D(found), O::U(a), b, O::I8(predicate)]);
        found
    }

    /// A mask that an instruction makes of two operands and perhaps a constant (AVX-512).
    pub(super) fn mask_of(&mut self, code: Code, a: VReg, b: O, constant: Option<u8>) -> VReg {
        let found = self.func.value(RegClass::Vector);
        let mut operands = vec![O::D(found), O::U(a), b];
        operands.extend(constant.map(O::I8));
        self.func.x(code, &operands);
        found
    }

    /// `a` where the mask is, else `b`.
    pub(super) fn blend(&mut self, mask: VReg, a: O, b: VReg) -> VReg {
        let found = self.func.value(FLOAT);
        match self.family {
            Family::Avx2 => {
                let code = Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm;
                self.func.x(code, &[O::D(found), O::U(b), a, O::U(mask)]);
            }
            Family::Avx512 => {
                let code = Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32;
                self.func.x(code, &[O::D(found), O::U(b), a, O::Masked(mask)]);
            }
        }
        found
    }

    /// The lanes of a predicate, a mask a vector.
    pub(super) fn masks(&mut self, pred: Pred) -> Option<Vectors> {
        let (reg, negated) = match pred {
            Pred::Is(reg) => (reg, false),
            Pred::Not(reg) => (reg, true),
            Pred::Const(_) => return None,
        };
        let masks = match (self.known(reg).masks, self.shapes.constant_lanes(Pred::Is(reg))) {
            (Some(masks), _) => masks,
            (None, Some(lanes)) if self.family == Family::Avx2 => {
                (0..self.gang.slices()).map(|nth| self.constant_mask(lanes, nth)).collect()
            }
            (None, _) => {
                let bits = self.scalar(reg);
                let masks = self.masks_of(bits);
                let value = self.known(reg);
                self.set(reg, Value { masks: Some(masks.clone()), ..value });
                masks
            }
        };
        if !negated {
            return Some(masks);
        }
        Some(masks.iter().map(|mask| self.not_mask(*mask)).collect())
    }

    /// The mask of a vector's lanes among constant ones (AVX2).
    fn constant_mask(&mut self, lanes: u64, nth: usize) -> VReg {
        let own = lanes & self.gang.of_vector(nth, self.gang.slices());
        let first = nth * self.family.lanes();
        let bits = own.checked_shr(first as u32).unwrap_or(0);
        let of_lane = |lane: usize| if bits >> lane & 1 != 0 { u32::MAX } else { 0 };
        let mask = self.pool(words_of_lanes(of_lane));
        self.unary(U::Load, O::M(mask))
    }

    fn not_mask(&mut self, mask: VReg) -> VReg {
        let found = self.func.value(mask_class(self.family));
        match self.family {
            Family::Avx2 => {
                let ones = self.pool(words(u32::MAX));
                self.func.x(V::Xor.code(self.family), &[O::D(found), O::U(mask), O::M(ones)]);
            }
            Family::Avx512 => {
                self.func.x(Code::VEX_Knotw_kr_kr, &[O::D(found), O::U(mask)]);
            }
        }
        found
    }

    /// The masks of a bit a lane.
    pub(super) fn masks_of(&mut self, bits: VReg) -> Vectors {
        let slices = self.gang.slices();
        match self.family {
            Family::Avx2 => {
                let mut warps = Vec::new();
                for bits in self.of_warps(bits) {
                    warps.push(self.broadcast(bits, Class::W32));
                }
                (0..slices)
                    .map(|nth| {
                        let lanes = self.family.lanes();
                        let (warp, first) = (nth * lanes / WARP, nth * lanes % WARP);
                        let all = warps[warp];
                        let mut bytes = [0; 64];
                        for (lane, chunk) in bytes.chunks_exact_mut(4).enumerate().take(lanes) {
                            chunk.copy_from_slice(&(1u32 << (first + lane)).to_le_bytes());
                        }
                        let bit = self.pool(bytes);
                        let own = self.binary(V::And, all, O::M(bit));
                        let found = self.func.value(FLOAT);
                        let code = Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
                        self.func.x(code, &[O::D(found), O::U(own), O::M(bit)]);
                        found
                    })
                    .collect()
            }
            Family::Avx512 => (0..slices)
                .map(|nth| {
                    let mut part = bits;
                    if nth > 0 {
                        let by = (nth * self.family.lanes()) as u8;
                        part = self.tied(Code::Shr_rm64_imm8, bits, O::I8(by));
                    }
                    let found = self.func.value(RegClass::Vector);
                    self.func.x(Code::VEX_Kmovw_kr_r32, &[O::D(found), O::U(part)]);
                    found
                })
                .collect(),
        }
    }

    /// A bit a lane of masks.
    pub(super) fn bits_of(&mut self, masks: &[VReg]) -> VReg {
        if self.family == Family::Avx512 {
            return self.bits_of_words(masks);
        }
        let mut all = None;
        for (nth, mask) in masks.iter().enumerate() {
            let mut part = self.func.value(INT);
            self.func.x(Code::VEX_Vmovmskps_r32_ymm, &[O::D(part), O::U(*mask)]);
            if nth > 0 {
                let by = (nth * self.family.lanes()) as u8;
                part = self.tied(Code::Shl_rm64_imm8, part, O::I8(by));
            }
            all = Some(match all {
                None => part,
                Some(all) => self.lanes_of(Sets::Or, all, part),
            });
        }
        all.unwrap_or_else(|| self.number(0, Class::W32))
    }

    /// The same of masks of 16 bits (AVX-512).
    fn bits_of_words(&mut self, masks: &[VReg]) -> VReg {
        let mut parts = masks.to_vec();
        for code in [Code::VEX_Kunpckwd_kr_kr_kr, Code::VEX_Kunpckdq_kr_kr_kr] {
            parts = parts
                .chunks(2)
                .map(|pair| {
                    let [low, high] = *pair else { return pair[0] };
                    let both = self.func.value(RegClass::Vector);
                    self.func.x(code, &[O::D(both), O::U(high), O::U(low)]);
                    both
                })
                .collect();
        }
        let found = self.func.value(INT);
        let code = match masks.len() {
            1 => Code::VEX_Kmovw_r32_kr,
            2 => Code::VEX_Kmovd_r32_kr,
            _ => Code::VEX_Kmovq_r64_kr,
        };
        self.func.x(code, &[O::D(found), O::U(parts[0])]);
        found
    }

    /// A comparison of values that vary.
    pub(super) fn compare(&mut self, op: CompareOp, d: Reg, a: Src, b: Src) {
        let (relation, wide) = relation(op);
        if wide {
            self.compare_wide(d, in_quads(relation), a, b);
            return;
        }
        if !matches!(relation, Relation::Float(_)) {
            // The bits of a NaN show.
            [a, b].into_iter().for_each(|src| self.canonical_src(src));
        }
        let count = self.gang.slices();
        let masks = (0..count)
            .map(|nth| {
                let first = self.vector(a, Class::W32, nth);
                let second = self.operand(b, Class::W32, nth);
                self.compare_vector(relation, first, second)
            })
            .collect();
        self.set(d, Value::masks(masks));
    }

    /// The lanes of a vector in which words are equal.
    pub(super) fn equal_words(&mut self, a: VReg, b: O) -> VReg {
        self.compare_vector(Relation::Unsigned(EQ), a, b)
    }

    /// The lanes of a vector in which a signed word is not greater than another.
    pub(super) fn not_greater(&mut self, a: VReg, b: O) -> VReg {
        self.compare_vector(Relation::Signed(LE), a, b)
    }

    fn compare_vector(&mut self, relation: Relation, a: VReg, b: O) -> VReg {
        if let Relation::Float(predicate) = relation {
            return self.compare_ps(a, b, predicate);
        }
        let mask = mask_class(self.family);
        if self.family == Family::Avx512 {
            let found = self.func.value(mask);
            let (code, constant) = match relation {
                Relation::Unsigned(constant) => {
                    (Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, constant)
                }
                Relation::Signed(constant) | Relation::Float(constant) => {
                    (Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, constant)
                }
            };
            self.func.x(code, &[O::D(found), O::U(a), b, O::I8(constant)]);
            return found;
        }
        let plain = |this: &mut Self, code: Code, a: VReg, b: O| {
            let found = this.func.value(mask);
            this.func.x(code, &[O::D(found), O::U(a), b]);
            found
        };
        let equal = Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
        let greater = Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256;
        let register = |this: &mut Self, b: O| match b {
            O::U(value) => value,
            other => {
                let found = this.func.value(FLOAT);
                let code = U::Load.code(this.family);
                this.func.x(code, &[O::D(found), other]);
                found
            }
        };
        match relation {
            Relation::Signed(LE) => {
                let above = plain(self, greater, a, b);
                self.not_mask(above)
            }
            Relation::Signed(_) => {
                // Less is greater the other way round.
                let b = register(self, b);
                plain(self, greater, b, O::U(a))
            }
            Relation::Unsigned(EQ) => plain(self, equal, a, b),
            Relation::Unsigned(NE) => {
                let same = plain(self, equal, a, b);
                self.not_mask(same)
            }
            Relation::Unsigned(LE) => {
                let low = self.binary(V::MinUD, a, b);
                plain(self, equal, low, O::U(a))
            }
            Relation::Unsigned(_) | Relation::Float(_) => {
                // Less is not greater or equal.
                let b = register(self, b);
                let low = self.binary(V::MinUD, b, O::U(a));
                let not = plain(self, equal, low, O::U(b));
                self.not_mask(not)
            }
        }
    }

    /// A comparison of values that are the same in all lanes. Says whether it can be done.
    pub(super) fn compare_uniform(&mut self, op: CompareOp, d: Reg, a: Src, b: Src) -> bool {
        use Code as X;
        let (relation, wide) = relation(op);
        let code = match relation {
            Relation::Signed(EQ) | Relation::Unsigned(EQ) => X::Sete_rm8,
            Relation::Signed(NE) | Relation::Unsigned(NE) => X::Setne_rm8,
            Relation::Signed(LT) => X::Setl_rm8,
            Relation::Signed(_) => X::Setle_rm8,
            Relation::Unsigned(LT) => X::Setb_rm8,
            Relation::Unsigned(_) => X::Setbe_rm8,
            Relation::Float(_) => return false,
        };
        let class = if wide { Class::W64 } else { Class::W32 };
        let (a, b) = (self.scalar_src(a, class), self.scalar_src(b, class));
        let compare = if wide { X::Cmp_r64_rm64 } else { X::Cmp_r32_rm32 };
        self.func.x(compare, &[O::U(a), O::U(b)]);
        let bits = self.all_or_none(code);
        self.set(d, Value::scalar(bits));
        true
    }

    /// A function of two predicates, by its truth table.
    pub(super) fn logic(&mut self, table: u8, a: Pred, b: Pred) -> VReg {
        let (a, b) = (self.bits(a), self.bits(b));
        use Sets::{And, Or, Xor};
        match table & 15 {
            0b0000 => self.lanes_constant(0),
            0b1111 => self.lanes_constant(u64::MAX),
            0b1100 => a,
            0b1010 => b,
            0b0011 => self.lanes_not(a),
            0b0101 => self.lanes_not(b),
            0b1000 => self.lanes_of(And, a, b),
            0b1110 => self.lanes_of(Or, a, b),
            0b0110 => self.lanes_of(Xor, a, b),
            0b0111 => {
                let both = self.lanes_of(And, a, b);
                self.lanes_not(both)
            }
            0b0001 => {
                let any = self.lanes_of(Or, a, b);
                self.lanes_not(any)
            }
            0b1001 => {
                let differ = self.lanes_of(Xor, a, b);
                self.lanes_not(differ)
            }
            0b0100 => {
                let b = self.lanes_not(b);
                self.lanes_of(And, a, b)
            }
            0b0010 => {
                let a = self.lanes_not(a);
                self.lanes_of(And, a, b)
            }
            0b1101 => {
                let b = self.lanes_not(b);
                self.lanes_of(Or, a, b)
            }
            _ => {
                let a = self.lanes_not(a);
                self.lanes_of(Or, a, b)
            }
        }
    }
}
