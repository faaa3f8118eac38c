//! The forms of `cp.async.bulk` and `cp.reduce.async.bulk`.

use super::bulk_copies::{reduce_in_global, reduce_in_shared, to_global, to_many, to_shared};
use super::copies::{commit, wait_group};
use super::tensors;
use crate::catalogue::{Form, Need, hint};

/// A form on the box of a tensor.
macro_rules! tensor {
    ($dims:expr; $($part:expr),+) => {
        Form::legal(
            concat!(
                $($part,)+
                "; .dim = { ", $dims, " }; .hint = { .L2::cache_hint }"
            ),
            (8, 0),
            90,
        )
        .needs(NEEDS)
    };
}

/// What a copy reports to its barrier about the validity of its data.
macro_rules! reports {
    () => {
        "; .report = { .mbarrier::report::disabled, .mbarrier::report::validity::per_16bytes::8, \
         .mbarrier::report::validity::per_16bytes::80, \
         .mbarrier::report::validity::per_16bytes::8000, \
         .mbarrier::report::validity::per_16bytes::80000000, \
         .mbarrier::report::validity::per_element::ff }"
    };
}

/// Copies of a tensor's box into shared memory, of one CTA and of several, in one mode of reading: its
/// word, what names the box, and offsets.
macro_rules! to_shared {
    ($dims:literal, $mode:expr, $box:expr, $offsets:literal, $choices:literal) => {
        [
            tensor!(
                $dims; "cp.async!.bulk!.tensor!.dim.dst.global", $mode,
                ".mbarrier::complete_tx::bytes{.group}{.hint}{.report} [d:dst], [tensor:any, ", $box,
                "], [mbar:shared]", $offsets, "{, policy:b64 if hint}; \
                 .dst = { .shared::cluster }; .group = { .cta_group::1, .cta_group::2 }", reports!(), $choices
            ),
            tensor!(
                $dims; "cp.async!.bulk!.tensor!.dim.dst.global", $mode,
                ".mbarrier::complete_tx::bytes{.group}{.hint}{.report} [d:dst], [tensor:any, ", $box,
                "], [mbar:shared]", $offsets, "{, policy:b64 if hint}; .dst = { .shared::cta }; \
                 .group = { .cta_group::1, .cta_group::2 }", reports!(), $choices
            )
            .needs(TO_CTA),
            tensor!(
                $dims; "cp.async!.bulk!.tensor!.dim.dst.global", $mode,
                ".mbarrier::complete_tx::bytes.multicast::cluster{.group}{.hint}{.report} [d:dst], \
                 [tensor:any, ", $box, "], [mbar:shared]", $offsets,
                ", mask:u16{, policy:b64 if hint}; .dst = { .shared::cluster }; \
                 .group = { .cta_group::1, .cta_group::2 }", reports!(), $choices
            ),
            tensor!(
                $dims; "cp.async!.bulk!.tensor!.dim.dst.global", $mode,
                ".mbarrier::complete_tx::bytes.multicast::cluster::32b{.group}{.hint}{.report} \
                 [d:dst], [tensor:any, ", $box, "], [mbar:shared]", $offsets,
                ", mask:u32{, policy:b64 if hint}; .dst = { .shared::cluster }; \
                 .group = { .cta_group::1, .cta_group::2 }", reports!(), $choices
            ),
        ]
    };
}

/// Architectures that read tensors in all modes, and into the memory of pairs of CTAs.
const DATACENTER: &[u32] = &[100, 101, 103, 107, 110];

/// What words need.
const NEEDS: &[Need] = &[
    Need::new("cta_group::1", (8, 6), 100).family(DATACENTER),
    Need::new("cta_group::2", (8, 6), 100).family(DATACENTER),
    Need::new("tile::gather4", (8, 6), 100).family(DATACENTER),
    Need::new("tile::scatter4", (8, 6), 100).family(DATACENTER),
    Need::new("im2col::w", (8, 6), 100).family(DATACENTER),
    Need::new("im2col::w::128", (8, 6), 100).family(DATACENTER),
    Need::new("cp_mask", (8, 6), 100),
    newest("override::global_address"),
    newest("override::global_dim"),
    newest("override::global_dim_stride"),
    newest("multicast::cluster::32b"),
    newest("mbarrier::report::disabled"),
    newest("mbarrier::report::validity::per_16bytes::8"),
    newest("mbarrier::report::validity::per_16bytes::80"),
    newest("mbarrier::report::validity::per_16bytes::8000"),
    newest("mbarrier::report::validity::per_16bytes::80000000"),
    newest("mbarrier::report::validity::per_element::ff"),
];

/// What words need in copies into the CTA's own shared memory.
const TO_CTA: &[Need] = &[
    Need::new("shared::cta", (8, 6), 90),
    Need::new("cta_group::1", (8, 6), 100).family(DATACENTER),
    Need::new("cta_group::2", (8, 6), 100).family(DATACENTER),
    Need::new("tile::gather4", (8, 6), 100),
    Need::new("im2col::w", (8, 6), 100),
    Need::new("im2col::w::128", (8, 6), 100).family(DATACENTER),
    newest("override::global_address"),
    newest("override::global_dim"),
    newest("override::global_dim_stride"),
    newest("mbarrier::report::disabled"),
    newest("mbarrier::report::validity::per_16bytes::8"),
    newest("mbarrier::report::validity::per_16bytes::80"),
    newest("mbarrier::report::validity::per_16bytes::8000"),
    newest("mbarrier::report::validity::per_16bytes::80000000"),
    newest("mbarrier::report::validity::per_element::ff"),
];

/// A word that came with the newest architecture of data centres.
const fn newest(word: &'static str) -> Need {
    Need::new(word, (9, 4), 107).family(&[107])
}

/// The operands in place of a tensor's address, and of its sizes and strides.
macro_rules! replaced {
    (address) => {
        "plain reg address:u64, "
    };
    (size) => {
        "plain reg address:u64, sizes{1}:u16, "
    };
    (strides) => {
        "plain reg address:u64, sizes{dim}:u16, strides{dim-1}:u32, plain reg upper:u16, "
    };
}

/// Copies into shared memory that replace parts of the tensor's map.
macro_rules! to_shared_replacing {
    ($dims:literal, $mode:literal, $words:literal, $parts:ident, $box:literal, $offsets:literal, $choices:literal) => {
        to_shared!(
            $dims,
            concat!($mode, ".override::global_address", $words),
            concat!(replaced!($parts), $box),
            $offsets,
            $choices
        )
    };
}

/// The other uses of a tensor's map, in one mode and with one set of replaced parts: copies to global
/// memory, and sums there.
macro_rules! to_global_replacing {
    ($start:literal, $op:literal, $dims:literal, $mode:literal, $words:literal, $parts:ident, $box:literal, $choices:literal) => {
        tensor!($dims; $start, ".tensor!.dim.global.src", $op, $mode, ".bulk_group{.hint}.override::global_address", $words, " [tensor:any, ", replaced!($parts), $box, "], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }", $choices)
    };
}

/// Prefetches in one mode, with and without a replaced address; the last two keep what they fetch.
macro_rules! prefetch {
    ($dims:literal, $mode:literal, $words:literal, $box:expr, $offsets:literal, $choices:literal) => {
        [
            tensor!($dims; "cp.async!.bulk!.prefetch!.tensor!.dim.L2.global", $mode, "{.hint}", $words, " [tensor:any, ", $box, "]", $offsets, "{, policy:b64 if hint}", $choices),
            Form::legal(concat!("cp.async!.bulk!.prefetch!.tensor!.dim.L2.global", $mode, ".L2::evict_last", $words, " [tensor:any, ", $box, "]", $offsets, $choices, "; .dim = { ", $dims, " }"), (9, 4), 107).family(&[107]),
        ]
    };
}

const TILE_ADDRESS: [Form; 4] =
    to_shared_replacing!(".1d, .2d, .3d, .4d, .5d", "{.tile}", "", address, "c{dim}:s32", "", "");
const TILE_SIZE: [Form; 4] =
    to_shared_replacing!(".1d", "{.tile}", ".override::global_dim", size, "c{dim}:s32", "", "");
const TILE_STRIDES: [Form; 4] = to_shared_replacing!(
    ".2d, .3d, .4d, .5d",
    "{.tile}",
    ".override::global_dim_stride",
    strides,
    "c{dim}:s32",
    "",
    ""
);
const GATHER_ADDRESS: [Form; 4] =
    to_shared_replacing!(".2d", ".tile::gather4", "", address, "c{5}:s32", "", "");
const IM2COL_ADDRESS: [Form; 4] = to_shared_replacing!(
    ".3d, .4d, .5d",
    ".im2col",
    "",
    address,
    "c{dim}:s32",
    ", offsets{dim-2}:u16",
    ""
);
const IM2COL_W_ADDRESS: [Form; 4] = to_shared_replacing!(
    ".3d, .4d, .5d",
    ".mode",
    "",
    address,
    "c{dim}:s32",
    ", offsets{2}:u16",
    "; .mode = { .im2col::w, .im2col::w::128 }"
);

const PREFETCH_TILE: [Form; 2] =
    prefetch!(".1d, .2d, .3d, .4d, .5d", "{.tile}", "", "c{dim}:s32", "", "");
const PREFETCH_IM2COL: [Form; 2] =
    prefetch!(".3d, .4d, .5d", ".im2col", "", "c{dim}:s32", ", offsets{dim-2}:u16", "");
const PREFETCH_IM2COL_W: [Form; 2] = prefetch!(
    ".3d, .4d, .5d",
    ".mode",
    "",
    "c{dim}:s32",
    ", offsets{2}:u16",
    "; .mode = { .im2col::w, .im2col::w::128 }"
);
const PREFETCH_GATHER: [Form; 2] = prefetch!(".2d", ".tile::gather4", "", "c{5}:s32", "", "");
const PREFETCH_TILE_ADDRESS: [Form; 2] = prefetch!(
    ".1d, .2d, .3d, .4d, .5d",
    "{.tile}",
    ".override::global_address",
    concat!(replaced!(address), "c{dim}:s32"),
    "",
    ""
);
const PREFETCH_TILE_SIZE: [Form; 2] = prefetch!(
    ".1d",
    "{.tile}",
    ".override::global_address.override::global_dim",
    concat!(replaced!(size), "c{dim}:s32"),
    "",
    ""
);
const PREFETCH_TILE_STRIDES: [Form; 2] = prefetch!(
    ".2d, .3d, .4d, .5d",
    "{.tile}",
    ".override::global_address.override::global_dim_stride",
    concat!(replaced!(strides), "c{dim}:s32"),
    "",
    ""
);
const PREFETCH_IM2COL_ADDRESS: [Form; 2] = prefetch!(
    ".3d, .4d, .5d",
    ".im2col",
    ".override::global_address",
    concat!(replaced!(address), "c{dim}:s32"),
    ", offsets{dim-2}:u16",
    ""
);
const PREFETCH_IM2COL_W_ADDRESS: [Form; 2] = prefetch!(
    ".3d, .4d, .5d",
    ".mode",
    ".override::global_address",
    concat!(replaced!(address), "c{dim}:s32"),
    ", offsets{2}:u16",
    "; .mode = { .im2col::w, .im2col::w::128 }"
);
const PREFETCH_GATHER_ADDRESS: [Form; 2] = prefetch!(
    ".2d",
    ".tile::gather4",
    ".override::global_address",
    concat!(replaced!(address), "c{5}:s32"),
    "",
    ""
);

const TILE: [Form; 4] = to_shared!(".1d, .2d, .3d, .4d, .5d", "{.tile}", "c{dim}:s32", "", "");
const GATHER: [Form; 4] = to_shared!(".2d", ".tile::gather4", "c{5}:s32", "", "");
const IM2COL: [Form; 4] =
    to_shared!(".3d, .4d, .5d", ".im2col", "c{dim}:s32", ", offsets{dim-2}:u16", "");
const IM2COL_W: [Form; 4] = to_shared!(
    ".3d, .4d, .5d",
    ".mode",
    "c{dim}:s32",
    ", offsets{2}:u16",
    "; .mode = { .im2col::w, .im2col::w::128 }"
);

pub(super) const COPY: &[Form] = &[
    Form::new("cp.async!.bulk!.commit_group!", (8, 0), 90, commit),
    Form::new("cp.async!.bulk!.wait_group!{.read} n:u32=", (8, 0), 90, wait_group),
    Form::legal("cp.async!.bulk!.wait_group!.sync_restrict::proxy::async n:u32=", (9, 5), 90),
    Form::new(concat!("cp.async!.bulk!.dst.global.mbarrier::complete_tx::bytes{.hint}{.report} [d:dst], [src:global], size:u32(..1048560*16), [mbar:shared]{, policy:b64 if hint}; .dst = { .shared::cluster }; .hint = { .L2::cache_hint }", reports!()), (8, 0), 90, to_shared).needs(NEEDS),
    Form::new(concat!("cp.async!.bulk!.dst.global.mbarrier::complete_tx::bytes{.hint}{.report} [d:dst], [src:global], size:u32(..1048560*16), [mbar:shared]{, policy:b64 if hint}; .dst = { .shared::cta }; .hint = { .L2::cache_hint }", reports!()), (8, 6), 90, to_shared).needs(NEEDS),
    Form::legal("cp.async!.bulk!.dst.global.mbarrier::complete_tx::bytes.ignore_oob{.hint} [d:dst], [src:global], size:u32(..1048560*16), left:u32(0..15), right:u32(0..15), [mbar:shared]{, policy:b64 if hint}; .dst = { .shared::cta }; .hint = { .L2::cache_hint }", (9, 2), 90),
    Form::new(concat!("cp.async!.bulk!.dst.global.mbarrier::complete_tx::bytes.multicast::cluster{.hint}{.report} [d:dst], [src:global], size:u32(..1048560*16), [mbar:shared], mask:u16{, policy:b64 if hint}; .dst = { .shared::cluster }; .hint = { .L2::cache_hint }", reports!()), (8, 0), 90, to_many).needs(NEEDS),
    Form::new(concat!("cp.async!.bulk!.dst.global.mbarrier::complete_tx::bytes.multicast::cluster::32b{.hint}{.report} [d:dst], [src:global], size:u32(..1048560*16), [mbar:shared], mask:u32{, policy:b64 if hint}; .dst = { .shared::cluster }; .hint = { .L2::cache_hint }", reports!()), (8, 0), 90, to_many).needs(NEEDS),
    Form::new("cp.async!.bulk!.dst.src.mbarrier::complete_tx::bytes [d:dst], [a:src], size:u32(..1048560*16), [mbar:shared]; .dst = { .shared::cluster }; .src = { .shared::cta }", (8, 0), 90, to_shared),
    Form::new("cp.async!.bulk!.global.src.bulk_group{.hint} [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .hint = { .L2::cache_hint }", (8, 0), 90, to_global),
    Form::legal("cp.async!.bulk!.global.src.bulk_group{.hint}.cp_mask [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}, mask:u16; .src = { .shared::cta }; .hint = { .L2::cache_hint }", (8, 6), 100),
    Form::new("cp.async!.bulk!.prefetch!.L2.global{.hint} [a:global], size:u32(..1048560*16){, policy:b64 if hint}; .hint = { .L2::cache_hint }", (8, 0), 90, hint),
    Form::new("cp.async!.bulk!.prefetch!.L2.global.L2::evict_last [a:global], size:u32(..1048560*16)", (9, 4), 107, hint).family(&[107]),
    TILE[0].lowered(tensors::to_shared), TILE[1].lowered(tensors::to_shared), TILE[2].lowered(tensors::to_many), TILE[3].lowered(tensors::to_many), IM2COL[0], IM2COL[1], IM2COL[2], IM2COL[3],
    IM2COL_W[0], IM2COL_W[1], IM2COL_W[2], IM2COL_W[3],
    GATHER[0].lowered(tensors::to_shared), GATHER[1].lowered(tensors::to_shared), GATHER[2].lowered(tensors::to_many), GATHER[3].lowered(tensors::to_many),
    tensor!(".1d, .2d, .3d, .4d, .5d"; "cp.async!.bulk!.tensor!.dim.global.src{.tile}.bulk_group{.hint} [tensor:any, c{dim}:s32], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }").lowered(tensors::to_global),
    tensor!(".3d, .4d, .5d"; "cp.async!.bulk!.tensor!.dim.global.src.im2col_no_offs.bulk_group{.hint} [tensor:any, c{dim}:s32], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }"),
    tensor!(".2d"; "cp.async!.bulk!.tensor!.dim.global.src.tile::scatter4.bulk_group{.hint} [tensor:any, c{5}:s32], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }").lowered(tensors::to_global),
    PREFETCH_TILE[0].lowered(hint), PREFETCH_TILE[1].lowered(hint), PREFETCH_IM2COL[0].lowered(hint), PREFETCH_IM2COL[1].lowered(hint),
    PREFETCH_IM2COL_W[0].lowered(hint), PREFETCH_IM2COL_W[1].lowered(hint), PREFETCH_GATHER[0].lowered(hint), PREFETCH_GATHER[1].lowered(hint),
    PREFETCH_TILE_ADDRESS[0].lowered(hint), PREFETCH_TILE_ADDRESS[1].lowered(hint),
    PREFETCH_TILE_SIZE[0].lowered(hint), PREFETCH_TILE_SIZE[1].lowered(hint),
    PREFETCH_TILE_STRIDES[0].lowered(hint), PREFETCH_TILE_STRIDES[1].lowered(hint),
    PREFETCH_IM2COL_ADDRESS[0].lowered(hint), PREFETCH_IM2COL_ADDRESS[1].lowered(hint),
    PREFETCH_IM2COL_W_ADDRESS[0].lowered(hint), PREFETCH_IM2COL_W_ADDRESS[1].lowered(hint),
    PREFETCH_GATHER_ADDRESS[0].lowered(hint), PREFETCH_GATHER_ADDRESS[1].lowered(hint),
    TILE_ADDRESS[0], TILE_ADDRESS[1], TILE_ADDRESS[2], TILE_ADDRESS[3],
    TILE_SIZE[0], TILE_SIZE[1], TILE_SIZE[3],
    TILE_STRIDES[0], TILE_STRIDES[1], TILE_STRIDES[3],
    GATHER_ADDRESS[0], GATHER_ADDRESS[1], GATHER_ADDRESS[2], GATHER_ADDRESS[3],
    IM2COL_ADDRESS[0], IM2COL_ADDRESS[1], IM2COL_ADDRESS[2], IM2COL_ADDRESS[3],
    IM2COL_W_ADDRESS[0], IM2COL_W_ADDRESS[1], IM2COL_W_ADDRESS[2], IM2COL_W_ADDRESS[3],
    to_global_replacing!("cp.async!.bulk!", "", ".1d, .2d, .3d, .4d, .5d", "{.tile}", "", address, "c{dim}:s32", ""),
    to_global_replacing!("cp.async!.bulk!", "", ".1d", "{.tile}", ".override::global_dim", size, "c{dim}:s32", ""),
    to_global_replacing!("cp.async!.bulk!", "", ".2d, .3d, .4d, .5d", "{.tile}", ".override::global_dim_stride", strides, "c{dim}:s32", ""),
    to_global_replacing!("cp.async!.bulk!", "", ".3d, .4d, .5d", ".im2col_no_offs", "", address, "c{dim}:s32", ""),
    to_global_replacing!("cp.async!.bulk!", "", ".2d", ".tile::scatter4", "", address, "c{5}:s32", ""),
];

pub(super) const REDUCE: &[Form] = &[
    Form::new(
        "cp.reduce!.async!.bulk!.dst.src.mbarrier::complete_tx::bytes.op.type [d:dst], [a:src], size:u32(..1048560*16), [mbar:shared]; .dst = { .shared::cluster }; .src = { .shared::cta }; .op = { .and, .or, .xor }; .type = { .b32 }",
        (8, 0),
        90,
        reduce_in_shared,
    ),
    Form::new(
        "cp.reduce!.async!.bulk!.dst.src.mbarrier::complete_tx::bytes.op.type [d:dst], [a:src], size:u32(..1048560*16), [mbar:shared]; .dst = { .shared::cluster }; .src = { .shared::cta }; .op = { .add, .min, .max }; .type = { .u32, .s32 }",
        (8, 0),
        90,
        reduce_in_shared,
    ),
    Form::new(
        "cp.reduce!.async!.bulk!.dst.src.mbarrier::complete_tx::bytes.op.type [d:dst], [a:src], size:u32(..1048560*16), [mbar:shared]; .dst = { .shared::cluster }; .src = { .shared::cta }; .op = { .inc, .dec }; .type = { .u32 }",
        (8, 0),
        90,
        reduce_in_shared,
    ),
    Form::new(
        "cp.reduce!.async!.bulk!.dst.src.mbarrier::complete_tx::bytes.add.type [d:dst], [a:src], size:u32(..1048560*16), [mbar:shared]; .dst = { .shared::cluster }; .src = { .shared::cta }; .type = { .u64 }",
        (8, 0),
        90,
        reduce_in_shared,
    ),
    Form::new(
        "cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.op.type [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .op = { .and, .or, .xor }; .type = { .b32, .b64 }; .hint = { .L2::cache_hint }",
        (8, 0),
        90,
        reduce_in_global,
    ),
    Form::new(
        "cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.op.type [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .op = { .min, .max }; .type = { .u32, .s32, .u64, .s64, .f16, .bf16 }; .hint = { .L2::cache_hint }",
        (8, 0),
        90,
        reduce_in_global,
    ),
    Form::new(
        "cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.add.type [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .type = { .u32, .s32, .u64, .f32, .f64 }; .hint = { .L2::cache_hint }",
        (8, 0),
        90,
        reduce_in_global,
    ),
    Form::new(
        "cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.add.noftz.type [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .type = { .f16, .bf16 }; .hint = { .L2::cache_hint }",
        (8, 0),
        90,
        reduce_in_global,
    ),
    Form::new(
        "cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.add.noftz.f32 [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .hint = { .L2::cache_hint }",
        (9, 4),
        90,
        reduce_in_global,
    ),
    Form::new(
        "cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.op.type [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .op = { .inc, .dec }; .type = { .u32 }; .hint = { .L2::cache_hint }",
        (8, 0),
        90,
        reduce_in_global,
    ),
    tensor!(".1d, .2d, .3d, .4d, .5d"; "cp.reduce!.async!.bulk!.tensor!.dim.global.src.op{.tile}.bulk_group{.hint} [tensor:any, c{dim}:s32], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }; .op = { .add, .min, .max, .inc, .dec, .and, .or, .xor }").lowered(tensors::reduce),
    tensor!(".3d, .4d, .5d"; "cp.reduce!.async!.bulk!.tensor!.dim.global.src.op.im2col_no_offs.bulk_group{.hint} [tensor:any, c{dim}:s32], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }; .op = { .add, .min, .max, .inc, .dec, .and, .or, .xor }"),
    to_global_replacing!(
        "cp.reduce!.async!.bulk!",
        ".op",
        ".1d, .2d, .3d, .4d, .5d",
        "{.tile}",
        "",
        address,
        "c{dim}:s32",
        "; .op = { .add, .min, .max, .inc, .dec, .and, .or, .xor }"
    ),
    to_global_replacing!(
        "cp.reduce!.async!.bulk!",
        ".op",
        ".1d",
        "{.tile}",
        ".override::global_dim",
        size,
        "c{dim}:s32",
        "; .op = { .add, .min, .max, .inc, .dec, .and, .or, .xor }"
    ),
    to_global_replacing!(
        "cp.reduce!.async!.bulk!",
        ".op",
        ".2d, .3d, .4d, .5d",
        "{.tile}",
        ".override::global_dim_stride",
        strides,
        "c{dim}:s32",
        "; .op = { .add, .min, .max, .inc, .dec, .and, .or, .xor }"
    ),
    to_global_replacing!(
        "cp.reduce!.async!.bulk!",
        ".op",
        ".3d, .4d, .5d",
        ".im2col_no_offs",
        "",
        address,
        "c{dim}:s32",
        "; .op = { .add, .min, .max, .inc, .dec, .and, .or, .xor }"
    ),
];
