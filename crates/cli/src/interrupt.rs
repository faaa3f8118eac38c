//! Ctrl-C, and signals that ask the command to end.
//!
//! The library hears an interruption only where a run would otherwise be lost. Everywhere else nothing is known yet that
//! could be told, so that the thread that handles signals ends the process by itself, at once, whatever is going on.

use crate::status::Status;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::Duration;

/// What the command does, as far as an interruption is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// Reading, analysing, putting results into words: there is nothing to keep.
    Preparing,
    /// Work that asks whether it is to end, and tells what it knows or cleans up behind itself.
    Listening,
    /// Writing to standard output.
    Printing,
}

static DOING: Mutex<Doing> = Mutex::new(Doing::Preparing);
/// Whether [`DOING`] is known to be `Listening`, for those who ask often.
static LISTENS: AtomicBool = AtomicBool::new(false);
/// Whether work that listens was asked to end.
static ASKED: AtomicBool = AtomicBool::new(false);

/// The longest that the last words may take: nobody may be reading them.
const WORDS: Duration = Duration::from_secs(1);

fn doing() -> MutexGuard<'static, Doing> {
    DOING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that the command was interrupted; whether it has begun to write to standard output.
type LastWords = fn(bool);

static LAST_WORDS: OnceLock<LastWords> = OnceLock::new();

/// Handles Ctrl-C from now on. `last_words` are said where the process ends by itself.
pub(crate) fn watch(last_words: LastWords) {
    LAST_WORDS.get_or_init(|| last_words);
    // Without a handler the first signal ends the process, too, without a word.
    let _ = ctrlc::set_handler(|| {
        let doing = doing();
        match (*doing, ASKED.swap(true, Ordering::Relaxed)) {
            (Doing::Listening, false) => {}
            // Who asks twice does not want to wait.
            (_, true) => std::process::exit(Status::Interrupted.number().into()),
            (Doing::Preparing | Doing::Printing, false) => end(doing),
        }
    });
}

/// Ends the process. Whoever would change what the command does waits for that.
fn end(doing: MutexGuard<'_, Doing>) -> ! {
    let begun = *doing == Doing::Printing;
    let (done, wait) = mpsc::channel();
    let words = move || {
        if let Some(tell) = LAST_WORDS.get() {
            tell(begun);
        }
        let _ = done.send(());
    };
    if std::thread::Builder::new().spawn(words).is_ok() {
        let _ = wait.recv_timeout(WORDS);
    }
    std::process::exit(Status::Interrupted.number().into())
}

impl Status {
    /// What was stopped by the user is no fault of the kernel.
    pub(crate) fn unless_interrupted(self) -> Status {
        match self {
            Status::Faulted if asked() => Status::Interrupted,
            status => status,
        }
    }
}

/// Whether work that listens was asked to end.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// For work that asks now and then whether to end: from the first question on it is relied upon to do so.
pub(crate) fn interrupted() -> bool {
    listen();
    asked()
}

/// From now on there is work that asks now and then whether to end.
pub(crate) fn listen() {
    if LISTENS.load(Ordering::Relaxed) {
        return;
    }
    let mut doing = doing();
    if *doing == Doing::Preparing {
        *doing = Doing::Listening;
    }
    LISTENS.store(true, Ordering::Relaxed);
}

/// The work that listens is done. If it was asked to end, what follows tells what is known.
pub(crate) fn done() {
    let mut doing = doing();
    if *doing == Doing::Listening && !asked() {
        *doing = Doing::Preparing;
        LISTENS.store(false, Ordering::Relaxed);
    }
}

/// Standard output is written from now on.
pub(crate) fn prints() {
    *doing() = Doing::Printing;
}

/// Does work that would leave something behind if the process ended. It is told how to ask whether it is to end; if so, the
/// process ends when it has returned.
pub(crate) fn tidily<T>(work: impl FnOnce(&dyn Fn() -> bool) -> io::Result<T>) -> io::Result<T> {
    // What a run that was asked to end has left is written.
    let before = asked();
    listen();
    let result = work(&|| !before && asked());
    if !before && asked() {
        let mut doing = doing();
        *doing = Doing::Preparing;
        end(doing);
    }
    done();
    result
}
