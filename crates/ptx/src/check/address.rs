//! Addresses against the state space that an instruction accesses.

use super::Checker;
use super::names::{Symbol, describe};
use super::wanted::{Verdict, refuse};
use crate::catalogue::Matched;
use crate::catalogue::pattern::{AddressSpace, AddressWidth, OperandPattern};
use crate::rules;
use crate::syntax::ast::{Address, Name, Operand, OperandKind, Variable};
use crate::syntax::{ScalarType, Space};
use crate::types::{self, Fit, Kind, kind};
use diag::Span;

/// The state space that an instruction accesses, `None` for all, and where it says so.
type Accessed = (Option<Space>, Option<Span>);

impl<'a> Checker<'a> {
    pub(super) fn address(
        &mut self,
        inst: &Matched<'a>,
        pattern: &'static OperandPattern,
        operand: &'a Operand,
    ) -> Verdict {
        let space = inst.space_of(pattern);
        match &operand.kind {
            OperandKind::Address(address) => {
                match (pattern.space, space) {
                    (AddressSpace::Any, _) => {}
                    (AddressSpace::Tensor, _) => {
                        self.short_register(&address.base, "addresses of tensor memory")?;
                    }
                    (AddressSpace::Fabric, _) => {
                        self.short_register(&address.base, "endpoints of the fabric")?;
                    }
                    (_, Some(Space::Tex)) => self.handle(address)?,
                    _ => self.bracketed(
                        (space, inst.space_word(pattern)),
                        pattern,
                        is_far(inst, pattern, space),
                        (operand, address),
                    )?,
                }
                for (pattern, operand) in pattern.rest.iter().zip(&address.rest) {
                    self.operand(inst, pattern, operand)?;
                }
                self.parameter(inst, pattern, address)
            }
            // Subscripts without brackets are for loads and stores, whose registers may be wider than the type.
            OperandKind::Element(..)
                if !inst.form.pattern.operands.iter().any(|operand| operand.relaxed) =>
            {
                refuse(&rules::ADDRESS, operand, "an address in brackets must stand here")
            }
            OperandKind::Element(name, index) => match self.names.find(name) {
                Some(Symbol::Variable(variable)) if !variable.dims.is_empty() => {
                    self.same_space((space, inst.space_word(pattern)), operand, variable)?;
                    self.index(index)
                }
                symbol => {
                    let message = format!("only arrays have elements; {}", describe(name, symbol));
                    refuse(&rules::ADDRESS, operand, message)
                }
            },
            _ => refuse(&rules::ADDRESS, operand, "an address in brackets must stand here"),
        }
    }

    /// The index of an element: an integer.
    pub(super) fn index(&self, index: &Operand) -> Verdict {
        let ty = match &index.kind {
            OperandKind::Constant(constant) if constant.integer().is_none() => {
                return refuse(&rules::ADDRESS, index, "an index is an integer");
            }
            OperandKind::Name(name) | OperandKind::NamePlus(name, _) => {
                match self.names.find(name) {
                    Some(Symbol::Register(variable)) => variable.ty,
                    _ => return Ok(()),
                }
            }
            _ => return Ok(()),
        };
        match kind(ty) {
            Kind::Bits | Kind::Integer => Ok(()),
            _ => refuse(&rules::ADDRESS, index, format!("an index is an integer, not {ty}")),
        }
    }

    /// An address that is a register of 32 bits; `what` it is, in the plural.
    fn short_register(&mut self, base: &Operand, what: &str) -> Verdict {
        let OperandKind::Name(name) = &base.kind else {
            let message = format!("{what} are registers");
            return refuse(&rules::ADDRESS, base, message);
        };
        match self.names.find(name) {
            None => Ok(()),
            Some(Symbol::Register(register))
                if types::agrees(register.ty, ScalarType::U32, Fit::Strict) =>
            {
                Ok(())
            }
            symbol => {
                let instead = describe(name, symbol);
                let message = format!("{what} have 32 bits; {instead}");
                refuse(&rules::ADDRESS, base, message)
            }
        }
    }

    fn bracketed(
        &mut self,
        space: Accessed,
        pattern: &OperandPattern,
        is_far: bool,
        (operand, address): (&Operand, &Address),
    ) -> Verdict {
        match &address.base.kind {
            OperandKind::Constant(_) if space.0 == Some(Space::Local) => Ok(()),
            OperandKind::Constant(_) => {
                let message = "only addresses of `.local` memory may be constants";
                refuse(&rules::ADDRESS, &address.base, message)
            }
            OperandKind::Name(name) => self.base(space, pattern, is_far, (&address.base, name)),
            _ => refuse(&rules::ADDRESS, operand, "an address is a register or a variable"),
        }
    }

    fn base(
        &mut self,
        space: Accessed,
        pattern: &OperandPattern,
        is_far: bool,
        (base, name): (&Operand, &Name),
    ) -> Verdict {
        match self.names.find(name) {
            None => Ok(()),
            Some(Symbol::Register(variable)) => {
                let ty = variable.ty;
                if !matches!(kind(ty), Kind::Bits | Kind::Integer) || ty.bits() > 64 {
                    let message = format!("`{name}` is a {ty} register and cannot hold an address");
                    return refuse(&rules::ADDRESS, base, message);
                }
                if is_far && ty.bits() == 32 && self.wide_addresses {
                    let message =
                        format!("addresses have 64 bits here; `{name}` is a {ty} register");
                    return refuse(&rules::ADDRESS, base, message);
                }
                Ok(())
            }
            Some(Symbol::Special(register)) if !register.is_vector() && !pattern.register => {
                let message =
                    format!("the manual has no special registers such as `{name}` as addresses");
                let advice = rules::SPECIAL_ADDRESS.at(base.span, message);
                self.report(advice.help("copy it to a register with `mov` first"));
                Ok(())
            }
            Some(Symbol::Variable(variable)) => self.same_space(space, base, variable),
            symbol => {
                let message = format!("{}, not an address", describe(name, symbol));
                refuse(&rules::ADDRESS, base, message)
            }
        }
    }

    /// A variable lies in the space that the instruction accesses; generic accesses reach global, shared and
    /// local variables.
    fn same_space(
        &mut self,
        (space, says): Accessed,
        operand: &Operand,
        variable: &Variable,
    ) -> Verdict {
        let (name, own) = (&variable.name, variable.space);
        let fits = match space {
            Some(space) => space == own,
            None => matches!(own, Space::Global | Space::Shared | Space::Local),
        };
        if fits {
            return Ok(());
        }
        let message = match space {
            Some(space) => format!(
                "`{name}` is a .{} variable; the instruction accesses .{}",
                own.word(),
                space.word()
            ),
            None => format!("`{name}` is a .{} variable, which needs `.{0}`", own.word()),
        };
        let error = rules::ADDRESS.at(operand.span, message);
        Err(Box::new(match says {
            Some(word) => error.label(word, "the space that is accessed"),
            None => error,
        }))
    }
}

/// Whether an address has 64 bits in a module whose generic addresses have.
fn is_far(inst: &Matched<'_>, pattern: &OperandPattern, space: Option<Space>) -> bool {
    match pattern.width {
        AddressWidth::OfSpace => matches!(space, None | Some(Space::Global)),
        AddressWidth::Far => inst.word("ss").is_none(),
        AddressWidth::Near => false,
    }
}
