//! Which declarations NVIDIA's assembler (13.5) takes together, and which it refuses.

use super::{check, scope::split_number};
use diag::{Class, Sources};

/// The messages about `declarations` in the module and `body` in a kernel.
fn messages(declarations: &str, body: &str) -> Vec<String> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{declarations}\n.entry zz() {{ {body} ret; }}"
    );
    let mut sources = Sources::new();
    let file = sources.add("test.ptx", text);
    let (module, diagnostics) = crate::syntax::parse(&sources, file);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    check(&module).into_iter().map(|it| it.message).collect()
}

#[test]
fn module_scope() {
    let accepted = [
        ".extern .global .b32 g; .visible .global .b32 g;",
        ".visible .global .b32 g; .extern .global .b32 g;",
        ".extern .global .b32 g; .extern .global .b32 g;",
        ".extern .shared .b32 s[]; .extern .shared .b32 s[];",
        ".func f(); .func f(); .func f() { ret; }",
        ".global .b32 a, b;",
    ];
    for text in accepted {
        assert_eq!(messages(text, ""), [""; 0], "{text}");
    }
    let refused = [
        ".global .b32 g; .global .b32 g;",
        ".global .b32 g = 1; .global .b32 g = 1;",
        ".weak .global .b32 g; .weak .global .b32 g;",
        ".common .global .b32 g; .common .global .b32 g;",
        ".global .b32 g; .shared .b32 g;",
        ".shared .b32 g; .shared .b32 g;",
        ".func g() { ret; } .global .b32 g;",
        ".global .b32 g; .func g() { ret; }",
        ".extern .func g(); .global .b32 g;",
        ".entry g() { ret; } .entry g() { ret; }",
        ".entry g() { ret; } .func g() { ret; }",
    ];
    for text in refused {
        assert_eq!(messages(text, ""), ["`g` is declared twice"], "{text}");
    }
}

#[test]
fn function_scopes() {
    let accepted = [
        ".reg .b32 %r5; .reg .b32 %r<3>;",
        ".reg .b32 %r<3>; .reg .b32 %r3;",
        ".reg .b32 %r<3>; .reg .b32 %r;",
        ".reg .b32 %r<3>; %r1:",
        ".reg .b32 %r<3>; .reg .b32 %r2<4>;",
        ".reg .b32 %r10<3>; .reg .b32 %r<20>;",
        ".reg .b32 a1<3>, a12;",
        "L: { .reg .b32 L; }",
        "{ L: } { L: }",
        ".reg .b32 zz; .reg .b32 %tid;",
        ".reg .b32 %r<5>; { .reg .b32 %r<2>; .reg .f32 %r3; }",
    ];
    for text in accepted {
        assert_eq!(messages("", text), [""; 0], "{text}");
    }
    let refused = [
        (".reg .b32 %r1; .reg .b32 %r<3>;", "%r1"),
        (".reg .b32 %r2, %r1; .reg .b32 %r<2>;", "%r1"),
        (".reg .b32 %r<3>; .reg .b32 %r1;", "%r1"),
        (".reg .b32 %r<3>; .reg .b32 %r01;", "%r01"),
        (".reg .b32 %r<3>; .reg .f32 %r<3>;", "%r<3>"),
        (".reg .b32 %r<0>; .reg .b32 %r<0>;", "%r<0>"),
        (".reg .b32 a; .reg .f32 a;", "a"),
        (".reg .b32 a; a:", "a"),
        ("L: L:", "L"),
        ("{ .reg .b32 a; .reg .b32 a; }", "a"),
        (".param .b32 q; .param .b32 q;", "q"),
        ("T: .branchtargets L; .reg .b32 T; L:", "T"),
        ("p: .callprototype _; p:", "p"),
    ];
    for (text, name) in refused {
        assert_eq!(messages("", text), [format!("`{name}` is declared twice")], "{text}");
    }
    let parameters = ".entry k(.param .u64 p, .param .u64 p) { .reg .b64 p; ret; }";
    assert_eq!(messages(parameters, ""), ["`p` is declared twice"; 2]);
}

#[test]
fn places_of_declarations() {
    let table = [
        (".param .b32 g;", "", "parameters belong to functions, not to the module"),
        (".reg .b32 g;", "", "`.reg` variables belong to functions, not to the module"),
        (".local .b32 g;", "", "`.local` variables belong to functions, not to the module"),
        (".shared .b32 g = 1;", "", "`.shared` variables have no initial value"),
        ("", ".local .b32 l = 1;", "`.local` variables have no initial value"),
        ("", ".sreg .b32 s;", "special registers are predefined and cannot be declared"),
        (".entry k(.reg .b32 r) { ret; }", "", "the parameters of a kernel are in `.param` space"),
    ];
    for (declarations, body, message) in table {
        assert_eq!(messages(declarations, body), [message]);
    }
    assert_eq!(messages("", ".const .u32 c = 5; .global .u32 g = 1;"), [""; 0]);
}

#[test]
fn both_places_are_shown() {
    let mut sources = Sources::new();
    let file = sources.add("t", ".version 8.0\n.target sm_90\n.global .b32 g;\n.shared .b32 g;\n");
    let (module, _) = crate::syntax::parse(&sources, file);
    let errors = check(&module);
    let lines: Vec<u32> =
        errors[0].labels.iter().map(|label| sources.location(label.span).line).collect();
    assert_eq!(lines, [4, 3]);
    assert_eq!(errors[0].class, Class::BadInput);
}

#[test]
fn numbers_at_the_end_of_names() {
    let table = [
        ("%r12", Some(("%r", 12))),
        ("%r01", Some(("%r", 1))),
        ("%f16_3", Some(("%f16_", 3))),
        ("%r", None),
        ("%r4294967296", None),
    ];
    for (name, split) in table {
        assert_eq!(split_number(name), split, "{name}");
    }
}
