//! Demangled C++ names.

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};
use std::fmt;

/// Longer names stay as they are.
const MOST: usize = 4096;

/// Text that ends where a name grows beyond all sense: back-references can double it again and again.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match self.0.len() + text.len() > MOST {
            true => Err(fmt::Error),
            false => {
                self.0.push_str(text);
                Ok(())
            }
        }
    }
}

fn symbol(name: &str) -> Option<Symbol<&[u8]>> {
    let mangled = name.starts_with("_Z") && name.len() <= MOST;
    let limits = ParseOptions::default().recursion_limit(64);
    mangled.then(|| Symbol::new_with_options(name.as_bytes(), &limits).ok()).flatten()
}

fn written(name: &str, options: DemangleOptions) -> Option<String> {
    // Linked programs have `name@file` beside a `name` of another module.
    let (name, module) = name.split_at(name.find('@').unwrap_or(name.len()));
    let mut out = Bounded(String::new());
    let options = options.recursion_limit(64);
    symbol(name)?.structured_demangle(&mut out, &options).ok()?;
    Some(out.0 + module)
}

/// A mangled name of the Itanium C++ ABI with its parameters, such as `scan(int*, int)`; `None` if it is none.
pub fn demangled(name: &str) -> Option<String> {
    written(name, DemangleOptions::new())
}

/// The name of a variable or function without parameters: `ns::counter`. Variables of a function lose the function's name.
/// Other names are returned as they are.
pub fn plain_name(name: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    let Some(full) = written(name, options) else { return name.to_owned() };
    match of_function(name) {
        // `kernel(float*)::tile`, which the options leave as `kernel::tile`.
        true => full.rsplit("::").next().unwrap_or(&full).to_owned(),
        false => full,
    }
}

/// Whether a function of a module may be called so: by its name in the module, by that in C++ with its parameters
/// (`ns::scan<int>(int*)`), without them, without template arguments, or without namespaces.
pub fn is_called(mangled: &str, name: &str) -> bool {
    if mangled == name || demangled(mangled).as_deref() == Some(name) {
        return true;
    }
    let with_params = DemangleOptions::new().no_return_type();
    if written(mangled, with_params).as_deref() == Some(name) {
        return true;
    }
    let plain = plain_name(mangled);
    let untyped = without_arguments(&plain);
    plain == name || untyped == name || untyped.rsplit("::").next() == Some(name)
}

/// A name without what stands between angle brackets.
fn without_arguments(name: &str) -> String {
    let mut depth = 0_usize;
    let mut out = String::new();
    for letter in name.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
    }
    out
}

/// Whether a mangled name is that of an entity of a function (Itanium C++ ABI, `<local-name>`).
fn of_function(name: &str) -> bool {
    name.starts_with("_ZZ")
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected names are those of binutils' c++filt.
    #[test]
    fn names_of_the_abi() {
        assert_eq!(demangled("_Z4scanPiS_i").as_deref(), Some("scan(int*, int*, int)"));
        assert_eq!(plain_name("_ZN2ns7counterE"), "ns::counter");
        assert_eq!(plain_name("_ZZ4kernPfE4tile"), "tile");
        assert_eq!(plain_name("_Z4scanPiS_i"), "scan");
        assert_eq!(plain_name("table"), "table");
        assert_eq!(plain_name("_Z"), "_Z");
        assert_eq!(demangled("scan"), None);
    }

    #[test]
    fn functions_are_called_by_any_of_their_names() {
        // `void ns::reduce<float>(float*)`, as c++filt has it.
        let mangled = "_ZN2ns6reduceIfEEvPT_";
        for name in [
            mangled,
            "void ns::reduce<float>(float*)",
            "ns::reduce<float>(float*)",
            "ns::reduce<float>",
            "ns::reduce",
            "reduce",
        ] {
            assert!(is_called(mangled, name), "{name}: {:?}", demangled(mangled));
        }
        for name in ["ns", "reduc", "other::reduce", "ns::reduce<int>", ""] {
            assert!(!is_called(mangled, name), "{name}");
        }
        assert!(is_called("k", "k") && !is_called("k", "_Z1kv"));
    }

    #[test]
    fn names_that_grow_without_end_stay_as_they_are() {
        // Every pair of template arguments is twice as long as the one before it.
        let mut name = "_Z1fI1aIiiE".to_owned();
        for nth in 0..40_u8 {
            let back = char::from(if nth < 10 { b'0' + nth } else { b'A' + nth - 10 });
            name += &format!("1bIS{back}_S{back}_E");
        }
        name += "Evv";
        assert!(demangled(&name).is_none_or(|full| full.len() <= MOST));
    }
}
