//! Registers of the machine.

use isa::{Description, Field, TypeKind};
use std::fmt;

/// A register file, as descriptions name it in `File<…>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum File {
    /// `GPR`: 32 bits a lane.
    General,
    /// `PR`: one bit a lane.
    Predicate,
    /// `UR`: 32 bits a warp.
    Uniform,
    /// `UPR`: one bit a warp.
    UniformPredicate,
}

impl File {
    /// All register files.
    pub const ALL: [File; 4] =
        [File::General, File::Predicate, File::Uniform, File::UniformPredicate];

    /// The name in descriptions.
    pub fn name(self) -> &'static str {
        match self {
            File::General => "GPR",
            File::Predicate => "PR",
            File::Uniform => "UR",
            File::UniformPredicate => "UPR",
        }
    }

    /// What stands before a register's number in state files and reports: `R` of `R5`.
    pub fn prefix(self) -> &'static str {
        match self {
            File::General => "R",
            File::Predicate => "P",
            File::Uniform => "UR",
            File::UniformPredicate => "UP",
        }
    }

    /// Whether its registers hold one bit.
    pub fn is_predicate(self) -> bool {
        match self {
            File::Predicate | File::UniformPredicate => true,
            File::General | File::Uniform => false,
        }
    }
}

/// A register that holds a value: not one that always reads as zero or true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    /// Its file.
    pub file: File,
    /// Its number.
    pub number: u16,
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file.prefix(), self.number)
    }
}

/// What a register operand names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A register that holds a value.
    Register(Register),
    /// A register with a name of its own, `RZ` or `PT`: it reads as zero or as true, and drops what is written.
    Constant(File),
}

/// The register file of a field; `None` when its type is none of the machine's.
pub(crate) fn file_of(field: &Field) -> Option<File> {
    match &field.ty.kind {
        TypeKind::Register(registers) => {
            let name = registers.file.as_deref()?;
            File::ALL.into_iter().find(|file| file.name() == name)
        }
        TypeKind::Enumeration(_) | TypeKind::Immediate(_) => None,
    }
}

/// What the number of a register field names; `None` when the field is no register of the machine.
pub(crate) fn named(field: &Field, number: u128) -> Option<Named> {
    let file = file_of(field)?;
    let TypeKind::Register(registers) = &field.ty.kind else { return None };
    let width = field.width();
    if registers.named.iter().any(|named| named.number(width) == number) {
        return Some(Named::Constant(file));
    }
    let number = u16::try_from(number).ok()?;
    Some(Named::Register(Register { file, number }))
}

/// The highest number of a register of a file that some instruction of the description can name; `None`
/// when no instruction has an operand of the file.
pub fn last_register(description: &Description, file: File) -> Option<u16> {
    let fields = description.opcodes().iter().flat_map(|opcode| &opcode.fields);
    fields
        .filter(|field| file_of(field) == Some(file))
        .filter_map(|field| {
            let highest = (1_u128 << field.width().min(16)) - 1;
            let mut numbers = (0..=highest).rev();
            let last = numbers.find(|number| match named(field, *number) {
                Some(Named::Register(_)) => true,
                Some(Named::Constant(_)) | None => false,
            })?;
            u16::try_from(last).ok()
        })
        .max()
}
