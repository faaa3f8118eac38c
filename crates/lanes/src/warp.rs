//! One register of a warp: a value a lane.

/// Lanes in a warp (PTX ISA 9.1, `WARP_SZ`).
pub const WARP: usize = 32;

/// One value per lane; index `i` belongs to lane `i`.
pub type Lanes<T> = [T; WARP];

/// The lane number of every lane: the value of `%laneid` across a warp.
pub const LANE_IDS: Lanes<u32> = {
    let mut ids = [0; WARP];
    let mut lane = 0;
    while lane < WARP {
        ids[lane] = lane as u32;
        lane += 1;
    }
    ids
};

/// The same value in every lane.
#[inline(always)]
pub const fn splat<T: Copy>(value: T) -> Lanes<T> {
    [value; WARP]
}
