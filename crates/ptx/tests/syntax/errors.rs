//! What people read when their text is wrong.

use crate::support::{parse, rendered};
use diag::{Class, Severity};
use expect_test::{Expect, expect};
use warpwise_ptx::syntax::{MAX_ERRORS, ast::Item};

fn check(text: &str, expected: Expect) {
    let (sources, _, _, diagnostics) = parse(text);
    expected.assert_eq(&rendered(&sources, &diagnostics));
}

fn check_body(body: &str, expected: Expect) {
    check(&format!(".version 8.0\n.target sm_90\n.entry k {{\n{body}\n}}\n"), expected);
}

#[test]
fn empty_file() {
    check(
        "// nothing\n",
        expect![[r#"
            error[P001]: this file holds no PTX
             --> test.ptx:2:1
              |
            2 |
              | ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: a module begins with, for example, `.version 8.0` and `.target sm_90`
        "#]],
    );
}

#[test]
fn no_header() {
    check(
        ".entry k { ret; }",
        expect![[r#"
            error[P001]: expected `.version` at the head of the module, found `.entry`
             --> test.ptx:1:1
              |
            1 | .entry k { ret; }
              | ^^^^^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: a module begins with, for example, `.version 8.0` and `.target sm_90`
        "#]],
    );
}

#[test]
fn missing_semicolon() {
    check_body(
        "\tmov.u32 a, 1\n\tmov.u32 b, 2;\n\tret",
        expect![[r#"
            error[P001]: `;` is missing at the end of this statement
             --> test.ptx:4:14
              |
            4 |     mov.u32 a, 1
              |                 ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: end the statement with `;`
            error[P001]: `;` is missing at the end of this statement
             --> test.ptx:6:5
              |
            6 |     ret
              |        ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: end the statement with `;`
        "#]],
    );
}

#[test]
fn missing_comma() {
    check_body(
        "\tadd.s32 a, b c;\n\tadd.s32 a, , c;",
        expect![[r#"
            error[P001]: expected `,` or `;` after the operand, found `c`
             --> test.ptx:4:15
              |
            4 |     add.s32 a, b c;
              |                  ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: expected an operand, found `,`
             --> test.ptx:5:13
              |
            5 |     add.s32 a, , c;
              |                ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
        "#]],
    );
}

#[test]
fn bad_literals() {
    check_body(
        "\tmov.f32 f, 0f3F8;\n\tmov.u32 a, 0x1fu;\n\tmov.u32 a, 08;\n\tmov.u64 x, 99999999999999999999;",
        expect![[r#"
            error[P001]: bad literal `0f3F8`
             --> test.ptx:4:13
              |
            4 |     mov.f32 f, 0f3F8;
              |                ^^^^^ 8 hexadecimal digits belong here, found 3
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: write the 32 bits as 8 hexadecimal digits: 1.0 is `0f3F800000`
            error[P001]: bad literal `0x1fu`
             --> test.ptx:5:13
              |
            5 |     mov.u32 a, 0x1fu;
              |                ^^^^^ the suffix of an unsigned literal is a capital `U`
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: write digits 0-9 and a-f, then `U` if unsigned: `0x1FU`
            error[P001]: bad literal `08`
             --> test.ptx:6:13
              |
            6 |     mov.u32 a, 08;
              |                ^^ `8` is no octal digit
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: a leading 0 makes a number octal: use the digits 0 to 7, or drop the 0
            error[P001]: bad literal `99999999999999999999`
             --> test.ptx:7:13
              |
            7 |     mov.u64 x, 99999999999999999999;
              |                ^^^^^^^^^^^^^^^^^^^^ this number does not fit in 64 bits
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: integers have 64 bits; the largest is 18446744073709551615
        "#]],
    );
}

#[test]
fn remainder_without_a_blank() {
    check_body(
        "\tmov.u32 a, 7%2;",
        expect![[r#"
            error[P001]: expected `,` or `;` after the operand, found the name `%2`
             --> test.ptx:4:14
              |
            4 |     mov.u32 a, 7%2;
              |                 ^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: for the remainder of a division, put a blank after `%`
        "#]],
    );
}

#[test]
fn name_in_a_constant() {
    check_body(
        "\tmov.u64 x, 4+g;\n\tmov.u64 x, (.u32)5;\n\tmov.f64 d, 1.5*2;",
        expect![[r#"
            error[P001]: expected a number, found `g`
             --> test.ptx:4:15
              |
            4 |     mov.u64 x, 4+g;
              |                  ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: a name takes part in a constant only as `name+offset`
            error[P001]: expected `.u64` or `.s64`, found `.u32`
             --> test.ptx:5:14
              |
            5 |     mov.u64 x, (.u32)5;
              |                 ^^^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: constants have 64 bits and are cast to these two types only
            error[P001]: one operand is an integer and the other a float
             --> test.ptx:6:13
              |
            6 |     mov.f64 d, 1.5*2;
              |                ^^^^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
        "#]],
    );
}

#[test]
fn unclosed_brace() {
    check_body(
        "\t{ mov.u32 a, 1;\n\tret;",
        expect![[r#"
            error[P001]: this `{` is never closed
             --> test.ptx:4:2
              |
            3 | .entry k {
              |          - the body
            4 |     { mov.u32 a, 1;
              |     ^
            5 |     ret;
            6 | }
              | - closes it instead of the body
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
        "#]],
    );
}

#[test]
fn brace_missing_before_the_next_function() {
    check(
        ".version 8.0\n.target sm_90\n.entry a {\n\tret;\n\n.visible .entry b {\n\tret\n}\n",
        expect![[r#"
            error[P001]: `}` is missing here
             --> test.ptx:6:1
              |
            3 | .entry a {
              |          - this `{` is never closed
            ...
            6 | .visible .entry b {
              | ^------- the next function begins here
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: add `}` before it
            error[P001]: `;` is missing at the end of this statement
             --> test.ptx:7:5
              |
            7 |     ret
              |        ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: end the statement with `;`
        "#]],
    );
}

#[test]
fn brace_too_many() {
    check_body(
        "\tret;\n}\n\tmov.u32 a, 1;\n\tret;",
        expect![[r#"
            error[P001]: this `}` closes the function, but instructions follow
             --> test.ptx:5:1
              |
            3 | .entry k {
              |          - opened here
            4 |     ret;
            5 | }
              | ^
            6 |     mov.u32 a, 1;
              |     --- outside of every function
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: instructions stand in a body: this `}` may be one too many, or a `{` is missing
        "#]],
    );
}

#[test]
fn truncated_in_a_comment_and_in_a_string() {
    check(
        ".version 8.0\n.target sm_90\n.entry k {\n\tret; /* and so",
        expect![[r#"
            error[P001]: this comment is never closed
             --> test.ptx:4:7
              |
            4 |     ret; /* and so
              |          ^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: close it with `*/`; comments do not nest
            error[P001]: `}` is missing here
             --> test.ptx:4:16
              |
            3 | .entry k {
              |          - this `{` is never closed
            4 |     ret; /* and so
              |                   ^
              |                   |
              |                   the file ends here
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: add `}`; if the file was cut short, produce it again
        "#]],
    );
    check(
        ".version 8.0\n.target sm_90\n.pragma \"noun",
        expect![[r#"
            error[P001]: this string is never closed
             --> test.ptx:3:9
              |
            3 | .pragma "noun
              |         ^^^^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: close it with `"` on the same line
        "#]],
    );
}

#[test]
fn declarations() {
    check_body(
        "\t.reg .bf16 a;\n\t.reg .x32 b;\n\t.reg c;\n\t.reg .b32 .b32 d;\n\t.reg .b32 r<4294967296>;\n\
         \t.shared .align 3 .b8 e[4];\n\t.shared .b8 f[-1];\n\t.foo g;",
        expect![[r#"
            error[P001]: `.bf16` is a type of instructions, not of variables
             --> test.ptx:4:7
              |
            4 |     .reg .bf16 a;
              |          ^^^^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: declare `.b16` and name `.bf16` in the instructions
            error[P001]: `.x32` is not a type
             --> test.ptx:5:7
              |
            5 |     .reg .x32 b;
              |          ^^^^ in a `.reg` declaration
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: use a type such as `.pred`, `.b32`, `.u64`, `.f32` or `.f16x2`
            error[P001]: expected a type such as `.b32`, found `c`
             --> test.ptx:6:7
              |
            6 |     .reg c;
              |          ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: a declaration reads `.reg .b32 name;`
            error[P001]: this is the second of its kind in one declaration
             --> test.ptx:7:12
              |
            7 |     .reg .b32 .b32 d;
              |               ^^^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: the number of registers is an integer below 4294967296, found `4294967296`
             --> test.ptx:8:14
              |
            8 |     .reg .b32 r<4294967296>;
              |                 ^^^^^^^^^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: alignment 3 is not a power of two
             --> test.ptx:9:17
              |
            9 |     .shared .align 3 .b8 e[4];
              |                    ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: an array dimension is a number, whole and not negative
              --> test.ptx:10:16
               |
            10 |     .shared .b8 f[-1];
               |                   ^
               |
               = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: expected an instruction, a declaration or a directive, found `.foo`
              --> test.ptx:11:2
               |
            11 |     .foo g;
               |     ^^^^
               |
               = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
               = help: the directives of a body are `.loc` and `.pragma`
        "#]],
    );
}

#[test]
fn parameters_and_function_directives() {
    check(
        ".version 8.0\n.target sm_90\n.entry a(.param .u64 p {\n\tret;\n}\n\
         .entry b(.global .u64 p) { ret; }\n.entry c() .maxntidx 128 { ret; }\n.entry (.param .b32 r) d() { ret; }\n",
        expect![[r#"
            error[P001]: expected `,` or `)` after the parameter, found `{`
             --> test.ptx:3:24
              |
            3 | .entry a(.param .u64 p {
              |         - opened here  ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: expected a parameter, found `.global`
             --> test.ptx:6:10
              |
            6 | .entry b(.global .u64 p) { ret; }
              |          ^^^^^^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: a parameter begins with `.param` or, in a `.func`, `.reg`
            error[P001]: expected a function directive or `{`, found `.maxntidx`
             --> test.ptx:7:12
              |
            7 | .entry c() .maxntidx 128 { ret; }
              |            ^^^^^^^^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: did you mean `.maxntid`?
            error[P001]: a kernel returns nothing
             --> test.ptx:8:8
              |
            8 | .entry (.param .b32 r) d() { ret; }
              |        ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: write the name of the kernel after `.entry`
        "#]],
    );
}

#[test]
fn guards_and_operands() {
    check_body(
        "\t@!!p ret;\n\t@1 ret;\n\tmov.b64 x, {};\n\tld.u32 a, [b+c];\n\tld.u32 a, [b;\n\tmov.u32 a, é;\n\t;\n\tret;",
        expect![[r#"
            error[P001]: expected a predicate register, found `!`
             --> test.ptx:4:4
              |
            4 |     @!!p ret;
              |       ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: a guard is `@p` or `@!p` with the name of a `.pred` register
            error[P001]: expected a predicate register, found `1`
             --> test.ptx:5:3
              |
            5 |     @1 ret;
              |      ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: a guard is `@p` or `@!p` with the name of a `.pred` register
            error[P001]: a vector operand has at least one element
             --> test.ptx:6:13
              |
            6 |     mov.b64 x, {};
              |                ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: expected a number, found `c`
             --> test.ptx:7:15
              |
            7 |     ld.u32 a, [b+c];
              |                  ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: a name takes part in a constant only as `name+offset`
            error[P001]: expected `]` after the address, found `;`
             --> test.ptx:8:14
              |
            8 |     ld.u32 a, [b;
              |               - ^
              |               |
              |               opened here
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: PTX has no use for the character `é`
             --> test.ptx:9:13
              |
            9 |     mov.u32 a, é;
              |                ^ expected an operand
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: this `;` ends no statement
              --> test.ptx:10:2
               |
            10 |     ;
               |     ^
               |
               = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
               = help: remove it
        "#]],
    );
}

#[test]
fn initial_values() {
    check(
        ".version 8.0\n.target sm_90\n.global .u32 a[2] = {1, 2,};\n.global .u8 b = 0xfff(a);\n\
         .global .u32 c = ;\n.global .u32 d[2][2] = {{1, 2}, {3 4}};\n.global .u32 e;\n",
        expect![[r#"
            error[P001]: expected an initial value, found `}`
             --> test.ptx:3:27
              |
            3 | .global .u32 a[2] = {1, 2,};
              |                           ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: this mask does not select one byte
             --> test.ptx:4:17
              |
            4 | .global .u8 b = 0xfff(a);
              |                 ^^^^^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
              = help: a mask is 0xFF, 0xFF00, 0xFF0000 and so on
            error[P001]: expected an initial value, found `;`
             --> test.ptx:5:18
              |
            5 | .global .u32 c = ;
              |                  ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
            error[P001]: expected `,` or `}` after the initial value, found `4`
             --> test.ptx:6:36
              |
            6 | .global .u32 d[2][2] = {{1, 2}, {3 4}};
              |                                    ^
              |
              = note: The text follows the grammar of PTX. (PTX ISA 9.1, 4 Syntax)
        "#]],
    );
}

#[test]
fn errors_are_independent() {
    let (sources, _, module, diagnostics) = parse(
        ".version 8.0\n.target sm_90\n.entry a { mov.u32 1.5.5, a; ret; add , ; bra L; }\n\
         .global .u32 = 5;\n.entry b { ret; }\n",
    );
    assert_eq!(diagnostics.len(), 3, "{}", rendered(&sources, &diagnostics));
    let Item::Function(a) = &module.items[0] else { panic!("the first item is a function") };
    assert_eq!(a.body.as_ref().map(Vec::len), Some(2), "ret and bra are kept");
    assert!(matches!(&module.items[1], Item::Function(b) if b.name == "b"));
}

#[test]
fn a_note_ends_a_long_list() {
    let text = format!(".version 8.0\n.target sm_90\n.entry k {{\n{}}}\n", "add , ;\n".repeat(200));
    let (_, _, _, diagnostics) = parse(&text);
    assert_eq!(diagnostics.len(), MAX_ERRORS + 1);
    assert!(diagnostics[..MAX_ERRORS].iter().all(|it| it.severity == Severity::Error));
    assert_eq!(diagnostics[MAX_ERRORS].severity, Severity::Note);
    assert_eq!(diagnostics[MAX_ERRORS].class, Class::BadInput);
}
