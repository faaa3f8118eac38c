//! What breaks a rule.

/// A breach of a rule.
#[derive(Debug)]
pub(super) struct Breach {
    /// The file, from the workspace's folder on.
    pub(super) file: String,
    /// The line from 1; 0 for the file as a whole.
    pub(super) line: usize,
    /// What is wrong, and what to do.
    pub(super) what: String,
}
