//! Which instruction does what an operation of the IR does.

use ir::{BinaryOp, Collective, CompareOp, Members, Op, Pred, Reg, Round, Special, Src, UnaryOp};
use lanes::{MinMax, ReduxF32, ReduxOp, ShflMode, VoteMode};

/// An operand of a wanted instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A value to read.
    Value(Src),
    /// A predicate to read.
    Truth(Pred),
    /// A register to write; `None` drops the result.
    Result(Option<Reg>),
    /// A predicate to write.
    Flag(Option<Reg>),
}

/// An instruction that may do what an operation does, if the description has it.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The name of the instruction.
    pub(super) name: &'static str,
    /// Operands, each by the names that its field may have.
    pub(super) operands: Vec<(&'static [&'static str], Wanted)>,
    /// Modifiers: the names of the field, the name of the value.
    pub(super) modifiers: Vec<(&'static [&'static str], &'static str)>,
}

impl Candidate {
    /// Whether it is what [`warpsync`] wants.
    pub(super) fn is_warpsync(&self) -> bool {
        self.name == WARPSYNC
    }

    /// Puts constants in place of registers that hold them. Of a shuffle's operands the bits that count
    /// are kept.
    pub(super) fn fold(&mut self, constant: &dyn Fn(Reg) -> Option<u32>) {
        for (names, wanted) in &mut self.operands {
            if let Wanted::Value(Src::Reg(reg)) = *wanted
                && let Some(value) = constant(reg)
            {
                let value = Src::Imm(value.into());
                *wanted = Wanted::Value(match *names {
                    LANE => cut(value, LANE_BITS),
                    CLAMP => cut(value, CLAMP_BITS),
                    _ => value,
                });
            }
        }
    }
}

/// The source lane of a shuffle, and the bits of it that count.
const LANE: &[&str] = &["rb", "vb"];
const LANE_BITS: u64 = 0x1f;
/// The clamp and segment mask of a shuffle, and the bits of it that count.
const CLAMP: &[&str] = &["rc", "vc"];
const CLAMP_BITS: u64 = 0x1f1f;

const WARPSYNC: &str = "WARPSYNC";
const RD: &[&str] = &["rd", "urd"];
const PU: &[&str] = &["pu", "upu"];
const PP: &[&str] = &["pp"];
const RA: &[&str] = &["ra"];

/// The instructions that do what the operation does, the best first. Empty: no machine is known to have one.
pub(super) fn candidates(op: &Op) -> Vec<Candidate> {
    match op {
        Op::Collective { what, .. } => collective(what),
        Op::ActiveMask { d } => vec![vote("ANY", Some(*d), None, Pred::Const(true))],
        Op::Special { d, what: Special::Laneid } => {
            vec![plain("LANEID", vec![(RD, Wanted::Result(Some(*d)))])]
        }
        Op::Unary { op: UnaryOp::Mov32, d, a } => {
            const FROM: [&[&str]; 2] = [&["ra", "imm"], &["urb", "ura"]];
            let operands = |from| vec![(RD, Wanted::Result(Some(*d))), (from, Wanted::Value(*a))];
            FROM.map(|from| plain("MOV", operands(from))).into()
        }
        Op::Binary { op: BinaryOp::AddI32, d, a, b } => sum("IADD", *d, *a, *b),
        Op::Binary { op: BinaryOp::SubI32, d, a, b: Src::Imm(b) } => {
            let negated = Src::Imm(u64::from((*b as u32).wrapping_neg()));
            sum("IADD", *d, *a, negated)
        }
        Op::Binary { op: BinaryOp::AddF32(Round::NearestEven), d, a, b } => sum("FADD", *d, *a, *b),
        Op::Binary { op: BinaryOp::And32, d, a, b } => logic("AND", *d, *a, *b),
        Op::Binary { op: BinaryOp::Or32, d, a, b } => logic("OR", *d, *a, *b),
        Op::Binary { op: BinaryOp::Xor32, d, a, b } => logic("XOR", *d, *a, *b),
        Op::Compare { op, d, a, b } => comparison(*op, *d, *a, *b),
        Op::Select { d, a, b, p } => selection(*d, *a, *b, *p),
        Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Logic { .. }
        | Op::Special { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Atomic { .. }
        | Op::Barrier { .. }
        | Op::ClusterBarrier { .. }
        | Op::Fence(_)
        | Op::Nanosleep { .. }
        | Op::Copy(_)
        | Op::CopyProgress(_)
        | Op::Host { .. } => Vec::new(),
    }
}

/// The instruction that lets the lanes of a mask wait for each other, and keeps lanes with other masks apart
/// from them if it is to.
pub(super) fn warpsync(mask: Src, apart: bool) -> Vec<Candidate> {
    let operands: Vec<(&'static [&'static str], Wanted)> =
        vec![(&["mask", "ra", "rb"], Wanted::Value(mask))];
    let mut masked = plain(WARPSYNC, operands);
    if apart {
        masked.modifiers.push((&["exclusive"], "EXCLUSIVE"));
    }
    let all = plain(WARPSYNC, Vec::new());
    let whole = matches!(mask, Src::Imm(mask) if mask as u32 == u32::MAX);
    if whole && !apart { vec![all, masked] } else { vec![masked] }
}

/// Whether more lanes that take part may change what a lane of the membermask gets.
pub(super) fn counts_lanes(op: &Op) -> bool {
    let Op::Collective { what, .. } = op else { return false };
    // Where lanes offer values, a lane reads one lane, which has to be of its mask.
    what.offered().is_none() && !what.only_waits()
}

/// The instruction that goes on at `target`, an address.
pub(super) fn branch(target: u64) -> Vec<Candidate> {
    let operands: Vec<(&'static [&'static str], Wanted)> =
        vec![(&["target"], Wanted::Value(Src::Imm(target)))];
    vec![plain("BRA", operands)]
}

/// The instruction that ends the program.
pub(super) fn end() -> Vec<Candidate> {
    vec![plain("EXIT", Vec::new())]
}

/// The membermask of a collective; `None` for the lanes that execute it together.
pub(super) fn members(op: &Op) -> Option<Src> {
    let Op::Collective { members: Members::Mask(mask), .. } = op else { return None };
    Some(*mask)
}

fn plain(name: &'static str, operands: Vec<(&'static [&'static str], Wanted)>) -> Candidate {
    Candidate { name, operands, modifiers: Vec::new() }
}

fn sum(name: &'static str, d: Reg, a: Src, b: Src) -> Vec<Candidate> {
    const SECOND: &[&str] = &["rb", "imm"];
    // The first operand is a register.
    let (a, b) = if matches!(a, Src::Imm(_)) { (b, a) } else { (a, b) };
    let operands =
        vec![(RD, Wanted::Result(Some(d))), (RA, Wanted::Value(a)), (SECOND, Wanted::Value(b))];
    vec![plain(name, operands)]
}

fn logic(op: &'static str, d: Reg, a: Src, b: Src) -> Vec<Candidate> {
    let modifiers: Vec<(&'static [&'static str], &'static str)> = vec![(&["logic"], op)];
    let plain = sum("LOP", d, a, b).into_iter();
    plain.map(|candidate| Candidate { modifiers: modifiers.clone(), ..candidate }).collect()
}

/// `p ? a : b`; the first operand is a register, so the condition may have to be turned round.
fn selection(d: Reg, a: Src, b: Src, p: Pred) -> Vec<Candidate> {
    const SECOND: &[&str] = &["rb", "imm"];
    let is_constant = |src: Src| matches!(src, Src::Imm(value) if value != 0);
    let (a, b, p) = if is_constant(a) { (b, a, p.negated()) } else { (a, b, p) };
    let operands = vec![
        (RD, Wanted::Result(Some(d))),
        (RA, Wanted::Value(a)),
        (SECOND, Wanted::Value(b)),
        (PP, Wanted::Truth(p)),
    ];
    vec![plain("SEL", operands)]
}

fn comparison(op: CompareOp, d: Reg, a: Src, b: Src) -> Vec<Candidate> {
    const SECOND: &[&str] = &["rb", "imm"];
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "machines compare integers of 32 bits; all others are left out, as the head of the assembly says"
    )]
    let (relation, swapped, ty) = match op {
        CompareOp::EqI32 => ("EQ", "EQ", "U32"),
        CompareOp::NeI32 => ("NE", "NE", "U32"),
        CompareOp::LtU32 => ("LT", "GT", "U32"),
        CompareOp::LeU32 => ("LE", "GE", "U32"),
        CompareOp::LtS32 => ("LT", "GT", "S32"),
        CompareOp::LeS32 => ("LE", "GE", "S32"),
        _ => return Vec::new(),
    };
    let (a, b, relation) =
        if matches!(a, Src::Imm(_)) { (b, a, swapped) } else { (a, b, relation) };
    let operands =
        vec![(PU, Wanted::Flag(Some(d))), (RA, Wanted::Value(a)), (SECOND, Wanted::Value(b))];
    vec![Candidate {
        name: "ISETP",
        operands,
        modifiers: vec![(&["cmp"], relation), (&["dtype"], ty)],
    }]
}

fn vote(mode: &'static str, d: Option<Reg>, p: Option<Reg>, a: Pred) -> Candidate {
    let operands = vec![(RD, Wanted::Result(d)), (PU, Wanted::Flag(p)), (PP, Wanted::Truth(a))];
    Candidate { name: "VOTE", operands, modifiers: vec![(&["voteop", "mode"], mode)] }
}

fn collective(what: &Collective) -> Vec<Candidate> {
    match *what {
        Collective::Shfl { mode, d, p, a, b, c } => {
            let mode = match mode {
                ShflMode::Idx => "IDX",
                ShflMode::Up => "UP",
                ShflMode::Down => "DOWN",
                ShflMode::Bfly => "BFLY",
            };
            let (b, c) = (cut(b, LANE_BITS), cut(c, CLAMP_BITS));
            let operands: Vec<(&'static [&'static str], Wanted)> = vec![
                (RD, Wanted::Result(Some(d))),
                (PU, Wanted::Flag(p)),
                (RA, Wanted::Value(a)),
                (LANE, Wanted::Value(b)),
                (CLAMP, Wanted::Value(c)),
            ];
            vec![Candidate { name: "SHFL", operands, modifiers: vec![(&["mode"], mode)] }]
        }
        Collective::Vote { mode, d, a } => {
            let mode = match mode {
                VoteMode::All => "ALL",
                VoteMode::Any => "ANY",
                VoteMode::Uni => "EQ",
            };
            vec![vote(mode, None, Some(d), a)]
        }
        Collective::Ballot { d, a } => vec![vote("ANY", Some(d), None, a)],
        Collective::MatchAny { d, a, wide } => matching("ANY", Some(d), None, a, wide),
        Collective::MatchAll { d, p, a, wide } => matching("ALL", d, p, a, wide),
        Collective::Redux { op, d, a } => redux(op, d, a),
        Collective::ReduxF32 { mode, d, a } => redux_f32(mode, d, a),
        Collective::Elect { d, p } => {
            let operands = vec![
                (RD, Wanted::Result(d)),
                (PU, Wanted::Flag(Some(p))),
                (PP, Wanted::Truth(Pred::Const(true))),
            ];
            vec![plain("ELECT", operands)]
        }
        Collective::MovMatrix { d, a } => {
            let operands = vec![(RD, Wanted::Result(Some(d))), (RA, Wanted::Value(a))];
            let bare = plain("MOVM", operands.clone());
            let typed = Candidate {
                name: "MOVM",
                operands,
                modifiers: vec![(&["type"], "B16"), (&["shape"], "MT88")],
            };
            vec![typed, bare]
        }
        // The rendezvous itself is emitted for every membermask.
        Collective::WarpSync | Collective::Matrix(_) => Vec::new(),
        // The machines that are described have none.
        Collective::Mma(_) => Vec::new(),
    }
}

fn cut(src: Src, mask: u64) -> Src {
    match src {
        Src::Imm(value) => Src::Imm(value & mask),
        Src::Reg(_) => src,
    }
}

fn matching(
    op: &'static str,
    d: Option<Reg>,
    p: Option<Reg>,
    a: Src,
    wide: bool,
) -> Vec<Candidate> {
    let ty = if wide { "U64" } else { "U32" };
    let modifiers: Vec<(&'static [&'static str], &'static str)> =
        vec![(&["matchop", "op"], op), (&["dtype", "type"], ty)];
    let operands = vec![(RD, Wanted::Result(d)), (PU, Wanted::Flag(p)), (RA, Wanted::Value(a))];
    let full = Candidate { name: "MATCH", operands: operands.clone(), modifiers };
    // Without a predicate to write, a form without one will do.
    let mut bare = full.clone();
    bare.operands.retain(|(_, wanted)| *wanted != Wanted::Flag(None));
    vec![full, bare]
}

fn redux(op: ReduxOp, d: Reg, a: Src) -> Vec<Candidate> {
    let (op, ty) = match op {
        ReduxOp::Add => ("SUM", "U32"),
        ReduxOp::MinU32 => ("MIN", "U32"),
        ReduxOp::MaxU32 => ("MAX", "U32"),
        ReduxOp::MinS32 => ("MIN", "S32"),
        ReduxOp::MaxS32 => ("MAX", "S32"),
        ReduxOp::And => ("AND", "U32"),
        ReduxOp::Or => ("OR", "U32"),
        ReduxOp::Xor => ("XOR", "U32"),
    };
    let operands = vec![(RD, Wanted::Result(Some(d))), (RA, Wanted::Value(a))];
    let modifiers: Vec<(&'static [&'static str], &'static str)> =
        vec![(&["reduxop", "op"], op), (&["dtype", "type"], ty)];
    vec![Candidate { name: "REDUX", operands, modifiers }]
}

fn redux_f32(mode: ReduxF32, d: Reg, a: Src) -> Vec<Candidate> {
    let op = match (mode.op, mode.abs) {
        (MinMax::Max, false) => "MAX",
        (MinMax::Max, true) => "MAXABS",
        (MinMax::Min, false) => "MIN",
        (MinMax::Min, true) => "MINABS",
    };
    let nan = if mode.propagate_nan { "NAN" } else { "OFF" };
    let operands = vec![(RD, Wanted::Result(Some(d))), (RA, Wanted::Value(a))];
    let modifiers: Vec<(&'static [&'static str], &'static str)> =
        vec![(&["op"], op), (&["type"], "F32"), (&["nan"], nan)];
    vec![Candidate { name: "CREDUX", operands, modifiers }]
}
