//! Tokens to the compiled form.

use super::eval::{Binary, Expr, Program, Statement, Unary};
use super::lex::{Token, tokens};

/// What a text may refer to without assigning it.
pub(crate) struct Interface<'a> {
    /// Names with a value from outside, in the order in which values are passed. A modifier is
    /// written with its dot, a property of the thread as `Thread.property`.
    pub(crate) inputs: &'a [&'a str],
    /// The name of the array.
    pub(crate) array: &'a str,
    /// The values of the modifier: the first is number 0.
    pub(crate) labels: &'a [&'a str],
}

/// Binary operators, loosest first, as in C.
const LEVELS: [&[(&str, Binary)]; 8] = [
    &[("||", Binary::OrElse)],
    &[("&&", Binary::AndAlso)],
    &[("|", Binary::Or)],
    &[("^", Binary::Xor)],
    &[("&", Binary::And)],
    &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
    &[
        ("<", Binary::Less),
        ("<=", Binary::LessEqual),
        (">", Binary::Greater),
        (">=", Binary::GreaterEqual),
    ],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
];

pub(crate) fn compile(text: &str, interface: &Interface<'_>) -> Result<Program, String> {
    let mut parser = Parser {
        tokens: tokens(text)?.into_iter().peekable(),
        names: interface.inputs.iter().map(|&name| name.to_owned()).collect(),
        interface,
    };
    let mut body = Vec::new();
    while parser.tokens.peek().is_some() {
        parser.statement(&mut body)?;
    }
    Ok(Program { names: parser.names, inputs: interface.inputs.len(), body })
}

struct Parser<'a> {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    names: Vec<String>,
    interface: &'a Interface<'a>,
}

impl Parser<'_> {
    fn statement(&mut self, body: &mut Vec<Statement>) -> Result<(), String> {
        if self.accept("{") {
            while !self.accept("}") {
                self.statement(body)?;
            }
            return Ok(());
        }
        let name = match self.token()? {
            Token::Name(name) => name,
            other => return Err(format!("a statement cannot start with {other:?}")),
        };
        match name.as_str() {
            "if" => self.conditional(body),
            "switch" => self.switch(body),
            _ => self.assignment(&name, body),
        }
    }

    fn conditional(&mut self, body: &mut Vec<Statement>) -> Result<(), String> {
        self.expect("(")?;
        let condition = self.expression(0)?;
        self.expect(")")?;
        let (mut then, mut otherwise) = (Vec::new(), Vec::new());
        self.statement(&mut then)?;
        if self.accept_name("else") {
            self.statement(&mut otherwise)?;
        }
        body.push(Statement::If { condition, then, otherwise });
        Ok(())
    }

    fn switch(&mut self, body: &mut Vec<Statement>) -> Result<(), String> {
        self.expect("(")?;
        let on = self.expression(0)?;
        self.expect(")")?;
        self.expect("{")?;
        let mut cases = Vec::new();
        while !self.accept("}") {
            if !self.accept_name("case") {
                return Err("expected `case`".into());
            }
            let label = match self.token()? {
                Token::Dotted(label) => label,
                other => return Err(format!("a case cannot be {other:?}")),
            };
            let value = self
                .interface
                .labels
                .iter()
                .position(|known| *known == label)
                .ok_or_else(|| format!("unknown case `.{label}`"))?;
            self.expect(":")?;
            let mut arm = Vec::new();
            while !self.accept_name("break") {
                self.statement(&mut arm)?;
            }
            self.expect(";")?;
            cases.push((value as i64, arm));
        }
        body.push(Statement::Switch { on, cases });
        Ok(())
    }

    fn assignment(&mut self, name: &str, body: &mut Vec<Statement>) -> Result<(), String> {
        let statement = if name == self.interface.array {
            self.expect("[")?;
            let index = self.expression(0)?;
            self.expect("]")?;
            self.expect("=")?;
            Statement::Store { index, value: self.expression(0)? }
        } else {
            let keep = match self.accept("[") {
                true => match self.field()? {
                    (0, mask) => mask,
                    (low, _) => return Err(format!("`{name}` would start at bit {low}")),
                },
                false => -1,
            };
            self.expect("=")?;
            let value = self.expression(0)?;
            let known = self.names.iter().position(|known| known == name);
            let name = known.unwrap_or_else(|| {
                self.names.push(name.to_owned());
                self.names.len() - 1
            });
            if name < self.interface.inputs.len() {
                return Err(format!("`{}` is an input", self.names[name]));
            }
            Statement::Set { name, keep, value }
        };
        body.push(statement);
        self.expect(";")
    }

    fn expression(&mut self, level: usize) -> Result<Expr, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.expression(level + 1)?;
        while let Some(&(_, op)) = operators.iter().find(|(mark, _)| self.accept(mark)) {
            let right = self.expression(level + 1)?;
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, String> {
        for (mark, op) in [("!", Unary::Not), ("~", Unary::Complement), ("-", Unary::Minus)] {
            if self.accept(mark) {
                return Ok(Expr::Unary(op, Box::new(self.unary()?)));
            }
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<Expr, String> {
        match self.token()? {
            Token::Number(value) => Ok(Expr::Number(value)),
            Token::Dotted(name) => Ok(Expr::Name(self.name(&format!(".{name}"))?)),
            Token::Mark("(") => {
                let inner = self.expression(0)?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Mark("[") => {
                let owner = self.token()?;
                self.expect("]")?;
                match (owner, self.token()?) {
                    (Token::Name(owner), Token::Dotted(property)) => {
                        Ok(Expr::Name(self.name(&format!("{owner}.{property}"))?))
                    }
                    other => Err(format!("not a property: {other:?}")),
                }
            }
            Token::Name(name) if name == self.interface.array => {
                self.expect("[")?;
                let index = self.expression(0)?;
                self.expect("]")?;
                Ok(Expr::Element(Box::new(index)))
            }
            Token::Name(name) => {
                let name = self.name(&name)?;
                if !self.accept("[") {
                    return Ok(Expr::Name(name));
                }
                let (low, mask) = self.field()?;
                Ok(Expr::Field { name, low, mask })
            }
            Token::Mark(mark) => Err(format!("an expression cannot start with `{mark}`")),
        }
    }

    /// `high:low]` after the opening bracket: the lowest bit and a mask as wide as the field.
    fn field(&mut self) -> Result<(u32, i64), String> {
        let high = self.token()?;
        self.expect(":")?;
        let low = self.token()?;
        self.expect("]")?;
        match (high, low) {
            (Token::Number(high), Token::Number(low)) if low <= high && high < 32 => {
                Ok((low as u32, (1 << (high - low + 1)) - 1))
            }
            other => Err(format!("not a bit field: {other:?}")),
        }
    }

    fn name(&self, name: &str) -> Result<usize, String> {
        self.names.iter().position(|known| known == name).ok_or(format!("`{name}` has no value"))
    }

    fn token(&mut self) -> Result<Token, String> {
        self.tokens.next().ok_or_else(|| "the text ends too early".into())
    }

    fn accept(&mut self, mark: &str) -> bool {
        self.tokens.next_if(|token| matches!(token, Token::Mark(found) if *found == mark)).is_some()
    }

    fn accept_name(&mut self, name: &str) -> bool {
        self.tokens.next_if(|token| matches!(token, Token::Name(found) if found == name)).is_some()
    }

    fn expect(&mut self, mark: &str) -> Result<(), String> {
        if self.accept(mark) {
            return Ok(());
        }
        Err(format!("expected `{mark}`, found {:?}", self.tokens.peek()))
    }
}
