//! What is found, told as it is found.

use std::io::{self, Write};

/// The lines that are shown of one test.
const LINES: usize = 8;

/// Counts of what was tried.
pub(crate) struct Told<W> {
    out: W,
    /// Tests whose results are the same.
    pub(crate) same: u64,
    /// Tests whose results differ.
    pub(crate) different: u64,
    /// Tests that the device or the driver cannot run.
    pub(crate) refused: u64,
}

/// How a test fared.
pub(crate) enum Verdict {
    /// As it should be.
    Same,
    /// The places that differ, a line each.
    Different(Vec<String>),
    /// Why it cannot be run.
    Refused(String),
}

impl<W: Write> Told<W> {
    pub(crate) fn new(out: W) -> Self {
        Told { out, same: 0, different: 0, refused: 0 }
    }

    /// A line.
    pub(crate) fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// A test's verdict; nothing is said of one that is as it should be.
    pub(crate) fn judge(&mut self, test: &str, verdict: Verdict) -> io::Result<()> {
        match verdict {
            Verdict::Same => self.same += 1,
            Verdict::Different(lines) => {
                self.different += 1;
                writeln!(self.out, "differs  {test}")?;
                for line in lines.iter().take(LINES) {
                    writeln!(self.out, "         {line}")?;
                }
                if let Some(more @ 1..) = lines.len().checked_sub(LINES) {
                    writeln!(self.out, "         and {more} more")?;
                }
            }
            Verdict::Refused(why) => {
                self.refused += 1;
                writeln!(self.out, "not run  {test}: {why}")?;
            }
        }
        Ok(())
    }
}
