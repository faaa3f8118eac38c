//! Which instructions and branches come after a barrier: control reaches them from it and cannot return to it.

use foldhash::{HashMap, HashSet};
use ir::analysis::Graph;
use ir::{Kernel, Place, Terminator};

/// The instructions and branches behind the barriers that were asked for.
#[derive(Debug, Default)]
pub(crate) struct AfterBarrier(HashMap<Place, HashSet<Place>>);

impl AfterBarrier {
    /// Whether an instruction or branch lies behind a barrier of the kernel.
    pub(crate) fn contains(&mut self, kernel: &Kernel, barrier: Place, inst: Place) -> bool {
        self.0.entry(barrier).or_insert_with(|| behind(kernel, barrier)).contains(&inst)
    }
}

fn behind(kernel: &Kernel, barrier: Place) -> HashSet<Place> {
    let numbers = 0..kernel.blocks.len();
    let successors = Graph::of_blocks(kernel);
    // A function that was inlined twice has its barriers twice, perhaps in one block.
    let first_and_last = |number: usize| {
        let mut insts = kernel.blocks[number].insts.iter();
        let first = insts.position(|inst| inst.place == barrier)?;
        let last = insts.rposition(|inst| inst.place == barrier);
        Some((first, last.map_or(first, |last| first + 1 + last)))
    };
    let barriers: Vec<usize> =
        numbers.clone().filter(|number| first_and_last(*number).is_some()).collect();
    let later = successors.behind(barriers.iter().copied());
    let earlier = successors.reversed().behind(barriers);
    let mut places = HashSet::default();
    let mut others = HashSet::default();
    for number in numbers {
        let here = first_and_last(number);
        for (nth, inst) in kernel.blocks[number].insts.iter().enumerate() {
            let comes = later[number] || here.is_some_and(|(first, _)| nth > first);
            let returns = earlier[number] || here.is_some_and(|(_, last)| nth < last);
            if comes && !returns { &mut places } else { &mut others }.insert(inst.place);
        }
        if let Terminator::Branch { .. } = kernel.blocks[number].terminator {
            let comes = later[number] || here.is_some();
            let place = kernel.blocks[number].place;
            if comes && !earlier[number] { &mut places } else { &mut others }.insert(place);
        }
    }
    places.retain(|place| !others.contains(place));
    places
}
