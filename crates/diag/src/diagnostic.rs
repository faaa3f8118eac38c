//! A diagnostic: what is wrong, where, why, and what to do.

use crate::interned::{Fixed, interned};
use crate::{Picture, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The input is rejected, or the program is undefined.
    Error,
    /// The input is accepted, and something about it deserves a look.
    Warning,
    /// A remark.
    Note,
}

impl Severity {
    /// The word that reports print: `error`, `warning` or `note`.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Whose fault it is. They never mix: each has its own wording and exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The input breaks a rule of its language.
    BadInput,
    /// The input is legal and Warpwise does not implement it.
    Unsupported,
    /// The input asks for more than a stated limit.
    Limit,
    /// The program does something that the ISA leaves undefined.
    Undefined,
    /// The program ran to its end, and its result is not the one that was expected.
    Mismatch,
    /// Warpwise itself is wrong.
    Bug,
}

impl Class {
    /// A stable lower-case word, as JSON reports carry it.
    pub fn word(self) -> &'static str {
        match self {
            Class::BadInput => "bad-input",
            Class::Unsupported => "unsupported",
            Class::Limit => "limit",
            Class::Undefined => "undefined",
            Class::Mismatch => "mismatch",
            Class::Bug => "bug",
        }
    }
}

/// A place that a diagnostic points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What to say at that place; may be empty.
    pub text: String,
}

/// A replacement that mends the input, safe to apply by machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// The text to replace; an empty span inserts.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// The rule of a language that an input breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reason {
    /// The rule in one sentence.
    #[serde(deserialize_with = "interned")]
    pub rule: Fixed,
    /// The manual that states it.
    #[serde(deserialize_with = "interned")]
    pub manual: Fixed,
    /// Where in the manual.
    #[serde(deserialize_with = "interned")]
    pub section: Fixed,
}

/// Why a diagnostic is not told: the user has accepted what it says.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, Hash)]
pub enum Suppression {
    /// By its code, and perhaps its function.
    Allowed,
    /// It stands in a file of what is known.
    Baseline,
}

/// One message to a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Whose fault it is.
    pub class: Class,
    /// Stable code such as `W001` or `P012`; empty for plain syntax errors.
    #[serde(deserialize_with = "interned")]
    pub code: Fixed,
    /// One sentence in the terms of the ISA.
    pub message: String,
    /// Where; the first is the primary place. Empty when no source text is at fault.
    pub labels: Vec<Label>,
    /// A drawing of it.
    pub picture: Option<Picture>,
    /// The rule behind it.
    pub reason: Option<Reason>,
    /// Further facts, one paragraph each.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// The replacement that does it.
    pub fix: Option<Fix>,
    /// The functions that it is about by their names in the input, the innermost first: the one that holds the primary
    /// place, and those that it was inlined into or called from.
    pub functions: Vec<String>,
    /// Set if the user has accepted it. Reports leave it out; SARIF says so.
    pub suppressed: Option<Suppression>,
    /// The finding that it tells of, as data.
    pub finding: Option<serde_json::Value>,
}

impl Diagnostic {
    /// A diagnostic without any place.
    pub fn new(severity: Severity, class: Class, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            class,
            code: "",
            message: message.into(),
            labels: Vec::new(),
            picture: None,
            reason: None,
            notes: Vec::new(),
            help: None,
            fix: None,
            functions: Vec::new(),
            suppressed: None,
            finding: None,
        }
    }

    /// The input breaks a rule of its language at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, Class::BadInput, message).label(span, "")
    }

    /// The input is legal and not implemented, at `span`.
    pub fn unsupported(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, Class::Unsupported, message).label(span, "")
    }

    /// The input is accepted, and something at `span` deserves a look.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, Class::BadInput, message).label(span, "")
    }

    /// Sets the stable code.
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = code;
        self
    }

    /// Adds a place. Saying something at the span of the last label fills that label's text in.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        match self.labels.last_mut() {
            Some(last) if last.span == span && last.text.is_empty() => last.text = text,
            _ => self.labels.push(Label { span, text }),
        }
        self
    }

    /// Draws it.
    pub fn picture(mut self, picture: Picture) -> Self {
        self.picture = Some(picture);
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Says what to do as a replacement.
    pub fn fix(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix = Some(Fix { span, replacement: replacement.into() });
        self
    }

    /// Everything but the places, in plain text: the message, then a paragraph a line or more.
    pub(crate) fn full_text(&self) -> String {
        let mut text = self.message.clone();
        let rule = self
            .reason
            .map(|Reason { rule, manual, section }| format!("{rule} ({manual}, {section})"));
        let help = self.help.as_ref().map(|help| format!("Help: {help}"));
        for paragraph in self.paragraphs().chain(rule).chain(help) {
            text.push('\n');
            text.push_str(&paragraph);
        }
        text
    }

    /// The picture and the notes as plain text, in the order in which they are shown.
    pub(crate) fn paragraphs(&self) -> impl Iterator<Item = String> {
        let picture = self.picture.iter().map(Picture::to_string);
        picture.chain(self.notes.iter().cloned())
    }

    /// The primary place.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}
