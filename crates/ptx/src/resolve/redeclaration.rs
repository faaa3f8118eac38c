//! Whether a second declaration of a name agrees with the first (PTX ISA 9.1, linking directives).

use crate::lower::layout;
use crate::syntax::ast::{Function, Name, Variable};
use crate::syntax::{Linkage, ScalarType};

/// Directives that both declarations of a function have.
const KEPT: &[&str] = &[".noreturn", ".abi_preserve", ".abi_preserve_control"];

/// What differs between two functions for those who call them, and where the second one does; `None` if they agree.
pub(crate) fn signature<'a>(
    first: &Function,
    second: &'a Function,
) -> Option<(&'static str, &'a Name)> {
    let name = &second.name;
    for (firsts, seconds) in [(&first.returns, &second.returns), (&first.params, &second.params)] {
        if firsts.len() != seconds.len() {
            let extra = seconds.get(firsts.len()).map_or(name, |parameter| &parameter.name);
            return Some(("the number of parameters differs", extra));
        }
        let mut pairs = firsts.iter().zip(seconds);
        if let Some(found) = pairs.find_map(|(a, b)| Some((parameter(a, b)?, &b.name))) {
            return Some(found);
        }
    }
    let args = |function: &Function, word: &str| {
        function.directives.iter().find(|it| *it.name == *word).map(|it| it.args.clone())
    };
    let differs = |word: &&&str| args(first, word) != args(second, word);
    KEPT.iter().find(differs).map(|word| match *word {
        ".noreturn" => ("one of them has `.noreturn`", name),
        _ => ("they preserve different registers", name),
    })
}

/// What differs in how two functions take their parameters, and where the second one does: all that a linker looks at.
pub(crate) fn layout<'a>(
    first: &Function,
    second: &'a Function,
) -> Option<(&'static str, &'a Name)> {
    parameters(&first.returns, &second.returns, &second.name)
        .or_else(|| parameters(&first.params, &second.params, &second.name))
}

/// Whether one of two functions has a result and the other none, and they are alike else.
pub(crate) fn differ_in_having_results(first: &Function, second: &Function) -> bool {
    first.returns.is_empty() != second.returns.is_empty()
        && parameters(&first.params, &second.params, &second.name).is_none()
}

/// What differs between two lists of parameters, and where the second one does; at `name` if it has fewer.
fn parameters<'a>(
    firsts: &[Variable],
    seconds: &'a [Variable],
    name: &'a Name,
) -> Option<(&'static str, &'a Name)> {
    if firsts.len() != seconds.len() {
        let extra = seconds.get(firsts.len()).map_or(name, |parameter| &parameter.name);
        return Some(("the number of parameters differs", extra));
    }
    firsts.iter().zip(seconds).find_map(|(a, b)| {
        let what = if a.space != b.space {
            "the state space of a parameter differs"
        } else if layout::bytes(a) != layout::bytes(b) {
            "the size of a parameter differs"
        } else if passed(a) != passed(b) {
            "the type of a parameter differs"
        } else {
            return None;
        };
        Some((what, &b.name))
    })
}

/// What NVIDIA's linker looks at in the type of a parameter, beside its size: whether it is an array, whether it holds floats, and
/// the size of an element. Alignments may differ.
fn passed(parameter: &Variable) -> (bool, bool, u32) {
    use ScalarType::{F16, F16x2, F32, F64};
    let floats = matches!(parameter.ty, F16 | F16x2 | F32 | F64);
    (!parameter.dims.is_empty(), floats, parameter.ty.bits())
}

/// What differs between two declarations of a function, the later one second, and where the later one does;
/// `None` if they agree.
pub(super) fn function<'a>(
    first: &Function,
    second: &'a Function,
) -> Option<(&'static str, &'a Name)> {
    if let Some(found) = signature(first, second) {
        return Some(found);
    }
    let name = &second.name;
    // A definition may leave out what its prototype said.
    let left_out = second.linkage == Linkage::None
        && matches!(first.linkage, Linkage::Visible | Linkage::Weak);
    (first.linkage != second.linkage && !left_out).then_some(("the linkage differs", name))
}

fn parameter(a: &Variable, b: &Variable) -> Option<&'static str> {
    if a.space != b.space {
        Some("the state space of a parameter differs")
    } else if !same_type(a, b) || a.dims != b.dims {
        Some("the type of a parameter differs")
    } else if layout::alignment(a) != layout::alignment(b) {
        Some("the alignment of a parameter differs")
    } else {
        None
    }
}

fn same_type(a: &Variable, b: &Variable) -> bool {
    a.ty == b.ty && a.vector == b.vector
}

/// The same for variables of the module, one of which is `.extern`.
pub(super) fn variable(first: &Variable, second: &Variable) -> Option<&'static str> {
    let is_open = |variable: &Variable| variable.dims.contains(&None);
    if !same_type(first, second) {
        Some("the type differs")
    } else if !is_open(first) && !is_open(second) && first.dims != second.dims {
        Some("the size differs")
    } else if first.linkage == Linkage::Extern && second.linkage == Linkage::None {
        Some("an `.extern` variable is `.visible`, `.weak` or `.common` where it is defined")
    } else {
        None
    }
}
