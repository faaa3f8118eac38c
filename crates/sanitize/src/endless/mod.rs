//! W007: endless loops (livelock, spin loops that wait in vain).
//!
//! Each thread is a sequential program. If memory does not change, and lanes are back at the same branch with
//! the same values in all registers that decide control flow and addresses, without having synchronised with others,
//! they repeat that iteration for ever. When all live lanes of all CTAs do so or wait at a barrier or collective, and every CTA
//! has begun, the kernel never ends.
//!
//! Other work of the program, and its threads on the host, may write what such a loop reads in global memory. Then the kernel never
//! ends only if none of them is left that could, or if they keep silent for long.
//!
//! Observation starts after a CTA has run for long. It ends at the first change of memory, and at whatever else
//! such an iteration may not do: read `activemask`, or a clock that influences more than how long it sleeps, print, come to
//! a CTA barrier, or use a collective of lockstep lanes. The interval to the next observation grows.

mod hope;
mod turn;

use crate::others::Outside;
use crate::touch::{Touch, Touches};
use foldhash::HashMap;
use foldhash::fast::FixedState;
use hope::Hope;
use ir::{Inst, Kernel, Op, Place, Service, Space, Src, Terminator, WarpRules};
use lanes::{LaneMask, WARP};
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;
use turn::{Code, Turn};
use vm::{Arrival, Firing, Location, Verdict, View, Waiting, WaitingFor};

/// Looks that are left out at most between two.
const MAX_PAUSE: u32 = 32;
/// Branches of a warp after which a turn is taken to begin at another one, at first.
const PATIENCE: u32 = 64;
/// Rows of registers that turns remember at most.
const MAX_ROWS: usize = 1 << 18;

/// Watches for loops without end.
#[derive(Debug)]
pub(crate) struct Endless {
    code: Code,
    lockstep: bool,
    /// CTAs of the grid that have not begun, and those that have begun and not ended.
    to_begin: u64,
    running: u64,
    look: Option<Look>,
    /// How often the CTAs have looked up since the last look began, and how often they must.
    since: u32,
    pause: u32,
    hope: Hope,
}

/// What has been seen since memory changed.
#[derive(Debug, Default)]
struct Look {
    warps: HashMap<(u64, usize), Warp>,
    rows: usize,
    /// Somebody has accessed global memory.
    is_global: bool,
    /// The CTAs that never end, by number: which lanes spin and which wait.
    endless: BTreeMap<u64, Vec<Waiting>>,
}

/// The turns of a warp.
#[derive(Debug)]
struct Warp {
    turns: Vec<Turn>,
    /// Branches until a turn that has not come to its end begins anew.
    patience: u32,
}

impl Endless {
    pub(crate) fn new(kernel: &Arc<Kernel>, grid: [u32; 3]) -> Endless {
        Endless {
            code: Code::new(kernel),
            lockstep: kernel.rules == WarpRules::Lockstep,
            to_begin: grid.iter().map(|extent| u64::from(*extent)).product(),
            running: 0,
            look: None,
            since: 0,
            pause: 1,
            hope: Hope::default(),
        }
    }

    /// For a launch to whose memory others have access.
    pub(crate) fn among(self, outside: Outside) -> Endless {
        Endless { hope: Hope::in_others(outside), ..self }
    }

    /// Whether others could have written what the kernel waits for, and have not.
    pub(crate) fn is_met_by_silence(&self) -> bool {
        self.hope.is_met_by_silence
    }

    pub(crate) fn begin(&mut self) {
        self.to_begin = self.to_begin.saturating_sub(1);
        self.running += 1;
    }

    pub(crate) fn end(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// Whether it wants to know what lanes compute.
    pub(crate) fn looks(&self) -> bool {
        self.look.is_some()
    }

    #[inline]
    pub(crate) fn guard(&mut self, view: &View<'_>, place: Place) {
        if let Some(look) = &mut self.look {
            look.passes(view, place);
        }
    }

    #[inline]
    pub(crate) fn inst(&mut self, view: &View<'_>, inst: &Inst, touches: &Touches) {
        let Some(look) = &mut self.look else { return };
        look.passes(view, inst.place);
        if look.changes(&self.code, view, inst, touches) {
            self.look = None;
        }
    }

    #[inline]
    pub(crate) fn leave(&mut self, view: &View<'_>, terminator: &Terminator, place: Place) {
        let Some(look) = &mut self.look else { return };
        match terminator {
            Terminator::Jump(_) | Terminator::Branch { .. } => {
                look.passes(view, place);
                for (warp, lanes) in view.group() {
                    look.leave(&self.code, view, (warp, lanes), (terminator, place));
                }
                if look.rows > MAX_ROWS {
                    self.look = None;
                }
            }
            // Who waits in the CTA, or for it, may go on now.
            Terminator::Exit | Terminator::Trap => {
                view.cluster_ctas().for_each(|cta| look.forget(&self.code, cta));
            }
        }
    }

    pub(crate) fn arrive(&mut self, view: &View<'_>, arrival: &Arrival<'_>) {
        let Some(look) = &mut self.look else { return };
        if self.lockstep || arrival.membermask.is_none() {
            self.look = None;
        } else {
            let place = arrival.inst.place;
            look.retain(&self.code, (view.cta(), arrival.warp), |turn| {
                turn.arrives(arrival.lanes, place)
            });
        }
    }

    pub(crate) fn fire(&mut self, view: &View<'_>, firing: &Firing<'_>) {
        let Some(look) = &mut self.look else { return };
        let warp = (view.cta(), firing.warp);
        look.retain(&self.code, warp, |turn| turn.meet(firing.executing));
    }

    pub(crate) fn arrive_at_barrier(&mut self) {
        self.look = None;
    }

    /// A CTA has run for long; these of its lanes wait. Breaks if the kernel never ends, with the lanes to report, or
    /// goes on only with one more CTA.
    pub(crate) fn look_up(&mut self, view: &View<'_>, waiting: &[Waiting]) -> ControlFlow<Verdict> {
        let Some(look) = &mut self.look else {
            self.since += 1;
            if self.since >= self.pause {
                (self.since, self.pause) = (0, (2 * self.pause).min(MAX_PAUSE));
                self.look = Some(Look::default());
            }
            return ControlFlow::Continue(());
        };
        let Some(standing) = look.standing(&self.code, view, waiting, self.lockstep) else {
            return ControlFlow::Continue(());
        };
        look.endless.insert(view.cta(), standing);
        if (look.endless.len() as u64) < self.running {
            return ControlFlow::Continue(());
        }
        if self.to_begin > 0 {
            return ControlFlow::Break(Verdict::Stuck);
        }
        if look.is_global && self.hope.is_left(look.state(), Instant::now()) {
            *look = Look::default();
            return ControlFlow::Continue(());
        }
        let mut all = look.endless.remove(&view.cta()).unwrap_or_default();
        all.extend(std::mem::take(&mut look.endless).into_values().flatten());
        ControlFlow::Break(Verdict::Endless(all))
    }
}

/// Bytes of the largest frame whose old contents a turn remembers.
const MAX_FRAME: u64 = 1 << 12;

impl Look {
    /// The group executes something at a place.
    fn passes(&mut self, view: &View<'_>, place: Place) {
        let cta = view.cta();
        for (warp, lanes) in view.group() {
            let Some(warp) = self.warps.get_mut(&(cta, warp)) else { continue };
            for turn in warp.turns.iter_mut().filter(|turn| turn.lanes.intersects(lanes)) {
                turn.passes(place);
            }
        }
    }

    /// Whether an instruction does what a turn of an endless loop must not. Local memory is a thread's own, as registers are:
    /// turns remember what it held.
    fn changes(&mut self, code: &Code, view: &View<'_>, inst: &Inst, touches: &Touches) -> bool {
        if let Op::Host { service: Service::BeginFrame, operands, .. } = &inst.op {
            return self.clears(view, operands);
        }
        let mut changes = code.tells_time(&inst.op)
            || matches!(
                inst.op,
                Op::ActiveMask { .. } | Op::Copy(_) | Op::CopyProgress(_) | Op::Host { .. }
            );
        for (nth, touched) in inst.op.touches().enumerate() {
            for touch in touches.of(nth) {
                self.is_global |= touch.space == Space::Global;
                match touch.space {
                    _ if !touched.writes => {}
                    Space::Local => self.overwrites(view, &touch),
                    Space::Global | Space::Shared | Space::Generic | Space::Param => {
                        changes |= !touch.leaves(view, &inst.op);
                    }
                }
            }
        }
        changes
    }

    /// Lanes clear a frame in local memory. Whether that is too large to be remembered.
    fn clears(&mut self, view: &View<'_>, operands: &[Src]) -> bool {
        let [start, bytes] = operands else { return true };
        for (warp, lanes) in view.group() {
            let (start, bytes) = (view.w64(*start, warp), view.w64(*bytes, warp));
            for lane in lanes {
                let at = lane as usize % WARP;
                let (low, bytes) = (start[at], bytes[at]);
                let high = low.saturating_add(bytes);
                if bytes > MAX_FRAME || high > view.local_bytes() {
                    return true;
                }
                let at = Location { space: Space::Local, address: low, cta: view.cta() };
                let touch = Touch::one(at, (warp, lane), bytes);
                self.overwrites(view, &touch);
            }
        }
        false
    }

    /// What the lanes do that spin, as a number.
    fn state(&self) -> u64 {
        let warps = self.warps.iter().map(|(at, warp)| {
            let turns = warp.turns.iter().filter(|turn| turn.endless).map(Turn::state);
            FixedState::default().hash_one((at, turns.collect::<Vec<u64>>()))
        });
        warps.fold(0, u64::wrapping_add)
    }

    /// A CTA begins anew to be looked at.
    fn forget(&mut self, code: &Code, cta: u64) {
        let turns = |warp: &Warp| warp.turns.len() * code.rows();
        self.rows -= self
            .warps
            .iter()
            .filter(|(at, _)| at.0 == cta)
            .map(|(_, warp)| turns(warp))
            .sum::<usize>();
        self.warps.retain(|at, _| at.0 != cta);
        self.endless.remove(&cta);
    }

    /// Lanes overwrite local memory.
    fn overwrites(&mut self, view: &View<'_>, touch: &Touch<'_>) {
        let Some(warp) = self.warps.get_mut(&(view.cta(), touch.warp)) else { return };
        for turn in &mut warp.turns {
            turn.overwrites(view, touch);
        }
    }

    /// Keeps the turns of a warp that pass a test.
    fn retain(&mut self, code: &Code, warp: (u64, usize), test: impl FnMut(&mut Turn) -> bool) {
        let Some(warp) = self.warps.get_mut(&warp) else { return };
        let count = warp.turns.len();
        warp.turns.retain_mut(test);
        self.rows -= (count - warp.turns.len()) * code.rows();
    }

    /// Lanes of a warp leave a block: turns end and begin there.
    fn leave(
        &mut self,
        code: &Code,
        view: &View<'_>,
        (index, lanes): (usize, LaneMask),
        at: (&Terminator, Place),
    ) {
        let key = (view.cta(), index);
        let new = || Warp { turns: Vec::new(), patience: PATIENCE };
        let warp = self.warps.entry(key).or_insert_with(new);
        let mut tired = false;
        for turn in warp.turns.iter_mut().filter(|turn| turn.lanes.intersects(lanes)) {
            if !turn.returns(code, view, index, lanes, at) {
                tired |= turn.branches >= warp.patience;
            }
        }
        if tired {
            warp.patience = warp.patience.saturating_mul(2);
            self.retain(code, key, |turn| turn.endless || !turn.lanes.intersects(lanes));
        }
        let Some(warp) = self.warps.get_mut(&key) else { return };
        let rest = warp.turns.iter().fold(lanes, |rest, turn| rest - turn.lanes);
        if !rest.is_empty() {
            warp.turns.push(Turn::begin(code, view, index, rest, at));
            self.rows += code.rows();
        }
    }

    /// The lanes of a CTA that spin or wait, if these are all of them.
    fn standing(
        &self,
        code: &Code,
        view: &View<'_>,
        waiting: &[Waiting],
        lockstep: bool,
    ) -> Option<Vec<Waiting>> {
        let mut standing = Vec::new();
        for warp in 0..view.warps() {
            let (live, existing) = (view.live(warp), view.existing(warp));
            let turns = self.warps.get(&(view.cta(), warp)).map_or(&[][..], |warp| &warp.turns);
            let endless = || turns.iter().filter(|turn| turn.endless);
            let going = endless().fold(LaneMask::EMPTY, |all, turn| all | turn.lanes);
            let of_warp = || waiting.iter().filter(|group| group.warp as usize == warp);
            let waits = of_warp().fold(LaneMask::EMPTY, |all, group| all | group.lanes);
            // Collectives may read registers of lanes that do not take part: those must stand still.
            let alone = endless().count() == 1 && !endless().any(|turn| turn.accompanied);
            let meets = endless().any(|turn| turn.meets);
            // In lockstep, the other lanes of the warp stand behind the loop until all have left it.
            let others = live - going - waits;
            let others_stand = others.is_empty() || (lockstep && !going.is_empty());
            if !others_stand || (meets && !alone) {
                return None;
            }
            standing.extend(endless().map(|turn| {
                let cta = view.thread(warp, 0).cta;
                let (lanes, place) = (turn.lanes, turn.place(code));
                let waiting_for = WaitingFor::EndlessLoop;
                Waiting { cta, warp: warp as u32, existing, lanes, place, waiting_for }
            }));
            standing.extend(of_warp().filter(|group| !group.lanes.intersects(going)));
            if let Some(first) = endless().next().filter(|_| !others.is_empty()) {
                let (cta, place) = (view.thread(warp, 0).cta, first.place(code));
                let waiting_for = WaitingFor::Lanes(going);
                let warp = warp as u32;
                standing.push(Waiting { cta, warp, existing, lanes: others, place, waiting_for });
            }
        }
        (!standing.is_empty()).then_some(standing)
    }
}
