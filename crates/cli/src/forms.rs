//! The JSON documents of the commands: what all of them have, and their schemas. The field names are stable.

use crate::baseline::Baseline;
use crate::status::Status;
use crate::{asm, disasm, explain, info, isa, json, lint, lower, plan, sim};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::marker::PhantomData;
use warpwise::diag::{JsonDiagnostic, Log};

/// The version of every form so far. It grows when a field goes away or means something else; a new field leaves it as it is.
const VERSION: u32 = 1;

/// The document of a command.
#[derive(Serialize, JsonSchema)]
struct Headed<'a, T> {
    /// The form of this document: `warpwise schema` prints the schema of that name.
    schema: &'static str,
    /// The version of the form. It grows when a field goes away or means something else; a new field leaves it as it is.
    version: u32,
    /// How the command ended, as its exit status says.
    status: Status,
    #[serde(flatten)]
    body: &'a T,
    /// What the command has to say. Of a command that was refused, why.
    diagnostics: Vec<JsonDiagnostic>,
}

/// A file that a command writes and reads again.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Versioned<T> {
    /// The form of this file: `warpwise schema` prints the schema of that name.
    schema: String,
    /// The version of the form.
    version: u32,
    #[serde(flatten)]
    body: T,
}

/// The form of a command's document; `T` is what it has and others have not.
pub(crate) struct Form<T> {
    name: &'static str,
    body: PhantomData<fn(&T)>,
}

pub(crate) const RUN: Form<json::Document> = Form::new("run");
pub(crate) const CHECK: Form<json::Document> = Form::new("check");
pub(crate) const TEST: Form<plan::Body> = Form::new("test");
pub(crate) const INFO: Form<info::Body> = Form::new("info");
pub(crate) const LINT: Form<lint::Body> = Form::new("lint");
pub(crate) const EXPLAIN: Form<explain::Body> = Form::new("explain");
pub(crate) const ASM: Form<asm::Body> = Form::new("asm");
pub(crate) const DISASM: Form<disasm::Body> = Form::new("disasm");
pub(crate) const SIM: Form<sim::Body> = Form::new("sim");
pub(crate) const LOWER: Form<lower::Body> = Form::new("lower");
pub(crate) const ISA_CHECK: Form<isa::CheckBody> = Form::new("isa-check");
pub(crate) const ISA_LIST: Form<isa::ListBody> = Form::new("isa-list");
pub(crate) const BASELINE: Form<Baseline> = Form::new("baseline");

impl<T: Serialize + JsonSchema> Form<T> {
    const fn new(name: &'static str) -> Form<T> {
        Form { name, body: PhantomData }
    }

    /// The document on one line.
    pub(crate) fn write(&self, status: Status, log: &Log<'_>, body: &T) -> String {
        let document = self.headed(status, log.json(), body);
        serde_json::to_string(&document).unwrap_or_default() + "\n"
    }

    /// The document without its diagnostics, for formats that have those in their own way.
    pub(crate) fn properties(&self, status: Status, body: &T) -> Value {
        let document = self.headed(status, Vec::new(), body);
        let mut value = serde_json::to_value(document).unwrap_or_default();
        if let Value::Object(fields) = &mut value {
            fields.remove("diagnostics");
        }
        value
    }

    fn headed<'a>(
        &self,
        status: Status,
        diagnostics: Vec<JsonDiagnostic>,
        body: &'a T,
    ) -> Headed<'a, T> {
        Headed { schema: self.name, version: VERSION, status, body, diagnostics }
    }
}

impl<T: Serialize + DeserializeOwned + Clone> Form<T> {
    /// The text of a file.
    pub(crate) fn file(&self, body: &T) -> String {
        let file = Versioned { schema: self.name.to_owned(), version: VERSION, body: body.clone() };
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// Reads the text of a file; or why it is none of this form.
    pub(crate) fn read(&self, text: &str) -> Result<T, String> {
        let file: Versioned<T> = serde_json::from_str(text).map_err(|why| why.to_string())?;
        match (file.schema == self.name, file.version) {
            (false, _) => Err(format!("its schema is `{}`, not `{}`", file.schema, self.name)),
            (true, VERSION) => Ok(file.body),
            (true, version) => Err(format!("it is of version {version}, and {VERSION} is known")),
        }
    }
}

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
        name: RUN.name,
        about: "What `warpwise run --format json` prints.",
        schema: headed::<json::Document>,
        refused: Some(|status, log| RUN.write(status, log, &Default::default())),
    },
    Listed {
        name: CHECK.name,
        about: "What `warpwise check --format json` prints.",
        schema: headed::<json::Document>,
        refused: Some(|status, log| CHECK.write(status, log, &Default::default())),
    },
    Listed {
        name: TEST.name,
        about: "What `warpwise test --format json` prints.",
        schema: headed::<plan::Body>,
        refused: Some(|status, log| TEST.write(status, log, &Default::default())),
    },
    Listed {
        name: "test-plan",
        about: "A test plan: what `warpwise test` reads. docs/test-plans.md explains every key.",
        schema: input::<plan::Plan>,
        refused: None,
    },
    Listed {
        name: INFO.name,
        about: "What `warpwise info --format json` prints.",
        schema: headed::<info::Body>,
        refused: Some(|status, log| INFO.write(status, log, &Default::default())),
    },
    Listed {
        name: LINT.name,
        about: "What `warpwise lint --format json` prints.",
        schema: headed::<lint::Body>,
        refused: Some(|status, log| LINT.write(status, log, &Default::default())),
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
        name: EXPLAIN.name,
        about: "What `warpwise explain --format json` prints. In a mask, bit i stands for lane i.",
        schema: headed::<explain::Body>,
        refused: Some(|status, log| EXPLAIN.write(status, log, &Default::default())),
    },
    Listed {
        name: ASM.name,
        about: "What `warpwise asm --format json` prints.",
        schema: headed::<asm::Body>,
        refused: Some(|status, log| ASM.write(status, log, &Default::default())),
    },
    Listed {
        name: DISASM.name,
        about: "What `warpwise disasm --format json` prints.",
        schema: headed::<disasm::Body>,
        refused: Some(|status, log| DISASM.write(status, log, &Default::default())),
    },
    Listed {
        name: SIM.name,
        about: "What `warpwise sim --format json` prints. In a mask, bit i stands for lane i.",
        schema: headed::<sim::Body>,
        refused: Some(|status, log| SIM.write(status, log, &Default::default())),
    },
    Listed {
        name: LOWER.name,
        about: "What `warpwise lower --format json` prints.",
        schema: headed::<lower::Body>,
        refused: Some(|status, log| LOWER.write(status, log, &Default::default())),
    },
    Listed {
        name: ISA_CHECK.name,
        about: "What `warpwise isa check --format json` prints.",
        schema: headed::<isa::CheckBody>,
        refused: Some(|status, log| ISA_CHECK.write(status, log, &Default::default())),
    },
    Listed {
        name: ISA_LIST.name,
        about: "What `warpwise isa list --format json` prints.",
        schema: headed::<isa::ListBody>,
        refused: Some(|status, log| ISA_LIST.write(status, log, &Default::default())),
    },
    Listed {
        name: BASELINE.name,
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
