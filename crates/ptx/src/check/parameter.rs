//! Variables in `.param` space: the parameters of the function, and those of the calls in its body.

use super::Checker;
use super::names::Symbol;
use super::wanted::{Verdict, refuse};
use crate::catalogue::Matched;
use crate::catalogue::pattern::{OperandPattern, Shape};
use crate::rules;
use crate::syntax::Space;
use crate::syntax::ast::{Address, Operand, OperandKind, Variable};

impl<'a> Checker<'a> {
    /// The parameter of a call that a name means: a `.param` variable of the body.
    pub(super) fn call_parameter(&self, name: &str) -> Option<&'a Variable> {
        match self.names.find(name) {
            Some(Symbol::Variable(variable))
                if variable.space == Space::Param && self.names.parameter(name).is_none() =>
            {
                Some(variable)
            }
            _ => None,
        }
    }

    /// A call returns values to these operands, which may be read from here on.
    pub(super) fn received(&mut self, operands: &[Operand]) {
        for operand in operands {
            match &operand.kind {
                OperandKind::Name(name) => {
                    self.received.extend(self.call_parameter(name).map(|it| it.name.span));
                }
                OperandKind::List(inner) => self.received(inner),
                _ => {}
            }
        }
    }

    /// Whether the address of a variable may be taken.
    pub(super) fn has_address(&self, operand: &Operand, variable: &Variable) -> Verdict {
        let name = &variable.name;
        match self.call_parameter(name) {
            Some(_) => {
                let message = format!("`{name}` is a parameter of a call and has no address");
                refuse(&rules::OPERAND_KIND, operand, message)
            }
            None => Ok(()),
        }
    }

    /// An access to `.param` space. Parameters of the function are read, what it returns is written; what a call is passed
    /// is written, what it returns is read after the call, and always by all threads that come there.
    pub(super) fn parameter(
        &mut self,
        inst: &Matched<'a>,
        pattern: &OperandPattern,
        address: &Address,
    ) -> Verdict {
        let name = match &address.base.kind {
            OperandKind::Name(name) => name.as_str(),
            _ => "",
        };
        let base = &address.base;
        let operands = &inst.form.pattern.operands;
        let is_store =
            operands.len() > 1 && operands.first().is_some_and(|it| it.shape == Shape::Address);
        let (word, own) = (inst.word("ss"), self.names.parameter(name).is_some());
        if let Some(variable) = self.call_parameter(name) {
            if let Some(guard) = &inst.instruction.guard {
                let message = format!("accesses to `{name}`, a parameter of a call, have no guard");
                let error = rules::GUARD.at(guard.predicate.span, message);
                return Err(Box::new(error.help("branch around the call as a whole")));
            }
            if word == Some("param::entry") {
                let message = format!("`{name}` is a parameter of a call, not of the kernel");
                return refuse(&rules::ADDRESS, base, message);
            }
            if !is_store && !self.received.contains(&variable.name.span) {
                let message = format!("no call before this returns `{name}`");
                let error = rules::CALL.at(base.span, message);
                return Err(Box::new(error.label(variable.name.span, "declared here")));
            }
            return Ok(());
        }
        let returned = self.outputs.contains(name);
        if own && returned && !is_store {
            let message = format!("`{name}` is returned and cannot be read");
            return refuse(&rules::ADDRESS, base, message);
        }
        if own && !returned && is_store {
            let message = format!("`{name}` is a parameter of the function and cannot be written");
            return refuse(&rules::ADDRESS, base, message);
        }
        if word == Some("param::func") && self.in_kernel {
            let message = "a kernel has no parameters of a function but those of its calls";
            let span = inst.space_word(pattern).unwrap_or(base.span);
            return Err(Box::new(rules::ADDRESS.at(span, message)));
        }
        Ok(())
    }
}
