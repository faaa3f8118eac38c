//! The approximate functions that are an interpolation and nothing that takes long behind it, with AVX-512, whose permutes look segments up
//! (`numeric::sfu`). Operands that are exceptions are left to a function of rows.

use super::Lower;
use super::value::{FLOAT, Value};
use super::values::words;
use crate::isa::{Family, U, V};
use crate::mir::{Kind, O};
use iced_x86::{Code, ConditionCode};
use ir::numeric::sfu::{Interpolation, LOW_BITS, PLACE_BITS, SLOPE_BITS, interpolation};
use ir::{BinaryOp, Class, Op, Reg, Src, UnaryOp};
use regalloc2::VReg;

use ir::numeric::sfu::Interpolated as Function;

const SIGN: u32 = 1 << 31;
const FRACTION: u32 = (1 << 23) - 1;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;
/// Lanes of a vector.
const LANES: usize = 16;

/// The function of an operation, its operand, and what its result is multiplied by.
fn function(op: &Op) -> Option<(Function, Src, Option<Src>)> {
    Some(match op {
        Op::Unary { op, a, .. } => {
            let function = match op {
                UnaryOp::Ex2F32 => Function::Ex2,
                UnaryOp::RcpApproxF32 => Function::Rcp,
                UnaryOp::RsqrtF32 => Function::Rsqrt,
                UnaryOp::SqrtApproxF32 => Function::Sqrt,
                _ => return None,
            };
            (function, *a, None)
        }
        Op::Binary { op: BinaryOp::DivApproxF32 | BinaryOp::DivFullF32, a, b, .. } => {
            (Function::Rcp, *b, Some(*a))
        }
        _ => return None,
    })
}

/// An operand of which it has been looked whether it is an exception.
struct Known {
    a: VReg,
    /// How far it is from the least that is no exception.
    distance: VReg,
    /// Where the result is not zero for a reason of its own.
    not_zero: Option<VReg>,
}

impl Lower<'_> {
    /// Emits such a function, where `rows` does it in another way. Says whether the operation is one.
    pub(super) fn approximation(&mut self, op: &Op, d: Reg, rows: usize) -> bool {
        let Some((function, a, factor)) = function(op).filter(|_| self.family == Family::Avx512)
        else {
            return false;
        };
        let vectors = |this: &mut Self, src: Src| -> Vec<VReg> {
            (0..this.count(Class::W32)).map(|nth| this.vector(src, Class::W32, nth)).collect()
        };
        let operands = vectors(self, a);
        let factors = factor.map(|factor| vectors(self, factor));
        let known: Vec<Known> = operands.iter().map(|a| self.looked_at(function, *a)).collect();
        self.is_any_exception(function, &known);
        let [usual, join] = [0; 2].map(|_| self.func.block());
        let exceptional = self.func.cold_block();
        let both = vec![(exceptional, Vec::new()), (usual, Vec::new())];
        self.func.end(Kind::Branch(ConditionCode::ne), both);
        self.func.begin(usual);
        let mut found = self.interpolations(function, &known);
        for (nth, factor) in factors.iter().flatten().enumerate() {
            let product = self.binary(V::MulPs, found[nth], O::U(*factor));
            found[nth] = self.canonical_vector(product);
        }
        self.func.end(Kind::Jump, vec![(join, found)]);
        self.func.begin(exceptional);
        let given = match &factors {
            Some(factors) => [Some(factors), Some(&operands)],
            None => [Some(&operands), None],
        };
        for (nth, vectors) in given.into_iter().flatten().enumerate() {
            self.put_elements(vectors, nth);
        }
        self.func.rows(rows as u32, self.gang.warps as u32);
        let found = self.taken_elements(Class::W32, 0);
        let params: Vec<VReg> = found.iter().map(|_| self.func.value(FLOAT)).collect();
        self.func.end(Kind::Jump, vec![(join, found)]);
        self.func.begin(join);
        self.func.blocks[join.index()].params = params.clone();
        self.set(d, Value::vectors(params));
        true
    }

    /// What there is to know of an operand.
    fn looked_at(&mut self, function: Function, a: VReg) -> Known {
        let (rest, least) = (self.pool(words(!SIGN)), self.pool(words(FRACTION + 1)));
        match function {
            Function::Ex2 => {
                // The result of negative infinity is the zero that masks are made of.
                let infinity = self.pool(words(SIGN | INFINITY));
                let not_zero = self.mask_of(
                    Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
                    a,
                    O::M(infinity),
                    Some(4),
                );
                let distance = self.func.value(FLOAT);
                let operands = [O::D(distance), O::U(a), O::M(rest), O::Zeroing(not_zero)];
                self.func.x(V::And.code(self.family), &operands);
                Known { a, distance, not_zero: Some(not_zero) }
            }
            Function::Rcp => {
                let magnitude = self.binary(V::And, a, O::M(rest));
                let distance = self.binary(V::SubD, magnitude, O::M(least));
                Known { a, distance, not_zero: None }
            }
            Function::Rsqrt => {
                let distance = self.binary(V::SubD, a, O::M(least));
                Known { a, distance, not_zero: None }
            }
            Function::Sqrt => {
                // Distances are often 0.
                let not_zero =
                    self.mask_of(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, a, O::U(a), None);
                let distance = self.func.value(FLOAT);
                let operands = [O::D(distance), O::U(a), O::M(least), O::Zeroing(not_zero)];
                self.func.x(V::SubD.code(self.family), &operands);
                Known { a, distance, not_zero: Some(not_zero) }
            }
        }
    }

    /// A condition of not equal says that an operand is an exception.
    fn is_any_exception(&mut self, function: Function, known: &[Known]) {
        let end = match function {
            Function::Ex2 => 125f32.to_bits(),
            Function::Rcp => 252 << 23,
            Function::Rsqrt | Function::Sqrt => INFINITY - (FRACTION + 1),
        };
        let end = self.pool(words(end));
        let distances: Vec<VReg> = known.iter().map(|known| known.distance).collect();
        let largest = distances.into_iter().reduce(|a, b| self.binary(V::MaxUD, a, O::U(b)));
        let Some(largest) = largest else { return };
        let beyond =
            self.mask_of(Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, largest, O::M(end), Some(5));
        self.func.x(Code::VEX_Kortestw_kr_kr, &[O::U(beyond), O::U(beyond)]);
    }

    /// The results of operands of which none is an exception.
    fn interpolations(&mut self, function: Function, known: &[Known]) -> Vec<VReg> {
        let interpolation = interpolation(function);
        let positions: Vec<[VReg; 2]> =
            known.iter().map(|known| self.position(function, known.a)).collect();
        let all: Vec<VReg> = positions.iter().map(|[position, _]| *position).collect();
        let squares = self.squares(&all);
        let sums: Vec<VReg> = all
            .iter()
            .zip(squares)
            .map(|(position, square)| self.sum(&interpolation, *position, square))
            .collect();
        let each = known.iter().zip(positions).zip(sums);
        each.map(|((known, position), sum)| self.result(function, known, position, sum)).collect()
    }

    /// Where an operand lies: its segment above its place. Beside it is its magnitude in units of 2^-23, if that matters.
    fn position(&mut self, function: Function, a: VReg) -> [VReg; 2] {
        match function {
            Function::Ex2 => {
                let field = self.field_of(a);
                let last = self.pool(words(157 - 23));
                let last = self.unary(U::Load, O::M(last));
                let most = self.pool(words(31));
                let right = self.binary(V::SubD, last, O::U(field));
                let right = self.binary(V::MinUD, right, O::M(most));
                let (first, rest) = (self.pool(words(1 << 30)), self.pool(words(!SIGN)));
                let up = self.shift(U::ShlD, a, 7);
                let up = self.binary(V::Or, up, O::M(first));
                let up = self.binary(V::And, up, O::M(rest));
                let fixed = self.binary(V::ShrVD, up, O::U(right));
                let negative = self.shift(U::SarD, a, 31);
                [self.binary(V::Xor, fixed, O::U(negative)), fixed]
            }
            Function::Rcp => [self.shift(U::ShlD, a, 1), a],
            Function::Rsqrt | Function::Sqrt => {
                let odd = self.pool(words(FRACTION + 1));
                [self.binary(V::Xor, a, O::M(odd)), a]
            }
        }
    }

    /// The exponent of each number, as its field has it.
    fn field_of(&mut self, a: VReg) -> VReg {
        let field = self.shift(U::ShrD, a, 23);
        let kept = self.pool(words(0xff));
        self.binary(V::And, field, O::M(kept))
    }

    /// The squares of places, of two vectors at a time: see `numeric::sfu`.
    fn squares(&mut self, positions: &[VReg]) -> Vec<VReg> {
        let mut found = Vec::new();
        for pair in positions.chunks(2) {
            let halves = pair.iter().map(|position| {
                let place = self.shift(U::ShrD, *position, 1);
                self.unary_code(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, place)
            });
            let t = match halves.collect::<Vec<VReg>>()[..] {
                [low, high] => self.joined([low, high]),
                [low] => low,
                _ => continue,
            };
            let high = self.shift(U::ShrW, t, 8);
            let square = self.binary(V::MulW, high, O::U(high));
            let mut sum = self.shift(U::ShrW, square, 1);
            // A bit of the lower half with those of the upper half that count.
            for bit in 1..8u8 {
                let mask = self.pool(words(0x0001_0001 << bit));
                let set = self.mask_of(Code::EVEX_Vptestmw_kr_k1_zmm_zmmm512, t, O::M(mask), None);
                let part = self.shift(U::ShrW, t, 16 - bit);
                let more = self.func.value(FLOAT);
                let operands = [O::Tied(more, sum), O::U(sum), O::U(part), O::Masked(set)];
                self.func.x(Code::EVEX_Vpaddw_zmm_k1z_zmm_zmmm512, &operands);
                sum = more;
            }
            found.push(self.unary(U::WidenHalves, O::U(sum)));
            if pair.len() == 2 {
                let upper = self.immediate(U::UpperHalf, sum, 1);
                found.push(self.unary(U::WidenHalves, O::U(upper)));
            }
        }
        found
    }

    /// The upper part of a sum: see `numeric::sfu`.
    fn sum(&mut self, of: &Interpolation, position: VReg, square: VReg) -> VReg {
        let segment = self.shift(U::ShrD, position, PLACE_BITS as u8);
        let sets: Vec<VReg> = (5..of.firsts.len().ilog2())
            .map(|bit| {
                let bit = self.pool(words(1 << bit));
                self.mask_of(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, segment, O::M(bit), None)
            })
            .collect();
        let [first, others] =
            [&of.firsts, &of.others].map(|table| self.looked_up(table, segment, &sets));
        let [place, slope, low] =
            [PLACE_BITS, SLOPE_BITS, LOW_BITS].map(|bits| self.pool(words((1 << bits) - 1)));
        let slope = self.binary(V::And, others, O::M(slope));
        let curve = self.shift(U::ShrD, others, SLOPE_BITS as u8);
        let high = self.binary(V::And, position, O::M(place));
        let high = self.shift(U::ShrD, high, LOW_BITS as u8);
        let low = self.binary(V::And, position, O::M(low));
        let upper_linear = self.binary(V::MulD, slope, O::U(high));
        let linear = self.binary(V::MulD, slope, O::U(low));
        let mut quadratic = self.binary(V::MulD, curve, O::U(square));
        if of.sum.shifts[1] > 0 {
            quadratic = self.shift(U::ShlD, quadratic, of.sum.shifts[1] as u8);
        }
        let signed = |sign: i32| if sign < 0 { V::SubD } else { V::AddD };
        let bias = self.pool(words(of.sum.bias as u32));
        let bias = self.unary(U::Load, O::M(bias));
        let rest = self.binary(signed(of.sum.signs[0]), bias, O::U(linear));
        let rest = self.binary(signed(of.sum.signs[1]), rest, O::U(quadratic));
        let upper = self.shift(U::ShlD, first, (of.sum.shifts[0] - LOW_BITS) as u8);
        let upper = self.binary(signed(of.sum.signs[0]), upper, O::U(upper_linear));
        let rest = self.shift(U::SarD, rest, LOW_BITS as u8);
        let upper = self.binary(V::AddD, upper, O::U(rest));
        // Cut off to 24 bits.
        let number =
            self.shift(U::ShrD, upper, (of.exponent - of.sum.unit - 23 - LOW_BITS as i32) as u8);
        let exponent = self.pool(words(((126 + of.exponent) as u32) << 23));
        self.binary(V::AddD, number, O::M(exponent))
    }

    /// Words of a table by their numbers: in pairs of vectors by five bits, and of what is found in two by each of the next ones.
    fn looked_up(&mut self, table: &[u32], numbers: VReg, sets: &[VReg]) -> VReg {
        let vector = |words: &[u32]| {
            let mut bytes = [0; 4 * LANES];
            let words = words.iter().flat_map(|word| word.to_le_bytes());
            bytes.iter_mut().zip(words).for_each(|(to, from)| *to = from);
            bytes
        };
        let mut found: Vec<VReg> = table
            .chunks(2 * LANES)
            .map(|pair| {
                let (low, high) = pair.split_at(LANES);
                let [low, high] = [low, high].map(|words| self.pool(vector(words)));
                let low = self.unary(U::Load, O::M(low));
                let found = self.func.value(FLOAT);
                let operands = [O::Tied(found, low), O::U(numbers), O::M(high)];
                self.func.x(Code::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32, &operands);
                found
            })
            .collect();
        for set in sets {
            let pairs: Vec<VReg> =
                found.chunks(2).map(|pair| self.blend(*set, O::U(pair[1]), pair[0])).collect();
            found = pairs;
        }
        found[0]
    }

    /// What follows from a number between 1/4 and 2.
    fn result(
        &mut self,
        function: Function,
        known: &Known,
        [position, fixed]: [VReg; 2],
        number: VReg,
    ) -> VReg {
        let a = known.a;
        let found = match function {
            Function::Ex2 => {
                let (fraction, whole) = (self.pool(words(FRACTION)), self.pool(words(!FRACTION)));
                let exponent = self.binary(V::And, position, O::M(whole));
                let number = self.binary(V::AddD, number, O::U(exponent));
                // The negative of a number with a fraction is its complement; without, one unit more.
                let one = self.pool(words(ONE));
                let negative = self.shift(U::SarD, a, 31);
                let power = self.binary(V::AddD, position, O::M(one));
                let power = self.binary(V::SubD, power, O::U(negative));
                let is_whole = self.mask_of(
                    Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32,
                    fixed,
                    O::M(fraction),
                    None,
                );
                self.blend(is_whole, O::U(power), number)
            }
            Function::Rcp => {
                let (sign, middle) = (self.pool(words(SIGN)), self.pool(words(127)));
                let field = self.field_of(a);
                let middle = self.unary(U::Load, O::M(middle));
                let exponent = self.binary(V::SubD, middle, O::U(field));
                let exponent = self.shift(U::ShlD, exponent, 23);
                let number = self.binary(V::AddD, number, O::U(exponent));
                let sign = self.binary(V::And, a, O::M(sign));
                self.binary(V::Or, number, O::U(sign))
            }
            Function::Rsqrt | Function::Sqrt => {
                let middle = self.pool(words(127));
                let field = self.shift(U::ShrD, a, 23);
                let exponent = self.binary(V::SubD, field, O::M(middle));
                let half = self.shift(U::SarD, exponent, 1);
                let half = self.shift(U::ShlD, half, 23);
                if function == Function::Sqrt {
                    self.binary(V::AddD, number, O::U(half))
                } else {
                    // Powers of four have exact results.
                    let (bits, power, one) = (
                        self.pool(words(2 * FRACTION + 1)),
                        self.pool(words(FRACTION + 1)),
                        self.pool(words(ONE)),
                    );
                    let fraction = self.binary(V::And, a, O::M(bits));
                    let is_power = self.mask_of(
                        Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
                        fraction,
                        O::M(power),
                        Some(0),
                    );
                    let number = self.blend(is_power, O::M(one), number);
                    self.binary(V::SubD, number, O::U(half))
                }
            }
        };
        let Some(not_zero) = known.not_zero else { return found };
        let result = self.func.value(FLOAT);
        let operands = [O::D(result), O::U(found), O::Zeroing(not_zero)];
        self.func.x(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, &operands);
        result
    }
}
