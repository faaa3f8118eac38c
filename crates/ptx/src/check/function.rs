//! Heads of functions: parameters and directives.

use super::Checker;
use crate::lower::layout;
use crate::rules;
use crate::syntax::ast::{Directive, DirectiveArg, Function, FunctionKind, Item, Module};
use crate::syntax::{Linkage, Space};
use foldhash::HashSet;

/// Directives of kernels that take up to three extents.
const EXTENTS: &[&str] = &["maxntid", "reqntid", "reqnctapercluster"];

/// Directives that came with clusters.
const CLUSTER: &[&str] =
    &["explicitcluster", "reqnctapercluster", "maxclusterrank", "blocksareclusters"];

/// Directives of device functions.
const OF_DEVICE_FUNCTIONS: &[&str] = &["noreturn", "abi_preserve", "abi_preserve_control"];

/// Directives about the registers that a function keeps.
const ABI: &[&str] = &["abi_preserve", "abi_preserve_control"];

/// The directive among `seen` that excludes another one.
fn excluded(word: &str, seen: &[&str]) -> Option<&'static str> {
    let other = match word {
        "reqnctapercluster" => "maxclusterrank",
        "maxclusterrank" => "reqnctapercluster",
        _ => return None,
    };
    seen.contains(&other).then_some(other)
}

impl<'a> Checker<'a> {
    pub(super) fn function_head(&mut self, function: &'a Function) {
        for parameter in function.returns.iter().chain(&function.params) {
            self.declaration(parameter, true);
        }
        if function.kind == FunctionKind::Entry {
            self.parameter_space(function);
        }
        if let [_, second, ..] = function.returns.as_slice()
            && function.returns.iter().any(|it| it.space == Space::Param)
        {
            let message = "several results are returned in registers";
            self.report(rules::DECLARATION.at(second.span, message).help("declare them `.reg`"));
        }
        self.directives(function);
    }

    /// A function that another module defines is `.extern`; all others are defined here, or by an `.alias`.
    pub(super) fn definitions(&mut self, module: &'a Module) {
        let defined: HashSet<&str> = module
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Function(function) => function.body.as_ref().map(|_| function.name.as_str()),
                Item::Directive(alias) if alias.name == ".alias" => match alias.args.first() {
                    Some(DirectiveArg::Name(name)) => Some(name.as_str()),
                    _ => None,
                },
                Item::Variable(_) | Item::Directive(_) => None,
            })
            .collect();
        for item in &module.items {
            if let Item::Function(function) = item
                && function.body.is_none()
                && function.kind == FunctionKind::Func
                && function.linkage != Linkage::Extern
                && !defined.contains(function.name.as_str())
            {
                let name = &function.name;
                let message = format!("`{name}` is declared, but not defined in this module");
                let error = rules::DECLARATION.at(name.span, message);
                self.report(error.help("declare it `.extern` if another module defines it"));
            }
        }
    }

    /// A pragma has text.
    pub(super) fn pragma(&mut self, pragma: &'a Directive) {
        let is_text = |arg: &DirectiveArg| matches!(arg, DirectiveArg::Text(_));
        if pragma.args.is_empty() || !pragma.args.iter().all(is_text) {
            let error = rules::DECLARATION.at(pragma.span, "a pragma is a text in quotes");
            self.report(error.help("write, for example, `.pragma \"nounroll\";`"));
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

    fn directives(&mut self, function: &'a Function) {
        let is_kernel = function.kind == FunctionKind::Entry;
        let mut block = None;
        let mut seen: Vec<&str> = Vec::new();
        for directive in &function.directives {
            let word = directive.name.trim_start_matches('.');
            let refuse = |message: String| rules::DECLARATION.at(directive.span, message);
            let of_device = OF_DEVICE_FUNCTIONS.contains(&word);
            let is_repeated = seen.contains(&word);
            let is_first = seen.is_empty();
            seen.push(word);
            let error = if word == "pragma" {
                self.pragma(directive);
                continue;
            } else if !directive.args.iter().all(is_whole) {
                refuse(format!("`.{word}` takes whole numbers"))
            } else if of_device == is_kernel {
                let owner = if of_device { "device functions" } else { "kernels" };
                refuse(format!("`.{word}` belongs to {owner}"))
            } else if of_device && is_repeated {
                refuse(format!("`.{word}` is repeated"))
            } else if word == "noreturn" && !is_first {
                refuse("`.noreturn` stands before the other directives".to_owned())
            } else if is_kernel && function.body.is_none() {
                refuse(format!("`.{word}` belongs to the definition of `{}`", function.name))
            } else if ABI.contains(&word) && self.target.ptx < (9, 0) {
                rules::FEATURE.at(directive.span, format!("`.{word}` needs PTX 9.0 or later"))
            } else if word == "maxnctapersm" && self.target.ptx >= (2, 1) {
                let message = "`.maxnctapersm` is gone from PTX 2.1 on";
                rules::FEATURE.at(directive.span, message).help("write `.minnctapersm`")
            } else if let Some(other) = excluded(word, &seen) {
                refuse(format!("`.{other}` and `.{word}` exclude each other"))
            } else if CLUSTER.contains(&word) && (self.target.sm < 90 || self.target.ptx < (7, 8)) {
                let message = format!("`.{word}` needs PTX 7.8 and sm_90 or later");
                rules::FEATURE.at(directive.span, message)
            } else if EXTENTS.contains(&word) && !(1..=3).contains(&directive.args.len()) {
                refuse(format!("`.{word}` has one to three extents"))
            } else if EXTENTS.contains(&word) && directive.args.iter().any(is_zero) {
                refuse(format!("the extents of `.{word}` are at least 1"))
            } else if matches!(word, "maxntid" | "reqntid") {
                match block.replace(word) {
                    Some(other) if other != word => {
                        refuse(format!("`.{other}` and `.{word}` exclude each other"))
                    }
                    _ => continue,
                }
            } else {
                continue;
            };
            self.report(error);
        }
    }
}

fn is_whole(arg: &DirectiveArg) -> bool {
    matches!(arg, DirectiveArg::Constant(constant) if constant.integer().is_some())
}

fn is_zero(arg: &DirectiveArg) -> bool {
    matches!(arg, DirectiveArg::Constant(constant) if constant.integer().is_some_and(|it| it <= 0))
}
