//! A plan to a program.

use super::collective::{ActiveMask, Collective, ShuffleConstant};
use super::control::{
    Barrier, BeginGroup, Branch, ClusterMeeting, Exit, FenceAll, Jump, Nanosleep, Nothing, Pause,
    Trap,
};
use super::copy::Copy;
use super::handler::select;
use super::handlers::{atomic_handler, load_handler, store_handler};
use super::host::Host;
use super::matrix::Multiply;
use super::operations::{AtomicOp, CopyOp, End, HostOp, MemoryOp, PredicatedOp};
use super::predicate::{Guard, Logic, Select, Unguard};
use super::predicated::{Predicated, PredicatedEnd};
use super::program::{BranchCodes, Code, Handler, Program};
use super::scalar::{binary_handler, compare_handler, ternary_handler, unary_handler};
use super::source::{Origin, has_guard};
use super::special::ReadSpecial;
use super::straight::{Source, Straight};
use crate::Level;
use crate::cta::PIECE;
use crate::fault::AccessKind;
use crate::plan::{BranchOp, Pc, Plan, Rows, Slot};
use ir::{
    Access, BlockId, Class, Inst, Interrupt, Kernel, Op, Ordering, Place, Reg, Space, Terminator,
};
use jit::fuel;
use std::sync::Arc;

impl Program {
    /// Compiles a plan for a level of vector instructions. `None` if it was interrupted.
    pub(super) fn compile(
        plan: &Arc<Plan>,
        level: Level,
        interrupt: &Interrupt<'_>,
    ) -> Option<Program> {
        let mut compiler = Compiler {
            plan,
            kernel: &plan.kernel,
            level,
            observed: plan.shape.observed,
            interrupt,
            rows: plan.rows.clone(),
            origin: Origin::Terminator(BlockId(0)),
            jumps: Vec::new(),
            place: Place::default(),
            at: Pc::START,
            program: Program {
                plan: Arc::clone(plan),
                rows: plan.rows.clone(),
                codes: Vec::new(),
                entries: vec![0; plan.len()],
                places: Vec::new(),
                begin_group: Code::alone(select::<BeginGroup>(level)),
                prologue: Vec::new(),
                branches: Vec::new(),
                memory: Vec::new(),
                atomics: Vec::new(),
                predicated: Vec::new(),
                specials: Vec::new(),
                hosts: Vec::new(),
                copies: Vec::new(),
                sites: Vec::new(),
                origins: Vec::new(),
                straight: Straight::none(),
            },
        };
        let done = compiler.prologue(&plan.prologue).and_then(|()| compiler.compile());
        let Compiler { mut program, rows, .. } = compiler;
        program.rows = rows;
        ir::made_of(program, |_| done)
    }
}

/// The compiler's state.
struct Compiler<'k> {
    plan: &'k Plan,
    kernel: &'k Kernel,
    level: Level,
    observed: bool,
    interrupt: &'k Interrupt<'k>,
    /// The plan's rows, and those of constants that are added here.
    rows: Rows,
    /// Jumps and the blocks they go to, whose codes may not be there yet.
    jumps: Vec<(usize, BlockId)>,
    /// Where the instruction comes from whose codes are emitted next.
    place: Place,
    /// The place of the plan that the codes emitted next belong to.
    at: Pc,
    /// What the codes emitted next do.
    origin: Origin,
    program: Program,
}

impl Compiler<'_> {
    /// Emits what is computed once for all CTAs, unless it is interrupted.
    fn prologue(&mut self, insts: &[Inst]) -> Option<()> {
        for inst in insts {
            self.interrupt.go_on(1)?;
            self.place = inst.place;
            self.inst(inst);
        }
        self.program.places.clear();
        self.program.origins.clear();
        self.program.prologue = std::mem::take(&mut self.program.codes);
        Some(())
    }

    /// Emits all blocks, unless it is interrupted.
    fn compile(&mut self) -> Option<()> {
        let mut starts = Vec::with_capacity(self.kernel.blocks.len());
        for id in 0..self.kernel.blocks.len() {
            starts.push(self.program.codes.len());
            self.interrupt.go_on(1)?;
            if !self.plan.predicated[id] {
                self.insts(BlockId(id as u32))?;
                self.terminator(BlockId(id as u32))?;
            }
        }
        let code = |at: Pc| self.program.entries.get(at.0 as usize).map_or(0, |at| *at as usize);
        let mut bodies = self.kernel.blocks.iter().zip(1..).filter_map(|(block, next)| {
            let Terminator::Branch { then, .. } = block.terminator else { return None };
            let is_body = self.plan.bodies.get(next) == Some(&true);
            Some(is_body.then_some(then == BlockId(next as u32)))
        });
        let codes = |branch: &BranchOp| {
            let BranchOp { p, negated, then, otherwise } = *branch;
            let (then, otherwise) = (code(then), code(otherwise));
            BranchCodes { p, negated, then, otherwise, over: bodies.next().flatten() }
        };
        self.program.branches = self.plan.branches().iter().map(codes).collect();
        for (at, to) in std::mem::take(&mut self.jumps) {
            self.program.codes[at].x = starts[to.0 as usize] as u32;
        }
        if self.observed {
            let Program { codes, origins, places, straight, .. } = &mut self.program;
            let done: Vec<bool> = places.iter().map(|place| self.plan.is_done(*place)).collect();
            let (shown, kernel) = (&*self.plan.shown, self.kernel);
            let source = Source { shown, kernel, codes, origins, done: &done };
            *straight = Straight::of(&source, self.interrupt)?;
        }
        Some(())
    }

    /// Emits the instructions of a block, unless it is interrupted.
    fn insts(&mut self, block: BlockId) -> Option<()> {
        let places = self.plan.places_of(block);
        let (mut at, mut pause) = (0, PIECE);
        while at < self.kernel.blocks[block.0 as usize].insts.len() {
            // It stands in front of the place at which a turn begins that it has ended: a turn without fuel gets on, too.
            if at >= pause {
                self.origin = Origin::Unguard;
                self.emit(select::<Pause>(self.level), Slot::NONE, [], 0, 0);
                pause = at + PIECE;
            }
            self.enter(Pc(places.start + at as u32));
            let count = self.guarded_run(block, at);
            self.interrupt.go_on(count)?;
            at += count;
        }
        Some(())
    }

    /// Lanes that stand at a place begin at the code emitted next.
    fn enter(&mut self, at: Pc) {
        self.at = at;
        self.program.entries[at.0 as usize] = self.program.codes.len() as u32;
    }

    /// Emits the instructions of a block from `start` on that have the same guard, and says how many.
    fn guarded_run(&mut self, block: BlockId, start: usize) -> usize {
        let kernel = self.kernel;
        let insts = &kernel.blocks[block.0 as usize].insts[start..];
        let guard = insts[0].guard;
        let Some(guard) = guard.filter(|_| has_guard(guard)) else {
            self.place = insts[0].place;
            self.origin = Origin::Inst(block, start);
            match self.plan.is_done(self.at) {
                true => self.emit(select::<Nothing>(self.level), Slot::NONE, [], 0, 0),
                false => self.inst(&insts[0]),
            }
            return 1;
        };
        let writes_guard = |inst: &Inst| {
            let mut writes = false;
            inst.op.operands(|operand| {
                if let ir::Operand::Def(reg) = operand {
                    writes |= guard.reg() == Some(reg);
                }
            });
            writes
        };
        let same = insts.iter().take(PIECE).take_while(|inst| inst.guard == Some(guard));
        let mut count = 0;
        for inst in same {
            count += 1;
            // What waits resumes behind the guard, so it must come last under it. Observers and schedules see every
            // instruction with a guard of its own.
            if inst.op.may_wait() || writes_guard(inst) || self.observed || self.plan.everywhere {
                break;
            }
        }
        self.place = insts[0].place;
        let (a, negated) = self.rows.pred(guard);
        let first = self.at;
        let opening = self.program.codes.len();
        self.origin = Origin::Guard(block, start);
        self.emit(select::<Guard>(self.level), Slot::NONE, [a], u32::from(negated), 0);
        for (nth, inst) in insts[..count].iter().enumerate() {
            self.place = inst.place;
            self.origin = Origin::Inst(block, start + nth);
            self.at = Pc(first.0 + nth as u32);
            self.program.entries[self.at.0 as usize] = opening as u32;
            self.inst(inst);
        }
        self.program.codes[opening].y = self.program.codes.len() as u32;
        self.origin = Origin::Unguard;
        self.emit(select::<Unguard>(self.level), Slot::NONE, [], 0, 0);
        count
    }

    fn emit<const N: usize>(&mut self, run: Handler, d: Slot, operands: [Slot; N], x: u32, y: u32) {
        let operand = |at: usize| operands.get(at).copied().unwrap_or(Slot::NONE);
        let (a, b, c) = (operand(0), operand(1), operand(2));
        self.program.codes.push(Code { run, d, a, b, c, x, y });
        self.program.places.push(self.at);
        if self.observed {
            self.program.origins.push(self.origin);
        }
    }

    /// Emits an operation that computes register `d` from rows.
    fn compute<const N: usize>(&mut self, run: Handler, d: Reg, operands: [Slot; N], x: u32) {
        let d = self.rows.reg(d);
        self.emit(run, d, operands, x, 0);
    }

    fn inst(&mut self, inst: &Inst) {
        let level = self.level;
        match &inst.op {
            Op::Unary { op, d, a } => {
                let ([class], _) = op.signature();
                let a = self.rows.src(*a, class);
                self.compute(unary_handler(*op, level), *d, [a], 0);
            }
            Op::Binary { op, d, a, b } => {
                let ([first, second], _) = op.signature();
                let operands = [self.rows.src(*a, first), self.rows.src(*b, second)];
                self.compute(binary_handler(*op, level), *d, operands, 0);
            }
            Op::Ternary { op, d, a, b, c } => {
                let ([first, second, third], _) = op.signature();
                let operands =
                    [self.rows.src(*a, first), self.rows.src(*b, second), self.rows.src(*c, third)];
                self.compute(ternary_handler(*op, level), *d, operands, 0);
            }
            Op::Compare { op, d, a, b } => {
                let ([first, second], _) = op.signature();
                let operands = [self.rows.src(*a, first), self.rows.src(*b, second)];
                let d = self.rows.reg(*d);
                self.emit(compare_handler(*op, level), d, operands, 0, 0);
            }
            Op::Logic { table, d, a, b } => {
                let ((a, flip_a), (b, flip_b)) = (self.rows.pred(*a), self.rows.pred(*b));
                let table = flipped(*table, flip_a, flip_b);
                let d = self.rows.reg(*d);
                self.emit(select::<Logic>(level), d, [a, b], u32::from(table), 0);
            }
            Op::Select { d, a, b, p } => {
                let class = self.kernel.class(*d);
                let (p, negated) = self.rows.pred(*p);
                let operands = [self.rows.src(*a, class), self.rows.src(*b, class), p];
                let run = match class {
                    Class::W64 => select::<Select<u64>>(level),
                    Class::W32 | Class::Pred => select::<Select<u32>>(level),
                };
                self.compute(run, *d, operands, u32::from(negated));
            }
            Op::Special { d, what } => {
                let d = self.rows.reg(*d);
                self.program.specials.push(*what);
                let index = self.program.specials.len() as u32 - 1;
                self.emit(select::<ReadSpecial>(level), d, [], index, 0);
            }
            Op::ActiveMask { d } => {
                let d = self.rows.reg(*d);
                self.emit(select::<ActiveMask>(level), d, [], 0, 0);
            }
            Op::Load { d, space, access, address, ordering } => {
                let values = d.iter().map(|d| d.map_or(Slot::NONE, |d| self.rows.reg(d))).collect();
                let cache = self.cache(false);
                let (index, wide) = self.memory(values, *space, *access, address, *ordering, cache);
                let run = load_handler(*space, *access, wide, level);
                self.emit(run, Slot::NONE, [], index, 0);
            }
            Op::Store { values, space, access, address, ordering } => {
                let class = ir::Builder::class_of(*access);
                let values = values.iter().map(|value| self.rows.src(*value, class)).collect();
                let cache = self.cache(true);
                let (index, wide) = self.memory(values, *space, *access, address, *ordering, cache);
                let run = store_handler(*space, *access, wide, level);
                self.emit(run, Slot::NONE, [], index, 0);
            }
            Op::Atomic { d, update, space, access, address, b, c, .. } => {
                let class = ir::Builder::class_of(*access);
                let (base, wide_base) = self.rows.base(address.base);
                let op = AtomicOp {
                    update: *update,
                    d: d.map_or(Slot::NONE, |d| self.rows.reg(d)),
                    base,
                    wide_base,
                    offset: address.offset.cast_unsigned(),
                    b: self.rows.src(*b, class),
                    c: self.rows.src(*c, class),
                    space: *space,
                    cache: self.cache(true),
                    place: self.place,
                };
                self.program.atomics.push(op);
                let index = self.program.atomics.len() as u32 - 1;
                self.emit(atomic_handler(*space, *access, level), Slot::NONE, [], index, 0);
            }
            Op::Collective { .. } => self.collective(),
            Op::Barrier { .. } => {
                if let Origin::Inst(block, nth) = self.origin {
                    self.origin = Origin::Barrier(block, nth);
                }
                self.emit(select::<Barrier>(level), Slot::NONE, [], self.plan.meeting(self.at), 0);
            }
            Op::ClusterBarrier { .. } => {
                self.emit(select::<ClusterMeeting>(level), Slot::NONE, [], 0, 0);
            }
            Op::Fence(_) => self.emit(select::<FenceAll>(level), Slot::NONE, [], 0, 0),
            Op::Nanosleep { .. } => self.emit(select::<Nanosleep>(level), Slot::NONE, [], 0, 0),
            Op::Copy(copy) => {
                let op = CopyOp {
                    to: self.end(copy.to, AccessKind::Store),
                    from: self.end(copy.from, AccessKind::Load),
                    bytes: self.rows.src(copy.bytes, Class::W32),
                    read: self.rows.src(copy.read, Class::W32),
                    unit: copy.unit,
                    update: copy.update,
                    place: self.place,
                };
                self.program.copies.push(op);
                let index = self.program.copies.len() as u32 - 1;
                self.emit(select::<Copy>(level), Slot::NONE, [], index, 0);
            }
            // Of interest to observers alone.
            Op::CopyProgress(_) if self.observed => {
                self.emit(select::<Nothing>(level), Slot::NONE, [], 0, 0);
            }
            Op::CopyProgress(_) => {}
            Op::Host { service, d, operands } => {
                let classes = service.operands().iter();
                let op = HostOp {
                    service: *service,
                    d: d.map_or(Slot::NONE, |d| self.rows.reg(d)),
                    operands: operands
                        .iter()
                        .zip(classes)
                        .map(|(src, c)| self.rows.src(*src, *c))
                        .collect(),
                    cache: self.cache(false),
                    place: self.place,
                };
                self.program.hosts.push(op);
                let index = self.program.hosts.len() as u32 - 1;
                self.emit(select::<Host>(level), Slot::NONE, [], index, 0);
            }
        }
    }

    fn collective(&mut self) {
        let op = self.plan.collective(self.at);
        if let (Origin::Inst(block, nth), true) = (self.origin, op.waits) {
            self.origin = Origin::Meeting(block, nth);
        }
        let run = match op.sources.is_some() {
            _ if op.product.is_some() => select::<Multiply>(self.level),
            true => select::<ShuffleConstant>(self.level),
            false => select::<Collective>(self.level),
        };
        self.emit(run, Slot::NONE, [], self.plan.meeting(self.at), 0);
    }

    fn terminator(&mut self, id: BlockId) -> Option<()> {
        let level = self.level;
        let block = &self.kernel.blocks[id.0 as usize];
        let instructions = self.plan.instructions[id.0 as usize];
        self.enter(Pc(self.plan.places_of(id).end - 1));
        self.place = block.place;
        self.origin = Origin::Terminator(id);
        match &block.terminator {
            Terminator::Jump(to) => {
                self.jumps.push((self.program.codes.len(), *to));
                self.emit(select::<Jump>(level), Slot::NONE, [], 0, instructions);
            }
            Terminator::Branch { p, then, otherwise } => {
                let body = BlockId(id.0 + 1);
                let (p, negated) = self.rows.pred(*p);
                if self.plan.predicated.get(body.0 as usize) == Some(&true) {
                    let join = if *then == body { *otherwise } else { *then };
                    let negated = negated != (*otherwise == body);
                    self.predicated_block(p, negated, body, join, instructions)?;
                } else {
                    let index = self.plan.meeting(self.at);
                    self.emit(select::<Branch>(level), Slot::NONE, [], index, instructions);
                }
            }
            Terminator::Exit => self.emit(select::<Exit>(level), Slot::NONE, [], 0, instructions),
            Terminator::Trap => {
                let place = self.place.0;
                self.emit(select::<Trap>(level), Slot::NONE, [], place, instructions);
            }
        }
        Some(())
    }

    /// Emits a branch over the next block, with the block inside. `instructions` are those before it.
    fn predicated_block(
        &mut self,
        p: Slot,
        negated: bool,
        body: BlockId,
        join: BlockId,
        instructions: u32,
    ) -> Option<()> {
        let opening = self.program.codes.len();
        self.program.predicated.push(PredicatedOp {
            p,
            negated,
            instructions: self.plan.instructions[body.0 as usize],
        });
        let index = self.program.predicated.len() as u32 - 1;
        self.emit(select::<Predicated>(self.level), Slot::NONE, [], index, 0);
        self.insts(body)?;
        let end = self.program.codes.len();
        self.program.codes[opening].y = end as u32;
        self.place = self.kernel.blocks[body.0 as usize].place;
        self.jumps.push((end, join));
        self.emit(select::<PredicatedEnd>(self.level), Slot::NONE, [], 0, instructions);
        Some(())
    }

    fn cache(&mut self, writes: bool) -> usize {
        self.program.sites.push(writes);
        self.program.sites.len() - 1
    }

    /// Where a copy writes or reads.
    fn end(&mut self, (space, address): (Space, ir::Address), access: AccessKind) -> End {
        let (base, wide) = self.rows.base(address.base);
        let cache = self.cache(access == AccessKind::Store);
        End { access, space, base, wide, offset: address.offset.cast_unsigned(), cache }
    }

    fn memory(
        &mut self,
        values: Vec<Slot>,
        space: Space,
        access: Access,
        address: &ir::Address,
        ordering: Ordering,
        cache: usize,
    ) -> (u32, bool) {
        let (base, wide) = self.rows.base(address.base);
        // Nobody else sees local memory.
        let strong = space != Space::Local && ordering.scope().is_some();
        let fuel = if strong { fuel::STRONG.into() } else { 0 };
        let place = self.place;
        let offset = address.offset.cast_unsigned();
        self.program.memory.push(MemoryOp {
            values,
            base,
            offset,
            access,
            space,
            cache,
            fuel,
            strong,
            place,
        });
        (self.program.memory.len() as u32 - 1, wide)
    }
}

/// The truth table of a function whose operands are flipped first.
fn flipped(table: u8, flip_a: bool, flip_b: bool) -> u8 {
    let flip = u8::from(flip_a) << 1 | u8::from(flip_b);
    (0..4).fold(0, |found, bits| found | (table >> (bits ^ flip) & 1) << bits)
}
