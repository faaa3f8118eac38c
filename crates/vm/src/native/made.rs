//! Machine code of a plan: made, or found on disk.

use crate::code_cache::CodeCache;
use crate::engine::Code;
use crate::interp::Program;
use crate::plan::Plan;
use ir::Interrupt;
use std::sync::Arc;

/// What machine code of a plan is made of.
pub(super) struct Maker {
    pub(super) plan: Arc<Plan>,
    homes: Vec<Option<jit::Home>>,
    starts: Vec<u32>,
    first_site: u32,
    level: jit::Level,
    cache: Option<CodeCache>,
}

impl Maker {
    /// Makes code of a plan that leaves the rest to a program of the interpreter.
    pub(super) fn new(
        plan: Arc<Plan>,
        interp: &Program,
        level: jit::Level,
        cache: Option<CodeCache>,
    ) -> Maker {
        let kernel = &*plan.kernel;
        let home = |reg: usize| {
            let slot = plan.rows.reg(ir::Reg(reg as u32));
            (!slot.is_none()).then_some(jit::Home { offset: slot.offset, stride: slot.stride })
        };
        let start = |id: usize| plan.places_of(ir::BlockId(id as u32)).start;
        let homes = (0..kernel.registers.len()).map(home).collect();
        let starts = (0..kernel.blocks.len()).map(start).collect();
        let first_site = interp.sites().len() as u32;
        Maker { plan, homes, starts, first_site, level, cache }
    }

    fn input(&self) -> jit::Input<'_> {
        let Maker { plan, homes, starts, first_site, level, .. } = self;
        let kernel = &*plan.kernel;
        jit::Input {
            kernel,
            prologue: &plan.prologue,
            homes,
            starts,
            instructions: &plan.instructions,
            block: plan.shape.block,
            shared_bytes: u64::from(kernel.shared_bytes + plan.shape.dynamic_shared),
            zeros: &plan.rows.zeros,
            local: plan.local.told(),
            first_site: *first_site,
            level: *level,
        }
    }

    /// What another process has found: code, or that there can be none. `None` if nothing is known.
    #[expect(clippy::option_option, reason = "one says that there can be none")]
    pub(super) fn find(&self) -> Option<Option<jit::Code>> {
        let cache = self.cache.as_ref()?;
        match cache.find(&self.input().key())?.as_slice() {
            [] => Some(None),
            bytes => jit::Code::from_bytes(bytes).map(Some),
        }
    }

    /// Makes code, if there can be any, and keeps it for others. The outer `None` is an interruption.
    #[expect(clippy::option_option, reason = "one is an interruption")]
    pub(super) fn make(&self, interrupt: &Interrupt<'_>) -> Option<Option<jit::Code>> {
        let input = self.input();
        // What cannot be made is interpreted.
        let made = jit::compile(&input, interrupt)?.ok();
        if let Some(cache) = &self.cache {
            let bytes = made.as_ref().map(jit::Code::to_bytes);
            cache.keep(&input.key(), &bytes.unwrap_or_default());
        }
        Some(made)
    }
}
