//! What the threads of a kernel launch (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"). The host does it when the kernel has
//! ended: no thread can wait for it.

use std::collections::BTreeMap;

/// Kernels that launched each other before one, at most.
pub(crate) const MAX_DEPTH: u32 = 24;

/// What CUDA calls errors: an impossible grid or CTA, and a launch at the greatest depth.
const INVALID_CONFIGURATION: u32 = 9;
const TOO_DEEP: u32 = 65;

/// Extents of grids and of CTAs, and threads of a CTA, at most (the same, "Technical Specifications per Compute Capability").
const GRID: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
const BLOCK: [u32; 3] = [1024, 1024, 64];
const THREADS: u32 = 1024;

/// A launch by a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// The address of the kernel, as `mov` takes it.
    pub kernel: u64,
    /// Where its arguments lie in memory, as the CUDA ABI lays them out.
    pub arguments: u64,
    /// The handle of the stream.
    pub stream: u64,
    /// The grid's extents in CTAs.
    pub grid: [u32; 3],
    /// The CTA's extents in threads.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
}

impl Enqueued {
    fn is_possible(&self) -> bool {
        let within = |extents: [u32; 3], limits: [u32; 3]| {
            extents.iter().zip(limits).all(|(extent, limit)| (1..=limit).contains(extent))
        };
        within(self.grid, GRID)
            && within(self.block, BLOCK)
            && self.block.iter().product::<u32>() <= THREADS
    }
}

/// What the threads of a CTA have launched, and the last error of each that made one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launches {
    all: Vec<Enqueued>,
    errors: BTreeMap<u32, u32>,
}

impl Launches {
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.errors.is_empty()
    }

    /// A thread launches, in a kernel before which so many launched each other: the error, or 0.
    pub(crate) fn add(&mut self, thread: u32, launch: Enqueued, depth: u32) -> u32 {
        let error = match launch.is_possible() {
            false => INVALID_CONFIGURATION,
            true if depth >= MAX_DEPTH => TOO_DEEP,
            true => {
                self.all.push(launch);
                return 0;
            }
        };
        self.errors.insert(thread, error);
        error
    }

    /// The last error of a thread, which may be forgotten by that.
    pub(crate) fn last_error(&mut self, thread: u32, forgets: bool) -> u32 {
        match forgets {
            true => self.errors.remove(&thread),
            false => self.errors.get(&thread).copied(),
        }
        .unwrap_or(0)
    }
}

/// What a grid has launched.
#[derive(Clone, Debug, Default)]
pub struct Launched {
    /// By the number of the CTA.
    ctas: BTreeMap<u64, Vec<Enqueued>>,
}

impl Launched {
    /// Takes what a CTA launched.
    pub(crate) fn take(&mut self, cta: u64, launches: &mut Launches) {
        let Launches { all, .. } = std::mem::take(launches);
        if !all.is_empty() {
            self.ctas.entry(cta).or_default().extend(all);
        }
    }

    /// All launches, CTA after CTA; of one CTA, in the order in which its threads made them.
    pub fn all(&self) -> impl Iterator<Item = &Enqueued> {
        self.ctas.values().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_launches_are_errors_of_their_thread() {
        let (grid, block) = ([1; 3], [32, 1, 1]);
        let launch =
            Enqueued { kernel: 64, arguments: 0, stream: 0, grid, block, dynamic_shared: 0 };
        let mut launches = Launches::default();
        assert_eq!(launches.add(3, launch, 0), 0);
        assert_eq!(launches.add(3, launch, MAX_DEPTH - 1), 0);
        assert_eq!(launches.add(3, launch, MAX_DEPTH), TOO_DEEP);
        for block in [[0, 1, 1], [1025, 1, 1], [1, 1, 65], [32, 32, 2]] {
            let impossible = Enqueued { block, ..launch };
            assert_eq!(launches.add(4, impossible, 0), INVALID_CONFIGURATION, "{block:?}");
        }
        assert_eq!(launches.add(4, Enqueued { grid: [1, 65_536, 1], ..launch }, 0), 9);
        assert_eq!((launches.last_error(3, false), launches.last_error(3, true)), (65, 65));
        assert_eq!((launches.last_error(3, true), launches.last_error(4, true)), (0, 9));
        let mut grid = Launched::default();
        grid.take(7, &mut launches);
        assert!(launches.is_empty());
        assert_eq!(grid.all().count(), 2);
    }
}
