//! Look-up of a module's symbols by PTX name or demangled C++ name.

use crate::demangle::{demangled, plain_name};

/// What was found under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    /// Which of the symbols.
    One(usize),
    /// All that it may be.
    Several(Vec<&'a str>),
    /// Nothing.
    None,
}

/// Looks a name up. From the strictest reading to the loosest, the first under which there is a symbol counts: the symbol
/// itself, its whole signature, its qualified name with template arguments (`ns::scan<int>`), without them (`ns::scan`),
/// without the scope (`scan<int>`, `scan`), and if `prefixes` says so, how the qualified name begins.
pub(crate) fn find<'a>(name: &str, symbols: &[&'a str], prefixes: bool) -> Found<'a> {
    let name = &squeezed(name);
    let readings: [&dyn Fn(&str) -> bool; 7] = [
        &|symbol| symbol == name,
        &|symbol| demangled(symbol).is_some_and(|full| signature_is(&squeezed(&full), name)),
        &|symbol| squeezed(&plain_name(symbol)) == *name,
        &|symbol| without_arguments(&squeezed(&plain_name(symbol))) == name,
        &|symbol| without_scope(&squeezed(&plain_name(symbol))) == name,
        &|symbol| without_arguments(without_scope(&squeezed(&plain_name(symbol)))) == name,
        &|symbol| prefixes && !name.is_empty() && squeezed(&plain_name(symbol)).starts_with(name),
    ];
    for reading in readings {
        let found = (0..symbols.len()).filter(|nth| reading(symbols[*nth]));
        match *found.collect::<Vec<_>>() {
            [] => {}
            [one] => return Found::One(one),
            ref several => {
                return Found::Several(several.iter().map(|nth| symbols[*nth]).collect());
            }
        }
    }
    Found::None
}

/// A name without the blanks that people write or leave out: `scan<int, 4>(int *)` is `scan<int,4>(int*)`. Those between
/// words stay.
fn squeezed(name: &str) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut out = String::with_capacity(name.len());
    let mut parts = name.split_whitespace();
    out.extend(parts.next());
    for part in parts {
        if out.ends_with(is_word) && part.starts_with(is_word) {
            out.push(' ');
        }
        out += part;
    }
    out
}

/// Whether a signature is the one meant, with or without the result's type that those of templates begin with.
fn signature_is(full: &str, name: &str) -> bool {
    full == name || full.strip_suffix(name).is_some_and(|result| result.ends_with([' ', '*', '&']))
}

/// The places of a name that are not between brackets.
fn outside(name: &str) -> impl DoubleEndedIterator<Item = usize> {
    let mut depth = 0_usize;
    let mut places = Vec::new();
    for (at, letter) in name.char_indices() {
        match letter {
            '<' | '(' => {
                places.extend((depth == 0).then_some(at));
                depth += 1;
            }
            '>' | ')' => depth = depth.saturating_sub(1),
            _ => places.extend((depth == 0).then_some(at)),
        }
    }
    places.into_iter()
}

/// `ns::scan<int>` as `ns::scan`.
fn without_arguments(name: &str) -> &str {
    let mut begins = outside(name).filter(|at| name[*at..].starts_with('<'));
    match begins.next_back() {
        Some(at) if name.ends_with('>') => &name[..at],
        _ => name,
    }
}

/// `ns::scan<a::b>` as `scan<a::b>`.
fn without_scope(name: &str) -> &str {
    let mut begins = outside(name).filter(|at| name[*at..].starts_with("::"));
    begins.next_back().map_or(name, |at| &name[at + 2..])
}

#[cfg(test)]
mod tests {
    use super::*;

    // The symbols are clang's; the names beside them are binutils' c++filt's.
    const SYMBOLS: [&str; 7] = [
        "_Z4scanPii",                // scan(int*, int)
        "_Z4scanPff",                // scan(float*, float)
        "_ZN2ns4scanIiLi4EEEvPT_",   // void ns::scan<int, 4>(int*)
        "_ZN2ns4scanIfLi4EEEvPT_",   // void ns::scan<float, 4>(float*)
        "_ZN12_GLOBAL__N_14fillEPj", // (anonymous namespace)::fill(unsigned int*)
        "reduce",
        "reduce_all",
    ];

    fn found(name: &str) -> Found<'static> {
        find(name, &SYMBOLS, true)
    }

    #[test]
    fn names_of_every_kind() {
        for (name, nth) in [
            ("_Z4scanPii", 0),
            ("scan(int*, int)", 0),
            ("scan(int *,int)", 0),
            ("scan(float*, float)", 1),
            ("ns::scan<int, 4>", 2),
            ("ns::scan<int,4>", 2),
            ("void ns::scan<float, 4>(float*)", 3),
            ("ns::scan<float, 4>(float*)", 3),
            ("scan<float, 4>", 3),
            ("ns::scan<i", 2),
            ("fill", 4),
            ("(anonymous namespace)::fill", 4),
            ("reduce", 5),
            ("reduce_", 6),
        ] {
            assert_eq!(found(name), Found::One(nth), "{name}");
        }
    }

    #[test]
    fn what_may_be_several_is_none_of_them() {
        assert_eq!(found("scan"), Found::Several(SYMBOLS[..2].to_vec()));
        assert_eq!(found("ns::scan"), Found::Several(SYMBOLS[2..4].to_vec()));
        assert_eq!(found("red"), Found::Several(SYMBOLS[5..].to_vec()));
        assert_eq!(found("scan(int*)"), Found::None);
        assert_eq!(found(""), Found::None);
        assert_eq!(find("red", &SYMBOLS, false), Found::None);
    }
}
