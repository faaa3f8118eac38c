//! Constant operands of shuffles that describe no segments, or leave them.

use super::{Checker, constant};
use crate::catalogue::Matched;
use crate::rules;

/// The lanes of a segment, by the operand `c` of a shuffle; `None` if the segments are not a power of two
/// wide or are not reached up to their end.
fn width(c: u32, is_up: bool) -> Option<u32> {
    let (clamp, segment) = (c & 31, c >> 8 & 31);
    let inside = !segment & 31;
    let is_power = (inside + 1).is_power_of_two();
    let bound = if is_up { 0 } else { inside };
    (is_power && clamp & inside == bound).then_some(inside + 1)
}

impl<'a> Checker<'a> {
    pub(super) fn advise_shuffle(&mut self, inst: &Matched<'a>) {
        let (Some(c), Some(operand)) = (constant(inst.operand("c")), inst.operand("c")) else {
            return;
        };
        let mode = inst.word("mode").unwrap_or("");
        let Some(width) = width(c, mode == "up") else {
            let bound = if mode == "up" { "0" } else { "W-1" };
            let message = format!("{c:#x} describes no segments of 1, 2, 4, 8, 16 or 32 lanes");
            let help = format!("for segments of W lanes write ((32-W) << 8) | {bound}");
            return self.report(rules::SHUFFLE_WIDTH.at(operand.span, message).help(help));
        };
        if let (Some(b), "bfly") = (constant(inst.operand("b")), mode)
            && b & 31 >= width
        {
            let span = inst.operand("b").map_or(operand.span, |b| b.span);
            let message = format!(
                "lanes {} apart are in different segments of {width}: only the upper bound is tested, \
                 so half of the lanes read the segment below",
                b & 31
            );
            self.report(rules::SHUFFLE_CROSSING.at(span, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn operands_that_compilers_write() {
        for (c, is_up, lanes) in [
            (31, false, Some(32)),
            (0, true, Some(32)),
            (6175, false, Some(8)),
            (4127, false, Some(16)),
            (7199, false, Some(4)),
            (7711, false, Some(2)),
            (0x1807, false, Some(8)),
            (0x1800, true, Some(8)),
            (0, false, None),
            (31, true, None),
            (0x0a1f, false, None),
            (0x180f, true, None),
            (15, false, None),
        ] {
            assert_eq!(width(c, is_up), lanes, "{c:#x}");
        }
    }
}
