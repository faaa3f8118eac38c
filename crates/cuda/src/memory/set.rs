//! `cuMemset*`.

use super::raw::Fill;
use crate::abi::{Answer, CUdeviceptr, CUstream};
use crate::operation::Operation;
use crate::stream;

/// Fills in the order of a stream. Fills of device memory are not waited for.
fn set(
    default: CUstream,
    stream: CUstream,
    to: CUdeviceptr,
    pitch: u64,
    value: Fill,
    [width, height]: [u64; 2],
) -> Answer {
    let stream = stream::resolve(default, stream)?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    value.check(to, pitch, [width, height])?;
    stream.issue(Operation::Fill { to, pitch, value, width, height })
}

/// The functions of a width: of a row, of rows, and the same in the order of a stream.
macro_rules! sets {
    ($($ty:ty, $fill:path, [$row:ident $row_async:ident $rows:ident $rows_async:ident];)*) => {
        $(
            /// Fills values.
            pub(crate) fn $row(default: CUstream, to: CUdeviceptr, value: $ty, count: u64) -> Answer {
                set(default, CUstream::NULL, to, 0, $fill(value), [count, 1])
            }

            /// Fills values in the order of a stream.
            pub(crate) fn $row_async(
                default: CUstream,
                to: CUdeviceptr,
                value: $ty,
                count: u64,
                stream: CUstream,
            ) -> Answer {
                set(default, stream, to, 0, $fill(value), [count, 1])
            }

            /// Fills rows of values.
            pub(crate) fn $rows(
                default: CUstream,
                to: CUdeviceptr,
                pitch: u64,
                value: $ty,
                width: u64,
                height: u64,
            ) -> Answer {
                set(default, CUstream::NULL, to, pitch, $fill(value), [width, height])
            }

            /// Fills rows of values in the order of a stream.
            #[allow(clippy::too_many_arguments)]
            pub(crate) fn $rows_async(
                default: CUstream,
                to: CUdeviceptr,
                pitch: u64,
                value: $ty,
                width: u64,
                height: u64,
                stream: CUstream,
            ) -> Answer {
                set(default, stream, to, pitch, $fill(value), [width, height])
            }
        )*
    };
}

sets! {
    u8, Fill::B8, [set8 set8_async set2d8 set2d8_async];
    u16, Fill::B16, [set16 set16_async set2d16 set2d16_async];
    u32, Fill::B32, [set32 set32_async set2d32 set2d32_async];
}
