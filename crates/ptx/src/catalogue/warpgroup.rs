//! Matrix multiplication by a warpgroup of 128 lanes.

use super::matrix::SUMS;
use super::{Entry, Form, Need};
use multiply::{meet, multiply};

mod descriptor;
mod multiply;

/// Shapes with that many values of `k`.
macro_rules! shapes {
    (all $k:literal) => {
        shapes!($k, "8", "16", "24", "32", "40", "48", "56", "64", "72", "80", "88", "96", "104", "112", "120",
            "128", "136", "144", "152", "160", "168", "176", "184", "192", "200", "208", "216", "224", "232",
            "240", "248", "256")
    };
    (integer $k:literal) => {
        shapes!($k, "8", "16", "24", "32", "48", "64", "80", "96", "112", "128", "144", "160", "176", "192", "208",
            "224", "240", "256")
    };
    ($k:literal, $first:literal $(, $n:literal)*) => {
        concat!("; .shape = { .m64n", $first, "k", $k $(, ", .m64n", $n, "k", $k)*, " }")
    };
}

/// `d = a * b + d`, where `a` is described by a descriptor; and where it is in registers. `end` are the
/// operands behind the descriptor of `b` of each; what is said of both stands at the end.
macro_rules! multiply {
    ($flags:literal, $types:literal, $k:expr, $choices:literal, $end:literal, $in_registers:literal, $sel:literal $(, $more:ident $what:expr)*) => {
        [
            Form::new(
                concat!(
                    "wgmma.mma_async!.sync{.aligned}.shape",
                    $flags,
                    $types,
                    " d{mn/4}:dtype, a_desc:u64, b_desc:u64, {!}scale_d(..1)",
                    $end,
                    $k,
                    $choices
                ),
                (8, 0),
                90,
                multiply,
            )
            .architecture(&[90])
            $(.$more($what))*,
            Form::new(
                concat!(
                    "wgmma.mma_async!.sync{.aligned}.shape",
                    $flags,
                    $types,
                    " d{mn/4}:dtype, a{mk/4}:atype, b_desc:u64, {!}scale_d(..1)",
                    $in_registers,
                    $k,
                    $choices
                ),
                (8, 0),
                90,
                multiply,
            )
            .architecture(&[90])
            $(.$more($what))*,
        ]
    };
}

/// The same where half of `a` is zero.
macro_rules! sparse {
    ($flags:literal, $types:literal, $k:expr, $choices:literal, $end:literal, $in_registers:literal, $sel:literal $(, $more:ident $what:expr)*) => {
        [
            Form::new(
                concat!(
                    "wgmma.mma_async!.sp!.sync{.aligned}.shape",
                    $flags,
                    $types,
                    " d{mn/4}:dtype, a_desc:u64, b_desc:u64, reg meta:b32, sel:b32=",
                    $sel,
                    ", {!}scale_d(..1)",
                    $end,
                    $k,
                    $choices
                ),
                (8, 2),
                90,
                multiply,
            )
            .architecture(&[90])
            $(.$more($what))*,
            Form::new(
                concat!(
                    "wgmma.mma_async!.sp!.sync{.aligned}.shape",
                    $flags,
                    $types,
                    " d{mn/4}:dtype, a{mk/8}:atype, b_desc:u64, reg meta:b32, sel:b32=",
                    $sel,
                    ", {!}scale_d(..1)",
                    $in_registers,
                    $k,
                    $choices
                ),
                (8, 2),
                90,
                multiply,
            )
            .architecture(&[90])
            $(.$more($what))*,
        ]
    };
}

/// Every family of types, with the least `k` of each.
macro_rules! families {
    ($multiply:ident, $k16:literal, $k8:literal, $k32:literal) => {
        [
            $multiply!("", ".dtype.atype.btype", shapes!(all $k16), "; .dtype = { .f16, .f32 }; .atype = { .f16 }; .btype = { .f16 }", ", scale_a:s32=(1|-1), scale_b:s32=(1|-1), trans_a:s32=(0|1), trans_b:s32=(0|1)", ", scale_a:s32=(1|-1), scale_b:s32=(1|-1), trans_b:s32=(0|1)", "(0|1)", approximate SUMS),
            $multiply!("", ".dtype.atype.btype", shapes!(all $k16), "; .dtype = { .f32 }; .atype = { .bf16 }; .btype = { .bf16 }", ", scale_a:s32=(1|-1), scale_b:s32=(1|-1), trans_a:s32=(0|1), trans_b:s32=(0|1)", ", scale_a:s32=(1|-1), scale_b:s32=(1|-1), trans_b:s32=(0|1)", "(0|1)", approximate SUMS),
            $multiply!("", ".dtype.atype.btype", shapes!(all $k8), "; .dtype = { .f32 }; .atype = { .tf32 }; .btype = { .tf32 }", ", scale_a:s32=(1|-1), scale_b:s32=(1|-1)", ", scale_a:s32=(1|-1), scale_b:s32=(1|-1)", "(0|1)", approximate SUMS),
            $multiply!("", ".dtype.atype.btype", shapes!(all $k32), "; .dtype = { .f16, .f32 }; .atype = { .e4m3, .e5m2 }; .btype = { .e4m3, .e5m2 }", ", scale_a:s32=(1|-1), scale_b:s32=(1|-1)", ", scale_a:s32=(1|-1), scale_b:s32=(1|-1)", "(0)", approximate SUMS),
            $multiply!("{.satfinite}", ".dtype.atype.btype", shapes!(integer $k32), "; .dtype = { .s32 }; .atype = { .s8 }; .btype = { .s8 }", "", "", "(0)"),
            $multiply!("{.satfinite}", ".dtype.atype.btype", shapes!(integer $k32), "; .dtype = { .s32 }; .atype = { .u8 }; .btype = { .u8 }", "", "", "(0)"),
            $multiply!("{.satfinite}", ".dtype.atype.btype", shapes!(integer $k32), "; .dtype = { .s32 }; .atype = { .s8 }; .btype = { .u8 }", "", "", "(0)", needs MIXED),
            $multiply!("{.satfinite}", ".dtype.atype.btype", shapes!(integer $k32), "; .dtype = { .s32 }; .atype = { .u8 }; .btype = { .s8 }", "", "", "(0)", needs MIXED),
        ]
    };
}

/// Mixed signs came later.
const MIXED: &[Need] = &[Need::new("u8", (8, 4), 90)];

const DENSE: [[Form; 2]; 8] = families!(multiply, "16", "8", "32");
const SPARSE: [[Form; 2]; 8] = families!(sparse, "32", "16", "64");
const BITS: [Form; 2] = multiply!(
    "",
    ".dtype.atype.btype.and.popc",
    shapes!(integer "256"),
    "; .dtype = { .s32 }; .atype = { .b1 }; .btype = { .b1 }",
    "",
    "",
    ""
);

const FENCES: [Form; 3] = [
    Form::new("wgmma.fence!.sync{.aligned}", (8, 0), 90, meet).architecture(&[90]),
    Form::new("wgmma.commit_group!.sync{.aligned}", (8, 0), 90, meet).architecture(&[90]),
    Form::new("wgmma.wait_group!.sync{.aligned} n:u32=(0..7)", (8, 0), 90, meet)
        .architecture(&[90]),
];

const ALL: &[Form] = &[
    FENCES[0],
    FENCES[1],
    FENCES[2],
    DENSE[0][0],
    DENSE[0][1],
    DENSE[1][0],
    DENSE[1][1],
    DENSE[2][0],
    DENSE[2][1],
    DENSE[3][0],
    DENSE[3][1],
    DENSE[4][0],
    DENSE[4][1],
    DENSE[5][0],
    DENSE[5][1],
    DENSE[6][0],
    DENSE[6][1],
    DENSE[7][0],
    DENSE[7][1],
    BITS[0],
    BITS[1],
    SPARSE[0][0],
    SPARSE[0][1],
    SPARSE[1][0],
    SPARSE[1][1],
    SPARSE[2][0],
    SPARSE[2][1],
    SPARSE[3][0],
    SPARSE[3][1],
    SPARSE[4][0],
    SPARSE[4][1],
    SPARSE[5][0],
    SPARSE[5][1],
    SPARSE[6][0],
    SPARSE[6][1],
    SPARSE[7][0],
    SPARSE[7][1],
];

pub(super) const ENTRIES: &[Entry] =
    &[Entry { name: "wgmma", section: "9.7.15 wgmma", forms: ALL }];
