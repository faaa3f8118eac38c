//! IR to a program for CTAs of one size.

use super::collective::{ActiveMask, Collective, CollectiveMeeting, ShuffleConstant};
use super::control::{
    Barrier, BarrierMeeting, BeginGroup, Branch, Exit, FenceAll, Jump, Nanosleep, Nothing, PIECE,
    Pause, Trap,
};
use super::frame::{Code, Constant, Handler, Program};
use super::handler::select;
use super::handlers::{atomic_handler, load_handler, store_handler};
use super::host::Host;
use super::invariant::hoist;
use super::launch_values::LaunchValues;
use super::matrix::Multiply;
use super::operations::{
    AtomicOp, BarrierOp, BranchOp, CollectiveOp, ConstantShuffle, HostOp, MemoryOp, PredicatedOp,
    ProductOp, Reduction,
};
use super::predicate::{Guard, Logic, Select, Unguard};
use super::predicated::{self, Predicated, PredicatedEnd};
use super::scalar::{binary_handler, compare_handler, ternary_handler, unary_handler};
use super::simplify::simplify;
use super::slot::Slot;
use super::slots::{self, Assignment};
use super::source::{Origin, Source, has_guard};
use super::special::ReadSpecial;
use crate::Level;
use ir::{
    Access, BarrierAction, BlockId, Class, CollectiveKind, Extents, Inst, Interrupt, Kernel,
    Members, Op, Ordering, Place, Pred, Reg, Space, Src, Tells, Terminator, WarpRules,
};
use lanes::WARP;
use std::collections::HashMap;

impl Program {
    /// Compiles a kernel for one launch with CTAs of `threads` threads. For an observed run every instruction and
    /// register stays as the kernel has it, and whoever may have to wait meets the others in [`crate::cta`]. `None` if it was
    /// interrupted.
    pub(crate) fn compile(
        kernel: &Kernel,
        launch: &LaunchValues<'_>,
        threads: u32,
        level: Level,
        observed: bool,
        interrupt: &Interrupt<'_>,
    ) -> Option<Program> {
        let predicated = match observed {
            true => vec![false; kernel.blocks.len()],
            false => predicated::find(kernel),
        };
        let warps = threads.div_ceil(WARP as u32);
        let full_warps = threads.is_multiple_of(WARP as u32);
        let mut simplified;
        let mut invariant = Vec::new();
        let (source, assignment) = if observed {
            (kernel, slots::one_row_each(kernel))
        } else {
            simplified = simplify(kernel, launch, full_warps, interrupt)?;
            let assignment = match Extents::of(&simplified, interrupt) {
                Some(extents) => {
                    invariant = hoist(&mut simplified, &extents);
                    slots::assign(&simplified, &invariant, &extents, full_warps)
                }
                None if interrupt.heard() => return None,
                None => slots::one_row_each(&simplified),
            };
            (&simplified, assignment)
        };
        let longest = source.blocks.iter().map(|block| block.insts.len()).max().unwrap_or(0);
        let mut compiler = Compiler {
            kernel: source,
            original: kernel,
            predicated,
            level,
            observed,
            warps,
            shared_end: assignment.shared_words,
            assignment,
            origin: Origin::Terminator(BlockId(0)),
            origins: Vec::new(),
            constant_rows: HashMap::new(),
            jumps: Vec::new(),
            place: Place::default(),
            program: Program {
                codes: Vec::new(),
                invariant: Vec::new(),
                begin_group: Code::alone(select::<BeginGroup>(level)),
                register_words: 0,
                constants: Vec::new(),
                zeros: Vec::new(),
                memory: Vec::new(),
                atomics: Vec::new(),
                collectives: Vec::new(),
                barriers: Vec::new(),
                branches: Vec::new(),
                predicated: Vec::new(),
                specials: Vec::new(),
                hosts: Vec::new(),
                caches: Vec::new(),
                places: Vec::new(),
                longest: longest.clamp(1, PIECE) as u64 * u64::from(warps),
                rules: kernel.rules,
                source: None,
            },
        };
        compiler.invariant(&invariant);
        compiler.compile(interrupt)?;
        Some(compiler.finish())
    }
}

impl Program {
    /// Whether a step of a schedule that chooses step by step begins at a code.
    pub(crate) fn begins_step(&self, at: usize) -> bool {
        self.source.as_ref().is_some_and(|source| source.steps.get(at) == Some(&true))
    }

    /// What the step that begins at a code shows of the lanes that take it together, if they need not.
    pub(crate) fn tells(&self, at: usize) -> Tells {
        let told = self.source.as_ref().and_then(|source| source.tells.get(at).copied());
        told.unwrap_or(Tells::Nothing)
    }
}

/// The compiler's state. Until [`Compiler::finish`], slots that vary by warp (those with a stride) count from the
/// start of a warp's part, because constants are still being added to the shared part before it.
struct Compiler<'k> {
    kernel: &'k Kernel,
    /// The kernel before it was simplified: instructions are counted as they stand there.
    original: &'k Kernel,
    /// Per block, whether the block before it runs it in place.
    predicated: Vec<bool>,
    level: Level,
    observed: bool,
    warps: u32,
    assignment: Assignment,
    shared_end: u32,
    constant_rows: HashMap<(Class, u64), Slot>,
    /// Jumps and the blocks they go to, whose codes may not be there yet.
    jumps: Vec<(usize, BlockId)>,
    place: Place,
    /// What the codes emitted next do, and what all before them did.
    origin: Origin,
    origins: Vec<Origin>,
    program: Program,
}

impl Compiler<'_> {
    /// Emits what is computed once for all CTAs.
    fn invariant(&mut self, insts: &[Inst]) {
        for inst in insts {
            self.place = inst.place;
            self.inst(inst, false);
        }
        self.program.places.clear();
        self.program.invariant = std::mem::take(&mut self.program.codes);
    }

    /// Emits all blocks, unless it is interrupted.
    fn compile(&mut self, interrupt: &Interrupt<'_>) -> Option<()> {
        let mut starts = Vec::with_capacity(self.kernel.blocks.len());
        for id in 0..self.kernel.blocks.len() {
            starts.push(self.program.codes.len());
            if interrupt.stops(self.kernel.blocks[id].insts.len()) {
                return None;
            }
            if !self.predicated[id] {
                self.insts(BlockId(id as u32));
                self.terminator(BlockId(id as u32));
            }
        }
        for branch in &mut self.program.branches {
            branch.then = starts[branch.then];
            branch.otherwise = starts[branch.otherwise];
        }
        for (at, to) in std::mem::take(&mut self.jumps) {
            self.program.codes[at].x = starts[to.0 as usize] as u32;
        }
        Some(())
    }

    /// Emits the instructions of a block.
    fn insts(&mut self, block: BlockId) {
        let (mut at, mut pause) = (0, PIECE);
        while at < self.kernel.blocks[block.0 as usize].insts.len() {
            if at >= pause {
                self.origin = Origin::Unguard;
                self.emit(select::<Pause>(self.level), Slot::NONE, [], 0, 0);
                pause = at + PIECE;
            }
            at += self.guarded_run(block, at);
        }
    }

    /// Emits the instructions of a block from `start` on that have the same guard, and says how many.
    fn guarded_run(&mut self, block: BlockId, start: usize) -> usize {
        let kernel = self.kernel;
        let insts = &kernel.blocks[block.0 as usize].insts[start..];
        let guard = insts[0].guard;
        let Some(guard) = guard.filter(|_| has_guard(guard)) else {
            self.place = insts[0].place;
            self.origin = Origin::Inst(block, start);
            self.inst(&insts[0], false);
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
            if inst.op.may_wait() || writes_guard(inst) || self.observed {
                break;
            }
        }
        self.place = insts[0].place;
        let (a, negated) = self.pred(guard);
        let opening = self.program.codes.len();
        self.origin = Origin::Guard(block, start);
        self.emit(select::<Guard>(self.level), Slot::NONE, [a], u32::from(negated), 0);
        for (nth, inst) in insts[..count].iter().enumerate() {
            self.place = inst.place;
            self.origin = Origin::Inst(block, start + nth);
            self.inst(inst, true);
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
        self.program.places.push(self.place);
        if self.observed {
            self.origins.push(self.origin);
        }
    }

    /// Emits an operation that computes register `d` from rows.
    fn compute<const N: usize>(&mut self, run: Handler, d: Reg, operands: [Slot; N], x: u32) {
        let d = self.reg(d);
        self.emit(run, d, operands, x, 0);
    }

    fn inst(&mut self, inst: &Inst, guarded: bool) {
        let level = self.level;
        match &inst.op {
            Op::Unary { op, d, a } => {
                let ([class], _) = op.signature();
                let a = self.src(*a, class);
                self.compute(unary_handler(*op, level), *d, [a], 0);
            }
            Op::Binary { op, d, a, b } => {
                let ([first, second], _) = op.signature();
                let operands = [self.src(*a, first), self.src(*b, second)];
                self.compute(binary_handler(*op, level), *d, operands, 0);
            }
            Op::Ternary { op, d, a, b, c } => {
                let ([first, second, third], _) = op.signature();
                let operands = [self.src(*a, first), self.src(*b, second), self.src(*c, third)];
                self.compute(ternary_handler(*op, level), *d, operands, 0);
            }
            Op::Compare { op, d, a, b } => {
                let ([first, second], _) = op.signature();
                let operands = [self.src(*a, first), self.src(*b, second)];
                let d = self.reg(*d);
                self.emit(compare_handler(*op, level), d, operands, 0, 0);
            }
            Op::Logic { table, d, a, b } => {
                let ((a, flip_a), (b, flip_b)) = (self.pred(*a), self.pred(*b));
                let table = flipped(*table, flip_a, flip_b);
                let d = self.reg(*d);
                self.emit(select::<Logic>(level), d, [a, b], u32::from(table), 0);
            }
            Op::Select { d, a, b, p } => {
                let class = self.kernel.class(*d);
                let (p, negated) = self.pred(*p);
                let operands = [self.src(*a, class), self.src(*b, class), p];
                let run = match class {
                    Class::W64 => select::<Select<u64>>(level),
                    Class::W32 | Class::Pred => select::<Select<u32>>(level),
                };
                self.compute(run, *d, operands, u32::from(negated));
            }
            Op::Special { d, what } => {
                let d = self.reg(*d);
                self.program.specials.push(*what);
                let index = self.program.specials.len() as u32 - 1;
                self.emit(select::<ReadSpecial>(level), d, [], index, 0);
            }
            Op::ActiveMask { d } => {
                let d = self.reg(*d);
                self.emit(select::<ActiveMask>(level), d, [], 0, 0);
            }
            Op::Load { d, space, access, address, ordering } => {
                let values = d.iter().map(|d| d.map_or(Slot::NONE, |d| self.reg(d))).collect();
                let cache = self.cache(false);
                let (index, wide) = self.memory(values, *space, *access, address, *ordering, cache);
                let run = load_handler(*space, *access, wide, level);
                self.emit(run, Slot::NONE, [], index, 0);
            }
            Op::Store { values, space, access, address, ordering } => {
                let class = ir::Builder::class_of(*access);
                let values = values.iter().map(|value| self.src(*value, class)).collect();
                let cache = self.cache(true);
                let (index, wide) = self.memory(values, *space, *access, address, *ordering, cache);
                let run = store_handler(*space, *access, wide, level);
                self.emit(run, Slot::NONE, [], index, 0);
            }
            Op::Atomic { d, update, space, access, address, b, c, .. } => {
                let class = ir::Builder::class_of(*access);
                let (base, wide_base) = self.base(address.base);
                let op = AtomicOp {
                    update: *update,
                    d: d.map_or(Slot::NONE, |d| self.reg(d)),
                    base,
                    wide_base,
                    offset: address.offset.cast_unsigned(),
                    b: self.src(*b, class),
                    c: self.src(*c, class),
                    space: *space,
                    cache: self.cache(true),
                    place: self.place,
                };
                self.program.atomics.push(op);
                let index = self.program.atomics.len() as u32 - 1;
                self.emit(atomic_handler(*space, *access, level), Slot::NONE, [], index, 0);
            }
            Op::Collective { what, members, .. } => self.collective(what, *members, guarded),
            Op::Barrier { action, id, threads, .. } => {
                let reduction = match action {
                    BarrierAction::Sync | BarrierAction::Arrive => None,
                    BarrierAction::Reduce { op, d, p } => {
                        let (p, negated) = self.pred(*p);
                        Some(Reduction { op: *op, d: self.reg(*d), p, negated })
                    }
                };
                let barrier = BarrierOp {
                    id: self.src(*id, Class::W32),
                    threads: threads.map(|threads| self.src(threads, Class::W32)),
                    arrive_only: *action == BarrierAction::Arrive,
                    reduction,
                    resume: self.resume(guarded),
                };
                self.program.barriers.push(barrier);
                let index = self.program.barriers.len() as u32 - 1;
                let run = match self.observed {
                    true => select::<BarrierMeeting>(level),
                    false => select::<Barrier>(level),
                };
                self.emit(run, Slot::NONE, [], index, 0);
            }
            Op::Fence(_) => self.emit(select::<FenceAll>(level), Slot::NONE, [], 0, 0),
            Op::Nanosleep { .. } => self.emit(select::<Nanosleep>(level), Slot::NONE, [], 0, 0),
            // Of interest to observers alone.
            Op::AsyncCopy(_) if self.observed => {
                self.emit(select::<Nothing>(level), Slot::NONE, [], 0, 0);
            }
            Op::AsyncCopy(_) => {}
            Op::Host { service, d, operands } => {
                let classes = service.operands().iter();
                let op = HostOp {
                    service: *service,
                    d: d.map_or(Slot::NONE, |d| self.reg(d)),
                    operands: operands
                        .iter()
                        .zip(classes)
                        .map(|(src, c)| self.src(*src, *c))
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

    fn collective(&mut self, what: &ir::Collective, members: Members, guarded: bool) {
        use ir::Collective as C;
        let (none, rules) = (Slot::NONE, self.kernel.rules);
        let optional =
            |compiler: &mut Self, reg: Option<Reg>| reg.map_or(none, |reg| compiler.reg(reg));
        let (mut b, mut c, mut negated) = (none, none, false);
        let (mut sources, mut product) = (None, None);
        let (d, p, a) = match what {
            C::Shfl { mode, d, p, a, b: offset, c: clamp } => {
                b = self.src(*offset, Class::W32);
                c = self.src(*clamp, Class::W32);
                if let (Src::Imm(b), Src::Imm(c)) = (offset, clamp) {
                    sources = Some(ConstantShuffle::new(*mode, *b as u32, *c as u32));
                }
                (self.reg(*d), optional(self, *p), self.src(*a, Class::W32))
            }
            C::Vote { d, a, .. } => {
                let (a, flip) = self.pred(*a);
                negated = flip;
                (none, self.reg(*d), a)
            }
            C::Ballot { d, a } => {
                let (a, flip) = self.pred(*a);
                negated = flip;
                (self.reg(*d), none, a)
            }
            C::MatchAny { d, a, wide } => (self.reg(*d), none, self.src(*a, value_class(*wide))),
            C::MatchAll { d, p, a, wide } => {
                (optional(self, *d), optional(self, *p), self.src(*a, value_class(*wide)))
            }
            C::Redux { d, a, .. } | C::ReduxF32 { d, a, .. } | C::MovMatrix { d, a } => {
                (self.reg(*d), none, self.src(*a, Class::W32))
            }
            C::Elect { d, p } => (optional(self, *d), self.reg(*p), none),
            C::WarpSync | C::Matrix(_) => (none, none, none),
            C::Mma(mma) => {
                let slots = |compiler: &mut Self, sources: &[Src]| {
                    sources.iter().map(|src| compiler.src(*src, mma.class())).collect()
                };
                product = Some(Box::new(ProductOp {
                    product: mma.product,
                    a: slots(self, &mma.a),
                    b: slots(self, &mma.b),
                    c: slots(self, &mma.c),
                    d: mma.d.iter().map(|d| optional(self, *d)).collect(),
                }));
                (none, none, none)
            }
        };
        // Below sm_70 the lanes of a warp run in lockstep: nobody waits, and of the active lanes those of each
        // membermask take part. What moves values asks for nobody else's membermask.
        let waits = matches!(members, Members::Mask(_)) && rules == WarpRules::Independent;
        let counts = waits || !(what.offered().is_some() || what.only_waits());
        let everybody = Members::Mask(Src::Imm(u64::from(u32::MAX)));
        let members = match members {
            Members::Mask(mask) if waits || (counts && members != everybody) => {
                Some(self.src(mask, Class::W32))
            }
            Members::Mask(_) | Members::Active => None,
        };
        let kind: CollectiveKind = what.kind();
        let resume = self.resume(guarded);
        let (constant, multiplies) = (sources.is_some(), product.is_some());
        let op =
            CollectiveOp { kind, d, p, a, b, c, negated, members, waits, sources, product, resume };
        self.program.collectives.push(op);
        let index = self.program.collectives.len() as u32 - 1;
        let run = match (self.observed && waits, constant) {
            (true, _) => select::<CollectiveMeeting>(self.level),
            (false, _) if multiplies => select::<Multiply>(self.level),
            (false, true) => select::<ShuffleConstant>(self.level),
            (false, false) => select::<Collective>(self.level),
        };
        self.emit(run, none, [], index, 0);
    }

    fn terminator(&mut self, id: BlockId) {
        let level = self.level;
        let block = &self.kernel.blocks[id.0 as usize];
        let instructions = self.instructions(id);
        self.place = block.place;
        self.origin = Origin::Terminator(id);
        match &block.terminator {
            Terminator::Jump(to) => {
                self.jumps.push((self.program.codes.len(), *to));
                self.emit(select::<Jump>(level), Slot::NONE, [], 0, instructions);
            }
            Terminator::Branch { p, then, otherwise } => {
                let body = BlockId(id.0 + 1);
                let (p, negated) = self.pred(*p);
                if self.predicated.get(body.0 as usize) == Some(&true) {
                    let join = if *then == body { *otherwise } else { *then };
                    self.predicated_block(
                        p,
                        negated != (*otherwise == body),
                        body,
                        join,
                        instructions,
                    );
                    return;
                }
                let (then, otherwise) = (then.0 as usize, otherwise.0 as usize);
                self.program.branches.push(BranchOp { p, negated, then, otherwise });
                let index = self.program.branches.len() as u32 - 1;
                self.emit(select::<Branch>(level), Slot::NONE, [], index, instructions);
            }
            Terminator::Exit => self.emit(select::<Exit>(level), Slot::NONE, [], 0, instructions),
            Terminator::Trap => {
                let place = self.place.0;
                self.emit(select::<Trap>(level), Slot::NONE, [], place, instructions);
            }
        }
    }

    /// Emits a branch over the next block, with the block inside. `instructions` are those before it.
    fn predicated_block(
        &mut self,
        p: Slot,
        negated: bool,
        body: BlockId,
        join: BlockId,
        instructions: u32,
    ) {
        let opening = self.program.codes.len();
        self.program.predicated.push(PredicatedOp {
            p,
            negated,
            instructions: self.instructions(body),
        });
        let index = self.program.predicated.len() as u32 - 1;
        self.emit(select::<Predicated>(self.level), Slot::NONE, [], index, 0);
        self.insts(body);
        let end = self.program.codes.len();
        self.program.codes[opening].y = end as u32;
        self.place = self.kernel.blocks[body.0 as usize].place;
        self.jumps.push((end, join));
        self.emit(select::<PredicatedEnd>(self.level), Slot::NONE, [], 0, instructions);
    }

    /// How many instructions of the front end a block has.
    fn instructions(&self, block: BlockId) -> u32 {
        let block = &self.original.blocks[block.0 as usize];
        instructions(&block.insts, block.place)
    }

    /// Where lanes go on that have waited in the code emitted next: behind it, and behind its guard.
    fn resume(&self, guarded: bool) -> usize {
        self.program.codes.len() + 1 + usize::from(guarded)
    }

    fn cache(&mut self, writes: bool) -> usize {
        self.program.caches.push(writes);
        self.program.caches.len() - 1
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
        let (base, wide) = self.base(address.base);
        let strong = ordering.scope().is_some();
        let fuel = if strong { 64 } else { 0 };
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

    /// The slot of an address base, and whether it has 64 bits.
    fn base(&mut self, base: Src) -> (Slot, bool) {
        let wide = match base {
            Src::Reg(reg) => self.kernel.class(reg) == Class::W64,
            Src::Imm(_) => true,
        };
        (self.src(base, value_class(wide)), wide)
    }

    fn reg(&self, reg: Reg) -> Slot {
        let size = slots::words(self.kernel.class(reg));
        match self.assignment.homes[reg.0 as usize] {
            Some(home) if home.shared => Slot { offset: home.offset, stride: 0 },
            Some(home) => Slot { offset: home.offset, stride: size },
            None => Slot::NONE,
        }
    }

    fn src(&mut self, src: Src, class: Class) -> Slot {
        match src {
            Src::Reg(reg) => self.reg(reg),
            Src::Imm(value) => self.constant(class, value),
        }
    }

    fn pred(&mut self, pred: Pred) -> (Slot, bool) {
        match pred {
            Pred::Is(reg) => (self.reg(reg), false),
            Pred::Not(reg) => (self.reg(reg), true),
            Pred::Const(value) => (self.constant(Class::Pred, u64::from(value)), false),
        }
    }

    /// A shared row that holds a constant from the start.
    fn constant(&mut self, class: Class, value: u64) -> Slot {
        let value = match class {
            Class::W32 => u64::from(value as u32),
            Class::W64 => value,
            Class::Pred => u64::from(value != 0),
        };
        if let Some(slot) = self.constant_rows.get(&(class, value)) {
            return *slot;
        }
        let slot = Slot { offset: self.shared_end, stride: 0 };
        self.shared_end += slots::shared_words(class);
        self.constant_rows.insert((class, value), slot);
        self.program.constants.push(Constant { start: slot.offset as usize, class, value });
        slot
    }

    /// Gives every varying row its place behind the shared part: rows of one register lie together,
    /// warp after warp.
    fn finish(mut self) -> Program {
        let (shared, warps) = (self.shared_end, self.warps);
        let varying = self.assignment.words_per_warp;
        // Predicates lie behind the rows, so that rows start at whole cache lines.
        let predicates = shared + varying * warps;
        let start =
            |stride: u32| if stride == slots::words(Class::Pred) { predicates } else { shared };
        let place = |slot: &mut Slot| {
            if !slot.is_none() && !slot.is_uniform() {
                slot.offset = start(slot.stride) + slot.offset * warps;
            }
        };
        let program = &mut self.program;
        for code in program.codes.iter_mut().chain(&mut program.invariant) {
            [&mut code.d, &mut code.a, &mut code.b, &mut code.c].into_iter().for_each(place);
        }
        for op in &mut program.memory {
            place(&mut op.base);
            op.values.iter_mut().for_each(place);
        }
        for op in &mut program.atomics {
            [&mut op.d, &mut op.base, &mut op.b, &mut op.c].into_iter().for_each(place);
        }
        for op in &mut program.collectives {
            let slots = [&mut op.d, &mut op.p, &mut op.a, &mut op.b, &mut op.c];
            let matrices = op.product.iter_mut().flat_map(|product| product.slots_mut());
            slots.into_iter().chain(&mut op.members).chain(matrices).for_each(place);
        }
        for op in &mut program.barriers {
            place(&mut op.id);
            op.threads.iter_mut().for_each(place);
            if let Some(reduction) = &mut op.reduction {
                place(&mut reduction.d);
                place(&mut reduction.p);
            }
        }
        for op in &mut program.hosts {
            op.operands.iter_mut().chain([&mut op.d]).for_each(place);
        }
        for op in &mut program.branches {
            place(&mut op.p);
        }
        for op in &mut program.predicated {
            place(&mut op.p);
        }
        for home in self.assignment.homes.iter().flatten().filter(|home| home.starts_zero) {
            let (start, words) = match home.shared {
                true => (home.offset, home.words),
                false => (start(home.words) + home.offset * warps, home.words * warps),
            };
            program.zeros.push(start as usize..(start + words) as usize);
        }
        program.register_words =
            (predicates + self.assignment.predicates_per_warp * warps) as usize;
        if self.observed {
            let registers = 0..self.kernel.registers.len() as u32;
            let mut slots: Vec<Slot> = registers.map(|reg| self.reg(Reg(reg))).collect();
            slots.iter_mut().for_each(place);
            let origins = std::mem::take(&mut self.origins);
            self.program.source = Some(Source::new(self.kernel, slots, origins));
        }
        self.program
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

fn value_class(wide: bool) -> Class {
    if wide { Class::W64 } else { Class::W32 }
}

/// The truth table of a function whose operands are flipped first.
fn flipped(table: u8, flip_a: bool, flip_b: bool) -> u8 {
    let flip = u8::from(flip_a) << 1 | u8::from(flip_b);
    (0..4).fold(0, |found, bits| found | (table >> (bits ^ flip) & 1) << bits)
}
