//! Which registers the code uses for what.

use crate::isa::Family;
use crate::mir::register;
use iced_x86::Register;
#[cfg(test)]
use regalloc2::MachineEnv;
use regalloc2::{PRegSet, RegClass};

/// The context, all the time.
pub(crate) const CONTEXT: Register = Register::R13;
/// The register file.
pub(crate) const REGISTERS: Register = Register::RBX;
/// The number of the warp times 128.
pub(crate) const WARP: Register = Register::R12;
/// For whatever takes several instructions.
pub(crate) const SCRATCH: Register = Register::R11;
/// The same of masks.
pub(crate) const MASK_SCRATCH: Register = Register::K7;

/// General registers that hold values, by number: those that calls change come first.
const GENERAL: [usize; 11] = [0, 1, 2, 6, 7, 8, 9, 10, 14, 15, 5];
/// How many of them calls change.
const CHANGED: usize = 8;

/// The vector register for whatever takes several instructions.
pub(crate) fn vector_scratch(family: Family) -> usize {
    match family {
        Family::Avx2 => 15,
        Family::Avx512 => 31,
    }
}

/// All classes, in the order of their numbers.
pub(crate) const CLASSES: [RegClass; 3] = [RegClass::Int, RegClass::Float, RegClass::Vector];

fn all(class: RegClass, family: Family) -> Vec<usize> {
    match class {
        RegClass::Int => GENERAL.to_vec(),
        RegClass::Float => (0..vector_scratch(family)).collect(),
        RegClass::Vector => (1..7).collect(),
    }
}

fn set(numbers: &[usize], class: RegClass) -> PRegSet {
    numbers.iter().map(|number| register(*number, class)).collect()
}

/// What the register allocator has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    /// Per class, the registers that hold values, a bit each.
    pub(crate) all: [u32; 3],
    /// Those in which calls have their results.
    pub(crate) results: [u32; 3],
    /// Per class, a register that is free wherever something is moved.
    pub(crate) scratch: [u8; 3],
}

/// The registers of a family.
pub(crate) fn registers(family: Family) -> Registers {
    let bits = |class| all(class, family).into_iter().fold(0, |bits, number| bits | 1 << number);
    let [general, mask] = [SCRATCH, MASK_SCRATCH].map(|register| register.number() as u8);
    let scratch = [general, vector_scratch(family) as u8, mask];
    Registers { all: CLASSES.map(bits), results: [1 << GENERAL[0], 0, 0], scratch }
}

/// The same for the checker.
#[cfg(test)]
pub(crate) fn environment(family: Family) -> MachineEnv {
    let scratch = registers(family).scratch;
    let scratch = |class| register(usize::from(scratch[class as usize]), class);
    MachineEnv {
        preferred_regs_by_class: CLASSES.map(|class| set(&all(class, family), class)),
        non_preferred_regs_by_class: [PRegSet::empty(); 3],
        scratch_by_class: CLASSES.map(|class| Some(scratch(class))),
        fixed_stack_slots: Vec::new(),
    }
}

/// What calls change, besides the register of their result.
pub(crate) fn clobbered(family: Family) -> PRegSet {
    let mut found = set(&GENERAL[1..CHANGED], RegClass::Int);
    for class in [RegClass::Float, RegClass::Vector] {
        found.union_from(set(&all(class, family), class));
    }
    found
}
