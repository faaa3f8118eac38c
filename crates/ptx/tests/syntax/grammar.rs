//! Constant expressions and the shapes that the parser gives to each form of the grammar.

use crate::support::{parse, rendered};
use warpwise_ptx::syntax::ast::{
    Constant, InitKind, Instruction, Item, Linkage, Module, OperandKind, ScalarType, Space,
    StatementKind, Variable,
};

const HEADER: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

fn accepted(text: &str) -> Module {
    let (sources, _, module, diagnostics) = parse(text);
    assert!(diagnostics.is_empty(), "{}", rendered(&sources, &diagnostics));
    module
}

fn variables(declarations: &str) -> Vec<Variable> {
    let items = accepted(&format!("{HEADER}{declarations}")).items;
    let variable = |item| match item {
        Item::Variable(variable) => Some(*variable),
        Item::Function(_) | Item::Directive(_) => None,
    };
    items.into_iter().filter_map(variable).collect()
}

fn instructions(body: &str) -> Vec<Instruction> {
    let module = accepted(&format!("{HEADER}.entry k {{\n{body}\n}}\n"));
    let Some(Item::Function(function)) = module.items.into_iter().next() else { return Vec::new() };
    let instruction = |statement: warpwise_ptx::syntax::ast::Statement| match statement.kind {
        StatementKind::Instruction(instruction) => Some(instruction),
        _ => None,
    };
    function.body.clone().unwrap_or_default().into_iter().filter_map(instruction).collect()
}

/// The value of an expression as the initial value of a variable; `None` if it is refused.
fn value(expression: &str) -> Option<Constant> {
    let (_, _, module, diagnostics) = parse(&format!("{HEADER}.global .u64 v = {expression};\n"));
    let constant = match module.items.into_iter().next() {
        Some(Item::Variable(variable)) => match variable.init?.kind {
            InitKind::Constant(constant) => Some(constant),
            InitKind::List(_) | InitKind::Address(_) | InitKind::Field(_) => None,
        },
        Some(Item::Function(_) | Item::Directive(_)) | None => None,
    };
    assert_eq!(constant.is_some(), diagnostics.is_empty(), "{expression}");
    constant
}

/// Values that NVIDIA's assembler (13.5) gave to `.global .u64 v = EXPRESSION;`.
#[test]
fn integer_expressions() {
    let table: &[(&str, i64)] = &[
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("7% -2", 7),
        ("-7/2", -3),
        ("-7/2U", 9223372036854775804),
        ("7/-2", -3),
        ("1<<4|1", 17),
        ("1<<63", i64::MIN),
        ("1<<64", 1),
        ("1<<65", 2),
        ("1U<<64", 1),
        ("1<<-1", i64::MIN),
        ("-8>>1", -4),
        ("-8>>63", -1),
        ("-8>>64", -8),
        ("-8>>100", -1),
        ("0x8000000000000000>>63", 1),
        ("(.s64)0x8000000000000000>>63", -1),
        ("-1<0U", 0),
        ("-1<0", 1),
        ("-1>0U", 1),
        ("5>3", 1),
        ("5>=5", 1),
        ("5==5", 1),
        ("5!=5", 0),
        ("1&&0", 0),
        ("1||0", 1),
        ("2&&4", 1),
        ("0||0", 0),
        ("!5", 0),
        ("!0", 1),
        ("!!7", 1),
        ("~5", -6),
        ("~5<0", 0),
        ("~0>>1", i64::MAX),
        ("- -5", 5),
        ("-+5", -5),
        ("-5U", -5),
        ("-5U<0", 0),
        ("(.u64)-5>0", 1),
        ("(.s64)5U-6<0", 1),
        ("1?2:3", 2),
        ("0?2:3", 3),
        ("0?2:0?3:4", 4),
        ("1?2:3?4:5", 2),
        ("(0?-2:3)<0", 0),
        ("6&3", 2),
        ("6|3", 7),
        ("6^3", 5),
        ("-1&0xff", 255),
        ("(-1&-1)<0", 1),
        ("(-1|0)<0", 1),
        ("(-1^0)<0", 1),
        ("6^3|1&2", 5),
        ("1|2^3&4", 3),
        ("1==1&1", 1),
        ("3&2==2", 1),
        ("1<2==1", 1),
        ("10-2-3", 5),
        ("100/10/5", 2),
        ("1<<2<<3", 32),
        ("1+2<<3", 24),
        ("3<2<1", 1),
        ("1||0&&0", 1),
        ("0&&0||1", 1),
        ("WARP_SZ*2", 64),
        ("-WARP_SZ<0", 1),
        ("-9223372036854775808<0", 0),
        ("-9223372036854775808/-1", 0),
        ("(.s64)0x8000000000000000% -1", i64::MIN),
        ("-1 % 3", 0),
        ("7 % -3", 7),
        ("9223372036854775807+1", i64::MIN),
        ("(9223372036854775807+1)<0", 1),
        ("0xffffffffffffffff+1", 0),
        ("1.5<2.5", 1),
        ("1.5==1.5", 1),
        ("1.5>2.5?3:4", 4),
        ("3-5U", -2),
        ("(3-5U)<0", 0),
        ("(1<<3)-9<0", 1),
        ("(1U<<3)-9<0", 0),
        ("(1<<3U)-9<0", 1),
        ("(5 % 3)-9<0", 0),
        ("-1 >> 1", -1),
        ("(.u64)-1 >> 1", i64::MAX),
        ("-(.u64)1<0", 0),
        ("-~0", 1),
    ];
    for (expression, expected) in table {
        let Some(Constant::Int { bits, .. }) = value(expression) else {
            panic!("{expression} is not an integer");
        };
        assert_eq!(bits.cast_signed(), *expected, "{expression}");
    }
}

/// Values that NVIDIA's assembler (13.5) gave to `.global .f64 v = EXPRESSION;`.
#[test]
fn float_expressions() {
    let table = [
        ("1.5+2.25", 0x400e_0000_0000_0000),
        ("1.5*2.0", 0x4008_0000_0000_0000),
        ("1.0/3.0", 0x3fd5_5555_5555_5555),
        ("-1.5", 0xbff8_0000_0000_0000),
        ("- -1.5", 0x3ff8_0000_0000_0000),
        ("1.5-0.1", 0x3ff6_6666_6666_6666),
        ("0d3FF0000000000000+1.0", 0x4000_0000_0000_0000),
        ("1e308*10.0", 0x7ff0_0000_0000_0000),
        ("-0.0", 0x8000_0000_0000_0000),
        ("0d7FF8000000000000", 0x7ff8_0000_0000_0000),
        ("0.1+0.2", 0x3fd3_3333_3333_3334),
    ];
    for (expression, bits) in table {
        assert_eq!(value(expression), Some(Constant::F64(bits)), "{expression}");
    }
    assert_eq!(value("(0f3F800000)"), Some(Constant::F32(0x3f80_0000)));
}

/// Expressions that NVIDIA's assembler (13.5) refuses.
#[test]
fn refused_expressions() {
    let table = [
        "1/0",
        "7 % 0",
        "1.0/0.0",
        "1.5*2",
        "1.5&&1",
        "!1.5",
        "~1.5",
        "1.5 % 2.0",
        "0?1.5:2",
        "1.0?3:4",
        "(.u64)1.5",
        "(.u32)5",
        "(.f64)1",
        "-0f3F800000",
        "0f3F800000+1.0",
        "1%0",
        "1+",
        "(1",
        "1 2",
        "()",
        "1?2",
        "1e400",
        "08",
    ];
    for expression in table {
        assert_eq!(value(expression), None, "{expression}");
    }
}

#[test]
fn one_declaration_of_many_names_gives_one_variable_each() {
    let all = variables(".visible .global .align 8 .v2 .f32 a[2][] = {{1.0}}, b, c[3];");
    let names: Vec<_> = all.iter().map(|it| (it.name.as_str(), it.dims.as_slice())).collect();
    assert_eq!(names, [("a", &[Some(2), None][..]), ("b", &[]), ("c", &[Some(3)])]);
    for it in &all {
        assert_eq!(
            (it.linkage, it.space, it.ty),
            (Linkage::Visible, Space::Global, ScalarType::F32)
        );
        assert_eq!((it.align, it.vector), (Some(8), Some(2)));
    }
    assert!(all[0].init.is_some() && all[1].init.is_none());
}

#[test]
fn addresses_as_initial_values() {
    let all = variables(
        ".global .u64 a = x; .global .u64 b = x+4*2; .global .u64 c = generic(x)+-4;\n\
         .global .u8 d[2] = {0xff00(x+1), 0XFF(generic(x))};",
    );
    let shown: Vec<_> =
        all.iter().filter_map(|it| it.init.as_ref()).map(|it| it.to_string()).collect();
    assert_eq!(shown, ["x", "x+8", "generic(x)+-4", "{0xff00(x+1), 0xff(generic(x))}"]);
}

#[test]
fn suffixes_stay_in_order_and_blanks_before_their_dots_do_not_matter() {
    let all =
        instructions("shfl .sync\t.idx /* mode */ .b32 d|p, a, 1, 31, -1; tcgen05.wait::ld.sync;");
    let suffixes: Vec<&str> = all[0].suffixes.iter().map(|it| it.as_str()).collect();
    assert_eq!((all[0].opcode.as_str(), suffixes), ("shfl", vec!["sync", "idx", "b32"]));
    assert_eq!((all[1].opcode.as_str(), all[1].suffixes[0].as_str()), ("tcgen05", "wait::ld"));
}

#[test]
fn operand_shapes() {
    let table = [
        ("a", "Name(\"a\")"),
        ("%tid.x", "Component(\"%tid\", \"x\")"),
        ("-1", "Constant(Int { bits: 18446744073709551615, unsigned: false })"),
        ("(5)", "Constant(Int { bits: 5, unsigned: false })"),
        ("!0", "Constant(Int { bits: 1, unsigned: false })"),
        ("WARP_SZ", "Constant(Int { bits: 32, unsigned: false })"),
        ("0f3F800000", "Constant(F32(1065353216))"),
        ("a+4", "NamePlus(\"a\", 4)"),
        ("a+-4", "NamePlus(\"a\", -4)"),
        ("a-4*2", "NamePlus(\"a\", -8)"),
        ("_", "Sink"),
    ];
    for (text, expected) in table {
        let all = instructions(&format!("mov.b32 {text};"));
        assert_eq!(format!("{:?}", all[0].operands[0].kind), expected, "{text}");
    }
}

#[test]
fn addresses() {
    let table = [
        ("[a]", "a", 0, 0),
        ("[a+4]", "a", 4, 0),
        ("[a+-4]", "a", -4, 0),
        ("[ a + (1?4:8) ]", "a", 4, 0),
        ("[1024+4]", "1028", 0, 0),
        ("[a, {b, c}]", "a", 0, 1),
        ("[a, b, {c}]", "a", 0, 2),
    ];
    for (text, base, offset, rest) in table {
        let all = instructions(&format!("ld.b32 d, {text};"));
        let OperandKind::Address(address) = &all[0].operands[1].kind else { panic!("{text}") };
        assert_eq!(address.base.to_string(), base, "{text}");
        assert_eq!((address.offset, address.rest.len()), (offset, rest), "{text}");
    }
}

#[test]
fn lists_belong_to_calls_alone() {
    let all = instructions("call (r), f, (a, 5); call.uni f, (); call f; add.s32 r, r, (5);");
    let shown: Vec<_> = all.iter().map(|it| it.to_string()).collect();
    assert_eq!(shown, ["call (r), f, (a, 5)", "call.uni f, ()", "call f", "add.s32 r, r, 5"]);
    assert!(matches!(all[1].operands[1].kind, OperandKind::List(ref list) if list.is_empty()));
}

#[test]
fn debug_sections_and_positions_are_kept() {
    let module = accepted(&format!(
        "{HEADER}.entry k {{ .loc 1 2 3, function_name $s+4, inlined_at 5 6 7\n ret; }}\n\
         .file 1 \"a\\b.cu\", 10, 20\n.section .debug_str {{ $s: .b8 1, -2\n.b64 $s+8 .b32 $s-$t }}\n"
    ));
    assert_eq!(module.files[0].name, "a\\b.cu");
    assert_eq!(module.files[0].stamp, Some((10, 20)));
    let printed = module.to_string();
    assert!(printed.contains(".loc 1 2 3, function_name $s+4, inlined_at 5 6 7\n"), "{printed}");
    let section = ".section .debug_str {\n$s:\n.b8 1, 254\n.b64 $s+8\n.b32 $s-$t\n}";
    assert!(printed.contains(section), "{printed}");
}
