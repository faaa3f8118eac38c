//! Machine code of warps (crate `jit`) as an engine, with the interpreter for what it leaves.
//!
//! Code runs one gang of warps after the other from one barrier to the next. What it cannot do it leaves: its values go to their home rows, and
//! the lanes stand at a place of the plan, where the interpreter goes on to the end of the block. Where warps have left at different
//! places, the scheduler decides who is next. So what another engine would do first is told first, and by the interpreter: faults,
//! deadlocks, divergence.

mod calls;
mod heads;
mod hot;
mod left;
mod made;
mod owner;
mod rows;
mod served;
mod state;

use crate::Level;
use crate::code_cache::CodeCache;
use crate::engine::{Code, Engine, EngineChoice, Step, Watch};
use crate::exit::{Exit, Spent, Stop};
use crate::frame::{Frame, Site};
use crate::interp::{Interpreter, Program, row_functions};
use crate::plan::{Pc, Plan, Shape};
use hot::{Cell, Heat, operations};
use ir::Interrupt;
use jit::{Depends, Why};
use lanes::WARP;
use made::Maker;
use owner::{Owner, locate};
use smallvec::SmallVec;
pub(crate) use state::State;
use std::sync::{Arc, OnceLock};

/// The engine.
pub(crate) struct Native {
    level: jit::Level,
    when: When,
    cache: Option<CodeCache>,
}

/// When machine code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// Before the first launch.
    Now,
    /// When the kernel has run for about as long as that takes.
    Hot,
}

impl Native {
    /// What makes and runs machine code of a kernel, if the choice of an engine wants that.
    pub(crate) fn of(
        engine: EngineChoice,
        kernel: &ir::Kernel,
        shape: &Shape,
        cache: Option<&CodeCache>,
    ) -> Option<Native> {
        // What is watched is watched step by step.
        if shape.observed || shape.ctas() != 1 {
            return None;
        }
        let operations = operations(kernel);
        let cache = cache.cloned();
        match engine {
            EngineChoice::Interpreter(_) => None,
            EngineChoice::Native(level) => (operations <= MAX_OPERATIONS && level.is_available())
                .then_some(Native { level, when: When::Now, cache }),
            EngineChoice::Auto if operations > MAX_OPERATIONS => None,
            EngineChoice::Auto => {
                let best = EngineChoice::native_levels().last();
                best.map(|level| Native { level, when: When::Hot, cache })
            }
        }
    }
}

impl Engine for Native {
    fn compile(&self, plan: &Arc<Plan>, interrupt: &Interrupt<'_>) -> Option<Box<dyn Code>> {
        let interp = Interpreter(Level::detect()).program(plan, interrupt)?;
        let mut cell = Cell::default();
        if self.when == When::Now {
            let maker = Maker::new(Arc::clone(plan), &interp, self.level, self.cache.clone());
            let found = maker.find();
            cell = Cell::made(match found {
                Some(code) => code,
                None => maker.make(interrupt)?,
            });
        }
        let mut sites = interp.sites().to_vec();
        sites.extend(cell.code().into_iter().flat_map(jit::Code::sites));
        let heat = Heat::new(plan, self.level, self.cache.clone());
        let may_go_on = plan.local.bytes == 0 && plan.shape.ctas() == 1;
        let prologue_fits = OnceLock::new();
        Some(Box::new(NativeCode { interp, cell, heat, sites, prologue_fits, may_go_on }))
    }
}

/// Operations of a kernel beyond which it is interpreted: code of so many takes too long to make.
const MAX_OPERATIONS: usize = 1 << 14;
/// Warps of most CTAs, at most.
const FEW_WARPS: usize = 8;
/// Jumps backwards of a warp up to which its CTA counts as one that is soon done, so that others may be begun before anybody is asked.
const SOON_DONE: i64 = 256;
/// Machine code of a plan, and what interprets the rest of it.
#[derive(Debug)]
pub(crate) struct NativeCode {
    interp: Program,
    cell: Cell,
    heat: Heat,
    sites: Vec<bool>,
    /// Whether the rows of the prologue have the shapes that code relies on. All lanes compute them together, whatever the launch: they
    /// were looked at in the first one.
    prologue_fits: OnceLock<bool>,
    /// Whether code may go on with another CTA: nothing has to be made for it but rows and shared memory that are zero.
    may_go_on: bool,
}

/// Why a warp's gang has left the code, and where the warp's lanes stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Left {
    why: Why,
    at: Pc,
    exit: u32,
    lanes: u32,
}

impl Left {
    /// By an exit, with these lanes.
    fn by(code: &jit::Code, exit: u32, lanes: u32) -> Left {
        let found = code.exit(exit);
        Left { why: found.why, at: Pc(found.place), exit, lanes }
    }
}

/// The warps of a group that have left.
#[derive(Default)]
struct Warps {
    left: SmallVec<[(usize, Left); FEW_WARPS]>,
    /// Lanes that have parted from those that have left.
    others: Vec<(usize, u32, Option<Pc>)>,
}

impl Code for NativeCode {
    fn register_words(&self) -> usize {
        self.interp.register_words()
    }

    unsafe fn fill(&self, registers: *mut u32) {
        // SAFETY: as for the caller.
        unsafe { self.interp.fill(registers) };
    }

    fn sites(&self) -> &[bool] {
        &self.sites
    }

    fn prologue(&self, frame: &mut Frame<'_>) {
        self.interp.prologue(frame);
    }

    fn wants_along(&self, at: Pc) -> Option<usize> {
        let code = self.cell.code()?;
        code.head(at.0).map(|_| code.gang())
    }

    fn takes_along(&self, at: Pc, waiting: Pc) -> bool {
        let Some(code) = self.cell.code() else { return false };
        let Some((_, head)) = code.head(at.0) else { return false };
        let place = |number: u32| code.waiting()[number as usize].0;
        head.waiting.iter().any(|station| place(station.number) == waiting.0)
    }

    fn run(&self, frame: &mut Frame<'_>, from: Pc, until: Pc) -> Exit {
        let Some(code) = self.cell.code().filter(|_| frame.apart == 0) else {
            return self.heat_up(frame, from, until);
        };
        let sites = self.interp.sites().len();
        if frame.sites.len() < sites + code.sites().len() {
            // Made while the CTA was running.
            frame.sites.truncate(sites);
            frame.sites.extend(code.sites().iter().map(|writes| Site::new(*writes)));
        }
        let mut at = from;
        // Whether home rows are as the code left them.
        let mut trusted = from == Pc::START;
        if let Some(state) = frame.native.as_mut().filter(|_| trusted) {
            // It was another CTA's.
            state.left_at = None;
        }
        loop {
            let together = is_together(frame, code.gang());
            let next = match together {
                true => self.enter_together(frame, code, at, trusted),
                false => self.enter_apart(frame, code, at),
            };
            match next {
                Some(Next::Native(to)) => {
                    (at, trusted) = (to, true);
                    continue;
                }
                Some(Next::Stop(exit)) => return exit,
                Some(Next::Interpreted(to)) => at = to,
                None if !together => return self.come_to_head(frame, code, at, until),
                None => {}
            }
            trusted = false;
            if let Err(exit) = self.interpret(frame, &mut at, until) {
                return exit;
            }
        }
    }

    fn machine_code(&self) -> usize {
        self.cell.code().map_or(0, jit::Code::bytes)
    }

    fn show(
        &self,
        frame: &mut Frame<'_>,
        from: Pc,
        until: Pc,
        step: Option<Step>,
        watch: &mut dyn Watch,
    ) -> Exit {
        self.interp.show(frame, from, until, step, watch)
    }
}

/// Who goes on, and where.
enum Next {
    Native(Pc),
    Interpreted(Pc),
    Stop(Exit),
}

/// Whether every warp of the group has all lanes that there are, and is there with its gang.
fn is_together(frame: &Frame<'_>, gang: usize) -> bool {
    let group = frame.first..frame.first + frame.count;
    let (exec, existing) = (&frame.exec[group.clone()], &frame.threads.existing[group]);
    let in_gangs = frame.first.is_multiple_of(gang) && frame.count.is_multiple_of(gang);
    let gangs = exec.chunks(gang).zip(existing.chunks(gang));
    in_gangs
        && gangs
            .into_iter()
            .all(|(exec, existing)| exec == existing || exec.iter().all(|lanes| *lanes == 0))
}

impl NativeCode {
    /// Interprets a turn, and makes machine code if the kernel has run for long enough by then.
    fn heat_up(&self, frame: &mut Frame<'_>, from: Pc, until: Pc) -> Exit {
        let before = frame.stats.warp_instructions;
        let exit = self.interp.run(frame, from, until);
        if self.cell.is_empty() {
            let by = frame.stats.warp_instructions - before;
            self.heat.rises(by, &self.interp, &self.cell);
        }
        exit
    }

    fn prologue_fits(&self, frame: &Frame<'_>, code: &jit::Code) -> bool {
        *self.prologue_fits.get_or_init(|| rows::prologue_fits(frame, code))
    }

    /// Interprets to the end of the block.
    fn interpret(&self, frame: &mut Frame<'_>, at: &mut Pc, until: Pc) -> Result<(), Exit> {
        let fuel = std::mem::replace(&mut frame.fuel, 0);
        let exit = self.interp.run(frame, *at, until);
        frame.fuel += fuel;
        if let Stop::Yield(to) = exit
            && frame.fuel >= 0
        {
            *at = to;
            return Ok(());
        }
        Err(exit)
    }

    /// Runs the code of the group, whose warps have all their lanes. `None` if it cannot be entered.
    fn enter_together(
        &self,
        frame: &mut Frame<'_>,
        code: &jit::Code,
        at: Pc,
        trusted: bool,
    ) -> Option<Next> {
        let (entry, expected) = code.entry(at.0)?;
        let fits = self.prologue_fits(frame, code) && (trusted || rows::fit(frame, code, expected));
        fits.then(|| self.enter(frame, code, entry))
    }

    /// Runs the code of every warp of the group.
    fn enter(&self, frame: &mut Frame<'_>, code: &jit::Code, entry: u64) -> Next {
        let (first, end) = (frame.first, frame.first + frame.count);
        let gang = code.gang();
        let mut owner = Owner::new(&self.interp, code);
        let context = introduce(frame, code, entry, &raw mut owner);
        // Warps that have exited may lie between those that live.
        let whole = is_whole(frame) && frame.exec[first..end].iter().all(|lanes| *lanes != 0);
        // SAFETY: the state holds a context, and nobody else uses it.
        unsafe {
            (*context).whole = u64::from(whole);
            let all = frame.threads.live_count() == frame.plan.shape.threads();
            let is_silent = frame.printed.is_empty() && frame.launches.is_empty();
            let may_go_on = whole && all && self.may_go_on && is_silent;
            let start = code.entry(Pc::START.0).filter(|_| may_go_on);
            (*context).start = start.map_or(0, |(entry, _)| entry);
            (*context).ctas_left = if start.is_some() { frame.more } else { 0 };
        }
        let mut all = Warps::default();
        let mut warp = first;
        while warp < end {
            if frame.exec[warp] == 0 {
                warp += 1;
                continue;
            }
            let behind = (warp..end).find(|warp| frame.exec[*warp] == 0).unwrap_or(end);
            // SAFETY: the context and the owner are those of this frame, and the code was made for its plan.
            let (exit, last) = unsafe { run_warps(frame, code, context, warp..behind) };
            // SAFETY: no code runs.
            let known = unsafe { &mut *context };
            locate(frame, known);
            let exits = &known.exits;
            let is_exit = |exit: &u32| code.exit(*exit).why == Why::Exits;
            if warp == first
                && last + gang == end
                && is_exit(&exit)
                && exits[first..last].iter().step_by(gang).all(is_exit)
            {
                count(frame, known);
                return Next::Stop(Stop::Exit);
            }
            let of_gang = |warp: usize| exits[warp - (warp - first) % gang];
            let existing = frame.threads.existing;
            let before =
                (warp..last).map(|warp| (warp, Left::by(code, of_gang(warp), existing[warp])));
            all.left.extend(before);
            // The others are to come to where these are, and no further.
            (known.whole, known.start) = (0, 0);
            self.leave(frame, code, exit, last, &mut all);
            warp = last + gang;
        }
        // SAFETY: as above.
        count(frame, unsafe { &*context });
        self.next(frame, code, all)
    }

    /// Notes how a gang has left, and puts into home rows what it has left.
    fn leave(
        &self,
        frame: &mut Frame<'_>,
        code: &jit::Code,
        exit: u32,
        first: usize,
        all: &mut Warps,
    ) {
        let found = code.exit(exit);
        let gang = rows::Gang::of(code, first);
        let existing = frame.threads.existing;
        // The lanes of each warp that are among those of the gang.
        let of_warps = |lanes: u64| {
            let own = move |nth: usize| (lanes >> (nth * WARP)) as u32 & existing[first + nth];
            let own = (0..code.gang()).map(move |nth| (first + nth, own(nth)));
            own.filter(|(_, lanes)| *lanes != 0)
        };
        // There the code itself mostly goes on, and knows what rows hold.
        let wanted = !goes_on(found.why) || found.apart.is_some();
        let left::Standing { lanes, elsewhere } =
            left::restore(frame, code, found, gang, |_| wanted);
        for (lanes, at) in elsewhere {
            all.others.extend(of_warps(lanes).map(|(warp, lanes)| (warp, lanes, Some(at))));
        }
        let left = of_warps(lanes);
        all.left.extend(left.map(|(warp, lanes)| (warp, Left::by(code, exit, lanes))));
    }

    /// Who goes on where when all warps have left.
    fn next(&self, frame: &mut Frame<'_>, code: &jit::Code, all: Warps) -> Next {
        let Warps { left, others } = all;
        let Some((_, first)) = left.first().copied() else { return Next::Stop(Stop::Exit) };
        let existing = &frame.threads.existing;
        let same = |(warp, left): &(usize, Left)| {
            let at = left.at == first.at || left.why == Why::Exits;
            at && left.why == first.why && left.lanes == existing[*warp]
        };
        let together = others.is_empty() && left.iter().all(same);
        match first.why {
            Why::Exits if together => Next::Stop(Stop::Exit),
            Why::Barrier if together => {
                if is_whole(frame) {
                    return Next::Native(first.at.next());
                }
                self.complete_rows(frame, code, &left);
                // No lane passes by its guard; of warps between these, whose lanes are elsewhere, it says what was.
                frame.unguarded = frame.exec;
                Next::Stop(Stop::Barrier(first.at))
            }
            Why::Meets if together => {
                if is_whole(frame) {
                    return Next::Native(first.at);
                }
                self.complete_rows(frame, code, &left);
                Next::Stop(Stop::Yield(first.at))
            }
            Why::Leaves if together => Next::Interpreted(first.at),
            Why::Yields if together => Next::Stop(Stop::Yield(first.at)),
            Why::Exits | Why::Barrier | Why::Meets | Why::Leaves | Why::Yields => {
                self.complete_rows(frame, code, &left);
                let spent = |(_, left): &(usize, Left)| match left.why {
                    Why::Yields => match code.head(left.at.0).map(|(_, head)| head.depends) {
                        Some(Depends::Never) => Spent::Computing,
                        Some(Depends::Plainly) => Spent::Reading,
                        Some(Depends::Waits) | None => Spent::Waiting,
                    },
                    Why::Meets => Spent::Waiting,
                    Why::Exits | Why::Barrier | Why::Leaves => Spent::Nothing,
                };
                let spent = left.iter().map(spent).max().unwrap_or(Spent::Nothing);
                let leaves = left.iter().rev().find(|(_, left)| left.why == Why::Leaves);
                if let Some(state) = &mut frame.native {
                    state.left_at = leaves.map(|(_, left)| left.at);
                }
                let place = |(warp, left): &(usize, Left)| {
                    (*warp, left.lanes, (left.why != Why::Exits).then_some(left.at))
                };
                let splits = left.iter().map(place).chain(others).collect();
                Next::Stop(Stop::Apart { splits, spent })
            }
        }
    }

    /// Makes whole rows of what warps have left where the code itself mostly goes on.
    fn complete_rows(&self, frame: &mut Frame<'_>, code: &jit::Code, left: &[(usize, Left)]) {
        for (warp, left) in left.iter().filter(|(_, left)| goes_on(left.why)) {
            // All warps of a gang come there together.
            if (warp - frame.first).is_multiple_of(code.gang()) {
                let gang = rows::Gang::of(code, *warp);
                rows::restore(frame, &code.exit(left.exit).kept, gang, |_| u64::MAX);
            }
        }
    }
}

/// Whether all warps leave so together for the most part, and code goes on with them by itself.
fn goes_on(why: Why) -> bool {
    matches!(why, Why::Barrier | Why::Meets)
}

/// The type of code. The result is the number of an exit.
type Start = unsafe extern "C" fn(*mut jit::Context) -> u32;

/// Tells code what is the same for all warps of a group, by the context that the result points to; and that it leaves behind them, since
/// others are to be waited for.
fn introduce(
    frame: &mut Frame<'_>,
    code: &jit::Code,
    entry: u64,
    owner: *mut Owner,
) -> *mut jit::Context {
    let state = frame.native.get_or_insert_with(|| Box::new(State::new(code)));
    let pointer = state.context();
    // SAFETY: the state holds a context, and nobody else uses it.
    let context = unsafe { &mut *pointer };
    context.entry = entry;
    context.registers = frame.cta.regs as u64;
    context.sites = frame.sites.as_ptr() as u64;
    context.shared = frame.cta.shared.start as u64;
    context.local = frame.cta.local.start as u64;
    context.local_step = WARP as u64 * frame.cta.local_layout.stride();
    context.params = frame.cta.params.start as u64;
    context.perform = calls::perform as *const () as u64;
    context.serve = calls::serve as *const () as u64;
    context.find = calls::find as *const () as u64;
    context.rounding = jit::CONTROLS;
    context.row_functions = row_functions().as_ptr() as u64;
    context.owner = owner as u64;
    context.cta[..3].copy_from_slice(&frame.specials.cta);
    context.grid[..3].copy_from_slice(&frame.specials.launch.grid);
    (context.turn, context.first_turn, context.least) = (frame.fuel, frame.fuel, frame.fuel);
    context.enough = frame.fuel.saturating_sub(SOON_DONE);
    context.instructions = 0;
    (context.masked_instructions, context.masked_lanes, context.divergences) = (0, 0, 0);
    (context.whole, context.start, context.ctas_left) = (0, 0, 0);
    pointer
}

/// Runs the code of these warps, until a gang leaves in a way that needs somebody. The result is by which exit, and its first warp.
///
/// # Safety
/// The context is the frame's, and knows the owner; the code was made for this machine and the frame's plan.
#[inline(always)]
unsafe fn run_warps(
    frame: &mut Frame<'_>,
    code: &jit::Code,
    context: *mut jit::Context,
    warps: std::ops::Range<usize>,
) -> (u32, usize) {
    // SAFETY: code begins with a function of this type. It accesses the rows of the plan, memory that it has checked, and the context, and
    // calls back with the context alone. The frame is not used meanwhile but by those calls.
    unsafe {
        let start = std::mem::transmute::<*const u8, Start>(code.start());
        let owner = (*context).owner as *mut Owner;
        (*owner).frame = (&raw mut *frame).cast();
        (*context).begin(warps);
        let exit = start(context);
        (*context).least = (*context).least.min((*context).fuel);
        (exit, (*context).warp())
    }
}

/// Counts what the code of a group has counted.
fn count(frame: &mut Frame<'_>, known: &jit::Context) {
    frame.fuel = known.least;
    frame.stats.warp_instructions += known.instructions + known.masked_instructions;
    frame.stats.thread_instructions += 32 * known.instructions + known.masked_lanes;
    frame.stats.divergences += known.divergences;
}

/// Whether the group is all that is waited for at a barrier.
fn is_whole(frame: &Frame<'_>) -> bool {
    let group = frame.first..frame.first + frame.count;
    let here: u32 = frame.exec[group].iter().map(|lanes| lanes.count_ones()).sum();
    frame.arrivals == 0 && here == frame.threads.live_count()
}
