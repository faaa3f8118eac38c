//! Every form of document, and its schema. The field names are stable.

use crate::baseline::{self, Baseline};
use crate::form::{Headed, VERSION, Versioned};
use crate::status::Status;
use crate::{asm, check, disasm, exec, explain, info, isa, json, lint, lower, plan, run, sim};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use warpwise::diag::Log;

/// A schema that `warpwise schema` prints.
pub(crate) struct Listed {
    pub(crate) name: &'static str,
    /// What has this form.
    pub(crate) about: &'static str,
    schema: fn(&'static str) -> Value,
    /// The document of a command that was refused, for commands.
    pub(crate) refused: Option<fn(Status, &Log<'_>) -> String>,
}

impl Listed {
    /// The schema (JSON Schema 2020-12) as text.
    pub(crate) fn schema(&self) -> String {
        let mut schema = (self.schema)(self.name);
        schema["title"] = format!("warpwise {}", self.name).into();
        schema["description"] = self.about.into();
        serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
    }
}

/// Every form.
pub(crate) const ALL: &[Listed] = &[
    Listed {
        name: run::FORM.name,
        about: "What `warpwise run --format json` prints.",
        schema: headed::<json::Document>,
        refused: Some(|status, log| run::FORM.write(status, log, &Default::default())),
    },
    Listed {
        name: check::FORM.name,
        about: "What `warpwise check --format json` prints.",
        schema: headed::<json::Document>,
        refused: Some(|status, log| check::FORM.write(status, log, &Default::default())),
    },
    Listed {
        name: plan::FORM.name,
        about: "What `warpwise test --format json` prints.",
        schema: headed::<plan::Body>,
        refused: Some(|status, log| plan::FORM.write(status, log, &Default::default())),
    },
    Listed {
        name: "test-plan",
        about: "A test plan: what `warpwise test` reads. docs/test-plans.md explains every key.",
        schema: input::<plan::Plan>,
        refused: None,
    },
    Listed {
        name: info::FORM.name,
        about: "What `warpwise info --format json` prints.",
        schema: headed::<info::Body>,
        refused: Some(|status, log| info::FORM.write(status, log, &Default::default())),
    },
    Listed {
        name: lint::FORM.name,
        about: "What `warpwise lint --format json` prints.",
        schema: headed::<lint::Body>,
        refused: Some(|status, log| lint::FORM.write(status, log, &Default::default())),
    },
    Listed {
        name: "rules",
        about: "What `warpwise lint --list --format json` prints.",
        schema: plain::<Vec<lint::JsonRule>>,
        refused: None,
    },
    Listed {
        name: "finding",
        about: "The `finding` of a diagnostic of `check` and `sim --check`, also among the properties of a SARIF result. In a \
                mask, bit i stands for lane i. A `place` is an instruction: `locations` says where it stands.",
        schema: plain::<warpwise::Finding>,
        refused: None,
    },
    Listed {
        name: explain::FORM.name,
        about: "What `warpwise explain --format json` prints. In a mask, bit i stands for lane i.",
        schema: headed::<explain::Body>,
        refused: Some(|status, log| explain::FORM.write(status, log, &Default::default())),
    },
    Listed {
        name: asm::FORM.name,
        about: "What `warpwise asm --format json` prints.",
        schema: headed::<asm::Body>,
        refused: Some(|status, log| asm::FORM.write(status, log, &Default::default())),
    },
    Listed {
        name: disasm::FORM.name,
        about: "What `warpwise disasm --format json` prints.",
        schema: headed::<disasm::Body>,
        refused: Some(|status, log| disasm::FORM.write(status, log, &Default::default())),
    },
    Listed {
        name: sim::FORM.name,
        about: "What `warpwise sim --format json` prints. In a mask, bit i stands for lane i.",
        schema: headed::<sim::Body>,
        refused: Some(|status, log| sim::FORM.write(status, log, &Default::default())),
    },
    Listed {
        name: lower::FORM.name,
        about: "What `warpwise lower --format json` prints.",
        schema: headed::<lower::Body>,
        refused: Some(|status, log| lower::FORM.write(status, log, &Default::default())),
    },
    Listed {
        name: isa::CHECK.name,
        about: "What `warpwise isa check --format json` prints.",
        schema: headed::<isa::CheckBody>,
        refused: Some(|status, log| isa::CHECK.write(status, log, &Default::default())),
    },
    Listed {
        name: isa::LIST.name,
        about: "What `warpwise isa list --format json` prints.",
        schema: headed::<isa::ListBody>,
        refused: Some(|status, log| isa::LIST.write(status, log, &Default::default())),
    },
    Listed {
        name: exec::FORM.name,
        about: "What `warpwise exec --check --format json` writes.",
        schema: headed::<exec::Body>,
        refused: None,
    },
    Listed {
        name: baseline::FORM.name,
        about: "What `--write-baseline` writes and `--baseline` reads.",
        schema: file::<Baseline>,
        refused: None,
    },
];

/// The form of that name.
pub(crate) fn named(name: &str) -> Option<&'static Listed> {
    ALL.iter().find(|form| form.name == name)
}

/// The schema of what a type is written as.
pub(crate) fn plain<T: JsonSchema>(_: &'static str) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of what a type is read from. Editors of TOML know this version of JSON Schema best.
fn input<T: JsonSchema>(_: &'static str) -> Value {
    let settings = SchemaSettings::draft07().for_deserialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of a command's document.
fn headed<T: JsonSchema>(name: &'static str) -> Value {
    stamped(plain::<Headed<'_, T>>(name), name)
}

/// The schema of a file.
fn file<T: JsonSchema>(name: &'static str) -> Value {
    stamped(plain::<Versioned<T>>(name), name)
}

/// The schema with the name and version of its form.
fn stamped(mut schema: Value, name: &'static str) -> Value {
    schema["properties"]["schema"]["const"] = json!(name);
    schema["properties"]["version"]["const"] = json!(VERSION);
    schema
}
