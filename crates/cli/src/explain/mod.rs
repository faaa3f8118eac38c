//! `warpwise explain`.

mod data;
mod values;

use crate::arguments::{ExplainArguments, PictureFormat, ReportFormat};
use crate::form::Form;
use crate::report::{self, Answer, Stop};
use crate::spec::Spec;
use crate::status::Status;
use anstream::{AutoStream, ColorChoice};
use warpwise::Code;
use warpwise::explain::{Setting, explain};
use warpwise::rules::rule;

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
    is_no_code(&arguments.instruction)?;
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

/// Refuses the code of a finding or a rule, which is no instruction, and says what it means.
fn is_no_code(text: &str) -> Result<(), Stop> {
    let asked = text.trim().to_uppercase();
    let finding = Code::ALL.iter().find(|code| code.word() == asked);
    let (kind, title, help) = match (finding, rule(&asked)) {
        (Some(code), _) => {
            ("finding", code.title(), format!("{}; docs/findings.md explains {asked}", code.help()))
        }
        (None, Some(rule)) => (
            "rule",
            rule.summary,
            format!("PTX ISA, {}; `warpwise lint --list` has all rules", rule.section),
        ),
        (None, None) => return Ok(()),
    };
    let message = format!("`{asked}` is the code of a {kind}, not an instruction: {title}");
    Err(Stop::usage(message).help(&help))
}

/// Whether who reads standard output wants colour: a terminal, unless the environment (`NO_COLOR`,
/// `CLICOLOR`, `CLICOLOR_FORCE`) says otherwise.
fn colour() -> bool {
    AutoStream::choice(&std::io::stdout()) != ColorChoice::Never
}
