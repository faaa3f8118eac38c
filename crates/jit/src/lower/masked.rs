//! Blocks for some of a warp's lanes ([`super::apart`]).
//!
//! Lanes that have parted are noted for the block where they go on, and the earliest block for which any are noted runs next, as the
//! default schedule has it. Results are blended where other lanes need what the register held.

use super::Lower;
use super::lane_bits::Sets;
use super::mask::Masked;
use super::value::{FLOAT, Form, INT, Value, Vectors};
use crate::exit::{Leaving, Parted, Why};
use crate::mir::{Base, Kind, Mem, O};
use iced_x86::{Code, ConditionCode};
use ir::{BlockId, Class, Inst, Interrupt, Op, Operand, Pred, Reg, Terminator};
use regalloc2::{Block, VReg};

impl Lower<'_> {
    /// What a block of a part is given: values, and the lanes that go on there and at later blocks.
    pub(super) fn handed_to(
        &mut self,
        part: usize,
        nth: usize,
        lanes: &[(usize, VReg)],
    ) -> Vec<VReg> {
        let parts = self.parts;
        let part = &parts.all[part];
        let mut handed = self.handed_all(&part.needed[nth]);
        for at in [nth].iter().chain(&part.waiting[nth]) {
            let known = lanes.iter().find(|(position, _)| position == at);
            handed.push(match known {
                Some((_, lanes)) => *lanes,
                None => self.lanes_constant(0),
            });
        }
        handed
    }

    /// All lanes are here and part: those of `bits` go to one block, the others to another.
    pub(super) fn come_apart(
        &mut self,
        part: usize,
        bits: VReg,
        known: Option<u64>,
        [then, otherwise]: [BlockId; 2],
    ) {
        let parts = self.parts;
        let others = self.lanes_not(bits);
        let rest = self.there(others);
        match known {
            Some(known) => self.count_known_divergences(known),
            None => self.func.count_divergences(bits, rest),
        }
        let position = |to: BlockId| parts.all[part].position(to.0 as usize).unwrap_or(0);
        let lanes = [(position(then), bits), (position(otherwise), rest)];
        let first = lanes[0].0.min(lanes[1].0);
        let args = self.handed_to(part, first, &lanes);
        self.func.end(Kind::Jump, vec![(self.checks[part][first], args)]);
    }

    /// Emits all blocks of all parts. `None` if it was interrupted.
    pub(super) fn masked_blocks(&mut self, interrupt: &Interrupt<'_>) -> Option<()> {
        let parts = self.parts;
        for (part, all) in parts.all.iter().enumerate() {
            for nth in 0..all.blocks.len() {
                self.masked_block(part, nth, interrupt)?;
            }
        }
        Some(())
    }

    fn masked_block(&mut self, part: usize, nth: usize, interrupt: &Interrupt<'_>) -> Option<()> {
        let (parts, nodes) = (self.parts, self.nodes);
        let whole = &parts.all[part];
        let block = whole.blocks[nth];
        let node = nodes.first[block];
        let place = nodes.place(node, self.input.starts);
        let check = self.checks[part][nth];
        self.begin_anew(check);
        self.live = nodes.all[node].live.iter().copied().collect();
        self.params(check, &self.passed(&whole.needed[nth]));
        let mut given = || self.func.value(INT);
        let lanes = given();
        let waiting: Vec<(usize, VReg)> =
            whole.waiting[nth].iter().map(|position| (*position, given())).collect();
        let params = &mut self.func.blocks[check.index()].params;
        params.extend([lanes].into_iter().chain(waiting.iter().map(|(_, lanes)| *lanes)));
        let known = whole.known[nth];
        let masked = Masked {
            at: Some((part, nth)),
            lanes,
            known,
            waiting: waiting.clone(),
            masks: None,
            wide: None,
        };
        let last = nth + 1 == whole.blocks.len();
        if last {
            self.masked = Some(masked);
            self.guard(ConditionCode::ne, place, |this| this.are_all_there(lanes));
            self.masked = None;
            let args = self.handed_on(node);
            self.func.end(Kind::Jump, vec![(self.blocks[node], args)]);
            return Some(());
        }
        if known.is_none() {
            let [skip, some] = [0; 2].map(|_| self.func.block());
            self.is_any(lanes);
            let both = vec![(skip, Vec::new()), (some, Vec::new())];
            self.func.end(Kind::Branch(ConditionCode::e), both);
            let state = self.state.clone();
            self.func.begin(skip);
            let args = self.handed_to(part, nth + 1, &waiting);
            self.func.end(Kind::Jump, vec![(self.checks[part][nth + 1], args)]);
            self.state = state;
            self.func.begin(some);
        }
        if whole.meets[nth] {
            let [all, body] = [0; 2].map(|_| self.func.block());
            self.are_all_there(lanes);
            let both = vec![(all, Vec::new()), (body, Vec::new())];
            self.func.end(Kind::Branch(ConditionCode::e), both);
            let state = self.state.clone();
            self.func.begin(all);
            let args = self.handed_on(node);
            self.func.end(Kind::Jump, vec![(self.blocks[node], args)]);
            self.state = state;
            self.func.begin(body);
        }
        if whole.stops[nth] {
            self.masked = Some(masked);
            self.guard(ConditionCode::ne, place, |this| this.is_any(lanes));
            self.masked = None;
            self.masked_next(part, nth, &waiting);
            return Some(());
        }
        // Where no more than one lane comes, it is that one.
        let coming = self.demanded.coming(block) & self.gang.all();
        let known = known.or_else(|| coming.is_power_of_two().then_some(coming));
        let lanes = known.map_or(lanes, |known| self.lanes_constant(known));
        self.masked = Some(Masked { lanes, known, ..masked });
        let code = &self.input.kernel.blocks[block];
        for (at, inst) in code.insts.iter().enumerate() {
            interrupt.go_on(4)?;
            self.inst(inst, self.input.starts[block] + at as u32);
            inst.op.operands(|operand| {
                if let Operand::Def(reg) = operand
                    && !self.invariant[reg.0 as usize]
                {
                    self.live.insert(reg);
                }
            });
            for reg in &nodes.kills[block][at] {
                self.live.remove(reg);
            }
        }
        self.masked_end(part, nth, (lanes, known), waiting);
        self.masked = None;
        Some(())
    }

    fn masked_end(
        &mut self,
        part: usize,
        nth: usize,
        (lanes, known): (VReg, Option<u64>),
        mut waiting: Vec<(usize, VReg)>,
    ) {
        let parts = self.parts;
        let whole = &parts.all[part];
        let block = whole.blocks[nth];
        self.count_masked(self.input.instructions[block], lanes, known);
        let position = |to: BlockId| whole.position(to.0 as usize).unwrap_or(0);
        let (p, then, otherwise) = match self.input.kernel.blocks[block].terminator {
            Terminator::Jump(to) => (Pred::Const(true), to, to),
            Terminator::Branch { p, then, otherwise } => (p, then, otherwise),
            Terminator::Exit | Terminator::Trap => {
                return self.masked_next(part, nth, &waiting);
            }
        };
        let ways = match p {
            Pred::Const(value) => vec![(position(if value { then } else { otherwise }), lanes)],
            Pred::Is(_) | Pred::Not(_) => {
                let bits = self.bits(p);
                let taken = self.lanes_of(Sets::And, bits, lanes);
                let not = self.lanes_not(bits);
                let left = self.lanes_of(Sets::And, not, lanes);
                self.func.count_divergences(taken, left);
                vec![(position(then), taken), (position(otherwise), left)]
            }
        };
        for (to, lanes) in ways.iter().filter(|(to, _)| *to > nth) {
            match waiting.iter().position(|(position, _)| position == to) {
                Some(at) => waiting[at].1 = self.lanes_of(Sets::Or, waiting[at].1, *lanes),
                None => waiting.push((*to, *lanes)),
            }
        }
        match ways.iter().find(|(to, _)| *to <= nth) {
            None => self.masked_next(part, nth, &waiting),
            Some((to, lanes)) if ways.len() == 1 => self.masked_back(part, *to, *lanes, waiting),
            Some((to, lanes)) => {
                let [back, on] = [0; 2].map(|_| self.func.block());
                self.is_any(*lanes);
                let both = vec![(back, Vec::new()), (on, Vec::new())];
                self.func.end(Kind::Branch(ConditionCode::ne), both);
                let state = self.state.clone();
                self.func.begin(back);
                self.masked_back(part, *to, *lanes, waiting.clone());
                self.state = state;
                self.func.begin(on);
                self.masked_next(part, nth, &waiting);
            }
        }
    }

    /// Goes on at the next block at which lanes wait.
    fn masked_next(&mut self, part: usize, nth: usize, waiting: &[(usize, VReg)]) {
        let args = self.handed_to(part, nth + 1, waiting);
        self.func.end(Kind::Jump, vec![(self.checks[part][nth + 1], args)]);
    }

    /// Lanes go back: they stand earliest.
    fn masked_back(&mut self, part: usize, to: usize, lanes: VReg, waiting: Vec<(usize, VReg)>) {
        let parts = self.parts;
        let node = self.nodes.first[parts.all[part].blocks[to]];
        let place = self.nodes.place(node, self.input.starts);
        let exit = self.leaving_apart(
            Why::Yields,
            place,
            &parts.all[part].needed[to],
            (lanes, &self.nodes.all[node].live, part, &waiting),
        );
        let values = std::mem::take(&mut self.leaving_values);
        self.spend(1);
        let kind = Kind::Guard { condition: ConditionCode::s, exit };
        self.func.may_leave(kind, &[], &values);
        let all: Vec<(usize, VReg)> = [(to, lanes)].into_iter().chain(waiting).collect();
        let args = self.handed_to(part, to, &all);
        self.func.end(Kind::Jump, vec![(self.checks[part][to], args)]);
    }

    /// An exit for lanes that are apart from others: which these are, what they need, and who waits in their part.
    pub(super) fn leaving_apart(
        &mut self,
        why: Why,
        place: u32,
        kept: &[Reg],
        (lanes, needed, part, waiting): (VReg, &[Reg], usize, &[(usize, VReg)]),
    ) -> u32 {
        let parts = self.parts;
        let (values, kept) = self.keep(kept);
        let apart = Some(Parted {
            needed: needed.to_vec(),
            offered: parts.all[part].offered.iter().copied().collect(),
            waiting: waiting.iter().map(|(position, _)| parts.number(part, *position)).collect(),
        });
        let elsewhere = waiting.iter().map(|(_, lanes)| *lanes);
        self.leaving_values = [lanes].into_iter().chain(elsewhere).chain(values).collect();
        self.func.exits.push(Leaving { why, place, first: 0, kept, apart });
        self.func.exits.len() as u32 - 1
    }

    /// An instruction of the lanes that execute.
    pub(super) fn masked_inst(&mut self, inst: &Inst, place: u32, masked: &Masked) {
        let kept = masked.at.map(|(part, nth)| &self.parts.all[part].kept[nth]);
        let mut old = Vec::new();
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand
                && kept.is_some_and(|kept| kept.contains(&reg))
            {
                old.push(reg);
            }
        });
        old.retain(|reg| match self.class(*reg) {
            Class::Pred => !self.shape(*reg).is_uniform(),
            Class::W32 | Class::W64 => self.form(*reg) == Form::Vectors,
        });
        let native = !matches!(inst.op, Op::Store { .. } | Op::Collective { .. });
        let before: Vec<(Reg, Value)> = match native {
            true => old.into_iter().map(|reg| (reg, self.held(reg))).collect(),
            false => Vec::new(),
        };
        let done = match inst.guard {
            None | Some(Pred::Const(true)) => self.op(&inst.op, place),
            Some(Pred::Const(false)) => return,
            Some(guard) => self.guarded(guard, &inst.op, place),
        };
        if !done && !self.few_lanes(inst, place, masked) && !self.each_lane(inst, place) {
            self.performed += 1;
            return self.perform(inst, place);
        }
        for (reg, before) in before {
            self.merge(reg, &before);
        }
    }

    /// The value of a register with all its parts.
    fn held(&mut self, reg: Reg) -> Value {
        if self.class(reg) == Class::Pred {
            self.scalar(reg);
        } else {
            if !self.floats[reg.0 as usize] {
                self.canonical(reg);
            }
            self.vectors(reg);
        }
        self.known(reg)
    }

    /// Lanes that do not execute keep what a register held.
    fn merge(&mut self, reg: Reg, before: &Value) {
        let Some(lanes) = self.masked.as_ref().map(|masked| masked.lanes) else { return };
        let class = self.class(reg);
        if class == Class::Pred {
            let new = self.scalar(reg);
            let Some(old) = before.scalar else { return };
            // The old bits, with those changed that are new and differ.
            let differ = self.lanes_of(Sets::Xor, new, old);
            let changed = self.lanes_of(Sets::And, differ, lanes);
            let merged = self.lanes_of(Sets::Xor, old, changed);
            self.set(reg, Value::scalar(merged));
            return;
        }
        let after = self.held(reg);
        let (Some(new), Some(old)) = (after.vectors, &before.vectors) else { return };
        let masks = self.lane_masks(class);
        let vectors = (0..new.len())
            .map(|nth| self.blend_of(class, masks[nth], O::U(new[nth]), old[nth]))
            .collect();
        let nan = after.nan || before.nan;
        self.set(reg, Value { nan, ..Value::vectors(vectors) });
    }

    /// The masks of the lanes that execute, for values of a class.
    pub(super) fn lane_masks(&mut self, class: Class) -> Vectors {
        let Some(masked) = self.masked.clone() else { return Vectors::default() };
        let known = if class == Class::W64 { masked.wide } else { masked.masks };
        if let Some(known) = known {
            return known;
        }
        let made = match class {
            Class::W64 => self.wide_masks(masked.lanes),
            Class::W32 | Class::Pred => self.masks_of(masked.lanes),
        };
        if let Some(masked) = &mut self.masked {
            let known = if class == Class::W64 { &mut masked.wide } else { &mut masked.masks };
            *known = Some(made.clone());
        }
        made
    }

    /// What some lanes have had performed is the same in all of them: the value of one of those.
    pub(super) fn one_of_them(&mut self, reg: Reg, lanes: VReg) {
        let class = self.class(reg);
        if class == Class::Pred {
            let bits = self.home_bits(reg);
            let own = self.lanes_of(Sets::And, bits, lanes);
            self.is_any(own);
            let found = self.all_or_none(Code::Setne_rm8);
            self.set(reg, Value::scalar(found));
            return;
        }
        if self.form(reg) == Form::One {
            let found = self.of_first(reg, lanes);
            return self.set(reg, Value::scalar(found));
        }
        let count = self.slices_of(reg);
        let firsts = (0..count)
            .map(|nth| {
                let own = self.gang.of_vector(nth, count);
                // Where no lane of the slice executes, its last one does.
                let [own, last] = [own, own & !(own >> 1)].map(|own| self.lanes_constant(own));
                let own = self.lanes_of(Sets::And, lanes, own);
                let some = self.lanes_of(Sets::Or, own, last);
                self.of_first(reg, some)
            })
            .collect();
        self.set(reg, Value::firsts(firsts));
    }

    /// What the home row has for the first of these lanes.
    fn of_first(&mut self, reg: Reg, lanes: VReg) -> VReg {
        let wide = self.class(reg) == Class::W64;
        let [lane, row, found] = [0; 3].map(|_| self.func.value(INT));
        self.func.x(Code::Tzcnt_r64_rm64, &[O::D(lane), O::U(lanes)]);
        let lane = self.in_row(reg, lane);
        let at = self.row(reg, 0);
        self.func.x(Code::Lea_r64_m, &[O::D(row), O::M(at)]);
        let index = Some((lane, if wide { 8 } else { 4 }));
        let at = Mem { base: Base::Value(row), index, disp: 0, broadcast: false };
        let code = if wide { Code::Mov_r64_rm64 } else { Code::Mov_r32_rm32 };
        self.func.x(code, &[O::D(found), O::M(at)]);
        found
    }

    /// Parameters of a block, for the values of registers.
    pub(super) fn params(&mut self, block: Block, regs: &[Reg]) {
        let mut params = Vec::new();
        for reg in regs.iter().copied() {
            let form = self.form(reg);
            let (count, class) = match form {
                Form::One => (1, INT),
                Form::Firsts => (self.slices_of(reg), INT),
                Form::Vectors => (self.count(self.class(reg)), FLOAT),
            };
            let values: Vec<VReg> = (0..count).map(|_| self.func.value(class)).collect();
            params.extend(&values);
            let value = match form {
                Form::One => Value::scalar(values[0]),
                Form::Firsts => Value::firsts(values),
                Form::Vectors => {
                    let nan = self.floats[reg.0 as usize];
                    Value { nan, ..Value::vectors(values) }
                }
            };
            self.set(reg, value);
        }
        self.func.blocks[block.index()].params = params;
    }
}
