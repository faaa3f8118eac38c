//! Calls in calls and blocks in blocks: a limit with its own error, and never the end of the stack. Test threads have
//! 2 MiB of it.

use diag::{Class, Diagnostic, Sources};
use std::fmt::Write;
use warpwise_ptx::Module;

/// Lowers the kernel `k` of a module.
fn lower(functions: &str, body: &str) -> Result<(), Vec<Diagnostic>> {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{functions}\n.entry k() {{\n{body}\nret;\n}}\n"
    );
    let mut sources = Sources::new();
    let file = sources.add("test.ptx", text);
    let (module, _) = Module::parse(&sources, file)?;
    module.lower("k").map(drop)
}

/// The classes of the errors.
fn classes(functions: &str, body: &str) -> Vec<Class> {
    let errors = lower(functions, body).err().unwrap_or_default();
    errors.iter().map(|error| error.class).collect()
}

/// Functions `f0` to `f(count - 1)`, each of which calls the next one as `call` says.
fn chain(count: usize, call: impl Fn(usize) -> String) -> String {
    (0..count).rev().fold(String::new(), |mut text, nth| {
        let body = if nth + 1 < count { call(nth + 1) } else { String::new() };
        let _ = writeln!(text, ".func f{nth}() {{ {body} ret; }}");
        text
    })
}

#[test]
fn chains_of_calls() {
    let once = |next| format!("call f{next};");
    for count in [1, 250, 300, 3_140, 100_000] {
        assert_eq!(classes(&chain(count, once), "call f0;"), [], "{count} functions");
    }
}

#[test]
fn blocks_around_calls() {
    let open = "{".repeat(60);
    let close = "}".repeat(60);
    let nested = |next| format!("{open} call f{next}; {close}");
    assert_eq!(classes(&chain(3, nested), "call f0;"), []);
    assert_eq!(classes(&chain(200, nested), "call f0;"), [Class::Limit]);
}

#[test]
fn calls_that_double() {
    let twice = |next| format!("call f{next}; call f{next};");
    assert_eq!(classes(&chain(12, twice), "call f0;"), []);
    // Those that have become large are lowered once.
    assert_eq!(classes(&chain(40, twice), "call f0;"), []);
}

#[test]
fn what_is_not_implemented_is_told_once_with_its_number() {
    let functions = "\
        .extern .func a;\n.extern .func b;\n.func c() { call a; ret; }\n";
    let mut body = "call b;\n".repeat(30);
    body += "call c; call c;\ncall a;\n";
    let errors = lower(functions, &body).expect_err("they are defined elsewhere");
    let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    let linked = "is defined in another module, which is not linked";
    assert_eq!(
        messages,
        [
            format!("`b` {linked} (here and in 29 other places)"),
            format!("`a` {linked} (here and in 1 other place)"),
        ]
    );
}

/// Misspelled names by the ten thousand: the first are told of the name that is near, and no search goes through all names for
/// each of them, which took minutes.
#[test]
fn many_misspelled_names() {
    let mut body = String::new();
    for nth in 0..50_000 {
        let _ = writeln!(body, "Label{nth}: bra Labl{nth};");
    }
    let errors = lower("", &body).err().unwrap_or_default();
    assert!(errors.len() <= 100 && errors.iter().all(|error| error.class == Class::BadInput));
    let help = errors.first().and_then(|error| error.help.as_deref());
    assert_eq!(help, Some("did you mean `Label0`?"));
}
