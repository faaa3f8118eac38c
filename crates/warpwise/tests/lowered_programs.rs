//! Random programs of several membermasks, branches, loops and guards: what the PTX computes against what the assembly
//! made of it computes, assembled and disassembled, lane by lane.
//!
//! `WARPWISE_PROGRAMS` is how many, if not the usual number; `WARPWISE_SEED` makes other ones.

mod common;

use common::{Random, Source, compare_on, machine};
use std::fmt::Write;
use warpwise::Module;
use warpwise::diag::{Class, Diagnostic};
use warpwise::machine::{LaneMask, Machine};

/// Inputs: three rows of values, a row of signs, and of each lane's group the number, the mask, the lowest lane and
/// some lane.
const INPUTS: usize = 8;
const SIGN: &str = "%r3";
const GROUP: &str = "%r4";
const MASK: &str = "%r5";
const LOWEST: &str = "%r6";
const SOME: &str = "%r7";
/// Registers and predicates that the program writes again and again.
const POOL: std::ops::Range<usize> = 10..14;
const FLAGS: std::ops::Range<usize> = 1..3;

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn programs_compute_what_their_ptx_computes() {
    let machine = machine("warp.isa");
    let (count, seed) = (setting("WARPWISE_PROGRAMS", 250), setting("WARPWISE_SEED", 1));
    let mut too_large = 0;
    for nth in 0..count {
        let mut random = Random(seed << 32 | nth);
        let source = Program::random(&mut random);
        let inputs = inputs(&mut random);
        if !has_room(&source, &machine) {
            too_large += 1;
            continue;
        }
        let compared = compare_on(&source, &machine, &inputs);
        assert_eq!(compared, source.results.len(), "{}", source.ptx());
    }
    assert!(too_large * 4 <= count, "{too_large} of {count} need too many registers");
}

/// Whether the machine has registers enough; every other refusal is an error.
fn has_room(source: &Source, machine: &Machine) -> bool {
    let module = Module::from_ptx("k.ptx", source.ptx()).unwrap_or_else(|error| panic!("{error}"));
    let kernel = module.kernel("k").unwrap_or_else(|error| panic!("{error}"));
    let Err(error) = machine.lower(&kernel) else { return true };
    let limit = |found: &Diagnostic| found.class == Class::Limit;
    assert!(error.failure().diagnostics.iter().all(limit), "{error}\n{}", source.ptx());
    false
}

fn inputs(random: &mut Random) -> Vec<[u32; 32]> {
    let mut rows: Vec<[u32; 32]> =
        (0..3).map(|_| std::array::from_fn(|_| random.value())).collect();
    rows.push(std::array::from_fn(|_| random.below(3) as u32));
    let kinds = 1 + random.below(4);
    let group: [u32; 32] = std::array::from_fn(|_| random.below(kinds) as u32);
    let mask = group.map(|of| LaneMask::from_fn(|lane| group[lane] == of).0);
    rows.extend([group, mask, mask.map(u32::trailing_zeros)]);
    rows.push(std::array::from_fn(|lane| {
        let members: Vec<u32> = LaneMask(mask[lane]).iter().collect();
        members[random.below(members.len())]
    }));
    rows
}

/// Who executes a piece of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    /// All lanes.
    All,
    /// Whole groups.
    Groups,
    /// Lanes 0 to 15, or lanes 16 to 31.
    Half(bool),
}

struct Program<'r> {
    random: &'r mut Random,
    body: String,
    labels: usize,
    /// Predicates and registers that are written once.
    fresh: usize,
}

impl Program<'_> {
    fn random(random: &mut Random) -> Source {
        let mut program = Program { random, body: String::new(), labels: 0, fresh: 20 };
        for (nth, reg) in POOL.enumerate() {
            let _ = writeln!(program.body, "mov.u32 %r{reg}, %r{};", nth % 3);
        }
        for flag in FLAGS {
            let _ = writeln!(program.body, "setp.lt.s32 %p{flag}, %r{}, 1;", flag - 1);
        }
        program.piece(Who::All, 9, 2);
        let values = POOL.map(|reg| format!("mov.u32 $d, %r{reg};"));
        let flags = FLAGS.map(|flag| format!("selp.u32 $d, 1, 0, %p{flag};"));
        let mut results = Vec::new();
        for (nth, text) in values.chain(flags).enumerate() {
            let d = format!("%r{}", 200 + nth);
            program.line(&text.replace("$d", &d));
            results.push(d);
        }
        Source { inputs: INPUTS, body: program.body, results }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{text}");
    }

    fn value(&mut self) -> String {
        match self.random.below(3) {
            0 => format!("%r{}", self.random.below(3)),
            _ => self.written(),
        }
    }

    fn written(&mut self) -> String {
        format!("%r{}", POOL.start + self.random.below(POOL.len()))
    }

    fn flag(&mut self) -> String {
        format!("%p{}", FLAGS.start + self.random.below(FLAGS.len()))
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    /// A predicate that is the same in all lanes of a group.
    fn by_group(&mut self) -> String {
        self.fresh += 1;
        let (p, bound) = (format!("%p{}", self.fresh), self.random.below(4));
        self.line(&format!("setp.lt.s32 {p}, {GROUP}, {bound};"));
        p
    }

    fn piece(&mut self, who: Who, length: usize, depth: usize) {
        for _ in 0..length {
            match self.random.below(if depth > 0 { 12 } else { 7 }) {
                0 => self.compute(),
                1..=5 => {
                    let (mask, own) = self.mask(who);
                    let kind = self.random.below(9);
                    self.collective(kind, &mask, own, "");
                }
                6 => self.guarded(who),
                7 => self.arms(who, depth),
                8 => self.meeting(who),
                9 => self.halves(who, depth),
                10 => self.repeat(who, depth),
                _ => self.compute(),
            }
        }
    }

    fn compute(&mut self) {
        let (d, a, b) = (self.written(), self.value(), self.value());
        match self.random.below(5) {
            0 => self.line(&format!("add.s32 {d}, {a}, {b};")),
            1 => self.line(&format!("xor.b32 {d}, {a}, {b};")),
            2 => {
                let b = self.random.below(100);
                self.line(&format!("add.s32 {d}, {a}, {b};"));
            }
            3 => {
                let p = self.flag();
                self.line(&format!("setp.lt.s32 {p}, {a}, {b};"));
            }
            _ => {
                let p = self.flag();
                self.line(&format!("selp.b32 {d}, {a}, {b}, {p};"));
            }
        }
    }

    /// A membermask for those who execute, and whether it is that of the lane's group.
    fn mask(&mut self, who: Who) -> (String, bool) {
        match who {
            Who::All if self.random.below(2) == 0 => ("0xffffffff".to_owned(), false),
            Who::All | Who::Groups => (MASK.to_owned(), true),
            Who::Half(false) => ("0x0000ffff".to_owned(), false),
            Who::Half(true) => ("0xffff0000".to_owned(), false),
        }
    }

    /// A collective of a kind. Lanes read lanes of their membermask.
    fn collective(&mut self, kind: usize, mask: &str, own: bool, guard: &str) {
        let (d, p, a, q) = (self.written(), self.flag(), self.value(), self.flag());
        let lane = [LOWEST, SOME][self.random.below(2)];
        let distance = self.random.below(16);
        let text = match kind {
            0 if own => format!("shfl.sync.idx.b32 {d}|{p}, {a}, {lane}, 0x1f, {mask};"),
            // Within halves of a warp.
            0 => format!("shfl.sync.bfly.b32 {d}|{p}, {a}, {distance}, 0x100f, {mask};"),
            1 => format!("vote.sync.ballot.b32 {d}, !{q}, {mask};"),
            2 => format!("vote.sync.any.pred {p}, {q}, {mask};"),
            3 => format!("vote.sync.uni.pred {p}, {q}, {mask};"),
            4 => format!("match.any.sync.b32 {d}, {a}, {mask};"),
            5 => format!("match.all.sync.b32 {d}|{p}, {a}, {mask};"),
            6 => format!("redux.sync.add.s32 {d}, {a}, {mask};"),
            7 => format!("redux.sync.max.u32 {d}, {a}, {mask};"),
            _ => format!("elect.sync {d}|{p}, {mask};"),
        };
        self.line(&format!("{guard}{text}"));
    }

    /// A guard that leaves whole groups out.
    fn guarded(&mut self, who: Who) {
        if matches!(who, Who::Half(_)) {
            return self.compute();
        }
        let p = self.by_group();
        let kind = self.random.below(9);
        self.collective(kind, MASK, true, &format!("@{p} "));
    }

    /// A branch that whole groups take or not.
    fn arms(&mut self, who: Who, depth: usize) {
        if matches!(who, Who::Half(_)) {
            return self.compute();
        }
        let (p, other, join) = (self.by_group(), self.label(), self.label());
        self.line(&format!("@{p} bra {other};"));
        self.piece(Who::Groups, 2, depth - 1);
        self.line(&format!("bra.uni {join};\n{other}:"));
        if self.random.below(3) > 0 {
            self.piece(Who::Groups, 2, depth - 1);
        }
        self.line(&format!("{join}:"));
    }

    /// A branch that parts the lanes of a group, which meet in one collective at two instructions.
    fn meeting(&mut self, who: Who) {
        let (mask, own) = self.mask(who);
        self.fresh += 1;
        let (p, other, join) = (format!("%p{}", self.fresh), self.label(), self.label());
        let bound = self.random.below(3);
        self.line(&format!("setp.le.s32 {p}, {SIGN}, {bound};\n@{p} bra {other};"));
        let kind = self.random.below(9);
        self.compute();
        self.collective(kind, &mask, own, "");
        self.line(&format!("bra.uni {join};\n{other}:"));
        self.collective(kind, &mask, own, "");
        self.compute();
        self.line(&format!("{join}:"));
    }

    /// A branch of the lower and the upper lanes.
    fn halves(&mut self, who: Who, depth: usize) {
        if who != Who::All {
            return self.compute();
        }
        self.fresh += 1;
        let (p, other, join) = (format!("%p{}", self.fresh), self.label(), self.label());
        self.line(&format!("mov.u32 %r{0}, %laneid;\nsetp.ge.u32 {p}, %r{0}, 16;", self.fresh));
        self.line(&format!("@{p} bra {other};"));
        self.piece(Who::Half(false), 2, depth - 1);
        self.line(&format!("bra.uni {join};\n{other}:"));
        self.piece(Who::Half(true), 1, depth - 1);
        self.line(&format!("{join}:"));
    }

    /// A loop that a group goes round as often as its number says.
    fn repeat(&mut self, who: Who, depth: usize) {
        if matches!(who, Who::Half(_)) {
            return self.compute();
        }
        self.fresh += 1;
        let (p, n, again) =
            (format!("%p{}", self.fresh), format!("%r{}", self.fresh), self.label());
        self.line(&format!("mov.u32 {n}, 0;\n{again}:"));
        self.piece(Who::Groups, 2, depth - 1);
        self.line(&format!(
            "add.s32 {n}, {n}, 1;\nsetp.lt.s32 {p}, {n}, {GROUP};\n@{p} bra {again};"
        ));
    }
}
