//! Which steps of a run must come before which, because their lanes or what they access say so.
//!
//! Lanes are the processes: what a lane does in a step is an *event*. Events of one step do not depend on each other; a
//! step is a way to run several of them. The order is kept twice, for events and for steps. Where both say the same about
//! a race, the steps can be swapped whole; where they do not, some step would have to be *torn* for the events to be
//! swapped.

use super::footprint::{Access, Kind, Location, Meeting, Step};
use fixedbitset::FixedBitSet;
use foldhash::{HashMap, HashMapExt};
use lanes::LaneMask;
use smallvec::SmallVec;
use std::rc::Rc;

/// The order of the steps of a run so far.
#[derive(Debug)]
pub(super) struct HappensBefore {
    /// Lanes of a warp are one process.
    lockstep: bool,
    /// Processes by CTA, warp and lane.
    numbers: HashMap<(u64, u32, u32), u32>,
    processes: Vec<Process>,
    events: Vec<Event>,
    /// For each step those that come before it.
    past: Vec<Rc<FixedBitSet>>,
    bytes: HashMap<(Location, u64), History>,
    /// Arrivals since a barrier was last complete, by CTA and number.
    barriers: HashMap<(u64, u32), Vec<u32>>,
    /// The same for the barriers of clusters, by their first CTA.
    clusters: HashMap<u64, Vec<u32>>,
    /// What comes before what is behind the barrier of a cluster, since that was last complete.
    complete: HashMap<u64, (Rc<Clock>, Rc<FixedBitSet>)>,
}

/// A lane, or a warp in lockstep.
#[derive(Debug, Default)]
struct Process {
    /// Its events so far.
    events: u32,
    /// What comes before its next event, apart from its own.
    clock: Rc<Clock>,
    /// The steps that come before its next one.
    past: Rc<FixedBitSet>,
}

/// What a lane did in a step.
#[derive(Debug)]
struct Event {
    step: u32,
    process: u32,
    /// Which of the process's events it is, from 1.
    number: u32,
    /// What comes before it, apart from the process's own.
    clock: Rc<Clock>,
}

/// Who accessed a byte last: accesses that can be swapped with each other, and those before them. Whoever came
/// earlier comes before one of these.
#[derive(Debug, Default)]
struct History {
    now: Epoch,
    before: Epoch,
}

#[derive(Debug, Default)]
struct Epoch {
    kind: Option<Kind>,
    events: SmallVec<[u32; 2]>,
}

impl History {
    /// Takes in an access of a step whose events begin with `first`; the earlier ones on which it depends and that do not come
    /// before others on which it does.
    fn take(&mut self, event: u32, kind: Kind, first: u32) -> &[u32] {
        // Writes of one step are not in order.
        let of_step = self.now.events.last().is_some_and(|last| *last >= first);
        let writes = of_step && self.now.kind == Some(Kind::Write) && kind == Kind::Write;
        if writes || self.now.kind.is_some_and(|now| now.swaps_with(kind)) {
            if self.now.events.last() != Some(&event) {
                self.now.events.push(event);
            }
        } else {
            self.before = std::mem::take(&mut self.now);
            self.now = Epoch { kind: Some(kind), events: SmallVec::from_elem(event, 1) };
        }
        &self.before.events
    }
}

/// What the last step has to do with earlier ones.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Steps of other lanes on which it depends, with nothing in between: they could have been swapped.
    pub(super) races: Vec<usize>,
    /// Steps of which some events, but not the whole step, could have come after events of this one. Itself, if its
    /// events depend on each other.
    pub(super) torn: Vec<usize>,
}

impl HappensBefore {
    /// No steps. Lanes of a warp may be in lockstep.
    pub(super) fn new(lockstep: bool) -> HappensBefore {
        HappensBefore {
            lockstep,
            numbers: HashMap::new(),
            processes: Vec::new(),
            events: Vec::new(),
            past: Vec::new(),
            bytes: HashMap::new(),
            barriers: HashMap::new(),
            clusters: HashMap::new(),
            complete: HashMap::new(),
        }
    }

    fn process(&mut self, cta: u64, warp: u32, lane: u32) -> u32 {
        let next = self.processes.len() as u32;
        let number = *self.numbers.entry((cta, warp, lane)).or_insert(next);
        if number == next {
            self.processes.push(Process::default());
        }
        number
    }

    /// The processes of lanes.
    fn processes_of(&mut self, cta: u64, warp: u32, lanes: LaneMask) -> Vec<u32> {
        match self.lockstep {
            true => vec![self.process(cta, warp, 0)],
            false => lanes.iter().map(|lane| self.process(cta, warp, lane)).collect(),
        }
    }

    /// Takes in the next step.
    pub(super) fn take(&mut self, step: &Step) -> Taken {
        let at = self.past.len();
        let mut taken = Taken::default();
        let own = self.processes_of(step.cta, step.warp, step.lanes);
        let mut past = self.past_of(&own);
        let first = self.events.len() as u32;
        for number in &own {
            let process = &mut self.processes[*number as usize];
            process.events += 1;
            self.events.push(Event {
                step: at as u32,
                process: *number,
                number: process.events,
                clock: Rc::clone(&process.clock),
            });
        }
        let pairs = self.dependences(at, first, step, &mut taken);
        // Latest first: what comes before them is no race.
        let mut races: Vec<usize> = Vec::new();
        for same in pairs.chunk_by(|one, other| one.1 == other.1) {
            let event = same[0].1 as usize;
            let mut clock = Rc::clone(&self.events[event].clock);
            for (earlier, _) in same.iter().rev() {
                let earlier = &self.events[*earlier as usize];
                if !clock.knows(earlier.process, earlier.number) {
                    races.push(earlier.step as usize);
                    Rc::make_mut(&mut clock).learn(earlier);
                }
            }
            let event = &mut self.events[event];
            self.processes[event.process as usize].clock = Rc::clone(&clock);
            event.clock = clock;
        }
        let mut steps: Vec<usize> =
            pairs.iter().map(|(earlier, _)| self.events[*earlier as usize].step as usize).collect();
        steps.sort_unstable();
        for same in steps.chunk_by(|one, other| one == other).rev() {
            let earlier = same[0];
            let is_race = races.contains(&earlier);
            if past.contains(earlier) {
                // Steps in between, but no events.
                if is_race {
                    taken.torn.push(earlier);
                }
                continue;
            }
            past.union_with(&self.past[earlier]);
            past.grow_and_insert(earlier);
            taken.races.push(earlier);
            if same.len() > 1 {
                taken.torn.push(earlier);
            }
        }
        let mut with_this = past.clone();
        with_this.grow_and_insert(at);
        let with_this = Rc::new(with_this);
        for number in &own {
            self.processes[*number as usize].past = Rc::clone(&with_this);
        }
        self.past.push(Rc::new(past));
        self.meet(step, first);
        taken
    }

    /// The pairs of an earlier event and one of this step, whose first is `first`, that depend on each other with no access to
    /// the same byte in between; sorted by the later event, then by the earlier one.
    fn dependences(
        &mut self,
        at: usize,
        first: u32,
        step: &Step,
        taken: &mut Taken,
    ) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for (nth, access) in step.accesses.iter().enumerate() {
            let Access { location, start, end, kind, lane, .. } = access;
            if !self.lockstep && step.accesses[..nth].iter().any(|other| other.clashes(access)) {
                taken.torn = vec![at];
            }
            let nth =
                if self.lockstep { 0 } else { (step.lanes & LaneMask((1 << lane) - 1)).count() };
            let event = first + nth;
            for byte in *start..*end {
                let history = self.bytes.entry((*location, byte)).or_default();
                for earlier in history.take(event, *kind, first) {
                    let other = &self.events[*earlier as usize];
                    let own = other.process == self.events[event as usize].process;
                    if !own && *earlier < first {
                        pairs.push((*earlier, event));
                    }
                }
            }
        }
        pairs.sort_unstable_by_key(|(earlier, event)| (*event, *earlier));
        pairs.dedup();
        pairs
    }

    /// The steps before the next ones of processes.
    fn past_of(&self, processes: &[u32]) -> FixedBitSet {
        let mut last: Option<&Rc<FixedBitSet>> = None;
        let mut all = FixedBitSet::new();
        for number in processes {
            let past = &self.processes[*number as usize].past;
            if !last.is_some_and(|last| Rc::ptr_eq(last, past)) {
                all.union_with(past);
            }
            last = Some(past);
        }
        all
    }

    /// Lanes released by others: everything that happened before these happens before them.
    fn meet(&mut self, step: &Step, first: u32) {
        for meeting in &step.meetings {
            match meeting {
                Meeting::Warp { released, after } => {
                    let (released, after) = ([(step.warp, *released)], [(step.warp, *after)]);
                    self.release(step.cta, &released, &after, &[]);
                }
                Meeting::Arrive { id, lanes } => {
                    let events = self.events_of(step, first, *lanes);
                    self.barriers.entry((step.cta, *id)).or_default().extend(events);
                }
                Meeting::Complete { id, released, exited } => {
                    let arrived = self.barriers.remove(&(step.cta, *id)).unwrap_or_default();
                    self.release(step.cta, released, exited, &arrived);
                }
                Meeting::ArriveAtCluster { cluster, lanes } => {
                    let events = self.events_of(step, first, *lanes);
                    self.clusters.entry(*cluster).or_default().extend(events);
                }
                Meeting::CompleteCluster { cluster, exited } => {
                    let arrived = self.clusters.remove(cluster).unwrap_or_default();
                    let (mut clock, mut past) = (Clock::default(), FixedBitSet::new());
                    for (cta, lanes) in exited {
                        self.add_all_of(*cta, lanes, (&mut clock, &mut past));
                    }
                    self.add_events(&arrived, (&mut clock, &mut past));
                    self.complete.insert(*cluster, (Rc::new(clock), Rc::new(past)));
                }
                Meeting::PassCluster { cluster, cta, released } => {
                    let Some((clock, past)) = self.complete.get(cluster).cloned() else { continue };
                    for (warp, lanes) in released {
                        for number in self.processes_of(*cta, *warp, *lanes) {
                            let process = &mut self.processes[number as usize];
                            Rc::make_mut(&mut process.clock).join(&clock);
                            Rc::make_mut(&mut process.past).union_with(&past);
                        }
                    }
                }
            }
        }
    }

    /// Lanes go on after all that other lanes did, and after events.
    fn release(
        &mut self,
        cta: u64,
        released: &[(u32, LaneMask)],
        after: &[(u32, LaneMask)],
        events: &[u32],
    ) {
        let mut clock = Clock::default();
        let mut past = FixedBitSet::new();
        self.add_all_of(cta, after, (&mut clock, &mut past));
        self.add_events(events, (&mut clock, &mut past));
        let (clock, past) = (Rc::new(clock), Rc::new(past));
        for (warp, lanes) in released {
            for number in self.processes_of(cta, *warp, *lanes) {
                let process = &mut self.processes[number as usize];
                process.clock = Rc::clone(&clock);
                process.past = Rc::clone(&past);
            }
        }
    }

    /// The events of lanes in a step.
    fn events_of(&self, step: &Step, first: u32, lanes: LaneMask) -> Vec<u32> {
        let own = step.lanes.iter().enumerate();
        let arrived = own.filter(|(_, lane)| lanes.contains(*lane));
        match self.lockstep {
            true => vec![first],
            false => arrived.map(|(nth, _)| first + nth as u32).collect(),
        }
    }

    /// Adds all that lanes did, and what came before it.
    fn add_all_of(
        &mut self,
        cta: u64,
        lanes: &[(u32, LaneMask)],
        (clock, past): (&mut Clock, &mut FixedBitSet),
    ) {
        for (warp, lanes) in lanes {
            let processes = self.processes_of(cta, *warp, *lanes);
            past.union_with(&self.past_of(&processes));
            for number in processes {
                let process = &self.processes[number as usize];
                clock.join(&process.clock);
                clock.know(number, process.events);
            }
        }
    }

    /// Adds events, and what came before them.
    fn add_events(&self, events: &[u32], (clock, past): (&mut Clock, &mut FixedBitSet)) {
        let mut last = None;
        for event in events {
            let event = &self.events[*event as usize];
            clock.learn(event);
            if last != Some(event.step) {
                past.union_with(&self.past[event.step as usize]);
                past.grow_and_insert(event.step as usize);
            }
            last = Some(event.step);
        }
    }

    /// The steps between two, and these, if what comes after the earlier one comes before the later one there.
    pub(super) fn between(&self, earlier: usize, at: usize) -> impl Iterator<Item = usize> + '_ {
        let links = move |nth: &usize| {
            let follows = *nth == earlier || self.past[*nth].contains(earlier);
            follows && (*nth == at || self.past[at].contains(*nth))
        };
        (earlier..=at).filter(links)
    }

    /// Of the steps between a race's earlier one and `at`, `at` included, that do not come after the earlier one:
    /// those that none of them comes before.
    pub(super) fn first_after(&self, earlier: usize, at: usize) -> Vec<usize> {
        let mut between = FixedBitSet::new();
        let mut first = Vec::new();
        for nth in earlier + 1..=at {
            let before = &self.past[nth];
            if nth < at && before.contains(earlier) {
                continue;
            }
            if before.is_disjoint(&between) {
                first.push(nth);
            }
            between.grow_and_insert(nth);
        }
        first
    }
}

/// How many events of each process come before something.
#[derive(Clone, Debug, Default)]
struct Clock {
    events: Vec<u32>,
}

impl Clock {
    fn knows(&self, process: u32, number: u32) -> bool {
        self.events.get(process as usize).is_some_and(|known| *known >= number)
    }

    fn know(&mut self, process: u32, number: u32) {
        let process = process as usize;
        if self.events.len() <= process {
            self.events.resize(process + 1, 0);
        }
        self.events[process] = self.events[process].max(number);
    }

    fn join(&mut self, other: &Clock) {
        if self.events.len() < other.events.len() {
            self.events.resize(other.events.len(), 0);
        }
        for (known, more) in self.events.iter_mut().zip(&other.events) {
            *known = (*known).max(*more);
        }
    }

    /// An event comes before.
    fn learn(&mut self, event: &Event) {
        self.join(&event.clock);
        self.know(event.process, event.number);
    }
}
