//! The interface of before CUDA 4.0: the shape and the arguments of a launch are set of the function, one after another.

use crate::abi::{Address, Answer, CUfunction, CUresult, CUstream, CUtexref};
use crate::function::Asked;
use crate::launch;
use crate::module::resolve;
use crate::prepare::Shape;

/// Bytes of arguments that a kernel can have (PTX ISA 9.1, "Kernel Function Parameters").
const MOST: usize = 32764;

/// `cuFuncSetBlockShape`.
pub(crate) fn block(function: CUfunction, x: i32, y: i32, z: i32) -> Answer {
    let function = resolve(function)?;
    let extent = |extent: i32| u32::try_from(extent).map_err(|_| CUresult::INVALID_VALUE);
    function.steps.asked().block = [extent(x)?, extent(y)?, extent(z)?];
    Ok(())
}

/// `cuFuncSetSharedSize`.
pub(crate) fn shared(function: CUfunction, bytes: u32) -> Answer {
    resolve(function)?.steps.asked().shared = bytes;
    Ok(())
}

/// `cuParamSetSize`.
pub(crate) fn size(function: CUfunction, bytes: u32) -> Answer {
    let function = resolve(function)?;
    if bytes as usize > MOST {
        return Err(CUresult::INVALID_VALUE);
    }
    function.steps.asked().size = bytes as usize;
    Ok(())
}

/// `cuParamSeti`.
pub(crate) fn integer(function: CUfunction, offset: i32, value: u32) -> Answer {
    put(function, offset, &value.to_le_bytes())
}

/// `cuParamSetf`.
pub(crate) fn float(function: CUfunction, offset: i32, value: f32) -> Answer {
    put(function, offset, &value.to_le_bytes())
}

/// `cuParamSetv`.
pub(crate) fn bytes(function: CUfunction, offset: i32, from: Address, count: u32) -> Answer {
    if count as usize > MOST {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut found = vec![0; count as usize];
    from.to::<u8>().copy(&mut found)?;
    put(function, offset, &found)
}

fn put(function: CUfunction, offset: i32, bytes: &[u8]) -> Answer {
    let function = resolve(function)?;
    let start = usize::try_from(offset).map_err(|_| CUresult::INVALID_VALUE)?;
    let end = start.checked_add(bytes.len()).filter(|end| *end <= MOST);
    let end = end.ok_or(CUresult::INVALID_VALUE)?;
    let mut asked = function.steps.asked();
    if asked.arguments.len() < end {
        asked.arguments.resize(end, 0);
    }
    asked.arguments[start..end].copy_from_slice(bytes);
    Ok(())
}

/// `cuParamSetTexRef`: since CUDA 3.2 a function has the texture references of its module, whatever is said here.
pub(crate) fn texture(function: CUfunction, unit: i32, _texture: CUtexref) -> Answer {
    /// `CU_PARAM_TR_DEFAULT`, the only unit that there is.
    const DEFAULT: i32 = -1;
    resolve(function)?;
    if unit == DEFAULT { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// `cuLaunch`.
pub(crate) fn one(function: CUfunction) -> Answer {
    grid_in(function, 1, 1, CUstream::LEGACY)
}

/// `cuLaunchGrid`.
pub(crate) fn grid(function: CUfunction, width: i32, height: i32) -> Answer {
    grid_in(function, width, height, CUstream::LEGACY)
}

/// `cuLaunchGridAsync`.
pub(crate) fn grid_in(handle: CUfunction, width: i32, height: i32, stream: CUstream) -> Answer {
    let function = resolve(handle)?;
    let extent = |extent: i32| u32::try_from(extent).map_err(|_| CUresult::INVALID_VALUE);
    let grid = [extent(width)?, extent(height)?, 1];
    let (shape, arguments) = {
        let asked = function.steps.asked();
        let Asked { block, shared, .. } = *asked;
        let mut arguments = asked.arguments.clone();
        arguments.resize(asked.size, 0);
        (Shape { grid, block, shared, cooperative: false, cluster: None }, arguments)
    };
    launch::with_block(handle, shape, stream, &arguments)
}
