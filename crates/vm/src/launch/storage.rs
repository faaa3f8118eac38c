//! The memory of CTAs on the host: registers, shared and local memory, parameters.

use crate::block::Block;
use crate::engine::Code;
use crate::frame::CtaMemory;
use crate::local_memory::LocalMemory;
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
    local: LocalMemory,
    params: Vec<Line>,
}

/// Bytes of shared memory of a CTA.
fn shared_bytes(plan: &Plan) -> usize {
    (plan.kernel.shared_bytes + plan.shape.dynamic_shared) as usize
}

impl Storage {
    /// Memory for CTAs of a plan that run its code. The register file holds the constants.
    pub(crate) fn new(plan: &Plan, code: &dyn Code) -> Storage {
        let mut registers = lines(code.register_words() * size_of::<u32>());
        // SAFETY: the register file has as many words as the code asks for.
        unsafe { code.fill(registers.as_mut_ptr().cast()) };
        Storage {
            registers,
            shared: lines(shared_bytes(plan)),
            local: LocalMemory::new(plan.local, plan.shape.threads() as usize),
            params: lines(plan.kernel.param_bytes as usize),
        }
    }

    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let lines = [&self.registers, &self.shared, &self.params];
        let lines = lines.iter().map(|lines| lines.len()).sum::<usize>() * size_of::<Line>();
        lines + self.local.bytes()
    }

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
            local: Block { start: self.local.start(), bytes: plan.local.stride() * threads as u64 },
            local_layout: plan.local,
            params: block(&mut self.params, from.len()),
        }
    }

    /// Makes shared and local memory zero, as a CTA finds them.
    pub(super) fn clear(&mut self, plan: &Plan) {
        self.shared.fill(ZERO_LINE);
        // A frame on the stack is cleared when it begins.
        let first = plan.kernel.has_stack.then_some(plan.kernel.local_bytes.into());
        self.local.clear(plan.local, first);
    }
}
