//! Declarations: what their types need, and what their state space allows.

use super::{Checker, feature};
use crate::lower::layout;
use crate::rules;
use crate::syntax::ast::{Attribute, InitKind, Variable};
use crate::syntax::{Linkage, ScalarType, Space};
use diag::Diagnostic;

/// Bytes of the constant variables of a module, at most.
const MAX_CONST: u64 = 64 << 10;

/// Bytes to which a parameter of a function or call may be aligned, at most.
const MAX_PARAM_ALIGN: u32 = 128;

/// Where a declaration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// In the module.
    Module,
    /// In a body.
    Body,
    /// Among the parameters of a kernel.
    KernelParameter,
    /// Among the parameters of a device function, or what it returns.
    FunctionParameter,
}

impl<'a> Checker<'a> {
    /// Checks a variable, register or parameter; at most one thing is wrong with it.
    pub(super) fn declaration(&mut self, variable: &'a Variable, role: Role) {
        let needed = [
            feature::of_type(variable.ty),
            (variable.linkage == Linkage::Weak).then_some(feature::WEAK),
            (variable.linkage == Linkage::Common).then_some(feature::COMMON),
            variable.ptr.is_some().then_some(feature::POINTER),
            (role == Role::FunctionParameter && variable.space == Space::Param)
                .then_some(feature::FUNCTION_PARAM),
        ];
        if !needed.into_iter().flatten().all(|feature| self.has(feature, variable.span)) {
            return;
        }
        let error = self.shape(variable, role).or_else(|| self.storage(variable, role));
        if let Some(error) = error {
            return self.report(error);
        }
        if self.attributes(variable, role)
            && let Some(init) = &variable.init
        {
            self.initial_value(variable, init);
        }
    }

    /// What is wrong with the dimensions, the vector or the range of a declaration.
    fn shape(&self, variable: &Variable, role: Role) -> Option<Diagnostic> {
        let (name, ty, space) = (&variable.name, variable.ty, variable.space);
        let refuse = |message: String| Some(rules::DECLARATION.at(name.span, message));
        let is_parameter = matches!(role, Role::KernelParameter | Role::FunctionParameter);
        let wide = u64::from(ty.bits()) * u64::from(variable.vector.unwrap_or(1)) > 128;
        // A size of zero is none.
        let is_open = variable.dims.iter().any(|size| size.is_none_or(|size| size == 0));
        let inner = variable.dims.get(1..).unwrap_or_default();
        let is_empty = match variable.init.as_ref().map(|init| &init.kind) {
            None => true,
            Some(InitKind::List(all)) => all.is_empty(),
            Some(_) => false,
        };
        if variable.vector.is_some() && (ty == ScalarType::Pred || is_opaque(ty)) {
            refuse(format!("there are no vectors of {ty}"))
        } else if wide || variable.vector == Some(8) {
            refuse(format!("`{name}` is a vector of more than 128 bits"))
        } else if space == Space::Reg && !variable.dims.is_empty() {
            let error = refuse("registers have no arrays".to_owned());
            error.map(|error| error.help(format!("`{name}<4>` declares four registers")))
        } else if variable.range.is_some() && !variable.dims.is_empty() {
            refuse(format!("a range such as `{name}<4>` declares no arrays"))
        } else if is_parameter && !inner.is_empty() {
            refuse(format!("the parameter `{name}` is an array of arrays"))
        } else if inner.contains(&Some(0)) {
            refuse(format!("`{name}` is an array of elements without a size"))
        } else if variable.vector.is_some() && space == Space::Param && variable.dims.is_empty() {
            refuse(format!("the parameter `{name}` cannot be a vector"))
        } else if is_open && role == Role::KernelParameter {
            refuse(format!("the parameter `{name}` of a kernel has no size"))
        } else if is_open && !is_parameter && variable.linkage != Linkage::Extern && is_empty {
            let error = refuse(format!("`{name}` has no size"));
            error.map(|error| error.help("give one, or declare it `.extern`"))
        } else {
            None
        }
    }

    /// What is wrong with the state space, and what it allows.
    fn storage(&self, variable: &Variable, role: Role) -> Option<Diagnostic> {
        let (name, ty, space) = (&variable.name, variable.ty, variable.space);
        let word = space.word();
        let refuse = |message: String| Some(rules::DECLARATION.at(name.span, message));
        let is_passed = space == Space::Param && role != Role::KernelParameter;
        if ty == ScalarType::Pred && space != Space::Reg {
            refuse(format!("predicates live in registers, not in .{word} space"))
        } else if is_opaque(ty) && !matches!(role, Role::Module | Role::KernelParameter) {
            refuse(format!("{ty} variables belong to the module, or to the parameters of a kernel"))
        } else if is_opaque(ty) && role == Role::Module && space != Space::Global {
            refuse(format!("{ty} variables are in .global space, not .{word}"))
        } else if ty == ScalarType::SamplerRef && !self.independent_samplers {
            let message = "samplers apart from textures need `texmode_independent` in `.target`";
            Some(rules::TARGET_OPTION.at(variable.span, message))
        } else if ty == ScalarType::F16x2 && space == Space::Param && variable.dims.is_empty() {
            refuse("parameters have no type .f16x2".to_owned()).map(|error| error.help("use .b32"))
        } else if space == Space::Tex && (role != Role::Module || self.target.ptx >= (1, 5)) {
            let error = refuse("`.tex` is gone from PTX 1.5 on, and was for modules".to_owned());
            error.map(|error| error.help("declare a `.global .texref`"))
        } else if is_passed && variable.align.is_some_and(|align| align > MAX_PARAM_ALIGN) {
            refuse(format!(
                "`{name}` is aligned to more than {MAX_PARAM_ALIGN} bytes, which parameters cannot be"
            ))
        } else if let Some(ptr) = variable.ptr.filter(|_| role != Role::KernelParameter) {
            Some(rules::DECLARATION.at(ptr.span, "`.ptr` belongs to the parameters of kernels"))
        } else if variable.linkage == Linkage::Common && space != Space::Global {
            refuse("`.common` variables are in .global space".to_owned())
        } else {
            None
        }
    }

    /// Checks the attributes of a declaration; whether they are right.
    fn attributes(&mut self, variable: &'a Variable, role: Role) -> bool {
        let fits = matches!(role, Role::Module | Role::Body) && variable.space == Space::Global;
        variable.attributes.iter().all(|attribute| {
            if !fits {
                let message = format!("`.{}` belongs to .global variables", attribute.name);
                self.report(rules::DECLARATION.at(attribute.span, message));
                return false;
            }
            match attribute.name.as_str() {
                "managed" if attribute.args.is_empty() => {
                    self.has(feature::MANAGED, attribute.span)
                }
                "unified" => self.unified(attribute),
                name => {
                    let message = match name {
                        "managed" => "`.managed` takes no numbers".to_owned(),
                        _ => format!("there is no attribute `.{name}` of variables"),
                    };
                    self.report(rules::DECLARATION.at(attribute.span, message));
                    false
                }
            }
        })
    }

    /// `.unified(a, b)`: two halves of the name that all devices use.
    pub(super) fn unified(&mut self, attribute: &Attribute) -> bool {
        if attribute.args.len() != 2 {
            let message = "`.unified` takes two numbers";
            self.report(rules::DECLARATION.at(attribute.span, message));
            return false;
        }
        self.has(feature::UNIFIED, attribute.span)
    }

    /// Counts the constant variables of the module.
    pub(super) fn constant_memory(&mut self, variable: &'a Variable) {
        if variable.space != Space::Const {
            return;
        }
        let before = self.constant_bytes;
        let start = layout::align_up(before, layout::alignment(variable));
        self.constant_bytes = start.saturating_add(layout::bytes(variable).unwrap_or(0));
        if before <= MAX_CONST && self.constant_bytes > MAX_CONST {
            let message = format!(
                "the constant variables up to `{}` need {} bytes; there are {MAX_CONST}",
                variable.name, self.constant_bytes
            );
            self.report(rules::DECLARATION.at(variable.name.span, message));
        }
    }
}

/// Whether a type is one of textures, samplers and surfaces.
fn is_opaque(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::TexRef | ScalarType::SamplerRef | ScalarType::SurfRef)
}
