//! Asynchronous copies, and what waits for them or for other grids.

mod bulk;
mod bulk_copies;
pub(super) mod cancel;
mod copies;
mod fill;
mod loops;
mod policy;
mod sent;
mod tensors;

use super::{Entry, Form, Need, hint};
use copies::{arrive, commit, copy, wait_all, wait_group};

/// `{.L2::cache_hint}` and `{.L2::128B}`.
macro_rules! copy {
    ($line:literal) => {
        copy!($line, (7, 0))
    };
    ($line:literal, $ptx:expr) => {
        Form::new(
            concat!(
                "cp.async!.",
                $line,
                "; .ss = { .shared, .shared::cta }; .hint = { .L2::cache_hint }; \
                 .prefetch = { .L2::64B, .L2::128B, .L2::256B }"
            ),
            $ptx,
            80,
            copy,
        )
        .needs(COPY)
    };
}

/// What words of `cp.async` need.
const COPY: &[Need] = &[
    Need::new("shared::cta", (7, 0), 80),
    Need::new("L2::64B", (7, 4), 80),
    Need::new("L2::128B", (7, 4), 80),
];

const CP: &[Form] = &[
    copy!(
        "ca.ss.global{.hint}{.prefetch} [dst:ss], [src:global], cp_size:u32=(4|8|16){, policy:b64 if hint}"
    ),
    copy!(
        "ca.ss.global{.hint}{.prefetch} [dst:ss], [src:global], cp_size:u32=(4|8|16), src_size:u32(0..16){, policy:b64 if hint}"
    ),
    copy!(
        "ca.ss.global{.hint}{.prefetch} [dst:ss], [src:global], cp_size:u32=(4|8|16), reg {!}ignore{, policy:b64 if hint}",
        (7, 5)
    ),
    copy!(
        "cg.ss.global{.hint}{.prefetch} [dst:ss], [src:global], cp_size:u32=(16){, policy:b64 if hint}"
    ),
    copy!(
        "cg.ss.global{.hint}{.prefetch} [dst:ss], [src:global], cp_size:u32=(16), src_size:u32(0..16){, policy:b64 if hint}"
    ),
    copy!(
        "cg.ss.global{.hint}{.prefetch} [dst:ss], [src:global], cp_size:u32=(16), reg {!}ignore{, policy:b64 if hint}",
        (7, 5)
    ),
    Form::new("cp.async!.commit_group!", (7, 0), 80, commit),
    Form::new("cp.async!.wait_group! n:u32=", (7, 0), 80, wait_group),
    Form::new("cp.async!.wait_all!", (7, 0), 80, wait_all),
    Form::new(
        "cp.async!.mbarrier!.arrive!{.noinc}{.ss}.b64 [near a]; .ss = { .shared, .shared::cta }",
        (7, 0),
        80,
        arrive,
    ),
];

/// A reduction in global memory; the assembler has more operations than the manual, which has `.add` alone.
macro_rules! released {
    ($mmio:literal, $scope:literal, $op:literal, $types:literal, $end:literal) => {
        Form::new(
            concat!(
                "red.async!",
                $mmio,
                ".release",
                $scope,
                "{.global}",
                $op,
                ".type [a], plain b; .type = { ",
                $types,
                " }",
                $end
            ),
            (8, 7),
            100,
            sent::reduce_released,
        )
    };
}

pub(super) const ENTRIES: &[Entry] = &[
    Entry { name: "cp.async", section: "9.7.9.25 Asynchronous copy", forms: CP },
    Entry { name: "cp.async.bulk", section: "9.7.9.25.4.1 cp.async.bulk", forms: bulk::COPY },
    Entry { name: "cp.reduce.async.bulk", section: "9.7.9.25.4.2 cp.reduce.async.bulk", forms: bulk::REDUCE },
    Entry {
        name: "griddepcontrol",
        section: "9.7.13.13 griddepcontrol",
        forms: &[Form::new("griddepcontrol.action; .action = { .launch_dependents, .wait }", (7, 8), 90, hint)],
    },
    Entry {
        name: "prefetch",
        section: "9.7.9.15 prefetch, prefetchu",
        forms: &[
            Form::new("prefetch{.ss}.level [reg a]; .ss = { .global, .local }; .level = { .L1, .L2 }", (2, 0), 20, hint),
            Form::new("prefetch{.global}.level [reg a]; .level = { .L2::evict_last, .L2::evict_normal }", (7, 4), 80, hint),
            Form::new("prefetch{.global}.L1::32B.valid_addr [a]", (9, 4), 90, hint),
            Form::new("prefetch{.ss}.tensormap [a]; .ss = { .const, .param }", (8, 0), 90, hint),
        ],
    },
    Entry {
        name: "prefetchu",
        section: "9.7.9.15 prefetch, prefetchu",
        forms: &[Form::new("prefetchu.L1 [reg a:global]", (2, 0), 20, hint)],
    },
    Entry {
        name: "applypriority",
        section: "9.7.9.16 applypriority",
        forms: &[Form::new("applypriority{.global}.L2::evict_normal [reg a], size:u64=(128)", (7, 4), 80, hint)],
    },
    Entry {
        name: "applypriority.async.bulk",
        section: "9.7.9.16 applypriority",
        forms: &[Form::new("applypriority.async!.bulk!{.global}.bulk_group.L2::evict_normal [a], size:u32(..1048560*16)", (9, 4), 107, hint).family(&[107])],
    },
    Entry {
        name: "discard",
        section: "9.7.9.17 discard",
        forms: &[Form::new("discard{.global}.L2 [reg a], size:u64=(128)", (7, 4), 80, hint)],
    },
    Entry {
        name: "createpolicy",
        section: "9.7.9.18 createpolicy",
        forms: &[
            Form::new("createpolicy.fractional!.primary{.secondary}.b64 d{, fraction:f32}; .primary = { .L2::evict_last, .L2::evict_normal, .L2::evict_first, .L2::evict_unchanged }; .secondary = { .L2::evict_first, .L2::evict_unchanged }", (7, 4), 80, policy::fractional),
            Form::new("createpolicy.range!{.global}.primary{.secondary}.b64 d:u64, [a], primary_size:u32, total_size:u32; .primary = { .L2::evict_last, .L2::evict_normal, .L2::evict_first, .L2::evict_unchanged }; .secondary = { .L2::evict_first, .L2::evict_unchanged }", (7, 4), 80, policy::range),
            Form::new("createpolicy.cvt!.L2.b64 d, a:u64", (7, 4), 80, policy::convert),
        ],
    },
    Entry {
        name: "st.async",
        section: "9.7.9.12 st.async",
        forms: &[
            Form::new("st.async!{.weak}{.ss}.mbarrier::complete_tx::bytes{.vec}.type [a], b*, [mbar:shared]; .ss = { .shared::cluster }; .vec = { .v2, .v4 }; .type = { .b32, .b64, .u32, .u64, .s32, .s64, .f32, .f64 }", (8, 1), 90, sent::store),
            Form::new("st.async!{.mmio}.release.sys{.global}.type [a], plain b; .type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 }", (8, 7), 100, sent::store_released),
            Form::new("st.async!.release.gpu{.global}.type [a], plain b; .type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 }", (8, 7), 100, sent::store_released),
        ],
    },
    Entry {
        name: "st.bulk",
        section: "9.7.9.13 st.bulk",
        forms: &[
            Form::new("st.bulk!{.weak}{.ss} [a], size:u64(..16777216*8), init:u64=(0); .ss = { .shared::cta }", (8, 6), 100, fill::fill),
            Form::new("st.bulk!{.weak}{.ss} [a], size:u32(..16777216*8), init:u64=(0); .ss = { .shared::cta }", (9, 0), 100, fill::fill),
        ],
    },
    Entry {
        name: "red.async",
        section: "9.7.13.7 red.async",
        forms: &[
            Form::new("red.async!.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar:shared]; .ss = { .shared::cluster }; .op = { .inc, .dec }; .type = { .u32 }", (8, 1), 90, sent::reduce),
            Form::new("red.async!.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar:shared]; .ss = { .shared::cluster }; .op = { .min, .max }; .type = { .u32, .s32 }", (8, 1), 90, sent::reduce),
            Form::new("red.async!.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar:shared]; .ss = { .shared::cluster }; .op = { .and, .or, .xor }; .type = { .b32 }", (8, 1), 90, sent::reduce),
            Form::new("red.async!.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.add.type [a], b, [mbar:shared]; .ss = { .shared::cluster }; .type = { .u32, .s32, .u64 }", (8, 1), 90, sent::reduce),
            released!("{.mmio}", ".sys", ".add", ".u32, .s32, .u64, .s64", ""),
            released!("{.mmio}", ".sys", ".op", ".u32", "; .op = { .inc, .dec }"),
            released!("{.mmio}", ".sys", ".op", ".u32, .s32", "; .op = { .min, .max }"),
            released!("{.mmio}", ".sys", ".op", ".b32", "; .op = { .and, .or, .xor }"),
            released!("", ".gpu", ".add", ".u32, .s32, .u64, .s64", ""),
            released!("", ".gpu", ".op", ".u32", "; .op = { .inc, .dec }"),
            released!("", ".gpu", ".op", ".u32, .s32", "; .op = { .min, .max }"),
            released!("", ".gpu", ".op", ".b32", "; .op = { .and, .or, .xor }"),
        ],
    },
];
