//! A texture that all lanes of a warp read, at a time.

use super::operations::HostOp;
use super::reach::{Generic, Reach};
use crate::frame::Frame;
use crate::texture::{LastTextures, WarpTexture};
use ir::Sampling;
use lanes::{Lanes, WARP};

/// Reads a component for the lanes of a warp that execute, of which there is one at least. `None` if they are to read one by one,
/// which finds out who is to blame, too.
///
/// # Safety
/// The operation belongs to the frame's program, and is [`ir::Service::Sample`].
#[inline(always)]
pub(super) unsafe fn sample(frame: &mut Frame<'_>, op: &HostOp, warp: usize) -> Option<()> {
    let exec = frame.exec[warp];
    let first = exec.trailing_zeros() as usize;
    // SAFETY: as for the caller; the operands have the classes that the service names.
    let (handle, what, coordinates) = unsafe {
        let handles: &Lanes<u64> = &*frame.row(op.operands[0], warp);
        let handle = *handles.get(first)?;
        let mut differs = 0;
        for (lane, other) in handles.iter().enumerate() {
            differs |= if exec >> lane & 1 != 0 { other ^ handle } else { 0 };
        }
        if differs != 0 {
            return None;
        }
        let what = Sampling::from_bits((*frame.row::<u64>(op.operands[5], warp))[first]);
        let mut coordinates: [Lanes<u32>; 4] = [[0; WARP]; 4];
        for (row, slot) in coordinates.iter_mut().zip(&op.operands[1..5]) {
            *row = *frame.row(*slot, warp);
        }
        (handle, what, coordinates)
    };
    if WarpTexture::is_rare(what) {
        return None;
    }
    // Taken out meanwhile: the region is looked up in the frame.
    let mut textures = std::mem::take(&mut frame.textures);
    let found = read(frame, op.cache, &mut textures, (handle, what), &coordinates);
    frame.textures = textures;
    let found = found?;
    if !op.d.is_none() {
        // SAFETY: as for the caller; the result has 32 bits.
        let d = unsafe { &mut *frame.row::<u32>(op.d, warp) };
        for (lane, (d, found)) in d.iter_mut().zip(found).enumerate() {
            *d = if exec >> lane & 1 != 0 { found } else { *d };
        }
    }
    Some(())
}

/// Reads a component for 32 lanes. `None` if some byte of the texture cannot be read, or if the lanes are to read one by one.
#[inline(always)]
fn read(
    frame: &mut Frame<'_>,
    site: usize,
    textures: &mut LastTextures,
    (handle, what): (u64, Sampling),
    coordinates: &[Lanes<u32>; 4],
) -> Option<Lanes<u32>> {
    let memory = frame.regions.memory();
    let known = textures.find(memory, handle, what, coordinates)?;
    let (address, bytes) = known.texture.extent();
    let host = address.wrapping_add(Generic::span(frame, site, address, bytes)?);
    // SAFETY: all of the texture's bytes were checked, and the footprint is one of it.
    Some(unsafe { known.texture.read(host as *const u8, &known.footprint, what.component) })
}
