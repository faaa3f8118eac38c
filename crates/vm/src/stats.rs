//! What a launch did, in numbers.

/// Counts of one launch. Instructions are those of the front end (PTX instructions, not IR operations).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Instructions issued to a split, once per split.
    pub warp_instructions: u64,
    /// Instructions executed by threads: the sum over issued instructions of the split's active lanes.
    pub thread_instructions: u64,
    /// Branches at which the active lanes of a warp went two ways.
    pub divergences: u64,
    /// CTAs run.
    pub ctas: u64,
    /// Threads run.
    pub threads: u64,
}

impl Stats {
    /// Adds another part's counts.
    pub fn add(&mut self, other: &Stats) {
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.divergences += other.divergences;
        self.ctas += other.ctas;
        self.threads += other.threads;
    }

    /// Active lanes per issued instruction, on average.
    pub fn lanes_active(&self) -> f64 {
        if self.warp_instructions == 0 {
            return 0.0;
        }
        self.thread_instructions as f64 / self.warp_instructions as f64
    }
}
