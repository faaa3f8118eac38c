//! Whose fault undeclared names are: the declaration's, if what it declares is used nowhere and spelt unlike
//! its neighbors, or if it declares fewer registers than are used.

use crate::nearest::{COMPARISONS, nearest};
use crate::rules;
use crate::syntax::MAX_ERRORS;
use crate::syntax::Space;
use crate::syntax::ast::{Function, Name, StatementKind, Variable, each_statement};
use diag::{Diagnostic, Span};
use foldhash::{HashMap, HashSet};

/// The registers that are used beyond a range.
struct Beyond<'a> {
    range: &'a Variable,
    /// The greatest number.
    last: u32,
    /// The diagnostics that report them.
    reported: Vec<usize>,
}

/// What is declared, and what is used.
#[derive(Default)]
pub(super) struct Misspelt<'a> {
    /// Labels and parameters, also those of calls.
    declared: HashMap<&'a str, Span>,
    used: HashSet<&'a str>,
    beyond: HashMap<*const Variable, Beyond<'a>>,
}

impl<'a> Misspelt<'a> {
    /// Remembers the labels and parameters of a function.
    pub(super) fn declare(&mut self, function: &'a Function) {
        for parameter in function.returns.iter().chain(&function.params) {
            self.declared.insert(&parameter.name, parameter.name.span);
        }
        let body = function.body.as_deref().unwrap_or_default();
        each_statement(body, &mut |statement| match &statement.kind {
            StatementKind::Label(name) => {
                self.declared.insert(name, name.span);
            }
            StatementKind::Variable(variable) if variable.space == Space::Param => {
                self.declared.insert(&variable.name, variable.name.span);
            }
            StatementKind::Block(_)
            | StatementKind::Variable(_)
            | StatementKind::Instruction(_)
            | StatementKind::Loc(_)
            | StatementKind::Pragma(_)
            | StatementKind::CallPrototype(_)
            | StatementKind::BranchTargets(_)
            | StatementKind::CallTargets(_) => {}
        });
    }

    /// A declared name is used.
    pub(super) fn used(&mut self, name: &'a Name) {
        self.used.insert(name);
    }

    /// A name has the prefix of a range but too great a number; the diagnostic of that number reports it.
    pub(super) fn beyond(&mut self, range: &'a Variable, name: &str, nth: usize) {
        let number = name.trim_start_matches(range.name.as_str()).parse().unwrap_or(0);
        let beyond = self.beyond.entry(std::ptr::from_ref(range));
        let beyond = beyond.or_insert_with(|| Beyond { range, last: 0, reported: Vec::new() });
        beyond.last = beyond.last.max(number);
        beyond.reported.push(nth);
    }

    /// Diagnostics about declarations, and those that they replace. `undeclared` are the names that mean
    /// nothing and which diagnostics report them.
    pub(super) fn resolve(&self, undeclared: &[(&'a str, usize)]) -> (Vec<Diagnostic>, Vec<usize>) {
        let (mut found, mut replaced) = (Vec::new(), Vec::new());
        for Beyond { range, last, reported } in
            self.beyond.values().filter(|it| it.reported.len() > 1)
        {
            let (name, declared) = (&range.name, range.range.unwrap_or(0));
            let message = format!(
                "`{name}<{declared}>` declares {declared} registers, from 0, but `{name}{last}` is used"
            );
            let fewest = u64::from(*last) + 1;
            let error = rules::UNDECLARED.at(name.span, message);
            found.push(error.help(format!("declare `{name}<{fewest}>`")));
            replaced.extend(reported);
        }
        if undeclared.is_empty() {
            return (found, replaced);
        }
        // How many declared names are spelt alike, but for numbers.
        let mut alike: HashMap<String, usize> = HashMap::default();
        for name in self.declared.keys() {
            *alike.entry(shape(name)).or_default() += 1;
        }
        let count = |name: &str| alike.get(&shape(name)).copied().unwrap_or(0);
        let is_odd = |name: &&str| !self.used.contains(name) && count(name) == 1;
        let odd: Vec<&str> = self.declared.keys().copied().filter(is_odd).collect();
        let searches = (COMPARISONS / odd.len().max(1)).clamp(1, MAX_ERRORS);
        for (name, nth) in undeclared.iter().take(searches) {
            let Some(near) = nearest(name, odd.iter().copied()) else { continue };
            if shape(name) != shape(near) && count(name) > 0 {
                let message = format!("`{near}` is used nowhere, and `{name}` is not declared");
                let error = rules::UNDECLARED.at(self.declared[near], message);
                found.push(error.help(format!("did you mean `{name}`?")));
                replaced.push(*nth);
            }
        }
        (found, replaced)
    }
}

/// A name with one `0` for each number in it.
fn shape(name: &str) -> String {
    let mut shape = String::with_capacity(name.len());
    for char in name.chars() {
        let is_digit = char.is_ascii_digit();
        if !(is_digit && shape.ends_with('0')) {
            shape.push(if is_digit { '0' } else { char });
        }
    }
    shape
}
