//! What a kernel is given for a parameter.

use crate::device::Buffer;
use crate::element::Scalar;

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A buffer: the parameter receives its device address.
    Buffer(Buffer),
    /// A number. It is converted to the width of the parameter if its value survives that.
    Scalar(Scalar),
    /// The bytes of a by-value structure; as many as the parameter has.
    Bytes(Vec<u8>),
    /// The fields of a by-value structure, each at its natural alignment: a buffer at a multiple of 8 bytes, a scalar at a
    /// multiple of its size, bytes anywhere. Structures in structures are the fields of the outer one.
    Struct(Vec<Arg>),
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
