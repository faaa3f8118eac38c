//! Several observers as one.

use crate::fault::{Verdict, Waiting};
use crate::heap_event::HeapEvent;
use crate::observer::{
    Arrival, BarrierArrival, BarrierPart, ClusterArrival, Firing, Observer, Straight, View,
};
use crate::schedule::Candidate;
use ir::{Inst, Place, Pred, Terminator};
use std::ops::ControlFlow;

/// Hands all events that return nothing to a macro that defines them.
macro_rules! events {
    ($define:ident) => {
        $define! {
            begin(view: &View<'_>);
            end(view: &View<'_>);
            step(split: &Candidate);
            guard(view: &View<'_>, guard: Pred, place: Place);
            inst(view: &View<'_>, inst: &Inst);
            leave(view: &View<'_>, terminator: &Terminator, place: Place);
            arrive(view: &View<'_>, arrival: &Arrival<'_>);
            fire(view: &View<'_>, firing: &Firing<'_>);
            arrive_at_barrier(view: &View<'_>, arrival: &BarrierArrival<'_>);
            complete_barrier(view: &View<'_>, id: u32, waiting: &[BarrierPart<'_>]);
            come_to_cluster(view: &View<'_>, arrival: &ClusterArrival<'_>);
            complete_cluster(ctas: &[View<'_>]);
            pass_cluster(view: &View<'_>, parts: &[BarrierPart<'_>]);
            heap(view: &View<'_>, event: &HeapEvent);
            after_inst(view: &View<'_>, inst: &Inst);
            after_fire(view: &View<'_>, firing: &Firing<'_>);
            after_barrier(view: &View<'_>, id: u32, waiting: &[BarrierPart<'_>]);
        }
    };
}

macro_rules! to_both {
    ($($event:ident($($name:ident: $ty:ty),*);)*) => {
        $(fn $event(&mut self, $($name: $ty),*) {
            self.0.$event($($name),*);
            self.1.$event($($name),*);
        })*
    };
}

macro_rules! to_it {
    ($($event:ident($($name:ident: $ty:ty),*);)*) => {
        $(fn $event(&mut self, $($name: $ty),*) {
            (**self).$event($($name),*);
        })*
    };
}

macro_rules! to_some {
    ($($event:ident($($name:ident: $ty:ty),*);)*) => {
        $(fn $event(&mut self, $($name: $ty),*) {
            if let Some(observer) = self {
                observer.$event($($name),*);
            }
        })*
    };
}

/// Every event is shown to the first, then to the second.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const OBSERVES: bool = A::OBSERVES || B::OBSERVES;
    const EFFECTS: bool = A::EFFECTS || B::EFFECTS;

    events!(to_both);

    fn look_up(&mut self, view: &View<'_>, waiting: &[Waiting]) -> ControlFlow<Verdict> {
        self.0.look_up(view, waiting)?;
        self.1.look_up(view, waiting)
    }

    fn straight(&mut self, view: &View<'_>, straight: &Straight<'_>) -> bool {
        // Both are asked.
        self.0.straight(view, straight) | self.1.straight(view, straight)
    }
}

/// An observer that its owner looks at afterwards.
impl<O: Observer> Observer for &mut O {
    const OBSERVES: bool = O::OBSERVES;
    const EFFECTS: bool = O::EFFECTS;

    events!(to_it);

    fn look_up(&mut self, view: &View<'_>, waiting: &[Waiting]) -> ControlFlow<Verdict> {
        (**self).look_up(view, waiting)
    }

    fn straight(&mut self, view: &View<'_>, straight: &Straight<'_>) -> bool {
        (**self).straight(view, straight)
    }
}

/// Nobody watches if there is none, but the run is one that is watched.
impl<O: Observer> Observer for Option<O> {
    const OBSERVES: bool = O::OBSERVES;
    const EFFECTS: bool = O::EFFECTS;

    events!(to_some);

    fn look_up(&mut self, view: &View<'_>, waiting: &[Waiting]) -> ControlFlow<Verdict> {
        match self {
            Some(observer) => observer.look_up(view, waiting),
            None => ControlFlow::Continue(()),
        }
    }

    fn straight(&mut self, view: &View<'_>, straight: &Straight<'_>) -> bool {
        self.as_mut().is_some_and(|observer| observer.straight(view, straight))
    }
}
