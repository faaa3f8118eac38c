//! Whose fault type mismatches are: if no use of a register agrees with its declaration, the declaration's.

use crate::rules;
use crate::syntax::ast::Variable;
use crate::syntax::{ScalarType, Space};
use diag::Diagnostic;
use foldhash::{HashMap, HashSet};

/// Uses of the registers of one declaration.
struct Uses<'a> {
    declaration: &'a Variable,
    /// How many agree with it.
    fitting: usize,
    /// The diagnostics of those that do not.
    differing: Vec<usize>,
    /// What the first of those wanted.
    wanted: Option<ScalarType>,
}

/// Uses of registers by declaration.
#[derive(Default)]
pub(super) struct Blame<'a> {
    uses: HashMap<*const Variable, Uses<'a>>,
    /// The declaration that the diagnostic to come is about.
    pending: Option<*const Variable>,
}

impl<'a> Blame<'a> {
    fn of(&mut self, declaration: &'a Variable) -> &mut Uses<'a> {
        self.uses.entry(std::ptr::from_ref(declaration)).or_insert_with(|| Uses {
            declaration,
            fitting: 0,
            differing: Vec::new(),
            wanted: None,
        })
    }

    /// A use agrees with the declaration.
    pub(super) fn fits(&mut self, declaration: &'a Variable) {
        self.of(declaration).fitting += 1;
    }

    /// A use wants another type; the diagnostic follows.
    pub(super) fn differs(&mut self, declaration: &'a Variable, wanted: ScalarType) {
        self.of(declaration).wanted.get_or_insert(wanted);
        self.pending = Some(declaration);
    }

    /// The declaration that the last differing use belongs to.
    pub(super) fn take(&mut self) -> Option<*const Variable> {
        self.pending.take()
    }

    /// The diagnostic of that number is about a use of the declaration.
    pub(super) fn reported(&mut self, declaration: Option<*const Variable>, nth: usize) {
        if let Some(uses) = declaration.and_then(|it| self.uses.get_mut(&it)) {
            uses.differing.push(nth);
        }
    }

    /// Diagnostics about declarations that fit no use, and those that they replace.
    pub(super) fn resolve(self) -> (Vec<Diagnostic>, HashSet<usize>) {
        let is_wrong = |uses: &Uses<'_>| match uses.fitting {
            0 => uses.differing.len() > 1,
            // Some instructions take registers of several types.
            fitting => uses.differing.len() > (2 * fitting).max(3),
        };
        let wrong = self.uses.into_values().filter(is_wrong);
        let (mut found, mut replaced) = (Vec::new(), HashSet::default());
        for Uses { declaration, differing, wanted, .. } in wrong {
            let (name, ty, count) = (&declaration.name, declaration.ty, differing.len());
            let wanted = wanted.unwrap_or(ty);
            let space = declaration.space;
            let message = match space {
                Space::Reg => format!(
                    "`{name}` is declared {ty}, but {count} instructions that use it do not take that"
                ),
                _ => format!(
                    "`{name}` is declared .{}, but {count} instructions use it as a register",
                    space.word()
                ),
            };
            let error = rules::OPERAND_TYPE.at(declaration.span, message);
            found.push(error.help(format!("the first of them wants {wanted}")));
            replaced.extend(differing);
        }
        (found, replaced)
    }
}
