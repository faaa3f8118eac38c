//! What comes of launches, as the package reads it: JSON with the fields of its documents.

use serde_json::{Map, Value, json};
use warpwise::diag::{Diagnostic, Log, Sources, render};
use warpwise::{Checked, Error, ExploreEnd, Printed, Stage, Stats};

/// Diagnostics as documents carry them, each with its text for people.
fn diagnostics(sources: &Sources, told: &[Diagnostic]) -> Vec<Value> {
    let log = Log { told: vec![(sources, told)], ..Log::default() };
    let with_text = |(data, diagnostic): (_, &Diagnostic)| {
        let mut data = serde_json::to_value(data).unwrap_or_default();
        if let Some(fields) = data.as_object_mut() {
            let text = |colour| Value::from(render::text(sources, diagnostic, colour));
            fields.insert("text".to_owned(), text(false));
            fields.insert("coloured".to_owned(), text(true));
        }
        data
    };
    log.json().into_iter().zip(told).map(with_text).collect()
}

fn text(printed: &Printed) -> String {
    String::from_utf8_lossy(&printed.text()).into_owned()
}

/// Counts by their names.
pub(crate) fn counts(stats: &Stats) -> Map<String, Value> {
    let Stats { warp_instructions, thread_instructions, divergences, ctas, threads } = *stats;
    let rows = [
        ("warp_instructions", warp_instructions),
        ("thread_instructions", thread_instructions),
        ("divergences", divergences),
        ("ctas", ctas),
        ("threads", threads),
    ];
    rows.into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect()
}

/// A module or a launch that failed.
pub(crate) fn failure(error: &Error) -> Value {
    let class = match error {
        Error::BadInput(_) => "bad-input",
        Error::Unsupported(_) => "unsupported",
        Error::Limit(_) => "limit",
        Error::Undefined(_) => "undefined",
        Error::Bug(_) | _ => "bug",
    };
    let failure = error.failure();
    let stage = match failure.stage {
        Stage::Module => "module",
        Stage::Launch => "launch",
        Stage::Run | _ => "run",
    };
    json!({
        "class": class,
        "stage": stage,
        "fault": failure.fault.as_ref().map(|fault| fault.kind.word()),
        "diagnostics": diagnostics(&failure.sources, &failure.diagnostics),
        "printed": text(&failure.printed),
    })
}

/// What a check has shown.
pub(crate) fn checked(kernel: &str, checked: &Checked) -> Value {
    let explored = checked.explored.map(|coverage| {
        json!({ "schedules": coverage.schedules, "covered": coverage.end == ExploreEnd::Covered })
    });
    json!({
        "kernel": kernel,
        "diagnostics": diagnostics(&checked.sources, &checked.diagnostics),
        "fault": checked.fault.as_ref().map(|fault| fault.kind.word()),
        "printed": text(&checked.report.printed),
        "stats": counts(&checked.report.stats),
        "seconds": checked.report.elapsed.as_secs_f64(),
        "runs": checked.runs,
        "dropped": checked.dropped,
        "order_matters": checked.order_matters,
        "explored": explored,
        "sarif": Log { told: vec![(&*checked.sources, checked.diagnostics.as_slice())], ..Log::default() }.sarif(),
    })
}
