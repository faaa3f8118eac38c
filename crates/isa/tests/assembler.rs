//! Assembly files: labels, comments, data comments, directives, and what their errors say.

mod common;

use common::{assemble, render, shipped};
use diag::Sources;

/// The target of WARPSYNC.COLLECTIVE as nvdisasm 13.5 prints it for one word at several addresses.
#[test]
fn relative_targets() {
    let sm_90 = shipped("sm_90.isa");
    let base: u128 = 0x000f_c200_03c0_0000_0000_0000_0500_7348 | 0x3f << 110;
    let recorded = [
        (None, 0x00, "WARPSYNC.COLLECTIVE R5, 0x10"),
        (Some(16), 0x110, "WARPSYNC.COLLECTIVE R5, 0x124"),
        (Some(23), 0x180, "WARPSYNC.COLLECTIVE R5, 0x390"),
        (Some(34), 0x230, "WARPSYNC.COLLECTIVE R5, 0x640"),
        (Some(80), 0x510, "WARPSYNC.COLLECTIVE R5, 0x100000000000520"),
        (Some(81), 0x520, "WARPSYNC.COLLECTIVE R5, -0x1fffffffffffad0"),
        (Some(90), 0x5b0, "WARPSYNC.COLLECTIVE !PT, R5, 0x5c0"),
    ];
    for (bit, address, text) in recorded {
        let word = base ^ bit.map_or(0, |bit: u32| 1 << bit);
        let instruction = sm_90.decode(word).expect("recorded");
        assert_eq!(instruction.text(address).as_deref(), Some(text), "{bit:?}");
    }
}

#[test]
fn labels_stand_for_addresses() {
    let sm_90 = shipped("sm_90.isa");
    let text = "\
        top: WARPSYNC.COLLECTIVE R5, .L_end ; // forwards\n\
        /* nothing */ WARPSYNC.ALL\n\
        .L_end: ENDCOLLECTIVE ; WARPSYNC.COLLECTIVE.ALL top ;\n";
    let words = assemble(&sm_90, text).expect("legal");
    assert_eq!(words.len(), 4);
    let text = |at: usize| sm_90.decode(words[at]).ok().and_then(|i| i.text(at as u64 * 16));
    assert_eq!(text(0).as_deref(), Some("WARPSYNC.COLLECTIVE R5, 0x20"));
    assert_eq!(text(3).as_deref(), Some("WARPSYNC.COLLECTIVE.ALL 0x0"));
}

/// Addresses count from 0 in every section, and labels do not reach across.
#[test]
fn sections_begin_at_address_0() {
    let sm_90 = shipped("sm_90.isa");
    let words = |text: &str| assemble(&sm_90, text);
    let text = ".section .text.first\nWARPSYNC.ALL\nhere: WARPSYNC.COLLECTIVE.ALL here\n\
                .section .text._Z3fooPi\n.word 0x0\nthere: WARPSYNC.COLLECTIVE.ALL there\n";
    let words_of_both = words(text).expect("legal");
    assert_eq!(words_of_both.len(), 4);
    assert_eq!(words_of_both[1], words_of_both[3]);
    let across =
        words(".section a\nhere: WARPSYNC.ALL\n.section b\nWARPSYNC.COLLECTIVE.ALL here\n");
    let error = across.expect_err("the label stands in another section");
    assert!(error.contains("[A005]") && error.contains("another section"), "{error}");
    assert!(words(".section\n").is_err());
}

#[test]
fn canonical_text() {
    let warp = shipped("warp.isa");
    let text = |line: &str| {
        let words = assemble(&warp, line).unwrap_or_else(|error| panic!("{error}"));
        warp.decode(words[0]).ok().and_then(|i| i.text(0)).unwrap_or_default()
    };
    for (written, canonical) in [
        ("@PT REDUX.U32.SUM R0, R1", "REDUX.SUM R0, R1"),
        ("@!PT REDUX.S32.SUM R0,R1;", "@!PT REDUX.S32.SUM R0, R1"),
        ("SHFL.UP P0 , R1 , R0 , 1 , 0b11111 ;", "SHFL.UP P0, R1, R0, 0x1, 0x1f"),
        ("ELECT P1, R3, ! P2 ;", "ELECT P1, R3, !P2"),
        ("MATCH.U64.ANY R0, P0, RZ ;", "MATCH.U64.ANY R0, P0, RZ"),
    ] {
        assert_eq!(text(written), canonical);
        assert_eq!(text(canonical), canonical);
    }
}

#[test]
fn errors_name_the_place_and_a_way_out() {
    let warp = shipped("warp.isa");
    let cases = [
        ("SHFFL.UP P0, R1, R0, R2, R3 ;", "A002", 1, 1, "`SHFL`"),
        ("VOTE.ANY R0, P0 ;", "A003", 1, 16, "`,`"),
        ("REDUX.MUL R0, R1 ;", "A003", 1, 7, "`.SUM`"),
        ("REDUX.SUM R0, P1 ;", "A003", 1, 15, "`R0` … `R254` or `RZ` for `ra`"),
        ("MOVM R255, R1 ;", "A004", 1, 6, "`RZ`"),
        ("MOVM R256, R1 ;", "A004", 1, 6, "`R254`"),
        ("SHFL.UP P0, R1, R0, 0x20, 0x0 ;", "A004", 1, 21, "0 to 31"),
        ("SHFL.UP P0, R1, R0, -1, 0x0 ;", "A004", 1, 21, "0 to 31"),
        ("MATCH.U64.ALL R0, P0, R2 ;", "A003", 1, 23, "R[2:3]"),
        ("MATCH.ALL R0, P0, R[2:3] ;", "A003", 1, 19, "R2"),
        ("MATCH.U64.ALL R0, P0, R[2:4] ;", "A004", 1, 23, "3"),
        ("MATCH.U64.ALL R0, P0, R[254:255] ;", "A004", 1, 1, "pair"),
        ("@P9 MOVM R1, R2 ;", "A004", 1, 2, "`P6`"),
        ("MOVM R1, R2 R3 ;", "A003", 1, 13, "the end"),
        ("MOVM R1, R2 ;\nx: ;\nx: ;", "A005", 3, 1, "rename"),
        (".word 0x1ffffffffffffffffffffffffffffffff", "A001", 1, 1, "2^128"),
        (".align 4", "A001", 1, 1, ".word"),
        ("/* open", "A001", 1, 1, "*/"),
        ("MOVM R1, R2 ; /* @0x0000 $shed=1 */", "A007", 1, 26, "$sched"),
        ("MOVM R1, R2 ; /* @0x0000 $sched=32 */", "A007", 1, 26, "5 bits"),
        ("MOVM R1, R2 ; /* @0x0000 ignored=1 */", "A007", 1, 26, "bit 0"),
        ("/* @0x0000 $sched=1 */", "A007", 1, 1, "after the `;`"),
    ];
    for (text, code, line, column, says) in cases {
        let mut sources = Sources::new();
        let file = sources.add("a.s", text);
        let errors = warp.assemble(&sources, file).expect_err(text);
        let shown = render(&sources, &errors);
        assert_eq!(errors[0].code, code, "{shown}");
        let at = sources.location(errors[0].span().expect("a place"));
        assert_eq!((at.line, at.column), (line, column), "{shown}");
        assert!(shown.contains(says), "{says} is missing in\n{shown}");
        assert!(errors.iter().all(|error| error.help.is_some()), "{shown}");
    }
}

#[test]
fn an_edited_line_wins_over_its_comment() {
    let warp = shipped("warp.isa");
    let line = warp.disassemble_word(assemble(&warp, "MOVM R2, R3 ;").expect("legal")[0], 0);
    let mut sources = Sources::new();
    let file = sources.add("a.s", line.replace("R3", "R4"));
    let assembly = warp.assemble(&sources, file).expect("legal");
    assert_eq!(assembly.words[0].word, assemble(&warp, "MOVM R2, R4 ;").expect("legal")[0]);
    assert_eq!(assembly.warnings.iter().map(|d| d.code).collect::<Vec<_>>(), ["A007"]);
}
