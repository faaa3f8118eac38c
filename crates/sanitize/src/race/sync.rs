//! Memory locations through which threads synchronise: what their writers released there.

use super::clock::{Clocks, Until};
use super::happens_before::HappensBefore;
use super::step::Thread;
use foldhash::{HashMap, HashMapExt};
use std::rc::Rc;

/// What the writes to a location have released.
#[derive(Clone, Debug, Default)]
pub(super) struct Var {
    /// To every CTA.
    wide: Option<Rc<HappensBefore>>,
    /// To the threads of this CTA.
    narrow: Option<(u32, Rc<HappensBefore>)>,
}

/// How a strong read learns what was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// At once.
    Acquire,
    /// After a fence that is wide enough.
    Relaxed,
    /// As part of an atomic that does not acquire: after a fence that is wide enough, or a barrier.
    Update,
}

impl Var {
    /// A strong read. `wide` is its scope.
    pub(super) fn read(&self, clocks: &mut Clocks, thread: Thread, wide: bool, read: Read) {
        let mut learn = |known: &Rc<HappensBefore>, until: Until| match read {
            Read::Acquire => clocks.learn(thread, known),
            Read::Relaxed | Read::Update => clocks.see(thread, known, until),
        };
        // A narrow read sees what its own CTA released, which is in `narrow` too.
        if let Some((_, known)) = self.narrow.as_ref().filter(|(cta, _)| *cta == thread.cta) {
            learn(known, Until::Fence);
        }
        if let Some(known) = self.wide.as_ref().filter(|_| wide) {
            let until = if read == Read::Update { Until::Barrier } else { Until::WideFence };
            learn(known, until);
        }
    }

    /// A strong write: what earlier writes released cannot be read any more.
    pub(super) fn write(
        &mut self,
        clocks: &mut Clocks,
        thread: Thread,
        wide: bool,
        releases: bool,
    ) {
        *self = Var::default();
        self.update(clocks, thread, wide, releases);
    }

    /// An atomic update: who reads it reads what earlier writes released, too.
    pub(super) fn update(
        &mut self,
        clocks: &mut Clocks,
        thread: Thread,
        wide: bool,
        releases: bool,
    ) {
        let (known, wide) = match (releases, clocks.fenced(thread)) {
            (true, _) => (clocks.release(thread), wide),
            (false, Some((known, reaches))) => (known, wide && reaches),
            (false, None) => return,
        };
        if wide {
            add(&mut self.wide, &known);
        }
        match &mut self.narrow {
            Some((cta, here)) if *cta == thread.cta => {
                let here = Rc::make_mut(here);
                here.join(&known);
                clocks.sum_up(here);
            }
            narrow => *narrow = Some((thread.cta, Rc::new(known))),
        }
    }
}

fn add(to: &mut Option<Rc<HappensBefore>>, news: &HappensBefore) {
    match to {
        Some(known) => Rc::make_mut(known).join(news),
        None => *to = Some(Rc::new(news.clone())),
    }
}

/// The locations of a space that strong accesses have used.
#[derive(Debug)]
pub(super) struct SyncVars {
    vars: HashMap<u64, Var>,
}

impl SyncVars {
    pub(super) fn new() -> SyncVars {
        SyncVars { vars: HashMap::new() }
    }

    pub(super) fn clear(&mut self) {
        self.vars.clear();
    }

    pub(super) fn at(&mut self, address: u64) -> &mut Var {
        self.vars.entry(address).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::step::Step;
    use super::*;
    use lanes::LaneMask;

    /// Whether a write by one CTA before it writes a flag is ordered before what another one does after it has
    /// read the flag.
    fn handed_over(
        write: impl FnOnce(&mut Var, &mut Clocks, Thread),
        read: impl FnOnce(&Var, &mut Clocks, Thread),
    ) -> bool {
        let (mut first, mut second) = (
            Clocks::new(0, vec![LaneMask::FULL], false),
            Clocks::new(1, vec![LaneMask::FULL], false),
        );
        let (writer, reader) = (Thread::new(0, 0, 5), Thread::new(1, 0, 6));
        let stamp = first.stamps(0).of(5);
        let mut var = Var::default();
        write(&mut var, &mut first, writer);
        read(&var, &mut second, reader);
        let Thread { cta, warp, lane } = writer;
        second.known(reader, &Step { cta, warp, lanes: 1 << lane, stamp }) != 0
    }

    #[test]
    fn release_and_acquire_order_within_their_scope() {
        for (wide_write, wide_read) in [(true, true), (true, false), (false, true)] {
            let found = handed_over(
                |var, clocks, thread| var.write(clocks, thread, wide_write, true),
                |var, clocks, thread| var.read(clocks, thread, wide_read, Read::Acquire),
            );
            assert_eq!(found, wide_write && wide_read);
        }
    }

    #[test]
    fn fences_make_relaxed_accesses_order() {
        let fence = |clocks: &mut Clocks| clocks.fence(0, LaneMask::FULL, true);
        let cases = [(true, true), (true, false), (false, true)];
        for ((before, after), read) in cases
            .into_iter()
            .flat_map(|case| [Read::Relaxed, Read::Update].map(|read| (case, read)))
        {
            let found = handed_over(
                |var, clocks, thread| {
                    if before {
                        fence(clocks);
                    }
                    var.update(clocks, thread, true, false);
                },
                |var, clocks, thread| {
                    var.read(clocks, thread, true, read);
                    if after {
                        fence(clocks);
                    }
                },
            );
            assert_eq!(found, before && after);
        }
    }
    #[test]
    fn a_barrier_serves_atomics_as_a_fence_and_loads_not() {
        let narrow_fence = |clocks: &mut Clocks| clocks.fence(0, LaneMask::FULL, false);
        let barrier = |clocks: &mut Clocks| clocks.barrier(0, &[LaneMask::FULL], true);
        let warp_sync = |clocks: &mut Clocks| clocks.warp_sync(0, LaneMask::FULL, LaneMask::FULL);
        let all: [&dyn Fn(&mut Clocks); 3] = [&narrow_fence, &barrier, &warp_sync];
        for (sync, is_barrier) in all.into_iter().zip([false, true, true]) {
            for read in [Read::Relaxed, Read::Update] {
                let found = handed_over(
                    |var, clocks, thread| var.write(clocks, thread, true, true),
                    |var, clocks, thread| {
                        var.read(clocks, thread, true, read);
                        sync(clocks);
                    },
                );
                assert_eq!(found, is_barrier && read == Read::Update);
            }
            // A wide fence behind it helps.
            assert!(handed_over(
                |var, clocks, thread| var.write(clocks, thread, true, true),
                |var, clocks, thread| {
                    var.read(clocks, thread, true, Read::Relaxed);
                    sync(clocks);
                    clocks.fence(0, LaneMask::FULL, true);
                },
            ));
        }
    }
}
