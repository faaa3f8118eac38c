//! Debug information: files, labels of sections, and what `.loc` says of inlined code.

use super::{Checker, feature};
use crate::rules;
use crate::syntax::ast::{Loc, Module, SectionEntry, SourcePosition};
use foldhash::HashMap;

impl<'a> Checker<'a> {
    /// Collects the labels of sections; labels and files have one definition.
    pub(super) fn debug_information(&mut self, module: &'a Module) {
        let mut files = HashMap::default();
        for file in &module.files {
            if file.stamp.is_some() {
                self.has(feature::FILE_STAMP, file.span);
            }
            if let Some(first) = files.insert(file.index, file.span) {
                let message = format!("file {} is declared twice", file.index);
                let error = rules::DUPLICATE.at(file.span, message);
                self.report(error.label(first, "the first declaration"));
            }
        }
        for section in &module.sections {
            if !self.has(feature::SECTION, section.name.span) {
                return;
            }
        }
        for entry in module.sections.iter().flat_map(|section| &section.entries) {
            let SectionEntry::Label(label) = entry else { continue };
            if !self.has(feature::SECTION_LABEL, label.span) {
                return;
            }
            if !self.debug.labels.insert(label) {
                let message = format!("the label `{label}` is declared twice");
                self.report(rules::DUPLICATE.at(label.span, message));
            }
        }
    }

    pub(super) fn loc(&mut self, loc: &'a Loc) {
        if let Some(inlined) = &loc.inlined {
            if !self.has(feature::INLINED, inlined.at_span) {
                return;
            }
            let name = &inlined.function_name;
            if !self.debug.labels.contains(name.as_str()) {
                let message = format!("no section of debug information has a label `{name}`");
                self.report(rules::DEBUG.at(name.span, message));
            }
            let SourcePosition { file, line, column } = inlined.at;
            if !self.debug.seen.contains(&inlined.at) {
                let message = format!(
                    "no `.loc` before this one is at {file} {line} {column}, where it says it is inlined"
                );
                self.report(rules::DEBUG.at(inlined.at_span, message));
            }
        }
        self.debug.seen.insert(loc.position);
    }
}
