//! What is known while a module is checked.

use super::advice::Advice;
use super::blame::Blame;
use super::debug_labels::Debug;
use super::misspelt::Misspelt;
use super::names::Names;
use super::uses::Uses;
use crate::syntax::ast::Name;
use crate::target::Target;
use diag::{Diagnostic, Span};
use foldhash::{HashMap, HashSet};

/// What is known while a module is checked.
pub(super) struct Checker<'a> {
    pub(super) names: Names<'a>,
    pub(super) target: Target,
    /// Whether addresses have 64 bits.
    pub(super) wide_addresses: bool,
    /// Whether the function is a kernel.
    pub(super) in_kernel: bool,
    /// Whether the assembler compiles the module without its calling convention.
    pub(super) without_abi: bool,
    /// Orders of modifiers that have been remarked on.
    pub(super) reordered: HashSet<String>,
    pub(super) advice: Advice<'a>,
    /// Whether samplers stand apart from textures.
    pub(super) independent_samplers: bool,
    /// The aliases so far.
    pub(super) aliases: HashMap<&'a str, Span>,
    /// The return parameters of the function.
    pub(super) outputs: HashSet<&'a str>,
    /// The variables, by the places of their names, to which calls so far return something.
    pub(super) received: HashSet<Span>,
    /// Bytes of the constant variables so far.
    pub(super) constant_bytes: u64,
    /// What the function names so far.
    pub(super) current: Uses<'a>,
    /// Uses of registers that do not agree with their declarations.
    pub(super) blame: Blame<'a>,
    /// What debug information there is.
    pub(super) debug: Debug<'a>,
    /// What stands where a mnemonic should.
    pub(super) unknown: HashSet<&'a str>,
    /// Undeclared names, and which diagnostics report them.
    pub(super) undeclared: Vec<(&'a str, usize)>,
    /// Which declarations undeclared names may mean.
    pub(super) misspelt: Misspelt<'a>,
    /// What each function names.
    pub(super) uses: HashMap<&'a str, Uses<'a>>,
    pub(super) found: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Reports a name that means nothing.
    pub(super) fn undeclared(&mut self, name: &'a Name, what: &str) {
        if let Some(error) = self.names.undeclared(name, what) {
            if let Some(range) = self.names.range_of(name) {
                self.misspelt.beyond(range, name, self.found.len());
            }
            self.undeclared.push((name, self.found.len()));
            self.found.push(error);
        }
    }
}
