//! Operand lists, bit widths and requirements of an opcode.

use super::resolver::{Resolver, undeclared};
use crate::ast::{Name, NameList, OperandStatement};
use crate::codes;
use crate::model::{Field, Opcode, Requirement};
use crate::types::TypeKind;
use diag::Diagnostic;

impl Resolver<'_> {
    /// Fills in the operand lists; says whether the opcode has an `Order`.
    pub(super) fn operands(
        &mut self,
        opcode: &mut Opcode,
        statements: &[&OperandStatement],
    ) -> bool {
        let (mut inputs, mut outputs, mut order) = (None, None, None);
        for statement in statements {
            match statement {
                OperandStatement::In(list) => inputs = Some(list),
                OperandStatement::Out(list) => outputs = Some(list),
                OperandStatement::Order(list) => order = Some(list),
                OperandStatement::Bitwidth { .. } | OperandStatement::Require { .. } => {}
            }
        }
        let resolve = |this: &mut Self, list: Option<&&NameList>| -> Vec<usize> {
            let names = list.iter().flat_map(|list| &list.names);
            names.filter_map(|name| this.operand(opcode, name)).collect()
        };
        let resolved =
            [inputs.as_ref(), outputs.as_ref(), order.as_ref()].map(|list| resolve(self, list));
        let [inputs_found, outputs_found, order_found] = resolved;
        (opcode.inputs, opcode.outputs, opcode.order) = (inputs_found, outputs_found, order_found);
        for list in [inputs, outputs, order].into_iter().flatten() {
            self.repeated(list);
        }
        self.union(opcode, inputs, outputs, order);
        self.values(opcode, statements);
        self.bit_widths(opcode);
        order.is_some()
    }

    /// What statements say about the values and widths of operands.
    fn values(&mut self, opcode: &mut Opcode, statements: &[&OperandStatement]) {
        for statement in statements {
            match statement {
                OperandStatement::In(_) | OperandStatement::Out(_) | OperandStatement::Order(_) => {
                }
                OperandStatement::Bitwidth { operand, expr, span } => {
                    let Some(index) = self.operand(opcode, operand) else { continue };
                    let Some(expr) = self.expression(expr, &opcode.fields) else { continue };
                    opcode.widths.retain(|(other, _, _)| *other != index);
                    opcode.widths.push((index, expr, *span));
                }
                OperandStatement::Require { subject, expr, reason } => {
                    // A requirement may speak of a control field as a whole: `Require<$sched>`.
                    let known = opcode.fields.iter().any(|field| {
                        field.name.text == subject.text || field.name.base() == subject.text
                    });
                    if !known {
                        self.no_field(subject, &opcode.fields, "requirements speak of fields");
                    }
                    let Some(expr) = self.expression(expr, &opcode.fields) else { continue };
                    let reason = reason
                        .clone()
                        .unwrap_or_else(|| format!("the value of `{}` is not legal", subject.text));
                    opcode.requirements.push(Requirement { expr, reason });
                }
            }
        }
    }

    fn operand(&mut self, opcode: &Opcode, name: &Name) -> Option<usize> {
        let found = opcode.field_index(&name.text);
        if found.is_none() {
            self.no_field(name, &opcode.fields, "declare it under `__Encoding`");
        }
        found
    }

    fn no_field(&mut self, name: &Name, fields: &[Field], otherwise: &str) {
        if !self.without_field.insert(name.text.clone()) {
            return;
        }
        let names: Vec<&str> = fields.iter().map(|field| field.name.text.as_str()).collect();
        let message = format!("operand `{}` has no field", name.text);
        let mut diagnostic = undeclared(name.span, message, &name.text, &names, otherwise);
        if let Some(near) = diagnostic.fix.as_ref().map(|fix| fix.replacement.clone())
            && let Some(field) = fields.iter().find(|field| field.name.text == near)
        {
            diagnostic = diagnostic.label(field.name.span, format!("`{near}` is declared here"));
        }
        self.report(diagnostic.code(codes::OPERAND));
    }

    fn repeated(&mut self, list: &NameList) {
        for (index, name) in list.names.iter().enumerate() {
            if let Some(first) = list.names[..index].iter().find(|other| other.text == name.text) {
                let message = format!("operand `{}` is listed twice", name.text);
                let diagnostic = Diagnostic::error(name.span, message)
                    .label(first.span, "first listed here")
                    .help("remove one of them")
                    .code(codes::ORDER);
                self.report(diagnostic);
            }
        }
    }

    fn union(
        &mut self,
        opcode: &Opcode,
        inputs: Option<&NameList>,
        outputs: Option<&NameList>,
        order: Option<&NameList>,
    ) {
        let Some(order) = order else {
            if let Some(list) = inputs.or(outputs).filter(|list| !list.names.is_empty()) {
                let message = format!("opcode `{}` lists operands but has no `Order`", opcode.name);
                let diagnostic = Diagnostic::error(list.span, message)
                    .help("say in which order the text shows them: `Order<…>;`")
                    .code(codes::ORDER);
                self.report(diagnostic);
            }
            return;
        };
        let listed: Vec<&Name> =
            [inputs, outputs].into_iter().flatten().flat_map(|list| &list.names).collect();
        let holds = |names: &[&Name], wanted: &str| names.iter().any(|name| name.text == wanted);
        let ordered: Vec<&Name> = order.names.iter().collect();
        let missing: Vec<&&Name> =
            listed.iter().filter(|name| !holds(&ordered, &name.text)).collect();
        let extra: Vec<&&Name> =
            ordered.iter().filter(|name| !holds(&listed, &name.text)).collect();
        if missing.is_empty() && extra.is_empty() {
            return;
        }
        let names = |list: &[&&Name]| {
            list.iter().map(|name| format!("`{}`", name.text)).collect::<Vec<_>>().join(", ")
        };
        let mut parts = Vec::new();
        if !missing.is_empty() {
            parts.push(format!("{} missing", names(&missing)));
        }
        if !extra.is_empty() {
            parts.push(format!("{} in neither list", names(&extra)));
        }
        let message = format!(
            "`Order` of `{}` is not the union of `InList` and `OutList`: {}",
            opcode.name,
            parts.join(", ")
        );
        let mut diagnostic = Diagnostic::error(order.span, message);
        for name in missing {
            diagnostic = diagnostic.label(name.span, "listed here, not in `Order`");
        }
        for name in &extra {
            diagnostic = diagnostic.label(name.span, "neither read nor written");
        }
        if let Some(list) = inputs.or(outputs).filter(|_| !extra.is_empty()) {
            diagnostic = diagnostic.label(list.span, "the operands are listed here");
        }
        let help = "every operand stands in `Order` once, and in `InList`, `OutList` or both";
        self.report(diagnostic.help(help).code(codes::ORDER));
    }

    /// An immediate has as many bits as its field; nothing else can be true of it.
    fn bit_widths(&mut self, opcode: &Opcode) {
        let defaults: Vec<u128> =
            opcode.fields.iter().map(|field| field.implied().unwrap_or(0)).collect();
        for (index, expr, span) in &opcode.widths {
            let field = &opcode.fields[*index];
            let Some(bits) = expr.evaluate(&defaults) else {
                let message = format!("the bit width of `{}` has no value", field.name.text);
                let diagnostic = Diagnostic::error(*span, message)
                    .help("the expression overflows or divides by zero with default modifiers")
                    .code(codes::EXPRESSION);
                self.report(diagnostic);
                continue;
            };
            let width = i128::from(field.width());
            let wrong = match &field.ty.kind {
                TypeKind::Immediate(_) => bits != width,
                TypeKind::Register(_) | TypeKind::Enumeration(_) => bits <= 0,
            };
            if wrong {
                let message = format!(
                    "`{}` is said to have {bits} bits, its field has {width}",
                    field.name.text
                );
                let diagnostic = Diagnostic::error(*span, message)
                    .label(field.ranges_span, format!("{width} bits"))
                    .help("state the width of the field, or correct the field")
                    .code(codes::BITWIDTH);
                self.report(diagnostic);
            }
        }
    }
}
