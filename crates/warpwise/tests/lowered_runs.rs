//! Kernels of the examples and tests, run as PTX and as the assembly that is made of them.
//!
//! What the machine has no instruction for is left out of the assembly, and registers stand for what it would have computed
//! or used. So the PTX is changed in the same way: such an instruction becomes a load of the register that the machine
//! begins with, and each result is stored where it is computed. Both run on the same random inputs, and only such of them for which
//! `check` finds nothing undefined in the PTX.

mod common;

use common::{Random, destinations, machine, modules};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::path::Path;
use warpwise::machine::{LaneMask, Machine, Meaning, RunConfig, State};
use warpwise::{Arg, CheckOptions, Device, LaunchConfig, Module};

/// Inputs that are tried for each kernel.
const TRIES: usize = 4;
/// Instructions after which a run is given up: random bounds of loops are long.
const STEPS: u64 = 20_000;

/// A statement of a kernel's body, as one line without its semicolon, or a label.
type Statement = String;

/// The statements between the braces of an entry, if it is written without scopes of its own and calls.
fn body(module: &str, entry: &str) -> Option<Vec<Statement>> {
    let head =
        module.find(&format!(".entry {entry}(")).or(module.find(&format!(".entry {entry} ")))?;
    let open = head + module[head..].find('{')?;
    let close = open + module[open..].find("\n}")? + 1;
    let mut statements = Vec::new();
    for line in module[open + 1..close].lines() {
        let mut rest = line.split("//").next().unwrap_or_default().trim();
        while let Some(colon) = rest.find(':').filter(|at| !rest[..*at].contains([' ', '.', ';'])) {
            statements.push(rest[..=colon].to_owned());
            rest = rest[colon + 1..].trim();
        }
        statements.extend(
            rest.split(';').map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
        );
    }
    // Lines of debugging information would point nowhere.
    statements.retain(|text| !text.is_empty() && !text.starts_with(".loc"));
    let is_flat = |text: &Statement| !text.starts_with(['{', '}']) && !text.contains("call");
    statements.iter().all(is_flat).then_some(statements)
}

/// A value that the machine begins with or leaves: its register, and the register and statement of the PTX.
struct Row {
    machine: String,
    ptx: String,
    statement: Statement,
}

fn is_predicate(machine: &str) -> bool {
    machine.trim_start_matches('U').starts_with('P')
}

/// What a row of the lowered kernel's lists is about, if one statement alone always defines its register.
fn row(
    (machine, statement): &(String, String),
    body: &[Statement],
    declared: &HashMap<String, char>,
) -> Option<Row> {
    let statement = statement.trim_end_matches(';').to_owned();
    let kind = if is_predicate(machine) { 'p' } else { 'b' };
    let written = destinations(&statement);
    let mut of_kind = written.into_iter().filter(|name| kind_of(name, declared) == Some(kind));
    let (name, others) = (of_kind.next()?.to_owned(), of_kind.next());
    let defining = body.iter().filter(|text| destinations(text).contains(&name.as_str())).count();
    let times = body.iter().filter(|text| **text == statement).count();
    let is_sure = others.is_none() && !statement.starts_with('@') && (defining, times) == (1, 1);
    is_sure.then_some(Row { machine: machine.clone(), ptx: name, statement })
}

/// `p` for predicates, `b` for registers of 32 bits.
fn kind_of(name: &str, declared: &HashMap<String, char>) -> Option<char> {
    declared.get(name.trim_end_matches(|letter: char| letter.is_ascii_digit())).copied()
}

/// The prefixes of the registers that a body declares, with their kinds.
fn declared(body: &[Statement]) -> HashMap<String, char> {
    let mut kinds = HashMap::new();
    for text in body.iter().filter_map(|text| text.strip_prefix(".reg ")) {
        let Some((ty, names)) = text.split_once(' ') else { continue };
        let kind = match ty {
            ".pred" => 'p',
            ".b32" | ".u32" | ".s32" | ".f32" => 'b',
            _ => 'x',
        };
        for name in names.split(',') {
            let name = name.split('<').next().unwrap_or_default().trim();
            let prefix = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            kinds.insert(prefix.to_owned(), kind);
        }
    }
    kinds
}

/// A kernel as PTX that loads its inputs and stores its results, and as assembly.
struct Both {
    ptx: String,
    entry: String,
    inputs: Vec<Row>,
    outputs: Vec<Row>,
    words: Vec<u8>,
}

/// Bytes from one row of lanes to the next.
const ROW: usize = 128;

impl Both {
    /// Changes the PTX as the assembly was, if that can be done statement by statement.
    fn new(text: &str, entry: &str, module: &Module, machine: &Machine) -> Option<Both> {
        let kernel = module.kernel(entry).ok()?;
        let lowered = machine.lower(&kernel).ok()?;
        // A description that has only the warp instructions leaves out branches, too.
        if lowered.text.contains("// left out: a branch") {
            return None;
        }
        let statements = body(text, entry)?;
        let declared = declared(&statements);
        let row = |listed| row(listed, &statements, &declared);
        let inputs = lowered.inputs.iter().map(row).collect::<Option<Vec<_>>>()?;
        let outputs: Vec<Row> = lowered.outputs.iter().filter_map(row).collect();
        let left_out: BTreeSet<&str> =
            lowered.text.lines().filter_map(|line| line.strip_prefix("// left out: ")).collect();
        // Of the module, what is said at its top and the variables that fit on a line.
        let directives = [".version", ".target", ".address_size"];
        let spaces = [".global", ".const", ".shared", ".local"];
        let is_directive = |line: &&str| {
            let is_variable = spaces.iter().any(|space| line.contains(space));
            directives.iter().any(|name| line.starts_with(name))
                || line.starts_with('.') && is_variable && line.ends_with(';')
        };
        let mut ptx = text.lines().filter(is_directive).collect::<Vec<_>>().join("\n");
        let _ = write!(
            ptx,
            "\n.entry {entry}(.param .u64 ww_in, .param .u64 ww_out)\n{{\n\
             .reg .b64 %wi, %wo;\n.reg .b32 %wt;\n"
        );
        let lines = statements.iter().filter(|text| text.starts_with('.'));
        lines.for_each(|line| writeln!(ptx, "{line};").expect("a string"));
        ptx.push_str(
            "ld.param.u64 %wi, [ww_in];\nld.param.u64 %wo, [ww_out];\nmov.u32 %wt, %tid.x;\n\
             mad.wide.u32 %wi, %wt, 4, %wi;\nmad.wide.u32 %wo, %wt, 4, %wo;\n",
        );
        let mut kept = 0;
        for statement in statements.iter().filter(|text| !text.starts_with('.')) {
            if statement.ends_with(':') {
                let _ = writeln!(ptx, "{statement}");
                continue;
            }
            if !left_out.contains(statement.as_str()) {
                kept += usize::from(!statement.starts_with("mov"));
                let _ = writeln!(ptx, "{statement};");
            }
            for (nth, row) in
                inputs.iter().enumerate().filter(|(_, row)| row.statement == *statement)
            {
                let _ = match is_predicate(&row.machine) {
                    true => writeln!(
                        ptx,
                        "ld.global.b32 %wt, [%wi+{}];\nsetp.ne.u32 {}, %wt, 0;",
                        nth * ROW,
                        row.ptx
                    ),
                    false => writeln!(ptx, "ld.global.b32 {}, [%wi+{}];", row.ptx, nth * ROW),
                };
            }
            for (nth, row) in
                outputs.iter().enumerate().filter(|(_, row)| row.statement == *statement)
            {
                let value = match is_predicate(&row.machine) {
                    true => {
                        let _ = writeln!(ptx, "selp.b32 %wt, 1, 0, {};", row.ptx);
                        "%wt"
                    }
                    false => &row.ptx,
                };
                // The row behind it says which lanes have been here.
                let at = 2 * nth * ROW;
                let _ = writeln!(ptx, "st.global.b32 [%wo+{at}], {value};");
                let _ = writeln!(ptx, "st.global.u32 [%wo+{}], 1;", at + ROW);
            }
        }
        ptx.push_str("}\n");
        let words = machine.assemble("k.s", &lowered.text).ok()?.bytes;
        let found = Both { ptx, entry: entry.to_owned(), inputs, outputs, words };
        (kept > 0 && !found.outputs.is_empty()).then_some(found)
    }

    /// Compares the results of both on some inputs; how many results were compared, and whether any run was defined.
    fn compare(&self, machine: &Machine, random: &mut Random, what: &str) -> (usize, bool) {
        let module = Module::from_ptx("k.ptx", self.ptx.clone());
        let module = module.unwrap_or_else(|error| panic!("{what}: {error}\n{}", self.ptx));
        let kernel = module.kernel(&self.entry).unwrap_or_else(|error| panic!("{what}: {error}"));
        let text = machine.disassemble(&self.words).unwrap_or_else(|error| panic!("{error}"));
        let program = machine.program("k.s", &text, Meaning::BuiltIn);
        let program = program.unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
        let (mut compared, mut defined) = (0, false);
        for nth in 0..TRIES {
            let values: Vec<[u32; 32]> =
                self.inputs.iter().map(|row| input(&row.statement, nth, random)).collect();
            let device = Device::new().expect("the host has memory");
            let from = device.upload(&[values.as_flattened(), &[0]].concat()).expect("it fits");
            let size = self.outputs.len() * 2 * ROW;
            let to = device.upload(&vec![0_u8; size]).expect("it fits");
            let args = [Arg::Buffer(from), Arg::Buffer(to)];
            let config = LaunchConfig { max_steps: Some(STEPS), ..LaunchConfig::new(1, 32) };
            let checked = kernel.check(&device, &config, CheckOptions::default(), &args);
            let checked = checked.unwrap_or_else(|error| panic!("{what}: {error}"));
            if checked.fault.is_some() || checked.has_errors() {
                continue;
            }
            defined = true;
            let wanted: Vec<u32> = device.download(to).expect("it is there");
            let mut state = State::default();
            for (row, values) in self.inputs.iter().zip(&values) {
                let (kind, number) = register(&row.machine);
                match kind {
                    "R" => drop(state.general.insert(number, *values)),
                    "P" => {
                        let truth = LaneMask::from_fn(|lane| values[lane] != 0);
                        state.predicates.insert(number, truth);
                    }
                    other => panic!("{what}: the input {other}{number}"),
                }
            }
            let config = RunConfig { max_steps: Some(STEPS * 32), ..RunConfig::default() };
            program
                .run(&mut state, &config)
                .unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
            for (nth, row) in self.outputs.iter().enumerate() {
                let at = 2 * nth * 32;
                let (wanted, stored) = (&wanted[at..at + 32], &wanted[at + 32..at + 64]);
                let (kind, number) = register(&row.machine);
                let found: [u32; 32] = match kind {
                    "R" => state.general[&number],
                    "UR" => [state.uniform[&number]; 32],
                    "P" => std::array::from_fn(|lane| state.predicates[&number].0 >> lane & 1),
                    other => panic!("{what}: the output {other}{number}"),
                };
                for lane in (0..32).filter(|lane| stored[*lane] != 0) {
                    assert_eq!(
                        found[lane], wanted[lane],
                        "{what}: lane {lane} of {} in {}\n{}\n{text}",
                        row.ptx, row.machine, self.ptx
                    );
                    compared += 1;
                }
            }
        }
        (compared, defined)
    }
}

/// A register's kind and number.
fn register(name: &str) -> (&str, u16) {
    let digits = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    (&name[..name.len() - digits.len()], digits.parse().unwrap_or(u16::MAX))
}

/// What a left-out statement may have given. Most kernels are defined for few numbers, and only where they are the same in all lanes.
fn input(statement: &str, nth: usize, random: &mut Random) -> [u32; 32] {
    let same = random.value();
    let small = [0, 1, 31, 4][nth];
    match statement {
        text if text.contains("%tid.x") || text.contains("%laneid") => {
            std::array::from_fn(|lane| lane as u32)
        }
        text if text.contains("%ntid.x") => [32; 32],
        text if text.starts_with("mov.u32") && text.contains("activemask") => [u32::MAX; 32],
        text if text.contains("activemask") => [u32::MAX; 32],
        text if text.contains('%') && text.contains("id") => [0; 32],
        text if text.starts_with("ld.param") && nth.is_multiple_of(2) => [small; 32],
        text if text.starts_with("ld.param") => [same; 32],
        _ if nth == 0 => [same; 32],
        _ => std::array::from_fn(|_| random.value()),
    }
}

#[test]
fn kernels_compute_what_their_assembly_computes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["examples", "tests"] {
        modules(&root.join(folder), &mut paths);
    }
    paths.sort();
    let mut random = Random(17);
    for (name, least) in [("warp.isa", 500), ("sm_90.isa", 1)] {
        let machine = machine(name);
        let (mut kernels, mut undefined, mut results) = (0, 0, 0);
        for path in &paths {
            let file = path.display().to_string();
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let Ok(module) = Module::from_ptx(&file, text.clone()) else { continue };
            for entry in module.kernels() {
                let Some(both) = Both::new(&text, entry, &module, &machine) else { continue };
                let what = format!("{name}: {file}, {entry}");
                let (compared, defined) = both.compare(&machine, &mut random, &what);
                kernels += usize::from(defined);
                undefined += usize::from(!defined);
                results += compared;
            }
        }
        println!(
            "{name}: {kernels} kernels, {results} results; {undefined} undefined on these inputs"
        );
        assert!(kernels >= least, "{name}: {kernels} kernels");
    }
}
