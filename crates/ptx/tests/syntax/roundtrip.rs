//! Modules of all compilers parse, print to text that parses to the same tree, and have spans that
//! point at their words.

use crate::support::{corpus, parse, rendered, tree};
use diag::{FileId, Sources};
use warpwise_ptx::syntax::ast::{
    Item, Module, Name, Operand, OperandKind, Statement, StatementKind,
};

#[test]
fn modules_parse_and_print_to_the_same_tree() {
    for path in corpus() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (sources, _, module, diagnostics) = parse(&text);
        assert!(diagnostics.is_empty(), "{path:?}: {}", rendered(&sources, &diagnostics));
        let printed = module.to_string();
        let (sources, _, again, diagnostics) = parse(&printed);
        assert!(diagnostics.is_empty(), "{path:?}: {}", rendered(&sources, &diagnostics));
        assert_eq!(tree(&module), tree(&again), "{path:?}");
    }
}

#[test]
fn spans_cover_their_words() {
    let mut words = 0;
    for path in corpus() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (sources, file, module, _) = parse(&text);
        Spans { sources: &sources, file, words: &mut words }.module(&module);
    }
    assert!(words > 10_000, "only {words} words were looked at");
}

/// Compares the text under each span with the node.
struct Spans<'a> {
    sources: &'a Sources,
    file: FileId,
    words: &'a mut usize,
}

impl Spans<'_> {
    fn module(&mut self, module: &Module) {
        for item in &module.items {
            match item {
                Item::Function(function) => {
                    self.name(&function.name, "");
                    let text = self.sources.slice(function.span);
                    assert!(text.starts_with('.') && text.ends_with(['}', ';']), "{text}");
                    for parameter in function.params.iter().chain(&function.returns) {
                        self.name(&parameter.name, "");
                        let text = self.sources.slice(parameter.span);
                        assert!(text.starts_with(['.', '_']), "{text}");
                    }
                    self.statements(function.body.as_deref().unwrap_or_default());
                }
                Item::Variable(variable) => self.name(&variable.name, ""),
                Item::Directive(directive) => self.name(&directive.name, ""),
            }
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            let text = self.sources.slice(statement.span);
            match &statement.kind {
                StatementKind::Block(inner) => {
                    assert!(text.starts_with('{') && text.ends_with('}'), "{text}");
                    self.statements(inner);
                }
                StatementKind::Variable(variable) => self.name(&variable.name, ""),
                StatementKind::Label(name) => {
                    self.name(name, "");
                    assert!(text.ends_with(':'), "{text}");
                }
                StatementKind::Instruction(instruction) => {
                    assert!(text.ends_with(';'), "{text}");
                    self.name(&instruction.opcode, "");
                    instruction.suffixes.iter().for_each(|suffix| self.name(suffix, "."));
                    instruction.operands.iter().for_each(|operand| self.operand(operand));
                    let Some(guard) = &instruction.guard else { continue };
                    self.name(&guard.predicate, "");
                    assert!(self.sources.slice(guard.span).starts_with('@'));
                    assert_eq!(self.sources.slice(guard.span).contains('!'), guard.negated);
                }
                StatementKind::Loc(_) => assert!(text.starts_with(".loc"), "{text}"),
                StatementKind::Pragma(_) => assert!(text.starts_with(".pragma"), "{text}"),
                StatementKind::CallPrototype(prototype) => self.name(&prototype.label, ""),
                StatementKind::BranchTargets(table) | StatementKind::CallTargets(table) => {
                    table.entries.iter().for_each(|entry| self.name(&entry.name, ""));
                }
            }
        }
    }

    fn operand(&mut self, operand: &Operand) {
        let text = self.sources.slice(operand.span);
        let (first, last) = match &operand.kind {
            OperandKind::Name(name) | OperandKind::NamePlus(name, _) => {
                self.name(name, "");
                (&text[..1], "")
            }
            OperandKind::Component(name, component) => {
                self.name(name, "");
                self.name(component, ".");
                (&text[..1], component.as_str())
            }
            OperandKind::Element(name, index) => {
                self.name(name, "");
                self.operand(index);
                (&text[..1], "]")
            }
            OperandKind::Constant(_) => (&text[..1], ""),
            OperandKind::Negated(inner) => {
                self.operand(inner);
                ("!", "")
            }
            OperandKind::Minus(inner) => {
                self.operand(inner);
                ("-", "")
            }
            OperandKind::Sink => ("_", "_"),
            OperandKind::Pair(first, second) => {
                self.operand(first);
                self.operand(second);
                assert!(text.contains('|'), "{text}");
                (&text[..1], "")
            }
            OperandKind::Vector(elements) => {
                elements.iter().for_each(|element| self.operand(element));
                ("{", "}")
            }
            OperandKind::List(operands) => {
                operands.iter().for_each(|operand| self.operand(operand));
                ("(", ")")
            }
            OperandKind::Address(address) => {
                self.operand(&address.base);
                address.rest.iter().for_each(|operand| self.operand(operand));
                ("[", if address.suffix.is_some() { "" } else { "]" })
            }
        };
        assert!(text.starts_with(first) && text.ends_with(last), "{text}");
    }

    fn name(&mut self, name: &Name, dot: &str) {
        assert_eq!(name.span.file, self.file);
        assert_eq!(self.sources.slice(name.span), format!("{dot}{name}"));
        *self.words += 1;
    }
}
