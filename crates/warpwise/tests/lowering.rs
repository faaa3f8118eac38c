//! PTX and the assembly that is made of it, on the same random registers, lane by lane.

mod common;

use common::{Random, Source, compare, compare_on, machine};
use std::fmt::Write;
use warpwise::machine::LaneMask;

const TARGETS: [&str; 10] =
    ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_107", "sm_110", "sm_120"];

/// Every form of every warp instruction, as `(text, results, first sm_ with it)`. The pair `%rd5` is made
/// of `%r0` and `%r1`, `%p0` of `%r2`.
fn forms() -> Vec<(String, Vec<&'static str>, u32)> {
    let mut forms = Vec::new();
    let mut form =
        |text: String, results: &[&'static str], sm| forms.push((text, results.to_vec(), sm));
    for mode in ["up", "down", "bfly", "idx"] {
        for (b, c) in [("%r1", "%r3"), ("%r1", "0x181f"), ("5", "%r3"), ("3", "0x1f")] {
            form(format!("shfl.sync.{mode}.b32 %r9|%p9, %r0, {b}, {c}, -1;"), &["%r9", "%p9"], 75);
        }
        form(format!("shfl.sync.{mode}.b32 %r9, %r0, 1, 0x1c1f, -1;"), &["%r9"], 75);
    }
    for negated in ["", "!"] {
        for mode in ["all", "any", "uni"] {
            form(format!("vote.sync.{mode}.pred %p9, {negated}%p0, -1;"), &["%p9"], 75);
        }
        form(format!("vote.sync.ballot.b32 %r9, {negated}%p0, -1;"), &["%r9"], 75);
    }
    for (ty, a) in [("b32", "%r0"), ("b64", "%rd5")] {
        form(format!("match.any.sync.{ty} %r9, {a}, -1;"), &["%r9"], 75);
        form(format!("match.all.sync.{ty} %r9|%p9, {a}, -1;"), &["%r9", "%p9"], 75);
        form(format!("match.all.sync.{ty} %r9, {a}, -1;"), &["%r9"], 75);
    }
    for op in ["add", "min", "max"] {
        for ty in ["u32", "s32"] {
            form(format!("redux.sync.{op}.{ty} %r9, %r0, -1;"), &["%r9"], 80);
        }
    }
    for op in ["and", "or", "xor"] {
        form(format!("redux.sync.{op}.b32 %r9, %r0, -1;"), &["%r9"], 80);
    }
    form("elect.sync %r9|%p9, -1;".to_owned(), &["%r9", "%p9"], 90);
    form("movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r0;".to_owned(), &["%r9"], 75);
    form("activemask.b32 %r9;".to_owned(), &["%r9"], 75);
    forms
}

#[test]
fn every_form_on_every_machine() {
    let mut random = Random(1);
    let machines =
        TARGETS.iter().map(|target| (format!("{target}.isa"), target[3..].parse::<u32>()));
    let warp = ("warp.isa".to_owned(), Ok(u32::MAX));
    for (name, sm) in machines.chain([warp]) {
        let machine = machine(&name);
        let sm = sm.expect("a target has a number");
        for (text, results, since) in forms().into_iter().filter(|form| form.2 <= sm) {
            let body = format!("mov.b64 %rd5, {{%r0, %r1}};\nsetp.ne.u32 %p0, %r2, 0;\n{text}\n");
            let results: Vec<String> = results.into_iter().map(str::to_owned).collect();
            let source = Source { inputs: 4, body, results };
            for _ in 0..3 {
                let compared = compare(&source, &machine, &mut random);
                assert_eq!(compared, source.results.len(), "{name}: {text} since {since}");
            }
        }
    }
}

/// The lanes in up to four groups: the number and the mask of each lane's group.
fn groups(random: &mut Random) -> [[u32; 32]; 2] {
    let kinds = 1 + random.below(4);
    let group: [u32; 32] = std::array::from_fn(|_| random.below(kinds) as u32);
    let members = |of: u32| LaneMask::from_fn(|lane| group[lane] == of).0;
    [group, group.map(members)]
}

/// Every form whose result the lanes hold, with a membermask in a register that differs between groups.
#[test]
fn membermasks_in_registers() {
    let mut random = Random(4);
    let targets = TARGETS.iter().filter(|target| **target != "sm_75");
    let names = targets.map(|target| format!("{target}.isa"));
    for name in names.chain(["warp.isa".to_owned()]) {
        let machine = machine(&name);
        let lanes_hold = name == "warp.isa";
        for (text, results, since) in forms() {
            let number = name[3..].trim_end_matches(".isa").parse();
            let known = lanes_hold || number.is_ok_and(|sm: u32| since <= sm);
            // Registers of the warp cannot hold what differs between groups.
            let uniform = !lanes_hold && (text.starts_with("redux") || text.starts_with("elect"));
            if !text.ends_with("-1;") || !known || uniform {
                continue;
            }
            let text = text.replace("-1;", "%r5;");
            let body = format!(
                "mov.b64 %rd5, {{%r0, %r1}};\nsetp.ne.u32 %p0, %r2, 0;\n{text}\nbar.warp.sync %r5;\n"
            );
            let results: Vec<String> = results.into_iter().map(str::to_owned).collect();
            let source = Source { inputs: 6, body, results };
            for _ in 0..4 {
                let mut inputs: Vec<[u32; 32]> =
                    (0..4).map(|_| std::array::from_fn(|_| random.value())).collect();
                if text.starts_with("shfl") {
                    // Lanes of another group have no value to give.
                    inputs.extend([[0; 32], [u32::MAX; 32]]);
                } else {
                    inputs.extend(groups(&mut random));
                }
                let compared = compare_on(&source, &machine, &inputs);
                assert_eq!(compared, source.results.len(), "{name}: {text}");
            }
        }
    }
}

/// Groups that meet in different branches, and guards that leave whole groups out.
#[test]
fn groups_and_branches() {
    let machine = machine("warp.isa");
    let mut random = Random(5);
    let forms = [
        ("vote.sync.ballot.b32 %r9, %p0, %r5;", "vote.sync.ballot.b32 %r9, !%p0, %r5;"),
        ("match.any.sync.b32 %r9, %r0, %r5;", "match.any.sync.b32 %r9, %r2, %r5;"),
        ("redux.sync.add.s32 %r9, %r0, %r5;", "redux.sync.add.s32 %r9, %r1, %r5;"),
        ("elect.sync %r9|%p9, %r5;", "elect.sync %r9|%p9, %r5;"),
    ];
    for (here, there) in forms {
        let start = "setp.ne.u32 %p0, %r2, 0;\nmov.u32 %r9, 7;\n";
        // By lane: the lanes of a group part and meet all the same. By group: they stay together.
        let parts = format!(
            "{start}setp.lt.s32 %p1, %r3, 1;\n@%p1 bra B;\n{here}\nbra.uni C;\nB:\n{there}\nC:\n"
        );
        let guarded = format!("{start}setp.lt.s32 %p1, %r4, 2;\n@%p1 {here}\n");
        for body in [parts, guarded] {
            let source = Source { inputs: 6, body, results: vec!["%r9".to_owned()] };
            for _ in 0..8 {
                let mut inputs: Vec<[u32; 32]> =
                    (0..4).map(|_| std::array::from_fn(|_| random.value())).collect();
                inputs.extend(groups(&mut random));
                assert_eq!(compare_on(&source, &machine, &inputs), 1, "{here}");
            }
        }
    }
}

#[test]
fn reductions_of_floats() {
    let mut random = Random(2);
    for name in ["sm_100.isa", "sm_103.isa", "sm_107.isa"] {
        let machine = machine(name);
        for op in ["min", "max", "min.abs", "max.abs", "min.NaN", "max.abs.NaN"] {
            let body = format!("redux.sync.{op}.f32 %r9, %r0, -1;\n");
            let source = Source { inputs: 1, body, results: vec!["%r9".to_owned()] };
            for _ in 0..5 {
                assert_eq!(compare(&source, &machine, &mut random), 1, "{name}: {op}");
            }
        }
    }
}

/// Chains of warp instructions with arithmetic, guards and branches between them.
#[test]
fn random_kernels() {
    let machine = machine("warp.isa");
    let mut random = Random(3);
    for _ in 0..150 {
        let source = random_kernel(&mut random);
        let compared = compare(&source, &machine, &mut random);
        assert!(compared >= source.results.len() / 2, "{compared} of {:?}", source.results);
    }
}

fn random_kernel(random: &mut Random) -> Source {
    const INPUTS: usize = 4;
    let mut body = String::new();
    let (mut registers, mut flags, mut labels) = (INPUTS, 0, 0);
    let mut results = Vec::new();
    for _ in 0..14 {
        let value = |random: &mut Random| format!("%r{}", random.below(registers));
        let (a, b) = (value(random), value(random));
        // Lanes 0 to 15 run some instructions alone, and wait for each other only.
        let alone = random.below(4) == 0;
        let mask = if alone { "0x0000ffff" } else { "0xffffffff" };
        let d = format!("%r{registers}");
        let p = format!("%p{flags}");
        let mode = ["up", "down", "bfly", "idx"][random.below(4)];
        let (text, has_value, has_flag) = match random.below(9) {
            0 => (
                format!("shfl.sync.{mode}.b32 {d}|{p}, {a}, {}, 0x1f, {mask};", random.below(32)),
                true,
                true,
            ),
            1 => (format!("redux.sync.add.s32 {d}, {a}, {mask};"), true, false),
            2 => (format!("redux.sync.min.u32 {d}, {a}, {mask};"), true, false),
            3 => (format!("match.any.sync.b32 {d}, {a}, {mask};"), true, false),
            4 => (format!("add.s32 {d}, {a}, {b};"), true, false),
            5 => (format!("xor.b32 {d}, {a}, {b};"), true, false),
            6 => (format!("setp.lt.s32 {p}, {a}, {b};"), false, true),
            7 => (format!("match.all.sync.b32 {d}|{p}, {a}, {mask};"), true, true),
            _ if flags > 0 => {
                let vote = format!("!%p{}", random.below(flags));
                (format!("vote.sync.ballot.b32 {d}, {vote}, {mask};"), true, false)
            }
            _ => (format!("sub.s32 {d}, {a}, 7;"), true, false),
        };
        if alone {
            // Results of the other lanes are stated first.
            if has_value {
                let _ = writeln!(body, "mov.u32 {d}, {a};");
            }
            let lane = format!("%t{}", 200 + labels);
            if has_flag {
                let _ = writeln!(body, "setp.ne.u32 {p}, {a}, {a};");
            }
            let _ = writeln!(
                body,
                "mov.u32 {lane}, %laneid;\nsetp.ge.u32 %p{}, {lane}, 16;",
                90 + labels % 9
            );
            let _ = writeln!(body, "@%p{} bra L{labels};\n{text}\nL{labels}:", 90 + labels % 9);
            labels += 1;
        } else {
            let _ = writeln!(body, "{text}");
        }
        if has_value {
            registers += 1;
            results.push(d);
        }
        if has_flag {
            // Few predicates live long: each is turned into a register at once.
            let _ = writeln!(body, "selp.u32 %r{registers}, 1, 0, {p};");
            results.push(format!("%r{registers}"));
            registers += 1;
            flags = (flags + 1) % 3;
        }
    }
    Source { inputs: INPUTS, body, results }
}

/// Values of the lanes and of the warp in one register, and reductions whose result the lanes need.
#[test]
fn registers_of_the_warp_and_of_the_lanes() {
    let mut random = Random(6);
    for name in TARGETS.iter().filter(|target| **target != "sm_75") {
        let machine = machine(&format!("{name}.isa"));
        let mut body = "\
            shfl.sync.bfly.b32 %r9, %r0, 3, 0x1f, -1;\n\
            redux.sync.add.s32 %r10, %r9, -1;\n\
            redux.sync.max.u32 %r9, %r1, -1;\n\
            shfl.sync.idx.b32 %r11, %r9, 5, 0x1f, -1;\n\
            redux.sync.xor.b32 %r12, %r9, -1;\n\
            setp.ne.u32 %p0, %r2, 0;\n\
            vote.sync.ballot.b32 %r13, %p0, -1;\n\
            redux.sync.min.s32 %r13, %r13, -1;\n"
            .to_owned();
        let mut results: Vec<String> = (9..14).map(|nth| format!("%r{nth}")).collect();
        if !name.starts_with("sm_8") {
            body += "elect.sync %r14|%p9, -1;\nshfl.sync.up.b32 %r14, %r14, 0, 0, -1;\n";
            results.push("%r14".to_owned());
        }
        let source = Source { inputs: 3, body, results };
        for _ in 0..3 {
            let compared = compare(&source, &machine, &mut random);
            assert_eq!(compared, source.results.len(), "{name}");
        }
    }
}
