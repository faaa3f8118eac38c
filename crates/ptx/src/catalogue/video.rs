//! Video instructions: bytes and halfwords of registers.

use super::{Entry, Form};

/// One operation on a byte or halfword of each operand, perhaps with a second one on the result.
macro_rules! scalar {
    ($name:literal, $section:literal) => {
        Entry {
            name: $name,
            section: $section,
            forms: &[
                Form::legal(concat!($name, ".dtype.atype.btype{.sat} d:dtype, plain {.}a:atype, plain {.}b:btype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (2, 0), 20),
                Form::legal(concat!($name, ".dtype.atype.btype{.sat}.op d:dtype, plain {.}a:atype, plain {.}b:btype, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .op = { .add, .min, .max }"), (2, 0), 20),
                Form::legal(concat!($name, ".dtype.atype.btype{.sat} {.}d:dtype, plain {.}a:atype, plain {.}b:btype, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (2, 0), 20),
            ],
        }
    };
}

macro_rules! shift {
    ($name:literal) => {
        Entry {
            name: $name,
            section: "9.7.18.1.2 vshl, vshr",
            forms: &[
                Form::legal(concat!($name, ".dtype.atype.u32{.sat}.mode d:dtype, plain {.}a:atype, plain {.}b:u32; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .mode = { .clamp, .wrap }"), (2, 0), 20),
                Form::legal(concat!($name, ".dtype.atype.u32{.sat}.mode.op d:dtype, plain {.}a:atype, plain {.}b:u32, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .mode = { .clamp, .wrap }; .op = { .add, .min, .max }"), (2, 0), 20),
                Form::legal(concat!($name, ".dtype.atype.u32{.sat}.mode {.}d:dtype, plain {.}a:atype, plain {.}b:u32, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .mode = { .clamp, .wrap }"), (2, 0), 20),
            ],
        }
    };
}

/// The operation on every byte or halfword.
macro_rules! simd {
    ($name:literal) => {
        Entry {
            name: $name,
            section: "9.7.18.2 SIMD Video Instructions",
            forms: &[
                Form::legal(concat!($name, ".dtype.atype.btype{.sat} {.}d:dtype, plain reg {.}a:atype, plain reg {.}b:btype, plain reg c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (3, 0), 30),
                Form::legal(concat!($name, ".dtype.atype.btype.add {.}d:dtype, plain reg {.}a:atype, plain reg {.}b:btype, plain reg c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }"), (3, 0), 30),
            ],
        }
    };
}

macro_rules! simd_compare {
    ($name:literal) => {
        Entry {
            name: $name,
            section: "9.7.18.2 SIMD Video Instructions",
            forms: &[Form::legal(concat!($name, ".atype.btype.cmp{.add} {.}d:u32, plain reg {.}a:atype, plain reg {.}b:btype, plain reg c:u32; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }"), (3, 0), 30)],
        }
    };
}

pub(super) const ENTRIES: &[Entry] = &[
    scalar!("vadd", "9.7.18.1.1 vadd, vsub, vabsdiff, vmin, vmax"),
    scalar!("vsub", "9.7.18.1.1 vadd, vsub, vabsdiff, vmin, vmax"),
    scalar!("vabsdiff", "9.7.18.1.1 vadd, vsub, vabsdiff, vmin, vmax"),
    scalar!("vmin", "9.7.18.1.1 vadd, vsub, vabsdiff, vmin, vmax"),
    scalar!("vmax", "9.7.18.1.1 vadd, vsub, vabsdiff, vmin, vmax"),
    shift!("vshl"),
    shift!("vshr"),
    Entry {
        name: "vmad",
        section: "9.7.18.1.3 vmad",
        forms: &[
            Form::legal("vmad.dtype.atype.btype{.sat}{.scale} d:dtype, plain {.}{-}a:atype, plain {.}{-}b:btype, {-}c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .scale = { .shr7, .shr15 }", (2, 0), 20),
            Form::legal("vmad.dtype.atype.btype.po{.sat}{.scale} d:dtype, plain {.}a:atype, plain {.}b:btype, c:dtype; .dtype = { .u32, .s32 }; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .scale = { .shr7, .shr15 }", (2, 0), 20),
        ],
    },
    Entry {
        name: "vset",
        section: "9.7.18.1.4 vset",
        forms: &[
            Form::legal("vset.atype.btype.cmp d:u32, plain {.}a:atype, plain {.}b:btype; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }", (2, 0), 20),
            Form::legal("vset.atype.btype.cmp.op d:u32, plain {.}a:atype, plain {.}b:btype, c:u32; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }; .op = { .add, .min, .max }", (2, 0), 20),
            Form::legal("vset.atype.btype.cmp {.}d:u32, plain {.}a:atype, plain {.}b:btype, c:u32; .atype = { .u32, .s32 }; .btype = { .u32, .s32 }; .cmp = { .eq, .ne, .lt, .le, .gt, .ge }", (2, 0), 20),
        ],
    },
    simd!("vadd2"),
    simd!("vsub2"),
    simd!("vavrg2"),
    simd!("vabsdiff2"),
    simd!("vmin2"),
    simd!("vmax2"),
    simd_compare!("vset2"),
    simd!("vadd4"),
    simd!("vsub4"),
    simd!("vavrg4"),
    simd!("vabsdiff4"),
    simd!("vmin4"),
    simd!("vmax4"),
    simd_compare!("vset4"),
];
