//! How a program fared, and what it said.

use std::process::ExitStatus;
use std::time::Duration;

/// The exit status by which NVIDIA's samples say that the device lacks what they need.
const WAIVED: i32 = 2;

/// How a program fared.
pub(super) enum Verdict {
    Passed(Duration),
    Waived,
    Failed(String),
    NotCompiled(String),
}

impl Verdict {
    /// By the exit status of a program that ended in time.
    pub(super) fn of(status: ExitStatus, time: Duration, text: &[u8]) -> Verdict {
        match status.code() {
            Some(0) => Verdict::Passed(time),
            Some(WAIVED) => Verdict::Waived,
            _ => Verdict::Failed(format!("{status}: {}", last_line(text))),
        }
    }

    /// Of a program that was stopped.
    pub(super) fn late(limit: Duration) -> Verdict {
        Verdict::Failed(format!("it runs for more than {} s", limit.as_secs()))
    }

    pub(super) fn word(&self) -> String {
        match self {
            Verdict::Passed(time) => format!("passed ({:.2} s)", time.as_secs_f64()),
            Verdict::Waived => "waived".to_owned(),
            Verdict::Failed(_) => "failed".to_owned(),
            Verdict::NotCompiled(_) => "not compiled".to_owned(),
        }
    }

    pub(super) fn why(&self) -> Option<&str> {
        match self {
            Verdict::Passed(_) | Verdict::Waived => None,
            Verdict::Failed(why) | Verdict::NotCompiled(why) => Some(why),
        }
    }
}

/// The last line that says something.
pub(super) fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it said nothing")
        .trim()
        .to_owned()
}

/// The first line that speaks of an error.
pub(super) fn first_error(text: &[u8]) -> String {
    let lines = String::from_utf8_lossy(text);
    let mut errors =
        lines.lines().filter(|line| ["error", "undefined"].iter().any(|word| line.contains(word)));
    errors.next().map_or_else(|| last_line(text), |line| line.trim().to_owned())
}
