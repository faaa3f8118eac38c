//! The ISA description language: one file gives an encoding, an assembler, a disassembler and a manual.
//!
//! The crate knows no machine. Mnemonics, fields, register names and immediates all come from description
//! files; `docs/isa-language.md` is the manual of the language.
//!
//! ```
//! use warpwise_isa::{Description, Loaded};
//!
//! let mut sources = diag::Sources::new();
//! let mut files = |_: &str, _: Option<&str>| {
//!     Ok(Loaded {
//!         name: "nop.isa".into(),
//!         text: "__DefOpcode NOP\n  __Encoding\n    field<0, 8> UInt8 op == 0x18;\n  \
//!                __Syntax\n```asm\nNOP ;\n```\n__DefImmediateType UInt8<8>\n"
//!             .into(),
//!     })
//! };
//! let description = Description::load("nop.isa", &mut files, &mut sources).expect("it is correct");
//! let instruction = description.decode(0x18).expect("it is a NOP");
//! assert_eq!(instruction.text(0).as_deref(), Some("NOP"));
//! ```

mod asm;
mod ast;
mod bits;
mod check;
pub mod codes;
mod decode;
mod decode_tree;
mod diagnostics;
pub mod doc;
mod expr;
mod instruction;
mod lexer;
mod load;
mod model;
mod names;
mod parse;
mod print;
mod resolve;
mod syntax;
mod types;
mod unknown;

pub use asm::{
    Assembly, Content, Line, Program, Section, Word, bytes_from_words, words_from_bytes,
};
pub use ast::{
    Block, DeclKind, Fence, FieldName, Name, ProseSection, Provenance, SectionKind, Source,
    SourceId, Text,
};
pub use bits::{BitRange, Bits, WORD_BITS};
pub use instruction::{EncodeError, Instruction};
pub use load::{FileLoader, Loaded, Loader, PRELUDE, PRELUDE_NAME};
pub use model::{Declaration, Description, Field, Opcode, Role};
pub use types::{
    EnumValue, Enumeration, Immediate, LabelForm, NamedRegister, RegisterFile, Type, TypeKind,
};
pub use unknown::{Reason, Unknown};
