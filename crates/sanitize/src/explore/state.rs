//! What a split holds where a step begins, as a number that is the same when the split is back in the same state.

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt};
use ir::analysis::Liveness;
use ir::{Class, Kernel, Place, Pred, Reg, Src, WarpRules};
use lanes::LaneMask;
use std::hash::{BuildHasher, Hash, Hasher};
use vm::View;

/// Two states are taken for the same if these agree: values that a split may still read, 128 bits of hash.
pub(super) type Fingerprint = [u64; 2];

/// Where a step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Start {
    /// At an instruction or its guard.
    Inst(Place),
    /// At the end of a block.
    Terminator(Place),
}

/// Takes fingerprints of the splits of a kernel.
#[derive(Debug)]
pub(super) struct States {
    kernel: Kernel,
    liveness: Option<Liveness>,
    /// Values that other lanes may read where this one does not take part.
    offered: Vec<Reg>,
    needed: HashMap<Start, Vec<Reg>>,
}

impl States {
    pub(super) fn new(kernel: &Kernel) -> States {
        let insts = kernel.blocks.iter().flat_map(|block| &block.insts);
        let offered = insts.filter_map(|inst| match inst.op.offered() {
            Some(Src::Reg(reg)) => Some(reg),
            Some(Src::Imm(_)) | None => None,
        });
        States {
            offered: offered.collect(),
            liveness: Liveness::of(kernel),
            kernel: kernel.clone(),
            needed: HashMap::new(),
        }
    }

    /// How lanes of the kernel's warps are scheduled against each other.
    pub(super) fn rules(&self) -> WarpRules {
        self.kernel.rules
    }

    /// The state of lanes of a warp; `None` if it cannot be told.
    pub(super) fn fingerprint(
        &mut self,
        view: &View<'_>,
        start: Start,
        (warp, lanes): (usize, LaneMask),
    ) -> Option<Fingerprint> {
        let liveness = self.liveness.as_ref()?;
        let (kernel, offered) = (&self.kernel, &self.offered);
        let needed =
            self.needed.entry(start).or_insert_with(|| needed(kernel, liveness, offered, start));
        let mut hashers = [1, 2].map(|seed| FixedState::with_seed(seed).build_hasher());
        let mut add = |value: u64| hashers.iter_mut().for_each(|hasher| value.hash(hasher));
        for reg in needed {
            match self.kernel.registers.get(reg.0 as usize)? {
                Class::W32 => {
                    let row = view.w32(Src::Reg(*reg), warp);
                    lanes.iter().for_each(|lane| add(u64::from(row[lane as usize])));
                }
                Class::W64 => {
                    let row = view.w64(Src::Reg(*reg), warp);
                    lanes.iter().for_each(|lane| add(row[lane as usize]));
                }
                Class::Pred => add(u64::from((view.pred(Pred::Is(*reg), warp) & lanes).0)),
            }
        }
        Some(hashers.map(|hasher| hasher.finish()))
    }
}

/// The registers that may be read from a place on. Several instructions can come from one place.
fn needed(kernel: &Kernel, liveness: &Liveness, offered: &[Reg], start: Start) -> Vec<Reg> {
    let mut found = offered.to_vec();
    for (block, code) in kernel.blocks.iter().enumerate() {
        match start {
            Start::Inst(place) => {
                let here = code.insts.iter().enumerate().filter(|(_, inst)| inst.place == place);
                for (nth, _) in here {
                    found.extend(liveness.live_before(kernel, block, nth));
                }
            }
            Start::Terminator(place) if code.place == place => {
                found.extend(liveness.live_before(kernel, block, code.insts.len()));
            }
            Start::Terminator(_) => {}
        }
    }
    found.sort_unstable_by_key(|reg| reg.0);
    found.dedup();
    found
}
