//! Streams that write values into memory, and wait for values there.

use super::object::resolve;
use crate::abi::constants::{
    CU_STREAM_WAIT_VALUE_AND, CU_STREAM_WAIT_VALUE_EQ, CU_STREAM_WAIT_VALUE_GEQ,
    CU_STREAM_WAIT_VALUE_NOR, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER,
};
use crate::abi::{Answer, CUdeviceptr, CUresult, CUstream};
use crate::memory;
use crate::operation::{Compare, Operation, Word};

/// A word of memory that is there and aligned.
fn checked(address: CUdeviceptr, bytes: u64) -> Answer {
    memory::check(address, bytes)?;
    if address.is_multiple_of(bytes) { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

fn write(default: CUstream, stream: CUstream, word: Word, flags: u32) -> Answer {
    let stream = resolve(default, stream)?;
    if flags & !CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    checked(word.address, word.bytes)?;
    stream.issue(Operation::Write(word))
}

fn wait(default: CUstream, stream: CUstream, word: Word, flags: u32) -> Answer {
    let stream = resolve(default, stream)?;
    let compare = match flags {
        CU_STREAM_WAIT_VALUE_GEQ => Compare::NotBelow,
        CU_STREAM_WAIT_VALUE_EQ => Compare::Equal,
        CU_STREAM_WAIT_VALUE_AND => Compare::And,
        CU_STREAM_WAIT_VALUE_NOR => Compare::Nor,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    checked(word.address, word.bytes)?;
    stream.issue(Operation::Await(word, compare))
}

/// `cuStreamWriteValue32`.
pub(crate) fn write32(
    default: CUstream,
    stream: CUstream,
    address: CUdeviceptr,
    value: u32,
    flags: u32,
) -> Answer {
    write(default, stream, Word { address, bytes: 4, value: value.into() }, flags)
}

/// `cuStreamWriteValue64`.
pub(crate) fn write64(
    default: CUstream,
    stream: CUstream,
    address: CUdeviceptr,
    value: u64,
    flags: u32,
) -> Answer {
    write(default, stream, Word { address, bytes: 8, value }, flags)
}

/// `cuStreamWaitValue32`.
pub(crate) fn wait32(
    default: CUstream,
    stream: CUstream,
    address: CUdeviceptr,
    value: u32,
    flags: u32,
) -> Answer {
    wait(default, stream, Word { address, bytes: 4, value: value.into() }, flags)
}

/// `cuStreamWaitValue64`.
pub(crate) fn wait64(
    default: CUstream,
    stream: CUstream,
    address: CUdeviceptr,
    value: u64,
    flags: u32,
) -> Answer {
    wait(default, stream, Word { address, bytes: 8, value }, flags)
}
