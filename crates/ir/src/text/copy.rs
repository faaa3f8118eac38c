//! Asynchronous copies as text: both places, sizes and what tells that it is complete as one operand.

use super::cursor::{Cursor, ParseError};
use super::modifier::{Dotted, Modifier, Words};
use super::operand::{List, Read, read_word};
use super::words::Word;
use crate::{Access, Address, AsyncCopy, BinaryOp, Completion, ElementUpdate, Space, Src};
use std::fmt;

impl fmt::Display for AsyncCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AsyncCopy { to, from, bytes, read, unit, update, until } = self;
        write!(f, "from {} {} to {} {}", from.0.word(), from.1, to.0.word(), to.1)?;
        write!(f, " bytes {bytes} read {read} unit {unit} ")?;
        if let Some(ElementUpdate { op, access }) = update {
            write!(f, "update {} ", access.word())?;
            op.print("op", &mut Dotted::new(f))?;
            write!(f, " ")?;
        }
        write!(f, "until ")?;
        match until {
            Completion::Group(groups) => write!(f, "group {}", groups.word()),
            Completion::Object(space, address) => write!(f, "object {} {address}", space.word()),
        }
    }
}

impl Read for Box<AsyncCopy> {
    const WHAT: &str = "a copy (`from global %0 to shared %1 bytes 16 …`)";

    fn write(&self, out: &mut List<'_, '_>) -> fmt::Result {
        out.item(self)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect("from")?;
        let from = <(Space, Address)>::read(cursor)?;
        cursor.expect("to")?;
        let to = <(Space, Address)>::read(cursor)?;
        cursor.expect("bytes")?;
        let bytes = Src::read(cursor)?;
        cursor.expect("read")?;
        let read = Src::read(cursor)?;
        cursor.expect("unit")?;
        let unit = cursor.word32("a number")?;
        let update = match cursor.eat("update") {
            true => {
                let access = read_word::<Access>(cursor)?;
                let mut words = Words::new(cursor.peek());
                let op = BinaryOp::parse("op", &mut words)?;
                words.end()?;
                cursor.next();
                Some(ElementUpdate { op, access })
            }
            false => None,
        };
        cursor.expect("until")?;
        let until = match (cursor.eat("group"), cursor.eat("object")) {
            (true, _) => Completion::Group(read_word(cursor)?),
            (false, true) => {
                let (space, address) = <(Space, Address)>::read(cursor)?;
                Completion::Object(space, address)
            }
            (false, false) => return cursor.fail("`group` or `object`"),
        };
        Ok(Box::new(AsyncCopy { to, from, bytes, read, unit, update, until }))
    }
}
