//! What Python gives for the parameters of a kernel.

use crate::array::described;
use crate::classes::is_of;
use crate::described::{Described, Where};
use crate::errors;
use crate::host::{Memory, Scattered};
use crate::numbers::{Misfit, declared, is_number, number, written};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use warpwise::{Arg, Buffer, ElementType, Kernel, Kind, Param, Scalar};

/// Bytes of an address.
const ADDRESS: u32 = 8;

/// What a parameter gets.
enum Given {
    Value(Arg),
    /// The address of an array, by its number among those of the launch.
    Array(usize),
}

/// The arguments of a launch.
pub(crate) struct Arguments<'py> {
    given: Vec<Given>,
    /// The arrays, and what keeps them.
    pub(crate) arrays: Vec<Memory>,
    pub(crate) keep: Vec<Bound<'py, PyAny>>,
}

impl Arguments<'_> {
    /// The arguments, with what stands for each array.
    pub(crate) fn with(given: &Listed, buffers: &[Buffer]) -> Vec<Arg> {
        let one = |given: &Given| match given {
            Given::Value(arg) => arg.clone(),
            Given::Array(nth) => Arg::Buffer(buffers[*nth]),
        };
        given.0.iter().map(one).collect()
    }

    /// Which argument an array is; those behind them are none.
    pub(crate) fn of_array(given: &Listed, array: usize) -> Option<usize> {
        given.0.iter().position(|given| matches!(given, Given::Array(nth) if *nth == array))
    }
}

/// The arguments apart from Python.
pub(crate) struct Listed(Vec<Given>);

impl<'py> Arguments<'py> {
    /// Takes the arguments, and the arrays that kernels may reach by pointers inside structures.
    ///
    /// # Errors
    /// There are too many or too few, or one does not fit: the exception names it.
    pub(crate) fn new(
        kernel: &Kernel,
        values: &Bound<'py, PyTuple>,
        memory: Option<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<Arguments<'py>> {
        let (py, params) = (values.py(), kernel.params());
        if values.len() != params.len() {
            let plural = if params.len() == 1 { "" } else { "s" };
            let name = kernel.plain_name();
            let (takes, given) = (params.len(), values.len());
            let message =
                format!("kernel `{name}` takes {takes} argument{plural}, and {given} were given");
            return Err(errors::argument(py, format!("{message}\n{}", kernel.signature())));
        }
        let mut arguments = Arguments { given: Vec::new(), arrays: Vec::new(), keep: Vec::new() };
        for (nth, (value, param)) in values.iter_borrowed().zip(params).enumerate() {
            let who = || format!("argument {nth}, {}", kernel.parameter_name(nth));
            arguments
                .add(&value, param)
                .map_err(|error| errors::about(py, &who(), error))?
                .map_err(|why| errors::argument(py, format!("{}: {why}", who())))?;
        }
        for (nth, value) in memory.unwrap_or_default().iter().enumerate() {
            let who = format!("memory[{nth}]");
            let described = described(value).map_err(|error| errors::about(py, &who, error))?;
            let array = match described {
                Some(Ok(array)) => arguments.array(array, true),
                Some(Err(why)) => Err(why),
                None => Err(not_an_array(value)?),
            };
            if let Err(why) = array {
                return Err(errors::argument(py, format!("{who}: {why}")));
            }
        }
        Ok(arguments)
    }

    /// Takes the arguments apart from Python.
    pub(crate) fn list(&mut self) -> Listed {
        Listed(std::mem::take(&mut self.given))
    }

    fn add(&mut self, value: &Bound<'py, PyAny>, param: &Param) -> PyResult<Result<(), Misfit>> {
        let is_address = is_address(param);
        let arg = if value.is_none() && is_address {
            Ok(null())
        } else if let Some(simple) = simple(value, param)? {
            simple
        } else {
            match described(value)? {
                None => Err(unfit(value, param)?),
                Some(Err(why)) => Err(why),
                Some(Ok(array)) if param.is_aggregate => structure(array, param),
                Some(Ok(array)) if is_address => match self.array(array, false) {
                    Ok(nth) => {
                        self.given.push(Given::Array(nth));
                        return Ok(Ok(()));
                    }
                    Err(why) => Err(why),
                },
                Some(Ok(_)) => Err(format!(
                    "an array, and the parameter is a number, {}; give one element",
                    written(param)
                )),
            }
        };
        Ok(arg.map(|arg| self.given.push(Given::Value(arg))))
    }

    /// Notes an array, and gives its number.
    fn array(&mut self, array: Described<'py>, is_fixed: bool) -> Result<usize, Misfit> {
        let bytes = array.bytes().ok_or("an array that is too large")?;
        // What has no bytes lies nowhere, whatever its elements and strides.
        let scattered = match (&array.strides, bytes == 0 || array.is_contiguous()) {
            (Some(strides), false) if strides.len() == array.shape.len() => {
                let (shape, strides) = (array.shape.clone(), strides.clone());
                Some(Scattered { item: array.item, shape, strides })
            }
            (_, true) => None,
            (_, false) => return Err("an array with other strides than dimensions".to_owned()),
        };
        let memory = Memory {
            address: array.address,
            bytes,
            scattered,
            element: array.element,
            readonly: array.readonly,
            is_fixed,
        };
        if array.place == Where::Device && memory.scattered.is_some() {
            let why = "an array of a device whose elements do not lie one after another; give a contiguous copy";
            return Err(why.to_owned());
        }
        if bytes > 0 && !array.is_trusted && !memory.is_reachable() {
            let why = match array.place {
                Where::Device => {
                    "an array in the memory of a real GPU, which kernels here do not reach; give a copy on the host"
                }
                Where::Host => "an array whose memory is not there",
            };
            return Err(why.to_owned());
        }
        if !memory.has_room() {
            return Err(format!(
                "an array of {bytes} bytes, of which the kernel would get a copy, and there is not so much memory"
            ));
        }
        self.arrays.push(memory);
        self.keep.push(array.keep);
        Ok(self.arrays.len() - 1)
    }
}

/// Whether a parameter may be an address.
fn is_address(param: &Param) -> bool {
    let is_float = |ty: ElementType| matches!(ty.kind(), Kind::Float | Kind::Brain);
    param.bytes == ADDRESS && declared(param).is_some_and(|ty| !is_float(ty))
}

fn null() -> Arg {
    Arg::Scalar(Scalar::new(ElementType::B64, 0))
}

/// Numbers of Python, NumPy and ctypes, and structures of NumPy; `None` for everything else.
fn simple(value: &Bound<'_, PyAny>, param: &Param) -> PyResult<Option<Result<Arg, Misfit>>> {
    if is_number(value) && !is_numpy_scalar(value)? {
        return Ok(Some(number(value, param).map(Arg::Scalar)));
    }
    let py = value.py();
    if is_numpy_scalar(value)? {
        let bytes = value.call_method0(intern!(py, "tobytes"))?;
        let bytes = bytes.cast::<PyBytes>()?.as_bytes().to_vec();
        let item = value.call_method0(intern!(py, "item"))?;
        let kind: String =
            value.getattr(intern!(py, "dtype"))?.getattr(intern!(py, "kind"))?.extract()?;
        let whole = bytes.len() == param.bytes as usize;
        return Ok(Some(match (is_number(&item), param.is_aggregate) {
            (true, false) => number(&item, param).map(Arg::Scalar),
            // Numbers that NumPy does not have itself, such as bfloat16, are structures to it.
            (false, false) if kind != "V" => Err(unfit(value, param)?),
            (_, true) | (false, false) if whole => Ok(Arg::Bytes(bytes)),
            _ => Err(wrong_size(bytes.len() as u64, param)),
        }));
    }
    if is_of(value, "ctypes", "_SimpleCData")? {
        let inner = value.getattr(intern!(py, "value"))?;
        return Ok(Some(match inner.is_none() {
            true if is_address(param) => Ok(null()),
            false if is_number(&inner) => number(&inner, param).map(Arg::Scalar),
            true | false => Err(unfit(value, param)?),
        }));
    }
    if is_of(value, "ctypes", "_Pointer")? {
        let why = "a pointer does not say how much memory there is; give the array itself";
        return Ok(Some(Err(why.to_owned())));
    }
    // An array of no dimensions is a number where one is wanted.
    if !param.is_aggregate
        && param.bytes < ADDRESS
        && let Some(shape) = value.getattr_opt(intern!(py, "shape"))?
        && shape.is_instance_of::<PyTuple>()
        && shape.len()? == 0
        && value.hasattr(intern!(py, "item"))?
    {
        let item = value.call_method0(intern!(py, "item"))?;
        if is_number(&item) {
            return Ok(Some(number(&item, param).map(Arg::Scalar)));
        }
    }
    Ok(None)
}

/// An array as the structure that it holds.
fn structure(array: Described<'_>, param: &Param) -> Result<Arg, Misfit> {
    let bytes = array.bytes().unwrap_or(u64::MAX);
    if bytes != u64::from(param.bytes) {
        return Err(wrong_size(bytes, param));
    }
    if array.place == Where::Device || !array.is_contiguous() {
        return Err("a structure whose bytes do not lie one after another on the host".to_owned());
    }
    let (address, element) = (array.address, array.element);
    let (scattered, readonly, is_fixed) = (None, true, false);
    let memory = Memory { address, bytes, scattered, element, readonly, is_fixed };
    Ok(Arg::Bytes(memory.gathered()))
}

fn wrong_size(bytes: u64, param: &Param) -> Misfit {
    format!("it has {bytes} bytes, and the parameter is {}", written(param))
}

fn unfit(value: &Bound<'_, PyAny>, param: &Param) -> PyResult<Misfit> {
    let kind = value.get_type().name()?;
    let wanted = match (param.is_aggregate, param.bytes) {
        (true, bytes) => {
            format!("give numpy.void, a ctypes.Structure or an array of {bytes} bytes")
        }
        (false, ADDRESS) => {
            "give an array (NumPy, DLPack, CUDA array interface, buffer), a number, or None for the null pointer"
                .to_owned()
        }
        (false, _) => "give a number".to_owned(),
    };
    Ok(format!("an object of type `{kind}` for {}; {wanted}", written(param)))
}

fn not_an_array(value: &Bound<'_, PyAny>) -> PyResult<Misfit> {
    Ok(format!("an object of type `{}` is no array", value.get_type().name()?))
}

/// Whether it is one of NumPy's scalars, which describe themselves as arrays, too.
fn is_numpy_scalar(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    is_of(value, "numpy", "generic")
}
