//! Sentences of B001, except deadlocks.

use super::{About, Say, Words, named};
use crate::detail::{
    BarrierCount, BarrierMissed, BarrierReused, BarrierUse, Missed, NoSuchBarrier, TooManyArrivals,
};
use ir::BarrierReduction;
use vm::BARRIERS;

impl Say for BarrierMissed {
    fn say(&self, about: &About<'_>) -> Words {
        let all = self.threads;
        let threads = if all == 1 { "1 thread".to_owned() } else { format!("{all} threads") };
        let did = match self.how {
            Missed::Wrote => "wrote memory, exited and never reached",
            Missed::WentAround => "went around, exited and never reached",
            Missed::Exited if all == 1 => "has exited and never reaches",
            Missed::Exited => "have exited and never reach",
        };
        about
            .say(format!("{threads} {did} this barrier of all threads of the CTA"))
            .label("the others wait here")
            .related(format!("{} of warp {} exited here", named(self.lanes), self.warp))
            .strip(about.strip("waits here", "exited before"))
    }
}

impl Say for BarrierCount {
    fn say(&self, about: &About<'_>) -> Words {
        let threads = self.threads;
        about
            .say(format!("a barrier of {threads} threads, which is not a multiple of 32"))
            .label(about.thread().to_string())
            .help("give the number of threads in whole warps")
    }
}

impl BarrierUse {
    fn words(&self) -> String {
        let threads = self.threads;
        match self.reduction {
            None => format!("waits or arrives, with {threads} threads"),
            Some(BarrierReduction::Popc) => format!("counts predicates of {threads} threads"),
            Some(BarrierReduction::And) => {
                format!("reduces predicates of {threads} threads by and")
            }
            Some(BarrierReduction::Or) => format!("reduces predicates of {threads} threads by or"),
        }
    }
}

impl Say for BarrierReused {
    fn say(&self, about: &About<'_>) -> Words {
        let BarrierReused { id, here, before } = self;
        let message = match before.threads == here.threads {
            false => {
                format!("barrier {id} is one of {} threads and of {}", before.threads, here.threads)
            }
            true => format!("barrier {id} is used in two ways at a time"),
        };
        about
            .say(message)
            .label(here.words())
            .help("let all who use one barrier at a time give the same number and the same reduction, or use different barriers")
            .related(format!("before, another {}", before.words()))
    }
}

impl Say for TooManyArrivals {
    fn say(&self, about: &About<'_>) -> Words {
        let TooManyArrivals { arrivals, pending } = self;
        let message = format!(
            "{arrivals} arrive at a barrier object that waits for {pending} more in this phase"
        );
        about
            .say(message)
            .label(about.thread().to_string())
            .help("initialise the object with the number of arrivals of a phase, and let no thread arrive twice in one phase")
    }
}

impl Say for NoSuchBarrier {
    fn say(&self, about: &About<'_>) -> Words {
        let id = self.id;
        about.say(match self.threads {
            Some(threads) if (id as usize) < BARRIERS => {
                format!("barrier {id} cannot be completed by {threads} threads")
            }
            _ => format!("there is no barrier {id}: a CTA has the barriers 0 to 15"),
        })
    }
}
