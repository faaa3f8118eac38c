//! In which lanes predicates can be true that compare `%tid` with a constant: in no more than one, where it is the thread that does what is done
//! once a CTA.

use super::LaunchShape;
use super::launch::GANG_LANES;
use crate::{CompareOp, Inst, Op, Reg, Special, Src};
use foldhash::{HashMap, HashMapExt};

/// The lanes of a gang in which a predicate is true in some gang, and those in which it is false in some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Possible {
    pub(super) holds: u64,
    pub(super) fails: u64,
}

/// What is known of predicates of instructions, what comes first before what reads it. `defined` says how many values registers have.
pub(super) fn possible<'i>(
    insts: impl Iterator<Item = &'i Inst> + Clone,
    defined: &[u32],
    launch: &LaunchShape,
) -> HashMap<Reg, Possible> {
    let has_one_value = |inst: &Inst, d: Reg| inst.guard.is_none() && defined[d.0 as usize] == 1;
    let mut tids = HashMap::new();
    for inst in insts.clone() {
        let tid = if let Op::Special { d, what: Special::Tid(of) } = inst.op {
            Some((d, of))
        } else {
            inst.op.copied().and_then(|(d, a)| Some((d, *tids.get(&a)?)))
        };
        if let Some((d, of)) = tid.filter(|(d, _)| has_one_value(inst, *d)) {
            tids.insert(d, of);
        }
    }
    let mut found = HashMap::new();
    for inst in insts {
        let Op::Compare { op, d, a, b } = inst.op else { continue };
        let holds = op == CompareOp::EqI32;
        if !holds && op != CompareOp::NeI32 {
            continue;
        }
        let (Src::Reg(reg), Src::Imm(value)) = (if let Src::Imm(_) = a { (b, a) } else { (a, b) })
        else {
            continue;
        };
        let Some(of) = tids.get(&reg).filter(|_| has_one_value(inst, d)) else { continue };
        let is_equal = |gang, lane| launch.tid(gang, lane)[of.index()] == value as u32;
        let lanes =
            (0..GANG_LANES).filter(|lane| (0..launch.gangs()).any(|it| is_equal(it, *lane)));
        let equal = lanes.fold(0, |all, lane| all | 1 << lane);
        let (holds, fails) = if holds { (equal, u64::MAX) } else { (u64::MAX, equal) };
        found.insert(d, Possible { holds, fails });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lanes in which `%tid.x` or `%tid.y` may be so much, in CTAs of these extents.
    fn equal(what: &str, value: u32, block: [u32; 3], gang: u32) -> u64 {
        let text = format!(
            "kernel \"k\" independent\nregisters v0 w32, v1-v2 pred, v3 w32\nblock0:\n\
             v0 = special.{what}\nv3 = Mov32 v0\nv1 = EqI32 v0, {value:#x}\n\
             v2 = NeI32 {value:#x}, v3\nexit\n"
        );
        let kernel = crate::text::parse(&text).expect("a kernel");
        let launch = LaunchShape { block, gang, vector: 16 };
        let found = possible(kernel.blocks[0].insts.iter(), &[1; 4], &launch);
        let (equal, unequal) = (found[&Reg(1)], found[&Reg(2)]);
        assert_eq!((equal.holds, equal.fails), (unequal.fails, unequal.holds));
        assert_eq!(equal.fails, u64::MAX);
        equal.holds
    }

    #[test]
    fn one_thread_of_a_cta_is_in_one_lane() {
        assert_eq!(equal("tid.x", 0, [256, 1, 1], 1), 1 << 32 | 1);
        assert_eq!(equal("tid.x", 37, [256, 1, 1], 1), 1 << 37 | 1 << 5);
        assert_eq!(equal("tid.x", 37, [256, 1, 1], 2), 1 << 37);
        assert_eq!(equal("tid.x", 256, [256, 1, 1], 1), 0);
        // Two rows a warp.
        assert_eq!(equal("tid.x", 3, [16, 16, 1], 2), 0x0008_0008_0008_0008);
        assert_eq!(equal("tid.y", 3, [16, 16, 1], 2), 0xffff << 48);
        // Lanes that are not there count on.
        assert_eq!(equal("tid.x", 0, [40, 1, 1], 1), 0x101 << 32 | 0x101);
    }
}
