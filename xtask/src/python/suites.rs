//! The suites of clients, and how they are run.

use std::path::PathBuf;
use std::process::Command;

/// A plugin of pytest that writes down what every test told, by the name under which it is imported, and the variables that say where, and which tests.
pub(super) const PLUGIN: (&str, &str) = ("warpwise_record", include_str!("warpwise_record.py"));
pub(super) const RECORD: &str = "WARPWISE_RECORD";
pub(super) const EVERY: &str = "WARPWISE_EVERY";
pub(super) const SAMPLE: &str = "WARPWISE_SAMPLE";

/// The variable that names a folder with the sources of clients, each under the name of its repository.
const SOURCES: &str = "WARPWISE_CLIENT_SOURCES";

/// Seconds that a test may take.
const TEST_LIMIT: &str = "600";

/// A suite.
pub(super) struct Suite {
    /// The client's page.
    pub(super) client: &'static str,
    pub(super) package: &'static str,
    pub(super) name: &'static str,
    pub(super) device: &'static str,
    /// The folder of the sources that pytest begins in.
    folder: &'static str,
    /// What pytest is told: files and options.
    words: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

/// The suites, in the order of the table.
pub(super) const SUITES: [Suite; 6] = [
    Suite {
        client: "numba-cuda",
        package: "numba-cuda",
        name: "numba-cuda: `numba.cuda.tests`",
        device: "sm_80",
        // It has the settings with which the package's tests are to be run.
        folder: "numba-cuda/testing",
        words: &["--dist", "loadscope"],
        environment: &[],
    },
    Suite {
        client: "cupy",
        package: "cupy-cuda13x",
        name: "CuPy: raw, elementwise and reduction kernels, elementwise and reduction routines",
        device: "sm_120",
        folder: "cupy/tests",
        words: &[
            "cupy_tests/core_tests/test_raw.py",
            "cupy_tests/core_tests/test_userkernel.py",
            "cupy_tests/core_tests/test_elementwise.py",
            "cupy_tests/core_tests/test_reduction.py",
            "cupy_tests/core_tests/test_ndarray_reduction.py",
            "cupy_tests/core_tests/test_ndarray_elementwise_op.py",
            "-m",
            "not slow and not multi_gpu",
        ],
        environment: &[],
    },
    Suite {
        client: "triton",
        package: "triton",
        name: "Triton: the language, `test_core.py`",
        device: "sm_80",
        folder: "triton/python/test/unit/language",
        words: &["test_core.py", "--device", "cpu"],
        environment: &[],
    },
    Suite {
        client: "cuda-python",
        package: "cuda-bindings",
        name: "cuda.bindings",
        device: "sm_120",
        folder: "cuda-python/cuda_bindings",
        words: &["tests"],
        environment: &[],
    },
    Suite {
        client: "cuda-python",
        package: "cuda-core",
        name: "cuda.core",
        device: "sm_120",
        folder: "cuda-python/cuda_core",
        words: &["tests"],
        environment: &[],
    },
    Suite {
        client: "tinygrad",
        package: "tinygrad",
        name: "tinygrad: `test_ops.py`",
        device: "sm_80",
        folder: "tinygrad/test",
        words: &["backend/test_ops.py"],
        environment: &[("DEV", "CUDA")],
    },
];

impl Suite {
    /// Gives the interpreter what runs the suite in so many processes.
    pub(super) fn prepare(&self, python: &mut Command, jobs: u32) -> Result<(), String> {
        let sources = std::env::var_os(SOURCES).map(PathBuf::from).ok_or_else(|| {
            format!("{SOURCES} must name the folder with the sources of clients, each under the name of its repository")
        })?;
        // Before pytest is there: filters of warnings in the settings of a suite import the client.
        python.args(["-m", "warpwise", "--device", self.device, "-m", "pytest"]);
        // A test that hangs in the driver hears no signal: a thread ends its process.
        python.args(["-q", "--timeout", TEST_LIMIT, "--timeout-method", "thread"]);
        python.args(["-p", "no:cacheprovider", "-p", PLUGIN.0, "-n", &jobs.to_string()]);
        python.args(self.words).envs(self.environment.iter().copied());
        python.current_dir(sources.join(self.folder));
        Ok(())
    }
}
