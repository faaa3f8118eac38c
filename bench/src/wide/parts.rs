//! What loops of every level have in common.

/// The sum of the sums of a CTA's eight warps, in the order of the kernel.
#[inline(always)]
pub(super) fn sum_of_warps([a, b, c, d, e, f, g, h]: [f32; 8]) -> f32 {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Columns of a square matrix, row after row.
#[inline(always)]
pub(super) fn put_together<const COLUMNS: usize>(
    of: &[f32],
    side: usize,
    column: usize,
    to: &mut [f32],
) {
    for (row, to) in to.chunks_exact_mut(COLUMNS).enumerate() {
        to.copy_from_slice(&of[row * side + column..][..COLUMNS]);
    }
}
