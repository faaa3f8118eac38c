//! Kernels that execute a collective twice with what every lane finds in a buffer.

use crate::model::Kind;
use std::fmt::Write;

/// Rows of 32 words that a warp reads: for each round `a`, its upper half, `b`, `c`, membermask, predicate and guard; then the
/// side and whether the lane exits first.
pub(crate) const INPUTS: usize = 16;
/// Rows of a round among the inputs.
pub(crate) const ROUND: usize = 7;
/// Rows that it writes: for each round `d` and `p`.
pub(crate) const OUTPUTS: usize = 4;

/// A form of an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// With `D`, `P`, `A`, `W` (64 bits), `B`, `C`, `Q` (predicate) and `M` in place of operands.
    pub(crate) text: &'static str,
    pub(crate) kind: Kind,
    /// The targets that have it.
    pub(crate) sm: std::ops::Range<u32>,
}

impl Form {
    pub(crate) fn sync(&self) -> bool {
        self.text.contains('M')
    }
}

/// Every form.
pub(crate) fn forms() -> Vec<Form> {
    let always = 30..1000;
    let legacy = 30..70;
    let mut forms = Vec::new();
    let mut form = |text, kind, sm: &std::ops::Range<u32>| {
        forms.push(Form { text, kind, sm: sm.clone() });
    };
    form("shfl.sync.up.b32 D|P, A, B, C, M", Kind::Up, &always);
    form("shfl.sync.down.b32 D|P, A, B, C, M", Kind::Down, &always);
    form("shfl.sync.bfly.b32 D|P, A, B, C, M", Kind::Bfly, &always);
    form("shfl.sync.idx.b32 D|P, A, B, C, M", Kind::Idx, &always);
    form("shfl.up.b32 D|P, A, B, C", Kind::Up, &legacy);
    form("shfl.idx.b32 D|P, A, B, C", Kind::Idx, &legacy);
    form("vote.sync.all.pred P, Q, M", Kind::All { negated: false }, &always);
    form("vote.sync.all.pred P, !Q, M", Kind::All { negated: true }, &always);
    form("vote.sync.any.pred P, Q, M", Kind::Any { negated: false }, &always);
    form("vote.sync.any.pred P, !Q, M", Kind::Any { negated: true }, &always);
    form("vote.sync.uni.pred P, Q, M", Kind::Uni { negated: false }, &always);
    form("vote.sync.ballot.b32 D, Q, M", Kind::Ballot { negated: false }, &always);
    form("vote.sync.ballot.b32 D, !Q, M", Kind::Ballot { negated: true }, &always);
    form("vote.all.pred P, Q", Kind::All { negated: false }, &legacy);
    form("vote.ballot.b32 D, !Q", Kind::Ballot { negated: true }, &legacy);
    form("match.any.sync.b32 D, A, M", Kind::MatchAny { wide: false }, &(70..1000));
    form("match.any.sync.b64 D, W, M", Kind::MatchAny { wide: true }, &(70..1000));
    form("match.all.sync.b32 D|P, A, M", Kind::MatchAll { wide: false }, &(70..1000));
    form("match.all.sync.b64 D|P, W, M", Kind::MatchAll { wide: true }, &(70..1000));
    let ampere = 80..1000;
    form("redux.sync.add.u32 D, A, M", Kind::Add, &ampere);
    form("redux.sync.add.s32 D, A, M", Kind::Add, &ampere);
    form("redux.sync.min.u32 D, A, M", Kind::MinU, &ampere);
    form("redux.sync.max.u32 D, A, M", Kind::MaxU, &ampere);
    form("redux.sync.min.s32 D, A, M", Kind::MinS, &ampere);
    form("redux.sync.max.s32 D, A, M", Kind::MaxS, &ampere);
    form("redux.sync.and.b32 D, A, M", Kind::And, &ampere);
    form("redux.sync.or.b32 D, A, M", Kind::Or, &ampere);
    form("redux.sync.xor.b32 D, A, M", Kind::Xor, &ampere);
    let float = |max, abs, nan| Kind::Float { max, abs, nan };
    form("redux.sync.min.f32 D, A, M", float(false, false, false), &(100..101));
    form("redux.sync.max.abs.f32 D, A, M", float(true, true, false), &(100..101));
    form("redux.sync.max.NaN.f32 D, A, M", float(true, false, true), &(100..101));
    form("redux.sync.min.abs.NaN.f32 D, A, M", float(false, true, true), &(100..101));
    form("elect.sync D|P, M", Kind::Elect, &(90..1000));
    form("movmatrix.sync.aligned.m8n8.trans.b16 D, A", Kind::Transpose, &(75..1000));
    forms
}

/// Operands that are constants in a round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Constants {
    /// `b` and `c`.
    pub(crate) shuffle: Option<[u32; 2]>,
    pub(crate) membermask: Option<u32>,
}

/// A kernel for warps one after another; see [`INPUTS`] and [`OUTPUTS`]. With `sides`, lanes execute the collective in one of
/// two branches.
pub(crate) fn kernel(form: &Form, target: &str, constants: [Constants; 2], sides: bool) -> String {
    let version = match target {
        "sm_30" | "sm_60" | "sm_70" => "6.0",
        "sm_80" => "7.8",
        _ => "8.8",
    };
    let mut out = format!(
        ".version {version}\n.target {target}\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b32 %r<16>;\n.reg .b32 %t<8>;\n.reg .b32 %d<4>;\n.reg .b64 %rd<8>;\n.reg .pred %p<4>;\n\
         .reg .pred %q<8>;\n\
         mov.u32 %t0, %tid.x;\nmov.u32 %t1, %ctaid.x;\nmov.u32 %t2, %ntid.x;\n\
         mad.lo.u32 %t0, %t1, %t2, %t0;\nshr.u32 %t1, %t0, 5;\nand.b32 %t0, %t0, 31;\n\
         mad.lo.u32 %t2, %t1, {}, %t0;\nmul.wide.u32 %rd0, %t2, 4;\n\
         ld.param.u64 %rd1, [in];\nadd.s64 %rd1, %rd1, %rd0;\n\
         mad.lo.u32 %t2, %t1, {}, %t0;\nmul.wide.u32 %rd0, %t2, 4;\n\
         ld.param.u64 %rd2, [out];\nadd.s64 %rd2, %rd2, %rd0;\n",
        32 * INPUTS,
        32 * OUTPUTS
    );
    for row in 0..INPUTS {
        let _ = writeln!(out, "ld.global.u32 %r{row}, [%rd1+{}];", 128 * row);
    }
    for (pred, row) in [(0, 5), (1, 6), (2, 5 + ROUND), (3, 6 + ROUND), (4, 14), (5, 15)] {
        let _ = writeln!(out, "setp.ne.u32 %q{pred}, %r{row}, 0;");
    }
    out.push_str("mov.b64 %rd3, {%r0, %r1};\nmov.b64 %rd4, {%r7, %r8};\n");
    out.push_str("setp.ne.u32 %p0, %t0, %t0;\nsetp.ne.u32 %p1, %t0, %t0;\n");
    out.push_str("mov.u32 %d0, 77;\nmov.u32 %d1, 77;\n@%q5 ret;\n");
    for (round, constant) in constants.into_iter().enumerate() {
        let register = |row: usize| format!("%r{}", row + round * ROUND);
        let or = |constant: Option<u32>, row: usize| match constant {
            Some(value) => value.to_string(),
            None => register(row),
        };
        let mut text = String::new();
        for letter in form.text.chars() {
            let operand = match letter {
                'D' => format!("%d{round}"),
                'P' => format!("%p{round}"),
                'A' => register(0),
                'W' => format!("%rd{}", 3 + round),
                'B' => or(constant.shuffle.map(|pair| pair[0]), 2),
                'C' => or(constant.shuffle.map(|pair| pair[1]), 3),
                'M' => or(constant.membermask, 4),
                'Q' => format!("%q{}", 2 * round),
                letter => letter.to_string(),
            };
            text.push_str(&operand);
        }
        let guard = match form.kind {
            Kind::Transpose => String::new(),
            _ => format!("@%q{} ", 2 * round + 1),
        };
        let _ = match sides {
            true => writeln!(
                out,
                "@%q4 bra B{round};\n{guard}{text};\nbra.uni C{round};\nB{round}:\n{guard}{text};\nC{round}:"
            ),
            false => writeln!(out, "{guard}{text};"),
        };
    }
    for round in 0..2 {
        let _ = writeln!(out, "selp.u32 %t{}, 1, 0, %p{round};", 3 + round);
        let _ = writeln!(out, "st.global.u32 [%rd2+{}], %d{round};", 256 * round);
        let _ = writeln!(out, "st.global.u32 [%rd2+{}], %t{};", 256 * round + 128, 3 + round);
    }
    out.push_str("ret;\n}\n");
    out
}
