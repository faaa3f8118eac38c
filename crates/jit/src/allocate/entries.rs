//! Where values are when a block begins, and when it has ended.

use super::order::Order;
use super::state::{Allocator, Entered, Held, Sets};
use super::uses::{FAR, NEVER, Needed};
use regalloc2::{Block, Function, Operand, OperandConstraint, RegClass, VReg};

/// A value that a block begins with.
struct Candidate {
    value: usize,
    class: RegClass,
    param: Option<u32>,
    next: u32,
    /// How often it comes in a register.
    often: f32,
    /// The register in which it comes most often, and how often.
    reg: Option<u8>,
    reg_often: f32,
    is_stored: bool,
    wants_register: bool,
}

/// Blocks that lead to another, each with the number of its successor that this is.
type Ways = Vec<(usize, usize)>;

/// Ways to a block whose parameters are looked at for hints.
const FEW_WAYS: usize = 4;
/// Values that are overwritten in place, one after the other, and should all have one register.
const CHAIN: usize = 16;

impl Allocator<'_> {
    /// Begins with a block.
    pub(super) fn enter(&mut self) -> Result<(), String> {
        let block = self.block;
        let ways = self.ways(block, |order, from| !order.is_back(from, block));
        if ways.is_empty() && !self.uses.live_in[block].is_empty() {
            return Err("a block is handed values by nobody".to_owned());
        }
        let is_loop = !self.order.loops[block].is_empty();
        if let ([(from, _)], true, false) =
            (&ways[..], self.func.blocks[block].params.is_empty(), is_loop)
        {
            return self.enter_behind(*from);
        }
        let mut candidates = self.candidates(&ways)?;
        if is_loop {
            self.choose_for_loop(&mut candidates);
        }
        // What is needed first has the first choice.
        candidates.sort_by_key(|candidate| candidate.next);
        // A call changes all registers but general ones.
        for candidate in &mut candidates {
            let is_kept =
                candidate.class == RegClass::Int || candidate.next <= self.uses.calls[block];
            candidate.wants_register &= is_kept;
        }
        self.assign(&mut candidates);
        self.free = self.registers.all;
        let mut entry = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let Candidate { value, param, next, reg, .. } = candidate;
            if param.is_some() {
                self.no_longer_awaited(value);
            }
            let known = &mut self.values[value];
            known.next = next;
            known.reg = None;
            if param.is_some() {
                known.made_in = reg;
                known.is_always_stored = reg.is_none();
            }
            known.is_stored = match reg {
                Some(_) => candidate.is_stored && !is_loop && param.is_none(),
                None => true,
            };
            match reg {
                Some(reg) => self.hold(value, reg),
                None => known.has_slot = true,
            }
            entry.push(Entered { value: value as u32, param, reg });
        }
        self.entries[block] = entry;
        for (from, nth) in ways {
            self.edge(from, nth, block)?;
        }
        if is_loop {
            self.await_params(block);
        }
        Ok(())
    }

    /// Begins where the only block has ended that leads here: nothing has to be moved.
    fn enter_behind(&mut self, from: usize) -> Result<(), String> {
        self.look_at_exit(from);
        self.free = self.registers.all;
        let live = std::mem::take(&mut self.uses.live_in[self.block]);
        for Needed { value, next } in &live {
            let value = *value as usize;
            let held = self.elsewhere[value].ok_or("a value does not come to a block")?;
            let is_stored = self.is_in_slot(held);
            let known = &mut self.values[value];
            (known.next, known.reg, known.is_stored) = (*next, None, is_stored);
            match held.reg {
                Some(reg) => self.hold(value, reg),
                None => known.has_slot = true,
            }
        }
        self.uses.live_in[self.block] = live;
        self.look_away(from);
        Ok(())
    }

    /// Who leads to a block.
    fn ways(&self, block: usize, wanted: impl Fn(&Order, usize) -> bool) -> Ways {
        let mut ways = Vec::new();
        for from in self.func.block_preds(Block::new(block)).iter().map(|from| from.index()) {
            // A block that leads here twice is named twice, one after the other.
            let is_known = ways.last().is_some_and(|(known, _): &(usize, usize)| *known == from);
            if is_known || !wanted(&self.order, from) {
                continue;
            }
            for (nth, to) in self.func.block_succs(Block::new(from)).iter().enumerate() {
                if to.index() == block {
                    ways.push((from, nth));
                }
            }
        }
        ways
    }

    /// The values that the block begins with, and where they come.
    fn candidates(&mut self, ways: &Ways) -> Result<Vec<Candidate>, String> {
        let block = self.block;
        let candidate = |value: usize, class, param, next| Candidate {
            value,
            class,
            param,
            next,
            often: 0.0,
            reg: None,
            reg_often: 0.0,
            is_stored: param.is_none(),
            wants_register: false,
        };
        let mut all = Vec::new();
        for Needed { value, next } in &self.uses.live_in[block] {
            let value = *value as usize;
            all.push(candidate(value, self.uses.class[value], None, *next));
        }
        let params = self.func.blocks[block].params.iter().zip(&self.uses.params[block]);
        for (nth, (param, next)) in params.enumerate().filter(|(_, (_, next))| **next != NEVER) {
            all.push(candidate(param.vreg(), param.class(), Some(nth as u32), *next));
        }
        let mut together = 0.0;
        for (from, nth) in ways {
            let often = (self.order.often(self.func, *from) as f32).exp2();
            together += often;
            self.look_at_exit(*from);
            let args = &self.func.blocks[*from].args[*nth];
            for candidate in &mut all {
                let source = candidate.param.map(|param| args[param as usize].vreg());
                let source = source.unwrap_or(candidate.value);
                let held = self.elsewhere[source].ok_or("a value does not come to a block")?;
                candidate.is_stored &= self.is_in_slot(held);
                if let Some(reg) = held.reg {
                    candidate.often += often;
                    if often > candidate.reg_often {
                        (candidate.reg, candidate.reg_often) = (Some(reg), often);
                    }
                }
            }
            self.look_away(*from);
        }
        for candidate in &mut all {
            candidate.wants_register = candidate.often * 2.0 >= together && together > 0.0;
        }
        Ok(all)
    }

    /// What a loop reads has registers before what it leaves alone, which has those that the loop never needs.
    fn choose_for_loop(&mut self, candidates: &mut [Candidate]) {
        let blocks = &self.order.loops[self.block];
        let mut most = [0u32; 3];
        for block in blocks.iter().filter(|block| !self.func.blocks[**block].is_cold) {
            for (most, here) in most.iter_mut().zip(self.uses.most[*block]) {
                *most = (*most).max(here);
            }
            let here = self.uses.read[*block].iter().filter(|needed| needed.next != FAR);
            here.for_each(|needed| self.read_in.set(self.block, needed.value as usize, ()));
        }
        let is_read = |candidate: &Candidate| {
            let is_param = candidate.param.is_some() && candidate.next != FAR;
            is_param || self.read_in.get(self.block, candidate.value).is_some()
        };
        let mut alone = [0u32; 3];
        for candidate in candidates.iter().filter(|candidate| !is_read(candidate)) {
            alone[candidate.class as usize] += 1;
        }
        let mut room = [0u32; 3];
        for (class, room) in room.iter_mut().enumerate() {
            let used = most[class].saturating_sub(alone[class]);
            *room = self.registers.all[class].count_ones().saturating_sub(used);
        }
        for candidate in candidates {
            if is_read(candidate) {
                candidate.wants_register = true;
            } else {
                let room = &mut room[candidate.class as usize];
                candidate.wants_register &= *room > 0;
                *room -= u32::from(candidate.wants_register);
                // Behind all that the loop reads.
                candidate.next = FAR;
            }
        }
    }

    /// Gives each candidate its register, in order, as long as there are any: first where it comes.
    fn assign(&self, candidates: &mut [Candidate]) {
        let mut free: Sets = self.registers.all;
        let mut left: Sets = free.map(|set| set.count_ones());
        let mut given = vec![None; candidates.len()];
        for candidate in candidates.iter_mut().filter(|candidate| candidate.wants_register) {
            let left = &mut left[candidate.class as usize];
            candidate.wants_register = *left > 0;
            *left = left.saturating_sub(1);
        }
        for is_param in [false, true] {
            for (candidate, given) in candidates.iter().zip(&mut given) {
                let free = &mut free[candidate.class as usize];
                if candidate.wants_register
                    && candidate.param.is_some() == is_param
                    && let Some(reg) = candidate.reg.filter(|reg| *free & 1 << reg != 0)
                {
                    *free &= !(1 << reg);
                    *given = Some(reg);
                }
            }
        }
        for (candidate, given) in candidates.iter_mut().zip(given) {
            let free = &mut free[candidate.class as usize];
            candidate.reg = given;
            if candidate.wants_register && given.is_none() {
                let reg = free.trailing_zeros() as u8;
                *free &= !(1 << reg);
                candidate.reg = Some(reg);
            }
        }
    }

    /// Ends a block: notes where values are for those that follow, and goes on where ways back lead.
    pub(super) fn end(&mut self) -> Result<(), String> {
        let block = self.block;
        let func = self.func;
        let succs = func.block_succs(Block::new(block));
        let mut exit = Vec::new();
        let live = succs.iter().flat_map(|to| &self.uses.live_in[to.index()]);
        let args = func.blocks[block].args.iter().flatten();
        for value in live.map(|needed| needed.value).chain(args.map(|arg| arg.vreg() as u32)) {
            if self.elsewhere[value as usize].is_none() {
                let known = &self.values[value as usize];
                let (reg, is_stored) = (known.reg, known.is_stored);
                let held = Held { value, reg, is_stored };
                self.elsewhere[value as usize] = Some(held);
                exit.push(held);
            }
        }
        self.exits[block] = exit;
        self.look_away(block);
        for (nth, to) in succs.iter().map(|to| to.index()).enumerate() {
            if self.order.is_back(block, to) {
                self.edge(block, nth, to)?;
            } else if func.block_preds(Block::new(to)).len() <= FEW_WAYS {
                self.hint_others(nth, to);
            }
        }
        Ok(())
    }

    /// What the others hand to a block should be in the registers in which this one hands it on.
    fn hint_others(&mut self, nth: usize, to: usize) {
        let (func, block) = (self.func, self.block);
        let args = &func.blocks[block].args[nth];
        if args.is_empty() {
            return;
        }
        let ways = self.ways(to, |_, from| from != block);
        for (from, nth) in ways {
            for (mine, other) in args.iter().zip(&func.blocks[from].args[nth]) {
                if let Some(reg) = self.values[mine.vreg()].reg {
                    self.hint(*other, reg, false);
                }
            }
        }
    }

    /// What ways back hand to a loop should be in the registers of its parameters, which are kept for that where others will do.
    fn await_params(&mut self, block: usize) {
        let func = self.func;
        for (from, nth) in self.ways(block, |order, from| order.is_back(from, block)) {
            for (param, arg) in func.blocks[block].params.iter().zip(&func.blocks[from].args[nth]) {
                if let Some(reg) = self.values[param.vreg()].reg {
                    self.hint(*arg, reg, true);
                }
            }
        }
    }

    /// Notes in which register a value should be that is not made yet, and what it overwrites.
    fn hint(&mut self, value: VReg, reg: u8, is_awaited: bool) {
        let mut value = value;
        for nth in 0..CHAIN {
            let Some(made) = self.uses.made[value.vreg()] else { return };
            let known = &mut self.values[value.vreg()];
            if known.made_in.is_some() || known.hint.is_some() {
                return;
            }
            known.hint = Some(reg);
            if is_awaited && nth == 0 {
                known.is_awaited = true;
                self.awaited[value.class() as usize][usize::from(reg)] += 1;
                self.awaited_sets[value.class() as usize] |= 1 << reg;
            }
            let Some(inst) = made.inst else { return };
            let operands = self.func.inst_operands(regalloc2::Inst::new(inst as usize));
            let result = |operand: &&Operand| operand.vreg() == value;
            match operands.iter().find(result).map(|operand| operand.constraint()) {
                Some(OperandConstraint::Reuse(from)) => value = operands[from].vreg(),
                _ => return,
            }
        }
    }

    /// Notes that a value is made.
    pub(super) fn no_longer_awaited(&mut self, value: usize) {
        let known = &mut self.values[value];
        if std::mem::take(&mut known.is_awaited)
            && let Some(hint) = known.hint
        {
            let class = self.uses.class[value] as usize;
            let waiting = &mut self.awaited[class][usize::from(hint)];
            *waiting -= 1;
            if *waiting == 0 {
                self.awaited_sets[class] &= !(1 << hint);
            }
        }
    }

    /// Whether the slot of a value has it where a block ends.
    pub(super) fn is_in_slot(&self, held: Held) -> bool {
        held.is_stored || self.values[held.value as usize].is_always_stored
    }

    /// Lets `elsewhere` be what is known where a block ends.
    pub(super) fn look_at_exit(&mut self, block: usize) {
        for held in &self.exits[block] {
            self.elsewhere[held.value as usize] = Some(*held);
        }
    }

    /// Forgets that.
    pub(super) fn look_away(&mut self, block: usize) {
        for held in &self.exits[block] {
            self.elsewhere[held.value as usize] = None;
        }
    }
}
