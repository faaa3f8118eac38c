//! Errors and warnings about arguments that do not fit a kernel's parameters.

use super::arg::Arg;
use super::uses::{self, Tracked, Uses};
use crate::demangle::demangled;
use crate::element::{ElementType, Kind, Scalar};
use crate::module::Kernel;
use diag::{Class, Diagnostic, Severity};
use ir::Float;
use std::fmt;

/// The type of a C++ parameter, as far as a mangled name tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CppType {
    /// As C++ writes it.
    pub(crate) words: String,
    /// Whether it is a pointer or a reference.
    is_pointer: bool,
    /// What it is, or what it points at: the kind and the size in bytes. `None` for types that are no numbers of a known
    /// size, and for characters, which stand for memory of any kind.
    of: Option<(Kind, usize)>,
}

impl CppType {
    fn read(words: &str) -> CppType {
        let words = words.trim();
        let pointee = words.strip_suffix(['*', '&']).map(str::trim_end);
        let mut of = pointee.unwrap_or(words);
        while let Some(rest) = of.strip_suffix("const").or(of.strip_suffix("volatile")) {
            of = rest.trim_end();
        }
        let of = match of {
            "float" => Some((Kind::Float, 4)),
            "double" => Some((Kind::Float, 8)),
            "__half" => Some((Kind::Float, 2)),
            "__nv_bfloat16" => Some((Kind::Brain, 2)),
            "short" => Some((Kind::Signed, 2)),
            "unsigned short" => Some((Kind::Unsigned, 2)),
            "int" => Some((Kind::Signed, 4)),
            "unsigned int" => Some((Kind::Unsigned, 4)),
            "long long" => Some((Kind::Signed, 8)),
            "unsigned long long" => Some((Kind::Unsigned, 8)),
            // Its size is the host's; on 64 bits it has 8 bytes but on one system.
            "long" => Some((Kind::Signed, 8)),
            "unsigned long" => Some((Kind::Unsigned, 8)),
            _ => None,
        };
        CppType { words: words.to_owned(), is_pointer: pointee.is_some(), of }
    }

    /// What a pointer points at, in words.
    fn pointee(&self) -> &str {
        self.words.trim_end_matches(['*', '&']).trim_end()
    }
}

/// The parameters of a function by its mangled name; `None` if the name does not tell all of so many.
pub(crate) fn parameters(mangled: &str, count: usize) -> Option<Vec<CppType>> {
    let full = demangled(mangled)?;
    let inner = full.strip_suffix(')')?;
    let mut depth = 0_usize;
    let mut ends = vec![inner.len()];
    for (at, letter) in inner.char_indices().rev() {
        match letter {
            ')' | '>' | ']' => depth += 1,
            '(' | '<' | '[' if depth > 0 => depth -= 1,
            ',' if depth == 0 => ends.push(at),
            '(' => {
                ends.push(at);
                let parts = ends.windows(2).rev();
                let types: Vec<CppType> =
                    parts.map(|ends| CppType::read(&inner[ends[1] + 1..ends[0]])).collect();
                return (types.len() == count).then_some(types);
            }
            _ => {}
        }
    }
    None
}

/// What a kernel has at a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Element(Kind, usize),
    Float(Float),
}

impl Wanted {
    /// Whether elements of a type cannot be what is wanted. Bits and bytes may be anything.
    fn rules_out(self, given: ElementType) -> bool {
        let (kind, bytes) = match self {
            Wanted::Element(kind, bytes) => (kind, bytes),
            Wanted::Float(float) => (Kind::Float, float.bytes() as usize),
        };
        let is_integer = |kind| matches!(kind, Kind::Unsigned | Kind::Signed);
        let same = kind == given.kind() || is_integer(kind) && is_integer(given.kind());
        // Half-precision numbers come as the 16 bits that they are.
        let raw =
            given.kind() == Kind::Bits || given.bytes() == 1 || bytes == 2 && given.bytes() == 2;
        !(raw || same && bytes == given.bytes())
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |kind, bytes| {
            let mut all = ElementType::ALL.iter();
            all.find(|ty| ty.kind() == kind && ty.bytes() == bytes)
        };
        let ty = match *self {
            Wanted::Element(kind, bytes) => of(kind, bytes),
            Wanted::Float(Float::F32) => Some(&ElementType::F32),
            Wanted::Float(Float::F64) => Some(&ElementType::F64),
        };
        f.write_str(ty.map_or("other numbers", |ty| ty.word()))
    }
}

impl Kernel {
    /// Arguments that cannot be meant, by the kernel's C++ name and its attributes: a number where an address must stand.
    pub(crate) fn unmeant(&self, args: &[Arg]) -> Result<(), Box<Diagnostic>> {
        let types = parameters(self.name(), self.params().len());
        for (nth, (arg, param)) in args.iter().zip(self.params()).enumerate() {
            let cpp = types.as_ref().and_then(|types| types.get(nth));
            let is_pointer = param.is_pointer || cpp.is_some_and(|cpp| cpp.is_pointer);
            let Arg::Scalar(scalar) = arg else { continue };
            if !is_pointer || !is_number(scalar) {
                continue;
            }
            let what = match cpp {
                Some(cpp) => format!("a pointer, `{}`", cpp.words),
                None => "a pointer (`.ptr`)".to_owned(),
            };
            let message = format!(
                "argument {nth} does not fit its parameter: `{}:{scalar}` is a number, and the parameter is {what}",
                scalar.ty()
            );
            let found = Diagnostic::error(param.span, message).label(param.span, "the parameter");
            let help = "give a buffer, such as f32[1024]=0 or @FILE.npy; 0 is the null pointer";
            return Err(Box::new(found.help(help)));
        }
        Ok(())
    }

    /// Arguments that deserve a look: buffers of a type that is not the one of the kernel's C++ parameter, or with which the
    /// kernel does not compute, and numbers through which it accesses memory. The kernel can be launched with them.
    pub fn doubts(&self, args: &[Arg]) -> Vec<Diagnostic> {
        let params = self.params();
        let types = parameters(self.name(), params.len());
        let of = |is_pointer: &dyn Fn(&Arg) -> bool| {
            let tracked = args.iter().zip(params).map(|(arg, param)| {
                let may = param.bytes == 8 && !param.is_aggregate;
                may.then(|| Tracked { offset: param.offset, is_pointer: is_pointer(arg) })
            });
            uses::of(&self.lowered.kernel, &tracked.collect::<Vec<_>>())
        };
        // A number is an index, as far as buffers are concerned.
        let with_buffers = of(&|arg| matches!(arg, Arg::Buffer(_)));
        let has_numbers = args.iter().any(|arg| matches!(arg, Arg::Scalar(it) if is_number(it)));
        let with_all = if has_numbers { of(&|_| true) } else { Vec::new() };
        let mut found = Vec::new();
        for (nth, (arg, param)) in args.iter().zip(params).enumerate() {
            let cpp = types.as_ref().and_then(|types| types.get(nth));
            let message = match arg {
                Arg::Buffer(buffer) => {
                    let uses = with_buffers.get(nth).copied().unwrap_or_default();
                    buffer
                        .element
                        .and_then(|given| doubt(given, cpp, &uses))
                        .map(|why| format!("argument {nth} is {why}"))
                }
                // Those are refused.
                Arg::Scalar(_) if param.is_pointer || cpp.is_some_and(|cpp| cpp.is_pointer) => None,
                Arg::Scalar(scalar) if is_number(scalar) => {
                    let uses = with_all.get(nth).copied().unwrap_or_default();
                    let why = format!(
                        "argument {nth} is the number {scalar}, and the kernel accesses memory at it"
                    );
                    uses.accesses.then_some(why)
                }
                Arg::Scalar(_) | Arg::Bytes(_) | Arg::Struct(_) => None,
            };
            let Some(message) = message else { continue };
            let help = match arg {
                Arg::Buffer(_) => {
                    "give it in the type that the kernel works with, or as `b` type if the bits are meant"
                }
                _ => "give a buffer, such as f32[1024]=0 or @FILE.npy",
            };
            found.push(
                Diagnostic::new(Severity::Warning, Class::BadInput, message)
                    .label(param.span, "the parameter")
                    .help(help),
            );
        }
        found
    }
}

/// Whether it is an integer other than the null pointer. Bits may be an address that somebody knows.
fn is_number(scalar: &Scalar) -> bool {
    matches!(scalar.ty().kind(), Kind::Unsigned | Kind::Signed) && scalar.bits() != 0
}

/// Why a buffer of elements of a type may be wrong.
fn doubt(given: ElementType, cpp: Option<&CppType>, uses: &Uses) -> Option<String> {
    let cpp = cpp.filter(|cpp| cpp.is_pointer);
    let declared = cpp.and_then(|cpp| Some((cpp, Wanted::Element(cpp.of?.0, cpp.of?.1))));
    if declared.is_some_and(|(_, wanted)| !wanted.rules_out(given)) {
        return None;
    }
    let reads = uses.reads().map(Wanted::Float).filter(|wanted| wanted.rules_out(given));
    let writes = uses.writes().map(Wanted::Float).filter(|wanted| wanted.rules_out(given));
    match (reads, writes) {
        (Some(wanted), _) => Some(format!("{given}, the kernel reads {wanted} from it")),
        (None, Some(wanted)) => Some(format!("{given}, the kernel writes {wanted} to it")),
        (None, None) => declared.map(|(cpp, wanted)| {
            format!("{given}, the kernel's parameter points at {wanted} (`{}`)", cpp.pointee())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_mangled_names() {
        let of = |name: &str, count| {
            let types = parameters(name, count)?;
            Some(
                types
                    .into_iter()
                    .map(|it| (it.words.clone(), it.is_pointer, it.of))
                    .collect::<Vec<_>>(),
            )
        };
        let float = Some((Kind::Float, 4));
        // c++filt: `scan(float const*, float*, int)`.
        let scan = vec![
            ("float const*".to_owned(), true, float),
            ("float*".to_owned(), true, float),
            ("int".to_owned(), false, Some((Kind::Signed, 4))),
        ];
        assert_eq!(of("_Z4scanPKfPfi", 3), Some(scan));
        assert_eq!(of("_Z4scanPKfPfi", 2), None);
        // c++filt: `void map<int (*)(int)>(int*, int (*)(int))`.
        let map = of("_Z3mapIPFiiEEvPiT_", 2).expect("both are known");
        assert_eq!(map[0].0, "int*");
        assert_eq!(of("_Z1kv", 0).map(|types| types.len()), None);
        assert_eq!(of("scan", 3), None);
    }

    #[test]
    fn what_is_ruled_out() {
        use ElementType as T;
        let float = Wanted::Float(Float::F32);
        for (given, expected) in [
            (T::F32, false),
            (T::B32, false),
            (T::U8, false),
            (T::F64, true),
            (T::S32, true),
            (T::F16, true),
        ] {
            assert_eq!(float.rules_out(given), expected, "{given}");
        }
        let int = Wanted::Element(Kind::Signed, 4);
        for (given, expected) in [(T::U32, false), (T::S64, true), (T::F32, true), (T::B64, false)]
        {
            assert_eq!(int.rules_out(given), expected, "{given}");
        }
        assert!(!Wanted::Element(Kind::Float, 2).rules_out(T::U16));
    }
}
