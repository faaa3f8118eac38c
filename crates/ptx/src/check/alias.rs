//! `.alias`: a second name for a function (PTX ISA 9.1, 11.9 Linking Directives, .alias).

use super::names::Symbol;
use super::names::describe;
use super::{Checker, feature};
use crate::resolve::redeclaration;
use crate::rules;
use crate::syntax::Linkage;
use crate::syntax::ast::{Directive, DirectiveArg, Function, FunctionKind, Name};
use diag::Diagnostic;

impl<'a> Checker<'a> {
    /// `.alias name, function;`: the first is declared only, the second defined here.
    pub(super) fn alias(&mut self, alias: &'a Directive) {
        let [DirectiveArg::Name(name), DirectiveArg::Name(aliased)] = alias.args.as_slice() else {
            let message = "`.alias` takes two names: the new one and the function's";
            return self.report(rules::DECLARATION.at(alias.span, message));
        };
        if !self.has(feature::ALIAS, alias.span) {
            return;
        }
        if let Err(error) = self.check_alias(name, aliased) {
            self.report(*error);
        }
        if let Some(first) = self.aliases.insert(name, name.span) {
            let error = rules::DUPLICATE.at(name.span, format!("`{name}` is an alias already"));
            self.report(error.label(first, "the first alias"));
        }
    }

    fn check_alias(&mut self, name: &'a Name, aliased: &'a Name) -> Result<(), Box<Diagnostic>> {
        let Some(first) = self.aliased_function(name)? else { return Ok(()) };
        let Some(second) = self.aliased_function(aliased)? else { return Ok(()) };
        let refuse =
            |name: &Name, message: String| Err(Box::new(rules::DECLARATION.at(name.span, message)));
        if name == aliased {
            return refuse(aliased, format!("`{name}` is no alias of itself"));
        }
        if first.body.is_some() {
            return refuse(name, format!("`{name}` is defined and cannot be an alias"));
        }
        if second.linkage == Linkage::Weak {
            return refuse(aliased, format!("`{aliased}` is `.weak` and has no alias"));
        }
        if let Some((what, at)) = redeclaration::signature(second, first) {
            let message = format!("`{name}` is declared unlike `{aliased}`: {what}");
            let error = rules::DECLARATION.at(name.span, message);
            return Err(Box::new(error.label(at.span, "declared here")));
        }
        Ok(())
    }

    /// The device function of that name, declared before; `None` if the name is reported already.
    fn aliased_function(
        &mut self,
        name: &'a Name,
    ) -> Result<Option<&'a Function>, Box<Diagnostic>> {
        let message = match self.names.find(name) {
            Some(Symbol::Function(function)) if function.kind == FunctionKind::Func => {
                return Ok(Some(function));
            }
            Some(Symbol::Function(_)) => format!("`{name}` is a kernel and has no alias"),
            None => {
                self.undeclared(name, "the function");
                return Ok(None);
            }
            symbol => format!("an alias names functions; {}", describe(name, symbol)),
        };
        Err(Box::new(rules::DECLARATION.at(name.span, message)))
    }
}
