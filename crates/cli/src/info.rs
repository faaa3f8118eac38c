//! `warpwise info`.

use crate::arguments::InfoArguments;
use crate::form::Form;
use crate::report::{self, Answer, Stop};
use crate::status::Status;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use warpwise::diag::{Diagnostic, JsonDiagnostic, Log, Severity};
use warpwise::{Attributes, KernelInfo, Module, ModuleInfo, Needs, ParamInfo, Usage, plain_name};

/// The form of its document.
pub(crate) const FORM: Form<Body> = Form::new("info");

/// What the document holds.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Body {
    /// The module.
    module: Option<JsonModule>,
}

/// A module.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Module")]
struct JsonModule {
    /// The version of PTX that it is written in.
    version: String,
    /// The architecture that it is written for.
    target: String,
    /// Bits of an address.
    address_bits: u32,
    /// Its kernels, in source order.
    kernels: Vec<JsonKernel>,
    /// Its variables in global and constant memory.
    variables: Vec<JsonVariable>,
    /// Functions that it calls and does not define.
    externs: Vec<String>,
}

/// A kernel.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Kernel")]
struct JsonKernel {
    /// Its name in the module.
    symbol: String,
    /// The shortest name that `--entry` takes for it.
    name: String,
    /// Its name in C++ with parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    /// The line of the module that it begins on.
    line: u32,
    /// Directives about its launch.
    directives: Vec<String>,
    /// Registers that are declared, by their type.
    registers: BTreeMap<String, u64>,
    /// Whether it can run.
    runs: bool,
    /// Its parameters, if it can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Vec<JsonParam>>,
    /// Bytes of static shared memory of a CTA, if it can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_bytes: Option<u64>,
    /// Bytes of local memory of a thread, if it can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    local_bytes: Option<u32>,
    /// Bytes of constant variables of its module, or of the program that modules were linked to, if it can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    constant_bytes: Option<u64>,
    /// Bytes of the block of its arguments, as the CUDA ABI lays it out, if it can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    param_bytes: Option<u32>,
    /// The most threads that a CTA can have, if it can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_threads_per_block: Option<u32>,
    /// The extents that a CTA must have, if `.reqntid` says so and it can run.
    #[serde(skip_serializing_if = "Option::is_none")]
    required_block: Option<[u32; 3]>,
    /// An estimate of the registers of a thread, from the values of 32 bits that the PTX needs at one time; an assembler may need
    /// more or fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_registers: Option<u32>,
    /// Why it cannot run.
    refused: Vec<JsonDiagnostic>,
}

/// A parameter.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Param")]
struct JsonParam {
    /// Its name in the module.
    name: String,
    /// Its declaration without the name.
    declaration: String,
    /// Its size.
    bytes: u32,
    /// Where it begins in a block of arguments, as the CUDA ABI lays it out.
    offset: u32,
    /// Its type in C++, if the mangled name tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpp: Option<String>,
    /// What the kernel does with the memory behind it, as far as that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<String>,
}

/// A variable.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Variable")]
struct JsonVariable {
    /// Its name in the module.
    symbol: String,
    /// Its name in C++.
    name: String,
    /// Its declaration without the name.
    declaration: String,
    /// Its size.
    bytes: u64,
}

/// Runs the command and reports. A kernel that cannot run is a fact about the module, and no failure.
pub(crate) fn run(arguments: &InfoArguments) -> Status {
    report::answer(&FORM, arguments.answering.format(), answer(arguments))
}

fn answer(arguments: &InfoArguments) -> Result<Answer<Body>, Stop> {
    let mut module = Module::from_ptx_files(&arguments.modules)?;
    if let Some(target) = &arguments.target {
        module.retarget(target)?;
    }
    let info = module.info();
    let body = Body { module: Some(json(&module, &info)) };
    let told = vec![(Arc::clone(module.sources()), module.warnings().to_vec())];
    Ok(Answer { status: Status::Fine, text: text(&module, &info), body, told })
}

fn text(module: &Module, info: &ModuleInfo) -> String {
    let (major, minor) = info.version;
    // Writing to a string does not fail.
    let mut out =
        format!("PTX {major}.{minor}, {}, {}-bit addresses\n", info.target, info.address_bits);
    for kernel in &info.kernels {
        let _ = writeln!(out, "\nkernel {}", kernel.signature.as_ref().unwrap_or(&kernel.name));
        let entry = if kernel.name.contains([' ', '<', '(']) { "'" } else { "" };
        let _ = writeln!(out, "  line {}, --entry {entry}{}{entry}", kernel.line, kernel.name);
        match &kernel.needs {
            Ok(needs) => needs_text(&mut out, &kernel.symbol, needs),
            Err(why) => {
                let _ = writeln!(out, "  cannot run:");
                refused(&mut out, module, why);
            }
        }
        let count = |(ty, count): (&String, &u64)| format!("{count} {ty}");
        let registers: Vec<String> = kernel.registers.iter().map(count).collect();
        if !registers.is_empty() {
            let _ = writeln!(out, "  declares {} registers", registers.join(", "));
        }
        for directive in &kernel.directives {
            let _ = writeln!(out, "  {directive}");
        }
    }
    if !info.variables.is_empty() {
        out.push_str("\nvariables\n");
    }
    for variable in &info.variables {
        let (name, declaration) = (plain_name(variable.name()), variable.declaration());
        let _ = writeln!(out, "  {name}  {declaration}, {} bytes", variable.bytes());
    }
    if !info.externs.is_empty() {
        let _ = writeln!(out, "\ncalls {}", info.externs.join(", "));
    }
    out
}

fn needs_text(out: &mut String, symbol: &str, needs: &Needs) {
    for (nth, param) in needs.params.iter().enumerate() {
        let ParamInfo { name, declaration, bytes, .. } = param;
        // Compilers number what has no name: `KERNEL_param_0`.
        let name = if name.starts_with(symbol) { "" } else { name };
        let what = param.cpp.as_deref().map_or(name.to_owned(), |cpp| format!("{cpp} {name}"));
        let usage = usage(param).map_or(String::new(), |usage| format!("; {usage}"));
        let told = format!("{declaration}, {bytes} bytes{usage}");
        let _ = match what.trim() {
            "" => writeln!(out, "  {nth}: {told}"),
            what => writeln!(out, "  {nth}: {what}  ({told})"),
        };
    }
    let Attributes { static_shared_bytes, local_bytes, constant_bytes, .. } = needs.attributes;
    let constants = match constant_bytes {
        0 => String::new(),
        bytes => format!(", {bytes} of constant memory"),
    };
    let _ = writeln!(
        out,
        "  {static_shared_bytes} bytes of shared memory, {local_bytes} of local memory a thread{constants}"
    );
    let Attributes { param_bytes, max_threads_per_block, required_block, .. } = needs.attributes;
    let shape = match required_block {
        Some([x, y, z]) => format!("exactly {x},{y},{z} threads a CTA"),
        None => format!("at most {max_threads_per_block} threads a CTA"),
    };
    let registers = match needs.attributes.estimated_registers {
        Some(count) => format!(", an estimated {count} registers a thread"),
        None => String::new(),
    };
    let _ = writeln!(out, "  {param_bytes} bytes of parameters, {shape}{registers}");
}

fn usage(param: &ParamInfo) -> Option<String> {
    param.usage.map(|usage| match usage {
        Usage::Reads(ty) => format!("reads {ty}"),
        Usage::Writes(ty) => format!("writes {ty}"),
        Usage::Accesses => "used as a pointer".to_owned(),
    })
}

fn refused(out: &mut String, module: &Module, why: &[Diagnostic]) {
    for found in why.iter().filter(|found| found.severity == Severity::Error) {
        let line = found.span().map_or(String::new(), |span| {
            let line = module.sources().file(span.file).location(span.start).line;
            format!("line {line}: ")
        });
        let _ = writeln!(out, "    {line}{}", found.message);
    }
}

fn json(module: &Module, info: &ModuleInfo) -> JsonModule {
    let kernel = |kernel: &KernelInfo| {
        let needs = kernel.needs.as_ref().ok();
        let attributes = needs.map(|needs| &needs.attributes);
        let why = kernel.needs.as_ref().err().map_or(&[][..], Vec::as_slice);
        let told = vec![(&**module.sources(), why)];
        JsonKernel {
            symbol: kernel.symbol.clone(),
            name: kernel.name.clone(),
            signature: kernel.signature.clone(),
            line: kernel.line,
            directives: kernel.directives.clone(),
            registers: kernel.registers.clone(),
            runs: needs.is_some(),
            params: needs.map(|needs| needs.params.iter().map(param).collect()),
            shared_bytes: attributes.map(|it| it.static_shared_bytes),
            local_bytes: attributes.map(|it| it.local_bytes),
            constant_bytes: attributes.map(|it| it.constant_bytes),
            param_bytes: attributes.map(|it| it.param_bytes),
            max_threads_per_block: attributes.map(|it| it.max_threads_per_block),
            required_block: attributes.and_then(|it| it.required_block),
            estimated_registers: attributes.and_then(|it| it.estimated_registers),
            refused: Log { told, ..Log::default() }.json(),
        }
    };
    let (major, minor) = info.version;
    JsonModule {
        version: format!("{major}.{minor}"),
        target: info.target.clone(),
        address_bits: info.address_bits,
        kernels: info.kernels.iter().map(kernel).collect(),
        variables: info
            .variables
            .iter()
            .map(|variable| JsonVariable {
                symbol: variable.name().to_owned(),
                name: plain_name(variable.name()),
                declaration: variable.declaration(),
                bytes: variable.bytes(),
            })
            .collect(),
        externs: info.externs.clone(),
    }
}

fn param(param: &ParamInfo) -> JsonParam {
    JsonParam {
        name: param.name.clone(),
        declaration: param.declaration.clone(),
        bytes: param.bytes,
        offset: param.offset,
        cpp: param.cpp.clone(),
        usage: usage(param),
    }
}
