//! PTX and the assembly that is made of it, on the same registers.

#![allow(dead_code, reason = "every test uses its own part")]

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use warpwise::machine::{LaneMask, Machine, Meaning, RunConfig, State};
use warpwise::{Arg, Device, LaunchConfig, Module};

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub(crate) fn value(&mut self) -> u32 {
        match self.below(4) {
            0 => self.next() as u32,
            1 => 0,
            2 => u32::MAX,
            _ => self.next() as u32 & 3,
        }
    }
}

pub(crate) fn machine(name: &str) -> Machine {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../isa").join(name);
    Machine::from_file(path).unwrap_or_else(|error| panic!("{error}"))
}

/// The PTX files under a folder.
pub(crate) fn modules(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a committed folder") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            modules(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
}

/// A kernel that loads `%r0` … from `in`, runs the body, and stores the registers of the body to `out`.
pub(crate) struct Source {
    pub(crate) inputs: usize,
    pub(crate) body: String,
    /// Registers to store: `%r…`, or `%p…` as 0 or 1.
    pub(crate) results: Vec<String>,
}

impl Source {
    pub(crate) fn ptx(&self) -> String {
        let mut out = "\
            .version 8.6\n.target sm_100a\n.address_size 64\n\
            .visible .entry k(.param .u64 in, .param .u64 out) {\n\
            .reg .b32 %r<300>;\n.reg .pred %p<100>;\n.reg .b64 %rd<40>;\n.reg .b32 %t<300>;\n\
            mov.u32 %t0, %tid.x;\nmul.wide.u32 %rd0, %t0, 4;\n\
            ld.param.u64 %rd1, [in];\nadd.s64 %rd1, %rd1, %rd0;\n\
            ld.param.u64 %rd2, [out];\nadd.s64 %rd2, %rd2, %rd0;\n"
            .to_owned();
        for input in 0..self.inputs {
            let _ = writeln!(out, "ld.global.u32 %r{input}, [%rd1+{}];", 128 * input);
        }
        out.push_str(&self.body);
        for (nth, register) in self.results.iter().enumerate() {
            let stored = match register.starts_with("%p") {
                true => {
                    let _ = writeln!(out, "selp.u32 %t{}, 1, 0, {register};", nth + 1);
                    format!("%t{}", nth + 1)
                }
                false => register.clone(),
            };
            let _ = writeln!(out, "st.global.u32 [%rd2+{}], {stored};", 128 * nth);
        }
        out.push_str("ret;\n}\n");
        out
    }

    /// What the PTX computes: one row of lanes a result.
    pub(crate) fn run(&self, module: &Module, inputs: &[[u32; 32]]) -> Vec<[u32; 32]> {
        let device = Device::new().expect("the host has memory");
        let from = device.upload(inputs.as_flattened()).expect("it fits");
        let to = device.allocate(self.results.len() as u64 * 128).expect("it fits");
        let kernel = module.kernel("k").unwrap_or_else(|error| panic!("{error}"));
        let args = [Arg::Buffer(from), Arg::Buffer(to)];
        let ran = kernel.launch(&device, &LaunchConfig::new(1, 32), &args);
        ran.unwrap_or_else(|error| panic!("{error}"));
        let words: Vec<u32> = device.download(to).expect("it is there");
        words.as_chunks::<32>().0.to_vec()
    }
}

/// The registers that a PTX instruction writes, in text such as `@%p2 shfl.sync.up.b32 %r4|%p1, …` or `… {%r1, %r2}, …`.
pub(crate) fn destinations(text: &str) -> Vec<&str> {
    let unguarded = match text.starts_with('@') {
        true => text.split_once(' ').map_or("", |(_, rest)| rest.trim_start()),
        false => text,
    };
    let Some((_, operands)) = unguarded.split_once(' ') else { return Vec::new() };
    let first = match operands.trim_start().strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or_default(),
        None => operands.split([',', ';']).next().unwrap_or_default(),
    };
    first.split(['|', ',']).map(str::trim).filter(|name| name.starts_with('%')).collect()
}

/// Runs both sides on a random state and compares every result that the assembly holds.
pub(crate) fn compare(source: &Source, machine: &Machine, random: &mut Random) -> usize {
    let inputs: Vec<[u32; 32]> =
        (0..source.inputs).map(|_| std::array::from_fn(|_| random.value())).collect();
    compare_on(source, machine, &inputs)
}

/// The same on a given state.
pub(crate) fn compare_on(source: &Source, machine: &Machine, inputs: &[[u32; 32]]) -> usize {
    let ptx = source.ptx();
    let module = Module::from_ptx("k.ptx", ptx.clone()).unwrap_or_else(|error| panic!("{error}"));
    let kernel = module.kernel("k").unwrap_or_else(|error| panic!("{error}"));
    let lowered = machine.lower(&kernel).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let wanted = source.run(&module, inputs);
    let by_name: HashMap<&str, &[u32; 32]> =
        source.results.iter().map(String::as_str).zip(&wanted).collect();

    let mut state = State::default();
    for (register, text) in &lowered.inputs {
        let digits = register.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let name = destinations(text)[0];
        let number = |text: &str| text.parse::<usize>().expect("a number");
        if register.starts_with("R[") {
            // `mov.b64 %rd5, {%r0, %r1}` packs the first two inputs.
            let first = number(digits[1..].split(':').next().expect("a pair")) as u16;
            state.general.insert(first, inputs[0]);
            state.general.insert(first + 1, inputs[1]);
        } else if register.starts_with('P') {
            // `setp.ne.u32 %p0, %r2, 0`.
            let truth = LaneMask::from_fn(|lane| inputs[2][lane] != 0);
            state.predicates.insert(number(digits) as u16, truth);
        } else {
            let input = number(name.trim_start_matches("%r"));
            state.general.insert(number(digits) as u16, inputs[input]);
        }
    }
    // Through words and back.
    let assembled = machine.assemble("k.s", &lowered.text);
    let words = assembled.unwrap_or_else(|error| panic!("{error}\n{}", lowered.text)).bytes;
    let text = machine.disassemble(&words).unwrap_or_else(|error| panic!("{error}"));
    let program = machine
        .program("k.s", &text, Meaning::BuiltIn)
        .unwrap_or_else(|error| panic!("{error}\n{}", lowered.text));
    program
        .run(&mut state, &RunConfig::default())
        .unwrap_or_else(|error| panic!("{error}\n{}", lowered.text));
    let mut compared = 0;
    for (register, text) in &lowered.outputs {
        let digits = register.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let number: u16 = digits.parse().expect("a number");
        let (is_flag, found) = match &register[..register.len() - digits.len()] {
            "R" => (false, state.general[&number]),
            "UR" => (false, [state.uniform[&number]; 32]),
            _ => {
                let mask = state.predicates[&number];
                (true, std::array::from_fn(|lane| mask.0 >> lane & 1))
            }
        };
        let of_kind = |name: &&str| name.starts_with("%p") == is_flag;
        let name = destinations(text).into_iter().find(of_kind).expect("it writes the register");
        if let Some(wanted) = by_name.get(name) {
            assert_eq!(&&found, wanted, "{name} in {register}\n{ptx}\n{}", lowered.text);
            compared += 1;
        } else if let Some(flag) = text.strip_prefix("selp.u32 ") {
            let flag = flag.trim_end_matches(';').rsplit(' ').next().expect("the condition");
            assert_eq!(&&found, &by_name[flag], "{flag} in {register}\n{ptx}\n{}", lowered.text);
            compared += 1;
        }
    }
    compared
}
