//! All functions of the interface.

use crate::api::Row;
use crate::{
    arrays, copies, devices, graphs, kernels, lacking, libraries, memory, register, streams,
};

/// The functions of all files.
const FILES: [&[Row]; 17] = [
    register::ROWS,
    register::OTHERS,
    kernels::ROWS,
    devices::ROWS,
    devices::ERRORS,
    memory::ROWS,
    memory::FORWARDED,
    copies::ROWS,
    streams::ROWS,
    streams::FORWARDED,
    arrays::ROWS,
    arrays::FORWARDED,
    arrays::OTHERS,
    graphs::ROWS,
    graphs::FORWARDED,
    libraries::FORWARDED,
    lacking::ROWS,
];

/// Every function of the interface.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    FILES.iter().flat_map(|rows| rows.iter())
}
