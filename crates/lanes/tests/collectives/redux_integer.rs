//! Integer and bitwise reductions against wide arithmetic on a list.

use warpwise_lanes::redux::redux;
use warpwise_lanes::{LaneMask, Lanes, ReduxOp};

use crate::samples::{SplitMix64, lanes_of, masks};

const EDGES: [u32; 10] = [
    0,
    1,
    2,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0x5555_5555,
];

/// The result by definition; `None` if nobody takes part and the definition gives no value.
fn by_definition(op: ReduxOp, values: &[u32]) -> Option<u32> {
    let unsigned = values.iter().copied();
    let signed = values.iter().map(|&value| value as i32);
    match op {
        ReduxOp::Add => Some((unsigned.map(u64::from).sum::<u64>() % (1 << 32)) as u32)
            .filter(|_| !values.is_empty()),
        ReduxOp::MinU32 => unsigned.min(),
        ReduxOp::MaxU32 => unsigned.max(),
        ReduxOp::MinS32 => signed.min().map(|value| value as u32),
        ReduxOp::MaxS32 => signed.max().map(|value| value as u32),
        ReduxOp::And => bitwise(values, |ones, all| ones == all),
        ReduxOp::Or => bitwise(values, |ones, _| ones > 0),
        ReduxOp::Xor => bitwise(values, |ones, _| ones % 2 == 1),
    }
}

/// Decides each bit of the result from the number of values that have it set.
fn bitwise(values: &[u32], bit: impl Fn(usize, usize) -> bool) -> Option<u32> {
    let result = (0..32)
        .filter(|place| {
            let ones = values.iter().filter(|&&value| value & (1 << place) != 0).count();
            bit(ones, values.len())
        })
        .fold(0, |result, place| result | 1 << place);
    (!values.is_empty()).then_some(result)
}

fn check(a: &Lanes<u32>, participants: LaneMask) {
    let values: Vec<u32> = lanes_of(participants).into_iter().map(|lane| a[lane]).collect();
    for op in ReduxOp::ALL {
        let expected = by_definition(op, &values).unwrap_or_else(|| op.identity());
        assert_eq!(redux(op, a, participants), expected, "{op:?} {participants} {a:x?}");
    }
}

#[test]
fn every_triple_of_edge_values() {
    for x in EDGES {
        for y in EDGES {
            for z in EDGES {
                // A lane outside holds each operation's strongest value in turn.
                for outside in [0, u32::MAX, 0x8000_0000, 0x7fff_ffff] {
                    let mut a = [outside; 32];
                    (a[0], a[17], a[31]) = (x, y, z);
                    check(&a, LaneMask(0x8002_0001));
                }
            }
        }
    }
}

#[test]
fn whole_warps() {
    let mut random = SplitMix64(6);
    for participants in masks() {
        check(&random.words(), participants);
        check(&random.pick(&EDGES), participants);
        check(&[u32::MAX; 32], participants);
    }
}

#[test]
fn the_identity_changes_nothing() {
    for op in ReduxOp::ALL {
        assert_eq!(redux(op, &[5; 32], LaneMask::EMPTY), op.identity());
        for value in EDGES {
            assert_eq!(by_definition(op, &[value, op.identity()]), Some(value), "{op:?}");
        }
    }
}
