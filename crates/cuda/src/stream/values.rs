//! Streams that write values into memory, and wait for values there.

use super::object::resolve;
use crate::abi::constants::{
    CU_STREAM_MEM_OP_BARRIER, CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES, CU_STREAM_MEM_OP_WAIT_VALUE_32,
    CU_STREAM_MEM_OP_WAIT_VALUE_64, CU_STREAM_MEM_OP_WRITE_VALUE_32,
    CU_STREAM_MEM_OP_WRITE_VALUE_64, CU_STREAM_WAIT_VALUE_AND, CU_STREAM_WAIT_VALUE_EQ,
    CU_STREAM_WAIT_VALUE_GEQ, CU_STREAM_WAIT_VALUE_NOR, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER,
};
use crate::abi::{Answer, CUdeviceptr, CUresult, CUstream, CUstreamBatchMemOpParams, Out};
use crate::memory;
use crate::operation::{Compare, Operation, Word};

/// A word of memory that is there and aligned.
fn checked(address: CUdeviceptr, bytes: u64) -> Answer {
    memory::check(address, bytes)?;
    if address.is_multiple_of(bytes) { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// Writes a word.
fn written(word: Word, flags: u32) -> Answer<Operation> {
    if flags & !CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    checked(word.address, word.bytes)?;
    Ok(Operation::Write(word))
}

/// Waits for a word.
fn awaited(word: Word, flags: u32) -> Answer<Operation> {
    let compare = match flags {
        CU_STREAM_WAIT_VALUE_GEQ => Compare::NotBelow,
        CU_STREAM_WAIT_VALUE_EQ => Compare::Equal,
        CU_STREAM_WAIT_VALUE_AND => Compare::And,
        CU_STREAM_WAIT_VALUE_NOR => Compare::Nor,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    checked(word.address, word.bytes)?;
    Ok(Operation::Await(word, compare))
}

fn write(default: CUstream, stream: CUstream, word: Word, flags: u32) -> Answer {
    let stream = resolve(default, stream)?;
    stream.issue(written(word, flags)?)
}

fn wait(default: CUstream, stream: CUstream, word: Word, flags: u32) -> Answer {
    let stream = resolve(default, stream)?;
    stream.issue(awaited(word, flags)?)
}

/// What an element of a list of `cuStreamBatchMemOp` does.
fn listed(params: &CUstreamBatchMemOpParams) -> Answer<Operation> {
    let CUstreamBatchMemOpParams { operation, address, value, flags, .. } = *params;
    let narrow = Word { address, bytes: 4, value: value & u64::from(u32::MAX) };
    let wide = Word { address, bytes: 8, value };
    match operation {
        CU_STREAM_MEM_OP_WRITE_VALUE_32 => written(narrow, flags),
        CU_STREAM_MEM_OP_WRITE_VALUE_64 => written(wide, flags),
        CU_STREAM_MEM_OP_WAIT_VALUE_32 => awaited(narrow, flags),
        CU_STREAM_MEM_OP_WAIT_VALUE_64 => awaited(wide, flags),
        // Whoever waits for the stream sees all that was before.
        CU_STREAM_MEM_OP_BARRIER | CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES => Ok(Operation::Nothing),
        _ => Err(CUresult::NOT_SUPPORTED),
    }
}

/// `cuStreamBatchMemOp`: all of a list, in its order, or nothing if one of it is wrong.
pub(crate) fn batch(
    default: CUstream,
    stream: CUstream,
    count: u32,
    params: Out<CUstreamBatchMemOpParams>,
    flags: u32,
) -> Answer {
    /// As many as the documentation allows.
    const MOST: u32 = 256;
    let stream = resolve(default, stream)?;
    if count > MOST || flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    params.check()?;
    let all = params.as_in().list(count as usize)?;
    let all: Vec<Operation> = all.iter().map(listed).collect::<Answer<_>>()?;
    all.into_iter().try_for_each(|operation| stream.issue(operation))
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
