//! Warp IR.
