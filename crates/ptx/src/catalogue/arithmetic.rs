//! Addition, subtraction, multiplication, division, minimum, maximum and sign, of integers and floats.

mod float;
mod integer;

pub(super) use float::{Format, function, round};
pub(super) use integer::{ADD, LESS, LESS_EQUAL, SUB, product};

use super::{Entry, Form, Need, extended};
use ir::BinaryOp;

/// Rounding up and down came later than to nearest and toward zero.
const DIRECTED_F32: &[Need] = &[Need::new("rm", (2, 0), 20), Need::new("rp", (2, 0), 20)];
const DIRECTED_F64: &[Need] = &[Need::new("rm", (1, 0), 13), Need::new("rp", (1, 0), 13)];
pub(super) const DIVIDED_F64: &[Need] =
    &[Need::new("rz", (2, 0), 20), Need::new("rm", (2, 0), 20), Need::new("rp", (2, 0), 20)];

const DIV_BOUND: &str = "2 ulp for |b| from 2^-126 to 2^126";
const DIV_FULL_BOUND: &str = "2 ulp";

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "add",
        section: "9.7.1.1, 9.7.2.1, 9.7.3.3, 9.7.4.1, 9.7.5.1 add",
        forms: &[
            Form::new(
                "add.type d, a, b; .type = { .u16, .u32, .u64, .s16, .s32, .s64 }",
                (1, 0),
                10,
                |lo, inst| integer::binary(lo, inst, &integer::ADD),
            ),
            Form::new("add.sat.s32 d, a, b", (1, 0), 10, |lo, inst| {
                integer::saturating(lo, inst, BinaryOp::AddSatS32)
            }),
            Form::new("add.type d, a, b; .type = { .u16x2, .s16x2 }", (8, 0), 90, |lo, inst| {
                integer::packed(lo, inst, &integer::ADD)
            }),
            Form::new("add.cc.type d, a, b; .type = { .u32, .s32 }", (1, 2), 10, |lo, inst| {
                extended::add(lo, inst)
            })
            .role(extended::SUM),
            Form::new("add.cc.type d, a, b; .type = { .u64, .s64 }", (4, 3), 20, |lo, inst| {
                extended::add(lo, inst)
            })
            .role(extended::SUM),
            Form::new(
                "add{.rnd}{.ftz}{.sat}.f32 d, a, b; .rnd = { .rn, .rz, .rm, .rp }",
                (1, 0),
                10,
                |lo, inst| float::binary(lo, inst, float::add),
            )
            .needs(DIRECTED_F32),
            Form::new(
                "add{.rnd}.f64 d, a, b; .rnd = { .rn, .rz, .rm, .rp }",
                (1, 0),
                10,
                |lo, inst| float::binary(lo, inst, float::add),
            )
            .needs(DIRECTED_F64),
            Form::new(
                "add{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = { .rn }; .type = { .f16, .f16x2 }",
                (4, 2),
                53,
                |lo, inst| float::binary(lo, inst, float::add),
            ),
            Form::new(
                "add{.rnd}.type d, a, b; .rnd = { .rn }; .type = { .bf16, .bf16x2 }",
                (7, 8),
                90,
                |lo, inst| float::binary(lo, inst, float::add),
            ),
            Form::new(
                "add{.rnd}{.ftz}.f32x2 d, a, b; .rnd = { .rn, .rz, .rm, .rp }",
                (8, 6),
                100,
                |lo, inst| float::packed(lo, inst, float::add),
            ),
            Form::new(
                "add{.rnd}{.sat}.f32.atype d, a:atype, b; .rnd = { .rn, .rz, .rm, .rp }; .atype = { .f16, .bf16 }",
                (8, 6),
                100,
                |lo, inst| float::mixed(lo, inst, float::add),
            ),
        ],
    },
    Entry {
        name: "sub",
        section: "9.7.1.2, 9.7.2.3, 9.7.3.4, 9.7.4.2, 9.7.5.2 sub",
        forms: &[
            Form::new(
                "sub.type d, a, b; .type = { .u16, .u32, .u64, .s16, .s32, .s64 }",
                (1, 0),
                10,
                |lo, inst| integer::binary(lo, inst, &integer::SUB),
            ),
            Form::new("sub.sat.s32 d, a, b", (1, 0), 10, |lo, inst| {
                integer::saturating(lo, inst, BinaryOp::SubSatS32)
            }),
            Form::new("sub.cc.type d, a, b; .type = { .u32, .s32 }", (1, 2), 10, |lo, inst| {
                extended::sub(lo, inst)
            })
            .role(extended::DIFFERENCE),
            Form::new("sub.cc.type d, a, b; .type = { .u64, .s64 }", (4, 3), 20, |lo, inst| {
                extended::sub(lo, inst)
            })
            .role(extended::DIFFERENCE),
            Form::new(
                "sub{.rnd}{.ftz}{.sat}.f32 d, a, b; .rnd = { .rn, .rz, .rm, .rp }",
                (1, 0),
                10,
                |lo, inst| float::binary(lo, inst, float::sub),
            )
            .needs(DIRECTED_F32),
            Form::new(
                "sub{.rnd}.f64 d, a, b; .rnd = { .rn, .rz, .rm, .rp }",
                (1, 0),
                10,
                |lo, inst| float::binary(lo, inst, float::sub),
            )
            .needs(DIRECTED_F64),
            Form::new(
                "sub{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = { .rn }; .type = { .f16, .f16x2 }",
                (4, 2),
                53,
                |lo, inst| float::binary(lo, inst, float::sub),
            ),
            Form::new(
                "sub{.rnd}.type d, a, b; .rnd = { .rn }; .type = { .bf16, .bf16x2 }",
                (7, 8),
                90,
                |lo, inst| float::binary(lo, inst, float::sub),
            ),
            Form::new(
                "sub{.rnd}{.ftz}.f32x2 d, a, b; .rnd = { .rn, .rz, .rm, .rp }",
                (8, 6),
                100,
                |lo, inst| float::packed(lo, inst, float::sub),
            ),
            Form::new(
                "sub{.rnd}{.sat}.f32.atype d, a:atype, b; .rnd = { .rn, .rz, .rm, .rp }; .atype = { .f16, .bf16 }",
                (8, 6),
                100,
                |lo, inst| float::mixed(lo, inst, float::sub),
            ),
        ],
    },
    Entry {
        name: "mul",
        section: "9.7.1.3, 9.7.3.5, 9.7.4.3 mul",
        forms: &[
            Form::new(
                "mul.mode!.type d, a, b; .mode = { .lo, .hi }; .type = { .u16, .u32, .u64, .s16, .s32, .s64 }",
                (1, 0),
                10,
                integer::mul,
            ),
            Form::new(
                "mul.wide!.type d:u32^, a, b; .type = { .u16, .s16 }",
                (1, 0),
                10,
                integer::mul_wide,
            ),
            Form::new(
                "mul.wide!.type d:u64, a, b; .type = { .u32, .s32 }",
                (1, 0),
                10,
                integer::mul_wide,
            ),
            Form::new(
                "mul{.rnd}{.ftz}{.sat}.f32 d, a, b; .rnd = { .rn, .rz, .rm, .rp }",
                (1, 0),
                10,
                |lo, inst| float::binary(lo, inst, float::mul),
            )
            .needs(DIRECTED_F32),
            Form::new(
                "mul{.rnd}.f64 d, a, b; .rnd = { .rn, .rz, .rm, .rp }",
                (1, 0),
                10,
                |lo, inst| float::binary(lo, inst, float::mul),
            )
            .needs(DIRECTED_F64),
            Form::new(
                "mul{.rnd}{.ftz}{.sat}.type d, a, b; .rnd = { .rn }; .type = { .f16, .f16x2 }",
                (4, 2),
                53,
                |lo, inst| float::binary(lo, inst, float::mul),
            ),
            Form::new(
                "mul{.rnd}.type d, a, b; .rnd = { .rn }; .type = { .bf16, .bf16x2 }",
                (7, 8),
                90,
                |lo, inst| float::binary(lo, inst, float::mul),
            ),
            Form::new(
                "mul{.rnd}{.ftz}.f32x2 d, a, b; .rnd = { .rn, .rz, .rm, .rp }",
                (8, 6),
                100,
                |lo, inst| float::packed(lo, inst, float::mul),
            ),
        ],
    },
    Entry {
        name: "mad",
        section: "9.7.1.4, 9.7.2.5, 9.7.3.7 mad",
        forms: &[
            Form::new(
                "mad.mode!.type d, a, b, c; .mode = { .lo, .hi }; .type = { .u16, .u32, .u64, .s16, .s32, .s64 }",
                (1, 0),
                10,
                integer::mad,
            ),
            Form::new("mad.hi!.sat.s32 d, a, b, c", (1, 0), 10, |lo, inst| {
                integer::mad_hi_sat(lo, inst)
            }),
            Form::new(
                "mad.wide!.type d:u32^, a, b, c:u32^; .type = { .u16, .s16 }",
                (1, 0),
                10,
                integer::mad_wide,
            ),
            Form::new(
                "mad.wide!.type d:u64, a, b, c:u64^; .type = { .u32, .s32 }",
                (1, 0),
                10,
                integer::mad_wide,
            ),
            Form::new(
                "mad.mode!.cc.type d, a, b, c; .mode = { .lo, .hi }; .type = { .u32, .s32 }",
                (3, 0),
                20,
                extended::mad,
            )
            .role(extended::SUM),
            Form::new(
                "mad.mode!.cc.type d, a, b, c; .mode = { .lo, .hi }; .type = { .u64, .s64 }",
                (4, 3),
                20,
                extended::mad,
            )
            .role(extended::SUM),
            Form::new(
                "mad.rnd{.ftz}{.sat}.f32 d, a, b, c; .rnd = { .rn, .rz, .rm, .rp }",
                (2, 0),
                20,
                float::fma,
            ),
            // The manual wants a rounding mode from sm_20 on; the assembler takes `.rn` for it up to PTX 3.1.
            Form::new("mad{.ftz}{.sat}.f32 d, a, b, c", (1, 0), 10, float::fma).removed(
                (3, 2),
                20,
                "`mad.rn`",
            ),
            Form::new(
                "mad.rnd.f64 d, a, b, c; .rnd = { .rn, .rz, .rm, .rp }",
                (1, 0),
                10,
                float::fma,
            )
            .needs(DIRECTED_F64),
        ],
    },
    Entry {
        name: "mul24",
        section: "9.7.1.5 mul24",
        forms: &[Form::new(
            "mul24.mode!.type d, a, b; .mode = { .lo, .hi }; .type = { .u32, .s32 }",
            (1, 0),
            10,
            integer::mul24,
        )],
    },
    Entry {
        name: "mad24",
        section: "9.7.1.6 mad24",
        forms: &[
            Form::new(
                "mad24.mode!.type d, a, b, c; .mode = { .lo, .hi }; .type = { .u32, .s32 }",
                (1, 0),
                10,
                |lo, inst| integer::mad24(lo, inst, BinaryOp::AddI32),
            ),
            Form::new(
                "mad24.mode!.sat.type d, a, b, c; .mode = { .hi }; .type = { .s32 }",
                (1, 0),
                10,
                |lo, inst| integer::mad24(lo, inst, BinaryOp::AddSatS32),
            ),
        ],
    },
    Entry {
        name: "sad",
        section: "9.7.1.7 sad",
        forms: &[Form::new(
            "sad.type d, a, b, c; .type = { .u16, .u32, .u64, .s16, .s32, .s64 }",
            (1, 0),
            10,
            integer::sad,
        )],
    },
    Entry {
        name: "fma",
        section: "9.7.3.6, 9.7.4.4, 9.7.5.3 fma",
        forms: &[
            Form::new(
                "fma.rnd{.ftz}{.sat}.f32 d, a, b, c; .rnd = { .rn, .rz, .rm, .rp }",
                (2, 0),
                20,
                float::fma,
            ),
            Form::new(
                "fma.rnd.f64 d, a, b, c; .rnd = { .rn, .rz, .rm, .rp }",
                (1, 4),
                10,
                float::fma,
            )
            .needs(DIRECTED_F64),
            Form::new(
                "fma.rnd{.ftz}{.sat}.type d, a, b, c; .rnd = { .rn }; .type = { .f16, .f16x2 }",
                (4, 2),
                53,
                float::fma,
            ),
            Form::new(
                "fma.rnd{.ftz}.relu.type d, a, b, c; .rnd = { .rn }; .type = { .f16, .f16x2 }",
                (7, 0),
                80,
                float::fma,
            ),
            Form::new(
                "fma.rnd{.relu}.type d, a, b, c; .rnd = { .rn }; .type = { .bf16, .bf16x2 }",
                (7, 0),
                80,
                float::fma,
            ),
            Form::new(
                "fma.rnd{.ftz}.f32x2 d, a, b, c; .rnd = { .rn, .rz, .rm, .rp }",
                (8, 6),
                100,
                float::packed_fma,
            ),
            Form::new(
                "fma.rnd{.sat}.f32.atype d, a:atype, b:atype, c; .rnd = { .rn, .rz, .rm, .rp }; .atype = { .f16, .bf16 }",
                (8, 6),
                100,
                float::mixed_fma,
            ),
        ],
    },
    Entry {
        name: "div",
        section: "9.7.1.8, 9.7.3.8 div",
        forms: &[
            Form::new(
                "div.type d, a, b; .type = { .u16, .u32, .s16, .s32 }",
                (1, 0),
                10,
                |lo, inst| integer::binary(lo, inst, &integer::DIV),
            ),
            Form::new(
                "div.type d, plain a, plain b; .type = { .u64, .s64 }",
                (1, 0),
                10,
                |lo, inst| integer::binary(lo, inst, &integer::DIV),
            ),
            Form::new("div.approx{.ftz}.f32 d, a, b", (1, 4), 10, |lo, inst| {
                float::fixed(lo, inst, BinaryOp::DivApproxF32)
            })
            .approximate(DIV_BOUND),
            Form::new("div.full!{.ftz}.f32 d, int a, int b", (1, 4), 10, |lo, inst| {
                float::fixed(lo, inst, BinaryOp::DivFullF32)
            })
            .approximate(DIV_FULL_BOUND),
            Form::new(
                "div.rnd{.ftz}.f32 d, int a, int b; .rnd = { .rn, .rz, .rm, .rp }",
                (1, 4),
                20,
                |lo, inst| float::fixed(lo, inst, BinaryOp::DivF32(round(inst))),
            ),
            Form::new(
                "div.rnd.f64 d, int a, int b; .rnd = { .rn, .rz, .rm, .rp }",
                (1, 4),
                10,
                |lo, inst| float::fixed(lo, inst, BinaryOp::DivF64(round(inst))),
            )
            .needs(DIVIDED_F64),
        ],
    },
    Entry {
        name: "rem",
        section: "9.7.1.9 rem",
        forms: &[
            Form::new(
                "rem.type d, a, b; .type = { .u16, .u32, .s16, .s32 }",
                (1, 0),
                10,
                |lo, inst| integer::binary(lo, inst, &integer::REM),
            ),
            Form::new(
                "rem.type d, plain a, plain b; .type = { .u64, .s64 }",
                (1, 0),
                10,
                |lo, inst| integer::binary(lo, inst, &integer::REM),
            ),
        ],
    },
    Entry {
        name: "abs",
        section: "9.7.1.10, 9.7.3.9, 9.7.4.6 abs",
        forms: &[
            Form::new("abs.type d, a; .type = { .s16, .s32, .s64 }", (1, 0), 10, |lo, inst| {
                integer::unary(lo, inst, &integer::ABS)
            }),
            Form::new("abs{.ftz}.f32 d, a", (1, 0), 10, |lo, inst| {
                float::unary(lo, inst, float::abs)
            }),
            Form::new("abs.f64 d, a", (1, 0), 10, |lo, inst| float::unary(lo, inst, float::abs)),
            Form::new("abs{.ftz}.type d, a; .type = { .f16, .f16x2 }", (6, 5), 53, |lo, inst| {
                float::unary(lo, inst, float::abs)
            }),
            Form::new("abs.type d, a; .type = { .bf16, .bf16x2 }", (7, 0), 80, |lo, inst| {
                float::unary(lo, inst, float::abs)
            }),
        ],
    },
    Entry {
        name: "neg",
        section: "9.7.1.11, 9.7.3.10, 9.7.4.5 neg",
        forms: &[
            Form::new("neg.type d, a; .type = { .s16, .s32, .s64 }", (1, 0), 10, |lo, inst| {
                integer::unary(lo, inst, &integer::NEG)
            }),
            Form::new("neg{.ftz}.f32 d, a", (1, 0), 10, |lo, inst| {
                float::unary(lo, inst, float::neg)
            }),
            Form::new("neg.f64 d, a", (1, 0), 10, |lo, inst| float::unary(lo, inst, float::neg)),
            Form::new("neg{.ftz}.type d, a; .type = { .f16, .f16x2 }", (6, 0), 53, |lo, inst| {
                float::unary(lo, inst, float::neg)
            }),
            Form::new("neg.type d, a; .type = { .bf16, .bf16x2 }", (7, 0), 80, |lo, inst| {
                float::unary(lo, inst, float::neg)
            }),
        ],
    },
    Entry {
        name: "min",
        section: "9.7.1.12, 9.7.3.11, 9.7.4.7 min",
        forms: &[
            Form::new(
                "min.type d, a, b; .type = { .u16, .u32, .u64, .s16, .s32, .s64 }",
                (1, 0),
                10,
                |lo, inst| integer::binary(lo, inst, &integer::MIN),
            ),
            Form::new("min.relu.s32 d, a, b", (8, 0), 90, |lo, inst| {
                integer::relu(lo, inst, BinaryOp::MinS32)
            }),
            Form::new("min.type d, a, b; .type = { .u16x2, .s16x2 }", (8, 0), 90, |lo, inst| {
                integer::packed(lo, inst, &integer::MIN)
            }),
            Form::new("min.relu.type d, a, b; .type = { .s16x2 }", (8, 0), 90, |lo, inst| {
                integer::packed(lo, inst, &integer::MIN)
            }),
            Form::new("min{.ftz}.f32 d, a, b", (1, 0), 10, |lo, inst| {
                float::extremum(lo, inst, float::min)
            }),
            Form::new("min{.ftz}.NaN.f32 d, a, b", (7, 0), 80, |lo, inst| {
                float::extremum(lo, inst, float::min)
            }),
            Form::new("min{.ftz}{.NaN}.xorsign.abs.f32 d, a, b", (7, 2), 86, |lo, inst| {
                float::extremum(lo, inst, float::min)
            }),
            Form::new("min{.ftz}{.NaN}{.abs}.f32 d, a, b, c", (8, 8), 100, |lo, inst| {
                float::extremum3(lo, inst, float::min)
            }),
            Form::new("min.f64 d, a, b", (1, 0), 10, |lo, inst| {
                float::extremum(lo, inst, float::min)
            }),
            Form::new(
                "min{.ftz}{.NaN}.type d, a, b; .type = { .f16, .f16x2 }",
                (7, 0),
                80,
                |lo, inst| float::extremum(lo, inst, float::min),
            ),
            Form::new(
                "min{.ftz}{.NaN}.xorsign.abs.type d, a, b; .type = { .f16, .f16x2 }",
                (7, 2),
                86,
                |lo, inst| float::extremum(lo, inst, float::min),
            ),
            Form::new(
                "min{.NaN}.type d, a, b; .type = { .bf16, .bf16x2 }",
                (7, 0),
                80,
                |lo, inst| float::extremum(lo, inst, float::min),
            ),
            Form::new(
                "min{.NaN}.xorsign.abs.type d, a, b; .type = { .bf16, .bf16x2 }",
                (7, 2),
                86,
                |lo, inst| float::extremum(lo, inst, float::min),
            ),
        ],
    },
    Entry {
        name: "max",
        section: "9.7.1.13, 9.7.3.12, 9.7.4.8 max",
        forms: &[
            Form::new(
                "max.type d, a, b; .type = { .u16, .u32, .u64, .s16, .s32, .s64 }",
                (1, 0),
                10,
                |lo, inst| integer::binary(lo, inst, &integer::MAX),
            ),
            Form::new("max.relu.s32 d, a, b", (8, 0), 90, |lo, inst| {
                integer::relu(lo, inst, BinaryOp::MaxS32)
            }),
            Form::new("max.type d, a, b; .type = { .u16x2, .s16x2 }", (8, 0), 90, |lo, inst| {
                integer::packed(lo, inst, &integer::MAX)
            }),
            Form::new("max.relu.type d, a, b; .type = { .s16x2 }", (8, 0), 90, |lo, inst| {
                integer::packed(lo, inst, &integer::MAX)
            }),
            Form::new("max{.ftz}.f32 d, a, b", (1, 0), 10, |lo, inst| {
                float::extremum(lo, inst, float::max)
            }),
            Form::new("max{.ftz}.NaN.f32 d, a, b", (7, 0), 80, |lo, inst| {
                float::extremum(lo, inst, float::max)
            }),
            Form::new("max{.ftz}{.NaN}.xorsign.abs.f32 d, a, b", (7, 2), 86, |lo, inst| {
                float::extremum(lo, inst, float::max)
            }),
            Form::new("max{.ftz}{.NaN}{.abs}.f32 d, a, b, c", (8, 8), 100, |lo, inst| {
                float::extremum3(lo, inst, float::max)
            }),
            Form::new("max.f64 d, a, b", (1, 0), 10, |lo, inst| {
                float::extremum(lo, inst, float::max)
            }),
            Form::new(
                "max{.ftz}{.NaN}.type d, a, b; .type = { .f16, .f16x2 }",
                (7, 0),
                80,
                |lo, inst| float::extremum(lo, inst, float::max),
            ),
            Form::new(
                "max{.ftz}{.NaN}.xorsign.abs.type d, a, b; .type = { .f16, .f16x2 }",
                (7, 2),
                86,
                |lo, inst| float::extremum(lo, inst, float::max),
            ),
            Form::new(
                "max{.NaN}.type d, a, b; .type = { .bf16, .bf16x2 }",
                (7, 0),
                80,
                |lo, inst| float::extremum(lo, inst, float::max),
            ),
            Form::new(
                "max{.NaN}.xorsign.abs.type d, a, b; .type = { .bf16, .bf16x2 }",
                (7, 2),
                86,
                |lo, inst| float::extremum(lo, inst, float::max),
            ),
        ],
    },
];
