//! Home rows, before machine code is entered and after it was left.

use crate::frame::Frame;
use crate::plan::Slot;
use ir::analysis::{Affine, Shape};
use ir::{Class, Operand, Reg};
use jit::{Found, Kept};
use lanes::WARP;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// The warps whose rows machine code has, or leaves, together.
#[derive(Clone, Copy)]
pub(super) struct Gang {
    first: usize,
    warps: usize,
}

impl Gang {
    pub(super) fn of(code: &jit::Code, first: usize) -> Gang {
        Gang { first, warps: code.gang() }
    }

    pub(super) fn lanes(self) -> std::ops::Range<usize> {
        0..self.warps * WARP
    }

    /// A lane's warp, and its place there.
    pub(super) fn place(self, lane: usize) -> (usize, usize) {
        (self.first + lane / WARP, lane % WARP)
    }

    /// The value of a lane in a row of the gang.
    ///
    /// # Safety
    /// The register has a home of the class inside the frame's registers.
    pub(super) unsafe fn value(
        self,
        frame: &Frame<'_>,
        slot: Slot,
        class: Class,
        lane: usize,
    ) -> u64 {
        let (warp, lane) = self.place(lane);
        // SAFETY: the caller's.
        unsafe {
            match class {
                Class::W64 => (*frame.row::<u64>(slot, warp))[lane],
                Class::W32 | Class::Pred => (*frame.row::<u32>(slot, warp))[lane].into(),
            }
        }
    }

    /// Sets the value of a lane in a row of the gang.
    ///
    /// # Safety
    /// As for [`Gang::value`].
    unsafe fn set(self, frame: &mut Frame<'_>, slot: Slot, class: Class, lane: usize, value: u64) {
        let (warp, lane) = self.place(lane);
        // SAFETY: the caller's.
        unsafe {
            match class {
                Class::W64 => (*frame.row::<u64>(slot, warp))[lane] = value,
                Class::W32 | Class::Pred => (*frame.row::<u32>(slot, warp))[lane] = value as u32,
            }
        }
    }
}

/// Whether the rows of the prologue have the shapes that code relies on. They are written once, so it is looked at once.
pub(super) fn prologue_fits(frame: &mut Frame<'_>, code: &jit::Code) -> bool {
    if let Some(known) = frame.native.as_ref().and_then(|state| state.prologue_fits) {
        return known;
    }
    let all = code.entry(0).map_or(&[][..], |(_, expected)| expected);
    let mut computed = BTreeSet::new();
    for inst in &frame.plan.prologue {
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                computed.insert(reg);
            }
        });
    }
    let gangs = (0..frame.threads.warps).step_by(code.gang());
    let gangs = gangs.map(|first| Gang::of(code, first));
    let fits = all
        .iter()
        .filter(|(reg, _)| computed.contains(reg))
        .all(|(reg, shape)| gangs.clone().all(|gang| has_shape(frame, *reg, shape, gang)));
    let mut state = frame.native.take().unwrap_or_else(|| Box::new(super::State::new(code)));
    state.prologue_fits = Some(fits);
    frame.native = Some(state);
    fits
}

/// Whether the rows of the group's gangs have these shapes.
pub(super) fn fit(frame: &Frame<'_>, code: &jit::Code, expected: &[(Reg, Shape)]) -> bool {
    let firsts = (frame.first..frame.first + frame.count).step_by(code.gang());
    let mut gangs = firsts.filter(|warp| frame.exec[*warp] != 0).map(|first| Gang::of(code, first));
    gangs.all(|gang| expected.iter().all(|(reg, shape)| has_shape(frame, *reg, shape, gang)))
}

fn has_shape(frame: &Frame<'_>, reg: Reg, shape: &Shape, gang: Gang) -> bool {
    let slot = frame.plan.rows.reg(reg);
    let class = frame.plan.rows.class(reg);
    let (Some(class), false) = (class, slot.is_none()) else { return true };
    if class == Class::Pred {
        // SAFETY: the register has a home of its class inside the registers.
        let bits = |nth: usize| unsafe { *frame.pred(slot, gang.first + nth) };
        return (0..gang.warps).all(|nth| match shape {
            Shape::Mask(lanes) => {
                let differ = bits(nth) ^ (lanes >> (nth * WARP)) as u32;
                differ & frame.threads.existing[gang.first + nth] == 0
            }
            Shape::Affine(_) => bits(nth) == bits(0) && matches!(bits(nth), 0 | u32::MAX),
            Shape::Sliced(..) | Shape::Varying => true,
        });
    }
    fits(frame, reg, shape, gang, u64::MAX)
}

/// The lanes of a gang's slices, each of which has its values from one, and what these have in common.
fn slices(shape: &Shape, gang: Gang) -> Option<(&Affine, usize)> {
    match shape {
        Shape::Affine(affine) => Some((affine, gang.lanes().end)),
        Shape::Sliced(lanes, affine) => Some((affine, *lanes as usize)),
        Shape::Mask(_) | Shape::Varying => None,
    }
}

/// Whether the row of a register that is no predicate has the values which follow from the first lane's of each slice in those lanes of the
/// given ones that exist.
pub(super) fn fits(frame: &Frame<'_>, reg: Reg, shape: &Shape, gang: Gang, lanes: u64) -> bool {
    let slot = frame.plan.rows.reg(reg);
    let class = frame.plan.rows.class(reg);
    let (Some(class), false) = (class, slot.is_none()) else { return true };
    let Some((affine, group)) = slices(shape, gang) else { return true };
    let is_there = |lane: usize| {
        let (warp, nth) = gang.place(lane);
        lanes >> lane & 1 != 0 && frame.threads.existing[warp] >> nth & 1 != 0
    };
    // SAFETY: the register has a home of its class inside the registers.
    let value = |lane: usize| unsafe { gang.value(frame, slot, class, lane) };
    gang.lanes().step_by(group).all(|start| {
        let first = value(start);
        let mut there = (start..start + group).filter(|lane| is_there(*lane));
        // Of a slice that is not there, too: what is known to be inside of memory is not checked.
        affine.range.is_none_or(|(low, high)| (low..=high).contains(&first))
            && there.all(|lane| value(lane) == stepped(first, affine, class, lane))
    })
}

/// The first lane's value of each slice, from which the values of these lanes follow; any that are possible where there are none. Of a
/// predicate that is the same in all of them, the bit of every lane. `None` if there is no such value.
pub(super) fn firsts(
    frame: &Frame<'_>,
    reg: Reg,
    shape: &Shape,
    gang: Gang,
    lanes: u64,
) -> Option<SmallVec<[u64; 4]>> {
    let slot = frame.plan.rows.reg(reg);
    let class = frame.plan.rows.class(reg).filter(|_| !slot.is_none())?;
    let exists = |lane: &usize| {
        let (warp, nth) = gang.place(*lane);
        frame.threads.existing[warp] >> nth & 1 != 0
    };
    let meant = |lanes: u64| gang.lanes().filter(move |lane| lanes >> lane & 1 != 0).filter(exists);
    if class == Class::Pred {
        let bit = |lane: usize| {
            let (warp, nth) = gang.place(lane);
            // SAFETY: the register has a home of its class inside the registers.
            unsafe { *frame.pred(slot, warp) >> nth & 1 != 0 }
        };
        let any = meant(lanes).any(bit);
        let all = gang.lanes().fold(0, |all, lane| all | 1 << lane);
        return (any == meant(lanes).all(bit) || meant(lanes).next().is_none())
            .then_some(SmallVec::from_slice(&[if any { all } else { 0 }]));
    }
    let (affine, group) = slices(shape, gang)?;
    // SAFETY: as above.
    let value = |lane: usize| unsafe { gang.value(frame, slot, class, lane) };
    let first = |start: usize| {
        let mut there = meant(lanes).filter(|lane| (start..start + group).contains(lane));
        let first = match there.next() {
            Some(lane) => {
                let first = value(lane).wrapping_sub(affine.step(lane));
                if class == Class::W64 { first } else { u64::from(first as u32) }
            }
            None => affine.range.map_or(0, |(low, _)| low),
        };
        let is_possible = affine.range.is_none_or(|(low, high)| (low..=high).contains(&first));
        let follows = |lane| value(lane) == stepped(first, affine, class, lane);
        (is_possible && there.all(follows)).then_some(first)
    };
    gang.lanes().step_by(group).map(first).collect()
}

/// The value of a lane that follows from another.
fn stepped(first: u64, affine: &Affine, class: Class, lane: usize) -> u64 {
    let value = first.wrapping_add(affine.step(lane));
    if class == Class::W64 { value } else { u64::from(value as u32) }
}

/// Makes home rows of what a gang left, for the lanes that need each register.
pub(super) fn restore(
    frame: &mut Frame<'_>,
    kept: &[(Reg, Kept)],
    gang: Gang,
    lanes: impl Fn(Reg) -> u64,
) {
    for (reg, kept) in kept {
        let slot = frame.plan.rows.reg(*reg);
        let class = frame.plan.rows.class(*reg);
        let (Some(class), false, lanes) = (class, slot.is_none(), lanes(*reg)) else { continue };
        if lanes != 0 {
            restore_one(frame, slot, class, kept, gang, lanes);
            if slot.is_uniform() && lanes != u64::MAX {
                fill(frame, slot, class, gang, lanes);
            }
        }
    }
}

/// Makes the one row of all warps hold in every lane what it holds in some: the interpreter reads and writes it whole.
fn fill(frame: &mut Frame<'_>, slot: Slot, class: Class, gang: Gang, lanes: u64) {
    let one = lanes.trailing_zeros() as usize % gang.lanes().end;
    if class == Class::Pred {
        // SAFETY: the register has a home of its class inside the registers; so below.
        unsafe {
            let bits = frame.pred(slot, 0);
            *bits = if *bits >> (one % WARP) & 1 != 0 { u32::MAX } else { 0 };
        }
        return;
    }
    // SAFETY: as above.
    let value = unsafe { gang.value(frame, slot, class, one) };
    for lane in 0..WARP {
        // SAFETY: as above.
        unsafe { gang.set(frame, slot, class, lane, value) };
    }
}

fn restore_one(
    frame: &mut Frame<'_>,
    slot: Slot,
    class: Class,
    kept: &Kept,
    gang: Gang,
    lanes: u64,
) {
    let word = |frame: &Frame<'_>, found: &Found, nth: usize| -> u64 {
        frame.native.as_ref().map_or(0, |state| state.word_of(found, nth))
    };
    let meant = gang.lanes().filter(|lane| lanes >> lane & 1 != 0);
    // SAFETY: the register has a home of its class inside the registers; so below.
    let row = |frame: &Frame<'_>, lane: usize| unsafe { gang.value(frame, slot, class, lane) };
    match kept {
        Kept::First(affine, found) => {
            let first = found.map_or_else(|| row(frame, 0), |found| word(frame, &found, 0));
            for lane in meant {
                let value = stepped(first, affine, class, lane);
                // SAFETY: as above.
                unsafe { gang.set(frame, slot, class, lane, value) };
            }
        }
        Kept::Firsts(lanes, affine, found) => {
            let lanes = *lanes as usize;
            for lane in meant {
                let first = match found.get(lane / lanes) {
                    Some(found) => word(frame, found, 0),
                    // It stays as it is.
                    None => row(frame, lane - lane % lanes),
                };
                let value = stepped(first, affine, class, lane);
                // SAFETY: as above.
                unsafe { gang.set(frame, slot, class, lane, value) };
            }
        }
        Kept::Indexed(index, base, vectors) => {
            let base = base.map_or(0, |base| word(frame, &base, 0));
            let elements = gang.lanes().end / vectors.len().max(1);
            for lane in meant {
                let (vector, nth) = (&vectors[lane / elements], lane % elements);
                let number = (word(frame, vector, nth / 2) >> (nth % 2 * 32)) as u32;
                let number = if index.signed { number.cast_signed() as u64 } else { number.into() };
                let value = base.wrapping_add(number << index.shift);
                // SAFETY: as above.
                unsafe { gang.set(frame, slot, class, lane, value) };
            }
        }
        Kept::Row => {
            for lane in meant {
                let bits = row(frame, lane) as u32;
                if f32::from_bits(bits).is_nan() {
                    // SAFETY: as above.
                    unsafe { gang.set(frame, slot, class, lane, numeric::f32::NAN.into()) };
                }
            }
        }
        Kept::Bits(found) => {
            let found = word(frame, found, 0);
            for nth in 0..gang.warps {
                let (own, lanes) = ((found >> (nth * WARP)) as u32, (lanes >> (nth * WARP)) as u32);
                // SAFETY: as above.
                unsafe {
                    let bits = frame.pred(slot, gang.first + nth);
                    *bits = (*bits & !lanes) | (own & lanes);
                }
            }
        }
        Kept::Vectors(vectors, nan) => {
            let elements = gang.lanes().end / vectors.len().max(1);
            for lane in meant {
                let (vector, nth) = (&vectors[lane / elements], lane % elements);
                let value = match class {
                    Class::W64 => word(frame, vector, nth),
                    Class::W32 | Class::Pred => {
                        let bits = (word(frame, vector, nth / 2) >> (nth % 2 * 32)) as u32;
                        let is_nan = *nan && f32::from_bits(bits).is_nan();
                        u64::from(if is_nan { numeric::f32::NAN } else { bits })
                    }
                };
                // SAFETY: as above.
                unsafe { gang.set(frame, slot, class, lane, value) };
            }
        }
    }
}
