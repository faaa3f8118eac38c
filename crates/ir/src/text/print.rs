//! From a kernel to its text.

use super::forms::op_forms;
use super::modifier::{Dotted, Modifier};
use super::operand::{List, Operand, Results};
use super::words::Word;
use crate::{
    BarrierAction, BlockId, Class, ClusterHalf, ClusterLimits, Collective, CopyProgress, Fence,
    Frame, Inst, Kernel, MatrixForm, Op, Place, Terminator, ThreadLimits,
};
use lanes::ReduxF32;
use std::fmt;
use std::ops::Range;

/// Runs of registers in one line.
const RUNS: usize = 6;

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block{}", self.0)
    }
}

macro_rules! printer {
    (
        scalar { $($field:ident: $rows:ident, ($($scalar:tt)*) = [$($sd:ident),*] [$($sa:ident),*];)* }
        named { $($name:literal, ($($op:tt)*) = [$($d:ident),*] [$($m:ident),*] [$($a:ident),*];)* }
    ) => {
        impl fmt::Display for Op {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $($($scalar)* => {
                        print_results(f, |_list| { $(Results::print($sd, _list)?;)* Ok(()) })?;
                        Modifier::print($field, "", &mut Dotted::new(f))?;
                        let _list = &mut List::new(f, " ");
                        $(Operand::print($sa, _list)?;)*
                        Ok(())
                    })*
                    $($($op)* => {
                        print_results(f, |_list| { $(Results::print($d, _list)?;)* Ok(()) })?;
                        let _words = &mut Dotted::new(f);
                        _words.word($name)?;
                        $(Modifier::print($m, stringify!($m), _words)?;)*
                        let _list = &mut List::new(f, " ");
                        $(Operand::print($a, _list)?;)*
                        Ok(())
                    })*
                }
            }
        }
    };
}

op_forms!(printer);

fn print_results(
    f: &mut fmt::Formatter<'_>,
    print: impl FnOnce(&mut List<'_, '_>) -> fmt::Result,
) -> fmt::Result {
    let mut list = List::new(f, "");
    print(&mut list)?;
    let any = list.is_written();
    if any { f.write_str(" = ") } else { Ok(()) }
}

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.guard {
            Some(guard) => write!(f, "@{guard} {}", self.op),
            None => self.op.fmt(f),
        }
    }
}

impl fmt::Display for Terminator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Jump(to) => write!(f, "jump {to}"),
            Terminator::Branch { p, then, otherwise } => {
                write!(f, "branch {p}, {then}, {otherwise}")
            }
            Terminator::Exit => f.write_str("exit"),
            Terminator::Trap => f.write_str("trap"),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kernel { name, rules, registers, blocks, threads, frames, local_bytes, .. } = self;
        let Kernel { param_bytes, param_gaps, shared_bytes, shared_gaps, system_shared, .. } = self;
        writeln!(f, "kernel \"{}\" {}", name.escape_default(), rules.word())?;
        if *param_bytes != 0 || !param_gaps.is_empty() {
            write!(f, "params {param_bytes}")?;
            print_ranges(f, ", gaps", param_gaps)?;
            writeln!(f)?;
        }
        if *shared_bytes != 0 || !shared_gaps.is_empty() || *system_shared != (0..0) {
            write!(f, "shared {shared_bytes}")?;
            print_ranges(f, ", gaps", shared_gaps)?;
            if *system_shared != (0..0) {
                print_ranges(f, ", system", std::slice::from_ref(system_shared))?;
            }
            writeln!(f)?;
        }
        if *local_bytes != 0 {
            writeln!(f, "local {local_bytes}")?;
        }
        if self.has_stack {
            writeln!(f, "stack")?;
        }
        for Frame { places, variables } in frames {
            write!(f, "frame {}..{}", places.start, places.end)?;
            print_ranges(f, ", variables", variables)?;
            writeln!(f)?;
        }
        let ThreadLimits { required, maximum } = threads;
        for (what, extents) in [("required", required), ("maximum", maximum)] {
            if let Some([x, y, z]) = extents {
                writeln!(f, "threads {what} {x} {y} {z}")?;
            }
        }
        let ClusterLimits { available, required, explicit, maximum } = self.cluster;
        if available {
            f.write_str("clusters")?;
            if let Some([x, y, z]) = required {
                write!(f, " required {x} {y} {z}")?;
            }
            if let Some(maximum) = maximum {
                write!(f, " maximum {maximum}")?;
            }
            writeln!(f, "{}", if explicit { " explicit" } else { "" })?;
        }
        print_registers(f, registers)?;
        for (id, block) in blocks.iter().enumerate() {
            writeln!(f, "block{id}:")?;
            for inst in &block.insts {
                write!(f, "    {inst}")?;
                print_place(f, inst.place)?;
            }
            write!(f, "    {}", block.terminator)?;
            print_place(f, block.place)?;
        }
        Ok(())
    }
}

fn print_ranges(f: &mut fmt::Formatter<'_>, what: &str, ranges: &[Range<u32>]) -> fmt::Result {
    if !ranges.is_empty() {
        f.write_str(what)?;
    }
    ranges.iter().try_for_each(|range| write!(f, " {}..{}", range.start, range.end))
}

fn print_registers(f: &mut fmt::Formatter<'_>, registers: &[Class]) -> fmt::Result {
    let mut first = 0;
    for (nth, run) in registers.chunk_by(|one, next| one == next).enumerate() {
        let before = match nth {
            0 => "registers ",
            nth if nth.is_multiple_of(RUNS) => "\nregisters ",
            _ => ", ",
        };
        write!(f, "{before}v{first}")?;
        if run.len() > 1 {
            write!(f, "-v{}", first + run.len() - 1)?;
        }
        if let Some(class) = run.first() {
            write!(f, " {}", class.word())?;
        }
        first += run.len();
    }
    if first == 0 { Ok(()) } else { writeln!(f) }
}

fn print_place(f: &mut fmt::Formatter<'_>, place: Place) -> fmt::Result {
    match place {
        Place(0) => writeln!(f),
        Place(place) => writeln!(f, " at {place}"),
    }
}
