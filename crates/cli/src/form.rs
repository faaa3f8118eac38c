//! What the JSON documents of all commands have.

use crate::status::Status;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::marker::PhantomData;
use warpwise::diag::{JsonDiagnostic, Log};

/// The version of every form so far. It grows when a field goes away or means something else; a new field leaves it as it is.
pub(crate) const VERSION: u32 = 1;

/// The document of a command.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Headed<'a, T> {
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
pub(crate) struct Versioned<T> {
    /// The form of this file: `warpwise schema` prints the schema of that name.
    schema: String,
    /// The version of the form.
    version: u32,
    #[serde(flatten)]
    body: T,
}

/// The form of a command's document; `T` is what it has and others have not.
pub(crate) struct Form<T> {
    pub(crate) name: &'static str,
    body: PhantomData<fn(&T)>,
}

impl<T: Serialize + JsonSchema> Form<T> {
    pub(crate) const fn new(name: &'static str) -> Form<T> {
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
