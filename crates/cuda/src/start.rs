//! `cuInit`: the driver begins.

use crate::abi::Answer;
use crate::driver;
use crate::ending;
use std::sync::Once;

/// `cuInit`.
pub(crate) fn init(flags: u32) -> Answer {
    static WATCHED: Once = Once::new();
    driver::begin(flags)?;
    if driver::driver()?.settings.ends_with_report() {
        WATCHED.call_once(ending::watch_exit);
    }
    Ok(())
}
