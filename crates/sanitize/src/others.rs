//! Who else may write the memory of a launch that is checked.

use crate::traffic::Traffic;
use std::fmt::Debug;
use std::sync::Arc;

/// The rest of the program that a launch is part of: its threads on the host, and the other work of its devices.
pub trait Others: Debug + Send + Sync {
    /// The launch goes round in loops that end only if somebody else writes memory. Whether anybody may still do so. It is asked again
    /// and again until then, and may take its time.
    fn may_write(&self) -> bool;

    /// Whether nobody else has worked since the launch began, so that it can begin anew as it began.
    fn have_rested(&self) -> bool;

    /// Whether somebody who is not a launch may have written something while the launch ran that it has read.
    fn may_have_told(&self, traffic: &Traffic) -> bool;
}

/// Whether somebody else writes the memory of a launch while it runs.
#[derive(Clone, Debug, Default)]
pub enum Outside {
    /// Nobody does.
    #[default]
    Nobody,
    /// Somebody would, but is not there now: the launch is run again.
    Gone,
    /// Somebody may.
    There(Arc<dyn Others>),
}
