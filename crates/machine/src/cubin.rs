//! Cubin files: the ELF objects in which machine code is kept.

use isa::Section;
use object::{
    Object, ObjectKind, ObjectSection, ObjectSymbol, RelocationTarget, SectionFlags, SymbolKind,
    elf,
};
use std::collections::HashMap;
use std::fmt;

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

/// The sections of code in the order of the file, with their functions as symbols. Characters of a section's
/// name that are no part of a line of text are replaced.
///
/// # Errors
/// The file is no ELF file, or its sections of code are no words.
pub fn text_sections(bytes: &[u8]) -> Result<Vec<Section>, CubinError> {
    let broken = |why: object::Error| CubinError::Elf(why.to_string());
    let file = object::File::parse(bytes).map_err(broken)?;
    let relocatable = file.kind() == ObjectKind::Relocatable;
    let mut sections = Vec::new();
    let mut code = HashMap::new();
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
        code.insert(section.index(), sections.len());
        sections.push(Section { name, words, relocatable, ..Section::default() });
    }
    let functions = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text);
    let mut places = HashMap::new();
    for symbol in functions {
        let nth = symbol.section_index().and_then(|index| code.get(&index));
        let (Some(nth), Ok(name)) = (nth, symbol.name()) else { continue };
        sections[*nth].symbols.push((symbol.address(), name.to_owned()));
        places.insert(symbol.index(), (*nth, symbol.address()));
    }
    for section in file.sections() {
        let Some(nth) = code.get(&section.index()) else { continue };
        // Those that point behind the start of a function, in the order of the words.
        let mut found: Vec<(u64, (usize, u64))> = section
            .relocations()
            .filter(|(_, relocation)| relocation.addend() != 0)
            .filter_map(|(at, relocation)| {
                let RelocationTarget::Symbol(symbol) = relocation.target() else { return None };
                let (nth, base) = places.get(&symbol)?;
                Some((at, (*nth, base.wrapping_add_signed(relocation.addend()))))
            })
            .collect();
        found.sort_unstable();
        sections[*nth].relocations = found.into_iter().map(|(_, target)| target).collect();
    }
    Ok(sections)
}

/// A section's name as a word of an assembly line.
fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "._$@-".contains(c) { c } else { '?' })
        .collect()
}
