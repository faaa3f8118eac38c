//! Disassembling cubin files.

use super::Machine;
use crate::error::{Error, Stage};
use ::machine::cubin::text_sections;
use diag::Class;

/// Every section of machine code of a cubin, under a line `.section NAME`, one line a word, with labels as
/// [`isa::Description::disassemble_sections`] gives them. Assembling the text gives the words of the sections, one section after the other.
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
    Ok(machine.description().disassemble_sections(&sections))
}
