//! From a PTX kernel to assembly of a described machine.

use super::Machine;
use crate::error::{Error, Stage};
use crate::module::Kernel;
use ::machine::select::select;
use diag::{Diagnostic, Span};
use ir::Place;

/// Assembly made of a kernel.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The assembly. Its head says which registers hold values before it runs, and which results after.
    pub text: String,
    /// The registers that must hold values before it runs, and the PTX that would have computed them.
    pub inputs: Vec<(String, String)>,
    /// The registers that hold results after it ran, and the PTX that would have used them.
    pub outputs: Vec<(String, String)>,
    /// One remark about what is left out, if something is.
    pub warnings: Vec<Diagnostic>,
}

impl Machine {
    /// Turns the warp instructions of a kernel, and what the machine has of the others, into assembly.
    ///
    /// # Errors
    /// Warp instructions that the machine has no instruction for.
    pub fn lower(&self, kernel: &Kernel) -> Result<Lowered, Error> {
        let span = |place: Place| kernel.lowered.places.get(place.0 as usize).copied();
        let source = |place: Place| span(place).map(|span| one_line(kernel.sources().slice(span)));
        let selected = select(self.description(), &kernel.lowered.kernel, &source);
        let selected = selected.map_err(|refusals| {
            let labelled = refusals.into_iter().map(|refusal| match span(refusal.place) {
                Some(span) => refusal.diagnostic.label(span, ""),
                None => refusal.diagnostic,
            });
            Error::new(Stage::Module, kernel.sources().clone(), labelled.collect())
        })?;
        let texts = |registers: Vec<(String, Option<Place>)>| {
            registers
                .into_iter()
                .map(|(name, place)| (name, place.and_then(source).unwrap_or_default()))
                .collect()
        };
        let spans: Vec<Span> = selected.left_out.iter().copied().filter_map(span).collect();
        Ok(Lowered {
            text: selected.text,
            inputs: texts(selected.inputs),
            outputs: texts(selected.outputs),
            warnings: left_out(&spans).into_iter().collect(),
        })
    }
}

/// One remark for all instructions that are left out; the first is shown.
fn left_out(spans: &[Span]) -> Option<Diagnostic> {
    let first = spans.first()?;
    let message = match spans.len() {
        1 => "1 instruction has no counterpart in the description and is left out".to_owned(),
        count => {
            format!("{count} instructions have no counterpart in the description and are left out")
        }
    };
    let note = "the head of the assembly says which registers stand for their results and operands";
    Some(Diagnostic::warning(*first, message).note(note).code(::machine::codes::NO_COUNTERPART))
}

/// Source text as a part of one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
