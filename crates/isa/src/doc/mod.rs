//! The manual of a described machine, as Markdown and as one self-contained HTML page.

mod html;
mod layout;
mod markdown;
mod page;
mod prose;

pub use html::html;
pub use markdown::markdown;
