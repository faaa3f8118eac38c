//! The syntax tree of a PTX module.
//!
//! The tree says what is written, not what it means: suffixes are plain words, operands are shapes,
//! and nothing is resolved. Constant expressions are the exception: they are evaluated on the way in.
//! Every node carries the span of its text.

pub use super::types::{Linkage, ScalarType, Space};
use arcstr::ArcStr;
use diag::Span;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A word of the source: an identifier, an opcode, a suffix or a directive. Cheap to clone.
///
/// It reads as a `str`. Equality looks at the text alone, so that a name equals another use of it.
#[derive(Clone)]
pub struct Name {
    // One pointer: modules of compilers have millions of names.
    text: ArcStr,
    /// Where it stands; the dot of a suffix or directive belongs to it.
    pub span: Span,
}

impl Name {
    /// The word `text` at `span`.
    pub fn new(text: impl Into<ArcStr>, span: Span) -> Self {
        Name { text: text.into(), span }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text as a shared string.
    pub fn text(&self) -> &ArcStr {
        &self.text
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.text == other.text
    }
}

impl Eq for Name {}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        *self.text == *other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        *self.text == **other
    }
}

/// A whole PTX module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `.version`; absent only in a rejected module.
    pub version: Option<VersionDirective>,
    /// `.target`; absent only in a rejected module.
    pub target: Option<TargetDirective>,
    /// `.address_size`; 32 when absent.
    pub address_size: Option<AddressSize>,
    /// Functions, variables and other directives in source order.
    pub items: Vec<Item>,
    /// The source files that `.loc` refers to by index.
    pub files: Vec<FileDirective>,
    /// Sections of debug information.
    pub sections: Vec<Section>,
}

/// `.section .debug_str { ... }`: debug information, of which only the labels matter here.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name, with the dot.
    pub name: Name,
    /// Labels and data in order.
    pub entries: Vec<SectionEntry>,
}

/// A line of a [`Section`].
#[derive(Clone, Debug)]
pub enum SectionEntry {
    /// `name:`.
    Label(Name),
    /// `.b8 1, 2, 3`: numbers of 8, 16, 32 or 64 bits, cut to that width.
    Numbers {
        /// Their width.
        bits: u32,
        /// Their values.
        values: Vec<u64>,
    },
    /// `.b64 name`, of 32 or 64 bits: the address of a label, a section or a function.
    Address {
        /// Its width.
        bits: u32,
        /// What it is the address of.
        base: Name,
        /// What is added or taken away.
        relative: Relative,
    },
}

/// What is added to an address in a [`Section`].
#[derive(Clone, Debug)]
pub enum Relative {
    /// So many bytes.
    Plus(u64),
    /// The address of a label, which is taken away.
    Minus(Name),
}

/// `.version major.minor`: the PTX ISA version that the module is written in.
#[derive(Clone, Copy, Debug)]
pub struct VersionDirective {
    /// The number before the dot.
    pub major: u32,
    /// The number after the dot.
    pub minor: u32,
    /// The whole directive.
    pub span: Span,
}

/// `.target sm_90a, debug`: architecture and platform options.
///
/// Several directives at the head of a module count as one.
#[derive(Clone, Debug)]
pub struct TargetDirective {
    /// The words in source order; an architecture comes first.
    pub names: Vec<Name>,
    /// The whole directive.
    pub span: Span,
}

/// `.address_size 64`.
#[derive(Clone, Copy, Debug)]
pub struct AddressSize {
    /// Width of an address, 32 or 64.
    pub bits: u32,
    /// The whole directive.
    pub span: Span,
}

/// `.file 1 "scan.cu"`: a source file for `.loc`.
#[derive(Clone, Debug)]
pub struct FileDirective {
    /// The number that `.loc` uses.
    pub index: u32,
    /// The file name as written, escapes kept.
    pub name: String,
    /// Modification time and size in bytes, when given.
    pub stamp: Option<(u64, u64)>,
    /// The whole directive.
    pub span: Span,
}

/// One entry of a module.
#[derive(Clone, Debug)]
pub enum Item {
    /// A kernel or device function.
    Function(Arc<Function>),
    /// A module-scope variable. A declaration of several names gives one item each.
    Variable(Box<Variable>),
    /// `.pragma` or `.alias`.
    Directive(Directive),
}

/// Whether a function can be launched or called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `.entry`: a kernel.
    Entry,
    /// `.func`: a device function.
    Func,
}

/// A kernel or device function (PTX ISA 9.1, `.entry` and `.func`).
#[derive(Clone, Debug)]
pub struct Function {
    /// How other modules see it.
    pub linkage: Linkage,
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// `.attribute(...)` before the name.
    pub attributes: Vec<Attribute>,
    /// Its name.
    pub name: Name,
    /// Return parameters, `.param` or `.reg`.
    pub returns: Vec<Variable>,
    /// Parameters, `.param` or, for device functions, also `.reg`.
    pub params: Vec<Variable>,
    /// Directives between parameters and body: `.maxntid`, `.reqntid`, `.noreturn`, `.pragma`, ...
    pub directives: Vec<FunctionDirective>,
    /// The statements; `None` for a declaration that ends in `;`.
    pub body: Option<Vec<Statement>>,
    /// From the first word to the closing brace or semicolon.
    pub span: Span,
}

/// A directive with arguments, for example `.maxntid 128, 1, 1` or `.pragma "nounroll"`.
#[derive(Clone, Debug)]
pub struct Directive {
    /// The word with its dot.
    pub name: Name,
    /// The arguments between the commas.
    pub args: Vec<DirectiveArg>,
    /// The whole directive.
    pub span: Span,
}

/// A directive that belongs to a function.
pub type FunctionDirective = Directive;

/// An argument of a [`Directive`].
#[derive(Clone, Debug, PartialEq)]
pub enum DirectiveArg {
    /// A number.
    Constant(Constant),
    /// A name, for example the functions of `.alias`.
    Name(Name),
    /// A string, without its quotes and with its escapes kept.
    Text(String),
}

/// One attribute of `.attribute(...)`: `.managed` or `.unified(lo, hi)`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The word without its dot.
    pub name: Name,
    /// The numbers in its parentheses.
    pub args: Vec<Constant>,
    /// From the dot to the closing parenthesis.
    pub span: Span,
}

/// A declared variable, register, register range or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// How other modules see it; only at module scope.
    pub linkage: Linkage,
    /// The state space.
    pub space: Space,
    /// `.attribute(...)`.
    pub attributes: Vec<Attribute>,
    /// `.align`, in bytes: a power of two. Natural alignment when absent.
    pub align: Option<u32>,
    /// Type of one scalar.
    pub ty: ScalarType,
    /// 2, 4 or 8 for `.v2`, `.v4`, `.v8`.
    pub vector: Option<u8>,
    /// `.ptr`, on kernel parameters.
    pub ptr: Option<PtrAttribute>,
    /// The name; `_` in call prototypes. For a range, the prefix before `<`.
    pub name: Name,
    /// `N` of `%r<N>`, which declares `%r0` to `%r(N-1)`.
    pub range: Option<u32>,
    /// Array dimensions, outermost first; `None` stands for `[]`.
    pub dims: Vec<Option<u64>>,
    /// The initial value.
    pub init: Option<Init>,
    /// The declaration of this name; for later names of a list, the name and what follows it.
    pub span: Span,
}

/// `.ptr .global .align 16`: what a pointer parameter points to.
#[derive(Clone, Copy, Debug)]
pub struct PtrAttribute {
    /// The state space; generic when absent.
    pub space: Option<Space>,
    /// Alignment of the object in bytes.
    pub align: Option<u32>,
    /// The attribute.
    pub span: Span,
}

/// An initial value.
#[derive(Clone, Debug)]
pub struct Init {
    /// What it is.
    pub kind: InitKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an initial value.
#[derive(Clone, Debug)]
pub enum InitKind {
    /// A number.
    Constant(Constant),
    /// `{ ... }`: the elements of one dimension or vector; missing ones at the end are zero.
    List(Vec<Init>),
    /// The address of a variable or function.
    Address(Box<InitAddress>),
    /// `name = value` in the braces of a texture or sampler variable.
    Field(Box<(Name, Init)>),
}

/// `name`, `name+8`, `generic(name)+8`, or with a byte mask `0xff00(name)`.
#[derive(Clone, Debug)]
pub struct InitAddress {
    /// The variable or function.
    pub name: Name,
    /// True for `generic(name)`: the generic address instead of the one in the variable's space.
    pub generic: bool,
    /// Bytes to add.
    pub offset: i64,
    /// The eight bits of the address to take, as a mask of consecutive ones on a byte boundary.
    pub mask: Option<u64>,
}

/// One statement of a body.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// From its first token to its `;` or `}`.
    pub span: Span,
}

/// Shows every statement, those in braces included, in the order of the text.
pub fn each_statement<'a>(statements: &'a [Statement], visit: &mut impl FnMut(&'a Statement)) {
    for statement in statements {
        visit(statement);
        if let StatementKind::Block(inner) = &statement.kind {
            each_statement(inner, visit);
        }
    }
}

/// The forms of a statement.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `{ ... }`: a scope for names.
    Block(Vec<Statement>),
    /// A declaration, also of registers. A declaration of several names gives one statement each.
    Variable(Box<Variable>),
    /// `name:`.
    Label(Name),
    /// An instruction.
    Instruction(Instruction),
    /// `.loc`: the source position of the instructions that follow.
    Loc(Box<Loc>),
    /// `.pragma "..."`.
    Pragma(Directive),
    /// `name: .callprototype ...`: the signature for an indirect call.
    CallPrototype(Box<CallPrototype>),
    /// `name: .branchtargets L0, L1`: the table of a `brx.idx`.
    BranchTargets(Box<NameTable>),
    /// `name: .calltargets f, g`: the functions an indirect call may reach.
    CallTargets(Box<NameTable>),
}

/// `.loc file line column [, function_name label [+ offset], inlined_at file line column]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourcePosition {
    /// Index of a [`FileDirective`].
    pub file: u32,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
}

/// A `.loc` directive.
#[derive(Clone, Debug)]
pub struct Loc {
    /// The position of the code.
    pub position: SourcePosition,
    /// Where the function that holds it was inlined.
    pub inlined: Option<Inlined>,
    /// Whether it stands in the text of an inline assembly statement. There LLVM counts the lines of that text, which are
    /// not lines of the source file.
    pub in_inline_asm: bool,
}

/// The inlining part of `.loc`.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// Label in the debug section that holds the function's name.
    pub function_name: Name,
    /// Bytes after that label.
    pub offset: i64,
    /// Position of the call that was inlined.
    pub at: SourcePosition,
    /// Where that stands.
    pub at_span: Span,
}

/// A signature for indirect calls (PTX ISA 9.1, `.callprototype`).
#[derive(Clone, Debug)]
pub struct CallPrototype {
    /// Its label.
    pub label: Name,
    /// Return parameters.
    pub returns: Vec<Variable>,
    /// Parameters.
    pub params: Vec<Variable>,
    /// `.noreturn`, `.abi_preserve N` and the like.
    pub directives: Vec<FunctionDirective>,
}

/// A labelled list of names.
#[derive(Clone, Debug)]
pub struct NameTable {
    /// Its label.
    pub label: Name,
    /// The entries in order.
    pub entries: Vec<TableEntry>,
}

/// An entry of a [`NameTable`].
#[derive(Clone, Debug)]
pub struct TableEntry {
    /// A name, or the prefix of a range.
    pub name: Name,
    /// `N` of `L<N>`, which stands for `L0` to `L(N-1)`.
    pub range: Option<u32>,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Box<Guard>>,
    /// The mnemonic up to the first dot, for example `shfl` or `tcgen05`.
    pub opcode: Name,
    /// The words after it in source order, without dots. `shared::cta` is one word.
    pub suffixes: Vec<Name>,
    /// The operands in source order.
    pub operands: Vec<Operand>,
    /// From the guard to the last operand, without the semicolon.
    pub span: Span,
}

/// A guard predicate.
#[derive(Clone, Debug)]
pub struct Guard {
    /// True for `@!p`.
    pub negated: bool,
    /// The predicate register.
    pub predicate: Name,
    /// From `@` to the register.
    pub span: Span,
}

/// An operand of an instruction.
#[derive(Clone, Debug)]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an operand.
#[derive(Clone, Debug)]
pub enum OperandKind {
    /// A register, variable, label, function, or special register without component.
    Name(Name),
    /// `%tid.x`, `v.y`, or the byte selector `a.b0` of a video instruction. Second, without dot.
    Component(Name, Box<Name>),
    /// A constant expression, evaluated.
    Constant(Constant),
    /// `r+4` or `var+4` outside brackets.
    NamePlus(Name, i64),
    /// `!p`.
    Negated(Box<Operand>),
    /// `-r`.
    Minus(Box<Operand>),
    /// `_`: a result that is dropped, or an absent operand.
    Sink,
    /// `d|p`.
    Pair(Box<Operand>, Box<Operand>),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `[a]`, `[a+4]`, `[1024]`, `[tensor, {x, y}]`.
    Address(Box<Address>),
    /// `array[4]` or `array[r+4]`: the element of a declared array.
    Element(Name, Box<Operand>),
    /// `( ... )`: arguments or results of a call.
    List(Vec<Operand>),
}

/// An operand in brackets.
#[derive(Clone, Debug)]
pub struct Address {
    /// A name or a constant.
    pub base: Box<Operand>,
    /// Bytes to add; 0 when the base is a constant.
    pub offset: i64,
    /// What follows a comma: the coordinates of textures and tensors, the sampler, offsets.
    pub rest: Vec<Operand>,
    /// `unified` of `[a].unified`, without its dot.
    pub suffix: Option<Name>,
}

/// The value of a constant expression.
///
/// Integers have 64 bits and are signed unless the expression's type is `.u64`. A float written
/// as `0f` has exactly the 32 bits given; every other float is a binary64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// An integer.
    Int {
        /// Two's complement.
        bits: u64,
        /// True when its type is `.u64`, false when it is `.s64`.
        unsigned: bool,
    },
    /// The bits of a binary32.
    F32(u32),
    /// The bits of a binary64.
    F64(u64),
}

impl Constant {
    /// The signed integer `value`.
    pub fn signed(value: i64) -> Self {
        Constant::Int { bits: value.cast_unsigned(), unsigned: false }
    }

    /// The mathematical value of an integer.
    pub fn integer(self) -> Option<i128> {
        match self {
            Constant::Int { bits, unsigned: true } => Some(i128::from(bits)),
            Constant::Int { bits, unsigned: false } => Some(i128::from(bits.cast_signed())),
            Constant::F32(_) | Constant::F64(_) => None,
        }
    }
}

/// The kernels of a module, in source order.
pub fn kernels(module: &Module) -> impl Iterator<Item = &Function> {
    module.items.iter().filter_map(|item| match item {
        Item::Function(function)
            if function.kind == FunctionKind::Entry && function.body.is_some() =>
        {
            Some(&**function)
        }
        Item::Function(_) | Item::Variable(_) | Item::Directive(_) => None,
    })
}
