//! Words that each lane loads or stores one after the other, by instructions that follow each other: fields of structures, the items of a
//! thread. Lane after lane, all of them are moved at once, and transposed in registers (AVX-512, whose gathers and scatters take longer).

use super::Lower;
use super::memory::Wanted;
use super::value::{Form, INT, Value};
use crate::isa::{Family, U};
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
    moved: Moved,
}

/// Where a word is loaded to, or what is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    To(Reg),
    From(Src),
}

impl<'i> Word<'i> {
    fn of(inst: &'i Inst) -> Option<Word<'i>> {
        match &inst.op {
            Op::Load { d, space, access: Access::B32, address, ordering: Ordering::Weak } => {
                let [Some(d)] = d[..] else { return None };
                Some(Word { address, space: *space, moved: Moved::To(d) })
            }
            Op::Store { values, space, access: Access::B32, address, ordering: Ordering::Weak } => {
                let [value] = values[..] else { return None };
                Some(Word { address, space: *space, moved: Moved::From(value) })
            }
            _ => None,
        }
        .filter(|_| inst.guard.is_none())
    }

    fn is_stored(&self) -> bool {
        matches!(self.moved, Moved::From(_))
    }

    /// Whether it may be of one row with others, as far as it does not matter where it lies.
    fn goes_with(&self, others: &[Word<'_>]) -> bool {
        others.iter().all(|other| {
            let same = other.address.base == self.address.base && other.space == self.space;
            let is_other = other.address.offset != self.address.offset;
            same && is_other
                && match (other.moved, self.moved) {
                    // What follows a load of the base has another address.
                    (Moved::To(d), Moved::To(own)) => d != own && self.address.base != Src::Reg(d),
                    (Moved::From(_), Moved::From(_)) => true,
                    (Moved::To(_), Moved::From(_)) | (Moved::From(_), Moved::To(_)) => false,
                }
        })
    }
}

/// Words of one row of each lane, in the order in which they lie.
struct Rows<'i> {
    words: Vec<Word<'i>>,
}

impl<'i> Rows<'i> {
    /// The words of one row that instructions access, from the first on.
    fn of(insts: &'i [Inst]) -> Rows<'i> {
        let mut words: Vec<Word<'i>> = Vec::new();
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for word in insts.iter().map_while(Word::of) {
            let offset = word.address.offset;
            let (lower, higher) = (low.min(offset), high.max(offset));
            let fits = higher.checked_sub(lower).is_some_and(|far| far < WORD * SIDE as i64)
                && offset.wrapping_sub(lower) % WORD == 0
                && higher.wrapping_sub(lower) % WORD == 0;
            if !fits || !word.goes_with(&words) {
                break;
            }
            (low, high) = (lower, higher);
            words.push(word);
        }
        words.sort_by_key(|word| word.address.offset);
        Rows { words }
    }

    /// The places of words in the row.
    fn places(&self) -> impl Iterator<Item = usize> {
        let first = self.words[0].address.offset;
        self.words.iter().map(move |word| ((word.address.offset - first) / WORD) as usize)
    }
}

impl Lower<'_> {
    /// Emits what instructions of a block access of one row of each lane. The result is how many of them that was.
    pub(super) fn rows_of_lanes(&mut self, block: usize, insts: Range<usize>, place: u32) -> usize {
        let code = &self.input.kernel.blocks[block].insts;
        let Some(first) = Word::of(&code[insts.start]).filter(|_| self.family == Family::Avx512)
        else {
            return 0;
        };
        // Mostly lanes access word after word, or one.
        let Some(steps) = self.steps_of_rows(&first) else { return 0 };
        let rows = Rows::of(&code[insts.clone()]);
        let count = rows.words.len();
        let kills = &self.nodes.kills[block][insts.start..insts.start + count];
        let killed = |reg: Reg| kills.iter().any(|all| all.contains(&reg));
        if self.move_rows(&rows, &steps, killed, place).is_some() { count } else { 0 }
    }

    /// Of each vector, how far it is from lane to lane, if that is known and the words between belong to nobody or to one lane.
    fn steps_of_rows(&self, word: &Word<'_>) -> Option<Vec<i64>> {
        let shape = self.address_shape(word.address, word.space)?;
        let bits = self.address_bits(word.address);
        let steps = (0..self.gang.slices()).map(|slice| {
            self.step_of(&shape, bits, slice).filter(|step| step.unsigned_abs() > WORD as u64)
        });
        steps.collect()
    }

    /// Emits them. `None` if they are better accessed one after the other.
    fn move_rows(
        &mut self,
        rows: &Rows<'_>,
        steps: &[i64],
        killed: impl Fn(Reg) -> bool,
        place: u32,
    ) -> Option<()> {
        let Rows { words } = rows;
        let first = &words[0];
        let (address, space, writes) = (first.address, first.space, first.is_stored());
        if words.len() < if writes { STORED } else { LOADED } {
            return None;
        }
        let is_vector = |word: &Word<'_>| match word.moved {
            Moved::To(d) => self.form(d) == Form::Vectors && self.class(d) == Class::W32,
            Moved::From(_) => true,
        };
        let shape = self.address_shape(address, space)?;
        let extent = WORD * (rows.places().max()? + 1) as i64;
        // Rows that overlap would have to be stored word after word.
        let overlap = writes && !self.are_apart(&shape, self.address_bits(address), extent);
        if overlap || !words.iter().all(is_vector) {
            return None;
        }
        for word in words {
            if let Moved::From(value) = word.moved {
                self.canonical_src(value);
            }
        }
        let among = self.gang.all();
        let wanted = Wanted { address, space, bytes: WORD, extent, writes, among };
        let lanes = self.checked(&wanted, &shape, place)?;
        let used = rows.places().fold(0, |used, place| used | 1 << place);
        let mut columns: Vec<Vec<VReg>> = vec![Vec::new(); words.len()];
        for (slice, step) in steps.iter().enumerate() {
            let first: Mem = lanes.memory(slice * self.family.lanes(), 0);
            let start = self.func.value(INT);
            self.func.x(Code::Lea_r64_m, &[O::D(start), O::M(first)]);
            if !writes {
                let found = self.func.load_rows(start, *step as i32, used);
                columns.iter_mut().zip(found).for_each(|(all, column)| all.push(column));
                continue;
            }
            let mut stored: Vec<VReg> = Vec::new();
            for word in words {
                let Moved::From(value) = word.moved else { continue };
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
            self.func.store_rows(start, *step as i32, used, &stored);
        }
        for (word, column) in words.iter().zip(columns) {
            if let Moved::To(d) = word.moved {
                self.set(d, Value::vectors(column));
            }
        }
        Some(())
    }

    /// How far it is from lane to lane of a vector, of addresses of so many bits, if that is the same for all of them.
    fn step_of(&self, shape: &Shape, bits: u32, slice: usize) -> Option<i64> {
        let (Shape::Affine(affine) | Shape::Sliced(_, affine)) = shape else { return None };
        let own = self.family.lanes();
        if !self.are_of_vectors(shape) {
            return None;
        }
        let at = |lane: usize| affine.signed_step(slice * own + lane, bits);
        let step = at(1).checked_sub(at(0))?;
        let is_same = |lane: usize| at(lane).checked_sub(at(lane - 1)) == Some(step);
        (i32::try_from(step).is_ok() && (2..own).all(is_same)).then_some(step)
    }

    /// Whether it is known that so many bytes of each lane are no other lane's.
    fn are_apart(&self, shape: &Shape, bits: u32, extent: i64) -> bool {
        let Shape::Affine(affine) = shape else { return false };
        let mut at = affine.signed_steps(bits)[..self.gang.lanes()].to_vec();
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
