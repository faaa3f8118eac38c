//! What stands behind an operation's name, separated by dots: each type with its way to be written and read.

use super::cursor::{ParseError, Token, number};
use super::words::Word;
use crate::{BinaryOp, CompareOp, Dim, Ordering, Scope, Special, TernaryOp, UnaryOp, Update};
use numeric::Round;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::LazyLock;

/// Writes words with dots between them.
pub(super) struct Dotted<'a, 'f> {
    f: &'a mut fmt::Formatter<'f>,
    is_first: bool,
}

impl<'a, 'f> Dotted<'a, 'f> {
    pub(super) fn new(f: &'a mut fmt::Formatter<'f>) -> Self {
        Dotted { f, is_first: true }
    }

    pub(super) fn word(&mut self, word: impl fmt::Display) -> fmt::Result {
        let dot = if std::mem::take(&mut self.is_first) { "" } else { "." };
        write!(self.f, "{dot}{word}")
    }
}

/// The words of a token that are still to be read.
#[derive(Clone, Copy)]
pub(super) struct Words<'t> {
    token: Token<'t>,
    at: usize,
}

impl<'t> Words<'t> {
    pub(super) fn new(token: Token<'t>) -> Self {
        Words { token, at: 0 }
    }

    fn rest(&self) -> Option<&'t str> {
        self.token.text.get(self.at..)
    }

    /// The next word; empty at the end.
    pub(super) fn peek(&self) -> &'t str {
        self.rest().and_then(|rest| rest.split('.').next()).unwrap_or("")
    }

    pub(super) fn pass(&mut self) {
        self.at += self.peek().len() + 1;
    }

    pub(super) fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().is_some() && self.peek() == word;
        if found {
            self.pass();
        }
        found
    }

    /// Takes all words of a name, or none.
    pub(super) fn eat_name(&mut self, name: &str) -> bool {
        let mut after = *self;
        let found = name.split('.').all(|word| after.eat(word));
        if found {
            *self = after;
        }
        found
    }

    pub(super) fn fail<T>(&self, expected: impl Into<String>) -> Result<T, ParseError> {
        Err(self.token.unexpected(self.at.min(self.token.text.len()), expected))
    }

    pub(super) fn end(&self) -> Result<(), ParseError> {
        if self.rest().is_none() { Ok(()) } else { self.fail("the end of the name") }
    }
}

/// A field that is written behind the name.
pub(super) trait Modifier: Sized {
    /// `field` is what the field is called.
    fn print(&self, field: &str, out: &mut Dotted<'_, '_>) -> fmt::Result;

    fn parse(field: &str, words: &mut Words<'_>) -> Result<Self, ParseError>;
}

impl<T: Word> Modifier for T {
    fn print(&self, _: &str, out: &mut Dotted<'_, '_>) -> fmt::Result {
        out.word(self.word())
    }

    fn parse(_: &str, words: &mut Words<'_>) -> Result<Self, ParseError> {
        let Some(value) = T::named(words.peek()) else { return words.fail(T::expected()) };
        words.pass();
        Ok(value)
    }
}

/// The field's name, if it is true.
impl Modifier for bool {
    fn print(&self, field: &str, out: &mut Dotted<'_, '_>) -> fmt::Result {
        if *self { out.word(field) } else { Ok(()) }
    }

    fn parse(field: &str, words: &mut Words<'_>) -> Result<Self, ParseError> {
        Ok(words.eat(field))
    }
}

fn count<T: TryFrom<u64>>(field: &str, words: &mut Words<'_>) -> Result<T, ParseError> {
    let Some(value) = number(words.peek()).and_then(|value| T::try_from(value).ok()) else {
        return words.fail(format!("a number ({field})"));
    };
    words.pass();
    Ok(value)
}

impl Modifier for u32 {
    fn print(&self, _: &str, out: &mut Dotted<'_, '_>) -> fmt::Result {
        out.word(self)
    }

    fn parse(field: &str, words: &mut Words<'_>) -> Result<Self, ParseError> {
        count(field, words)
    }
}

/// A truth table, in binary.
impl Modifier for u8 {
    fn print(&self, _: &str, out: &mut Dotted<'_, '_>) -> fmt::Result {
        out.word(format_args!("{self:#06b}"))
    }

    fn parse(field: &str, words: &mut Words<'_>) -> Result<Self, ParseError> {
        count(field, words)
    }
}

/// Nothing is weak.
impl Modifier for Ordering {
    fn print(&self, field: &str, out: &mut Dotted<'_, '_>) -> fmt::Result {
        let (name, scope) = match self {
            Ordering::Weak => return Ok(()),
            Ordering::Constant => ("constant", None),
            Ordering::AsyncProxy => ("async_proxy", None),
            Ordering::Volatile => ("volatile", None),
            Ordering::Relaxed(scope) => ("relaxed", Some(scope)),
            Ordering::Acquire(scope) => ("acquire", Some(scope)),
            Ordering::Release(scope) => ("release", Some(scope)),
            Ordering::AcqRel(scope) => ("acq_rel", Some(scope)),
        };
        out.word(name)?;
        scope.map_or(Ok(()), |scope| scope.print(field, out))
    }

    fn parse(field: &str, words: &mut Words<'_>) -> Result<Self, ParseError> {
        type Scoped = fn(Scope) -> Ordering;
        const SCOPED: [(&str, Scoped); 4] = [
            ("relaxed", Ordering::Relaxed),
            ("acquire", Ordering::Acquire),
            ("release", Ordering::Release),
            ("acq_rel", Ordering::AcqRel),
        ];
        for (name, ordering) in SCOPED {
            if words.eat(name) {
                return Scope::parse(field, words).map(ordering);
            }
        }
        const PLAIN: [(&str, Ordering); 3] = [
            ("constant", Ordering::Constant),
            ("async_proxy", Ordering::AsyncProxy),
            ("volatile", Ordering::Volatile),
        ];
        let named = PLAIN.into_iter().find(|(name, _)| words.eat(name));
        Ok(named.map_or(Ordering::Weak, |(_, ordering)| ordering))
    }
}

impl Modifier for Update {
    fn print(&self, field: &str, out: &mut Dotted<'_, '_>) -> fmt::Result {
        match self {
            Update::Apply(op) => op.print(field, out),
            Update::Exchange => out.word("exchange"),
            Update::CompareExchange => out.word("compare_exchange"),
        }
    }

    fn parse(field: &str, words: &mut Words<'_>) -> Result<Self, ParseError> {
        match (words.eat("exchange"), words.eat("compare_exchange")) {
            (true, _) => Ok(Update::Exchange),
            (false, true) => Ok(Update::CompareExchange),
            (false, false) => BinaryOp::parse(field, words).map(Update::Apply),
        }
    }
}

/// Special registers: with a dimension, and without.
macro_rules! specials {
    (dims { $($dimmed:ident = $dword:literal,)* } plain { $($plain:ident = $word:literal,)* }) => {
        impl Modifier for Special {
            fn print(&self, field: &str, out: &mut Dotted<'_, '_>) -> fmt::Result {
                match self {
                    $(Special::$dimmed(dim) => {
                        out.word($dword)?;
                        dim.print(field, out)
                    })*
                    $(Special::$plain => out.word($word),)*
                    Special::Constant(value) => {
                        out.word("constant")?;
                        value.print(field, out)
                    }
                }
            }

            fn parse(field: &str, words: &mut Words<'_>) -> Result<Self, ParseError> {
                $(if words.eat($dword) {
                    return Dim::parse(field, words).map(Special::$dimmed);
                })*
                $(if words.eat($word) {
                    return Ok(Special::$plain);
                })*
                if words.eat("constant") {
                    return u32::parse(field, words).map(Special::Constant);
                }
                words.fail("a special register")
            }
        }
    };
}

specials! {
    dims {
        Tid = "tid",
        Ntid = "ntid",
        Ctaid = "ctaid",
        Nctaid = "nctaid",
        Clusterid = "clusterid",
        Nclusterid = "nclusterid",
        ClusterCtaid = "cluster_ctaid",
        ClusterNctaid = "cluster_nctaid",
    }
    plain {
        ClusterCtarank = "cluster_ctarank",
        ClusterNctarank = "cluster_nctarank",
        IsExplicitCluster = "is_explicit_cluster",
        ClusterWindow = "cluster_window",
        Laneid = "laneid",
        Warpid = "warpid",
        Nwarpid = "nwarpid",
        LanemaskEq = "lanemask_eq",
        LanemaskLe = "lanemask_le",
        LanemaskLt = "lanemask_lt",
        LanemaskGe = "lanemask_ge",
        LanemaskGt = "lanemask_gt",
        Smid = "smid",
        Nsmid = "nsmid",
        Gridid = "gridid",
        Clock = "clock",
        ClockHi = "clock_hi",
        Clock64 = "clock64",
        Globaltimer = "globaltimer",
        GlobaltimerLo = "globaltimer_lo",
        GlobaltimerHi = "globaltimer_hi",
        DynamicSmemSize = "dynamic_smem_size",
        TotalSmemSize = "total_smem_size",
        ImageBase = "image_base",
        SharedWindow = "shared_window",
        LocalWindow = "local_window",
        ParamWindow = "param_window",
        DynamicSharedBase = "dynamic_shared_base",
        StackEnd = "stack_end",
    }
}

/// Rows by name and rounding mode.
type Rows<T> = HashMap<(&'static str, Option<Round>), T>;

fn row<T: Copy>(rows: &Rows<T>, words: &mut Words<'_>) -> Result<Option<T>, ParseError> {
    let name = words.peek();
    if let Some(op) = rows.get(&(name, None)) {
        words.pass();
        return Ok(Some(*op));
    }
    if !rows.contains_key(&(name, Some(Round::NearestEven))) {
        return Ok(None);
    }
    words.pass();
    let round = Round::parse("rounding", words)?;
    Ok(rows.get(&(name, Some(round))).copied())
}

fn print_row(name: &str, round: Option<Round>, out: &mut Dotted<'_, '_>) -> fmt::Result {
    out.word(name)?;
    round.map_or(Ok(()), |round| round.print("rounding", out))
}

/// An operation that is called after its row.
pub(super) trait Row: Modifier + Copy + Eq + Hash {
    /// Takes the name and rounding mode of one, if there is such a row.
    fn find(words: &mut Words<'_>) -> Result<Option<Self>, ParseError>;
}

macro_rules! rows {
    ($($type:ident: $what:literal),*) => { $(
        impl Row for $type {
            fn find(words: &mut Words<'_>) -> Result<Option<Self>, ParseError> {
                static ROWS: LazyLock<Rows<$type>> =
                    LazyLock::new(|| $type::all().map(|op| ((op.row(), op.round()), op)).collect());
                row(&ROWS, words)
            }
        }

        impl Modifier for $type {
            fn print(&self, _: &str, out: &mut Dotted<'_, '_>) -> fmt::Result {
                print_row(self.row(), self.round(), out)
            }

            fn parse(_: &str, words: &mut Words<'_>) -> Result<Self, ParseError> {
                match Self::find(words)? {
                    Some(op) => Ok(op),
                    None => words.fail($what),
                }
            }
        }
    )* };
}

rows! {
    UnaryOp: "an operation of one operand",
    BinaryOp: "an operation of two operands",
    TernaryOp: "an operation of three operands",
    CompareOp: "a comparison"
}
