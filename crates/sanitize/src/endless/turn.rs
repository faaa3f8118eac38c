//! One iteration of a loop: where it began, the registers of its lanes there, and what they have executed since.

use crate::touch::Touch;
use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use ir::analysis::unseen;
use ir::{Class, Inst, Kernel, Members, Op, Operand, Place, Pred, Reg, Space, Src, Terminator};
use ir::{Touched, terminator_use};
use lanes::{LaneMask, Lanes};
use std::cell::OnceCell;
use std::hash::BuildHasher;
use std::sync::Arc;
use vm::{Location, View};

/// A kernel by place: several instructions can come from one.
#[derive(Debug)]
pub(super) struct Code {
    kernel: Arc<Kernel>,
    /// The registers that the time can influence, if it decides nothing that counts, such as how long lanes sleep before they
    /// look again. Found out when it is asked for.
    timed: OnceCell<Option<Vec<bool>>>,
}

/// Lanes of a warp on their way back to a branch.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) lanes: LaneMask,
    terminator: Terminator,
    at: Place,
    /// Per register of the kernel, what it held there.
    held: Vec<Lanes<u64>>,
    /// Bytes of local memory, by lane and address, that have been overwritten since, and what they held there.
    overwritten: HashMap<(u32, u64), Option<u64>>,
    /// What the lanes have passed since.
    passed: HashSet<Place>,
    /// The registers that matter in that code, as far as it was known.
    matter: Option<Vec<Reg>>,
    /// Branches passed.
    pub(super) branches: u32,
    /// The lanes have executed a collective together.
    pub(super) meets: bool,
    /// Other lanes of the warp have come to a collective meanwhile.
    pub(super) accompanied: bool,
    /// The lanes are back at the same branch, with the same values in all registers that decide what they do.
    pub(super) endless: bool,
}

impl Code {
    pub(super) fn new(kernel: &Arc<Kernel>) -> Code {
        Code { kernel: Arc::clone(kernel), timed: OnceCell::new() }
    }

    /// Whether an operation tells the time, and that counts.
    pub(super) fn tells_time(&self, op: &Op) -> bool {
        op.tells_time() && self.timed().is_none()
    }

    fn timed(&self) -> Option<&Vec<bool>> {
        let insts = || self.kernel.blocks.iter().flat_map(|block| &block.insts);
        let find = || match insts().any(|inst| inst.op.tells_time()) {
            true => unseen(&self.kernel, Op::tells_time),
            false => None,
        };
        self.timed.get_or_init(find).as_ref()
    }

    /// Registers that a turn remembers.
    pub(super) fn rows(&self) -> usize {
        self.kernel.registers.len().max(1)
    }

    fn passed<'c>(&'c self, passed: &'c HashSet<Place>) -> impl Iterator<Item = &'c Inst> {
        let insts = self.kernel.blocks.iter().flat_map(|block| &block.insts);
        insts.filter(|inst| passed.contains(&inst.place))
    }

    /// The registers that decide, in the code that was passed, where lanes go, which lanes they synchronise with, what they access and what
    /// they write.
    fn matter(&self, passed: &HashSet<Place>) -> Vec<Reg> {
        let mut matter = vec![false; self.kernel.registers.len()];
        let timed = self.timed();
        let timed = |reg: Reg| timed.is_some_and(|timed| timed[reg.0 as usize]);
        let mut add = |reg: Option<Reg>| {
            let reg = reg.filter(|reg| !timed(*reg));
            if let Some(known) = reg.and_then(|reg| matter.get_mut(reg.0 as usize)) {
                *known = true;
            }
        };
        for block in self.kernel.blocks.iter().filter(|block| passed.contains(&block.place)) {
            add(terminator_use(&block.terminator));
        }
        for inst in self.passed(passed) {
            add(inst.guard.and_then(Pred::reg));
            if let Op::Collective { members: Members::Mask(mask), .. } = &inst.op {
                add(register(*mask));
            }
            for Touched { address, writes, .. } in inst.op.touches() {
                add(register(address.base));
                inst.op.operands(|operand| {
                    if let (true, Operand::Use(reg)) = (writes, operand) {
                        add(Some(reg));
                    }
                });
            }
        }
        // And what they are made of.
        let mut more = true;
        while std::mem::take(&mut more) {
            for inst in self.passed(passed) {
                let mut makes = false;
                inst.op.operands(|operand| {
                    if let Operand::Def(reg) = operand {
                        makes |= matter.get(reg.0 as usize) == Some(&true);
                    }
                });
                inst.op.operands(|operand| {
                    if let Operand::Use(reg) = operand
                        && makes
                        && let Some(known) = matter.get_mut(reg.0 as usize)
                    {
                        more |= !std::mem::replace(known, true);
                    }
                });
            }
        }
        let numbered = matter.iter().enumerate();
        numbered.filter(|(_, decides)| **decides).map(|(nth, _)| Reg(nth as u32)).collect()
    }

    /// What a register holds in the lanes of a warp.
    fn held(&self, view: &View<'_>, reg: Reg, warp: usize) -> Lanes<u64> {
        match self.kernel.registers.get(reg.0 as usize) {
            Some(Class::W32) => view.w32(Src::Reg(reg), warp).map(u64::from),
            Some(Class::W64) => view.w64(Src::Reg(reg), warp),
            Some(Class::Pred) => view.pred(Pred::Is(reg), warp).to_bools().map(u64::from),
            None => lanes::splat(0),
        }
    }
}

fn register(src: Src) -> Option<Reg> {
    match src {
        Src::Reg(reg) => Some(reg),
        Src::Imm(_) => None,
    }
}

impl Turn {
    /// A turn begins where lanes of a warp leave a block.
    pub(super) fn begin(
        code: &Code,
        view: &View<'_>,
        warp: usize,
        lanes: LaneMask,
        (terminator, at): (&Terminator, Place),
    ) -> Turn {
        let registers = 0..code.kernel.registers.len() as u32;
        let mut passed = HashSet::new();
        passed.insert(at);
        Turn {
            lanes,
            terminator: terminator.clone(),
            at,
            held: registers.map(|reg| code.held(view, Reg(reg), warp)).collect(),
            overwritten: HashMap::new(),
            passed,
            matter: None,
            branches: 0,
            meets: false,
            accompanied: false,
            endless: false,
        }
    }

    /// Some of the lanes execute something at a place.
    pub(super) fn passes(&mut self, place: Place) {
        if self.passed.insert(place) {
            self.matter = None;
        }
    }

    /// Lanes of the warp overwrite local memory.
    pub(super) fn overwrites(&mut self, view: &View<'_>, touch: &Touch<'_>) {
        for (lane, start) in touch.iter().filter(|(lane, _)| self.lanes.contains(*lane)) {
            for address in start..start + touch.bytes {
                let held = || view.peek(local(view, address), (touch.warp, lane), 1);
                self.overwritten.entry((lane, address)).or_insert_with(held);
            }
        }
    }

    /// Whether a byte of local memory holds something else than at the start.
    fn has_overwritten(&self, view: &View<'_>, warp: usize) -> bool {
        self.overwritten.iter().any(|((lane, address), held)| {
            view.peek(local(view, *address), (warp, *lane), 1) != *held
        })
    }

    /// Lanes of the warp arrive at a collective. Whether this can still be an iteration that does not depend on other lanes.
    pub(super) fn arrives(&mut self, lanes: LaneMask, place: Place) -> bool {
        if lanes.is_subset(self.lanes) {
            self.passes(place);
            return true;
        }
        self.accompanied = true;
        !lanes.intersects(self.lanes)
    }

    /// Lanes of the warp meet at a collective. The same.
    pub(super) fn meet(&mut self, lanes: LaneMask) -> bool {
        let ours = lanes.is_subset(self.lanes);
        self.meets |= ours;
        ours || !lanes.intersects(self.lanes)
    }

    /// Lanes of the warp leave a block: whether the turn has ended there as it began.
    pub(super) fn returns(
        &mut self,
        code: &Code,
        view: &View<'_>,
        warp: usize,
        lanes: LaneMask,
        (terminator, at): (&Terminator, Place),
    ) -> bool {
        if self.endless {
            return true;
        }
        self.branches = self.branches.saturating_add(1);
        if self.at != at || !self.lanes.is_subset(lanes) || self.terminator != *terminator {
            return false;
        }
        let matter = self.matter.get_or_insert_with(|| code.matter(&self.passed));
        // Lanes that never were compute along with the others, and undefined reads may find them.
        let compared = self.lanes | !view.existing(warp);
        let changed = matter.iter().position(|reg| {
            let (now, then) = (code.held(view, *reg, warp), &self.held[reg.0 as usize]);
            compared.iter().any(|lane| now[lane as usize] != then[lane as usize])
        });
        match changed {
            // Most likely it has changed next time, too.
            Some(nth) => matter.swap(0, nth),
            None => self.endless = !self.has_overwritten(view, warp),
        }
        self.endless
    }

    /// What the lanes do from turn to turn, as a number: where they turn, and what decides what they do.
    pub(super) fn state(&self) -> u64 {
        let held = |reg: &Reg| {
            let values = self.held.get(reg.0 as usize);
            values.map(|values| self.lanes.iter().map(|lane| values[lane as usize]).collect())
        };
        let held: Vec<Option<Vec<u64>>> = self.matter.iter().flatten().map(held).collect();
        FixedState::default().hash_one((self.at, self.lanes, held))
    }

    /// Where the lanes look at memory in the loop, or else where they turn.
    pub(super) fn place(&self, code: &Code) -> Place {
        let looks = |inst: &&Inst| {
            inst.op.touches().any(|touched| !matches!(touched.space, Space::Param | Space::Local))
        };
        code.passed(&self.passed).find(looks).map_or(self.at, |inst| inst.place)
    }
}

/// An address in local memory.
fn local(view: &View<'_>, address: u64) -> Location {
    Location { space: Space::Local, address, cta: view.cta() }
}
