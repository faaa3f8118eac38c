//! Pages that the program may not touch for now, and who touched them all the same.
//!
//! What is forbidden is taken from the program by the host's protection of pages. A fault there gives the range back and is
//! remembered; every other fault goes to the handler that was there before, or to the default.
#![allow(unsafe_code)]

use std::backtrace::Backtrace;
use std::ffi::c_int;
use std::ops::Range;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes of a page.
pub(super) const PAGE: u64 = 4096;

/// Ranges that can be forbidden at one time; the others stay as they are.
const RANGES: usize = 256;

/// Touches that are remembered until somebody asks.
const TOUCHES: usize = 32;

/// What the program may not do with pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forbidden {
    Writes,
    All,
}

/// The program touched what was forbidden.
#[derive(Debug)]
pub(super) struct Touched {
    pub(super) address: u64,
    pub(super) writes: bool,
    /// The instruction.
    pub(super) code: u64,
    pub(super) trace: Backtrace,
}

/// Ranges that are forbidden, or were until a moment ago: a thread may come late to its fault. Only the handler reads them without
/// the lock of whoever calls this module.
static SLOTS: [[AtomicU64; 2]; RANGES] = [const { [const { AtomicU64::new(0) }; 2] }; RANGES];

/// How many are forbidden now.
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// What the program did. The handler must not wait: whoever holds the lock touches nothing that is forbidden.
static TOUCHED: Mutex<Vec<Touched>> = Mutex::new(Vec::new());

/// The action for faults that was there before.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());

/// Takes ranges of whole pages from the program. Nothing is forbidden before.
pub(super) fn forbid(ranges: &[(Range<u64>, Forbidden)]) {
    if ranges.is_empty() || !listen() {
        return;
    }
    for ((range, forbidden), [start, end]) in ranges.iter().zip(&SLOTS) {
        start.store(range.start, Ordering::Relaxed);
        end.store(range.end, Ordering::Relaxed);
        let access = match forbidden {
            Forbidden::Writes => libc::PROT_READ,
            Forbidden::All => libc::PROT_NONE,
        };
        IN_USE.fetch_add(1, Ordering::SeqCst);
        protect(range.start, range.end, access);
    }
}

/// Gives everything back.
pub(super) fn permit() {
    let many = IN_USE.swap(0, Ordering::SeqCst);
    SLOTS.iter().take(many).for_each(give_back);
}

/// What the program has done since somebody asked last.
pub(super) fn touched() -> Vec<Touched> {
    std::mem::take(&mut *TOUCHED.lock().unwrap_or_else(PoisonError::into_inner))
}

fn give_back([start, end]: &[AtomicU64; 2]) {
    protect(
        start.load(Ordering::Relaxed),
        end.load(Ordering::Relaxed),
        libc::PROT_READ | libc::PROT_WRITE,
    );
}

fn protect(start: u64, end: u64, access: c_int) {
    let at = std::ptr::with_exposed_provenance_mut(start as usize);
    let bytes = end.saturating_sub(start) as usize;
    // SAFETY: whole pages of memory that is reserved for devices, and that is readable and writable otherwise.
    unsafe { libc::mprotect(at, bytes, access) };
}

/// Sees to it that faults come here first. The program may have installed a handler of its own meanwhile.
fn listen() -> bool {
    // SAFETY: the structures are the C library's, and all bits zero is a value of theirs.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGSEGV, std::ptr::null(), &raw mut now) != 0 {
            return false;
        }
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_fault;
        let ours = handler as *const () as libc::sighandler_t;
        if now.sa_sigaction == ours {
            return true;
        }
        let mut new = now;
        new.sa_sigaction = ours;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | (now.sa_flags & libc::SA_NODEFER);
        // What was there before is never given back: a fault may be on its way to it.
        BEFORE.store(Box::into_raw(Box::new(now)), Ordering::SeqCst);
        libc::sigaction(libc::SIGSEGV, &raw const new, std::ptr::null_mut()) == 0
    }
}

/// A fault of a thread, at its own instruction: what it does here it could have called there.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes both.
    let (address, (code, writes)) = unsafe { ((*info).si_addr() as u64, instruction(context)) };
    let holds = |[start, end]: &&[AtomicU64; 2]| {
        (start.load(Ordering::Relaxed)..end.load(Ordering::Relaxed)).contains(&address)
    };
    let Some(slot) = SLOTS.iter().find(holds) else {
        return before(signal, info, context);
    };
    if let Ok(mut touched) = TOUCHED.try_lock()
        && touched.len() < TOUCHES
    {
        let trace = if has_room() { Backtrace::force_capture() } else { Backtrace::disabled() };
        touched.push(Touched { address, writes, code, trace });
    }
    // All of it, so that a loop over an array faults once.
    give_back(slot);
}

/// Whether the handler's stack has room for a trace: what programs provide for handlers may be small.
fn has_room() -> bool {
    const ROOM: usize = 64 << 10;
    // SAFETY: the structure is the C library's, and all bits zero is a value of it.
    let own: libc::stack_t = unsafe {
        let mut own = std::mem::zeroed();
        libc::sigaltstack(std::ptr::null(), &raw mut own);
        own
    };
    own.ss_flags & libc::SS_ONSTACK == 0 || own.ss_size >= ROOM
}

/// The instruction that a fault interrupted, and whether it writes.
///
/// # Safety
/// The context is one that the kernel passed to a handler of a fault.
#[cfg(target_arch = "x86_64")]
unsafe fn instruction(context: *mut libc::c_void) -> (u64, bool) {
    /// Bit 1 of a page fault's error code (Intel SDM, volume 3A, 4.7).
    const WRITE: i64 = 2;
    // SAFETY: as the caller promises.
    let registers = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let [code, error] = [libc::REG_RIP, libc::REG_ERR].map(|at| registers[at as usize]);
    (code as u64, error & WRITE != 0)
}

#[cfg(target_arch = "aarch64")]
unsafe fn instruction(context: *mut libc::c_void) -> (u64, bool) {
    // SAFETY: as the caller promises. Whether it writes is in a record that not every kernel passes.
    let code = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.pc };
    (code, false)
}

/// A fault that is none of ours goes where it would have gone.
fn before(signal: c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let action = BEFORE.load(Ordering::SeqCst);
    // SAFETY: the action was the process's own, and is never freed; a handler has the form that its flags say.
    unsafe {
        let default =
            action.is_null() || matches!((*action).sa_sigaction, libc::SIG_DFL | libc::SIG_IGN);
        if default {
            // The instruction faults again, and the process ends as it would have ended.
            libc::signal(signal, libc::SIG_DFL);
        } else if (*action).sa_flags & libc::SA_SIGINFO != 0 {
            type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut libc::c_void);
            std::mem::transmute::<usize, Handler>((*action).sa_sigaction)(signal, info, context);
        } else {
            type Handler = extern "C" fn(c_int);
            std::mem::transmute::<usize, Handler>((*action).sa_sigaction)(signal);
        }
    }
}
