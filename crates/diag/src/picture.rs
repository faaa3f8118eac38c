//! Drawings in text: lines of pieces, each with a tint that says the same as its characters.

use annotate_snippets::renderer::{AnsiColor, Effects, Style};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};

/// What a piece of a picture stands for. Each tint has a colour of its own on terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tint {
    /// As it should be: green.
    Good,
    /// What the diagnostic is about: bold red.
    Bad,
    /// Somewhere else: yellow.
    Away,
    /// Not there any more: grey.
    Gone,
    /// Not concerned: blue.
    Aside,
}

impl Tint {
    /// Every tint.
    pub const ALL: [Tint; 5] = [Tint::Good, Tint::Bad, Tint::Away, Tint::Gone, Tint::Aside];

    fn style(self) -> Style {
        match self {
            Tint::Good => AnsiColor::Green.on_default(),
            Tint::Bad => AnsiColor::BrightRed.on_default().effects(Effects::BOLD),
            Tint::Away => AnsiColor::Yellow.on_default(),
            Tint::Gone => AnsiColor::BrightBlack.on_default(),
            Tint::Aside => AnsiColor::BrightBlue.on_default(),
        }
    }
}

/// Characters of one tint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The characters, without line ends.
    pub text: String,
    /// Their tint; `None` is that of other text.
    pub tint: Option<Tint>,
}

/// A drawing for a font of fixed width. It can be read without colour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    lines: Vec<Vec<Piece>>,
}

impl Picture {
    /// Begins a line.
    pub fn line(mut self) -> Picture {
        self.lines.push(Vec::new());
        self
    }

    /// Adds characters to the last line. Those of one tint become one piece.
    pub fn piece(mut self, text: &str, tint: Option<Tint>) -> Picture {
        if self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
        if let Some(line) = self.lines.last_mut() {
            match line.last_mut() {
                Some(last) if last.tint == tint => last.text.push_str(text),
                _ => line.push(Piece { text: text.to_owned(), tint }),
            }
        }
        self
    }

    /// The lines, each as its pieces.
    pub fn lines(&self) -> &[Vec<Piece>] {
        &self.lines
    }

    /// The lines with ANSI escapes for the tints.
    pub(crate) fn styled(&self) -> String {
        let mut out = String::new();
        for (nth, line) in self.lines.iter().enumerate() {
            if nth > 0 {
                out.push('\n');
            }
            for Piece { text, tint } in line {
                let style = tint.map_or(Style::new(), Tint::style);
                // A string takes everything that is written to it.
                let _ = write!(out, "{style}{text}{style:#}");
            }
        }
        out
    }
}

/// The lines without colour.
impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, line) in self.lines.iter().enumerate() {
            if nth > 0 {
                writeln!(f)?;
            }
            line.iter().try_for_each(|piece| f.write_str(&piece.text))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_tint_has_its_colour_and_plain_text_has_none() {
        let mut picture = Picture::default().line().piece("lane ", None);
        for tint in Tint::ALL {
            picture = picture.piece("x", Some(tint));
        }
        let picture = picture.line().piece("a", Some(Tint::Good)).piece("b", Some(Tint::Good));
        assert_eq!(picture.to_string(), "lane xxxxx\nab");
        assert_eq!(picture.lines()[1].len(), 1);
        let styled = picture.styled();
        assert!(
            styled.starts_with("lane \u{1b}[") && styled.ends_with("ab\u{1b}[0m"),
            "{styled:?}"
        );
        let colours: HashSet<String> =
            Tint::ALL.iter().map(|tint| tint.style().render().to_string()).collect();
        assert_eq!(colours.len(), Tint::ALL.len());
    }
}
