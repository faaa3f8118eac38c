//! warpwise
