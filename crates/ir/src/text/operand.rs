//! Results and operands: each type with its way to be written and read.

use super::cursor::{Cursor, Kind, ParseError};
use super::words::Word;
use crate::{Address, Members, Pred, Reg, Space, Src};
use std::fmt;

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Display for Src {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Src::Reg(reg) => reg.fmt(f),
            Src::Imm(value) => write!(f, "{value:#x}"),
        }
    }
}

impl fmt::Display for Pred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pred::Is(reg) => reg.fmt(f),
            Pred::Not(reg) => write!(f, "!{reg}"),
            Pred::Const(value) => value.fmt(f),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            0 => write!(f, "[{}]", self.base),
            offset => write!(f, "[{}{offset:+}]", self.base),
        }
    }
}

/// Writes a list. What is missing at its end is left out.
pub(super) struct List<'a, 'f> {
    f: &'a mut fmt::Formatter<'f>,
    /// What stands before the first item.
    before: &'static str,
    missing: usize,
}

impl<'a, 'f> List<'a, 'f> {
    pub(super) fn new(f: &'a mut fmt::Formatter<'f>, before: &'static str) -> Self {
        List { f, before, missing: 0 }
    }

    pub(super) fn item(&mut self, item: impl fmt::Display) -> fmt::Result {
        for _ in 0..std::mem::take(&mut self.missing) {
            write!(self.f, "{}_", std::mem::replace(&mut self.before, ", "))?;
        }
        write!(self.f, "{}{item}", std::mem::replace(&mut self.before, ", "))
    }

    fn nothing(&mut self) -> fmt::Result {
        self.missing += 1;
        Ok(())
    }

    /// Whether something was written.
    pub(super) fn is_written(&self) -> bool {
        self.before == ", "
    }
}

/// The items of a list that are still to be read.
pub(super) struct Items<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    is_first: bool,
}

impl<'c, 't> Items<'c, 't> {
    pub(super) fn new(cursor: &'c mut Cursor<'t>) -> Self {
        Items { cursor, is_first: true }
    }

    /// Whether one more item follows; the comma before it has been taken.
    fn follows(&mut self) -> bool {
        if std::mem::take(&mut self.is_first) {
            let token = self.cursor.peek();
            return match token.kind {
                Kind::Newline | Kind::End => false,
                Kind::Word | Kind::Number | Kind::Quoted | Kind::Mark => !token.is("at"),
            };
        }
        self.cursor.eat(",")
    }

    /// The next item, which must be there.
    fn item<T: Read>(&mut self) -> Result<T, ParseError> {
        let is_first = self.is_first;
        if self.follows() {
            return T::read(self.cursor);
        }
        let comma = if is_first { "" } else { "`,` and " };
        self.cursor.fail(format!("{comma}{}", T::WHAT))
    }
}

/// What is one item.
pub(super) trait Read: Sized {
    const WHAT: &str;
    fn write(&self, out: &mut List<'_, '_>) -> fmt::Result;
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError>;
}

/// A field that is an operand or several.
pub(super) trait Operand: Sized {
    fn print(&self, out: &mut List<'_, '_>) -> fmt::Result;
    fn parse(items: &mut Items<'_, '_>) -> Result<Self, ParseError>;
}

impl<T: Read> Operand for T {
    fn print(&self, out: &mut List<'_, '_>) -> fmt::Result {
        self.write(out)
    }

    fn parse(items: &mut Items<'_, '_>) -> Result<Self, ParseError> {
        items.item()
    }
}

impl<T: Read> Operand for Option<T> {
    fn print(&self, out: &mut List<'_, '_>) -> fmt::Result {
        match self {
            Some(operand) => operand.write(out),
            None => out.nothing(),
        }
    }

    fn parse(items: &mut Items<'_, '_>) -> Result<Self, ParseError> {
        if !items.follows() || items.cursor.eat("_") {
            return Ok(None);
        }
        T::read(items.cursor).map(Some)
    }
}

/// All that follow.
impl Operand for Vec<Src> {
    fn print(&self, out: &mut List<'_, '_>) -> fmt::Result {
        self.iter().try_for_each(|src| src.print(out))
    }

    fn parse(items: &mut Items<'_, '_>) -> Result<Self, ParseError> {
        let mut all = Vec::new();
        while items.follows() {
            all.push(Src::read(items.cursor)?);
        }
        Ok(all)
    }
}

impl Read for Reg {
    const WHAT: &str = "a register (v0, v1, …)";

    fn write(&self, out: &mut List<'_, '_>) -> fmt::Result {
        out.item(self)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.numbered("v", Self::WHAT).map(Reg)
    }
}

impl Read for Src {
    const WHAT: &str = "a register or a number";

    fn write(&self, out: &mut List<'_, '_>) -> fmt::Result {
        out.item(self)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        match cursor.peek().kind {
            Kind::Number => cursor.number(Self::WHAT).map(Src::Imm),
            Kind::Mark if cursor.eat("-") => {
                cursor.number("a number").map(|value| Src::Imm(value.wrapping_neg()))
            }
            Kind::Word | Kind::Quoted | Kind::Mark | Kind::Newline | Kind::End => {
                cursor.numbered("v", Self::WHAT).map(|reg| Src::Reg(Reg(reg)))
            }
        }
    }
}

impl Read for Pred {
    const WHAT: &str = "a predicate (v0, !v0, true, false)";

    fn write(&self, out: &mut List<'_, '_>) -> fmt::Result {
        out.item(self)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if cursor.eat("!") {
            return Reg::read(cursor).map(Pred::Not);
        }
        match (cursor.eat("true"), cursor.eat("false")) {
            (true, _) => Ok(Pred::Const(true)),
            (false, true) => Ok(Pred::Const(false)),
            (false, false) => cursor.numbered("v", Self::WHAT).map(|reg| Pred::Is(Reg(reg))),
        }
    }
}

impl Read for Address {
    const WHAT: &str = "an address (`[v0+8]`)";

    fn write(&self, out: &mut List<'_, '_>) -> fmt::Result {
        out.item(self)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if !cursor.eat("[") {
            return cursor.fail(Self::WHAT);
        }
        let base = Src::read(cursor)?;
        let sign = cursor.peek();
        let is_negative = sign.is("-");
        let mut offset = 0;
        if is_negative || sign.is("+") {
            cursor.next();
            let token = cursor.peek();
            let size = i128::from(cursor.number("an offset")?);
            let signed = i64::try_from(if is_negative { -size } else { size });
            offset = signed.map_err(|_| token.unexpected(0, "an offset of 64 bits"))?;
        }
        cursor.expect("]")?;
        Ok(Address { base, offset })
    }
}

impl Read for u32 {
    const WHAT: &str = "a number";

    fn write(&self, out: &mut List<'_, '_>) -> fmt::Result {
        out.item(self)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.word32(Self::WHAT)
    }
}

/// Takes a name.
pub(super) fn read_word<T: Word>(cursor: &mut Cursor<'_>) -> Result<T, ParseError> {
    let token = cursor.peek();
    let value = if token.kind == Kind::Word { T::named(token.text) } else { None };
    let Some(value) = value else { return cursor.fail(T::expected()) };
    cursor.next();
    Ok(value)
}

impl Read for (Space, Address) {
    const WHAT: &str = "an address space and an address";

    fn write(&self, out: &mut List<'_, '_>) -> fmt::Result {
        out.item(format_args!("{} {}", self.0.word(), self.1))
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        Ok((read_word(cursor)?, Address::read(cursor)?))
    }
}

impl Read for Members {
    const WHAT: &str = "`members` with a membermask, or `active`";

    fn write(&self, out: &mut List<'_, '_>) -> fmt::Result {
        match self {
            Members::Mask(mask) => out.item(format_args!("members {mask}")),
            Members::Active => out.item("active"),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        match (cursor.eat("active"), cursor.eat("members")) {
            (true, _) => Ok(Members::Active),
            (false, true) => Src::read(cursor).map(Members::Mask),
            (false, false) => cursor.fail(Self::WHAT),
        }
    }
}

/// A field that receives one result or several.
pub(super) trait Results: Sized {
    fn print(&self, out: &mut List<'_, '_>) -> fmt::Result;
    /// Takes its part of what stands before `=`.
    fn take(results: &mut impl Iterator<Item = Option<Reg>>) -> Option<Self>;
}

impl Results for Reg {
    fn print(&self, out: &mut List<'_, '_>) -> fmt::Result {
        out.item(self)
    }

    fn take(results: &mut impl Iterator<Item = Option<Reg>>) -> Option<Self> {
        results.next().flatten()
    }
}

impl Results for Option<Reg> {
    fn print(&self, out: &mut List<'_, '_>) -> fmt::Result {
        match self {
            Some(reg) => out.item(reg),
            None => out.nothing(),
        }
    }

    fn take(results: &mut impl Iterator<Item = Option<Reg>>) -> Option<Self> {
        Some(results.next().flatten())
    }
}

/// All that are left. Their number counts, so those at the end are written, too.
impl Results for Vec<Option<Reg>> {
    fn print(&self, out: &mut List<'_, '_>) -> fmt::Result {
        self.iter().try_for_each(|reg| match reg {
            Some(reg) => out.item(reg),
            None => out.item("_"),
        })
    }

    fn take(results: &mut impl Iterator<Item = Option<Reg>>) -> Option<Self> {
        Some(results.collect())
    }
}

/// Takes the results of an instruction with the `=` behind them, if it begins with any.
pub(super) fn results(cursor: &mut Cursor<'_>) -> Result<Vec<Option<Reg>>, ParseError> {
    let mut all = Vec::new();
    let token = cursor.peek();
    let mut digits = token.text.strip_prefix('v').unwrap_or("x").bytes();
    if !token.is("_") && !digits.all(|byte| byte.is_ascii_digit()) {
        return Ok(all);
    }
    loop {
        all.push(if cursor.eat("_") { None } else { Some(Reg::read(cursor)?) });
        if !cursor.eat(",") {
            break;
        }
    }
    cursor.expect("=")?;
    Ok(all)
}

/// Takes a predicate.
pub(super) fn predicate(cursor: &mut Cursor<'_>) -> Result<Pred, ParseError> {
    Pred::read(cursor)
}
