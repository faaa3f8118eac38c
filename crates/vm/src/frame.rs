//! What code works on: the lanes of the running group, their registers, and the memory of their CTA.

use crate::block::Block;
use crate::cluster_memory::ClusterMemory;
use crate::enqueued::Launches;
use crate::exit::Stop;
use crate::heap_event::HeapEvent;
use crate::launch::SpecialValues;
use crate::local_memory::Layout;
use crate::memory::{Memory, Reader, Region};
use crate::plan::{Pc, Plan, Slot};
use crate::printed::Text;
use crate::stats::Stats;
use crate::texture::LastTextures;
use crate::threads::{MAX_WARPS, Threads};
use lanes::WARP;

/// The state of a CTA that code works on.
pub(crate) struct Frame<'l> {
    pub(crate) plan: &'l Plan,
    pub(crate) threads: Threads,
    /// Lanes that `activemask` does not find together with the others ([`crate::Schedule::Apart`]).
    pub(crate) apart: u32,
    /// The group's warps are among `first..first + count`.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// Per warp of the group, the lanes that execute; may be 0. Means nothing for other warps.
    pub(crate) exec: [u32; MAX_WARPS],
    /// Per warp, the lanes whose registers may be written: those that execute, and those that never
    /// existed, so that a partial warp writes whole rows.
    pub(crate) write: [u32; MAX_WARPS],
    /// Other lanes of the group's warps, and where they wait: with them the group has all lanes that live. Whoever runs the group may make
    /// them part of it, and tells then where they stand at the end; none are left here if so.
    pub(crate) along: Vec<(usize, u32, Pc)>,
    /// `exec` outside the current guard.
    pub(crate) unguarded: [u32; MAX_WARPS],
    /// `exec` outside the current predicated block.
    pub(crate) outside: [u32; MAX_WARPS],
    /// Sums over the group, for statistics.
    pub(crate) active_warps: u64,
    pub(crate) active_lanes: u64,
    /// What is left of the group's turn.
    pub(crate) fuel: i64,
    /// Places from here on are left to the scheduler, as the engine counts them: another split waits there.
    pub(crate) limit: usize,
    /// Why the group stops, as the engine counts places.
    pub(crate) stop: Option<Stop<usize>>,
    /// Per warp, the lanes that take the branch at which the group diverged.
    pub(crate) taken: [u32; MAX_WARPS],
    pub(crate) stats: Stats,
    pub(crate) cta: CtaMemory,
    /// The shared memory of the CTAs of its cluster.
    pub(crate) cluster: ClusterMemory,
    pub(crate) regions: Reader<'l>,
    /// Per memory access of the code, what it knows.
    pub(crate) sites: Vec<Site>,
    pub(crate) specials: SpecialValues<'l>,
    /// How many CTAs code may go on with by itself when all threads of this one have exited, each at the next index; what is left of
    /// them when code has stopped. The frame is then that of the last one which was begun.
    pub(crate) more: u64,
    /// Threads that have arrived at some barrier and whose barrier is not complete.
    pub(crate) arrivals: u32,
    /// What the CTA printed.
    pub(crate) printed: Text,
    /// What its threads launched, and how many kernels launched each other before this one.
    pub(crate) launches: Launches,
    pub(crate) depth: u32,
    /// The textures that were read last.
    pub(crate) textures: LastTextures,
    /// Bytes that kernels may have allocated.
    pub(crate) heap_limit: u64,
    /// What threads have allocated and freed since the observer was told last; for observed runs.
    pub(crate) heap_events: Vec<HeapEvent>,
    /// What machine code needs, once it has run.
    pub(crate) native: Option<Box<crate::native::State>>,
}

const _: () = assert!(size_of::<Site>() == jit::SITE_BYTES as usize);

/// A memory access of the code: it remembers which allocation it found last.
/// Machine code finds its region here.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Site {
    pub(crate) region: Region,
    /// Whether it writes.
    pub(crate) writes: bool,
    /// What machine code knows of the region.
    window: jit::Window,
}

impl Site {
    pub(crate) fn new(writes: bool) -> Site {
        Site { region: Region::EMPTY, writes, window: jit::Window::NONE }
    }

    /// Another region is found first from now on.
    pub(crate) fn set(&mut self, region: Region) {
        (self.region, self.window) = (region, jit::Window::NONE);
    }
}

/// The memory that belongs to a CTA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CtaMemory {
    /// Where the registers begin: as many words as the code asks for.
    pub(crate) regs: *mut u32,
    pub(crate) shared: Block,
    /// Local memory of all threads.
    pub(crate) local: Block,
    pub(crate) local_layout: Layout,
    pub(crate) params: Block,
}

impl<'l> Frame<'l> {
    /// A frame without a group.
    pub(crate) fn new(
        plan: &'l Plan,
        sites: &[bool],
        threads: Threads,
        cta: CtaMemory,
        memory: &'l Memory,
        specials: SpecialValues<'l>,
    ) -> Self {
        Frame {
            plan,
            threads,
            apart: 0,
            first: 0,
            count: 0,
            exec: [0; MAX_WARPS],
            write: [0; MAX_WARPS],
            along: Vec::new(),
            unguarded: [0; MAX_WARPS],
            outside: [0; MAX_WARPS],
            active_warps: 0,
            active_lanes: 0,
            fuel: 0,
            limit: 0,
            stop: None,
            taken: [0; MAX_WARPS],
            stats: Stats::default(),
            cta,
            cluster: ClusterMemory::default(),
            regions: Reader::new(memory),
            sites: sites.iter().map(|writes| Site::new(*writes)).collect(),
            specials,
            more: 0,
            arrivals: 0,
            printed: Text::default(),
            launches: Launches::default(),
            depth: 0,
            textures: LastTextures::default(),
            heap_limit: 0,
            heap_events: Vec::new(),
            native: None,
        }
    }
}

impl Frame<'_> {
    /// A row of 32 values of a register.
    ///
    /// # Safety
    /// The slot lies inside the registers and holds values of type `T`.
    #[inline(always)]
    pub(crate) unsafe fn row<T>(&self, slot: Slot, warp: usize) -> *mut [T; WARP] {
        // SAFETY: the caller's slot lies inside the registers.
        unsafe { self.cta.regs.add(slot.offset as usize + warp * slot.stride as usize).cast() }
    }

    /// A predicate register: one bit per lane.
    ///
    /// # Safety
    /// The slot lies inside the registers.
    #[inline(always)]
    pub(crate) unsafe fn pred(&self, slot: Slot, warp: usize) -> *mut u32 {
        // SAFETY: the caller's slot lies inside the registers.
        unsafe { self.cta.regs.add(slot.offset as usize + warp * slot.stride as usize) }
    }

    /// The warps that an operation with result `d` runs over: those of the group, or one for all when the
    /// result is the same for all.
    #[inline(always)]
    pub(crate) fn warps(&self, d: Slot) -> std::ops::Range<usize> {
        if d.is_uniform() { 0..1 } else { self.first..self.first + self.count }
    }

    /// The lanes of a warp whose result `d` is kept; 0 for warps outside the group.
    #[inline(always)]
    pub(crate) fn keep(&self, d: Slot, warp: usize) -> u32 {
        if d.is_uniform() { u32::MAX } else { self.write[warp % MAX_WARPS] }
    }

    /// Makes splits the group: the warps among which they are, and the lanes of each.
    pub(crate) fn set_group(&mut self, warps: std::ops::Range<usize>, lanes: &[u32; MAX_WARPS]) {
        (self.first, self.count) = (warps.start, warps.len());
        self.begin_turn();
        self.exec[warps.clone()].copy_from_slice(&lanes[warps]);
    }

    /// A turn begins: what was freed since the last one is not there any more.
    pub(crate) fn begin_turn(&mut self) {
        if self.regions.lost_any() {
            self.forget_regions();
        }
    }

    /// The lanes of the group that execute keep their results, and no others.
    pub(crate) fn write_executing(&mut self) {
        let group = self.first..self.first + self.count;
        self.write[group.clone()].copy_from_slice(&self.exec[group]);
    }

    /// Lanes that never existed are computed along with those that execute again.
    pub(crate) fn write_nonexistent(&mut self) {
        for warp in self.first..self.first + self.count {
            self.set_exec(warp, self.exec[warp]);
        }
    }

    /// Looks regions up anew: one that was accessed may have been freed.
    pub(crate) fn forget_regions(&mut self) {
        self.sites.iter_mut().for_each(|site| site.set(Region::EMPTY));
    }

    /// Makes the given lanes execute.
    #[inline(always)]
    pub(crate) fn set_exec(&mut self, warp: usize, lanes: u32) {
        self.exec[warp] = lanes;
        self.write[warp] = if lanes == 0 { 0 } else { lanes | !self.threads.existing[warp] };
    }
}
