//! A running CTA with its memory.

use super::common::Common;
use super::storage::Storage;
use super::values::SpecialValues;
use crate::cta::Cta;
use crate::frame::Frame;
use crate::observer::Observer;
use crate::threads::Threads;

/// A CTA with its memory. Used again for later CTAs of the launch.
pub(crate) struct Resident<'l> {
    pub(crate) cta: Cta<'l>,
    storage: Storage,
}

impl<'l> Resident<'l> {
    pub(crate) fn new(common: &'l Common<'_>) -> Box<Self> {
        let (plan, code) = (&*common.made.plan, &*common.made.code);
        let mut storage = common.made.storage();
        let memory = storage.lend(plan, common.launch.params);
        let specials = SpecialValues {
            launch: common.values,
            cta: [0; 3],
            cta_number: 0,
            time: &common.time,
            counted: 0,
            clock_reads: 0,
        };
        let threads = Threads::new(common.threads);
        let sites = code.sites();
        let mut frame = Frame::new(plan, sites, threads, memory, common.memory, specials);
        frame.apart = common.apart();
        frame.heap_limit = common.launch.heap_limit;
        let mut cta = Cta::new(frame, code);
        cta.run_prologue();
        Box::new(Resident { cta, storage })
    }

    /// The number of the CTA that runs.
    pub(super) fn number(&self) -> u64 {
        self.cta.frame.specials.cta_number
    }

    /// Begins a CTA: its memory is zero, and so are the registers that may be read before they are written.
    pub(crate) fn start<O: Observer>(
        &mut self,
        common: &Common<'_>,
        number: u64,
        observer: &mut O,
    ) {
        let frame = &mut self.cta.frame;
        for range in &common.made.plan.rows.zeros {
            // SAFETY: the ranges lie inside the register file.
            unsafe { frame.cta.regs.add(range.start).write_bytes(0, range.len()) };
        }
        self.storage.clear(&common.made.plan);
        frame.specials.cta = common.cta(number);
        frame.specials.cta_number = number;
        frame.specials.clock_reads = 0;
        self.cta.start(observer);
    }

    /// Gives the memory back.
    pub(super) fn into_storage(self) -> Storage {
        self.storage
    }
}
