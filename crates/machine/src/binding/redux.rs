//! Reductions.

use super::entry::{Entry, modifier};
use crate::operand::{Lane, Lowered};
use ir::{Class, Collective};
use lanes::{MinMax, ReduxF32, ReduxOp};

pub(super) const ENTRIES: &[Entry] = &[
    Entry { name: "REDUX", lower: redux },
    Entry { name: "REDUXU", lower: redux },
    Entry { name: "CREDUX", lower: credux },
];

/// Operations with what they are of unsigned and of signed numbers.
const OPERATIONS: [(&str, [ReduxOp; 2]); 6] = [
    ("AND", [ReduxOp::And; 2]),
    ("OR", [ReduxOp::Or; 2]),
    ("XOR", [ReduxOp::Xor; 2]),
    ("SUM", [ReduxOp::Add; 2]),
    ("MIN", [ReduxOp::MinU32, ReduxOp::MinS32]),
    ("MAX", [ReduxOp::MaxU32, ReduxOp::MaxS32]),
];

fn redux(lane: &mut Lane<'_, '_>) -> Lowered {
    let [unsigned, signed] = modifier(lane, &["reduxop", "op"], &OPERATIONS)?;
    let is_signed = modifier(lane, &["dtype", "type"], &[("U32", false), ("S32", true)])?;
    let op = if is_signed { signed } else { unsigned };
    reduce(lane, |d, a| Collective::Redux { op, d, a })
}

/// How `CREDUX` reads its operands.
#[derive(Clone, Copy)]
enum Kind {
    Unsigned,
    Signed,
    Float,
}

fn credux(lane: &mut Lane<'_, '_>) -> Lowered {
    let operations = [
        ("MAX", (MinMax::Max, false)),
        ("MAXABS", (MinMax::Max, true)),
        ("MIN", (MinMax::Min, false)),
        ("MINABS", (MinMax::Min, true)),
    ];
    let (op, abs) = modifier(lane, &["op"], &operations)?;
    let kinds = [("U32", Kind::Unsigned), ("S32", Kind::Signed), ("F32", Kind::Float)];
    let kind = modifier(lane, &["type"], &kinds)?;
    let nan = lane.modifier(&["nan"]).is_some_and(|name| name == "NAN");
    let integer = match (kind, op) {
        (Kind::Float, _) => {
            let mode = ReduxF32 { op, abs, propagate_nan: nan };
            return reduce(lane, |d, a| Collective::ReduxF32 { mode, d, a });
        }
        (Kind::Unsigned, MinMax::Min) => ReduxOp::MinU32,
        (Kind::Unsigned, MinMax::Max) => ReduxOp::MaxU32,
        (Kind::Signed, MinMax::Min) => ReduxOp::MinS32,
        (Kind::Signed, MinMax::Max) => ReduxOp::MaxS32,
    };
    if abs || nan {
        return Err(lane.unsupported("`.MAXABS`, `.MINABS` and `.NAN` are known for `.F32` only"));
    }
    reduce(lane, |d, a| Collective::Redux { op: integer, d, a })
}

fn reduce(
    lane: &mut Lane<'_, '_>,
    collective: impl FnOnce(ir::Reg, ir::Src) -> Collective,
) -> Lowered {
    let [rd, ra] = [lane.field(&["rd", "urd"])?, lane.field(&["ra"])?];
    let a = lane.value32(ra)?;
    let d = lane.temporary(Class::W32);
    lane.e.collective(collective(d, a));
    lane.write32(rd, d)
}
