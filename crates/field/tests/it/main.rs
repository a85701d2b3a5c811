//! The rendering of errors against what Kubernetes printed, where the recorded cases lie beside the repository.

use std::fs::File;
use std::io::BufReader;

use serde_json::Value;
use sprag_field::{BadValue, Error, ErrorKind, Path};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/validation-gen");

#[test]
fn recorded_messages_are_rendered_alike() {
    let Ok(files) = std::fs::read_dir(CASES) else {
        eprintln!("skipped: shared/conformance/validation-gen is missing");
        return;
    };
    let mut rows = 0;
    for file in files {
        let file = File::open(file.expect("the directory is readable").path()).expect("the file is readable");
        let package: Value = serde_json::from_reader(BufReader::new(file)).expect("the file is JSON");
        let cases = package["cases"].as_array().map_or(&[][..], Vec::as_slice);
        let errors = cases.iter().filter_map(|case| case["errors"].as_array()).flatten();
        rows += errors.filter(|error| check(error)).count();
    }
    assert!(rows > 15_000, "only {rows} rows");
}

#[test]
fn paths_of_any_depth_are_rendered_in_order() {
    fn check(path: &Path<'_>, depth: usize, expected: &str) {
        assert_eq!(path.to_string(), expected);
        if depth < 40 {
            check(&path.child("a"), depth + 1, &format!("{expected}.a"));
            check(&path.index(depth).key("b/c"), 40, &format!("{expected}[{depth}][b/c]"));
        }
    }
    check(&Path::new("spec"), 0, "spec");
}

/// Compares one message; composite values are not for this crate to render.
fn check(recorded: &Value) -> bool {
    let text = |name: &str| recorded[name].as_str().unwrap_or_default().to_owned();
    let value = match (text("badValueGoType").as_str(), &recorded["badValue"]) {
        ("omitted", _) => BadValue::Omitted,
        ("error", _) => BadValue::Internal(text("badValue")),
        ("string", Value::String(value)) => BadValue::Str(value.clone()),
        (_, Value::String(value)) => BadValue::json_str(value),
        (_, Value::Null) => BadValue::Nil,
        (go_type, value) if !go_type.contains("float") && !value.is_object() && !value.is_array() => {
            BadValue::Json(value.to_string())
        }
        _ => return false,
    };
    let kind = ErrorKind::from_reason(&text("type")).expect("the kind is known");
    let mut error = Error::new(kind, &Path::ROOT, value, text("detail"));
    error.field = text("field");
    assert_eq!(error.to_string(), text("message"));
    true
}
