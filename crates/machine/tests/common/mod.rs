//! What the tests of this crate share.
#![allow(dead_code, reason = "every test binary uses a part of it")]

use diag::{Diagnostic, Sources};
use isa::{Description, FileLoader, Loaded};
use std::path::PathBuf;
use vm::{Launch, Level, Memory, Schedule};
use warpwise_machine::{Meaning, Program, State};

/// A path inside the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)
}

/// Diagnostics as a person reads them.
pub(crate) fn render(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| diag::render::text(sources, d, false)).collect()
}

/// A machine with the text that its description consists of.
pub(crate) struct Machine {
    pub(crate) description: Description,
    pub(crate) sources: Sources,
}

impl Machine {
    /// The machine of a description file of the repository.
    pub(crate) fn shipped(path: &str) -> Machine {
        let mut sources = Sources::new();
        let path = repository(path);
        let loaded = Description::load(&path.to_string_lossy(), &mut FileLoader, &mut sources);
        let description = loaded.unwrap_or_else(|d| panic!("{}", render(&sources, &d)));
        Machine { description, sources }
    }

    /// The machine of a text, which may include files of the repository.
    pub(crate) fn described(text: &str) -> Result<Machine, String> {
        let mut sources = Sources::new();
        let mut loader = |path: &str, from: Option<&str>| match from {
            None => {
                Ok(Loaded { name: repository("test.isa").display().to_string(), text: text.into() })
            }
            Some(_) => isa::Loader::load(&mut FileLoader, path, from),
        };
        match Description::load("test.isa", &mut loader, &mut sources) {
            Ok(description) => Ok(Machine { description, sources }),
            Err(found) => Err(render(&sources, &found)),
        }
    }

    /// Prepares a program; the error is rendered.
    pub(crate) fn program(&self, text: &str, meaning: Meaning) -> Result<Program, String> {
        let mut sources = self.sources.clone();
        let file = sources.add("test.s", text);
        Program::new(&self.description, &sources, file, meaning)
            .map_err(|found| render(&sources, &found))
    }

    /// Runs a program; the error is rendered.
    pub(crate) fn run(&self, text: &str, state: &State) -> Result<State, String> {
        execute(&self.program(text, Meaning::BuiltIn)?, state, Schedule::default())
    }
}

/// Runs a program that must not run long.
pub(crate) fn execute(
    program: &Program,
    state: &State,
    schedule: Schedule,
) -> Result<State, String> {
    ir::verify(&program.kernel).expect("the kernel is well formed");
    let mut device = Memory::new().map_err(|why| why.to_string())?;
    let words = program.layout.pack(state);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut place = |bytes: &[u8]| {
        let address = device.allocate(bytes.len() as u64).expect("there is room");
        device.write(address, bytes).expect("it fits");
        address
    };
    let (registers, memory) = (place(&bytes), place(&state.memory));
    let params: Vec<u8> = [registers, memory].iter().flat_map(|a| a.to_le_bytes()).collect();
    let launch = Launch {
        grid: [1; 3],
        block: [32, 1, 1],
        dynamic_shared: 0,
        params: &params,
        image_base: 0,
        stack: 0,
        threads: 1,
        schedule,
        max_steps: Some(200_000_000),
        level: Level::detect(),
        deterministic: false,
        interrupted: &|| false,
        progress: &|_| (),
    };
    let outcome =
        vm::launch(&program.kernel, &launch, &mut device).map_err(|why| why.to_string())?;
    if let Some(fault) = outcome.fault {
        return Err(format!("{fault:?}"));
    }
    let found = device.read(registers, bytes.len()).expect("it is there");
    let words: Vec<u32> =
        found.as_chunks::<4>().0.iter().copied().map(u32::from_le_bytes).collect();
    let mut after = state.clone();
    program.layout.unpack(&words, &mut after);
    after.memory = device.read(memory, state.memory.len()).expect("it is there").to_vec();
    Ok(after)
}

/// A small generator of reproducible numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// One of few values now and then, so that lanes agree; anything otherwise.
    pub(crate) fn value(&mut self) -> u32 {
        match self.below(4) {
            0 => self.word(),
            1 => 0,
            2 => u32::MAX,
            _ => self.word() & 3,
        }
    }

    pub(crate) fn lanes(&mut self) -> [u32; 32] {
        std::array::from_fn(|_| self.value())
    }
}
