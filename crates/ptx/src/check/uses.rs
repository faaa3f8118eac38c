//! What functions name.

use crate::syntax::ast::Variable;
use foldhash::{HashMap, HashSet};

/// What a function names.
#[derive(Default)]
pub(super) struct Uses<'a> {
    /// Shared variables, its own included.
    pub(super) variables: HashMap<&'a str, &'a Variable>,
    /// Functions.
    pub(super) functions: HashSet<&'a str>,
}
