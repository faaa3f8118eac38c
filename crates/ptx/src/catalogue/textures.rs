//! Textures and surfaces.

mod lower;
mod surfaces;

use super::{Entry, Form, Need, Removed, Samplers, Since};

/// The forms of `tex`: what stands in the brackets before the coordinates, and in which modules; then a row each: mode; geometries; types
/// of coordinates; the operands behind; PTX version and target; the lowering; and, for forms that targets from sm_90 on lack, why, and whether those
/// of four results and those of two halves are gone. Each row is a form with four results and one with two halves.
macro_rules! textures {
    ($where:literal $samplers:ident $($mode:literal $geoms:literal $ctypes:literal $more:literal $ptx:literal $sm:literal by $lower:ident $(gone $why:ident $four:literal $two:literal)?;)+) => {
        &[$(
            textures!(@ ($where, $samplers), $mode, ".v4.dtype", "d{4}[|p]:dtype", $geoms, $ctypes, $more,
                "; .dtype = { .u32, .s32, .f16, .f32 }", since($ptx, $sm, (1, 0), 10), [None $(, gone($why, $four))?], lower::$lower),
            textures!(@ ($where, $samplers), $mode, ".v2.f16x2", "plain d{2}[|p]:f16x2", $geoms, $ctypes, $more,
                "", since($ptx, $sm, (4, 2), 53), [None $(, gone($why, $two))?], lower::$lower),
        )+]
    };
    (@ ($where:literal, $samplers:ident), $mode:literal, $ty:literal, $d:literal, $geoms:literal, $ctypes:literal, $more:literal, $choice:literal, $since:expr, $gone:expr, $lower:expr) => {
        Form {
            since: $since,
            removed: last(&$gone),
            samplers: Samplers::$samplers,
            lower: $lower,
            ..Form::legal(
                concat!(
                    "tex", $mode, "{.uni}.geom", $ty, ".ctype ", $d, ", [a:tex, ", $where, "c@geom:ctype]",
                    $more, "; .geom = { ", $geoms, " }; .ctype = { ", $ctypes, " }", $choice
                ),
                (1, 0),
                10,
            )
        }
        .needs(TEX)
    };
}

/// Gradients with a sampler and a depth, or in three dimensions, are not on targets from sm_90 on: the assembler
/// has no code for them.
const WITHOUT: Removed = missing("a texture that has its own sampler: `[a, c]`");

/// Nor is one offset for all coordinates between gradients and a depth, unless it is untyped.
const LONE: Removed = missing("a vector of offsets");

/// What targets from sm_90 on do not have.
const fn missing(instead: &'static str) -> Removed {
    Removed { ptx: (1, 0), deprecated: (1, 0), sm: 90, instead }
}

/// Where a form ends, if it does.
const fn gone(why: Removed, is_gone: bool) -> Option<Removed> {
    if is_gone { Some(why) } else { None }
}

/// The last of some.
const fn last(all: &[Option<Removed>]) -> Option<Removed> {
    all[all.len() - 1]
}

/// The later of a version `tenths` and another, and of two targets.
const fn since(tenths: u32, sm: u32, ptx: (u32, u32), least: u32) -> Since {
    let own = (tenths / 10, tenths % 10);
    let is_later = own.0 > ptx.0 || own.0 == ptx.0 && own.1 > ptx.1;
    Since { ptx: if is_later { own } else { ptx }, sm: if sm > least { sm } else { least } }
}

/// What words of `tex` need.
const TEX: &[Need] = &[
    Need::new("uni", (3, 2), 20),
    Need::new("f16", (4, 2), 53),
    Need::new("base", (3, 1), 20),
    Need::new("cube", (3, 0), 20),
    Need::new("acube", (3, 0), 20),
    Need::new("a1d", (3, 0), 20),
    Need::new("a2d", (3, 0), 20),
    Need::new("2dms", (3, 2), 30),
    Need::new("a2dms", (3, 2), 30),
];

/// What gathers took later.
const GATHER: &[Need] = &[
    Need::new("uni", (3, 2), 20),
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

/// The forms in which a texture stands alone, with what stands before the coordinates and in which modules they are.
#[rustfmt::skip]
macro_rules! alone {
    ($($with:tt)*) => { textures! { $($with)*
        "{.base!}" ".1d, .2d, .3d, .a1d, .a2d" ".s32, .f32" "" 10 10 by sample;
        "{.base!}" ".1d, .2d, .a1d, .a2d" ".s32, .f32" ", offset@geom:s32" 43 30 by sample;
        "{.base!}" ".3d" ".s32, .f32" ", typed offset@geom:s32" 43 30 by sample;
        "{.base!}" ".1d, .2d, .a1d, .a2d" ".f32" ", int depth:f32" 43 30 by depth;
        "{.base!}" ".1d, .2d, .a1d, .a2d" ".f32" ", offset@geom:s32, int depth:f32" 43 30 by depth;
        "{.base!}" ".cube, .acube" ".f32" "" 30 20 by sample;
        "{.base!}" ".cube, .acube" ".f32" ", int depth:f32" 43 30 by depth;
        "{.base!}" ".cube, .acube" ".f32" ", typed offset:s32" 31 20 by cube_offset;
        "{.base!}" ".cube, .acube" ".f32" ", offset:s32, depth:f32" 43 30 by depth;
        "{.base!}" ".2dms, .a2dms" ".s32" "" 32 30 by samples;
        "{.base!}" ".2dms, .a2dms" ".s32" ", offset@geom:s32" 43 30 by samples;
        ".level!" ".1d, .2d, .3d, .a1d, .a2d" ".s32, .f32" ", int lod{}:ctype" 31 20 by sample;
        ".level!" ".1d, .2d, .a1d, .a2d" ".s32, .f32" ", int lod{}:ctype, offset@geom:s32" 43 30 by sample;
        ".level!" ".3d" ".s32, .f32" ", int lod{}:ctype, typed offset@geom:s32" 43 30 by sample;
        ".level!" ".1d, .2d, .a1d, .a2d" ".f32" ", int lod{}:ctype, int depth:f32" 43 30 by depth;
        ".level!" ".1d, .2d, .a1d, .a2d" ".f32" ", int lod{}:ctype, offset@geom:s32, int depth:f32" 43 30 by depth;
        ".level!" ".cube, .acube" ".f32" ", int lod{}:ctype" 31 20 by sample;
        ".level!" ".cube, .acube" ".f32" ", int lod{}:ctype, int depth:f32" 43 30 by depth;
        ".level!" ".cube, .acube" ".f32" ", int lod{}:ctype, typed offset:s32" 31 20 by cube_offset;
        ".level!" ".cube, .acube" ".f32" ", int lod{}:ctype, offset:s32, depth:f32" 43 30 by depth;
        ".grad!" ".1d, .a1d" ".s32, .f32" ", dx{1}:f32, dy{1}:f32" 31 20 by sample;
        ".grad!" ".1d, .a1d" ".s32, .f32" ", dx{1}:f32, dy{1}:f32, offset@geom:s32" 43 30 by sample;
        ".grad!" ".1d, .a1d" ".f32" ", dx{1}:f32, dy{1}:f32, depth:f32" 43 30 by depth;
        ".grad!" ".1d, .a1d" ".f32" ", dx{1}:f32, dy{1}:f32, offset@geom:s32, int depth:f32" 43 30 by depth gone LONE true false;
        ".grad!" ".1d, .a1d" ".f32" ", dx{1}:f32, dy{1}:f32, offset{1+}:s32, int depth:f32" 43 30 by depth;
        ".grad!" ".1d, .a1d" ".f32" ", dx{1}:f32, dy{1}:f32, offset:tf32, int depth:f32" 43 30 by depth;
        ".grad!" ".2d, .a2d" ".s32, .f32" ", dx{2}:f32, dy{2}:f32" 31 20 by sample;
        ".grad!" ".2d, .a2d" ".s32, .f32" ", dx{2}:f32, dy{2}:f32, offset@geom:s32" 43 30 by sample;
        ".grad!" ".2d, .a2d" ".f32" ", dx{2}:f32, dy{2}:f32, depth:f32" 43 30 by depth;
        ".grad!" ".2d, .a2d" ".f32" ", dx{2}:f32, dy{2}:f32, offset@geom:s32, int depth:f32" 43 30 by depth gone LONE true false;
        ".grad!" ".2d, .a2d" ".f32" ", dx{2}:f32, dy{2}:f32, offset{2+}:s32, int depth:f32" 43 30 by depth;
        ".grad!" ".2d, .a2d" ".f32" ", dx{2}:f32, dy{2}:f32, offset:tf32, int depth:f32" 43 30 by depth;
        ".grad!" ".3d" ".s32, .f32" ", dx{4}:f32, dy{4}:f32" 31 20 by sample;
        ".grad!" ".3d" ".s32, .f32" ", dx{4}:f32, dy{4}:f32, typed offset@geom:s32" 43 30 by sample;
        // Before sm_90, gradients of another length crash the assembler.
        ".grad!" ".cube, .acube" ".f32" ", dx{4}:f32, dy{4}:f32" 43 20 by sample;
        ".grad!" ".cube, .acube" ".f32" ", dx{1+}:f32, dy{1+}:f32" 78 90 by sample;
        ".grad!" ".cube, .acube" ".f32" ", dx{4}:f32, dy{4}:f32, depth:f32" 43 30 by depth;
        ".grad!" ".cube, .acube" ".f32" ", dx{1+}:f32, dy{1+}:f32, depth:f32" 78 90 by depth;
        ".grad!" ".cube, .acube" ".f32" ", dx{4}:f32, dy{4}:f32, typed offset:s32" 43 30 by cube_offset;
        ".grad!" ".cube, .acube" ".f32" ", dx{1+}:f32, dy{1+}:f32, typed offset:s32" 78 90 by cube_offset;
        ".grad!" ".cube, .acube" ".f32" ", dx{4}:f32, dy{4}:f32, offset:s32, depth:f32" 43 30 by depth gone LONE true false;
        ".grad!" ".cube, .acube" ".f32" ", dx{4}:f32, dy{4}:f32, offset:tf32, depth:f32" 43 30 by depth;
        ".grad!" ".cube, .acube" ".f32" ", dx{1+}:f32, dy{1+}:f32, offset:tf32, depth:f32" 78 90 by depth;
    } };
}

/// A texture alone says how it is read, where samplers are parts of textures.
const OWN: &[Form] = alone!("" Unified);

/// Where they are not, a sampler stands behind it.
const APART: &[Form] = alone!("sampler:samplerref, " Apart);

/// Where they are, the assembler takes a register there, too.
#[rustfmt::skip]
const SAMPLED: &[Form] = textures! { "sampler:samplerref, " Unified
    "{.base!}" ".1d, .2d, .3d" ".s32, .f32" "" 43 30 by sample;
    "{.base!}" ".1d, .2d" ".s32, .f32" ", offset{}:s32" 43 30 by sample;
    "{.base!}" ".3d" ".s32, .f32" ", typed offset{}:s32" 43 30 by sample;
    "{.base!}" ".1d, .2d" ".f32" ", int depth:f32" 43 30 by depth;
    "{.base!}" ".1d, .2d" ".f32" ", offset{}:s32, depth:f32" 43 30 by depth;
    // Of levels with a sampler, the assembler takes no arrays, and an offset without a depth only behind a vector.
    ".level!" ".1d" ".f32" ", int lod{}:ctype" 43 30 by sample;
    ".level!" ".2d, .cube" ".f32" ", int lod:ctype" 43 30 by sample;
    ".level!" ".2d" ".f32" ", lod{2+}:ctype" 43 30 by sample;
    ".level!" ".3d" ".f32" ", lod{4}:ctype" 43 30 by sample;
    ".level!" ".1d" ".f32" ", lod{1+}:ctype, typed offset{}:s32" 43 30 by sample;
    ".level!" ".1d" ".f32" ", int lod{}:ctype, depth:f32" 43 30 by depth;
    ".level!" ".2d, .cube" ".f32" ", int lod:ctype, depth:f32" 43 30 by depth;
    ".level!" ".1d, .2d, .cube" ".f32" ", int lod{}:ctype, offset{}:s32, depth:f32" 43 30 by depth;
    // With integer coordinates, it takes untyped registers for the level or the depth. No register is a `.tf32`.
    ".level!" ".1d, .2d" ".s32" ", lod:tf32" 43 30 by sample;
    ".level!" ".1d, .2d" ".s32" ", lod:s32, depth:tf32" 43 30 by depth;
    ".level!" ".1d" ".s32" ", lod{1+}:s32" 43 30 by sample;
    ".level!" ".1d" ".s32" ", lod{1+}:s32, depth:tf32" 43 30 by depth;
    ".level!" ".2d" ".s32" ", lod{2+}:s32, depth:tf32" 43 30 by depth;
    ".grad!" ".1d" ".s32, .f32" ", dx{1}:f32, dy{1+}:f32" 43 30 by sample;
    ".grad!" ".1d" ".s32, .f32" ", dx{1}:f32, dy{1+}:f32, typed offset{}:s32" 43 30 by sample;
    ".grad!" ".1d" ".f32" ", dx{1}:f32, dy{1+}:f32, int depth:f32" 43 30 by depth gone WITHOUT true true;
    ".grad!" ".1d" ".f32" ", dx{1}:f32, dy{1+}:f32, offset{}:s32, int depth:f32" 43 30 by depth gone WITHOUT true false;
    ".grad!" ".2d" ".s32, .f32" ", dx{2}:f32, dy{2+}:f32" 43 30 by sample;
    ".grad!" ".2d" ".s32, .f32" ", dx{2}:f32, dy{2+}:f32, typed offset{}:s32" 43 30 by sample;
    ".grad!" ".2d" ".f32" ", dx{2}:f32, dy{2+}:f32, int depth:f32" 43 30 by depth gone WITHOUT true true;
    ".grad!" ".2d" ".f32" ", dx{2}:f32, dy{2+}:f32, offset{}:s32, int depth:f32" 43 30 by depth gone WITHOUT true false;
    ".grad!" ".3d" ".s32, .f32" ", dx{4}:f32, dy{4}:f32" 43 30 by sample gone WITHOUT true true;
    ".grad!" ".3d" ".s32, .f32" ", dx{4}:f32, dy{4}:f32, typed offset{}:s32" 43 30 by sample gone WITHOUT true true;
};

/// All of them.
static TEXTURE: [Form; OWN.len() + SAMPLED.len() + APART.len()] = all(&[OWN, SAMPLED, APART]);

/// Lists of forms as one.
const fn all<const COUNT: usize>(lists: &[&[Form]]) -> [Form; COUNT] {
    let mut forms = [lists[0][0]; COUNT];
    let (mut list, mut nth) = (0, 0);
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            forms[nth] = lists[list][at];
            (at, nth) = (at + 1, nth + 1);
        }
        list += 1;
    }
    forms
}

/// A form of `tld4`: what stands in the brackets before the coordinates; geometries; what stands behind; PTX version and target; and in
/// which modules it is.
macro_rules! gather {
    ($where:literal, $geoms:literal, $more:literal, $ptx:expr, $sm:literal, $samplers:ident) => {
        Form {
            samplers: Samplers::$samplers,
            ..Form::new(
                concat!(
                    "tld4.comp{.uni}.geom.v4.dtype.ctype d{4}[|p]:dtype, [a:tex, ",
                    $where,
                    "c@geom:ctype]",
                    $more,
                    "{, int depth:f32}; .comp = { .r, .g, .b, .a }; .geom = { ",
                    $geoms,
                    " }; .dtype = { .u32, .s32, .f32 }; .ctype = { .f32 }"
                ),
                $ptx,
                $sm,
                lower::gather,
            )
        }
        .needs(GATHER)
    };
}

/// A form on a surface.
macro_rules! surface {
    ($name:literal, $geoms:literal, $mode:literal, $operands:literal, $choices:literal, $ptx:expr, $sm:literal, $lower:expr) => {
        Form::new(
            concat!(
                $name,
                ".geom",
                $mode,
                ".clamp ",
                $operands,
                "; .geom = { ",
                $geoms,
                " }; .clamp = { .trap, .clamp, .zero }; ",
                $choices
            ),
            $ptx,
            $sm,
            $lower,
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
    Entry { name: "tex", section: "9.7.10.3 tex", forms: &TEXTURE },
    Entry {
        name: "tld4",
        section: "9.7.10.4 tld4",
        forms: &[
            gather!("", ".2d, .a2d, .cube, .acube", "", (2, 2), 20, Unified),
            gather!("sampler:samplerref, ", ".2d", "", (4, 3), 30, Unified),
            gather!("sampler:samplerref, ", ".2d", ", offset{}:s32", (4, 3), 30, Unified),
            gather!("", ".2d, .a2d", ", offset@geom:s32", (4, 3), 30, Unified),
            gather!("sampler:samplerref, ", ".2d, .a2d, .cube, .acube", "", (4, 3), 30, Apart),
            gather!("sampler:samplerref, ", ".2d, .a2d", ", offset@geom:s32", (4, 3), 30, Apart),
        ],
    },
    Entry {
        name: "txq",
        section: "9.7.10.5 txq",
        forms: &[
            Form::new("txq.query.b32 d, [a:tex]; .query = { .width, .height, .depth, .channel_data_type, .channel_order, .normalized_coords, .array_size, .num_mipmap_levels, .num_samples, .force_unnormalized_coords, .filter_mode, .addr_mode_0, .addr_mode_1, .addr_mode_2 }", (1, 5), 10, lower::query).needs(QUERIES),
            Form::new("txq.level!.query.b32 d, [a:tex], lod:u32; .query = { .width, .height, .depth }", (4, 3), 30, lower::query),
        ],
    },
    Entry {
        name: "istypep",
        section: "9.7.10.6 istypep",
        forms: &[Form::new("istypep.type d:pred, a:u64; .type = { .texref, .samplerref, .surfref }", (4, 0), 30, lower::is_type)],
    },
    Entry {
        name: "suld",
        section: "9.7.11.1 suld",
        forms: &[surface!("suld.b!", ".1d, .2d, .3d, .a1d, .a2d", "{.cop}{.vec}.type", "d*~, [a:tex, c@geom:s32]", ".cop = { .ca, .cg, .cs, .cv }; .vec = { .v2, .v4 }; .type = { .b8, .b16, .b32, .b64 }", (1, 5), 10, surfaces::load)],
    },
    Entry {
        name: "sust",
        section: "9.7.11.2 sust",
        forms: &[
            surface!("sust.b!", ".1d, .2d, .3d, .a1d, .a2d", "{.cop}{.vec}.type", "[a:tex, c@geom:s32], b*~", ".cop = { .wb, .cg, .cs, .wt }; .vec = { .v2, .v4 }; .type = { .b8, .b16, .b32, .b64 }", (1, 5), 10, surfaces::store),
            surface!("sust.p!", ".1d, .2d, .3d", "{.vec}.type", "[a:tex, c@geom:s32], b*~", ".vec = { .v2, .v4 }; .type = { .b32 }", (2, 0), 20, surfaces::store_texel),
            surface!("sust.p!", ".a1d, .a2d", "{.vec}.type", "[a:tex, c@geom:s32], b*~", ".vec = { .v2, .v4 }; .type = { .b32 }", (4, 1), 30, surfaces::store_texel),
        ],
    },
    Entry {
        name: "sured",
        section: "9.7.11.3 sured",
        forms: &[
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .add }; .type = { .u32, .u64, .s32 }", (2, 0), 20, surfaces::reduce),
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .min, .max }; .type = { .u32, .s32 }", (2, 0), 20, surfaces::reduce),
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .min, .max }; .type = { .u64, .s64 }", (8, 1), 50, surfaces::reduce),
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .and, .or }; .type = { .b32 }", (2, 0), 20, surfaces::reduce),
            surface!("sured.p!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .add, .min, .max, .and, .or }; .type = { .b32 }", (2, 0), 20, surfaces::reduce_texel),
            surface!("sured.p!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .min, .max }; .type = { .b64 }", (8, 1), 50, surfaces::reduce_texel),
        ],
    },
    Entry {
        name: "suq",
        section: "9.7.11.4 suq",
        forms: &[Form::new("suq.query.b32 d, [a:tex]; .query = { .width, .height, .depth, .channel_data_type, .channel_order, .array_size, .memory_layout }", (1, 5), 10, lower::query).needs(QUERIES)],
    },
];
