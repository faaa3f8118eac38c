//! One instruction as a module that the parser, the checks and the lowering accept.

use crate::error::{Error, Stage};
use crate::module::{Kernel, Module};
use diag::{Class, Sources};
use ir::{Class as RegisterClass, Reg};
use ptx::catalogue::{self, CompiledEntry, Form};
use ptx::syntax;
use ptx::syntax::ast::{self, Instruction, Item, StatementKind};
use std::collections::BTreeMap;

/// Longest instruction that is read.
const MOST_BYTES: usize = 1000;
/// Most registers that an instruction names.
const MOST_NAMES: usize = 6;
/// The newest version and target, and the last with forms without `.sync`.
const HEADERS: [&str; 2] = [".version 9.1\n.target sm_100a\n", ".version 6.3\n.target sm_60\n"];
/// What a register may be declared as, in the order in which it is tried.
const TYPES: [&str; 4] = ["b32", "pred", "b64", "f32"];

/// An instruction that can be lowered.
pub(super) struct Found {
    pub text: String,
    pub kernel: Kernel,
    pub entry: &'static CompiledEntry,
    pub form: &'static Form,
    /// The registers that the text names, each with that of the kernel and its class.
    pub registers: Vec<(String, Reg, RegisterClass)>,
}

/// Reads one instruction. Its registers get the types under which it is legal.
pub(super) fn read(text: &str) -> Result<Found, Error> {
    let text = text.trim().trim_end_matches(';').trim_end();
    let refuse = |class, message: &str| Err(Error::message(Stage::Module, class, message));
    if text.len() > MOST_BYTES {
        return refuse(Class::Limit, "an instruction has at most 1000 bytes");
    }
    if text.is_empty() || text.contains([';', '{', '}', '\n', '\r']) || text.contains("//") {
        return refuse(
            Class::BadInput,
            "give one instruction, such as `vote.sync.any.pred p, q, -1`",
        );
    }
    let names = names(text);
    if names.len() > MOST_NAMES {
        return refuse(Class::Limit, "a warp instruction names at most 6 registers");
    }
    let mut blamed = None;
    for header in HEADERS {
        let likely: Vec<usize> = names.iter().map(|name| usize::from(name.predicate)).collect();
        let ways = (0..TYPES.len().pow(names.len() as u32)).map(|way| {
            (0..names.len()).map(move |n| way / TYPES.len().pow(n as u32) % TYPES.len())
        });
        // A way that is unlikely but legal is better than a likely one that is not.
        let all = std::iter::once(likely).chain(ways.map(Iterator::collect));
        for types in all {
            match attempt(header, text, &names, &types) {
                Ok(found) => return Ok(found),
                Err(error) => blamed = blamed.or(Some(error)),
            }
        }
    }
    let nothing = || Error::message(Stage::Module, Class::BadInput, "this is no instruction");
    Err(blamed.unwrap_or_else(nothing))
}

fn attempt(
    header: &str,
    text: &str,
    names: &[Operand<'_>],
    types: &[usize],
) -> Result<Found, Error> {
    let mut module = format!("{header}.address_size 64\n.entry explained()\n{{\n");
    for (name, ty) in names.iter().zip(types) {
        module.push_str(&format!(".reg .{} {};\n", TYPES[*ty], name.text));
    }
    module.push_str(&format!("{text};\nret;\n}}\n"));
    let kernel = Module::from_ptx("instruction", module.as_str())?.kernel("explained")?;
    let mut sources = Sources::new();
    let file = sources.add("instruction", module);
    let (tree, _) = syntax::parse(&sources, file);
    let matched = first_instruction(&tree).and_then(|instruction| {
        let entry = catalogue::entry(instruction)?;
        Some((entry, catalogue::find(instruction).ok()?.form.form))
    });
    let Some((entry, form)) = matched else {
        let message = "this is no instruction that Warpwise knows";
        return Err(Error::message(Stage::Module, Class::BadInput, message));
    };
    let registers = registers(&kernel, names);
    Ok(Found { text: text.to_owned(), kernel, entry, form, registers })
}

/// Which registers of the kernel the names are: they are declared in order.
fn registers(kernel: &Kernel, names: &[Operand<'_>]) -> Vec<(String, Reg, RegisterClass)> {
    let lowered = &kernel.lowered;
    let known = |(name, reg): (&Operand<'_>, &Option<Reg>)| {
        let reg = (*reg)?;
        let class = lowered.kernel.registers.get(reg.0 as usize).copied()?;
        Some((name.text.to_owned(), reg, class))
    };
    names.iter().zip(&lowered.registers).filter_map(known).collect()
}

/// The first instruction of a module that has been accepted.
fn first_instruction(module: &ast::Module) -> Option<&Instruction> {
    let bodies = module.items.iter().filter_map(|item| match item {
        Item::Function(function) => function.body.as_ref(),
        Item::Variable(_) | Item::Directive(_) => None,
    });
    bodies.flatten().find_map(|statement| match &statement.kind {
        StatementKind::Instruction(instruction) => Some(instruction),
        _ => None,
    })
}

/// A register that the text names.
struct Operand<'a> {
    text: &'a str,
    /// It stands where a predicate does: in a guard or after `|`.
    predicate: bool,
}

/// The registers of the text in order, each once.
fn names(text: &str) -> Vec<Operand<'_>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_$%".contains(c);
    let mut found: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    let mut at = 0;
    let mut before = ' ';
    let mut mnemonic = false;
    while let Some(c) = text[at..].chars().next() {
        let length = text[at..].find(|c| !is_part(c)).unwrap_or(text.len() - at);
        if length == 0 {
            if !c.is_whitespace() {
                before = c;
            }
            at += c.len_utf8();
            continue;
        }
        let word = &text[at..at + length];
        let guard = before == '@' || (before == '!' && !mnemonic);
        // The first word that is no guard is the instruction, and `.word` belongs to it.
        if !guard && !mnemonic {
            mnemonic = true;
        } else if before != '.' && is_register(word) {
            let predicate = guard || before == '|';
            let order = found.len();
            let entry = found.entry(word).or_insert((order, predicate));
            entry.1 |= predicate;
        }
        before = ' ';
        at += length;
    }
    let mut ordered: Vec<_> = found.into_iter().collect();
    ordered.sort_by_key(|(_, (order, _))| *order);
    ordered.into_iter().map(|(text, (_, predicate))| Operand { text, predicate }).collect()
}

/// Whether a word is a register that a program declares: no number, no sink, no special register.
fn is_register(word: &str) -> bool {
    let special = word.starts_with('%') && !word.ends_with(|c: char| c.is_ascii_digit());
    !(word.starts_with(|c: char| c.is_ascii_digit()) || special || word == "_" || word == "WARP_SZ")
}
