//! The kernels of `tests/ir`, on every level of vector instructions, observed and unobserved, under several schedules.
//! The comments of the files are explained in `tests/ir/README.md`.

use std::path::Path;
use std::time::{Duration, Instant};
use warpwise_vm::{EngineChoice, Executable, Launch, Memory, Observer, Schedule, Straight, View};

/// A parameter of the kernel.
enum Param {
    /// The address of a buffer with these bytes.
    Buffer(Vec<u8>),
    Word(u32),
}

/// What the comments of a file say.
#[derive(Default)]
struct Script {
    grid: [u32; 3],
    block: [u32; 3],
    cluster: Option<[u32; 3]>,
    dynamic_shared: u32,
    schedules: Vec<Schedule>,
    params: Vec<Param>,
    expected: Vec<(usize, Vec<u8>)>,
    fault: Option<String>,
}

fn number(text: &str) -> u64 {
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    value.unwrap_or_else(|_| panic!("`{text}` is no number"))
}

/// `u32 1 2 5..8 7*3` as bytes.
fn values(text: &str) -> Vec<u8> {
    let (ty, list) = text.split_once(' ').expect("a type and a list");
    let bytes = match ty {
        "u32" => 4,
        "u64" => 8,
        other => panic!("`{other}` is no type"),
    };
    let mut all = Vec::new();
    for item in list.split_whitespace() {
        if let Some((first, end)) = item.split_once("..") {
            all.extend(number(first)..number(end));
        } else if let Some((value, count)) = item.split_once('*') {
            all.extend((0..number(count)).map(|_| number(value)));
        } else {
            all.push(number(item));
        }
    }
    all.iter().flat_map(|value| value.to_le_bytes()[..bytes].to_vec()).collect()
}

fn extents(text: &str) -> [u32; 3] {
    let all: Vec<u32> = text.split(',').map(|extent| number(extent) as u32).collect();
    all.try_into().expect("three extents")
}

fn script(text: &str) -> Script {
    let mut script = Script::default();
    for line in text.lines().filter_map(|line| line.strip_prefix(";! ")) {
        let (word, rest) = line.split_once(' ').expect("a word and what it is about");
        match word {
            "launch" => {
                let (grid, block) = rest.split_once(' ').expect("a grid and a CTA");
                (script.grid, script.block) = (extents(grid), extents(block));
            }
            "cluster" => script.cluster = Some(extents(rest)),
            "dynamic" => script.dynamic_shared = number(rest) as u32,
            "schedule" => script.schedules.push(rest.parse().expect("a schedule")),
            "buffer" => script.params.push(Param::Buffer(values(rest))),
            "word" => script.params.push(Param::Word(number(rest) as u32)),
            "expect" => {
                let (param, list) = rest.split_once(' ').expect("a parameter and values");
                script.expected.push((number(param) as usize, values(list)));
            }
            "fault" => script.fault = Some(rest.to_owned()),
            other => panic!("`{other}` means nothing"),
        }
    }
    assert!(script.expected.is_empty() != script.fault.is_none(), "either results or a fault");
    if script.schedules.is_empty() {
        script.schedules = (1..=3).map(Schedule::Seed).collect();
    }
    script.schedules.push(Schedule::Fair);
    script
}

/// The longest that a launch may take.
const LONGEST: Duration = Duration::from_secs(60);

/// Who watches a run.
#[derive(Clone, Copy, Debug)]
enum Who {
    Nobody,
    /// Somebody who is told of every instruction.
    Everything,
    /// Somebody who is told of what concerns others.
    Little,
}

struct Everything;

impl Observer for Everything {}

struct Little;

impl Observer for Little {
    fn straight(&mut self, _view: &View<'_>, _straight: &Straight<'_>) -> bool {
        false
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes"))).collect()
}

fn run(script: &Script, kernel: &Executable, engine: EngineChoice, schedule: &Schedule, who: Who) {
    let memory = Memory::new().expect("address space");
    let (mut params, mut addresses) = (Vec::new(), Vec::new());
    for param in &script.params {
        match param {
            Param::Buffer(bytes) => {
                let address = memory.allocate(bytes.len() as u64).expect("space");
                memory.write(address, bytes).expect("inside");
                params.resize(params.len().next_multiple_of(8), 0);
                params.extend(address.to_le_bytes());
                addresses.push(address);
            }
            Param::Word(word) => {
                params.extend(word.to_le_bytes());
                addresses.push(0);
            }
        }
    }
    let started = Instant::now();
    let launch = Launch {
        cluster: script.cluster,
        dynamic_shared: script.dynamic_shared,
        threads: 2,
        schedule: schedule.clone(),
        // Where steps are counted, turns do not end without the scheduler.
        max_steps: (!matches!(who, Who::Little)).then_some(1_000_000),
        interrupted: &|| started.elapsed() > LONGEST,
        engine,
        ..Launch::new(script.grid, script.block, &params)
    };
    let outcome = match who {
        Who::Nobody => warpwise_vm::launch(kernel, &launch, &memory),
        Who::Everything => warpwise_vm::launch_observed(kernel, &launch, &memory, &mut Everything),
        Who::Little => warpwise_vm::launch_observed(kernel, &launch, &memory, &mut Little),
    };
    let way = format!("{engine}, {schedule}, watched by: {who:?}");
    let fault = outcome.expect("a possible launch").fault;
    match (&script.fault, &fault) {
        (Some(wanted), Some(found)) => {
            let found = format!("{:?}", found.kind);
            assert!(found.contains(wanted), "{way}: {found}");
        }
        _ => assert!(script.fault.is_none() && fault.is_none(), "{way}: {fault:?}"),
    }
    for (param, expected) in &script.expected {
        let mut found = vec![0; expected.len()];
        memory.read(addresses[*param], &mut found).expect("inside");
        assert_eq!(words(&found), words(expected), "{way}, parameter {param}");
    }
}

#[test]
fn every_file_on_every_level() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("a committed folder") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|extension| extension != "ir") {
            continue;
        }
        files += 1;
        eprintln!("{}", path.display());
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let script = script(&text);
        let kernel = ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        ir::verify(&kernel).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(ir::text::parse(&kernel.to_string()), Ok(kernel.clone()));
        let kernel = Executable::new(kernel);
        for engine in EngineChoice::available() {
            for schedule in &script.schedules {
                for who in [Who::Nobody, Who::Everything, Who::Little] {
                    run(&script, &kernel, engine, schedule, who);
                }
            }
        }
    }
    assert!(files >= 12, "{files}");
}
