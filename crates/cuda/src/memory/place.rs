//! Where the program was when it called the driver.

use std::backtrace::Backtrace;
use std::sync::Arc;
use warpwise::plain_name;

/// A place in the program, made out when somebody asks.
#[derive(Clone, Debug)]
pub(crate) struct CallPlace(Arc<Backtrace>);

impl CallPlace {
    /// The place that calls now. It takes some microseconds.
    pub(crate) fn here() -> CallPlace {
        CallPlace(Arc::new(Backtrace::force_capture()))
    }

    /// The place for people, if the program has symbols: its function, and the line if it was compiled with `-g`.
    pub(crate) fn told(&self) -> Option<String> {
        outside(&self.0.to_string())
    }

    /// The function of the program in which an instruction of a trace stands, or that called the one in which it stands.
    pub(crate) fn of_instruction(trace: &Backtrace, code: u64) -> Option<String> {
        around(&format!("{trace:#}"), code)
    }
}

/// The first frame with a name from an instruction on in the long text of a backtrace, whose lines are
/// `  1:     0x401136 - function`; one with a line of a source goes first.
fn around(backtrace: &str, code: u64) -> Option<String> {
    let lines: Vec<&str> = backtrace.lines().map(str::trim).collect();
    let frame = |at: usize| {
        let (number, rest) = lines.get(at)?.split_once(": ")?;
        number.parse::<u32>().ok()?;
        let (address, name) = rest.trim().split_once(" - ")?;
        let address = u64::from_str_radix(address.strip_prefix("0x")?, 16).ok()?;
        let line = lines.get(at + 1).and_then(|line| line.strip_prefix("at "));
        Some((address, plain_name(name), line))
    };
    let frames = (0..lines.len()).filter_map(frame).skip_while(|(address, ..)| *address != code);
    let frames: Vec<_> = frames.filter(|(_, name, _)| name != "<unknown>").collect();
    let (_, name, line) = frames.iter().find(|(.., line)| line.is_some()).or(frames.first())?;
    Some(told(name, *line))
}

/// A function, and its line if that is known.
fn told(name: &str, line: Option<&str>) -> String {
    match line {
        Some(line) => format!("`{name}`, {}", line.trim_end_matches(':')),
        None => format!("`{name}`"),
    }
}

/// The first frame outside of CUDA's interfaces in the text of a backtrace: lines `  1: function`, each with a line
/// `             at file:line:column` behind it if that is known.
fn outside(backtrace: &str) -> Option<String> {
    let lines: Vec<&str> = backtrace.lines().map(str::trim).collect();
    let frame = |line: &&str| {
        let (number, name) = line.split_once(": ")?;
        number.parse::<u32>().ok().map(|_| plain_name(name))
    };
    let frames: Vec<(usize, String)> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, frame(line)?))).collect();
    // Templates of the runtime's header are the program's by their place, but none of its own.
    let last = frames.iter().rposition(|(_, name)| is_interface(name))?;
    // A kernel's function on the host calls its stub, and is no place of the program's either.
    let stub = frames.get(last).and_then(|(_, name)| name.strip_prefix(STUB)).unwrap_or_default();
    let is_outside = |name: &str| name != "<unknown>" && !stub.contains(name);
    let (at, name) = frames.get(last + 1..)?.iter().find(|(_, name)| is_outside(name))?;
    let line = lines.get(at + 1).and_then(|line| line.strip_prefix("at "));
    Some(told(name, line))
}

/// How the names of the functions begin that `nvcc` makes for launches.
const STUB: &str = "__device_stub_";

/// Whether a function is one of CUDA's: `cuMemAlloc_v2`, `cudaMalloc`, `cudaMalloc<float>`, `__cudaLaunchKernel`, or a stub.
fn is_interface(name: &str) -> bool {
    let name = name.rsplit(' ').next().unwrap_or(name);
    if name.starts_with(STUB) {
        return true;
    }
    let name = name.strip_prefix("__").unwrap_or(name);
    let rest = name.strip_prefix("cuda").or_else(|| name.strip_prefix("cu"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_the_first_one_outside_of_cuda() {
        let text = "   0: <unknown>\n   1: cuMemAlloc_v2\n   2: <unknown>\n   3: cudaMalloc\n   \
                    4: _Z4makei\n             at ./app.cu:12\n   5: main\n";
        assert_eq!(outside(text), Some("`make`, ./app.cu:12".to_owned()));
        assert_eq!(outside("   0: cudaMalloc\n   1: main\n"), Some("`main`".to_owned()));
        assert_eq!(outside("   0: a\n   1: main\n"), None);
        assert_eq!(outside("   0: cudaMalloc\n   1: <unknown>\n"), None);
        let text = "   0: cuLaunchKernel\n   1: __cudaLaunchKernel\n   2: __device_stub__Z6addOnePi\n   \
                    3: _Z6addOnePi\n   4: main\n";
        assert_eq!(outside(text), Some("`main`".to_owned()));
        let text = "   0:     0x7f12a4 - on_fault\n   1:     0x401130 - <unknown>\n   2:     0x7f5500 - memcpy\n   \
                    3:     0x401136 - _Z4readPi\n                           at ./app.cu:12:5\n   4:     0x401190 - main\n";
        assert_eq!(around(text, 0x7f5500), Some("`read`, ./app.cu:12:5".to_owned()));
        assert_eq!(around(text, 0x401190), Some("`main`".to_owned()));
        assert_eq!(around(text, 1), None);
        assert!(is_interface("cudaError cudaMalloc<float>") && !is_interface("cudart_test"));
    }
}
