//! Registers of 128 bits: each is two of 64.

use super::errors::Result;
use super::lowering::Lowering;
use super::scope::Entity;
use crate::syntax::ast::{Operand, OperandKind};
use ir::{Class, Reg};

impl Lowering {
    /// The virtual registers of a register of 128 bits: of its low half and of its high half.
    pub fn halves(&mut self, operand: &Operand) -> Result<[Reg; 2]> {
        let index = match &operand.kind {
            OperandKind::Sink => return Ok([self.b.reg(Class::W64), self.b.reg(Class::W64)]),
            OperandKind::Name(name) => match self.entity(name)? {
                Entity::Register(index) if self.declared(index).bits() == 128 => Some(index),
                Entity::Register(_)
                | Entity::Vector(_)
                | Entity::Special
                | Entity::Variable(_)
                | Entity::Function(_)
                | Entity::Label(_) => None,
            },
            _ => None,
        };
        let (OperandKind::Name(name), Some(index)) = (&operand.kind, index) else {
            return self.reject(operand, "a register of 128 bits must stand here");
        };
        if let Some(known) = self.scopes.registers[index].halves {
            return Ok(known);
        }
        let halves = [self.b.reg(Class::W64), self.b.reg(Class::W64)];
        self.scopes.registers[index].halves = Some(halves);
        halves.into_iter().for_each(|half| self.scopes.register_names.add(half, name));
        Ok(halves)
    }
}
