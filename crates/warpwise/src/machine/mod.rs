//! Machines that a description describes: assembling, disassembling, running as one warp.
//!
//! ```
//! use warpwise::machine::{Machine, Meaning, RunConfig, State};
//!
//! let machine = Machine::from_file("warp")?;
//! let program = machine.program("vote.s", "VOTE.ANY R0, PT, P1 ;", Meaning::BuiltIn)?;
//! let mut state = State::default();
//! state.predicates.insert(1, warpwise::machine::LaneMask(0b1010));
//! program.run(&mut state, &RunConfig::default())?;
//! assert_eq!(state.general[&0], [0b1010; 32]);
//! # Ok::<(), warpwise::Error>(())
//! ```

mod check;
mod cubin;
mod fault;
mod lower;
mod run;
mod shipped;

pub use self::check::MachineChecked;
pub use self::cubin::disassemble_cubin;
pub use ::machine::cubin::is_elf;
pub use ::machine::{File, Meaning, Register, State, instructions, last_register, signatures};
pub use isa;
pub use lanes::{LaneMask, Lanes};
pub use lower::Lowered;
pub use run::{MAX_MEMORY, MachineProgram, RunConfig};
pub use shipped::{Shipped, shipped};

use crate::error::{Error, Stage};
use ::machine::Program;
use diag::{Diagnostic, Sources};
use isa::Description;
use shipped::Finder;
use std::path::Path;
use std::sync::Arc;
use vm::Executable;

/// A described machine.
#[derive(Clone, Debug)]
pub struct Machine {
    description: Description,
    sources: Arc<Sources>,
}

/// An assembled file.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The words, 16 bytes each, little endian.
    pub bytes: Vec<u8>,
    /// Remarks about input that was accepted all the same.
    pub warnings: Vec<Diagnostic>,
    /// The text that the remarks point into.
    pub sources: Arc<Sources>,
}

impl Machine {
    /// Reads a description with everything that it includes, and checks it. Where there is no file of a name, it is that
    /// of a description that comes with Warpwise: `sm_90` ([`shipped`]).
    ///
    /// # Errors
    /// There is no such description, or it breaks a rule of its language.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Machine, Error> {
        let mut sources = Sources::new();
        let path = path.as_ref().to_string_lossy();
        let loaded = Description::load(&path, &mut Finder, &mut sources);
        let sources = Arc::new(sources);
        match loaded {
            Ok(description) => Ok(Machine { description, sources }),
            Err(found) => Err(Error::new(Stage::Module, sources, found)),
        }
    }

    /// The description.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The text of the description.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    /// What deserves a look in the description, its pseudo-code included.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut found = self.description.check();
        found.extend(::machine::check(&self.description));
        found.sort_by_key(Diagnostic::span);
        found
    }

    /// Assembles a file. `name` is what diagnostics call the text.
    ///
    /// # Errors
    /// The text is no assembly of this machine.
    pub fn assemble(&self, name: &str, text: &str) -> Result<Assembled, Error> {
        let (sources, file) = self.with_text(name, text);
        match self.description.assemble(&sources, file) {
            Ok(assembly) => {
                let bytes = assembly.bytes();
                Ok(Assembled { bytes, warnings: assembly.warnings, sources })
            }
            Err(found) => Err(Error::new(Stage::Module, sources, found)),
        }
    }

    /// Prepares an assembly file to be run.
    ///
    /// # Errors
    /// The text is no assembly of this machine, or an instruction has no meaning.
    pub fn program(
        &self,
        name: &str,
        text: &str,
        meaning: Meaning,
    ) -> Result<MachineProgram, Error> {
        let (sources, file) = self.with_text(name, text);
        match Program::new(&self.description, &sources, file, meaning) {
            Ok(program) => {
                let executable = Arc::new(Executable::new(program.kernel.clone()));
                Ok(MachineProgram { program, sources, executable })
            }
            Err(found) => Err(Error::new(Stage::Module, sources, found)),
        }
    }

    /// One line of assembly a word; see [`isa::Description::disassemble`].
    ///
    /// # Errors
    /// Bytes are left over behind the last word of 16.
    pub fn disassemble(&self, bytes: &[u8]) -> Result<String, Error> {
        let words = isa::words_from_bytes(bytes).ok_or_else(|| {
            let count = bytes.len();
            let message =
                format!("the file has {count} bytes, which is not a whole number of 16-byte words");
            Error::message(Stage::Module, diag::Class::BadInput, message)
        })?;
        Ok(self.description.disassemble(&words, 0))
    }

    fn with_text(&self, name: &str, text: &str) -> (Arc<Sources>, diag::FileId) {
        let mut sources = Sources::clone(&self.sources);
        let file = sources.add(name, text);
        (Arc::new(sources), file)
    }
}
