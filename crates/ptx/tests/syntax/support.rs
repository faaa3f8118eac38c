//! What the syntax tests share: modules to parse, and trees without their spans.

use diag::{Diagnostic, FileId, Sources};
use std::path::{Path, PathBuf};
use warpwise_ptx::syntax::ast::Module;

/// Every PTX file of these tests and of the examples.
pub(crate) fn corpus() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for root in [here.join("tests/syntax/modules"), here.join("../../examples")] {
        collect(&root, &mut found);
    }
    found.sort();
    assert!(found.len() >= 6, "the test modules are missing");
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
}

/// Parses `text` under the name `test.ptx`.
pub(crate) fn parse(text: &str) -> (Sources, FileId, Module, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("test.ptx", text);
    let (module, diagnostics) = warpwise_ptx::syntax::parse(&sources, file);
    (sources, file, module, diagnostics)
}

/// The whole tree as text, spans left out. Every field of every node takes part, also those that
/// are added later.
pub(crate) fn tree(module: &Module) -> String {
    let shown = format!("{module:?}");
    let mut out = String::with_capacity(shown.len());
    let mut rest = shown.as_str();
    while let Some(start) = rest.find("Span {") {
        out.push_str(&rest[..start]);
        let end = rest[start..].find("end: ").map_or(start, |at| start + at);
        let close = rest[end..].find('}').map_or(rest.len(), |at| end + at + 1);
        rest = &rest[close..];
    }
    out.push_str(rest);
    out
}

/// The diagnostics as the command line shows them.
pub(crate) fn rendered(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|it| diag::render::text(sources, it, false)).collect()
}
