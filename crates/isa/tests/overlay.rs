//! Includes, refinements, provenance, open numbers.

mod common;

use common::{assemble, from_files, from_text, render};
use diag::{Severity, Sources};
use warpwise_isa::{Description, EncodeError, Provenance, Role};

const MACHINE: &str = "\
__DefBitFieldType Mode<2>
    UP;
    DOWN;

__DefOptype ROT : [ALL]
  __Encoding
    field<0, 8> Optype optype==ROT;
    field<12, 3> Pred pg = PT;
    field<15, 1> PModi pg.not = False;
    field<16, 8> Reg rd;
    field<24, 8> Reg ra;
    field<80, 2> Mode mode;
  __Syntax
```asm
ROT.mode Rd, Ra      $sched ;
```

__DefOpcode ROT_R : [ROT]
  __Encoding
    field<8, 4> SType stype==R;
  __OperandInfo
    InList<pg, ra>;
    OutList<rd>;
    Order<pg, rd, ra>;
";

fn load(files: &[(&str, &str)]) -> (Description, Sources) {
    let mut sources = Sources::new();
    match from_files(files, &mut sources) {
        Ok(description) => (description, sources),
        Err(diagnostics) => panic!("{}", render(&sources, &diagnostics)),
    }
}

#[test]
fn open_numbers_leave_text_and_no_word() {
    let (machine, _) = load(&[("machine.isa", MACHINE)]);
    let notes: Vec<_> = machine
        .check()
        .into_iter()
        .filter(|d| d.severity == Severity::Note)
        .map(|d| d.code)
        .collect();
    assert_eq!(notes, ["I024", "I025", "I024"]);
    let opcode = machine.opcode("ROT_R").expect("declared");
    assert_eq!(opcode.field("optype").map(|f| &f.role), Some(&Role::FixedOpen("ROT".into())));
    let encoded = opcode.encode(&[("rd", 1), ("ra", 2), ("mode", 0)]);
    assert!(matches!(encoded, Err(EncodeError::Open { .. })), "{encoded:?}");
    let error = assemble(&machine, "ROT.UP R1, R2 ;").expect_err("no number");
    assert!(error.contains("A009"), "{error}");
    let instruction = opcode.instruction(&[("rd", 1), ("ra", 2), ("mode", 1)]).expect("legal");
    assert_eq!(instruction.text(0).as_deref(), Some("ROT.DOWN R1, R2"));
    assert_eq!(instruction.word(), None);
}

#[test]
fn overlays_number_place_correct_and_say_whence() {
    let overlay = "\
__Include \"machine.isa\";
__Provenance chosen \"the machine leaves it open\";
__Refine Optype
    ROT = 0x5a;
__Refine SType
    R = 1;
    ROT.R = 3;
__DefImmediateType Control5<5>
__Refine ROT
  __Encoding
    field<100, 5> Control5 $sched = 0;
    ignored<127, 1>;
    __Provenance measured \"bit flips\";
    field<58, 2> Mode mode = UP;
__Refine Mode
    AROUND = 3 : \"ROUND\";
";
    let (machine, sources) = load(&[("overlay.isa", overlay), ("machine.isa", MACHINE)]);
    let opcode = machine.opcode("ROT_R").expect("declared");
    // ROT.R is nearer to ROT_R than R alone.
    assert_eq!(opcode.fixed_bits().value, 0x35a);
    assert_eq!(opcode.ignored_bits().mask, 1 << 127);
    let mode = opcode.field("mode").expect("declared");
    assert_eq!(machine.source(mode.source).provenance, Provenance::Measured);
    assert_eq!(machine.source(mode.source).text, "bit flips");
    let corrected: Vec<&str> = mode.corrects.iter().map(|span| sources.slice(*span)).collect();
    assert_eq!(corrected, ["field<80, 2> Mode mode;"]);
    let sched = opcode.field("$sched").expect("placed");
    assert_eq!(machine.source(sched.source).provenance, Provenance::Chosen);
    let rd = opcode.field("rd").expect("declared");
    assert_eq!(machine.source(rd.source).provenance, Provenance::Document);
    let word = 0x35a | 7 << 12 | 1 << 16 | 2 << 24 | 3 << 58;
    assert_eq!(assemble(&machine, "ROT.ROUND R1, R2 ;"), Ok(vec![word]));
    let line = machine.disassemble_word(word | 1 << 127 | 0x1f << 100, 0x40);
    let expected = "ROT.ROUND R1, R2 ;                               /* @0x0040 $sched=0x1f \
                    ignored=0x80000000000000000000000000000000 \
                    word=0x800001f0000000000c0000000201735a */";
    assert_eq!(line, expected);
    assert_eq!(assemble(&machine, &line), Ok(vec![word | 1 << 127 | 0x1f << 100]));
}

#[test]
fn an_instruction_is_added_by_a_file_alone() {
    let more = "\
__Include \"machine.isa\";
__Refine Optype
    ROT = 1;
    SWAP = 2;
__Refine SType
    R = 1;
__DefOpcode SWAP_R : [ALL]
  __Encoding
    field<0, 8> Optype optype==SWAP;
    field<8, 4> SType stype==R;
    field<16, 8> Reg rd;
    field<32, 8, 64, 8> Wide wide;
  __Syntax
```
SWAP Rd, wide ;
```
  __OperandInfo
    InList<wide>;
    OutList<rd>;
    Order<rd, wide>;
    Bitwidth<wide> = 16;
__DefImmediateType Wide<16>
    Signed;
    Radix<10>;
";
    let (machine, _) = load(&[("more.isa", more), ("machine.isa", MACHINE)]);
    let word = 0x102 | 4 << 16 | 0xfe << 32 | 0xff << 64;
    assert_eq!(assemble(&machine, "SWAP R4, -2"), Ok(vec![word]));
    let instruction = machine.decode(word).expect("assembled");
    assert_eq!(instruction.text(0).as_deref(), Some("SWAP R4, -2"));
    assert_eq!(instruction.signed_value("wide"), Some(-2));
    assert_eq!(instruction.value("wide"), Some(0xfffe));
}

#[test]
fn includes_are_found_once_and_never_in_a_circle() {
    let once = [
        ("a.isa", "__Include \"b.isa\";\n__Include \"c.isa\";\n"),
        ("b.isa", "__Include \"c.isa\";\n"),
        ("c.isa", "__DefBitFieldType T<1>\n"),
    ];
    load(&once);
    let circle = [("a.isa", "__Include \"b.isa\";\n"), ("b.isa", "__Include \"a.isa\";\n")];
    let errors = from_files(&circle, &mut Sources::new()).expect_err("a circle");
    assert_eq!(errors.iter().map(|d| d.code).collect::<Vec<_>>(), ["I003"]);
    let missing = from_files(&[("a.isa", "__Include \"z.isa\";")], &mut Sources::new());
    assert_eq!(missing.expect_err("no such file")[0].code, "I003");
}

#[test]
fn what_is_refined_must_exist() {
    let errors =
        from_text("__Refine ROTT\n  __Encoding\n", &mut Sources::new()).expect_err("unknown");
    assert_eq!(errors[0].code, "I005");
}

#[test]
fn prose_under_its_own_provenance() {
    let text = "__DefOpcode X\n  __Description\nOne.\n__Provenance chosen \"why\";\nTwo.\n";
    let description = from_text(text, &mut Sources::new()).expect("legal");
    let section = description.opcodes()[0].sections.values().next().expect("one section");
    let sources: Vec<_> =
        section.texts().map(|text| description.source(text.source).provenance).collect();
    assert_eq!(sources, [Provenance::Document, Provenance::Chosen]);
}
