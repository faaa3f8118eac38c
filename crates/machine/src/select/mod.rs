//! From a kernel to assembly of a described machine.
//!
//! Warp instructions become instructions of the machine, and so do the instructions around them as far as the
//! description has any. What it has none for is left out: a value that would come from there is in a register
//! when the assembly begins, and a value that would be needed there is in a register when it ends. The head
//! of the assembly says which.
//!
//! Instructions of the machine take the lanes that execute them together as participants. The lanes of a
//! membermask are brought together first (`WARPSYNC`) in a kernel with branches. Lanes may execute one instruction
//! together with lanes of other membermasks, or with some that their membermask does not name, and they may have to
//! wait for lanes that are at another instruction of the kind; where that would change its result,
//! `WARPSYNC.EXCLUSIVE` keeps them apart.
//!
//! PTX registers are used again for values that have nothing to do with each other; here each web of writes and reads is
//! a register (`webs`). Some instructions have a register of the warp as their result: a value that lanes need in a
//! register of their own is copied there (`uniform`).

mod fit;
mod forms;
mod meeting;
mod plan;
mod refusal;
mod registers;
mod step;
mod uniform;
mod wanted;
mod writer;

use crate::codes;
use crate::register::{File, last_register};
use diag::{Class, Diagnostic, Severity};
use forms::Forms;
use ir::{Interrupt, Kernel, Place, split_webs};
use isa::Description;
use plan::Plan;
use registers::homes;
use writer::Writer;

pub use refusal::Refusal;
pub use writer::Selected;

/// Turns a kernel into assembly. `source` gives the text of an instruction, for comments.
///
/// # Errors
/// Warp instructions that the description has no instruction for, and a kernel that needs more registers
/// than the machine has.
pub fn select(
    description: &Description,
    kernel: &Kernel,
    source: &dyn Fn(Place) -> Option<String>,
) -> Result<Selected, Vec<Refusal>> {
    let mut kernel = kernel.clone();
    // Values of one register may have to go to different files of the machine. Nobody interrupts.
    let _ = split_webs(&mut kernel, |_| false, &Interrupt::never());
    let mut forms = Forms::new(description, &kernel);
    let refusals = uniform::place(&mut forms, &mut kernel);
    let mut plan = Plan::new(&forms, &kernel, refusals);
    plan.decide();
    if !plan.refusals.is_empty() {
        plan.refusals.sort_by_key(|refusal| refusal.place.0);
        return Err(plan.refusals);
    }
    let limit =
        |file: File| last_register(description, file).map_or(0, |last| last.saturating_add(1));
    // The last general register holds constants on their way.
    let usable = |file: File| limit(file) - u16::from(file == File::General && limit(file) > 0);
    // Results that nobody uses are kept for the reader as long as there is room.
    let generous = plan.demand.with_results();
    let found = homes(&kernel, &generous, &forms.uniform, &usable);
    let found = match found {
        Ok(homes) => Ok((homes, generous)),
        Err(_) => homes(&kernel, &plan.demand, &forms.uniform, &usable)
            .map(|homes| (homes, plan.demand.clone())),
    };
    let (homes, demand) = found.map_err(|(file, reg)| {
        let message =
            format!("the kernel needs more {} registers than the machine has", file.name());
        let diagnostic = Diagnostic::new(Severity::Error, Class::Limit, message);
        let help = "split the kernel";
        let mut insts = kernel.blocks.iter().flat_map(|block| &block.insts);
        let touches = |inst: &&ir::Inst| {
            let mut touches = inst.guard.and_then(ir::Pred::reg) == Some(reg);
            inst.op.operands(|operand| {
                touches |= [ir::Operand::Use(reg), ir::Operand::Def(reg)].contains(&operand);
            });
            touches
        };
        let place = insts.find(touches).map_or_else(Place::default, |inst| inst.place);
        vec![Refusal { place, diagnostic: diagnostic.code(codes::LIMIT).help(help) }]
    })?;
    let scratch = usable(File::General);
    Writer { plan: &plan, demand: &demand, homes: &homes, scratch, source }.write()
}
