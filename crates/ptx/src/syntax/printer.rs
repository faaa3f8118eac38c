//! [`Module`] to text.
//!
//! The text parses to the same tree, spans aside. Constants are printed as values: an expression
//! that was folded does not come back.

use super::ast::{
    Attribute, CallPrototype, Constant, Directive, DirectiveArg, Function, FunctionKind, Init,
    InitAddress, InitKind, Instruction, Item, Linkage, Loc, Module, NameTable, Operand,
    OperandKind, Relative, Section, SectionEntry, SourcePosition, Statement, StatementKind,
    Variable,
};
use super::lexer::{INLINE_ASM_BEGINS, INLINE_ASM_ENDS};
use std::fmt::{self, Display, Formatter};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(version) = self.version {
            writeln!(f, ".version {}.{}", version.major, version.minor)?;
        }
        if let Some(target) = &self.target {
            writeln!(f, ".target {}", Joined(&target.names))?;
        }
        if let Some(size) = self.address_size {
            writeln!(f, ".address_size {}", size.bits)?;
        }
        for item in &self.items {
            writeln!(f, "\n{item}")?;
        }
        for file in &self.files {
            write!(f, "\n.file {} \"{}\"", file.index, file.name)?;
            if let Some((time, size)) = file.stamp {
                write!(f, ", {time}, {size}")?;
            }
        }
        for section in &self.sections {
            write!(f, "\n{section}")?;
        }
        if self.files.is_empty() && self.sections.is_empty() { Ok(()) } else { writeln!(f) }
    }
}

impl Display for Section {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".section {} {{", self.name)?;
        for entry in &self.entries {
            match entry {
                SectionEntry::Label(name) => writeln!(f, "{name}:")?,
                SectionEntry::Numbers { bits, values } => {
                    writeln!(f, ".b{bits} {}", Joined(values))?;
                }
                SectionEntry::Address { bits, base, relative } => {
                    write!(f, ".b{bits} {base}")?;
                    match relative {
                        Relative::Plus(0) => writeln!(f)?,
                        Relative::Plus(bytes) => writeln!(f, "+{bytes}")?,
                        Relative::Minus(name) => writeln!(f, "-{name}")?,
                    }
                }
            }
        }
        f.write_str("}")
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Function(function) => function.fmt(f),
            Item::Variable(variable) => write!(f, "{variable};"),
            Item::Directive(directive) => write!(f, "{directive};"),
        }
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_linkage(f, self.linkage)?;
        f.write_str(match self.kind {
            FunctionKind::Entry => ".entry ",
            FunctionKind::Func => ".func ",
        })?;
        write_attributes(f, &self.attributes)?;
        if !self.returns.is_empty() {
            write!(f, "({}) ", Joined(&self.returns))?;
        }
        write!(f, "{}({})", self.name, Joined(&self.params))?;
        write_function_directives(f, &self.directives)?;
        match &self.body {
            None => f.write_str(";"),
            Some(body) => {
                f.write_str("\n")?;
                write_block(f, body, 0)
            }
        }
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_linkage(f, self.linkage)?;
        write!(f, ".{} ", self.space.word())?;
        write_attributes(f, &self.attributes)?;
        if let Some(align) = self.align {
            write!(f, ".align {align} ")?;
        }
        if let Some(size) = self.vector {
            write!(f, ".v{size} ")?;
        }
        write!(f, "{} ", self.ty)?;
        if let Some(ptr) = self.ptr {
            f.write_str(".ptr ")?;
            if let Some(space) = ptr.space {
                write!(f, ".{} ", space.word())?;
            }
            if let Some(align) = ptr.align {
                write!(f, ".align {align} ")?;
            }
        }
        write!(f, "{}", self.name)?;
        write_range(f, self.range)?;
        for dim in &self.dims {
            match dim {
                Some(size) => write!(f, "[{size}]")?,
                None => f.write_str("[]")?,
            }
        }
        match &self.init {
            Some(init) => write!(f, " = {init}"),
            None => Ok(()),
        }
    }
}

impl Display for Init {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            InitKind::Constant(constant) => constant.fmt(f),
            InitKind::List(list) => write!(f, "{{{}}}", Joined(list)),
            InitKind::Address(address) => address.fmt(f),
            InitKind::Field(field) => write!(f, "{} = {}", field.0, field.1),
        }
    }
}

impl Display for InitAddress {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(mask) = self.mask {
            write!(f, "{mask:#x}(")?;
        }
        if self.generic {
            write!(f, "generic({})", self.name)?;
        } else {
            write!(f, "{}", self.name)?;
        }
        write_offset(f, self.offset)?;
        if self.mask.is_some() { f.write_str(")") } else { Ok(()) }
    }
}

impl Display for Directive {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if self.args.is_empty() { Ok(()) } else { write!(f, " {}", Joined(&self.args)) }
    }
}

impl Display for DirectiveArg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            DirectiveArg::Constant(constant) => constant.fmt(f),
            DirectiveArg::Name(name) => name.fmt(f),
            DirectiveArg::Text(text) => write!(f, "\"{text}\""),
        }
    }
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name)?;
        if self.args.is_empty() { Ok(()) } else { write!(f, "({})", Joined(&self.args)) }
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "@{}{} ", if guard.negated { "!" } else { "" }, guard.predicate)?;
        }
        write!(f, "{}", self.opcode)?;
        for suffix in &self.suffixes {
            write!(f, ".{suffix}")?;
        }
        if self.operands.is_empty() { Ok(()) } else { write!(f, " {}", Joined(&self.operands)) }
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            OperandKind::Name(name) => name.fmt(f),
            OperandKind::Component(name, component) => write!(f, "{name}.{component}"),
            OperandKind::Constant(constant) => constant.fmt(f),
            OperandKind::NamePlus(name, offset) => write!(f, "{name}+{}", Signed(*offset)),
            OperandKind::Negated(operand) => write!(f, "!{operand}"),
            OperandKind::Minus(operand) => write!(f, "-{operand}"),
            OperandKind::Sink => f.write_str("_"),
            OperandKind::Pair(first, second) => write!(f, "{first}|{second}"),
            OperandKind::Vector(elements) => write!(f, "{{{}}}", Joined(elements)),
            OperandKind::Address(address) => {
                write!(f, "[{}", address.base)?;
                write_offset(f, address.offset)?;
                for operand in &address.rest {
                    write!(f, ", {operand}")?;
                }
                f.write_str("]")?;
                match &address.suffix {
                    Some(suffix) => write!(f, ".{suffix}"),
                    None => Ok(()),
                }
            }
            OperandKind::Element(name, index) => write!(f, "{name}[{index}]"),
            OperandKind::List(operands) => write!(f, "({})", Joined(operands)),
        }
    }
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Constant::Int { bits, unsigned: false } => Signed(bits.cast_signed()).fmt(f),
            // Beyond the signed range a literal is unsigned by itself.
            Constant::Int { bits, unsigned: true } if bits > i64::MAX as u64 => bits.fmt(f),
            Constant::Int { bits, unsigned: true } => write!(f, "{bits}U"),
            Constant::F32(bits) => write!(f, "0f{bits:08X}"),
            Constant::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

/// A signed integer. The least one has no literal of its own, because `-` is an operator.
struct Signed(i64);

impl Display for Signed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 == i64::MIN {
            return write!(f, "(.s64){:#x}", self.0);
        }
        write!(f, "{}", self.0)
    }
}

impl Display for Loc {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".loc {}", self.position)?;
        if let Some(inlined) = &self.inlined {
            write!(f, ", function_name {}", inlined.function_name)?;
            write_offset(f, inlined.offset)?;
            write!(f, ", inlined_at {}", inlined.at)?;
        }
        Ok(())
    }
}

impl Display for SourcePosition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.file, self.line, self.column)
    }
}

impl Display for CallPrototype {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: .callprototype ({}) _ ", self.label, Joined(&self.returns))?;
        write!(f, "({})", Joined(&self.params))?;
        write_function_directives(f, &self.directives)
    }
}

/// The elements with commas between them.
struct Joined<'a, T>(&'a [T]);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (nth, element) in self.0.iter().enumerate() {
            if nth > 0 {
                f.write_str(", ")?;
            }
            element.fmt(f)?;
        }
        Ok(())
    }
}

fn write_linkage(f: &mut Formatter<'_>, linkage: Linkage) -> fmt::Result {
    if linkage == Linkage::None { Ok(()) } else { write!(f, ".{} ", linkage.word()) }
}

fn write_attributes(f: &mut Formatter<'_>, attributes: &[Attribute]) -> fmt::Result {
    if attributes.is_empty() { Ok(()) } else { write!(f, ".attribute({}) ", Joined(attributes)) }
}

fn write_function_directives(f: &mut Formatter<'_>, directives: &[Directive]) -> fmt::Result {
    for directive in directives {
        write!(f, " {directive}")?;
        // The only function directive that a semicolon ends.
        if directive.name == ".pragma" {
            f.write_str(";")?;
        }
    }
    Ok(())
}

fn write_range(f: &mut Formatter<'_>, range: Option<u32>) -> fmt::Result {
    range.map_or(Ok(()), |count| write!(f, "<{count}>"))
}

fn write_offset(f: &mut Formatter<'_>, offset: i64) -> fmt::Result {
    if offset == 0 { Ok(()) } else { write!(f, "+{}", Signed(offset)) }
}

fn write_table(f: &mut Formatter<'_>, directive: &str, table: &NameTable) -> fmt::Result {
    write!(f, "{}: {directive}", table.label)?;
    for (nth, entry) in table.entries.iter().enumerate() {
        write!(f, "{}{}", if nth > 0 { ", " } else { " " }, entry.name)?;
        write_range(f, entry.range)?;
    }
    f.write_str(";\n")
}

/// One tab per level.
struct Indent(usize);

impl Display for Indent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (0..self.0).try_for_each(|_| f.write_str("\t"))
    }
}

fn write_block(f: &mut Formatter<'_>, statements: &[Statement], depth: usize) -> fmt::Result {
    let indent = Indent(depth);
    writeln!(f, "{indent}{{")?;
    for statement in statements {
        write_statement(f, statement, depth + 1)?;
    }
    write!(f, "{indent}}}")
}

fn write_statement(f: &mut Formatter<'_>, statement: &Statement, depth: usize) -> fmt::Result {
    let indent = Indent(depth);
    match &statement.kind {
        StatementKind::Block(statements) => {
            write_block(f, statements, depth)?;
            f.write_str("\n")
        }
        StatementKind::Variable(variable) => writeln!(f, "{indent}{variable};"),
        StatementKind::Label(name) => writeln!(f, "{name}:"),
        StatementKind::Instruction(instruction) => writeln!(f, "{indent}{instruction};"),
        StatementKind::Loc(loc) if loc.in_inline_asm => {
            writeln!(f, "{indent}{INLINE_ASM_BEGINS}\n{indent}{loc}\n{indent}{INLINE_ASM_ENDS}")
        }
        StatementKind::Loc(loc) => writeln!(f, "{indent}{loc}"),
        StatementKind::Pragma(pragma) => writeln!(f, "{indent}{pragma};"),
        StatementKind::CallPrototype(prototype) => writeln!(f, "{indent}{prototype};"),
        StatementKind::BranchTargets(table) => write_table(f, ".branchtargets", table),
        StatementKind::CallTargets(table) => write_table(f, ".calltargets", table),
    }
}
