//! What the tests of this crate share.
#![allow(dead_code, reason = "every test binary uses a part of it")]

use diag::{Diagnostic, Sources};
use std::path::PathBuf;
use warpwise_isa::{Description, FileLoader, Loaded};

/// The targets whose real encodings are described.
pub(crate) const TARGETS: [&str; 10] =
    ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_107", "sm_110", "sm_120"];

/// A path inside the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)
}

/// A shipped description, which must have neither errors nor warnings.
pub(crate) fn shipped(name: &str) -> Description {
    let mut sources = Sources::new();
    let path = repository("isa").join(name);
    let loaded = Description::load(&path.to_string_lossy(), &mut FileLoader, &mut sources);
    let description = loaded.unwrap_or_else(|d| panic!("{name}: {}", render(&sources, &d)));
    let warnings = description.check();
    assert!(warnings.is_empty(), "{name}: {}", render(&sources, &warnings));
    description
}

/// Diagnostics as a person reads them.
pub(crate) fn render(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| diag::render::text(sources, d, false)).collect()
}

/// Loads a description from a text, with no other file to include.
pub(crate) fn from_text(text: &str, sources: &mut Sources) -> Result<Description, Vec<Diagnostic>> {
    from_files(&[("test.isa", text)], sources)
}

/// Loads a description from a text that has no errors.
pub(crate) fn description(text: &str) -> Description {
    let mut sources = Sources::new();
    from_text(text, &mut sources).unwrap_or_else(|d| panic!("{}", render(&sources, &d)))
}

/// Loads the first of some files; the others can be included.
pub(crate) fn from_files(
    files: &[(&str, &str)],
    sources: &mut Sources,
) -> Result<Description, Vec<Diagnostic>> {
    let mut loader = |path: &str, _: Option<&str>| {
        let found = files.iter().find(|(name, _)| *name == path);
        found
            .map(|(name, text)| Loaded { name: (*name).into(), text: (*text).into() })
            .ok_or_else(|| "no such file".to_owned())
    };
    Description::load(files[0].0, &mut loader, sources)
}

/// Assembles text; the error is rendered.
pub(crate) fn assemble(description: &Description, text: &str) -> Result<Vec<u128>, String> {
    let mut sources = Sources::new();
    let file = sources.add("test.s", text);
    match description.assemble(&sources, file) {
        Ok(assembly) => Ok(assembly.words.iter().map(|word| word.word).collect()),
        Err(diagnostics) => Err(render(&sources, &diagnostics)),
    }
}

/// A small generator of reproducible numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn word(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}
