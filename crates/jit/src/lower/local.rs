//! Local memory: the pieces that the threads of a warp have at one address lie one after the other ([`Local`]), so what all lanes access at
//! one address, as they do in arrays whose index is the same for all, is moved like a column of shared memory.

use super::Lower;
use super::memory::{Lanes, Run, is_aligned};
use super::value::{Form, Value, access_class};
use super::values::words;
use crate::context as at;
use crate::input::Local;
use crate::isa::{U, V};
use crate::mir::{Base, Mem, O};
use iced_x86::Code;
use ir::analysis::{Affine, Shape};
use ir::{Access, Address, Class, Op, Reg, Src};
use lanes::WARP;
use regalloc2::VReg;
use std::ops::Range;

/// So much local memory may a thread have: offsets of a gang have 32 bits.
pub(super) const MAX_STRIDE: u32 = 1 << 24;
/// Words that the threads of a warp have for one of each.
const SPREAD: u8 = WARP.trailing_zeros() as u8;

impl Lower<'_> {
    /// The host's address of the local memory of the gang's first warp.
    pub(super) fn local_base(&mut self) -> VReg {
        if let Some(local) = self.bases.local {
            return local;
        }
        let warp = self.warp_number(7);
        let [step, start] =
            [at::LOCAL_STEP, at::LOCAL].map(|field| O::M(Mem::new(Base::Context, field)));
        let first = self.tied(Code::Imul_r64_rm64, warp, step);
        let local = self.tied(Code::Add_r64_rm64, first, start);
        self.bases.local = Some(local);
        local
    }

    /// Where the lanes of a vector are from there on, of which these are the addresses.
    pub(super) fn in_local(&mut self, addresses: VReg, vector: usize) -> VReg {
        let Local { stride, piece, .. } = self.input.local;
        let [bytes, pieces] = [piece - 1, !(piece - 1)].map(|bits| self.pool(words(bits)));
        let byte = self.binary(V::And, addresses, O::M(bytes));
        let start = self.binary(V::And, addresses, O::M(pieces));
        let start = self.shift(U::ShlD, start, SPREAD);
        let place = self.binary(V::Or, start, O::U(byte));
        let mut threads = [0; 64];
        let first = vector * self.family.lanes();
        for (lane, chunk) in (first..).zip(threads.chunks_exact_mut(4)) {
            let (warp, lane) = ((lane / WARP) as u32, (lane % WARP) as u32);
            let thread = warp * stride * WARP as u32 + lane * piece;
            chunk.copy_from_slice(&thread.to_le_bytes());
        }
        let threads = self.pool(threads);
        self.binary(V::AddD, place, O::M(threads))
    }

    /// A load of local memory at one address for all lanes. Says whether it can be done.
    pub(super) fn load_local(&mut self, op: &Op, place: u32) -> bool {
        let Op::Load { d, access, address, .. } = op else { return false };
        if d.iter().flatten().any(|d| self.form(*d) != Form::Vectors) {
            return false;
        }
        let pieces = self.pieces_of(address, (*access, d.len()), place);
        let done = pieces.is_some();
        for (own, lanes) in pieces.into_iter().flatten() {
            self.load_at_one(&d[own], *access, &lanes);
        }
        done
    }

    /// The same of a store.
    pub(super) fn store_local(&mut self, op: &Op, place: u32) -> bool {
        let Op::Store { values, access, address, .. } = op else { return false };
        values.iter().for_each(|value| self.canonical_src(*value));
        let pieces = self.pieces_of(address, (*access, values.len()), place);
        let done = pieces.is_some();
        for (own, lanes) in pieces.into_iter().flatten() {
            self.store_at_one(&values[own], *access, &lanes);
        }
        done
    }

    /// Checks an access of so many elements at one address for all lanes: which of them are moved at once, and where they are.
    fn pieces_of(
        &mut self,
        address: &Address,
        (access, elements): (Access, usize),
        place: u32,
    ) -> Option<Vec<(Range<usize>, Lanes)>> {
        let local = self.input.local;
        let size = i64::from(access.bytes());
        let bytes = size * elements as i64;
        if size < 4 || !bytes.cast_unsigned().is_power_of_two() || elements > 4 {
            return None;
        }
        let lanes = self.at_one_address(address, bytes, place)?;
        // As many elements at once as a piece has, and as vectors are taken apart for.
        let of_piece = (local.piece / access.bytes()) as usize;
        let at_once = elements.min(of_piece).min(if size == 8 { 2 } else { 4 });
        let pieces = (0..elements).step_by(at_once);
        let further = |first: usize| lanes.further(local.further(size * first as i64));
        Some(pieces.map(|first| (first..first + at_once, further(first))).collect())
    }

    /// Checks such an access, and says where its lanes go.
    fn at_one_address(&mut self, address: &Address, bytes: i64, place: u32) -> Option<Lanes> {
        let Local { bytes: end, stride, piece } = self.input.local;
        let affine = match address.base {
            Src::Imm(value) => Affine::constant(value),
            Src::Reg(reg) => match self.shape(reg) {
                Shape::Affine(affine) if affine.is_uniform() => affine.clone(),
                Shape::Affine(_) | Shape::Sliced(..) | Shape::Mask(_) | Shape::Varying => {
                    return None;
                }
            },
        };
        let offset32 = i32::try_from(address.offset).ok()?;
        if stride > MAX_STRIDE || bytes > end as i64 {
            return None;
        }
        let further = |at: i64| self.input.local.further(at);
        let is_known = is_aligned(&affine, address.offset, bytes)
            && self.is_inside(&affine, address.offset, bytes, end);
        let (index, disp) = match affine.value().filter(|_| is_known) {
            Some(value) => (None, further(value as i64 + address.offset)),
            None => {
                let wide = self.is_wide(address);
                let class = if wide { Class::W64 } else { Class::W32 };
                let first = self.scalar_src(address.base, class);
                let run = Run::of_one(bytes, offset32, wide);
                let at = self.lowest(first, &run);
                if !is_known {
                    self.guard_alignment(at, bytes, place);
                    self.guard_inside(at, bytes, end, wide, place);
                }
                // The address lies inside now, so it has 32 bits.
                let byte = address.offset & i64::from(piece - 1);
                if is_aligned(&affine, address.offset - byte, piece.into()) {
                    let index = self.tied(Code::Shl_rm64_imm8, at, O::I8(SPREAD));
                    (Some(index), byte - (byte << SPREAD))
                } else {
                    let byte = self.tied(Code::And_rm32_imm32, at, O::I32(piece as i32 - 1));
                    let start = self.tied(Code::And_rm32_imm32, at, O::I32(-(piece as i32)));
                    let start = self.tied(Code::Shl_rm64_imm8, start, O::I8(SPREAD));
                    (Some(self.tied(Code::Or_r64_rm64, start, O::U(byte))), 0)
                }
            }
        };
        let base = self.local_base();
        let of_warp = |warp: usize| disp + (i64::from(stride) << SPREAD) * warp as i64;
        let bases = (0..self.gang.warps)
            .map(|warp| (Base::Value(base), index, of_warp(warp) as i32))
            .collect();
        Some(Lanes::of_warps(bases, piece.into()))
    }

    /// Whether elements fill a piece.
    fn fill_piece(&self, access: Access, elements: usize) -> bool {
        access.bytes() * elements as u32 == self.input.local.piece
    }

    /// Loads elements that are in one piece.
    fn load_at_one(&mut self, d: &[Option<Reg>], access: Access, lanes: &Lanes) {
        let named: Vec<bool> = d.iter().map(Option::is_some).collect();
        let is_dense = self.fill_piece(access, d.len());
        let loaded = self.load_elements(lanes, access, &named, is_dense);
        for (d, vectors) in d.iter().zip(loaded) {
            if let Some(d) = *d {
                self.set(d, Value::vectors(vectors));
            }
        }
    }

    /// Stores elements that are in one piece. Where not all lanes execute, the others' are stored as they are: nobody else sees them.
    fn store_at_one(&mut self, values: &[Src], access: Access, lanes: &Lanes) {
        let is_dense = self.fill_piece(access, values.len());
        let class = access_class(access);
        let mut stored: Vec<Vec<VReg>> =
            values.iter().map(|value| self.vectors_of(*value, class)).collect();
        if self.masked.is_some() {
            let old = self.load_elements(lanes, access, &vec![true; values.len()], is_dense);
            let masks = self.lane_masks(class);
            for (stored, old) in stored.iter_mut().zip(old) {
                for (nth, vector) in stored.iter_mut().enumerate() {
                    *vector = self.blend_of(class, masks[nth], O::U(*vector), old[nth]);
                }
            }
        }
        if is_dense {
            return self.store_elements(lanes, class, &stored);
        }
        let own = self.gang.lanes() / self.count(class);
        let size = i64::from(access.bytes());
        for (offset, vectors) in (0..).map(|nth| nth * size).zip(stored) {
            for (nth, vector) in vectors.into_iter().enumerate() {
                self.store_apart((lanes, nth * own), access, offset, vector);
            }
        }
    }
}
