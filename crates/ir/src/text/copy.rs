//! Asynchronous copies as text: both places, sizes and what tells that it is complete as one operand.

use super::cursor::{Cursor, ParseError};
use super::operand::{List, Read, read_word};
use super::words::Word;
use crate::{Address, AsyncCopy, Completion, Space, Src};
use std::fmt;

impl fmt::Display for AsyncCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AsyncCopy { to, from, bytes, read, unit, until } = self;
        write!(f, "from {} {} to {} {}", from.0.word(), from.1, to.0.word(), to.1)?;
        write!(f, " bytes {bytes} read {read} unit {unit} until ")?;
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
        cursor.expect("until")?;
        let until = match (cursor.eat("group"), cursor.eat("object")) {
            (true, _) => Completion::Group(read_word(cursor)?),
            (false, true) => {
                let (space, address) = <(Space, Address)>::read(cursor)?;
                Completion::Object(space, address)
            }
            (false, false) => return cursor.fail("`group` or `object`"),
        };
        Ok(Box::new(AsyncCopy { to, from, bytes, read, unit, until }))
    }
}
