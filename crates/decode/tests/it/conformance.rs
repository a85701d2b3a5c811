//! The decode part of the recorded custom resource suite.

use sprag_decode::{Finding, Format, metadata, object};
use sprag_value::{Value, json};

const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/crd");

#[test]
fn texts_of_the_suite_are_decoded_as_recorded() {
    let Ok(folder) = std::fs::read_dir(SUITE) else {
        eprintln!("skipped: the recorded suite is missing");
        return;
    };
    let mut errors = 0;
    let mut strict = 0;
    let mut unknown = 0;
    for file in folder.map(|entry| entry.unwrap().path()) {
        let is_suite = file.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('_'))
            && file.extension().is_some_and(|extension| extension == "json");
        if !is_suite {
            continue;
        }
        #[expect(clippy::disallowed_methods, reason = "the suite is a folder of files")]
        let suite = std::fs::read_to_string(&file).unwrap();
        // One case per line; one of them has a number that no reader of values takes.
        for line in suite.lines().filter(|line| line.contains("\"op\":\"") && !line.contains("1e400")) {
            let case = json::parse(line.trim().trim_end_matches(',').as_bytes()).unwrap();
            let counts = check(&case);
            (errors, strict, unknown) = (errors + counts.0, strict + counts.1, unknown + counts.2);
        }
    }
    assert!(errors > 100 && strict > 0 && unknown > 50, "{errors} errors, {strict} strict, {unknown} unknown");
}

/// Compares what this crate decides; the numbers of errors, duplicates and unknown fields that were compared.
fn check(case: &Value) -> (usize, usize, usize) {
    let text = case
        .get("raw")
        .and_then(Value::as_str)
        .map_or_else(|| case.get("obj").map(json::to_string_plain).unwrap_or_default(), ToOwned::to_owned);
    let want = case.get("decodeError").and_then(Value::as_str).filter(|text| !is_of_schema(text));
    let decoded = match object::decode(Format::Json, text.as_bytes()) {
        Ok(decoded) => decoded,
        Err(error) => {
            assert_eq!(Some(error.to_string().as_str()), want, "{case:?}");
            return (1, 0, 0);
        }
    };
    let strict: Vec<Value> = decoded.findings.iter().map(|finding| Value::from(finding.to_string())).collect();
    let recorded = case.get("strictErrors").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(given) = decoded.value.get("metadata") else { return (0, strict.len(), 0) };
    let coerced = match metadata::coerce(given) {
        Ok(coerced) => coerced,
        Err(misfit) => {
            assert_eq!(Some(misfit.to_string().as_str()), want, "{case:?}");
            return (1, 0, 0);
        }
    };
    assert_eq!(None, want, "{case:?}");
    if case.get("decodeError").is_none() {
        assert_eq!(strict, recorded.as_slice(), "{case:?}");
        check_unknown(case, &coerced.findings);
    }
    (0, strict.len(), coerced.findings.len())
}

/// Errors below the root metadata, and about stored objects, come from a walk over the schema.
fn is_of_schema(text: &str) -> bool {
    text.contains("Invalid value") || text.starts_with("old: ")
}

fn check_unknown(case: &Value, findings: &[Finding]) {
    let recorded = case.get("unknownFields").and_then(Value::as_array).cloned().unwrap_or_default();
    let recorded: Vec<&str> =
        recorded.iter().filter_map(Value::as_str).filter(|path| path.starts_with("metadata.")).collect();
    let paths: Vec<String> = findings.iter().filter_map(Finding::path).map(|path| format!("metadata.{path}")).collect();
    assert_eq!(paths, recorded, "{case:?}");
}
