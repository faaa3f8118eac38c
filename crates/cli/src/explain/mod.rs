//! `warpwise explain`.

mod svg;
mod text;

use crate::arguments::{ExplainArguments, PictureFormat};
use crate::report::{self, Stop};
use crate::status::Status;
use anstream::{AutoStream, ColorChoice};
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

/// Whether who reads standard output wants colour: a terminal, unless the environment (`NO_COLOR`,
/// `CLICOLOR`, `CLICOLOR_FORCE`) says otherwise.
fn colour() -> bool {
    AutoStream::choice(&std::io::stdout()) != ColorChoice::Never
}
