//! Blocks for some of a warp's lanes ([`super::apart`]).
//!
//! Lanes that have parted are noted for the block where they go on, and the earliest block for which any are noted runs next, as the
//! default schedule has it. Results are blended where other lanes need what the register held.

use super::Lower;
use super::lane_bits::Sets;
use super::mask::Masked;
use super::value::{FLOAT, Form, INT, Value};
use crate::exit::{Leaving, Why};
use crate::mir::{Base, Kind, Mem, O};
use iced_x86::{Code, ConditionCode};
use ir::{BlockId, Class, Inst, Interrupt, Op, Operand, Pred, Reg, Terminator};
use regalloc2::{Block, VReg};

impl Lower<'_> {
    fn pending(&self, part: usize, block: usize) -> Mem {
        let slot = self.parts.pending.get(&(part, block)).copied().unwrap_or(0);
        Mem::new(Base::Context, crate::context::PENDING + 8 * slot as i32)
    }

    /// The values that a block of a part is given.
    fn handed_to(&mut self, part: usize, nth: usize) -> Vec<VReg> {
        let parts = self.parts;
        self.handed_all(&parts.all[part].needed[nth])
    }

    /// All lanes are here and part: those of `bits` go to one block, the others to another.
    pub(super) fn come_apart(
        &mut self,
        part: usize,
        bits: VReg,
        then: BlockId,
        otherwise: BlockId,
    ) {
        let parts = self.parts;
        let rest = self.lanes_not(bits);
        for (to, lanes) in [(then, bits), (otherwise, rest)] {
            let at = self.pending(part, to.0 as usize);
            self.lanes_store(at, lanes);
        }
        self.count_divergences(bits, rest);
        let position = |to: BlockId| parts.all[part].position(to.0 as usize).unwrap_or(0);
        let first = position(then).min(position(otherwise));
        let args = self.handed_to(part, first);
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
        self.state.clear();
        self.shared = None;
        self.masked = None;
        self.live = nodes.all[node].live.iter().copied().collect();
        self.func.begin(check);
        self.params(check, &self.passed(&whole.needed[nth]));
        let at = self.pending(part, block);
        let lanes = self.lanes_load(at);
        let last = nth + 1 == whole.blocks.len();
        let clear = |this: &mut Self| this.func.x(Code::Mov_rm64_imm32, &[O::M(at), O::I32(0)]);
        if last {
            clear(self);
            self.note_lanes(lanes);
            self.masked = Some(Masked { part, nth, lanes, masks: None, wide: None });
            self.guard(ConditionCode::ne, place, |this| this.are_all(lanes));
            self.masked = None;
            let args = self.handed_on(node);
            self.func.end(Kind::Jump, vec![(self.blocks[node], args)]);
            return Some(());
        }
        let [skip, some, body] = [0; 3].map(|_| self.func.block());
        self.is_any(lanes);
        let both = vec![(skip, Vec::new()), (some, Vec::new())];
        self.func.end(Kind::Branch(ConditionCode::e), both);
        let state = self.state.clone();
        self.func.begin(skip);
        let args = self.handed_to(part, nth + 1);
        self.func.end(Kind::Jump, vec![(self.checks[part][nth + 1], args)]);
        self.state = state;
        self.func.begin(some);
        clear(self);
        if whole.meets[nth] {
            let all = self.func.block();
            self.are_all(lanes);
            let both = vec![(all, Vec::new()), (body, Vec::new())];
            self.func.end(Kind::Branch(ConditionCode::e), both);
            let state = self.state.clone();
            self.func.begin(all);
            let args = self.handed_on(node);
            self.func.end(Kind::Jump, vec![(self.blocks[node], args)]);
            self.state = state;
        } else {
            self.func.end(Kind::Jump, vec![(body, Vec::new())]);
        }
        self.func.begin(body);
        self.note_lanes(lanes);
        self.masked = Some(Masked { part, nth, lanes, masks: None, wide: None });
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
        self.masked_end(part, nth, lanes);
        self.masked = None;
        Some(())
    }

    /// Says which lanes execute, for exits.
    fn note_lanes(&mut self, lanes: VReg) {
        let at = Mem::new(Base::Context, crate::context::LANES);
        self.func.x(Code::Mov_rm64_r64, &[O::M(at), O::U(lanes)]);
    }

    fn masked_end(&mut self, part: usize, nth: usize, lanes: VReg) {
        let parts = self.parts;
        let whole = &parts.all[part];
        let block = whole.blocks[nth];
        self.count_masked(self.input.instructions[block], lanes);
        let position = |to: BlockId| whole.position(to.0 as usize).unwrap_or(0);
        match self.input.kernel.blocks[block].terminator {
            Terminator::Jump(to) => self.masked_go(part, nth, position(to), lanes),
            Terminator::Branch { p: Pred::Const(value), then, otherwise } => {
                let to = if value { then } else { otherwise };
                self.masked_go(part, nth, position(to), lanes);
            }
            Terminator::Branch { p, then, otherwise } => {
                let bits = self.bits(p);
                let taken = self.lanes_of(Sets::And, bits, lanes);
                let not = self.lanes_not(bits);
                let left = self.lanes_of(Sets::And, not, lanes);
                self.count_divergences(taken, left);
                let ways = [(position(then), taken), (position(otherwise), left)];
                for (to, lanes) in ways.iter().filter(|(to, _)| *to > nth) {
                    let at = self.pending(part, whole.blocks[*to]);
                    self.func.x(Code::Or_rm64_r64, &[O::M(at), O::U(*lanes)]);
                }
                match ways.iter().find(|(to, _)| *to <= nth) {
                    None => self.masked_next(part, nth),
                    Some((to, lanes)) => {
                        let [back, on] = [0; 2].map(|_| self.func.block());
                        self.is_any(*lanes);
                        let both = vec![(back, Vec::new()), (on, Vec::new())];
                        self.func.end(Kind::Branch(ConditionCode::ne), both);
                        let state = self.state.clone();
                        self.func.begin(back);
                        self.note_lanes(*lanes);
                        self.masked_back(part, *to, *lanes);
                        self.state = state;
                        self.func.begin(on);
                        self.masked_next(part, nth);
                    }
                }
            }
            Terminator::Exit | Terminator::Trap => self.masked_next(part, nth),
        }
    }

    /// Counts so many instructions of the front end, which these lanes have executed.
    fn count_masked(&mut self, count: u32, lanes: VReg) {
        let active = self.func.value(INT);
        self.func.x(Code::Popcnt_r64_rm64, &[O::D(active), O::U(lanes)]);
        let times = Code::Imul_r32_rm32_imm32;
        let counted = self.func.value(INT);
        self.func.x(times, &[O::D(counted), O::U(active), O::I32(count as i32)]);
        let sum = Mem::new(Base::Context, crate::context::MASKED_LANES);
        self.func.x(Code::Add_rm64_r64, &[O::M(sum), O::U(counted)]);
        let sum = Mem::new(Base::Context, crate::context::MASKED_INSTRUCTIONS);
        let all = count * self.gang.warps as u32;
        self.func.x(Code::Add_rm64_imm32, &[O::M(sum), O::I32(all as i32)]);
        if self.gang.warps > 1 {
            for lanes in self.of_warps(lanes) {
                // Nobody of the warp executes it.
                self.seldom(lanes, Code::Test_rm32_r32, ConditionCode::e, |this| {
                    this.func.x(Code::Sub_rm64_imm32, &[O::M(sum), O::I32(count as i32)]);
                });
            }
        }
    }

    /// Counts the warps of which there are lanes in both sets.
    fn count_divergences(&mut self, one: VReg, other: VReg) {
        let sum = Mem::new(Base::Context, crate::context::DIVERGENCES);
        // Mostly all go the same way.
        self.seldom(one, Code::Test_rm64_r64, ConditionCode::ne, |this| {
            this.seldom(other, Code::Test_rm64_r64, ConditionCode::ne, |this| {
                let (one, other) = (this.of_warps(one), this.of_warps(other));
                for (one, other) in one.into_iter().zip(other) {
                    let (one, other) = (this.is_some(one), this.is_some(other));
                    let both = this.tied(Code::And_r32_rm32, one, O::U(other));
                    this.func.x(Code::Add_rm64_r64, &[O::M(sum), O::U(both)]);
                }
            });
        });
    }

    /// Emits what is done if a condition holds of a set of lanes.
    fn seldom(
        &mut self,
        lanes: VReg,
        test: Code,
        condition: ConditionCode,
        what: impl FnOnce(&mut Self),
    ) {
        let [then, mostly, join] = [0; 3].map(|_| self.func.block());
        self.func.x(test, &[O::U(lanes), O::U(lanes)]);
        self.func.end(Kind::Branch(condition), vec![(then, Vec::new()), (mostly, Vec::new())]);
        let state = self.state.clone();
        self.func.begin(then);
        what(self);
        self.func.end(Kind::Jump, vec![(join, Vec::new())]);
        self.state = state;
        self.func.begin(mostly);
        self.func.end(Kind::Jump, vec![(join, Vec::new())]);
        self.func.begin(join);
    }

    /// 1 if there is a lane of a warp, else 0.
    fn is_some(&mut self, lanes: VReg) -> VReg {
        let [byte, flag] = [0; 2].map(|_| self.func.value(INT));
        self.func.x(Code::Test_rm32_r32, &[O::U(lanes), O::U(lanes)]);
        self.func.x(Code::Setne_rm8, &[O::D(byte)]);
        self.func.x(Code::Movzx_r32_rm8, &[O::D(flag), O::U(byte)]);
        flag
    }

    /// The lanes go on at a block of the part.
    fn masked_go(&mut self, part: usize, nth: usize, to: usize, lanes: VReg) {
        if to <= nth {
            return self.masked_back(part, to, lanes);
        }
        let block = self.parts.all[part].blocks[to];
        let at = self.pending(part, block);
        self.func.x(Code::Or_rm64_r64, &[O::M(at), O::U(lanes)]);
        self.masked_next(part, nth);
    }

    /// Goes on at the next block for which lanes are noted.
    fn masked_next(&mut self, part: usize, nth: usize) {
        let args = self.handed_to(part, nth + 1);
        self.func.end(Kind::Jump, vec![(self.checks[part][nth + 1], args)]);
    }

    /// Lanes go back: they stand earliest.
    fn masked_back(&mut self, part: usize, to: usize, lanes: VReg) {
        let parts = self.parts;
        let block = parts.all[part].blocks[to];
        let place = self.nodes.place(self.nodes.first[block], self.input.starts);
        let (values, kept) = self.keep(&parts.all[part].needed[to]);
        let first = 0;
        let masked = Some(self.nodes.all[self.nodes.first[block]].live.clone());
        self.func.exits.push(Leaving { why: Why::Yields, place, first, kept, masked });
        let exit = self.func.exits.len() as u32 - 1;
        let fuel = Mem::new(Base::Context, crate::context::FUEL);
        self.func.x(Code::Sub_rm64_imm8, &[O::M(fuel), O::I8(1)]);
        let kind = Kind::Guard { condition: ConditionCode::s, exit };
        self.func.may_leave(kind, &[], &values);
        let at = self.pending(part, block);
        self.lanes_store(at, lanes);
        let args = self.handed_to(part, to);
        self.func.end(Kind::Jump, vec![(self.checks[part][to], args)]);
    }

    /// An instruction of the lanes that execute.
    pub(super) fn masked_inst(&mut self, inst: &Inst, place: u32, masked: &Masked) {
        let kept = &self.parts.all[masked.part].kept[masked.nth];
        let mut old = Vec::new();
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand
                && kept.contains(&reg)
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
        if !done && !self.each_lane(inst, place) {
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
    fn lane_masks(&mut self, class: Class) -> Vec<VReg> {
        let Some(masked) = self.masked.clone() else { return Vec::new() };
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
        let count = self.gang.lanes() / self.slice_of(reg);
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
                Form::Firsts => (self.gang.lanes() / self.slice_of(reg), INT),
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
