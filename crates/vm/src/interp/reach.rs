//! Which addresses the lanes of a warp access, and where they lie on the host.

use super::operations::MemoryOp;
use crate::cluster_memory::ClusterMemory;
use crate::fault::{AccessKind, Extent, FaultKind};
use crate::frame::Frame;
use crate::memory::{Region, Window, lead};
use ir::Space;
use lanes::WARP;

/// A register that holds the base of an address.
pub(super) trait Base: Copy {
    /// The address `offset` bytes on. Addresses of 32 bits wrap at 32 bits.
    fn plus(self, offset: u64) -> u64;

    /// Whether each lane's base is `step` above the one before it, modulo the width.
    fn rises(bases: &[Self; WARP], step: u64) -> bool;
}

impl Base for u32 {
    #[inline(always)]
    fn rises(bases: &[u32; WARP], step: u64) -> bool {
        let mut off = 0;
        for (lane, base) in bases.iter().enumerate() {
            off |= base ^ bases[0].wrapping_add(lane as u32 * step as u32);
        }
        off == 0
    }

    #[inline(always)]
    fn plus(self, offset: u64) -> u64 {
        u64::from(self.wrapping_add(offset as u32))
    }
}

impl Base for u64 {
    #[inline(always)]
    fn rises(bases: &[u64; WARP], step: u64) -> bool {
        let mut off = 0;
        for (lane, base) in bases.iter().enumerate() {
            off |= base ^ bases[0].wrapping_add(lane as u64 * step);
        }
        off == 0
    }

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

    /// How far an element of a lane's access is on the host from the first one, which is so many bytes before it.
    #[inline(always)]
    fn further(_frame: &Frame<'_>, bytes: u64) -> u64 {
        bytes
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
        if frame.sites[cache].region.holds(low, bytes) {
            return Some(0);
        }
        refill(frame, cache, low, bytes)
    }
}

#[cold]
fn refill(frame: &mut Frame<'_>, cache: usize, low: u64, bytes: u64) -> Option<u64> {
    let found = frame.regions.find(low);
    let constant = frame.sites[cache].writes && frame.regions.is_constant(low);
    let region = found.filter(|_| !constant).unwrap_or(Region::EMPTY);
    frame.sites[cache].set(region);
    region.holds(low, bytes).then_some(0)
}

/// Whether a region holds these bytes of global memory, or whatever a generic address leads to there. Makes it the one that the
/// access finds first.
pub(crate) fn find_region(frame: &mut Frame<'_>, cache: usize, low: u64, bytes: u64) -> bool {
    refill(frame, cache, low, bytes).is_some()
}

impl Reach for Shared {
    #[inline(always)]
    fn span(frame: &mut Frame<'_>, _cache: usize, low: u64, bytes: u64) -> Option<u64> {
        let shared = Region { start: 0, end: frame.cta.shared.bytes };
        if shared.holds(low, bytes) {
            return Some(frame.cta.shared.start as u64);
        }
        in_cluster(frame, low, bytes)
    }
}

/// The same in the memory of the cluster's CTAs.
#[cold]
fn in_cluster(frame: &Frame<'_>, low: u64, bytes: u64) -> Option<u64> {
    let (rank, offset) = frame.cluster.lead(low)?;
    let host = frame.cluster.host(rank, offset, bytes)?;
    Some((host as u64).wrapping_sub(low))
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
        let place = frame.cta.local_layout.place_of(warp * WARP + lane, address, bytes)?;
        Some(frame.cta.local.start as u64 + place)
    }

    #[inline(always)]
    fn further(frame: &Frame<'_>, bytes: u64) -> u64 {
        frame.cta.local_layout.further(bytes)
    }
}

impl Local {
    /// The host address of a lane's bytes, if they are accessible in one piece.
    #[inline(always)]
    pub(super) fn one_piece(
        frame: &Frame<'_>,
        warp: usize,
        lane: usize,
        address: u64,
        bytes: u64,
    ) -> Option<u64> {
        let layout = frame.cta.local_layout;
        let place = layout.place_of(warp * WARP + lane, address, bytes)?;
        layout.is_in_one(address, bytes).then(|| frame.cta.local.start as u64 + place)
    }
}

impl Reach for Generic {
    #[inline(always)]
    fn span(frame: &mut Frame<'_>, cache: usize, low: u64, bytes: u64) -> Option<u64> {
        let (space, offset) = lead(low);
        let delta = match space {
            Space::Shared => Shared::span(frame, cache, offset, bytes),
            Space::Local | Space::Generic => None,
            Space::Param if frame.sites[cache].writes => None,
            Space::Param => Param::span(frame, cache, offset, bytes),
            Space::Global => return Global::span(frame, cache, low, bytes),
        };
        delta.map(|delta| delta.wrapping_add(offset).wrapping_sub(low))
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
        if let (Space::Local, offset) = lead(address) {
            return Local::one_piece(frame, warp, lane, offset, bytes);
        }
        Self::span(frame, cache, address, bytes).map(|delta| address.wrapping_add(delta))
    }
}

/// Where the first lane's access goes on the host when all lanes access one element after another.
///
/// # Safety
/// The operation belongs to the frame's program, and its base has type `B`.
#[inline(always)]
pub(super) unsafe fn adjacent<S: Reach, B: Base>(
    frame: &mut Frame<'_>,
    op: &MemoryOp,
    warp: usize,
) -> Option<u64> {
    if frame.exec[warp] != u32::MAX {
        return None;
    }
    let bytes = op.bytes();
    // SAFETY: the base slot lies inside the registers and holds values of type `B`.
    let base = unsafe { &*frame.row::<B>(op.base, warp) };
    let (first, last) = (base[0].plus(op.offset), base[WARP - 1].plus(op.offset));
    let one_by_one = B::rises(base, bytes)
        && first & (bytes - 1) == 0
        && last.wrapping_sub(first) == bytes * (WARP as u64 - 1);
    if !one_by_one {
        return None;
    }
    let delta = S::span(frame, op.cache, first, bytes * WARP as u64)?;
    Some(first.wrapping_add(delta))
}

/// Where each lane's access goes on the host; idle lanes repeat an executing lane's. `Err` is the lane to blame and
/// its address.
///
/// # Safety
/// The operation belongs to the frame's program, and its base has type `B`.
#[inline(always)]
pub(super) unsafe fn scattered<S: Reach, B: Base>(
    frame: &mut Frame<'_>,
    op: &MemoryOp,
    warp: usize,
) -> Result<[u64; WARP], (usize, u64)> {
    let bytes = op.bytes();
    // SAFETY: as for the caller.
    let mut found = unsafe { addresses::<B>(frame, op, warp) };
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
            return Ok(found);
        }
    }
    lane_by_lane::<S>(frame, op, warp, &mut found)?;
    Ok(found)
}

#[inline(never)]
fn lane_by_lane<S: Reach>(
    frame: &mut Frame<'_>,
    op: &MemoryOp,
    warp: usize,
    found: &mut [u64; WARP],
) -> Result<(), (usize, u64)> {
    let bytes = op.bytes();
    let exec = frame.exec[warp];
    for (lane, address) in found.iter_mut().enumerate() {
        if (exec >> lane) & 1 == 0 {
            continue;
        }
        if *address & (bytes - 1) != 0 {
            return Err((lane, *address));
        }
        let host = S::lane(frame, op.cache, warp, lane, *address, bytes);
        *address = host.ok_or((lane, *address))?;
    }
    let any = found[exec.trailing_zeros() as usize];
    for (lane, address) in found.iter_mut().enumerate() {
        *address = if (exec >> lane) & 1 != 0 { *address } else { any };
    }
    Ok(())
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

/// Where one lane's access goes on the host; `Err` is the lane and its address.
///
/// # Safety
/// The operation belongs to the frame's program, and its base has type `B`.
#[inline(always)]
pub(super) unsafe fn host_address<S: Reach, B: Base>(
    frame: &mut Frame<'_>,
    op: &MemoryOp,
    warp: usize,
    lane: usize,
) -> Result<u64, (usize, u64)> {
    let bytes = op.bytes();
    // SAFETY: the base's row lies inside the registers.
    let address = unsafe { (*frame.row::<B>(op.base, warp))[lane] }.plus(op.offset);
    let aligned = address & (bytes - 1) == 0;
    let host = S::lane(frame, op.cache, warp, lane, address, bytes).filter(|_| aligned);
    host.ok_or((lane, address))
}

/// The fault of an access that is misaligned, writes what is constant, or is out of bounds.
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
    let (of, inside) = match space {
        Space::Generic => lead(address),
        Space::Global | Space::Shared | Space::Local | Space::Param => (space, address),
    };
    let start = |window: Window| match space {
        Space::Generic => window.start(),
        Space::Global | Space::Shared | Space::Local | Space::Param => 0,
    };
    let whole = |window, bytes: u64| {
        let start = start(window);
        (bytes > 0).then_some(Extent { space: of, start, end: start.wrapping_add(bytes) })
    };
    let params = Region { start: 0, end: frame.cta.params.bytes };
    let constant = match of {
        Space::Global => frame.regions.is_constant(address),
        Space::Param => params.holds(inside, u64::from(bytes)),
        Space::Shared | Space::Local | Space::Generic => false,
    };
    if constant && access != AccessKind::Load {
        return FaultKind::Constant { access, space, of, address, bytes };
    }
    let global = |Region { start, end }: Region| Extent { space: Space::Global, start, end };
    let named = frame.cluster.named(inside).filter(|_| of == Space::Shared);
    let own = || whole(Window::Shared, frame.cta.shared.bytes);
    let shared = match named {
        None => own(),
        Some((_, false)) => None,
        Some((rank, true)) => own().map(|Extent { space, start, end }| {
            let from = ClusterMemory::start(rank);
            Extent { space, start: start.wrapping_add(from), end: end.wrapping_add(from) }
        }),
    };
    let freed = match of {
        Space::Global => frame.regions.memory().freed(address).map(global),
        Space::Shared => {
            shared.filter(|_| named.is_some_and(|(rank, _)| frame.cluster.has_exited(rank)))
        }
        Space::Local | Space::Param | Space::Generic => None,
    };
    let nearest = match of {
        Space::Shared => shared,
        Space::Local => whole(Window::Local, frame.cta.local_layout.bytes),
        Space::Param => whole(Window::Param, params.end),
        Space::Global | Space::Generic => frame.regions.nearest(address).map(global),
    };
    let peer = named.map(|(rank, _)| rank as u32);
    FaultKind::OutOfBounds { access, space, of, address, bytes, peer, nearest, freed }
}
