//! Which functions the instructions of a kernel are of: those that a `call` names, and those that a compiler inlined and tells
//! by `.loc … function_name`.

use crate::syntax::ast::{Loc, Module, SectionEntry, SourcePosition};
use ir::Place;
use std::collections::HashMap;

/// Functions that were inlined into each other, at most.
const MAX_DEPTH: usize = 64;

/// A function in the place of a call, and what it was called from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Frame {
    name: u32,
    caller: Option<u32>,
}

/// The frame of the kernel itself.
const KERNEL: u32 = 0;

/// The functions of every instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Functions {
    names: Vec<String>,
    number_of: HashMap<String, u32>,
    frames: Vec<Frame>,
    index_of: HashMap<Frame, u32>,
    /// Names of inlined functions by the labels of the debug section that hold them.
    told: HashMap<String, String>,
    /// Of the position of an inlined function: its name, and where it was inlined.
    inlined: HashMap<Position, (u32, Position)>,
    of_place: Vec<u32>,
    /// The function whose statements are being lowered, and that of the instructions that come next.
    body: u32,
    current: u32,
}

type Position = (u32, u32, u32);

fn key(position: &SourcePosition) -> Position {
    (position.file, position.line, position.column)
}

/// Where a call stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Return {
    body: u32,
    current: u32,
}

impl Functions {
    /// Nothing but the kernel.
    pub(super) fn new(module: &Module, kernel: &str) -> Functions {
        let mut functions = Functions { told: strings(module), ..Functions::default() };
        let name = functions.number(kernel);
        functions.body = functions.frame(Frame { name, caller: None });
        functions.current = functions.body;
        functions
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.number_of.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.number_of.insert(name.to_owned(), number);
        number
    }

    fn frame(&mut self, frame: Frame) -> u32 {
        *self.index_of.entry(frame).or_insert_with(|| {
            self.frames.push(frame);
            self.frames.len() as u32 - 1
        })
    }

    /// The instructions that follow come from here.
    pub(super) fn enter(&mut self, loc: &Loc) {
        let mut at = key(&loc.position);
        if let Some(inlined) = &loc.inlined
            && let Some(name) = self.told.get(inlined.function_name.as_str()).cloned()
        {
            let name = self.number(&name);
            self.inlined.insert(at, (name, key(&inlined.at)));
        } else if loc.inlined.is_none() {
            self.current = self.body;
            return;
        }
        let mut names = Vec::new();
        while let Some((name, next)) = self.inlined.get(&at).filter(|_| names.len() < MAX_DEPTH) {
            names.push(*name);
            at = *next;
        }
        self.current = self.body;
        for name in names.into_iter().rev() {
            self.current = self.frame(Frame { name, caller: Some(self.current) });
        }
    }

    /// The instructions that follow are those of a function that is called here.
    pub(super) fn call(&mut self, name: &str) -> Return {
        let back = Return { body: self.body, current: self.current };
        let name = self.number(name);
        self.body = self.frame(Frame { name, caller: Some(self.current) });
        self.current = self.body;
        back
    }

    /// The instructions that follow are those of a function that the kernel calls, from wherever it does.
    pub(super) fn begin(&mut self, name: &str) {
        let name = self.number(name);
        self.body = self.frame(Frame { name, caller: Some(KERNEL) });
        self.current = self.body;
    }

    /// The function has ended.
    pub(super) fn go_back(&mut self, Return { body, current }: Return) {
        (self.body, self.current) = (body, current);
    }

    /// The instruction of this place comes next.
    pub(super) fn place(&mut self, place: Place) {
        self.of_place.resize(place.0 as usize + 1, self.current);
        self.of_place[place.0 as usize] = self.current;
    }

    /// The functions of an instruction, the innermost first, the kernel last.
    pub(super) fn of(&self, place: Place) -> Vec<&str> {
        let mut next = Some(self.of_place.get(place.0 as usize).copied().unwrap_or(0));
        let mut names = Vec::new();
        while let Some(frame) = next.and_then(|index| self.frames.get(index as usize)) {
            names.push(self.names[frame.name as usize].as_str());
            next = frame.caller;
        }
        names
    }
}

/// The strings of the debug sections by their labels.
fn strings(module: &Module) -> HashMap<String, String> {
    let mut strings = HashMap::new();
    for section in &module.sections {
        let mut open: Option<(&str, Vec<u8>)> = None;
        for entry in &section.entries {
            match entry {
                SectionEntry::Label(name) => open = Some((name.as_str(), Vec::new())),
                SectionEntry::Numbers { bits: 8, values } => {
                    let Some((label, bytes)) = &mut open else { continue };
                    let end = values.iter().position(|value| *value & 0xff == 0);
                    bytes.extend(values[..end.unwrap_or(values.len())].iter().map(|it| *it as u8));
                    if end.is_some() {
                        let text = String::from_utf8_lossy(bytes).into_owned();
                        strings.insert((*label).to_owned(), text);
                        open = None;
                    }
                }
                SectionEntry::Numbers { .. } | SectionEntry::Address { .. } => open = None,
            }
        }
    }
    strings
}
