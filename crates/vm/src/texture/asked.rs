//! What a thread says of the texel that it wants.

/// What a thread says of a texel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    /// The coordinates, a layer first.
    pub(crate) coordinates: [u32; 4],
    /// The level of detail, or both gradients.
    pub(crate) detail: [u32; 6],
    /// Texels that are added to each coordinate.
    pub(crate) offset: [u32; 3],
}
