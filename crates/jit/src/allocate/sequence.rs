//! Moves that are made at once, one after the other.

/// Where a value is moved from or to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    Register(u8),
    /// The slot of a value.
    Slot(u32),
    /// A slot for what goes round.
    Spare,
}

/// How many of the moves that are left read each place.
#[derive(Debug, Default)]
pub(super) struct Readers {
    registers: [u16; 32],
    /// By value.
    slots: Vec<u16>,
    spare: u16,
}

impl Readers {
    /// For so many values.
    pub(super) fn new(values: usize) -> Readers {
        Readers { slots: vec![0; values], ..Readers::default() }
    }

    fn of(&mut self, spot: Spot) -> &mut u16 {
        match spot {
            Spot::Register(reg) => &mut self.registers[usize::from(reg)],
            Spot::Slot(value) => &mut self.slots[value as usize],
            Spot::Spare => &mut self.spare,
        }
    }
}

/// Moves that have the effect of all these at once. No two lead to one place; `scratch` is none of them.
pub(super) fn in_sequence(
    pairs: Vec<(Spot, Spot)>,
    scratch: u8,
    readers: &mut Readers,
) -> Vec<(Spot, Spot)> {
    let mut sequence = Vec::with_capacity(pairs.len() + 1);
    for (from, _) in &pairs {
        *readers.of(*from) += 1;
    }
    // From slot to slot something is moved by the scratch register.
    let is_slot = |spot: &Spot| !matches!(spot, Spot::Register(_));
    let is_scratch_free = !pairs.iter().any(|(from, to)| is_slot(from) && is_slot(to));
    let spare = if is_scratch_free { Spot::Register(scratch) } else { Spot::Spare };
    let mut open = pairs;
    while !open.is_empty() {
        let before = open.len();
        open.retain(|(from, to)| {
            let is_ready = *readers.of(*to) == 0;
            if is_ready {
                *readers.of(*from) -= 1;
                sequence.push((*from, *to));
            }
            !is_ready
        });
        if open.len() == before {
            // All that is left goes round: whoever reads the first reads a copy of it.
            let (from, _) = open[0];
            sequence.push((from, spare));
            for (other, _) in open.iter_mut().filter(|(other, _)| *other == from) {
                *other = spare;
                *readers.of(from) -= 1;
                *readers.of(spare) += 1;
            }
        }
    }
    sequence
}

#[cfg(test)]
mod tests {
    use super::{Readers, Spot, in_sequence};
    use proptest::prelude::*;

    /// Places by number: four registers, four slots, the scratch register, the spare slot.
    fn spot(number: usize) -> Spot {
        match number {
            0..4 => Spot::Register(number as u8),
            4..8 => Spot::Slot(number as u32 - 4),
            8 => Spot::Register(15),
            _ => Spot::Spare,
        }
    }

    fn number(of: Spot) -> usize {
        (0..10).find(|number| spot(*number) == of).expect("a known place")
    }

    proptest! {
        /// Whatever is moved at once, one after the other brings each place what it is to have.
        #[test]
        fn a_sequence_does_what_is_done_at_once(
            sources in proptest::collection::vec(0usize..8, 8),
            targets in 0u32..256,
        ) {
            let moved = (0..8usize).filter(|to| targets & 1 << to != 0 && sources[*to] != *to);
            let moved: Vec<usize> = moved.collect();
            let pairs = moved.iter().map(|to| (spot(sources[*to]), spot(*to))).collect();
            let mut places: Vec<usize> = (0..10).collect();
            for (from, to) in in_sequence(pairs, 15, &mut Readers::new(4)) {
                let value = places[number(from)];
                if !matches!((from, to), (Spot::Register(_), _) | (_, Spot::Register(_))) {
                    places[number(Spot::Register(15))] = value;
                }
                places[number(to)] = value;
            }
            for to in 0..8 {
                let wanted = if moved.contains(&to) { sources[to] } else { to };
                prop_assert_eq!(places[to], wanted);
            }
        }
    }
}
