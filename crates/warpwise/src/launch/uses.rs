//! What a kernel does with the memory that its parameters point at.
//!
//! A simple analysis of its code, without regard to the order of instructions: where a pointer may come from several places,
//! or a value from several loads, nothing is said of it.

use ir::{Address, BinaryOp, Float, Kernel, Op, Operand, Reg, Space, Src, TernaryOp, Update};

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing has been put there yet.
    Nothing,
    /// A number that is computed, and no address.
    Number,
    /// The value of a parameter, by its index, or that and a number.
    Pointer(usize),
    /// What was loaded through a parameter.
    Loaded(usize),
    /// Anything.
    Anything,
}

impl Known {
    fn or(self, other: Known) -> Known {
        match (self, other) {
            (Known::Nothing, known) | (known, Known::Nothing) => known,
            (one, other) if one == other => one,
            _ => Known::Anything,
        }
    }

    /// The sum of two.
    fn plus(self, other: Known) -> Known {
        match (self, other) {
            (Known::Nothing, _) | (_, Known::Nothing) => Known::Nothing,
            (Known::Pointer(nth), Known::Number) | (Known::Number, Known::Pointer(nth)) => {
                Known::Pointer(nth)
            }
            (one, other) => one.computed().or(other.computed()),
        }
    }

    /// What is computed of it.
    fn computed(self) -> Known {
        match self {
            Known::Loaded(_) => Known::Number,
            Known::Pointer(_) => Known::Anything,
            known => known,
        }
    }
}

/// What a kernel does with the memory behind a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// Whether it loads or stores there at all.
    pub(crate) accesses: bool,
    /// Whether it takes what it loads for numbers of this type.
    reads: [bool; 2],
    /// Whether it stores numbers of this type.
    writes: [bool; 2],
    /// Whether it computes with what it loads in other ways.
    others: bool,
}

impl Uses {
    /// The only type that it takes what it loads for.
    pub(crate) fn reads(&self) -> Option<Float> {
        only(self.reads).filter(|_| !self.others)
    }

    /// The only type of what it stores, if nothing is read.
    pub(crate) fn writes(&self) -> Option<Float> {
        only(self.writes).filter(|_| !self.others && self.reads == [false; 2])
    }
}

fn only(types: [bool; 2]) -> Option<Float> {
    match types {
        [true, false] => Some(Float::F32),
        [false, true] => Some(Float::F64),
        _ => None,
    }
}

/// Times that the code is gone through, at most. Kernels that need more are left alone.
const ROUNDS: usize = 16;

/// A parameter of 8 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracked {
    /// Where it begins in the parameter space.
    pub(crate) offset: u32,
    /// Whether it is taken for an address, and not for a number.
    pub(crate) is_pointer: bool,
}

/// What the kernel does with what each of its parameters points at; `None` for parameters of other sizes.
pub(crate) fn of(kernel: &Kernel, params: &[Option<Tracked>]) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); params.len()];
    let mut scan = Scan { known: vec![Known::Nothing; kernel.registers.len()], params };
    let insts = || kernel.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op);
    let mut settled = false;
    for _ in 0..ROUNDS {
        settled = true;
        insts().for_each(|op| settled &= !scan.put(op));
        if settled {
            break;
        }
    }
    if !settled {
        return uses;
    }
    let mut given = vec![(None, false); kernel.registers.len()];
    for op in insts() {
        gives(op, &mut given);
    }
    for op in insts() {
        scan.judge(op, &given, &mut uses);
    }
    uses
}

struct Scan<'k> {
    known: Vec<Known>,
    params: &'k [Option<Tracked>],
}

impl Scan<'_> {
    fn src(&self, src: Src) -> Known {
        match src {
            Src::Imm(_) => Known::Number,
            Src::Reg(Reg(nth)) => self.known.get(nth as usize).copied().unwrap_or(Known::Anything),
        }
    }

    /// The parameter that an address comes from.
    fn pointer(&self, space: Space, address: &Address) -> Option<usize> {
        match (space, self.src(address.base)) {
            (Space::Global | Space::Generic, Known::Pointer(nth)) => Some(nth),
            _ => None,
        }
    }

    /// What a load of parameters gives.
    fn parameter(&self, space: Space, Address { base, offset }: &Address) -> Option<Known> {
        let (Space::Param, Src::Imm(base)) = (space, *base) else { return None };
        let at = base.wrapping_add(offset.cast_unsigned());
        let begins = |it: &Option<Tracked>| it.is_some_and(|it| u64::from(it.offset) == at);
        let nth = self.params.iter().position(begins)?;
        let is_pointer = self.params[nth].is_some_and(|it| it.is_pointer);
        Some(if is_pointer { Known::Pointer(nth) } else { Known::Number })
    }

    /// Puts what an operation gives into its registers. Whether anything is new.
    fn put(&mut self, op: &Op) -> bool {
        let mut changed = false;
        let known = match op {
            Op::Unary { op, a, .. } if op.is_move() => self.src(*a),
            Op::Unary { a, .. } => self.src(*a).computed(),
            Op::Binary { op: BinaryOp::AddI64 | BinaryOp::SubI64, a, b, .. } => {
                self.src(*a).plus(self.src(*b))
            }
            Op::Binary { a, b, .. } => self.src(*a).computed().or(self.src(*b).computed()),
            Op::Ternary {
                op: TernaryOp::MadWideU32 | TernaryOp::MadWideS32 | TernaryOp::MadLo64,
                a,
                b,
                c,
                ..
            } => self.src(*a).computed().or(self.src(*b).computed()).plus(self.src(*c)),
            Op::Ternary { a, b, c, .. } => {
                [a, b, c].iter().fold(Known::Nothing, |all, src| all.or(self.src(**src).computed()))
            }
            Op::Select { a, b, .. } => self.src(*a).or(self.src(*b)),
            Op::Load { d, space, address, access, .. } => {
                match (self.parameter(*space, address), self.pointer(*space, address)) {
                    (Some(known), _) if d.len() == 1 && access.bytes() == 8 => known,
                    (_, Some(nth)) => Known::Loaded(nth),
                    // An address has 64 bits.
                    _ if access.bytes() < 8 => Known::Number,
                    _ => Known::Anything,
                }
            }
            Op::Compare { .. } | Op::Logic { .. } | Op::Special { .. } | Op::ActiveMask { .. } => {
                Known::Number
            }
            Op::Collective { .. } | Op::Atomic { .. } | Op::Host { .. } => Known::Anything,
            Op::Store { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_) => Known::Anything,
        };
        op.operands(|operand| {
            let Operand::Def(Reg(nth)) = operand else { return };
            let Some(place) = self.known.get_mut(nth as usize) else { return };
            let joined = place.or(known);
            changed |= joined != *place;
            *place = joined;
        });
        changed
    }

    /// Adds what an operation does with memory behind parameters.
    fn judge(&self, op: &Op, given: &[(Option<Float>, bool)], uses: &mut [Uses]) {
        let loaded = |src: Src| match self.src(src) {
            Known::Loaded(nth) => Some(nth),
            _ => None,
        };
        let takes = |uses: &mut [Uses], srcs: &[Src], float: Option<Float>| {
            for nth in srcs.iter().filter_map(|src| loaded(*src)) {
                match float {
                    Some(float) => uses[nth].reads[float as usize] = true,
                    None => uses[nth].others = true,
                }
            }
        };
        match op {
            Op::Unary { op, .. } if op.is_move() => {}
            Op::Unary { op, a, .. } => takes(uses, &[*a], op.takes()),
            Op::Binary { op, a, b, .. } => takes(uses, &[*a, *b], op.takes()),
            Op::Ternary { op, a, b, c, .. } => takes(uses, &[*a, *b, *c], op.takes()),
            Op::Compare { op, a, b, .. } => takes(uses, &[*a, *b], op.takes()),
            Op::Load { space, address, .. } => {
                if let Some(nth) = self.pointer(*space, address) {
                    uses[nth].accesses = true;
                }
                takes(uses, &[address.base], None);
            }
            Op::Store { values, space, address, .. } => {
                let Some(nth) = self.pointer(*space, address) else { return };
                uses[nth].accesses = true;
                for value in values {
                    let Src::Reg(Reg(reg)) = value else { continue };
                    match given.get(*reg as usize) {
                        Some((Some(float), false)) => uses[nth].writes[*float as usize] = true,
                        // What is copied or moved says nothing.
                        Some((None, false)) | None => {}
                        Some((_, true)) => uses[nth].others = true,
                    }
                }
            }
            Op::Atomic { update, space, address, .. } => {
                let Some(nth) = self.pointer(*space, address) else { return };
                uses[nth].accesses = true;
                match update {
                    Update::Apply(op) => match op.takes() {
                        Some(float) => uses[nth].reads[float as usize] = true,
                        None => uses[nth].others = true,
                    },
                    Update::Exchange | Update::CompareExchange => uses[nth].others = true,
                }
            }
            Op::Copy(copy) => {
                for (space, address) in [&copy.from, &copy.to] {
                    if let Some(nth) = self.pointer(*space, address) {
                        uses[nth].accesses = true;
                    }
                }
                takes(uses, &copy.sources().collect::<Vec<_>>(), None);
            }
            Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::CopyProgress(_)
            | Op::Host { .. } => {}
        }
    }
}

/// Notes of the result of an operation which type it has, and whether it may be a number of another kind.
fn gives(op: &Op, given: &mut [(Option<Float>, bool)]) {
    let Some((Reg(nth), float)) = op.computes() else { return };
    let Some(place) = given.get_mut(nth as usize) else { return };
    match (place.0, float) {
        (_, None) => place.1 = true,
        (Some(known), Some(float)) if known != float => place.1 = true,
        (_, Some(float)) => place.0 = Some(float),
    }
}
