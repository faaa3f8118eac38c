//! Source files and positions in them.

use serde::{Deserialize, Serialize};

/// Names one file of a [`Sources`] set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(u32);

/// A half-open range of bytes in one source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The file that the range lies in.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clip = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { file, start: clip(start), end: clip(end.max(start)) }
    }

    /// The smallest range that holds both; `self` when they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position as people count it: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Line number, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One file: the name that the user gave it, its text, and where its lines begin.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(name: String, text: String) -> Self {
        let after_newline = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts =
            std::iter::once(0).chain(after_newline.map(|(at, _)| at as u32 + 1)).collect();
        SourceFile { name, text, line_starts }
    }

    /// The name as given on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset; offsets past the end count as the end.
    pub fn location(&self, offset: u32) -> Location {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts[line - 1] as usize;
        let end = self.floor_char(offset as usize).max(start);
        let column = self.text[start..end].chars().count() + 1;
        Location { line: line as u32, column: column as u32 }
    }

    /// The text of line `line` (from 1) without its line end; empty past the end.
    pub fn line(&self, line: u32) -> &str {
        let Some(start) = (line as usize).checked_sub(1).and_then(|at| self.line_starts.get(at))
        else {
            return "";
        };
        self.text[*start as usize..].lines().next().unwrap_or("")
    }

    /// The text that a span of this file covers.
    pub fn slice(&self, span: Span) -> &str {
        let start = self.floor_char(span.start as usize);
        let end = self.floor_char(span.end as usize).max(start);
        &self.text[start..end]
    }

    fn floor_char(&self, offset: usize) -> usize {
        let mut at = offset.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// The files that spans point into.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and names it.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name.into(), text.into()));
        FileId(self.files.len() as u32 - 1)
    }

    /// All files, in the order in which they were added.
    pub(crate) fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(nth, file)| (FileId(nth as u32), file))
    }

    /// The file of that name. Only ids that [`Sources::add`] of this set returned are meaningful.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Where a span begins.
    pub fn location(&self, span: Span) -> Location {
        self.file(span.file).location(span.start)
    }

    /// The same for people, with the file: `k.ptx:3:5`.
    pub fn place(&self, span: Span) -> String {
        let at = self.location(span);
        format!("{}:{}:{}", self.file(span.file).name(), at.line, at.column)
    }

    /// The text that a span covers.
    pub fn slice(&self, span: Span) -> &str {
        self.file(span.file).slice(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_count_lines_and_characters_from_one() {
        let mut sources = Sources::new();
        let file = sources.add("a", "αβ\nx\n");
        let at = |offset| sources.file(file).location(offset);
        assert_eq!(at(0), Location { line: 1, column: 1 });
        assert_eq!(at(2), Location { line: 1, column: 2 });
        assert_eq!(at(5), Location { line: 2, column: 1 });
        assert_eq!(at(99), Location { line: 3, column: 1 });
        assert_eq!(sources.file(file).line(1), "αβ");
        assert_eq!(sources.file(file).line(9), "");
    }
}
