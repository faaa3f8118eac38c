//! Multimem addresses, which stand for the memory of several GPUs: loads that reduce, stores, reductions
//! and bulk copies.

use super::{Entry, Form, Need, Only};

/// Both ways to write an access: with no memory order or `.weak`, and with an order and its scope.
macro_rules! access {
    ($start:literal, $weak:literal, $sem:literal, $line:literal) => {
        [
            Form::legal(concat!("multimem.", $start, "!", $weak, "{.global}", $line), (8, 1), 90),
            Form::legal(
                concat!(
                    "multimem.",
                    $start,
                    "!.sem.scope{.global}",
                    $line,
                    "; .sem = { .relaxed, ",
                    $sem,
                    " }; .scope = { .cta, .cluster, .gpu, .sys }"
                ),
                (8, 1),
                90,
            ),
        ]
    };
}

/// `multimem.ld_reduce` from its operation on.
macro_rules! load {
    ($line:literal) => {
        access!("ld_reduce", "{.weak}", ".acquire", $line)
    };
}

/// `multimem.st` from its vector on.
macro_rules! store {
    ($line:literal) => {
        access!("st", "{.weak}", ".release", $line)
    };
}

/// `multimem.red` from its operation on.
macro_rules! reduce {
    ($line:literal) => {
        access!("red", "", ".release", $line)
    };
}

/// Accumulation in binary32 came later than the rest.
const ACCUMULATION: &[Need] = &[Need::new("acc::f32", (8, 2), 90)];

/// The forms with `.acc::f32` behind the others.
const fn accumulating(forms: [Form; 2]) -> [Form; 2] {
    [forms[0].needs(ACCUMULATION), forms[1].needs(ACCUMULATION)]
}

/// Forms of 8-bit floats, which few targets have.
const fn bytes(forms: [Form; 2]) -> [Form; 2] {
    const TARGETS: Only = Only::FamilyOrArchitecture(&[100, 101, 103, 107, 110], &[120, 121]);
    const fn byte(form: Form) -> Form {
        let mut form = form.since((8, 6), 100);
        form.only = TARGETS;
        form
    }
    [byte(forms[0]), byte(forms[1])]
}

/// Pairs of forms in one list.
const fn flat<const N: usize, const M: usize>(pairs: [[Form; 2]; N]) -> [Form; M] {
    let mut all = [pairs[0][0]; M];
    let mut at = 0;
    while at < M {
        all[at] = pairs[at / 2][at % 2];
        at += 1;
    }
    all
}

const LOAD: [Form; 28] = flat([
    load!(".op.type d, [a:global]; .op = { .and, .or, .xor }; .type = { .b32, .b64 }"),
    load!(".op.type d, [a:global]; .op = { .min, .max }; .type = { .u32, .u64, .s32, .s64 }"),
    load!(".add.type d, [a:global]; .type = { .u32, .u64, .s32, .f32, .f64 }"),
    load!(".add.vec.type d*, [a:global]; .vec = { .v2, .v4 }; .type = { .f32 }"),
    load!(
        ".op.vec.type d*, [a:global]; .op = { .min, .max }; .vec = { .v2, .v4, .v8 }; .type = { .f16, .bf16 }"
    ),
    load!(
        ".op{.vec}.type d*, [a:global]; .op = { .min, .max }; .vec = { .v2, .v4 }; .type = { .f16x2, .bf16x2 }"
    ),
    accumulating(load!(
        ".add{.acc::f32}.vec.type d*, [a:global]; .vec = { .v2, .v4, .v8 }; .type = { .f16, .bf16 }"
    )),
    accumulating(load!(
        ".add{.acc::f32}{.vec}.type d*, [a:global]; .vec = { .v2, .v4 }; .type = { .f16x2, .bf16x2 }"
    )),
    bytes(load!(
        ".op.vec.type d*:b8, [a:global]; .op = { .min, .max }; .vec = { .v4, .v8 }; .type = { .e5m2, .e4m3 }"
    )),
    bytes(load!(
        ".op.vec.type d*:b16, [a:global]; .op = { .min, .max }; .vec = { .v2, .v4, .v8 }; .type = { .e5m2x2, .e4m3x2 }"
    )),
    bytes(load!(
        ".op{.vec}.type d*:b32, [a:global]; .op = { .min, .max }; .vec = { .v2, .v4 }; .type = { .e5m2x4, .e4m3x4 }"
    )),
    bytes(load!(
        ".add{.acc::f16}.vec.type d*:b8, [a:global]; .vec = { .v4, .v8 }; .type = { .e5m2, .e4m3 }"
    )),
    bytes(load!(
        ".add{.acc::f16}.vec.type d*:b16, [a:global]; .vec = { .v2, .v4, .v8 }; .type = { .e5m2x2, .e4m3x2 }"
    )),
    bytes(load!(
        ".add{.acc::f16}{.vec}.type d*:b32, [a:global]; .vec = { .v2, .v4 }; .type = { .e5m2x4, .e4m3x4 }"
    )),
]);

const STORE: [Form; 12] = flat([
    store!(".type [reg a:global], b; .type = { .b32, .b64, .u32, .u64, .s32, .s64, .f64 }"),
    store!(
        "{.vec}.type [reg a:global], b*; .vec = { .v2, .v4 }; .type = { .f32, .f16x2, .bf16x2 }"
    ),
    store!(".vec.type [reg a:global], b*; .vec = { .v2, .v4, .v8 }; .type = { .f16, .bf16 }"),
    bytes(store!(".vec.type [reg a:global], b*:b8; .vec = { .v4, .v8 }; .type = { .e5m2, .e4m3 }")),
    bytes(store!(
        ".vec.type [reg a:global], b*:b16; .vec = { .v2, .v4, .v8 }; .type = { .e5m2x2, .e4m3x2 }"
    )),
    bytes(store!(
        "{.vec}.type [reg a:global], b*:b32; .vec = { .v2, .v4 }; .type = { .e5m2x4, .e4m3x4 }"
    )),
]);

const REDUCE: [Form; 12] = flat([
    reduce!(".op.type [reg a:global], b; .op = { .and, .or, .xor }; .type = { .b32, .b64 }"),
    reduce!(".op.type [reg a:global], b; .op = { .min, .max }; .type = { .u32, .u64, .s32, .s64 }"),
    reduce!(
        ".add.type [reg a:global], b; .type = { .u32, .u64, .s32, .f64, .f32, .f16x2, .bf16x2 }"
    ),
    reduce!(
        ".add.vec.type [reg a:global], b*; .vec = { .v2, .v4 }; .type = { .f32, .f16x2, .bf16x2 }"
    ),
    reduce!(
        ".op.vec.type [reg a:global], b*; .op = { .add, .min, .max }; .vec = { .v2, .v4, .v8 }; .type = { .f16, .bf16 }"
    ),
    reduce!(
        ".op.vec.type [reg a:global], b*; .op = { .min, .max }; .vec = { .v2, .v4 }; .type = { .f16x2, .bf16x2 }"
    ),
]);

/// A bulk copy or reduction from shared memory.
macro_rules! bulk {
    ($start:literal, $line:literal) => {
        Form::legal(
            concat!(
                "multimem.cp!.",
                $start,
                ".global.src.bulk_group",
                $line,
                "; .src = { .shared::cta }"
            ),
            (9, 1),
            90,
        )
    };
}

const COPY: &[Form] = &[
    bulk!("async!.bulk!", " [d:global], [a:src], size:u32(..1048560*16)"),
    bulk!("async!.bulk!", ".cp_mask [d:global], [a:src], size:u32(..1048560*16), mask:u16")
        .needs(&[Need::new("cp_mask", (9, 1), 100)]),
];

const COPY_REDUCE: &[Form] = &[
    bulk!(
        "reduce!.async!.bulk!",
        ".op.type [d:global], [a:src], size:u32(..1048560*16); .op = { .and, .or, .xor }; .type = { .b32, .b64 }"
    ),
    bulk!(
        "reduce!.async!.bulk!",
        ".op.type [d:global], [a:src], size:u32(..1048560*16); .op = { .min, .max }; .type = { .u32, .u64, .s32, .s64, .f16, .bf16 }"
    ),
    bulk!(
        "reduce!.async!.bulk!",
        ".op.type [d:global], [a:src], size:u32(..1048560*16); .op = { .inc, .dec }; .type = { .u32 }"
    ),
    bulk!(
        "reduce!.async!.bulk!",
        ".add.type [d:global], [a:src], size:u32(..1048560*16); .type = { .u32, .u64, .s32, .f32, .f64 }"
    ),
    bulk!(
        "reduce!.async!.bulk!",
        ".add.noftz.type [d:global], [a:src], size:u32(..1048560*16); .type = { .f16, .bf16 }"
    ),
    bulk!("reduce!.async!.bulk!", ".add.noftz.f32 [d:global], [a:src], size:u32(..1048560*16)")
        .since((9, 4), 90),
];

pub(super) const ENTRIES: &[Entry] = &[
    Entry { name: "multimem.ld_reduce", section: "9.7.9.14 multimem", forms: &LOAD },
    Entry { name: "multimem.st", section: "9.7.9.14 multimem", forms: &STORE },
    Entry { name: "multimem.red", section: "9.7.9.14 multimem", forms: &REDUCE },
    Entry {
        name: "multimem.cp.async.bulk",
        section: "9.7.9.26 multimem.cp.async.bulk",
        forms: COPY,
    },
    Entry {
        name: "multimem.cp.reduce.async.bulk",
        section: "9.7.9.27 multimem.cp.reduce.async.bulk",
        forms: COPY_REDUCE,
    },
];
