//! Video instructions: bytes and halfwords of registers.

mod part;
mod scalar;
mod simd;

use super::{Entry, Form};
use ir::BinaryOp;
use scalar::Operation as One;
use simd::Operation as Each;

/// One operation on a byte or halfword of each operand, perhaps with a second one on the result.
macro_rules! scalar {
    ($name:literal, $operation:expr) => {
        Entry {
            name: $name,
            section: "9.7.18.1.1 vadd, vsub, vabsdiff, vmin, vmax",
            forms: &[
                Form::new(concat!($name, ".dtype.atype.btype{.sat} d:dtype, plain {.}a:atype, plain {.}b:btype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (2, 0), 20, |lo, inst| scalar::arithmetic(lo, inst, $operation)),
                Form::new(concat!($name, ".dtype.atype.btype{.sat}.op d:dtype, plain {.}a:atype, plain {.}b:btype, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .op = { .add, .min, .max }"), (2, 0), 20, |lo, inst| scalar::arithmetic(lo, inst, $operation)),
                Form::new(concat!($name, ".dtype.atype.btype{.sat} {.}d:dtype, plain {.}a:atype, plain {.}b:btype, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (2, 0), 20, |lo, inst| scalar::arithmetic(lo, inst, $operation)),
            ],
        }
    };
}

macro_rules! shift {
    ($name:literal, $op:expr) => {
        Entry {
            name: $name,
            section: "9.7.18.1.2 vshl, vshr",
            forms: &[
                Form::new(concat!($name, ".dtype.atype.u32{.sat}.mode d:dtype, plain {.}a:atype, plain {.}b:u32; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .mode = { .clamp, .wrap }"), (2, 0), 20, |lo, inst| scalar::shift(lo, inst, $op)),
                Form::new(concat!($name, ".dtype.atype.u32{.sat}.mode.op d:dtype, plain {.}a:atype, plain {.}b:u32, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .mode = { .clamp, .wrap }; .op = { .add, .min, .max }"), (2, 0), 20, |lo, inst| scalar::shift(lo, inst, $op)),
                Form::new(concat!($name, ".dtype.atype.u32{.sat}.mode {.}d:dtype, plain {.}a:atype, plain {.}b:u32, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .mode = { .clamp, .wrap }"), (2, 0), 20, |lo, inst| scalar::shift(lo, inst, $op)),
            ],
        }
    };
}

/// The operation on every byte or halfword.
macro_rules! simd {
    ($name:literal, $lanes:literal, $operation:expr) => {
        Entry {
            name: $name,
            section: "9.7.18.2 SIMD Video Instructions",
            forms: &[
                Form::new(concat!($name, ".dtype.atype.btype{.sat} {.}d:dtype, plain reg {.}a:atype, plain reg {.}b:btype, plain reg c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (3, 0), 30, |lo, inst| simd::lower::<$lanes>(lo, inst, $operation)),
                Form::new(concat!($name, ".dtype.atype.btype.add {.}d:dtype, plain reg {.}a:atype, plain reg {.}b:btype, plain reg c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (3, 0), 30, |lo, inst| simd::lower::<$lanes>(lo, inst, $operation)),
            ],
        }
    };
}

macro_rules! simd_compare {
    ($name:literal, $lanes:literal) => {
        Entry {
            name: $name,
            section: "9.7.18.2 SIMD Video Instructions",
            forms: &[Form::new(concat!($name, ".atype.btype.cmp{.add} {.}d:u32, plain reg {.}a:atype, plain reg {.}b:btype, plain reg c:u32; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }"), (3, 0), 30, |lo, inst| simd::lower::<$lanes>(lo, inst, Each::Set))],
        }
    };
}

pub(super) const ENTRIES: &[Entry] = &[
    scalar!("vadd", One::Add),
    scalar!("vsub", One::Sub),
    scalar!("vabsdiff", One::AbsDiff),
    scalar!("vmin", One::Min),
    scalar!("vmax", One::Max),
    shift!("vshl", BinaryOp::Shl64),
    shift!("vshr", BinaryOp::ShrS64),
    Entry {
        name: "vmad",
        section: "9.7.18.1.3 vmad",
        forms: &[
            Form::new(
                "vmad.dtype.atype.btype{.sat}{.scale} d:dtype, plain {.}{-}a:atype, plain {.}{-}b:btype, {-}c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .scale = { .shr7, .shr15 }",
                (2, 0),
                20,
                scalar::multiply_add,
            ),
            Form::new(
                "vmad.dtype.atype.btype.po{.sat}{.scale} d:dtype, plain {.}a:atype, plain {.}b:btype, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .scale = { .shr7, .shr15 }",
                (2, 0),
                20,
                scalar::multiply_add,
            ),
        ],
    },
    Entry {
        name: "vset",
        section: "9.7.18.1.4 vset",
        forms: &[
            Form::new(
                "vset.atype.btype.cmp d:u32, plain {.}a:atype, plain {.}b:btype; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }",
                (2, 0),
                20,
                scalar::set,
            ),
            Form::new(
                "vset.atype.btype.cmp.op d:u32, plain {.}a:atype, plain {.}b:btype, c:u32; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }; .op = { .add, .min, .max }",
                (2, 0),
                20,
                scalar::set,
            ),
            Form::new(
                "vset.atype.btype.cmp {.}d:u32, plain {.}a:atype, plain {.}b:btype, c:u32; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }",
                (2, 0),
                20,
                scalar::set,
            ),
        ],
    },
    simd!("vadd2", 2, Each::Add),
    simd!("vsub2", 2, Each::Sub),
    simd!("vavrg2", 2, Each::Average),
    simd!("vabsdiff2", 2, Each::AbsDiff),
    simd!("vmin2", 2, Each::Min),
    simd!("vmax2", 2, Each::Max),
    simd_compare!("vset2", 2),
    simd!("vadd4", 4, Each::Add),
    simd!("vsub4", 4, Each::Sub),
    simd!("vavrg4", 4, Each::Average),
    simd!("vabsdiff4", 4, Each::AbsDiff),
    simd!("vmin4", 4, Each::Min),
    simd!("vmax4", 4, Each::Max),
    simd_compare!("vset4", 4),
];
