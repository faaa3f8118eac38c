//! Objects of the program that are counted, and destroyed by a function of the program.

use crate::abi::{Address, Answer, CUresult, CUuserObject};
use crate::registry::Registry;
use std::sync::atomic::{AtomicU64, Ordering};

/// An object of the program.
#[derive(Debug)]
pub(crate) struct UserObject {
    pub(crate) data: Address,
    pub(crate) destroy: extern "C" fn(Address),
    pub(crate) count: AtomicU64,
}

/// Handles of such objects.
pub(crate) fn objects() -> &'static Registry<UserObject> {
    static ALL: Registry<UserObject> = Registry::new(14);
    &ALL
}

/// So many more want it to be there.
pub(crate) fn retain_some(handle: CUuserObject, count: u64) -> Answer {
    let object = objects().get(handle.0)?;
    if count == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    object.count.fetch_add(count, Ordering::Relaxed);
    Ok(())
}

/// So many do not any more. The last one destroys it.
pub(crate) fn release_some(handle: CUuserObject, count: u64) -> Answer {
    let object = objects().get(handle.0)?;
    let less = |known: u64| known.checked_sub(count).filter(|_| count > 0);
    let known = object.count.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
    if known.map_err(|_| CUresult::INVALID_VALUE)? == count && objects().remove(handle.0).is_ok() {
        (object.destroy)(object.data);
    }
    Ok(())
}
