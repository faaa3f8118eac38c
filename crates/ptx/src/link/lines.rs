//! Source lines of several modules: the numbers of files and the labels of debug sections are each module's own.

use crate::syntax::ast::{Function, Item, Module, Name, SectionEntry, Statement, StatementKind};
use std::sync::Arc;

/// Gives the files and debug labels of a module numbers and names that no module before it has. Returns the first number
/// of a file that is free behind it.
pub(super) fn set_apart(module: &mut Module, nth: usize, first_file: u32) -> u32 {
    if module.files.is_empty() && module.sections.is_empty() {
        return first_file;
    }
    let mut shift = Shift { nth, files: first_file };
    let mut next = first_file;
    for file in &mut module.files {
        file.index = file.index.saturating_add(first_file);
        next = next.max(file.index.saturating_add(1));
    }
    for entry in module.sections.iter_mut().flat_map(|section| &mut section.entries) {
        if let SectionEntry::Label(name) = entry {
            shift.label(name);
        }
    }
    for item in &mut module.items {
        if let Item::Function(function) = item
            && function.body.is_some()
        {
            let Function { body, .. } = Arc::make_mut(function);
            shift.statements(body.as_deref_mut().unwrap_or_default());
        }
    }
    next
}

struct Shift {
    nth: usize,
    files: u32,
}

impl Shift {
    fn label(&mut self, name: &mut Name) {
        *name = Name::new(format!("{name}@{}", self.nth), name.span);
    }

    fn statements(&mut self, statements: &mut [Statement]) {
        for statement in statements {
            match &mut statement.kind {
                StatementKind::Block(inner) => self.statements(inner),
                StatementKind::Loc(loc) => {
                    loc.position.file = loc.position.file.saturating_add(self.files);
                    if let Some(inlined) = &mut loc.inlined {
                        inlined.at.file = inlined.at.file.saturating_add(self.files);
                        self.label(&mut inlined.function_name);
                    }
                }
                StatementKind::Variable(_)
                | StatementKind::Label(_)
                | StatementKind::Instruction(_)
                | StatementKind::Pragma(_)
                | StatementKind::CallPrototype(_)
                | StatementKind::BranchTargets(_)
                | StatementKind::CallTargets(_) => {}
            }
        }
    }
}
