//! Files, spans and diagnostics as data, and the one place that turns them into text, JSON, SARIF, JUnit or
//! GitHub annotations.
//!
//! Every front end of Warpwise reports through this crate: it makes [`Diagnostic`] values that point
//! into a [`Sources`] set, and the command line renders them once with [`Listing`], [`render`], [`Log`] or [`junit`].

mod carried;
mod diagnostic;
mod excerpt;
mod fingerprint;
mod github;
mod interned;
mod json;
pub mod junit;
mod listing;
mod picture;
pub mod render;
mod sarif;
mod source;

pub use carried::Carried;
pub use diagnostic::{Class, Diagnostic, Fix, Label, Reason, Severity, Suppression};
pub use fingerprint::Fingerprints;
pub use json::{JsonDiagnostic, JsonFix, JsonPlace, JsonRule};
pub use listing::Listing;
pub use picture::{Picture, Piece, Tint};
pub use sarif::{Log, RuleInfo, sarif};
pub use source::{FileId, Location, SourceFile, Sources, Span};
