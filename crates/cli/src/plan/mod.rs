//! `warpwise test`: the tests of plans, several at a time.

mod attempt;
mod form;
mod read;
mod tell;

use crate::arguments::{TestArguments, TestFormat};
use crate::buffers;
use crate::interrupt;
use crate::report::{self, Stop, Told};
use crate::status::Status;
pub(crate) use form::Plan;
pub(crate) use tell::{Body, FORM};

use attempt::{Means, Outcome, Verdict, attempt};
use read::Test;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use warpwise::pool;

/// Runs the command and reports.
pub(crate) fn test(arguments: &TestArguments) -> Status {
    let tests = match plans(arguments) {
        Ok(tests) => tests,
        Err((told, status)) => {
            told.iter().for_each(|(sources, all)| report::tell(sources, all));
            let told = report::borrowed(&told);
            return report::print(&tell::refused(arguments.format(), &told, status), status);
        }
    };
    let (chosen, left): (Vec<Test>, Vec<Test>) =
        tests.into_iter().partition(|test| is_chosen(arguments, &test.name));
    if arguments.list {
        return report::print(&tell::list(arguments.format(), &chosen), Status::Fine);
    }
    let mut all = Vec::with_capacity(chosen.len());
    if arguments.format() == TestFormat::Text {
        tell::begin(chosen.len());
    }
    run_all(arguments, &chosen, |test, outcome| {
        if arguments.format() == TestFormat::Text {
            tell::ended(test, &outcome, arguments.times);
        }
        all.push(outcome);
    });
    interrupt::done();
    let failed = all.iter().any(|outcome| outcome.verdict == Verdict::Failed);
    let status = match failed {
        _ if interrupt::asked() => Status::Interrupted,
        true => Status::Findings,
        false => Status::Fine,
    };
    let all: Vec<(&Test, &Outcome)> = chosen.iter().zip(&all).collect();
    report::print(&tell::summary(arguments, &all, left.len(), status), status)
}

/// The tests of all plans.
fn plans(arguments: &TestArguments) -> Result<Vec<Test>, (Told, Status)> {
    let (mut tests, mut told) = (Vec::new(), Told::new());
    for path in &arguments.plans {
        let text = report::read_text(path);
        match text.map_err(|Stop { sources, diagnostics, .. }| vec![(sources, diagnostics)]) {
            Err(why) => told.extend(why),
            Ok(text) => match read::read(path, text) {
                Ok(read) => tests.extend(read),
                Err(why) => told.extend(why),
            },
        }
    }
    if told.is_empty() { Ok(tests) } else { Err((told, Status::Rejected)) }
}

/// Whether a test is asked for.
fn is_chosen(arguments: &TestArguments, name: &str) -> bool {
    let matches = |filter: &String| match arguments.exact {
        true => filter == name,
        false => name.contains(filter.as_str()),
    };
    let wanted = arguments.filter.is_empty() || arguments.filter.iter().any(matches);
    wanted && !arguments.skip.iter().any(matches)
}

/// Runs tests on several threads, and hands over what came of them in their order.
fn run_all(arguments: &TestArguments, tests: &[Test], mut ended: impl FnMut(&Test, Outcome)) {
    let cores = pool::cores();
    let jobs = arguments.jobs.map_or(cores, NonZero::get).clamp(1, tests.len().max(1));
    let means = Means {
        threads: (cores / jobs).max(1),
        engine: arguments.engine.choice,
        budget: buffers::host_budget() / jobs as u64,
        interrupted: &interrupt::interrupted,
    };
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..jobs {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    let Some(test) = tests.get(nth) else { break };
                    // Nobody listens any more only if the whole command is over.
                    let _ = send.send((nth, attempt(test, means)));
                }
            });
        }
        drop(send);
        let mut waiting: Vec<Option<Outcome>> = tests.iter().map(|_| None).collect();
        let mut at = 0;
        for (nth, outcome) in receive {
            waiting[nth] = Some(outcome);
            while let Some(outcome) = waiting.get_mut(at).and_then(Option::take) {
                ended(&tests[at], outcome);
                at += 1;
            }
        }
    });
}
