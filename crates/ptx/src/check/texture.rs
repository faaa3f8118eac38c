//! Textures and surfaces as operands, and coordinates in them.

use super::Checker;
use super::names::{Symbol, describe};
use super::vector::Elements;
use super::wanted::{Verdict, Wanted, refuse};
use crate::catalogue::{Matched, Samplers, Since};
use crate::rules;
use crate::syntax::ScalarType;
use crate::syntax::ast::{Address, Operand, OperandKind};
use crate::types::{self, Fit, Kind};

/// What handles of textures in registers need.
const HANDLES: Since = Since { ptx: (3, 1), sm: 20 };

/// How many coordinates a geometry has, the index into an array included; PTX ISA 9.1, tex.
fn needed(geometry: &str) -> usize {
    match geometry {
        "1d" => 1,
        "a1d" | "2d" => 2,
        _ => 4,
    }
}

impl Checker<'_> {
    /// A vector of at least as many coordinates as the geometry has, the first of an array an index; one
    /// coordinate may stand alone.
    pub(super) fn coordinates(
        &mut self,
        geometry: &str,
        wanted: Wanted<'_>,
        operand: &Operand,
    ) -> Verdict {
        let is_offset = wanted.pattern.name == "offset";
        // Offsets have no index, and samples no offset.
        let count = match geometry {
            "2dms" | "a2dms" if is_offset => 2,
            _ if is_offset => needed(geometry.trim_start_matches('a')),
            _ => needed(geometry),
        };
        let is_array = geometry.starts_with('a');
        let OperandKind::Vector(elements) = &operand.kind else {
            // The assembler takes a register whatever the geometry, and one offset for all coordinates.
            if !is_offset && (is_array || geometry == "2dms") {
                let message = format!("a vector of {count} must stand here");
                return refuse(&rules::VECTOR, operand, message);
            }
            if !is_offset && !matches!(operand.kind, OperandKind::Name(_)) {
                let message = "a coordinate alone is in a register";
                return refuse(&rules::OPERAND_KIND, operand, message);
            }
            self.value(wanted, operand)?;
            if count > 1 {
                let message =
                    format!("the manual wants a vector of {count} here for `.{geometry}`");
                self.report(rules::LOOSE_VECTOR.at(operand.span, message));
            }
            return Ok(());
        };
        if !matches!(elements.len(), 1 | 2 | 4) || elements.len() < count {
            let message = format!("`.{geometry}` has {count} coordinates, not {}", elements.len());
            return refuse(&rules::VECTOR, operand, message);
        }
        let rest = match elements.split_first() {
            Some((index, rest)) if is_array && !is_offset => {
                let (ty, fit) = (ScalarType::U32, Fit::Strict);
                let wanted = Wanted { ty, fit, says: None, ..wanted };
                self.value(wanted, index)?;
                rest
            }
            _ => elements.as_slice(),
        };
        self.vector(wanted, operand, rest, Elements::Each(rest.len()), false)
    }

    /// A texture, sampler or surface: a variable of such a type, or a register with its handle.
    pub(super) fn handle(&mut self, address: &Address) -> Verdict {
        let base = &address.base;
        if address.offset != 0 {
            let message = "a texture is named: nothing can be added to it";
            return refuse(&rules::ADDRESS, base, message);
        }
        self.opaque(base, None)
    }

    /// Whether the module has its samplers where the form wants them.
    pub(super) fn samplers(&self, inst: &Matched<'_>) -> Verdict {
        let message = match (inst.form.form.samplers, self.independent_samplers) {
            (Samplers::Unified, true) => {
                "with `texmode_independent` a sampler stands between a texture and its coordinates"
            }
            (Samplers::Apart, false) => "only with `texmode_independent` samplers are apart",
            (Samplers::Any, _) | (Samplers::Unified, false) | (Samplers::Apart, true) => {
                return Ok(());
            }
        };
        Err(Box::new(rules::OPERAND_KIND.at(inst.instruction.span, message)))
    }

    /// What names a texture, sampler or surface, or only what has that type.
    pub(super) fn opaque(&mut self, base: &Operand, only: Option<ScalarType>) -> Verdict {
        let OperandKind::Name(name) = &base.kind else {
            return refuse(&rules::ADDRESS, base, "a texture is a variable or a register");
        };
        match self.names.find(name) {
            None => Ok(()),
            Some(Symbol::Register(register))
                if types::agrees(register.ty, ScalarType::U64, Fit::Strict) =>
            {
                match self.target.lacks(HANDLES) {
                    None => Ok(()),
                    Some(_) => {
                        let message = "handles in registers need PTX 3.1 and sm_20";
                        refuse(&rules::FEATURE, base, message)
                    }
                }
            }
            Some(Symbol::Variable(variable))
                if types::kind(variable.ty) == Kind::Opaque
                    && only.is_none_or(|only| variable.ty == only) =>
            {
                Ok(())
            }
            symbol => {
                let what = if only.is_some() { "sampler" } else { "texture or surface" };
                let message = format!("{}, not a {what}", describe(name, symbol));
                refuse(&rules::ADDRESS, base, message)
            }
        }
    }
}
