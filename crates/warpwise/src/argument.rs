//! Arguments, and how they fill a kernel's parameter space.

use crate::device::Buffer;
use crate::element::{ElementType, Kind, Scalar};
use crate::error::{Error, Stage};
use crate::module::Kernel;
use diag::{Class, Diagnostic, Severity};
use half::f16;
use ptx::{Param, syntax::ScalarType};
use std::fmt::Write as _;
use std::sync::Arc;

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A buffer: the parameter receives its device address.
    Buffer(Buffer),
    /// A number. It is converted to the width of the parameter if its value survives that.
    Scalar(Scalar),
    /// The bytes of a by-value structure; as many as the parameter has.
    Bytes(Vec<u8>),
}

impl From<Buffer> for Arg {
    fn from(buffer: Buffer) -> Arg {
        Arg::Buffer(buffer)
    }
}

impl<T: Into<Scalar>> From<T> for Arg {
    fn from(value: T) -> Arg {
        Arg::Scalar(value.into())
    }
}

/// Bytes of a device address.
const ADDRESS_BYTES: u32 = 8;

/// The declaration of a parameter without its name: `.u64`, or `.b8[16]`.
fn shown(param: &Param) -> String {
    let element = param.ty.bits().div_ceil(8).max(1);
    match param.is_aggregate {
        true => format!("{}[{}]", param.ty, param.bytes / element),
        false => param.ty.to_string(),
    }
}

impl Kernel {
    /// The parameters for people: one line each, with number, type and name.
    pub fn signature(&self) -> String {
        let mut out = match self.params().len() {
            0 => format!("`{}` has no parameters", self.name()),
            1 => format!("`{}` has 1 parameter:", self.name()),
            count => format!("`{}` has {count} parameters:", self.name()),
        };
        for (nth, param) in self.params().iter().enumerate() {
            // Writing to a string does not fail.
            let _ = write!(out, "\n{nth}: .param {} {}", shown(param), param.name);
        }
        out
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
                self.name(),
                count(params.len()),
                match args.len() {
                    1 => "1 was".to_owned(),
                    given => format!("{given} were"),
                },
            );
            let error = Diagnostic::new(Severity::Error, Class::BadInput, message);
            return Err(self.refuse(error.note(self.signature())));
        }
        let mut space = vec![0; self.lowered.kernel.param_bytes as usize];
        for (nth, (arg, param)) in args.iter().zip(params).enumerate() {
            let value = bytes_of(arg, param).map_err(|(why, help)| {
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
type Misfit = (String, Option<String>);

fn bytes_of(arg: &Arg, param: &Param) -> Result<Vec<u8>, Misfit> {
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
                true => "pass the structure's bytes",
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
        Arg::Scalar(scalar) => number(*scalar, param),
    }
}

fn is_float(param: &Param) -> bool {
    !param.is_aggregate && matches!(param.ty, ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
}

/// A number in the width of a parameter.
fn number(scalar: Scalar, param: &Param) -> Result<Vec<u8>, Misfit> {
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
            let help = format!("pass its {width} bytes");
            return misfit("cannot fill the structure", Some(help));
        }
    };
    match (ty.kind(), to_float) {
        (Kind::Unsigned | Kind::Signed, true) => {
            misfit("is an integer for a", Some(format!("write {wanted}:{scalar}")))
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
