//! The picture for pages: two rows of lanes with an arrow for every value that moves, or with a box for every result that
//! is made of what several lanes bring.

use super::cells::{self, groups};
use super::text::source;
use crate::explain::explanation::{Combined, Explanation, Input, Outcome};
use lanes::LaneMask;
use std::fmt::Write;

const LANES: u32 = 32;
/// Width of a lane, and where the first one begins.
const STEP: u32 = 30;
const LEFT: u32 = 90;
const WIDTH: u32 = LEFT + LANES * STEP + 20;
/// Middles of the rows of cells.
const FROM: u32 = 118;
const TO: u32 = 298;
const CELL: u32 = 24;
/// From a row of cells to the next one below it.
const NEXT: u32 = CELL + 4;
/// Widths of the boxes in which results are made: with their value, and with its letter.
const WIDE: u32 = 112;
const NARROW: u32 = 26;
/// Most boxes beside each other that have room for a value.
const MOST_WIDE: usize = 8;

/// Light and dark by the reader's wish; no other file is needed.
const STYLE: &str = "\
:root{--ink:#1c2330;--faint:#667085;--paper:#fdfdfb;--line:#c3c8d0;--good:#cfe8d5;--edge:#2e7d4f;\
--bad:#f9d2cf;--wrong:#b3261e;--off:#eceeea}\
@media (prefers-color-scheme:dark){:root{--ink:#e4e7ec;--faint:#98a2b3;--paper:#15181e;--line:#454c5a;\
--good:#24513a;--edge:#7fd4a2;--bad:#5c2622;--wrong:#ff9b92;--off:#23272f}}\
.paper{fill:var(--paper)}text{fill:var(--ink);font:12px ui-monospace,'DejaVu Sans Mono',monospace}\
.title{font-size:16px;font-weight:600}.faint{fill:var(--faint)}.mid{text-anchor:middle}text.small{font-size:8.5px}\
.cell{stroke:var(--line);fill:var(--good)}.off{fill:var(--off)}.bad{fill:var(--bad)}\
.arrow{fill:none;stroke:var(--edge);stroke-width:1.6}.arrow.bad{stroke:var(--wrong);fill:none;stroke-dasharray:4 3}\
.arrow.idle{stroke:var(--line)}\
.head{fill:var(--edge)}.head.bad{fill:var(--wrong)}.wrong{fill:var(--wrong)}\
.edge{stroke:var(--faint);stroke-dasharray:2 4}";

/// Draws an explanation as a file of its own.
pub(super) fn draw(explanation: &Explanation) -> String {
    let mut body = String::new();
    let mut text = |class: &str, x: u32, y: u32, words: &str| {
        let _ =
            writeln!(body, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(words));
    };
    let title = match &explanation.call {
        Some(call) => format!("{call} stands for {}", explanation.instruction),
        None => explanation.instruction.clone(),
    };
    text("title", 16, 30, &title);
    text("faint", 16, 52, &source(explanation));
    let who = |mask: LaneMask| format!("lanes {}", mask.ranges());
    let mut line = format!("execute: {}", who(explanation.executing));
    for (nth, group) in explanation.groups.iter().enumerate() {
        let word = if nth == 0 { "   membermask:" } else { "," };
        let _ = write!(line, "{word} {}", group.membermask);
    }
    let _ = write!(line, "   participants: {}", who(explanation.participants));
    text("faint", 16, 72, &line);
    let mut y = rows(explanation, &mut body);
    let mut under = |class: &str, words: &str| {
        y += 20;
        let _ =
            writeln!(body, "<text class=\"{class}\" x=\"16\" y=\"{y}\">{}</text>", escape(words));
    };
    let input = cells::input(explanation).unwrap_or_default();
    input.legend.iter().for_each(|line| under("", line));
    if let Some(result) = cells::result(explanation) {
        result.legend.iter().for_each(|line| under("", line));
    } else if let (Some(Outcome::Number(values)), true) =
        (&explanation.value, explanation.reads.is_empty())
    {
        for (value, lanes) in groups(values, explanation.executing - explanation.undefined) {
            under("", &format!("d = {value:#010x} ({value}) in lanes {}", lanes.ranges()));
        }
    }
    explanation.notes.iter().for_each(|note| under("wrong", note));
    explanation.rule.iter().for_each(|rule| under("", rule));
    explanation.assumed.iter().for_each(|assumed| under("faint", &format!("taken: {assumed}")));
    let height = y + 20;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n{body}</svg>\n",
        escape(&title)
    )
}

fn middle(lane: u32) -> u32 {
    LEFT + lane * STEP + STEP / 2
}

/// The rows of lanes and what is between; returns the lowest line used.
fn rows(explanation: &Explanation, out: &mut String) -> u32 {
    let Explanation { executing, undefined, participants, .. } = explanation;
    let moves = !explanation.reads.is_empty();
    let joins = !explanation.combined.is_empty();
    let to = if moves || joins { TO } else { FROM };
    boxes(explanation, out);
    if let Some(segments) = explanation.segments {
        for lane in segments.iter() {
            let x = LEFT + lane * STEP;
            let _ = writeln!(out, "<path class=\"edge\" d=\"M{x} {} V{}\"/>", FROM - 24, to + 24);
        }
    }
    for (nth, read) in explanation.reads.iter().enumerate() {
        for lane in executing.iter() {
            let source = read.source[lane as usize];
            let class = if undefined.contains(lane) { " bad" } else { "" };
            // Two parts of a result end side by side.
            let shift = if explanation.reads.len() > 1 { nth as i64 * 8 - 4 } else { 0 };
            let (x0, x1) = (i64::from(middle(source)), i64::from(middle(lane)) + shift);
            let (y0, y1) = (FROM + CELL / 2, TO - CELL / 2 - 6);
            let bend = (y0 + y1) / 2;
            let _ = writeln!(
                out,
                "<path class=\"arrow{class}\" d=\"M{x0} {y0} C{x0} {bend} {x1} {bend} {x1} {y1}\"/>\
                 <path class=\"head{class}\" d=\"M{} {y1} h8 l-4 7 z\"/>",
                x1 - 4
            );
        }
    }
    let mut row = |label: &str, y: u32, off: &dyn Fn(u32) -> bool, cell: &dyn Fn(u32) -> String| {
        let _ = writeln!(out, "<text class=\"faint\" x=\"16\" y=\"{}\">{label}</text>", y + 4);
        for lane in 0..LANES {
            let class = match (off(lane), undefined.contains(lane)) {
                (true, _) => " off",
                (false, true) => " bad",
                (false, false) => "",
            };
            let (x, shown) = (middle(lane), cell(lane));
            let small = if shown.len() > 3 { " small" } else { "" };
            let _ = writeln!(
                out,
                "<rect class=\"cell{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{CELL}\" rx=\"4\"/>\
                 <text class=\"mid{small}\" x=\"{x}\" y=\"{}\">{}</text>",
                x - STEP / 2 + 2,
                y - CELL / 2,
                STEP - 4,
                y + 4,
                shown
            );
        }
    };
    row("lane", FROM, &|lane| !participants.contains(lane), &|lane| lane.to_string());
    let away = |lane: u32| !executing.contains(lane);
    let apart = |lane: u32| !participants.contains(lane);
    if let Some(input) = cells::input(explanation) {
        row("brings", FROM + NEXT, &apart, &|lane| dotless(input.of(lane)));
    }
    let mut y = to;
    if moves {
        let sources = |lane: u32| match away(lane) {
            true => String::new(),
            false => {
                let parts = explanation.reads.iter();
                let found: Vec<String> =
                    parts.map(|r| r.source[lane as usize].to_string()).collect();
                found.join(" ")
            }
        };
        row("gets from", TO, &away, &sources);
    }
    let truth = |mask: LaneMask, lane: u32| match (away(lane), mask.contains(lane)) {
        (true, _) => String::new(),
        (false, true) => "1".to_owned(),
        (false, false) => "0".to_owned(),
    };
    if let Some(result) = cells::result(explanation) {
        row("d", TO, &away, &|lane| dotless(result.of(lane)));
    }
    if let Some(Outcome::Predicate(mask)) = explanation.value {
        y += if joins { 0 } else { CELL + 10 };
        row("d", y, &away, &|lane| truth(mask, lane));
    }
    if let Some(mask) = explanation.predicate {
        y += CELL + 10;
        row("p", y, &away, &|lane| truth(mask, lane));
    }
    y + CELL
}

/// A cell of nothing is empty here.
fn dotless(cell: &str) -> String {
    if cell == "." { String::new() } else { cell.to_owned() }
}

/// The middles of boxes: in the middle of their lanes if they have room there, else each in an equal part of the width.
fn places(combined: &[Combined], width: u32) -> Vec<u32> {
    let ideal = |made: &Combined| {
        let all: u32 = made.to.iter().map(middle).sum();
        let right = LEFT + LANES * STEP - width / 2;
        (all / made.to.count().max(1)).clamp(LEFT + width / 2, right)
    };
    let ideals: Vec<u32> = combined.iter().map(ideal).collect();
    if ideals.windows(2).all(|two| two[0] + width + 4 <= two[1]) {
        return ideals;
    }
    let part = LANES * STEP / combined.len().max(1) as u32;
    (0..combined.len() as u32).map(|nth| LEFT + nth * part + part / 2).collect()
}

/// The boxes in which results are made, between the rows, with arrows from those who bring and to those who get.
fn boxes(explanation: &Explanation, out: &mut String) {
    let Explanation { combined, input, value, .. } = explanation;
    let rows = if input.is_some() { NEXT } else { 0 };
    let (top, end) = (FROM + rows + CELL / 2, TO - CELL / 2 - 6);
    let middle_y = (top + end) / 2;
    let wide = combined.len() <= MOST_WIDE;
    let width = if wide { WIDE } else { NARROW };
    let result = cells::result(explanation);
    let places = places(combined, width);
    for (made, x) in combined.iter().zip(places) {
        let (upper, lower) = (middle_y - CELL / 2, middle_y + CELL / 2);
        for lane in made.from.iter() {
            // Those that say no are faint.
            let idle = matches!(input, Some(Input::Predicate(mask)) if !mask.contains(lane));
            let class = if idle { " idle" } else { "" };
            let (x0, bend) = (middle(lane), (top + upper) / 2);
            let _ = writeln!(
                out,
                "<path class=\"arrow{class}\" d=\"M{x0} {top} C{x0} {bend} {x} {bend} {x} {upper}\"/>"
            );
        }
        for lane in made.to.iter() {
            let (x1, bend) = (middle(lane), (lower + end) / 2);
            let _ = writeln!(
                out,
                "<path class=\"arrow\" d=\"M{x} {lower} C{x} {bend} {x1} {bend} {x1} {end}\"/>\
                 <path class=\"head\" d=\"M{} {end} h8 l-4 7 z\"/>",
                x1 - 4
            );
        }
        let lane = made.to.iter().next().unwrap_or(0);
        let words = match (value, &result) {
            (Some(Outcome::Predicate(mask)), _) => mask.contains(lane).to_string(),
            (Some(Outcome::Number(values)), Some(result)) => match (wide, result.of(lane)) {
                (false, cell) => cell.to_owned(),
                (true, cell) if cell.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    format!("{cell}: {:#010x}", values[lane as usize])
                }
                (true, cell) => cell.to_owned(),
            },
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "<rect class=\"cell\" x=\"{}\" y=\"{upper}\" width=\"{width}\" height=\"{CELL}\" rx=\"12\"/>\
             <text class=\"mid\" x=\"{x}\" y=\"{}\">{words}</text>",
            x - width / 2,
            middle_y + 4
        );
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::explain;

    /// How many boxes, true or unsigned inputs, and arrowheads a picture has.
    fn counted(instruction: &str) -> [usize; 3] {
        let picture = draw(&explain(instruction, LaneMask(0xffff), &[]).unwrap());
        let count = |part: &str| picture.matches(part).count();
        [count("rx=\"12\""), count("class=\"arrow\""), count("class=\"head\"")]
    }

    // Lanes 0 to 15 execute. Those that bring something have an arrow to a box, and those that get something one from it.
    #[test]
    fn a_box_for_every_result_of_several_lanes() {
        // Groups of four lanes hold the same value.
        assert_eq!(counted("match.any.sync.b32 d, a, 0xffff"), [4, 32, 16]);
        // Eight of the votes are false, and faint.
        assert_eq!(counted("vote.sync.ballot.b32 d, q, 0xffff"), [1, 24, 16]);
        assert_eq!(counted("redux.sync.add.u32 d, a, 0xffff"), [1, 32, 16]);
        assert_eq!(counted("activemask.b32 d"), [1, 32, 16]);
        // Four lanes take part.
        assert_eq!(counted("elect.sync d|p, 0xf"), [1, 8, 4]);
        assert_eq!(counted("shfl.sync.idx.b32 d, a, 0, 31, 0xffff"), [0, 16, 16]);
    }

    #[test]
    fn boxes_stand_apart() {
        let of = |mask| Combined { from: LaneMask(mask), to: LaneMask(mask) };
        // Every other lane: both middles are that of the warp, so each box gets half of the width.
        let places = places(&[of(0x5555_5555), of(0xaaaa_aaaa)], WIDE);
        assert_eq!(places, [LEFT + LANES * STEP / 4, LEFT + LANES * STEP * 3 / 4]);
        // The middle of lanes 8 to 15 is where lane 12 begins.
        assert_eq!(super::places(&[of(0xff00)], WIDE), [LEFT + 12 * STEP]);
    }
}
