//! A program of a described machine → a kernel of the IR.

use crate::binding;
use crate::codes;
use crate::emit::{Emitted, Emitter};
use crate::operand::{Flow, Lane, Lowered};
use crate::pseudo::Code;
use crate::register::{File, Register};
use crate::state::{Layout, State};
use diag::{Class, Diagnostic, FileId, Severity, Sources, Span};
use ir::{BlockId, Kernel, Operand, Place, Pred, Reg, Src, Terminator};
use isa::{Content, Description, Instruction, Line, Opcode};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Bytes of a word.
const WORD_BYTES: u64 = 16;
/// Words of the longest program.
const MOST_WORDS: usize = 1 << 16;
/// After so many errors the rest of a program is not looked at.
const MOST_ERRORS: usize = 20;

/// Where the meaning of instructions comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meaning {
    /// The machine's own instructions first, then pseudo-code.
    #[default]
    BuiltIn,
    /// Pseudo-code first, then the machine's own instructions.
    PseudoCode,
}

/// A program, ready to run as one warp.
///
/// Its kernel has two parameters of 64 bits: the address of the register buffer, which
/// [`Layout::pack`] fills, and the address of memory.
#[derive(Clone, Debug)]
pub struct Program {
    /// The code.
    pub kernel: Kernel,
    /// Which registers it uses, and where they lie in the buffer.
    pub layout: Layout,
    /// The source text of each [`Place`]. The first is outside every instruction: registers are loaded and stored
    /// there.
    pub places: Vec<Span>,
    /// The registers of the IR that hold registers of the lanes.
    held: BTreeMap<Register, Reg>,
    /// Holds the address of the register buffer.
    buffer: Reg,
}

impl Program {
    /// Reads an assembly file and finds out what its instructions do. Control begins at the first one;
    /// behind the last one lanes end.
    ///
    /// # Errors
    /// Text that does not assemble, words that are no instruction, instructions without a meaning.
    pub fn new(
        description: &Description,
        sources: &Sources,
        file: FileId,
        meaning: Meaning,
    ) -> Result<Program, Vec<Diagnostic>> {
        let program = description.program(sources, file)?;
        let end = Span::new(file, sources.file(file).text().len(), usize::MAX);
        let mut errors = Vec::new();
        let instructions = instructions(description, &program.lines, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut linker = Linker::new(meaning, &instructions, end);
        linker.link(&instructions);
        if linker.errors.is_empty() { Ok(linker.finish()) } else { Err(linker.errors) }
    }

    /// The kernel for detectors: registers of the lanes that a state does not set are registers that nothing wrote.
    pub fn kernel_for(&self, state: &State) -> Kernel {
        let is_set = |register: &Register| match register.file {
            File::General => state.general.contains_key(&register.number),
            File::Predicate => state.predicates.contains_key(&register.number),
            File::Uniform | File::UniformPredicate => true,
        };
        let unset = self.held.iter().filter(|(register, _)| !is_set(register));
        let unset: HashSet<Reg> = unset.map(|(_, reg)| *reg).collect();
        let mut kernel = self.kernel.clone();
        if let Some(prologue) = kernel.blocks.first_mut() {
            prologue.insts.retain(|inst| {
                let mut loads = false;
                inst.op.operands(|operand| {
                    loads |= matches!(operand, Operand::Def(reg) if unset.contains(&reg));
                });
                !loads
            });
        }
        kernel
    }

    /// Whether the instruction at a place writes a register of the warp.
    pub fn writes_uniform(&self, place: Place) -> bool {
        let mut insts = self.kernel.blocks.iter().flat_map(|block| &block.insts);
        place != Place::default()
            && insts.any(|inst| {
                let mut writes = inst.op.touches().filter(|touched| touched.writes);
                let to_buffer = writes.any(|it| it.address.base == Src::Reg(self.buffer));
                inst.place == place && to_buffer
            })
    }
}

/// An instruction of a program with its place.
pub(crate) struct Located<'d> {
    pub(crate) instruction: Instruction<'d>,
    pub(crate) address: u64,
    pub(crate) span: Span,
}

/// The instructions of a program; `.word` lines are decoded.
fn instructions<'d>(
    description: &'d Description,
    lines: &[Line<'d>],
    errors: &mut Vec<Diagnostic>,
) -> Vec<Located<'d>> {
    if let Some(line) = lines.get(MOST_WORDS) {
        let message = format!("a program has at most {MOST_WORDS} words");
        let diagnostic = Diagnostic::new(Severity::Error, Class::Limit, message);
        errors.push(diagnostic.label(line.span, "").code(codes::LIMIT));
        return Vec::new();
    }
    let mut found = Vec::with_capacity(lines.len());
    for (nth, line) in lines.iter().enumerate() {
        if line.address != nth as u64 * WORD_BYTES {
            let message = "a program that runs has one section";
            let help = "remove the `.section` lines but the first";
            errors.push(Diagnostic::error(line.span, message).help(help).code(codes::PROGRAM));
            return found;
        }
        let instruction = match &line.content {
            Content::Instruction(instruction) => instruction.clone(),
            Content::Word(word) => match description.decode(*word) {
                Ok(instruction) => instruction,
                Err(unknown) => {
                    let message = format!("this word is no instruction: {}", unknown.reason);
                    let help = "describe the instruction, or remove the word";
                    let diagnostic = Diagnostic::error(line.span, message).help(help);
                    errors.push(diagnostic.code(codes::PROGRAM));
                    if errors.len() >= MOST_ERRORS {
                        return found;
                    }
                    continue;
                }
            },
        };
        found.push(Located { instruction, address: line.address, span: line.span });
    }
    found
}

impl Located<'_> {
    /// The address that the instruction names.
    fn target(&self) -> Option<u64> {
        let relative = self.instruction.opcode().fields.iter().find(|f| f.relative().is_some())?;
        let shown = self.instruction.shown_value(&relative.name.text, self.address)?;
        u64::try_from(shown).ok()
    }
}

/// A program while it becomes a kernel.
struct Linker<'d> {
    meaning: Meaning,
    emitter: Emitter,
    /// The pseudo-code of opcodes that have been met.
    codes: HashMap<&'d str, Option<Code>>,
    /// The block of every word that control goes to, and of the end.
    blocks: HashMap<u64, BlockId>,
    /// Addresses that instructions name: there lanes may join.
    targets: HashSet<u64>,
    /// Addresses of instructions that lanes execute in groups.
    grouped: HashSet<u64>,
    start: BlockId,
    places: Vec<Span>,
    errors: Vec<Diagnostic>,
}

impl<'d> Linker<'d> {
    fn new(meaning: Meaning, instructions: &[Located<'d>], end: Span) -> Self {
        let mut emitter = Emitter::new("program");
        let start = emitter.b.block();
        // Place 0 is outside every instruction: the prologue and the epilogue.
        let mut places = vec![instructions.last().map_or(end, |last| last.span)];
        places.extend(instructions.iter().map(|located| located.span));
        let (codes, blocks, errors) = (HashMap::new(), HashMap::new(), Vec::new());
        let targets = instructions.iter().filter_map(Located::target).collect();
        let grouped = HashSet::new();
        Linker { meaning, emitter, codes, blocks, targets, grouped, start, places, errors }
    }

    fn link(&mut self, instructions: &[Located<'d>]) {
        let length = instructions.len() as u64 * WORD_BYTES;
        self.emitter.b.switch_to(self.start);
        self.blocks.insert(0, self.start);
        for (nth, located) in instructions.iter().enumerate() {
            self.emitter.b.set_place(Place(nth as u32 + 1));
            if nth > 0 {
                let block = self.block(located.address, length);
                self.emitter.b.terminate(Terminator::Jump(block));
                self.emitter.b.switch_to(block);
            }
            if self.targets.contains(&located.address) {
                self.emitter.end_groups();
            }
            if self.emitter.in_groups() {
                self.grouped.insert(located.address);
            }
            let lowered = self.instruction(located, length);
            if let Err(why) = lowered {
                self.errors.push(*why);
                if self.errors.len() >= MOST_ERRORS {
                    return;
                }
            }
        }
        self.emitter.b.terminate(Terminator::Jump(self.emitter.exit_block()));
    }

    /// The block at an address; behind the last word lanes end.
    fn block(&mut self, address: u64, length: u64) -> BlockId {
        if address == length {
            return self.emitter.exit_block();
        }
        let Linker { blocks, emitter, .. } = self;
        *blocks.entry(address).or_insert_with(|| emitter.b.block())
    }

    fn instruction(&mut self, located: &Located<'d>, length: u64) -> Lowered {
        let Located { instruction, address, span } = located;
        let opcode = instruction.opcode();
        let entry = binding::entry(opcode);
        let wants_code = entry.is_none() || self.meaning == Meaning::PseudoCode;
        let code = if wants_code { self.code(opcode)? } else { None };
        let mut lane = Lane::begin(&mut self.emitter, instruction, *address, *span)?;
        let lowered = match (code, entry) {
            (Some(code), _) => code.lower(&mut lane),
            (None, Some(entry)) => entry.lower(&mut lane),
            (None, None) => Err(no_meaning(&lane, opcode)),
        };
        let flow = lane.end();
        lowered?;
        if flow.is_some() {
            self.emitter.end_groups();
        }
        match flow {
            None => Ok(()),
            Some(Flow::Exit(p)) => {
                let end = self.emitter.exit_block();
                self.leave(p, end);
                Ok(())
            }
            Some(Flow::Jump(p, target)) => {
                let place = u64::try_from(target)
                    .ok()
                    .filter(|target| target % WORD_BYTES == 0 && *target <= length);
                let Some(target) = place else {
                    let message = format!("control goes to {target:#x}, where no instruction is");
                    let last = length.saturating_sub(WORD_BYTES);
                    let help = format!("instructions stand at 0x0, 0x10, … {last:#x}");
                    let diagnostic = Diagnostic::error(*span, message).help(help);
                    return Err(Box::new(diagnostic.code(codes::PROGRAM)));
                };
                if self.grouped.contains(&target) {
                    let message = format!(
                        "control goes to {target:#x}, between WARPSYNC.EXCLUSIVE and what it is for"
                    );
                    let help =
                        "let the address be that of an operand which is relative to the word";
                    let diagnostic = Diagnostic::error(*span, message).help(help);
                    return Err(Box::new(diagnostic.code(codes::PROGRAM)));
                }
                self.targets.insert(target);
                let target = self.block(target, length);
                self.leave(p, target);
                Ok(())
            }
        }
    }

    /// Lanes where the predicate is true go on at `target`, the others behind this instruction.
    fn leave(&mut self, p: Pred, target: BlockId) {
        let b = &mut self.emitter.b;
        let behind = b.block();
        b.terminate(match p {
            Pred::Const(true) => Terminator::Jump(target),
            Pred::Const(false) => Terminator::Jump(behind),
            Pred::Is(_) | Pred::Not(_) => Terminator::Branch { p, then: target, otherwise: behind },
        });
        b.switch_to(behind);
    }

    /// The pseudo-code of an opcode; parsed once.
    fn code(&mut self, opcode: &'d Opcode) -> Lowered<Option<Code>> {
        if let Some(known) = self.codes.get(opcode.name.as_str()) {
            return Ok(known.clone());
        }
        let code = Code::of(opcode).transpose()?;
        self.codes.insert(&opcode.name, code.clone());
        Ok(code)
    }

    fn finish(self) -> Program {
        let Emitted { kernel, layout, held, buffer } = self.emitter.finish(self.start);
        Program { kernel, layout, places: self.places, held, buffer }
    }
}

fn no_meaning(lane: &Lane<'_, '_>, opcode: &Opcode) -> Box<Diagnostic> {
    let name = opcode.optype.as_deref().unwrap_or(&opcode.name);
    let message = format!("nothing says what `{name}` does in terms of a program");
    let diagnostic = lane.unsupported(message).label(opcode.span, "described here");
    Box::new(diagnostic.help("give its `__Semantics` as pseudo-code in a code block"))
}
