//! What can go wrong, in five classes that never mix.

use crate::{Printed, Stats};
use diag::{Class, Diagnostic, Severity, Sources, render};
use std::fmt;
use std::sync::Arc;
use vm::Fault;

/// How far a module got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Reading, parsing and lowering the module.
    Module,
    /// Preparing arguments, memory and the launch; the kernel did not run.
    Launch,
    /// Running: the kernel was stopped, and what it wrote may be incomplete.
    Run,
}

/// What went wrong, and where.
#[derive(Clone, Debug)]
pub struct Failure {
    /// How far it got.
    pub stage: Stage,
    /// What to tell the user; at least one, warnings included.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that the diagnostics point into.
    pub sources: Arc<Sources>,
    /// The fault that stopped the kernel.
    pub fault: Option<Fault>,
    /// What the kernel did until it was stopped.
    pub stats: Option<Stats>,
    /// What the kernel printed until then.
    pub printed: Printed,
}

impl Failure {
    /// The diagnostics as text for people; `colour` adds ANSI escapes.
    pub fn render(&self, colour: bool) -> String {
        let show = |diagnostic| render::text(&self.sources, diagnostic, colour);
        self.diagnostics.iter().map(show).collect()
    }
}

/// Why a module or a launch failed. The classes say whose turn it is.
#[derive(Clone)]
#[non_exhaustive]
pub enum Error {
    /// The input breaks a rule: the caller mends the module or the arguments.
    BadInput(Box<Failure>),
    /// The input is legal, and Warpwise does not implement it.
    Unsupported(Box<Failure>),
    /// The input asks for more than a stated limit, or the run was stopped by one.
    Limit(Box<Failure>),
    /// The kernel did something that the ISA leaves undefined, or trapped.
    Undefined(Box<Failure>),
    /// Warpwise is wrong.
    Bug(Box<Failure>),
}

impl Error {
    /// The diagnostics as an error: its class is that of the first error among them.
    pub(crate) fn new(stage: Stage, sources: Arc<Sources>, diagnostics: Vec<Diagnostic>) -> Error {
        let failure = Failure {
            stage,
            diagnostics,
            sources,
            fault: None,
            stats: None,
            printed: Printed::default(),
        };
        Error::of(failure)
    }

    /// A failure under the class of its first error.
    pub(crate) fn of(failure: Failure) -> Error {
        let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        let class = failure.diagnostics.iter().find(is_error).map(|error| error.class);
        let failure = Box::new(failure);
        match class {
            Some(Class::BadInput) => Error::BadInput(failure),
            Some(Class::Unsupported) => Error::Unsupported(failure),
            Some(Class::Limit) => Error::Limit(failure),
            Some(Class::Undefined | Class::Mismatch) => Error::Undefined(failure),
            Some(Class::Bug) | None => Error::Bug(failure),
        }
    }

    /// One message without a place.
    pub(crate) fn message(stage: Stage, class: Class, message: impl Into<String>) -> Error {
        let diagnostic = Diagnostic::new(Severity::Error, class, message);
        Error::new(stage, Arc::default(), vec![diagnostic])
    }

    /// What went wrong, whatever the class.
    pub fn failure(&self) -> &Failure {
        match self {
            Error::BadInput(failure)
            | Error::Unsupported(failure)
            | Error::Limit(failure)
            | Error::Undefined(failure)
            | Error::Bug(failure) => failure,
        }
    }
}

/// The diagnostics as plain text.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.failure().render(false).trim_end())
    }
}

/// The same, on lines of its own: what `unwrap` prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Error {}
