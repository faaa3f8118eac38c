//! `warpwise explain`.

mod svg;
mod text;

use crate::arguments::{ExplainArguments, PictureFormat};
use crate::report::{self, Stop};
use crate::status::Status;
use std::io::IsTerminal;
use warpwise::explain::explain;

/// Runs the command and reports.
pub(crate) fn run(arguments: &ExplainArguments) -> Status {
    report::finish(picture(arguments))
}

fn picture(arguments: &ExplainArguments) -> Result<String, Stop> {
    let explanation = explain(&arguments.instruction, arguments.lanes)?;
    Ok(match arguments.format {
        PictureFormat::Text => text::draw(&explanation, colour()),
        PictureFormat::Svg => svg::draw(&explanation),
    })
}

/// Whether standard output is a terminal whose user wants colour.
fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
