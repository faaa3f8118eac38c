//! One thread: its registers, its local memory, where it is.

use ir::{Class, CollectiveKind, Pred, Reg, Src};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Runs,
    /// Waits at a collective for the members.
    Meets(CollectiveKind, u32),
    /// Waits at a barrier of its CTA.
    Waits(usize),
    /// Waits at the barrier of its cluster.
    WaitsForCluster,
    Exited,
}

/// Where a thread is at the barrier of its cluster: it arrives, all have arrived, it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtCluster {
    /// It has not arrived.
    Away,
    Arrived,
    /// All have arrived: it need not wait any more.
    Passes,
}

#[derive(Clone, Debug)]
pub(super) struct Thread {
    /// Values with zeros above their class.
    pub(super) regs: Vec<u64>,
    pub(super) local: Vec<u8>,
    pub(super) block: usize,
    pub(super) at: usize,
    pub(super) state: State,
    pub(super) at_cluster: AtCluster,
}

/// The bits of a class.
pub(super) fn cut(class: Class, value: u64) -> u64 {
    match class {
        Class::W32 => value & u64::from(u32::MAX),
        Class::W64 => value,
        Class::Pred => value & 1,
    }
}

impl Thread {
    pub(super) fn read(&self, reg: Reg) -> u64 {
        self.regs.get(reg.0 as usize).copied().unwrap_or(0)
    }

    pub(super) fn src(&self, src: Src) -> u64 {
        match src {
            Src::Reg(reg) => self.read(reg),
            Src::Imm(value) => value,
        }
    }

    pub(super) fn pred(&self, pred: Pred) -> bool {
        match pred {
            Pred::Is(reg) => self.read(reg) != 0,
            Pred::Not(reg) => self.read(reg) == 0,
            Pred::Const(value) => value,
        }
    }

    pub(super) fn write(&mut self, registers: &[Class], reg: Reg, value: u64) {
        let at = reg.0 as usize;
        if let (Some(slot), Some(class)) = (self.regs.get_mut(at), registers.get(at)) {
            *slot = cut(*class, value);
        }
    }

    pub(super) fn go_on(&mut self) {
        self.state = State::Runs;
        self.at += 1;
    }
}
