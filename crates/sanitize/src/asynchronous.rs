//! R001 and R002 for asynchronous copies: shared memory that a copy may be writing still, and global memory that it may be
//! reading.
//!
//! Until its own thread has waited for a copy, whoever accesses its bytes may find them old, new, or in part. What
//! comes after that wait is ordered like any other write, which is the matter of module `race`.

use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::per_cta::PerCta;
use crate::touch::Touch;
use foldhash::HashMap;
use ir::{AsyncCopy, Inst, Kernel, Op, Place, Space};
use lanes::WARP;
use vm::{ThreadId, View};

/// Bytes that are marked together: the size of the smallest copy, and its alignment.
const UNIT: u64 = 4;

/// A copy that nobody has waited for.
#[derive(Clone, Debug)]
struct Copy {
    thread: ThreadId,
    place: Place,
    to: u64,
    bytes: u64,
    /// The first byte that it reads of global memory, if that is known.
    from: Option<u64>,
    /// The group that it belongs to, counted by its thread.
    group: u32,
}

#[derive(Debug, Default)]
struct Cta {
    /// Per unit of shared memory, one more than the index of the copy that writes it; 0 for none.
    marks: Vec<u32>,
    /// The same for units of global memory that copies read.
    sources: HashMap<u64, u32>,
    copies: Vec<Option<Copy>>,
    /// Indices of `copies` that are free.
    free: Vec<usize>,
    /// Per thread, its copies, the oldest first.
    of_thread: Vec<Vec<usize>>,
    /// Per thread, how many groups it has committed.
    groups: Vec<u32>,
}

/// The asynchronous copies that are under way.
#[derive(Debug)]
pub(crate) struct AsyncCopies {
    /// Whether the kernel makes any.
    any: bool,
    ctas: PerCta<Cta>,
}

impl AsyncCopies {
    pub(crate) fn new(kernel: &Kernel) -> AsyncCopies {
        let copies = |inst: &Inst| matches!(inst.op, Op::AsyncCopy(_));
        let any = kernel.blocks.iter().flat_map(|block| &block.insts).any(copies);
        AsyncCopies { any, ctas: PerCta::new() }
    }

    pub(crate) fn begin(&mut self, view: &View<'_>) {
        if !self.any {
            return;
        }
        let new = || Cta {
            marks: vec![0; view.shared_bytes().div_ceil(UNIT) as usize],
            of_thread: vec![Vec::new(); view.warps() * WARP],
            groups: vec![0; view.warps() * WARP],
            ..Cta::default()
        };
        let restart = |cta: &mut Cta| {
            cta.marks.fill(0);
            cta.sources.clear();
            cta.copies.clear();
            cta.free.clear();
            cta.of_thread.iter_mut().for_each(Vec::clear);
            cta.groups.fill(0);
        };
        self.ctas.begin(view.cta(), restart, new);
    }

    pub(crate) fn end(&mut self, view: &View<'_>) {
        self.ctas.end(view.cta());
    }

    #[inline]
    pub(crate) fn inst(&mut self, view: &View<'_>, inst: &Inst, found: &mut Findings) {
        if !self.any {
            return;
        }
        let Some(cta) = self.ctas.get(view.cta()) else { return };
        if let Op::AsyncCopy(step) = &inst.op {
            for (warp, lanes) in view.group() {
                for lane in lanes.iter() {
                    cta.step(view, (warp, lane), step, inst.place);
                }
            }
        } else if let Some(touched) =
            inst.op.touches().filter(|_| cta.copies.len() > cta.free.len())
        {
            let (space, address, bytes) = (touched.space, touched.address, touched.bytes);
            for (warp, lanes) in view.group() {
                Touch::each(view, (warp, lanes.0), space, address, bytes, |touch| {
                    match touch.space {
                        Space::Shared => {
                            cta.accessed(view, touch, touched.writes, inst.place, found)
                        }
                        Space::Global if touched.writes => {
                            cta.overwritten(view, touch, inst.place, found)
                        }
                        _ => {}
                    }
                });
            }
        }
    }
}

/// What to do about both.
const HELP: &str = "wait for the copy's group before: with `cp.async.wait_group N`, all groups but the last N are complete";

/// The units of so many bytes of global memory.
fn units(from: Option<u64>, bytes: u64) -> impl Iterator<Item = u64> {
    from.into_iter().flat_map(move |from| from / UNIT..(from + bytes).div_ceil(UNIT))
}

fn index(warp: usize, lane: u32) -> usize {
    warp * WARP + lane as usize
}

impl Cta {
    fn step(&mut self, view: &View<'_>, (warp, lane): (usize, u32), step: &AsyncCopy, at: Place) {
        match step {
            AsyncCopy::Begins { to, bytes, from } => {
                let address = |address| view.address(address, warp)[lane as usize];
                let (to, from) = (address(to), from.as_ref().map(address));
                self.begins(view.thread(warp, lane), at, (to, from), u64::from(*bytes));
            }
            AsyncCopy::Commits => self.groups[index(warp, lane)] += 1,
            AsyncCopy::Waits { groups } => {
                let thread = index(warp, lane);
                self.complete(thread, self.groups[thread].saturating_sub(*groups));
            }
            // Who waits for the barrier object is the matter of module `race`.
            AsyncCopy::Signals => self.complete(index(warp, lane), u32::MAX),
        }
    }

    fn begins(
        &mut self,
        thread: ThreadId,
        place: Place,
        (to, from): (u64, Option<u64>),
        bytes: u64,
    ) {
        let of = index(thread.warp as usize, thread.lane);
        let copy = Some(Copy { thread, place, to, bytes, from, group: self.groups[of] });
        let at = match self.free.pop() {
            Some(at) => {
                self.copies[at] = copy;
                at
            }
            None => {
                self.copies.push(copy);
                self.copies.len() - 1
            }
        };
        self.of_thread[of].push(at);
        self.marks(to, bytes).fill(at as u32 + 1);
        self.sources.extend(units(from, bytes).map(|unit| (unit, at as u32 + 1)));
    }

    /// The marks of so many bytes; those that lie outside of shared memory have none.
    fn marks(&mut self, to: u64, bytes: u64) -> &mut [u32] {
        let all = self.marks.len();
        let start = usize::try_from(to / UNIT).map_or(all, |start| start.min(all));
        let end = usize::try_from((to + bytes).div_ceil(UNIT)).map_or(all, |end| end.min(all));
        &mut self.marks[start..end]
    }

    /// The groups of a thread with lower numbers are complete.
    fn complete(&mut self, thread: usize, done: u32) {
        let mut copies = std::mem::take(&mut self.of_thread[thread]);
        copies.retain(|at| {
            let Some(copy) = self.copies[*at].take_if(|copy| copy.group < done) else {
                return true;
            };
            let mark = *at as u32 + 1;
            for unit in self.marks(copy.to, copy.bytes).iter_mut().filter(|unit| **unit == mark) {
                *unit = 0;
            }
            for unit in units(copy.from, copy.bytes) {
                if self.sources.get(&unit) == Some(&mark) {
                    self.sources.remove(&unit);
                }
            }
            self.free.push(*at);
            false
        });
        self.of_thread[thread] = copies;
    }

    /// Global memory is written; copies may be reading it.
    fn overwritten(&self, view: &View<'_>, touch: &Touch, place: Place, found: &mut Findings) {
        if self.sources.is_empty() {
            return;
        }
        for (lane, address) in touch.iter() {
            let mark = units(Some(address), touch.bytes).find_map(|unit| self.sources.get(&unit));
            let Some(copy) = mark.and_then(|mark| self.copies[*mark as usize - 1].as_ref()) else {
                continue;
            };
            found.report(Code::R002, place, Some(copy.place), || {
                let thread = view.thread(touch.warp, lane);
                let message = format!(
                    "writes global memory at {address:#x}, which an asynchronous copy may be reading still"
                );
                Finding::new(Code::R002, place, thread, message)
                    .label(format!("written by {thread}"))
                    .related(copy.place, format!("the copy, of {} bytes, by {}", copy.bytes, copy.thread))
                    .help(HELP)
            });
        }
    }

    fn accessed(
        &mut self,
        view: &View<'_>,
        touch: &Touch,
        writes: bool,
        place: Place,
        found: &mut Findings,
    ) {
        for (lane, address) in touch.iter() {
            let mark = self.marks(address, touch.bytes).iter().copied().find(|mark| *mark != 0);
            let Some(copy) = mark.and_then(|mark| self.copies[mark as usize - 1].as_ref()) else {
                continue;
            };
            found.report(Code::R001, place, Some(copy.place), || {
                let verb = if writes { "writes" } else { "reads" };
                let thread = view.thread(touch.warp, lane);
                let message = format!(
                    "{verb} shared memory at {address:#x}, which an asynchronous copy may be writing still"
                );
                let of = match copy.thread == thread {
                    true => "this thread".to_owned(),
                    false => copy.thread.to_string(),
                };
                Finding::new(Code::R001, place, thread, message)
                    .label(format!("{verb}: {thread}"))
                    .related(copy.place, format!("the copy, of {} bytes to {:#x}, by {of}", copy.bytes, copy.to))
                    .help(HELP)
                    .fact(
                        "a copy is complete when the thread that began it has waited for its group \
                         (`cp.async.wait_group`); other threads need a barrier after that",
                    )
            });
        }
    }
}
