//! The picture for pages: two rows of lanes with an arrow for every value that moves.

use super::text::{groups, source};
use std::fmt::Write;
use warpwise::LaneMask;
use warpwise::explain::{Explanation, Outcome};

const LANES: u32 = 32;
/// Width of a lane, and where the first one begins.
const STEP: u32 = 30;
const LEFT: u32 = 90;
const WIDTH: u32 = LEFT + LANES * STEP + 20;
/// Middles of the rows of cells.
const FROM: u32 = 118;
const TO: u32 = 298;
const CELL: u32 = 24;

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
    if let (Some(Outcome::Number(values)), true) =
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
    let to = if moves { TO } else { FROM };
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
    if let Some(Outcome::Predicate(mask)) = explanation.value {
        y += CELL + 10;
        row("d", y, &away, &|lane| truth(mask, lane));
    }
    if let Some(mask) = explanation.predicate {
        y += CELL + 10;
        row("p", y, &away, &|lane| truth(mask, lane));
    }
    y + CELL
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
