//! The form of a test plan: what a file may say, as serde and the JSON schema read it.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// A value, and where it stands in the file.
#[derive(Clone, Debug)]
pub(super) struct At<T> {
    pub(super) is: T,
    pub(super) span: Range<usize>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::deserialize(deserializer)?;
        let span = spanned.span();
        Ok(At { is: spanned.into_inner(), span })
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A module: the path of a PTX file, or those of several that are linked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the path of a PTX file, or a list of such paths")]
pub(super) enum Files {
    /// A module alone.
    One(String),
    /// One program of several.
    Linked(Vec<String>),
}

impl Files {
    /// The paths.
    pub(super) fn paths(&self) -> &[String] {
        match self {
            Files::One(path) => std::slice::from_ref(path),
            Files::Linked(paths) => paths,
        }
    }
}

/// A test plan of Warpwise: kernels that run with given inputs, and what must come of it. docs/test-plans.md explains every
/// key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Plan {
    /// The only module: the path of a PTX file, from the folder of the plan on; or a list of several that are linked.
    pub(super) module: Option<At<Files>>,
    /// Several modules: the paths of PTX files by the names that launches call them by; or lists of those that are linked.
    #[serde(default)]
    pub(super) modules: BTreeMap<String, At<Files>>,
    /// Run as if the modules were written for this architecture, such as `sm_90`.
    pub(super) target: Option<At<String>>,
    /// Look for undefined code, races and deadlocks in every launch, as `warpwise check` does.
    pub(super) check: Option<bool>,
    /// Buffers that every test may use, by their names. Every test begins with buffers of its own.
    #[serde(default)]
    pub(super) buffers: BTreeMap<String, At<String>>,
    /// The tests.
    #[serde(default)]
    pub(super) test: Vec<At<Test>>,
}

/// Launches that run one after another on the same memory, and what must come of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Test {
    /// What the test is called.
    pub(super) name: At<String>,
    /// Why the test is not run.
    pub(super) ignore: Option<String>,
    /// Run as if the modules were written for this architecture, such as `sm_90`.
    pub(super) target: Option<At<String>>,
    /// Look for undefined code, races and deadlocks in every launch.
    pub(super) check: Option<bool>,
    /// Findings that do not fail the test: codes such as `R002`.
    #[serde(default)]
    pub(super) allow: Vec<At<String>>,
    /// Buffers by their names: what they hold before the first launch, such as `f32[64]=iota` or `@input.npy`.
    #[serde(default)]
    pub(super) buffers: BTreeMap<String, At<String>>,
    /// What variables of the modules hold before the first launch, by their names in C++ or PTX.
    #[serde(default)]
    pub(super) set: BTreeMap<String, At<String>>,
    /// The launches, in order.
    #[serde(default)]
    pub(super) launch: Vec<At<Launch>>,
    /// What buffers and variables must hold after the last launch.
    #[serde(default)]
    pub(super) expect: Vec<At<Expect>>,
}

/// One launch of a kernel.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Launch {
    /// The kernel, by its name in C++ or PTX. May be left out if the module has one kernel.
    pub(super) kernel: Option<At<String>>,
    /// The module that has it. May be left out if the plan has one module.
    pub(super) module: Option<At<String>>,
    /// Extents of the grid in CTAs: a number, or up to three.
    pub(super) grid: At<Numbers>,
    /// Extents of a CTA in threads: a number, or up to three.
    pub(super) block: At<Numbers>,
    /// Extents of a cluster in CTAs: a number, or up to three. Without them, those that the kernel requires, or one CTA.
    pub(super) cluster: Option<At<Numbers>>,
    /// Bytes of dynamic shared memory.
    #[serde(default)]
    pub(super) smem: u32,
    /// Bytes of the stack of each thread; 16,384 without.
    pub(super) stack: Option<u32>,
    /// An argument for each parameter, in order: `&NAME` for a buffer of the plan or a variable, or whatever `--arg` takes,
    /// such as `u32:1000`.
    #[serde(default)]
    pub(super) args: Vec<At<String>>,
    /// What variables of the module hold from this launch on, by their names in C++ or PTX.
    #[serde(default)]
    pub(super) set: BTreeMap<String, At<String>>,
    /// Look for undefined code, races and deadlocks.
    pub(super) check: Option<bool>,
    /// Check under so many other schedules, too.
    pub(super) explore: Option<At<u64>>,
    /// Findings that must be found: codes such as `W010`. All others fail the test.
    pub(super) expect_findings: Option<Vec<At<String>>>,
    /// The kernel must be stopped by this. Nothing runs after it.
    pub(super) expect_fault: Option<At<FaultWord>>,
    /// What the kernel must print.
    pub(super) expect_printed: Option<At<String>>,
    /// How free choices are made: `fair`, `seed:N`, or a schedule that a report has shown.
    pub(super) schedule: Option<At<String>>,
    /// Stop the kernel after so many warp instructions.
    pub(super) max_steps: Option<u64>,
}

/// What stops a kernel.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FaultWord {
    /// An access outside every allocation.
    OutOfBounds,
    /// An address that is not a multiple of the access's size.
    Misaligned,
    /// A write of constant memory.
    Constant,
    /// `trap`.
    Trap,
    /// A failed `assert`.
    Assertion,
    /// A call of what is no function.
    BadCall,
    /// A `free` of what no `malloc` returned, or of what was freed before.
    BadFree,
    /// A reduction in a surface by a format that it has not.
    BadSurface,
    /// A copy of a box of a tensor by what is no map of such a tensor.
    BadTensor,
    /// A call, or `alloca`, for which the stack has no room.
    StackOverflow,
    /// A barrier that no CTA can complete.
    BadBarrier,
    /// Lanes that wait for each other.
    Deadlock,
    /// `max-steps`.
    StepLimit,
}

/// What a buffer or a variable must hold.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Expect {
    /// A buffer of the plan, or a variable of a module; `NAME:TYPE` says what its bytes are.
    pub(super) of: At<String>,
    /// The module that has the variable. May be left out if one module alone has it.
    pub(super) module: Option<At<String>>,
    /// A file (`@F.npy`), a pattern (`u32[64]=iota`), one value for all elements (`u32:0`), another buffer (`&NAME`), or a
    /// list of values.
    pub(super) equals: At<Values>,
    /// Compare only so many elements, from the first on.
    pub(super) first: Option<u64>,
    /// Allowed is `atol + rtol * |expected|`. Without `rtol` and `atol`, every bit counts.
    pub(super) rtol: Option<At<f64>>,
    /// See `rtol`.
    pub(super) atol: Option<At<f64>>,
}

/// A number, or a list of them.
#[derive(Clone, Debug)]
pub(super) struct Numbers(pub(super) Vec<u64>);

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Seen;
        impl<'de> Visitor<'de> for Seen {
            type Value = Numbers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a list of up to three")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Numbers, E> {
                let value = u64::try_from(value);
                value.map(|value| Numbers(vec![value])).map_err(|_| E::custom("it is negative"))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Numbers, E> {
                Ok(Numbers(vec![value]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Numbers, A::Error> {
                let mut all = Vec::new();
                while let Some(value) = seq.next_element()? {
                    all.push(value);
                }
                Ok(Numbers(all))
            }
        }
        deserializer.deserialize_any(Seen)
    }
}

impl JsonSchema for Numbers {
    fn schema_name() -> Cow<'static, str> {
        "Extents".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let number = json_schema!({ "type": "integer", "minimum": 1 });
        json_schema!({
            "oneOf": [number, { "type": "array", "items": number, "minItems": 1, "maxItems": 3 }]
        })
    }
}

/// What is expected: a SPEC, or a list of values in words.
#[derive(Clone, Debug)]
pub(super) enum Values {
    Spec(String),
    List(Vec<String>),
}

/// A number in a list, as `--arg` takes it.
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Seen;
        impl Visitor<'_> for Seen {
            type Value = Word;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or one in quotes")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Word, E> {
                Ok(Word(value.to_string()))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Word, E> {
                Ok(Word(value.to_string()))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Word, E> {
                Ok(Word(value.to_string()))
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Word, E> {
                Ok(Word(value.to_owned()))
            }
        }
        deserializer.deserialize_any(Seen)
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Seen;
        impl<'de> Visitor<'de> for Seen {
            type Value = Values;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a SPEC such as \"@expected.npy\", or a list of numbers")
            }

            fn visit_str<E: Error>(self, spec: &str) -> Result<Values, E> {
                Ok(Values::Spec(spec.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Values, A::Error> {
                let mut all = Vec::new();
                while let Some(Word(word)) = seq.next_element()? {
                    all.push(word);
                }
                Ok(Values::List(all))
            }
        }
        deserializer.deserialize_any(Seen)
    }
}

impl JsonSchema for Values {
    fn schema_name() -> Cow<'static, str> {
        "Values".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "oneOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": ["number", "string"] } }
            ]
        })
    }
}
