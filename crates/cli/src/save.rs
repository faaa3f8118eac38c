//! `warpwise run --save`: the launch as a file.

use crate::arguments::RunArguments;
use crate::prepared::Prepared;
use crate::report::Stop;
use crate::spec::Subject;
use std::path::Path;
use warpwise::diag::Class;
use warpwise::{Arg, DEFAULT_STACK, HEAP_LIMIT, LaunchConfig, Saving, ptx_of_file};

/// Takes note of a launch before it runs.
pub(crate) fn begin(arguments: &RunArguments, prepared: &Prepared) -> Result<Saving, Stop> {
    let refuse = |why: &str| Err(Stop::usage(format!("--save: {why}")));
    let [file] = arguments.modules.as_slice() else {
        return refuse("the program is linked of several modules; a launch of one can be saved");
    };
    if arguments.target.is_some() {
        return refuse("other drivers know no --target; write it into the module");
    }
    if (arguments.stack, arguments.heap) != (DEFAULT_STACK, HEAP_LIMIT) {
        return refuse("other drivers have limits of their own: leave --stack and --heap out");
    }
    let is_texture = |arg: &Arg, has_memory: bool| has_memory && matches!(arg, Arg::Scalar(_));
    if prepared.made.iter().any(|made| is_texture(&made.arg, made.array.is_some())) {
        return refuse("textures and surfaces are not saved");
    }
    let config = LaunchConfig {
        cluster: arguments.cluster,
        dynamic_shared: arguments.smem,
        ..LaunchConfig::new(arguments.grid, arguments.block)
    };
    let texts = ptx_of_file(file)?;
    let [ptx] = texts.as_slice() else {
        return refuse("the file has several modules; a launch of one can be saved");
    };
    let set: Vec<&str> = prepared.set.iter().map(|(name, _)| name.as_str()).collect();
    let Prepared { module, kernel, device, .. } = prepared;
    Ok(Saving::new(device, (module, &ptx.text), (kernel, &prepared.args()), &config, &set)?)
}

/// Writes a launch that has run.
pub(crate) fn end(
    mut saving: Saving,
    arguments: &RunArguments,
    prepared: &mut Prepared,
    file: &Path,
) -> Result<(), Stop> {
    for what in arguments.outs.iter().chain(&arguments.expects).map(|out| &out.what) {
        let buffer = prepared.selected(what, "--out")?.buffer;
        let variable = match &what.subject {
            Subject::Argument(..) => None,
            Subject::Name(name) => {
                let params = prepared.kernel.params();
                match params.iter().any(|param| param.name == *name) {
                    true => None,
                    false => Some(prepared.module.variable(name)?.name().to_owned()),
                }
            }
        };
        saving.keep(&prepared.device, buffer, variable.as_deref())?;
    }
    let failed = |why: String| {
        Stop::new(
            crate::status::Status::Rejected,
            Class::BadInput,
            format!("{}: {why}", file.display()),
        )
    };
    let text = serde_json::to_string(&saving.done()).map_err(|why| failed(why.to_string()))?;
    std::fs::write(file, text).map_err(|why| failed(why.to_string()))
}
