//! Calls: the function, and what is passed and received.

use super::Checker;
use super::names::Symbol;
use super::names::describe;
use crate::lower::layout;
use crate::rules;
use crate::syntax::ast::{
    Function, FunctionKind, Instruction, Operand, OperandKind, StatementKind, Variable,
};
use crate::syntax::call::CallParts;
use crate::syntax::{ScalarType, Space};
use crate::types::{self, Fit, Kind};
use diag::{Diagnostic, Span};

/// What a function or prototype declares.
struct Signature<'a> {
    returns: &'a [Variable],
    params: &'a [Variable],
    span: Option<Span>,
}

impl<'a> Signature<'a> {
    fn of(function: &'a Function) -> Signature<'a> {
        Signature {
            returns: &function.returns,
            params: &function.params,
            span: Some(function.name.span),
        }
    }
}

/// Which way values go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// To the function.
    Passed,
    /// From it.
    Returned,
}

impl Way {
    fn word(self) -> &'static str {
        match self {
            Way::Passed => "passed",
            Way::Returned => "returned",
        }
    }
}

impl<'a> Checker<'a> {
    /// `call (results), function, (arguments), table;` where all but the function may be missing.
    pub(super) fn call(&mut self, instruction: &'a Instruction) {
        let parts = CallParts::of(instruction);
        let results = parts.map_or(Some(instruction.operands.as_slice()), |parts| parts.results);
        self.received(results.unwrap_or_default());
        if let Err(error) = self.check_call(instruction, parts) {
            self.report(*error);
        }
    }

    fn check_call(
        &mut self,
        instruction: &'a Instruction,
        parts: Option<CallParts<'a>>,
    ) -> Result<(), Box<Diagnostic>> {
        if let Some(word) = instruction.suffixes.iter().find(|word| **word != "uni") {
            let message = format!("`.{word}` is not a modifier of `call`");
            return Err(Box::new(rules::MODIFIER.at(word.span, message).help("remove it")));
        }
        let Some(parts) = parts else {
            let message = "a call names a function";
            return Err(Box::new(rules::CALL.at(instruction.span, message)));
        };
        let CallParts { results, callee, arguments, table, extra } = parts;
        if let (Some(between), Some(OperandKind::List(_))) = (table, extra.map(|it| &it.kind)) {
            let message = "nothing stands between a function and what it is passed";
            return Err(Box::new(rules::CALL.at(between.span, message)));
        }
        if let Some(extra) = extra {
            return Err(Box::new(
                rules::CALL.at(extra.span, "nothing follows the table of a call"),
            ));
        }
        let OperandKind::Name(name) = &callee.kind else {
            let message = "a call names a function or a register that holds its address";
            return Err(Box::new(rules::CALL.at(callee.span, message)));
        };
        let signatures = match self.names.find(name) {
            None => return Ok(()),
            Some(Symbol::Function(function)) if function.kind == FunctionKind::Entry => {
                let message = format!("`{name}` is a kernel, which cannot be called");
                return Err(Box::new(rules::CALL.at(callee.span, message)));
            }
            Some(Symbol::Function(function)) => {
                self.needs_stack(Some(function), callee.span)?;
                match table {
                    Some(table) if !matches!(table.kind, OperandKind::List(_)) => {
                        let message =
                            format!("`{name}` is a function: only indirect calls have a table");
                        return Err(Box::new(rules::CALL.at(table.span, message)));
                    }
                    _ => vec![Signature::of(function)],
                }
            }
            Some(Symbol::Register(register)) => {
                if !types::agrees(register.ty, ScalarType::U64, Fit::Instruction) {
                    let what = describe(name, Some(Symbol::Register(register)));
                    let message = format!("{what} and holds no function's address");
                    return Err(Box::new(rules::CALL.at(callee.span, message)));
                }
                self.needs_stack(None, callee.span)?;
                self.prototypes(callee, table)?
            }
            symbol => {
                let message = format!("a call names a function; {}", describe(name, symbol));
                return Err(Box::new(rules::CALL.at(callee.span, message)));
            }
        };
        // Where values would stand.
        let is_empty = |it: &&Operand| matches!(&it.kind, OperandKind::List(all) if all.is_empty());
        let place = |list: Option<&Operand>| list.map_or(callee.span, |list| list.span);
        let operands = &instruction.operands;
        let returned = place(operands.iter().find(is_empty).filter(|_| results.is_some()));
        let passed = place(operands.iter().rfind(is_empty).filter(|_| arguments.is_some()));
        for signature in signatures {
            for parameter in signature.returns.iter().chain(signature.params) {
                if is_narrow(parameter) && !self.without_abi {
                    let message = format!(
                        "calls pass and return values of 32 bits and more; `{}` is {}",
                        parameter.name, parameter.ty
                    );
                    let error =
                        rules::CALL.at(callee.span, message).label(parameter.span, "declared here");
                    return Err(Box::new(error.help("declare it `.b8`, `.b16` or wider")));
                }
            }
            self.pass(returned, results, signature.returns, signature.span, Way::Returned)?;
            self.pass(passed, arguments, signature.params, signature.span, Way::Passed)?;
        }
        Ok(())
    }

    /// The signatures that the table of an indirect call gives; none if the table is reported already.
    fn prototypes(
        &mut self,
        callee: &Operand,
        table: Option<&'a Operand>,
    ) -> Result<Vec<Signature<'a>>, Box<Diagnostic>> {
        let Some(table) = table else {
            let message = "an indirect call needs a prototype or a table of functions";
            return Err(Box::new(rules::CALL.at(callee.span, message)));
        };
        let symbol = match &table.kind {
            OperandKind::Name(name) => self.names.find(name),
            _ => None,
        };
        match symbol {
            Some(Symbol::Table(StatementKind::CallPrototype(prototype))) => Ok(vec![Signature {
                returns: &prototype.returns,
                params: &prototype.params,
                span: Some(prototype.label.span),
            }]),
            Some(Symbol::Table(StatementKind::CallTargets(table))) => {
                let functions =
                    table.entries.iter().filter_map(|entry| match self.names.find(&entry.name) {
                        Some(Symbol::Function(function)) => Some(Signature::of(function)),
                        _ => None,
                    });
                Ok(functions.collect())
            }
            None => Ok(Vec::new()),
            Some(_) => {
                let message = "a prototype or a table of functions must stand here";
                Err(Box::new(rules::CALL.at(table.span, message)))
            }
        }
    }

    /// Checks what is passed, or what is returned, against the parameters. It belongs at `place` if there is
    /// nothing.
    fn pass(
        &mut self,
        place: Span,
        given: Option<&'a [Operand]>,
        declared: &[Variable],
        at: Option<Span>,
        way: Way,
    ) -> Result<(), Box<Diagnostic>> {
        let given = given.unwrap_or_default();
        if given.len() != declared.len() {
            let message = format!(
                "{} are {}; the function has {}",
                values(given.len()),
                way.word(),
                declared.len()
            );
            let is_twice = |pair: &&[Operand]| match (&pair[0].kind, &pair[1].kind) {
                (OperandKind::Name(first), OperandKind::Name(second)) => first == second,
                _ => false,
            };
            let twice = given.windows(2).find(is_twice).filter(|_| given.len() > declared.len());
            let at_fault = twice.map_or(given.last(), |pair| pair.last());
            let span = at_fault.map_or(place, |operand| operand.span);
            let error = rules::CALL.at(span, message);
            return Err(Box::new(match at {
                Some(at) => error.label(at, "declared here"),
                None => error,
            }));
        }
        for (operand, parameter) in given.iter().zip(declared) {
            self.argument(operand, parameter, way)?;
        }
        Ok(())
    }

    fn argument(
        &mut self,
        operand: &Operand,
        parameter: &Variable,
        way: Way,
    ) -> Result<(), Box<Diagnostic>> {
        let wanted = parameter.ty;
        let is_result = way == Way::Returned;
        let message = match &operand.kind {
            OperandKind::Sink if is_result => return Ok(()),
            OperandKind::Constant(constant) if !is_result => {
                let is_float = constant.integer().is_none();
                // The assembler converts floats to what is untyped.
                let is_converted =
                    is_float && (types::kind(wanted) == Kind::Bits || wanted == ScalarType::F16);
                match types::constant_agrees(*constant, wanted, Fit::Instruction) {
                    true => return Ok(()),
                    false if is_converted => return Ok(()),
                    false if is_float => format!("a float constant cannot be passed as {wanted}"),
                    false => format!("an integer constant cannot be passed as {wanted}"),
                }
            }
            OperandKind::Name(name) => match self.names.find(name) {
                None => return Ok(()),
                Some(Symbol::Register(variable)) => match unlike(variable, parameter) {
                    None => return Ok(()),
                    Some(message) => message,
                },
                Some(Symbol::Variable(variable)) if variable.space != Space::Param => {
                    format!("`{name}` is not in `.param` space")
                }
                Some(Symbol::Variable(_)) if self.names.parameter(name).is_some() => {
                    format!("`{name}` is a parameter itself: copy it to a variable of this body")
                }
                Some(Symbol::Variable(variable)) => match unlike(variable, parameter) {
                    None => return Ok(()),
                    Some(message) => message,
                },
                Some(Symbol::Function(_)) => {
                    format!("`{name}` is a function: move its address to a register")
                }
                symbol => format!("{} and cannot be passed", describe(name, symbol)),
            },
            _ => "a parameter is a register, a constant or a `.param` variable".to_owned(),
        };
        let error = rules::CALL.at(operand.span, message);
        Err(Box::new(error.label(parameter.span, "the parameter")))
    }
}

/// How a register or variable that is passed or received differs from the parameter.
fn unlike(variable: &Variable, parameter: &Variable) -> Option<String> {
    let (name, own) = (&variable.name, variable.ty);
    let (other, wanted) = (&parameter.name, parameter.ty);
    let is_array = |variable: &Variable| !variable.dims.is_empty();
    let is_open = parameter.dims.contains(&None);
    let is_bits = |ty| types::kind(ty) == Kind::Bits;
    if is_array(variable) != is_array(parameter) || variable.vector != parameter.vector {
        return Some(format!("`{name}` and the parameter `{other}` differ in shape"));
    }
    if !is_open && size(variable) != size(parameter) {
        return Some(match variable.space {
            Space::Reg => format!("`{name}` is a {own} register; the parameter is {wanted}"),
            _ => format!("`{name}` and the parameter `{other}` differ in size"),
        });
    }
    let agrees = match (is_array(variable), is_open) {
        (false, _) => types::agrees(own, wanted, Fit::Instruction),
        (true, false) => own == wanted || is_bits(own) || is_bits(wanted),
        (true, true) => own == wanted,
    };
    if !agrees {
        return Some(format!("`{name}` is {own}; the parameter `{other}` is {wanted}"));
    }
    // No alignment is below that of the type.
    let alignment = |it: &Variable| layout::alignment(it).max(u64::from(it.ty.bits() / 8));
    (alignment(variable) != alignment(parameter))
        .then(|| format!("`{name}` and the parameter `{other}` differ in alignment"))
}

/// Whether calls cannot pass a parameter: predicates, and integers of 8 and 16 bits.
fn is_narrow(parameter: &Variable) -> bool {
    use ScalarType as T;
    let narrow = matches!(parameter.ty, T::Pred | T::U8 | T::S8 | T::U16 | T::S16);
    // A vector of them has 32 bits and more.
    narrow && parameter.dims.is_empty() && parameter.vector.is_none()
}

fn values(count: usize) -> String {
    if count == 1 { "1 value".to_owned() } else { format!("{count} values") }
}

/// Bits of a variable, where its size is known.
fn size(variable: &Variable) -> Option<u64> {
    let element = u64::from(variable.ty.bits()) * u64::from(variable.vector.unwrap_or(1));
    variable.dims.iter().try_fold(element, |bits, dim| bits.checked_mul((*dim)?))
}
