//! Initial values of samplers (PTX ISA 9.1, 5.3.2 "Sampler Properties"), which are their handles.

use crate::syntax::ScalarType;
use crate::syntax::ast::{Constant, Init, InitKind, Name, Variable};
use ir::{AddressMode, Filter, Sampler};

/// The values of a field, by their names; their places are their numbers (PTX ISA 9.1, 9.7.10.5 txq).
const ADDRESS_MODES: [&str; 5] =
    ["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"];
const FILTERS: [&str; 2] = ["nearest", "linear"];
const SWITCH: [&str; 2] = ["0", "1"];

/// What a variable of type `.samplerref` holds: its handle, with what its fields do not say as [`Sampler::default`] has it.
pub(super) fn handle(variable: &Variable) -> u64 {
    let mut sampler = Sampler::default();
    if let Some(Init { kind: InitKind::List(fields), .. }) = &variable.init {
        for field in fields {
            if let InitKind::Field(field) = &field.kind {
                set(&mut sampler, &field.0, &field.1);
            }
        }
    }
    sampler.handle()
}

/// Why a variable with that field cannot be used, if it cannot.
pub(super) fn lacks(variable: &Variable, (name, value): &(Name, Init)) -> Option<String> {
    match variable.ty {
        ScalarType::SamplerRef if !variable.dims.is_empty() => {
            Some("initial values of several samplers are not implemented".to_owned())
        }
        ScalarType::SamplerRef => match set(&mut Sampler::default(), name, value) {
            Some(()) => None,
            None => Some(format!("this value of `{name}` is not implemented")),
        },
        _ => Some(format!(
            "fields of a {} are not implemented: the host makes it, and binds its handle",
            variable.ty
        )),
    }
}

/// Sets a field; `None` if it cannot have that value here.
fn set(sampler: &mut Sampler, name: &Name, value: &Init) -> Option<()> {
    let number = |names: &[&str]| match &value.kind {
        InitKind::Constant(Constant::Int { bits, .. }) => Some(*bits),
        InitKind::Address(address) => {
            names.iter().position(|name| *name == address.name.as_str()).map(|at| at as u64)
        }
        InitKind::Constant(Constant::F32(_) | Constant::F64(_))
        | InitKind::List(_)
        | InitKind::Field(_) => None,
    };
    // That of OpenGL has no name here: no manual of CUDA says what it does.
    let mode = || number(&ADDRESS_MODES).and_then(AddressMode::from_number);
    let switch = |names| number(names).filter(|number| *number < 2).map(|number| number == 1);
    match name.as_str() {
        "addr_mode_0" => sampler.address[0] = mode()?,
        "addr_mode_1" => sampler.address[1] = mode()?,
        "addr_mode_2" => sampler.address[2] = mode()?,
        "filter_mode" => {
            sampler.filter = if switch(&FILTERS)? { Filter::Linear } else { Filter::Point };
        }
        "force_unnormalized_coords" => sampler.unnormalized = switch(&SWITCH)?,
        _ => return None,
    }
    Some(())
}
