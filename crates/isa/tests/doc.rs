//! The generated manual: complete, self-contained, and safe for any description.

mod common;

use common::{TARGETS, from_text, shipped};
use diag::Sources;
use warpwise_isa::doc;

#[test]
fn every_opcode_has_its_page_with_all_128_bits() {
    let names = TARGETS.iter().map(|target| format!("{target}.isa")).chain(["warp.isa".to_owned()]);
    for name in names {
        let description = shipped(&name);
        let (html, markdown) = (doc::html(&description), doc::markdown(&description));
        for opcode in description.opcodes() {
            assert!(html.contains(&format!("<h3>{}</h3>", opcode.name)), "{name} {}", opcode.name);
            assert!(markdown.contains(&format!("### {}\n", opcode.name)), "{name} {}", opcode.name);
        }
        let spans: u32 = html
            .split("grid-column: span ")
            .skip(1)
            .map(|rest| rest.split('"').next().and_then(|n| n.parse::<u32>().ok()).unwrap_or(0))
            .sum();
        assert_eq!(spans, 128 * description.opcodes().len() as u32, "{name}");
        assert!(!html.contains("does not assemble"), "{name}");
        for outside in ["http://", "https://", "<script", "src=", "@import", "url("] {
            assert!(!html.contains(outside), "{name} refers to {outside}");
        }
        balanced(&html);
    }
}

/// Every element that is opened is closed, in order.
fn balanced(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in html.split('<').skip(1) {
        let tag = piece.split(['>', ' ', '\n']).next().unwrap_or("");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{piece:.60}"),
            None if ["!doctype", "meta", "br", "hr", "img"].contains(&tag) => {}
            None => open.push(tag),
        }
    }
    assert_eq!(open, [] as [&str; 0]);
}

#[test]
fn words_of_examples_and_provenance_are_shown() {
    let warp = shipped("warp.isa");
    let (html, markdown) = (doc::html(&warp), doc::markdown(&warp));
    // MATCH.U64.ALL R0, P0, R[2:3]: 0xa1, form 2, guard PT, Ra at 24, modifiers at 80 and 81.
    let word = "0x000000000003000000000000020072a1";
    assert!(html.contains(word) && markdown.contains(word));
    assert!(html.contains("badge chosen") && markdown.contains("chosen: "));
}

#[test]
fn markup_in_a_description_is_text() {
    let text = "__DefImmediateType U8<8>\n__DefOpcode X\n  __Encoding\n    field<0, 8> U8 op == 1;\n  \
                __Syntax\n```asm\nX ;\n```\n  __Description\n<img src=x onerror=y> & <b>\n  __Semantics\n\
                ```\n</code><script>\n```\n";
    let description = from_text(text, &mut Sources::new()).expect("legal");
    let html = doc::html(&description);
    assert!(!html.contains("<img") && !html.contains("<script"), "{html}");
    balanced(&html);
}

/// The prose of every section is in the manual, whatever its heading and whichever form it belongs to, and so is the
/// syntax line as the document writes it, with its operands' names and control fields.
#[test]
fn nothing_that_a_description_says_is_left_out() {
    let text =
        std::fs::read_to_string(common::repository("tests/isa/check/semantics-under-examples.isa"));
    let description =
        from_text(&text.expect("a committed file"), &mut Sources::new()).expect("legal");
    for manual in [doc::html(&description), doc::markdown(&description)] {
        assert!(manual.contains("gives Rd the Ra of the lane"), "{manual}");
    }
    let warp = shipped("warp.isa");
    let (html, markdown) = (doc::html(&warp), doc::markdown(&warp));
    for line in [
        "SHFL.mode pu, Rd, Ra, SrcB, SrcC      $sched $req $wsb ;",
        "ELECT pu, Rd, {~}URb      $sched $req ;",
        ".mode = {.IDX, .UP, .DOWN, .BFLY}",
        "operand SrcB; read; 5 bits",
        // Sections of one form beside those of the instruction.
        ".EXCLUSIVE keeps lanes with other masks apart",
        "Ra is the mask.",
        "Bit `i` of mask stands for lane `i`.",
    ] {
        assert!(markdown.contains(line), "{line}");
        let plain = line.replace("`i`", "<code>i</code>");
        assert!(html.contains(&plain), "{plain}");
    }
    // What a group says of all its instructions.
    assert!(doc::html(&shipped("sm_90.isa")).contains("Control fields do not show in the text."));
}
