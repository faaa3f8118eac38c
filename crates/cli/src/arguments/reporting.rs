//! How commands report, and what the user accepts of what they report.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// How commands report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// One SARIF 2.1.0 document, for code-scanning tools.
    Sarif,
    /// One JUnit XML document, which CI systems show as tests.
    Junit,
    /// Workflow commands of GitHub Actions, which mark lines of a pull request.
    Github,
}

/// How a command that finds something reports.
#[derive(Args, Debug)]
pub(crate) struct Reporting {
    /// The same as `--format json`.
    #[arg(long)]
    json: bool,
    /// How to report: text for people, or a document on standard output.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

impl Reporting {
    /// How to report.
    pub(crate) fn format(&self) -> ReportFormat {
        match (self.json, self.format) {
            (true, ReportFormat::Text) => ReportFormat::Json,
            (_, format) => format,
        }
    }
}

/// How other commands answer.
#[derive(Args, Debug)]
pub(crate) struct Answering {
    /// The same as `--format json`.
    #[arg(long)]
    json: bool,
    /// How to answer: text for people, or one JSON document on standard output.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
}

impl Answering {
    /// How to answer.
    pub(crate) fn format(&self) -> ReportFormat {
        match (self.json, self.format) {
            (true, _) | (_, AnswerFormat::Json) => ReportFormat::Json,
            (false, AnswerFormat::Text) => ReportFormat::Text,
        }
    }
}

/// The formats of [`Answering`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AnswerFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// What the user accepts.
#[derive(Args, Debug)]
pub(crate) struct Accepting {
    /// Accept what this code is about, everywhere or in a function: a kernel or device function, called or inlined, by its
    /// name in C++ or in the module. Errors of `lint` cannot be allowed.
    #[arg(long, value_name = "CODE[:FUNCTION]")]
    allow: Vec<Allows>,
    /// Accept what stands in this file.
    #[arg(long, value_name = "FILE", conflicts_with = "write_baseline")]
    pub(crate) baseline: Option<PathBuf>,
    /// Accept everything that is found, and write it to this file for --baseline. What the file holds of other modules and
    /// kernels stays.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
}

impl Accepting {
    /// What is allowed.
    pub(crate) fn allowed(&self) -> impl Iterator<Item = &Allow> {
        self.allow.iter().flat_map(|allows| &allows.0)
    }
}

/// A code that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allow {
    pub(crate) code: String,
    /// Only in this function.
    pub(crate) function: Option<String>,
}

/// `--allow CODE[:FUNCTION][,CODE[:FUNCTION]]...`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Allows(Vec<Allow>);

impl FromStr for Allows {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Commas also stand between the parameters of a function.
        let mut depth = 0_u32;
        let parts = text.split(|letter| {
            match letter {
                '(' | '<' => depth += 1,
                ')' | '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            letter == ',' && depth == 0
        });
        let allow = |part: &str| {
            let (code, function) = match part.split_once(':') {
                Some((code, function)) => (code, Some(function.trim())),
                None => (part, None),
            };
            match (code.trim(), function) {
                ("", _) | (_, Some("")) => Err("write CODE or CODE:FUNCTION".to_owned()),
                (code, function) => {
                    Ok(Allow { code: code.to_owned(), function: function.map(str::to_owned) })
                }
            }
        };
        parts.map(allow).collect::<Result<_, _>>().map(Allows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_codes_may_name_functions_with_commas() {
        let allow = |code: &str, function: Option<&str>| Allow {
            code: code.to_owned(),
            function: function.map(str::to_owned),
        };
        let expected = vec![
            allow("W001", None),
            allow("R002", Some("ns::scan<int, 2>(int*, int)")),
            allow("P101", Some("_Z1kv")),
        ];
        let text = "W001,R002:ns::scan<int, 2>(int*, int), P101:_Z1kv";
        assert_eq!(text.parse(), Ok(Allows(expected)));
        assert!(":f".parse::<Allows>().is_err() && "W001:".parse::<Allows>().is_err());
        assert!("".parse::<Allows>().is_err() && "W001,".parse::<Allows>().is_err());
    }
}
