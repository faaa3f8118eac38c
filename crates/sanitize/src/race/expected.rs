//! The plain reads with which compare-and-swap loops begin.

use foldhash::{HashSet, HashSetExt};
use ir::{Address, Kernel, Op, Place, Reg, Src, Update};

/// What holds the value that a compare-and-swap expects, on its way there.
#[derive(Default)]
struct Holders {
    registers: HashSet<Reg>,
    /// Variables that code which is not optimised keeps in memory.
    variables: HashSet<(Src, i64)>,
}

/// The loads whose value, perhaps copied, is what a compare-and-swap expects.
pub(super) fn loads(kernel: &Kernel) -> HashSet<Place> {
    let mut holders = Holders::default();
    let mut places = HashSet::new();
    let mut grows = true;
    while grows {
        grows = false;
        for inst in kernel.blocks.iter().flat_map(|block| &block.insts) {
            grows |= holders.follow(&inst.op);
        }
    }
    for inst in kernel.blocks.iter().flat_map(|block| &block.insts) {
        if holders.is_loaded(&inst.op) {
            places.insert(inst.place);
        }
    }
    places
}

impl Holders {
    /// Goes one step back from what holds the value to where it comes from. Whether that was not known yet.
    fn follow(&mut self, op: &Op) -> bool {
        match op {
            Op::Atomic { update: Update::CompareExchange, b: Src::Reg(reg), .. } => {
                self.registers.insert(*reg)
            }
            Op::Unary { op, d, a: Src::Reg(a) } if op.is_move() => {
                self.registers.contains(d) && self.registers.insert(*a)
            }
            Op::Load { address, .. } => {
                self.is_loaded(op) && self.variables.insert(variable(address))
            }
            Op::Store { values, address, .. } => match values.as_slice() {
                [Src::Reg(value)] => {
                    self.variables.contains(&variable(address)) && self.registers.insert(*value)
                }
                _ => false,
            },
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Logic { .. }
            | Op::Select { .. }
            | Op::Special { .. }
            | Op::ActiveMask { .. }
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

    /// Whether an operation loads the value.
    fn is_loaded(&self, op: &Op) -> bool {
        let Op::Load { d, .. } = op else { return false };
        d.iter().flatten().any(|d| self.registers.contains(d))
    }
}

/// A variable in memory, by how it is addressed.
fn variable(address: &Address) -> (Src, i64) {
    (address.base, address.offset)
}
