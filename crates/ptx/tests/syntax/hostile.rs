//! Damaged, random and absurd text: the parser answers with diagnostics, in bounded time and space.

use crate::support::{corpus, parse};
use diag::{Class, Severity};
use warpwise_ptx::syntax::{MAX_DEPTH, MAX_ERRORS};

/// A generator of numbers that is the same on every machine (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Parses, and checks what holds for every text: a bounded number of diagnostics, each with a
/// place in the text. Without diagnostics, the module prints to text that is accepted again.
fn survive(text: &str) {
    let (sources, file, module, diagnostics) = parse(text);
    assert!(diagnostics.len() <= MAX_ERRORS + 1);
    for diagnostic in &diagnostics {
        assert!(!diagnostic.message.is_empty());
        assert!(!diagnostic.labels.is_empty(), "{diagnostic:?}");
        for label in &diagnostic.labels {
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            assert_eq!(label.span.file, file);
            assert!(start <= end && end <= text.len(), "{diagnostic:?}");
            assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{diagnostic:?}");
            assert_eq!(sources.slice(label.span), &text[start..end]);
        }
    }
    let printed = module.to_string();
    if diagnostics.is_empty() {
        let (_, _, _, again) = parse(&printed);
        assert!(again.is_empty(), "{again:?}\n{printed}");
    }
}

fn modules() -> Vec<String> {
    corpus().into_iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// Words, numbers, strings, blanks and single characters: all the text, in pieces.
fn pieces(text: &str) -> Vec<&str> {
    let class = |char: char| match char {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '$' | '%' => 1,
        _ if char.is_whitespace() => 2,
        _ => 3,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((_, char)) = chars.next() {
        let end = chars.peek().map_or(text.len(), |(at, _)| *at);
        let next = chars.peek().map(|(_, next)| class(*next));
        if class(char) == 3 || next != Some(class(char)) {
            pieces.push(&text[start..end]);
            start = end;
        }
    }
    pieces
}

#[test]
fn truncated_at_every_byte() {
    for text in modules().iter().filter(|text| text.len() < 4_000) {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            survive(&text[..end]);
        }
    }
}

#[test]
fn pieces_deleted_doubled_and_swapped() {
    let mut numbers = Numbers(1);
    let texts = modules();
    let pools: Vec<Vec<&str>> = texts.iter().map(|text| pieces(text)).collect();
    for pool in pools.iter().filter(|pool| pool.len() < 3_000) {
        for _ in 0..60 {
            let mut mutant = pool.clone();
            for _ in 0..=numbers.below(4) {
                let (a, b) = (numbers.below(mutant.len()), numbers.below(mutant.len()));
                match numbers.below(4) {
                    0 => drop(mutant.remove(a)),
                    1 => mutant.insert(a, mutant[b]),
                    2 => mutant.swap(a, b),
                    _ => {
                        let other = &pools[numbers.below(pools.len())];
                        mutant[a] = other[numbers.below(other.len())];
                    }
                }
            }
            survive(&mutant.concat());
        }
    }
}

#[test]
fn random_pieces_and_random_characters() {
    let mut numbers = Numbers(2);
    let texts = modules();
    let pool: Vec<&str> = texts.iter().flat_map(|text| pieces(text)).collect();
    for length in [1, 10, 1_000, 100_000] {
        for header in ["", ".version 8.0\n.target sm_90\n.entry k {\n"] {
            let random: String =
                (0..length).map(|_| [pool[numbers.below(pool.len())], " "].concat()).collect();
            survive(&format!("{header}{random}"));
            let random: String = (0..length)
                .map(|_| char::from_u32(numbers.below(0x300) as u32).unwrap_or(' '))
                .collect();
            survive(&format!("{header}{random}"));
        }
    }
}

/// Every way to nest, far deeper than allowed: a diagnostic of class limit, and no overflow of a
/// stack half as large as that of a thread.
#[test]
fn deep_nesting() {
    let levels = 100_000;
    let body = |text: String| format!(".version 8.0\n.target sm_90\n.entry k {{\n{text}\n}}\n");
    let constant = |text: String| body(format!("mov.u32 a, {text};"));
    let cases = [
        body("{".repeat(levels) + &"}".repeat(levels)),
        body("{".repeat(levels)),
        constant("(".repeat(levels) + "1" + &")".repeat(levels)),
        constant("(".repeat(levels)),
        constant("-".repeat(levels) + "1"),
        constant("!~".repeat(levels) + "1"),
        constant("(.u64)".repeat(levels) + "1"),
        constant("1?".repeat(levels) + "1" + &":1".repeat(levels)),
        constant("1?1:".repeat(levels) + "1"),
        constant("1||1&&1|1^1&1==1<1<<1+1*(".repeat(levels)),
        constant("{".repeat(levels)),
        constant("[a,".repeat(levels)),
        constant("a[".repeat(levels)),
        body("call (".to_owned() + &"{".repeat(levels)),
        format!(".version 8.0\n.target sm_90\n.global .u32 a = {};", "{".repeat(levels)),
    ];
    for text in cases {
        let start = text[..100.min(text.len())].to_owned();
        let parser = std::thread::Builder::new().stack_size(1 << 20).spawn(move || {
            let (_, _, module, diagnostics) = parse(&text);
            drop(module.to_string());
            diagnostics
        });
        let diagnostics = parser.unwrap().join().unwrap();
        let limit = format!("nesting is deeper than {MAX_DEPTH} levels");
        assert_eq!(diagnostics[0].message, limit, "{start}");
        assert_eq!(diagnostics[0].class, Class::Limit, "{start}");
        assert!(diagnostics.len() <= 3, "{start}: {diagnostics:?}");
    }
}

#[test]
fn chains_of_operators_and_blocks_are_no_nesting() {
    let sum = format!("1{}", "+1".repeat(100_000));
    let blocks = "{}".repeat(10_000);
    let (_, _, _, diagnostics) =
        parse(&format!(".version 8.0\n.target sm_90\n.entry k {{ mov.u32 a, {sum}; {blocks} }}\n"));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
}

/// Sizes are numbers in the tree: nothing is allocated for them.
#[test]
fn absurd_sizes() {
    let (_, _, module, diagnostics) = parse(
        ".version 8.0\n.target sm_90\n.global .b64 a[18446744073709551615][18446744073709551615];\n\
         .entry k { .reg .b32 %r<4294967295>; t: .branchtargets L<4294967295>; }\n",
    );
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(module.items.len(), 2);
}

#[test]
fn one_token_of_a_megabyte() {
    for token in ["a", "1", "0", ".", "%", "\"", "é", "0x", "1e", "_", ":"] {
        let text = token.repeat(1 << 20);
        survive(&text);
        survive(&format!(".version 8.0\n.target sm_90\n.entry k {{ mov.u32 a, {text}; }}"));
    }
    let (sources, _, _, diagnostics) = parse(&"a".repeat(1 << 20));
    let shown = diag::render::text(&sources, &diagnostics[0], false);
    assert!(diagnostics[0].message.len() < 200);
    assert_eq!(diagnostics[0].severity, Severity::Error);
    drop(shown);
}

/// Drivers take modules as C strings: a NUL is the end of the text. Only blanks and more of them follow it in a file.
#[test]
fn a_nul_ends_the_text() {
    let module = ".version 7.8\n.target sm_90\n.entry k() { ret; }\n";
    let is_accepted = |text: String| parse(&text).3.is_empty();
    for end in ["\0", "\0\n", "\n\0\0\0 \n"] {
        assert!(is_accepted(format!("{module}{end}")), "{end:?}");
        assert!(is_accepted(format!("{}{end}", module.trim_end())), "{end:?}");
    }
    assert!(!is_accepted(format!("{module}\0.global .u32 x;\n")));
    assert!(!is_accepted(module.replace("ret", "\0ret")));
    assert!(!is_accepted("\0".to_owned()));
}
