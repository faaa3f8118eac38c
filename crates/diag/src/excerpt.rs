//! What is shown of a text around marked places.

use std::borrow::Cow;

/// Bytes around either end of a mark that are shown of its line, at most.
const MAX_CONTEXT: usize = 2000;
/// What stands for a part of a line that is left out.
const LEFT_OUT: &str = "…";

/// The lines near some spans, without what nobody reads of very long lines, so that a diagnostic in a text of many megabytes
/// stays cheap.
pub(crate) struct Excerpt<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Where it begins in the whole text.
    pub(crate) start: usize,
    /// The spans in the excerpt.
    pub(crate) spans: Vec<(usize, usize)>,
    /// Whether some line is not shown from its beginning to its last mark.
    pub(crate) is_cut: bool,
}

impl<'a> Excerpt<'a> {
    /// Spans may lie outside the text.
    pub(crate) fn of(text: &'a str, spans: &[(usize, usize)]) -> Excerpt<'a> {
        let inside: Vec<(usize, usize)> = spans
            .iter()
            .map(|&(from, to)| (floor(text, from), floor(text, to.max(from))))
            .collect();
        let first = inside.iter().map(|span| span.0).min().unwrap_or(0);
        let last = inside.iter().map(|span| span.1).max().unwrap_or(0);
        // Lines longer than anybody reads are cut on both sides.
        let near = floor(text, first.saturating_sub(MAX_CONTEXT));
        let far = floor(text, last + MAX_CONTEXT);
        let newline = text[near..first].rfind('\n');
        let start = newline.map_or(near, |newline| near + newline + 1);
        let end = text[last..far].find('\n').map_or(far, |newline| last + newline);
        let shown = &text[start..end];
        let mut ends: Vec<usize> =
            inside.iter().flat_map(|&(from, to)| [from - start, to - start]).collect();
        ends.sort_unstable();
        let mut cuts: Vec<(usize, usize)> = Vec::new();
        for pair in ends.windows(2) {
            let from = floor(shown, pair[0] + MAX_CONTEXT);
            let to = floor(shown, pair[1].saturating_sub(MAX_CONTEXT));
            if from >= to {
                continue;
            }
            // Lines without a mark are left to the renderer.
            let leaves = shown[pair[0]..from].contains('\n');
            let enters = shown[to..pair[1]].contains('\n');
            let between = &shown[from..to];
            match between.find('\n').zip(between.rfind('\n')) {
                Some((first, last)) => {
                    cuts.extend((!leaves).then_some((from, from + first)));
                    cuts.extend((!enters).then_some((from + last + 1, to)));
                }
                None => cuts.extend((!(leaves && enters)).then_some((from, to))),
            }
        }
        cuts.retain(|(from, to)| to - from > LEFT_OUT.len());
        let begins = start == 0 || text.as_bytes()[start - 1] == b'\n';
        let is_cut = !begins || !cuts.is_empty();
        let mut edits: Vec<Edit> =
            cuts.iter().map(|&(from, to)| Edit { from, to, put: LEFT_OUT }).collect();
        // A carriage return before a line end is part of it.
        let returns = shown.match_indices("\r\n").map(|(at, _)| at);
        let returns = returns.chain(shown.ends_with('\r').then(|| shown.len() - 1));
        let outside = |at: &usize| !cuts.iter().any(|(from, to)| (*from..*to).contains(at));
        let returns = returns.filter(outside);
        edits.extend(returns.map(|at| Edit { from: at, to: at + 1, put: "" }));
        edits.sort_unstable_by_key(|edit| edit.from);
        let place = |at: usize| moved(&edits, at);
        let spans = inside.iter().map(|&(from, to)| (place(from - start), place(to - start)));
        let spans = spans.collect();
        Excerpt { text: edited(shown, &edits), start, spans, is_cut }
    }
}

/// A part of a text that something else stands for.
struct Edit {
    from: usize,
    to: usize,
    put: &'static str,
}

fn edited<'a>(text: &'a str, edits: &[Edit]) -> Cow<'a, str> {
    if edits.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut after = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        after.push_str(&text[at..edit.from]);
        after.push_str(edit.put);
        at = edit.to;
    }
    after.push_str(&text[at..]);
    Cow::Owned(after)
}

/// Where a place of a text is after edits.
fn moved(edits: &[Edit], at: usize) -> usize {
    let mut gone = 0;
    for edit in edits.iter().take_while(|edit| edit.from < at) {
        gone += edit.to.min(at) - edit.from;
        gone -= if edit.to <= at { edit.put.len() } else { 0 };
    }
    at - gone
}

/// The next place at or before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::Excerpt;

    #[test]
    fn marks_stay_on_what_they_mark() {
        let long = "é".repeat(150_000);
        let text = format!("first\r\n{long}one{long}two{long}\r\n{long}three\r\nlast");
        let marks = ["one", "two", "three"];
        let spans = marks.map(|mark| {
            let at = text.find(mark).unwrap_or(0);
            (at, at + mark.len())
        });
        for nth in 0..marks.len() {
            let excerpt = Excerpt::of(&text, &spans[nth..]);
            assert!(excerpt.is_cut && excerpt.text.len() < 20_000, "{}", excerpt.text.len());
            for (mark, (from, to)) in marks[nth..].iter().zip(excerpt.spans) {
                assert_eq!(&&excerpt.text[from..to], mark);
            }
        }
        let whole = Excerpt::of(&text, &[(1, 3), (text.len() - 2, text.len() + 9)]);
        assert_eq!(whole.spans[0], (1, 3));
        assert_eq!(&whole.text[whole.spans[1].0..], "st");
        assert!(whole.text.starts_with("first\n"));
    }

    #[test]
    fn a_long_span_keeps_both_ends() {
        let text = "x".repeat(300_000);
        let excerpt = Excerpt::of(&text, &[(0, 300_000)]);
        assert!(excerpt.is_cut && excerpt.text.len() < 10_000);
        assert_eq!(excerpt.spans, [(0, excerpt.text.len())]);
    }

    #[test]
    fn lines_without_a_mark_are_whole() {
        let text = "twenty bytes a line\n".repeat(400);
        let excerpt = Excerpt::of(&text, &[(0, 6), (7900, 7906)]);
        assert!(!excerpt.is_cut);
        assert_eq!(excerpt.text, text[..7919]);
        // One is as long as what is between the marks.
        let text = format!("one\n{}\ntwo\n", "x".repeat(9000));
        assert!(!Excerpt::of(&text, &[(0, 3), (9005, 9008)]).is_cut);
    }
}
