//! Textures and surfaces. Warpwise knows their instructions and does not run them.

use super::{Entry, Form, Need, Since};

/// `tex` in one mode: its word, the geometries, what stands in the brackets, and the operands behind them.
macro_rules! tex {
    ($mode:literal, $geoms:literal, $where:literal, $ctypes:literal, $more:literal, $ptx:expr, $sm:literal) => {
        tex!($mode, $geoms, $where, $ctypes, $more, $ptx, $sm, ".v4.dtype", "d{4}[|p]:dtype", ".dtype = { .u32, .s32, .f16, .f32 }")
    };
    ($mode:literal, $geoms:literal, $where:literal, $ctypes:literal, $more:literal, $ptx:expr, $sm:literal, $ty:literal, $d:literal, $choice:literal) => {
        Form::legal(
            concat!(
                "tex", $mode, ".geom", $ty, ".ctype ", $d, ", ", $where, $more, "; .geom = { ",
                $geoms, " }; .ctype = { ", $ctypes, " }; ", $choice
            ),
            $ptx,
            $sm,
        )
        .needs(TEX)
    };
}

/// The modes of `tex`: of the base level, of a level, and with gradients.
macro_rules! modes {
    ($geoms:literal, $where:literal, $ctypes:literal, $ptx:expr, $sm:literal) => {
        [
            tex!("{.base!}", $geoms, $where, $ctypes, "{, int depth:ctype}", $ptx, $sm),
            tex!("{.base!}", $geoms, $where, $ctypes, ", offset@geom:s32{, int depth:ctype}", (4, 3), 30),
            tex!(".level!", $geoms, $where, $ctypes, ", int lod:ctype{, int depth:ctype}", (3, 1), 20),
            tex!(".level!", $geoms, $where, $ctypes, ", int lod:ctype, offset@geom:s32{, int depth:ctype}", (4, 3), 30),
            tex!("{.base!}", $geoms, $where, $ctypes, "{, int depth:ctype}", (4, 2), 53, ".v2.f16x2", "d{2}[|p]:f16x2", ""),
            tex!(".level!", $geoms, $where, $ctypes, ", int lod:ctype{, int depth:ctype}", (4, 2), 53, ".v2.f16x2", "d{2}[|p]:f16x2", ""),
        ]
    };
}

/// What words of `tex` need.
const TEX: &[Need] = &[
    Need::new("f16", (4, 2), 53),
    Need::new("base", (3, 1), 20),
    Need::new("cube", (3, 0), 20),
    Need::new("acube", (3, 0), 20),
    Need::new("a1d", (3, 0), 20),
    Need::new("a2d", (3, 0), 20),
    Need::new("2dms", (3, 2), 30),
    Need::new("a2dms", (3, 2), 30),
];

/// Geometries that gathers took later.
const GATHER: &[Need] = &[
    Need::new("a2d", (4, 3), 30),
    Need::new("cube", (4, 3), 30),
    Need::new("acube", (4, 3), 30),
];

/// Queries that came later.
const QUERIES: &[Need] = &[
    Need::new("num_samples", (4, 1), 30),
    Need::new("num_mipmap_levels", (4, 1), 20),
    Need::new("array_size", (4, 1), 20),
    Need::new("memory_layout", (4, 2), 20),
];

const PLAIN: [Form; 6] = modes!(".1d, .2d, .3d, .a1d, .a2d", "[a:tex, c@geom:ctype]", ".s32, .f32", (1, 0), 10);
const CUBE: [Form; 6] = modes!(".cube, .acube", "[a:tex, c@geom:ctype]", ".f32", (3, 0), 20);
const SAMPLED: [Form; 6] = modes!(".1d, .2d, .3d", "[a:tex, {&}sampler:u64, c@geom:ctype]", ".s32, .f32", (4, 3), 30);

const TEXTURE: &[Form] = &[
    PLAIN[0], PLAIN[1], PLAIN[2], PLAIN[3], PLAIN[4], PLAIN[5],
    // Cubes take no offsets.
    CUBE[0], CUBE[2], CUBE[4], CUBE[5],
    // The assembler takes no levels with a sampler.
    SAMPLED[0], SAMPLED[1],
    Form { since: Since { ptx: (4, 3), sm: 53 }, ..SAMPLED[4] },
    tex!("{.base!}", ".2dms, .a2dms", "[a:tex, c@geom:ctype]", ".s32", "", (3, 2), 30),
    tex!(".grad!", ".2d, .a2d", "[a:tex, c@geom:ctype]", ".f32", ", dx{2}:f32, dy{2}:f32", (3, 1), 20),
    tex!(".grad!", ".3d", "[a:tex, c@geom:ctype]", ".f32", ", dx{4}:f32, dy{4}:f32", (3, 1), 20),
    tex!(".grad!", ".cube, .acube", "[a:tex, c@geom:ctype]", ".f32", ", dx{4}:f32, dy{4}:f32", (4, 3), 20).needs(TEX),
    tex!(".grad!", ".1d, .a1d", "[a:tex, c@geom:ctype]", ".f32", ", dx{1}:f32, dy{1}:f32", (3, 1), 20),
];

/// A form on a surface.
macro_rules! surface {
    ($name:literal, $geoms:literal, $mode:literal, $operands:literal, $choices:literal, $ptx:expr, $sm:literal) => {
        Form::legal(
            concat!(
                $name, ".geom", $mode, ".clamp ", $operands, "; .geom = { ", $geoms,
                " }; .clamp = { .trap, .clamp, .zero }; ", $choices
            ),
            $ptx,
            $sm,
        )
        .needs(SURFACES)
    };
}

/// What words of surface accesses need.
const SURFACES: &[Need] = &[
    Need::new("3d", (2, 0), 20),
    Need::new("a1d", (3, 0), 20),
    Need::new("a2d", (3, 0), 20),
    Need::new("clamp", (2, 0), 20),
    Need::new("zero", (2, 0), 20),
    Need::new("ca", (2, 0), 20),
    Need::new("cg", (2, 0), 20),
    Need::new("cs", (2, 0), 20),
    Need::new("cv", (2, 0), 20),
    Need::new("wb", (2, 0), 20),
    Need::new("wt", (2, 0), 20),
];

pub(super) const ENTRIES: &[Entry] = &[
    Entry { name: "tex", section: "9.7.10.3 tex", forms: TEXTURE },
    Entry {
        name: "tld4",
        section: "9.7.10.4 tld4",
        forms: &[
            Form::legal("tld4.comp.geom.v4.dtype.f32 d{4}[|p]:dtype, [a:tex, c@geom:f32]{, int depth:f32}; .comp = { .r, .g, .b, .a }; .geom = { .2d, .a2d, .cube, .acube }; .dtype = { .u32, .s32, .f32 }", (2, 2), 20).needs(GATHER),
            Form::legal("tld4.comp.geom.v4.dtype.f32 d{4}[|p]:dtype, [a:tex, {&}sampler:u64, c@geom:f32]{, int depth:f32}; .comp = { .r, .g, .b, .a }; .geom = { .2d }; .dtype = { .u32, .s32, .f32 }", (4, 3), 30),
            Form::legal("tld4.comp.geom.v4.dtype.f32 d{4}[|p]:dtype, [a:tex, c@geom:f32], offset@geom:s32{, int depth:f32}; .comp = { .r, .g, .b, .a }; .geom = { .2d, .a2d }; .dtype = { .u32, .s32, .f32 }", (4, 3), 30),
        ],
    },
    Entry {
        name: "txq",
        section: "9.7.10.5 txq",
        forms: &[
            Form::legal("txq.query.b32 d, [a:tex]; .query = { .width, .height, .depth, .channel_data_type, .channel_order, .normalized_coords, .array_size, .num_mipmap_levels, .num_samples, .force_unnormalized_coords, .filter_mode, .addr_mode_0, .addr_mode_1, .addr_mode_2 }", (1, 5), 10).needs(QUERIES),
            Form::legal("txq.level!.query.b32 d, [a:tex], lod:u32; .query = { .width, .height, .depth }", (4, 3), 30),
        ],
    },
    Entry {
        name: "istypep",
        section: "9.7.10.6 istypep",
        forms: &[Form::legal("istypep.type d:pred, a:u64; .type = { .texref, .samplerref, .surfref }", (4, 0), 30)],
    },
    Entry {
        name: "suld",
        section: "9.7.11.1 suld",
        forms: &[surface!("suld.b!", ".1d, .2d, .3d, .a1d, .a2d", "{.cop}{.vec}.type", "d*~, [a:tex, c@geom:s32]", ".cop = { .ca, .cg, .cs, .cv }; .vec = { .v2, .v4 }; .type = { .b8, .b16, .b32, .b64 }", (1, 5), 10)],
    },
    Entry {
        name: "sust",
        section: "9.7.11.2 sust",
        forms: &[
            surface!("sust.b!", ".1d, .2d, .3d, .a1d, .a2d", "{.cop}{.vec}.type", "[a:tex, c@geom:s32], b*~", ".cop = { .wb, .cg, .cs, .wt }; .vec = { .v2, .v4 }; .type = { .b8, .b16, .b32, .b64 }", (1, 5), 10),
            surface!("sust.p!", ".1d, .2d, .3d", "{.vec}.type", "[a:tex, c@geom:s32], b*~", ".vec = { .v2, .v4 }; .type = { .b32 }", (2, 0), 20),
            surface!("sust.p!", ".a1d, .a2d", "{.vec}.type", "[a:tex, c@geom:s32], b*~", ".vec = { .v2, .v4 }; .type = { .b32 }", (4, 1), 30),
        ],
    },
    Entry {
        name: "sured",
        section: "9.7.11.3 sured",
        forms: &[
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .add }; .type = { .u32, .u64, .s32 }", (2, 0), 20),
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .min, .max }; .type = { .u32, .s32 }", (2, 0), 20),
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .min, .max }; .type = { .u64, .s64 }", (8, 1), 50),
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .and, .or }; .type = { .b32 }", (2, 0), 20),
            surface!("sured.p!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .add, .min, .max, .and, .or }; .type = { .b32 }", (2, 0), 20),
            surface!("sured.p!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .min, .max }; .type = { .b64 }", (8, 1), 50),
        ],
    },
    Entry {
        name: "suq",
        section: "9.7.11.4 suq",
        forms: &[Form::legal("suq.query.b32 d, [a:tex]; .query = { .width, .height, .depth, .channel_data_type, .channel_order, .array_size, .memory_layout }", (1, 5), 10).needs(QUERIES)],
    },
];
