//! `warpwise explain`.

mod data;
mod values;

use crate::arguments::{ExplainArguments, PictureFormat, ReportFormat};
use crate::form::Form;
use crate::report::{self, Answer, Stop};
use crate::spec::Spec;
use crate::status::Status;
use anstream::{AutoStream, ColorChoice};
use warpwise::explain::{Setting, explain};

pub(crate) use data::Body;

/// The form of its document.
pub(crate) const FORM: Form<Body> = Form::new("explain");

/// Runs the command and reports.
pub(crate) fn run(arguments: &ExplainArguments) -> Status {
    let format = match arguments.format {
        _ if arguments.json => ReportFormat::Json,
        PictureFormat::Json => ReportFormat::Json,
        PictureFormat::Text | PictureFormat::Svg => ReportFormat::Text,
    };
    report::answer(&FORM, format, picture(arguments))
}

fn picture(arguments: &ExplainArguments) -> Result<Answer<Body>, Stop> {
    let set = |(name, spec): &(String, Spec)| values::setting(name, spec).map_err(Stop::usage);
    let settings: Vec<Setting> = arguments.set.iter().map(set).collect::<Result<_, _>>()?;
    let explanation = explain(&arguments.instruction, arguments.lanes, &settings)?;
    let text = match arguments.format {
        PictureFormat::Text => explanation.text(colour()),
        PictureFormat::Svg => explanation.svg(),
        PictureFormat::Json => String::new(),
    };
    let body = Body::from(&explanation);
    Ok(Answer { status: Status::Fine, text, body, told: Vec::new() })
}

/// Whether who reads standard output wants colour: a terminal, unless the environment (`NO_COLOR`,
/// `CLICOLOR`, `CLICOLOR_FORCE`) says otherwise.
fn colour() -> bool {
    AutoStream::choice(&std::io::stdout()) != ColorChoice::Never
}
