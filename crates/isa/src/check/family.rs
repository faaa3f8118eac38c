//! A family: a declaration that holds prose, and the opcodes that the prose is about.

use crate::ast::{DeclKind, ProseSection, SectionKind};
use crate::model::{Declaration, Description, Field, Opcode};
use crate::types::{EnumValue, TypeKind};

/// A declaration with the opcodes that inherit from it.
pub(super) struct Family<'d> {
    pub decl: &'d Declaration,
    pub opcodes: Vec<&'d Opcode>,
}

/// All optypes and opcodes with their families. Groups speak of many instructions and are left out.
pub(super) fn families(description: &Description) -> Vec<Family<'_>> {
    let mut families: Vec<Family<'_>> = description
        .decls
        .iter()
        .filter(|decl| matches!(decl.kind, DeclKind::Optype | DeclKind::Opcode))
        .map(|decl| Family { decl, opcodes: Vec::new() })
        .collect();
    let by_name: std::collections::HashMap<&str, usize> = families
        .iter()
        .enumerate()
        .map(|(index, family)| (family.decl.name.as_str(), index))
        .collect();
    for opcode in &description.opcodes {
        for name in &opcode.lineage {
            if let Some(index) = by_name.get(name.as_str()) {
                families[*index].opcodes.push(opcode);
            }
        }
    }
    families
}

impl<'d> Family<'d> {
    /// The fields of all its opcodes, each statement once.
    pub(super) fn fields(&self) -> Vec<&'d Field> {
        let mut fields: Vec<&Field> = Vec::new();
        for field in self.opcodes.iter().flat_map(|opcode| &opcode.fields) {
            if !fields.iter().any(|other| other.span == field.span) {
                fields.push(field);
            }
        }
        fields
    }

    /// Names of fields that a description's reader may choose a value for, such as `.mode`.
    pub(super) fn modifier_names(&self) -> Vec<&'d str> {
        self.fields()
            .into_iter()
            .filter(|field| !field.is_fixed() && field.name.attribute().is_none())
            .filter(|field| matches!(field.ty.kind, TypeKind::Enumeration(_)))
            .map(|field| field.name.text.as_str())
            .collect()
    }

    /// Fields whose values have names, and those names.
    pub(super) fn modifiers(&self) -> Vec<(&'d str, Vec<&'d str>)> {
        let fields = self.fields().into_iter();
        fields.filter_map(|field| Some((field.name.text.as_str(), value_names(field)?))).collect()
    }

    /// The names of values among which a program chooses: those of fields that are not fixed, as the number of
    /// the operation is.
    pub(super) fn chosen_values(&self) -> Vec<&'d str> {
        let free = self.fields().into_iter().filter(|field| !field.is_fixed());
        free.filter_map(value_names).flatten().collect()
    }

    /// Whether a word is the mnemonic of its instructions.
    pub(super) fn is_mnemonic(&self, word: &str) -> bool {
        self.opcodes.iter().any(|opcode| opcode.mnemonic() == Some(word))
    }

    /// Its own section of that kind, unless it is empty.
    pub(super) fn section(&self, kind: SectionKind) -> Option<&'d ProseSection> {
        self.decl.sections.get(&kind).filter(|section| !section.is_blank())
    }
}

/// The names of a field's values, if they have names.
fn value_names(field: &Field) -> Option<Vec<&str>> {
    match &field.ty.kind {
        TypeKind::Enumeration(names) => {
            let names =
                names.values.iter().map(|EnumValue { name, spelling, .. }| [name, spelling]);
            Some(names.flatten().map(String::as_str).collect())
        }
        TypeKind::Register(_) | TypeKind::Immediate(_) => None,
    }
}
