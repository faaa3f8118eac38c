//! The warps that one run of the code executes together.

use crate::Input;
use crate::isa::Family;
use ir::analysis::order::repeated;
use ir::analysis::{LaunchShape, Liveness, Shape, Shapes, reads_and_writes};
use ir::{BlockId, Class, Interrupt, Kernel, Reg};
use lanes::WARP;

/// Registers of vectors (AVX2).
const FEW_REGISTERS: usize = 16;
/// Vectors that are needed at once (AVX-512): where there are more, what is moved from and to memory takes longer than one warp after the other.
const MANY_VECTORS: usize = 48;

/// A warp, or two that follow each other, whose lanes run the same code at once ([`ir::analysis::LaunchShape`]).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gang {
    pub(crate) family: Family,
    /// 1 or 2.
    pub(crate) warps: usize,
}

impl Gang {
    /// The warps that run together, and the shapes of their values. `None` if it was interrupted.
    ///
    /// Two warps hide each other's latency and share what is the same for both, but where one of them goes another way than the other
    /// its lanes wait: so there are two where no branch is taken by warps apart that their lanes would take together. Values have to fit,
    /// and where registers are few (AVX2), there is latency to hide in loops that only compute.
    pub(crate) fn of(
        input: &Input<'_>,
        live: &Liveness,
        interrupt: &Interrupt<'_>,
    ) -> Option<(Gang, Shapes)> {
        let (kernel, family) = (input.kernel, input.level.family());
        let shapes = |gang: u32| {
            let vector = slice_lanes(family, input.block);
            let launch = LaunchShape { block: input.block, gang, vector };
            Shapes::of(kernel, input.prologue, live, &launch, interrupt)
        };
        let one = shapes(1)?;
        let pairs = input.block.iter().product::<u32>().is_multiple_of(2 * WARP as u32);
        if pairs && (family == Family::Avx512 || loops_compute(kernel)) {
            let two = shapes(2)?;
            let mut blocks = (0..kernel.blocks.len()).map(|id| BlockId(id as u32));
            let gang = Gang { family, warps: 2 };
            if blocks.all(|block| one.parts(block) || !two.parts(block))
                && gang.fits(kernel, live, &two, interrupt)?
            {
                return Some((gang, two));
            }
        }
        Some((Gang { family, warps: 1 }, one))
    }

    /// Whether there are registers for values that vary and are needed at once: everywhere where they are few, else for most of them nearly
    /// everywhere.
    fn fits(
        self,
        kernel: &Kernel,
        live: &Liveness,
        shapes: &Shapes,
        interrupt: &Interrupt<'_>,
    ) -> Option<bool> {
        let needed = self.needed_at_once(kernel, live, shapes, interrupt)?;
        Some(match self.family {
            Family::Avx2 => needed.iter().all(|count| *count <= FEW_REGISTERS),
            Family::Avx512 => {
                let many = needed.iter().filter(|count| **count > MANY_VECTORS);
                2 * many.count() <= needed.len()
            }
        })
    }

    /// Vectors of values that vary and are needed before each instruction, and behind the last of each block.
    fn needed_at_once(
        self,
        kernel: &Kernel,
        live: &Liveness,
        shapes: &Shapes,
        interrupt: &Interrupt<'_>,
    ) -> Option<Vec<usize>> {
        let vectors = |reg: Reg| match (shapes.shape(reg), kernel.class(reg)) {
            (Shape::Varying, Class::W32) => self.slices(),
            (Shape::Varying, Class::W64) => 2 * self.slices(),
            (_, Class::Pred) | (Shape::Affine(_) | Shape::Sliced(..) | Shape::Mask(_), _) => 0,
        };
        let mut counts = Vec::new();
        let mut needed = vec![false; kernel.registers.len()];
        for (id, block) in kernel.blocks.iter().enumerate() {
            interrupt.go_on(block.insts.len() + 1)?;
            let behind = live.live_before(kernel, id, block.insts.len());
            let mut count: usize = behind.iter().map(|reg| vectors(*reg)).sum();
            needed.fill(false);
            behind.iter().for_each(|reg| needed[reg.0 as usize] = true);
            counts.push(count);
            for inst in block.insts.iter().rev() {
                reads_and_writes(inst, |reg, reads| {
                    match (reads, std::mem::replace(&mut needed[reg.0 as usize], reads)) {
                        (true, false) => count += vectors(reg),
                        (false, true) => count -= vectors(reg),
                        (true, true) | (false, false) => {}
                    }
                });
                counts.push(count);
            }
        }
        Some(counts)
    }

    pub(crate) fn lanes(self) -> usize {
        self.warps * WARP
    }

    /// Vectors of a value of 32 bits a lane.
    pub(crate) fn slices(self) -> usize {
        self.lanes() / self.family.lanes()
    }

    /// The vectors of a warp, of a value of 32 bits a lane.
    pub(crate) fn of_warp(self, warp: usize) -> std::ops::Range<usize> {
        let own = WARP / self.family.lanes();
        warp * own..(warp + 1) * own
    }

    /// A bit for each lane.
    pub(crate) fn all(self) -> u64 {
        u64::MAX >> (64 - self.lanes())
    }

    /// The bits of a vector's lanes, of so many vectors.
    pub(crate) fn of_vector(self, nth: usize, count: usize) -> u64 {
        let lanes = self.lanes() / count;
        (u64::MAX >> (64 - lanes)) << (nth * lanes)
    }
}

/// Whether a kernel has loops, and what they do is to compute from values that are there.
fn loops_compute(kernel: &Kernel) -> bool {
    let again = repeated(kernel);
    let mut inside = kernel.blocks.iter().zip(&again).filter(|(_, again)| **again).peekable();
    inside.peek().is_some()
        && inside.all(|(block, _)| block.insts.iter().all(|inst| inst.op.is_pure()))
}

/// Lanes of a slice: those of a vector, or of half of one where rows of the CTA are so wide.
pub(crate) fn slice_lanes(family: Family, block: [u32; 3]) -> u32 {
    let lanes = family.lanes() as u32;
    if block[0] == lanes / 2 { lanes / 2 } else { lanes }
}
