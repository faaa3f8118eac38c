//! What is wrong with a kernel, each thing once.

use diag::{Class, Diagnostic, Severity, Span};
use std::collections::{HashMap, HashSet};

/// How deep blocks and calls may be nested in each other, all together.
pub(super) const MAX_DEPTH: usize = 256;

/// At most this many errors of other classes than [`Class::Unsupported`] are reported for one kernel.
const MAX_ERRORS: usize = 20;

/// At most this many different things that are not implemented are reported for one kernel, and the number of the others.
const MAX_UNSUPPORTED: usize = 200;

/// The result of lowering: a diagnostic in the error case.
pub type Result<T = ()> = std::result::Result<T, Box<Diagnostic>>;

/// Errors while a kernel is lowered. What is not implemented is reported at the first place where it stands, with the
/// number of places: who ports a kernel wants to know all that is missing.
#[derive(Debug, Default)]
pub(super) struct Errors {
    found: Vec<Diagnostic>,
    /// What is not implemented, by its message, with the places where it stands.
    unsupported: HashMap<String, Unsupported>,
    /// How many errors there are of other classes.
    others: usize,
    /// How many different things are not in the list, for want of room.
    left_out: usize,
}

#[derive(Debug)]
struct Unsupported {
    /// Its index in the list.
    nth: Option<usize>,
    places: HashSet<Span>,
}

impl Errors {
    /// Takes an error in.
    pub(super) fn push(&mut self, error: Diagnostic) {
        if error.class != Class::Unsupported {
            self.others += 1;
            self.found.push(error);
            return;
        }
        let span = error.span();
        let room = self.unsupported.len() < MAX_UNSUPPORTED;
        let entry = self.unsupported.entry(error.message.clone()).or_insert_with(|| {
            let nth = room.then_some(self.found.len());
            match nth {
                Some(_) => self.found.push(error),
                None => self.left_out += 1,
            }
            Unsupported { nth, places: HashSet::new() }
        });
        // The body of a function is read at each of its calls.
        entry.places.extend(span);
    }

    /// Whether enough is known to be wrong.
    pub(super) fn is_full(&self) -> bool {
        self.others >= MAX_ERRORS
    }

    /// Everything that was found, if anything was.
    pub(super) fn finish(mut self) -> std::result::Result<(), Vec<Diagnostic>> {
        for Unsupported { nth, places } in self.unsupported.values() {
            let others = places.len().saturating_sub(1);
            if let (Some(nth), 1..) = (*nth, others) {
                let error = &mut self.found[nth];
                let places = if others == 1 { "place" } else { "places" };
                error.message = format!("{} (here and in {others} other {places})", error.message);
            }
        }
        if self.left_out > 0 {
            let message = format!("and {} other things that are not implemented", self.left_out);
            let severity = diag::Severity::Error;
            self.found.push(Diagnostic::new(severity, Class::Unsupported, message));
        }
        if self.found.is_empty() { Ok(()) } else { Err(self.found) }
    }
}

/// Blocks and calls are nested too deep.
pub(super) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("blocks and calls are nested more than {MAX_DEPTH} deep");
    Diagnostic::new(Severity::Error, Class::Limit, message).label(span, "")
}
