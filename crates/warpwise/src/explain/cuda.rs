//! Warp functions of CUDA C++, each as the PTX instruction that it stands for. The operands are those of CUDA's own headers
//! (`sm_30_intrinsics.hpp`, `sm_70_rt.hpp`, `sm_80_rt.hpp`).

use crate::error::{Error, Stage};
use diag::{Class, Diagnostic, Severity};
use ptx::nearest;
use std::sync::Arc;

/// What a function becomes.
#[derive(Clone, Copy)]
enum Work {
    /// `shfl.sync` in a mode; of `c`, what stands in the lower byte.
    Shuffle { mode: &'static str, clamp: u32 },
    /// `vote.sync` with a result of this type.
    Vote { mode: &'static str, result: &'static str },
    /// `match.any.sync`.
    MatchAny,
    /// `match.all.sync`.
    MatchAll,
    /// `redux.sync`; numbers have a sign or none, and bits have not.
    Reduce { op: &'static str, numbers: bool },
    /// `activemask`.
    ActiveMask,
    /// `bar.warp.sync`.
    Wait,
}

/// A warp function: its name, its parameters, how many of them have a default, and what it becomes.
struct Function(&'static str, &'static [&'static str], usize, Work);

const INDEX: &[&str] = &["mask", "value", "srcLane", "width"];
const DELTA: &[&str] = &["mask", "value", "delta", "width"];
const LANE_MASK: &[&str] = &["mask", "value", "laneMask", "width"];
const PREDICATE: &[&str] = &["mask", "predicate"];
const VALUE: &[&str] = &["mask", "value"];
const ALL: &[&str] = &["mask", "value", "&predicate"];

const fn shuffle(mode: &'static str, clamp: u32) -> Work {
    Work::Shuffle { mode, clamp }
}
const fn vote(mode: &'static str, result: &'static str) -> Work {
    Work::Vote { mode, result }
}
const fn reduce(op: &'static str, numbers: bool) -> Work {
    Work::Reduce { op, numbers }
}

const FUNCTIONS: &[Function] = &[
    Function("__shfl_sync", INDEX, 1, shuffle("idx", 0x1f)),
    Function("__shfl_up_sync", DELTA, 1, shuffle("up", 0)),
    Function("__shfl_down_sync", DELTA, 1, shuffle("down", 0x1f)),
    Function("__shfl_xor_sync", LANE_MASK, 1, shuffle("bfly", 0x1f)),
    Function("__all_sync", PREDICATE, 0, vote("all", "pred")),
    Function("__any_sync", PREDICATE, 0, vote("any", "pred")),
    Function("__uni_sync", PREDICATE, 0, vote("uni", "pred")),
    Function("__ballot_sync", PREDICATE, 0, vote("ballot", "b32")),
    Function("__match_any_sync", VALUE, 0, Work::MatchAny),
    Function("__match_all_sync", ALL, 0, Work::MatchAll),
    Function("__reduce_add_sync", VALUE, 0, reduce("add", true)),
    Function("__reduce_min_sync", VALUE, 0, reduce("min", true)),
    Function("__reduce_max_sync", VALUE, 0, reduce("max", true)),
    Function("__reduce_and_sync", VALUE, 0, reduce("and", false)),
    Function("__reduce_or_sync", VALUE, 0, reduce("or", false)),
    Function("__reduce_xor_sync", VALUE, 0, reduce("xor", false)),
    Function("__activemask", &[], 0, Work::ActiveMask),
    Function("__syncwarp", &["mask"], 1, Work::Wait),
];

impl Function {
    /// `__shfl_sync(mask, value, srcLane[, width])`.
    fn usage(&self) -> String {
        let Function(name, parameters, defaults, _) = self;
        let (needed, more) = parameters.split_at(parameters.len() - defaults);
        let comma = if needed.is_empty() { "" } else { ", " };
        let more: String = more.iter().map(|it| format!("[{comma}{it}]")).collect();
        format!("{name}({}{more})", needed.join(", "))
    }
}

/// The instruction that a call stands for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Translated {
    pub(super) instruction: String,
    /// What a reader of the instruction may miss.
    pub(super) rules: Vec<String>,
}

fn refuse(message: String, help: Option<String>) -> Error {
    let mut found = Diagnostic::new(Severity::Error, Class::BadInput, message);
    found.help = help;
    Error::new(Stage::Module, Arc::default(), vec![found])
}

/// What a call stands for; `None` for text that is none.
///
/// # Errors
/// The function is none of a warp's, or its arguments are wrong.
pub(super) fn translate(text: &str) -> Option<Result<Translated, Error>> {
    let text = text.trim().trim_end_matches(';').trim_end();
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let is_call = name.starts_with("__") || (!name.is_empty() && rest.starts_with('('));
    is_call.then(|| {
        let function = function(name)?;
        function.instruction(&arguments(function, rest.trim())?)
    })
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn function(name: &str) -> Result<&'static Function, Error> {
    let named = |wanted: &str| FUNCTIONS.iter().find(|function| function.0 == wanted);
    let unknown = || {
        // Those without `_sync` are gone since sm_70.
        let near = named(&format!("{name}_sync"))
            .or_else(|| named(nearest(name, FUNCTIONS.iter().map(|function| function.0))?));
        let help = match near {
            Some(function) => format!("did you mean `{}`?", function.usage()),
            None => {
                let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.0).collect();
                format!("there are {}", names.join(", "))
            }
        };
        refuse(format!("`{name}` is no warp function of CUDA C++"), Some(help))
    };
    named(name).ok_or_else(unknown)
}

/// The arguments of a call, with those that have a default and are left out missing.
fn arguments(function: &Function, rest: &str) -> Result<Vec<Argument>, Error> {
    let Function(name, parameters, defaults, _) = function;
    let usage = || Some(format!("write `{}`", function.usage()));
    let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let Some(inner) = inner else {
        return Err(refuse(format!("give one call of `{name}` with its arguments"), usage()));
    };
    let given = pieces(inner);
    let needed = parameters.len() - defaults;
    if !(needed..=parameters.len()).contains(&given.len()) {
        let takes = match needed == parameters.len() {
            true => needed.to_string(),
            false => format!("{needed} or {}", parameters.len()),
        };
        let plural = if takes == "1" { "" } else { "s" };
        let message = format!("`{name}` takes {takes} argument{plural}, not {}", given.len());
        return Err(refuse(message, usage()));
    }
    given.iter().map(|text| Argument::read(text)).collect()
}

/// What commas outside of brackets part.
fn pieces(inner: &str) -> Vec<&str> {
    if inner.trim().is_empty() {
        return Vec::new();
    }
    let mut depth = 0_i32;
    let parts = inner.split(|c| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        c == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

/// An argument as an operand of PTX.
struct Argument {
    operand: String,
    /// Its type, as far as a cast or a suffix tells.
    ty: Type,
    is_number: bool,
}

#[derive(Clone, Copy, Default)]
struct Type {
    wide: bool,
    unsigned: bool,
    float: bool,
}

impl Type {
    fn read(words: &str) -> Option<Type> {
        let words: Vec<&str> = words.split_whitespace().collect();
        let of = |wide, unsigned| Type { wide, unsigned, float: false };
        Some(match words.join(" ").as_str() {
            "int" | "int32_t" => of(false, false),
            "unsigned" | "unsigned int" | "uint32_t" => of(false, true),
            "long long" | "int64_t" => of(true, false),
            "unsigned long long" | "uint64_t" => of(true, true),
            "float" => Type { float: true, ..Type::default() },
            "double" => Type { float: true, wide: true, unsigned: false },
            _ => return None,
        })
    }
}

impl Argument {
    fn read(text: &str) -> Result<Argument, Error> {
        let cast = text.strip_prefix('(').and_then(|rest| {
            let (words, value) = rest.split_once(')')?;
            Some((Type::read(words)?, value.trim()))
        });
        let (ty, value) = cast.map_or((None, text), |(ty, value)| (Some(ty), value));
        let bare = value.trim_start_matches(['&', '!']).trim_start();
        if let Some((operand, own)) = number(value) {
            return Ok(Argument { operand, ty: ty.unwrap_or(own), is_number: true });
        }
        let is_name = bare.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && bare.chars().all(is_part)
            && bare != "_";
        if !is_name {
            let help = "give it a name, and say with `--set` what it holds".to_owned();
            let message = format!("an argument is a name or a number here, not `{text}`");
            return Err(refuse(message, Some(help)));
        }
        let is_not = value.starts_with('!');
        let operand = format!("{}{bare}", if is_not { "!" } else { "" });
        Ok(Argument { operand, ty: ty.unwrap_or_default(), is_number: false })
    }
}

/// A constant of C++ as one of PTX, and its type.
fn number(text: &str) -> Option<(String, Type)> {
    let constant = match text {
        "true" => "1",
        "false" => "0",
        "warpSize" => "32",
        other => other,
    };
    let (sign, digits) = match constant.strip_prefix(['-', '~']) {
        Some(rest) => (&constant[..1], rest.trim_start()),
        None => ("", constant),
    };
    let digits = digits.replace('\'', "").to_ascii_lowercase();
    let plain = digits.trim_end_matches(['u', 'l']);
    let suffix = &digits[plain.len()..];
    let value = match (plain.strip_prefix("0x"), plain.strip_prefix("0b")) {
        (Some(hex), _) => u64::from_str_radix(hex, 16),
        (_, Some(binary)) => u64::from_str_radix(binary, 2),
        (None, None) if plain.len() > 1 && plain.starts_with('0') => u64::from_str_radix(plain, 8),
        (None, None) => plain.parse(),
    };
    let value = value.ok()?;
    let wide = value > u64::from(u32::MAX) || suffix.contains("ll");
    let ty = Type { wide, unsigned: suffix.contains('u'), float: false };
    let operand = match (sign, wide) {
        ("~", true) => format!("{:#x}", !value),
        ("~", false) => format!("{:#x}", !(value as u32)),
        (sign, _) => format!("{sign}{plain}"),
    };
    Some((operand, ty))
}

impl Function {
    fn instruction(&self, given: &[Argument]) -> Result<Translated, Error> {
        let Function(name, .., work) = self;
        let operand = |nth: usize| given.get(nth).map_or("", |it| it.operand.as_str());
        let ty = given.get(1).map(|it| it.ty).unwrap_or_default();
        let (mask, value) = (operand(0), operand(1));
        // Results must not have the name of an argument.
        let fresh = |names: [&'static str; 5]| {
            let is_free =
                |name: &&&str| !given.iter().any(|it| it.operand.trim_matches('!') == **name);
            names.iter().find(is_free).copied().unwrap_or(names[0])
        };
        let (d, p) = (fresh(["d", "d1", "d2", "d3", "d4"]), fresh(["p", "p1", "p2", "p3", "p4"]));
        let is_not = |nth: usize| operand(nth).starts_with('!');
        let negated = (0..given.len())
            .find(|nth| is_not(*nth) && !(*nth == 1 && matches!(work, Work::Vote { .. })));
        if let Some(nth) = negated {
            let message = format!("an argument is a name or a number here, not `{}`", operand(nth));
            return Err(refuse(message, Some(format!("write `{}`", self.usage()))));
        }
        let mut rules = Vec::new();
        let bits = if ty.wide { "b64" } else { "b32" };
        let instruction = match *work {
            Work::Shuffle { mode, clamp } => {
                if ty.wide {
                    rules.push(
                        "A value of 64 bits is exchanged as two of 32 bits: this is one of them."
                            .to_owned(),
                    );
                }
                let c = self.width(given.get(3))? << 8 | clamp;
                let c = if c == 0 { "0".to_owned() } else { format!("{c:#x}") };
                format!("shfl.sync.{mode}.b32 {d}|{p}, {value}, {}, {c}, {mask}", operand(2))
            }
            Work::Vote { mode, result } => {
                let (d, value) = if result == "pred" { (p, value) } else { (d, value) };
                if given.get(1).is_some_and(|it| it.is_number) {
                    let message = format!("`{value}` is no predicate with a value for each lane");
                    let help = "write a name, and say with `--set` what it holds".to_owned();
                    return Err(refuse(message, Some(help)));
                }
                let bare = value.trim_start_matches('!');
                rules.push(format!("`{bare}` is true where the argument is not 0."));
                format!("vote.sync.{mode}.{result} {d}, {value}, {mask}")
            }
            Work::MatchAny => format!("match.any.sync.{bits} {d}, {value}, {mask}"),
            Work::MatchAll => {
                if given.get(2).is_some_and(|it| it.is_number) {
                    let message = format!("`{name}` takes the address of a variable, not a number");
                    return Err(refuse(message, Some(format!("write `{}`", self.usage()))));
                }
                // What the variable is called: the predicate.
                let p = operand(2);
                format!("match.all.sync.{bits} {d}|{p}, {value}, {mask}")
            }
            Work::Reduce { op, numbers } => {
                if ty.wide || ty.float {
                    let message = format!("`{name}` takes an `int` or an `unsigned`");
                    return Err(refuse(message, None));
                }
                let kind = match (numbers, ty.unsigned) {
                    (false, _) => "b32",
                    (true, true) => "u32",
                    (true, false) => {
                        rules.push(format!(
                            "`{value}` counts as an `int`: for the other form write `(unsigned){value}`."
                        ));
                        "s32"
                    }
                };
                format!("redux.sync.{op}.{kind} {d}, {value}, {mask}")
            }
            Work::ActiveMask => format!("activemask.b32 {d}"),
            Work::Wait if mask.is_empty() => "bar.warp.sync 0xffffffff".to_owned(),
            Work::Wait => format!("bar.warp.sync {mask}"),
        };
        Ok(Translated { instruction, rules })
    }

    /// `32 - width`, the bits of `c` that part a warp into segments.
    fn width(&self, given: Option<&Argument>) -> Result<u32, Error> {
        let Some(Argument { operand, .. }) = given else { return Ok(0) };
        match operand.parse::<u32>() {
            Ok(width @ (1 | 2 | 4 | 8 | 16 | 32)) => Ok(32 - width),
            _ => Err(refuse(
                format!("the width of `{}` is 1, 2, 4, 8, 16 or 32, not `{operand}`", self.0),
                Some(format!("write `{}`", self.usage())),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        translate(text).unwrap().map_or_else(|why| why.to_string(), |it| it.instruction)
    }

    // What nvcc 13 makes of the same calls, with registers for its numbered ones.
    #[test]
    fn calls_stand_for_instructions() {
        for (call, instruction) in [
            ("__shfl_up_sync(0xffffffff, a, 1)", "shfl.sync.up.b32 d|p, a, 1, 0, 0xffffffff"),
            ("__shfl_down_sync(~0u, a, 1, 8);", "shfl.sync.down.b32 d|p, a, 1, 0x181f, 0xffffffff"),
            ("__shfl_up_sync(m, a, b, 16)", "shfl.sync.up.b32 d|p, a, b, 0x1000, m"),
            ("__shfl_xor_sync(-1, p, 16)", "shfl.sync.bfly.b32 d|p1, p, 16, 0x1f, -1"),
            ("__shfl_sync( -1 , d , 0 , warpSize )", "shfl.sync.idx.b32 d1|p, d, 0, 0x1f, -1"),
            ("__all_sync(m, !x)", "vote.sync.all.pred p, !x, m"),
            ("__ballot_sync(0xffu, x)", "vote.sync.ballot.b32 d, x, 0xff"),
            ("__match_any_sync(-1, (long long) a)", "match.any.sync.b64 d, a, -1"),
            ("__match_all_sync(-1, a, &same)", "match.all.sync.b32 d|same, a, -1"),
            ("__reduce_min_sync(-1, a)", "redux.sync.min.s32 d, a, -1"),
            ("__reduce_min_sync(-1, (unsigned)a)", "redux.sync.min.u32 d, a, -1"),
            ("__reduce_or_sync(-1, a)", "redux.sync.or.b32 d, a, -1"),
            ("__activemask()", "activemask.b32 d"),
            ("__syncwarp()", "bar.warp.sync 0xffffffff"),
            ("__syncwarp(0xf0)", "bar.warp.sync 0xf0"),
        ] {
            assert_eq!(told(call), instruction, "{call}");
        }
    }

    #[test]
    fn every_function_has_an_instruction_that_is_explained() {
        for function in FUNCTIONS {
            let given = |parameter: &&'static str| match *parameter {
                "mask" => "-1",
                "width" => "4",
                other => other,
            };
            let given: Vec<&str> = function.1.iter().map(given).collect();
            let call = format!("{}({})", function.0, given.join(", "));
            let explained = super::super::explain(&call, lanes::LaneMask::FULL, &[]);
            assert!(explained.is_ok(), "{call}: {}", explained.unwrap_err());
        }
    }

    #[test]
    fn what_is_no_call_is_left_to_ptx() {
        for text in ["shfl.sync.up.b32 d|p, a, 1, 0, m", "@p vote.any.pred p, q", "add", ""] {
            assert!(translate(text).is_none(), "{text}");
        }
    }

    #[test]
    fn mistakes_are_told_with_what_is_right() {
        for (call, part) in [
            ("__shfl_upp_sync(-1, a, 1)", "`__shfl_up_sync(mask, value, delta[, width])`"),
            ("__shfl_xor(a, 1)", "`__shfl_xor_sync(mask, value, laneMask[, width])`"),
            ("__nothing_like_it()", "there are __shfl_sync"),
            ("__shfl_sync(-1, a)", "takes 3 or 4 arguments, not 2"),
            ("__ballot_sync(-1)", "takes 2 arguments, not 1"),
            ("__activemask(-1)", "takes 0 arguments, not 1"),
            ("__shfl_sync", "give one call"),
            ("__shfl_sync(-1, a, 0, 5)", "1, 2, 4, 8, 16 or 32, not `5`"),
            ("__shfl_sync(-1, a[f(0, 1)], 0)", "not `a[f(0, 1)]`"),
            ("__shfl_sync(-1, !a, 0)", "not `!a`"),
            ("__reduce_add_sync(-1, (float)a)", "takes an `int` or an `unsigned`"),
            ("__match_all_sync(-1, a, 0)", "the address of a variable"),
        ] {
            assert!(told(call).contains(part), "{call}: {}", told(call));
        }
    }
}
