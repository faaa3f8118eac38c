//! What takes several machine instructions.

use super::later::{Apart, Later, Runs};
use super::{Cold, Emitter, SITE_BYTES, after};
use crate::exit::Index;
use crate::isa::{Family, U, V};
use crate::mir::Compound;
use crate::registers::{MASK_SCRATCH as MASK, REGISTERS, SCRATCH, WARP, vector_scratch};
use crate::transpose::SIDE;
use crate::x86::operands::Part;
use crate::x86::{self, Memory, Operand as X};
use iced_x86::{Code, ConditionCode, Register};

/// A constant.
fn constant(nth: u32) -> X {
    after(Register::RIP, i64::from(nth) * 64)
}

/// The low part of a vector register.
fn low(register: Register) -> X {
    X::R(x86::sized(register, Part::Xmm))
}

/// A place in rows of registers.
fn in_rows(scale: u32, disp: i32) -> X {
    let index = (scale != 0).then_some((WARP, scale));
    X::M(Memory { base: REGISTERS, index, disp: disp.into(), broadcast: false })
}

impl Emitter {
    /// Emits it; the registers are those of its operands.
    pub(super) fn compound(
        &mut self,
        what: Compound,
        registers: &[Register],
    ) -> Result<(), String> {
        match (what, registers) {
            (Compound::Window { site, bytes, index }, [key, sites]) => {
                self.window(site, (bytes, index), *key, *sites)
            }
            (Compound::Region { site, bytes, offset }, [start, last, shift, sites]) => {
                let disp = i64::from(site) * i64::from(SITE_BYTES);
                self.region((*sites, disp), (bytes, offset), [*start, *last, *shift])
            }
            (Compound::Bounds { wide, new }, [low, high, rest @ ..]) => {
                match if new { rest } else { rest.get(2..).unwrap_or_default() } {
                    [last, offsets @ ..] => self.bounds(wide, new, [*low, *high], *last, offsets),
                    [] => Err("bounds have no offsets".to_owned()),
                }
            }
            (Compound::Outside { constants }, [low, high, room]) => {
                self.outside([*low, *high], constants, *room)
            }
            (Compound::StoreRow { scale, disp }, vectors) => {
                let (_, store) = x86::vector_moves(self.family);
                for (nth, vector) in (0..).zip(vectors) {
                    let disp = disp + nth * self.family.bytes() as i32;
                    self.op(store, &[in_rows(scale, disp), X::R(*vector)])?;
                }
                Ok(())
            }
            (Compound::Gather { disp }, [found, base, offsets, mask @ ..]) => {
                self.gather(*found, (*base, *offsets, disp), mask.first().copied())
            }
            (Compound::Scatter, [base, offsets, words, mask @ ..]) => {
                self.scatter(*base, *offsets, *words, mask.first().copied())
            }
            (
                Compound::ScatterDense { places },
                [base, offsets, words, mask, dense, first, count],
            ) => {
                let [base, offsets, words, mask] = [base, offsets, words, mask].map(|reg| *reg);
                let apart = Apart { base, offsets, words, mask, behind: 0 };
                self.scatter_dense(apart, places, [*dense, *first], *count)
            }
            (Compound::LoadRuns { places }, [base, both @ .., all, first]) => {
                self.load_runs(Runs::new(*base, both, [*all, *first]), places)
            }
            (Compound::StoreRuns { places }, [base, both @ .., all, first]) => {
                self.store_runs(Runs::new(*base, both, [*all, *first]), places)
            }
            (Compound::Addresses { index, scale, disp }, [numbers, base @ ..]) => {
                self.addresses(index, *numbers, base.first().copied(), (scale, disp))
            }
            (Compound::Steps { places }, [offsets @ .., all, first]) => {
                self.steps(offsets, places, [*all, *first])
            }
            (Compound::LoadRows { step, used }, [names @ .., free, start]) => {
                let names = names.try_into().map_err(|_| "rows have other columns".to_owned())?;
                self.load_rows(names, *free, *start, (step, used))
            }
            (Compound::StoreRows { step, used }, [start, .., free]) => {
                let end = registers.len() - 1;
                let names = registers.get(end - SIDE..end).and_then(|names| names.try_into().ok());
                let names = names.ok_or("rows have other columns")?;
                self.store_rows(names, *free, *start, (step, used))
            }
            (Compound::MatchAny { warp }, [vectors @ .., room, other]) => {
                self.match_any(vectors, warp, *room, *other)
            }
            (Compound::CountLanes { count }, [lanes, room]) => {
                self.count_lanes(*lanes, *room, count)
            }
            (Compound::CountDivergences, [one, other]) => self.count_divergences(*one, *other),
            _ => Err(format!("{what:?} has other operands")),
        }
    }

    fn scratch(&self) -> Register {
        x86::vector(vector_scratch(self.family), self.family)
    }

    /// Makes all bits of the scratch register for masks those of a mask, or ones.
    fn mask(&mut self, mask: Option<Register>) -> Result<X, String> {
        let scratch = X::R(self.scratch());
        match (self.family, mask) {
            (Family::Avx512, Some(mask)) => {
                self.op(Code::VEX_Kmovw_kr_km16, &[X::R(MASK), X::R(mask)])?;
            }
            (Family::Avx512, None) => {
                self.op(Code::VEX_Kxnorw_kr_kr_kr, &[X::R(MASK), X::R(MASK), X::R(MASK)])?;
            }
            (Family::Avx2, Some(mask)) => {
                let (copy, _) = x86::vector_moves(self.family);
                self.op(copy, &[scratch, X::R(mask)])?;
            }
            (Family::Avx2, None) => {
                self.op(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, &[scratch, scratch, scratch])?;
            }
        }
        Ok(scratch)
    }

    fn region(
        &mut self,
        (sites, disp): (Register, i64),
        (bytes, offset): (u32, i32),
        [start, last, shift]: [Register; 3],
    ) -> Result<(), String> {
        let [start, last] = [start, last].map(X::R);
        let other = X::R(SCRATCH);
        self.op(Code::Mov_r64_rm64, &[start, after(sites, disp)])?;
        self.op(Code::Mov_r64_rm64, &[last, after(sites, disp + 8)])?;
        self.op(Code::Sub_r64_rm64, &[last, start])?;
        self.op(Code::Sub_rm64_imm32, &[last, X::I32(bytes as i32)])?;
        // Offsets have 32 bits, and a sign.
        self.op(Code::Mov_rm64_imm32, &[other, X::I32(i32::MAX)])?;
        self.op(Code::Cmp_r64_rm64, &[last, other])?;
        self.op(Code::Cmovg_r64_rm64, &[last, other])?;
        // They tell alignment only if the beginning is aligned.
        self.op(Code::Mov_rm64_imm32, &[other, X::I32(-1)])?;
        self.op(Code::Test_rm64_imm32, &[start, X::I32(bytes as i32 - 1)])?;
        self.op(Code::Cmovne_r64_rm64, &[last, other])?;
        self.op(Code::Mov_r64_rm64, &[X::R(shift), start])?;
        self.op(Code::Sub_rm64_imm32, &[X::R(shift), X::I32(offset)])
    }

    fn bounds(
        &mut self,
        wide: bool,
        new: bool,
        [low, high]: [Register; 2],
        last: Register,
        offsets: &[Register],
    ) -> Result<(), String> {
        let family = self.family;
        let subtract = if wide { V::SubQ } else { V::SubD }.code(family);
        let (copy, _) = x86::vector_moves(family);
        for (nth, offsets) in offsets.iter().enumerate() {
            let is_first = new && nth == 0;
            let rest = if is_first { high } else { self.scratch() };
            self.op(subtract, &[X::R(rest), X::R(last), X::R(*offsets)])?;
            if is_first {
                self.op(copy, &[X::R(low), X::R(*offsets)])?;
            } else {
                self.op(V::Or.code(family), &[X::R(high), X::R(high), X::R(rest)])?;
                self.op(V::Or.code(family), &[X::R(low), X::R(low), X::R(*offsets)])?;
            }
        }
        Ok(())
    }

    fn outside(
        &mut self,
        [low, high]: [Register; 2],
        [first, second]: [u32; 2],
        room: Register,
    ) -> Result<(), String> {
        let (family, any) = (self.family, self.scratch());
        self.op(V::And.code(family), &[X::R(any), X::R(high), constant(first)])?;
        self.op(V::And.code(family), &[X::R(room), X::R(low), constant(second)])?;
        self.op(V::Or.code(family), &[X::R(any), X::R(any), X::R(room)])?;
        self.is_any_set(any)
    }

    /// A condition of not equal says that some bit of a vector is set.
    fn is_any_set(&mut self, vector: Register) -> Result<(), String> {
        let both = [X::R(vector); 2];
        match self.family {
            Family::Avx2 => self.op(Code::VEX_Vptest_ymm_ymmm256, &both),
            Family::Avx512 => {
                let test = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
                self.op(test, &[X::R(MASK), both[0], both[1]])?;
                self.op(Code::VEX_Kortestw_kr_kr, &[X::R(MASK), X::R(MASK)])
            }
        }
    }

    fn gather(
        &mut self,
        found: Register,
        (base, offsets, disp): (Register, Register, i32),
        mask: Option<Register>,
    ) -> Result<(), String> {
        let found = X::R(found);
        let zero = V::Xor.code(self.family);
        self.op(zero, &[found, found, found])?;
        // The instruction clears its mask.
        let mask = self.mask(mask)?;
        let (index, disp) = (Some((offsets, 1)), i64::from(disp));
        let from = X::M(Memory { base, index, disp, broadcast: false });
        match self.family {
            Family::Avx2 => self.op(Code::VEX_Vpgatherdd_ymm_vm32y_ymm, &[found, from, mask]),
            Family::Avx512 => {
                let code = Code::EVEX_Vpgatherdd_zmm_k1_vm32z;
                self.masked(code, &[found, from], Some((MASK, false)))
            }
        }
    }

    fn scatter(
        &mut self,
        base: Register,
        offsets: Register,
        words: Register,
        mask: Option<Register>,
    ) -> Result<(), String> {
        // The instruction clears its mask.
        self.mask(mask)?;
        let to = X::M(Memory { base, index: Some((offsets, 1)), disp: 0, broadcast: false });
        let code = Code::EVEX_Vpscatterdd_vm32z_k1_zmm;
        self.masked(code, &[to, X::R(words)], Some((MASK, false)))
    }

    fn scatter_dense(
        &mut self,
        apart: Apart,
        places: u32,
        [dense, first]: [Register; 2],
        count: Register,
    ) -> Result<(), String> {
        let Apart { base, offsets, words, mask, .. } = apart;
        let (scratch, word) = (self.scratch(), x86::sized(SCRATCH, Part::Double));
        let compress = Code::EVEX_Vpcompressd_zmmm512_k1z_zmm;
        self.masked(compress, &[X::R(dense), X::R(offsets)], Some((mask, true)))?;
        // As many lanes as execute, from the first on.
        self.op(Code::VEX_Kmovw_r32_kr, &[X::R(word), X::R(mask)])?;
        self.op(Code::VEX_Pext_r32_r32_rm32, &[X::R(word); 3])?;
        self.op(Code::VEX_Kmovw_kr_r32, &[X::R(count), X::R(word)])?;
        let subtract = V::SubD.code(self.family);
        self.op(subtract, &[X::R(scratch), X::R(dense), constant(places)])?;
        self.op(self.broadcast(), &[X::R(first), low(scratch)])?;
        const NOT_EQUAL: u8 = 4;
        let operands = [X::R(MASK), X::R(scratch), X::R(first), X::I8(NOT_EQUAL)];
        let compare = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
        self.masked(compare, &operands, Some((count, false)))?;
        self.op(Code::VEX_Kortestw_kr_kr, &[X::R(MASK), X::R(MASK)])?;
        let jump = self.jump_to(ConditionCode::ne);
        self.op(Code::EVEX_Vmovd_rm32_xmm, &[X::R(word), low(dense)])?;
        self.masked(compress, &[X::R(scratch), X::R(words)], Some((mask, true)))?;
        let to = X::M(Memory { base, index: Some((SCRATCH, 1)), disp: 0, broadcast: false });
        let store = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
        self.masked(store, &[to, X::R(scratch)], Some((count, false)))?;
        let later = Later::Apart(Apart { behind: self.end, ..apart });
        let cold = self.cold_code(Cold::Later(later));
        self.redirect(jump, cold);
        Ok(())
    }

    /// Does what is left.
    pub(super) fn later(&mut self, later: Later) -> Result<(), String> {
        let behind = match later {
            Later::Apart(apart) => {
                self.scatter(apart.base, apart.offsets, apart.words, Some(apart.mask))?;
                apart.behind
            }
            Later::Load(runs) => {
                self.steps(&runs.offsets, None, runs.rooms)?;
                let jump = self.jump_to(ConditionCode::ne);
                self.load_from_firsts(&runs, self.broadcast())?;
                let behind = runs.behind;
                let cold = self.cold_code(Cold::Later(Later::LoadEach(runs)));
                self.redirect(jump, cold);
                behind
            }
            Later::LoadEach(Runs { base, offsets, rooms: [found, _], behind, .. }) => {
                // Offsets and results have to be apart while the instruction runs.
                let (copy, _) = x86::vector_moves(self.family);
                for offsets in offsets {
                    self.gather(found, (base, offsets, 0), None)?;
                    self.op(copy, &[X::R(offsets), X::R(found)])?;
                }
                behind
            }
            Later::StoreEach(Runs { base, offsets, words, behind, .. }) => {
                for (offsets, words) in offsets.into_iter().zip(words) {
                    self.scatter(base, offsets, words, None)?;
                }
                behind
            }
            Later::Divergences { sets, behind } => {
                self.count_warps_in_both(sets)?;
                behind
            }
        };
        self.go_back(behind);
        Ok(())
    }

    fn load_runs(&mut self, runs: Runs, places: u32) -> Result<(), String> {
        self.steps(&runs.offsets, Some(places), runs.rooms)?;
        let jump = self.jump_to(ConditionCode::ne);
        let (load, _) = x86::vector_moves(self.family);
        self.load_from_firsts(&runs, load)?;
        let runs = Runs { behind: self.end, ..runs };
        let cold = self.cold_code(Cold::Later(Later::Load(runs)));
        self.redirect(jump, cold);
        Ok(())
    }

    /// Loads each vector from where its first lane's word is.
    fn load_from_firsts(&mut self, runs: &Runs, load: Code) -> Result<(), String> {
        for offsets in &runs.offsets {
            let from = self.first_place(runs.base, *offsets)?;
            self.op(load, &[X::R(*offsets), from])?;
        }
        Ok(())
    }

    /// Where the word of a vector's first lane is.
    fn first_place(&mut self, base: Register, offsets: Register) -> Result<X, String> {
        let code = match self.family {
            Family::Avx2 => Code::VEX_Vmovd_rm32_xmm,
            Family::Avx512 => Code::EVEX_Vmovd_rm32_xmm,
        };
        self.op(code, &[X::R(x86::sized(SCRATCH, Part::Double)), low(offsets)])?;
        let index = Some((SCRATCH, 1));
        Ok(X::M(Memory { base, index, disp: 0, broadcast: false }))
    }

    fn store_runs(&mut self, runs: Runs, places: u32) -> Result<(), String> {
        self.steps(&runs.offsets, Some(places), runs.rooms)?;
        let jump = self.jump_to(ConditionCode::ne);
        let (_, store) = x86::vector_moves(self.family);
        for (offsets, words) in runs.offsets.iter().zip(&runs.words) {
            let to = self.first_place(runs.base, *offsets)?;
            self.op(store, &[to, X::R(*words)])?;
        }
        let runs = Runs { behind: self.end, ..runs };
        let cold = self.cold_code(Cold::Later(Later::StoreEach(runs)));
        self.redirect(jump, cold);
        Ok(())
    }

    fn addresses(
        &mut self,
        Index { signed, shift }: Index,
        numbers: Register,
        base: Option<Register>,
        (scale, disp): (u32, i32),
    ) -> Result<(), String> {
        let all = self.scratch();
        let half = match self.family {
            Family::Avx2 => Part::Xmm,
            Family::Avx512 => Part::Ymm,
        };
        let half = |register: Register| X::R(x86::sized(register, half));
        let widen = if signed { U::WidenS } else { U::WidenZero }.code(self.family);
        let (_, store) = x86::vector_moves(self.family);
        for nth in 0..2i32 {
            if nth == 1 {
                let upper = U::UpperHalf.code(self.family);
                self.op(upper, &[half(all), X::R(numbers), X::I8(1)])?;
            }
            let from = if nth == 1 { all } else { numbers };
            self.op(widen, &[X::R(all), half(from)])?;
            if shift > 0 {
                self.op(U::ShlQ.code(self.family), &[X::R(all), X::R(all), X::I8(shift)])?;
            }
            if let Some(base) = base {
                self.op(V::AddQ.code(self.family), &[X::R(all), X::R(all), X::R(base)])?;
            }
            let disp = disp + nth * self.family.bytes() as i32;
            self.op(store, &[in_rows(scale, disp), X::R(all)])?;
        }
        Ok(())
    }

    /// Loads one word for all lanes.
    fn broadcast(&self) -> Code {
        match self.family {
            Family::Avx2 => Code::VEX_Vpbroadcastd_ymm_xmmm32,
            Family::Avx512 => Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
        }
    }

    fn steps(
        &mut self,
        offsets: &[Register],
        places: Option<u32>,
        [all, first]: [Register; 2],
    ) -> Result<(), String> {
        let (family, broadcast) = (self.family, self.broadcast());
        for (nth, offsets) in offsets.iter().enumerate() {
            let own = if nth == 0 { all } else { self.scratch() };
            let starts = match places {
                Some(places) => {
                    let operands = [X::R(own), X::R(*offsets), constant(places)];
                    self.op(V::SubD.code(family), &operands)?;
                    own
                }
                None => *offsets,
            };
            self.op(broadcast, &[X::R(first), low(starts)])?;
            match (family, nth) {
                (_, 0) => {
                    let operands = [X::R(all), X::R(starts), X::R(first)];
                    self.op(V::Xor.code(family), &operands)?;
                }
                (Family::Avx2, _) => {
                    let operands = [X::R(own), X::R(starts), X::R(first)];
                    self.op(V::Xor.code(family), &operands)?;
                    self.op(V::Or.code(family), &[X::R(all), X::R(all), X::R(own)])?;
                }
                (Family::Avx512, _) => {
                    // What is in the first, or in just one of the others.
                    const OR_XOR: u8 = 0xf6;
                    let operands = [X::R(all), X::R(starts), X::R(first), X::I8(OR_XOR)];
                    self.op(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, &operands)?;
                }
            }
        }
        self.is_any_set(all)
    }
}
