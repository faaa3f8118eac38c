//! Reciprocals, roots, transcendental functions, and `copysign`.

use super::arithmetic::{DIVIDED_F64, Format, function, round};
use super::step::Step;
use super::{Entry, Form};
use crate::lower::{Inst, Lowering, Result};
use ir::{BinaryOp, UnaryOp};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "copysign",
        section: "9.7.3.2 copysign",
        forms: &[
            Form::new("copysign.f32 d, int a, int b", (2, 0), 20, copysign),
            Form::new("copysign.f64 d, int a, int b", (2, 0), 20, copysign),
        ],
    },
    Entry {
        name: "rcp",
        section: "9.7.3.13, 9.7.3.14 rcp",
        forms: &[
            Form::new("rcp.approx{.ftz}.f32 d, a", (1, 4), 10, |lo, inst| {
                function(lo, inst, UnaryOp::RcpApproxF32)
            })
            .approximate("1 ulp"),
            Form::new("rcp.rnd{.ftz}.f32 d, a; .rnd = { .rn, .rz, .rm, .rp }", (1, 4), 20, rcp),
            Form::new("rcp.rnd{.ftz}.f64 d, int a; .rnd = { .rn, .rz, .rm, .rp }", (1, 4), 10, rcp)
                .needs(DIVIDED_F64),
            Form::new("rcp.approx.ftz.f64 d, a", (2, 1), 20, |lo, inst| {
                upper_word(lo, inst, UnaryOp::RcpApproxFtzF64)
            })
            .approximate("the lower word is zero; no bound is given"),
        ],
    },
    Entry {
        name: "sqrt",
        section: "9.7.3.15 sqrt",
        forms: &[
            Form::new("sqrt.approx{.ftz}.f32 d, a", (1, 4), 10, |lo, inst| {
                function(lo, inst, UnaryOp::SqrtApproxF32)
            })
            .approximate("relative error 2^-23"),
            Form::new("sqrt.rnd{.ftz}.f32 d, a; .rnd = { .rn, .rz, .rm, .rp }", (1, 4), 20, sqrt),
            Form::new("sqrt.rnd.f64 d, int a; .rnd = { .rn, .rz, .rm, .rp }", (1, 4), 10, sqrt)
                .needs(DIVIDED_F64),
        ],
    },
    Entry {
        name: "rsqrt",
        section: "9.7.3.16, 9.7.3.17 rsqrt",
        forms: &[
            Form::new("rsqrt.approx{.ftz}.f32 d, a", (1, 4), 10, |lo, inst| {
                function(lo, inst, UnaryOp::RsqrtF32)
            })
            .approximate("relative error 2^-22.9"),
            Form::new("rsqrt.approx.ftz.f64 d, a", (4, 0), 20, |lo, inst| {
                upper_word(lo, inst, UnaryOp::RsqrtApproxFtzF64)
            })
            .approximate("the lower word is zero; no bound is given"),
            Form::new("rsqrt.approx.f64 d, int a", (1, 0), 10, |lo, inst| {
                function(lo, inst, UnaryOp::RsqrtF64)
            })
            .approximate("no bound is given"),
        ],
    },
    Entry {
        name: "sin",
        section: "9.7.3.18 sin",
        forms: &[Form::new("sin.approx{.ftz}.f32 d, a", (1, 4), 10, |lo, inst| {
            function(lo, inst, UnaryOp::SinF32)
        })
        .approximate("absolute error 2^-20.5 from -2 pi to 2 pi")],
    },
    Entry {
        name: "cos",
        section: "9.7.3.19 cos",
        forms: &[Form::new("cos.approx{.ftz}.f32 d, a", (1, 4), 10, |lo, inst| {
            function(lo, inst, UnaryOp::CosF32)
        })
        .approximate("absolute error 2^-20.5 from -2 pi to 2 pi")],
    },
    Entry {
        name: "lg2",
        section: "9.7.3.20 lg2",
        forms: &[Form::new("lg2.approx{.ftz}.f32 d, a", (1, 4), 10, |lo, inst| {
            function(lo, inst, UnaryOp::Lg2F32)
        })
        .approximate("absolute error 2^-22 from 0.5 to 2, relative error 2^-22 elsewhere")],
    },
    Entry {
        name: "ex2",
        section: "9.7.3.21, 9.7.4.10 ex2",
        forms: &[
            Form::new("ex2.approx{.ftz}.f32 d, a", (1, 4), 10, ex2).approximate("2 ulp"),
            Form::new("ex2.approx.type d, a; .type = { .f16, .f16x2 }", (7, 0), 75, ex2)
                .approximate("relative error 2^-9.9"),
            Form::new("ex2.approx.ftz.type d, a; .type = { .bf16, .bf16x2 }", (7, 8), 90, ex2)
                .approximate("relative error 2^-7"),
        ],
    },
    Entry {
        name: "tanh",
        section: "9.7.3.22, 9.7.4.9 tanh",
        forms: &[
            Form::new("tanh.approx.f32 d, a", (7, 0), 75, tanh).approximate("relative error 2^-11"),
            Form::new("tanh.approx.type d, a; .type = { .f16, .f16x2 }", (7, 0), 75, tanh)
                .approximate("absolute error 2^-10.987"),
            Form::new("tanh.approx.type d, a; .type = { .bf16, .bf16x2 }", (7, 8), 90, tanh)
                .approximate("absolute error 2^-8"),
        ],
    },
];

fn copysign(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let wide = inst.ty("type").bits() == 64;
    let op = if wide { BinaryOp::CopysignF64 } else { BinaryOp::CopysignF32 };
    let (a, b) = (lo.value(inst, "a")?, lo.value(inst, "b")?);
    Step::Binary(op, a, b).write(lo, inst)
}

fn is_f64(inst: &Inst<'_>) -> bool {
    inst.operand_type("d").bits() == 64
}

fn rcp(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let r = round(inst);
    function(lo, inst, if is_f64(inst) { UnaryOp::RcpF64(r) } else { UnaryOp::RcpF32(r) })
}

fn sqrt(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let r = round(inst);
    function(lo, inst, if is_f64(inst) { UnaryOp::SqrtF64(r) } else { UnaryOp::SqrtF32(r) })
}

/// The `.approx.ftz.f64` forms, which flush by themselves.
fn upper_word(lo: &mut Lowering, inst: &Inst<'_>, op: UnaryOp) -> Result {
    Step::Unary(op, lo.value(inst, "a")?).write(lo, inst)
}

fn ex2(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = match Format::of(lo, inst)? {
        Format::F16 => UnaryOp::Ex2F16,
        Format::F16x2 => UnaryOp::Ex2F16x2,
        Format::Bf16 => UnaryOp::Ex2Bf16,
        Format::Bf16x2 => UnaryOp::Ex2Bf16x2,
        Format::F32 => UnaryOp::Ex2F32,
        Format::F64 => return lo.unsupported(inst, "there is no ex2 of .f64"),
    };
    function(lo, inst, op)
}

fn tanh(lo: &mut Lowering, inst: &Inst<'_>) -> Result {
    let op = match Format::of(lo, inst)? {
        Format::F16 => UnaryOp::TanhF16,
        Format::F16x2 => UnaryOp::TanhF16x2,
        Format::Bf16 => UnaryOp::TanhBf16,
        Format::Bf16x2 => UnaryOp::TanhBf16x2,
        Format::F32 => UnaryOp::TanhF32,
        Format::F64 => return lo.unsupported(inst, "there is no tanh of .f64"),
    };
    function(lo, inst, op)
}
