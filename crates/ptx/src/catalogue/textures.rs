//! Textures and surfaces.

mod lower;

use super::{Entry, Form, Need, Removed, Since, not_implemented};
use crate::lower::{Inst, Lowering, Result};

/// The forms of `tex`, a row each: mode; geometries; what stands in the brackets; types of coordinates; the
/// operands behind; PTX version and target; the lowering; and, for forms that targets from sm_90 on lack, why, and whether those
/// of four results and those of two halves are gone. Each row is a form with four results and one with two halves.
macro_rules! textures {
    ($($mode:literal $geoms:literal $where:literal $ctypes:literal $more:literal $ptx:literal $sm:literal $(by $lower:ident)? $(gone $why:ident $four:literal $two:literal)?;)+) => {
        &[$(
            textures!(@ $mode, ".v4.dtype", "d{4}[|p]:dtype", $geoms, $where, $ctypes, $more,
                "; .dtype = { .u32, .s32, .f16, .f32 }", since($ptx, $sm, (1, 0), 10), [None $(, gone($why, $four))?], [not_implemented $(, lower::$lower)?]),
            textures!(@ $mode, ".v2.f16x2", "plain d{2}[|p]:f16x2", $geoms, $where, $ctypes, $more,
                "", since($ptx, $sm, (4, 2), 53), [None $(, gone($why, $two))?], [not_implemented $(, lower::$lower)?]),
        )+]
    };
    (@ $mode:literal, $ty:literal, $d:literal, $geoms:literal, $where:literal, $ctypes:literal, $more:literal, $choice:literal, $since:expr, $gone:expr, $lower:expr) => {
        Form {
            since: $since,
            removed: last(&$gone),
            lower: lowering(&$lower),
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
const SAMPLED: Removed = missing("a texture that has its own sampler: `[a, c]`");

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

/// What lowers a form.
type Lower = fn(&mut Lowering, &Inst<'_>) -> Result;

/// The last of some lowerings.
const fn lowering(all: &[Lower]) -> Lower {
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

#[rustfmt::skip]
const TEXTURE: &[Form] = textures! {
    "{.base!}" ".1d, .2d, .3d, .a1d, .a2d" "" ".s32, .f32" "" 10 10 by sample;
    "{.base!}" ".1d, .2d, .a1d, .a2d" "" ".s32, .f32" ", offset@geom:s32" 43 30 by sample;
    "{.base!}" ".3d" "" ".s32, .f32" ", typed offset@geom:s32" 43 30 by sample;
    "{.base!}" ".1d, .2d, .a1d, .a2d" "" ".f32" ", int depth:f32" 43 30;
    "{.base!}" ".1d, .2d, .a1d, .a2d" "" ".f32" ", offset@geom:s32, int depth:f32" 43 30;
    "{.base!}" ".cube, .acube" "" ".f32" "" 30 20 by sample;
    "{.base!}" ".cube, .acube" "" ".f32" ", int depth:f32" 43 30;
    "{.base!}" ".cube, .acube" "" ".f32" ", typed offset:s32" 31 20;
    "{.base!}" ".cube, .acube" "" ".f32" ", offset:s32, depth:f32" 43 30;
    "{.base!}" ".2dms, .a2dms" "" ".s32" "" 32 30;
    "{.base!}" ".2dms, .a2dms" "" ".s32" ", offset@geom:s32" 43 30;
    "{.base!}" ".1d, .2d, .3d" "sampler:samplerref, " ".s32, .f32" "" 43 30;
    "{.base!}" ".1d, .2d" "sampler:samplerref, " ".s32, .f32" ", offset{}:s32" 43 30;
    "{.base!}" ".3d" "sampler:samplerref, " ".s32, .f32" ", typed offset{}:s32" 43 30;
    "{.base!}" ".1d, .2d" "sampler:samplerref, " ".f32" ", int depth:f32" 43 30;
    "{.base!}" ".1d, .2d" "sampler:samplerref, " ".f32" ", offset{}:s32, depth:f32" 43 30;
    ".level!" ".1d, .2d, .3d, .a1d, .a2d" "" ".s32, .f32" ", int lod{}:ctype" 31 20 by sample;
    ".level!" ".1d, .2d, .a1d, .a2d" "" ".s32, .f32" ", int lod{}:ctype, offset@geom:s32" 43 30 by sample;
    ".level!" ".3d" "" ".s32, .f32" ", int lod{}:ctype, typed offset@geom:s32" 43 30 by sample;
    ".level!" ".1d, .2d, .a1d, .a2d" "" ".f32" ", int lod{}:ctype, int depth:f32" 43 30;
    ".level!" ".1d, .2d, .a1d, .a2d" "" ".f32" ", int lod{}:ctype, offset@geom:s32, int depth:f32" 43 30;
    ".level!" ".cube, .acube" "" ".f32" ", int lod{}:ctype" 31 20 by sample;
    ".level!" ".cube, .acube" "" ".f32" ", int lod{}:ctype, int depth:f32" 43 30;
    ".level!" ".cube, .acube" "" ".f32" ", int lod{}:ctype, typed offset:s32" 31 20;
    ".level!" ".cube, .acube" "" ".f32" ", int lod{}:ctype, offset:s32, depth:f32" 43 30;
    // Of levels with a sampler, the assembler takes no arrays, and an offset without a depth only behind a vector.
    ".level!" ".1d" "sampler:samplerref, " ".f32" ", int lod{}:ctype" 43 30;
    ".level!" ".2d, .cube" "sampler:samplerref, " ".f32" ", int lod:ctype" 43 30;
    ".level!" ".2d" "sampler:samplerref, " ".f32" ", lod{2+}:ctype" 43 30;
    ".level!" ".3d" "sampler:samplerref, " ".f32" ", lod{4}:ctype" 43 30;
    ".level!" ".1d" "sampler:samplerref, " ".f32" ", lod{1+}:ctype, typed offset{}:s32" 43 30;
    ".level!" ".1d" "sampler:samplerref, " ".f32" ", int lod{}:ctype, depth:f32" 43 30;
    ".level!" ".2d, .cube" "sampler:samplerref, " ".f32" ", int lod:ctype, depth:f32" 43 30;
    ".level!" ".1d, .2d, .cube" "sampler:samplerref, " ".f32" ", int lod{}:ctype, offset{}:s32, depth:f32" 43 30;
    // With integer coordinates, it takes untyped registers for the level or the depth. No register is a `.tf32`.
    ".level!" ".1d, .2d" "sampler:samplerref, " ".s32" ", lod:tf32" 43 30;
    ".level!" ".1d, .2d" "sampler:samplerref, " ".s32" ", lod:s32, depth:tf32" 43 30;
    ".level!" ".1d" "sampler:samplerref, " ".s32" ", lod{1+}:s32" 43 30;
    ".level!" ".1d" "sampler:samplerref, " ".s32" ", lod{1+}:s32, depth:tf32" 43 30;
    ".level!" ".2d" "sampler:samplerref, " ".s32" ", lod{2+}:s32, depth:tf32" 43 30;
    ".grad!" ".1d, .a1d" "" ".s32, .f32" ", dx{1}:f32, dy{1}:f32" 31 20 by sample;
    ".grad!" ".1d, .a1d" "" ".s32, .f32" ", dx{1}:f32, dy{1}:f32, offset@geom:s32" 43 30 by sample;
    ".grad!" ".1d, .a1d" "" ".f32" ", dx{1}:f32, dy{1}:f32, depth:f32" 43 30;
    ".grad!" ".1d, .a1d" "" ".f32" ", dx{1}:f32, dy{1}:f32, offset@geom:s32, int depth:f32" 43 30 gone LONE true false;
    ".grad!" ".1d, .a1d" "" ".f32" ", dx{1}:f32, dy{1}:f32, offset{1+}:s32, int depth:f32" 43 30;
    ".grad!" ".1d, .a1d" "" ".f32" ", dx{1}:f32, dy{1}:f32, offset:tf32, int depth:f32" 43 30;
    ".grad!" ".2d, .a2d" "" ".s32, .f32" ", dx{2}:f32, dy{2}:f32" 31 20 by sample;
    ".grad!" ".2d, .a2d" "" ".s32, .f32" ", dx{2}:f32, dy{2}:f32, offset@geom:s32" 43 30 by sample;
    ".grad!" ".2d, .a2d" "" ".f32" ", dx{2}:f32, dy{2}:f32, depth:f32" 43 30;
    ".grad!" ".2d, .a2d" "" ".f32" ", dx{2}:f32, dy{2}:f32, offset@geom:s32, int depth:f32" 43 30 gone LONE true false;
    ".grad!" ".2d, .a2d" "" ".f32" ", dx{2}:f32, dy{2}:f32, offset{2+}:s32, int depth:f32" 43 30;
    ".grad!" ".2d, .a2d" "" ".f32" ", dx{2}:f32, dy{2}:f32, offset:tf32, int depth:f32" 43 30;
    ".grad!" ".3d" "" ".s32, .f32" ", dx{4}:f32, dy{4}:f32" 31 20 by sample;
    ".grad!" ".3d" "" ".s32, .f32" ", dx{4}:f32, dy{4}:f32, typed offset@geom:s32" 43 30 by sample;
    // Before sm_90, gradients of another length crash the assembler.
    ".grad!" ".cube, .acube" "" ".f32" ", dx{4}:f32, dy{4}:f32" 43 20 by sample;
    ".grad!" ".cube, .acube" "" ".f32" ", dx{1+}:f32, dy{1+}:f32" 78 90 by sample;
    ".grad!" ".cube, .acube" "" ".f32" ", dx{4}:f32, dy{4}:f32, depth:f32" 43 30;
    ".grad!" ".cube, .acube" "" ".f32" ", dx{1+}:f32, dy{1+}:f32, depth:f32" 78 90;
    ".grad!" ".cube, .acube" "" ".f32" ", dx{4}:f32, dy{4}:f32, typed offset:s32" 43 30;
    ".grad!" ".cube, .acube" "" ".f32" ", dx{1+}:f32, dy{1+}:f32, typed offset:s32" 78 90;
    ".grad!" ".cube, .acube" "" ".f32" ", dx{4}:f32, dy{4}:f32, offset:s32, depth:f32" 43 30 gone LONE true false;
    ".grad!" ".cube, .acube" "" ".f32" ", dx{4}:f32, dy{4}:f32, offset:tf32, depth:f32" 43 30;
    ".grad!" ".cube, .acube" "" ".f32" ", dx{1+}:f32, dy{1+}:f32, offset:tf32, depth:f32" 78 90;
    ".grad!" ".1d" "sampler:samplerref, " ".s32, .f32" ", dx{1}:f32, dy{1+}:f32" 43 30;
    ".grad!" ".1d" "sampler:samplerref, " ".s32, .f32" ", dx{1}:f32, dy{1+}:f32, typed offset{}:s32" 43 30;
    ".grad!" ".1d" "sampler:samplerref, " ".f32" ", dx{1}:f32, dy{1+}:f32, int depth:f32" 43 30 gone SAMPLED true true;
    ".grad!" ".1d" "sampler:samplerref, " ".f32" ", dx{1}:f32, dy{1+}:f32, offset{}:s32, int depth:f32" 43 30 gone SAMPLED true false;
    ".grad!" ".2d" "sampler:samplerref, " ".s32, .f32" ", dx{2}:f32, dy{2+}:f32" 43 30;
    ".grad!" ".2d" "sampler:samplerref, " ".s32, .f32" ", dx{2}:f32, dy{2+}:f32, typed offset{}:s32" 43 30;
    ".grad!" ".2d" "sampler:samplerref, " ".f32" ", dx{2}:f32, dy{2+}:f32, int depth:f32" 43 30 gone SAMPLED true true;
    ".grad!" ".2d" "sampler:samplerref, " ".f32" ", dx{2}:f32, dy{2+}:f32, offset{}:s32, int depth:f32" 43 30 gone SAMPLED true false;
    ".grad!" ".3d" "sampler:samplerref, " ".s32, .f32" ", dx{4}:f32, dy{4}:f32" 43 30 gone SAMPLED true true;
    ".grad!" ".3d" "sampler:samplerref, " ".s32, .f32" ", dx{4}:f32, dy{4}:f32, typed offset{}:s32" 43 30 gone SAMPLED true true;
};

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
    Entry { name: "tex", section: "9.7.10.3 tex", forms: TEXTURE },
    Entry {
        name: "tld4",
        section: "9.7.10.4 tld4",
        forms: &[
            Form::new("tld4.comp{.uni}.geom.v4.dtype.ctype d{4}[|p]:dtype, [a:tex, c@geom:ctype]{, int depth:f32}; .comp = { .r, .g, .b, .a }; .geom = { .2d, .a2d, .cube, .acube }; .dtype = { .u32, .s32, .f32 }; .ctype = { .f32 }", (2, 2), 20, lower::gather).needs(GATHER),
            Form::legal("tld4.comp{.uni}.geom.v4.dtype.ctype d{4}[|p]:dtype, [a:tex, sampler:samplerref, c@geom:ctype]{, int depth:f32}; .comp = { .r, .g, .b, .a }; .geom = { .2d }; .dtype = { .u32, .s32, .f32 }; .ctype = { .f32 }", (4, 3), 30),
            Form::legal("tld4.comp{.uni}.geom.v4.dtype.ctype d{4}[|p]:dtype, [a:tex, sampler:samplerref, c@geom:ctype], offset{}:s32{, int depth:f32}; .comp = { .r, .g, .b, .a }; .geom = { .2d }; .dtype = { .u32, .s32, .f32 }; .ctype = { .f32 }", (4, 3), 30),
            Form::new("tld4.comp{.uni}.geom.v4.dtype.ctype d{4}[|p]:dtype, [a:tex, c@geom:ctype], offset@geom:s32{, int depth:f32}; .comp = { .r, .g, .b, .a }; .geom = { .2d, .a2d }; .dtype = { .u32, .s32, .f32 }; .ctype = { .f32 }", (4, 3), 30, lower::gather),
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
        forms: &[Form::legal("istypep.type d:pred, a:u64; .type = { .texref, .samplerref, .surfref }", (4, 0), 30)],
    },
    Entry {
        name: "suld",
        section: "9.7.11.1 suld",
        forms: &[surface!("suld.b!", ".1d, .2d, .3d, .a1d, .a2d", "{.cop}{.vec}.type", "d*~, [a:tex, c@geom:s32]", ".cop = { .ca, .cg, .cs, .cv }; .vec = { .v2, .v4 }; .type = { .b8, .b16, .b32, .b64 }", (1, 5), 10, lower::load)],
    },
    Entry {
        name: "sust",
        section: "9.7.11.2 sust",
        forms: &[
            surface!("sust.b!", ".1d, .2d, .3d, .a1d, .a2d", "{.cop}{.vec}.type", "[a:tex, c@geom:s32], b*~", ".cop = { .wb, .cg, .cs, .wt }; .vec = { .v2, .v4 }; .type = { .b8, .b16, .b32, .b64 }", (1, 5), 10, lower::store),
            surface!("sust.p!", ".1d, .2d, .3d", "{.vec}.type", "[a:tex, c@geom:s32], b*~", ".vec = { .v2, .v4 }; .type = { .b32 }", (2, 0), 20, not_implemented),
            surface!("sust.p!", ".a1d, .a2d", "{.vec}.type", "[a:tex, c@geom:s32], b*~", ".vec = { .v2, .v4 }; .type = { .b32 }", (4, 1), 30, not_implemented),
        ],
    },
    Entry {
        name: "sured",
        section: "9.7.11.3 sured",
        forms: &[
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .add }; .type = { .u32, .u64, .s32 }", (2, 0), 20, lower::reduce),
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .min, .max }; .type = { .u32, .s32 }", (2, 0), 20, lower::reduce),
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .min, .max }; .type = { .u64, .s64 }", (8, 1), 50, lower::reduce),
            surface!("sured.b!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .and, .or }; .type = { .b32 }", (2, 0), 20, lower::reduce),
            surface!("sured.p!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .add, .min, .max, .and, .or }; .type = { .b32 }", (2, 0), 20, not_implemented),
            surface!("sured.p!.op", ".1d, .2d, .3d", ".type", "[a:tex, c@geom:s32], b", ".op = { .min, .max }; .type = { .b64 }", (8, 1), 50, not_implemented),
        ],
    },
    Entry {
        name: "suq",
        section: "9.7.11.4 suq",
        forms: &[Form::new("suq.query.b32 d, [a:tex]; .query = { .width, .height, .depth, .channel_data_type, .channel_order, .array_size, .memory_layout }", (1, 5), 10, lower::query).needs(QUERIES)],
    },
];
