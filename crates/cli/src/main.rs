//! The command `warpwise`.
fn main() {}
