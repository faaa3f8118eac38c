//! Random syntax trees survive the way through text.

use crate::support::{parse, tree};
use diag::{FileId, Sources, Span};
use proptest::prelude::*;
use proptest::{collection::vec, option};
use std::sync::Arc;
use warpwise_ptx::syntax::ast::*;

fn span() -> Span {
    let file: FileId = Sources::new().add("", "");
    Span::new(file, 0, 0)
}

fn name() -> impl Strategy<Value = Name> {
    "([a-zA-Z][a-zA-Z0-9_$]{0,6}|[%$_][a-zA-Z0-9_$]{1,6})"
        .prop_filter("names of constants are no identifiers", |text| text != "WARP_SZ")
        .prop_map(|text| Name::new(text, span()))
}

fn component() -> impl Strategy<Value = Name> {
    "[a-z][a-z0-9]{0,2}".prop_map(|text| Name::new(text, span()))
}

fn suffix() -> impl Strategy<Value = Name> {
    "([a-zA-Z][a-zA-Z0-9]{0,5}|[1-9]{1,2}[a-df-z][a-z0-9]{0,3})(::[a-z0-9_]{1,4}){0,2}"
        .prop_map(|text| Name::new(text, span()))
}

fn constant() -> impl Strategy<Value = Constant> {
    prop_oneof![
        (any::<u64>(), any::<bool>()).prop_map(|(bits, unsigned)| Constant::Int { bits, unsigned }),
        (-9i64..9).prop_map(Constant::signed),
        Just(Constant::signed(i64::MIN)),
        any::<u32>().prop_map(Constant::F32),
        any::<u64>().prop_map(Constant::F64),
    ]
}

fn operand_of(kind: impl Strategy<Value = OperandKind>) -> impl Strategy<Value = Operand> {
    kind.prop_map(|kind| Operand { kind, span: span() })
}

fn register() -> impl Strategy<Value = Operand> {
    operand_of(prop_oneof![
        name().prop_map(OperandKind::Name),
        (name(), component()).prop_map(|(name, part)| OperandKind::Component(name, Box::new(part))),
    ])
}

/// What may stand after `!` and `-`, and after `|`.
fn named() -> impl Strategy<Value = Operand> {
    let offset = (name(), any::<i64>());
    prop_oneof![
        register(),
        operand_of(offset.prop_map(|(name, offset)| OperandKind::NamePlus(name, offset))),
    ]
}

fn result() -> impl Strategy<Value = Operand> {
    prop_oneof![register(), operand_of(Just(OperandKind::Sink))]
}

fn operand() -> impl Strategy<Value = Operand> {
    let leaf = prop_oneof![
        result(),
        named(),
        operand_of(constant().prop_map(OperandKind::Constant)),
        operand_of(named().prop_map(|it| OperandKind::Negated(Box::new(it)))),
        operand_of(named().prop_map(|it| OperandKind::Minus(Box::new(it)))),
        operand_of(
            (result(), result())
                .prop_filter("one of two results is received", |(a, b)| {
                    !matches!((&a.kind, &b.kind), (OperandKind::Sink, OperandKind::Sink))
                })
                .prop_map(|(a, b)| OperandKind::Pair(Box::new(a), Box::new(b)))
        ),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let base = prop_oneof![
            (name().prop_map(OperandKind::Name), any::<i64>()),
            (constant().prop_map(OperandKind::Constant), Just(0i64)),
        ];
        let address = (base, vec(inner.clone(), 0..3), option::of(component()));
        operand_of(prop_oneof![
            vec(inner.clone(), 1..4).prop_map(OperandKind::Vector),
            (name(), inner).prop_map(|(name, index)| OperandKind::Element(name, Box::new(index))),
            address.prop_map(|((base, offset), rest, suffix)| {
                let base = Box::new(Operand { kind: base, span: span() });
                OperandKind::Address(Box::new(Address { base, offset, rest, suffix }))
            }),
        ])
    })
}

fn instruction() -> impl Strategy<Value = Instruction> {
    let guard = (any::<bool>(), name())
        .prop_map(|(negated, predicate)| Box::new(Guard { negated, predicate, span: span() }));
    let opcode = name().prop_filter("calls have operands of their own", |name| *name != "call");
    let plain = (opcode, vec(operand(), 0..5));
    let list = || operand_of(vec(operand(), 0..3).prop_map(OperandKind::List));
    let callee = name().prop_map(|it| Operand { kind: OperandKind::Name(it), span: span() });
    let call = (list(), callee, list()).prop_map(|(results, callee, args)| {
        (Name::new("call", span()), vec![results, callee, args])
    });
    (option::of(guard), prop_oneof![4 => plain, 1 => call], vec(suffix(), 0..4)).prop_map(
        |(guard, (opcode, operands), suffixes)| Instruction {
            guard,
            opcode,
            suffixes,
            operands,
            span: span(),
        },
    )
}

fn init() -> impl Strategy<Value = Init> {
    let mask = option::of((0u32..8).prop_map(|byte| 0xffu64 << (8 * byte)));
    let address =
        (name(), any::<bool>(), any::<i64>(), mask).prop_map(|(name, generic, offset, mask)| {
            InitKind::Address(Box::new(InitAddress { name, generic, offset, mask }))
        });
    let init_of = |kind| Init { kind, span: span() };
    prop_oneof![constant().prop_map(InitKind::Constant), address].prop_map(init_of).prop_recursive(
        3,
        12,
        4,
        move |inner| {
            let field = (name(), inner.clone())
                .prop_map(move |field| init_of(InitKind::Field(Box::new(field))));
            vec(prop_oneof![4 => inner, 1 => field], 0..4)
                .prop_map(move |list| init_of(InitKind::List(list)))
        },
    )
}

fn attribute() -> impl Strategy<Value = Attribute> {
    (component(), vec(constant(), 0..3)).prop_map(|(name, args)| Attribute {
        name,
        args,
        span: span(),
    })
}

fn align() -> impl Strategy<Value = Option<u32>> {
    option::of((0u32..31).prop_map(|shift| 1 << shift))
}

/// A declaration in one of `spaces`; parameters have neither range nor initial value.
fn variable(spaces: &'static [Space], parameter: bool) -> impl Strategy<Value = Variable> {
    let types: Vec<_> = ScalarType::ALL.iter().copied().filter(|ty| ty.is_declarable()).collect();
    let space = proptest::sample::select(spaces);
    let ptr = (option::of(Just(Space::Global)), align()).prop_map(|(space, align)| PtrAttribute {
        space,
        align,
        span: span(),
    });
    let vector = option::of(proptest::sample::select(&[2u8, 4, 8][..]));
    let head = (space, vec(attribute(), 0..2), align(), proptest::sample::select(types), vector);
    let tail = (
        name(),
        option::of(ptr),
        option::of(any::<u32>()),
        vec(option::of(any::<u64>()), 0..3),
        option::of(init()),
    );
    (head, tail).prop_map(move |((space, attributes, align, ty, vector), tail)| {
        let (name, ptr, range, dims, init) = tail;
        Variable {
            linkage: Linkage::None,
            space,
            attributes,
            align,
            ty,
            vector,
            ptr: ptr.filter(|_| parameter),
            name,
            range: range.filter(|_| !parameter),
            dims,
            init: init.filter(|_| !parameter),
            span: span(),
        }
    })
}

fn parameters() -> impl Strategy<Value = Vec<Variable>> {
    vec(variable(&[Space::Param, Space::Reg], true), 0..3)
}

const SPACES: &[Space] =
    &[Space::Reg, Space::Const, Space::Global, Space::Local, Space::Param, Space::Shared];

fn statement() -> impl Strategy<Value = Statement> {
    let position =
        || {
            (any::<u32>(), any::<u32>(), any::<u32>())
                .prop_map(|(file, line, column)| SourcePosition { file, line, column })
        };
    let inlined = (name(), any::<i64>().prop_map(|it| it.saturating_abs()), position()).prop_map(
        |(function_name, offset, at)| Inlined { function_name, offset, at, at_span: span() },
    );
    let loc = (position(), option::of(inlined), any::<bool>()).prop_map(
        |(position, inlined, in_inline_asm)| Box::new(Loc { position, inlined, in_inline_asm }),
    );
    let entry =
        || (name(), option::of(any::<u32>())).prop_map(|(name, range)| TableEntry { name, range });
    let table = || {
        (name(), vec(entry(), 1..4))
            .prop_map(|(label, entries)| Box::new(NameTable { label, entries }))
    };
    let prototype = (name(), parameters(), parameters(), vec(function_directive(), 0..2)).prop_map(
        |(label, returns, params, directives)| {
            Box::new(CallPrototype { label, returns, params, directives })
        },
    );
    let statement = |kind| Statement { kind, span: span() };
    prop_oneof![
        8 => instruction().prop_map(StatementKind::Instruction),
        2 => variable(SPACES, false).prop_map(|it| StatementKind::Variable(Box::new(it))),
        2 => name().prop_map(StatementKind::Label),
        1 => loc.prop_map(StatementKind::Loc),
        1 => table().prop_map(StatementKind::BranchTargets),
        1 => table().prop_map(StatementKind::CallTargets),
        1 => prototype.prop_map(StatementKind::CallPrototype),
        1 => text_directive(".pragma").prop_map(StatementKind::Pragma),
    ]
    .prop_map(statement)
    .prop_recursive(2, 8, 4, move |inner| {
        vec(inner, 0..4).prop_map(move |body| statement(StatementKind::Block(body)))
    })
}

fn text_directive(word: &'static str) -> impl Strategy<Value = Directive> {
    vec("[ -!#-~]{0,8}".prop_map(DirectiveArg::Text), 1..3).prop_map(move |args| Directive {
        name: Name::new(word, span()),
        args,
        span: span(),
    })
}

fn function_directive() -> impl Strategy<Value = Directive> {
    let numbers =
        vec((0i64..9999).prop_map(|it| DirectiveArg::Constant(Constant::signed(it))), 0..4);
    let plain = (proptest::sample::select(&[".maxntid", ".reqntid", ".noreturn"][..]), numbers)
        .prop_map(|(word, args)| Directive { name: Name::new(word, span()), args, span: span() });
    prop_oneof![plain, text_directive(".pragma")]
}

fn item() -> impl Strategy<Value = Item> {
    let linkage = || {
        proptest::sample::select(
            &[Linkage::None, Linkage::Extern, Linkage::Visible, Linkage::Weak, Linkage::Common][..],
        )
    };
    let function = (
        (linkage(), any::<bool>(), vec(attribute(), 0..2), name()),
        (parameters(), parameters(), vec(function_directive(), 0..3)),
        option::of(vec(statement(), 0..8)),
    )
        .prop_map(
            |((linkage, entry, attributes, name), (returns, params, directives), body)| {
                let kind = if entry { FunctionKind::Entry } else { FunctionKind::Func };
                let returns = if entry { Vec::new() } else { returns };
                Item::Function(Arc::new(Function {
                    linkage,
                    kind,
                    attributes,
                    name,
                    returns,
                    params,
                    directives,
                    body,
                    span: span(),
                }))
            },
        );
    let global = (linkage(), variable(SPACES, false))
        .prop_map(|(linkage, variable)| Item::Variable(Box::new(Variable { linkage, ..variable })));
    let alias = (name(), name()).prop_map(|(a, b)| {
        let args = vec![DirectiveArg::Name(a), DirectiveArg::Name(b)];
        Item::Directive(Directive { name: Name::new(".alias", span()), args, span: span() })
    });
    prop_oneof![3 => function, 3 => global, 1 => alias]
}

fn section() -> impl Strategy<Value = Section> {
    let numbers = (prop_oneof![Just(8u32), Just(16), Just(32), Just(64)], vec(any::<u64>(), 1..4))
        .prop_map(|(bits, values)| {
            let cut = |value: u64| value & (u64::MAX >> (64 - bits));
            SectionEntry::Numbers { bits, values: values.into_iter().map(cut).collect() }
        });
    let relative =
        prop_oneof![any::<u64>().prop_map(Relative::Plus), name().prop_map(Relative::Minus)];
    let address = (prop_oneof![Just(32u32), Just(64)], name(), relative)
        .prop_map(|(bits, base, relative)| SectionEntry::Address { bits, base, relative });
    let entry = prop_oneof![name().prop_map(SectionEntry::Label), numbers, address];
    vec(entry, 0..4).prop_map(|entries| Section { name: Name::new(".debug_str", span()), entries })
}

fn module() -> impl Strategy<Value = Module> {
    let file = (any::<u32>(), "[ -!#-~]{0,12}", option::of((any::<u64>(), any::<u64>())))
        .prop_map(|(index, name, stamp)| FileDirective { index, name, stamp, span: span() });
    let head = (any::<u32>(), any::<u32>(), vec(name(), 1..3), option::of(any::<bool>()));
    (head, vec(item(), 0..4), vec(file, 0..3), vec(section(), 0..2)).prop_map(
        |((major, minor, names, wide), items, files, sections)| Module {
            version: Some(VersionDirective { major, minor, span: span() }),
            target: Some(TargetDirective { names, span: span() }),
            address_size: wide
                .map(|wide| AddressSize { bits: if wide { 64 } else { 32 }, span: span() }),
            items,
            files,
            sections,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn printed_trees_parse_to_themselves(module in module()) {
        let printed = module.to_string();
        let (_, _, again, diagnostics) = parse(&printed);
        prop_assert!(diagnostics.is_empty(), "{diagnostics:?}\n{printed}");
        prop_assert_eq!(tree(&module), tree(&again), "{}", printed);
    }
}
