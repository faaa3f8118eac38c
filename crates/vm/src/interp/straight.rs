//! Stretches: codes of an observed program that nobody has to be shown one by one, and what is performed for them.
//!
//! What a code computes is left out there if nobody reads it behind the stretch: copies are read at their source, and compilers
//! write many. Whoever is shown instructions one by one finds every register as it is.

use super::source::Origin;
use ir::analysis::{Liveness, reads_and_writes};
use ir::{Inst, Interrupt, Kernel, Operand, Reg, Src, terminator_use};
use std::ops::Range;

/// Codes in a row, one an instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretch {
    pub(super) codes: u32,
    /// How many of them are collectives, and the last one of those.
    pub(super) meetings: u32,
    pub(super) last: u32,
    /// What is performed for them, among [`Straight::performed`].
    performed: Range<u32>,
}

/// Which codes a stretch has.
#[derive(Clone, Copy, Debug)]
enum Which {
    /// Those that only compute.
    Computes,
    /// Those, and collectives of whole warps.
    Either,
}

/// The stretches of a program of such codes.
#[derive(Debug)]
pub(super) struct Straight<C> {
    /// Per code, those that begin there, one of each kind.
    stretches: Vec<[Stretch; 2]>,
    performed: Vec<C>,
}

/// A program whose stretches are looked for.
pub(super) struct Source<'a, C> {
    /// The kernel as the observer is shown it.
    pub(super) shown: &'a Kernel,
    /// The one that the codes were made of.
    pub(super) kernel: &'a Kernel,
    pub(super) codes: &'a [C],
    /// Per code, what it does.
    pub(super) origins: &'a [Origin],
    /// Per code, whether it has nothing to do.
    pub(super) done: &'a [bool],
}

impl<C: Copy> Straight<C> {
    /// Those of a program that nobody observes.
    pub(super) fn none() -> Straight<C> {
        Straight { stretches: Vec::new(), performed: Vec::new() }
    }

    /// Finds the stretches of a program, from its end on. `None` if it was interrupted.
    pub(super) fn of(source: &Source<'_, C>, interrupt: &Interrupt<'_>) -> Option<Straight<C>> {
        let Source { shown, codes, origins, .. } = *source;
        let mut found = Straight::none();
        found.stretches.resize_with(codes.len(), Default::default);
        let mut needed = Needed::of(shown, interrupt)?;
        let mut end = codes.len();
        while let Some(last) = end.checked_sub(1) {
            interrupt.go_on(1)?;
            let either = source.ending_at(end, Which::Either);
            if either.is_empty() {
                needed.shown(shown, origins[last]);
                end = last;
                continue;
            }
            end = either.start;
            found.add(source, either.clone(), Which::Either, &mut needed);
            let mut rest = either;
            while let Some(last) = rest.clone().next_back() {
                let computes = source.ending_at(rest.end, Which::Computes);
                found.add(source, computes.clone(), Which::Computes, &mut needed);
                // Else the last one is a collective.
                let done = if computes.is_empty() { last..rest.end } else { computes };
                rest.end = done.start;
                done.rev().for_each(|at| needed.shown(shown, origins[at]));
            }
        }
        found.performed.reverse();
        let count = found.performed.len() as u32;
        for Stretch { performed, .. } in found.stretches.iter_mut().flatten() {
            *performed = count - performed.end..count - performed.start;
        }
        Some(found)
    }

    /// Adds a stretch, and those that begin in it.
    fn add(
        &mut self,
        source: &Source<'_, C>,
        codes: Range<usize>,
        which: Which,
        needed: &mut Needed,
    ) {
        needed.begin_stretch();
        let end = self.performed.len() as u32;
        let mut stretch = Stretch { performed: end..end, ..Stretch::default() };
        for at in codes.rev() {
            let computes = source.has(at, Which::Computes);
            stretch.codes += 1;
            if !computes {
                stretch.last = if stretch.meetings > 0 { stretch.last } else { at as u32 };
                stretch.meetings += 1;
            }
            if let Some(inst) = source.origins[at].inst(source.kernel)
                && !source.done[at]
                && !(computes && needed.nothing_of(inst))
            {
                needed.performed(inst);
                self.performed.push(source.codes[at]);
                stretch.performed.end += 1;
            }
            self.stretches[at][which as usize] = stretch.clone();
        }
    }

    /// The stretches that begin at a code: of what only computes, and of that and collectives of whole warps.
    pub(super) fn at(&self, code: usize) -> &[Stretch; 2] {
        &self.stretches[code]
    }

    /// What is performed for a stretch. None of it stops.
    pub(super) fn performed(&self, stretch: &Stretch) -> &[C] {
        &self.performed[stretch.performed.start as usize..stretch.performed.end as usize]
    }
}

impl<C> Source<'_, C> {
    fn has(&self, at: usize, which: Which) -> bool {
        let origin = self.origins[at];
        origin.only_computes(self.kernel)
            || matches!(which, Which::Either) && origin.meets_all(self.kernel)
    }

    /// The longest stretch that ends before a code.
    fn ending_at(&self, end: usize, which: Which) -> Range<usize> {
        let start = (0..end).rev().take_while(|at| self.has(*at, which)).last();
        start.unwrap_or(end)..end
    }
}

/// The registers that somebody reads behind a place of a kernel, on the way from its end to its start.
struct Needed {
    /// `None` for kernels in which it takes too long to find: then all are.
    liveness: Option<Liveness>,
    /// Other lanes may read them in lanes that have gone elsewhere.
    offered: Vec<bool>,
    /// What somebody reads who is shown every instruction, and which registers those are at least.
    live: Vec<bool>,
    any: Vec<Reg>,
    /// The same in the stretch whose number stands beside it.
    within: Vec<(u32, bool)>,
    stretch: u32,
}

impl Needed {
    fn of(shown: &Kernel, interrupt: &Interrupt<'_>) -> Option<Needed> {
        let liveness = Liveness::of_some(shown, |_| true, interrupt);
        if interrupt.heard() {
            return None;
        }
        let registers = shown.registers.len();
        let mut offered = vec![false; registers];
        for inst in shown.blocks.iter().flat_map(|block| &block.insts) {
            if let Some(Src::Reg(reg)) = inst.op.offered() {
                offered[reg.0 as usize] = true;
            }
        }
        let (live, within) = (vec![false; registers], vec![(0, false); registers]);
        Some(Needed { liveness, offered, live, any: Vec::new(), within, stretch: 0 })
    }

    /// What a code does is shown.
    fn shown(&mut self, shown: &Kernel, origin: Origin) {
        let Needed { liveness, live, any, .. } = self;
        if let Origin::Terminator(_) = origin {
            any.drain(..).for_each(|reg| live[reg.0 as usize] = false);
        }
        let mut set = |reg: Reg, reads| {
            live[reg.0 as usize] = reads;
            if reads {
                any.push(reg);
            }
        };
        match origin {
            Origin::Terminator(block) => {
                let terminator = &shown.blocks[block.0 as usize].terminator;
                for to in terminator.successors() {
                    let live = liveness.iter().flat_map(|it| it.live_in(to.0 as usize));
                    live.for_each(|reg| set(reg, true));
                }
                terminator_use(terminator).into_iter().for_each(|reg| set(reg, true));
            }
            Origin::Inst(..) | Origin::Meeting(..) | Origin::Barrier(..) => {
                origin.inst(shown).into_iter().for_each(|inst| reads_and_writes(inst, &mut set));
            }
            Origin::Guard(..) | Origin::Unguard => {}
        }
    }

    /// A stretch ends here.
    fn begin_stretch(&mut self) {
        self.stretch += 1;
    }

    /// An instruction of the stretch is performed.
    fn performed(&mut self, inst: &Inst) {
        reads_and_writes(inst, |reg, reads| self.within[reg.0 as usize] = (self.stretch, reads));
    }

    /// Whether nobody reads what an instruction of the stretch computes.
    fn nothing_of(&self, inst: &Inst) -> bool {
        let is_needed = |reg: Reg| {
            let nth = reg.0 as usize;
            let (stretch, within) = self.within[nth];
            let live = if stretch == self.stretch { within } else { self.live[nth] };
            live || self.offered[nth]
        };
        let mut needed = self.liveness.is_none();
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand {
                needed |= is_needed(reg);
            }
        });
        !needed
    }
}
