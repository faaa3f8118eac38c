//! What names mean at a point of a function.

use crate::nearest::{COMPARISONS, nearest};
use crate::rules;
use crate::special::{self, SpecialRegister};
use crate::syntax::Space;
use crate::syntax::ast::{Function, Name, Statement, StatementKind, Variable, each_statement};
use diag::{Diagnostic, Span};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol<'a> {
    /// A declared register.
    Register(&'a Variable),
    /// A variable or parameter with an address.
    Variable(&'a Variable),
    /// A function.
    Function(&'a Function),
    /// A label.
    Label,
    /// A table of labels or functions, or a call prototype.
    Table(&'a StatementKind),
    /// A special register.
    Special(&'static SpecialRegister),
}

#[derive(Default)]
struct Scope<'a> {
    names: HashMap<&'a str, Symbol<'a>>,
    /// Ranges such as `%r<10>`, by prefix.
    ranges: HashMap<&'a str, &'a Variable>,
}

/// Nested scopes, innermost last; the first is the module's.
pub(super) struct Names<'a> {
    scopes: Vec<Scope<'a>>,
    /// Parameters of the function, returned ones included.
    parameters: HashMap<&'a str, &'a Variable>,
    /// Undeclared names of the function that have been reported.
    reported: HashSet<&'a str>,
    /// Labels of the functions so far and to come, by name.
    labels_elsewhere: HashMap<&'a str, Span>,
    /// Names that searches for what is meant may still look at.
    comparisons: usize,
}

impl<'a> Names<'a> {
    pub(super) fn new() -> Self {
        Names {
            scopes: vec![Scope::default()],
            parameters: HashMap::new(),
            reported: HashSet::new(),
            labels_elsewhere: HashMap::new(),
            comparisons: COMPARISONS,
        }
    }

    /// Opens a scope with the labels of its statements.
    pub(super) fn open(&mut self, statements: &'a [Statement]) {
        let mut scope = Scope::default();
        for statement in statements {
            if let StatementKind::Label(name) = &statement.kind {
                scope.names.insert(name, Symbol::Label);
            }
        }
        self.scopes.push(scope);
    }

    pub(super) fn close(&mut self) {
        self.scopes.pop();
        if self.scopes.len() == 1 {
            self.reported.clear();
            self.parameters.clear();
        }
    }

    /// Remembers the labels of a function for messages about branches into it.
    pub(super) fn remember_labels(&mut self, statements: &'a [Statement]) {
        each_statement(statements, &mut |statement| {
            if let StatementKind::Label(name) = &statement.kind {
                self.labels_elsewhere.insert(name, name.span);
            }
        });
    }

    /// Declares a register, a range of them, a variable or a parameter in the innermost scope.
    pub(super) fn declare(&mut self, variable: &'a Variable) {
        let Some(scope) = self.scopes.last_mut() else { return };
        if variable.range.is_some() {
            scope.ranges.insert(&variable.name, variable);
            return;
        }
        let symbol = match variable.space {
            Space::Reg => Symbol::Register(variable),
            _ => Symbol::Variable(variable),
        };
        scope.names.insert(&variable.name, symbol);
    }

    /// Declares a parameter of the function whose scope is open.
    pub(super) fn declare_parameter(&mut self, variable: &'a Variable) {
        self.declare(variable);
        self.parameters.insert(&variable.name, variable);
    }

    /// The parameter of the function that a name means.
    pub(super) fn parameter(&self, name: &str) -> Option<&'a Variable> {
        let parameter = self.parameters.get(name).copied()?;
        let is_it = |variable: &Variable| std::ptr::eq(variable, parameter);
        matches!(self.find(name), Some(Symbol::Variable(variable)) if is_it(variable))
            .then_some(parameter)
    }

    /// Declares a table or prototype, which stands before its uses.
    pub(super) fn declare_table(&mut self, label: &'a Name, table: &'a StatementKind) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(label, Symbol::Table(table));
        }
    }

    /// Declares a function.
    pub(super) fn declare_function(&mut self, function: &'a Function) {
        if let Some(scope) = self.scopes.first_mut() {
            scope.names.insert(&function.name, Symbol::Function(function));
        }
    }

    /// What a name means here.
    pub(super) fn find(&self, name: &str) -> Option<Symbol<'a>> {
        let prefix = name.trim_end_matches(|char: char| char.is_ascii_digit());
        for scope in self.scopes.iter().rev() {
            if let Some(symbol) = scope.names.get(name) {
                return Some(*symbol);
            }
            if let Some(member) = member(scope, name, prefix) {
                return Some(member);
            }
        }
        special::find(name).map(Symbol::Special)
    }

    /// Reports a name that means nothing here; once for each name and function.
    pub(super) fn undeclared(&mut self, name: &'a Name, what: &str) -> Option<Diagnostic> {
        if !self.reported.insert(name) {
            return None;
        }
        let message = format!("{what} `{name}` is not declared");
        let error = rules::UNDECLARED.at(name.span, message);
        let prefix = name.trim_end_matches(|char: char| char.is_ascii_digit());
        let scopes = || self.scopes.iter().rev();
        if let Some(range) = scopes().find_map(|scope| scope.ranges.get(prefix)) {
            let count = range.range.unwrap_or(0);
            let label = format!("`{prefix}<{count}>` declares {count} registers, from 0");
            return Some(error.label(range.name.span, label).help("declare more registers"));
        }
        if let Some(label) = self.labels_elsewhere.get(name.as_str()) {
            return Some(error.label(*label, "this label belongs to another function or block"));
        }
        Some(match self.near(name) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("declare it before it is used"),
        })
    }

    /// What a name that means nothing is a misspelling of. Who misspells so many names that this takes long is told of
    /// the first.
    fn near(&mut self, name: &str) -> Option<String> {
        if self.comparisons == 0 {
            return None;
        }
        let scopes = || self.scopes.iter().rev();
        let known = scopes().map(|scope| scope.names.len() + scope.ranges.len()).sum::<usize>();
        let left = self.comparisons.saturating_sub(known + special::REGISTERS.len());
        let declared = scopes().flat_map(|scope| scope.names.keys().copied());
        let near = nearest(name, declared).map(str::to_owned).or_else(|| self.near_member(name));
        let near = near.or_else(|| special::nearest_name(name).map(str::to_owned));
        self.comparisons = left;
        near
    }

    /// The range whose prefix a name has, though not its number.
    pub(super) fn range_of(&self, name: &str) -> Option<&'a Variable> {
        let prefix = name.trim_end_matches(|char: char| char.is_ascii_digit());
        self.scopes.iter().rev().find_map(|scope| scope.ranges.get(prefix)).copied()
    }

    /// The name with its prefix replaced by the nearest one of a range that has its number.
    fn near_member(&self, name: &str) -> Option<String> {
        let prefix = name.trim_end_matches(|char: char| char.is_ascii_digit());
        let number = &name[prefix.len()..];
        let value: u32 = number.parse().ok()?;
        let ranges = self.scopes.iter().flat_map(|scope| &scope.ranges);
        let fitting = ranges.filter(|(_, range)| range.range.is_some_and(|count| value < count));
        nearest(prefix, fitting.map(|(prefix, _)| *prefix)).map(|near| format!("{near}{number}"))
    }
}

/// The member of a range. Every split of the name into prefix and number counts: `a12` may be a member of
/// `a<20>` or of `a1<3>`.
fn member<'a>(scope: &Scope<'a>, name: &str, prefix: &str) -> Option<Symbol<'a>> {
    if scope.ranges.is_empty() {
        return None;
    }
    (prefix.len()..name.len()).find_map(|end| {
        let range = scope.ranges.get(&name[..end])?;
        let number: u32 = name[end..].parse().ok()?;
        let symbol = match range.space {
            Space::Reg => Symbol::Register(range),
            _ => Symbol::Variable(range),
        };
        range.range.is_some_and(|count| number < count).then_some(symbol)
    })
}

/// What a name is, as messages say it.
pub(super) fn describe(name: &Name, symbol: Option<Symbol<'_>>) -> String {
    match symbol {
        Some(Symbol::Register(variable)) => match variable.vector {
            Some(count) => format!("`{name}` is a .v{count} {} register", variable.ty),
            None => format!("`{name}` is a {} register", variable.ty),
        },
        Some(Symbol::Variable(variable)) => {
            format!("`{name}` is a .{} variable", variable.space.word())
        }
        Some(Symbol::Function(_)) => format!("`{name}` is a function"),
        Some(Symbol::Label) => format!("`{name}` is a label"),
        Some(Symbol::Table(_)) => format!("`{name}` is a table"),
        Some(Symbol::Special(_)) => format!("`{name}` is a special register"),
        None => format!("`{name}` is not declared"),
    }
}
