//! Shuffles: values of lanes that other lanes name, and the transpose of a matrix.

use super::Lower;
use super::value::{FLOAT, Form, Value, words_of_lanes};
use super::values::words;
use crate::isa::{Family, U, V};
use crate::mir::O;
use iced_x86::Code;
use ir::{Class, Reg, Src};
use lanes::{ShflMode, WARP, movmatrix, shfl};
use regalloc2::VReg;

/// What the operand `c` of a shuffle says (PTX ISA 9.1, `shfl.sync`).
#[derive(Clone, Copy)]
struct Bounds {
    clamp: u32,
    segment: u32,
}

impl Bounds {
    fn of(c: u32) -> Bounds {
        Bounds { clamp: c & 31, segment: c >> 8 & 31 }
    }

    /// The last lane that a lane may read, or for `.up` the first.
    fn end(self, lane: usize) -> u32 {
        (lane as u32 & self.segment) | (self.clamp & !self.segment & 31)
    }

    /// Whether no index leaves its segment.
    fn hold_all(self, mode: ShflMode) -> bool {
        let whole = self.clamp & !self.segment & 31 == !self.segment & 31;
        match mode {
            ShflMode::Idx => whole,
            ShflMode::Bfly => whole && self.segment == 0,
            ShflMode::Up | ShflMode::Down => false,
        }
    }
}

impl Lower<'_> {
    /// Whether a shuffle of all lanes can be done, with these operands.
    pub(super) fn can_shuffle(&self, mode: ShflMode, d: Reg, b: Src, c: u32) -> bool {
        // One lane's value for all: a lane of the whole warp.
        self.form(d) == Form::Vectors
            || (mode == ShflMode::Idx && c & 0x1f1f == 0x1f && self.is_uniform(b))
    }

    /// A shuffle whose source lanes are found as it is executed.
    pub(super) fn shuffle(
        &mut self,
        mode: ShflMode,
        d: Reg,
        p: Option<Reg>,
        a: Src,
        b: Src,
        c: u32,
    ) {
        let bounds = Bounds::of(c);
        let demanded = self.demanded.lanes(d);
        let in_vectors = self.form(d) == Form::Vectors;
        if let (false, Src::Imm(b)) = (in_vectors, b) {
            // One lane's value for the whole warp.
            let lane = |warp: usize| warp * WARP + b as usize % WARP;
            let firsts: Vec<VReg> =
                (0..self.gang.warps).map(|warp| self.lane_of(a, Class::W32, lane(warp))).collect();
            self.set_of_warps(d, &firsts);
            if let Some(p) = p {
                let all = self.lanes_constant(u64::MAX);
                self.set(p, Value::scalar(all));
            }
            return;
        }
        let (mut in_range, mut vectors, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
        for warp in 0..self.gang.warps {
            let own = self.gang.of_warp(warp);
            let sources: Vec<VReg> =
                own.clone().map(|nth| self.vector(a, Class::W32, nth)).collect();
            for (source, nth) in own.enumerate() {
                let wanted = match in_vectors {
                    true => demanded & self.gang.of_vector(nth, self.gang.slices()) != 0,
                    false => source == 0,
                };
                if !wanted && p.is_none() {
                    vectors.push(sources[source]);
                    continue;
                }
                let (index, mask) = self.source_lane(mode, b, bounds, nth);
                in_range.extend(mask);
                vectors.push(match wanted {
                    true => self.of_lanes(&sources, index),
                    false => sources[source],
                });
            }
            if !in_vectors {
                let first = vectors[self.gang.of_warp(warp).start];
                firsts.push(self.first_word(first));
            }
        }
        match in_vectors {
            true => {
                let nan = matches!(a, Src::Reg(reg) if self.known(reg).nan);
                self.set(d, Value { nan, ..Value::vectors(vectors) });
            }
            false => self.set_of_warps(d, &firsts),
        }
        let Some(p) = p else { return };
        let value = match in_range.is_empty() {
            true => Value::scalar(self.lanes_constant(u64::MAX)),
            false => Value::masks(in_range),
        };
        self.set(p, value);
    }

    /// The source lanes of a vector's lanes, and those whose source is in range unless all are.
    fn source_lane(
        &mut self,
        mode: ShflMode,
        b: Src,
        bounds: Bounds,
        nth: usize,
    ) -> (VReg, Option<VReg>) {
        let first = nth * self.family.lanes() % WARP;
        let of_lanes = |this: &mut Self, value: &dyn Fn(u32) -> u32| {
            this.pool(words_of_lanes(|lane| value((first + lane) as u32)))
        };
        let b = self.vector(b, Class::W32, nth);
        let kept = if mode == ShflMode::Idx { !bounds.segment & 31 } else { 31 };
        let kept = self.pool(words(kept));
        let b = self.binary(V::And, b, O::M(kept));
        let lane = of_lanes(self, &|lane| lane);
        let lane_vector = self.unary(U::Load, O::M(lane));
        let index = match mode {
            ShflMode::Up => self.binary(V::SubD, lane_vector, O::U(b)),
            ShflMode::Down => self.binary(V::AddD, b, O::M(lane)),
            ShflMode::Bfly => self.binary(V::Xor, b, O::M(lane)),
            ShflMode::Idx => {
                let segment = of_lanes(self, &|lane| lane & bounds.segment);
                self.binary(V::Or, b, O::M(segment))
            }
        };
        if bounds.hold_all(mode) {
            return (index, None);
        }
        let end = of_lanes(self, &|lane| bounds.end(lane as usize));
        let end_vector = self.unary(U::Load, O::M(end));
        let mask = match mode {
            ShflMode::Up => self.not_greater(end_vector, O::U(index)),
            ShflMode::Down | ShflMode::Bfly | ShflMode::Idx => self.not_greater(index, O::M(end)),
        };
        // Who would read beyond the end reads itself.
        (self.blend(mask, O::U(index), lane_vector), Some(mask))
    }

    /// The words of a value's vectors that have these numbers, below 32.
    fn of_lanes(&mut self, sources: &[VReg], index: VReg) -> VReg {
        if let [low, high] = *sources {
            let found = self.func.value(FLOAT);
            let code = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
            self.func.x(code, &[O::Tied(found, index), O::U(low), O::U(high)]);
            return found;
        }
        // Of each vector the lanes with those numbers; then, by the next bits of the number, one of them.
        let mut found: Vec<VReg> =
            sources.iter().map(|source| self.binary(V::PermD, index, O::U(*source))).collect();
        let mut bit = self.family.lanes().trailing_zeros();
        while found.len() > 1 {
            let chosen = self.shift(U::ShlD, index, (31 - bit) as u8);
            found =
                found.chunks(2).map(|pair| self.blend(chosen, O::U(pair[1]), pair[0])).collect();
            bit += 1;
        }
        found[0]
    }

    /// The transpose of a matrix of 8 by 8 elements of 16 bits.
    pub(super) fn transpose(&mut self, d: Reg, a: Src) {
        let lanes = self.family.lanes();
        let all = u32::MAX >> (32 - lanes);
        let mut vectors = Vec::new();
        for warp in 0..self.gang.warps {
            let own = self.gang.of_warp(warp);
            let sources: Vec<VReg> = own.map(|nth| self.vector(a, Class::W32, nth)).collect();
            for nth in 0..sources.len() {
                let first = nth * lanes;
                let [low, high] = [0, 1].map(|half| {
                    let from: Vec<usize> = (first..first + lanes)
                        .map(|lane| movmatrix::source_lanes(lane)[half])
                        .collect();
                    self.permuted(&sources, &from, all)
                });
                // Odd columns are upper halves.
                let by = self.pool(words_of_lanes(|lane| movmatrix::source_shift(first + lane)));
                let kept = self.pool(words(0xffff));
                let low = self.binary(V::ShrVD, low, O::M(by));
                let low = self.binary(V::And, low, O::M(kept));
                let high = self.binary(V::ShrVD, high, O::M(by));
                let high = self.shift(U::ShlD, high, 16);
                vectors.push(self.binary(V::Or, low, O::U(high)));
            }
        }
        self.set(d, Value::vectors(vectors));
    }

    /// A shuffle whose source lanes are known.
    pub(super) fn shuffle_known(
        &mut self,
        mode: ShflMode,
        d: Reg,
        p: Option<Reg>,
        a: Src,
        b: u32,
        c: u32,
    ) {
        let found = shfl::source_lanes(mode, &[b; WARP], &[c; WARP]);
        let from = found.lane.map(|lane| lane as usize % WARP);
        let lanes = self.family.lanes();
        let demanded = self.demanded.lanes(d);
        let mut vectors = Vec::new();
        for warp in 0..self.gang.warps {
            let own = self.gang.of_warp(warp);
            let sources: Vec<VReg> = own.map(|nth| self.vector(a, Class::W32, nth)).collect();
            let demanded = (demanded >> (warp * WARP)) as u32;
            for nth in 0..sources.len() {
                let own = (u32::MAX >> (32 - lanes)) << (nth * lanes);
                vectors.push(match demanded & own {
                    0 => sources[nth],
                    wanted => {
                        let from = &from[nth * lanes..][..lanes];
                        self.permuted(&sources, from, wanted >> (nth * lanes))
                    }
                });
            }
        }
        let nan = matches!(a, Src::Reg(reg) if self.known(reg).nan);
        self.set(d, Value { nan, ..Value::vectors(vectors) });
        if let Some(p) = p {
            let lanes = u64::from(found.in_range.0);
            let bits = self.lanes_constant(lanes << WARP | lanes);
            self.set(p, Value::scalar(bits));
        }
    }

    /// A vector whose lanes come from these lanes of a value; only some lanes are wanted.
    fn permuted(&mut self, sources: &[VReg], from: &[usize], wanted: u32) -> VReg {
        let lanes = from.len();
        let is_wanted = |lane: usize| wanted >> lane & 1 != 0;
        let all: Vec<usize> = (0..lanes).filter(|lane| is_wanted(*lane)).collect();
        let Some(&one) = all.first() else { return sources[0] };
        let distance = |lane: usize| from[lane] as isize - lane as isize;
        if all.iter().all(|lane| distance(*lane) == distance(one)) {
            return self.at_distance(sources, lanes, distance(one));
        }
        let nth = from[one] / lanes;
        let in_one = all.iter().all(|lane| from[*lane] / lanes == nth);
        match (self.family, sources) {
            (Family::Avx512, [low, high]) => {
                let source = in_one.then(|| sources[nth]);
                return self.permuted_pair([*low, *high], source, from);
            }
            (Family::Avx2, _) if in_one => {
                if let Some(found) = self.in_both_halves(sources[nth], from, &all) {
                    return found;
                }
            }
            _ => {}
        }
        let mut result: Option<VReg> = None;
        for (nth, source) in sources.iter().enumerate() {
            let mine = |lane: usize| is_wanted(lane) && from[lane] / lanes == nth;
            let count = (0..lanes).filter(|lane| mine(*lane)).count();
            if count == 0 {
                continue;
            }
            let in_place = (0..lanes).all(|lane| !mine(lane) || from[lane] % lanes == lane);
            let moved = match in_place {
                true => *source,
                false => {
                    let mut bytes = [0; 64];
                    for (lane, chunk) in bytes.chunks_exact_mut(4).enumerate().take(lanes) {
                        let lane = if mine(lane) { from[lane] % lanes } else { lane };
                        chunk.copy_from_slice(&(lane as u32).to_le_bytes());
                    }
                    let index = self.pool(bytes);
                    let register = self.func.value(FLOAT);
                    self.func.x(U::Load.code(self.family), &[O::D(register), O::M(index)]);
                    self.binary(V::PermD, register, O::U(*source))
                }
            };
            result = Some(match result {
                None => moved,
                Some(result) => {
                    let own = (0..lanes).filter(|lane| mine(*lane));
                    let own = own.fold(0u32, |all, lane| all | 1 << lane);
                    self.merged(result, moved, own)
                }
            });
        }
        result.unwrap_or(sources[0])
    }

    /// The lanes at a distance from those of the first vector. Of a vector that is not there, none are wanted.
    fn at_distance(&mut self, sources: &[VReg], lanes: usize, distance: isize) -> VReg {
        const HALF: usize = 4;
        let (nth, at) = (distance.div_euclid(lanes as isize), distance.rem_euclid(lanes as isize));
        let vector = |nth: isize| sources[nth.clamp(0, sources.len() as isize - 1) as usize];
        let (low, high, at) = (vector(nth), vector(nth + 1), at as usize);
        if at == 0 {
            return low;
        }
        let (code, below, above, by) = match self.family {
            Family::Avx512 => (Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8, low, high, at),
            Family::Avx2 => {
                let code = Code::VEX_Vpalignr_ymm_ymm_ymmm256_imm8;
                // The upper half of the one and the lower half of the other.
                let middle = self.chosen_halves(low, high, 0x21);
                match at {
                    HALF => return middle,
                    // By bytes, in each half.
                    0..HALF => (code, low, middle, 4 * at),
                    _ => (code, middle, high, 4 * (at - HALF)),
                }
            }
        };
        let found = self.func.value(FLOAT);
        self.func.x(code, &[O::D(found), O::U(above), O::U(below), O::I8(by as u8)]);
        found
    }

    /// The wanted lanes of one vector, if its halves change places, or both have the same order (AVX2).
    fn in_both_halves(&mut self, source: VReg, from: &[usize], wanted: &[usize]) -> Option<VReg> {
        const HALF: usize = 4;
        let place = |lane: usize| from[lane] % from.len();
        if wanted.iter().all(|lane| place(*lane) == lane ^ HALF) {
            return Some(self.chosen_halves(source, source, 0x01));
        }
        let mut order = [None; HALF];
        for lane in wanted.iter().copied() {
            let own = &mut order[lane % HALF];
            let stays = place(lane) / HALF == lane / HALF;
            if !stays || own.is_some_and(|other| other != place(lane) % HALF) {
                return None;
            }
            *own = Some(place(lane) % HALF);
        }
        let order = (0..HALF).fold(0, |all, lane| all | order[lane].unwrap_or(lane) << (2 * lane));
        let found = self.func.value(FLOAT);
        let code = Code::VEX_Vpshufd_ymm_ymmm256_imm8;
        self.func.x(code, &[O::D(found), O::U(source), O::I8(order as u8)]);
        Some(found)
    }

    /// Halves of two vectors, as the instruction's constant says (AVX2).
    fn chosen_halves(&mut self, a: VReg, b: VReg, which: u8) -> VReg {
        let found = self.func.value(FLOAT);
        let code = Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8;
        self.func.x(code, &[O::D(found), O::U(a), O::U(b), O::I8(which)]);
        found
    }

    /// A vector whose lanes come from these of both vectors of a value, or of the one that has all that are wanted (AVX-512).
    fn permuted_pair(&mut self, both: [VReg; 2], one: Option<VReg>, from: &[usize]) -> VReg {
        let mut bytes = [0; 64];
        for (lane, chunk) in bytes.chunks_exact_mut(4).enumerate() {
            chunk.copy_from_slice(&(from[lane] as u32).to_le_bytes());
        }
        let index = self.pool(bytes);
        let index = self.unary(U::Load, O::M(index));
        // Of the index, the lower bits tell the lane of one vector.
        if let Some(source) = one {
            return self.binary(V::PermD, index, O::U(source));
        }
        let found = self.func.value(FLOAT);
        let code = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
        self.func.x(code, &[O::Tied(found, index), O::U(both[0]), O::U(both[1])]);
        found
    }

    /// `b` in the lanes of a constant mask, else `a`.
    pub(super) fn merged(&mut self, a: VReg, b: VReg, mask: u32) -> VReg {
        let found = self.func.value(FLOAT);
        match self.family {
            Family::Avx2 => {
                let code = Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8;
                self.func.x(code, &[O::D(found), O::U(a), O::U(b), O::I8(mask as u8)]);
            }
            Family::Avx512 => {
                let bits = self.number(u64::from(mask), Class::W32);
                let lanes = self.func.value(regalloc2::RegClass::Vector);
                self.func.x(Code::VEX_Kmovw_kr_r32, &[O::D(lanes), O::U(bits)]);
                return self.blend(lanes, O::U(b), a);
            }
        }
        found
    }
}
