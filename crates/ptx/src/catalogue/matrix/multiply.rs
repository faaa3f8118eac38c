//! The forms of `mma`: by type of the operands, and whether `a` is sparse.

use super::product::multiply;
use super::quad_pairs::multiply_quad_pairs;
use super::scaled::multiply_scaled;
use super::sparse::multiply_sparse;
use crate::catalogue::{Form, Need};

/// What the ISA says of sums of floats.
pub(in crate::catalogue) const SUMS: &str =
    "sums in any order, at least as exact as the type of d (all others than f64: binary32)";

/// `d = a * b + c` of these shapes and types.
macro_rules! mma {
    ($shapes:literal, $d:literal, $a:literal, $b:literal, $c:literal, $ptx:expr, $sm:literal) => {
        mma!("", $shapes, $d, $a, $b, $c, $ptx, $sm)
    };
    ($flags:literal, $shapes:literal, $d:literal, $a:literal, $b:literal, $c:literal, $ptx:expr, $sm:literal) => {
        Form::new(
            concat!(
                "mma.sync.aligned.shape.row.col>",
                $flags,
                ".dtype.atype.btype.ctype \
                 d{mn}:dtype, a{mk}:atype, b{kn}:btype, c{mn}:ctype; .shape = { ",
                $shapes,
                " }; .dtype = { ",
                $d,
                " }; .atype = { ",
                $a,
                " }; .btype = { ",
                $b,
                " }; .ctype = { ",
                $c,
                " }"
            ),
            $ptx,
            $sm,
            multiply,
        )
    };
}

/// The same with half of `a` zero: `e` says where, and `f` which lanes hold that.
macro_rules! sparse {
    ($flags:literal, $shapes:literal, $d:literal, $a:literal, $b:literal, $c:literal, $f:literal, $ptx:expr, $sm:literal) => {
        Form::new(
            concat!(
                "mma.sp.sync.aligned.shape.row.col>",
                $flags,
                ".dtype.atype.btype.ctype",
                " d{mn}:dtype, a{mk/2}:atype, b{kn}:btype, c{mn}:ctype, plain reg e:b32, f:b32=",
                $f,
                "; .sp = { .sp, .sp::ordered_metadata }; .shape = { ",
                $shapes,
                " }; .dtype = { ",
                $d,
                " }; .atype = { ",
                $a,
                " }; .btype = { ",
                $b,
                " }; .ctype = { ",
                $c,
                " }"
            ),
            $ptx,
            $sm,
            multiply_sparse,
        )
        .needs(ORDERED)
    };
}

/// The same for formats of 8, 6 and 4 bits, each element of which takes a byte.
macro_rules! bytes {
    ($dc:literal, $types:literal, $ptx:expr, $sm:literal) => {
        Form::new(
            concat!(
                "mma.sync.aligned.shape.row.col>.kind::f8f6f4.dtype.atype.btype.ctype \
                 d{mn}:dtype, a{4}:b32, b{2}:b32, c{mn}:ctype; .shape = { .m16n8k32 }; .dtype = { ",
                $dc,
                " }; .atype = { ",
                $types,
                " }; .btype = { ",
                $types,
                " }; .ctype = { ",
                $dc,
                " }"
            ),
            $ptx,
            $sm,
            multiply,
        )
        .approximate(SUMS)
    };
}

/// The same where half of `a` is zero.
macro_rules! ordered {
    ($dc:literal, $types:literal) => {
        Form::new(
            concat!(
                "mma.sp::ordered_metadata.sync.aligned.shape.row.col>.kind::f8f6f4.dtype.atype.btype.ctype \
                 d{mn}:dtype, a{4}:b32, b{4}:b32, c{mn}:ctype, plain reg e:b32, f:b32=(0); .shape = { .m16n8k64 }; .dtype = { ",
                $dc, " }; .atype = { ", $types, " }; .btype = { ", $types, " }; .ctype = { ", $dc, " }"
            ),
            (8, 6),
            100,
            multiply_sparse,
        )
        .approximate(SUMS)
    };
}

/// `d = (a * scale_a) * (b * scale_b) + c`.
macro_rules! scaled {
    ($head:literal, $ab:literal, $more:literal, $shape:literal, $kind:literal, $vec:literal, $types:literal, $scale:literal, $choices:literal, $ptx:expr) => {
        Form::new(
            concat!(
                $head, ".shape.row.col>.kind.block_scale", $vec, ".f32.atype.btype.f32.stype",
                " d{mn}:f32, ", $ab, ", c{mn}:f32", $more,
                ", reg scale_a{1}?:b32, ids_a{2}:u16, reg scale_b{1}?:b32, ids_b{2}:u16; .shape = { ", $shape,
                " }; .kind = { ", $kind, " }; .atype = { ", $types, " }; .btype = { ", $types,
                " }; .stype = { ", $scale, " }", $choices
            ),
            $ptx,
            120,
            multiply_scaled,
        )
        .approximate(SUMS)
    };
}

/// Architectures with the formats of 8, 6 and 4 bits.
const BLACKWELL: &[u32] = &[120, 121];

/// Architectures with the formats of 8 bits under the same name.
const DATACENTER: &[u32] = &[100, 101, 103, 107, 110];

/// Metadata in order came later.
const ORDERED: &[Need] = &[Need::new("sp::ordered_metadata", (8, 5), 80)];

/// Bitwise products of single bits.
const AND: &[Need] = &[Need::new("and", (7, 1), 80)];

pub(super) const FORMS: &[Form] = &[
    Form::new("mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype d{8}:dtype, a{2}:b32, b{2}:b32, c{8}:ctype; .alayout = { .row, .col }; .blayout = { .row, .col }; .dtype = { .f32 }; .ctype = { .f32 }", (6, 4), 70, multiply_quad_pairs).approximate(SUMS),
    Form::new("mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype d{8}:dtype, a{2}:b32, b{2}:b32, c{4}:b32; .alayout = { .row, .col }; .blayout = { .row, .col }; .dtype = { .f32 }; .ctype = { .f16 }", (6, 4), 70, multiply_quad_pairs).approximate(SUMS),
    Form::new("mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype d{4}:b32, a{2}:b32, b{2}:b32, c{4}:b32; .alayout = { .row, .col }; .blayout = { .row, .col }; .dtype = { .f16 }; .ctype = { .f16 }", (6, 4), 70, multiply_quad_pairs).approximate(SUMS),
    mma!(".m16n8k8", ".f32", ".f16", ".f16", ".f32", (6, 5), 75).approximate(SUMS),
    mma!(".m16n8k8", ".f16", ".f16", ".f16", ".f16", (6, 5), 75).approximate(SUMS),
    mma!(".m16n8k16", ".f32", ".f16", ".f16", ".f32", (7, 0), 80).approximate(SUMS),
    mma!(".m16n8k16", ".f16", ".f16", ".f16", ".f16", (7, 0), 80).approximate(SUMS),
    mma!(".m16n8k8, .m16n8k16", ".f32", ".bf16", ".bf16", ".f32", (7, 0), 80).approximate(SUMS),
    mma!(".m16n8k4, .m16n8k8", ".f32", ".tf32", ".tf32", ".f32", (7, 0), 80).approximate(SUMS),
    mma!(".m16n8k32", ".f32", ".e4m3, .e5m2", ".e4m3, .e5m2", ".f32", (8, 4), 89).approximate(SUMS),
    mma!(".m16n8k16", ".f32", ".e4m3, .e5m2", ".e4m3, .e5m2", ".f32", (8, 7), 89).approximate(SUMS),
    mma!(".m16n8k16, .m16n8k32", ".f16", ".e4m3, .e5m2", ".e4m3, .e5m2", ".f16", (8, 7), 89).approximate(SUMS),
    mma!(".m8n8k4", ".f64", ".f64", ".f64", ".f64", (7, 0), 80).approximate(SUMS),
    mma!(".m16n8k4, .m16n8k8, .m16n8k16", ".f64", ".f64", ".f64", ".f64", (7, 8), 90).approximate(SUMS),
    mma!("{.satfinite}", ".m8n8k16", ".s32", ".u8, .s8", ".u8, .s8", ".s32", (6, 5), 75),
    mma!("{.satfinite}", ".m16n8k16, .m16n8k32", ".s32", ".u8, .s8", ".u8, .s8", ".s32", (7, 0), 80),
    mma!("{.satfinite}", ".m8n8k32", ".s32", ".u4, .s4", ".u4, .s4", ".s32", (6, 5), 75),
    mma!("{.satfinite}", ".m16n8k32, .m16n8k64", ".s32", ".u4, .s4", ".u4, .s4", ".s32", (7, 0), 80),
    Form::new("mma.sync.aligned.shape.row.col>.s32.b1.b1.s32.op.popc d{mn}:s32, a{mk}:b1, b{kn}:b1, c{mn}:s32; .shape = { .m8n8k128 }; .op = { .xor, .and }", (7, 0), 75, multiply).needs(AND),
    Form::new("mma.sync.aligned.shape.row.col>.s32.b1.b1.s32.op.popc d{mn}:s32, a{mk}:b1, b{kn}:b1, c{mn}:s32; .shape = { .m16n8k128, .m16n8k256 }; .op = { .xor, .and }", (7, 0), 80, multiply).needs(AND),
    bytes!(".f32", ".e4m3, .e5m2, .e3m2, .e2m3, .e2m1", (8, 7), 120).family(BLACKWELL),
    bytes!(".f16", ".e4m3, .e5m2, .e3m2, .e2m3, .e2m1", (8, 7), 120).family(BLACKWELL),
    bytes!(".f32", ".e4m3, .e5m2", (8, 6), 100).family(DATACENTER),
    bytes!(".f16", ".e4m3, .e5m2", (8, 7), 100).family(DATACENTER),
    scaled!("mma.sync.aligned", "a{mk}:atype, b{kn}:btype", "", ".m16n8k64", ".kind::mxf4", "{.vec_size}", ".e2m1", ".ue8m0", "; .vec_size = { .scale_vec::2X }", (8, 7)).family(BLACKWELL),
    scaled!("mma.sync.aligned", "a{mk}:atype, b{kn}:btype", "", ".m16n8k64", ".kind::mxf4nvf4", ".vec_size", ".e2m1", ".ue8m0", "; .vec_size = { .scale_vec::2X }", (8, 7)).family(BLACKWELL),
    scaled!("mma.sync.aligned", "a{mk}:atype, b{kn}:btype", "", ".m16n8k64", ".kind::mxf4nvf4", ".vec_size", ".e2m1", ".ue8m0", "; .vec_size = { .scale_vec::4X }", (9, 1)).family(BLACKWELL),
    scaled!("mma.sync.aligned", "a{mk}:atype, b{kn}:btype", "", ".m16n8k64", ".kind::mxf4nvf4", ".vec_size", ".e2m1", ".ue4m3", "; .vec_size = { .scale_vec::4X }", (8, 7)).family(BLACKWELL),
    scaled!("mma.sync.aligned", "a{4}:b32, b{2}:b32", "", ".m16n8k32", ".kind::mxf8f6f4", "{.vec_size}", ".e4m3, .e5m2, .e3m2, .e2m3, .e2m1", ".ue8m0", "; .vec_size = { .scale_vec::1X }", (8, 7)).family(BLACKWELL),
    sparse!("", ".m16n8k16", ".f32", ".f16", ".f16", ".f32", "(0..3)", (7, 1), 80).approximate(SUMS),
    sparse!("", ".m16n8k32", ".f32", ".f16", ".f16", ".f32", "(0..1)", (7, 1), 80).approximate(SUMS),
    sparse!("", ".m16n8k16", ".f16", ".f16", ".f16", ".f16", "(0..3)", (7, 1), 80).approximate(SUMS),
    sparse!("", ".m16n8k32", ".f16", ".f16", ".f16", ".f16", "(0..1)", (7, 1), 80).approximate(SUMS),
    sparse!("", ".m16n8k16", ".f32", ".bf16", ".bf16", ".f32", "(0..3)", (7, 1), 80).approximate(SUMS),
    sparse!("", ".m16n8k32", ".f32", ".bf16", ".bf16", ".f32", "(0..1)", (7, 1), 80).approximate(SUMS),
    sparse!("", ".m16n8k8", ".f32", ".tf32", ".tf32", ".f32", "(0..3)", (7, 1), 80).approximate(SUMS),
    sparse!("", ".m16n8k16", ".f32", ".tf32", ".tf32", ".f32", "(0..1)", (7, 1), 80).approximate(SUMS),
    sparse!("", ".m16n8k64", ".f32", ".e4m3, .e5m2", ".e4m3, .e5m2", ".f32", "(0)", (8, 4), 89).approximate(SUMS),
    sparse!("{.satfinite}", ".m16n8k32", ".s32", ".u8, .s8", ".u8, .s8", ".s32", "(0..1)", (7, 1), 80),
    sparse!("{.satfinite}", ".m16n8k64", ".s32", ".u8, .s8", ".u8, .s8", ".s32", "(0)", (7, 1), 80),
    sparse!("{.satfinite}", ".m16n8k64", ".s32", ".u4, .s4", ".u4, .s4", ".s32", "(0..1)", (7, 1), 80),
    sparse!("{.satfinite}", ".m16n8k128", ".s32", ".u4, .s4", ".u4, .s4", ".s32", "(0)", (7, 1), 80),
    ordered!(".f32", ".e4m3, .e5m2, .e3m2, .e2m3, .e2m1").family(BLACKWELL),
    ordered!(".f16", ".e4m3, .e5m2, .e3m2, .e2m3, .e2m1").family(BLACKWELL),
    ordered!(".f32", ".e4m3, .e5m2").family(DATACENTER),
    scaled!("mma.sp::ordered_metadata.sync.aligned", "a{mk/2}:atype, b{kn}:btype", ", plain reg e:b32, f:b32=(0)", ".m16n8k128", ".kind::mxf4", "{.vec_size}", ".e2m1", ".ue8m0", "; .vec_size = { .scale_vec::2X }", (8, 7)).architecture(BLACKWELL),
    scaled!("mma.sp::ordered_metadata.sync.aligned", "a{mk/2}:atype, b{kn}:btype", ", plain reg e:b32, f:b32=(0)", ".m16n8k128", ".kind::mxf4nvf4", ".vec_size", ".e2m1", ".ue8m0", "; .vec_size = { .scale_vec::2X }", (8, 7)).architecture(BLACKWELL),
    scaled!("mma.sp::ordered_metadata.sync.aligned", "a{mk/2}:atype, b{kn}:btype", ", plain reg e:b32, f:b32=(0)", ".m16n8k128", ".kind::mxf4nvf4", ".vec_size", ".e2m1", ".ue8m0", "; .vec_size = { .scale_vec::4X }", (9, 1)).architecture(BLACKWELL),
    scaled!("mma.sp::ordered_metadata.sync.aligned", "a{mk/2}:atype, b{kn}:btype", ", plain reg e:b32, f:b32=(0)", ".m16n8k128", ".kind::mxf4nvf4", ".vec_size", ".e2m1", ".ue4m3", "; .vec_size = { .scale_vec::4X }", (8, 7)).architecture(BLACKWELL),
    scaled!("mma.sp::ordered_metadata.sync.aligned", "a{4}:b32, b{4}:b32", ", plain reg e:b32, f:b32=(0)", ".m16n8k64", ".kind::mxf8f6f4", "{.vec_size}", ".e4m3, .e5m2, .e3m2, .e2m3, .e2m1", ".ue8m0", "; .vec_size = { .scale_vec::1X }", (8, 7)).family(BLACKWELL),
];
