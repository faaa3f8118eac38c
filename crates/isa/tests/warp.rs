//! The warp machine: words computed by hand from its field positions, and the sample's field map.

mod common;

use common::{assemble, shipped};

/// Bits as the machine's document places them: `(position, value)`.
fn word(fields: &[(u32, u128)]) -> u128 {
    fields.iter().fold(0, |word, (position, value)| word | value << position)
}

/// `optype` and `stype` are the numbers that warp.isa chooses; everything else is the document's.
#[test]
fn words_are_those_of_the_field_positions() {
    let warp = shipped("warp.isa");
    let guard = (12, 7);
    let cases: [(&str, u128); 13] = [
        (
            "SHFL.UP P0, R1, R0, 0x1, 0x0 ;",
            word(&[
                (0, 0x89),
                (8, 0xf),
                guard,
                (16, 1),
                (24, 0),
                (53, 1),
                (40, 0),
                (80, 1),
                (106, 0),
            ]),
        ),
        (
            "@!P3 SHFL.BFLY PT, R4, RZ, R6, 0x1f1f ;",
            word(&[
                (0, 0x89),
                (8, 5),
                (12, 3),
                (15, 1),
                (16, 4),
                (24, 255),
                (32, 6),
                (40, 0x1f1f),
                (80, 3),
                (106, 7),
            ]),
        ),
        (
            "SHFL.IDX P1, R2, R3, 0x1f, R9 ;",
            word(&[(0, 0x89), (8, 9), guard, (16, 2), (24, 3), (53, 31), (64, 9), (106, 1)]),
        ),
        (
            "SHFL.DOWN P1, R2, R3, R4, R5 ;",
            word(&[
                (0, 0x89),
                (8, 3),
                guard,
                (16, 2),
                (24, 3),
                (32, 4),
                (64, 5),
                (80, 2),
                (106, 1),
            ]),
        ),
        ("VOTE.EQ R0, P0, !PT ;", word(&[(0, 0x06), (8, 8), guard, (80, 2), (98, 7), (101, 1)])),
        (
            "VOTEU.ALL UR62, UP6, P5 ;",
            word(&[(0, 0x86), (8, 8), guard, (16, 62), (80, 1), (98, 5), (106, 6)]),
        ),
        ("REDUX.SUM R7, R1 ;", word(&[(0, 0xc4), (8, 2), guard, (16, 7), (24, 1), (80, 3)])),
        (
            "REDUXU.S32.MIN URZ, R1 ;",
            word(&[(0, 0xc5), (8, 2), guard, (16, 63), (24, 1), (80, 5), (83, 1)]),
        ),
        (
            "MATCH.U64.ALL R0, P0, R[2:3] ;",
            word(&[(0, 0xa1), (8, 2), guard, (24, 2), (80, 1), (81, 1)]),
        ),
        ("MOVM R2, R3 ;", word(&[(0, 0x3a), (8, 2), guard, (16, 2), (24, 3)])),
        (
            "ELECT P1, R3, !P2 ;",
            word(&[(0, 0x2f), (8, 8), guard, (16, 3), (98, 2), (101, 1), (106, 1)]),
        ),
        (
            "ELECTU P1, UR3, ~UR5 ;",
            word(&[(0, 0x2e), (8, 0xa), guard, (16, 3), (32, 5), (97, 1), (106, 1)]),
        ),
        (
            "@PT MATCH.U32.ANY RZ, PT, R254 ;",
            word(&[(0, 0xa1), (8, 2), guard, (16, 255), (24, 254), (106, 7)]),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(assemble(&warp, text).as_deref(), Ok(&[expected][..]), "{text}");
    }
}

#[test]
fn every_opcode_of_the_document_is_described() {
    let warp = shipped("warp.isa");
    // The instructions around them stand in a file of their own.
    let own = warp.opcodes().iter().filter(|opcode| {
        let source = warp.source(opcode.source);
        source.provenance == warpwise_isa::Provenance::Document
    });
    let names: Vec<&str> = own.map(|opcode| opcode.name.as_str()).collect();
    let mut expected = vec![
        "SHFL_RRR", "SHFL_RRI", "SHFL_RIR", "SHFL_RI", "MOVM_R", "VOTE_X", "VOTEU_X", "REDUX_R",
        "REDUXU_R", "MATCH_R", "ELECT_X", "ELECT_U", "ELECTU_X", "ELECTU_U",
    ];
    let mut names = names;
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
}
