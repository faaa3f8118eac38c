//! Initial values of variables (PTX ISA 9.1, 5.4.4 Initializers).

use super::names::Symbol;
use super::{Checker, feature};
use crate::rules;
use crate::syntax::ast::{Constant, Init, InitAddress, InitKind, Name, Variable};
use crate::syntax::{Linkage, ScalarType, Space};
use crate::types::{Kind, kind};
use diag::Span;

/// The fields of a texture.
const TEXTURE: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "normalized_coords",
    "array_size",
    "num_mipmap_levels",
    "num_samples",
    "filter_mode",
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
];

/// The fields of a sampler.
const SAMPLER: &[&str] =
    &["filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2", "force_unnormalized_coords"];

/// The fields of a surface.
const SURFACE: &[&str] = &[
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "array_size",
    "memory_layout",
];

/// The named values of fields.
const MODES: &[&str] =
    &["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border", "nearest", "linear"];

/// The fields of a variable that only instructions about textures read.
fn fields(ty: ScalarType) -> Option<&'static [&'static str]> {
    match ty {
        ScalarType::TexRef => Some(TEXTURE),
        ScalarType::SamplerRef => Some(SAMPLER),
        ScalarType::SurfRef => Some(SURFACE),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    pub(super) fn initial_value(&mut self, variable: &'a Variable, init: &'a Init) {
        if variable.linkage == Linkage::Extern {
            let message =
                format!("`{}` is defined elsewhere and has no initial value here", variable.name);
            return self.report(rules::DECLARATION.at(init.span, message));
        }
        self.array(variable, init, &variable.dims);
    }

    fn refuse(&mut self, span: Span, message: String) {
        self.report(rules::DECLARATION.at(span, message));
    }

    /// The value of an array of these dimensions, or of one element if there are none.
    fn array(&mut self, variable: &'a Variable, init: &'a Init, dims: &[Option<u64>]) {
        let name = &variable.name;
        let [size, inner @ ..] = dims else { return self.element(variable, init) };
        match &init.kind {
            InitKind::List(all) => {
                let room =
                    size.map_or(usize::MAX, |size| usize::try_from(size).unwrap_or(usize::MAX));
                if let Some(extra) = all.get(room) {
                    return self.refuse(extra.span, format!("`{name}` has no room for this value"));
                }
                all.iter().for_each(|one| self.array(variable, one, inner));
            }
            _ => {
                let message = format!(
                    "`{name}` is an array: its values stand in braces, one pair for each dimension"
                );
                self.refuse(init.span, message);
            }
        }
    }

    /// The value of a scalar, a vector, or a texture, sampler or surface.
    fn element(&mut self, variable: &'a Variable, init: &'a Init) {
        let name = &variable.name;
        match (&init.kind, variable.vector, fields(variable.ty)) {
            (InitKind::List(all), Some(count), _) => {
                if all.len() != usize::from(count) {
                    let message =
                        format!("a vector of {count} has {count} values, not {}", all.len());
                    return self.refuse(init.span, message);
                }
                all.iter().for_each(|one| self.scalar(variable, one));
            }
            (_, Some(count), _) => {
                self.refuse(
                    init.span,
                    format!("the {count} values of the vector `{name}` stand in braces"),
                );
            }
            (InitKind::List(all), None, Some(fields)) => {
                for one in all {
                    match &one.kind {
                        InitKind::Field(field) => self.field(&field.0, &field.1, fields),
                        _ => self.refuse(one.span, "a field has a name: `name = value`".to_owned()),
                    }
                }
            }
            // The assembler takes the fields of an array's element without braces of their own.
            (InitKind::Field(field), None, Some(fields)) if !variable.dims.is_empty() => {
                self.field(&field.0, &field.1, fields);
            }
            (_, None, Some(_)) => {
                self.refuse(init.span, format!("the fields of `{name}` stand in braces"));
            }
            (InitKind::List(_), None, None) => {
                self.refuse(init.span, format!("the value of `{name}` has no braces here"));
            }
            (_, None, None) => self.scalar(variable, init),
        }
    }

    /// `name = value` of a texture, sampler or surface.
    fn field(&mut self, name: &'a Name, value: &'a Init, fields: &[&str]) {
        if !fields.contains(&name.as_str()) {
            return self.refuse(name.span, format!("there is no field `{name}` here"));
        }
        let fits = match &value.kind {
            InitKind::Constant(_) => true,
            InitKind::Address(address) => MODES.contains(&address.name.as_str()),
            InitKind::List(_) | InitKind::Field(_) => false,
        };
        if !fits {
            let message =
                format!("the value of `{name}` is a number or one of `{}`", MODES.join("`, `"));
            self.refuse(value.span, message);
        }
    }

    fn scalar(&mut self, variable: &'a Variable, init: &'a Init) {
        let ty = variable.ty;
        let message = match &init.kind {
            InitKind::List(_) => "braces hold the values of arrays and vectors".to_owned(),
            InitKind::Field(_) => "only textures, samplers and surfaces have fields".to_owned(),
            _ if matches!(ty, ScalarType::F16 | ScalarType::F16x2) => {
                format!("{ty} variables have no initial value")
            }
            InitKind::Constant(Constant::Int { .. }) if kind(ty) == Kind::Float => {
                format!("an integer cannot be the initial value of a {ty} variable")
            }
            InitKind::Constant(Constant::F32(_) | Constant::F64(_))
                if kind(ty) == Kind::Integer =>
            {
                format!("a float cannot be the initial value of a {ty} variable")
            }
            InitKind::Constant(_) => return,
            InitKind::Address(address) => return self.initial_address(ty, address, init.span),
        };
        self.refuse(init.span, message);
    }

    /// The address of a variable or a function, whole or one byte of it.
    fn initial_address(&mut self, ty: ScalarType, address: &'a InitAddress, span: Span) {
        use ScalarType as T;
        let name = &address.name;
        let needed = match self.names.find(name) {
            None => return self.undeclared(name, "the variable"),
            Some(Symbol::Variable(variable))
                if !matches!(variable.space, Space::Global | Space::Const) =>
            {
                let message = format!(
                    "`{name}` is in .{} space: only .global and .const addresses are known before the kernel runs",
                    variable.space.word()
                );
                return self.refuse(span, message);
            }
            Some(Symbol::Function(_)) if address.generic => {
                return self
                    .refuse(span, format!("`{name}` is a function: `generic()` is for variables"));
            }
            Some(Symbol::Function(_)) => feature::INITIAL_FUNCTION,
            Some(_) => feature::INITIAL_ADDRESS,
        };
        let has = self.has(needed, span)
            && (!address.generic || self.has(feature::GENERIC, span))
            && (address.mask.is_none() || self.has(feature::MASK, span));
        let fits = matches!(ty, T::U32 | T::U64) || address.mask.is_some() && ty == T::U8;
        if has && !fits {
            self.refuse(span, format!("an address cannot be the initial value of a {ty} variable"));
        } else if has && ty == T::U32 && address.mask.is_none() && self.wide_addresses {
            let message = format!("the address of `{name}` has 64 bits and is cut to 32");
            self.report(rules::CUT_CONSTANT.at(span, message));
        }
    }
}
