//! Home rows, before machine code is entered and after it was left.

use crate::frame::Frame;
use crate::plan::Slot;
use ir::analysis::Shape;
use ir::{Class, Reg};
use jit::{Found, Kept};
use lanes::WARP;

/// Whether the rows of the prologue have the shapes that code relies on. They are written once, so it is looked at once.
pub(super) fn prologue_fits(frame: &mut Frame<'_>, code: &jit::Code) -> bool {
    if let Some(known) = frame.native.as_ref().and_then(|state| state.prologue_fits) {
        return known;
    }
    let all = code.entry(0).map_or(&[][..], |(_, expected)| expected);
    let computed = |reg: Reg| {
        let mut found = false;
        for inst in &frame.plan.prologue {
            inst.op.operands(|operand| found |= operand == ir::Operand::Def(reg));
        }
        found
    };
    let warps = 0..frame.threads.warps;
    let fits = all
        .iter()
        .filter(|(reg, _)| computed(*reg))
        .all(|(reg, shape)| warps.clone().all(|warp| has_shape(frame, *reg, shape, warp)));
    let mut state = frame.native.take().unwrap_or_else(|| Box::new(super::State::new(code)));
    state.prologue_fits = Some(fits);
    frame.native = Some(state);
    fits
}

/// Whether the rows of the group's warps have these shapes.
pub(super) fn fit(frame: &Frame<'_>, expected: &[(Reg, Shape)]) -> bool {
    let mut group = (frame.first..frame.first + frame.count).filter(|warp| frame.exec[*warp] != 0);
    group.all(|warp| expected.iter().all(|(reg, shape)| has_shape(frame, *reg, shape, warp)))
}

fn has_shape(frame: &Frame<'_>, reg: Reg, shape: &Shape, warp: usize) -> bool {
    let slot = frame.plan.rows.reg(reg);
    if slot.is_none() {
        return true;
    }
    let exists = |lane: usize| frame.threads.existing[warp] >> lane & 1 != 0;
    match (frame.plan.rows.class(reg), shape) {
        (Some(Class::Pred), shape) => {
            // SAFETY: the register has a home of its class inside the registers.
            let bits = unsafe { *frame.pred(slot, warp) };
            match shape {
                Shape::Mask(lanes) => bits == *lanes,
                Shape::Affine(_) => bits == 0 || bits == u32::MAX,
                Shape::Varying => true,
            }
        }
        (Some(Class::W32), Shape::Affine(affine)) => {
            // SAFETY: as above.
            let row = unsafe { &*frame.row::<u32>(slot, warp) };
            let range =
                affine.range.is_none_or(|(low, high)| (low..=high).contains(&row[0].into()));
            range
                && (0..WARP).all(|lane| {
                    !exists(lane) || row[lane] == row[0].wrapping_add(affine.step(lane) as u32)
                })
        }
        (Some(Class::W64), Shape::Affine(affine)) => {
            // SAFETY: as above.
            let row = unsafe { &*frame.row::<u64>(slot, warp) };
            let range = affine.range.is_none_or(|(low, high)| (low..=high).contains(&row[0]));
            range
                && (0..WARP).all(|lane| {
                    !exists(lane) || row[lane] == row[0].wrapping_add(affine.step(lane))
                })
        }
        (Some(Class::W32 | Class::W64) | None, _) => true,
    }
}

/// Makes whole home rows of what a warp left.
pub(super) fn restore(frame: &mut Frame<'_>, kept: &[(Reg, Kept)], warp: usize) {
    restore_for(frame, kept, warp, |_| u32::MAX);
}

/// The same for the lanes that need each register.
pub(super) fn restore_for(
    frame: &mut Frame<'_>,
    kept: &[(Reg, Kept)],
    warp: usize,
    lanes: impl Fn(Reg) -> u32,
) {
    for (reg, kept) in kept {
        let slot = frame.plan.rows.reg(*reg);
        let class = frame.plan.rows.class(*reg);
        let (Some(class), false) = (class, slot.is_none()) else { continue };
        restore_one(frame, slot, class, kept, warp, lanes(*reg));
    }
}

fn restore_one(
    frame: &mut Frame<'_>,
    slot: Slot,
    class: Class,
    kept: &Kept,
    warp: usize,
    lanes: u32,
) {
    let is_meant = |lane: usize| lanes >> lane & 1 != 0;
    let word = |found: &Found, nth: usize| -> u64 {
        let Some(state) = frame.native.as_ref() else { return 0 };
        let context = state.known();
        match *found {
            Found::General(number) => context.generals[usize::from(number) % 16],
            Found::Vector(number) => context.vectors[usize::from(number) % 32][nth % 8],
            Found::Mask(number) => context.masks[usize::from(number) % 8],
            Found::Spilled(at) => state.word(at as usize + nth),
        }
    };
    match kept {
        Kept::First(affine, found) => match class {
            Class::W64 => {
                // SAFETY: the register has a home of its class inside the registers.
                let row = unsafe { &mut *frame.row::<u64>(slot, warp) };
                let first = found.as_ref().map_or(row[0], |found| word(found, 0));
                for (lane, value) in row.iter_mut().enumerate().filter(|(lane, _)| is_meant(*lane))
                {
                    *value = first.wrapping_add(affine.step(lane));
                }
            }
            Class::W32 | Class::Pred => {
                // SAFETY: as above.
                let row = unsafe { &mut *frame.row::<u32>(slot, warp) };
                let first = found.as_ref().map_or(row[0], |found| word(found, 0) as u32);
                for (lane, value) in row.iter_mut().enumerate().filter(|(lane, _)| is_meant(*lane))
                {
                    *value = first.wrapping_add(affine.step(lane) as u32);
                }
            }
        },
        Kept::Bits(found) => {
            // SAFETY: as above.
            unsafe {
                let bits = frame.pred(slot, warp);
                *bits = (*bits & !lanes) | (word(found, 0) as u32 & lanes);
            }
        }
        Kept::Vectors(vectors, nan) => {
            let bytes = if class == Class::W64 { 256 } else { 128 };
            let words = bytes / 8 / vectors.len().max(1);
            let canonical = |bits: u32| {
                if f32::from_bits(bits).is_nan() { numeric::f32::NAN } else { bits }
            };
            let value = |nth: usize| word(&vectors[nth / words], nth % words);
            for lane in (0..WARP).filter(|lane| is_meant(*lane)) {
                // SAFETY: as above.
                unsafe {
                    if class == Class::W64 {
                        (*frame.row::<u64>(slot, warp))[lane] = value(lane);
                    } else {
                        let bits = (value(lane / 2) >> (lane % 2 * 32)) as u32;
                        let bits = if *nan { canonical(bits) } else { bits };
                        (*frame.row::<u32>(slot, warp))[lane] = bits;
                    }
                }
            }
        }
    }
}
