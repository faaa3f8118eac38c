//! Tables of branch targets.

use super::Checker;
use super::names::Symbol;
use super::names::describe;
use crate::rules;
use crate::syntax::ast::NameTable;

impl<'a> Checker<'a> {
    /// Each entry of a `.branchtargets` is a label of the function; `L<3>` stands for `L0`, `L1` and `L2`.
    pub(super) fn branch_targets(&mut self, table: &'a NameTable) {
        for entry in &table.entries {
            let name = &entry.name;
            if let Some(count) = entry.range {
                let member = |nth: u32| format!("{name}{nth}");
                let is_label = |name: &String| matches!(self.names.find(name), Some(Symbol::Label));
                if let Some(missing) = (0..count).map(member).find(|name| !is_label(name)) {
                    let message = format!("the target `{missing}` is not a label of this function");
                    self.report(rules::LABEL.at(name.span, message));
                }
                continue;
            }
            match self.names.find(name) {
                Some(Symbol::Label) => {}
                None => self.undeclared(name, "the target"),
                // The assembler takes the table for a label of its own.
                Some(Symbol::Table(_)) => {}
                symbol => {
                    let message = format!("a branch goes to a label; {}", describe(name, symbol));
                    self.report(rules::LABEL.at(name.span, message));
                }
            }
        }
    }
}
