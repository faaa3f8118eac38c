//! From a kernel to assembly of a described machine.
//!
//! Warp instructions become instructions of the machine, and so do the instructions around them as far as the
//! description has any. What it has none for is left out: a value that would come from there is in a register
//! when the assembly begins, and a value that would be needed there is in a register when it ends. The head
//! of the assembly says which.
//!
//! Instructions of the machine take the lanes that execute them together as participants. The lanes of a
//! membermask are brought together first (`WARPSYNC`) in a kernel with branches. Lanes may have different
//! membermasks in a register and yet execute one instruction together; where that would change its result,
//! `WARPSYNC.EXCLUSIVE` keeps them apart.

mod fit;
mod plan;
mod registers;
mod wanted;
mod writer;

use crate::codes;
use crate::register::{File, last_register};
use diag::{Class, Diagnostic, Severity};
use ir::{Kernel, Place};
use isa::Description;
use plan::Plan;
use registers::homes;
use writer::Writer;

/// Assembly made of a kernel.
#[derive(Clone, Debug)]
pub struct Selected {
    /// The assembly.
    pub text: String,
    /// The registers that must hold values before it runs, as text such as `R4` or `R[2:3]`, and the
    /// instructions that would have computed these.
    pub inputs: Vec<(String, Option<Place>)>,
    /// The registers that hold results after it ran, and the instructions that computed them.
    pub outputs: Vec<(String, Option<Place>)>,
    /// The instructions that are left out, in order.
    pub left_out: Vec<Place>,
}

/// Something that cannot be turned into assembly.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The instruction.
    pub place: Place,
    /// Why, and what to do; it has no label yet.
    pub diagnostic: Diagnostic,
}

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
    let mut plan = Plan::new(description, kernel);
    plan.decide();
    if !plan.refusals.is_empty() {
        return Err(plan.refusals);
    }
    let limit =
        |file: File| last_register(description, file).map_or(0, |last| last.saturating_add(1));
    // The last general register holds constants on their way.
    let usable = |file: File| limit(file) - u16::from(file == File::General && limit(file) > 0);
    // Results that nobody uses are kept for the reader as long as there is room.
    let generous = plan.demand.with_results();
    let found = homes(kernel, &generous, &usable);
    let found = match found {
        Ok(homes) => Ok((homes, generous)),
        Err(_) => homes(kernel, &plan.demand, &usable).map(|homes| (homes, plan.demand.clone())),
    };
    let (homes, demand) = found.map_err(|file| {
        let message =
            format!("the kernel needs more {} registers than the machine has", file.name());
        let diagnostic = Diagnostic::new(Severity::Error, Class::Limit, message);
        let help = "split the kernel";
        let place = Place::default();
        vec![Refusal { place, diagnostic: diagnostic.code(codes::LIMIT).help(help) }]
    })?;
    let scratch = usable(File::General);
    Ok(Writer { plan: &plan, demand: &demand, homes: &homes, scratch, source }.write())
}
