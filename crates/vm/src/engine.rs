//! What runs a plan: engines, and the code that they make.

use crate::Level;
use crate::exit::Exit;
use crate::frame::Frame;
use crate::observer::Straight;
use crate::plan::{Pc, Plan};
use ir::{Inst, Interrupt, Place, Pred, Terminator};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Makes code of plans.
pub(crate) trait Engine {
    /// Makes code of a plan. `None` if it was interrupted.
    fn compile(&self, plan: &Arc<Plan>, interrupt: &Interrupt<'_>) -> Option<Box<dyn Code>>;
}

/// What an engine made of a plan. It may run on several host threads at once, each with a frame of its own.
pub(crate) trait Code: Send + Sync + fmt::Debug {
    /// Words of a CTA's register file: the plan's rows, and what the engine adds.
    fn register_words(&self) -> usize;

    /// Writes what the register file holds before everything else: rows of constants.
    ///
    /// # Safety
    /// `registers` points to as many words as [`Code::register_words`] says.
    unsafe fn fill(&self, registers: *mut u32);

    /// The accesses that remember which allocation they found last: for each, whether it writes.
    fn sites(&self) -> &[bool];

    /// Bytes of machine code that have been made so far.
    fn machine_code(&self) -> usize {
        0
    }

    /// Computes the plan's prologue. The frame's registers keep it from one CTA to the next.
    fn prologue(&self, frame: &mut Frame<'_>);

    /// If the group is better run from a place on together with lanes of its warps that wait at later ones: how many warps that follow each
    /// other run together. See [`Frame::along`].
    fn wants_along(&self, _at: Pc) -> Option<usize> {
        None
    }

    /// Whether lanes may be among those that wait at a place while the group runs from an earlier one on.
    fn takes_along(&self, _at: Pc, _waiting: Pc) -> bool {
        false
    }

    /// Runs the frame's group from a place on until it has to stop, or comes to the beginning of a block at or behind
    /// `until`, or has used up the frame's fuel.
    fn run(&self, frame: &mut Frame<'_>, from: Pc, until: Pc) -> Exit;

    /// The same, for plans that are observed: everything is shown to `watch`. With a `step`, the group also stops before the
    /// second instruction that others can notice.
    fn show(
        &self,
        frame: &mut Frame<'_>,
        from: Pc,
        until: Pc,
        step: Option<Step>,
        watch: &mut dyn Watch,
    ) -> Exit;
}

/// How far a step has come that ends before the second instruction that others can notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Its first instruction, whatever that is, comes next.
    Begins,
    /// It is behind that.
    GoesOn,
}

/// Whom an engine shows what it does: an [`Observer`](crate::Observer), whose type it need not know.
pub(crate) trait Watch {
    /// Whether it is to be shown effects, too.
    fn wants_effects(&self) -> bool;
    /// The group reads a guard.
    fn guard(&mut self, frame: &Frame<'_>, guard: Pred, place: Place);
    /// The group is about to execute an instruction.
    fn inst(&mut self, frame: &Frame<'_>, inst: &Inst);
    /// The group is about to execute instructions that do not concern others, or concern whole warps ([`Straight`]). The last
    /// collective of them is before `behind`. Whether each must be shown: else the group executes all of them.
    fn straight(&mut self, frame: &mut Frame<'_>, straight: &Straight<'_>, behind: Pc) -> bool;
    /// The group has come to a collective at which lanes wait for each other. Whether it fires at once, for each warp by itself, and the
    /// group goes on behind it: then it has been told of, and is performed next.
    fn meets_at_once(&mut self, frame: &mut Frame<'_>, inst: &Inst, at: Pc) -> bool;
    /// The group has come to a CTA barrier. Whether all are there, and it goes on behind it: then it has been told of, and its result
    /// is written next.
    fn passes_barrier(&mut self, frame: &mut Frame<'_>, inst: &Inst, at: Pc) -> bool;
    /// Whether the group may go on at a place behind so many turns without the scheduler.
    fn may_go_on(&self, turns: u64, at: Pc) -> bool;
    /// The group goes on so.
    fn goes_on(&mut self, frame: &mut Frame<'_>, turns: u64, at: Pc);
    /// The group is about to leave a block.
    fn leave(&mut self, frame: &Frame<'_>, terminator: &Terminator, place: Place);
    /// Threads have allocated or freed memory ([`Frame::heap_events`]), which is told and forgotten.
    fn heap(&mut self, frame: &mut Frame<'_>);
    /// The group has executed an instruction.
    fn after(&mut self, frame: &Frame<'_>, inst: &Inst);
}

/// What executes a kernel. All give the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineChoice {
    /// The interpreter at first, and machine code for what runs long, where the machine has both. What is observed, deterministic,
    /// or has a schedule is interpreted.
    Auto,
    /// The interpreter, with the vector instructions of a level.
    Interpreter(Level),
    /// Machine code for warps, with the vector instructions of a level.
    Native(jit::Level),
}

impl EngineChoice {
    /// The best interpreter that this machine has.
    pub fn interpreter() -> EngineChoice {
        EngineChoice::Interpreter(Level::detect())
    }

    /// Every engine and level that this machine has, without [`EngineChoice::Auto`], which chooses among them: interpreters first,
    /// of each kind the best last.
    pub fn available() -> impl Iterator<Item = EngineChoice> {
        Level::available().map(EngineChoice::Interpreter).chain(EngineChoice::native())
    }

    fn native() -> impl Iterator<Item = EngineChoice> {
        EngineChoice::native_levels().map(EngineChoice::Native)
    }

    /// The levels of native code that this machine has, the best last.
    pub(crate) fn native_levels() -> impl Iterator<Item = jit::Level> {
        let is_available = |level: &jit::Level| EngineChoice::Native(*level).is_available();
        jit::Level::ALL.into_iter().filter(is_available)
    }

    /// The level of the interpreter that runs what the engine does not.
    pub(crate) fn interpreter_level(self) -> Level {
        match self {
            EngineChoice::Interpreter(level) => level,
            EngineChoice::Auto | EngineChoice::Native(_) => Level::detect(),
        }
    }

    fn is_available(self) -> bool {
        match self {
            EngineChoice::Auto => true,
            EngineChoice::Interpreter(level) => level.is_available(),
            EngineChoice::Native(level) => level.is_available(),
        }
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineChoice::Auto => f.write_str("auto"),
            EngineChoice::Interpreter(level) => write!(f, "interp:{level}"),
            EngineChoice::Native(level) => write!(f, "jit:{level}"),
        }
    }
}

impl FromStr for EngineChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || {
            let kinds =
                EngineChoice::native().next().map_or("auto, interp", |_| "auto, interp, jit");
            EngineChoice::available().fold(kinds.to_owned(), |all, one| format!("{all}, {one}"))
        };
        match text {
            "auto" => return Ok(EngineChoice::Auto),
            "interp" => return Ok(EngineChoice::interpreter()),
            _ => {}
        }
        if text == "jit" {
            let missing = || format!("this machine has no native code: it has {}", known());
            return EngineChoice::native().last().ok_or_else(missing);
        }
        let all = Level::ALL.into_iter().map(EngineChoice::Interpreter);
        let mut all = all.chain(jit::Level::ALL.into_iter().map(EngineChoice::Native));
        match all.find(|engine| engine.to_string() == text) {
            Some(engine) if engine.is_available() => Ok(engine),
            Some(_) => Err(format!("this machine has no {text}: it has {}", known())),
            None => Err(format!("there is no engine `{text}`: there are {}", known())),
        }
    }
}
