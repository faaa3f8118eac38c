//! Collectives of a whole warp.

use super::Lower;
use super::value::{FLOAT, Value};
use crate::Level;
use crate::isa::{U, V};
use crate::mir::O;
use iced_x86::Code;
use ir::{Class, Collective, Members, Pred, Reg, Src};
use lanes::{ShflMode, VoteMode, WARP, shfl};
use regalloc2::VReg;

impl Lower<'_> {
    /// Emits a collective in which all lanes take part. Says whether it can be done.
    pub(super) fn collective(&mut self, what: &Collective, members: Members) -> bool {
        match members {
            Members::Active => {}
            Members::Mask(Src::Imm(mask)) if mask as u32 == u32::MAX => {}
            Members::Mask(_) => return false,
        }
        match what {
            Collective::Shfl { mode, d, p, a, b: Src::Imm(b), c: Src::Imm(c) } => {
                if self.is_scalar(*d) {
                    return false;
                }
                self.shuffle(*mode, *d, *p, *a, *b as u32, *c as u32);
                true
            }
            Collective::Ballot { d, a } if self.is_scalar(*d) => {
                let bits = self.bits(*a);
                self.set(*d, Value::scalar(bits));
                true
            }
            Collective::Vote { mode, d, a } => self.vote(*mode, *d, *a),
            Collective::WarpSync => true,
            Collective::Shfl { .. }
            | Collective::Ballot { .. }
            | Collective::MatchAny { .. }
            | Collective::MatchAll { .. }
            | Collective::Redux { .. }
            | Collective::ReduxF32 { .. }
            | Collective::Elect { .. }
            | Collective::MovMatrix { .. }
            | Collective::Matrix(_)
            | Collective::Mma(_) => false,
        }
    }

    fn vote(&mut self, mode: VoteMode, d: Reg, a: Pred) -> bool {
        let bits = self.bits(a);
        let (compared, code) = match mode {
            VoteMode::All => (0xff, Code::Sete_rm8),
            VoteMode::Any => (0, Code::Setne_rm8),
            VoteMode::Uni => return false,
        };
        self.func.x(Code::Cmp_rm32_imm8, &[O::U(bits), O::I8(compared)]);
        let [byte, word, found] = [0; 3].map(|_| self.func.value(super::value::INT));
        self.func.x(code, &[O::D(byte)]);
        self.func.x(Code::Movzx_r32_rm8, &[O::D(word), O::U(byte)]);
        self.func.x(Code::Neg_rm32, &[O::Tied(found, word)]);
        self.set(d, Value::scalar(found));
        true
    }

    fn shuffle(&mut self, mode: ShflMode, d: Reg, p: Option<Reg>, a: Src, b: u32, c: u32) {
        let found = shfl::source_lanes(mode, &[b; WARP], &[c; WARP]);
        let from = found.lane.map(|lane| lane as usize % WARP);
        let count = self.level.slices();
        let lanes = self.level.lanes();
        let sources: Vec<VReg> = (0..count).map(|nth| self.vector(a, Class::W32, nth)).collect();
        let demanded = self.demanded.lanes(d).0;
        let vectors = (0..count)
            .map(|nth| {
                let own = (u32::MAX >> (32 - lanes)) << (nth * lanes);
                match demanded & own {
                    0 => sources[nth],
                    wanted => self.permuted(
                        &sources,
                        &from[nth * lanes..][..lanes],
                        wanted >> (nth * lanes),
                    ),
                }
            })
            .collect();
        let nan = matches!(a, Src::Reg(reg) if self.known(reg).nan);
        self.set(d, Value { nan, ..Value::vectors(vectors) });
        if let Some(p) = p {
            let bits = self.number(u64::from(found.in_range.0), Class::W32);
            self.set(p, Value::scalar(bits));
        }
    }

    /// A vector whose lanes come from these lanes of a value; only some lanes are wanted.
    fn permuted(&mut self, sources: &[VReg], from: &[usize], wanted: u32) -> VReg {
        let lanes = from.len();
        let is_wanted = |lane: usize| wanted >> lane & 1 != 0;
        if self.level == Level::Avx512
            && let [low, high] = *sources
        {
            return self.permuted_pair([low, high], from, wanted);
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
                    self.func.x(U::Load.code(self.level), &[O::D(register), O::M(index)]);
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

    /// The same of both vectors of a value (AVX-512).
    fn permuted_pair(&mut self, sources: [VReg; 2], from: &[usize], wanted: u32) -> VReg {
        let lanes = from.len();
        let all: Vec<usize> = (0..lanes).filter(|lane| wanted >> lane & 1 != 0).collect();
        let distance = |lane: usize| from[lane] as isize - lane as isize;
        let Some(first) = all.first().map(|lane| distance(*lane)) else { return sources[0] };
        let one = |nth: usize| all.iter().all(|lane| from[*lane] / lanes == nth);
        let found = self.func.value(FLOAT);
        if all.iter().all(|lane| distance(*lane) == first) {
            // Lanes that follow each other in both vectors, one behind the other; those of a vector that is not there are not wanted.
            let (nth, at) = (first.div_euclid(lanes as isize), first.rem_euclid(lanes as isize));
            let vector = |nth: isize| sources[nth.clamp(0, 1) as usize];
            if at == 0 {
                return vector(nth);
            }
            let code = Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8;
            let [low, high] = [vector(nth), vector(nth + 1)];
            self.func.x(code, &[O::D(found), O::U(high), O::U(low), O::I8(at as u8)]);
            return found;
        }
        let mut bytes = [0; 64];
        for (lane, chunk) in bytes.chunks_exact_mut(4).enumerate() {
            chunk.copy_from_slice(&(from[lane] as u32).to_le_bytes());
        }
        let index = self.pool(bytes);
        let index = self.unary(U::Load, O::M(index));
        // Of the index, the lower bits tell the lane of one vector.
        if let Some(nth) = (0..2).find(|nth| one(*nth)) {
            return self.binary(V::PermD, index, O::U(sources[nth]));
        }
        let code = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
        self.func.x(code, &[O::Tied(found, index), O::U(sources[0]), O::U(sources[1])]);
        found
    }

    /// `b` in the lanes of a constant mask, else `a`.
    pub(super) fn merged(&mut self, a: VReg, b: VReg, mask: u32) -> VReg {
        let found = self.func.value(FLOAT);
        match self.level {
            Level::Avx2 => {
                let code = Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8;
                self.func.x(code, &[O::D(found), O::U(a), O::U(b), O::I8(mask as u8)]);
            }
            Level::Avx512 => {
                let bits = self.number(u64::from(mask), Class::W32);
                let lanes = self.func.value(regalloc2::RegClass::Vector);
                self.func.x(Code::VEX_Kmovw_kr_r32, &[O::D(lanes), O::U(bits)]);
                return self.blend(lanes, O::U(b), a);
            }
        }
        found
    }
}
