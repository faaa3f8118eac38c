//! `warpwise run`.

use crate::arguments::RunArguments;
use crate::buffers::{self, Argument, Refusal};
use crate::json::{Document, JsonOutput, JsonPrint, JsonStats};
use crate::npy::Array;
use crate::report::{self, Stop};
use crate::status::Status;
use crate::{output, progress};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use warpwise::diag::{Class, Diagnostic, Severity, Sources};
use warpwise::{Arg, Buffer, Device, Kernel, LaunchConfig, Module, Printed, Report, Scalar, Stats};

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What goes to standard output.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) document: Document,
}

impl Said {
    /// What the kernel printed comes first.
    pub(crate) fn printed(&mut self, printed: &Printed) {
        let text = String::from_utf8_lossy(&printed.text()).into_owned();
        self.text.push_str(&text);
        self.document.printed = (!text.is_empty()).then_some(text);
        if let bytes @ 1.. = printed.dropped() {
            let message = format!("{bytes} bytes of what the kernel printed were dropped");
            let found = Diagnostic::new(Severity::Warning, Class::Limit, message)
                .note("1 MiB of each CTA is kept, and 64 MiB of all");
            tell(&Sources::default(), &[found], self);
        }
    }
}

/// Runs the command and reports.
pub(crate) fn run(arguments: &RunArguments) -> Status {
    let mut said = Said::default();
    let result = attempt(arguments, &mut said).map(|()| Status::Fine);
    finish(arguments, arguments.json, result, said)
}

/// Prints what a command that runs a kernel says; `json` asks for a document.
pub(crate) fn finish(
    arguments: &RunArguments,
    json: bool,
    result: Result<Status, Stop>,
    mut said: Said,
) -> Status {
    let status = match result {
        Ok(status) => status,
        Err(stop) => {
            said.printed(&stop.printed);
            tell(&stop.sources, &stop.diagnostics, &mut said);
            if let Some(stats) = &stop.stats {
                said.document.stats = Some(stats.into());
                if arguments.stats {
                    said.text.push_str(&counts(stats));
                }
            }
            stop.status
        }
    };
    // What was stopped by the user is no fault of the kernel.
    let status =
        if status == Status::Faulted && interrupted() { Status::Interrupted } else { status };
    said.document.status = status.word();
    let text = match json {
        true => serde_json::to_string(&said.document).map_or(String::new(), |mut text| {
            text.push('\n');
            text
        }),
        false => said.text,
    };
    report::print(&text, status)
}

/// Shows diagnostics to people, and keeps them for the document.
pub(crate) fn tell(sources: &Sources, diagnostics: &[Diagnostic], said: &mut Said) {
    report::tell(sources, diagnostics);
    said.document.diagnostics.extend(report::json(sources, diagnostics));
}

fn attempt(arguments: &RunArguments, said: &mut Said) -> Result<(), Stop> {
    let mut prepared = prepare(arguments, said)?;
    let report = launch(arguments, &mut prepared)?;
    deliver(arguments, &prepared, &report, said)
}

/// What a launch needs.
pub(crate) struct Prepared {
    pub(crate) kernel: Kernel,
    pub(crate) device: Device,
    made: Vec<Argument>,
}

impl Prepared {
    /// The arguments of the kernel.
    pub(crate) fn args(&self) -> Vec<Arg> {
        self.made.iter().map(|argument| argument.arg.clone()).collect()
    }
}

/// Reads the module, chooses the kernel, and makes its arguments.
pub(crate) fn prepare(arguments: &RunArguments, said: &mut Said) -> Result<Prepared, Stop> {
    let mut module = Module::from_ptx_file(&arguments.module)?;
    tell(module.sources(), module.warnings(), said);
    if let Some(name) = &arguments.target {
        module.retarget(name)?;
    }
    let kernel = choose(&module, arguments.entry.as_deref())?;
    said.document.kernel = Some(kernel.name().to_owned());
    check_files(arguments)?;
    let mut device = Device::new()?;
    let made = match arguments.args.len() == kernel.params().len() {
        true => buffers::make(&mut device, &arguments.args, buffers::host_budget()),
        false => return Err(wrong_count(&kernel, arguments)),
    };
    let made = made.map_err(|refusal| match refusal {
        Refusal::Limit(message) => Stop::new(Status::Usage, Class::Limit, message),
        Refusal::File(message) => Stop::new(Status::Rejected, Class::BadInput, message),
    })?;
    check_selections(arguments, &kernel, &made)?;
    Ok(Prepared { kernel, device, made })
}

/// Writes and prints what the user asked for after a run.
pub(crate) fn deliver(
    arguments: &RunArguments,
    prepared: &Prepared,
    report: &Report,
    said: &mut Said,
) -> Result<(), Stop> {
    let Prepared { kernel, device, made } = prepared;
    said.printed(&report.printed);
    said.document.stats = Some(JsonStats::from(report));
    for out in &arguments.outs {
        let (buffer, array) = selected(kernel, made, out.parameter, "--out")?;
        let written = output::write(&out.file, array, device.bytes(buffer)?);
        written.map_err(|why| Stop::new(Status::Rejected, Class::BadInput, why))?;
        said.document.outputs.push(JsonOutput {
            parameter: out.parameter,
            file: out.file.display().to_string(),
            ty: array.type_name(),
            shape: array.shape.clone(),
        });
    }
    for print in &arguments.prints {
        let (buffer, array) = selected(kernel, made, print.parameter, "--print")?;
        let values = elements(device.bytes(buffer)?, array, print.count);
        match arguments.json {
            true => said.document.prints.push(JsonPrint {
                parameter: print.parameter,
                ty: array.element.word(),
                values: values.map(Into::into).collect(),
            }),
            false => {
                let _ = write!(said.text, "{}:", print.parameter);
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
    Ok(())
}

/// The kernel that is asked for, or the only one.
pub(crate) fn choose(module: &Module, entry: Option<&str>) -> Result<Kernel, Stop> {
    let names: Vec<&str> = module.kernels().collect();
    let name = match (entry, names.as_slice()) {
        (Some(name), _) if !names.contains(&name) => {
            return Err(match module.kernel(name) {
                Ok(kernel) => return Ok(kernel),
                Err(error) => Stop { status: Status::Usage, ..Stop::from(error) },
            });
        }
        (Some(name), _) => name,
        (None, [name]) => name,
        (None, []) => {
            return Err(Stop::new(Status::Rejected, Class::BadInput, "the module has no kernel"));
        }
        (None, names) => {
            let message =
                format!("the module has several kernels: add --entry {}", names.join(" | "));
            return Err(Stop::usage(message));
        }
    };
    Ok(module.kernel(name)?)
}

fn wrong_count(kernel: &Kernel, arguments: &RunArguments) -> Stop {
    let (wanted, given) = (kernel.params().len(), arguments.args.len());
    let plural = if wanted == 1 { "" } else { "s" };
    let message =
        format!("kernel `{}` takes {wanted} argument{plural}, not {given}", kernel.name());
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

fn check_selections(
    arguments: &RunArguments,
    kernel: &Kernel,
    made: &[Argument],
) -> Result<(), Stop> {
    for out in &arguments.outs {
        selected(kernel, made, out.parameter, "--out")?;
    }
    for print in &arguments.prints {
        selected(kernel, made, print.parameter, "--print")?;
    }
    Ok(())
}

/// The buffer of a parameter.
fn selected<'a>(
    kernel: &Kernel,
    made: &'a [Argument],
    parameter: usize,
    option: &str,
) -> Result<(Buffer, &'a Array), Stop> {
    match made.get(parameter) {
        Some(Argument { array: Some((buffer, array)), .. }) => Ok((*buffer, array)),
        Some(Argument { array: None, .. }) => {
            Err(Stop::usage(format!("{option} {parameter}: the argument is not a buffer")))
        }
        None => {
            let mut stop = Stop::usage(format!("{option} {parameter}: there is no such parameter"));
            for diagnostic in &mut stop.diagnostics {
                diagnostic.notes.push(kernel.signature());
            }
            Err(stop)
        }
    }
}

/// Whether the user has pressed Ctrl-C, or the process was told to end.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Asks whether the user has pressed Ctrl-C. The second time ends the program at once; without a handler the
/// first one does.
pub(crate) fn interrupts() -> &'static (dyn Fn() -> bool + Sync) {
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &interrupted
}

/// Runs `work` with the launch that the arguments ask for, and shows its progress.
pub(crate) fn configured<T>(
    arguments: &RunArguments,
    work: impl FnOnce(&LaunchConfig<'_>) -> T,
) -> T {
    let interrupted = interrupts();
    let total = arguments.grid.0.iter().map(|extent| u64::from(*extent)).product();
    progress::watch(total, |done| {
        let config = LaunchConfig {
            dynamic_shared: arguments.smem,
            threads: arguments.threads,
            schedule: arguments.schedule.clone(),
            deterministic: arguments.deterministic,
            max_steps: arguments.max_steps,
            interrupted,
            progress: &|ctas| {
                done.fetch_max(ctas, Ordering::Relaxed);
            },
            ..LaunchConfig::new(arguments.grid, arguments.block)
        };
        work(&config)
    })
}

fn launch(arguments: &RunArguments, prepared: &mut Prepared) -> Result<Report, Stop> {
    let args = prepared.args();
    let Prepared { kernel, device, .. } = prepared;
    Ok(configured(arguments, |config| kernel.launch(device, config, &args))?)
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
