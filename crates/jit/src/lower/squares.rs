//! Words that each lane loads or stores one after the other, by instructions that follow each other: fields of structures, the items of a
//! thread. Lane after lane, all of them are moved at once, and transposed in registers (AVX-512, whose gathers and scatters take longer).

use super::Lower;
use super::memory::{Wanted, signed};
use super::value::{Form, INT, Value};
use crate::Level;
use crate::isa::U;
use crate::mir::{Mem, O};
use crate::transpose::SIDE;
use iced_x86::Code;
use ir::analysis::Shape;
use ir::{Access, Address, Class, Inst, Op, Ordering, Reg, Space, Src};
use regalloc2::VReg;
use std::ops::Range;

/// So many words make it worth it to load rows, and to store them.
const LOADED: usize = 8;
const STORED: usize = 5;

/// Bytes of a word.
const WORD: i64 = 4;

/// A word that each lane accesses.
struct Word<'i> {
    address: &'i Address,
    space: Space,
    /// Where it is loaded to, or what is stored.
    value: Result<Reg, Src>,
}

impl<'i> Word<'i> {
    fn of(inst: &'i Inst) -> Option<Word<'i>> {
        match &inst.op {
            Op::Load { d, space, access: Access::B32, address, ordering: Ordering::Weak } => {
                let [Some(d)] = d[..] else { return None };
                Some(Word { address, space: *space, value: Ok(d) })
            }
            Op::Store { values, space, access: Access::B32, address, ordering: Ordering::Weak } => {
                let [value] = values[..] else { return None };
                Some(Word { address, space: *space, value: Err(value) })
            }
            _ => None,
        }
        .filter(|_| inst.guard.is_none())
    }
}

/// Words of one row of each lane.
struct Rows<'i> {
    words: Vec<Word<'i>>,
    /// Per word, its place in the row.
    places: Vec<usize>,
    /// The first.
    address: Address,
}

impl<'i> Rows<'i> {
    /// The words of one row that instructions access, from the first on.
    fn of(insts: &'i [Inst]) -> Option<Rows<'i>> {
        let first = Word::of(insts.first()?)?;
        let base = first.address.base;
        let mut words: Vec<Word<'i>> = Vec::new();
        let (mut low, mut high) = (first.address.offset, first.address.offset);
        for word in insts.iter().map_while(Word::of) {
            let Address { base: own, offset } = *word.address;
            let (lower, higher) = (low.min(offset), high.max(offset));
            let same = own == base
                && word.space == first.space
                && word.value.is_ok() == first.value.is_ok();
            let fits = higher.checked_sub(lower).is_some_and(|far| far < WORD * SIDE as i64)
                && offset.wrapping_sub(low) % WORD == 0;
            let is_new = words.iter().all(|known| {
                known.address.offset != offset && (known.value != word.value || word.value.is_err())
            });
            if !(same && fits && is_new) {
                break;
            }
            (low, high) = (lower, higher);
            // What follows has another address.
            let is_last = word.value.is_ok_and(|d| base == Src::Reg(d));
            words.push(word);
            if is_last {
                break;
            }
        }
        let places = words.iter().map(|word| ((word.address.offset - low) / WORD) as usize);
        let places = places.collect();
        Some(Rows { places, words, address: Address { base, offset: low } })
    }

    /// The places that are used, a bit each.
    fn used(&self) -> u16 {
        self.places.iter().fold(0, |used, place| used | 1 << place)
    }
}

impl Lower<'_> {
    /// Emits what instructions of a block access of one row of each lane. The result is how many of them that was.
    pub(super) fn rows_of_lanes(&mut self, block: usize, insts: Range<usize>, place: u32) -> usize {
        let code = &self.input.kernel.blocks[block].insts;
        if self.level != Level::Avx512 {
            return 0;
        }
        let Some(rows) = Rows::of(&code[insts.clone()]) else { return 0 };
        let count = rows.words.len();
        let kills = &self.nodes.kills[block];
        let killed =
            |reg: Reg| kills[insts.start..insts.start + count].iter().any(|all| all.contains(&reg));
        if self.move_rows(&rows, killed, place).is_some() { count } else { 0 }
    }

    /// Emits them. `None` if they are better accessed one after the other.
    fn move_rows(
        &mut self,
        rows: &Rows<'_>,
        killed: impl Fn(Reg) -> bool,
        place: u32,
    ) -> Option<()> {
        let Rows { words, places, address } = rows;
        let Word { space, value, .. } = &words[0];
        let writes = value.is_err();
        if words.len() < if writes { STORED } else { LOADED } {
            return None;
        }
        let is_vector = |word: &Word<'_>| {
            word.value
                .map_or(true, |d| self.form(d) == Form::Vectors && self.class(d) == Class::W32)
        };
        if !words.iter().all(is_vector) {
            return None;
        }
        let shape = self.address_shape(address, *space)?;
        let bits = if self.is_wide(address) { 64 } else { 32 };
        let extent = WORD * (places.iter().max()? + 1) as i64;
        let steps: Vec<i64> = (0..self.gang.slices())
            .map(|slice| self.step_of(&shape, bits, slice))
            .collect::<Option<_>>()?;
        // What lies word after word is loaded so, and rows that overlap would have to be stored so.
        let is_spread = steps.iter().all(|step| step.unsigned_abs() > WORD as u64);
        if !is_spread || writes && !self.are_apart(&shape, bits, extent) {
            return None;
        }
        for word in words {
            if let Err(value) = word.value {
                self.canonical_src(value);
            }
        }
        let among = self.gang.all();
        let wanted = Wanted { address, space: *space, bytes: WORD, extent, writes, among };
        let lanes = self.checked(&wanted, &shape, place)?;
        let used = rows.used();
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|nth| places[*nth]);
        let mut columns: Vec<Vec<VReg>> = vec![Vec::new(); words.len()];
        for (slice, step) in steps.into_iter().enumerate() {
            let first: Mem = lanes.memory(slice * self.level.lanes(), 0);
            let start = self.func.value(INT);
            self.func.x(Code::Lea_r64_m, &[O::D(start), O::M(first)]);
            if !writes {
                let found = self.func.load_rows(start, step as i32, used);
                order.iter().zip(found).for_each(|(nth, column)| columns[*nth].push(column));
                continue;
            }
            let mut stored: Vec<VReg> = Vec::new();
            for nth in &order {
                let Err(value) = words[*nth].value else { continue };
                let mut vector = self.vector(value, Class::W32, slice);
                // What somebody else needs, too, is not to be in a register besides.
                let is_needed = match value {
                    Src::Imm(_) => false,
                    Src::Reg(reg) => !killed(reg) || self.is_of_others(vector, reg),
                };
                if is_needed {
                    vector = self.unary(U::Load, O::U(vector));
                }
                stored.push(vector);
            }
            self.func.store_rows(start, step as i32, used, &stored);
        }
        for (word, column) in words.iter().zip(columns) {
            if let Ok(d) = word.value {
                self.set(d, Value::vectors(column));
            }
        }
        Some(())
    }

    /// How far it is from lane to lane of a vector, of addresses of so many bits, if that is the same for all of them.
    fn step_of(&self, shape: &Shape, bits: u32, slice: usize) -> Option<i64> {
        let (Shape::Affine(affine) | Shape::Sliced(_, affine)) = shape else { return None };
        let own = self.level.lanes();
        if matches!(shape, Shape::Sliced(lanes, _) if (*lanes as usize) < own) {
            return None;
        }
        let at = |lane: usize| signed(affine.step(slice * own + lane), bits);
        let step = at(1).checked_sub(at(0))?;
        let is_same = |lane: usize| at(lane).checked_sub(at(lane - 1)) == Some(step);
        (i32::try_from(step).is_ok() && (2..own).all(is_same)).then_some(step)
    }

    /// Whether it is known that so many bytes of each lane are no other lane's.
    fn are_apart(&self, shape: &Shape, bits: u32, extent: i64) -> bool {
        let Shape::Affine(affine) = shape else { return false };
        let mut at: Vec<i64> =
            (0..self.gang.lanes()).map(|lane| signed(affine.step(lane), bits)).collect();
        at.sort_unstable();
        at.windows(2).all(|pair| pair[1].checked_sub(pair[0]).is_some_and(|far| far >= extent))
    }

    /// Whether a vector is that of another register than this one, too.
    fn is_of_others(&self, vector: VReg, own: Reg) -> bool {
        self.state.iter().any(|(reg, value)| {
            *reg != own && value.vectors.iter().any(|vectors| vectors.contains(&vector))
        })
    }
}
