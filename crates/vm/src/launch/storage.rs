//! The memory of CTAs on the host: registers, shared and local memory, parameters.

use crate::engine::Code;
use crate::frame::{Block, CtaMemory};
use crate::plan::Plan;
use lanes::WARP;

/// A cache line: gives blocks their alignment.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "gives the line its size")] [u32; 16]);

const ZERO_LINE: Line = Line([0; 16]);

fn lines(bytes: usize) -> Vec<Line> {
    vec![ZERO_LINE; bytes.div_ceil(size_of::<Line>())]
}

/// The memory of a CTA of a plan. It is used again for later CTAs, and for those of later launches.
#[derive(Debug)]
pub(crate) struct Storage {
    registers: Vec<Line>,
    shared: Vec<Line>,
    local: Vec<Line>,
    params: Vec<Line>,
}

/// Bytes of shared memory of a CTA.
fn shared_bytes(plan: &Plan) -> usize {
    (plan.kernel.shared_bytes + plan.shape.dynamic_shared) as usize
}

/// Bytes from one thread's local memory to the next's.
fn local_stride(plan: &Plan) -> usize {
    (plan.kernel.local_bytes as usize).next_multiple_of(16)
}

impl Storage {
    /// Memory for CTAs of a plan that run its code. The register file holds the constants.
    pub(crate) fn new(plan: &Plan, code: &dyn Code) -> Storage {
        let threads = (plan.shape.threads() as usize).next_multiple_of(WARP);
        let mut registers = lines(code.register_words() * size_of::<u32>());
        // SAFETY: the register file has as many words as the code asks for.
        unsafe { code.fill(registers.as_mut_ptr().cast()) };
        Storage {
            registers,
            shared: lines(shared_bytes(plan)),
            local: lines(local_stride(plan) * threads),
            params: lines(plan.kernel.param_bytes as usize),
        }
    }

    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let lines = [&self.registers, &self.shared, &self.local, &self.params];
        lines.iter().map(|lines| lines.len()).sum::<usize>() * size_of::<Line>()
    }
}

impl Storage {
    /// The memory as a CTA of the plan finds it, with the parameters of a launch.
    pub(super) fn lend(&mut self, plan: &Plan, params: &[u8]) -> CtaMemory {
        let room = self.params.len() * size_of::<Line>();
        let from = &params[..params.len().min(room)];
        // SAFETY: the block has room for as many bytes.
        unsafe {
            let to = self.params.as_mut_ptr().cast::<u8>();
            to.copy_from_nonoverlapping(from.as_ptr(), from.len());
        }
        let block = |lines: &mut Vec<Line>, bytes: usize| Block {
            start: lines.as_mut_ptr().cast(),
            bytes: bytes as u64,
        };
        let threads = (plan.shape.threads() as usize).next_multiple_of(WARP);
        CtaMemory {
            regs: self.registers.as_mut_ptr().cast(),
            shared: block(&mut self.shared, shared_bytes(plan)),
            local: block(&mut self.local, local_stride(plan) * threads),
            local_bytes: u64::from(plan.kernel.local_bytes),
            local_stride: local_stride(plan) as u64,
            params: block(&mut self.params, from.len()),
        }
    }

    /// Makes shared and local memory zero, as a CTA finds them.
    pub(super) fn clear(&mut self) {
        self.shared.fill(ZERO_LINE);
        self.local.fill(ZERO_LINE);
    }
}
