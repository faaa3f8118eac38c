//! Loads and stores over the lanes of a warp.
//!
//! The common shapes are found at run time: all lanes at adjacent addresses (one check, one copy), or
//! anywhere inside one allocation (one check for the lowest and highest address, then 32 plain accesses).
//! Only what is left is checked lane by lane, which also finds the lane to blame.
//!
//! Strong accesses are atomics of the host, which acquire and release. Weak accesses of lanes one by one, and all
//! scattered stores, are relaxed atomics. Whole rows of weak accesses are plain copies: a kernel in which these race is
//! undefined by the PTX ISA too (9.1, 8.4, "Data races"), nothing in the VM depends on what they find but the values of
//! registers, and every address that is made of those is checked before it is used.

use super::element::Element;
use super::handler::Body;
use super::operations::MemoryOp;
use super::program::{Code, Program};
use super::reach::{Base, Reach, access_fault, adjacent, host_address, scattered};
use super::strong;
use crate::fault::AccessKind;
use crate::frame::Frame;
use lanes::WARP;
use std::marker::PhantomData;

#[cold]
#[inline(never)]
fn blame(
    frame: &mut Frame<'_>,
    op: &MemoryOp,
    access: AccessKind,
    warp: usize,
    lane: usize,
    address: u64,
) -> usize {
    let bytes = op.bytes() as u32;
    let kind = access_fault(frame, access, op.space, address, bytes);
    frame.fault(kind, op.place, warp, lane as u32)
}

/// So few lanes access memory one by one: finding a common shape would cost more.
const FEW: u32 = 8;

/// A load of elements `E` from space `S` with a base of type `B`; `x` is the operation's index.
pub(super) struct Load<S, E, B>(PhantomData<(S, E, B)>);

impl<S: Reach, E: Element, B: Base> Body for Load<S, E, B> {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let op = &program.memory[code.x as usize];
        let uniform = op.values.iter().all(|value| value.is_uniform());
        frame.fuel -= op.fuel;
        for warp in frame.first..frame.first + frame.count {
            let exec = frame.exec[warp];
            if exec == 0 {
                continue;
            }
            if !uniform && !op.is_single_copy() && exec.count_ones() <= FEW {
                // SAFETY: the code's base has type `B`.
                if let Err((lane, address)) = unsafe { load_few::<S, E, B>(frame, op, warp) } {
                    return blame(frame, op, AccessKind::Load, warp, lane, address);
                }
                continue;
            }
            // SAFETY: the code's base has type `B`, and its results elements `E`.
            unsafe {
                if let Some(start) =
                    adjacent::<S, B>(frame, op, warp).filter(|_| !op.is_single_copy())
                {
                    load_adjacent::<E>(frame, op, warp, start);
                } else {
                    let keep = if uniform { u32::MAX } else { frame.write[warp] };
                    match scattered::<S, B>(frame, op, warp) {
                        Ok(hosts) if op.strong => strong::load::<E>(frame, op, warp, &hosts, keep),
                        Ok(hosts) => load_scattered::<S, E>(frame, op, warp, &hosts, keep),
                        Err((lane, address)) => {
                            return blame(frame, op, AccessKind::Load, warp, lane, address);
                        }
                    }
                }
            }
            if uniform {
                break;
            }
        }
        at + 1
    }
}

/// A store of elements `E` to space `S` with a base of type `B`; `x` is the operation's index. Lanes that
/// store to the same address store in ascending order.
pub(super) struct Store<S, E, B>(PhantomData<(S, E, B)>);

impl<S: Reach, E: Element, B: Base> Body for Store<S, E, B> {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(
        program: &Program,
        frame: &mut Frame<'_>,
        code: &Code,
        at: usize,
    ) -> usize {
        let op = &program.memory[code.x as usize];
        frame.fuel -= op.fuel;
        for warp in frame.first..frame.first + frame.count {
            let exec = frame.exec[warp];
            if exec == 0 {
                continue;
            }
            if !op.is_single_copy() && exec.count_ones() <= FEW {
                // SAFETY: the code's base has type `B`.
                if let Err((lane, address)) = unsafe { store_few::<S, E, B>(frame, op, warp) } {
                    return blame(frame, op, AccessKind::Store, warp, lane, address);
                }
                continue;
            }
            // SAFETY: the code's base has type `B`, and its values elements `E`.
            unsafe {
                if let Some(start) =
                    adjacent::<S, B>(frame, op, warp).filter(|_| !op.is_single_copy())
                {
                    store_adjacent::<E>(frame, op, warp, start);
                } else {
                    match scattered::<S, B>(frame, op, warp) {
                        Ok(hosts) if op.strong => strong::store::<E>(frame, op, warp, &hosts),
                        Ok(hosts) => store_scattered::<S, E>(frame, op, warp, &hosts),
                        Err((lane, address)) => {
                            return blame(frame, op, AccessKind::Store, warp, lane, address);
                        }
                    }
                }
            }
        }
        at + 1
    }
}

/// Loads one element after another from a host address on, into all lanes. Vectors of strong accesses are not for it.
///
/// # Safety
/// The accesses were checked; the operation belongs to the frame's program and its results hold elements `E`.
#[inline(always)]
unsafe fn load_adjacent<E: Element>(frame: &Frame<'_>, op: &MemoryOp, warp: usize, start: u64) {
    let count = op.values.len();
    for (nth, slot) in op.values.iter().enumerate().filter(|(_, slot)| !slot.is_none()) {
        // SAFETY: as for the caller; a result's row lies inside the registers.
        unsafe {
            let d = &mut *frame.row::<E::Held>(*slot, warp);
            let start = (start as *const E).add(nth);
            if op.strong {
                for (lane, value) in d.iter_mut().enumerate() {
                    *value = E::read(start.add(lane), true).load();
                }
            } else if count == 1 {
                // Read whole before any of the row is written: the compiler cannot know that they lie apart.
                let found = start.cast::<[E; WARP]>().read_unaligned();
                for (lane, value) in d.iter_mut().enumerate() {
                    *value = found[lane].load();
                }
            } else {
                for (lane, value) in d.iter_mut().enumerate() {
                    *value = start.add(lane * count).read_unaligned().load();
                }
            }
        }
    }
}

/// Loads from each lane's host address and keeps the given lanes.
///
/// # Safety
/// As for [`load_adjacent`].
#[inline(always)]
unsafe fn load_scattered<S: Reach, E: Element>(
    frame: &Frame<'_>,
    op: &MemoryOp,
    warp: usize,
    hosts: &[u64; WARP],
    keep: u32,
) {
    for (nth, slot) in op.values.iter().enumerate().filter(|(_, slot)| !slot.is_none()) {
        let further = S::further(frame, (nth * size_of::<E>()) as u64);
        // SAFETY: as for the caller; a result's row lies inside the registers.
        unsafe {
            let d = &mut *frame.row::<E::Held>(*slot, warp);
            for (lane, value) in d.iter_mut().enumerate() {
                let new = ((hosts[lane] + further) as *const E).read_unaligned().load();
                *value = if (keep >> lane) & 1 != 0 { new } else { *value };
            }
        }
    }
}

/// Stores all lanes' elements one after another from a host address on. Vectors of strong accesses are not for it.
///
/// # Safety
/// The accesses were checked; the operation belongs to the frame's program and its values hold elements `E`.
#[inline(always)]
unsafe fn store_adjacent<E: Element>(frame: &Frame<'_>, op: &MemoryOp, warp: usize, start: u64) {
    let count = op.values.len();
    for (nth, slot) in op.values.iter().enumerate() {
        // SAFETY: as for the caller; a value's row lies inside the registers.
        unsafe {
            let values = *frame.row::<E::Held>(*slot, warp);
            let start = (start as *mut E).add(nth);
            if op.strong {
                for (lane, value) in values.into_iter().enumerate() {
                    E::write(start.add(lane), E::store(value), true);
                }
            } else if count == 1 {
                start.cast::<[E; WARP]>().write_unaligned(values.map(E::store));
            } else {
                for (lane, value) in values.into_iter().enumerate() {
                    start.add(lane * count).write_unaligned(E::store(value));
                }
            }
        }
    }
}

/// Stores the executing lanes' elements at each lane's host address.
///
/// # Safety
/// As for [`store_adjacent`].
#[inline(always)]
unsafe fn store_scattered<S: Reach, E: Element>(
    frame: &Frame<'_>,
    op: &MemoryOp,
    warp: usize,
    hosts: &[u64; WARP],
) {
    for (nth, slot) in op.values.iter().enumerate() {
        let further = S::further(frame, (nth * size_of::<E>()) as u64);
        let mut left = frame.exec[warp];
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            // SAFETY: as for the caller; a value's row lies inside the registers. Addresses are checked to be aligned, and
            // spaces begin at whole cache lines of the host.
            unsafe {
                let value = (*frame.row::<E::Held>(*slot, warp))[lane];
                E::write((hosts[lane] + further) as *mut E, E::store(value), false);
            }
        }
    }
}

/// A load of the executing lanes one by one; `Err` is the lane to blame and its address.
///
/// # Safety
/// The operation belongs to the frame's program; its base has type `B` and its results elements `E`.
#[inline(always)]
unsafe fn load_few<S: Reach, E: Element, B: Base>(
    frame: &mut Frame<'_>,
    op: &MemoryOp,
    warp: usize,
) -> Result<(), (usize, u64)> {
    let exec = frame.exec[warp];
    // All addresses are read before any result is written: a result may be the base.
    let mut hosts = [0; FEW as usize];
    let mut left = exec;
    for host in &mut hosts[..exec.count_ones() as usize] {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        // SAFETY: as for the caller.
        *host = unsafe { host_address::<S, B>(frame, op, warp, lane)? };
    }
    for (nth, slot) in op.values.iter().enumerate().filter(|(_, slot)| !slot.is_none()) {
        let further = S::further(frame, (nth * size_of::<E>()) as u64);
        let mut left = exec;
        for host in &hosts[..exec.count_ones() as usize] {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            // SAFETY: the address was checked, for alignment too, and the result's row lies inside the registers.
            unsafe {
                let value = E::read((*host + further) as *const E, op.strong).load();
                (*frame.row::<E::Held>(*slot, warp))[lane] = value;
            }
        }
    }
    Ok(())
}

/// A store of the executing lanes one by one; `Err` is the lane to blame and its address.
///
/// # Safety
/// The operation belongs to the frame's program; its base has type `B` and its values elements `E`.
#[inline(always)]
unsafe fn store_few<S: Reach, E: Element, B: Base>(
    frame: &mut Frame<'_>,
    op: &MemoryOp,
    warp: usize,
) -> Result<(), (usize, u64)> {
    let mut left = frame.exec[warp];
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        // SAFETY: as for the caller.
        let host = unsafe { host_address::<S, B>(frame, op, warp, lane)? };
        for (nth, slot) in op.values.iter().enumerate() {
            let further = S::further(frame, (nth * size_of::<E>()) as u64);
            // SAFETY: the address was checked, for alignment too, and the value's row lies inside the registers.
            unsafe {
                let value = (*frame.row::<E::Held>(*slot, warp))[lane];
                E::write((host + further) as *mut E, E::store(value), op.strong);
            }
        }
    }
    Ok(())
}
