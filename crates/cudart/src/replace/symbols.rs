//! Which functions of a runtime are in an executable or a library.

use super::loader::Loaded;
use crate::generation::Generation;
use memmap2::Mmap;
use object::elf::PF_X;
use object::{Object, ObjectSegment, ObjectSymbol, SegmentFlags, SymbolKind};
use std::fs::File;

/// A function of a runtime.
pub(super) struct Function {
    pub(super) name: String,
    /// Where it is in the process.
    pub(super) address: usize,
    /// Bytes from there to what follows.
    pub(super) room: usize,
}

/// The runtime that a file has.
pub(super) enum Runtime {
    None,
    /// There is one, but its functions have no names.
    Nameless,
    Functions(Vec<Function>),
}

/// What registers fat binaries: every program with kernels calls it.
const REGISTER: &str = "__cudaRegisterFatBinary";

/// Functions of the runtime have such names. Others have, too, but not those of the table.
fn may_be_function(name: &[u8]) -> bool {
    name.starts_with(b"cuda") || name.starts_with(b"__cuda")
}

/// Finds the runtime of an executable or a library. One that cannot be read has none: the loader's own objects have no files.
pub(super) fn runtime_in(loaded: &Loaded) -> Runtime {
    let Ok(file) = File::open(&loaded.path) else { return Runtime::None };
    // SAFETY: files of programs that run are not written to; the system sees to that for executables.
    let Ok(map) = (unsafe { Mmap::map(&file) }) else { return Runtime::None };
    let Ok(file) = object::File::parse(&*map) else { return Runtime::None };
    functions(&file, loaded.base)
}

fn functions(file: &object::File<'_>, base: usize) -> Runtime {
    let defined = |symbol: &object::Symbol<'_, '_>| {
        symbol.is_definition() && symbol.kind() == SymbolKind::Text
    };
    let named = |symbol: &object::Symbol<'_, '_>| symbol.name_bytes().is_ok_and(may_be_function);
    let mut found: Vec<Function> = Vec::new();
    for symbol in file.symbols().filter(|symbol| defined(symbol) && named(symbol)) {
        let (Ok(name), Ok(offset)) = (symbol.name(), usize::try_from(symbol.address())) else {
            continue;
        };
        let room = room(file, symbol.address(), symbol.size());
        found.push(Function { name: name.to_owned(), address: base.wrapping_add(offset), room });
    }
    if found.iter().any(|function| function.name == REGISTER) {
        return Runtime::Functions(found);
    }
    // Who uses the shared library imports it, and that library exports it.
    let has_kernels = file.section_by_name(".nvFatBinSegment").is_some();
    let shared = file.dynamic_symbols().any(|symbol| symbol.name() == Ok(REGISTER));
    match has_kernels && !shared {
        true => Runtime::Nameless,
        false => Runtime::None,
    }
}

/// How many bytes may be written at a function's entry: to its end, and to the next place where a function may begin. 0 if
/// it is not in a segment of code.
fn room(file: &object::File<'_>, address: u64, size: u64) -> usize {
    /// Functions of the runtime are aligned to that; what is behind a short one is padding.
    const ALIGNMENT: u64 = 16;
    let end = (address + size.max(1)).next_multiple_of(ALIGNMENT);
    let code = file.segments().any(|segment| {
        let SegmentFlags::Elf { p_flags } = segment.flags() else { return false };
        let bytes = segment.address()..segment.address().saturating_add(segment.size());
        p_flags & PF_X != 0 && bytes.contains(&address) && end <= bytes.end
    });
    match code && address.is_multiple_of(ALIGNMENT) {
        true => usize::try_from(end - address).unwrap_or(usize::MAX),
        false if code => usize::try_from(size).unwrap_or(usize::MAX),
        false => 0,
    }
}

/// The generation of a runtime, by functions that others do not have.
pub(super) fn generation_of(functions: &[Function]) -> Generation {
    let has = |name: &str| functions.iter().any(|function| function.name == name);
    match (has("cudaGetDeviceProperties_v2"), has("cudaThreadSynchronize")) {
        (true, _) => Generation::V12,
        (false, true) => Generation::V11,
        (false, false) => Generation::V13,
    }
}
