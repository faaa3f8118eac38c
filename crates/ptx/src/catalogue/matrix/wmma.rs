//! The forms of `wmma`. Fragments of binary16 hold every element twice.

use super::product::multiply_wmma;
use super::warp_matrix::{load, store};
use crate::catalogue::{Form, Need};

/// Loads of a fragment: which, its shapes, type and registers.
macro_rules! load {
    ($aligned:literal, $part:literal, $layout:literal, $shapes:literal, $ty:literal, $d:literal, $ptx:expr, $sm:literal) => {
        Form::new(
            concat!(
                "wmma.load!.",
                $part,
                "!.sync",
                $aligned,
                ".layout.shape{.ss}.type ",
                $d,
                ", [a]{, stride:u32}; .layout = { ",
                $layout,
                " }; .shape = { ",
                $shapes,
                " }; .ss = { .global, .shared, .shared::cta }; .type = { ",
                $ty,
                " }"
            ),
            $ptx,
            $sm,
            load,
        )
        .needs(SHAPES)
    };
}

macro_rules! store {
    ($aligned:literal, $shapes:literal, $ty:literal, $b:literal, $ptx:expr, $sm:literal) => {
        Form::new(
            concat!(
                "wmma.store!.d!.sync",
                $aligned,
                ".layout.shape{.ss}.type [a], ",
                $b,
                "{, stride:u32}; .layout = { .row, .col }; .shape = { ",
                $shapes,
                " }; .ss = { .global, .shared, .shared::cta }; .type = { ",
                $ty,
                " }"
            ),
            $ptx,
            $sm,
            store,
        )
        .needs(SHAPES)
    };
}

/// `d = a * b + c`.
macro_rules! multiply {
    ($aligned:literal, $end:literal, $shapes:literal, $d:literal, $dr:literal, $c:literal, $cr:literal, $ptx:expr) => {
        Form::new(
            concat!(
                "wmma.mma!.sync",
                $aligned,
                ".alayout.blayout.shape.dtype.ctype",
                $end,
                " ",
                $dr,
                ", a{8}:f16x2, b{8}:f16x2, ",
                $cr,
                "; .alayout = { .row, .col }; .blayout = { .row, .col }; .shape = { ",
                $shapes,
                " }; .dtype = { ",
                $d,
                " }; .ctype = { ",
                $c,
                " }"
            ),
            $ptx,
            70,
            multiply_wmma,
        )
        .needs(SHAPES)
    };
    ($layouts:literal, $flags:literal, $shapes:literal, $types:literal, $dc:literal, $end:literal, $more:literal, $ptx:expr, $sm:literal) => {
        Form::new(
            concat!(
                "wmma.mma!",
                $flags,
                ".sync.aligned",
                $layouts,
                ".shape.dtype.atype.btype.ctype",
                $end,
                " d{mn}:dtype, a{mk}:atype, b{kn}:btype, c{mn}:ctype; .shape = { ",
                $shapes,
                " }; .dtype = { ",
                $dc,
                " }; .atype = { ",
                $types,
                " }; .btype = { ",
                $types,
                " }; .ctype = { ",
                $dc,
                " }",
                $more
            ),
            $ptx,
            $sm,
            multiply_wmma,
        )
        .needs(SHAPES)
    };
}

/// Words that came later.
const SHAPES: &[Need] = &[
    Need::new("and", (7, 1), 80),
    Need::new("m8n32k16", (6, 1), 70),
    Need::new("m32n8k16", (6, 1), 70),
];

const UNALIGNED: &str = "write `.sync.aligned`";

pub(super) const FORMS: &[Form] = &[
    load!(
        ".aligned",
        "a",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{8}:f16x2",
        (6, 3),
        70
    ),
    load!(
        ".aligned",
        "b",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{8}:f16x2",
        (6, 3),
        70
    ),
    load!(
        ".aligned",
        "c",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16, .f32",
        "d{mn}:type",
        (6, 3),
        70
    ),
    load!(
        ".aligned",
        "a",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".s8, .u8",
        "d{mk}:type",
        (6, 3),
        72
    ),
    load!(
        ".aligned",
        "b",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".s8, .u8",
        "d{kn}:type",
        (6, 3),
        72
    ),
    load!(
        ".aligned",
        "c",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".s32",
        "d{mn}:type",
        (6, 3),
        72
    ),
    load!(
        ".aligned",
        "a",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".bf16",
        "d{mk}:type",
        (7, 0),
        80
    ),
    load!(
        ".aligned",
        "b",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".bf16",
        "d{kn}:type",
        (7, 0),
        80
    ),
    load!(".aligned", "a", ".row, .col", ".m16n16k8", ".tf32", "d{mk}:type", (7, 0), 80),
    load!(".aligned", "b", ".row, .col", ".m16n16k8", ".tf32", "d{kn}:type", (7, 0), 80),
    load!(".aligned", "c", ".row, .col", ".m16n16k8", ".f32", "d{mn}:type", (7, 0), 80),
    load!(".aligned", "a", ".row, .col", ".m8n8k4", ".f64", "d{mk}:type", (7, 0), 80),
    load!(".aligned", "b", ".row, .col", ".m8n8k4", ".f64", "d{kn}:type", (7, 0), 80),
    load!(".aligned", "c", ".row, .col", ".m8n8k4", ".f64", "d{mn}:type", (7, 0), 80),
    load!(".aligned", "a", ".row", ".m8n8k32", ".s4, .u4", "d{mk}:type", (6, 3), 75),
    load!(".aligned", "b", ".col", ".m8n8k32", ".s4, .u4", "d{kn}:type", (6, 3), 75),
    load!(".aligned", "a", ".row", ".m8n8k128", ".b1", "d{mk}:type", (6, 3), 75),
    load!(".aligned", "b", ".col", ".m8n8k128", ".b1", "d{kn}:type", (6, 3), 75),
    load!(".aligned", "c", ".row, .col", ".m8n8k32, .m8n8k128", ".s32", "d{mn}:type", (6, 3), 75),
    store!(".aligned", ".m16n16k16, .m8n32k16, .m32n8k16", ".f16, .f32", "b{mn}:type", (6, 3), 70),
    store!(".aligned", ".m16n16k16, .m8n32k16, .m32n8k16", ".s32", "b{mn}:type", (6, 3), 72),
    store!(".aligned", ".m8n8k32, .m8n8k128", ".s32", "b{mn}:type", (6, 3), 75),
    store!(".aligned", ".m16n16k8", ".f32", "b{mn}:type", (7, 0), 80),
    store!(".aligned", ".m8n8k4", ".f64", "b{mn}:type", (7, 0), 80),
    multiply!(
        ".aligned",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{4}:f16x2",
        ".f16",
        "c{4}:f16x2",
        (6, 3)
    ),
    multiply!(
        ".aligned",
        ".satfinite",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{4}:f16x2",
        ".f16",
        "c{4}:f16x2",
        (6, 3)
    )
    .removed((6, 5), 70, "leave out `.satfinite`")
    .deprecated((6, 4)),
    multiply!(
        ".aligned",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f32",
        "d{8}:f32",
        ".f16",
        "c{4}:f16x2",
        (6, 3)
    ),
    multiply!(
        ".aligned",
        ".satfinite",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f32",
        "d{8}:f32",
        ".f16",
        "c{4}:f16x2",
        (6, 3)
    )
    .removed((6, 5), 70, "leave out `.satfinite`")
    .deprecated((6, 4)),
    multiply!(
        ".aligned",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{4}:f16x2",
        ".f32",
        "c{8}:f32",
        (6, 3)
    ),
    multiply!(
        ".aligned",
        ".satfinite",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{4}:f16x2",
        ".f32",
        "c{8}:f32",
        (6, 3)
    )
    .removed((6, 5), 70, "leave out `.satfinite`")
    .deprecated((6, 4)),
    multiply!(
        ".aligned",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f32",
        "d{8}:f32",
        ".f32",
        "c{8}:f32",
        (6, 3)
    ),
    multiply!(
        ".aligned",
        ".satfinite",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f32",
        "d{8}:f32",
        ".f32",
        "c{8}:f32",
        (6, 3)
    )
    .removed((6, 5), 70, "leave out `.satfinite`")
    .deprecated((6, 4)),
    multiply!(
        ".alayout.blayout",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".s8",
        ".s32",
        "{.satfinite}",
        "; .alayout = { .row, .col }; .blayout = { .row, .col }",
        (6, 3),
        72
    ),
    multiply!(
        ".alayout.blayout",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".u8",
        ".s32",
        "{.satfinite}",
        "; .alayout = { .row, .col }; .blayout = { .row, .col }",
        (6, 3),
        72
    ),
    multiply!(
        ".alayout.blayout",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".bf16",
        ".f32",
        "",
        "; .alayout = { .row, .col }; .blayout = { .row, .col }",
        (7, 0),
        80
    ),
    multiply!(
        ".alayout.blayout",
        "",
        ".m16n16k8",
        ".tf32",
        ".f32",
        "",
        "; .alayout = { .row, .col }; .blayout = { .row, .col }",
        (7, 0),
        80
    ),
    multiply!(
        ".alayout.blayout",
        "",
        ".m8n8k4",
        ".f64",
        ".f64",
        "{.rnd}",
        "; .alayout = { .row, .col }; .blayout = { .row, .col }; .rnd = { .rn, .rz, .rm, .rp }",
        (7, 0),
        80
    ),
    multiply!(".row.col>", "", ".m8n8k32", ".s4", ".s32", "{.satfinite}", "", (6, 3), 75),
    multiply!(".row.col>", "", ".m8n8k32", ".u4", ".s32", "{.satfinite}", "", (6, 3), 75),
    multiply!(
        ".row.col>",
        ".op.popc",
        ".m8n8k128",
        ".b1",
        ".s32",
        "",
        "; .op = { .xor, .and }",
        (6, 3),
        75
    ),
    // Before PTX 6.3 there was no `.aligned`.
    load!(
        "",
        "a",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{8}:f16x2",
        (6, 0),
        70
    )
    .removed((6, 3), 70, UNALIGNED),
    load!(
        "",
        "b",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{8}:f16x2",
        (6, 0),
        70
    )
    .removed((6, 3), 70, UNALIGNED),
    load!(
        "",
        "c",
        ".row, .col",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16, .f32",
        "d{mn}:type",
        (6, 0),
        70
    )
    .removed((6, 3), 70, UNALIGNED),
    store!("", ".m16n16k16, .m8n32k16, .m32n8k16", ".f16, .f32", "b{mn}:type", (6, 0), 70).removed(
        (6, 3),
        70,
        UNALIGNED,
    ),
    multiply!(
        "",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{4}:f16x2",
        ".f16",
        "c{4}:f16x2",
        (6, 0)
    )
    .removed((6, 3), 70, UNALIGNED),
    multiply!(
        "",
        ".satfinite",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{4}:f16x2",
        ".f16",
        "c{4}:f16x2",
        (6, 0)
    )
    .removed((6, 3), 70, UNALIGNED),
    multiply!(
        "",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f32",
        "d{8}:f32",
        ".f16",
        "c{4}:f16x2",
        (6, 0)
    )
    .removed((6, 3), 70, UNALIGNED),
    multiply!(
        "",
        ".satfinite",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f32",
        "d{8}:f32",
        ".f16",
        "c{4}:f16x2",
        (6, 0)
    )
    .removed((6, 3), 70, UNALIGNED),
    multiply!(
        "",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{4}:f16x2",
        ".f32",
        "c{8}:f32",
        (6, 0)
    )
    .removed((6, 3), 70, UNALIGNED),
    multiply!(
        "",
        ".satfinite",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f16",
        "d{4}:f16x2",
        ".f32",
        "c{8}:f32",
        (6, 0)
    )
    .removed((6, 3), 70, UNALIGNED),
    multiply!(
        "",
        "",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f32",
        "d{8}:f32",
        ".f32",
        "c{8}:f32",
        (6, 0)
    )
    .removed((6, 3), 70, UNALIGNED),
    multiply!(
        "",
        ".satfinite",
        ".m16n16k16, .m8n32k16, .m32n8k16",
        ".f32",
        "d{8}:f32",
        ".f32",
        "c{8}:f32",
        (6, 0)
    )
    .removed((6, 3), 70, UNALIGNED),
];
