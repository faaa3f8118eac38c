//! Cubin files: the ELF objects in which machine code is kept.

use object::{Object, ObjectSection, SectionFlags, elf};
use std::fmt;

/// A section of machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSection {
    /// Its name, such as `.text.kernel`; characters that are no part of a line of text are replaced.
    pub name: String,
    /// Its words, 16 bytes each.
    pub words: Vec<u128>,
}

/// Why a file cannot be read as a cubin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CubinError {
    /// It is not an ELF file, or a broken one.
    Elf(String),
    /// A section of code does not consist of whole words.
    Words {
        /// The section.
        section: String,
        /// Its size in bytes.
        bytes: u64,
    },
}

impl fmt::Display for CubinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CubinError::Elf(why) => write!(f, "the ELF file cannot be read: {why}"),
            CubinError::Words { section, bytes } => write!(
                f,
                "section `{section}` has {bytes} bytes, which is not a whole number of 16-byte words"
            ),
        }
    }
}

impl std::error::Error for CubinError {}

/// Whether a file begins as ELF files do.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(&elf::ELFMAG)
}

/// The sections of code in the order of the file.
///
/// # Errors
/// The file is no ELF file, or its sections of code are no words.
pub fn text_sections(bytes: &[u8]) -> Result<Vec<TextSection>, CubinError> {
    let broken = |why: object::Error| CubinError::Elf(why.to_string());
    let file = object::File::parse(bytes).map_err(broken)?;
    let mut found = Vec::new();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        if sh_flags & u64::from(elf::SHF_EXECINSTR) == 0 {
            continue;
        }
        let name = shown(section.name_bytes().map_err(broken)?);
        let data = section.data().map_err(broken)?;
        let Some(words) = isa::words_from_bytes(data) else {
            return Err(CubinError::Words { section: name, bytes: data.len() as u64 });
        };
        found.push(TextSection { name, words });
    }
    Ok(found)
}

/// A section's name as a word of an assembly line.
fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "._$@-".contains(c) { c } else { '?' })
        .collect()
}
