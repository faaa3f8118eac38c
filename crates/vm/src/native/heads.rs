//! How code is entered where lanes are apart: at the head of a loop, with others of their gang that wait at later places.

use super::owner::Owner;
use super::rows::{self, Gang};
use super::{NativeCode, Next, Warps, count, introduce, run_warps};
use crate::engine::Code;
use crate::exit::{Exit, Stop};
use crate::frame::Frame;
use crate::plan::Pc;
use jit::Head;
use smallvec::SmallVec;

/// Blocks that are interpreted one by one, so that lanes that are apart come to where code can be entered.
const ON_THE_WAY: usize = 1 << 6;

/// What code is given for a gang: its first warp, and the words of [`jit::Context::given`].
type Given = (usize, SmallVec<[u64; 16]>);

impl NativeCode {
    /// Runs the code of the group, which stands at the head of a loop, with the lanes that have come along. `None` if it cannot be
    /// entered.
    pub(super) fn enter_apart(
        &self,
        frame: &mut Frame<'_>,
        code: &jit::Code,
        at: Pc,
    ) -> Option<Next> {
        let (entry, head) = code.head(at.0)?;
        let (first, end) = (frame.first, frame.first + frame.count);
        let gang = code.gang();
        let leaves = frame.native.as_mut().and_then(|state| state.left_at.take()) == Some(at);
        let in_gangs = first.is_multiple_of(gang) && end.is_multiple_of(gang);
        if leaves || !in_gangs || !self.prologue_fits(frame, code) {
            return None;
        }
        let is_there =
            |first: &usize| frame.exec[*first..first + gang].iter().any(|exec| *exec != 0);
        let firsts = (first..end).step_by(gang).filter(is_there);
        let given = firsts.map(|first| Some((first, words(frame, code, head, first)?)));
        let given = given.collect::<Option<Vec<Given>>>()?;
        frame.along.clear();
        for (first, _) in &given {
            let live = frame.threads.live;
            frame.exec[*first..first + gang].copy_from_slice(&live[*first..first + gang]);
        }
        let mut owner = Owner::new(&self.interp, code);
        let context = introduce(frame, code, entry, &raw mut owner);
        let mut all = Warps::default();
        for (first, words) in given {
            // SAFETY: the context and the owner are those of this frame, and the code was made for its plan.
            let (exit, last) = unsafe {
                (&mut (*context).given)[..words.len()].copy_from_slice(&words);
                run_warps(frame, code, context, first..first + gang)
            };
            self.leave(frame, code, exit, last, &mut all);
        }
        // SAFETY: no code runs.
        count(frame, unsafe { &*context });
        Some(self.next(frame, code, all))
    }

    /// Interprets lanes that are apart: some blocks one by one, until they come to where code can be entered, else to the end of the turn.
    pub(super) fn come_to_head(
        &self,
        frame: &mut Frame<'_>,
        code: &jit::Code,
        from: Pc,
        until: Pc,
    ) -> Exit {
        let mut at = from;
        // Who stands at one has others elsewhere that keep it from being entered.
        if code.has_heads() && code.head(from.0).is_none() {
            for _ in 0..ON_THE_WAY {
                if let Err(exit) = self.interpret(frame, &mut at, until) {
                    return exit;
                }
                if code.head(at.0).is_some() {
                    return Stop::Limit(at);
                }
            }
        }
        self.interp.run(frame, at, until)
    }
}

/// What code is given at a head for a gang. `None` if its lanes are not all where it wants them, or rows not as it wants them.
fn words(
    frame: &Frame<'_>,
    code: &jit::Code,
    head: &Head,
    first: usize,
) -> Option<SmallVec<[u64; 16]>> {
    let gang = Gang::of(code, first);
    let lanes = gang.bits(|warp| frame.exec[warp]);
    let mut standing: SmallVec<[(u64, u32); 8]> = SmallVec::new();
    standing.push((lanes, head.number));
    let waiting = |number: u32| &code.waiting()[number as usize];
    for station in &head.waiting {
        let place = Pc(waiting(station.number).0);
        let lanes = gang.bits(|warp| {
            let here = frame.along.iter().filter(|(of, _, at)| *of == warp && *at == place);
            here.fold(0, |all, (_, lanes, _)| all | lanes)
        });
        if station.known.is_some_and(|known| known != lanes) {
            return None;
        }
        standing.push((lanes, station.number));
    }
    let all = standing.iter().fold(0, |all, (lanes, _)| all | lanes);
    if all != gang.bits(|warp| frame.threads.live[warp]) {
        return None;
    }
    let mut words: SmallVec<[u64; 16]> = standing.iter().map(|(lanes, _)| *lanes).collect();
    let needing = |reg| {
        if head.offered.contains(&reg) {
            return u64::MAX;
        }
        let needs = |number: u32| waiting(number).1.contains(&reg);
        let needed = standing.iter().filter(|(_, number)| needs(*number));
        needed.fold(0, |all, (lanes, _)| all | lanes)
    };
    for (reg, shape) in &head.given {
        let firsts = rows::firsts(frame, *reg, shape, gang, needing(*reg))?;
        words.extend(firsts);
    }
    let fits = |(reg, shape): &(_, _)| rows::fits(frame, *reg, shape, gang, needing(*reg));
    head.homed.iter().all(fits).then_some(words)
}
