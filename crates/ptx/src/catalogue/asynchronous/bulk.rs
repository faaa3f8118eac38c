//! The forms of `cp.async.bulk` and `cp.reduce.async.bulk`.

use crate::catalogue::{Form, Need};

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

/// Copies of a tensor's box into shared memory, of one CTA and of several, in one mode of reading: its
/// word, what names the box, and offsets.
macro_rules! to_shared {
    ($dims:literal, $mode:literal, $box:literal, $offsets:literal, $choices:literal) => {
        [
            tensor!(
                $dims; "cp.async!.bulk!.tensor!.dim.dst.global", $mode,
                ".mbarrier::complete_tx::bytes{.group}{.hint} [d:dst], [tensor:any, ", $box,
                "], [mbar:shared]", $offsets, "{, policy:b64 if hint}; \
                 .dst = { .shared::cluster }; .group = { .cta_group::1, .cta_group::2 }", $choices
            ),
            tensor!(
                $dims; "cp.async!.bulk!.tensor!.dim.dst.global", $mode,
                ".mbarrier::complete_tx::bytes{.group}{.hint} [d:dst], [tensor:any, ", $box,
                "], [mbar:shared]", $offsets, "{, policy:b64 if hint}; .dst = { .shared::cta }; \
                 .group = { .cta_group::1, .cta_group::2 }", $choices
            )
            .needs(TO_CTA),
            tensor!(
                $dims; "cp.async!.bulk!.tensor!.dim.dst.global", $mode,
                ".mbarrier::complete_tx::bytes.multicast::cluster{.group}{.hint} [d:dst], \
                 [tensor:any, ", $box, "], [mbar:shared]", $offsets,
                ", mask:u16{, policy:b64 if hint}; .dst = { .shared::cluster }; \
                 .group = { .cta_group::1, .cta_group::2 }", $choices
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
];

/// What words need in copies into the CTA's own shared memory.
const TO_CTA: &[Need] = &[
    Need::new("shared::cta", (8, 6), 90),
    Need::new("cta_group::1", (8, 6), 100).family(DATACENTER),
    Need::new("cta_group::2", (8, 6), 100).family(DATACENTER),
    Need::new("tile::gather4", (8, 6), 100),
    Need::new("im2col::w", (8, 6), 100),
    Need::new("im2col::w::128", (8, 6), 100).family(DATACENTER),
];

const TILE: [Form; 3] = to_shared!(".1d, .2d, .3d, .4d, .5d", "{.tile}", "c{dim}:s32", "", "");
const GATHER: [Form; 3] = to_shared!(".2d", ".tile::gather4", "c{5}:s32", "", "");
const IM2COL: [Form; 3] = to_shared!(".3d, .4d, .5d", ".im2col", "c{dim}:s32", ", offsets{dim-2}:u16", "");
const IM2COL_W: [Form; 3] = to_shared!(".3d, .4d, .5d", ".mode", "c{dim}:s32", ", offsets{2}:u16", "; .mode = { .im2col::w, .im2col::w::128 }");

pub(super) const COPY: &[Form] = &[
    Form::legal("cp.async!.bulk!.commit_group!", (8, 0), 90),
    Form::legal("cp.async!.bulk!.wait_group!{.read} n:u32=", (8, 0), 90),
    Form::legal("cp.async!.bulk!.dst.global.mbarrier::complete_tx::bytes{.hint} [d:dst], [src:global], size:u32(..1048560*16), [mbar:shared]{, policy:b64 if hint}; .dst = { .shared::cluster }; .hint = { .L2::cache_hint }", (8, 0), 90),
    Form::legal("cp.async!.bulk!.dst.global.mbarrier::complete_tx::bytes{.hint} [d:dst], [src:global], size:u32(..1048560*16), [mbar:shared]{, policy:b64 if hint}; .dst = { .shared::cta }; .hint = { .L2::cache_hint }", (8, 6), 90),
    Form::legal("cp.async!.bulk!.dst.global.mbarrier::complete_tx::bytes.multicast::cluster{.hint} [d:dst], [src:global], size:u32(..1048560*16), [mbar:shared], mask:u16{, policy:b64 if hint}; .dst = { .shared::cluster }; .hint = { .L2::cache_hint }", (8, 0), 90),
    Form::legal("cp.async!.bulk!.dst.src.mbarrier::complete_tx::bytes [d:dst], [a:src], size:u32(..1048560*16), [mbar:shared]; .dst = { .shared::cluster }; .src = { .shared::cta }", (8, 0), 90),
    Form::legal("cp.async!.bulk!.global.src.bulk_group{.hint} [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .hint = { .L2::cache_hint }", (8, 0), 90),
    Form::legal("cp.async!.bulk!.global.src.bulk_group{.hint}.cp_mask [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}, mask:u16; .src = { .shared::cta }; .hint = { .L2::cache_hint }", (8, 6), 100),
    Form::legal("cp.async!.bulk!.prefetch!.L2.global{.hint} [a:global], size:u32(..1048560*16){, policy:b64 if hint}; .hint = { .L2::cache_hint }", (8, 0), 90),
    TILE[0], TILE[1], TILE[2], IM2COL[0], IM2COL[1], IM2COL[2], IM2COL_W[0], IM2COL_W[1], IM2COL_W[2],
    GATHER[0], GATHER[1], GATHER[2],
    tensor!(".1d, .2d, .3d, .4d, .5d"; "cp.async!.bulk!.tensor!.dim.global.src{.tile}.bulk_group{.hint} [tensor:any, c{dim}:s32], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }"),
    tensor!(".3d, .4d, .5d"; "cp.async!.bulk!.tensor!.dim.global.src.im2col_no_offs.bulk_group{.hint} [tensor:any, c{dim}:s32], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }"),
    tensor!(".2d"; "cp.async!.bulk!.tensor!.dim.global.src.tile::scatter4.bulk_group{.hint} [tensor:any, c{5}:s32], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }"),
    tensor!(".1d, .2d, .3d, .4d, .5d"; "cp.async!.bulk!.prefetch!.tensor!.dim.L2.global{.tile}{.hint} [tensor:any, c{dim}:s32]{, policy:b64 if hint}"),
    tensor!(".3d, .4d, .5d"; "cp.async!.bulk!.prefetch!.tensor!.dim.L2.global.im2col{.hint} [tensor:any, c{dim}:s32], offsets{dim-2}:u16{, policy:b64 if hint}"),
    tensor!(".3d, .4d, .5d"; "cp.async!.bulk!.prefetch!.tensor!.dim.L2.global.mode{.hint} [tensor:any, c{dim}:s32], offsets{2}:u16{, policy:b64 if hint}; .mode = { .im2col::w, .im2col::w::128 }"),
    tensor!(".2d"; "cp.async!.bulk!.prefetch!.tensor!.dim.L2.global.tile::gather4{.hint} [tensor:any, c{5}:s32]{, policy:b64 if hint}"),
];

pub(super) const REDUCE: &[Form] = &[
    Form::legal("cp.reduce!.async!.bulk!.dst.src.mbarrier::complete_tx::bytes.op.type [d:dst], [a:src], size:u32(..1048560*16), [mbar:shared]; .dst = { .shared::cluster }; .src = { .shared::cta }; .op = { .and, .or, .xor }; .type = { .b32 }", (8, 0), 90),
    Form::legal("cp.reduce!.async!.bulk!.dst.src.mbarrier::complete_tx::bytes.op.type [d:dst], [a:src], size:u32(..1048560*16), [mbar:shared]; .dst = { .shared::cluster }; .src = { .shared::cta }; .op = { .add, .min, .max }; .type = { .u32, .s32 }", (8, 0), 90),
    Form::legal("cp.reduce!.async!.bulk!.dst.src.mbarrier::complete_tx::bytes.op.type [d:dst], [a:src], size:u32(..1048560*16), [mbar:shared]; .dst = { .shared::cluster }; .src = { .shared::cta }; .op = { .inc, .dec }; .type = { .u32 }", (8, 0), 90),
    Form::legal("cp.reduce!.async!.bulk!.dst.src.mbarrier::complete_tx::bytes.add.type [d:dst], [a:src], size:u32(..1048560*16), [mbar:shared]; .dst = { .shared::cluster }; .src = { .shared::cta }; .type = { .u64 }", (8, 0), 90),
    Form::legal("cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.op.type [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .op = { .and, .or, .xor }; .type = { .b32, .b64 }; .hint = { .L2::cache_hint }", (8, 0), 90),
    Form::legal("cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.op.type [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .op = { .min, .max }; .type = { .u32, .s32, .u64, .s64, .f16, .bf16 }; .hint = { .L2::cache_hint }", (8, 0), 90),
    Form::legal("cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.add.type [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .type = { .u32, .s32, .u64, .f32, .f64 }; .hint = { .L2::cache_hint }", (8, 0), 90),
    Form::legal("cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.add.noftz.type [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .type = { .f16, .bf16 }; .hint = { .L2::cache_hint }", (8, 0), 90),
    Form::legal("cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.add.noftz.f32 [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .hint = { .L2::cache_hint }", (9, 4), 90),
    Form::legal("cp.reduce!.async!.bulk!.global.src.bulk_group{.hint}.op.type [d:global], [a:src], size:u32(..1048560*16){, policy:b64 if hint}; .src = { .shared::cta }; .op = { .inc, .dec }; .type = { .u32 }; .hint = { .L2::cache_hint }", (8, 0), 90),
    tensor!(".1d, .2d, .3d, .4d, .5d"; "cp.reduce!.async!.bulk!.tensor!.dim.global.src.op{.tile}.bulk_group{.hint} [tensor:any, c{dim}:s32], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }; .op = { .add, .min, .max, .inc, .dec, .and, .or, .xor }"),
    tensor!(".3d, .4d, .5d"; "cp.reduce!.async!.bulk!.tensor!.dim.global.src.op.im2col_no_offs.bulk_group{.hint} [tensor:any, c{dim}:s32], [a:src]{, policy:b64 if hint}; .src = { .shared::cta }; .op = { .add, .min, .max, .inc, .dec, .and, .or, .xor }"),
];
