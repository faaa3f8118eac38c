//! What a check that found nothing has looked at.

use crate::arguments::CheckArguments;
use schemars::JsonSchema;
use serde::Serialize;
use warpwise::{Checked, Code, ExploreEnd};

/// What was looked at, and what was not.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Covered")]
pub(crate) struct JsonCovered {
    /// The architecture that the kernel ran as.
    target: String,
    /// The extents of the grid in CTAs.
    grid: [u32; 3],
    /// The extents of a CTA in threads.
    block: [u32; 3],
    /// The schedule of the first run.
    schedule: String,
    /// How often the kernel ran, the first time included.
    runs: u64,
    /// Every code that was looked for.
    looked_for: Vec<&'static str>,
    /// What was not looked at and could show something else.
    not_looked_at: Vec<&'static str>,
}

impl JsonCovered {
    pub(crate) fn new(arguments: &CheckArguments, target: &str, checked: &Checked) -> JsonCovered {
        let all = checked.explored.is_some_and(|coverage| coverage.end == ExploreEnd::Covered);
        let mut not_looked_at = Vec::new();
        if checked.order_matters && !all {
            not_looked_at.push(match checked.explored {
                None => "other schedules (--explore)",
                Some(_) => "all other schedules (--explore all)",
            });
        }
        if !checked.report.launched.is_empty() {
            not_looked_at.push("the kernels that it launches (`warpwise exec --check`)");
        }
        // Under one schedule, nothing is said to depend on it.
        let looks_for = |code: &Code| match code {
            Code::W002 => arguments.pedantic,
            // Nothing frees memory here.
            Code::M003 => false,
            // Nor does a program copy and launch.
            Code::H001 | Code::H002 | Code::H003 | Code::H004 | Code::H005 => false,
            _ => true,
        };
        let codes = Code::ALL.iter().filter(|code| looks_for(code));
        JsonCovered {
            target: target.to_owned(),
            grid: arguments.run.grid.0,
            block: arguments.run.block.0,
            schedule: arguments.run.schedule.to_string(),
            runs: checked.runs,
            looked_for: codes.map(|code| code.word()).collect(),
            not_looked_at,
        }
    }

    /// The same in one line.
    pub(crate) fn text(&self, kernel: &str, checked: &Checked) -> String {
        let count = |extents: &[u32; 3]| extents.iter().map(|it| u64::from(*it)).product();
        let several = |count: u64, what: &str| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        };
        let [ctas, threads] = [count(&self.grid), count(&self.block)];
        let mut text = format!(
            "checked {kernel} for {}: {} of {}, {}, {}; looked for undefined collectives, deadlocks, bad and uninitialised \
             accesses, races",
            self.target,
            several(ctas, "CTA"),
            several(threads, "thread"),
            several(checked.report.stats.warp_instructions, "warp instruction"),
            several(self.runs, "run"),
        );
        if !self.not_looked_at.is_empty() {
            text += &format!("; not looked at: {}", self.not_looked_at.join(", "));
        }
        text + "\n"
    }
}
