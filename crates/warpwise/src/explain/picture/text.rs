//! The picture for terminals: three columns a lane, at most 100 columns in all.

use super::cells::{self, Cells, groups};
use crate::explain::explanation::{Explanation, Outcome};
use lanes::LaneMask;
use std::fmt::Write;

const LANES: u32 = 32;
/// Columns before the first lane; 32 lanes of three columns follow.
const LABEL: usize = 4;
const WIDTH: usize = 100;

const GREEN: &str = "32";
const RED: &str = "1;31";
const GREY: &str = "90";

/// Draws an explanation; `colour` says whether escape sequences are wanted.
pub(super) fn draw(explanation: &Explanation, colour: bool) -> String {
    let mut page = Page { out: String::new(), colour };
    page.head(explanation);
    page.lanes(explanation);
    page.results(explanation);
    let none = ["no lane's result is undefined".to_owned()];
    let undefined = match explanation.undefined.is_empty() {
        true => &none,
        false => &[format!("undefined: lanes {}", explanation.undefined.ranges())],
    };
    page.list("", undefined);
    page.list("", &explanation.notes);
    page.list("rule  ", &explanation.rule);
    page.list("taken ", &explanation.assumed);
    page.out
}

struct Page {
    out: String,
    colour: bool,
}

impl Page {
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn paint(&self, text: &str, colour: &str) -> String {
        match self.colour && !text.trim().is_empty() {
            true => format!("\x1b[{colour}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }

    fn head(&mut self, explanation: &Explanation) {
        if let Some(call) = &explanation.call {
            self.line(call);
            self.line(&format!("stands for {}", explanation.instruction));
        } else {
            self.line(&explanation.instruction);
        }
        let source = super::text::source(explanation);
        self.line(&source);
        let who = |name: &str, mask: LaneMask| format!("{name} {mask} (lanes {})", mask.ranges());
        self.line(&who("execute     ", explanation.executing));
        for group in &explanation.groups {
            let mut line = who("membermask  ", group.membermask);
            if explanation.groups.len() > 1 {
                let _ = write!(line, " of lanes {}", group.lanes.ranges());
            }
            self.line(&line);
        }
        self.line(&who("participants", explanation.participants));
        self.line("");
    }

    /// A row: what each lane shows, and in which colour.
    fn row(&mut self, label: &str, cell: &dyn Fn(u32) -> (String, &'static str)) {
        let mut line = format!("{label:<LABEL$}");
        for lane in 0..LANES {
            let (text, colour) = cell(lane);
            line.push_str(&self.paint(&format!("{text:>3}"), colour));
        }
        self.line(&line);
    }

    fn lanes(&mut self, explanation: &Explanation) {
        let Explanation { executing, undefined, participants, .. } = explanation;
        let state = |lane: u32| match (executing.contains(lane), undefined.contains(lane)) {
            (false, _) => GREY,
            (true, true) => RED,
            (true, false) => GREEN,
        };
        if let Some(segments) = explanation.segments {
            let begins = |lane: u32| if segments.contains(lane) { "[" } else { "" };
            self.row("seg", &|lane| (begins(lane).to_owned(), GREY));
        }
        self.row("lane", &|lane| (lane.to_string(), state(lane)));
        let glyph = |lane: u32| match (executing.contains(lane), participants.contains(lane)) {
            (true, true) => "#",
            (true, false) => "!",
            (false, _) => ".",
        };
        self.row("part", &|lane| (glyph(lane).to_owned(), state(lane)));
        let given = |cells: &Cells, lane: u32| match executing.contains(lane) {
            true => cells.of(lane).to_owned(),
            false => ".".to_owned(),
        };
        if let Some(input) = cells::input(explanation) {
            self.row("a", &|lane| (given(&input, lane), state(lane)));
        }
        for read in &explanation.reads {
            let shown = |lane: u32| {
                let source = read.source[lane as usize];
                match executing.contains(lane) {
                    true if read.lost.contains(lane) => format!("?{source}"),
                    true => source.to_string(),
                    false => ".".to_owned(),
                }
            };
            self.row(read.part, &|lane| (shown(lane), state(lane)));
            let way = |lane: u32| match read.source[lane as usize].cmp(&lane) {
                _ if !executing.contains(lane) => " ",
                std::cmp::Ordering::Less => ">",
                std::cmp::Ordering::Equal => "=",
                std::cmp::Ordering::Greater => "<",
            };
            self.row("", &|lane| (way(lane).to_owned(), state(lane)));
        }
        let truth =
            |mask: LaneMask, lane: u32| match (executing.contains(lane), mask.contains(lane)) {
                (false, _) => ".",
                (true, true) => "1",
                (true, false) => "0",
            };
        if let Some(Outcome::Predicate(mask)) = explanation.value {
            self.row("d", &|lane| (truth(mask, lane).to_owned(), state(lane)));
        }
        if let Some(result) = cells::result(explanation) {
            self.row("d", &|lane| (given(&result, lane), state(lane)));
        }
        if let Some(mask) = explanation.predicate {
            self.row("p", &|lane| (truth(mask, lane).to_owned(), state(lane)));
        }
        self.line("");
    }

    /// Numbers, once for all lanes that get the same.
    fn results(&mut self, explanation: &Explanation) {
        cells::input(explanation)
            .unwrap_or_default()
            .legend
            .iter()
            .for_each(|line| self.line(line));
        if let Some(result) = cells::result(explanation) {
            result.legend.iter().for_each(|line| self.line(line));
            return;
        }
        let Some(Outcome::Number(values)) = &explanation.value else { return };
        if !explanation.reads.is_empty() {
            self.legend();
        }
        if !explanation.reads.is_empty() && !explanation.is_set {
            return;
        }
        for (value, lanes) in groups(values, explanation.executing - explanation.undefined) {
            let line = format!("d = {value:#010x} ({value}) in lanes {}", lanes.ranges());
            self.line(&line);
        }
    }

    fn legend(&mut self) {
        self.line("> from a lower lane   < from a higher lane   = its own   ?n from a lane that takes no part");
    }

    /// Lines of prose, broken at blanks.
    fn list(&mut self, label: &str, lines: &[String]) {
        for text in lines {
            let mut line = label.to_owned();
            for word in text.split(' ') {
                if line.chars().count() + 1 + word.chars().count() > WIDTH {
                    self.line(&line);
                    line = " ".repeat(label.len() + 2);
                }
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                }
                line.push_str(word);
            }
            self.line(&line);
        }
    }
}

/// Where the instruction is described, and who has it.
pub(super) fn source(explanation: &Explanation) -> String {
    let (major, minor) = explanation.since.ptx;
    let mut text = format!("PTX ISA 9.1, {}", explanation.section);
    let _ = write!(text, "; from PTX {major}.{minor}, sm_{} on", explanation.since.sm);
    if let Some(removed) = explanation.removed {
        let (major, minor) = removed.ptx;
        let _ = write!(text, "; gone from PTX {major}.{minor} on sm_{} and later", removed.sm);
    }
    text
}
