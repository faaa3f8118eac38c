//! What the warps behind this one will load is fetched ahead, where warps load one piece of memory after the other: code of a warp is long
//! enough that loads of the next ones begin late, and the machine sees no stream that it could follow early enough.

use super::Lower;
use super::memory::Lanes;
use crate::Level;
use crate::mir::{Mem, O};
use iced_x86::Code;

/// How far ahead, in bytes: as far as pays without wasting what the next CTA does not load.
const AHEAD: i32 = 1024;
/// Bytes of a line of the cache.
const LINE: i64 = 64;

impl Lower<'_> {
    /// Fetches what lies ahead of a load of global memory by all lanes, of so many bytes one after the other, which warps make once.
    /// In loops it is the next round that comes next.
    pub(super) fn fetch_ahead(&mut self, lanes: &Lanes, bytes: i64) {
        // With larger vectors, enough loads are on their way.
        if self.level != Level::Avx2 || !self.once {
            return;
        }
        for at in (0..bytes).step_by(LINE as usize) {
            let memory = lanes.memory(0, at);
            let ahead = Mem { disp: memory.disp.saturating_add(AHEAD), ..memory };
            self.func.x(Code::Prefetcht0_m8, &[O::M(ahead)]);
        }
    }
}
