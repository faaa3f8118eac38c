//! What is found, told as it is found.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

/// The lines that are shown of one test.
const LINES: usize = 8;

/// Counts of what was tried. As text, four numbers with commas between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tests that were tried, in the order that is always the same.
    pub(crate) tried: u64,
    /// Tests whose results are the same.
    pub(crate) same: u64,
    /// Tests whose results differ.
    pub(crate) different: u64,
    /// Tests that the device or the driver cannot run.
    pub(crate) refused: u64,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { tried, same, different, refused } = self;
        write!(f, "{tried},{same},{different},{refused}")
    }
}

impl FromStr for Counts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<u64>, _> = text.split(',').map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[tried, same, different, refused]) => {
                Ok(Counts { tried, same, different, refused })
            }
            _ => Err("four numbers with commas between are expected".to_owned()),
        }
    }
}

/// What is told, and the counts of it.
pub(crate) struct Told<W> {
    out: W,
    /// Tests that processes before this one have tried.
    before: u64,
    /// Tests that have come, those of the processes before among them.
    pub(crate) counts: Counts,
}

/// Why nothing can be told.
pub(crate) fn failed(why: io::Error) -> String {
    why.to_string()
}

/// How a test fared.
pub(crate) enum Verdict {
    /// As it should be.
    Same,
    /// The places that differ, a line each.
    Different(Vec<String>),
    /// The driver stopped the kernel; nothing more can be asked in this process (CUDA Driver API, `CUresult`).
    Stopped(String),
    /// Why it cannot be run.
    Refused(String),
}

impl<W: Write> Told<W> {
    /// What a process tells that goes on from where another one stood.
    pub(crate) fn new(out: W, stood: Counts) -> Self {
        Told { out, before: stood.tried, counts: Counts { tried: 0, ..stood } }
    }

    /// Whether the next test is left to this process.
    pub(crate) fn next(&mut self) -> bool {
        self.counts.tried += 1;
        self.counts.tried > self.before
    }

    /// A line.
    pub(crate) fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// A test's verdict; nothing is said of one that is as it should be.
    pub(crate) fn judge(&mut self, test: &str, verdict: Verdict) -> io::Result<()> {
        match verdict {
            Verdict::Same => self.counts.same += 1,
            Verdict::Stopped(why) => {
                self.counts.different += 1;
                writeln!(self.out, "differs  {test}\n         {why}")?;
            }
            Verdict::Different(lines) => {
                self.counts.different += 1;
                writeln!(self.out, "differs  {test}")?;
                for line in lines.iter().take(LINES) {
                    writeln!(self.out, "         {line}")?;
                }
                if let Some(more @ 1..) = lines.len().checked_sub(LINES) {
                    writeln!(self.out, "         and {more} more")?;
                }
            }
            Verdict::Refused(why) => {
                self.counts.refused += 1;
                writeln!(self.out, "not run  {test}: {why}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_back() {
        let counts = Counts { tried: 9, same: 5, different: 3, refused: 1 };
        assert_eq!(counts.to_string().parse(), Ok(counts));
        assert!("1,2,3".parse::<Counts>().is_err());
    }

    #[test]
    fn a_process_goes_on_behind_what_was_tried() {
        let stood = Counts { tried: 2, same: 1, different: 1, refused: 0 };
        let mut told = Told::new(Vec::new(), stood);
        assert_eq!([told.next(), told.next(), told.next()], [false, false, true]);
        told.judge("c", Verdict::Stopped("why".to_owned())).expect("it is written");
        assert_eq!(told.counts, Counts { tried: 3, same: 1, different: 2, refused: 0 });
    }
}
