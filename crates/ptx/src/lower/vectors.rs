//! Registers of vector type: each is as many registers as it has elements.

use super::lowering::Lowering;
use super::scope::{Entity, element_name, element_number};
use crate::syntax::ast::{Address, Instruction, Operand, OperandKind};

impl Lowering {
    /// The instruction with the elements in the place of registers of vector type; `None` if it names none of these.
    pub(super) fn written_out(&mut self, instruction: &Instruction) -> Option<Instruction> {
        // Few modules have any.
        if !self.scopes.has_vectors {
            return None;
        }
        let operands = instruction.operands.iter().map(|operand| self.elements_of(operand));
        Some(Instruction { operands: operands.collect(), ..instruction.clone() })
    }

    fn elements_of(&mut self, operand: &Operand) -> Operand {
        let boxed = |lowering: &mut Self, inner: &Operand| Box::new(lowering.elements_of(inner));
        let kind = match &operand.kind {
            OperandKind::Name(name) => match self.scopes.find(name) {
                Ok(Entity::Vector(count)) => {
                    let element = |nth| Operand {
                        kind: OperandKind::Name(element_name(name, nth)),
                        span: operand.span,
                    };
                    OperandKind::Vector((0..usize::from(count)).map(element).collect())
                }
                _ => return operand.clone(),
            },
            OperandKind::Component(name, part) => {
                let count = match self.scopes.find(name) {
                    Ok(Entity::Vector(count)) => usize::from(count),
                    _ => return operand.clone(),
                };
                match element_number(part).filter(|nth| *nth < count) {
                    Some(nth) => OperandKind::Name(element_name(name, nth)),
                    None => return operand.clone(),
                }
            }
            OperandKind::Negated(inner) => OperandKind::Negated(boxed(self, inner)),
            OperandKind::Minus(inner) => OperandKind::Minus(boxed(self, inner)),
            OperandKind::Pair(first, second) => {
                OperandKind::Pair(boxed(self, first), boxed(self, second))
            }
            OperandKind::Vector(all) => OperandKind::Vector(self.all_elements_of(all)),
            OperandKind::List(all) => OperandKind::List(self.all_elements_of(all)),
            OperandKind::Address(address) => {
                let rest = self.all_elements_of(&address.rest);
                OperandKind::Address(Box::new(Address { rest, ..(**address).clone() }))
            }
            OperandKind::Element(name, index) => {
                OperandKind::Element(name.clone(), boxed(self, index))
            }
            OperandKind::Constant(_) | OperandKind::NamePlus(..) | OperandKind::Sink => {
                return operand.clone();
            }
        };
        Operand { kind, span: operand.span }
    }

    fn all_elements_of(&mut self, operands: &[Operand]) -> Vec<Operand> {
        operands.iter().map(|operand| self.elements_of(operand)).collect()
    }
}
