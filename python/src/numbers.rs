//! Numbers of Python in the types of parameters.

use half::f16;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};
use warpwise::{ElementType, Kind, Param, Scalar};

/// Why a value does not fit.
pub(crate) type Misfit = String;

/// The type that a parameter is declared with, if it is one number.
pub(crate) fn declared(param: &Param) -> Option<ElementType> {
    let word = param.ty.to_string();
    let known = ElementType::ALL.iter().find(|ty| word.get(1..) == Some(ty.word()));
    known.copied().filter(|_| !param.is_aggregate)
}

/// How a parameter is written.
pub(crate) fn written(param: &Param) -> String {
    match param.is_aggregate {
        true => format!("a structure of {} bytes", param.bytes),
        false => format!("`{}`", param.ty),
    }
}

/// Whether it is a number of Python.
pub(crate) fn is_number(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>()
}

/// A number in a parameter.
pub(crate) fn number(value: &Bound<'_, PyAny>, param: &Param) -> Result<Scalar, Misfit> {
    let Some(ty) = declared(param) else {
        return Err(format!(
            "a number for {}; give numpy.void, a ctypes.Structure or {} bytes",
            written(param),
            param.bytes
        ));
    };
    match (value.is_instance_of::<PyFloat>(), ty.kind()) {
        (true, Kind::Unsigned | Kind::Signed) => {
            let wanted = if ty.bytes() == 8 { "an array or int(...)" } else { "int(...)" };
            Err(format!(
                "{value} is a floating-point number, and the parameter is an integer, {}; give {wanted}",
                written(param)
            ))
        }
        (_, Kind::Float | Kind::Brain) | (true, Kind::Bits) => float(value, ty),
        (false, Kind::Unsigned | Kind::Signed | Kind::Bits) => integer(value, ty),
    }
}

fn float(value: &Bound<'_, PyAny>, ty: ElementType) -> Result<Scalar, Misfit> {
    let wide: f64 = value.extract().map_err(|_| format!("{value} is too large for `.{ty}`"))?;
    let overflows = |narrow: f64| wide.is_finite() && narrow.is_infinite();
    let (bits, back) = match (ty.kind(), ty.bytes()) {
        (Kind::Brain, _) => {
            let narrow = half::bf16::from_f64(wide);
            (u64::from(narrow.to_bits()), narrow.to_f64())
        }
        (_, 2) => (u64::from(f16::from_f64(wide).to_bits()), f16::from_f64(wide).to_f64()),
        (_, 4) => (u64::from((wide as f32).to_bits()), f64::from(wide as f32)),
        (_, 8) => (wide.to_bits(), wide),
        _ => return Err(format!("{value} is a floating-point number, and `.{ty}` holds none")),
    };
    match overflows(back) {
        true => Err(format!("{value} is too large for `.{ty}`")),
        false => Ok(Scalar::new(ty, bits)),
    }
}

fn integer(value: &Bound<'_, PyAny>, ty: ElementType) -> Result<Scalar, Misfit> {
    let bits = 8 * ty.bytes() as u32;
    let (low, high) = (-(1_i128 << (bits - 1)), 1_i128 << bits);
    let fail = || format!("{value} does not fit in `.{ty}`, which has {bits} bits");
    let number = match value.is_instance_of::<PyBool>() {
        true => i128::from(value.is_truthy().map_err(|_| fail())?),
        // Python's integers are longer than any of ours.
        false => match (value.extract::<i64>(), value.extract::<u64>()) {
            (Ok(signed), _) => i128::from(signed),
            (_, Ok(unsigned)) => i128::from(unsigned),
            (Err(_), Err(_)) => return Err(fail()),
        },
    };
    // Compilers declare `int` as `.u32`: the parameter's own signedness says nothing.
    match (low..high).contains(&number) {
        true => Ok(Scalar::new(ty, number as u64)),
        false => Err(fail()),
    }
}
