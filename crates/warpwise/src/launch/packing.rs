//! How arguments fill a kernel's parameter space.

use super::arg::Arg;
use super::signature;
use crate::element::{ElementType, Kind, Scalar, element_of};
use crate::error::{Error, Stage};
use crate::module::Kernel;
use diag::{Class, Diagnostic, Severity};
use half::f16;
use ptx::{Param, syntax::ScalarType};
use std::fmt::Write as _;
use std::sync::Arc;

/// Bytes of a device address.
pub(super) const ADDRESS_BYTES: u64 = 8;

/// Where a value goes: a parameter, or a variable of the module.
pub(crate) struct Place {
    /// The type of one scalar.
    pub(crate) ty: ScalarType,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// Whether it has several scalars.
    pub(crate) is_aggregate: bool,
}

impl Place {
    pub(crate) fn of(param: &Param) -> Place {
        Place { ty: param.ty, bytes: param.bytes.into(), is_aggregate: param.is_aggregate }
    }
}

/// The declaration without the name: `.u64`, or `.b8[16]`.
pub(crate) fn shown(place: &Place) -> String {
    let element = u64::from(place.ty.bits().div_ceil(8).max(1));
    match place.is_aggregate {
        true => format!("{}[{}]", place.ty, place.bytes / element),
        false => place.ty.to_string(),
    }
}

impl Kernel {
    /// The parameters for people: one line each, with number, type and name.
    pub fn signature(&self) -> String {
        let mut out = match self.params().len() {
            0 => format!("`{}` has no parameters", self.plain_name()),
            1 => format!("`{}` has 1 parameter:", self.plain_name()),
            count => format!("`{}` has {count} parameters:", self.plain_name()),
        };
        for (nth, param) in self.params().iter().enumerate() {
            let name = match self.cpp_parameter(nth) {
                Some(words) => format!("`{words}`"),
                None => param.name.clone(),
            };
            // Writing to a string does not fail.
            let _ = write!(out, "\n{nth}: .param {} {name}", shown(&Place::of(param)));
        }
        out
    }

    /// What people call a parameter: its name in backticks. A name that a compiler has made of the kernel's mangled one and the
    /// number says nothing more: then it is the type in C++ and the kernel, as in `` `float*` of `scan` ``.
    pub fn parameter_name(&self, nth: usize) -> String {
        let name = self.params().get(nth).map_or("", |param| &param.name);
        match self.cpp_parameter(nth) {
            Some(words) => format!("`{words}` of `{}`", self.plain_name()),
            None => format!("`{name}`"),
        }
    }

    /// The type in C++ of a parameter whose name a compiler has made of the kernel's.
    fn cpp_parameter(&self, nth: usize) -> Option<String> {
        let params = self.params();
        let is_made = params.get(nth)?.name == format!("{}_param_{nth}", self.name());
        let types = is_made.then(|| signature::parameters(self.name(), params.len()))??;
        types.into_iter().nth(nth).map(|cpp| cpp.words)
    }

    /// The parameter space that the arguments fill.
    pub(crate) fn pack(&self, args: &[Arg]) -> Result<Vec<u8>, Error> {
        let params = self.params();
        if args.len() != params.len() {
            let count = |count: usize| match count {
                1 => "1 argument".to_owned(),
                count => format!("{count} arguments"),
            };
            let message = format!(
                "kernel `{}` takes {}, {} given",
                self.plain_name(),
                count(params.len()),
                match args.len() {
                    1 => "1 was".to_owned(),
                    given => format!("{given} were"),
                },
            );
            let error = Diagnostic::new(Severity::Error, Class::BadInput, message);
            return Err(self.refuse(error.note(self.signature())));
        }
        self.unmeant(args).map_err(|error| self.refuse(*error))?;
        let mut space = vec![0; self.lowered.kernel.param_bytes as usize];
        for (nth, (arg, param)) in args.iter().zip(params).enumerate() {
            let value = bytes_of(arg, &Place::of(param)).map_err(|(why, help)| {
                let message = format!("argument {nth} does not fit its parameter: {why}");
                let mut error =
                    Diagnostic::error(param.span, message).label(param.span, "the parameter");
                error.help = help;
                self.refuse(error)
            })?;
            let start = param.offset as usize;
            match space.get_mut(start..start + value.len()) {
                Some(place) => place.copy_from_slice(&value),
                None => {
                    let message = format!("parameter `{}` lies outside its space", param.name);
                    return Err(Error::message(Stage::Launch, Class::Bug, message));
                }
            }
        }
        Ok(space)
    }

    pub(crate) fn refuse(&self, error: Diagnostic) -> Error {
        Error::new(Stage::Launch, Arc::clone(self.sources()), vec![error])
    }
}

/// Why an argument does not fit, and what to do.
pub(crate) type Misfit = (String, Option<String>);

pub(crate) fn bytes_of(arg: &Arg, param: &Place) -> Result<Vec<u8>, Misfit> {
    match arg {
        Arg::Buffer(buffer) if param.bytes == ADDRESS_BYTES && !is_float(param) => {
            Ok(buffer.address.to_le_bytes().to_vec())
        }
        Arg::Buffer(_) => {
            let what = shown(param);
            let why = match param.bytes == ADDRESS_BYTES {
                true => format!("it is a buffer, and `{what}` holds no address"),
                false => format!(
                    "it is a buffer, whose address has {ADDRESS_BYTES} bytes, and `{what}` has {}",
                    param.bytes
                ),
            };
            let help = match param.is_aggregate {
                true => "pass the structure's fields (`struct:`), or its bytes",
                false => "pass a number",
            };
            Err((why, Some(help.to_owned())))
        }
        Arg::Bytes(bytes) if bytes.len() == param.bytes as usize => Ok(bytes.clone()),
        Arg::Bytes(bytes) => {
            let why =
                format!("it has {} bytes, and `{}` has {}", bytes.len(), shown(param), param.bytes);
            Err((why, None))
        }
        Arg::Struct(fields) => {
            let (bytes, align) = laid_out(fields);
            let whole = bytes.len().next_multiple_of(align);
            if whole as u64 != param.bytes && bytes.len() as u64 != param.bytes {
                let why = format!(
                    "its fields take {whole} bytes, and `{}` has {}",
                    shown(param),
                    param.bytes
                );
                let help = "every field stands at a multiple of its size; write what lies between as `bytes:`";
                return Err((why, Some(help.to_owned())));
            }
            let mut bytes = bytes;
            bytes.resize(param.bytes as usize, 0);
            Ok(bytes)
        }
        Arg::Scalar(scalar) => number(*scalar, param),
    }
}

/// The fields of a structure in memory, and the structure's alignment.
fn laid_out(fields: &[Arg]) -> (Vec<u8>, usize) {
    let (mut out, mut whole) = (Vec::new(), 1);
    for field in fields {
        let (bytes, align) = match field {
            Arg::Buffer(buffer) => (buffer.address.to_le_bytes().to_vec(), ADDRESS_BYTES as usize),
            Arg::Scalar(scalar) => {
                let size = scalar.ty().bytes();
                (scalar.bits().to_le_bytes()[..size].to_vec(), size)
            }
            Arg::Bytes(bytes) => (bytes.clone(), 1),
            Arg::Struct(inner) => {
                let (mut bytes, align) = laid_out(inner);
                bytes.resize(bytes.len().next_multiple_of(align), 0);
                (bytes, align)
            }
        };
        out.resize(out.len().next_multiple_of(align), 0);
        out.extend(bytes);
        whole = whole.max(align);
    }
    (out, whole)
}

pub(super) fn is_float(param: &Place) -> bool {
    !param.is_aggregate && matches!(param.ty, ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
}

/// Whether it is declared as an integer. Compilers declare `float` as `.f32`, and what is neither as bits.
fn is_integer(param: &Place) -> bool {
    let kind = element_of(param.ty).map(ElementType::kind);
    !param.is_aggregate && matches!(kind, Some(Kind::Unsigned | Kind::Signed))
}

/// The type of the bits of another.
fn bits_of(ty: ElementType) -> ElementType {
    match ty.bytes() {
        1 => ElementType::B8,
        2 => ElementType::B16,
        4 => ElementType::B32,
        _ => ElementType::B64,
    }
}

/// A number in the width of a parameter.
fn number(scalar: Scalar, param: &Place) -> Result<Vec<u8>, Misfit> {
    let width = param.bytes as usize;
    let low = |bits: u64| bits.to_le_bytes()[..width.min(8)].to_vec();
    let ty = scalar.ty();
    let misfit = |why: &str, help: Option<String>| {
        Err((format!("`{ty}:{scalar}` {why} `{}`", shown(param)), help))
    };
    let to_float = is_float(param);
    let wanted = match (to_float, width) {
        (true, 2) => ElementType::F16,
        (true, 4) => ElementType::F32,
        (true, _) => ElementType::F64,
        (false, 1) => ElementType::B8,
        (false, 2) => ElementType::B16,
        (false, 4) => ElementType::B32,
        (false, 8) => ElementType::B64,
        (false, _) => {
            let help = format!("pass its fields (`struct:`), or its {width} bytes");
            return misfit("cannot fill the structure", Some(help));
        }
    };
    match (ty.kind(), to_float) {
        (Kind::Unsigned | Kind::Signed, true) => {
            misfit("is an integer for a", Some(format!("write {wanted}:{scalar}")))
        }
        (Kind::Float | Kind::Brain, false) if is_integer(param) => {
            let bits = Scalar::new(bits_of(ty), scalar.bits());
            let help = match scalar.float() {
                Some(value) if value.fract() == 0.0 && value.abs() < 1e9 => {
                    format!(
                        "write s{}:{value}, or {}:{bits} to pass the bits",
                        8 * width,
                        bits.ty()
                    )
                }
                _ => format!("write an integer, or {}:{bits} to pass the bits", bits.ty()),
            };
            misfit("is a floating-point number for a", Some(help))
        }
        // Bits go where they fit, and so do floats into untyped parameters.
        (Kind::Bits, true) | (Kind::Float | Kind::Brain, false) if ty.bytes() == width => {
            Ok(low(scalar.bits()))
        }
        (Kind::Bits, true) | (Kind::Float | Kind::Brain, false) => {
            misfit("has another size than", None)
        }
        (Kind::Float | Kind::Brain, true) if ty.bytes() == width && ty.kind() == Kind::Float => {
            Ok(low(scalar.bits()))
        }
        (Kind::Float | Kind::Brain, true) => {
            let value = scalar.float().unwrap_or(f64::NAN);
            let (bits, back) = match wanted {
                ElementType::F16 => {
                    let narrow = f16::from_f64(value);
                    (u64::from(narrow.to_bits()), narrow.to_f64())
                }
                ElementType::F32 => {
                    let narrow = value as f32;
                    (u64::from(narrow.to_bits()), f64::from(narrow))
                }
                _ => (value.to_bits(), value),
            };
            if back == value || value.is_nan() {
                return Ok(low(bits));
            }
            misfit("is not exact as", Some(format!("write {wanted}:{scalar} to have it rounded")))
        }
        (Kind::Unsigned | Kind::Signed | Kind::Bits, false) => {
            let value = scalar.integer().unwrap_or(0);
            let bits = 8 * width as u32;
            // The parameter's own signedness says nothing: compilers declare `int` as `.u32`.
            let fits = value >= -(1_i128 << (bits - 1)) && value < (1_i128 << bits);
            match fits {
                true => Ok(low(value as u64)),
                false => misfit("does not fit in", None),
            }
        }
    }
}
