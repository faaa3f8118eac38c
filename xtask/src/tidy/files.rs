//! Rules about one file.

use super::breach::Breach;
use super::purpose::Purpose;
use super::tokens::Source;

const MAX_LINES: usize = 800;

/// Folders of people and machines; pieced together so that this file does not break the rule.
const LOCAL_PATHS: [&str; 5] = [
    concat!("/", "home/"),
    concat!("/", "root/"),
    concat!("/", "work/"),
    concat!("/", "Users/"),
    concat!(":", "\\Users\\"),
];

/// What prints: commands, the one file of the driver through which it speaks to those whose programs it runs, and the scripts
/// [`BUILD`].
const PRINTING: [&str; 5] =
    ["crates/cli/", "crates/cuda/src/say.rs", "crates/filetest/", "xtask/", "bench/"];

/// Scripts that speak to cargo.
const BUILD: &str = "/build.rs";

/// The crates that may use `unsafe`.
const UNSAFE: [&str; 5] =
    ["crates/conformance/src/driver.rs", "crates/cuda/", "crates/cudart/", "crates/vm/", "python/"];

/// Rules about any text.
pub(super) fn check_text(name: &str, text: &str, breaches: &mut Vec<Breach>) {
    let mut breach = |line, what| breaches.push(Breach { file: name.to_owned(), line, what });
    let lines = text.lines().count();
    if name.ends_with(".rs") && lines > MAX_LINES {
        breach(0, format!("{lines} lines; split it by meaning below {MAX_LINES}"));
    }
    for (nth, line) in text.lines().enumerate() {
        if let Some(path) = LOCAL_PATHS.iter().find(|path| line.contains(*path)) {
            breach(nth + 1, format!("`{path}` is a path of one machine"));
        }
    }
}

/// Rules about Rust.
pub(super) fn check_source(
    name: &str,
    source: &Source,
    purpose: Purpose,
    breaches: &mut Vec<Breach>,
) {
    let mut breach = |line, what| breaches.push(Breach { file: name.to_owned(), line, what });
    for unfinished in ["todo", "unimplemented", "dbg"] {
        for token in source.find(&[unfinished, "!"]) {
            breach(token.line, format!("`{unfinished}!` is left over"));
        }
    }
    if purpose == Purpose::Product {
        for hidden in ["panic", "unreachable"] {
            for arm in [&["_", "=", ">", hidden, "!"][..], &["_", "=", ">", "{", hidden, "!"]] {
                for token in source.find(arm).filter(|token| !token.in_test) {
                    let what = format!("`_ => {hidden}!` hides forgotten cases; list them");
                    breach(token.line, what);
                }
            }
        }
        if !PRINTING.iter().any(|folder| name.starts_with(folder)) && !name.ends_with(BUILD) {
            for printing in ["println", "eprintln", "print", "eprint"] {
                for token in source.find(&[printing, "!"]).filter(|token| !token.in_test) {
                    breach(token.line, format!("`{printing}!`: only commands print"));
                }
            }
        }
    }
    if !UNSAFE.iter().any(|folder| name.starts_with(folder)) {
        for token in source.find(&["unsafe"]) {
            breach(
                token.line,
                "`unsafe`: only the crates vm, cuda, cudart and python may, and who opens a driver"
                    .to_owned(),
            );
        }
    }
    let is_root = ["/src/lib.rs", "/src/main.rs"].iter().any(|root| name.ends_with(root));
    let begins: Vec<&str> = source.tokens.iter().take(4).map(|token| token.text.as_str()).collect();
    if is_root && begins != ["#", "!", "[", "doc"] {
        breach(1, "a crate begins with what it is for (`//!`)".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::super::purpose::purpose;
    use super::*;

    fn found(name: &str, text: &str) -> Vec<String> {
        let mut breaches = Vec::new();
        check_text(name, text, &mut breaches);
        let source = Source::read(text).expect("it is Rust");
        check_source(name, &source, purpose(name), &mut breaches);
        breaches.into_iter().map(|breach| format!("{}: {}", breach.line, breach.what)).collect()
    }

    #[test]
    fn each_rule_finds_its_breach() {
        let product = "crates/ptx/src/a.rs";
        for (text, word) in [
            ("fn a() { to\u{64}o!() }", "left over"),
            ("fn a() { match b { _ => panic!(\"x\") } }", "hides"),
            ("fn a() { match b { _ => { unreachable!() } } }", "hides"),
            ("fn a() { println!() }", "print"),
            ("fn a() { unsafe { b() } }", "only the crates vm"),
        ] {
            let breaches = found(product, text);
            assert!(breaches.len() == 1 && breaches[0].contains(word), "{text}: {breaches:?}");
        }
        let long = "\n".repeat(MAX_LINES + 1);
        assert_eq!(found(product, &long).len(), 1);
        assert_eq!(found("crates/ptx/src/lib.rs", "fn a() {}").len(), 1);
        let path = format!("// {}x\n", LOCAL_PATHS[0]);
        assert_eq!(found(product, &path).len(), 1);
    }

    #[test]
    fn what_is_allowed_passes() {
        let text =
            "//! A.\n#[cfg(test)]\nmod t { fn a() { match b { _ => panic!() } println!() } }";
        assert_eq!(found("crates/ptx/src/lib.rs", text), [""; 0]);
        assert_eq!(found("crates/vm/src/a.rs", "fn a() { unsafe { b() } }"), [""; 0]);
        assert_eq!(found("crates/cli/src/a.rs", "fn a() { println!() }"), [""; 0]);
        assert_eq!(found("crates/ptx/tests/a.rs", "fn a() { eprintln!() }"), [""; 0]);
    }
}
