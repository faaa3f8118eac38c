//! What debug information refers to.

use crate::syntax::ast::SourcePosition;
use foldhash::HashSet;

/// What `.loc` may refer to.
#[derive(Default)]
pub(super) struct Debug<'a> {
    /// Labels of sections.
    pub(super) labels: HashSet<&'a str>,
    /// The positions of the `.loc` directives so far.
    pub(super) seen: HashSet<SourcePosition>,
}
