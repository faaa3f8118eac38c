//! Memory of other machines, reached over the fabric through numbered endpoints.
//!
//! The manual does not have these instructions yet; NVIDIA's assembler says what they take.

use super::{Entry, Form, Need};

const SECTION: &str = "9.7.13 Parallel Synchronization and Communication Instructions";

/// A form of data in shared memory.
macro_rules! fabric {
    ($($part:expr),+) => {
        Form::legal(
            concat!("fabric.", $($part),+, "; .ss = { .shared::cta }"),
            (9, 3),
            100,
        )
        .needs(NEEDS)
    };
}

/// What words need.
const NEEDS: &[Need] = &[
    Need::new("acc::f32", (9, 3), 100).family(&[100, 101, 103, 107, 110, 120, 121]),
    Need::new("override::global_address", (9, 4), 107).family(&[107]),
];

/// `try_put` and what raises a counter besides; `end` is what it moves, `choices` are its words.
macro_rules! sent {
    ($start:literal, $end:literal, $choices:literal) => {
        [
            fabric!($start, "{.multimem}.ss.mbarrier::complete_tx::16B.mbarrier::report::fabric{.hint}{.relaxed?.sys}", $end, " [le:fabric, plain reg offset:u64], [a:shared], size:u32, [mbar:shared]{, policy:b64 if hint}; .hint = { .L2::cache_hint }", $choices),
            fabric!($start, "{.multimem}.ss.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes{.hint}{.relaxed?.sys}", $end, " [le:fabric, plain reg offset:u64, plain reg counter:u64], [a:shared], size:u32, [mbar:shared]{, policy:b64 if hint}; .hint = { .L2::cache_hint }", $choices),
        ]
    };
}

const PUT: [Form; 2] = sent!("try_put!.async!", ".b128", "");
const ADD: [Form; 2] =
    sent!("try_red!.async!", ".add.type", "; .type = { .u32, .u64, .f16, .bf16, .f32, .f64 }");
const LEAST: [Form; 2] = sent!(
    "try_red!.async!",
    ".op.type",
    "; .op = { .min, .max }; .type = { .u32, .s32, .u64, .s64, .f16, .bf16 }"
);
const BITS: [Form; 2] =
    sent!("try_red!.async!", ".op.type", "; .op = { .and, .or, .xor }; .type = { .b32, .b64 }");

/// `try_pullred`, in which all lanes take part.
macro_rules! pulled {
    ($end:literal, $choices:literal) => {
        fabric!("try_pullred!.async!.multimem.ss.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.relaxed?.sys}", $end, ".sync [d:shared], [le:fabric, plain reg offset:u64], size:u32, [reg mbar:shared], membermask:u32=(4294967295)", $choices)
    };
}

/// `try_atom`: the old value goes to `d`.
macro_rules! exchanged {
    ($end:literal, $choices:literal) => {
        fabric!("try_atom!.async!.ss.mbarrier::complete_tx::16B.mbarrier::report::fabric{.hint}.relaxed.sys", $end, " [le:fabric, plain reg offset:u64], [to:shared], [a:shared], [mbar:shared]{, policy:b64 if hint}; .hint = { .L2::cache_hint }", $choices).since((9, 4), 100)
    };
}

/// Boxes of tensors, whose address is replaced. The assembler knows the words that replace their sizes and strides,
/// and takes no operands with them.
macro_rules! tensor {
    ($dims:literal) => {
        [
            fabric!("try_get!.async!.tensor!.dim.ss{.tile}.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.hint}.override::global_address{.relaxed?.sys}.b128 [d:shared], [tensor:any, plain reg le:u32, plain reg offset:u64, c{dim}:s32], [mbar:shared]{, policy:b64 if hint}; .hint = { .L2::cache_hint }; .dim = { ", $dims, " }"),
            fabric!("try_put!.async!.tensor!{.multimem}.dim.ss{.tile}.mbarrier::complete_tx::16B.mbarrier::report::fabric{.hint}.override::global_address{.relaxed?.sys}.b128 [tensor:any, plain reg le:u32, plain reg offset:u64, c{dim}:s32], [a:shared], size:u32, [mbar:shared]{, policy:b64 if hint}; .hint = { .L2::cache_hint }; .dim = { ", $dims, " }"),
            fabric!("try_put!.async!.tensor!{.multimem}.dim.ss{.tile}.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes{.hint}.override::global_address{.relaxed?.sys}.b128 [tensor:any, plain reg le:u32, plain reg offset:u64, plain reg counter:u64, c{dim}:s32], [a:shared], size:u32, [mbar:shared]{, policy:b64 if hint}; .hint = { .L2::cache_hint }; .dim = { ", $dims, " }"),
        ]
    };
}

const BOX: [Form; 3] = tensor!(".1d, .2d, .3d, .4d, .5d");

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "fabric.submit",
        section: SECTION,
        forms: &[
            Form::legal("fabric.submit!{.op_restrict::fetching}", (9, 3), 100),
            Form::legal("fabric.submit!.commit_group", (9, 5), 100),
        ],
    },
    Entry {
        name: "fabric.wait",
        section: SECTION,
        forms: &[
            Form::legal("fabric.wait!.sync_restrict::reads", (9, 3), 100),
            Form::legal("fabric.wait!.sync_restrict::read n:u32=", (9, 5), 100),
        ],
    },
    Entry {
        name: "fabric.try_get",
        section: SECTION,
        forms: &[
            fabric!(
                "try_get!.async!.ss.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.hint}{.relaxed?.sys}.b128 [d:shared], [le:fabric, plain reg offset:u64], size:u32, [mbar:shared]{, policy:b64 if hint}; .hint = { .L2::cache_hint }"
            ),
            BOX[0],
        ],
    },
    Entry {
        name: "fabric.try_put",
        section: SECTION,
        forms: &[
            PUT[0],
            PUT[1],
            fabric!(
                "try_put!.async!{.multimem}.ss.mbarrier::complete_tx::16B.mbarrier::report::fabric.cp_mask{.hint}{.relaxed?.sys}.b128 [le:fabric, plain reg offset:u64], [a:shared], size:u32, [mbar:shared], mask:u16{, policy:b64 if hint}; .hint = { .L2::cache_hint }"
            ),
            BOX[1],
            BOX[2],
        ],
    },
    Entry {
        name: "fabric.try_red",
        section: SECTION,
        forms: &[ADD[0], ADD[1], LEAST[0], LEAST[1], BITS[0], BITS[1]],
    },
    Entry {
        name: "fabric.try_pullred",
        section: SECTION,
        forms: &[
            pulled!(".add.type", "; .type = { .u32, .u64, .f16, .bf16, .f32 }"),
            pulled!(".add.acc::f32.type", "; .type = { .f16, .bf16 }"),
            pulled!(
                ".op.type",
                "; .op = { .min, .max }; .type = { .u32, .s32, .u64, .s64, .f16, .bf16 }"
            ),
            pulled!(".op.type", "; .op = { .and, .or, .xor }; .type = { .b32, .b64 }"),
        ],
    },
    Entry {
        name: "fabric.try_atom",
        section: SECTION,
        forms: &[
            exchanged!(".add.type", "; .type = { .u32, .u64, .f16x2, .bf16x2, .f32, .f64 }"),
            exchanged!(
                ".op.type",
                "; .op = { .min, .max }; .type = { .u32, .s32, .u64, .s64, .f16x2, .bf16x2 }"
            ),
            exchanged!(".op.type", "; .op = { .and, .or, .xor }; .type = { .b32, .b64 }"),
            exchanged!(".op.type", "; .op = { .exch, .cas }; .type = { .b32, .b64, .b128 }"),
        ],
    },
];
