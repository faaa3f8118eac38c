//! `warpwise schema`.

use crate::arguments::SchemaArguments;
use crate::forms;
use crate::report::{self, Stop};
use crate::status::Status;
use warpwise::nearest;

/// Prints a schema, or which there are.
pub(crate) fn run(arguments: &SchemaArguments) -> Status {
    let Some(name) = &arguments.form else {
        let line = |form: &forms::Listed| format!("{:9}  {}\n", form.name, form.about);
        return report::print(&forms::ALL.iter().map(line).collect::<String>(), Status::Fine);
    };
    let name = name.join("-");
    report::finish(forms::named(&name).map(forms::Listed::schema).ok_or_else(|| {
        let names = forms::ALL.iter().map(|form| form.name);
        let help = match nearest(&name, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", names.collect::<Vec<_>>().join(", ")),
        };
        Stop::usage(format!("no document has the form `{name}`")).help(&help)
    }))
}
