//! The memory of arrays, by whatever protocol they describe it.

use crate::classes::is_of;
use crate::described::{Described, Where};
use crate::dlpack;
use crate::errors::is_ordinary;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use warpwise::ElementType;

/// What an object says of its memory: `None` if it is no array, and a sentence if it is one that kernels cannot have.
pub(crate) fn described<'py>(
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<Result<Described<'py>, String>>> {
    let py = value.py();
    for (name, place) in [
        (intern!(py, "__array_interface__"), Where::Host),
        (intern!(py, "__cuda_array_interface__"), Where::Device),
    ] {
        if let Some(interface) = value.getattr_opt(name)?
            && let Ok(interface) = interface.cast::<PyDict>()
            && let Some(described) = by_interface(value, interface, place)?
        {
            return Ok(Some(described));
        }
    }
    if value.hasattr(intern!(py, "__dlpack__"))? {
        // Libraries say why they export no tensor, such as one that is part of a computation.
        return Ok(Some(match dlpack::tensor(value) {
            Ok(described) => described,
            Err(error) if is_ordinary(py, &error) => Err(error.value(py).to_string()),
            Err(error) => return Err(error),
        }));
    }
    by_buffer(value)
}

/// By a dictionary of the array interface (NumPy, "The array interface protocol"; Numba, "CUDA Array Interface").
fn by_interface<'py>(
    value: &Bound<'py, PyAny>,
    interface: &Bound<'py, PyDict>,
    place: Where,
) -> PyResult<Option<Result<Described<'py>, String>>> {
    let get = |name: &str| -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(interface.get_item(name)?.filter(|item| !item.is_none()))
    };
    // Without an address the memory is that of the buffer protocol.
    let (Some(data), Some(shape), Some(typestr)) = (get("data")?, get("shape")?, get("typestr")?)
    else {
        return Ok(None);
    };
    let Ok((address, readonly)) = data.extract::<(u64, bool)>() else { return Ok(None) };
    let typestr: String = typestr.extract()?;
    let letters = typestr.as_bytes();
    let item = typestr.get(2..).and_then(|digits| digits.parse::<u64>().ok());
    let (kind, item) = match (letters.first(), letters.get(1), item) {
        (_, Some(b'O'), _) => return Ok(Some(Err("an array of Python objects".into()))),
        (Some(b'>'), _, Some(2..)) => {
            return Ok(Some(Err("an array of big-endian numbers; give x.astype('<...')".into())));
        }
        (_, Some(kind), Some(item)) => (kind, item),
        _ => return Ok(Some(Err(format!("an array of elements of the type `{typestr}`")))),
    };
    if get("mask")?.is_some() {
        return Ok(Some(Err("an array with a mask".into())));
    }
    if is_of(value, "numpy.ma", "MaskedArray")? {
        return Ok(Some(Err("an array with a mask; give x.data, or x.filled(...)".into())));
    }
    let strides = get("strides")?.map(|strides| strides.extract()).transpose()?;
    let shape = shape.extract()?;
    let (element, keep) = (element_of(*kind, item), value.clone());
    let is_trusted = is_of(value, "numpy", "ndarray")?;
    let described =
        Described { address, item, shape, strides, element, readonly, place, is_trusted, keep };
    Ok(Some(Ok(described)))
}

/// The type of elements by the letter of its kind and its size.
fn element_of(kind: u8, bytes: u64) -> Option<ElementType> {
    match (kind, bytes) {
        (b'b' | b'u', 1) => Some(ElementType::U8),
        (b'i', 1) => Some(ElementType::S8),
        (b'u', 2) => Some(ElementType::U16),
        (b'i', 2) => Some(ElementType::S16),
        (b'f', 2) => Some(ElementType::F16),
        (b'u', 4) => Some(ElementType::U32),
        (b'i', 4) => Some(ElementType::S32),
        (b'f', 4) => Some(ElementType::F32),
        (b'u', 8) => Some(ElementType::U64),
        (b'i', 8) => Some(ElementType::S64),
        (b'f', 8) => Some(ElementType::F64),
        _ => None,
    }
}

/// By the buffer protocol, as `memoryview` has it: the stable interface of Python 3.10 has no other way.
fn by_buffer<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Result<Described<'py>, String>>> {
    let py = value.py();
    let view = match py.import("builtins")?.getattr("memoryview")?.call1((value,)) {
        Ok(view) => view,
        Err(error) if is_ordinary(py, &error) => return Ok(None),
        Err(error) => return Err(error),
    };
    if !view.getattr("c_contiguous")?.extract::<bool>()? {
        return Ok(Some(Err("a buffer whose elements do not lie one after another".into())));
    }
    let bytes: u64 = view.getattr("nbytes")?.extract()?;
    let item: u64 = view.getattr("itemsize")?.extract()?;
    let format: String = view.getattr("format")?.extract()?;
    let kind = match format.trim_start_matches(['@', '=', '<']) {
        "b" | "h" | "i" | "l" | "q" | "n" => b'i',
        "c" | "B" | "H" | "I" | "L" | "Q" | "N" => b'u',
        "?" => b'b',
        "e" | "f" | "d" => b'f',
        _ => b'V',
    };
    let element = element_of(kind, item);
    let readonly: bool = view.getattr("readonly")?.extract()?;
    let (address, keep) = if readonly || bytes == 0 {
        let copy = view.call_method0("tobytes")?;
        let address = copy.cast::<PyBytes>()?.as_bytes().as_ptr().expose_provenance();
        (address as u64, copy)
    } else {
        let ctypes = py.import("ctypes")?;
        let first = ctypes.getattr("c_char")?.call_method1("from_buffer", (&view,))?;
        (ctypes.call_method1("addressof", (&first,))?.extract()?, first)
    };
    let (item, shape) = match item {
        0 => (1, vec![bytes]),
        item => (item, vec![bytes / item]),
    };
    let (strides, place, is_trusted) = (None, Where::Host, true);
    let described =
        Described { address, item, shape, strides, element, readonly, place, is_trusted, keep };
    Ok(Some(Ok(described)))
}
