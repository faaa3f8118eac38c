//! A plan: a kernel made ready for launches of one shape. It is what every engine takes, and is made once.
//!
//! A plan holds the kernel, simplified unless somebody watches; the part of it that is computed once a launch (its
//! prologue); the rows where registers live; and the places where lanes stop ([`Pc`]) and meet, as data: branches,
//! collectives and barriers. It knows nothing of an engine's code, and no value of a launch.

mod invariant;
mod meeting;
mod pc;
mod predicated;
mod rows;
mod shape;
mod simplify;
mod slot;
mod slots;
mod tid;

pub(crate) use meeting::{
    BarrierOp, BranchOp, CollectiveOp, ConstantShuffle, ProductOp, Reduction,
};
pub(crate) use pc::Pc;
pub(crate) use rows::Rows;
pub(crate) use shape::{MULTIPROCESSORS, Shape};
pub(crate) use slot::Slot;
pub(crate) use tid::ThreadIndices;

use crate::local_memory::Layout;
use ir::analysis::Extents;
use ir::{BlockId, Inst, Interrupt, Kernel, Place, Special};
use meeting::Meetings;
use std::ops::Range;
use std::sync::Arc;

/// A kernel made ready for launches of one shape.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) shape: Shape,
    /// What engines compile, without the prologue.
    pub(crate) kernel: Arc<Kernel>,
    /// The kernel as whoever watches is shown it: as the front end made it, with the same instructions at the same places.
    pub(crate) shown: Arc<Kernel>,
    /// What is the same in every CTA of a launch: run once, with all lanes, before the first CTA of a register file.
    pub(crate) prologue: Vec<Inst>,
    /// Per place of a kernel that is watched, whether the instruction there has nothing to do, because the prologue has done it.
    /// Empty if nobody watches.
    done: Vec<bool>,
    /// Whether lanes may begin at every place, not only where the interpreter leaves them: then nothing is run in place.
    pub(crate) everywhere: bool,
    /// Per block, whether the block before it runs it in place.
    pub(crate) predicated: Vec<bool>,
    /// Per block of a kernel that is watched, whether it could be; empty if nobody watches.
    pub(crate) bodies: Vec<bool>,
    /// Per block, how many instructions of the front end it has.
    pub(crate) instructions: Vec<u32>,
    /// Where registers live.
    pub(crate) rows: Rows,
    /// The threads' local memory, their stacks included.
    pub(crate) local: Layout,
    /// `%tid`.
    pub(crate) tid: ThreadIndices,
    /// Instructions of the longest block.
    pub(crate) longest: usize,
    /// Per block, its first place.
    starts: Vec<Pc>,
    points: Vec<Point>,
    meetings: Meetings,
}

/// What stands at a place.
#[derive(Clone, Copy, Debug)]
struct Point {
    place: Place,
    /// Which of its kind it is, if lanes meet or part here.
    meeting: u32,
}

/// A kernel with where its registers live.
struct Prepared {
    kernel: Arc<Kernel>,
    prologue: Vec<Inst>,
    /// Of a kernel that is watched, per instruction whether it is in the prologue.
    hoisted: Vec<bool>,
    predicated: Vec<bool>,
    assignment: slots::Assignment,
}

impl Prepared {
    fn new(
        original: &Arc<Kernel>,
        shape: &Shape,
        everywhere: bool,
        interrupt: &Interrupt<'_>,
    ) -> Option<Prepared> {
        let as_it_is = vec![false; original.blocks.len()];
        if shape.observed {
            return Prepared::watched(original, shape, interrupt);
        }
        let simplified = simplify::simplify(original, shape, interrupt)?;
        let parts = (simplified, Vec::new(), None);
        let (simplified, prologue, assignment) = ir::made_of(parts, |parts| {
            let (kernel, prologue, assignment) = parts;
            *assignment = Some(match Extents::of(kernel, interrupt) {
                Some(extents) => {
                    invariant::hoist(kernel, &extents, prologue, interrupt)?;
                    let together = shape.begins_together();
                    slots::assign(kernel, prologue, &extents, together, interrupt)?
                }
                None if interrupt.heard() => return None,
                None => slots::one_row_each(kernel, interrupt)?,
            });
            Some(())
        })?;
        let predicated = if everywhere { as_it_is } else { predicated::find(original) };
        Some(Prepared {
            kernel: Arc::new(simplified),
            prologue,
            hoisted: Vec::new(),
            predicated,
            assignment: assignment?,
        })
    }

    /// A kernel that is watched. Every instruction and every register stays, but what is the same in every CTA is computed once, and
    /// once for all warps what is the same in them.
    fn watched(
        original: &Arc<Kernel>,
        shape: &Shape,
        interrupt: &Interrupt<'_>,
    ) -> Option<Prepared> {
        let predicated = vec![false; original.blocks.len()];
        let extents = match Extents::of(original, interrupt) {
            Some(extents) => extents,
            None if interrupt.heard() => return None,
            None => {
                return Some(Prepared {
                    kernel: Arc::clone(original),
                    prologue: Vec::new(),
                    hoisted: Vec::new(),
                    predicated,
                    assignment: slots::one_row_each(original, interrupt)?,
                });
            }
        };
        let kernel = simplify::with_sources(original, shape, &extents.at_entry, interrupt)?;
        let parts = (kernel.clone(), Vec::new(), None);
        let (_, prologue, parts) = ir::made_of(parts, |(rest, prologue, parts)| {
            let hoisted = invariant::hoist(rest, &extents, prologue, interrupt)?;
            let together = shape.begins_together();
            let assignment = slots::assign_alone(rest, prologue, &extents, together, interrupt)?;
            *parts = Some((hoisted, assignment));
            Some(())
        })?;
        let (hoisted, assignment) = parts?;
        Some(Prepared { kernel: Arc::new(kernel), prologue, hoisted, predicated, assignment })
    }
}

impl Plan {
    /// Makes a kernel ready, for lanes that may begin at every place or not. `None` if it was interrupted.
    pub(crate) fn new(
        original: &Arc<Kernel>,
        shape: Shape,
        everywhere: bool,
        interrupt: &Interrupt<'_>,
    ) -> Option<Plan> {
        let Prepared { kernel, prologue, hoisted, predicated, assignment } =
            Prepared::new(original, &shape, everywhere, interrupt)?;
        let mut hoisted = hoisted.into_iter();
        let mut done = Vec::new();
        if shape.observed {
            for block in &kernel.blocks {
                done.extend(block.insts.iter().map(|_| hoisted.next().unwrap_or(false)));
                // The terminator.
                done.push(false);
            }
        }
        let counted = |block: &ir::Block| instructions(&block.insts, block.place);
        let plan = Plan {
            shape,
            shown: Arc::clone(if shape.observed { original } else { &kernel }),
            prologue,
            done,
            everywhere,
            predicated,
            bodies: if shape.observed { predicated::find(original) } else { Vec::new() },
            instructions: original.blocks.iter().map(counted).collect(),
            rows: Rows::new(&kernel, &assignment, shape.warps()),
            local: Layout::of(&kernel, kernel.local_bytes_with(shape.stack)),
            tid: ThreadIndices::new(shape.block),
            longest: kernel.blocks.iter().map(|block| block.insts.len()).max().unwrap_or(0),
            starts: Vec::new(),
            points: Vec::new(),
            meetings: Meetings::default(),
            kernel,
        };
        ir::made_of(plan, |plan| plan.find_meetings(interrupt))
    }

    /// Finds what stands at each place.
    fn find_meetings(&mut self, interrupt: &Interrupt<'_>) -> Option<()> {
        let Plan { kernel, rows, starts, points, meetings, .. } = self;
        let mut end = Pc::START;
        for block in &kernel.blocks {
            starts.push(end);
            end = Pc(end.0 + block.insts.len() as u32 + 1);
        }
        points.reserve(end.0 as usize);
        for block in &kernel.blocks {
            for inst in &block.insts {
                interrupt.go_on(1)?;
                let meeting = meetings.op(&inst.op, kernel.rules, rows);
                points.push(Point { place: inst.place, meeting });
            }
            let start = |block: BlockId| starts.get(block.0 as usize).copied().unwrap_or(Pc::NEVER);
            let meeting = meetings.terminator(&block.terminator, start, rows);
            points.push(Point { place: block.place, meeting });
        }
        Some(())
    }

    /// The value of a special register that is the same in every launch of the shape.
    pub(crate) fn special(&self, what: Special) -> Option<u64> {
        self.shape.special(&self.kernel, what)
    }

    /// Places there are.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// The places of a block: its instructions, and its terminator at the end.
    pub(crate) fn places_of(&self, block: BlockId) -> Range<u32> {
        let nth = block.0 as usize;
        let end = self.starts.get(nth + 1).map_or(self.points.len() as u32, |next| next.0);
        self.starts.get(nth).map_or(end, |start| start.0)..end
    }

    /// Where the instruction at a place comes from.
    pub(crate) fn place(&self, at: Pc) -> Place {
        self.points.get(at.0 as usize).map_or(Place::default(), |point| point.place)
    }

    /// Which of its kind a meeting is.
    pub(crate) fn meeting(&self, at: Pc) -> u32 {
        self.points.get(at.0 as usize).map_or(0, |point| point.meeting)
    }

    /// The collective at a place where one is.
    pub(crate) fn collective(&self, at: Pc) -> &CollectiveOp {
        &self.meetings.collectives[self.meeting(at) as usize]
    }

    /// The barrier at a place where one is.
    pub(crate) fn barrier(&self, at: Pc) -> &BarrierOp {
        &self.meetings.barriers[self.meeting(at) as usize]
    }

    /// The branch at a place where one is.
    pub(crate) fn branch(&self, at: Pc) -> BranchOp {
        self.meetings.branches[self.meeting(at) as usize]
    }

    /// Collectives in the order of places.
    pub(crate) fn collectives(&self) -> &[CollectiveOp] {
        &self.meetings.collectives
    }

    /// Barriers in the order of places.
    pub(crate) fn barriers(&self) -> &[BarrierOp] {
        &self.meetings.barriers
    }

    /// Branches in the order of places.
    pub(crate) fn branches(&self) -> &[BranchOp] {
        &self.meetings.branches
    }

    /// Whether the instruction at a place of a kernel that is watched has nothing to do.
    pub(crate) fn is_done(&self, at: Pc) -> bool {
        self.done.get(at.0 as usize) == Some(&true)
    }

    /// The instruction at a place of a kernel that is watched; `None` where a block ends.
    pub(crate) fn inst(&self, at: Pc) -> Option<&Inst> {
        let block = self.starts.partition_point(|start| *start <= at).checked_sub(1)?;
        let nth = at.0.checked_sub(self.starts.get(block)?.0)?;
        self.shown.blocks.get(block)?.insts.get(nth as usize)
    }
}

/// How many instructions of the front end a block has: operations of one instruction share a place.
fn instructions(insts: &[Inst], terminator: Place) -> u32 {
    let places = insts.iter().map(|inst| inst.place).chain([terminator]);
    let mut count = 0;
    let mut last = None;
    for place in places {
        count += u32::from(last != Some(place));
        last = Some(place);
    }
    count
}
