//! What a module names that its image must hold: the functions that calls through a register can reach, and the
//! memory that special registers point to.

use crate::catalogue::CALL;
use crate::special::{self, Value};
use crate::syntax::ast::{
    FunctionKind, Init, InitKind, Item, Module, OperandKind, Statement, StatementKind,
};
use std::collections::HashSet;

/// The functions whose address a module takes, in the order in which it does; some more than once.
pub(super) fn addressed(module: &Module) -> Vec<String> {
    let functions = module.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.kind == FunctionKind::Func => {
            Some(function.name.as_str())
        }
        Item::Function(_) | Item::Variable(_) | Item::Directive(_) => None,
    });
    let mut taken = Taken { functions: functions.collect(), found: Vec::new() };
    if taken.functions.is_empty() {
        return taken.found;
    }
    for item in &module.items {
        match item {
            Item::Function(function) => taken.body(function.body.as_deref().unwrap_or_default()),
            Item::Variable(variable) => variable.init.iter().for_each(|init| taken.initial(init)),
            Item::Directive(_) => {}
        }
    }
    taken.found
}

/// Whether a module reads a special register that holds such a value.
pub(super) fn reads_special(module: &Module, holds: impl Fn(Value) -> bool) -> bool {
    fn any(statements: &[Statement], holds: &impl Fn(Value) -> bool) -> bool {
        statements.iter().any(|statement| match &statement.kind {
            StatementKind::Block(inner) => any(inner, holds),
            StatementKind::Instruction(instruction) => instruction.operands.iter().any(|operand| {
                let OperandKind::Name(name) = &operand.kind else { return false };
                let value = special::find(name).and_then(|register| register.component(None));
                value.is_some_and(holds)
            }),
            _ => false,
        })
    }
    module.items.iter().any(|item| match item {
        Item::Function(function) => any(function.body.as_deref().unwrap_or_default(), &holds),
        Item::Variable(_) | Item::Directive(_) => false,
    })
}

/// The addresses that are taken, as far as the module has been read.
struct Taken<'a> {
    functions: HashSet<&'a str>,
    found: Vec<String>,
}

impl Taken<'_> {
    fn name(&mut self, name: &str) {
        if self.functions.contains(name) {
            self.found.push(name.to_owned());
        }
    }

    fn initial(&mut self, init: &Init) {
        match &init.kind {
            InitKind::List(all) => all.iter().for_each(|init| self.initial(init)),
            InitKind::Address(address) => self.name(&address.name),
            InitKind::Field(field) => self.initial(&field.1),
            InitKind::Constant(_) => {}
        }
    }

    fn body(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Block(inner) => self.body(inner),
                StatementKind::Instruction(instruction) if &*instruction.opcode != CALL => {
                    for operand in &instruction.operands {
                        if let OperandKind::Name(name) = &operand.kind {
                            self.name(name);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
