//! What a description says, resolved: opcodes with their fields, bits, operands and text.

use crate::ast::{DeclKind, FieldName, ProseSection, SectionKind, Source, SourceId};
use crate::bits::{self, BitRange, Bits, low_mask};
use crate::decode_tree::DecodeTree;
use crate::expr::Expr;
use crate::syntax::Syntax;
use crate::types::{Immediate, Type, TypeKind};
use diag::Span;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A machine's instructions as its description files give them.
///
/// Made by [`Description::load`](crate::Description::load).
#[derive(Clone, Debug)]
pub struct Description {
    pub(crate) name: String,
    pub(crate) types: Vec<Arc<Type>>,
    pub(crate) decls: Vec<Declaration>,
    pub(crate) opcodes: Vec<Opcode>,
    /// Words that are no instructions but name an address, with a tree of their own.
    pub(crate) references: Vec<Opcode>,
    pub(crate) reference_tree: DecodeTree,
    pub(crate) sources: Vec<Source>,
    pub(crate) tree: DecodeTree,
    pub(crate) by_mnemonic: HashMap<String, Vec<usize>>,
    pub(crate) warnings: Vec<diag::Diagnostic>,
}

impl Description {
    /// The name of the file that was loaded.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Every opcode, in the order of the files.
    pub fn opcodes(&self) -> &[Opcode] {
        &self.opcodes
    }

    /// The opcode of that name.
    pub fn opcode(&self, name: &str) -> Option<&Opcode> {
        self.opcodes.iter().find(|opcode| opcode.name == name)
    }

    /// Every group, optype and opcode, in the order of the files.
    pub fn declarations(&self) -> &[Declaration] {
        &self.decls
    }

    /// The declared types that some field has, and the rest of the types of the description itself.
    pub fn types(&self) -> &[Arc<Type>] {
        &self.types
    }

    /// The provenance behind an id.
    pub fn source(&self, id: SourceId) -> &Source {
        // Ids are handed out by the parser together with the table.
        &self.sources[id.0.min(self.sources.len() - 1)]
    }
}

/// A group, an optype or an opcode.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// Group, optype or opcode.
    pub kind: DeclKind,
    /// Where the name is declared.
    pub span: Span,
    /// The declarations it inherits from, the most general first; itself is the last.
    pub lineage: Vec<String>,
    /// Its own sections, refinements applied.
    pub sections: BTreeMap<SectionKind, ProseSection>,
    /// Where the declaration comes from.
    pub source: SourceId,
}

/// One instruction form with an encoding of its own.
#[derive(Clone, Debug)]
pub struct Opcode {
    /// Its name, such as `SHFL_RRR`.
    pub name: String,
    /// Where the name is declared.
    pub span: Span,
    /// The optype it belongs to, if any.
    pub optype: Option<String>,
    /// The declarations it inherits from, the most general first; the opcode is the last.
    pub lineage: Vec<String>,
    /// Its fields, inherited ones first.
    pub fields: Vec<Field>,
    /// Bits that every word of this opcode has alike, and their values.
    pub(crate) fixed: Bits,
    /// Bits that no field claims and that must be 0.
    pub(crate) reserved: u128,
    /// Bits that no field claims and that may be anything; what the assembler writes there.
    pub(crate) ignored: Bits,
    /// Operands that it reads, as indices of fields.
    pub inputs: Vec<usize>,
    /// Operands that it writes, as indices of fields.
    pub outputs: Vec<usize>,
    /// All operands in the order of the text, the guard first if there is one.
    pub order: Vec<usize>,
    /// The guard predicate, written `@P0` before the mnemonic.
    pub guard: Option<usize>,
    pub(crate) widths: Vec<(usize, Expr, Span)>,
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) syntax: Option<Syntax>,
    /// The sections that apply to it: its own, or those of the nearest declaration it inherits from.
    pub sections: BTreeMap<SectionKind, ProseSection>,
    /// Where the declaration comes from.
    pub source: SourceId,
}

/// A condition that every word of an opcode meets.
#[derive(Clone, Debug)]
pub(crate) struct Requirement {
    pub(crate) expr: Expr,
    pub(crate) reason: String,
}

/// A field of an opcode.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name, its span, its attribute.
    pub name: FieldName,
    /// Its bits, the lowest first.
    pub ranges: Vec<BitRange>,
    /// Where the bits are written.
    pub ranges_span: Span,
    /// What its numbers mean.
    pub ty: Arc<Type>,
    /// Fixed, with a default, or free.
    pub role: Role,
    /// Where the constant is written, if there is one.
    pub value_span: Option<Span>,
    /// The declaration that the field stands in.
    pub owner: String,
    /// The whole statement.
    pub span: Span,
    /// Where the statement comes from.
    pub source: SourceId,
    /// The statements that this one corrects.
    pub corrects: Vec<Span>,
}

/// What a description says about the value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Always this number. It is part of what tells opcodes apart.
    Fixed(u128),
    /// Always the constant of this name, whose number the description leaves open.
    FixedOpen(String),
    /// This number when the text does not say otherwise.
    Default(u128),
    /// The text must say.
    Free,
}

impl Field {
    /// Number of bits.
    pub fn width(&self) -> u32 {
        self.ranges.iter().map(|range| range.width).sum()
    }

    /// A word with ones at the field's bits.
    pub fn mask(&self) -> u128 {
        self.ranges.iter().fold(0, |mask, range| mask | range.mask())
    }

    /// Its type, when its numbers are addresses relative to the word.
    pub fn relative(&self) -> Option<&Immediate> {
        match &self.ty.kind {
            TypeKind::Immediate(immediate) => Some(immediate).filter(|i| i.relative.is_some()),
            TypeKind::Register(_) | TypeKind::Enumeration(_) => None,
        }
    }

    /// The field's number in a word.
    pub fn extract(&self, word: u128) -> u128 {
        bits::extract(word, &self.ranges)
    }

    /// The number at the field's bits, 0 elsewhere. Bits that do not fit are cut off.
    pub fn place(&self, number: u128) -> u128 {
        bits::insert(number & low_mask(self.width()), &self.ranges)
    }

    /// The number of an immediate that the text of a word at `address` (in bytes) shows as `shown`; `None`
    /// when it does not fit, and for other fields.
    pub fn number_shown(&self, shown: i128, address: u64) -> Option<u128> {
        match &self.ty.kind {
            TypeKind::Immediate(immediate) => immediate.parse(shown, self.width(), address).ok(),
            TypeKind::Register(_) | TypeKind::Enumeration(_) => None,
        }
    }

    /// The number that stands when text leaves the field out.
    pub fn implied(&self) -> Option<u128> {
        match self.role {
            Role::Fixed(number) | Role::Default(number) => Some(number),
            Role::FixedOpen(_) | Role::Free => None,
        }
    }

    /// Whether the number is the same in every word.
    pub fn is_fixed(&self) -> bool {
        matches!(self.role, Role::Fixed(_) | Role::FixedOpen(_))
    }
}

impl Opcode {
    /// The field of that name, such as `rd` or `pg.not`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.field_index(name).map(|index| &self.fields[index])
    }

    /// The index of the field of that name.
    pub fn field_index(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name.text == name)
    }

    /// Bits that every word of the opcode has alike: those of fixed fields.
    pub fn fixed_bits(&self) -> Bits {
        self.fixed
    }

    /// The bits by which a word is known to be one of these; `None` when the description leaves a number open, so
    /// that no word is.
    pub(crate) fn decoded_by(&self) -> Option<Bits> {
        self.open_fields().next().is_none().then_some(self.fixed)
    }

    /// Bits that no field claims and that must be 0.
    pub fn reserved_bits(&self) -> u128 {
        self.reserved
    }

    /// Bits that no field claims and that may be anything, with what the assembler writes there.
    pub fn ignored_bits(&self) -> Bits {
        self.ignored
    }

    /// The instruction's name in text; `None` when the description gives no syntax.
    pub fn mnemonic(&self) -> Option<&str> {
        self.syntax.as_ref().map(|syntax| syntax.mnemonic.as_str())
    }

    /// The syntax line as the description writes it.
    pub fn syntax_line(&self) -> Option<&str> {
        self.syntax.as_ref().map(|syntax| syntax.line.as_str())
    }

    /// The operands as the syntax line names them, with their fields: `SrcB` may be `rb` in one form and
    /// `vb` in another.
    pub fn operand_names(&self) -> impl Iterator<Item = (&str, &Field)> {
        let operands = self.syntax.iter().flat_map(|syntax| &syntax.operands);
        operands.map(|(name, index)| (name.as_str(), &self.fields[*index]))
    }

    /// The fields whose number the description leaves open. A word needs all of them.
    pub fn open_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| matches!(field.role, Role::FixedOpen(_)))
    }

    /// The width in bits of an operand under the given field values, if the description states it.
    pub(crate) fn operand_bits(&self, operand: usize, values: &[u128]) -> Option<u128> {
        let (_, expr, _) = self.widths.iter().find(|(index, _, _)| *index == operand)?;
        u128::try_from(expr.evaluate(values)?).ok()
    }

    /// Whether a register operand has a spelling under the given values: pairs need a second register.
    pub(crate) fn has_register(&self, index: usize, values: &[u128]) -> bool {
        let field = &self.fields[index];
        match &field.ty.kind {
            TypeKind::Register(file) => {
                let form = file.form(self.operand_bits(index, values));
                file.text(values[index], field.width(), form).is_some()
            }
            TypeKind::Enumeration(_) | TypeKind::Immediate(_) => true,
        }
    }
}
