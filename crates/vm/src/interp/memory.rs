//! Loads and stores over the lanes of a warp.
//!
//! The common shapes are found at run time: all lanes at adjacent addresses (one check, one copy), or
//! anywhere inside one allocation (one check for the lowest and highest address, then 32 plain accesses).
//! Only what is left is checked lane by lane, which also finds the lane to blame.

use super::frame::{Body, Code, Frame, Slot};
use crate::fault::{AccessKind, FaultKind};
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, Region, SHARED_WINDOW, WINDOW};
use ir::{Access, Place, Space};
use lanes::WARP;
use std::marker::PhantomData;

/// The operands of a load or store.
#[derive(Clone, Debug)]
pub(crate) struct MemoryOp {
    /// Result slots of a load, value slots of a store; [`Slot::NONE`] drops an element.
    pub(crate) values: Vec<Slot>,
    pub(crate) base: Slot,
    pub(crate) offset: u64,
    pub(crate) access: Access,
    pub(crate) space: Space,
    /// Index into [`Frame::caches`].
    pub(crate) cache: usize,
    /// What a turn loses by it: strong accesses may be part of a wait for another thread.
    pub(crate) fuel: i64,
    pub(crate) place: Place,
}

impl MemoryOp {
    /// Bytes that one lane accesses, and their alignment.
    #[inline(always)]
    fn bytes(&self) -> u64 {
        u64::from(self.access.bytes()) * self.values.len() as u64
    }
}

/// How an element in memory fills a register.
pub(crate) trait Element: Copy {
    /// The register's value.
    type Held: Copy;
    fn load(self) -> Self::Held;
    fn store(held: Self::Held) -> Self;
}

macro_rules! element {
    ($($ty:ty, $held:ty;)*) => {
        $(impl Element for $ty {
            type Held = $held;
            #[inline(always)]
            fn load(self) -> $held {
                self as $held
            }
            #[inline(always)]
            fn store(held: $held) -> $ty {
                held as $ty
            }
        })*
    };
}

element! { u8, u32; i8, u32; u16, u32; i16, u32; u32, u32; u64, u64; }

/// A register that holds the base of an address.
pub(super) trait Base: Copy {
    /// The address `offset` bytes on. Addresses of 32 bits wrap at 32 bits.
    fn plus(self, offset: u64) -> u64;
}

impl Base for u32 {
    #[inline(always)]
    fn plus(self, offset: u64) -> u64 {
        u64::from(self.wrapping_add(offset as u32))
    }
}

impl Base for u64 {
    #[inline(always)]
    fn plus(self, offset: u64) -> u64 {
        self.wrapping_add(offset)
    }
}

/// How addresses of a space become addresses of the host.
pub(crate) trait Reach {
    /// What to add to the addresses `low..low + bytes` to reach them, if all are accessible in one piece.
    fn span(frame: &mut Frame<'_>, cache: usize, low: u64, bytes: u64) -> Option<u64>;

    /// The host address of one lane's access, if it is accessible.
    #[inline(always)]
    fn lane(
        frame: &mut Frame<'_>,
        cache: usize,
        _warp: usize,
        _lane: usize,
        address: u64,
        bytes: u64,
    ) -> Option<u64> {
        Self::span(frame, cache, address, bytes).map(|delta| address.wrapping_add(delta))
    }
}

pub(crate) struct Global;
pub(crate) struct Shared;
pub(crate) struct Local;
pub(crate) struct Param;
pub(crate) struct Generic;

impl Reach for Global {
    #[inline(always)]
    fn span(frame: &mut Frame<'_>, cache: usize, low: u64, bytes: u64) -> Option<u64> {
        if frame.caches[cache].holds(low, bytes) {
            return Some(0);
        }
        refill(frame, cache, low, bytes)
    }
}

#[cold]
fn refill(frame: &mut Frame<'_>, cache: usize, low: u64, bytes: u64) -> Option<u64> {
    let region = frame.regions.find(low).unwrap_or(Region::EMPTY);
    frame.caches[cache] = region;
    region.holds(low, bytes).then_some(0)
}

impl Reach for Shared {
    #[inline(always)]
    fn span(frame: &mut Frame<'_>, _cache: usize, low: u64, bytes: u64) -> Option<u64> {
        let shared = Region { start: 0, end: frame.cta.shared.bytes };
        shared.holds(low, bytes).then_some(frame.cta.shared.start as u64)
    }
}

impl Reach for Param {
    #[inline(always)]
    fn span(frame: &mut Frame<'_>, _cache: usize, low: u64, bytes: u64) -> Option<u64> {
        let params = Region { start: 0, end: frame.cta.params.bytes };
        params.holds(low, bytes).then_some(frame.cta.params.start as u64)
    }
}

impl Reach for Local {
    #[inline(always)]
    fn span(_: &mut Frame<'_>, _: usize, _: u64, _: u64) -> Option<u64> {
        None
    }

    #[inline(always)]
    fn lane(
        frame: &mut Frame<'_>,
        _cache: usize,
        warp: usize,
        lane: usize,
        address: u64,
        bytes: u64,
    ) -> Option<u64> {
        let local = Region { start: 0, end: frame.cta.local_bytes };
        let thread = (warp * WARP + lane) as u64;
        let start = frame.cta.local.start as u64 + thread * frame.cta.local_stride;
        local.holds(address, bytes).then(|| start + address)
    }
}

impl Reach for Generic {
    #[inline(always)]
    fn span(frame: &mut Frame<'_>, cache: usize, low: u64, bytes: u64) -> Option<u64> {
        let offset = low.wrapping_sub(frame.memory_base);
        let (window, delta) = match offset / WINDOW {
            0 => (SHARED_WINDOW, Shared::span(frame, cache, offset - SHARED_WINDOW, bytes)),
            1 => return None,
            2 => (PARAM_WINDOW, Param::span(frame, cache, offset - PARAM_WINDOW, bytes)),
            _ => return Global::span(frame, cache, low, bytes),
        };
        delta.map(|delta| delta.wrapping_sub(frame.memory_base + window))
    }

    #[inline(always)]
    fn lane(
        frame: &mut Frame<'_>,
        cache: usize,
        warp: usize,
        lane: usize,
        address: u64,
        bytes: u64,
    ) -> Option<u64> {
        let offset = address.wrapping_sub(frame.memory_base).wrapping_sub(LOCAL_WINDOW);
        if offset < WINDOW {
            return Local::lane(frame, cache, warp, lane, offset, bytes);
        }
        Self::span(frame, cache, address, bytes).map(|delta| address.wrapping_add(delta))
    }
}

/// The address of each lane; lanes that do not execute get the address of one that does.
#[inline(always)]
unsafe fn addresses<B: Base>(frame: &Frame<'_>, op: &MemoryOp, warp: usize) -> [u64; WARP] {
    // SAFETY: the base slot lies inside the registers and holds values of type `B`.
    let base = unsafe { &*frame.row::<B>(op.base, warp) };
    let mut found = [0; WARP];
    for (address, base) in found.iter_mut().zip(base) {
        *address = base.plus(op.offset);
    }
    let exec = frame.exec[warp];
    if exec != u32::MAX {
        let any = found[exec.trailing_zeros() as usize];
        for (lane, address) in found.iter_mut().enumerate() {
            *address = if (exec >> lane) & 1 != 0 { *address } else { any };
        }
    }
    found
}

/// Where the lanes' accesses go on the host.
#[expect(clippy::large_enum_variant, reason = "it lives on the stack of one handler")]
enum Targets {
    /// One after another from this address on.
    Adjacent(u64),
    /// At these addresses.
    Scattered([u64; WARP]),
}

/// Checks the accesses of the executing lanes and finds where they go; `Err` is the lane to blame.
#[inline(always)]
fn targets<S: Reach>(
    frame: &mut Frame<'_>,
    op: &MemoryOp,
    warp: usize,
    mut found: [u64; WARP],
) -> Result<Targets, usize> {
    let bytes = op.bytes();
    let exec = frame.exec[warp];
    let first = found[0];
    if exec == u32::MAX {
        let mut off = 0;
        for (lane, address) in found.iter().enumerate() {
            off |= address ^ first.wrapping_add(lane as u64 * bytes);
        }
        if off == 0
            && first & (bytes - 1) == 0
            && let Some(delta) = S::span(frame, op.cache, first, bytes * WARP as u64)
        {
            return Ok(Targets::Adjacent(first.wrapping_add(delta)));
        }
    }
    let (mut low, mut high, mut bits) = (u64::MAX, 0, 0);
    for address in found {
        low = low.min(address);
        high = high.max(address);
        bits |= address;
    }
    if bits & (bytes - 1) == 0 {
        let length = (high - low).saturating_add(bytes);
        if let Some(delta) = S::span(frame, op.cache, low, length) {
            for address in &mut found {
                *address = address.wrapping_add(delta);
            }
            return Ok(Targets::Scattered(found));
        }
    }
    lane_by_lane::<S>(frame, op, warp, found)
}

#[inline(never)]
fn lane_by_lane<S: Reach>(
    frame: &mut Frame<'_>,
    op: &MemoryOp,
    warp: usize,
    mut found: [u64; WARP],
) -> Result<Targets, usize> {
    let bytes = op.bytes();
    let exec = frame.exec[warp];
    for (lane, address) in found.iter_mut().enumerate() {
        if (exec >> lane) & 1 == 0 {
            continue;
        }
        if *address & (bytes - 1) != 0 {
            return Err(lane);
        }
        *address = S::lane(frame, op.cache, warp, lane, *address, bytes).ok_or(lane)?;
    }
    // Idle lanes repeat an executing lane's access.
    let any = found[exec.trailing_zeros() as usize];
    for (lane, address) in found.iter_mut().enumerate() {
        *address = if (exec >> lane) & 1 != 0 { *address } else { any };
    }
    Ok(Targets::Scattered(found))
}

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

/// The fault of an access that is misaligned or out of bounds.
pub(super) fn access_fault(
    frame: &Frame<'_>,
    access: AccessKind,
    space: Space,
    address: u64,
    bytes: u32,
) -> FaultKind {
    if address & (u64::from(bytes) - 1) != 0 {
        return FaultKind::Misaligned { access, space, address, bytes };
    }
    let whole = |end| (end > 0).then_some((0, end));
    let nearest = match space {
        Space::Shared => whole(frame.cta.shared.bytes),
        Space::Local => whole(frame.cta.local_bytes),
        Space::Param => whole(frame.cta.params.bytes),
        Space::Global | Space::Generic => {
            frame.regions.nearest(address).map(|region| (region.start, region.end))
        }
    };
    FaultKind::OutOfBounds { access, space, address, bytes, nearest }
}

/// A load of elements `E` from space `S` with a base of type `B`; `x` is the operation's index.
pub(super) struct Load<S, E, B>(PhantomData<(S, E, B)>);

impl<S: Reach, E: Element, B: Base> Body for Load<S, E, B> {
    #[inline(always)]
    unsafe fn run<const LEVEL: usize>(frame: &mut Frame<'_>, code: &Code, at: usize) -> usize {
        let program = frame.program;
        let op = &program.memory[code.x as usize];
        let uniform = op.values.iter().all(|value| value.is_uniform());
        frame.fuel -= op.fuel;
        for warp in frame.first..frame.first + frame.count {
            let exec = frame.exec[warp];
            if exec == 0 {
                continue;
            }
            // SAFETY: the code's base has type `B`.
            let found = unsafe { addresses::<B>(frame, op, warp) };
            let targets = match targets::<S>(frame, op, warp, found) {
                Ok(targets) => targets,
                Err(lane) => return blame(frame, op, AccessKind::Load, warp, lane, found[lane]),
            };
            let keep = if uniform { u32::MAX } else { frame.write[warp] };
            let count = op.values.len();
            for (nth, slot) in op.values.iter().enumerate() {
                if slot.is_none() {
                    continue;
                }
                // SAFETY: `targets` checked every address; a result's row lies inside the registers.
                unsafe {
                    let d = &mut *frame.row::<E::Held>(*slot, warp);
                    match &targets {
                        Targets::Adjacent(start) if count == 1 => {
                            let found = (*start as *const [E; WARP]).read_unaligned();
                            for lane in 0..WARP {
                                d[lane] = found[lane].load();
                            }
                        }
                        Targets::Adjacent(start) => {
                            let start = (*start as *const E).add(nth);
                            for (lane, value) in d.iter_mut().enumerate() {
                                *value = start.add(lane * count).read_unaligned().load();
                            }
                        }
                        Targets::Scattered(found) => {
                            for (lane, value) in d.iter_mut().enumerate() {
                                let from = (found[lane] as *const E).add(nth);
                                let new = from.read_unaligned().load();
                                *value = if (keep >> lane) & 1 != 0 { new } else { *value };
                            }
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
    unsafe fn run<const LEVEL: usize>(frame: &mut Frame<'_>, code: &Code, at: usize) -> usize {
        let program = frame.program;
        let op = &program.memory[code.x as usize];
        frame.fuel -= op.fuel;
        for warp in frame.first..frame.first + frame.count {
            let exec = frame.exec[warp];
            if exec == 0 {
                continue;
            }
            if exec.count_ones() <= FEW {
                // SAFETY: the code's base has type `B`.
                if let Err((lane, address)) = unsafe { store_few::<S, E, B>(frame, op, warp) } {
                    return blame(frame, op, AccessKind::Store, warp, lane, address);
                }
                continue;
            }
            // SAFETY: the code's base has type `B`.
            let found = unsafe { addresses::<B>(frame, op, warp) };
            let targets = match targets::<S>(frame, op, warp, found) {
                Ok(targets) => targets,
                Err(lane) => return blame(frame, op, AccessKind::Store, warp, lane, found[lane]),
            };
            let count = op.values.len();
            for (nth, slot) in op.values.iter().enumerate() {
                // SAFETY: `targets` checked every address; a value's row lies inside the registers.
                unsafe {
                    let values = &*frame.row::<E::Held>(*slot, warp);
                    match &targets {
                        Targets::Adjacent(start) if count == 1 => {
                            let values = *values;
                            let stored: [E; WARP] = values.map(E::store);
                            (*start as *mut [E; WARP]).write_unaligned(stored);
                        }
                        Targets::Adjacent(start) => {
                            let start = (*start as *mut E).add(nth);
                            for (lane, value) in values.iter().enumerate() {
                                start.add(lane * count).write_unaligned(E::store(*value));
                            }
                        }
                        Targets::Scattered(found) => {
                            let mut left = exec;
                            while left != 0 {
                                let lane = left.trailing_zeros() as usize;
                                left &= left - 1;
                                let to = (found[lane] as *mut E).add(nth);
                                to.write_unaligned(E::store(values[lane]));
                            }
                        }
                    }
                }
            }
        }
        at + 1
    }
}

/// So few lanes store one by one: finding a common shape would cost more.
const FEW: u32 = 2;

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
    let bytes = op.bytes();
    let mut left = frame.exec[warp];
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        // SAFETY: the base's row lies inside the registers.
        let address = unsafe { (*frame.row::<B>(op.base, warp))[lane] }.plus(op.offset);
        let aligned = address & (bytes - 1) == 0;
        let host = S::lane(frame, op.cache, warp, lane, address, bytes).filter(|_| aligned);
        let host = host.ok_or((lane, address))?;
        for (nth, slot) in op.values.iter().enumerate() {
            // SAFETY: the address was checked, and the value's row lies inside the registers.
            unsafe {
                let value = (*frame.row::<E::Held>(*slot, warp))[lane];
                (host as *mut E).add(nth).write_unaligned(E::store(value));
            }
        }
    }
    Ok(())
}
