//! Pseudo-code → syntax tree. `docs/isa-language.md` has the grammar.

use super::ast::{Action, Binary, Bits, Case, Expr, Loop, Node, Special, Statement, Target, Unary};
use super::lexer::{Token, tokens};
use crate::codes;
use diag::{Diagnostic, Span};
use isa::Text;

/// Statements and expressions nest no deeper.
const DEEPEST: usize = 48;

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Operators of two operands by how strongly they bind, the weakest first.
const LEVELS: [&[(&str, Binary)]; 10] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
    &[
        ("<", Binary::Less),
        ("<=", Binary::LessEqual),
        (">", Binary::Greater),
        (">=", Binary::GreaterEqual),
    ],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];

/// Assignments that also compute.
const COMPOUND: [(&str, Binary); 8] = [
    ("+=", Binary::Add),
    ("-=", Binary::Subtract),
    ("*=", Binary::Multiply),
    ("&=", Binary::BitAnd),
    ("|=", Binary::BitOr),
    ("^=", Binary::BitXor),
    ("<<=", Binary::ShiftLeft),
    (">>=", Binary::ShiftRight),
];

/// Parses the code of an instruction. A first line that begins with the mnemonic and ends in `:` is a
/// heading for the reader.
pub(crate) fn parse(text: &Text, mnemonic: Option<&str>) -> Parsed<Vec<Statement>> {
    let skipped = heading(&text.text, mnemonic);
    let body = Text {
        text: text.text[skipped..].to_owned(),
        span: Span { start: text.span.start + skipped as u32, ..text.span },
        source: text.source,
    };
    let mut parser = Parser { tokens: tokens(&body)?, at: 0, end: end_of(&body), depth: 0 };
    let mut statements = Vec::new();
    while parser.at < parser.tokens.len() {
        statements.extend(parser.statement()?);
    }
    Ok(statements)
}

/// Bytes up to the end of the heading line, 0 when there is none.
fn heading(text: &str, mnemonic: Option<&str>) -> usize {
    let Some(mnemonic) = mnemonic else { return 0 };
    let blank = text.len() - text.trim_start().len();
    let line = text[blank..].lines().next().unwrap_or_default();
    let code = line.split("//").next().unwrap_or_default().trim_end();
    let named = code.strip_prefix(mnemonic).is_some_and(|rest| {
        !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && rest.ends_with(':')
    });
    if named { blank + line.len() } else { 0 }
}

fn end_of(text: &Text) -> Span {
    Span { start: text.span.end, ..text.span }
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    end: Span,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |(_, span)| *span)
    }

    /// The span from a token to the one before the current.
    fn since(&self, start: usize) -> Span {
        let first = self.tokens.get(start).map_or(self.end, |(_, span)| *span);
        let last = self.tokens.get(self.at.saturating_sub(1)).map_or(first, |(_, span)| *span);
        first.to(last)
    }

    fn wrong<T>(&self, wanted: &str) -> Parsed<T> {
        let found = self.peek().map_or("the end of the code".to_owned(), Token::describe);
        let message = format!("{found} cannot stand here in pseudo-code");
        let diagnostic = Diagnostic::error(self.span(), message)
            .help(format!("expected {wanted}"))
            .code(codes::GRAMMAR);
        Err(Box::new(diagnostic))
    }

    fn is(&self, mark: &str) -> bool {
        self.peek().is_some_and(|token| matches!(token, Token::Mark(found) if *found == mark))
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: &str) -> Parsed<()> {
        if self.take(mark) { Ok(()) } else { self.wrong(&format!("`{mark}`")) }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Name(name)) if name == word)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        match self.peek() {
            Some(Token::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => self.wrong(what),
        }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let message = format!("the pseudo-code nests deeper than {DEEPEST} levels");
            let diagnostic = Diagnostic::error(self.span(), message).code(codes::LIMIT);
            return Err(Box::new(diagnostic.help("name parts of it in statements of their own")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// One statement; a block gives those inside it.
    fn statement(&mut self) -> Parsed<Vec<Statement>> {
        self.deeper(Self::statement_inside)
    }

    fn statement_inside(&mut self) -> Parsed<Vec<Statement>> {
        if self.take(";") {
            return Ok(Vec::new());
        }
        if self.take("{") {
            let mut statements = Vec::new();
            while !self.take("}") {
                if self.peek().is_none() {
                    return self.wrong("`}`");
                }
                statements.extend(self.statement()?);
            }
            return Ok(statements);
        }
        let start = self.at;
        let word = self.name("a statement")?;
        let action = match word.as_str() {
            "if" => self.if_statement()?,
            "switch" => self.switch()?,
            "for" => self.for_loop()?,
            "goto" => {
                let target = self.expr()?;
                self.expect(";")?;
                Action::Goto(target)
            }
            EXIT => {
                self.expect(";")?;
                Action::Exit
            }
            _ if self.is("(") => {
                let arguments = self.arguments()?;
                self.expect(";")?;
                Action::Call(word, arguments)
            }
            _ => {
                self.at = start;
                let action = self.assignment()?;
                self.expect(";")?;
                action
            }
        };
        Ok(vec![Statement { action, span: self.since(start) }])
    }

    fn assignment(&mut self) -> Parsed<Action> {
        let start = self.at;
        let name = self.name("a variable")?;
        let target = if self.take("[") {
            let index = self.expr()?;
            if self.take(":") {
                let bits = self.bits(index)?;
                Target::Bits(name, bits)
            } else {
                self.expect("]")?;
                Target::Element(name, index)
            }
        } else {
            Target::Name(name)
        };
        let span = self.since(start);
        if self.take("=") {
            return Ok(Action::Assign(target, self.expr()?));
        }
        let one = || Expr { node: Node::Number(1), span };
        let compound = COMPOUND.iter().find(|(mark, _)| self.is(mark)).map(|(_, op)| *op);
        let (op, operand) = if let Some(op) = compound {
            self.at += 1;
            (op, self.expr()?)
        } else if self.take("++") {
            (Binary::Add, one())
        } else if self.take("--") {
            (Binary::Subtract, one())
        } else {
            return self.wrong("`=`");
        };
        let old = match &target {
            Target::Name(name) => Node::Name(name.clone()),
            Target::Bits(name, bits) => {
                let whole = Expr { node: Node::Name(name.clone()), span };
                Node::Slice(Box::new(whole), *bits)
            }
            Target::Element(name, index) => Node::Element(name.clone(), Box::new(index.clone())),
        };
        let old = Box::new(Expr { node: old, span });
        let span = self.since(start);
        let value = Expr { node: Node::Binary(op, old, Box::new(operand)), span };
        Ok(Action::Assign(target, value))
    }

    fn if_statement(&mut self) -> Parsed<Action> {
        self.expect("(")?;
        let condition = self.expr()?;
        self.expect(")")?;
        let then = self.statement()?;
        let otherwise = if self.take_word("else") { self.statement()? } else { Vec::new() };
        Ok(Action::If(condition, then, otherwise))
    }

    fn switch(&mut self) -> Parsed<Action> {
        self.expect("(")?;
        let subject = self.expr()?;
        self.expect(")")?;
        self.expect("{")?;
        let mut cases: Vec<Case> = Vec::new();
        while !self.take("}") {
            let mut labels = Vec::new();
            let mut default = false;
            loop {
                if self.take_word("case") {
                    labels.push(self.expr()?);
                } else if self.take_word("default") {
                    default = true;
                } else {
                    break;
                }
                self.expect(":")?;
            }
            if labels.is_empty() && !default {
                return self.wrong("`case`, `default` or `}`");
            }
            if default && (!labels.is_empty() || !self.closes_default(&cases)) {
                return self.wrong("`default` alone, as the last case");
            }
            let mut body = Vec::new();
            while !self.take_word("break") {
                if self.is_word("case") || self.is_word("default") {
                    return self.wrong("`break ;` at the end of the case");
                }
                if self.is("}") {
                    cases.push(Case { labels, body });
                    self.at += 1;
                    return Ok(Action::Switch(subject, cases));
                }
                body.extend(self.statement()?);
            }
            self.expect(";")?;
            cases.push(Case { labels, body });
        }
        Ok(Action::Switch(subject, cases))
    }

    /// Whether no case before this one is a `default`.
    fn closes_default(&self, cases: &[Case]) -> bool {
        cases.iter().all(|case| !case.labels.is_empty())
    }

    fn for_loop(&mut self) -> Parsed<Action> {
        self.expect("(")?;
        let (name, from) = self.counter()?;
        self.expect(";")?;
        let condition = self.expr()?;
        self.expect(";")?;
        let again = self.span();
        let (stepped, step) = self.counter()?;
        if stepped != name {
            let message = format!("the loop counts `{name}`, and steps `{stepped}`");
            let help = format!("write `{name} = …` or `{name}++`");
            let diagnostic = Diagnostic::error(again, message).help(help).code(codes::GRAMMAR);
            return Err(Box::new(diagnostic));
        }
        self.expect(")")?;
        let body = self.statement()?;
        Ok(Action::For(Box::new(Loop { name, from, condition, step, body })))
    }

    /// `name = value`, or `name++` and the like.
    fn counter(&mut self) -> Parsed<(String, Expr)> {
        let assignment = self.assignment()?;
        if let Action::Assign(Target::Name(name), value) = assignment {
            return Ok((name, value));
        }
        self.wrong("the counter of the loop, a plain variable")
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        if self.take(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expr()?);
            if self.take(")") {
                return Ok(arguments);
            }
            self.expect(",")?;
        }
    }

    /// The rest of `[high:low]` after the colon.
    fn bits(&mut self, high: Expr) -> Parsed<Bits> {
        let span = high.span;
        let low = self.expr()?;
        self.expect("]")?;
        let bound = |expr: &Expr| {
            let Node::Number(number) = expr.node else { return None };
            u32::try_from(number).ok().filter(|bit| *bit < 64)
        };
        match (bound(&high), bound(&low)) {
            (Some(high), Some(low)) if low <= high => Ok(Bits { high, low }),
            _ => {
                let diagnostic = Diagnostic::error(span, "this is not a range of bits")
                    .help("write `[high:low]` with two numbers from 63 to 0, the higher one first")
                    .code(codes::GRAMMAR);
                Err(Box::new(diagnostic))
            }
        }
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let start = parser.at;
            let condition = parser.level(0)?;
            if !parser.take("?") {
                return Ok(condition);
            }
            let then = parser.expr()?;
            parser.expect(":")?;
            let otherwise = parser.expr()?;
            let node = Node::Choose(Box::new(condition), Box::new(then), Box::new(otherwise));
            Ok(Expr { node, span: parser.since(start) })
        })
    }

    fn level(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let start = self.at;
        let mut left = self.level(level + 1)?;
        while let Some((_, op)) = operators.iter().find(|(mark, _)| self.is(mark)) {
            self.at += 1;
            let right = self.level(level + 1)?;
            let node = Node::Binary(*op, Box::new(left), Box::new(right));
            left = Expr { node, span: self.since(start) };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let op = match self.peek() {
            Some(Token::Mark("-")) => Unary::Negate,
            Some(Token::Mark("!")) => Unary::Not,
            Some(Token::Mark("~")) => Unary::Invert,
            _ => return self.postfix(),
        };
        self.at += 1;
        let operand = self.deeper(Self::unary)?;
        Ok(Expr { node: Node::Unary(op, Box::new(operand)), span: self.since(start) })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let mut expr = self.primary()?;
        while self.take("[") {
            let index = self.expr()?;
            let node = if self.take(":") {
                Node::Slice(Box::new(expr), self.bits(index)?)
            } else {
                self.expect("]")?;
                if let Node::Name(name) = expr.node {
                    Node::Element(name, Box::new(index))
                } else {
                    bit_of(expr, index)
                }
            };
            expr = Expr { node, span: self.since(start) };
        }
        Ok(expr)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let node = match self.peek().cloned() {
            Some(Token::Number(number)) => {
                self.at += 1;
                Node::Number(number)
            }
            Some(Token::Dot(name)) => {
                self.at += 1;
                Node::Dot(name)
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                match self.is("(") {
                    true => Node::Call(name, self.arguments()?),
                    false => Node::Name(name),
                }
            }
            Some(Token::Mark("(")) => {
                self.at += 1;
                let inner = self.expr()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Some(Token::Mark("[")) => {
                self.at += 1;
                Node::Special(self.special()?)
            }
            Some(Token::Mark(_)) | None => return self.wrong("a value"),
        };
        let end = self.tokens.get(self.at.saturating_sub(1)).map_or(span, |(_, span)| *span);
        Ok(Expr { node, span: span.to(end) })
    }

    /// The rest of `[Thread].laneid` after the bracket.
    fn special(&mut self) -> Parsed<Special> {
        const KNOWN: [(&str, &str, Special); 2] =
            [("Thread", "laneid", Special::LaneId), ("Warp", "active", Special::Active)];
        let wanted = "`[Thread].laneid` or `[Warp].active`";
        let whose = self.name(wanted)?;
        self.expect("]")?;
        let Some(Token::Dot(what)) = self.peek() else { return self.wrong(wanted) };
        let found = KNOWN.iter().find(|(owner, name, _)| *owner == whose && name == what);
        let Some((_, _, special)) = found else { return self.wrong(wanted) };
        self.at += 1;
        Ok(*special)
    }
}

/// The statement that ends the lanes' program.
const EXIT: &str = "exit";

/// Bit `index` of a value.
fn bit_of(value: Expr, index: Expr) -> Node {
    let span = value.span;
    let shifted = Node::Binary(Binary::ShiftRight, Box::new(value), Box::new(index));
    let one = Expr { node: Node::Number(1), span };
    Node::Binary(Binary::BitAnd, Box::new(Expr { node: shifted, span }), Box::new(one))
}
