//! Explanations as pictures.

mod cells;
mod svg;
mod text;

use crate::explain::explanation::Explanation;

impl Explanation {
    /// The picture for terminals, at most 100 columns wide; `colour` adds ANSI escapes.
    pub fn text(&self, colour: bool) -> String {
        text::draw(self, colour)
    }

    /// The picture for pages: an SVG file of its own.
    pub fn svg(&self) -> String {
        svg::draw(self)
    }
}
