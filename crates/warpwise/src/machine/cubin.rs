//! Disassembling cubin files.

use super::Machine;
use crate::error::{Error, Stage};
use ::machine::cubin::text_sections;
use diag::Class;
use std::fmt::Write;

/// Every section of machine code of a cubin, under a line `.section NAME`, one line a word. Assembling
/// the text gives the words of the sections, one section after the other.
///
/// # Errors
/// The file is no ELF file, or a section of code does not consist of whole words.
pub fn disassemble_cubin(machine: &Machine, bytes: &[u8]) -> Result<String, Error> {
    let sections = text_sections(bytes)
        .map_err(|why| Error::message(Stage::Module, Class::BadInput, why.to_string()))?;
    if sections.is_empty() {
        let message = "the file has no section of machine code";
        return Err(Error::message(Stage::Module, Class::BadInput, message));
    }
    let mut out = String::new();
    for section in &sections {
        // Writing to a string does not fail.
        let _ = writeln!(out, ".section {}", section.name);
        out.push_str(&machine.description().disassemble(&section.words, 0));
    }
    Ok(out)
}
