//! Operations of the warp IR, and their properties.

use crate::{
    Access, Address, AsyncCopy, BinaryOp, Class, Collective, CompareOp, CopyProgress, Fence, Float,
    Members, Ordering, Pred, Reg, Space, Special, Src, TernaryOp, UnaryOp, Update,
};
use schemars::JsonSchema;
use serde::Serialize;

/// What a thread does at a CTA barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierAction {
    /// Waits until all expected threads have arrived.
    Sync,
    /// Arrives and goes on.
    Arrive,
    /// Waits, and receives a reduction over the predicates of all threads that arrived.
    Reduce {
        /// How predicates combine.
        op: BarrierReduction,
        /// Receives the result: a count (`W32`) or a predicate.
        d: Reg,
        /// The thread's predicate.
        p: Pred,
    },
}

/// How a barrier combines predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BarrierReduction {
    /// How many are true, as a 32-bit count.
    Popc,
    /// Whether all are true.
    And,
    /// Whether any is true.
    Or,
}

/// What a kernel can ask of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// `vprintf`: prints text. Operands: the generic addresses of the format, a C string, and of the values.
    Print,
    /// `__assertfail`: stops the kernel. Operands: the generic addresses of the condition's text and of the file's
    /// name, the line (32 bits), and the address of the function's name; names and text are C strings.
    AssertFail,
    /// Stops the kernel: it calls what is no function. Operand: the address that it calls.
    NoFunction,
    /// Stops the kernel: an instruction cannot work on a tensor. Operand: [`crate::tensor_map::BadTensor`], 32 bits.
    BadTensor,
    /// `malloc`: allocates memory of the device. Operand: its bytes. Result: its address, or 0 if there is no room.
    Malloc,
    /// `free`: gives memory back that `malloc` returned; 0 does nothing. Operand: the address.
    Free,
    /// A call begins, or `alloca` gives out memory: these bytes of local memory are new, hold zero, and count as never written.
    /// Operands: the first address, and how many.
    BeginFrame,
    /// Stops the kernel: its stack has no room. Operands: how many bytes are needed, how many are left, and the number of the
    /// function that is called, as the front end counts, or [`Service::ALLOCATION`].
    StackOverflow,
    /// Reads a component of a texture. Operands: its handle, the coordinates (32 bits each, a layer first; those that the
    /// geometry has not count for nothing), and a constant, [`crate::Sampling::bits`]. Result: the component.
    Sample,
    /// The same with more that is said: behind the coordinates, before the constant, a level of detail or two gradients (6 numbers of 32
    /// bits: those of the first direction, then of the other), an offset in texels for each coordinate (3 numbers), and the handle of a
    /// sampler, which counts if the constant says so.
    SampleDetail,
    /// Where an access to a surface goes. Operands: its handle, the coordinates as of [`Service::Sample`], and a constant,
    /// [`crate::SurfaceAccess::bits`]. Result: the address in device memory, or 0 if nothing is accessed.
    SurfaceAddress,
    /// Launches a kernel, which begins when this one has ended. Operands: the address of the kernel, that of its arguments, the stream's
    /// handle, the grid's and the CTA's extents, and bytes of dynamic shared memory (32 bits each). Result: 0, or CUDA's number of an error.
    Launch,
    /// The last error of the thread's launches, as CUDA numbers them, or 0. Operand: whether it is forgotten (32 bits).
    LastError,
    /// What a texture, a sampler or a surface is. Operands: its handle, a level of detail (32 bits), and a constant,
    /// [`crate::TextureQuery::bits`].
    QueryTexture,
}

impl Service {
    /// Whether it allocates or frees memory that all threads share.
    pub fn uses_heap(self) -> bool {
        matches!(self, Service::Malloc | Service::Free)
    }

    /// Whether it asks something and changes nothing but its result: who asks again after a fault gets the same.
    pub fn is_read_only(self) -> bool {
        match self {
            Service::Sample
            | Service::SampleDetail
            | Service::SurfaceAddress
            | Service::QueryTexture => true,
            Service::Print
            | Service::AssertFail
            | Service::NoFunction
            | Service::BadTensor
            | Service::Malloc
            | Service::Free
            | Service::Launch
            | Service::LastError
            | Service::BeginFrame
            | Service::StackOverflow => false,
        }
    }

    /// What needs the room on the stack is no function but `alloca`.
    pub const ALLOCATION: u64 = u64::MAX;

    /// The classes of its operands.
    pub fn operands(self) -> &'static [Class] {
        match self {
            Service::Print => &[Class::W64; 2],
            Service::AssertFail => &[Class::W64, Class::W64, Class::W32, Class::W64],
            Service::NoFunction | Service::Malloc | Service::Free => &[Class::W64],
            Service::BadTensor => &[Class::W32],
            Service::BeginFrame => &[Class::W64; 2],
            Service::StackOverflow => &[Class::W64; 3],
            Service::Sample | Service::SurfaceAddress => {
                const COORDINATE: Class = Class::W32;
                &[Class::W64, COORDINATE, COORDINATE, COORDINATE, COORDINATE, Class::W64]
            }
            Service::SampleDetail => {
                const NUMBER: Class = Class::W32;
                &[
                    Class::W64,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    NUMBER,
                    Class::W64,
                    Class::W64,
                ]
            }
            Service::QueryTexture => &[Class::W64, Class::W32, Class::W64],
            Service::Launch => {
                const EXTENT: Class = Class::W32;
                &[
                    Class::W64,
                    Class::W64,
                    Class::W64,
                    EXTENT,
                    EXTENT,
                    EXTENT,
                    EXTENT,
                    EXTENT,
                    EXTENT,
                    Class::W32,
                ]
            }
            Service::LastError => &[Class::W32],
        }
    }

    /// The class of its result.
    pub fn result(self) -> Option<Class> {
        match self {
            // Of `Print`, how many values were printed.
            Service::Print
            | Service::Sample
            | Service::SampleDetail
            | Service::QueryTexture
            | Service::Launch
            | Service::LastError => Some(Class::W32),
            Service::Malloc | Service::SurfaceAddress => Some(Class::W64),
            Service::AssertFail
            | Service::NoFunction
            | Service::BadTensor
            | Service::Free
            | Service::BeginFrame
            | Service::StackOverflow => None,
        }
    }
}

/// A half of the barrier of a cluster (PTX ISA 9.1, `barrier.cluster`). A thread executes one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClusterHalf {
    /// The thread arrives, and goes on.
    Arrive {
        /// Whether its earlier accesses come before what threads do that have waited (`.release`).
        releases: bool,
    },
    /// The thread waits until all threads of the cluster have arrived, and acquires what they released.
    Wait,
}

/// One operation. Data operands are registers or constants; predicates may be negated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `d = op(a)` in every lane.
    Unary {
        /// The function.
        op: UnaryOp,
        /// Receives the result.
        d: Reg,
        /// The operand.
        a: Src,
    },
    /// `d = op(a, b)` in every lane.
    Binary {
        /// The function.
        op: BinaryOp,
        /// Receives the result.
        d: Reg,
        /// First operand.
        a: Src,
        /// Second operand.
        b: Src,
    },
    /// `d = op(a, b, c)` in every lane.
    Ternary {
        /// The function.
        op: TernaryOp,
        /// Receives the result.
        d: Reg,
        /// First operand.
        a: Src,
        /// Second operand.
        b: Src,
        /// Third operand.
        c: Src,
    },
    /// The predicate `d = op(a, b)` in every lane.
    Compare {
        /// The relation.
        op: CompareOp,
        /// Receives the predicate.
        d: Reg,
        /// First operand.
        a: Src,
        /// Second operand.
        b: Src,
    },
    /// `d` is bit `2*a + b` of `table` in every lane: any function of two predicates.
    Logic {
        /// The function's truth table, 4 bits.
        table: u8,
        /// Receives the predicate.
        d: Reg,
        /// First operand.
        a: Pred,
        /// Second operand.
        b: Pred,
    },
    /// `d = p ? a : b` in every lane, in the class of `d` (32 or 64 bits).
    Select {
        /// Receives the value.
        d: Reg,
        /// Taken where `p` is true.
        a: Src,
        /// Taken where `p` is false.
        b: Src,
        /// The condition.
        p: Pred,
    },
    /// `d` receives a special register.
    Special {
        /// Receives the value.
        d: Reg,
        /// The special register.
        what: Special,
    },
    /// `d` receives the mask of lanes that execute this instruction together (`activemask`).
    ActiveMask {
        /// Receives the mask.
        d: Reg,
    },
    /// Loads `d.len()` adjacent elements.
    Load {
        /// Receive the elements; `None` drops one.
        d: Vec<Option<Reg>>,
        /// Where from.
        space: Space,
        /// Element width and extension.
        access: Access,
        /// Address of the first element, aligned to the whole access.
        address: Address,
        /// How it orders other accesses.
        ordering: Ordering,
    },
    /// Stores adjacent elements.
    Store {
        /// The elements.
        values: Vec<Src>,
        /// Where to.
        space: Space,
        /// Element width.
        access: Access,
        /// Address of the first element, aligned to the whole access.
        address: Address,
        /// How it orders other accesses.
        ordering: Ordering,
    },
    /// Reads, changes and writes one element as one step.
    Atomic {
        /// Receives the value found; `None` for reductions.
        d: Option<Reg>,
        /// How memory changes.
        update: Update,
        /// Where.
        space: Space,
        /// Element width.
        access: Access,
        /// Address of the element.
        address: Address,
        /// First operand.
        b: Src,
        /// Second operand, of compare-exchange.
        c: Src,
        /// How it orders other accesses, and against whom it is atomic; never weak.
        ordering: Ordering,
    },
    /// A warp collective.
    Collective {
        /// Which, with its operands.
        what: Collective,
        /// Who takes part.
        members: Members,
        /// Whether all lanes of the warp must execute it in convergence, none of which has exited (`.aligned`).
        aligned: bool,
    },
    /// A CTA barrier.
    Barrier {
        /// What the thread does there.
        action: BarrierAction,
        /// Which barrier: 0 to 15.
        id: Src,
        /// How many threads are expected; `None` is all threads of the CTA.
        threads: Option<Src>,
        /// Whether all threads of the warp must execute it together (`.aligned`).
        aligned: bool,
    },
    /// The barrier of the CTA's cluster.
    ClusterBarrier {
        /// What the thread does there.
        half: ClusterHalf,
        /// Whether all threads of the warp must execute it together (`.aligned`).
        aligned: bool,
    },
    /// A memory fence.
    Fence(Fence),
    /// Lets other threads run for about `nanoseconds`.
    Nanosleep {
        /// How long.
        nanoseconds: Src,
    },
    /// Copies bytes of memory asynchronously: it is made when it begins, which is as good a time as any; but who looks at its
    /// bytes before it has been waited for may find anything.
    Copy(Box<AsyncCopy>),
    /// Tells how far asynchronous copies are. It changes nothing.
    CopyProgress(CopyProgress),
    /// Asks something of the host, lane by lane.
    Host {
        /// What.
        service: Service,
        /// Receives the result.
        d: Option<Reg>,
        /// The operands.
        operands: Vec<Src>,
    },
}

/// What an instruction shows of the lanes that execute it together, where they need not: lanes in turns of their own may do
/// something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tells {
    /// Nothing that defined code can notice: arithmetic, weak accesses, collectives and barriers at which lanes wait.
    Nothing,
    /// When each of them accesses memory, which only others can notice: loads and stores that are not weak, and reductions.
    Access,
    /// In which order they access memory: atomics whose results tell.
    Order,
    /// Who is there: `activemask`.
    Presence,
    /// Who takes part: collectives without a membermask.
    Participants,
}

/// An operand as passes see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register that is read.
    Use(Reg),
    /// A register that is written.
    Def(Reg),
}

impl Op {
    /// Whether lanes may have to wait in it for other lanes or threads.
    pub fn may_wait(&self) -> bool {
        matches!(self, Op::Collective { .. } | Op::Barrier { .. } | Op::ClusterBarrier { .. })
    }

    /// Whether lanes of a warp that come to it all together may wait in it while others of them go on.
    pub fn may_wait_apart(&self) -> bool {
        let all = |mask: &Src| matches!(mask, Src::Imm(mask) if *mask as u32 == u32::MAX);
        matches!(self, Op::Collective { members: Members::Mask(mask), .. } if !all(mask))
    }

    /// Whether it is a collective that orders what its lanes do in memory.
    pub fn orders_memory(&self) -> bool {
        matches!(self, Op::Collective { what, .. } if what.orders_memory())
    }

    /// Whether the result of one lane depends on other lanes of the warp.
    pub fn is_collective(&self) -> bool {
        matches!(self, Op::Collective { .. } | Op::ActiveMask { .. })
    }

    /// For a reduction in memory whose result is the same in any order of its updates: the function. Nobody reads what
    /// it found.
    pub fn any_order(&self) -> Option<BinaryOp> {
        let Op::Atomic { d: None, update: Update::Apply(op), .. } = self else { return None };
        op.any_order().then_some(*op)
    }

    /// Whether it computes its result from its operands alone, per lane, at any time.
    pub fn is_pure(&self) -> bool {
        match self {
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. } => true,
            Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
            | Op::Host { .. } => false,
        }
    }

    /// The special register that it reads.
    pub fn special(&self) -> Option<Special> {
        if let Op::Special { what, .. } = self { Some(*what) } else { None }
    }

    /// Whether it is a load that names a space.
    pub fn loads_from(&self, wanted: Space) -> bool {
        matches!(self, Op::Load { space, .. } if *space == wanted)
    }

    /// Whether it accesses memory in a way that may be concurrent with others: atomics, and loads and stores that are not weak.
    pub fn is_strong(&self) -> bool {
        match self {
            Op::Atomic { .. } => true,
            Op::Load { ordering, .. } | Op::Store { ordering, .. } => ordering.scope().is_some(),
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
            | Op::Host { .. } => false,
        }
    }

    /// Whether it may do something else each time, though it is no access to memory and waits for nobody: what reads the time, or asks or
    /// tells the machine something.
    pub fn acts(&self) -> bool {
        self.tells_time() || matches!(self, Op::Copy(_) | Op::CopyProgress(_) | Op::Host { .. })
    }

    /// Whether what it changes in memory it updates atomically.
    pub fn updates(&self) -> bool {
        matches!(self, Op::Atomic { .. }) || matches!(self, Op::Copy(copy) if copy.update.is_some())
    }

    /// Whether it tells the time, or something else that a thread can read differently at different times.
    pub fn tells_time(&self) -> bool {
        self.special().is_some_and(|what| what.varies_by_time())
    }

    /// Whether it is an atomic that finds or leaves something else if threads come in another order.
    pub fn is_ordered_atomic(&self) -> bool {
        matches!(self, Op::Atomic { .. }) && self.any_order().is_none()
    }

    /// Whether it only reads, computes and passes time: nobody else can tell that it was executed.
    pub fn is_quiet(&self) -> bool {
        self.is_pure()
            || matches!(self, Op::Nanosleep { .. } | Op::Load { .. } | Op::Special { .. })
    }

    /// What it shows of the lanes that execute it together.
    pub fn tells(&self) -> Tells {
        match self {
            Op::ActiveMask { .. } => Tells::Presence,
            Op::Collective { members: Members::Active, .. } => Tells::Participants,
            other if !other.concerns_others() => Tells::Nothing,
            Op::Atomic { .. } if self.is_ordered_atomic() => Tells::Order,
            Op::Atomic { .. } => Tells::Access,
            Op::Load { ordering, .. } | Op::Store { ordering, .. } => match ordering.scope() {
                Some(_) => Tells::Access,
                None => Tells::Nothing,
            },
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
            | Op::Collective { members: Members::Mask(_), .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
            | Op::Host { .. } => Tells::Nothing,
        }
    }

    /// Whether other threads can notice when it executes, or it can notice what they have done.
    pub fn concerns_others(&self) -> bool {
        self.touches().any(|touched| match touched.space {
            Space::Generic | Space::Global | Space::Shared => true,
            Space::Local | Space::Param => false,
        }) || self.is_collective()
            || self.may_wait()
    }

    /// For what copies a register: the register that it writes, and the one that it reads.
    pub fn copied(&self) -> Option<(Reg, Reg)> {
        match *self {
            Op::Unary { op, d, a: Src::Reg(a) } if op.is_move() => Some((d, a)),
            // The truth table of the first operand.
            Op::Logic { table: 0b1100, d, a: Pred::Is(a), .. } => Some((d, a)),
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
            | Op::Host { .. } => None,
        }
    }

    /// For arithmetic: the register of the result, and its floating-point type, if it has one. `None` for moves, which have
    /// no type, and for what is no arithmetic.
    pub fn computes(&self) -> Option<(Reg, Option<Float>)> {
        match self {
            Op::Unary { op, .. } if op.is_move() => None,
            Op::Unary { op, d, .. } => Some((*d, op.gives())),
            Op::Binary { op, d, .. } => Some((*d, op.gives())),
            Op::Ternary { op, d, .. } => Some((*d, op.gives())),
            Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Collective { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Fence(_)
            | Op::Nanosleep { .. }
            | Op::Copy(_)
            | Op::CopyProgress(_)
            | Op::Host { .. } => None,
        }
    }

    /// The value that other lanes read from this lane's register, even when this lane does not take part.
    pub fn offered(&self) -> Option<Src> {
        if let Op::Collective { what, .. } = self { what.offered() } else { None }
    }

    /// Calls `visit` for every register operand: those read first, then those written.
    pub fn operands(&self, mut visit: impl FnMut(Operand)) {
        let mut srcs: [Option<Src>; 4] = [None; 4];
        let mut preds: [Option<Pred>; 2] = [None; 2];
        let mut defs: [Option<Reg>; 2] = [None; 2];
        match self {
            Op::Unary { d, a, .. } => {
                (srcs[0], defs[0]) = (Some(*a), Some(*d));
            }
            Op::Binary { d, a, b, .. } | Op::Compare { d, a, b, .. } => {
                (srcs[0], srcs[1], defs[0]) = (Some(*a), Some(*b), Some(*d));
            }
            Op::Ternary { d, a, b, c, .. } => {
                (srcs[0], srcs[1], srcs[2], defs[0]) = (Some(*a), Some(*b), Some(*c), Some(*d));
            }
            Op::Logic { d, a, b, .. } => {
                (preds[0], preds[1], defs[0]) = (Some(*a), Some(*b), Some(*d));
            }
            Op::Select { d, a, b, p } => {
                (srcs[0], srcs[1], preds[0], defs[0]) = (Some(*a), Some(*b), Some(*p), Some(*d));
            }
            Op::Special { d, .. } | Op::ActiveMask { d } => defs[0] = Some(*d),
            Op::Load { d, address, .. } => {
                visit_src(address.base, &mut visit);
                d.iter().flatten().for_each(|reg| visit(Operand::Def(*reg)));
            }
            Op::Store { values, address, .. } => {
                srcs[0] = Some(address.base);
                values.iter().for_each(|value| visit_src(*value, &mut visit));
            }
            Op::Atomic { d, address, b, c, .. } => {
                srcs = [Some(address.base), Some(*b), Some(*c), None];
                defs[0] = *d;
            }
            Op::Collective { what, members, .. } => {
                if let Members::Mask(mask) = members {
                    srcs[3] = Some(*mask);
                }
                match what {
                    Collective::Shfl { d, p, a, b, c, .. } => {
                        (srcs[0], srcs[1], srcs[2]) = (Some(*a), Some(*b), Some(*c));
                        defs = [Some(*d), *p];
                    }
                    Collective::Vote { d, a, .. } | Collective::Ballot { d, a } => {
                        (preds[0], defs[0]) = (Some(*a), Some(*d));
                    }
                    Collective::MatchAny { d, a, .. }
                    | Collective::Redux { d, a, .. }
                    | Collective::ReduxF32 { d, a, .. }
                    | Collective::MovMatrix { d, a } => {
                        (srcs[0], defs[0]) = (Some(*a), Some(*d));
                    }
                    Collective::MatchAll { d, p, a, .. } => {
                        srcs[0] = Some(*a);
                        defs = [*d, *p];
                    }
                    Collective::Elect { d, p } => defs = [*d, Some(*p)],
                    Collective::WarpSync | Collective::Matrix(_) => {}
                    Collective::Mma(mma) => {
                        mma.sources()
                            .chain(srcs[3].take())
                            .for_each(|src| visit_src(src, &mut visit));
                        mma.results().for_each(|d| visit(Operand::Def(d)));
                    }
                }
            }
            Op::Barrier { action, id, threads, .. } => {
                (srcs[0], srcs[1]) = (Some(*id), *threads);
                if let BarrierAction::Reduce { d, p, .. } = action {
                    (preds[0], defs[0]) = (Some(*p), Some(*d));
                }
            }
            Op::Copy(copy) => copy.sources().for_each(|src| visit_src(src, &mut visit)),
            Op::CopyProgress(CopyProgress::Signals(_, object)) => srcs[0] = Some(object.base),
            Op::ClusterBarrier { .. } | Op::Fence(_) | Op::CopyProgress(_) => {}
            Op::Nanosleep { nanoseconds } => srcs[0] = Some(*nanoseconds),
            Op::Host { d, operands, .. } => {
                operands.iter().for_each(|operand| visit_src(*operand, &mut visit));
                defs[0] = *d;
            }
        }
        srcs.into_iter().flatten().for_each(|src| visit_src(src, &mut visit));
        preds.into_iter().flatten().filter_map(Pred::reg).for_each(|reg| visit(Operand::Use(reg)));
        defs.into_iter().flatten().for_each(|reg| visit(Operand::Def(reg)));
    }
}

fn visit_src(src: Src, visit: &mut impl FnMut(Operand)) {
    if let Src::Reg(reg) = src {
        visit(Operand::Use(reg));
    }
}
