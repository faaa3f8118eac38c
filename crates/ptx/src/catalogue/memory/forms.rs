//! The forms of loads and stores. The manual's lines, split where a word excludes others: by memory order,
//! by cache and eviction words, and by whether the address is generic.

use super::access::{load, load_wide, store, store_wide};
use crate::catalogue::{Form, Need, not_implemented};

/// Types of one element.
macro_rules! types {
    () => {
        ".type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 }; "
    };
}

/// Types of the elements of vectors of 32 bytes.
macro_rules! wide_types {
    () => {
        "; .evict = { .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last, \
           .L1::no_allocate }; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; \
           .hint = { .L2::cache_hint }"
    };
}

macro_rules! evict {
    () => {
        ".evict = { .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last, \
         .L1::no_allocate }; "
    };
}

macro_rules! hints {
    () => {
        ".hint = { .L2::cache_hint }; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; "
    };
}

macro_rules! vectors {
    () => {
        ".vec = { .v2, .v4 }"
    };
}

/// Spaces that every load reads.
macro_rules! load_spaces {
    () => {
        ".ss = { .const, .global, .local, .param, .param::entry, .param::func, .shared, \
         .shared::cta, .shared::cluster }; "
    };
}

/// Spaces that every store writes.
macro_rules! store_spaces {
    () => {
        ".ss = { .global, .local, .param, .param::func, .shared, .shared::cta, .shared::cluster }; "
    };
}

/// Spaces that several threads share.
macro_rules! shared_spaces {
    () => {
        ".ss = { .global, .shared, .shared::cta, .shared::cluster }; "
    };
}

macro_rules! scopes {
    () => {
        ".scope = { .cta, .cluster, .gpu, .sys }; "
    };
}

macro_rules! load {
    ($line:expr, $ptx:expr, $sm:literal) => {
        Form::new(concat!($line, "; ", types!(), vectors!()), $ptx, $sm, load)
    };
}

macro_rules! store {
    ($line:expr, $ptx:expr, $sm:literal) => {
        Form::new(concat!($line, "; ", types!(), vectors!()), $ptx, $sm, store)
    };
}

/// Cache words came with generic addressing.
const CACHE: &[Need] = &[
    Need::new("ca", (2, 0), 20),
    Need::new("cg", (2, 0), 20),
    Need::new("cs", (2, 0), 20),
    Need::new("lu", (2, 0), 20),
    Need::new("cv", (2, 0), 20),
    Need::new("wb", (2, 0), 20),
    Need::new("wt", (2, 0), 20),
];

/// 128 bits at system scope came later than at others.
const WIDE: &[Need] = &[Need::new("sys", (8, 4), 70)];

/// Local memory became volatile late.
const VOLATILE: &[Need] = &[Need::new("local", (9, 1), 10)];

pub(super) const LOAD: &[Form] = &[
    load!(concat!("ld{.weak}.ss{.cop}{.vec}.type d*~, [a]; .cop = { .ca, .cg, .cs, .lu, .cv }; ", load_spaces!()), (1, 0), 10).needs(CACHE),
    load!("ld{.weak}{.cop}{.hint}{.prefetch}{.vec}.type d*~, [a]{, policy:b64 if hint}; .cop = { .ca, .cg, .cs, .lu, .cv }; .hint = { .L2::cache_hint }; .prefetch = { .L2::64B, .L2::128B, .L2::256B }", (2, 0), 20),
    load!(concat!("ld{.weak}{.global}{.cop}{.hint}{.prefetch}{.vec}.type d*~, [a]{, policy:b64 if hint}; .cop = { .ca, .cg, .cs, .lu, .cv }; ", hints!()), (2, 0), 20),
    load!(concat!("ld{.weak}{.ss}{.evict}{.hint}{.prefetch}{.vec}.type d*~, [a]{, policy:b64 if hint}; .ss = { .global }; ", evict!(), hints!()), (2, 0), 20),
    load!("ld.volatile.ss{.vec}.type d*~, [a]; .ss = { .local, .shared, .shared::cta, .shared::cluster }", (1, 1), 10).needs(VOLATILE),
    load!("ld.volatile.global{.prefetch}{.vec}.type d*~, [a]; .prefetch = { .L2::64B, .L2::128B, .L2::256B }", (1, 1), 10),
    load!("ld.volatile{.prefetch}{.vec}.type d*~, [a]; .prefetch = { .L2::64B, .L2::128B, .L2::256B }", (2, 0), 20),
    load!(concat!("ld.sem.scope{.ss}{.evict}{.hint}{.prefetch}{.vec}.type d*~, [a]{, policy:b64 if hint}; .sem = { .relaxed, .acquire }; .ss = { .global }; ", scopes!(), evict!(), hints!()), (6, 0), 70),
    load!(concat!("ld.sem.scope.ss{.vec}.type d*~, [a]; .sem = { .relaxed, .acquire }; ", scopes!(), shared_spaces!()), (6, 0), 70),
    Form::new(concat!("ld.mmio.relaxed.sys{.global}.type d~, [a]; ", types!()), (8, 2), 70, load),
    Form::legal("ld.mmio.relaxed.sys{.global}.b128 d, [a]", (8, 4), 70),
    load!(concat!("ld.global{.cop}.nc{.hint}{.prefetch}{.vec}.type d*~, [a]{, policy:b64 if hint}; .cop = { .ca, .cg, .cs }; ", hints!()), (3, 1), 32),
    load!(concat!("ld.global.nc{.evict}{.hint}{.prefetch}{.vec}.type d*~, [a]{, policy:b64 if hint}; ", evict!(), hints!()), (7, 4), 70),
    Form::new(concat!("ld{.weak}.ss{.cop}.b128 d, [a]; .cop = { .ca, .cg, .cs, .lu, .cv }; ", load_spaces!()), (8, 3), 70, load_wide),
    Form::new(concat!("ld{.weak}{.global}{.cop}{.hint}{.prefetch}.b128 d, [a]{, policy:b64 if hint}; .cop = { .ca, .cg, .cs, .lu, .cv }; ", hints!()), (8, 3), 70, load_wide),
    Form::new(concat!("ld{.weak}{.global}{.evict}{.hint}{.prefetch}.b128 d, [a]{, policy:b64 if hint}; ", evict!(), hints!()), (8, 3), 70, load_wide),
    Form::new(concat!("ld.global.nc{.evict}{.hint}{.prefetch}.b128 d, [a]{, policy:b64 if hint}; ", evict!(), hints!()), (8, 3), 70, load_wide),
    Form::new("ld.volatile{.global}{.prefetch}.b128 d, [a]; .prefetch = { .L2::64B, .L2::128B, .L2::256B }", (8, 3), 70, not_implemented),
    Form::new("ld.volatile.ss.b128 d, [a]; .ss = { .local, .shared, .shared::cta, .shared::cluster }", (8, 3), 70, not_implemented).needs(VOLATILE),
    Form::new(concat!("ld.sem.scope{.global}{.evict}{.hint}{.prefetch}.b128 d, [a]{, policy:b64 if hint}; .sem = { .relaxed, .acquire }; ", scopes!(), evict!(), hints!()), (8, 3), 70, not_implemented).needs(WIDE),
    Form::new(concat!("ld.sem.scope.ss.b128 d, [a]; .sem = { .relaxed, .acquire }; ", scopes!(), shared_spaces!()), (8, 3), 70, not_implemented).needs(WIDE),
    Form::new(concat!("ld{.weak}{.global}{.evict}{.evict2}{.hint}{.prefetch}.vec.type d*~, [a]{, policy:b64 if hint}; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; .vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }", wide_types!()), (8, 8), 100, load),
    Form::new(concat!("ld.global.nc{.evict}{.evict2}{.hint}{.prefetch}.vec.type d*~, [a]{, policy:b64 if hint}; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; .vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }", wide_types!()), (8, 8), 100, load),
    Form::new(concat!("ld{.weak}{.global}{.evict}{.evict2}{.hint}{.prefetch}.vec.type d*~, [a]{, policy:b64 if hint}; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; .vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }", wide_types!()), (8, 8), 100, load),
    Form::new(concat!("ld.global.nc{.evict}{.evict2}{.hint}{.prefetch}.vec.type d*~, [a]{, policy:b64 if hint}; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; .vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }", wide_types!()), (8, 8), 100, load),
    Form::new(concat!("ld.sem.scope{.global}{.evict}{.evict2}{.hint}.vec.type d*~, [a]{, policy:b64 if hint}; .sem = { .relaxed, .acquire }; .scope = { .cta, .cluster, .gpu, .sys }; .vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }", wide_types!()), (8, 8), 100, load),
    Form::new(concat!("ld.sem.scope{.global}{.evict}{.evict2}{.hint}.vec.type d*~, [a]{, policy:b64 if hint}; .sem = { .relaxed, .acquire }; .scope = { .cta, .cluster, .gpu, .sys }; .vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }", wide_types!()), (8, 8), 100, load),
    Form::new("ld.volatile{.global}{.evict2}{.prefetch}.vec.type d*~, [a]; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; .vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }", (8, 8), 100, load),
    Form::new("ld{.weak}{.global}.cop{.evict2}{.hint}{.prefetch}.vec.type d*~, [a]{, policy:b64 if hint}; .cop = { .ca, .cg, .cs, .lu, .cv }; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; .hint = { .L2::cache_hint }; .vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }", (8, 8), 100, load),
    Form::new("ld.global.cop.nc{.evict2}{.hint}{.prefetch}.vec.type d*~, [a]{, policy:b64 if hint}; .cop = { .ca, .cg, .cs }; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; .hint = { .L2::cache_hint }; .vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }", (8, 8), 100, load),
    Form::new("ld.volatile{.global}{.evict2}{.prefetch}.vec.type d*~, [a]; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; .vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }", (8, 8), 100, load),
    Form::new("ld{.weak}{.global}.cop{.evict2}{.hint}{.prefetch}.vec.type d*~, [a]{, policy:b64 if hint}; .cop = { .ca, .cg, .cs, .lu, .cv }; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; .hint = { .L2::cache_hint }; .vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }", (8, 8), 100, load),
    Form::new("ld.global.cop.nc{.evict2}{.hint}{.prefetch}.vec.type d*~, [a]{, policy:b64 if hint}; .cop = { .ca, .cg, .cs }; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; .prefetch = { .L2::64B, .L2::128B, .L2::256B }; .hint = { .L2::cache_hint }; .vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }", (8, 8), 100, load),
];

pub(super) const STORE: &[Form] = &[
    store!(concat!("st{.weak}.ss{.cop}{.vec}.type [reg a], b*~; .cop = { .wb, .cg, .cs, .wt }; ", store_spaces!()), (1, 0), 10).needs(CACHE),
    store!("st{.weak}{.global}{.cop}{.hint}{.vec}.type [reg a], b*~{, policy:b64 if hint}; .cop = { .wb, .cg, .cs, .wt }; .hint = { .L2::cache_hint }", (2, 0), 20),
    store!(concat!("st{.weak}{.ss}{.evict}{.hint}{.vec}.type [reg a], b*~{, policy:b64 if hint}; .ss = { .global }; .hint = { .L2::cache_hint }; ", evict!()), (2, 0), 20),
    store!("st.volatile.ss{.vec}.type [reg a], b*~; .ss = { .global, .local, .shared, .shared::cta, .shared::cluster }", (1, 1), 10).needs(VOLATILE),
    store!("st.volatile{.vec}.type [reg a], b*~", (2, 0), 20),
    store!(concat!("st.sem.scope{.ss}{.evict}{.hint}{.vec}.type [reg a], b*~{, policy:b64 if hint}; .sem = { .relaxed, .release }; .ss = { .global }; .hint = { .L2::cache_hint }; ", scopes!(), evict!()), (6, 0), 70),
    store!(concat!("st.sem.scope.ss{.vec}.type [reg a], b*~; .sem = { .relaxed, .release }; ", scopes!(), shared_spaces!()), (6, 0), 70),
    Form::new(concat!("st.mmio.relaxed.sys{.global}.type [reg a], b~; ", types!()), (8, 2), 70, store),
    Form::legal("st.mmio.relaxed.sys{.global}.b128 [reg a], b", (8, 4), 70),
    Form::new(concat!("st{.weak}.ss{.cop}.b128 [reg a], b; .cop = { .wb, .cg, .cs, .wt }; ", store_spaces!()), (8, 3), 70, store_wide),
    Form::new("st{.weak}{.global}{.cop}{.hint}.b128 [reg a], b{, policy:b64 if hint}; .cop = { .wb, .cg, .cs, .wt }; .hint = { .L2::cache_hint }", (8, 3), 70, store_wide),
    Form::new(concat!("st{.weak}{.global}{.evict}{.hint}.b128 [reg a], b{, policy:b64 if hint}; .hint = { .L2::cache_hint }; ", evict!()), (8, 3), 70, store_wide),
    Form::new("st.volatile{.ss}.b128 [reg a], b; .ss = { .global, .local, .shared, .shared::cta, .shared::cluster }", (8, 3), 70, not_implemented).needs(VOLATILE),
    Form::new(concat!("st.sem.scope{.global}{.evict}{.hint}.b128 [reg a], b{, policy:b64 if hint}; .sem = { .relaxed, .release }; .hint = { .L2::cache_hint }; ", scopes!(), evict!()), (8, 3), 70, not_implemented).needs(WIDE),
    Form::new(concat!("st.sem.scope.ss.b128 [reg a], b; .sem = { .relaxed, .release }; ", scopes!(), shared_spaces!()), (8, 3), 70, not_implemented).needs(WIDE),
    Form::new(concat!("st{.weak}{.global}{.evict}{.evict2}{.hint}.vec.type [a], b*~{, policy:b64 if hint}; .vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }", wide_types!()), (8, 8), 100, store),
    Form::new(concat!("st{.weak}{.global}{.evict}{.evict2}{.hint}.vec.type [a], b*~{, policy:b64 if hint}; .vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }", wide_types!()), (8, 8), 100, store),
    Form::new(concat!("st.sem.scope{.global}{.evict}{.evict2}{.hint}.vec.type [a], b*~{, policy:b64 if hint}; .sem = { .relaxed, .release }; .scope = { .cta, .cluster, .gpu, .sys }; .vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }", wide_types!()), (8, 8), 100, store),
    Form::new(concat!("st.sem.scope{.global}{.evict}{.evict2}{.hint}.vec.type [a], b*~{, policy:b64 if hint}; .sem = { .relaxed, .release }; .scope = { .cta, .cluster, .gpu, .sys }; .vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }", wide_types!()), (8, 8), 100, store),
    Form::new("st.volatile{.global}{.evict2}.vec.type [a], b*~; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; .vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }", (8, 8), 100, store),
    Form::new("st{.weak}{.global}.cop{.evict2}{.hint}.vec.type [a], b*~{, policy:b64 if hint}; .cop = { .wb, .cg, .cs, .wt }; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; .hint = { .L2::cache_hint }; .vec = { .v8 }; .type = { .b32, .u32, .s32, .f32 }", (8, 8), 100, store),
    Form::new("st.volatile{.global}{.evict2}.vec.type [a], b*~; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; .vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }", (8, 8), 100, store),
    Form::new("st{.weak}{.global}.cop{.evict2}{.hint}.vec.type [a], b*~{, policy:b64 if hint}; .cop = { .wb, .cg, .cs, .wt }; .evict2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last }; .hint = { .L2::cache_hint }; .vec = { .v4 }; .type = { .b64, .u64, .s64, .f64 }", (8, 8), 100, store),
];
