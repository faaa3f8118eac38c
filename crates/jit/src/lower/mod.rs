//! A kernel as machine instructions over values.
//!
//! Code runs one gang of warps at a time, from one piece of the kernel to the next ([`nodes`]). It runs where all lanes of a gang
//! are together, or, where they part, for some of them ([`masked`]). A value is kept as the first lane's alone where the others follow from it,
//! or as that of each slice ([`ir::analysis::Shapes`]), else as vectors. Behind a barrier values are read from their home rows where they are needed.

mod ahead;
mod apart;
mod approx;
mod bits;
mod collective;
mod control;
mod conversions;
mod counts;
mod each_lane;
mod few;
mod groups;
mod half_bits;
mod halves;
mod heads;
mod homed;
mod indexed;
mod interleave;
mod lane_bits;
mod local;
mod mask;
mod masked;
mod meets;
mod memory;
mod nans;
mod nodes;
mod numbers;
mod one_place;
mod packed;
mod predicate;
mod quotient;
mod rounded;
mod rows;
mod runs;
mod scalar;
mod shuffle;
mod some_lanes;
mod squares;
mod strided;
mod there;
mod value;
mod values;
mod vector;
mod wide;
mod wide_bits;
mod windows;
mod zeros;

use crate::Input;
use crate::exit::{Leaving, Why};
use crate::fuel;
use crate::gang::Gang;
use crate::head::Head;
use crate::isa::Family;
use crate::mir::{Func, Kind, O};
use crate::partial::Partial;
use apart::Parts;
use iced_x86::{Code, ConditionCode};
use ir::analysis::Liveness;
use ir::analysis::{Demanded, Flow, Shape, Shapes};
use ir::{Class, Collective, Inst, Interrupt, Op, Operand, Pred, Reg, Space, Src};
use mask::Masked;
use nodes::{End, Nodes};
use regalloc2::{Block, VReg};
use std::collections::BTreeSet;
use std::ops::Range;
use value::{Form, Value};

/// Machine instructions of a kernel, and where they are entered.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) func: Func,
    pub(crate) entries: Vec<(u32, Block)>,
    /// Per entry, the registers whose home rows must have their shapes, with these.
    pub(crate) expected: Vec<(u32, Vec<(Reg, Shape)>)>,
    /// The same of the registers that the prologue computes.
    pub(crate) prologue: Vec<(Reg, Shape)>,
    /// Where it is entered with lanes that are apart.
    pub(crate) heads: Vec<(Block, Head)>,
    /// Per access that remembers a region, whether it writes.
    pub(crate) sites: Vec<bool>,
    /// Instructions that somebody else always performs.
    pub(crate) performed: usize,
    /// Where lanes may wait that are apart from those that leave, and which registers they need.
    pub(crate) waiting: Vec<(u32, Vec<Reg>)>,
    /// Words of the register file that have to be zero when a CTA begins.
    pub(crate) zeros: Vec<Range<usize>>,
    /// Warps of a gang.
    pub(crate) gang: usize,
}

/// Where memory of a CTA begins on the host.
#[derive(Clone, Copy, Debug, Default)]
struct Bases {
    shared: Option<VReg>,
    /// That of the gang's threads.
    local: Option<VReg>,
}

/// Where code is entered.
struct Entries {
    /// By lanes that are together: the node, its place and the block.
    together: Vec<(usize, u32, Block)>,
    /// With lanes that are apart.
    heads: Vec<(Block, Head)>,
}

struct Lower<'a> {
    input: &'a Input<'a>,
    family: Family,
    gang: Gang,
    func: Func,
    shapes: &'a Shapes,
    demanded: &'a Demanded,
    nodes: &'a Nodes,
    parts: &'a Parts,
    /// The warp that has fewer lanes than others, if there is one.
    partial: Option<Partial>,
    /// Per part and block of it, where it looks whether lanes are noted.
    checks: Vec<Vec<Block>>,
    /// Of the code that is emitted, the lanes that execute; `None` if all do.
    masked: Option<Masked>,
    /// Per node, its block.
    blocks: Vec<Block>,
    /// Per register, whether the prologue computes it.
    invariant: Vec<bool>,
    /// Per register, whether its home row has it from where it is computed.
    homed: Vec<bool>,
    /// Per register, whether NaNs may have any bits where it is handed on.
    floats: Vec<bool>,
    /// How many bytes ahead of loads memory is fetched.
    ahead: Option<i32>,
    /// The slice, of so many lanes, whose first lane's values are computed; of all lanes' first one if there is none.
    slice: Option<(usize, usize)>,
    /// What is known where the next instruction goes.
    state: foldhash::HashMap<Reg, Value>,
    /// Registers whose values are needed there.
    live: BTreeSet<Reg>,
    /// Where memory of the CTA is on the host, as far as that is at hand.
    bases: Bases,
    sites: Vec<bool>,
    performed: usize,
    leaving_values: Vec<VReg>,
}

/// Lowers a kernel. `None` if it was interrupted; the error is a sentence.
pub(crate) fn lower(
    input: &Input<'_>,
    interrupt: &Interrupt<'_>,
) -> Option<Result<Lowered, String>> {
    let kernel = input.kernel;
    let Some(live) = Liveness::of(kernel) else {
        return Some(Err("the kernel is too large".to_owned()));
    };
    let (gang, shapes) = Gang::of(input, &live, interrupt)?;
    let demanded = Demanded::of(kernel, &shapes, interrupt)?;
    let mut invariant = vec![false; kernel.registers.len()];
    let each = |insts: &mut dyn Iterator<Item = &Inst>, invariant: &mut [bool], value: bool| {
        for inst in insts {
            inst.op.operands(|operand| {
                if let Operand::Def(reg) = operand {
                    invariant[reg.0 as usize] = value;
                }
            });
        }
    };
    each(&mut input.prologue.iter(), &mut invariant, true);
    each(&mut kernel.blocks.iter().flat_map(|block| &block.insts), &mut invariant, false);
    let threads: u32 = input.block.iter().product();
    let meets = match threads as usize > gang.lanes() {
        true => meets::meets(input, &shapes, interrupt)?,
        false => vec![Vec::new(); kernel.blocks.len()],
    };
    let mut nodes = Nodes::of(kernel, &live, &invariant, &meets, interrupt)?;
    let partial = Partial::of(input.block);
    let parts = Parts::of(kernel, &shapes, &nodes, (gang, partial));
    for part in &parts.all {
        for (block, _) in part.blocks.iter().zip(&part.meets).filter(|(_, meets)| **meets) {
            let first = nodes.first[*block];
            nodes.all[first].ways += 1;
            nodes.all[first].is_entry |= nodes.all[first].pays_entering();
        }
    }
    for block in &parts.meets_elsewhere {
        nodes.all[nodes.first[*block]].is_entry = true;
    }
    for at in parts.always.keys() {
        // All lanes do not come here by that way.
        for to in kernel.blocks[*at].terminator.successors() {
            nodes.all[nodes.first[to.0 as usize]].is_entry = true;
        }
    }
    let homed = homed::homed(input, &shapes, &nodes, &parts, &invariant);
    let func =
        Func::new(input.level.family().bytes(), crate::registers::clobbered(input.level.family()));
    let mut lower = Lower {
        input,
        family: input.level.family(),
        gang,
        func,
        shapes: &shapes,
        demanded: &demanded,
        nodes: &nodes,
        parts: &parts,
        partial,
        checks: Vec::new(),
        masked: None,
        ahead: None,
        slice: None,
        blocks: Vec::new(),
        invariant,
        homed,
        floats: floats(input, interrupt)?,
        state: foldhash::HashMap::default(),
        live: BTreeSet::new(),
        bases: Bases::default(),
        sites: Vec::new(),
        performed: 0,
        leaving_values: Vec::new(),
    };
    let Entries { together: entries, heads } = lower.kernel(interrupt)?;
    let needed = |node: usize| lower.expected(nodes.all[node].live.iter().copied());
    let expected = entries.iter().map(|(node, place, _)| (*place, needed(*node))).collect();
    let invariant = (0..lower.invariant.len()).filter(|reg| lower.invariant[*reg]);
    let prologue = lower.expected(invariant.map(|reg| Reg(reg as u32)));
    let Lower { mut func, sites, performed, .. } = lower;
    let now = func.finish();
    let entries =
        entries.into_iter().map(|(_, place, block)| (place, now[block.index()])).collect();
    let heads = heads.into_iter().map(|(block, head)| (now[block.index()], head)).collect();
    let place = |(_, block): &(usize, usize)| {
        let first = nodes.first[*block];
        (nodes.place(first, input.starts), nodes.all[first].live.clone())
    };
    let mut waiting: Vec<_> =
        parts.numbers.iter().map(|(key, number)| (*number, place(key))).collect();
    waiting.sort_unstable();
    let waiting = waiting.into_iter().map(|(_, place)| place).collect();
    let zeros = zeros::of(input, &shapes, &live, interrupt)?;
    let gang = gang.warps;
    Some(Ok(Lowered {
        func,
        entries,
        expected,
        prologue,
        heads,
        sites,
        performed,
        waiting,
        zeros,
        gang,
    }))
}

/// Per register, whether all that it ever holds are results of arithmetic of binary32, or no NaN: then its NaNs may have any bits
/// until somebody looks at them. `None` if it was interrupted.
fn floats(input: &Input<'_>, interrupt: &Interrupt<'_>) -> Option<Vec<bool>> {
    let kernel = input.kernel;
    let w32 = |class: &Class| *class == Class::W32;
    let mut found: Vec<bool> = kernel.registers.iter().map(w32).collect();
    loop {
        let mut changed = false;
        let insts = kernel.blocks.iter().flat_map(|block| &block.insts);
        for inst in input.prologue.iter().chain(insts) {
            interrupt.go_on(1)?;
            let float = |src: &Src| match src {
                Src::Imm(value) => !f32::from_bits(*value as u32).is_nan(),
                Src::Reg(reg) => found[reg.0 as usize],
            };
            let all = match &inst.op {
                Op::Unary { op, a, .. } if op.is_move() => float(a),
                Op::Select { a, b, .. } => float(a) && float(b),
                Op::Collective { what: Collective::Shfl { a, .. }, .. } => float(a),
                op => nans::leaves_nan_bits_open(op),
            };
            inst.op.operands(|operand| {
                if let Operand::Def(reg) = operand
                    && !all
                {
                    changed |= std::mem::replace(&mut found[reg.0 as usize], false);
                }
            });
        }
        if !changed {
            return Some(found);
        }
    }
}

impl Lower<'_> {
    /// Of some registers, those which are no more than the first lane's value, or that of each slice.
    fn expected(&self, regs: impl Iterator<Item = Reg>) -> Vec<(Reg, Shape)> {
        let shaped = |reg: &Reg| match (self.class(*reg), self.shape(*reg)) {
            (Class::Pred, shape) => {
                (!matches!(shape, Shape::Varying)).then(|| (*reg, shape.clone()))
            }
            (_, shape @ (Shape::Affine(_) | Shape::Sliced(..))) => Some((*reg, shape.clone())),
            (_, Shape::Varying | Shape::Mask(_)) => None,
        };
        regs.filter_map(|reg| shaped(&reg)).collect()
    }

    /// Emits all nodes. The result is where code is entered.
    fn kernel(&mut self, interrupt: &Interrupt<'_>) -> Option<Entries> {
        let root = self.func.block();
        self.blocks = self.nodes.all.iter().map(|_| self.func.block()).collect();
        let blocks = self.parts.all.iter().map(|part| part.blocks.len()).collect::<Vec<_>>();
        self.checks =
            blocks.iter().map(|count| (0..*count).map(|_| self.func.block()).collect()).collect();
        let mut stubs = Vec::new();
        let entered: Vec<usize> =
            (0..self.nodes.all.len()).filter(|node| self.nodes.all[*node].is_entry).collect();
        for node in entered {
            let place = self.nodes.place(node, self.input.starts);
            let block = match self.nodes.all[node].ways {
                0 => self.blocks[node],
                _ => self.func.block(),
            };
            stubs.push((node, place, block));
        }
        let loops: Vec<_> =
            self.loops().into_iter().map(|entered| (entered, self.func.block())).collect();
        self.func.begin(root);
        let all = stubs.iter().map(|(_, _, block)| *block);
        let all = all.chain(loops.iter().map(|(_, block)| *block));
        self.func.end(Kind::Dispatch, all.map(|block| (block, Vec::new())).collect());
        for node in 0..self.nodes.all.len() {
            self.node(node, interrupt)?;
        }
        (self.ahead, self.masked) = (None, None);
        self.masked_blocks(interrupt)?;
        for (node, _, block) in &stubs {
            if self.nodes.all[*node].ways > 0 {
                self.begin_anew(*block);
                let args = self.handed_on(*node);
                self.func.end(Kind::Jump, vec![(self.blocks[*node], args)]);
            }
        }
        let flow = Flow::of(self.input.kernel);
        let head = |(entered, block)| (block, self.emit_head(entered, block, &flow));
        let heads = loops.into_iter().map(head).collect();
        Some(Entries { together: stubs, heads })
    }

    /// The values that a node is given.
    fn handed_on(&mut self, node: usize) -> Vec<VReg> {
        let live = &self.nodes.all[node].live;
        self.handed_all(live)
    }

    /// What is emitted next is a block where nothing is known yet.
    fn begin_anew(&mut self, block: Block) {
        self.func.begin(block);
        self.state.clear();
        (self.bases, self.masked) = (Bases::default(), None);
    }

    fn node(&mut self, node: usize, interrupt: &Interrupt<'_>) -> Option<()> {
        let nodes = self.nodes;
        let here = &nodes.all[node];
        self.begin_anew(self.blocks[node]);
        self.live = here.live.iter().copied().collect();
        if here.ways > 0 {
            self.take_params(node);
        }
        self.masked = self.everybody();
        let block = &self.input.kernel.blocks[here.block];
        self.ahead = self.distance_ahead(here.block);
        let start = self.input.starts[here.block];
        let mut done = here.insts.start;
        for nth in here.insts.clone() {
            interrupt.go_on(4)?;
            if nth >= done && self.masked.is_none() {
                let (rest, place) = (nth..here.insts.end, start + nth as u32);
                done = nth + self.rows_of_lanes(here.block, rest, place);
            }
            if nth >= done {
                self.inst(&block.insts[nth], start + nth as u32);
            }
            self.take_home(&block.insts[nth]);
            let kills = &nodes.kills[here.block][nth];
            block.insts[nth].op.operands(|operand| {
                if let Operand::Def(reg) = operand
                    && !self.invariant[reg.0 as usize]
                {
                    self.live.insert(reg);
                }
            });
            for reg in kills {
                self.live.remove(reg);
                if !self.invariant[reg.0 as usize] {
                    self.state.remove(reg);
                }
            }
        }
        let place = start + here.insts.end as u32;
        match here.end {
            End::Terminator => self.terminator(node, place),
            End::Barrier => self.leave_all(Why::Barrier, place),
            End::Meet => self.leave_all(Why::Meets, place),
            End::Leave => self.leave_all(Why::Leaves, place),
        }
        Some(())
    }

    /// Gives what an instruction has computed its home row, if it is read from there.
    fn take_home(&mut self, inst: &Inst) {
        let mut computed = Vec::new();
        inst.op.operands(|operand| {
            if let Operand::Def(reg) = operand
                && self.homed[reg.0 as usize]
            {
                computed.push(reg);
            }
        });
        computed.into_iter().for_each(|reg| self.write_home(reg));
    }

    /// The parameters of a node's block are the values that it needs.
    fn take_params(&mut self, node: usize) {
        let nodes = self.nodes;
        self.params(self.blocks[node], &self.passed(&nodes.all[node].live));
    }

    /// An exit where the registers that are needed now are told. Their values are in `leaving_values`.
    fn leaving(&mut self, why: Why, place: u32) -> u32 {
        let live: Vec<Reg> = self.live.iter().copied().collect();
        self.leaving_with(why, place, &live)
    }

    fn leaving_with(&mut self, why: Why, place: u32, live: &[Reg]) -> u32 {
        if let Some(Masked { at: Some((part, nth)), lanes, waiting, .. }) = self.masked.clone() {
            let mut all = live.to_vec();
            all.extend(self.parts.all[part].kept[nth].iter().filter(|reg| !live.contains(reg)));
            let apart = (lanes, live, part, &waiting[..]);
            return self.leaving_apart(why, place, &all, apart);
        }
        let (values, kept) = self.keep(live);
        self.leaving_values = values;
        self.func.exits.push(Leaving { why, place, first: 0, kept, apart: None });
        self.func.exits.len() as u32 - 1
    }

    /// Leaves the code before an instruction if a condition holds after what `compare` emits.
    fn guard(&mut self, condition: ConditionCode, place: u32, compare: impl FnOnce(&mut Self)) {
        // What has to be done for the exit may change the flags, so it comes first.
        let exit = self.leaving(Why::Leaves, place);
        let values = std::mem::take(&mut self.leaving_values);
        compare(self);
        self.func.may_leave(Kind::Guard { condition, exit }, &[], &values);
    }

    /// Writes everything that is needed to home rows, and leaves.
    fn leave_all(&mut self, why: Why, place: u32) {
        let live: Vec<Reg> = self.live.iter().copied().collect();
        for reg in &live {
            match why {
                // Mostly the code itself goes on behind it, and knows in which rows NaNs may have any bits.
                Why::Barrier | Why::Meets => {
                    if !self.floats[reg.0 as usize] {
                        self.canonical(*reg);
                    }
                    self.write_home(*reg);
                }
                Why::Leaves | Why::Yields | Why::Exits => {
                    self.canonical(*reg);
                    self.write_home(*reg);
                }
            }
        }
        let exit = self.leaving(why, place);
        let values = std::mem::take(&mut self.leaving_values);
        debug_assert!(values.is_empty(), "home rows have everything");
        self.func.end(Kind::Leave { exit }, Vec::new());
    }

    fn inst(&mut self, inst: &Inst, place: u32) {
        if let Some(masked) = self.masked.clone() {
            return self.masked_inst(inst, place, &masked);
        }
        let done = match inst.guard {
            None | Some(Pred::Const(true)) => {
                self.op(&inst.op, place) || self.collective_of_all(inst, place)
            }
            Some(Pred::Const(false)) => true,
            Some(guard) => self.guarded(guard, &inst.op, place),
        };
        if !done && !self.each_lane(inst, place) {
            self.performed += 1;
            self.perform(inst, place);
        }
    }

    /// Emits an operation of all lanes. Says whether it can be done.
    fn op(&mut self, op: &Op, place: u32) -> bool {
        match op {
            Op::Compare { op, d, a, b } => match self.shape(*d) {
                Shape::Mask(lanes) => {
                    let bits = self.lanes_constant(*lanes);
                    self.set(*d, Value::scalar(bits));
                    true
                }
                shape if shape.is_uniform() => self.compare_uniform(*op, *d, *a, *b),
                _ => {
                    self.compare(*op, *d, *a, *b);
                    true
                }
            },
            Op::Logic { table, d, a, b } => {
                let bits = self.logic(*table, *a, *b);
                self.set(*d, Value::scalar(bits));
                true
            }
            Op::Unary { d, .. }
            | Op::Binary { d, .. }
            | Op::Ternary { d, .. }
            | Op::Select { d, .. } => {
                match self.form(*d) {
                    Form::Vectors => {
                        return self.indexed_op(op, *d)
                            || self.vector_op(op, *d)
                            || self.row_op(op, *d);
                    }
                    Form::Firsts => return self.firsts_op(op, *d, place),
                    Form::One => {}
                }
                if let Some(lanes) = self.known_lanes(*d) {
                    let first = self.number(lanes[0], self.class(*d));
                    self.set(*d, Value::scalar(first));
                    return true;
                }
                let found = self.scalar_op(op, place).or_else(|| {
                    let uniform = self.shape(*d).is_uniform();
                    if uniform { self.vector_op_once(op, *d) } else { None }
                });
                if let Some(found) = found {
                    self.set(*d, Value::scalar(found));
                }
                found.is_some()
            }
            Op::Special { d, .. } if self.is_scalar(*d) => match self.scalar_op(op, place) {
                Some(found) => {
                    self.set(*d, Value::scalar(found));
                    true
                }
                None => false,
            },
            Op::ActiveMask { d } => {
                let all = match &self.masked {
                    Some(masked) => masked.lanes,
                    None => self.lanes_constant(u64::MAX),
                };
                let warps = self.of_warps(all);
                self.set_of_warps(*d, &warps);
                true
            }
            Op::Load { space: Space::Local, .. } => self.load_local(op, place),
            Op::Store { space: Space::Local, .. } => self.store_local(op, place),
            Op::Load { .. } => self.load(op, place),
            Op::Store { .. } if self.masked.is_some() => self.store_some(op, place),
            Op::Store { .. } => self.store(op, place),
            Op::Collective { what, members, .. } => {
                let can_be = |masked: &Masked| !masked.is_apart() && Self::is_of_bits(what);
                self.masked.as_ref().is_none_or(can_be) && self.collective(what, *members)
            }
            Op::CopyProgress(_) => true,
            Op::Fence(_) => {
                self.func.x(Code::Mfence, &[]);
                true
            }
            Op::Nanosleep { .. } => {
                self.spend(fuel::SLEEP);
                true
            }
            Op::Special { .. }
            | Op::Atomic { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Copy(_)
            | Op::Host { .. } => false,
        }
    }

    /// Emits an operation under a guard: what it computes is kept where the guard is true. Says whether it can be done.
    fn guarded(&mut self, guard: Pred, op: &Op, place: u32) -> bool {
        let d = match op {
            Op::Unary { d, .. }
            | Op::Binary { d, .. }
            | Op::Ternary { d, .. }
            | Op::Select { d, .. } => *d,
            _ => return false,
        };
        // What would leave must not have been tried with lanes that are not meant.
        if self.form(d) != Form::Vectors {
            return false;
        }
        self.canonical(d);
        let before = self.vectors(d);
        let _ = guard.reg().map(|reg| self.scalar(reg));
        if !self.op(op, place) {
            return false;
        }
        let class = self.class(d);
        // Of old and new values, one may be no number.
        self.canonical(d);
        let after = self.vectors(d);
        let masks = match (class, self.masks(guard)) {
            (Class::W64, _) | (_, None) => {
                let bits = self.bits(guard);
                if class == Class::W64 { self.wide_masks(bits) } else { self.masks_of(bits) }
            }
            (_, Some(masks)) => masks,
        };
        let both = (0..after.len())
            .map(|nth| self.blend_of(class, masks[nth], O::U(after[nth]), before[nth]))
            .collect();
        self.set(d, Value::vectors(both));
        true
    }

    /// Has an instruction performed by somebody else, on home rows.
    fn perform(&mut self, inst: &Inst, place: u32) {
        let mut used: Vec<Reg> = inst.guard.and_then(Pred::reg).into_iter().collect();
        let mut written = Vec::new();
        inst.op.operands(|operand| match operand {
            Operand::Use(reg) => used.push(reg),
            Operand::Def(reg) => written.push(reg),
        });
        // Of a guarded result the old value is needed, too, and collectives may leave results as they are.
        let masked = self.masked.clone();
        let partly = inst.guard.is_some() || inst.op.is_collective();
        let apart = masked.as_ref().and_then(|masked| masked.at);
        let kept = |reg: &Reg| match apart {
            Some((part, nth)) => self.parts.all[part].kept[nth].contains(reg),
            None => false,
        };
        used.extend(written.iter().filter(|reg| (partly && self.live.contains(reg)) || kept(reg)));
        for reg in used {
            self.complete_home(reg);
        }
        self.bases = Bases::default();
        let affine = |reg: &Reg| match self.shape(*reg) {
            Shape::Affine(affine) | Shape::Sliced(_, affine) => {
                self.class(*reg) != Class::Pred && !affine.is_uniform()
            }
            Shape::Mask(_) | Shape::Varying => false,
        };
        if apart.is_some() && written.iter().any(affine) {
            // Which lane the others follow from is not there: somebody else goes on.
            let one = self.number(1, Class::W32);
            self.guard(ConditionCode::ne, place, |this| {
                this.func.x(Code::Test_rm32_r32, &[O::U(one), O::U(one)]);
            });
        }
        let lanes = masked.as_ref().map(|masked| masked.lanes);
        let result = self.func.perform(place, lanes);
        self.guard(ConditionCode::ne, place, |this| {
            this.func.x(Code::Test_rm32_r32, &[O::U(result), O::U(result)]);
        });
        for reg in written {
            self.set(reg, Value { full: true, ..Value::HOME });
            let uniform = match self.class(reg) {
                Class::Pred => self.shape(reg).is_uniform(),
                Class::W32 | Class::W64 => self.form(reg) != Form::Vectors,
            };
            match lanes {
                Some(lanes) if uniform => self.one_of_them(reg, lanes),
                // Another register may have the row before it is read.
                Some(_) => {
                    self.handed(reg);
                    let value = self.known(reg);
                    self.set(reg, Value { home: false, full: false, ..value });
                }
                None => {}
            }
        }
    }
}
