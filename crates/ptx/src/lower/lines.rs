//! Which source line each instruction comes from (`.loc`, `.file`).

use crate::lower::functions::{Functions, Return};
use crate::syntax::ast::{self, Loc, Module, Name, SourcePosition};
use ir::Place;
use std::collections::HashMap;

/// Functions that were inlined into each other, at most.
const MAX_DEPTH: usize = 64;

/// The source lines of a kernel's instructions, as the compiler that wrote the PTX tells them.
#[derive(Clone, Debug, Default)]
pub struct SourceLines {
    files: HashMap<u32, String>,
    /// Per place, an index into `chains`; `None` for instructions without a line.
    of_place: Vec<Option<u32>>,
    chains: Vec<Chain>,
    /// By position, the last line of an inlined function that was there.
    inlined: HashMap<(u32, u32, u32), Inlined>,
    current: Option<u32>,
    /// The line of the call that the function stands in the place of.
    caller: Option<u32>,
    body: Body,
    functions: Functions,
}

/// Where code comes from.
#[derive(Clone, Debug)]
struct Chain {
    /// First the code itself, last the line of the kernel that called it all.
    positions: Vec<SourcePosition>,
    /// Whether the code has no line of its own, and the last one before it stands here.
    guessed: bool,
}

/// A line of an inlined function.
#[derive(Clone, Debug)]
struct Inlined {
    /// The label and the offset that name the function, and where it was inlined.
    told: (Name, i64, (u32, u32, u32)),
    /// The positions that it was inlined at, the last one that of the kernel or of a line that is not known to be inlined.
    positions: Vec<SourcePosition>,
}

/// What the lines of one function have shown so far.
#[derive(Clone, Copy, Debug, Default)]
struct Body {
    /// The file of its first line, which is the file that it is written in.
    file: Option<u32>,
    /// The last line of that file.
    last: Option<SourcePosition>,
    /// The last line that the function is known to have come to, in whatever file.
    outermost: Option<SourcePosition>,
}

impl Body {
    /// Takes in a line that is not said to be inlined. Code for debuggers has lines of other files without a word of where they
    /// were inlined (nvcc `-G`): that is the last line of the function's own file, which is returned.
    fn inlined_at(&mut self, position: SourcePosition) -> Option<SourcePosition> {
        let own = *self.file.get_or_insert(position.file) == position.file;
        match (own, position.line) {
            (_, 0) => None,
            (false, _) => self.last,
            (true, _) => {
                self.last = Some(position);
                None
            }
        }
    }
}

/// Where a function was called.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallSite {
    line: Option<u32>,
    caller: Option<u32>,
    body: Body,
    function: Return,
}

fn key(position: &SourcePosition) -> (u32, u32, u32) {
    (position.file, position.line, position.column)
}

impl SourceLines {
    pub(super) fn new(module: &Module, kernel: &str) -> SourceLines {
        let files = module.files.iter().map(|file| (file.index, file.name.clone())).collect();
        SourceLines { files, functions: Functions::new(module, kernel), ..SourceLines::default() }
    }

    /// The instructions that follow come from here.
    pub(super) fn enter(&mut self, loc: &Loc) {
        // Lines of the text of inline assembly are no lines of the file: the statement's own line goes on.
        if loc.in_inline_asm && self.current.is_some() {
            return;
        }
        self.functions.enter(loc);
        let mut chain = vec![loc.position];
        match &loc.inlined {
            Some(inlined) => chain.extend(self.inline(loc.position, inlined)),
            None => {
                let at = self.body.inlined_at(loc.position);
                chain.extend(at.into_iter().flat_map(|at| self.inlined_at(at)));
            }
        }
        // Line 0 stands for code that comes from no line, or from several.
        chain.retain(|position| position.line != 0);
        let guess = self.body.outermost.filter(|_| chain.is_empty());
        chain.extend(guess);
        self.body.outermost = chain.last().copied();
        if let Some(caller) = self.caller {
            let room = MAX_DEPTH.saturating_sub(chain.len());
            // The outermost line matters most.
            let through = self.chains[caller as usize].positions.iter();
            chain.extend(through.rev().take(room).rev());
        }
        self.current = (!chain.is_empty()).then_some(self.chains.len() as u32);
        self.chains.push(Chain { positions: chain, guessed: guess.is_some() });
    }

    /// The positions that a line of an inlined function was inlined at.
    fn inline(&mut self, position: SourcePosition, inlined: &ast::Inlined) -> &[SourcePosition] {
        // A function may be inlined at its own position into another one of the same text: the line before this one is meant. The
        // same line once more is the same one, and not a function further in.
        let told = (inlined.function_name.clone(), inlined.offset, key(&inlined.at));
        let positions = self.inlined_at(inlined.at);
        let is_within = positions.iter().any(|outer| key(outer) == key(&position));
        let known = self.inlined.get(&key(&position));
        if !(is_within && known.is_some_and(|known| known.told == told)) {
            self.inlined.insert(key(&position), Inlined { told, positions });
        }
        self.inlined.get(&key(&position)).map_or(&[], |inlined| &inlined.positions)
    }

    /// A position, and those that it was inlined at.
    fn inlined_at(&self, position: SourcePosition) -> Vec<SourcePosition> {
        let further =
            self.inlined.get(&key(&position)).map_or(&[][..], |inlined| &inlined.positions);
        std::iter::once(position).chain(further.iter().copied()).take(MAX_DEPTH - 1).collect()
    }

    /// The instructions that follow are those of a function that is called here.
    pub(super) fn call(&mut self, name: &str) -> CallSite {
        let body = std::mem::take(&mut self.body);
        let function = self.functions.call(name);
        let site = CallSite { line: self.current, caller: self.caller, body, function };
        self.caller = self.current;
        site
    }

    /// The instructions that follow are those of a function that is called from several places, and lowered once.
    pub(super) fn begin(&mut self, name: &str) {
        self.functions.begin(name);
        (self.current, self.caller, self.body) = (None, None, Body::default());
    }

    /// The function has ended, and the line of its call goes on.
    pub(super) fn go_back(&mut self, site: CallSite) {
        self.current = site.line;
        self.caller = site.caller;
        self.body = site.body;
        self.functions.go_back(site.function);
    }

    /// The instruction of this place comes next.
    pub(super) fn place(&mut self, place: Place) {
        self.of_place.resize(place.0 as usize + 1, None);
        self.of_place[place.0 as usize] = self.current;
        self.functions.place(place);
    }

    /// The positions of an instruction: first that of the code itself, last the line of the kernel that called it all,
    /// through the functions that a compiler inlined or that a `call` named. Empty if nothing is known.
    pub fn of(&self, place: Place) -> &[SourcePosition] {
        self.chain(place).map_or(&[], |chain| &chain.positions)
    }

    /// Whether the instruction has no line of its own (line 0, as compilers give it to code that they merged), and
    /// [`of`](SourceLines::of) gives the last one before it in its function.
    pub fn is_guessed(&self, place: Place) -> bool {
        self.chain(place).is_some_and(|chain| chain.guessed)
    }

    /// The names of the functions that an instruction is of, as the module tells them: first its own, then those that it was
    /// inlined into or called from, last the kernel.
    pub fn functions(&self, place: Place) -> Vec<&str> {
        self.functions.of(place)
    }

    fn chain(&self, place: Place) -> Option<&Chain> {
        let chain = self.of_place.get(place.0 as usize).copied().flatten()?;
        self.chains.get(chain as usize)
    }

    /// The name of a `.file`, as written.
    pub fn file(&self, index: u32) -> Option<&str> {
        self.files.get(&index).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use crate::{LoweredKernel, Module};
    use diag::Sources;
    use ir::Place;

    /// The kernel `k` of a module.
    fn lower(text: &str) -> (Sources, LoweredKernel) {
        let mut sources = Sources::new();
        let file = sources.add("k.ptx", text);
        let (module, _) = Module::parse(&sources, file).expect("it is PTX");
        let lowered = module.lower("k").expect("it can be lowered");
        (sources, lowered)
    }

    #[test]
    fn inlined_code_leads_to_the_line_that_called_it() {
        let text = r#".version 8.0
.target sm_75
.address_size 64
.file 1 "k.cu"
.file 2 "lib.h"
.entry k() {
    .reg .b32 %r<3>;
    mov.u32 %r0, 0;
    .loc 1 7 3
    mov.u32 %r1, 1;
    .loc 1 9 2
    .loc 2 20 5, function_name $a, inlined_at 1 9 2
    .loc 2 30 5, function_name $b, inlined_at 2 20 5
    mov.u32 %r2, 2;
    .loc 2 0 5
    ret;
}
.section .debug_str {
$a:
$b:
}
"#;
        let (_, lowered) = lower(text);
        let lines = |place: u32| -> Vec<(Option<&str>, u32)> {
            let chain = lowered.lines.of(Place(place)).iter();
            chain.map(|position| (lowered.lines.file(position.file), position.line)).collect()
        };
        assert_eq!(lines(1), []);
        assert_eq!(lines(2), [(Some("k.cu"), 7)]);
        assert_eq!(lines(3), [(Some("lib.h"), 30), (Some("lib.h"), 20), (Some("k.cu"), 9)]);
        // Line 0: the function that the code before it was inlined into goes on.
        assert_eq!(lines(4), [(Some("k.cu"), 9)]);
        assert_eq!(
            [1, 2, 3, 4].map(|at| lowered.lines.is_guessed(Place(at))),
            [false, false, false, true]
        );
    }

    /// As nvcc writes a template that is inlined into its other instances.
    #[test]
    fn code_may_be_inlined_at_its_own_position() {
        let text = r#".version 8.0
.target sm_75
.address_size 64
.file 1 "k.cu"
.file 2 "step.h"
.entry k() {
    .reg .b32 %r<6>;
    .loc 1 3 3
    .loc 2 6 5, function_name $a, inlined_at 1 3 3
    mov.u32 %r0, 1;
    .loc 2 6 5, function_name $b, inlined_at 2 6 5
    mov.u32 %r1, 2;
    .loc 2 6 5, function_name $b, inlined_at 2 6 5
    .loc 2 5 5, function_name $c, inlined_at 2 6 5
    mov.u32 %r2, 3;
    .loc 2 6 5, function_name $a, inlined_at 1 3 3
    mov.u32 %r3, 4;
    ret;
}
.section .debug_str {
$a:
$b:
$c:
}
"#;
        let (_, lowered) = lower(text);
        let lines = |place: u32| -> Vec<u32> {
            lowered.lines.of(Place(place)).iter().map(|position| position.line).collect()
        };
        assert_eq!(
            [1, 2, 3, 4].map(lines),
            [vec![6, 3], vec![6, 6, 3], vec![5, 6, 6, 3], vec![6, 3]]
        );
    }

    #[test]
    fn one_function_may_be_inlined_at_several_lines() {
        let text = r#".version 8.0
.target sm_75
.address_size 64
.file 1 "k.cu"
.file 2 "lib.h"
.entry k() {
    .reg .b32 %r<3>;
    .loc 1 3 3
    .loc 2 20 5, function_name $a, inlined_at 1 3 3
    .loc 2 30 5, function_name $b, inlined_at 2 20 5
    mov.u32 %r0, 1;
    .loc 1 4 3
    .loc 2 20 5, function_name $a, inlined_at 1 4 3
    .loc 2 30 5, function_name $b, inlined_at 2 20 5
    mov.u32 %r1, 2;
    ret;
}
.section .debug_str {
$a:
$b:
}
"#;
        let (_, lowered) = lower(text);
        let lines = |place: u32| -> Vec<u32> {
            lowered.lines.of(Place(place)).iter().map(|position| position.line).collect()
        };
        assert_eq!([1, 2].map(lines), [vec![30, 20, 3], vec![30, 20, 4]]);
    }

    /// As Triton 3.9 writes `tl.load` on line 8 and what follows on the same line.
    #[test]
    fn inline_assembly_is_of_the_line_of_its_statement() {
        let text = r#".version 8.0
.target sm_80
.address_size 64
.file 1 "k.py"
.entry k() {
    .reg .b32 %r<5>;
    .loc 1 8 9 // k.py:8:9
    // begin inline asm
    .loc 1 8 9 // k.py:8:9
    mov.u32 %r1, 1;
    .loc 1 9 9 // k.py:9:9
    mov.u32 %r2, 2;

    // end inline asm
    mov.u32 %r3, 3;
    .loc 1 9 5 // k.py:9:5
    mov.u32 %r4, 4;
    ret;
}
"#;
        let (_, lowered) = lower(text);
        let lines = [1, 2, 3, 4].map(|at| lowered.lines.of(Place(at))[0].line);
        assert_eq!(lines, [8, 8, 8, 9]);
    }

    #[test]
    fn code_of_other_files_leads_to_the_last_line_before_it() {
        let text = r#".version 8.0
.target sm_75
.address_size 64
.file 1 "k.cu"
.file 2 "lib.h"
.func inner() {
    .reg .b32 %r<2>;
    .loc 2 40 0
    .loc 2 41 1
    mov.u32 %r0, 0;
    ret;
}
.entry k() {
    .reg .b32 %r<4>;
    .loc 1 3 0
    .loc 1 7 3
    .loc 2 20 5
    mov.u32 %r0, 1;
    .loc 2 25 5
    call.uni inner, ();
    .loc 2 30 5
    mov.u32 %r1, 2;
    .loc 1 8 3
    mov.u32 %r2, 3;
    ret;
}
"#;
        let (sources, lowered) = lower(text);
        let lines = |code: &str| -> Vec<u32> {
            let place =
                lowered.places.iter().position(|span| sources.slice(*span).starts_with(code));
            let chain = lowered.lines.of(Place(place.expect("it is there") as u32)).iter();
            chain.map(|position| position.line).collect()
        };
        assert_eq!(lines("mov.u32 %r0, 1"), [20, 7]);
        assert_eq!(lines("mov.u32 %r0, 0"), [41, 25, 7]);
        assert_eq!(lines("mov.u32 %r1, 2"), [30, 7]);
        assert_eq!(lines("mov.u32 %r2, 3"), [8]);
    }

    #[test]
    fn functions_are_those_that_were_inlined_and_called() {
        let text = r#".version 8.0
.target sm_75
.address_size 64
.file 1 "k.cu"
.file 2 "lib.h"
.func inner() {
    .reg .b32 %r<2>;
    .loc 1 40 0
    mov.u32 %r0, 0;
    .loc 1 41 2
    .loc 2 30 5, function_name $a, inlined_at 1 41 2
    mov.u32 %r0, 1;
    ret;
}
.entry k() {
    .reg .b32 %r<3>;
    mov.u32 %r0, 2;
    .loc 1 9 2
    .loc 2 20 5, function_name $b, inlined_at 1 9 2
    .loc 2 30 5, function_name $a, inlined_at 2 20 5
    mov.u32 %r0, 3;
    call.uni inner, ();
    .loc 1 10 1
    mov.u32 %r0, 4;
    ret;
}
.section .debug_str {
$a:
.b8 95,90,52,108,101
.b8 97,102,118,0
$b:
.b8 98,0
}
"#;
        let (sources, lowered) = lower(text);
        let functions = |nth: u32| {
            let code = format!("mov.u32 %r0, {nth}");
            let place =
                lowered.places.iter().position(|span| sources.slice(*span).starts_with(&code));
            lowered.lines.functions(Place(place.expect("it is there") as u32))
        };
        assert_eq!(functions(2), ["k"]);
        assert_eq!(functions(3), ["_Z4leafv", "b", "k"]);
        assert_eq!(functions(0), ["inner", "_Z4leafv", "b", "k"]);
        assert_eq!(functions(1), ["_Z4leafv", "inner", "_Z4leafv", "b", "k"]);
        assert_eq!(functions(4), ["k"]);
    }

    #[test]
    fn code_that_has_many_callers_leads_to_its_own_line() {
        let text = r#".version 8.0
.target sm_75
.address_size 64
.file 1 "k.cu"
.func again() {
    .reg .b32 %r<2>;
    .loc 1 40 0
    mov.u32 %r0, 0;
    .loc 1 41 2
    call again, ();
    mov.u32 %r0, 1;
    ret;
}
.entry k() {
    .reg .b32 %r<3>;
    .loc 1 9 2
    call.uni again, ();
    .loc 1 10 1
    mov.u32 %r0, 2;
    ret;
}
"#;
        let (sources, lowered) = lower(text);
        let of = |nth: u32| {
            let code = format!("mov.u32 %r0, {nth}");
            let is_here = |span: &diag::Span| sources.slice(*span).starts_with(&code);
            let place = lowered.places.iter().position(is_here);
            let place = Place(place.expect("it is there") as u32);
            let lines = lowered.lines.of(place).iter().map(|position| position.line);
            (lines.collect::<Vec<_>>(), lowered.lines.functions(place))
        };
        assert_eq!(of(0), (vec![40], vec!["again", "k"]));
        assert_eq!(of(1), (vec![41], vec!["again", "k"]));
        assert_eq!(of(2), (vec![10], vec!["k"]));
    }

    #[test]
    fn called_code_leads_to_the_line_that_called_it() {
        let text = r#".version 8.0
.target sm_75
.address_size 64
.file 1 "k.cu"
.file 2 "lib.h"
.func inner() {
    .reg .b32 %r<2>;
    .loc 2 5 1
    mov.u32 %r0, 0;
    ret;
}
.func outer() {
    .loc 2 9 1
    call.uni inner, ();
    ret;
}
.entry k() {
    .reg .b32 %r<2>;
    .loc 1 3 1
    call.uni outer, ();
    mov.u32 %r0, 1;
    .loc 1 4 1
    call.uni outer, ();
    ret;
}
"#;
        let (sources, lowered) = lower(text);
        let lines = |code: &str| -> Vec<Vec<u32>> {
            let of = |place: usize| {
                let chain = lowered.lines.of(Place(place as u32)).iter();
                chain.map(|position| position.line).collect()
            };
            let numbered = lowered.places.iter().enumerate();
            let copies = numbered.filter(|(_, span)| sources.slice(**span).starts_with(code));
            copies.map(|(place, _)| of(place)).collect()
        };
        assert_eq!(lines("mov.u32 %r0, 0"), [vec![5, 9, 3], vec![5, 9, 4]]);
        assert_eq!(lines("call.uni inner"), [vec![9, 3], vec![9, 4]]);
        assert_eq!(lines("mov.u32 %r0, 1"), [vec![3]]);
    }
}
