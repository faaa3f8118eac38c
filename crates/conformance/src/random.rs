//! Random kernels: the device against a reference that runs them lane by lane.

use crate::driver::{Asked, Driver, Refused, Shape};
use crate::told::Verdict;
use generate::{Buffers, Case, Choices, generate_for, ptx, reference, shrink};

/// The architecture that kernels are written for on a device of this capability; nothing below the first.
pub(crate) fn target(capability: u32) -> Option<u32> {
    ptx::TARGETS.into_iter().rfind(|target| *target <= capability)
}

/// How the kernel of a seed fared.
pub(crate) struct Tried {
    pub(crate) verdict: Verdict,
    /// A small kernel that differs, too, as PTX.
    pub(crate) smallest: Option<String>,
    /// Whether the driver goes on.
    pub(crate) goes_on: bool,
}

/// Runs the kernel of a seed, and compares what its threads leave. Where that differs, so many attempts are made to find a smaller
/// kernel that differs, too.
pub(crate) fn run(driver: &Driver, seed: u64, target: u32, attempts: u32) -> Tried {
    let mut choices = Choices::from_seed(seed);
    let verdict = run_choices(driver, &mut choices, target);
    let mut goes_on = !matches!(verdict, Verdict::Stopped(_));
    let mut smallest = None;
    if attempts > 0 && matches!(verdict, Verdict::Different(_)) {
        let differs = |bytes: &[u8]| {
            let mut choices = Choices::from_bytes(bytes);
            let verdict = goes_on.then(|| run_choices(driver, &mut choices, target))?;
            goes_on = !matches!(verdict, Verdict::Stopped(_));
            matches!(verdict, Verdict::Different(_)).then_some(())
        };
        smallest = shrink(choices.made(), attempts, differs).and_then(|(bytes, ())| {
            ptx::print(&case_of(&mut Choices::from_bytes(&bytes), target), target).ok()
        });
    }
    Tried { verdict, smallest, goes_on }
}

fn case_of(choices: &mut Choices, target: u32) -> Case {
    ptx::portable(&generate_for(choices, target), target)
}

fn run_choices(driver: &Driver, choices: &mut Choices, target: u32) -> Verdict {
    let case = case_of(choices, target);
    let expected = match reference::run(&case) {
        Ok(expected) => expected,
        Err(why) => return Verdict::Refused(format!("the reference does not run it: {why}")),
    };
    let text = match ptx::print(&case, target) {
        Ok(text) => text,
        Err(why) => return Verdict::Refused(why),
    };
    match found(driver, &case, &text) {
        Ok(found) => {
            let lines = differences(&case, &expected, &found);
            if lines.is_empty() { Verdict::Same } else { Verdict::Different(lines) }
        }
        Err(refused @ Refused { function: "cuModuleLoadDataEx", .. }) => {
            Verdict::Different(vec![refused.to_string()])
        }
        Err(refused) => Verdict::Stopped(refused.to_string()),
    }
}

fn found(driver: &Driver, case: &Case, text: &str) -> Asked<Buffers> {
    let module = driver.load(text)?;
    let function = module.function(&case.kernel.name)?;
    let input = driver.allocate(case.input.len())?;
    input.write(&case.input)?;
    let output = driver.allocate(case.output_bytes)?;
    output.clear()?;
    let counters = driver.allocate(case.counter_bytes)?;
    counters.clear()?;
    let mut parameters = [case.params(input.address, output.address, counters.address)];
    let Case { grid, cluster, block, dynamic_shared, .. } = *case;
    function.launch(&Shape { grid, block, cluster, dynamic_shared }, &mut parameters)?;
    Ok(Buffers { output: output.read()?, counters: counters.read()? })
}

/// Lines that say which thread, and so which lane, left what.
fn differences(case: &Case, expected: &Buffers, found: &Buffers) -> Vec<String> {
    let threads: u32 = case.block.iter().product();
    let ctas: u32 = case.grid.iter().product();
    let each = case.output_bytes / (threads * ctas) as usize;
    let mut lines = Vec::new();
    let all = expected.output.chunks(each).zip(found.output.chunks(each)).enumerate();
    for (nth, (expected, found)) in all.filter(|(_, (expected, found))| expected != found) {
        let nth = nth as u32;
        let thread = nth % threads;
        let words = expected.chunks(4).zip(found.chunks(4)).enumerate();
        let differs = |(at, (one, other)): &(usize, (&[u8], &[u8]))| {
            one != other && !(is_nan(expected, *at) && is_nan(found, *at))
        };
        for (at, (expected, found)) in words.filter(differs) {
            lines.push(format!(
                "CTA {}, warp {}, lane {}, word {at}: 0x{}, not 0x{}",
                nth / threads,
                thread / 32,
                thread % 32,
                hex(found),
                hex(expected),
            ));
        }
    }
    let counters = expected.counters.chunks(8).zip(found.counters.chunks(8)).enumerate();
    for (nth, (expected, found)) in counters.filter(|(_, (expected, found))| expected != found) {
        lines.push(format!("counter {nth}: 0x{}, not 0x{}", hex(found), hex(expected)));
    }
    lines
}

/// Whether a word is part of a NaN of binary64: which of two NaNs an operation gives on is left open (PTX ISA 9.1, 9.7.3), and
/// kernels store what they have in 64-bit registers in pairs of words.
fn is_nan(words: &[u8], at: usize) -> bool {
    let pair = words.chunks_exact(8).nth(at / 2).and_then(|pair| pair.try_into().ok());
    pair.is_some_and(|pair| f64::from_le_bytes(pair).is_nan())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect()
}
