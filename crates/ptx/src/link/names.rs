//! Every name that a function or an initial value writes, so that symbols can be found and renamed.

use crate::syntax::ast::{
    Function, Init, InitKind, Name, Operand, OperandKind, Statement, StatementKind, Variable,
    each_statement,
};
use std::collections::HashSet;

/// Shows each name of a function: of its body, and its own.
pub(super) fn of_function(function: &mut Function, visit: &mut dyn FnMut(&mut Name)) {
    visit(&mut function.name);
    for variable in function.returns.iter_mut().chain(&mut function.params) {
        visit(&mut variable.name);
    }
    of_statements(function.body.as_deref_mut().unwrap_or_default(), visit);
}

/// Shows each name of a declaration, that of the variable included.
pub(super) fn of_variable(variable: &mut Variable, visit: &mut dyn FnMut(&mut Name)) {
    visit(&mut variable.name);
    variable.init.iter_mut().for_each(|init| of_init(init, visit));
}

fn of_init(init: &mut Init, visit: &mut dyn FnMut(&mut Name)) {
    match &mut init.kind {
        InitKind::Constant(_) => {}
        InitKind::List(all) => all.iter_mut().for_each(|init| of_init(init, visit)),
        InitKind::Address(address) => visit(&mut address.name),
        InitKind::Field(field) => of_init(&mut field.1, visit),
    }
}

fn of_statements(statements: &mut [Statement], visit: &mut dyn FnMut(&mut Name)) {
    for statement in statements {
        match &mut statement.kind {
            StatementKind::Block(inner) => of_statements(inner, visit),
            StatementKind::Variable(variable) => of_variable(variable, visit),
            StatementKind::Label(name) => visit(name),
            StatementKind::Instruction(instruction) => {
                if let Some(guard) = &mut instruction.guard {
                    visit(&mut guard.predicate);
                }
                of_operands(&mut instruction.operands, visit);
            }
            StatementKind::CallPrototype(prototype) => visit(&mut prototype.label),
            StatementKind::BranchTargets(table) | StatementKind::CallTargets(table) => {
                visit(&mut table.label);
                table.entries.iter_mut().for_each(|entry| visit(&mut entry.name));
            }
            StatementKind::Loc(_) | StatementKind::Pragma(_) => {}
        }
    }
}

fn of_operands(operands: &mut [Operand], visit: &mut dyn FnMut(&mut Name)) {
    operands.iter_mut().for_each(|operand| of_operand(operand, visit));
}

fn of_operand(operand: &mut Operand, visit: &mut dyn FnMut(&mut Name)) {
    match &mut operand.kind {
        OperandKind::Name(name)
        | OperandKind::NamePlus(name, _)
        | OperandKind::Component(name, _) => visit(name),
        OperandKind::Constant(_) | OperandKind::Sink => {}
        OperandKind::Negated(inner) | OperandKind::Minus(inner) => of_operand(inner, visit),
        OperandKind::Pair(one, other) => {
            of_operand(one, visit);
            of_operand(other, visit);
        }
        OperandKind::Vector(all) | OperandKind::List(all) => of_operands(all, visit),
        OperandKind::Address(address) => {
            of_operand(&mut address.base, visit);
            of_operands(&mut address.rest, visit);
        }
        OperandKind::Element(name, index) => {
            visit(name);
            of_operand(index, visit);
        }
    }
}

/// What a function declares in its body and its head.
pub(super) struct DeclaredNames {
    pub(super) names: HashSet<String>,
    /// The prefixes of ranges of registers.
    pub(super) ranges: Vec<String>,
}

/// The names that a function declares, wherever in it.
pub(super) fn declared(function: &Function) -> DeclaredNames {
    let mut declared = DeclaredNames { names: HashSet::new(), ranges: Vec::new() };
    let mut variable = |variable: &Variable| match variable.range {
        Some(_) => declared.ranges.push(variable.name.to_string()),
        None => {
            declared.names.insert(variable.name.to_string());
        }
    };
    function.returns.iter().chain(&function.params).for_each(&mut variable);
    let mut labels = HashSet::new();
    let body = function.body.as_deref().unwrap_or_default();
    each_statement(body, &mut |statement| match &statement.kind {
        StatementKind::Variable(it) => variable(it),
        StatementKind::Label(name) => {
            labels.insert(name.to_string());
        }
        StatementKind::CallPrototype(prototype) => {
            labels.insert(prototype.label.to_string());
        }
        StatementKind::BranchTargets(table) | StatementKind::CallTargets(table) => {
            labels.insert(table.label.to_string());
        }
        StatementKind::Block(_)
        | StatementKind::Instruction(_)
        | StatementKind::Loc(_)
        | StatementKind::Pragma(_) => {}
    });
    declared.names.extend(labels);
    declared
}
