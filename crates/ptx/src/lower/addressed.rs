//! Which functions calls through a register can reach.

use crate::catalogue::CALL;
use crate::syntax::ast::{
    FunctionKind, Init, InitKind, Item, Module, OperandKind, Statement, StatementKind,
};
use std::collections::HashSet;

/// The functions whose address a module takes.
pub(super) fn addressed(module: &Module) -> HashSet<String> {
    fn initial(init: &Init, found: &mut HashSet<String>) {
        match &init.kind {
            InitKind::List(all) => all.iter().for_each(|init| initial(init, found)),
            InitKind::Address(address) => {
                found.insert(address.name.to_string());
            }
            InitKind::Field(field) => initial(&field.1, found),
            InitKind::Constant(_) => {}
        }
    }
    fn named(body: &[Statement], functions: &HashSet<&str>, found: &mut HashSet<String>) {
        for statement in body {
            match &statement.kind {
                StatementKind::Block(inner) => named(inner, functions, found),
                StatementKind::Instruction(instruction) if &*instruction.opcode != CALL => {
                    for operand in &instruction.operands {
                        if let OperandKind::Name(name) = &operand.kind
                            && functions.contains(name.as_str())
                        {
                            found.insert(name.to_string());
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let mut functions = HashSet::new();
    for item in &module.items {
        if let Item::Function(function) = item
            && function.kind == FunctionKind::Func
        {
            functions.insert(function.name.as_str());
        }
    }
    if functions.is_empty() {
        return HashSet::new();
    }
    let mut found = HashSet::new();
    for item in &module.items {
        match item {
            Item::Function(function) => {
                named(function.body.as_deref().unwrap_or_default(), &functions, &mut found);
            }
            Item::Variable(variable) => {
                variable.init.iter().for_each(|init| initial(init, &mut found));
            }
            Item::Directive(_) => {}
        }
    }
    found
}
