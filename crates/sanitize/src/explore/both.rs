//! Two observers of one run.

use ir::{Inst, Place, Pred, Terminator};
use std::ops::ControlFlow;
use vm::{
    Arrival, BarrierArrival, BarrierPart, Candidate, Firing, Observer, Verdict, View, Waiting,
};

/// Shows every event to the first observer, and to the second if there is one.
#[derive(Debug)]
pub struct Both<'o, A, B> {
    /// Shown first.
    pub first: &'o mut A,
    /// Shown second.
    pub second: Option<&'o mut B>,
}

/// Passes an event on to both.
macro_rules! pass {
    ($($method:ident($($name:ident: $ty:ty),*);)*) => {
        $(fn $method(&mut self, $($name: $ty),*) {
            self.first.$method($($name),*);
            if let Some(second) = &mut self.second {
                second.$method($($name),*);
            }
        })*
    };
}

impl<A: Observer, B: Observer> Observer for Both<'_, A, B> {
    pass! {
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
    }

    fn look_up(&mut self, view: &View<'_>, waiting: &[Waiting]) -> ControlFlow<Verdict> {
        self.first.look_up(view, waiting)?;
        match &mut self.second {
            Some(second) => second.look_up(view, waiting),
            None => ControlFlow::Continue(()),
        }
    }
}
