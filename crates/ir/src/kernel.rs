//! Kernels, blocks and instructions.

use crate::{Class, Op, Operand, Pred, Reg, Update};
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;

/// Where an instruction comes from: an index that the front end understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, JsonSchema)]
pub struct Place(pub u32);

/// One operation, executed by the active lanes whose guard predicate is true.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// The guard predicate; `None` executes in every active lane.
    pub guard: Option<Pred>,
    /// What it does.
    pub op: Op,
    /// Where it comes from.
    pub place: Place,
}

/// A basic block: an index into [`Kernel::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// How control leaves a block. Lanes may leave in different directions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Terminator {
    /// Every lane goes on at the block.
    Jump(BlockId),
    /// Lanes where `p` is true go to `then`, the others to `otherwise`.
    Branch {
        /// The condition, per lane.
        p: Pred,
        /// Where lanes with a true condition go.
        then: BlockId,
        /// Where the others go.
        otherwise: BlockId,
    },
    /// The lanes exit.
    Exit,
    /// The kernel is stopped with a fault.
    Trap,
}

impl Terminator {
    /// The blocks that control can go to.
    pub fn successors(&self) -> impl DoubleEndedIterator<Item = BlockId> + Clone + use<> {
        let (first, second) = match *self {
            Terminator::Jump(to) => (Some(to), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Exit | Terminator::Trap => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// The register that a terminator reads.
pub fn terminator_use(terminator: &Terminator) -> Option<Reg> {
    match terminator {
        Terminator::Branch { p, .. } => p.reg(),
        Terminator::Jump(_) | Terminator::Exit | Terminator::Trap => None,
    }
}

/// A straight run of instructions with one way in and a terminator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// The instructions in order.
    pub insts: Vec<Inst>,
    /// How control leaves.
    pub terminator: Terminator,
    /// Where the terminator comes from.
    pub place: Place,
}

/// How the lanes of a warp may be scheduled against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarpRules {
    /// Targets `sm_70` and later: any split of a warp may be chosen next, and every one makes progress.
    Independent,
    /// Targets below `sm_70`: the lanes run in lockstep and reconverge at the immediate post-dominator.
    Lockstep,
}

/// What a kernel says about the CTAs it can be launched with (`.maxntid`, `.reqntid`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct ThreadLimits {
    /// The CTA must have exactly these dimensions.
    pub required: Option<[u32; 3]>,
    /// The CTA has at most the product of these threads.
    pub maximum: Option<[u32; 3]>,
}

/// What a kernel says about the clusters of CTAs that it can be launched in (PTX ISA 9.1, 11.7 "Cluster Dimension
/// Directives").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct ClusterLimits {
    /// Whether its target has clusters: `sm_90` and later.
    pub available: bool,
    /// The cluster must have exactly these dimensions, in CTAs (`.reqnctapercluster`).
    pub required: Option<[u32; 3]>,
    /// The launch or the kernel must say which dimensions the cluster has (`.explicitcluster`).
    pub explicit: bool,
    /// The cluster has at most so many CTAs (`.maxclusterrank`).
    pub maximum: Option<u32>,
}

/// A function's variables in the local memory of a thread, during one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function's instructions with those of all that it calls, by place.
    pub places: Range<u32>,
    /// Where its variables stand.
    pub variables: Vec<Range<u32>>,
}

/// What lies before and between variables, from low to high.
pub fn gaps(variables: impl IntoIterator<Item = Range<u32>>) -> Vec<Range<u32>> {
    let mut variables: Vec<_> = variables.into_iter().collect();
    variables.sort_unstable_by_key(|variable| variable.start);
    let mut gaps = Vec::new();
    let mut end = 0;
    for variable in variables {
        if end < variable.start {
            gaps.push(end..variable.start);
        }
        end = end.max(variable.end);
    }
    gaps
}

/// One kernel, ready to run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The scheduling rules of its target.
    pub rules: WarpRules,
    /// The class of each virtual register.
    pub registers: Vec<Class>,
    /// The blocks in reconvergence order; control enters at the first.
    pub blocks: Vec<Block>,
    /// Bytes of the parameter space.
    pub param_bytes: u32,
    /// The parts of those bytes that belong to no parameter, from low to high: accesses to them are out of bounds.
    pub param_gaps: Vec<Range<u32>>,
    /// Bytes of statically allocated shared memory of a CTA; dynamic shared memory follows them.
    pub shared_bytes: u32,
    /// The parts of those bytes that belong to no variable, from low to high: accesses to them are out of bounds.
    pub shared_gaps: Vec<Range<u32>>,
    /// The part of those bytes that the system keeps for itself and clears: empty in nearly all kernels.
    pub system_shared: Range<u32>,
    /// Bytes of local memory of a thread that variables need whose places are known; the stack follows them.
    pub local_bytes: u32,
    /// Whether threads have a stack, for functions that call themselves and for `alloca`. The launch says how large it is.
    pub has_stack: bool,
    /// The functions that have variables there, once per call. Accesses to what belongs to none of the variables of those that
    /// have been called and not returned are out of bounds.
    pub frames: Vec<Frame>,
    /// Demands on the CTA's shape.
    pub threads: ThreadLimits,
    /// Demands on the cluster's shape.
    pub cluster: ClusterLimits,
}

impl Kernel {
    /// A kernel without code and without memory of any space.
    pub(crate) fn empty(name: String, rules: WarpRules, registers: Vec<Class>) -> Kernel {
        Kernel {
            name,
            rules,
            registers,
            blocks: Vec::new(),
            param_bytes: 0,
            param_gaps: Vec::new(),
            shared_bytes: 0,
            shared_gaps: Vec::new(),
            system_shared: 0..0,
            local_bytes: 0,
            has_stack: false,
            frames: Vec::new(),
            threads: ThreadLimits::default(),
            cluster: ClusterLimits::default(),
        }
    }

    /// Bytes of shared memory of a CTA that variables need, with so many dynamic ones.
    pub fn shared_bytes_of_variables(&self, dynamic: u32) -> u64 {
        let gaps: u64 = self.shared_gaps.iter().map(|gap| u64::from(gap.end - gap.start)).sum();
        u64::from(self.shared_bytes) + u64::from(dynamic) - gaps
    }

    /// Bytes of local memory of a thread if its stack, should it have one, has so many.
    pub fn local_bytes_with(&self, stack: u32) -> u64 {
        u64::from(self.local_bytes) + if self.has_stack { u64::from(stack) } else { 0 }
    }

    /// The class of a register.
    pub fn class(&self, reg: Reg) -> Class {
        self.registers[reg.0 as usize]
    }

    /// Makes reductions of atomics whose results nobody reads, as compilers leave them: the order of most reductions does
    /// not matter ([`Op::any_order`]).
    pub fn drop_unread_results(&mut self) {
        let mut read = vec![false; self.registers.len()];
        for block in &self.blocks {
            for inst in &block.insts {
                let guard = inst.guard.and_then(|guard| guard.reg());
                guard.into_iter().for_each(|reg| read[reg.0 as usize] = true);
                inst.op.operands(|operand| {
                    if let Operand::Use(reg) = operand {
                        read[reg.0 as usize] = true;
                    }
                });
            }
            let decides = terminator_use(&block.terminator);
            decides.into_iter().for_each(|reg| read[reg.0 as usize] = true);
        }
        for inst in self.blocks.iter_mut().flat_map(|block| &mut block.insts) {
            if let Op::Atomic { d, update: Update::Apply(_), .. } = &mut inst.op {
                *d = d.filter(|reg| read[reg.0 as usize]);
            }
        }
    }
}
