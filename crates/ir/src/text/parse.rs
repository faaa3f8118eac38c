//! From a text to its kernel.

use super::cursor::{Cursor, Kind, ParseError};
use super::forms::op_forms;
use super::modifier::{Modifier, Row, Words};
use super::operand::{Items, Operand, Results, predicate, read_word, results};
use crate::{
    BarrierAction, BinaryOp, Block, BlockId, Class, ClusterHalf, ClusterLimits, Collective,
    CompareOp, CopyProgress, Fence, Frame, Inst, Kernel, MatrixForm, Op, Place, Reg, Terminator,
    TernaryOp, ThreadLimits, UnaryOp,
};
use lanes::ReduxF32;
use std::ops::Range;

/// A text of few words can declare very many registers: a kernel has at most so many.
const MAX_REGISTERS: u32 = 1 << 24;

/// The kernel that a text describes, as [`Kernel`]'s `Display` writes it. Whether it makes sense, [`verify`](crate::verify) tells.
///
/// # Errors
/// The first thing that is not as the grammar has it.
pub fn parse(text: &str) -> Result<Kernel, ParseError> {
    let mut cursor = Cursor::new(text);
    cursor.skip_lines();
    let mut kernel = header(&mut cursor)?;
    while cursor.peek().kind != Kind::End {
        let number = kernel.blocks.len();
        let label = cursor.peek();
        if cursor.numbered("block", "a block")? as usize != number {
            return Err(label.unexpected(0, format!("`block{number}`")));
        }
        cursor.expect(":")?;
        cursor.end_line()?;
        kernel.blocks.push(block(&mut cursor)?);
    }
    Ok(kernel)
}

fn header(cursor: &mut Cursor<'_>) -> Result<Kernel, ParseError> {
    cursor.expect("kernel")?;
    let name = quoted(cursor)?;
    let rules = read_word(cursor)?;
    cursor.end_line()?;
    let mut kernel = Kernel {
        name,
        rules,
        registers: Vec::new(),
        blocks: Vec::new(),
        param_bytes: 0,
        param_gaps: Vec::new(),
        shared_bytes: 0,
        shared_gaps: Vec::new(),
        system_shared: 0..0,
        local_bytes: 0,
        has_stack: false,
        frames: Vec::new(),
        threads: ThreadLimits::default(),
        cluster: ClusterLimits::default(),
    };
    loop {
        if cursor.eat("params") {
            kernel.param_bytes = cursor.word32("bytes")?;
            kernel.param_gaps = listed(cursor, "gaps")?;
        } else if cursor.eat("shared") {
            kernel.shared_bytes = cursor.word32("bytes")?;
            if cursor.eat(",") {
                if cursor.eat("gaps") {
                    kernel.shared_gaps = ranges(cursor)?;
                    if cursor.eat(",") {
                        cursor.expect("system")?;
                        kernel.system_shared = range(cursor)?;
                    }
                } else if cursor.eat("system") {
                    kernel.system_shared = range(cursor)?;
                } else {
                    return cursor.fail("`gaps` or `system`");
                }
            }
        } else if cursor.eat("local") {
            kernel.local_bytes = cursor.word32("bytes")?;
        } else if cursor.eat("stack") {
            kernel.has_stack = true;
        } else if cursor.eat("frame") {
            let places = range(cursor)?;
            let variables = listed(cursor, "variables")?;
            kernel.frames.push(Frame { places, variables });
        } else if cursor.eat("threads") {
            let limit = match (cursor.eat("required"), cursor.eat("maximum")) {
                (true, _) => &mut kernel.threads.required,
                (false, true) => &mut kernel.threads.maximum,
                (false, false) => return cursor.fail("`required` or `maximum`"),
            };
            let mut extent = || cursor.word32("an extent");
            *limit = Some([extent()?, extent()?, extent()?]);
        } else if cursor.eat("clusters") {
            kernel.cluster = clusters(cursor)?;
        } else if cursor.eat("registers") {
            registers(cursor, &mut kernel.registers)?;
        } else {
            return Ok(kernel);
        }
        cursor.end_line()?;
    }
}

/// What stands behind `clusters`.
fn clusters(cursor: &mut Cursor<'_>) -> Result<ClusterLimits, ParseError> {
    let mut limits = ClusterLimits { available: true, ..ClusterLimits::default() };
    if cursor.eat("required") {
        let mut extent = || cursor.word32("an extent");
        limits.required = Some([extent()?, extent()?, extent()?]);
    }
    if cursor.eat("maximum") {
        limits.maximum = Some(cursor.word32("a count of CTAs")?);
    }
    limits.explicit = cursor.eat("explicit");
    Ok(limits)
}

fn range(cursor: &mut Cursor<'_>) -> Result<Range<u32>, ParseError> {
    let start = cursor.word32("a range")?;
    cursor.expect("..")?;
    Ok(start..cursor.word32("the end of a range")?)
}

fn ranges(cursor: &mut Cursor<'_>) -> Result<Vec<Range<u32>>, ParseError> {
    let mut all = vec![range(cursor)?];
    while cursor.peek().kind == Kind::Number {
        all.push(range(cursor)?);
    }
    Ok(all)
}

/// Ranges behind a comma and a word, if they are there.
fn listed(cursor: &mut Cursor<'_>, what: &str) -> Result<Vec<Range<u32>>, ParseError> {
    if !cursor.eat(",") {
        return Ok(Vec::new());
    }
    cursor.expect(what)?;
    ranges(cursor)
}

/// `v0-v3 w32, v4 pred`: in ascending order, without gaps.
fn registers(cursor: &mut Cursor<'_>, all: &mut Vec<Class>) -> Result<(), ParseError> {
    loop {
        let token = cursor.peek();
        let first = cursor.numbered("v", "a register (v0, v1, …)")?;
        if first as usize != all.len() {
            return Err(token.unexpected(0, format!("`v{}`", all.len())));
        }
        let mut last = first;
        if cursor.eat("-") {
            let token = cursor.peek();
            last = cursor.numbered("v", "the last register")?;
            if last < first || last >= MAX_REGISTERS {
                let expected = format!("a register from v{first} to v{}", MAX_REGISTERS - 1);
                return Err(token.unexpected(0, expected));
            }
        }
        let class: Class = read_word(cursor)?;
        all.extend((first..=last).map(|_| class));
        if !cursor.eat(",") {
            return Ok(());
        }
    }
}

/// A text in quotes, with the escapes of [`str::escape_default`].
fn quoted(cursor: &mut Cursor<'_>) -> Result<String, ParseError> {
    let token = cursor.peek();
    let inner = match token.kind {
        Kind::Quoted => token.text.strip_prefix('"').and_then(|text| text.strip_suffix('"')),
        Kind::Word | Kind::Number | Kind::Mark | Kind::Newline | Kind::End => None,
    };
    let Some(inner) = inner else { return cursor.fail("a name in quotes") };
    cursor.next();
    let mut name = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            name.push(c);
            continue;
        }
        let at = token.text.chars().count() - 2 - rest.as_str().chars().count();
        let escaped = match rest.next() {
            Some('t') => Some('\t'),
            Some('r') => Some('\r'),
            Some('n') => Some('\n'),
            Some(same @ ('\'' | '"' | '\\')) => Some(same),
            Some('u') => {
                let code = rest.as_str().strip_prefix('{').and_then(|text| text.split_once('}'));
                code.and_then(|(code, behind)| {
                    rest = behind.chars();
                    u32::from_str_radix(code, 16).ok().and_then(char::from_u32)
                })
            }
            Some(_) | None => None,
        };
        let unknown = || token.unexpected(at, r#"an escape (\t, \r, \n, \', \", \\, \u{…})"#);
        name.push(escaped.ok_or_else(unknown)?);
    }
    Ok(name)
}

fn block(cursor: &mut Cursor<'_>) -> Result<Block, ParseError> {
    let mut insts = Vec::new();
    loop {
        if let Some(terminator) = terminator(cursor)? {
            let place = place(cursor)?;
            return Ok(Block { insts, terminator, place });
        }
        let guard = if cursor.eat("@") { Some(predicate(cursor)?) } else { None };
        let results = results(cursor)?;
        let op = op(cursor, results)?;
        let place = place(cursor)?;
        insts.push(Inst { guard, op, place });
    }
}

fn terminator(cursor: &mut Cursor<'_>) -> Result<Option<Terminator>, ParseError> {
    let target = |cursor: &mut Cursor<'_>| cursor.numbered("block", "a block").map(BlockId);
    if cursor.eat("jump") {
        return target(cursor).map(|to| Some(Terminator::Jump(to)));
    }
    if cursor.eat("branch") {
        let p = predicate(cursor)?;
        cursor.expect(",")?;
        let then = target(cursor)?;
        cursor.expect(",")?;
        return Ok(Some(Terminator::Branch { p, then, otherwise: target(cursor)? }));
    }
    Ok(match (cursor.eat("exit"), cursor.eat("trap")) {
        (true, _) => Some(Terminator::Exit),
        (false, true) => Some(Terminator::Trap),
        (false, false) => None,
    })
}

/// The place of an instruction, and the end of its line.
fn place(cursor: &mut Cursor<'_>) -> Result<Place, ParseError> {
    let place = if cursor.eat("at") { cursor.word32("a place")? } else { 0 };
    cursor.end_line()?;
    Ok(Place(place))
}

macro_rules! parser {
    (
        scalar { $($field:ident: $rows:ident, ($($scalar:tt)*) = [$($sd:ident),*] [$($sa:ident),*];)* }
        named { $($name:literal, ($($op:tt)*) = [$($d:ident),*] [$($m:ident),*] [$($a:ident),*];)* }
    ) => {
        /// An operation, from its name on.
        fn op(cursor: &mut Cursor<'_>, results: Vec<Option<Reg>>) -> Result<Op, ParseError> {
            let name = cursor.peek();
            if name.kind != Kind::Word {
                return cursor.fail("an operation");
            }
            let mut words = Words::new(name);
            let number = results.len();
            let mut results = results.into_iter();
            let count = |left: usize| match left {
                0 => Ok(()),
                _ => Err(name.unexpected(0, format!("an operation with {number} results"))),
            };
            let missing = || name.unexpected(0, "a result before the operation");
            $(if let Some($field) = $rows::find(&mut words)? {
                $(let $sd = Results::take(&mut results).ok_or_else(missing)?;)*
                count(results.len())?;
                words.end()?;
                cursor.next();
                let _items = &mut Items::new(cursor);
                $(let $sa = Operand::parse(_items)?;)*
                return Ok($($scalar)*);
            })*
            $(if words.eat_name($name) {
                $(let $d = Results::take(&mut results).ok_or_else(missing)?;)*
                count(results.len())?;
                $(let $m = Modifier::parse(stringify!($m), &mut words)?;)*
                words.end()?;
                cursor.next();
                let _items = &mut Items::new(cursor);
                $(let $a = Operand::parse(_items)?;)*
                return Ok($($op)*);
            })*
            words.fail("an operation")
        }
    };
}

op_forms!(parser);
