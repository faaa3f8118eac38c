//! Register states of `sim` as TOML: read from a file, and printed in the same form.

use crate::buffers::SplitMix64;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use warpwise::diag::{Class, Diagnostic, FileId, Severity, Sources, Span};
use warpwise::machine::isa::Description;
use warpwise::machine::{File, LaneMask, Lanes, MAX_MEMORY, Register, State, last_register};

const LANES: usize = 32;
const ACTIVE: &str = "active";
const MEMORY: &str = "memory";
const MEMORY_BYTES: &str = "memory_bytes";

/// Reads a state. Every error is reported.
pub(crate) fn parse(
    description: &Description,
    sources: &Sources,
    file: FileId,
) -> Result<State, Vec<Diagnostic>> {
    let reader = Reader { description, file };
    let text = sources.file(file).text();
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().map_or(0..0, |span| span);
        let message = format!("this is no TOML: {}", error.message().trim_end());
        vec![Diagnostic::error(reader.span(span), message)]
    })?;
    let mut state = State::default();
    let mut bytes = None;
    let mut errors = Vec::new();
    for (key, value) in table.get_ref() {
        let read = match key.get_ref().as_ref() {
            MEMORY_BYTES => reader.bytes(value).map(|read| bytes = Some((read, value.span()))),
            name => reader.entry(name, key.span(), value, &mut state),
        };
        errors.extend(read.err().map(|error| *error));
    }
    if let Some((bytes, span)) = bytes {
        if bytes < state.memory.len() {
            let message = format!("`{MEMORY}` has more than {bytes} bytes");
            errors.push(Diagnostic::error(reader.span(span), message));
        } else {
            state.memory.resize(bytes, 0);
        }
    }
    if errors.is_empty() {
        return Ok(state);
    }
    errors.sort_by_key(Diagnostic::span);
    Err(errors)
}

type Read<T> = Result<T, Box<Diagnostic>>;
type Value<'i> = Spanned<DeValue<'i>>;

struct Reader<'a> {
    description: &'a Description,
    file: FileId,
}

impl Reader<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    fn wrong<T>(&self, range: Range<usize>, message: String, help: &str) -> Read<T> {
        Err(Box::new(Diagnostic::error(self.span(range), message).help(help)))
    }

    fn entry(
        &self,
        name: &str,
        at: Range<usize>,
        value: &Value<'_>,
        state: &mut State,
    ) -> Read<()> {
        match name {
            ACTIVE => state.active = self.mask(value)?,
            MEMORY => {
                let words = self.words(value)?;
                state.memory = words.into_iter().flat_map(u32::to_le_bytes).collect();
            }
            _ => {
                let Register { file, number } = self.register(name, at)?;
                match file {
                    File::General => {
                        state.general.insert(number, self.lanes(value)?);
                    }
                    File::Predicate => {
                        state.predicates.insert(number, self.mask(value)?);
                    }
                    File::Uniform => {
                        state.uniform.insert(number, self.word(value)?);
                    }
                    File::UniformPredicate => {
                        state.uniform_predicates.insert(number, self.truth(value)?);
                    }
                }
            }
        }
        Ok(())
    }

    /// A register by its name; the machine must have it.
    fn register(&self, name: &str, at: Range<usize>) -> Read<Register> {
        let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let (prefix, digits) = name.split_at(digits);
        let file = File::ALL.into_iter().find(|file| file.prefix() == prefix);
        let canonical = digits == "0" || !digits.starts_with('0');
        let number = digits.parse::<u16>().ok().filter(|_| canonical);
        let last = file.and_then(|file| last_register(self.description, file));
        match (file, number, last) {
            (Some(file), Some(number), Some(last)) if number <= last => {
                Ok(Register { file, number })
            }
            (Some(file), _, Some(last)) if !digits.is_empty() => {
                let message = format!("`{name}` is no register that a state can set");
                let help = format!("the machine has {0}0 to {0}{last}", file.prefix());
                self.wrong(at, message, &help)
            }
            _ => {
                let message = format!("`{name}` is neither a register nor a part of a state");
                let known: Vec<String> = File::ALL
                    .into_iter()
                    .filter_map(|file| {
                        let last = last_register(self.description, file)?;
                        Some(format!("{0}0 to {0}{last}", file.prefix()))
                    })
                    .collect();
                let help =
                    format!("a state has {ACTIVE}, {MEMORY}, {MEMORY_BYTES}, {}", known.join(", "));
                self.wrong(at, message, &help)
            }
        }
    }

    /// A number of 32 bits, signed or unsigned, or the bits of a binary32.
    fn word(&self, value: &Value<'_>) -> Read<u32> {
        let found = match value.get_ref() {
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .ok()
                .filter(|number| (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(number))
                .map(|number| number as u32),
            DeValue::Float(number) => number.as_str().parse::<f32>().ok().map(f32::to_bits),
            _ => None,
        };
        let shape = "write a number of 32 bits, such as 7, -1, 0xff or 1.5";
        found.map_or_else(
            || self.wrong(value.span(), "this is no number of 32 bits".into(), shape),
            Ok,
        )
    }

    fn truth(&self, value: &Value<'_>) -> Read<bool> {
        match value.get_ref() {
            DeValue::Boolean(value) => Ok(*value),
            _ => match self.word(value) {
                Ok(0) => Ok(false),
                Ok(1) => Ok(true),
                _ => {
                    self.wrong(value.span(), "this is no truth value".into(), "write true or false")
                }
            },
        }
    }

    /// One bit a lane: a mask, or the same everywhere.
    fn mask(&self, value: &Value<'_>) -> Read<LaneMask> {
        if let DeValue::Boolean(value) = value.get_ref() {
            return Ok(if *value { LaneMask::FULL } else { LaneMask::EMPTY });
        }
        match value.get_ref() {
            DeValue::Integer(_) => self.word(value).map(LaneMask),
            _ => {
                let help = "write a mask such as 0x0000ffff, bit 0 for lane 0, or true or false";
                self.wrong(value.span(), "this is no mask of lanes".into(), help)
            }
        }
    }

    /// One number a lane.
    fn lanes(&self, value: &Value<'_>) -> Read<Lanes<u32>> {
        let help =
            "write one number for all lanes, an array of 32 numbers, \"iota\" or \"rand:SEED\"";
        match value.get_ref() {
            DeValue::String(word) => match (word.as_ref(), word.strip_prefix("rand:")) {
                ("iota", _) => Ok(std::array::from_fn(|lane| lane as u32)),
                (_, Some(seed)) if let Ok(seed) = seed.parse() => Ok(random(seed)),
                _ => self.wrong(value.span(), format!("`{word}` is no value of a register"), help),
            },
            DeValue::Array(values) => {
                let values = self.array(values)?;
                values.as_slice().try_into().or_else(|_| {
                    let message = format!("a register has {LANES} lanes, not {}", values.len());
                    self.wrong(value.span(), message, help)
                })
            }
            DeValue::Integer(_) | DeValue::Float(_) => self.word(value).map(|word| [word; LANES]),
            DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Table(_) => {
                self.wrong(value.span(), "this is no value of a register".into(), help)
            }
        }
    }

    fn words(&self, value: &Value<'_>) -> Read<Vec<u32>> {
        match value.get_ref() {
            DeValue::Array(values) => self.array(values),
            _ => {
                let help = "write an array of 32-bit words; the first stands at address 0";
                self.wrong(value.span(), "this is no contents of memory".into(), help)
            }
        }
    }

    fn array<'v>(&self, values: impl IntoIterator<Item = &'v Value<'v>>) -> Read<Vec<u32>> {
        values.into_iter().map(|value| self.word(value)).collect()
    }

    fn bytes(&self, value: &Value<'_>) -> Read<usize> {
        let bytes = usize::try_from(self.word(value)?).unwrap_or(usize::MAX);
        if !bytes.is_multiple_of(4) {
            let message = "memory consists of whole words of 4 bytes".to_owned();
            return self.wrong(value.span(), message, "write a multiple of 4");
        }
        if bytes <= MAX_MEMORY {
            return Ok(bytes);
        }
        let message = format!("a memory has at most {MAX_MEMORY} bytes");
        let error = Diagnostic::new(Severity::Error, Class::Limit, message);
        Err(Box::new(error.label(self.span(value.span()), "")))
    }
}

/// The topmost halves of the outputs of SplitMix64, as `rand:SEED` gives them to buffers of `run`.
fn random(seed: u64) -> Lanes<u32> {
    let mut random = SplitMix64(seed);
    std::array::from_fn(|_| (random.next() >> 32) as u32)
}

/// A state as TOML that [`parse`] reads: registers in order, lanes in rows of eight, or one number where
/// all lanes hold the same.
pub(crate) fn print(state: &State) -> String {
    let mut out = format!("{ACTIVE} = {:#010x}\n", state.active.0);
    // Writing to a string does not fail.
    for (number, lanes) in &state.general {
        let value = match lanes.iter().all(|lane| *lane == lanes[0]) {
            true => format!("{:#010x}", lanes[0]),
            false => rows(lanes),
        };
        let _ = writeln!(out, "{}{number} = {value}", File::General.prefix());
    }
    for (number, mask) in &state.predicates {
        let _ = writeln!(out, "{}{number} = {:#010x}", File::Predicate.prefix(), mask.0);
    }
    for (number, value) in &state.uniform {
        let _ = writeln!(out, "{}{number} = {value:#010x}", File::Uniform.prefix());
    }
    for (number, value) in &state.uniform_predicates {
        let _ = writeln!(out, "{}{number} = {value}", File::UniformPredicate.prefix());
    }
    if !state.memory.is_empty() {
        let _ = writeln!(out, "{MEMORY} = {}", rows(&memory_words(state)));
    }
    out
}

/// Memory as words; its size is a multiple of 4.
fn memory_words(state: &State) -> Vec<u32> {
    let (words, _) = state.memory.as_chunks::<4>();
    words.iter().copied().map(u32::from_le_bytes).collect()
}

fn rows(words: &[u32]) -> String {
    let mut out = "[\n".to_owned();
    for row in words.chunks(8) {
        let words: Vec<String> = row.iter().map(|word| format!("{word:#010x}")).collect();
        let _ = writeln!(out, "  {},", words.join(", "));
    }
    out.push(']');
    out
}

/// A state as JSON.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "State")]
pub(crate) struct JsonState {
    /// The lanes that ran, as a mask.
    active: u32,
    /// Registers by name.
    registers: BTreeMap<String, JsonRegister>,
    /// Words of 32 bits from address 0 on.
    memory: Vec<u32>,
}

/// What a register holds.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Register")]
enum JsonRegister {
    /// One number a lane.
    Lanes(Lanes<u32>),
    /// Of a predicate, the lanes in which it is true, as a mask; of a register of the warp, its number.
    Number(u32),
    /// A predicate of the warp.
    Flag(bool),
}

/// A state as JSON: registers by name, lanes as arrays of numbers, predicates as masks.
pub(crate) fn json(state: &State) -> JsonState {
    let mut registers = BTreeMap::new();
    let mut set = |file: File, number: &u16, value: JsonRegister| {
        registers.insert(Register { file, number: *number }.to_string(), value);
    };
    for (number, lanes) in &state.general {
        set(File::General, number, JsonRegister::Lanes(*lanes));
    }
    for (number, mask) in &state.predicates {
        set(File::Predicate, number, JsonRegister::Number(mask.0));
    }
    for (number, value) in &state.uniform {
        set(File::Uniform, number, JsonRegister::Number(*value));
    }
    for (number, value) in &state.uniform_predicates {
        set(File::UniformPredicate, number, JsonRegister::Flag(*value));
    }
    JsonState { active: state.active.0, registers, memory: memory_words(state) }
}
