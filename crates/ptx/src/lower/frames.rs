//! The functions whose bodies are being lowered, and their local memory.

use super::errors::Result;
use super::layout::{self, Row};
use crate::syntax::ast::{self, CallPrototype, Function, Name, NameTable};
use ir::BlockId;
use std::ops::Range;

/// A function whose body is being lowered.
#[derive(Debug)]
pub(super) struct Call {
    /// Where `ret` goes.
    pub(super) resume: BlockId,
}

/// What a call through a register can reach.
#[derive(Clone, Debug)]
pub(super) enum Targets {
    /// Functions with these parameters and results.
    Like(CallPrototype),
    /// These functions.
    Among(Vec<Name>),
}

impl Targets {
    pub(super) fn like(prototype: &CallPrototype) -> Targets {
        Targets::Like(prototype.clone())
    }

    pub(super) fn among(table: &NameTable) -> Targets {
        Targets::Among(table.entries.iter().map(|entry| entry.name.clone()).collect())
    }

    pub(super) fn has(&self, function: &Function) -> bool {
        let same = |one: &[ast::Variable], other: &[ast::Variable]| {
            let sizes = |all: &[ast::Variable]| -> Vec<_> {
                all.iter().map(|one| (layout::bytes(one), layout::alignment(one))).collect()
            };
            sizes(one) == sizes(other)
        };
        match self {
            Targets::Like(prototype) => {
                same(&prototype.params, &function.params)
                    && same(&prototype.returns, &function.returns)
            }
            Targets::Among(names) => names.contains(&function.name),
        }
    }
}

/// The local memory of the function that is being lowered, in bytes from the start of a thread's.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalFrame {
    /// Where its next variable may stand.
    pub(super) next: Row,
    /// Where the functions that it calls may begin.
    pub(super) end: Row,
    /// Where its variables stand.
    pub(super) variables: Vec<Range<u32>>,
    /// The place of its first instruction, or of the call.
    pub(super) start: usize,
}

impl LocalFrame {
    /// The frame of a function that is called at a place. Its parameters come first.
    pub(super) fn called(&self, place: usize) -> Self {
        LocalFrame { next: self.end, end: self.end, variables: Vec::new(), start: place }
    }

    /// Makes room for the variables of a body.
    pub(super) fn open(&mut self, body: &[ast::Statement]) {
        self.next = self.next.align(16);
        self.end = layout::end_of_locals(self.next, body);
    }

    /// Bytes of local memory until here.
    pub(super) fn bytes(&self) -> u64 {
        self.end.end
    }

    /// Where a variable comes to stand.
    ///
    /// # Errors
    /// The variable has no size.
    pub(super) fn place(&mut self, variable: &ast::Variable) -> Result<u64> {
        let place = self.next.place(variable)?;
        // Kernels with more than 4 GiB are refused when they are complete.
        self.variables.push(place.start as u32..place.end as u32);
        Ok(place.start)
    }

    /// The frame with its instructions, up to a place.
    pub(super) fn closed(self, end: usize) -> ir::Frame {
        ir::Frame { places: self.start as u32..end as u32, variables: self.variables }
    }
}
