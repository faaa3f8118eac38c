//! Cancellation of long work on request.

use std::cell::Cell;

/// Steps of work, each some tens of nanoseconds, between two questions: about a millisecond.
const STEPS: u32 = 1 << 14;

/// Asks now and then whether to go on. Short work does not ask.
pub struct Interrupt<'a> {
    asks: &'a dyn Fn() -> bool,
    steps: Cell<u32>,
    heard: Cell<bool>,
}

impl std::fmt::Debug for Interrupt<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupt").field("heard", &self.heard).finish_non_exhaustive()
    }
}

impl<'a> Interrupt<'a> {
    /// Work that ends early when `asks` says yes.
    pub fn new(asks: &'a dyn Fn() -> bool) -> Interrupt<'a> {
        Interrupt { asks, steps: Cell::new(0), heard: Cell::new(false) }
    }

    /// Work that always goes on.
    pub fn never() -> Interrupt<'static> {
        Interrupt::new(&|| false)
    }

    /// Whether the work is to be given up, before so many more steps of it.
    #[inline]
    pub fn stops(&self, steps: usize) -> bool {
        let done = self.steps.get().saturating_add(steps.try_into().unwrap_or(u32::MAX));
        self.steps.set(done);
        if done >= STEPS {
            self.steps.set(0);
            self.heard.set(self.heard.get() || (self.asks)());
        }
        self.heard.get()
    }

    /// [`Interrupt::stops`] for work that ends with `None`.
    #[inline]
    pub fn go_on(&self, steps: usize) -> Option<()> {
        (!self.stops(steps)).then_some(())
    }

    /// Whether somebody was heard to ask for it.
    pub fn heard(&self) -> bool {
        self.heard.get()
    }
}

/// Makes something large of a value. If that is interrupted, what there is of it is freed on another thread: for a kernel of a million
/// instructions this takes longer than whoever does not want to wait should have to.
pub fn made_of<T: Send + 'static>(
    mut value: T,
    make: impl FnOnce(&mut T) -> Option<()>,
) -> Option<T> {
    if make(&mut value).is_some() {
        return Some(value);
    }
    // Without a thread it is freed here.
    let _ = std::thread::Builder::new().spawn(move || drop(value));
    None
}
