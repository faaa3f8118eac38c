//! Home rows, before machine code is entered and after it was left.

use crate::frame::Frame;
use crate::plan::Slot;
use ir::analysis::{Affine, GANG_LANES, Shape};
use ir::{Class, Reg};
use jit::{Found, Kept};
use lanes::WARP;
use smallvec::SmallVec;

/// A value of each lane of a gang; of one of fewer lanes, the others mean nothing.
type Values = [u64; GANG_LANES];

/// The first lane's value of each slice.
type Firsts = SmallVec<[u64; 8]>;

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

    /// The values of all lanes in a row of the gang.
    ///
    /// # Safety
    /// As for [`Gang::value`]; the class is not that of predicates.
    unsafe fn row(self, frame: &Frame<'_>, slot: Slot, class: Class) -> Values {
        let mut values = [0; GANG_LANES];
        for (nth, values) in values.chunks_exact_mut(WARP).enumerate().take(self.warps) {
            let warp = self.first + nth;
            // SAFETY: the caller's.
            unsafe {
                if class == Class::W64 {
                    values.copy_from_slice(&*frame.row::<u64>(slot, warp));
                } else {
                    let row = &*frame.row::<u32>(slot, warp);
                    values.iter_mut().zip(row).for_each(|(value, word)| *value = (*word).into());
                }
            }
        }
        values
    }

    /// Sets the values of some lanes in a row of the gang.
    ///
    /// # Safety
    /// As for [`Gang::row`].
    unsafe fn set_row(
        self,
        frame: &mut Frame<'_>,
        slot: Slot,
        class: Class,
        (lanes, values): (u64, &Values),
    ) {
        for (nth, values) in values.chunks_exact(WARP).enumerate().take(self.warps) {
            let (warp, lanes) = (self.first + nth, (lanes >> (nth * WARP)) as u32);
            let is_meant = |lane: usize| lanes >> lane & 1 != 0;
            // SAFETY: the caller's.
            unsafe {
                if class == Class::W64 {
                    let row = &mut *frame.row::<u64>(slot, warp);
                    for (lane, (held, value)) in row.iter_mut().zip(values).enumerate() {
                        *held = if is_meant(lane) { *value } else { *held };
                    }
                } else {
                    let row = &mut *frame.row::<u32>(slot, warp);
                    for (lane, (held, value)) in row.iter_mut().zip(values).enumerate() {
                        *held = if is_meant(lane) { *value as u32 } else { *held };
                    }
                }
            }
        }
    }

    /// The bits of the gang's lanes, of those of each warp.
    pub(super) fn bits(self, of_warp: impl Fn(usize) -> u32) -> u64 {
        let own = |nth: usize| u64::from(of_warp(self.first + nth)) << (nth * WARP);
        (0..self.warps).fold(0, |all, nth| all | own(nth))
    }

    /// A bit for each lane that exists.
    fn existing(self, frame: &Frame<'_>) -> u64 {
        self.bits(|warp| frame.threads.existing[warp])
    }
}

/// Whether the rows of the prologue have the shapes that code relies on.
pub(super) fn prologue_fits(frame: &Frame<'_>, code: &jit::Code) -> bool {
    let mut firsts = (0..frame.threads.warps).step_by(code.gang());
    firsts.all(|first| have_shapes(frame, code.prologue(), Gang::of(code, first)))
}

/// Whether the rows of the group's gangs have these shapes.
pub(super) fn fit(frame: &Frame<'_>, code: &jit::Code, expected: &[(Reg, Shape)]) -> bool {
    let firsts = (frame.first..frame.first + frame.count).step_by(code.gang());
    let mut firsts = firsts.filter(|warp| frame.exec[*warp] != 0);
    firsts.all(|first| have_shapes(frame, expected, Gang::of(code, first)))
}

fn have_shapes(frame: &Frame<'_>, expected: &[(Reg, Shape)], gang: Gang) -> bool {
    expected.iter().all(|(reg, shape)| has_shape(frame, *reg, shape, gang))
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
    // SAFETY: the register has a home of its class inside the registers.
    let row = unsafe { gang.row(frame, slot, class) };
    let firsts: Firsts = row[gang.lanes()].iter().step_by(group).copied().collect();
    follow(&row, &firsts, (affine, group), class, lanes & gang.existing(frame))
}

/// Whether the values of these lanes follow from the first one of each slice, and those are possible.
fn follow(
    row: &Values,
    firsts: &[u64],
    (affine, group): (&Affine, usize),
    class: Class,
    lanes: u64,
) -> bool {
    // Of a slice that is not there, too: what is known to be inside of memory is not checked.
    let is_possible = |first| affine.range.is_none_or(|(low, high)| (low..=high).contains(first));
    let expected = || following(firsts, group, affine, class);
    firsts.iter().all(is_possible) && differing(row, &expected()) & lanes == 0
}

/// The lanes in which values differ.
fn differing(one: &Values, other: &Values) -> u64 {
    if one == other {
        return 0;
    }
    let differs = |lane: usize| u64::from(one[lane] != other[lane]) << lane;
    (0..GANG_LANES).fold(0, |all, lane| all | differs(lane))
}

/// The first lane's value of each slice, from which the values of these lanes follow; any that are possible where there are none. Of a
/// predicate that is the same in all of them, the bit of every lane. `None` if there is no such value.
pub(super) fn firsts(
    frame: &Frame<'_>,
    reg: Reg,
    shape: &Shape,
    gang: Gang,
    lanes: u64,
) -> Option<Firsts> {
    let slot = frame.plan.rows.reg(reg);
    let class = frame.plan.rows.class(reg).filter(|_| !slot.is_none())?;
    let lanes = lanes & gang.existing(frame);
    if class == Class::Pred {
        let all = gang.lanes().fold(0, |all, lane| all | 1 << lane);
        // SAFETY: the register has a home of its class inside the registers.
        let bits = gang.bits(|warp| unsafe { *frame.pred(slot, warp) }) & lanes;
        let same = if bits == 0 { 0 } else { all };
        return (bits == 0 || bits == lanes).then(|| SmallVec::from_slice(&[same]));
    }
    let (affine, group) = slices(shape, gang)?;
    // SAFETY: as above.
    let row = unsafe { gang.row(frame, slot, class) };
    let firsts: Firsts = gang
        .lanes()
        .step_by(group)
        .map(|start| match (start..start + group).find(|lane| lanes >> lane & 1 != 0) {
            Some(lane) => {
                let first = row[lane].wrapping_sub(affine.step(lane));
                if class == Class::W64 { first } else { u64::from(first as u32) }
            }
            None => affine.range.map_or(0, |(low, _)| low),
        })
        .collect();
    follow(&row, &firsts, (affine, group), class, lanes).then_some(firsts)
}

/// The values of lanes that follow from the first one of each slice of so many.
fn following(firsts: &[u64], group: usize, affine: &Affine, class: Class) -> Values {
    let mut values: Values = std::array::from_fn(|lane| firsts[lane / group % firsts.len()]);
    if let Some(steps) = &affine.steps {
        values
            .iter_mut()
            .zip(steps.iter())
            .for_each(|(value, step)| *value = value.wrapping_add(*step));
    }
    if class != Class::W64 {
        values.iter_mut().for_each(|value| *value = u64::from(*value as u32));
    }
    values
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
    unsafe {
        let values = [gang.value(frame, slot, class, one); GANG_LANES];
        gang.set_row(frame, slot, class, (u64::MAX, &values));
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
    // SAFETY: the register has a home of its class inside the registers; so below.
    let row = || unsafe { gang.row(frame, slot, class) };
    let canonical = |value: u64| match f32::from_bits(value as u32).is_nan() {
        true => numeric::f32::NAN.into(),
        false => value,
    };
    let values = match kept {
        Kept::Bits(found) => {
            let bits = word(frame, found, 0);
            return restore_bits(frame, slot, gang, (lanes, bits));
        }
        Kept::First(affine, found) => {
            let first = found.map_or_else(|| row()[0], |found| word(frame, &found, 0));
            following(&[first], GANG_LANES, affine, class)
        }
        Kept::Firsts(lanes, affine, found) => {
            let lanes = *lanes as usize;
            let firsts: Firsts = match found.is_empty() {
                // It stays as it is.
                true => row().into_iter().step_by(lanes).collect(),
                false => found.iter().map(|found| word(frame, found, 0)).collect(),
            };
            following(&firsts, lanes, affine, class)
        }
        Kept::Indexed(index, base, vectors) => {
            let base = base.map_or(0, |base| word(frame, &base, 0));
            words_of(frame, vectors, gang).map(|number| {
                let number = match index.signed {
                    true => (number as u32).cast_signed() as u64,
                    false => number,
                };
                base.wrapping_add(number << index.shift)
            })
        }
        Kept::Row => row().map(canonical),
        Kept::Vectors(vectors, _) if class == Class::W64 => {
            let elements = gang.lanes().end / vectors.len().max(1);
            elements_of(frame, vectors, elements)
        }
        Kept::Vectors(vectors, true) => words_of(frame, vectors, gang).map(canonical),
        Kept::Vectors(vectors, false) => words_of(frame, vectors, gang),
    };
    // SAFETY: as above.
    unsafe { gang.set_row(frame, slot, class, (lanes, &values)) };
}

/// Some of the bits of a predicate's row.
fn restore_bits(frame: &mut Frame<'_>, slot: Slot, gang: Gang, (lanes, bits): (u64, u64)) {
    for nth in 0..gang.warps {
        let (own, lanes) = ((bits >> (nth * WARP)) as u32, (lanes >> (nth * WARP)) as u32);
        // SAFETY: the register has a home of its class inside the registers.
        unsafe {
            let bits = frame.pred(slot, gang.first + nth);
            *bits = (*bits & !lanes) | (own & lanes);
        }
    }
}

/// A word of 64 bits of what code has left.
fn word(frame: &Frame<'_>, found: &Found, nth: usize) -> u64 {
    frame.native.as_ref().map_or(0, |state| state.word_of(found, nth))
}

/// So many elements of 64 bits of each vector, one after the other.
fn elements_of(frame: &Frame<'_>, vectors: &[Found], each: usize) -> Values {
    let mut elements = [0; GANG_LANES];
    for (elements, vector) in elements.chunks_exact_mut(each.max(1)).zip(vectors) {
        for (nth, element) in elements.iter_mut().enumerate() {
            *element = word(frame, vector, nth);
        }
    }
    elements
}

/// The elements of 32 bits of vectors, one after the other.
fn words_of(frame: &Frame<'_>, vectors: &[Found], gang: Gang) -> Values {
    let each = gang.lanes().end / vectors.len().max(1);
    let pairs = elements_of(frame, vectors, each / 2);
    std::array::from_fn(|lane| u64::from((pairs[lane / 2] >> (lane % 2 * 32)) as u32))
}
