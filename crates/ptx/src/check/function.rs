//! Heads of functions and call prototypes: parameters and directives.

use super::declaration::Role;
use super::pragma::Place;
use super::{Checker, feature};
use crate::directive::{self, FunctionDirective};
use crate::lower::layout;
use crate::rules;
use crate::syntax::ast::{
    CallPrototype, Directive, DirectiveArg, Function, FunctionKind, Item, Module, Name, Variable,
};
use crate::syntax::{Linkage, Space};
use diag::Diagnostic;
use foldhash::HashSet;

/// Directives that exclude each other.
const EXCLUDED: &[[&str; 2]] = &[["reqnctapercluster", "maxclusterrank"], ["maxntid", "reqntid"]];

/// What the directives of a function stand with.
struct Head<'a> {
    kind: FunctionKind,
    name: &'a Name,
    returns: &'a [Variable],
    directives: &'a [Directive],
    /// Whether it is a kernel without a body.
    is_declared_only: bool,
}

impl<'a> Checker<'a> {
    pub(super) fn function_head(&mut self, function: &'a Function) {
        let name = &function.name;
        let is_kernel = function.kind == FunctionKind::Entry;
        self.linkage(function);
        for attribute in &function.attributes {
            if attribute.name == "unified" && !is_kernel {
                self.unified(attribute);
            } else {
                let message = format!("`{name}` cannot have the attribute `.{}`", attribute.name);
                self.report(rules::DECLARATION.at(attribute.span, message));
            }
        }
        let role = if is_kernel { Role::KernelParameter } else { Role::FunctionParameter };
        for parameter in function.returns.iter().chain(&function.params) {
            self.declaration(parameter, role);
            if parameter.name == "_" && function.body.is_some() && !is_kernel {
                let message = "a parameter that a body may use has a name";
                self.report(rules::DECLARATION.at(parameter.name.span, message));
            }
        }
        if is_kernel {
            self.parameter_space(function);
        }
        self.head(&Head {
            kind: function.kind,
            name,
            returns: &function.returns,
            directives: &function.directives,
            is_declared_only: is_kernel && function.body.is_none(),
        });
    }

    pub(super) fn call_prototype(&mut self, prototype: &'a CallPrototype) {
        if self.has(feature::CALL_PROTOTYPE, prototype.label.span) {
            self.head(&Head {
                kind: FunctionKind::Func,
                name: &prototype.label,
                returns: &prototype.returns,
                directives: &prototype.directives,
                is_declared_only: false,
            });
        }
    }

    fn head(&mut self, head: &Head<'a>) {
        if let [_, second, ..] = head.returns
            && head.returns.iter().any(|it| it.space == Space::Param)
        {
            let message = "several results are returned in registers";
            self.report(rules::DECLARATION.at(second.span, message).help("declare them `.reg`"));
        }
        let words = head.directives.iter().map(|it| it.name.trim_start_matches('.'));
        let words: Vec<&str> = words.collect();
        for (nth, directive) in head.directives.iter().enumerate() {
            let Some(rule) = directive::find(words[nth]) else { continue };
            match misplaced(head, directive, rule, &words, nth) {
                Some(error) => self.report(error),
                None if rule.word == "pragma" => self.pragma(directive, Place::Head),
                None if rule.word == "maxnctapersm" && self.target.ptx >= (2, 1) => {
                    let message = "`.maxnctapersm` is gone from PTX 2.1 on";
                    let error = rules::FEATURE.at(directive.span, message);
                    self.report(error.help("write `.minnctapersm`"));
                }
                None => {
                    _ = self.has_since(&format!("`.{}`", rule.word), rule.since, directive.span)
                }
            }
        }
    }

    /// How other modules see a function.
    fn linkage(&mut self, function: &'a Function) {
        let (name, is_defined) = (&function.name, function.body.is_some());
        let message = match function.linkage {
            Linkage::Extern if is_defined => {
                format!("`{name}` is `.extern`, defined elsewhere, and has a body")
            }
            Linkage::Common => format!("`.common` is for variables, and `{name}` is a function"),
            Linkage::Weak if !self.has(feature::WEAK, name.span) => return,
            _ if function.kind == FunctionKind::Entry && !is_defined => {
                self.has(feature::KERNEL_PROTOTYPE, name.span);
                return;
            }
            _ => return,
        };
        self.report(rules::DECLARATION.at(name.span, message));
    }

    /// What another module defines is `.extern`; all other functions are defined here, or by an `.alias`.
    pub(super) fn definitions(&mut self, module: &'a Module) {
        let functions = || {
            module.items.iter().filter_map(|item| match item {
                Item::Function(function) => Some(function),
                Item::Variable(_) | Item::Directive(_) => None,
            })
        };
        let defined: HashSet<&str> = functions()
            .filter(|function| function.body.is_some())
            .map(|function| function.name.as_str())
            .chain(self.aliases.keys().copied())
            .collect();
        for function in functions() {
            let name = &function.name;
            let is_open = function.body.is_none() && function.linkage != Linkage::Extern;
            if is_open && !defined.contains(name.as_str()) {
                let message = format!("`{name}` is declared, but not defined in this module");
                let error = rules::DECLARATION.at(name.span, message);
                self.report(error.help("declare it `.extern` if another module defines it"));
            }
        }
    }

    /// The parameters of a kernel fit its parameter space.
    fn parameter_space(&mut self, function: &'a Function) {
        let large = self.target.ptx >= (8, 1) && self.target.sm >= 70;
        let most = if large { 32_764 } else { 4_352 };
        let mut end = 0u64;
        for parameter in &function.params {
            let start = layout::align_up(end, layout::alignment(parameter));
            end = start.saturating_add(layout::bytes(parameter).unwrap_or(0));
            if end > most {
                let message = format!(
                    "the parameters up to `{}` need {end} bytes; a kernel has {most}",
                    parameter.name
                );
                return self.report(rules::DECLARATION.at(parameter.name.span, message));
            }
        }
    }
}

/// Why the `nth` directive of a function cannot stand there, or not with its numbers.
fn misplaced(
    head: &Head<'_>,
    directive: &Directive,
    rule: &FunctionDirective,
    words: &[&str],
    nth: usize,
) -> Option<Diagnostic> {
    let word = rule.word;
    let (before, args) = (&words[..nth], &directive.args);
    let (least, most) = (rule.count.start(), rule.count.end());
    let excluded = EXCLUDED.iter().find_map(|pair| {
        let other = pair.iter().find(|other| pair.contains(&word) && **other != word)?;
        before.contains(other).then_some(other)
    });
    let lacks = ["reqntid", "reqnctapercluster"].into_iter().find(|other| !words.contains(other));
    let message = if rule.of != head.kind {
        let owner = match rule.of {
            FunctionKind::Entry => "kernels",
            FunctionKind::Func => "device functions",
        };
        format!("`.{word}` belongs to {owner}")
    } else if word == "pragma" {
        return None;
    } else if !args.iter().all(|arg| integer(arg).is_some()) {
        format!("`.{word}` takes whole numbers")
    } else if !rule.count.contains(&args.len()) {
        match (least, most) {
            (0, 0) => format!("`.{word}` takes no number"),
            (1, 1) => format!("`.{word}` takes one number"),
            _ => format!("`.{word}` takes {least} to {most} numbers"),
        }
    } else if !args.iter().filter_map(integer).all(|value| rule.values.contains(&value)) {
        format!("`.{word}` takes numbers from {} to {}", rule.values.start(), rule.values.end())
    } else if rule.of == FunctionKind::Func && before.contains(&word) {
        format!("`.{word}` is repeated")
    } else if word == "noreturn" && nth > 0 {
        "`.noreturn` stands before the other directives".to_owned()
    } else if word == "noreturn" && !head.returns.is_empty() {
        format!("`{}` returns something and cannot be `.noreturn`", head.name)
    } else if head.is_declared_only {
        format!("`.{word}` belongs to the definition of `{}`", head.name)
    } else if let Some(other) = excluded {
        format!("`.{other}` and `.{word}` exclude each other")
    } else if word == "blocksareclusters"
        && let Some(other) = lacks
    {
        format!("`.blocksareclusters` needs `.{other}` beside it")
    } else {
        return None;
    };
    Some(rules::DECLARATION.at(directive.span, message))
}

fn integer(arg: &DirectiveArg) -> Option<i128> {
    match arg {
        DirectiveArg::Constant(constant) => constant.integer(),
        DirectiveArg::Name(_) | DirectiveArg::Text(_) => None,
    }
}
