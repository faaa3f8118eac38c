//! Lane masks and warp collectives as pure functions.
//!
//! A warp is 32 lanes that execute together. A *collective* is an instruction in which a lane's
//! result depends on the registers of other lanes: shuffle, vote, match, redux, elect, movmatrix, mma.
//! This crate computes what such an instruction returns, given registers of all 32 lanes
//! ([`Lanes`]) and the set of lanes that take part ([`LaneMask`]). It keeps no state, waits for
//! nobody, allocates nothing and never panics.
//!
//! # Participants
//!
//! Who takes part is the caller's decision, because it depends on how the warp runs:
//!
//! * a `.sync` collective: the lanes of the membermask that have not exited and have all arrived; [`groups`] tells lanes
//!   apart that execute one together with different membermasks;
//! * a form without `.sync`, or a machine instruction: the active lanes whose guard predicate is
//!   true.
//!
//! A collective reads participants only, with two exceptions that the ISA has too: a shuffle and
//! `movmatrix` read the register of whatever lane the operands name. Reading a lane that does not
//! take part is undefined in the ISA; here it yields that lane's register as it stands, and
//! [`shfl::undefined_reads`] and [`movmatrix::undefined_reads`] say which lanes did so.
//!
//! # Results and merging
//!
//! No function writes a register. Results are returned for the whole warp and the caller merges
//! them into the destination of the lanes that execute, for example with [`select`]. What the
//! returned value holds for other lanes is stated at each function. An empty set of participants is
//! allowed everywhere and gives the neutral result (the identity of the reduction, `all` true, `any`
//! false).
//!
//! # Shape of the code
//!
//! Per-lane work is a fixed loop over 32 lanes without branches, so that it compiles to vector
//! instructions where the target has them.
//!
//! ```
//! use warpwise_lanes::{LANE_IDS, LaneMask, ShflMode, select, shfl, splat};
//!
//! // shfl.sync.down.b32 d|p, a, 1, 0x1f, 0xffffffff with a = 10 * laneid
//! let a = LANE_IDS.map(|lane| 10 * lane);
//! let sources = shfl::source_lanes(ShflMode::Down, &splat(1), &splat(0x1f));
//! let d = select(LaneMask::FULL, &shfl::permute(&a, &sources.lane), &splat(0));
//!
//! assert_eq!((d[0], d[30], d[31]), (10, 310, 310));
//! assert_eq!(sources.in_range, !LaneMask::single(31));
//! assert!(shfl::undefined_reads(&sources.lane, LaneMask::FULL, LaneMask::FULL).is_empty());
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub mod elect;
mod group;
mod mask;
pub mod matching;
pub mod movmatrix;
pub mod product;
pub mod redux;
pub mod shfl;
pub mod vote;
mod warp;

pub use group::{Group, Groups, groups};
pub use mask::{LaneIter, LaneMask, Ranges, Strip, select};
pub use product::Product;
pub use redux::{MinMax, ReduxF32, ReduxOp};
pub use shfl::{ShflMode, ShflSources};
pub use vote::VoteMode;
pub use warp::{LANE_IDS, Lanes, WARP, splat};
