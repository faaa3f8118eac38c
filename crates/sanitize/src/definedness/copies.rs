//! Copies of structures, padding and all: word by word, as compilers copy that do not optimise, and member by member, with the
//! bytes between two members as a vector of bytes.

use foldhash::{HashMap, HashSet, HashSetExt};
use ir::{BinaryOp, Block, Inst, Kernel, Op, Operand, Place, Reg, Space, Src};

/// An address as far as a block tells: how far it lies from a value that is no sum.
type Known = (usize, i64);

/// A word that is loaded and stored again as it is.
struct Word {
    place: Place,
    bytes: i64,
    from: Known,
    to: Known,
}

/// The loads of a kernel that are next to another load in one copy: their words and those of the other are adjacent
/// where they come from and where they go.
pub(super) fn of_words(kernel: &Kernel) -> HashSet<Place> {
    let mut places = HashSet::new();
    for block in &kernel.blocks {
        let words = words(block);
        let ends: HashSet<(Known, Known)> = words
            .iter()
            .flat_map(|word| [-word.bytes, word.bytes].map(|by| word.moved(by)))
            .collect();
        let adjacent = words.iter().filter(|word| ends.contains(&word.moved(0)));
        places.extend(adjacent.map(|word| word.place));
    }
    places
}

/// The stores of vectors of bytes that fill, behind a larger member that the same block stores, what a still larger one's alignment
/// leaves free.
pub(super) fn of_padding(kernel: &Kernel) -> HashSet<Place> {
    let mut places = HashSet::new();
    for block in &kernel.blocks {
        let mut values = Values::default();
        let (mut ends, mut bytes) = (HashSet::new(), Vec::new());
        for inst in &block.insts {
            if let Op::Store { values: stored, access, address, .. } = &inst.op
                && let Some((root, start)) = values.sum(address.base, address.offset)
            {
                let end = start.wrapping_add((access.bytes() as usize * stored.len()) as i64);
                match (access.bytes(), stored.len()) {
                    (1, 2..) => bytes.push((inst.place, (root, start), end)),
                    (1, _) => {}
                    _ => drop(ends.insert((root, end))),
                }
            }
            values.take(inst);
        }
        let fills = |(_, start, end): &(Place, Known, i64)| {
            let aligned = ((end - start.1) as u64 + 1).next_power_of_two() as i64;
            ends.contains(start) && end % aligned == 0
        };
        places.extend(bytes.into_iter().filter(fills).map(|(place, ..)| place));
    }
    places
}

impl Word {
    /// Where a word so many bytes further comes from and goes.
    fn moved(&self, by: i64) -> (Known, Known) {
        ((self.from.0, self.from.1.wrapping_add(by)), (self.to.0, self.to.1.wrapping_add(by)))
    }
}

/// What a register holds at a point of a block.
#[derive(Clone, Copy)]
struct Value {
    known: Known,
    /// The load that brought it: where it is, of how many bytes, and from where.
    loaded: Option<(Place, i64, Known)>,
}

/// What registers hold at a point of a block.
#[derive(Default)]
struct Values {
    held: HashMap<Reg, Value>,
    count: usize,
}

impl Values {
    fn fresh(&mut self) -> Value {
        self.count += 1;
        Value { known: (self.count, 0), loaded: None }
    }

    fn of(&mut self, reg: Reg) -> Value {
        let new = self.fresh();
        *self.held.entry(reg).or_insert(new)
    }

    /// What register plus offset is.
    fn sum(&mut self, base: Src, offset: i64) -> Option<Known> {
        let Src::Reg(base) = base else { return None };
        let (root, start) = self.of(base).known;
        Some((root, start.wrapping_add(offset)))
    }

    /// What an operation gives, as far as it is a copy, a sum or a load of one word.
    fn result(&mut self, op: &Op, place: Place) -> Option<Value> {
        match op {
            Op::Unary { op, a: Src::Reg(a), .. } if op.is_move() => Some(self.of(*a)),
            Op::Binary { op: BinaryOp::AddI64, a, b: Src::Imm(by), .. } => {
                let known = self.sum(*a, *by as i64)?;
                Some(Value { known, loaded: None })
            }
            Op::Load { d, space: Space::Generic, access, address, .. } if d.len() == 1 => {
                let from = self.sum(address.base, address.offset)?;
                let loaded = Some((place, i64::from(access.bytes()), from));
                Some(Value { loaded, ..self.fresh() })
            }
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
            | Op::Host { .. } => None,
        }
    }
}

impl Values {
    /// Goes on behind an instruction.
    fn take(&mut self, inst: &Inst) {
        let result = self.result(&inst.op, inst.place).filter(|_| inst.guard.is_none());
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                let value = result.unwrap_or_else(|| self.fresh());
                self.held.insert(reg, value);
            }
        });
    }
}

/// The words that a block copies through generic addresses.
fn words(block: &Block) -> Vec<Word> {
    let mut values = Values::default();
    let mut words = Vec::new();
    for inst in &block.insts {
        if let Op::Store { values: stored, space: Space::Generic, access, address, .. } = &inst.op
            && let [Src::Reg(reg)] = stored.as_slice()
            && let Some(to) = values.sum(address.base, address.offset)
            && let Some((place, bytes, from)) = values.of(*reg).loaded
            && bytes == i64::from(access.bytes())
        {
            words.push(Word { place, bytes, from, to });
        }
        values.take(inst);
    }
    words
}
