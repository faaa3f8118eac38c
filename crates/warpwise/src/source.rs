//! Source files that a module's `.loc` directives lead to.

use crate::finding::{Locate, Location, Position};
use crate::module::Kernel;
use crate::owner::Owners;
use diag::{Diagnostic, FileId, Label, Sources, Span};
use ir::Place;
use ptx::syntax::ast::SourcePosition;
use sanitize::{At, Finding, report::Places};
use std::collections::HashMap;
use std::path::Path;

/// Source files above this size are not read.
const MAX_SOURCE: u64 = 16 << 20;

/// The texts of a kernel: its module, and the source files that findings lead to.
pub(crate) struct Located<'k> {
    kernel: &'k Kernel,
    sources: Sources,
    /// By the number of the `.file`; `None` for files that cannot be read.
    files: HashMap<u32, Option<FileId>>,
    /// Whose the addresses of the launch are.
    owners: Option<&'k Owners>,
}

impl<'k> Located<'k> {
    pub(crate) fn new(kernel: &'k Kernel) -> Self {
        let sources = Sources::clone(kernel.sources());
        Located { kernel, sources, files: HashMap::new(), owners: None }
    }

    /// The same, with names for the addresses of a launch.
    pub(crate) fn of_launch(kernel: &'k Kernel, owners: &'k Owners) -> Self {
        Located { owners: Some(owners), ..Located::new(kernel) }
    }

    /// Reads the source files of a finding, if they can be found.
    pub(crate) fn find(&mut self, finding: &Finding) {
        self.find_all(finding.all_places().into_iter());
    }

    fn find_all(&mut self, places: impl Iterator<Item = Place>) {
        for place in places {
            let Some(position) = self.position(place).copied() else { continue };
            if !self.files.contains_key(&position.file) {
                let text = self.read(position.file);
                let id = text.map(|(name, text)| self.sources.add(name, text));
                self.files.insert(position.file, id);
            }
        }
    }

    /// Leads a diagnostic about an instruction to the line that the user wrote, which comes first; the PTX follows.
    pub(crate) fn led(&mut self, mut found: Diagnostic, place: Place) -> Diagnostic {
        self.find_all(std::iter::once(place));
        let text = found.labels.first().map_or(String::new(), |label| label.text.clone());
        let callers =
            self.callers(place).into_iter().map(|span| (span, "called from here".to_owned()));
        let lines = self.source(place).map(|span| (span, text)).into_iter().chain(callers);
        let lines: Vec<Label> = lines.map(|(span, text)| Label { span, text }).collect();
        found.labels.splice(0..0, lines);
        if let Some(name) = self.source_name(place) {
            found.notes.insert(0, format!("source: {name}"));
        }
        found
    }

    /// A number that places of one source line have in common, or the place's own.
    pub(crate) fn line(&self, place: Place) -> u64 {
        match self.position(place) {
            Some(at) => {
                u64::from(at.file) << 48 | u64::from(at.line) << 16 | u64::from(at.column) & 0xffff
            }
            None => 1 << 63 | u64::from(place.0),
        }
    }

    /// Findings that are one to the user: compilers copy a line that the user wrote once.
    pub(crate) fn fold(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let lines = |finding: &Finding| {
            let mut lines: Vec<_> = finding
                .places()
                .map(|place| self.position(place).copied())
                .collect::<Option<_>>()?;
            // Which of two racing accesses came first is chance.
            lines.sort_unstable_by_key(|line| (line.file, line.line, line.column));
            Some((finding.code(), lines))
        };
        let mut folded: Vec<Finding> = Vec::with_capacity(findings.len());
        for finding in findings {
            let key = lines(&finding).filter(|_| finding.detail.waiting().is_empty());
            let known = key.and_then(|key| {
                folded.iter_mut().find(|known| lines(known).as_ref() == Some(&key))
            });
            match known {
                // What is harmless at one of the places says nothing of the others.
                Some(known) if known.is_harmless() && !finding.is_harmless() => {
                    let count = known.count + finding.count;
                    *known = Finding { count, ..finding };
                }
                Some(known) => known.count += finding.count,
                None => folded.push(finding),
            }
        }
        folded
    }

    pub(crate) fn into_sources(self) -> Sources {
        self.sources
    }

    /// The line that the user wrote: the first in the kernel's own file of those that were inlined into each other.
    fn position(&self, place: Place) -> Option<&SourcePosition> {
        let chain = self.kernel.lowered.lines.of(place);
        chain.get(own(chain))
    }

    /// A file under its own name, seen from the module's folder, or else beside the module.
    fn read(&self, index: u32) -> Option<(String, String)> {
        let name = self.kernel.lowered.lines.file(index)?;
        let module = self.ptx(Place(0)).map(|span| self.sources.file(span.file).name())?;
        let folder = Path::new(module).parent()?;
        let beside = Path::new(name).file_name().map(|file| folder.join(file));
        std::iter::once(folder.join(name)).chain(beside).find_map(|path| {
            let about = std::fs::metadata(&path).ok()?;
            // The name comes from the module: nothing but a plain file of a reasonable size is opened.
            let plain = about.is_file() && about.len() <= MAX_SOURCE;
            let text = plain.then(|| std::fs::read(&path).ok()).flatten()?;
            Some((path.display().to_string(), readable(text)))
        })
    }

    /// The code of a line, from the column on, if the file was read.
    fn span(&self, position: &SourcePosition) -> Option<Span> {
        let id = (*self.files.get(&position.file)?)?;
        let file = self.sources.file(id);
        let line = file.line(position.line);
        let start = line.as_ptr().addr().checked_sub(file.text().as_ptr().addr())?;
        if line.trim().is_empty() || start > file.text().len() {
            return None;
        }
        let indent = line.len() - line.trim_start().len();
        let column = (position.column as usize).saturating_sub(1).clamp(indent, line.len());
        // A column that lies behind the text, or inside a character, marks the whole line.
        let from = if line.is_char_boundary(column) && column < line.trim_end().len() {
            column
        } else {
            indent
        };
        let code = line.split("//").next().unwrap_or(line).trim_end();
        Some(Span::new(id, start + from, start + code.len().max(from + 1)))
    }

    fn named(&self, position: &SourcePosition) -> String {
        let name = self.kernel.lowered.lines.file(position.file).unwrap_or("?");
        let name = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
        match position.column {
            0 => format!("{name}:{}", position.line),
            column => format!("{name}:{}:{column}", position.line),
        }
    }
}

/// The text of a file. Comments may be in another encoding than UTF-8: what is none stands as `?`, so that columns, which count
/// bytes, lead where they did.
fn readable(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let chunks = error.as_bytes().utf8_chunks();
        chunks.map(|chunk| chunk.valid().to_owned() + &"?".repeat(chunk.invalid().len())).collect()
    })
}

/// Which position of a chain is the first in the file that the chain ends in.
fn own(chain: &[SourcePosition]) -> usize {
    let file = chain.last().map(|last| last.file);
    chain.iter().position(|position| Some(position.file) == file).unwrap_or(0)
}

impl Places for Located<'_> {
    fn ptx(&self, place: Place) -> Option<Span> {
        self.kernel.lowered.places.get(place.0 as usize).copied()
    }

    fn source(&self, place: Place) -> Option<Span> {
        self.span(self.position(place)?)
    }

    fn callers(&self, place: Place) -> Vec<Span> {
        let chain = self.kernel.lowered.lines.of(place);
        let outer = chain.get(own(chain) + 1..).unwrap_or_default();
        outer.iter().filter_map(|caller| self.span(caller)).collect()
    }

    fn source_name(&self, place: Place) -> Option<String> {
        let chain = self.kernel.lowered.lines.of(place);
        let user = chain.get(own(chain))?;
        let guessed = self.kernel.lowered.lines.is_guessed(place);
        if chain.len() == 1 && !guessed && self.source(place).is_some() {
            return None;
        }
        let (inner, outer) = (&chain[..own(chain)], &chain[own(chain) + 1..]);
        let mut name = self.named(user);
        let callers = outer.iter().map(|caller| (", called at ", caller));
        for (how, other) in callers.chain(inner.iter().rev().map(|inner| (", inlined: ", inner))) {
            name += how;
            name += &self.named(other);
        }
        if guessed {
            name += " is the last line before it; the compiler gave it none";
        }
        Some(name)
    }

    fn short(&self, place: Place) -> String {
        if let Some(position) = self.position(place) {
            return self.named(position);
        }
        self.ptx(place).map_or("?".to_owned(), |span| {
            let file = self.sources.file(span.file);
            let name = Path::new(file.name()).file_name();
            let name = name.map_or(file.name().into(), |name| name.to_string_lossy());
            format!("{name}:{}", file.location(span.start).line)
        })
    }

    fn address(&self, at: At) -> String {
        self.owners.map_or_else(|| format!("{:#x}", at.address), |owners| owners.words(at))
    }

    fn element(&self, at: At) -> String {
        match self.owners {
            Some(owners) => owners.element(at.address).name,
            None => self.address(at),
        }
    }
}

impl Locate for Located<'_> {
    fn shown(&self, address: u64) -> u64 {
        self.owners.map_or(address, |owners| owners.shown(address))
    }

    fn location(&self, place: Place) -> Location {
        let lines = &self.kernel.lowered.lines;
        let source = lines.of(place).iter().map(|at| Position {
            file: lines.file(at.file).unwrap_or("?").to_owned(),
            line: at.line,
            column: at.column,
        });
        Location {
            place,
            instruction: self.ptx(place).map(|span| Position::of(&self.sources, span)),
            source: source.collect(),
            functions: lines.functions(place).into_iter().map(str::to_owned).collect(),
            is_guessed: lines.is_guessed(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn files_of_other_encodings_are_shown() {
        assert_eq!(readable("/* © */ x".into()), "/* © */ x");
        // Latin-1, and the first two bytes of a character that has three.
        assert_eq!(readable(b"/* \xa9 1 */ x\n\xe2\x82 y".to_vec()), "/* ? 1 */ x\n?? y");
    }
}
