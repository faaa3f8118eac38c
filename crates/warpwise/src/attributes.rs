//! What a kernel takes of a device, as a driver tells it.

use crate::module::Kernel;
use ir::analysis::{Liveness, reads_and_writes};
use ir::{Class, Operand, Reg, terminator_use};
use vm::MAX_THREADS;

/// What a kernel takes of a device: the attributes of a function as a driver tells them (`cuFuncGetAttribute`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Bytes of static shared memory of a CTA.
    pub static_shared_bytes: u64,
    /// Bytes of local memory of a thread, without its stack.
    pub local_bytes: u32,
    /// Bytes of the constant variables of the kernel's module, or of the whole program if modules were linked.
    pub constant_bytes: u64,
    /// Bytes of the block of arguments ([`Kernel::launch_with_params`]).
    pub param_bytes: u32,
    /// The most threads that a CTA can have: `.reqntid` or `.maxntid`, and never more than 1,024.
    pub max_threads_per_block: u32,
    /// The extents that a CTA must have (`.reqntid`).
    pub required_block: Option<[u32; 3]>,
    /// An estimate of the registers of a thread, and no more: the most values of 32 bits that are needed at one time, as the PTX
    /// stands, without predicates. An assembler schedules instructions anew, folds some of them
    /// and needs registers of its own. `None` where the kernel is too large to look at.
    pub estimated_registers: Option<u32>,
    /// The most registers that a thread may have, as the kernel says (`.maxnreg`).
    pub max_registers: Option<u32>,
    /// The PTX version that the module is written in; the newest of linked modules.
    pub ptx_version: (u32, u32),
    /// The architecture that the kernel runs as.
    pub target: String,
    /// The number of the architecture that the PTX is written for: 80 for `sm_80`; the highest of linked modules.
    pub written_for: u32,
}

impl Kernel {
    /// What it takes of a device.
    pub fn attributes(&self) -> Attributes {
        let kernel = &self.lowered.kernel;
        let product = |extents: [u32; 3]| extents.map(u64::from).iter().product::<u64>();
        let limit = kernel.threads.required.or(kernel.threads.maximum);
        let threads = limit.map_or(MAX_THREADS, product).min(MAX_THREADS);
        Attributes {
            static_shared_bytes: self.lowered.static_shared,
            local_bytes: kernel.local_bytes,
            constant_bytes: self.image.constant_bytes,
            param_bytes: self.param_block_bytes(),
            max_threads_per_block: u32::try_from(threads).unwrap_or(u32::MAX),
            required_block: kernel.threads.required,
            estimated_registers: most_live(kernel),
            max_registers: self.lowered.max_registers,
            ptx_version: self.target.ptx,
            target: self.target.name(),
            written_for: self.written_for.sm,
        }
    }
}

/// The most registers of 32 bits whose values are needed at one time.
fn most_live(kernel: &ir::Kernel) -> Option<u32> {
    let liveness = Liveness::of(kernel)?;
    let width = |reg: Reg| match kernel.registers.get(reg.0 as usize) {
        Some(Class::W32) => 1,
        Some(Class::W64) => 2,
        Some(Class::Pred) | None => 0,
    };
    let mut live = Live { is: vec![false; kernel.registers.len()], now: 0, most: 0 };
    for block in &kernel.blocks {
        live.clear();
        for to in block.terminator.successors() {
            liveness.live_in(to.0 as usize).for_each(|reg| live.set(reg, true, width(reg)));
        }
        let decides = terminator_use(&block.terminator);
        decides.into_iter().for_each(|reg| live.set(reg, true, width(reg)));
        for inst in block.insts.iter().rev() {
            // A result needs a register even if nobody reads it.
            let mut set = |reg: Reg, value| live.set(reg, value, width(reg));
            inst.op.operands(|operand| {
                if let Operand::Def(reg) = operand {
                    set(reg, true);
                }
            });
            reads_and_writes(inst, set);
        }
    }
    Some(live.most)
}

/// Registers that are live at a point, and the most that ever were.
struct Live {
    is: Vec<bool>,
    now: u32,
    most: u32,
}

impl Live {
    fn clear(&mut self) {
        self.is.fill(false);
        self.now = 0;
    }

    fn set(&mut self, reg: Reg, live: bool, width: u32) {
        let Some(is) = self.is.get_mut(reg.0 as usize) else { return };
        match (std::mem::replace(is, live), live) {
            (false, true) => self.now = self.now.saturating_add(width),
            (true, false) => self.now = self.now.saturating_sub(width),
            (true, true) | (false, false) => {}
        }
        self.most = self.most.max(self.now);
    }
}
