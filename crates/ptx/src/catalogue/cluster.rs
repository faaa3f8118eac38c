//! Clusters of CTAs, the resources of a warp, and hints to tools.

use super::{Entry, Form, hint};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "mapa",
        section: "9.7.9.23 mapa",
        forms: &[Form::legal("mapa{.ss}.type d, {&shared}a, b:u32; .ss = { .shared::cluster }; .type = { .u32, .u64 }", (7, 8), 90)],
    },
    Entry {
        name: "getctarank",
        section: "9.7.9.24 getctarank",
        forms: &[Form::legal("getctarank{.ss}.type d:u32, {&shared}a; .ss = { .shared::cluster }; .type = { .u32, .u64 }", (7, 8), 90)],
    },
    Entry {
        name: "setmaxnreg",
        section: "9.7.19.5 setmaxnreg",
        forms: &[Form::new("setmaxnreg.action!.sync.aligned.u32 count:u32=(24..256*8); .action = { .inc, .dec }", (8, 0), 90, hint).family(&[90, 100, 101, 103, 107, 110, 120, 121])],
    },
    Entry { name: "brkpt", section: "9.7.19.1 brkpt", forms: &[Form::new("brkpt", (1, 0), 11, hint)] },
    Entry {
        name: "pmevent",
        section: "9.7.19.3 pmevent",
        forms: &[
            Form::new("pmevent a:u32=(0..15)", (1, 4), 10, hint),
            Form::new("pmevent.mask a:u32=(0..65535)", (3, 0), 20, hint),
        ],
    },
    Entry {
        name: "stacksave",
        section: "9.7.17.1 stacksave",
        forms: &[Form::legal("stacksave.type d; .type = { .u32, .u64 }", (7, 3), 52)],
    },
    Entry {
        name: "stackrestore",
        section: "9.7.17.2 stackrestore",
        forms: &[Form::legal("stackrestore.type plain reg a; .type = { .u32, .u64 }", (7, 3), 52)],
    },
    Entry {
        name: "alloca",
        section: "9.7.17.3 alloca",
        forms: &[Form::legal("alloca.type d, a{, align:u32=}; .type = { .u32, .u64 }", (7, 3), 52)],
    },
    Entry {
        name: "szext",
        section: "9.7.1.21 szext",
        forms: &[Form::legal("szext.mode.type d, a, b:u32; .mode = { .clamp, .wrap }; .type = { .u32, .s32 }", (7, 6), 70)],
    },
];
