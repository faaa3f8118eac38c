//! A kernel with its launch and its memory.

use ir::Kernel;

/// A kernel with a launch and its memory.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kernel.
    pub kernel: Kernel,
    /// CTAs.
    pub grid: [u32; 3],
    /// CTAs of a cluster, if the launch says so; the kernel may, too.
    pub cluster: Option<[u32; 3]>,
    /// Threads of a CTA.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Bits of this number are parameters of the kernel.
    pub words: [u32; 4],
    /// What the kernel reads.
    pub input: Vec<u8>,
    /// Bytes that the kernel writes, zero before.
    pub output_bytes: usize,
    /// Bytes of the counters that all its threads update, zero before.
    pub counter_bytes: usize,
}

/// The memory that a launch leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// What each thread wrote.
    pub output: Vec<u8>,
    /// The counters.
    pub counters: Vec<u8>,
}

impl Case {
    /// The extents of its clusters in CTAs.
    pub fn clusters(&self) -> [u32; 3] {
        self.cluster.or(self.kernel.cluster.required).unwrap_or([1; 3])
    }

    /// The parameter space: the addresses of input, output and counters, and the words.
    pub fn params(&self, input: u64, output: u64, counters: u64) -> Vec<u8> {
        let pointers = [input, output, counters].map(u64::to_le_bytes);
        let words = self.words.map(u32::to_le_bytes);
        pointers.iter().flatten().chain(words.iter().flatten()).copied().collect()
    }
}
