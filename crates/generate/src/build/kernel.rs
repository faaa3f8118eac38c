//! The frame of every kernel: what it begins and ends with.

use super::clusters::memory_of;
use super::generator::{Cluster, Fixed, Generator, INPUT, LOCAL, OWN, RESULTS, SCRATCH};
use super::layout::{LANDING, landing};
use super::memory::COUNTERS;
use super::region::{Region, Together};
use crate::case::Case;
use crate::choices::Choices;
use ir::{
    Access, Address, BinaryOp, Builder, Class, ClusterLimits, CompareOp, Dim, Op, Ordering, Pred,
    Reg, Space,
};
use ir::{Special, Src, Terminator, UnaryOp, WarpRules};

/// Statements of the largest kernels.
const STATEMENTS: u32 = 60;

/// The first architecture that has all that is done with barrier objects.
const OBJECTS_SINCE: u32 = 90;

const BLOCKS: [[u32; 3]; 11] = [
    [32, 1, 1],
    [64, 1, 1],
    [45, 1, 1],
    [1, 1, 1],
    [8, 3, 2],
    [96, 1, 1],
    [160, 1, 1],
    [33, 1, 1],
    [16, 4, 1],
    [8, 8, 1],
    [4, 16, 1],
];
const GRIDS: [[u32; 3]; 4] = [[1, 1, 1], [2, 1, 1], [3, 1, 1], [2, 2, 1]];
/// Grids of kernels with clusters, and the extents of those.
const CLUSTERS: [([u32; 3], [u32; 3]); 8] = [
    ([2, 1, 1], [2, 1, 1]),
    ([1, 1, 1], [1, 1, 1]),
    ([4, 1, 1], [2, 1, 1]),
    ([3, 1, 1], [3, 1, 1]),
    ([2, 2, 1], [1, 2, 1]),
    ([2, 2, 1], [2, 2, 1]),
    ([2, 1, 2], [1, 1, 2]),
    ([2, 3, 1], [2, 1, 1]),
];

/// The kernel that some choices make, with its launch.
pub fn generate(choices: &mut Choices) -> Case {
    generate_with(choices, true)
}

/// The same, of what an architecture has (`80` is `sm_80`), so that it can be PTX for it.
pub fn generate_for(choices: &mut Choices, target: u32) -> Case {
    generate_with(choices, target >= OBJECTS_SINCE)
}

fn generate_with(choices: &mut Choices, has_objects: bool) -> Case {
    let block = choices.pick(&BLOCKS, [32, 1, 1]);
    let grid = choices.pick(&GRIDS, [1, 1, 1]);
    let clusters = choices.one_in(3);
    let (grid, extents) = match clusters && !choices.one_in(8) {
        true => Some(choices.pick(&CLUSTERS, ([1; 3], [1; 3]))),
        // Each CTA is a cluster, since nobody says anything else.
        false => None,
    }
    .map_or((grid, None), |(grid, extents)| (grid, Some(extents)));
    let required = extents.filter(|_| choices.one_in(3));
    let cluster = extents.filter(|_| required.is_none() || choices.one_in(2));
    let dynamic_shared = if choices.one_in(3) { 16 } else { 0 };
    let words = [0; 4].map(|_| choices.bits() as u32);
    let seed = choices.below(256) as u32;
    let input =
        (0..INPUT as u32).map(|at| ((at + seed).wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
    let threads: u32 = block.iter().product();
    let ctas: u32 = grid.iter().product();
    let mut kernel = kernel(choices, threads, (clusters, has_objects));
    kernel.cluster = ClusterLimits { available: clusters, required, ..ClusterLimits::default() };
    let output_bytes = ((RESULTS + SCRATCH) * u64::from(threads * ctas)) as usize;
    let counter_bytes = 8 * COUNTERS.len();
    Case { kernel, grid, cluster, block, dynamic_shared, words, input, output_bytes, counter_bytes }
}

fn kernel(
    choices: &mut Choices,
    threads: u32,
    (clusters, has_objects): (bool, bool),
) -> ir::Kernel {
    // Targets with clusters are later than those without independent lanes.
    let is_independent = !choices.one_in(5) || clusters;
    let rules = if is_independent { WarpRules::Independent } else { WarpRules::Lockstep };
    let mut b = Builder::new("generated", rules);
    let fixed = fixed(&mut b, clusters);
    let words = (0..6).map(|_| b.reg(Class::W32)).collect();
    let wides = (0..4).map(|_| b.reg(Class::W64)).collect();
    let preds = (0..4).map(|_| b.reg(Class::Pred)).collect();
    let mut g = Generator {
        choices,
        b,
        fixed,
        words,
        wides,
        preds,
        threads,
        is_independent,
        has_exits: false,
        has_objects,
        routines: Vec::new(),
        stack: 0,
        budget: STATEMENTS,
    };
    g.begin();
    let everyone = Src::Imm(u64::from(u32::MAX));
    let mask = match threads.is_multiple_of(32) {
        true => everyone,
        false => g.ballot(Pred::Const(true), everyone).into(),
    };
    g.statements(Region { mask, who: Together::Cluster, depth: 0, of: None }, 30);
    g.results();
    g.b.terminate(Terminator::Exit);
    let local_bytes = LOCAL + g.stack;
    g.b.lay_out(std::mem::take(&mut g.routines));
    let mut kernel = g.b.finish();
    kernel.param_bytes = 40;
    kernel.shared_bytes = (landing(threads) + LANDING) as u32;
    kernel.local_bytes = local_bytes as u32;
    kernel
}

fn special(b: &mut Builder, class: Class, what: Special) -> Reg {
    let d = b.reg(class);
    b.push(Op::Special { d, what });
    d
}

fn param(b: &mut Builder, access: Access, offset: u64) -> Reg {
    let d = b.reg(Builder::class_of(access));
    let (space, ordering) = (Space::Param, Ordering::Weak);
    let address = Address { base: Src::Imm(offset), offset: 0 };
    b.push(Op::Load { d: vec![Some(d)], space, access, address, ordering });
    d
}

fn fixed(b: &mut Builder, clusters: bool) -> Fixed {
    // A number of three indices, x fastest.
    let number = |b: &mut Builder, index: fn(Dim) -> Special, extent: fn(Dim) -> Special| {
        let [x, y, z] = [Dim::X, Dim::Y, Dim::Z].map(|dim| special(b, Class::W32, index(dim)));
        let [nx, ny] = [Dim::X, Dim::Y].map(|dim| special(b, Class::W32, extent(dim)));
        let rows = b.ternary(ir::TernaryOp::MadLo32, z, ny, y);
        b.ternary(ir::TernaryOp::MadLo32, rows, nx, x)
    };
    let thread = number(b, Special::Tid, Special::Ntid);
    let cta = number(b, Special::Ctaid, Special::Nctaid);
    let [nx, ny, nz] =
        [Dim::X, Dim::Y, Dim::Z].map(|dim| special(b, Class::W32, Special::Ntid(dim)));
    let threads = b.binary(BinaryOp::MulLo32, nx, ny);
    let threads = b.binary(BinaryOp::MulLo32, threads, nz);
    let global = b.ternary(ir::TernaryOp::MadLo32, cta, threads, thread);
    let lane = special(b, Class::W32, Special::Laneid);
    let own = b.binary(BinaryOp::MulLo32, thread, Src::Imm(OWN));
    let shared = special(b, Class::W64, Special::SharedWindow);
    let local = special(b, Class::W64, Special::LocalWindow);
    let [input, outputs, counters] = [0, 8, 16].map(|offset| param(b, Access::B64, offset));
    let output = b.ternary(ir::TernaryOp::MadWideU32, global, Src::Imm(RESULTS + SCRATCH), outputs);
    let mut uniform: Vec<Reg> = (0..4).map(|nth| param(b, Access::B32, 24 + 4 * nth)).collect();
    uniform.extend([cta, threads]);
    let cluster = clusters.then(|| {
        let rank = special(b, Class::W32, Special::ClusterCtarank);
        let ctas = special(b, Class::W32, Special::ClusterNctarank);
        let window = special(b, Class::W32, Special::ClusterWindow);
        let base = memory_of(b, window, rank);
        Cluster { rank, ctas, window, own: b.binary(BinaryOp::AddI32, base, own) }
    });
    Fixed { thread, lane, own, shared, local, input, output, counters, uniform, cta, cluster }
}

impl Generator<'_> {
    /// Gives every register a value.
    fn begin(&mut self) {
        let sources = [self.fixed.thread, self.fixed.lane];
        for (nth, d) in self.words.clone().into_iter().enumerate() {
            let source = sources.iter().chain(&self.fixed.uniform).nth(nth).copied();
            let source = source.map_or(Src::Imm(nth as u64), Src::Reg);
            self.b.unary_to(d, UnaryOp::Mov32, source);
        }
        for d in self.wides.clone() {
            let (low, high) = (self.word(), self.word());
            self.b.binary_to(d, BinaryOp::Pack64, low, high);
        }
        for (nth, d) in self.preds.clone().into_iter().enumerate() {
            let bit = self.b.binary(BinaryOp::And32, self.fixed.lane, Src::Imm(1 << nth));
            self.b.push(Op::Compare { op: CompareOp::NeI32, d, a: bit.into(), b: Src::Imm(0) });
        }
    }

    /// Stores every register for the host to see.
    pub(super) fn results(&mut self) {
        let base = self.fixed.output.into();
        let (space, ordering) = (Space::Global, Ordering::Weak);
        let store = |b: &mut Builder, access: Access, offset: usize, value: Reg| {
            let address = Address { base, offset: offset as i64 };
            b.push(Op::Store { values: vec![value.into()], space, access, address, ordering });
        };
        for (nth, value) in self.wides.iter().enumerate() {
            store(&mut self.b, Access::B64, 8 * nth, *value);
        }
        for (nth, value) in self.words.iter().enumerate() {
            store(&mut self.b, Access::B32, 32 + 4 * nth, *value);
        }
        for (nth, pred) in self.preds.iter().enumerate() {
            let bit = self.b.select(Class::W32, *pred, Src::Imm(1), Src::Imm(0));
            store(&mut self.b, Access::U8, 56 + nth, bit);
        }
    }
}
