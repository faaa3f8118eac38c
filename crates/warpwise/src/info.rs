//! What a module has and needs, without running it.

use crate::attributes::Attributes;
use crate::demangle::demangled;
use crate::launch::parameters;
use crate::launch::{Place, shown};
use crate::launch::{Tracked, uses_of};
use crate::module::{Kernel, Module};
use crate::variable::Variable;
use diag::Diagnostic;
use ptx::syntax::ast::{
    Function, FunctionKind, Item, Linkage, Space, StatementKind, each_statement,
};
use std::collections::{BTreeMap, HashSet};

/// What a module has.
#[derive(Clone, Debug)]
pub struct ModuleInfo {
    /// `.version`, major and minor.
    pub version: (u32, u32),
    /// The architecture that it is written for.
    pub target: String,
    /// Bits of an address.
    pub address_bits: u32,
    /// Its kernels, in source order.
    pub kernels: Vec<KernelInfo>,
    /// Its variables in global and constant memory, in source order.
    pub variables: Vec<Variable>,
    /// Functions that it calls and does not define, such as `vprintf`.
    pub externs: Vec<String>,
}

/// What a kernel has and needs.
#[derive(Clone, Debug)]
pub struct KernelInfo {
    /// Its name in the module, mangled if it is one of C++.
    pub symbol: String,
    /// The shortest name by which [`Module::kernel`] finds it.
    pub name: String,
    /// Its name with parameters, if it is mangled.
    pub signature: Option<String>,
    /// The line of the module that it begins on.
    pub line: u32,
    /// Directives about its launch as they are written: `.maxntid 128`.
    pub directives: Vec<String>,
    /// Registers that are declared, by their type: `.b32`. Compilers declare one for every value.
    pub registers: BTreeMap<String, u64>,
    /// What it takes once it runs; the diagnostics that say why it cannot.
    pub needs: Result<Needs, Vec<Diagnostic>>,
}

/// What a kernel that can run takes.
#[derive(Clone, Debug)]
pub struct Needs {
    /// Its parameters in order.
    pub params: Vec<ParamInfo>,
    /// What it takes of a device.
    pub attributes: Attributes,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct ParamInfo {
    /// Its name in the module.
    pub name: String,
    /// Its declaration without the name: `.u64`, or `.b8[16]`.
    pub declaration: String,
    /// Its size.
    pub bytes: u32,
    /// Where it begins in a block of arguments ([`Kernel::launch_with_params`]).
    pub offset: u32,
    /// Its type in C++, if the mangled name tells.
    pub cpp: Option<String>,
    /// What the kernel does with the memory behind it, as far as that is known.
    pub usage: Option<Usage>,
}

/// What a kernel does with the memory behind a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// It loads numbers of a type.
    Reads(&'static str),
    /// It stores numbers of a type, and loads nothing that it computes with.
    Writes(&'static str),
    /// It loads or stores there.
    Accesses,
}

impl Module {
    /// What it has and needs.
    pub fn info(&self) -> ModuleInfo {
        let ast = self.ptx.ast();
        let functions = || {
            ast.items.iter().filter_map(|item| match item {
                Item::Function(function) => Some(function),
                Item::Variable(_) | Item::Directive(_) => None,
            })
        };
        let entries = functions().filter(|it| it.kind == FunctionKind::Entry && it.body.is_some());
        let names = self.kernel_names();
        let kernels = entries.zip(names).map(|(entry, name)| self.kernel_info(entry, name));
        let defined: HashSet<&str> =
            functions().filter(|it| it.body.is_some()).map(|it| it.name.as_str()).collect();
        let is_extern = |it: &&std::sync::Arc<Function>| {
            it.linkage == Linkage::Extern
                && it.kind == FunctionKind::Func
                && !defined.contains(it.name.as_str())
        };
        ModuleInfo {
            version: self.ptx.target().ptx,
            target: self.target(),
            address_bits: ast.address_size.map_or(32, |size| size.bits),
            kernels: kernels.collect(),
            variables: self.variables().collect(),
            externs: functions().filter(is_extern).map(|it| it.name.to_string()).collect(),
        }
    }

    fn kernel_info(&self, entry: &Function, name: String) -> KernelInfo {
        let file = self.sources().file(entry.span.file);
        let text = |span: diag::Span| {
            let text = file.text().get(span.start as usize..span.end as usize).unwrap_or_default();
            text.trim_end_matches([';', ' ']).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let mut registers = BTreeMap::new();
        each_statement(entry.body.as_deref().unwrap_or_default(), &mut |statement| {
            if let StatementKind::Variable(variable) = &statement.kind
                && variable.space == Space::Reg
            {
                let count = u64::from(variable.range.unwrap_or(1));
                let count = count * u64::from(variable.vector.unwrap_or(1));
                *registers.entry(variable.ty.to_string()).or_insert(0) += count;
            }
        });
        let needs = match self.kernel(&entry.name) {
            Ok(kernel) => Ok(kernel.needs()),
            Err(error) => Err(error.failure().diagnostics.clone()),
        };
        KernelInfo {
            symbol: entry.name.to_string(),
            name,
            signature: demangled(&entry.name),
            line: file.location(entry.span.start).line,
            directives: entry.directives.iter().map(|it| text(it.span)).collect(),
            registers,
            needs,
        }
    }
}

impl Kernel {
    fn needs(&self) -> Needs {
        let params = self.params();
        let types = parameters(self.name(), params.len());
        let tracked = params.iter().map(|param| {
            let may = param.bytes == 8 && !param.is_aggregate;
            may.then_some(Tracked { offset: param.offset, is_pointer: true })
        });
        let uses = uses_of(&self.lowered.kernel, &tracked.collect::<Vec<_>>());
        let param = |(nth, param): (usize, &ptx::Param)| {
            let usage = uses.get(nth).and_then(|uses| match (uses.reads(), uses.writes()) {
                (Some(float), _) => Some(Usage::Reads(float_word(float))),
                (None, Some(float)) => Some(Usage::Writes(float_word(float))),
                (None, None) => uses.accesses.then_some(Usage::Accesses),
            });
            ParamInfo {
                name: param.name.clone(),
                declaration: shown(&Place::of(param)),
                bytes: param.bytes,
                offset: param.block_offset,
                cpp: types.as_ref().and_then(|types| types.get(nth)).map(|it| it.words.clone()),
                usage,
            }
        };
        Needs {
            params: params.iter().enumerate().map(param).collect(),
            attributes: self.attributes(),
        }
    }
}

fn float_word(float: ir::Float) -> &'static str {
    match float {
        ir::Float::F32 => "f32",
        ir::Float::F64 => "f64",
    }
}
