//! `warpwise explain`.

mod svg;
mod text;
mod values;

use crate::arguments::{ExplainArguments, PictureFormat};
use crate::report::{self, Stop};
use crate::spec::Spec;
use crate::status::Status;
use anstream::{AutoStream, ColorChoice};
use warpwise::explain::{Setting, explain};

/// Runs the command and reports.
pub(crate) fn run(arguments: &ExplainArguments) -> Status {
    report::finish(picture(arguments))
}

fn picture(arguments: &ExplainArguments) -> Result<String, Stop> {
    let set = |(name, spec): &(String, Spec)| values::setting(name, spec).map_err(Stop::usage);
    let settings: Vec<Setting> = arguments.set.iter().map(set).collect::<Result<_, _>>()?;
    let explanation = explain(&arguments.instruction, arguments.lanes, &settings)?;
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
