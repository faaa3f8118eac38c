//! The syntax tree of one description file, with a span and a provenance on every line of it.

use crate::bits::BitRange;
use diag::Span;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text of the name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// Where a fact comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provenance {
    /// The document that is being described says so.
    Document,
    /// Read out of a tool or a machine.
    Measured,
    /// Nothing says so: whoever wrote the description decided.
    Chosen,
}

impl Provenance {
    /// The word that descriptions write.
    pub fn word(self) -> &'static str {
        match self {
            Provenance::Document => "document",
            Provenance::Measured => "measured",
            Provenance::Chosen => "chosen",
        }
    }

    /// All three.
    pub const ALL: [Provenance; 3] =
        [Provenance::Document, Provenance::Measured, Provenance::Chosen];
}

/// The provenance in force for some lines: its kind and the words that explain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Document, measured or chosen.
    pub provenance: Provenance,
    /// What document, measured how, chosen why; may be empty.
    pub text: String,
}

/// Index of a [`Source`] in the table of its description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourceId(pub(crate) usize);

/// One top-level item.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Include { path: Name },
    Type(TypeDecl),
    Decl(Decl),
}

/// What a type declaration introduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeForm {
    /// `__DefBitFieldType`
    BitField,
    /// `__DefOpenType`
    Open,
    /// `__DefRegisterType`
    Register,
    /// `__DefImmediateType`
    Immediate,
}

/// `__DefBitFieldType NAME<bits>` and its relatives.
#[derive(Clone, Debug)]
pub(crate) struct TypeDecl {
    pub form: TypeForm,
    pub name: Name,
    pub width: Option<(u32, Span)>,
    pub statements: Vec<TypeStatement>,
    pub source: SourceId,
}

/// One line of a type.
#[derive(Clone, Debug)]
pub(crate) enum TypeStatement {
    /// `[OWNER.]NAME [= number] [: "spelling"];`
    Value(ValueDecl),
    /// `Keyword;` or `Keyword<argument>;`
    Property(Property),
}

#[derive(Clone, Debug)]
pub(crate) struct ValueDecl {
    pub owner: Option<Name>,
    pub name: Name,
    pub number: Option<Number>,
    pub spelling: Option<(String, Span)>,
    pub source: SourceId,
}

/// A number of a value; `~0` means every bit of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    pub value: NumberValue,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberValue {
    Plain(u128),
    AllOnes,
}

#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub keyword: Name,
    pub argument: Option<Argument>,
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Name(Name),
    Number(u128, Span),
    Text(String, Span),
}

impl Argument {
    pub(crate) fn span(&self) -> Span {
        match self {
            Argument::Name(name) => name.span,
            Argument::Number(_, span) | Argument::Text(_, span) => *span,
        }
    }
}

/// What a declaration introduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclKind {
    /// `__DefGroup`: what several instructions have in common.
    Group,
    /// `__DefOptype`: an instruction with all its forms.
    Optype,
    /// `__DefOpcode`: one form, with an encoding of its own.
    Opcode,
    /// `__DefReference`: words that are no instruction of the description but name an address.
    Reference,
}

impl DeclKind {
    /// The heading that introduces it.
    pub fn heading(self) -> &'static str {
        match self {
            DeclKind::Group => "__DefGroup",
            DeclKind::Optype => "__DefOptype",
            DeclKind::Opcode => "__DefOpcode",
            DeclKind::Reference => "__DefReference",
        }
    }
}

/// `__DefGroup`, `__DefOptype`, `__DefOpcode`, or `__Refine` of something declared elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Decl {
    /// `None` for `__Refine`.
    pub kind: Option<DeclKind>,
    pub name: Name,
    pub parents: Option<Vec<Name>>,
    pub encoding: Vec<EncodingStatement>,
    pub operands: Vec<OperandStatement>,
    pub prose: Vec<ProseSection>,
    /// Lines of a refined type.
    pub type_statements: Vec<TypeStatement>,
    pub source: SourceId,
}

/// A statement under `__Encoding`.
#[derive(Clone, Debug)]
pub(crate) enum EncodingStatement {
    Field(FieldDecl),
    Bits(BitsDecl),
    Remove(FieldName),
}

/// The name of a field: `pg`, `pg.not`, `$sched`, `$sched.stall`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldName {
    /// The whole name as it is looked up.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl FieldName {
    /// The part before the dot.
    pub fn base(&self) -> &str {
        self.text.split('.').next().unwrap_or("")
    }

    /// The part after the dot.
    pub fn attribute(&self) -> Option<&str> {
        self.text.split_once('.').map(|(_, attribute)| attribute)
    }

    /// Whether this is a control field, which instruction text does not show.
    pub fn is_control(&self) -> bool {
        self.text.starts_with('$')
    }
}

/// `field<pos, width> Type name == FIXED;`
#[derive(Clone, Debug)]
pub(crate) struct FieldDecl {
    pub ranges: Vec<BitRange>,
    pub ranges_span: Span,
    /// The places are wrong, which has been reported.
    pub broken: bool,
    pub type_name: Name,
    pub name: FieldName,
    pub value: Option<FieldValue>,
    pub span: Span,
    pub source: SourceId,
}

#[derive(Clone, Debug)]
pub(crate) struct FieldValue {
    /// `==` rather than `=`.
    pub fixed: bool,
    pub constant: Constant,
    pub span: Span,
}

/// A constant as written: a name of the field's type, or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Name(String),
    Number(NumberValue),
}

/// `reserved<pos, width>;` or `ignored<pos, width> = value;`
#[derive(Clone, Debug)]
pub(crate) struct BitsDecl {
    pub ignored: bool,
    pub ranges: Vec<BitRange>,
    pub value: Option<(u128, Span)>,
    pub span: Span,
}

/// A statement under `__OperandInfo`.
#[derive(Clone, Debug)]
pub(crate) enum OperandStatement {
    In(NameList),
    Out(NameList),
    Order(NameList),
    Bitwidth { operand: Name, expr: ExprTree, span: Span },
    Require { subject: Name, expr: ExprTree, reason: Option<String> },
}

#[derive(Clone, Debug)]
pub(crate) struct NameList {
    pub names: Vec<Name>,
    pub span: Span,
}

/// An expression as written.
#[derive(Clone, Debug)]
pub(crate) struct ExprTree {
    pub node: ExprNode,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprNode {
    Int(u128),
    Text(String),
    Field(String),
    Unary(UnaryOp, Box<ExprTree>),
    Binary(BinaryOp, Box<ExprTree>, Box<ExprTree>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Negate,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

/// The sections that hold prose and fenced code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SectionKind {
    /// `__Syntax`: the syntax line and the modifier lists.
    Syntax,
    /// `__Description`: what the instruction is for.
    Description,
    /// The prose under `__OperandInfo`.
    OperandInfo,
    /// `__ModifierInfo`: what the modifiers mean.
    ModifierInfo,
    /// `__Semantics`: what the instruction does, in prose or as pseudo-code.
    Semantics,
    /// `__Examples`: assembly lines.
    Examples,
}

impl SectionKind {
    /// All kinds in the order of a manual page.
    pub const ALL: [SectionKind; 6] = [
        SectionKind::Syntax,
        SectionKind::Description,
        SectionKind::OperandInfo,
        SectionKind::ModifierInfo,
        SectionKind::Semantics,
        SectionKind::Examples,
    ];

    /// The heading that introduces it.
    pub fn heading(self) -> &'static str {
        match self {
            SectionKind::Syntax => "__Syntax",
            SectionKind::Description => "__Description",
            SectionKind::OperandInfo => "__OperandInfo",
            SectionKind::ModifierInfo => "__ModifierInfo",
            SectionKind::Semantics => "__Semantics",
            SectionKind::Examples => "__Examples",
        }
    }
}

/// A section of prose.
#[derive(Clone, Debug)]
pub struct ProseSection {
    /// Which section.
    pub kind: SectionKind,
    /// The heading.
    pub heading: Span,
    /// Text and fences in order.
    pub blocks: Vec<Block>,
    /// Where the section comes from.
    pub source: SourceId,
    /// The declaration that the section stands in.
    pub owner: String,
}

impl ProseSection {
    /// The fenced blocks.
    pub fn fences(&self) -> impl Iterator<Item = &Fence> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Fence(fence) => Some(fence),
            Block::Text(_) => None,
        })
    }

    /// The text outside fences.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text),
            Block::Fence(_) => None,
        })
    }

    /// Whether there is nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.blocks.iter().all(|block| match block {
            Block::Text(text) => text.text.trim().is_empty(),
            Block::Fence(_) => false,
        })
    }
}

/// A piece of a prose section.
#[derive(Clone, Debug)]
pub enum Block {
    /// Prose in any language, Markdown by convention.
    Text(Text),
    /// A fenced code block.
    Fence(Fence),
}

/// Prose as it stands in the file.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text, line ends included.
    pub text: String,
    /// Where it stands; offsets into `text` are offsets from the start of this span.
    pub span: Span,
    /// Where it comes from.
    pub source: SourceId,
}

/// A fenced code block.
#[derive(Clone, Debug)]
pub struct Fence {
    /// The word after the opening marks, such as `asm`; may be empty.
    pub info: String,
    /// The lines between the marks.
    pub body: Text,
}

/// One parsed file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub items: Vec<Item>,
}

/// Parsed files in the order in which their items count.
pub(crate) struct Parsed {
    pub prelude: File,
    /// Type and instruction declarations of all files, includes replaced by what they name.
    pub items: Vec<Item>,
    pub sources: Vec<Source>,
}
