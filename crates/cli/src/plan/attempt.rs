//! Runs one test of a plan.

use super::form::FaultWord;
use super::read::{Equals, Expect, Launch, Named, Setting, Test, is_error, listed};
use crate::buffers::{self, Maker, Refusal};
use crate::expect::{self, Loaded};
use crate::filled::Filled;
use crate::npy::Array;
use crate::report::{Stop, Told};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use warpwise::diag::{Class, Diagnostic, Severity, Span};
use warpwise::{
    CheckOptions, Checked, Code, Comparison, Device, EngineChoice, Fault, FaultKind, LaunchConfig,
    Module, Report, Stats, compare,
};

/// What came of a test.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    pub(crate) told: Told,
    pub(crate) launches: Vec<Launched>,
    pub(crate) compared: Vec<Compared>,
    pub(crate) elapsed: Duration,
}

/// Whether a test is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// It is right.
    Passed,
    /// It is not; the diagnostics say why.
    Failed,
    /// Its plan says that it is not run.
    Ignored,
    /// It was not done when the user ended the command.
    Interrupted,
}

/// What a launch did.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) kernel: String,
    pub(crate) stats: Option<Stats>,
    /// The codes of what was found, each once.
    pub(crate) findings: Vec<Code>,
    pub(crate) fault: Option<&'static str>,
}

/// A result beside what was expected.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) of: String,
    pub(crate) expected: String,
    pub(crate) found: Comparison,
    pub(crate) shape: Array,
}

/// What every test of a run has in common.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    /// Threads of the host for a launch.
    pub(crate) threads: usize,
    /// What executes kernels.
    pub(crate) engine: EngineChoice,
    /// Bytes for all buffers of a test.
    pub(crate) budget: u64,
    pub(crate) interrupted: &'a (dyn Fn() -> bool + Sync),
}

/// Runs a test.
pub(crate) fn attempt(test: &Test, means: Means<'_>) -> Outcome {
    let started = Instant::now();
    let mut outcome = Outcome {
        verdict: Verdict::Passed,
        told: Vec::new(),
        launches: Vec::new(),
        compared: Vec::new(),
        elapsed: Duration::ZERO,
    };
    if test.ignore.is_some() {
        outcome.verdict = Verdict::Ignored;
        return outcome;
    }
    let device = Device::of_target(test.target.as_deref());
    let ran = device.map_err(|error| (test.place, Stop::from(error))).and_then(|device| {
        let buffers = BTreeMap::new();
        let mut run = Run {
            test,
            means,
            device,
            buffers,
            set: Vec::new(),
            budget: means.budget,
            outcome: &mut outcome,
        };
        run.all()
    });
    if let Err((place, stop)) = ran {
        outcome.refuse(test, place, stop);
    }
    let errors = outcome.told.iter().flat_map(|(_, found)| found).any(is_error);
    if (means.interrupted)() {
        outcome.verdict = Verdict::Interrupted;
    } else if errors {
        outcome.verdict = Verdict::Failed;
    }
    outcome.elapsed = started.elapsed();
    outcome
}

impl Outcome {
    fn tell(&mut self, test: &Test, found: Diagnostic) {
        self.told.push((Arc::clone(&test.sources), vec![found]));
    }

    /// Says at a place of the plan why it cannot be done.
    fn refuse(&mut self, test: &Test, place: Span, stop: Stop) {
        for mut found in stop.diagnostics {
            match found.labels.is_empty() {
                true => {
                    found = found.label(place, "");
                    self.tell(test, found);
                }
                false => {
                    if is_error(&found) {
                        let message = "this launch is not possible";
                        self.tell(test, Diagnostic::error(place, message));
                    }
                    self.told.push((Arc::clone(&stop.sources), vec![found]));
                }
            }
        }
    }
}

/// A test that is under way.
struct Run<'a> {
    test: &'a Test,
    means: Means<'a>,
    device: Device,
    /// The buffers of the plan.
    buffers: BTreeMap<String, Filled>,
    /// What variables were set with: types, shapes, and where it stands.
    set: Vec<(Arc<Module>, String, Filled)>,
    budget: u64,
    outcome: &'a mut Outcome,
}

/// Why it does not go on, and where in the plan.
type Refused = (Span, Stop);

impl Run<'_> {
    fn all(&mut self) -> Result<(), Refused> {
        let test = self.test;
        for Named { name, is, place } in &test.buffers {
            let Some(module) = test.launches.first().map(|launch| Arc::clone(&launch.module))
            else {
                continue;
            };
            let made = self.maker(&module).buffer(is, &format!("buffer `{name}`"));
            let filled = made.map_err(|refusal| (*place, refusal.into()))?;
            self.buffers.insert(name.clone(), filled);
        }
        self.set(&test.set)?;
        for (nth, launch) in test.launches.iter().enumerate() {
            self.set(&launch.set)?;
            let goes_on = self.launch(launch)?;
            if (self.means.interrupted)() {
                return Ok(());
            }
            if !goes_on {
                self.leave_out(nth);
                return Ok(());
            }
        }
        for expect in &test.expects {
            self.expect(expect)?;
        }
        Ok(())
    }

    fn maker<'m>(&'m mut self, module: &'m Module) -> Maker<'m> {
        Maker {
            device: &self.device,
            module,
            shared: Some(&self.buffers),
            names: Vec::new(),
            budget: &mut self.budget,
        }
    }

    fn set(&mut self, settings: &[Setting]) -> Result<(), Refused> {
        for Setting { module, value: Named { name, is, place } } in settings {
            let set = self.maker(module).set(name, is, &[]);
            if let Some(filled) = set.map_err(|refusal| (*place, refusal.into()))? {
                self.set.retain(|(of, known, _)| !(Arc::ptr_eq(of, module) && known == name));
                self.set.push((Arc::clone(module), name.clone(), filled));
            }
        }
        Ok(())
    }

    /// Says what was not done after a kernel was stopped as it should be.
    fn leave_out(&mut self, nth: usize) {
        if self.outcome.told.iter().flat_map(|(_, found)| found).any(is_error) {
            return;
        }
        let test = self.test;
        let launches = test.launches.get(nth + 1..).unwrap_or_default();
        let places = launches.iter().map(|launch| launch.place);
        for place in places.chain(test.expects.iter().map(|expect| expect.place)) {
            let message = "nothing runs and nothing is compared after a kernel that was stopped";
            self.outcome.tell(test, Diagnostic::error(place, message));
        }
    }

    /// Launches a kernel. Whether the test goes on.
    fn launch(&mut self, launch: &Launch) -> Result<bool, Refused> {
        let refuse = |error| (launch.place, Stop::from(error));
        let kernel = launch.module.kernel(&launch.kernel).map_err(refuse)?;
        let wanted = kernel.params().len();
        if launch.args.len() != wanted {
            let message = format!(
                "kernel `{}` takes {wanted} arguments, not {}",
                kernel.plain_name(),
                launch.args.len()
            );
            let mut stop = Stop::usage(message);
            stop.diagnostics.iter_mut().for_each(|it| it.notes.push(kernel.signature()));
            return Err((launch.place, stop));
        }
        let mut args = Vec::new();
        let made = self.maker(&launch.module).arguments(&launch.args);
        for argument in made.map_err(|refusal| (launch.place, refusal.into()))? {
            args.push(argument.arg);
        }
        for mut doubt in kernel.doubts(&args) {
            // They point into the module, and the mistake is the plan's.
            doubt.labels.clear();
            self.outcome.tell(self.test, doubt.label(launch.place, ""));
        }
        let config = LaunchConfig {
            cluster: launch.cluster,
            dynamic_shared: launch.smem,
            stack_limit: launch.stack,
            threads: self.means.threads,
            engine: self.means.engine,
            schedule: launch.schedule.clone(),
            max_steps: launch.max_steps,
            interrupted: self.means.interrupted,
            ..LaunchConfig::new(launch.grid, launch.block)
        };
        let device = &self.device;
        let name = kernel.plain_name();
        if !launch.check {
            return match kernel.launch(device, &config, &args) {
                Ok(report) => Ok(self.ended(launch, name, &report)),
                Err(error) => match error.failure().fault.clone() {
                    Some(fault) => Ok(self.stopped(launch, name, &fault, Stop::from(error))),
                    None => Err(refuse(error)),
                },
            };
        }
        let options = CheckOptions::default();
        let checked = match launch.explore {
            Some(explore) => kernel.explore(device, &config, options, explore, &args),
            None => kernel.check(device, &config, options, &args),
        };
        Ok(self.checked(launch, name, checked.map_err(refuse)?))
    }

    /// A launch that came to its end.
    fn ended(&mut self, launch: &Launch, kernel: String, report: &Report) -> bool {
        let stats = Some(report.stats);
        self.outcome.launches.push(Launched { kernel, stats, findings: Vec::new(), fault: None });
        self.printed(launch, report);
        let Some(fault) = launch.fault else { return true };
        self.not_stopped(launch, fault);
        false
    }

    fn not_stopped(&mut self, launch: &Launch, fault: FaultWord) {
        let message =
            format!("the kernel came to its end, and should be stopped: {}", fault.word());
        let found = Diagnostic::new(Severity::Error, Class::Mismatch, message);
        self.outcome.tell(self.test, found.label(launch.place, "this launch"));
    }

    /// A launch that was stopped; it is over.
    fn stopped(&mut self, launch: &Launch, kernel: String, fault: &Fault, stop: Stop) -> bool {
        let (stats, findings) = (stop.stats, Vec::new());
        let word = Some(fault.kind.word());
        self.outcome.launches.push(Launched { kernel, stats, findings, fault: word });
        if launch.fault.is_none_or(|expected| !expected.is(&fault.kind)) {
            let label = match launch.fault {
                Some(expected) => format!("this launch should be stopped: {}", expected.word()),
                None => "this launch".to_owned(),
            };
            let message = format!("the kernel was stopped: {}", fault.kind.word());
            let mut found = Diagnostic::new(Severity::Error, Class::Mismatch, message);
            if let (None, Some(word)) = (launch.fault, FaultWord::of(&fault.kind)) {
                let word = word.word();
                found.help = Some(format!("if it should be, write `expect-fault = \"{word}\"`"));
            }
            self.outcome.tell(self.test, found.label(launch.place, label));
            self.outcome.told.push((stop.sources, stop.diagnostics));
        }
        false
    }

    /// A launch that was checked. Whether the test goes on.
    fn checked(&mut self, launch: &Launch, kernel: String, checked: Checked) -> bool {
        let mut codes: Vec<Code> = checked.findings.iter().map(|found| found.code).collect();
        codes.sort_unstable();
        codes.dedup();
        let fault = checked.fault.as_ref().map(|fault| fault.kind.word());
        self.outcome.launches.push(Launched {
            kernel,
            stats: Some(checked.report.stats),
            findings: codes.clone(),
            fault,
        });
        if checked.fault.is_none() {
            self.printed(launch, &checked.report);
        }
        for (code, place) in launch.findings.iter().filter(|(code, _)| !codes.contains(code)) {
            let message = format!("{} is not found: {}", code.word(), code.title());
            let found = Diagnostic::new(Severity::Error, Class::Mismatch, message);
            self.outcome.tell(self.test, found.label(*place, "expected here"));
        }
        let expected = |code: &Code| launch.findings.iter().any(|(named, _)| named == code);
        let accepted = |code: &str| {
            let named = codes.iter().find(|named| named.word() == code);
            named.is_some_and(|code| expected(code) || self.test.allow.contains(code))
        };
        let stops = |kind: &FaultKind| launch.fault.is_some_and(|expected| expected.is(kind));
        let is_expected = checked.fault.as_ref().is_some_and(|fault| stops(&fault.kind));
        let mut told = checked.diagnostics;
        // What stopped the kernel has no code.
        told.retain(|found| match found.code {
            "" => !(is_expected && is_error(found)),
            code => !accepted(code),
        });
        if told.iter().any(is_error) {
            let errors = told.iter().filter(|found| is_error(found)).count();
            let message = match errors {
                1 => "a finding that the plan does not name".to_owned(),
                count => format!("{count} findings that the plan does not name"),
            };
            let found = Diagnostic::new(Severity::Error, Class::Mismatch, message);
            let help = "`expect-findings` of the launch says what must be found, `allow` of the test what may be";
            self.outcome.tell(self.test, found.label(launch.place, "this launch").help(help));
        }
        self.outcome.told.push((checked.sources, told));
        match (launch.fault, checked.fault) {
            (Some(fault), None) => {
                self.not_stopped(launch, fault);
                false
            }
            (None, None) => true,
            (_, Some(_)) => false,
        }
    }

    fn printed(&mut self, launch: &Launch, report: &Report) {
        let Some((expected, place)) = &launch.printed else { return };
        let text = report.printed.text();
        let printed = String::from_utf8_lossy(&text);
        if printed != expected.as_str() {
            let message = "the kernel printed something else";
            let found = Diagnostic::new(Severity::Error, Class::Mismatch, message);
            let found = found.label(*place, "expected").note(format!("printed: {printed:?}"));
            self.outcome.tell(self.test, found);
        }
    }

    /// A buffer of the plan or a variable, in the type that is said, set or declared.
    fn result(
        &mut self,
        name: &str,
        module: Option<&Arc<Module>>,
        element: Option<warpwise::ElementType>,
    ) -> Result<Filled, Refusal> {
        let Some(module) = module else {
            let unknown = || Refusal::Usage(format!("there is no buffer `{name}`"));
            return Ok(self.buffers.get(name).ok_or_else(unknown)?.seen_as(element));
        };
        let of = |known: &&(Arc<Module>, String, Filled)| {
            Arc::ptr_eq(&known.0, module) && known.1 == name
        };
        match self.set.iter().find(of).filter(|_| element.is_none()) {
            Some((.., filled)) => Ok(filled.clone()),
            None => self.maker(module).variable(name, element),
        }
    }

    /// Compares a result with what is expected.
    fn expect(&mut self, expect: &Expect) -> Result<(), Refused> {
        let place = expect.place;
        let at = |refusal: Refusal| (place, Stop::from(refusal));
        let lost = |error| (place, Stop::from(error));
        let filled =
            self.result(&expect.name, expect.module.as_ref(), expect.element).map_err(at)?;
        let of = warpwise::plain_name(&expect.name);
        let wrong = |why: String| {
            (expect.expected.0, Stop::usage(format!("`{of}` cannot be compared: {why}")))
        };
        let Loaded { array: mut wanted, bytes: mut expected } =
            self.expected(expect, &filled.array, &wrong)?;
        let mut array = bytes_as(&filled.array, expect, &wanted);
        let got = filled.bytes(&self.device, u64::MAX).map_err(lost)?;
        if let Some(first) = expect.first {
            (array, wanted) = (array.beginning(first), wanted.beginning(first));
            expected.truncate(wanted.bytes as usize);
        }
        let ty = expect::comparable(&array, &wanted).map_err(wrong)?;
        let got = &got[..got.len().min(array.bytes as usize)];
        let found = compare(got, &expected, ty, expect.tolerance)
            .ok_or_else(|| wrong("its size is another".to_owned()))?;
        let like = expect.expected.1.clone();
        if !found.matches() {
            let whose = format!("`{of}`");
            let told = expect::unlike(&whose, &like, &found, &wanted, expect.tolerance);
            self.outcome.tell(self.test, told.label(expect.expected.0, "expected"));
        }
        self.outcome.compared.push(Compared { of, expected: like, found, shape: wanted });
        Ok(())
    }

    /// What a result that is now seen as `array` should be.
    fn expected(
        &mut self,
        expect: &Expect,
        array: &Array,
        wrong: &dyn Fn(String) -> Refused,
    ) -> Result<Loaded, Refused> {
        let at = |refusal: Refusal| (expect.place, Stop::from(refusal));
        let large = || wrong("it is too large".to_owned());
        Ok(match &expect.equals {
            Equals::File(path) => expect::load(path).map_err(at)?,
            Equals::Pattern { ty, count, fill } => {
                let flat = Array::flat(*ty, *count).ok_or_else(large)?;
                // Before so much is made of a pattern.
                if flat.bytes > array.bytes {
                    expect::comparable(&bytes_as(array, expect, &flat), &flat).map_err(wrong)?;
                }
                Loaded { bytes: buffers::filled(*ty, *count, *fill), array: flat }
            }
            Equals::Value(value) => {
                let (ty, flat) = (value.ty(), array.seen_as(Some(value.ty())));
                let bytes = value.bits().to_le_bytes()[..ty.bytes()].to_vec();
                let count = flat.bytes as usize / ty.bytes();
                Loaded { array: flat, bytes: bytes.repeat(count) }
            }
            Equals::Same { name, module } => {
                let filled = self.result(name, module.as_ref(), None).map_err(at)?;
                let bytes = filled.bytes(&self.device, u64::MAX);
                let bytes = bytes.map_err(|error| at(error.into()))?;
                Loaded { array: filled.array, bytes }
            }
            Equals::List(words) => {
                let bytes = listed(words, array.element).map_err(wrong)?;
                let flat = Array::flat(array.element, words.len() as u64);
                Loaded { array: flat.ok_or_else(large)?, bytes }
            }
        })
    }
}

/// A variable that is declared as bytes, as compilers do, in the type of what is expected, unless the plan says a type.
fn bytes_as(array: &Array, expect: &Expect, expected: &Array) -> Array {
    let is_raw = expect.module.is_some()
        && expect.element.is_none()
        && array.element == warpwise::ElementType::B8;
    array.seen_as(is_raw.then_some(expected.element))
}

impl FaultWord {
    fn is(self, kind: &FaultKind) -> bool {
        Some(self) == FaultWord::of(kind)
    }

    /// The word for what stopped a kernel; `None` for what comes from outside.
    fn of(kind: &FaultKind) -> Option<FaultWord> {
        Some(match kind {
            FaultKind::OutOfBounds { .. } => FaultWord::OutOfBounds,
            FaultKind::Misaligned { .. } => FaultWord::Misaligned,
            FaultKind::Constant { .. } => FaultWord::Constant,
            FaultKind::Trap => FaultWord::Trap,
            FaultKind::Assertion { .. } => FaultWord::Assertion,
            FaultKind::NoFunction { .. } => FaultWord::BadCall,
            FaultKind::BadFree { .. } => FaultWord::BadFree,
            FaultKind::BadSurface { .. } => FaultWord::BadSurface,
            FaultKind::BadTensor { .. } => FaultWord::BadTensor,
            FaultKind::StackOverflow { .. } => FaultWord::StackOverflow,
            FaultKind::BadBarrier { .. } | FaultKind::ArrivedTwice { .. } => FaultWord::BadBarrier,
            FaultKind::Deadlock { .. } => FaultWord::Deadlock,
            FaultKind::StepLimit { .. } => FaultWord::StepLimit,
            FaultKind::Interrupted | FaultKind::GivenUp => return None,
        })
    }

    /// As the plan writes it.
    fn word(self) -> String {
        let word = serde_json::to_value(self).unwrap_or_default();
        word.as_str().unwrap_or_default().to_owned()
    }

    /// Whether `check` reports it as a finding with a code.
    pub(crate) fn is_finding(self) -> bool {
        match self {
            FaultWord::OutOfBounds
            | FaultWord::Misaligned
            | FaultWord::Constant
            | FaultWord::BadCall
            | FaultWord::BadFree
            | FaultWord::BadBarrier
            | FaultWord::Deadlock => true,
            FaultWord::Trap
            | FaultWord::Assertion
            | FaultWord::BadSurface
            | FaultWord::BadTensor
            | FaultWord::StackOverflow
            | FaultWord::StepLimit => false,
        }
    }
}
