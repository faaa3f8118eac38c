//! The suites of clients, and what they tell.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A plugin of pytest that takes a sample, by the name under which it is imported, and the variable that says how large it is.
pub(super) const SAMPLE: (&str, &str) = ("warpwise_sample", include_str!("warpwise_sample.py"));
pub(super) const EVERY: &str = "WARPWISE_EVERY";

/// Seconds that a test of pytest may take.
const TEST_LIMIT: &str = "300";

/// How a suite is run.
enum How {
    /// By `numba.runtests`, of modules that are installed.
    Numba(&'static [&'static str]),
    /// By pytest: files of a folder that a variable of the environment names, and options.
    Pytest {
        folder: &'static str,
        files: &'static [&'static str],
        options: &'static [&'static str],
    },
}

/// A suite.
pub(super) struct Suite {
    /// The client's page.
    pub(super) client: &'static str,
    pub(super) package: &'static str,
    pub(super) name: &'static str,
    pub(super) device: &'static str,
    how: How,
}

/// What a suite told.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Verdicts {
    pub(super) passed: usize,
    pub(super) failed: Vec<String>,
    pub(super) skipped: usize,
}

/// The suites, in the order of the table.
pub(super) const SUITES: [Suite; 3] = [
    Suite {
        client: "numba-cuda",
        package: "numba-cuda",
        name: "numba-cuda: `cudapy`, `cudadrv`, `doc_examples`",
        device: "sm_80",
        how: How::Numba(&[
            "numba.cuda.tests.cudapy",
            "numba.cuda.tests.cudadrv",
            "numba.cuda.tests.doc_examples",
        ]),
    },
    Suite {
        client: "cupy",
        package: "cupy-cuda13x",
        name: "CuPy: raw, elementwise and reduction kernels, elementwise and reduction routines",
        device: "sm_120",
        how: How::Pytest {
            folder: "WARPWISE_CUPY_TESTS",
            files: &[
                "cupy_tests/core_tests/test_raw.py",
                "cupy_tests/core_tests/test_userkernel.py",
                "cupy_tests/core_tests/test_elementwise.py",
                "cupy_tests/core_tests/test_reduction.py",
                "cupy_tests/core_tests/test_ndarray_reduction.py",
                "cupy_tests/core_tests/test_ndarray_elementwise_op.py",
            ],
            options: &["-m", "not slow and not multi_gpu"],
        },
    },
    Suite {
        client: "triton",
        package: "triton",
        name: "Triton: the language",
        device: "sm_80",
        how: How::Pytest {
            folder: "WARPWISE_TRITON_TESTS",
            files: &["test_core.py"],
            options: &["--device", "cpu"],
        },
    },
];

impl Suite {
    /// The arguments of the interpreter, for every `every`-th test, in so much time.
    pub(super) fn command(
        &self,
        report: &Path,
        every: usize,
        limit: Duration,
    ) -> Result<Vec<String>, String> {
        let words = |list: &[&str]| list.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
        match &self.how {
            How::Numba(modules) => {
                let mut all = words(&[
                    "-m",
                    "warpwise",
                    "--device",
                    self.device,
                    "-m",
                    "numba.runtests",
                    "-v",
                    "--slice",
                ]);
                // Which of so many parts: numba takes tests by the hash of their names.
                all.push(format!("0:{every}"));
                all.push("--".to_owned());
                all.extend(words(modules));
                Ok(all)
            }
            How::Pytest { folder, files, options } => {
                let sources = std::env::var_os(folder).map(PathBuf::from).ok_or_else(|| {
                    format!("{folder} must name the folder with the tests of {}: they are in its sources", self.package)
                })?;
                let mut all =
                    words(&["-m", "pytest", "--warpwise", "--warpwise-device", self.device]);
                all.extend(words(&["-q", "--timeout", TEST_LIMIT, "-p", "no:cacheprovider"]));
                all.extend(words(&["-p", SAMPLE.0, "--session-timeout"]));
                all.push(limit.as_secs().to_string());
                all.extend(words(options));
                all.push(format!("--junitxml={}", report.display()));
                all.extend(files.iter().map(|file| sources.join(file).display().to_string()));
                Ok(all)
            }
        }
    }

    /// What it told, by its log or its report.
    pub(super) fn read(&self, log: &str, report: &Path) -> Verdicts {
        match &self.how {
            How::Numba(_) => of_unittest(log),
            How::Pytest { .. } => of_junit(&fs::read_to_string(report).unwrap_or_default()),
        }
    }
}

/// The lines of `unittest`: `name (where) ... ok`, and its summary, which names those that failed.
fn of_unittest(log: &str) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for line in log.lines() {
        let word = line.rsplit(" ... ").next().unwrap_or(line).trim();
        match word {
            "ok" | "expected failure" => verdicts.passed += 1,
            _ if word.starts_with("skipped ") => verdicts.skipped += 1,
            _ => {}
        }
        let failed = line.strip_prefix("FAIL: ").or(line.strip_prefix("ERROR: "));
        if let Some(name) = failed {
            verdicts.failed.push(name.split(" (").next().unwrap_or(name).to_owned());
        }
    }
    verdicts
}

/// The cases of a JUnit document, as pytest writes it.
fn of_junit(report: &str) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for case in report.split("<testcase ").skip(1) {
        let attribute = |name: &str| {
            let (_, rest) = case.split_once(&format!("{name}=\""))?;
            rest.split_once('"').map(|(value, _)| value)
        };
        let name = || {
            let class = attribute("classname").unwrap_or("");
            format!("{class}::{}", attribute(" name").unwrap_or(""))
        };
        match () {
            () if case.contains("<failure") || case.contains("<error") => {
                verdicts.failed.push(name());
            }
            () if case.contains("<skipped") => verdicts.skipped += 1,
            () => verdicts.passed += 1,
        }
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_unittest() {
        let log = "test_a (x.T.test_a) ... ok\ntest_b (x.T.test_b) ... skipped 'no'\n\
                   test_c (x.T.test_c) ... FAIL\nwarning in between ... \nok\nFAIL: test_c (x.T.test_c)\n";
        let expected = Verdicts { passed: 2, failed: vec!["test_c".to_owned()], skipped: 1 };
        assert_eq!(of_unittest(log), expected);
    }

    #[test]
    fn cases_of_junit() {
        let report = "<testsuite><testcase classname=\"a.T\" name=\"x\" time=\"1\" />\
                      <testcase classname=\"a.T\" name=\"y\"><failure message=\"no\">...</failure></testcase>\
                      <testcase classname=\"a.T\" name=\"z\"><skipped/></testcase></testsuite>";
        let expected = Verdicts { passed: 1, failed: vec!["a.T::y".to_owned()], skipped: 1 };
        assert_eq!(of_junit(report), expected);
    }
}
