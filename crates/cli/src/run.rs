//! `warpwise run`.

use crate::accept::Acceptance;
use crate::arguments::{Out, ReportFormat, RunArguments, RunCommand, Selection, Set};
use crate::buffers::{self, Maker, Refusal};
use crate::expect;
use crate::filled::Filled;
use crate::form::Form;
use crate::interrupt;
use crate::json::{Document, JsonComparison, JsonExpectation, JsonOutput, JsonPrint, JsonStats};
use crate::npy::Array;
use crate::output;
use crate::prepared::Prepared;
use crate::progress::{self, Total};
use crate::report::{self, Looked, Outcome, Stop, Told};
use crate::save;
use crate::spec::Subject;
use crate::status::Status;
use std::fmt::Write as _;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use warpwise::diag::junit::Case;
use warpwise::diag::{Class, Diagnostic, Severity, Sources};
use warpwise::{
    Arg, CodeCache, Device, ElementType, Kernel, LaunchConfig, Module, Printed, Report, Scalar,
    Stats, demangled,
};

/// The form of its document.
pub(crate) const FORM: Form<Document> = Form::new("run");

/// What goes to standard output.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) document: Document,
    /// Every diagnostic, with the texts that it points into.
    told: Told,
    /// What the user accepts.
    pub(crate) acceptance: Acceptance,
    /// The module as it was named.
    pub(crate) module: String,
    /// Whether the text is asked for, and no document.
    as_text: bool,
}

impl Said {
    pub(crate) fn new(arguments: &RunArguments) -> Said {
        let as_text = arguments.reporting.format() == ReportFormat::Text;
        let names = arguments.modules.iter().map(|path| path.display().to_string());
        let module = names.collect::<Vec<_>>().join(" ");
        Said { as_text, module, ..Said::default() }
    }

    /// What the kernel printed comes first.
    pub(crate) fn printed(&mut self, printed: &Printed) {
        let text = String::from_utf8_lossy(&printed.text()).into_owned();
        self.text.push_str(&text);
        self.document.printed = (!text.is_empty()).then_some(text);
        if let bytes @ 1.. = printed.dropped() {
            let message = format!("{bytes} bytes of what the kernel printed were dropped");
            let found = Diagnostic::new(Severity::Warning, Class::Limit, message)
                .note("1 MiB of each CTA is kept, and 64 MiB of all");
            self.tell(&Arc::default(), vec![found]);
        }
    }

    /// Shows diagnostics to people but for those that they accept, and keeps them for the document.
    pub(crate) fn tell(&mut self, sources: &Arc<Sources>, diagnostics: Vec<Diagnostic>) {
        self.keep(sources, diagnostics);
        if let Some((sources, diagnostics)) = self.told.last() {
            report::tell(sources, diagnostics);
        }
    }

    /// Keeps diagnostics for the document.
    pub(crate) fn keep(&mut self, sources: &Arc<Sources>, mut diagnostics: Vec<Diagnostic>) {
        let subject = (self.module.as_str(), self.document.kernel.as_deref());
        self.acceptance.judge(subject, sources, &mut diagnostics);
        self.told.push((Arc::clone(sources), diagnostics));
    }

    /// Every diagnostic that is told and not accepted.
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let all = self.told.iter().flat_map(|(_, found)| found);
        all.filter(|found| found.suppressed.is_none())
    }

    /// What is printed in the end.
    fn output(self, form: &Form<Document>, arguments: &RunArguments, status: Status) -> String {
        let told = report::borrowed(&self.told);
        let module = self.module.clone();
        let kernel = self.document.kernel.as_ref().or(arguments.entry.as_ref());
        let case = Case::new(&module, kernel.unwrap_or(&module), status.verdict(), &told);
        let body = &self.document;
        let outcome = Outcome { form, body, status, told, cases: vec![case] };
        let document = outcome.document(arguments.reporting.format(), Looked::Findings);
        document.unwrap_or(self.text)
    }
}

/// Runs the command and reports.
pub(crate) fn run(command: &RunCommand) -> Status {
    let mut said = Said::new(&command.launch);
    let result = attempt(command, &mut said);
    finish(&FORM, &command.launch, result, said)
}

/// Prints what a command that runs a kernel says.
pub(crate) fn finish(
    form: &Form<Document>,
    arguments: &RunArguments,
    result: Result<Status, Stop>,
    mut said: Said,
) -> Status {
    let status = match result {
        Ok(status) => status,
        Err(stop) => {
            said.printed(&stop.printed);
            said.tell(&stop.sources, stop.diagnostics);
            if let Some(stats) = &stop.stats {
                said.document.stats = Some(stats.into());
                if arguments.stats {
                    said.text.push_str(&counts(stats));
                }
            }
            stop.status
        }
    };
    let status = status.unless_interrupted();
    report::print(&said.output(form, arguments, status), status)
}

fn attempt(command: &RunCommand, said: &mut Said) -> Result<Status, Stop> {
    let arguments = &command.launch;
    // The process ends behind it: taking large modules apart would only take time.
    let mut prepared = ManuallyDrop::new(prepare(arguments, said)?);
    let saving = match &command.save {
        Some(file) => Some((save::begin(arguments, &prepared)?, file)),
        None => None,
    };
    let report = launch(arguments, &mut prepared)?;
    if let Some((saving, file)) = saving {
        save::end(saving, arguments, &mut prepared, file)?;
    }
    deliver(arguments, &mut prepared, &report, said)
}

impl Prepared {
    /// The arguments of the kernel.
    pub(crate) fn args(&self) -> Vec<Arg> {
        self.made.iter().map(|argument| argument.arg.clone()).collect()
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        match refusal {
            Refusal::Limit(message) => Stop::new(Status::Usage, Class::Limit, message),
            Refusal::File(message) => Stop::new(Status::Rejected, Class::BadInput, message),
            Refusal::Usage(message) => Stop::usage(message),
            Refusal::Library(error) => error.into(),
        }
    }
}

/// Reads the module, chooses the kernel, and makes its arguments.
pub(crate) fn prepare(arguments: &RunArguments, said: &mut Said) -> Result<Prepared, Stop> {
    let mut module = Module::from_ptx_files(&arguments.modules)?;
    let retargeted = arguments.target.as_deref().map_or(Ok(()), |name| module.retarget(name));
    let kernel = match retargeted {
        Ok(()) => {
            module.set_code_cache(CodeCache::of_user());
            choose(&module, arguments.entry.as_deref())
        }
        Err(error) => Err(error.into()),
    };
    // What the module's warnings are about is known first.
    said.document.kernel = kernel.as_ref().ok().map(|kernel| kernel.name().to_owned());
    said.document.signature = said.document.kernel.as_deref().and_then(demangled);
    said.tell(module.sources(), module.warnings().to_vec());
    let kernel = kernel?;
    check_files(arguments)?;
    let device = Device::of_target(arguments.target.as_deref())?;
    if arguments.args.len() != kernel.params().len() {
        return Err(wrong_count(&kernel, arguments));
    }
    let names = kernel.params().iter().map(|param| param.name.clone()).collect();
    let mut budget = buffers::host_budget();
    let mut maker =
        Maker { device: &device, module: &module, shared: None, names, budget: &mut budget };
    let made = maker.arguments(&arguments.args)?;
    let mut set = Vec::new();
    for Set { variable, spec } in &arguments.sets {
        let name = module.variable(variable)?.name().to_owned();
        if let Some(filled) = maker.set(variable, spec, &made)? {
            set.retain(|(known, _)| *known != name);
            set.push((name, filled));
        }
    }
    let mut prepared = Prepared { module, kernel, device, made, set };
    let doubts = prepared.kernel.doubts(&prepared.args());
    said.tell(prepared.kernel.sources(), doubts);
    let outs = arguments.outs.iter().map(|out| (&out.what, "--out"));
    let prints = arguments.prints.iter().map(|print| (&print.what, "--print"));
    for (what, option) in outs.chain(prints) {
        prepared.selected(what, option)?;
    }
    for Out { what, file } in &arguments.expects {
        let Filled { array, .. } = prepared.selected(what, "--expect")?;
        prepared.comparable(what, file, &array, &expect::header(file)?)?;
    }
    Ok(prepared)
}

impl Prepared {
    /// What is to be printed or written.
    pub(crate) fn selected(&mut self, what: &Selection, option: &str) -> Result<Filled, Stop> {
        let Selection { subject, element } = what;
        let refuse = |why: &str| Err(Stop::usage(format!("{option} {subject}: {why}")));
        let (nth, field) = match subject {
            Subject::Argument(nth, field) => (*nth, *field),
            Subject::Name(name) => {
                let params = self.kernel.params().iter();
                match params.clone().position(|param| param.name == *name) {
                    Some(nth) => (nth, None),
                    None => return self.variable(name, *element),
                }
            }
        };
        let Some(argument) = self.made.get(nth) else {
            let mut stop = Stop::usage(format!("{option} {subject}: there is no such parameter"));
            for diagnostic in &mut stop.diagnostics {
                diagnostic.notes.push(self.kernel.signature());
            }
            return Err(stop);
        };
        let filled = match field {
            None => &argument.array,
            Some(field) => match argument.fields.get(field) {
                Some(filled) => filled,
                None => return refuse("there is no such field"),
            },
        };
        let buffers: Vec<String> = argument
            .fields
            .iter()
            .enumerate()
            .filter_map(|(at, field)| field.as_ref().map(|_| format!("{nth}.{at}")))
            .collect();
        match (filled, buffers.is_empty()) {
            (Some(filled), _) => Ok(filled.seen_as(*element)),
            (None, true) => refuse("the argument is not a buffer"),
            (None, false) => refuse(&format!(
                "it is not a buffer; the structure's buffers are {}",
                buffers.join(", ")
            )),
        }
    }

    /// A result in words.
    fn whose(&self, subject: &Subject) -> String {
        match subject {
            Subject::Argument(nth, field) => {
                let name = self.kernel.parameter_name(*nth);
                let field = field.map_or(String::new(), |field| format!(", field {field}"));
                format!("parameter {nth}{field} ({name})")
            }
            Subject::Name(name) => format!("`{name}`"),
        }
    }

    /// The type in which a result and what is expected of it are compared.
    fn comparable(
        &self,
        what: &Selection,
        file: &Path,
        got: &Array,
        expected: &Array,
    ) -> Result<ElementType, Stop> {
        expect::comparable(got, expected).map_err(|why| {
            let (whose, file) = (&what.subject, file.display());
            let help = format!("--expect {whose}:TYPE={file} reads the bytes in another type");
            Stop::usage(format!("--expect {whose}={file}: {why}")).help(&help)
        })
    }

    fn variable(&mut self, name: &str, element: Option<ElementType>) -> Result<Filled, Stop> {
        let mangled = self.module.variable(name)?.name().to_owned();
        let mut maker = Maker {
            device: &self.device,
            module: &self.module,
            shared: None,
            names: Vec::new(),
            budget: &mut 0,
        };
        let set = self.set.iter().find(|(known, _)| *known == mangled);
        match (element, set) {
            (None, Some((_, filled))) => Ok(filled.clone()),
            _ => Ok(maker.variable(&mangled, element)?),
        }
    }
}

/// Writes, prints and compares what the user asked for after a run. Whether all is as expected.
pub(crate) fn deliver(
    arguments: &RunArguments,
    prepared: &mut Prepared,
    report: &Report,
    said: &mut Said,
) -> Result<Status, Stop> {
    said.printed(&report.printed);
    // Reports of equal runs are equal, unless they are asked for times.
    said.document.stats = Some(match arguments.stats {
        true => JsonStats::from(report),
        false => JsonStats::from(&report.stats),
    });
    for out in &arguments.outs {
        let filled = prepared.selected(&out.what, "--out")?;
        let array = &filled.array;
        let written = output::write(&out.file, array, filled.download(&prepared.device));
        written.map_err(|why| Stop::new(Status::Rejected, Class::BadInput, why))?;
        said.document.outputs.push(JsonOutput {
            of: (&out.what.subject).into(),
            file: out.file.display().to_string(),
            ty: array.type_name(),
            shape: array.shape.clone(),
        });
    }
    for print in &arguments.prints {
        let filled = prepared.selected(&print.what, "--print")?;
        let array = &filled.array;
        let wanted = print.count.unwrap_or(u64::MAX).saturating_mul(array.element.bytes() as u64);
        let data = filled.bytes(&prepared.device, wanted)?;
        let values = elements(&data, array, print.count);
        match said.as_text {
            false => said.document.prints.push(JsonPrint {
                of: (&print.what.subject).into(),
                ty: array.element.word(),
                values: values.map(Into::into).collect(),
            }),
            true => {
                let _ = write!(said.text, "{}:", print.what.subject);
                for value in values {
                    let _ = write!(said.text, " {value}");
                }
                said.text.push('\n');
            }
        }
    }
    if arguments.stats {
        said.text.push_str(&counts(&report.stats));
        said.text.push_str(&times(report));
    }
    let mut status = Status::Fine;
    for Out { what, file } in &arguments.expects {
        if !compared(arguments, prepared, what, file, said)? {
            status = Status::Findings;
        }
    }
    Ok(status)
}

/// Compares a result with what is expected of it. Whether it is so.
fn compared(
    arguments: &RunArguments,
    prepared: &mut Prepared,
    what: &Selection,
    file: &Path,
    said: &mut Said,
) -> Result<bool, Stop> {
    let filled = prepared.selected(what, "--expect")?;
    let expected = expect::load(file)?;
    let ty = prepared.comparable(what, file, &filled.array, &expected.array)?;
    let (got, tolerance) = (filled.bytes(&prepared.device, u64::MAX)?, arguments.tolerance());
    let found = warpwise::compare(&got, &expected.bytes, ty, tolerance);
    let Some(found) = found else {
        let message = format!("{} has changed while the kernel ran", file.display());
        return Err(Stop::rejected(message));
    };
    let like = file.display().to_string();
    if !found.matches() {
        let whose = prepared.whose(&what.subject);
        let told = expect::unlike(&whose, &like, &found, &expected.array, tolerance);
        said.tell(&Arc::default(), vec![told]);
    }
    let of = (&what.subject).into();
    let told = JsonComparison::new(&found, &expected.array);
    said.document.expectations.push(JsonExpectation { of, file: like, found: told });
    Ok(found.matches())
}

/// The kernel that is asked for, or the only one.
pub(crate) fn choose(module: &Module, entry: Option<&str>) -> Result<Kernel, Stop> {
    let names = module.kernel_names();
    let name = match (entry, names.as_slice()) {
        (Some(name), _) => name,
        (None, [name]) => name,
        (None, []) => {
            return Err(Stop::new(Status::Rejected, Class::BadInput, "the module has no kernel"));
        }
        (None, names) => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            let message =
                format!("the module has several kernels: add --entry {}", names.join(" | "));
            return Err(Stop::usage(message));
        }
    };
    Ok(module.kernel(name)?)
}

/// A name as shells take it.
fn quoted(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_$:.".contains(letter);
    if name.chars().all(is_plain) { name.to_owned() } else { format!("'{name}'") }
}

fn wrong_count(kernel: &Kernel, arguments: &RunArguments) -> Stop {
    let (wanted, given) = (kernel.params().len(), arguments.args.len());
    let plural = if wanted == 1 { "" } else { "s" };
    let message =
        format!("kernel `{}` takes {wanted} argument{plural}, not {given}", kernel.plain_name());
    let mut stop = Stop::usage(message);
    for diagnostic in &mut stop.diagnostics {
        diagnostic.notes.push(kernel.signature());
        diagnostic.help = Some("give --arg once per parameter, in order".to_owned());
    }
    stop
}

fn check_files(arguments: &RunArguments) -> Result<(), Stop> {
    for (nth, out) in arguments.outs.iter().enumerate() {
        output::check(&out.file).map_err(Stop::usage)?;
        if arguments.outs[..nth].iter().any(|other| other.file == out.file) {
            let message = format!("two --out write to {}", out.file.display());
            return Err(Stop::usage(message));
        }
    }
    Ok(())
}

/// Runs `work` with the launch that the arguments ask for, and shows its progress: `repeats` is under how many other schedules,
/// if that is known.
pub(crate) fn configured<T>(
    arguments: &RunArguments,
    repeats: Option<u64>,
    work: impl FnOnce(&LaunchConfig<'_>) -> T,
) -> T {
    let ctas = arguments.grid.0.iter().map(|extent| u64::from(*extent)).product();
    let result = progress::watch(Total { ctas, repeats }, |done| {
        let config = LaunchConfig {
            cluster: arguments.cluster,
            dynamic_shared: arguments.smem,
            stack_limit: arguments.stack,
            threads: arguments.threads,
            schedule: arguments.schedule.clone(),
            deterministic: arguments.deterministic,
            max_steps: arguments.max_steps,
            engine: arguments.engine.choice,
            heap_limit: arguments.heap,
            interrupted: &interrupt::asked,
            progress: &|ctas| {
                interrupt::listen();
                done.ctas.fetch_max(ctas, Ordering::Relaxed);
            },
            repeated: &|times| {
                done.repeats.fetch_max(times, Ordering::Relaxed);
            },
            ..LaunchConfig::new(arguments.grid, arguments.block)
        };
        work(&config)
    });
    interrupt::done();
    result
}

fn launch(arguments: &RunArguments, prepared: &mut Prepared) -> Result<Report, Stop> {
    let args = prepared.args();
    let Prepared { kernel, device, .. } = prepared;
    Ok(configured(arguments, None, |config| kernel.launch(device, config, &args))?)
}

/// The first elements of a buffer, or all.
fn elements<'a>(
    data: &'a [u8],
    array: &Array,
    count: Option<u64>,
) -> impl Iterator<Item = Scalar> + use<'a> {
    let ty = array.element;
    let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    data.chunks_exact(ty.bytes()).take(count).map(move |bytes| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        Scalar::new(ty, u64::from_le_bytes(word))
    })
}

pub(crate) fn counts(stats: &Stats) -> String {
    format!(
        "thread instructions  {}\nwarp instructions    {}\ndivergences          {}\n\
         lanes active         {:.2} on average\nCTAs                 {}\nthreads              {}\n",
        stats.thread_instructions,
        stats.warp_instructions,
        stats.divergences,
        stats.lanes_active(),
        stats.ctas,
        stats.threads,
    )
}

fn times(report: &Report) -> String {
    format!(
        "time                 {:.3} ms\nthroughput           {:.3} G thread instructions/s\n",
        report.elapsed.as_secs_f64() * 1e3,
        report.throughput() / 1e9,
    )
}
