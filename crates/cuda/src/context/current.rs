//! Which context is current in a thread of the host.

use super::object::{Context, contexts};
use crate::abi::{Answer, CUcontext, CUresult};
use crate::driver::driver;
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    /// The last one is current. A place may be empty: `cuCtxSetCurrent(NULL)`.
    static STACK: RefCell<Vec<Arc<Context>>> = const { RefCell::new(Vec::new()) };
}

/// Works on the thread's contexts. A thread that ends has none any more.
fn with<T>(work: impl FnOnce(&mut Vec<Arc<Context>>) -> T) -> Answer<T> {
    let done = STACK.try_with(|stack| Some(work(&mut *stack.try_borrow_mut().ok()?)));
    done.ok().flatten().ok_or(CUresult::DEINITIALIZED)
}

/// The current context, whatever its state.
///
/// # Errors
/// There is none.
pub(crate) fn current_any() -> Answer<Arc<Context>> {
    driver()?;
    with(|stack| stack.last().cloned())?.ok_or(CUresult::INVALID_CONTEXT)
}

/// The current context.
///
/// # Errors
/// There is none, or it cannot be used ([`Context::check`]).
pub(crate) fn current() -> Answer<Arc<Context>> {
    let context = current_any()?;
    context.check().map(|()| context)
}

/// Makes a context current in place of the one that is.
pub(crate) fn bind(context: Option<Arc<Context>>) -> Answer {
    with(|stack| {
        stack.pop();
        stack.extend(context);
    })
}

/// Makes a context current on top of the one that is.
pub(super) fn push(context: Arc<Context>) -> Answer {
    with(|stack| stack.push(context))
}

/// Takes the current context away.
pub(super) fn pop() -> Answer<Arc<Context>> {
    with(Vec::pop)?.ok_or(CUresult::INVALID_CONTEXT)
}

/// Takes a context away if it is current.
pub(super) fn leave(context: &Arc<Context>) {
    let _ = with(|stack| {
        if stack.last().is_some_and(|top| Arc::ptr_eq(top, context)) {
            stack.pop();
        }
    });
}

/// The context of a handle; of null, the current one.
pub(crate) fn named_or_current(handle: CUcontext) -> Answer<Arc<Context>> {
    if handle == CUcontext::NULL {
        return current();
    }
    driver()?;
    let context = contexts().find(handle.0).ok_or(CUresult::INVALID_CONTEXT)?;
    context.check().map(|()| context)
}
