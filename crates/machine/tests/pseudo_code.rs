//! The pseudo-code language: invented instructions, operators and functions, and what its errors say.

mod common;

use common::{Machine, Random};
use lanes::LaneMask;
use warpwise_machine::State;

#[test]
fn instructions_invented_in_a_description_alone() {
    let machine = Machine::shipped("examples/described_machine/invented.isa");
    let mut random = Random(3);
    for _ in 0..40 {
        let mut state =
            State { active: LaneMask(random.word() | random.word()), ..State::default() };
        state.general.insert(0, random.lanes());
        state.general.insert(1, std::array::from_fn(|_| random.word()));
        state.general.insert(9, random.lanes());
        state.predicates.insert(0, LaneMask(random.word() | random.word()));
        let (a, b) = (state.general[&0], state.general[&1]);
        let distance = random.below(32);
        let text = format!(
            "LROT R2, R0, {distance}\nLROT.DOWN R3, R0, {distance}\nSATADD P1, R4, R0, R1\n\
             MOV R5, R9\n@P0 SCAN.SUM R5, R0\nMOV R6, R9\n@!P0 SCAN.MIN R6, R0\n"
        );
        let after = machine.run(&text, &state).unwrap_or_else(|error| panic!("{error}"));
        let active = |lane: usize| state.active.0 >> lane & 1 != 0;
        let guard = |lane: usize| active(lane) && state.predicates[&0].0 >> lane & 1 != 0;
        for lane in (0..32).filter(|lane| active(*lane)) {
            let up = (lane + 32 - distance) % 32;
            let down = (lane + distance) % 32;
            // Reading a lane that does not take part is undefined.
            if active(up) {
                assert_eq!(after.general[&2][lane], a[up]);
            }
            if active(down) {
                assert_eq!(after.general[&3][lane], a[down]);
            }
            let sum = (a[lane] as i32).checked_add(b[lane] as i32);
            assert_eq!(
                after.general[&4][lane],
                (a[lane] as i32).saturating_add(b[lane] as i32) as u32
            );
            assert_eq!(after.predicates[&1].0 >> lane & 1 != 0, sum.is_none());
            let below = |takes_part: &dyn Fn(usize) -> bool| {
                (0..=lane)
                    .filter(|other| takes_part(*other))
                    .map(|other| a[other])
                    .collect::<Vec<_>>()
            };
            let old = state.general[&9][lane];
            let sum = below(&guard).into_iter().fold(0, u32::wrapping_add);
            assert_eq!(after.general[&5][lane], if guard(lane) { sum } else { old });
            let others = |lane: usize| active(lane) && !guard(lane);
            let least = below(&others).into_iter().min().unwrap_or(0);
            assert_eq!(after.general[&6][lane], if others(lane) { least } else { old });
        }
    }
}

/// A machine with one instruction `TEST Rd, Ra, Rb, imm` of the given code.
fn test_machine(code: &str) -> Result<Machine, String> {
    Machine::described(&format!(
        "__Include \"isa/warp.isa\";\n__DefBitFieldType Kind<1>\n    ONE;\n    TWO;\n\
         __Refine Optype\n    TEST = 0xee;\n__DefOpcode TEST_R : [SYNCOp]\n  __Encoding\n\
         field<0, 8> Optype optype == TEST;\nfield<16, 8> Reg rd;\nfield<24, 8> Reg ra;\n\
         field<32, 8> Reg rb;\nfield<40, 13> UImm13 vc;\nfield<80, 1> Kind kind = ONE;\n\
         field<106, 3> Pred pu = PT;\n  __Syntax\n```asm\nTEST{{.kind}} {{pu, }}Rd, Ra, Rb, SrcC ;\n```\n\
         __OperandInfo\nInList<pg, ra, rb, vc>;\nOutList<pu, rd>;\nOrder<pg, pu, rd, ra, rb, vc>;\n\
         Bitwidth<rd> = 32;\nBitwidth<ra> = 32;\nBitwidth<rb> = 32;\nBitwidth<vc> = 13;\n\
         __Semantics\n```\n{code}\n```\n"
    ))
}

/// What `TEST R2, R0, R1, 0x25` gives for one pair of values.
fn evaluate(code: &str, a: u32, b: u32) -> Result<u32, String> {
    let machine = test_machine(code)?;
    let mut state = State { memory: vec![0; 64], ..State::default() };
    state.general.insert(0, [a; 32]);
    state.general.insert(1, [b; 32]);
    let after = machine.run("TEST R2, R0, R1, 0x25 ;", &state)?;
    Ok(after.general[&2][5])
}

#[test]
fn operators_and_functions() {
    let float = |value: f32| value.to_bits();
    let cases: [(&str, u32, u32, u32); 40] = [
        ("Rd = Ra + Rb * 3;", 5, 7, 26),
        ("Rd = Ra - Rb;", 5, 7, u32::MAX - 1),
        ("Rd = (Ra - Rb) < 0;", 5, 7, 1),
        ("Rd = Ra / Rb;", 22, 7, 3),
        ("Rd = Ra % Rb;", 22, 7, 1),
        ("Rd = s32(Ra) / 2;", -7_i32 as u32, 0, -3_i32 as u32),
        ("Rd = Ra << 4 | Rb >> 1;", 1, 7, 19),
        ("Rd = (-16 >> 2) + 20;", 0, 0, 16),
        ("Rd = Ra << 70;", 1, 0, 0),
        ("Rd = Ra ^ Rb & 6;", 1, 7, 7),
        ("Rd = ~Ra;", 0xffff_0000, 0, 0xffff),
        ("Rd = !Ra + 2 * !Rb;", 0, 9, 1),
        ("Rd = Ra < Rb && Rb < 9 || 0;", 5, 7, 1),
        ("Rd = Ra <= Rb ? 10 : 20;", 8, 7, 20),
        ("Rd = Ra[7:4];", 0xabcd, 0, 0xc),
        ("Rd = Ra[3];", 0x8, 0, 1),
        ("x = Ra; x[7:4] = Rb; Rd = x;", 0xffff, 0x12, 0xff2f),
        ("x[31:28] = 3; Rd = x;", 0, 0, 0x3000_0000),
        ("Rd = SrcC;", 0, 0, 0x25),
        ("Rd = c + C + vc;", 0, 0, 3 * 0x25),
        ("Rd = min(Ra, Rb) + 10 * max(Ra, Rb);", 2, 3, 32),
        ("Rd = abs(s32(Ra));", -5_i32 as u32, 0, 5),
        ("Rd = popc(Ra) + 100 * clz(Ra);", 0xff, 0, 8 + 100 * 56),
        ("Rd = s8(Ra) + u8(Rb);", 0xff, 0x1ff, 254),
        ("Rd = s16(Ra) + u16(Rb);", 0xffff, 0x1_0003, 2),
        ("Rd = u32(Ra - Rb) >> 31;", 1, 2, 1),
        ("Rd = fadd(Ra, Rb);", float(1.5), float(0.1), float(1.5 + 0.1)),
        ("Rd = fmul(Ra, Rb);", float(1.5), float(0.1), float(1.5 * 0.1)),
        ("Rd = ffma(Ra, Rb, Ra);", float(1.5), float(0.1), 1.5_f32.mul_add(0.1, 1.5).to_bits()),
        ("Rd = fmin(Ra, Rb) ^ fmax(Ra, Rb) ^ Rb;", float(1.0), float(-2.0), float(1.0)),
        ("Rd = fneg(fabs(Ra));", float(-3.0), 0, float(-3.0)),
        ("Rd = flt(Ra, Rb) + 2 * fle(Ra, Ra) + 4 * feq(Ra, Rb);", float(1.0), float(2.0), 3),
        ("Rd = all(Ra) + 2 * any(Rb) + 4 * (ballot(1) == 0xffffffff);", 1, 0, 5),
        ("Rd = [Thread].laneid;", 0, 0, 5),
        ("Rd = [Warp].active;", 0, 0, u32::MAX),
        ("store32(8, Ra); store8(9, Rb); Rd = load32(8);", 0x1111_1111, 0x22, 0x1111_2211),
        ("store64(16, Ra | Rb << 32); Rd = load16(20) + load8(16) + (load64(16) >> 32);", 3, 9, 21),
        (
            "s = 0; for (i = 1; i <= 4; i++) { for (k = 0; k < i; k += 1) s += 10 * k + 1; } Rd = s;",
            0,
            0,
            110,
        ),
        ("if (Ra > 3) { Rd = 1; if (Rb > 3) Rd = 2; else Rd = 3; } else Rd = 4;", 5, 1, 3),
        (
            "switch (Ra) { case 1: case 5: Rd = 7; break; case 6: Rd = 8; break; default: Rd = 9; }",
            5,
            0,
            7,
        ),
    ];
    for (code, a, b, wanted) in cases {
        let found = evaluate(code, a, b).unwrap_or_else(|error| panic!("{code}: {error}"));
        assert_eq!(found, wanted, "{code}");
    }
    let switch = "switch (Ra) { case 1: case 5: Rd = 7; break; default: Rd = 9; break; }";
    assert_eq!(evaluate(switch, 6, 0), Ok(9));
    assert_eq!(
        evaluate("switch (.kind) { case .ONE: Rd = 1; break; case .TWO: Rd = 2; break; }", 0, 0),
        Ok(1)
    );
    assert_eq!(evaluate("Rd = .kind == .TWO ? 1 : .TWO == .kind ? 2 : 3;", 0, 0), Ok(3));
}

#[test]
fn errors_name_the_place_and_a_way_out() {
    for (code, diagnostic, words) in [
        ("Rd = Ra $ 1;", "S001", "`$` does not belong"),
        ("Rd = Ra +;", "S001", "`;` cannot stand here"),
        ("Rd = 1", "S001", "the end of the code"),
        ("{ Rd = 1;", "S001", "`}`"),
        ("Rd = Ra[4:9];", "S001", "not a range of bits"),
        ("Rd = 99999999999999999999;", "S001", "not a number of 64 bits"),
        ("for (i = 0; i < 3; k++) ;", "S001", "steps `k`"),
        ("switch (Ra) { case 1: Rd = 1; case 2: break; }", "S001", "`break ;`"),
        ("Rd = [Thread].tid;", "S001", "[Thread].laneid"),
        ("Rd = x;", "S002", "`x` has no value here"),
        ("Rd = foo(1);", "S002", "no function `foo`"),
        ("Rd = .sort;", "S002", "no modifier"),
        ("Rd = .kind == .THREE;", "S002", "no value `.THREE`"),
        ("Ra = 1;", "S003", "not an output"),
        ("c = 1;", "S003", "operand `vc`"),
        ("Rd = min(1);", "S003", "min(a, b)"),
        ("A[Ra] = 1; Rd = A[0];", "S003", "its own element"),
        ("A[[Thread].laneid] = 1; Rd = A;", "S002", "array of lanes"),
        ("for (i = 0; i < Ra; i++) Rd = i;", "S003", "a constant is needed"),
        ("for (i = 0; i < 9; i++) i = 3;", "S003", "cannot be assigned"),
        ("goto Ra;", "S003", "a constant is needed"),
        ("if (Ra) exit; exit;", "S003", "one `goto` or `exit`"),
        ("for (i = 0; i < 1; i = i) ;", "S004", "too many operations"),
        ("min(1, 2);", "S003", "dropped"),
        ("Rd = sync(1);", "S003", "gives no value"),
    ] {
        let error = evaluate(code, 0, 0).expect_err(code);
        assert!(error.contains(&format!("[{diagnostic}]")), "{code}: {error}");
        assert!(error.contains(words), "{code}: {error}");
    }
    let deep = format!("Rd = {}1{};", "(".repeat(200), ")".repeat(200));
    assert!(evaluate(&deep, 0, 0).expect_err("deep").contains("[S004]"));
    let long = format!("Rd = 1{};", " + 1".repeat(4000));
    assert!(evaluate(&long, 0, 0).expect_err("long").contains("[S004]"));
    let wide = format!("Rd = 1{};", " + Ra".repeat(900));
    assert!(evaluate(&wide, 1, 0).is_ok());
}

/// Any text as code: it compiles or is refused.
#[test]
fn mutated_code() {
    let seeds = [
        "lane = [Thread].laneid; A[lane] = Ra; for (i = 0; i < 32; i++) if (i < lane) Rd += A[i];",
        "switch (.kind) { case .ONE: Rd = Ra << Rb; break; default: Rd = c ? ~Ra : -Rb; break; }",
        "x[7:4] = load32(Ra & 60); store32(0, x); pu = x != 0 && !any(Ra); goto 0x10;",
    ];
    let pieces = [
        "(", ")", "[", "]", "{", "}", ";", ":", "?", "=", "A", "lane", "Rd", ".", "9", "if", "for",
        "exit", "é",
    ];
    let mut random = Random(11);
    let mut compiled = 0;
    for _ in 0..400 {
        let mut code: Vec<char> = seeds[random.below(seeds.len())].chars().collect();
        for _ in 0..random.below(4) {
            let at = random.below(code.len());
            let piece = pieces[random.below(pieces.len())];
            let until = (at + random.below(3)).min(code.len());
            code.splice(at..until, piece.chars());
        }
        let code: String = code.into_iter().collect();
        if let Ok(machine) = test_machine(&code)
            && machine.program("TEST R2, R0, R1, 0x25 ;", Default::default()).is_ok()
        {
            compiled += 1;
        }
    }
    assert!(compiled > 20 && compiled < 400, "{compiled}");
}

/// The manual of the language lists every function.
#[test]
fn every_function_is_documented() {
    let manual =
        std::fs::read_to_string(common::repository("docs/isa-language.md")).expect("it is there");
    for signature in warpwise_machine::signatures() {
        assert!(manual.contains(&format!("`{signature}`")), "{signature} is not documented");
    }
}
