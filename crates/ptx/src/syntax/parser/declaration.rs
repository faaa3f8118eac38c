//! Declarations of variables, registers and parameters, and initial values.

use super::{Parse, Parser, literal};
use crate::syntax::ast::{
    Attribute, Init, InitAddress, InitKind, Linkage, Name, PtrAttribute, ScalarType, Space,
    Variable,
};
use crate::syntax::lexer::TokenKind;
use diag::{Diagnostic, Span};

/// What stands before the names of a declaration.
#[derive(Clone)]
struct Specifiers {
    linkage: Linkage,
    space: Space,
    attributes: Vec<Attribute>,
    align: Option<u32>,
    ty: ScalarType,
    vector: Option<u8>,
    ptr: Option<PtrAttribute>,
}

/// What a declaration declares, which decides the forms it may take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A variable or registers: several names, ranges, initial values.
    Variable,
    /// A parameter: one name, `_` allowed.
    Parameter,
}

impl<'s> Parser<'s> {
    /// The state space that the token names, as a declaration starts.
    pub(super) fn space_word(&self) -> Option<Space> {
        Space::from_word(self.dot_word())
    }

    /// A declaration from its state space through its `;`: one variable per name.
    pub(super) fn variables(&mut self, linkage: Linkage, mut start: usize) -> Parse<Vec<Variable>> {
        let specifiers = self.specifiers(linkage, Role::Variable)?;
        let mut variables = Vec::with_capacity(1);
        loop {
            variables.push(self.declarator(specifiers.clone(), Role::Variable, start)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
            start = self.token.start;
        }
        self.end_of_statement("`,` or `;` after the declaration")?;
        Ok(variables)
    }

    /// `( parameter, ... )`. The token is the opening parenthesis.
    pub(super) fn parameters(&mut self) -> Parse<Vec<Variable>> {
        let mut parameters = Vec::new();
        let opening = self.token_span();
        self.expect(TokenKind::LParen, "`(`")?;
        if self.eat(TokenKind::RParen) {
            return Ok(parameters);
        }
        loop {
            let start = self.token.start;
            if !matches!(self.space_word(), Some(Space::Param | Space::Reg)) {
                let diagnostic = self
                    .expected_diagnostic("a parameter")
                    .help("a parameter begins with `.param` or, in a `.func`, `.reg`");
                return Err(self.report(diagnostic));
            }
            let specifiers = self.specifiers(Linkage::None, Role::Parameter)?;
            parameters.push(self.declarator(specifiers, Role::Parameter, start)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(opening, TokenKind::RParen, "`,` or `)` after the parameter")?;
        Ok(parameters)
    }

    /// State space, attributes, alignment, vector size and type. The token is the state space.
    fn specifiers(&mut self, linkage: Linkage, role: Role) -> Parse<Specifiers> {
        let Some(space) = self.space_word() else {
            return Err(self.expected("a state space such as `.reg` or `.global`"));
        };
        self.bump();
        let (mut attributes, mut align, mut vector) = (Vec::new(), None, None);
        let (mut ty, mut ptr) = (None, None);
        while self.at(TokenKind::Dot) {
            let span = self.token_span();
            let is_late = match self.dot_word() {
                // The alignment of a parameter may follow its type.
                "align" => vector.is_some() || ty.is_some() && role == Role::Variable,
                "v2" | "v4" | "v8" | "attribute" => ty.is_some(),
                _ => false,
            };
            if is_late {
                let message = format!("{} stands too late", self.found());
                let order = "the order is attributes, alignment, vector size, type";
                return Err(self.report(Diagnostic::error(span, message).help(order)));
            }
            let repeated = match self.dot_word() {
                "attribute" => {
                    attributes.append(&mut self.attributes()?);
                    false
                }
                "align" => align.replace(self.alignment()?).is_some(),
                "ptr" if role == Role::Parameter && ty.is_some() => {
                    ptr.replace(self.ptr()?).is_some()
                }
                "v2" => self.vector_size(&mut vector, 2),
                "v4" => self.vector_size(&mut vector, 4),
                "v8" => self.vector_size(&mut vector, 8),
                word => match ScalarType::from_word(word) {
                    Some(found) if found.is_declarable() => {
                        self.bump();
                        ty.replace(found).is_some()
                    }
                    Some(found) => return Err(self.instruction_type(found)),
                    None => return Err(self.bad_specifier(space)),
                },
            };
            if repeated {
                return Err(self.error(span, "this is the second of its kind in one declaration"));
            }
        }
        match ty {
            Some(ty) => Ok(Specifiers { linkage, space, attributes, align, ty, vector, ptr }),
            None => {
                let diagnostic = self
                    .expected_diagnostic("a type such as `.b32`")
                    .help(format!("a declaration reads `.{} .b32 name;`", space.word()));
                Err(self.report(diagnostic))
            }
        }
    }

    fn vector_size(&mut self, vector: &mut Option<u8>, size: u8) -> bool {
        self.bump();
        vector.replace(size).is_some()
    }

    fn bad_specifier(&mut self, space: Space) -> super::Reported {
        let word = self.found();
        let span = self.token_span();
        self.report(
            Diagnostic::error(span, format!("{word} is not a type"))
                .label(span, format!("in a `.{}` declaration", space.word()))
                .help("use a type such as `.pred`, `.b32`, `.u64`, `.f32` or `.f16x2`"),
        )
    }

    fn instruction_type(&mut self, ty: ScalarType) -> super::Reported {
        let span = self.token_span();
        let bits = ty.bits().max(8);
        self.report(
            Diagnostic::error(span, format!("`{ty}` is a type of instructions, not of variables"))
                .help(format!("declare `.b{bits}` and name `{ty}` in the instructions")),
        )
    }

    /// `.align N`.
    fn alignment(&mut self) -> Parse<u32> {
        self.bump();
        let span = self.token_span();
        match self.number_u32("the alignment in bytes")? {
            align if align.is_power_of_two() => Ok(align),
            align => Err(self.error(span, format!("alignment {align} is not a power of two"))),
        }
    }

    /// `.ptr .space .align N`.
    fn ptr(&mut self) -> Parse<PtrAttribute> {
        let start = self.token.start;
        self.bump();
        let points_to = |space: &Space| {
            matches!(space, Space::Global | Space::Const | Space::Shared | Space::Local)
        };
        let space = self.space_word().filter(points_to);
        if space.is_some() {
            self.bump();
        }
        let align = if self.dot_word() == "align" { Some(self.alignment()?) } else { None };
        Ok(PtrAttribute { space, align, span: self.span_from(start) })
    }

    /// `.attribute(.managed, .unified(1, 2))`. The token is `.attribute`.
    pub(super) fn attributes(&mut self) -> Parse<Vec<Attribute>> {
        self.bump();
        self.expect(TokenKind::LParen, "`(` after `.attribute`")?;
        let mut attributes = Vec::new();
        loop {
            let start = self.token.start;
            if !self.at(TokenKind::Dot) {
                return Err(self.expected("an attribute such as `.managed`"));
            }
            let name = self.take_name(1);
            let mut args = Vec::new();
            if self.eat(TokenKind::LParen) {
                args.push(self.constant()?);
                while self.eat(TokenKind::Comma) {
                    args.push(self.constant()?);
                }
                self.expect(TokenKind::RParen, "`,` or `)` after the value")?;
            }
            attributes.push(Attribute { name, args, span: self.span_from(start) });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen, "`,` or `)` after the attribute")?;
        Ok(attributes)
    }

    /// A name with its range, dimensions and initial value.
    fn declarator(&mut self, of: Specifiers, role: Role, start: usize) -> Parse<Variable> {
        let name = match self.token.kind {
            TokenKind::Underscore if role == Role::Parameter => self.take_name(0),
            _ => self.identifier("a name")?,
        };
        let mut range = None;
        if role == Role::Variable && self.eat(TokenKind::Less) {
            range = Some(self.number_u32("the number of registers")?);
            self.expect(TokenKind::Greater, "`>` after the number of registers")?;
        }
        let mut dims = Vec::new();
        while self.eat(TokenKind::LBracket) {
            dims.push(self.dimension()?);
        }
        let mut init = None;
        if role == Role::Variable && self.eat(TokenKind::Equal) {
            init = Some(self.init()?);
        }
        Ok(Variable {
            linkage: of.linkage,
            space: of.space,
            attributes: of.attributes,
            align: of.align,
            ty: of.ty,
            vector: of.vector,
            ptr: of.ptr,
            name,
            range,
            dims,
            init,
            span: self.span_from(start),
        })
    }

    /// The rest of `[N]` or `[]`.
    fn dimension(&mut self) -> Parse<Option<u64>> {
        if self.eat(TokenKind::RBracket) {
            return Ok(None);
        }
        let span = self.token_span();
        let size = match self.token.kind {
            TokenKind::Number => self.plain_number()?.integer(),
            _ => None,
        };
        let Some(size) = size.and_then(|size| u64::try_from(size).ok()) else {
            return Err(self.error(span, "an array dimension is a number, whole and not negative"));
        };
        self.expect(TokenKind::RBracket, "`]` after the array dimension")?;
        Ok(Some(size))
    }

    /// A plain integer of 32 bits that means `what`.
    pub(super) fn number_u32(&mut self, what: &str) -> Parse<u32> {
        if !self.at(TokenKind::Number) {
            return Err(self.expected_next(what));
        }
        match literal::parse_u32(self.token_text()) {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => {
                let (span, found) = (self.token_span(), self.found());
                let message = format!("{what} is an integer below 4294967296, found {found}");
                Err(self.error(span, message))
            }
        }
    }

    /// An initial value.
    fn init(&mut self) -> Parse<Init> {
        let start = self.token.start;
        let kind = match self.token.kind {
            TokenKind::LBrace => {
                self.operand_braces += 1;
                self.bump();
                let list = self.nested(Self::init_list)?;
                self.operand_braces -= 1;
                InitKind::List(list)
            }
            TokenKind::Number if self.next.kind == TokenKind::LParen => self.masked_address()?,
            TokenKind::Word if !self.starts_constant() => {
                let (name, generic, offset) = self.init_address()?;
                InitKind::Address(Box::new(InitAddress { name, generic, offset, mask: None }))
            }
            _ if self.starts_constant() => InitKind::Constant(self.constant()?),
            _ => return Err(self.expected("an initial value")),
        };
        Ok(Init { kind, span: self.span_from(start) })
    }

    /// The elements of `{ ... }` and the closing brace.
    fn init_list(&mut self) -> Parse<Vec<Init>> {
        let mut list = Vec::new();
        if self.eat(TokenKind::RBrace) {
            return Ok(list);
        }
        loop {
            list.push(self.init_element()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RBrace, "`,` or `}` after the initial value")?;
        Ok(list)
    }

    /// An element, or `name = value` as sampler and texture variables have them.
    fn init_element(&mut self) -> Parse<Init> {
        if !(self.at(TokenKind::Word) && self.next.kind == TokenKind::Equal) {
            return self.init();
        }
        let start = self.token.start;
        let name = self.take_name(0);
        self.bump();
        let value = self.init()?;
        Ok(Init { kind: InitKind::Field(Box::new((name, value))), span: self.span_from(start) })
    }

    /// `0xff00(name)`: the byte of an address that the mask selects.
    fn masked_address(&mut self) -> Parse<InitKind> {
        let span = self.token_span();
        let mask = self.literal_u64()?;
        if mask == 0
            || mask.count_ones() != 8
            || mask.trailing_zeros() % 8 != 0
            || (mask >> mask.trailing_zeros()) != 0xff
        {
            let diagnostic = Diagnostic::error(span, "this mask does not select one byte")
                .help("a mask is 0xFF, 0xFF00, 0xFF0000 and so on");
            return Err(self.report(diagnostic));
        }
        self.expect(TokenKind::LParen, "`(` after the mask")?;
        let (name, generic, offset) = self.init_address()?;
        self.expect(TokenKind::RParen, "`)` after the address")?;
        Ok(InitKind::Address(Box::new(InitAddress { name, generic, offset, mask: Some(mask) })))
    }

    fn literal_u64(&mut self) -> Parse<u64> {
        let value = match literal::parse(self.token_text()) {
            Ok(value) => value.integer().and_then(|value| u64::try_from(value).ok()),
            Err(_) => None,
        };
        match value {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => Err(self.expected("an integer mask such as `0xFF00`")),
        }
    }

    /// `name`, `generic(name)`, and an offset after either.
    fn init_address(&mut self) -> Parse<(Name, bool, i64)> {
        let mut name = self.identifier("the name of a variable or function")?;
        let generic = &*name == "generic" && self.eat(TokenKind::LParen);
        if generic {
            name = self.identifier("the name of a variable")?;
            self.expect(TokenKind::RParen, "`)` after the name")?;
        }
        let offset =
            if self.at(TokenKind::Plus) { self.integer_constant("an address offset")? } else { 0 };
        Ok((name, generic, offset))
    }

    /// Takes the `;` that ends a statement.
    ///
    /// Where it is missing at the end of a line, says so and goes on as if it stood there.
    pub(super) fn end_of_statement(&mut self, what: &str) -> Parse<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let starts_statement = matches!(
            self.token.kind,
            TokenKind::Word
                | TokenKind::Dot
                | TokenKind::At
                | TokenKind::LBrace
                | TokenKind::RBrace
        );
        // `}` before more of the statement has lost its partner and closes nothing.
        let is_stray = self.at(TokenKind::RBrace)
            && !self.token.first_of_line
            && matches!(self.next.kind, TokenKind::Comma | TokenKind::Semicolon);
        if is_stray {
            let stray = self.error(self.token_span(), "this `}` has no `{`");
            self.bump();
            return Err(stray);
        }
        let line_ends = self.token.first_of_line || self.at(TokenKind::RBrace);
        let is_operand = match self.token.kind {
            TokenKind::Word => self.is_register(self.token) && self.next.kind != TokenKind::Colon,
            TokenKind::LBrace => self.is_register(self.next),
            _ => false,
        };
        if is_operand || !(starts_statement && line_ends) || self.operand_braces > 0 {
            return Err(self.expected_next(what));
        }
        let end = Span::new(self.file, self.previous_end, self.previous_end);
        self.report(
            Diagnostic::error(end, "`;` is missing at the end of this statement")
                .help("end the statement with `;`")
                .fix(end, ";"),
        );
        Ok(())
    }
}
