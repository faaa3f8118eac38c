//! What the warps behind this one will load is fetched ahead, where warps load one piece of memory after the other: code of a warp is long
//! enough that loads of the next ones begin late, and the machine sees no stream that it could follow early enough.

use super::Lower;
use super::memory::Lanes;
use crate::mir::{Mem, O};
use iced_x86::Code;
use ir::{Inst, Op, Space};

/// How far ahead of what a warp loads once, in bytes: as far as pays without wasting what the next CTA does not load.
const AHEAD: i32 = 1024;
/// The same where a warp loads piece after piece: what is on its way is for the pieces after the next ones.
const FAR_AHEAD: i32 = 4 * AHEAD;
/// Loads of a warp from which on there are pieces.
const PIECES: usize = 4;
/// Bytes of a line of the cache.
const LINE: i64 = 64;

impl Lower<'_> {
    /// How far ahead of the loads of a block memory is fetched. In loops it is the next round that comes next.
    pub(super) fn distance_ahead(&self, block: usize) -> Option<i32> {
        let loads = |inst: &&Inst| {
            matches!(inst.op, Op::Load { space: Space::Global | Space::Generic, .. })
        };
        let count = self.input.kernel.blocks[block].insts.iter().filter(loads).count();
        let distance = if count < PIECES { AHEAD } else { FAR_AHEAD };
        (!self.nodes.repeated[block]).then_some(distance)
    }

    /// Fetches what lies ahead of a load of global memory by all lanes, of so many bytes one after the other.
    pub(super) fn fetch_ahead(&mut self, lanes: &Lanes, bytes: i64) {
        let Some(distance) = self.ahead else { return };
        for at in (0..bytes).step_by(LINE as usize) {
            let memory = lanes.memory(0, at);
            let ahead = Mem { disp: memory.disp.saturating_add(distance), ..memory };
            self.func.x(Code::Prefetcht0_m8, &[O::M(ahead)]);
        }
    }
}
