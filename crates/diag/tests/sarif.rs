//! Documents against the schema of SARIF 2.1.0 (`sarif-2.1.0.json`, as OASIS publishes it, with
//! the pattern of language tags from its errata).

use warpwise_diag::{Diagnostic, Log, RuleInfo, Severity, Sources, Span, Suppression, sarif};

fn rules() -> Vec<RuleInfo<'static>> {
    vec![
        RuleInfo {
            code: "P021",
            name: "modifier",
            summary: "Modifiers are those of a form.",
            details: "9.1",
            severity: Severity::Error,
        },
        RuleInfo {
            code: "P101",
            name: "deprecated-form",
            summary: "A deprecated form is missing on newer targets.",
            details: "9.7.9.5",
            severity: Severity::Warning,
        },
    ]
}

fn check(document: &serde_json::Value) {
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("sarif-2.1.0.json")).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let wrong: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{document:#}");
}

#[test]
fn documents_follow_the_schema() {
    let mut sources = Sources::new();
    let file = sources.add("a b/k.ptx", ".version 8.0\nshfl.sync.left.b32 d, a;\n");
    let span = Span::new(file, 22, 27);
    let diagnostics = [
        Diagnostic::error(span, "`.left` is not a modifier of `shfl`")
            .code("P021")
            .label(span, "here")
            .label(Span::new(file, 0, 12), "the version")
            .note("the form is …")
            .help("use `.up`")
            .fix(span, ".up"),
        Diagnostic::warning(Span::new(file, 0, 0), "at the beginning"),
        Diagnostic::new(Severity::Note, warpwise_diag::Class::Unsupported, "nowhere").code("P900"),
    ];
    let document = sarif(&sources, &diagnostics, &rules());
    check(&document);
    check(&sarif(&Sources::new(), &[], &[]));
    let results = &document["runs"][0]["results"];
    assert_eq!(results[0]["ruleId"], "P021");
    assert_eq!(results[0]["ruleIndex"], 0);
    assert_eq!(results[0]["level"], "error");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b/k.ptx");
    assert_eq!(
        place["region"],
        serde_json::json!({ "startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 15 })
    );
    assert_eq!(
        results[0]["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"],
        ".up"
    );
    assert_eq!(results[2]["locations"].as_array().map(Vec::len), Some(0));
}

#[test]
fn what_is_accepted_is_a_suppressed_result() {
    let mut sources = Sources::new();
    let file = sources.add("k.ptx", "ret;\n");
    let mut accepted = Diagnostic::error(Span::new(file, 0, 3), "x").code("W001");
    accepted.suppressed = Some(Suppression::Baseline);
    accepted.functions = vec!["_Z4scanPi".to_owned()];
    let found = [accepted, Diagnostic::error(Span::new(file, 0, 3), "x").code("W001")];
    let document = sarif(&sources, &found, &[]);
    check(&document);
    let results = &document["runs"][0]["results"];
    assert_eq!(results[0]["suppressions"][0]["kind"], "external");
    assert_eq!(results[0]["suppressions"][0]["status"], "accepted");
    assert_eq!(results[1]["suppressions"], serde_json::json!([]));
    assert_eq!(
        results[0]["locations"][0]["logicalLocations"],
        serde_json::json!([{ "decoratedName": "_Z4scanPi", "kind": "function" }])
    );
    // The others leave it out, and its fingerprint stays its own.
    let log = Log { told: vec![(&sources, &found)], ..Log::default() };
    assert_eq!(log.github().lines().count(), 1);
    let told = log.json();
    assert_eq!(told.len(), 1);
    assert!(told[0].fingerprint.ends_with(":2"));
}

#[test]
fn the_schema_refuses_what_is_no_sarif() {
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("sarif-2.1.0.json")).expect("the schema is JSON");
    let wrong = serde_json::json!({ "version": "2.1.0", "runs": [{ "results": 5 }] });
    assert!(!jsonschema::is_valid(&schema, &wrong));
}
