//! Where one thread accesses a surface.

use super::descriptor::{ChannelKind, Texels};
use ir::{Outside, SurfaceAccess, SurfaceUnit};

/// Where an access to a surface goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// To that address.
    At(u64),
    /// Nowhere.
    Nowhere,
    /// Outside, where it must not go.
    Trap,
    /// To texels that are no integers of so many bytes.
    Unfit(u8),
}

/// Where a thread accesses a surface.
pub(crate) fn surface(texels: &Texels, what: SurfaceAccess, coordinates: [u32; 4]) -> Place {
    let first = usize::from(what.geometry.layered);
    let texel = texels.format.bytes();
    let [width, height, depth] = texels.extents.map(|extent| u64::from(extent.max(1)));
    // The last place of a row where an access lies inside, and how many bytes it is from one to the next.
    let (last, step) = match what.unit {
        SurfaceUnit::Bytes(bytes) => match (width * texel).checked_sub(bytes.into()) {
            Some(last) => (last, 1),
            None => return outside(what.outside),
        },
        SurfaceUnit::Integer(bytes)
            if texel != u64::from(bytes)
                || texels.format.bits != 32
                || texels.format.kind == ChannelKind::Float =>
        {
            return Place::Unfit(bytes);
        }
        SurfaceUnit::Texel | SurfaceUnit::Integer(_) => (width - 1, texel),
    };
    let lasts = [last, height - 1, depth - 1];
    let mut at = [0; 3];
    let axes = at.iter_mut().zip(lasts).take(what.geometry.dimensions.into());
    for ((at, last), given) in axes.zip(&coordinates[first..]) {
        match place(i64::from(given.cast_signed()), last, what.outside) {
            Some(inside) => *at = inside,
            None => return outside(what.outside),
        }
    }
    let mut layer = 0;
    if what.geometry.layered {
        let last = u64::from(texels.layers.max(1)) - 1;
        match place(i64::from(coordinates[0]), last, what.outside) {
            Some(inside) => layer = inside,
            None => return outside(what.outside),
        }
    }
    let slice = (at[2] + layer).wrapping_mul(texels.slice);
    let row = at[1].wrapping_mul(texels.pitch).wrapping_add(slice);
    Place::At(texels.address.wrapping_add(row).wrapping_add(at[0] * step))
}

/// A coordinate inside; `None` if it is outside and nothing brings it in.
fn place(given: i64, last: u64, outside: Outside) -> Option<u64> {
    match (u64::try_from(given), outside) {
        (Ok(at), _) if at <= last => Some(at),
        (given, Outside::Clamp) => Some(if given.is_ok() { last } else { 0 }),
        (_, Outside::Trap | Outside::Zero) => None,
    }
}

fn outside(what: Outside) -> Place {
    match what {
        Outside::Trap => Place::Trap,
        Outside::Clamp | Outside::Zero => Place::Nowhere,
    }
}
