//! What labels lead to, and tables of labels.

use super::errors::Result;
use super::lowering::Lowering;
use super::scope::Entity;
use crate::catalogue::Matched;
use crate::syntax::ast::{Name, NameTable, OperandKind};
use diag::{Diagnostic, Span};
use ir::BlockId;

/// Labels of tables, and of those that branches name, of a kernel with what it calls: each is a comparison.
const MOST_ENTRIES: usize = 1 << 17;

impl Lowering {
    /// The block of a label operand.
    pub fn label(&mut self, inst: &Matched<'_>, name: &str) -> Result<BlockId> {
        let operand = self.operand(inst, name)?;
        match &operand.kind {
            OperandKind::Name(name) => self.labelled(operand.span, name),
            _ => self.reject(operand, "a label must stand here"),
        }
    }

    /// The blocks of a table of labels, in order.
    pub fn labels(&mut self, inst: &Matched<'_>, name: &str) -> Result<Vec<BlockId>> {
        let operand = self.operand(inst, name)?;
        let table = match &operand.kind {
            OperandKind::Name(table) => self.scopes.table(table),
            _ => None,
        };
        let Some(blocks) = table.cloned() else {
            return self.reject(operand, "the name of a `.branchtargets` must stand here");
        };
        self.count_more(operand.span, blocks.len())?;
        Ok(blocks)
    }

    /// Declares a table, whose labels are those of the scope in which it stands.
    pub(super) fn declare_table(&mut self, table: &NameTable) -> Result {
        let mut blocks = Vec::new();
        for entry in &table.entries {
            let span = entry.name.span;
            let Some(count) = entry.range else {
                self.count_more(span, 1)?;
                blocks.push(self.labelled(span, &entry.name)?);
                continue;
            };
            self.count_more(span, count as usize)?;
            for nth in 0..count {
                let name = Name::new(format!("{}{nth}", entry.name), span);
                blocks.push(self.labelled(span, &name)?);
            }
        }
        self.scopes.declare_table(&table.label, blocks);
        Ok(())
    }

    fn labelled(&mut self, span: Span, name: &Name) -> Result<BlockId> {
        match self.scopes.find(name) {
            Ok(Entity::Label(block)) => Ok(block),
            _ => {
                let message = format!("there is no label `{name}` here");
                Err(Box::new(Diagnostic::error(span, message)))
            }
        }
    }

    fn count_more(&mut self, span: Span, count: usize) -> Result {
        self.table_entries = self.table_entries.saturating_add(count);
        if self.table_entries <= MOST_ENTRIES {
            return Ok(());
        }
        let message =
            format!("a kernel whose tables of labels have more than {MOST_ENTRIES} entries");
        Err(Box::new(Diagnostic::unsupported(span, message)))
    }
}
