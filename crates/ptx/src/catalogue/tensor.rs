//! Tensors: their maps, tensor memory, sums over several GPUs, and launches that are taken over.

use super::asynchronous::cancel;
use super::{Entry, Form, Need, tensor_maps};

/// Architectures with tensor memory.
const DATACENTER: &[u32] = &[100, 101, 103, 107, 110];

/// A form of `tcgen05`.
macro_rules! tcgen05 {
    ($($part:expr),+) => {
        Form::legal(concat!("tcgen05.", $($part),+), (8, 6), 100).family(DATACENTER)
    };
}

/// Loads and stores of shapes, `.num` of which take `count` registers.
macro_rules! rows {
    ($shape:literal, $num:literal, $count:literal) => {
        [
            tcgen05!(
                "ld!.sync.aligned.shape.num{.pack::16b}.b32 plain d{",
                $count,
                "}, [a:tensor]; .shape = { ",
                $shape,
                " }; .num = { ",
                $num,
                " }"
            ),
            tcgen05!(
                "st!.sync.aligned.shape.num{.unpack::16b}.b32 [a:tensor], b{",
                $count,
                "}; .shape = { ",
                $shape,
                " }; .num = { ",
                $num,
                " }"
            ),
        ]
    };
}

const ONE: [Form; 2] =
    rows!(".32x32b, .16x64b", ".x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128", "num");
const TWO: [Form; 2] = rows!(".16x128b", ".x1, .x2, .x4, .x8, .x16, .x32, .x64", "2num");
const FOUR: [Form; 2] = rows!(".16x256b", ".x1, .x2, .x4, .x8, .x16, .x32", "4num");

/// `tcgen05.mma` with `a` in shared memory, and in tensor memory, where it may be shifted. `group` is the
/// number of CTAs.
macro_rules! mma {
    ($sp:literal, $group:literal, $kinds:literal, $scale:literal, $end:literal) => {
        [
            tcgen05!("mma!", $sp, ".cta_group::", $group, ".kind", $scale, "{.collector} [d:tensor], a:u64, b:u64, ", $end, "; .kind = { ", $kinds, " }; .collector = { .collector::a::fill, .collector::a::use, .collector::a::lastuse, .collector::a::discard }"),
            tcgen05!("mma!", $sp, ".cta_group::", $group, ".kind", $scale, "{.collector} [d:tensor], [a:tensor], b:u64, ", $end, "; .kind = { ", $kinds, " }; .collector = { .collector::a::fill, .collector::a::use, .collector::a::lastuse, .collector::a::discard }"),
            tcgen05!("mma!", $sp, ".cta_group::", $group, ".kind.ashift", $scale, "{.collector} [d:tensor], [a:tensor], b:u64, ", $end, "; .kind = { ", $kinds, " }; .collector = { .collector::a::lastuse, .collector::a::discard }"),
        ]
    };
}

/// One kind of scaled operands; `sizes` are the sizes of its blocks.
macro_rules! scaled {
    ($sp:literal, $meta:literal, $kind:literal, $size:literal, $choices:literal, $sizes:ident) => {
        [
            tcgen05!("mma!", $sp, ".group.", $kind, ".block_scale", $size, "{.collector} [d:tensor], a:u64, b:u64, ", $meta, "plain idesc:u32, [scale_a:tensor], [scale_b:tensor], {!}enable; .group = { .cta_group::1, .cta_group::2 }; .collector = { .collector::a::fill, .collector::a::use, .collector::a::lastuse, .collector::a::discard }", $choices).needs($sizes),
            tcgen05!("mma!", $sp, ".group.", $kind, ".block_scale", $size, "{.collector} [d:tensor], [a:tensor], b:u64, ", $meta, "plain idesc:u32, [scale_a:tensor], [scale_b:tensor], {!}enable; .group = { .cta_group::1, .cta_group::2 }; .collector = { .collector::a::fill, .collector::a::use, .collector::a::lastuse, .collector::a::discard }", $choices).needs($sizes),
        ]
    };
}

const DENSE_1: [Form; 3] = mma!(
    "",
    "1",
    ".kind::f16, .kind::tf32, .kind::f8f6f4",
    "",
    "plain idesc:u32, {!}enable{, scale:u32=(0..15)}"
);
const DENSE_1_MASKED: [Form; 3] = mma!(
    "",
    "1",
    ".kind::f16, .kind::tf32, .kind::f8f6f4",
    "",
    "plain idesc:u32, lanes{4}:u32, {!}enable{, scale:u32=(0..15)}"
);
const DENSE_1_INTEGER: [Form; 3] = mma!("", "1", ".kind::i8", "", "plain idesc:u32, {!}enable");
const DENSE_1_INTEGER_MASKED: [Form; 3] =
    mma!("", "1", ".kind::i8", "", "plain idesc:u32, lanes{4}:u32, {!}enable");
const DENSE_2: [Form; 3] = mma!(
    "",
    "2",
    ".kind::f16, .kind::tf32, .kind::f8f6f4",
    "",
    "plain idesc:u32, {!}enable{, scale:u32=(0..15)}"
);
const DENSE_2_MASKED: [Form; 3] = mma!(
    "",
    "2",
    ".kind::f16, .kind::tf32, .kind::f8f6f4",
    "",
    "plain idesc:u32, lanes{8}:u32, {!}enable{, scale:u32=(0..15)}"
);
const DENSE_2_INTEGER: [Form; 3] = mma!("", "2", ".kind::i8", "", "plain idesc:u32, {!}enable");
const DENSE_2_INTEGER_MASKED: [Form; 3] =
    mma!("", "2", ".kind::i8", "", "plain idesc:u32, lanes{8}:u32, {!}enable");
const DENSE_MXF8: [Form; 2] =
    scaled!("", "", "kind::mxf8f6f4", "{.size}", "; .size = { .scale_vec::1X, .block32 }", SIZES);
const DENSE_MXF4: [Form; 2] =
    scaled!("", "", "kind::mxf4", "{.size}", "; .size = { .scale_vec::2X, .block32 }", SIZES);
const DENSE_NVF4: [Form; 2] = scaled!(
    "",
    "",
    "kind::mxf4nvf4",
    ".size",
    "; .size = { .scale_vec::2X, .scale_vec::4X, .block16, .block32 }",
    NVF4_SIZES
);
const SPARSE_1: [Form; 3] = mma!(
    ".sp!",
    "1",
    ".kind::f16, .kind::tf32, .kind::f8f6f4",
    "",
    "[meta:tensor], plain idesc:u32, {!}enable{, scale:u32=(0..15)}"
);
const SPARSE_1_MASKED: [Form; 3] = mma!(
    ".sp!",
    "1",
    ".kind::f16, .kind::tf32, .kind::f8f6f4",
    "",
    "[meta:tensor], plain idesc:u32, lanes{4}:u32, {!}enable{, scale:u32=(0..15)}"
);
const SPARSE_1_INTEGER: [Form; 3] =
    mma!(".sp!", "1", ".kind::i8", "", "[meta:tensor], plain idesc:u32, {!}enable");
const SPARSE_1_INTEGER_MASKED: [Form; 3] =
    mma!(".sp!", "1", ".kind::i8", "", "[meta:tensor], plain idesc:u32, lanes{4}:u32, {!}enable");
const SPARSE_2: [Form; 3] = mma!(
    ".sp!",
    "2",
    ".kind::f16, .kind::tf32, .kind::f8f6f4",
    "",
    "[meta:tensor], plain idesc:u32, {!}enable{, scale:u32=(0..15)}"
);
const SPARSE_2_MASKED: [Form; 3] = mma!(
    ".sp!",
    "2",
    ".kind::f16, .kind::tf32, .kind::f8f6f4",
    "",
    "[meta:tensor], plain idesc:u32, lanes{8}:u32, {!}enable{, scale:u32=(0..15)}"
);
const SPARSE_2_INTEGER: [Form; 3] =
    mma!(".sp!", "2", ".kind::i8", "", "[meta:tensor], plain idesc:u32, {!}enable");
const SPARSE_2_INTEGER_MASKED: [Form; 3] =
    mma!(".sp!", "2", ".kind::i8", "", "[meta:tensor], plain idesc:u32, lanes{8}:u32, {!}enable");
const SPARSE_MXF8: [Form; 2] = scaled!(
    ".sp!",
    "[meta:tensor], ",
    "kind::mxf8f6f4",
    "{.size}",
    "; .size = { .scale_vec::1X, .block32 }",
    SIZES
);
const SPARSE_MXF4: [Form; 2] = scaled!(
    ".sp!",
    "[meta:tensor], ",
    "kind::mxf4",
    "{.size}",
    "; .size = { .scale_vec::2X, .block32 }",
    SIZES
);
const SPARSE_NVF4: [Form; 2] = scaled!(
    ".sp!",
    "[meta:tensor], ",
    "kind::mxf4nvf4",
    ".size",
    "; .size = { .scale_vec::2X, .scale_vec::4X, .block16, .block32 }",
    NVF4_SIZES
);

/// Sizes of blocks that only `a` targets have.
const SIZES: &[Need] = &[
    Need::new("scale_vec::1X", (8, 6), 100).architecture(DATACENTER),
    Need::new("scale_vec::2X", (8, 6), 100).architecture(DATACENTER),
    Need::new("block32", (8, 8), 100).family(DATACENTER),
];

/// The same of the kind that came later.
const NVF4_SIZES: &[Need] = &[
    Need::new("scale_vec::2X", (8, 7), 100).architecture(DATACENTER),
    Need::new("scale_vec::4X", (8, 7), 100).architecture(DATACENTER),
    Need::new("block16", (8, 8), 100).family(DATACENTER),
    Need::new("block32", (8, 8), 100).family(DATACENTER),
];

/// Loads that reduce what they load, in shapes with and without an offset to their second half.
macro_rules! reducing {
    ($shape:literal, $words:literal, $end:literal, $types:literal) => {
        tcgen05!(
            "ld!.red!.sync.aligned.",
            $shape,
            ".num.op",
            $words,
            " plain d{num}:b32, plain redval{1}?:b32, [a:tensor]",
            $end,
            "; .num = { .x2, .x4, .x8, .x16, .x32, .x64, .x128 }; .op = { .min, .max }",
            $types
        )
        .since((8, 8), 101)
        .family(REDUCING)
    };
}

/// Architectures that reduce what they load.
const REDUCING: &[u32] = &[101, 103, 107, 110];

const LOAD_REDUCE: &[Form] = &[
    reducing!("32x32b", "{.abs}{.NaN}.f32", "", ""),
    reducing!("32x32b", ".type", "", "; .type = { .u32, .s32 }"),
    reducing!("16x32bx2", "{.abs}{.NaN}.f32", ", half:u32=", ""),
    reducing!("16x32bx2", ".type", ", half:u32=", "; .type = { .u32, .s32 }"),
];

/// Products that keep a matrix in place, with `a` in shared memory and in tensor memory.
macro_rules! stationary {
    ($sp:literal, $kinds:literal, $meta:literal) => {
        [
            tcgen05!(
                "mma!.ws!",
                $sp,
                ".cta_group::1.kind{.collector} [d:tensor], a:u64, b:u64, ",
                $meta,
                "plain idesc:u32, {!}enable{, zero_columns:u64}; .kind = { ",
                $kinds,
                " }; .collector = ",
                collectors!()
            ),
            tcgen05!(
                "mma!.ws!",
                $sp,
                ".cta_group::1.kind{.collector} [d:tensor], [a:tensor], b:u64, ",
                $meta,
                "plain idesc:u32, {!}enable{, zero_columns:u64}; .kind = { ",
                $kinds,
                " }; .collector = ",
                collectors!()
            ),
        ]
    };
}

/// What the collector buffers of `b` do.
macro_rules! collectors {
    () => {
        "{ .collector::b0::fill, .collector::b0::use, .collector::b0::lastuse, .collector::b0::discard, \
           .collector::b1::fill, .collector::b1::use, .collector::b1::lastuse, .collector::b1::discard, \
           .collector::b2::fill, .collector::b2::use, .collector::b2::lastuse, .collector::b2::discard, \
           .collector::b3::fill, .collector::b3::use, .collector::b3::lastuse, .collector::b3::discard }"
    };
}

const STATIONARY: [Form; 2] = stationary!("", ".kind::f16, .kind::tf32, .kind::f8f6f4", "");
const STATIONARY_INTEGER: [Form; 2] = stationary!("", ".kind::i8", "");
const STATIONARY_SPARSE: [Form; 2] =
    stationary!(".sp!", ".kind::f16, .kind::tf32, .kind::f8f6f4", "[meta:tensor], ");
const STATIONARY_SPARSE_INTEGER: [Form; 2] = stationary!(".sp!", ".kind::i8", "[meta:tensor], ");

const WEIGHT_STATIONARY: &[Form] = &[
    STATIONARY[0],
    STATIONARY[1],
    STATIONARY_INTEGER[0].architecture(INTEGERS),
    STATIONARY_INTEGER[1].architecture(INTEGERS),
    STATIONARY_SPARSE[0],
    STATIONARY_SPARSE[1],
    STATIONARY_SPARSE_INTEGER[0].architecture(INTEGERS),
    STATIONARY_SPARSE_INTEGER[1].architecture(INTEGERS),
];

/// Architectures that multiply integers.
const INTEGERS: &[u32] = &[100, 101, 110];

/// What words of allocations and commits need.
const NEWER: &[Need] = &[
    Need::new("exclusive", (9, 4), 100),
    Need::new("sync_restrict::shared::read::mma::a", (9, 4), 107).family(&[107]),
    Need::new("multicast::cluster::32b", (9, 4), 107).family(&[107]),
];

const TCGEN05: &[Form] = &[
    tcgen05!("alloc!{.exclusive}.group.sync.aligned{.ss}.b32 [d:shared], columns:u32; .group = { .cta_group::1, .cta_group::2 }; .ss = { .shared::cta }").needs(NEWER),
    tcgen05!("dealloc!{.exclusive}.group.sync.aligned.b32 a:u32, columns:u32; .group = { .cta_group::1, .cta_group::2 }").needs(NEWER),
    tcgen05!("relinquish_alloc_permit!.group.sync.aligned; .group = { .cta_group::1, .cta_group::2 }"),
    tcgen05!("action!; .action = { .fence::before_thread_sync, .fence::after_thread_sync }"),
    tcgen05!("action!.sync.aligned; .action = { .wait::ld, .wait::st }"),
    tcgen05!("commit!.group.mbarrier::arrive::one{.sync_restrict::shared::read::mma::a}{.ss}.b64 [mbar:shared]; .group = { .cta_group::1, .cta_group::2 }; .ss = { .shared::cluster }").needs(NEWER),
    tcgen05!("commit!.group.mbarrier::arrive::one{.sync_restrict::shared::read::mma::a}{.ss}.multicast::cluster.b64 [mbar:shared], mask:u16; .group = { .cta_group::1, .cta_group::2 }; .ss = { .shared::cluster }").needs(NEWER),
    tcgen05!("commit!.group.mbarrier::arrive::one{.sync_restrict::shared::read::mma::a}{.ss}.multicast::cluster::32b.b64 [mbar:shared], mask:u32; .group = { .cta_group::1, .cta_group::2 }; .ss = { .shared::cluster }").needs(NEWER),
    tcgen05!("cp!.group.shape{.b8x16.source>} [a:tensor], b:u64; .group = { .cta_group::1, .cta_group::2 }; .shape = { .128x256b, .4x256b, .128x128b }; .source = { .b6x16_p32, .b4x16_p64 }"),
    tcgen05!("cp!.group.64x128b.multicast{.b8x16.source>} [a:tensor], b:u64; .group = { .cta_group::1, .cta_group::2 }; .multicast = { .warpx2::02_13, .warpx2::01_23 }; .source = { .b6x16_p32, .b4x16_p64 }"),
    tcgen05!("cp!.group.32x128b.warpx4{.b8x16.source>} [a:tensor], b:u64; .group = { .cta_group::1, .cta_group::2 }; .source = { .b6x16_p32, .b4x16_p64 }"),
    tcgen05!("shift!.group.down [a:tensor]; .group = { .cta_group::1, .cta_group::2 }"),
    ONE[0], ONE[1], TWO[0], TWO[1], FOUR[0], FOUR[1],
    tcgen05!("ld!.sync.aligned.16x32bx2.num{.pack::16b}.b32 plain d{num}, [a:tensor], half:u32=; .num = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 }"),
    tcgen05!("st!.sync.aligned.16x32bx2.num{.unpack::16b}.b32 [a:tensor], half:u32=, b{num}; .num = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 }"),
    DENSE_1[0], DENSE_1[1], DENSE_1[2],
    DENSE_1_MASKED[0], DENSE_1_MASKED[1], DENSE_1_MASKED[2],
    DENSE_1_INTEGER[0].architecture(INTEGERS), DENSE_1_INTEGER[1].architecture(INTEGERS), DENSE_1_INTEGER[2].architecture(INTEGERS),
    DENSE_1_INTEGER_MASKED[0].architecture(INTEGERS), DENSE_1_INTEGER_MASKED[1].architecture(INTEGERS), DENSE_1_INTEGER_MASKED[2].architecture(INTEGERS),
    DENSE_2[0], DENSE_2[1], DENSE_2[2],
    DENSE_2_MASKED[0], DENSE_2_MASKED[1], DENSE_2_MASKED[2],
    DENSE_2_INTEGER[0].architecture(INTEGERS), DENSE_2_INTEGER[1].architecture(INTEGERS), DENSE_2_INTEGER[2].architecture(INTEGERS),
    DENSE_2_INTEGER_MASKED[0].architecture(INTEGERS), DENSE_2_INTEGER_MASKED[1].architecture(INTEGERS), DENSE_2_INTEGER_MASKED[2].architecture(INTEGERS),
    DENSE_MXF8[0], DENSE_MXF8[1],
    DENSE_MXF4[0], DENSE_MXF4[1],
    DENSE_NVF4[0], DENSE_NVF4[1],
    SPARSE_1[0], SPARSE_1[1], SPARSE_1[2],
    SPARSE_1_MASKED[0], SPARSE_1_MASKED[1], SPARSE_1_MASKED[2],
    SPARSE_1_INTEGER[0].architecture(INTEGERS), SPARSE_1_INTEGER[1].architecture(INTEGERS), SPARSE_1_INTEGER[2].architecture(INTEGERS),
    SPARSE_1_INTEGER_MASKED[0].architecture(INTEGERS), SPARSE_1_INTEGER_MASKED[1].architecture(INTEGERS), SPARSE_1_INTEGER_MASKED[2].architecture(INTEGERS),
    SPARSE_2[0], SPARSE_2[1], SPARSE_2[2],
    SPARSE_2_MASKED[0], SPARSE_2_MASKED[1], SPARSE_2_MASKED[2],
    SPARSE_2_INTEGER[0].architecture(INTEGERS), SPARSE_2_INTEGER[1].architecture(INTEGERS), SPARSE_2_INTEGER[2].architecture(INTEGERS),
    SPARSE_2_INTEGER_MASKED[0].architecture(INTEGERS), SPARSE_2_INTEGER_MASKED[1].architecture(INTEGERS), SPARSE_2_INTEGER_MASKED[2].architecture(INTEGERS),
    SPARSE_MXF8[0], SPARSE_MXF8[1],
    SPARSE_MXF4[0].architecture(DATACENTER), SPARSE_MXF4[1].architecture(DATACENTER),
    SPARSE_NVF4[0].architecture(DATACENTER), SPARSE_NVF4[1].architecture(DATACENTER),
];

pub(super) const ENTRIES: &[Entry] = &[
    Entry { name: "tcgen05", section: "9.7.16 tcgen05", forms: TCGEN05 },
    Entry { name: "tcgen05.ld.red", section: "9.7.16.8.3 tcgen05.ld", forms: LOAD_REDUCE },
    Entry { name: "tcgen05.mma.ws", section: "9.7.16.10.9.3 tcgen05.mma.ws", forms: WEIGHT_STATIONARY },
    Entry {
        name: "tensormap",
        section: "9.7.9.28 tensormap.replace",
        forms: &[
            Form::legal("tensormap.replace!.tile.global_address{.ss}.b1024.b64 [a:ss], value; .ss = { .global, .shared::cta }", (8, 3), 90).family(TENSORMAPS).lowered(tensor_maps::address),
            Form::legal("tensormap.replace!.tile.rank{.ss}.b1024.b32 [a:ss], value; .ss = { .global, .shared::cta }", (8, 3), 90).family(TENSORMAPS).lowered(tensor_maps::rank),
            Form::legal("tensormap.replace!.tile.field{.ss}.b1024.b32 [a:ss], ord:u32=(..4), value; .field = { .box_dim, .global_dim, .element_stride }; .ss = { .global, .shared::cta }", (8, 3), 90).family(TENSORMAPS).lowered(tensor_maps::of_dimension),
            Form::legal("tensormap.replace!.tile.global_stride{.ss}.b1024.b64 [a:ss], ord:u32=(..4), value; .ss = { .global, .shared::cta }", (8, 3), 90).family(TENSORMAPS).lowered(tensor_maps::stride_of),
            Form::legal("tensormap.replace!.tile.elemtype{.ss}.b1024.b32 [a:ss], value:u32=(..15); .ss = { .global, .shared::cta }", (8, 3), 90).family(TENSORMAPS).lowered(tensor_maps::element),
            Form::legal("tensormap.replace!.tile.interleave_layout{.ss}.b1024.b32 [a:ss], value:u32=(..2); .ss = { .global, .shared::cta }", (8, 3), 90).family(TENSORMAPS).lowered(tensor_maps::only_first),
            Form::legal("tensormap.replace!.tile.swizzle_mode{.ss}.b1024.b32 [a:ss], value:u32=(..3); .ss = { .global, .shared::cta }", (8, 3), 90).family(TENSORMAPS).lowered(tensor_maps::swizzle),
            Form::legal("tensormap.replace!.tile.fill_mode{.ss}.b1024.b32 [a:ss], value:u32=(..1); .ss = { .global, .shared::cta }", (8, 3), 90).family(TENSORMAPS).lowered(tensor_maps::only_first),
            Form::legal("tensormap.replace!.tile.swizzle_atomicity{.ss}.b1024.b32 [a:ss], value:u32=(..3); .ss = { .global, .shared::cta }", (8, 6), 100).family(TENSORMAPS).lowered(tensor_maps::only_first),
            Form::new("tensormap.cp_fenceproxy!.global.src.tensormap::generic.release.scope.sync.aligned [d:global], [a:src], size:u32=(128); .src = { .shared::cta }; .scope = { .cta, .cluster, .gpu, .sys }", (8, 3), 90, tensor_maps::copy),
        ],
    },
    Entry {
        name: "clusterlaunchcontrol",
        section: "9.7.13.17 clusterlaunchcontrol",
        forms: &[
            Form::new("clusterlaunchcontrol.try_cancel!.async{.ss}.mbarrier::complete_tx::bytes.b128 [a:shared], [mbar:shared]; .ss = { .shared::cta }", (8, 6), 100, cancel::ask),
            Form::new("clusterlaunchcontrol.try_cancel!.async{.ss}.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [a:shared], [mbar:shared]; .ss = { .shared::cta }", (8, 6), 100, cancel::ask_for_all).family(&[100, 101, 103, 107, 110, 120, 121]),
            Form::new("clusterlaunchcontrol.query_cancel!.is_canceled.pred.b128 d:pred, a:b128", (8, 6), 100, cancel::is_given),
            Form::new("clusterlaunchcontrol.query_cancel!.get_first_ctaid.v4.b32.b128 d{4}:b32, a:b128", (8, 6), 100, cancel::first),
            Form::new("clusterlaunchcontrol.query_cancel!.dimension.b32.b128 d:b32, a:b128; .dimension = { .get_first_ctaid::x, .get_first_ctaid::y, .get_first_ctaid::z }", (8, 6), 100, cancel::first),
        ],
    },
];

/// Architectures that change tensor maps.
const TENSORMAPS: &[u32] = &[90, 100, 101, 103, 107, 110, 120, 121];
