//! Answers recorded calls with generated validators: one request per line in, one answer per line out.

mod generated;
mod hooks;

use std::io::{BufRead, Write};

use sprag_field::Stage;
use sprag_checks::{Errors, Op, Options, Request};
use sprag_value::{Value, json};

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("requests are text");
        let request = json::parse(line.as_bytes()).expect("requests are JSON");
        writeln!(out, "{}", json::to_string(&answer(&request))).expect("answers can be written");
    }
}

/// The errors of one request, or a text where the objects cannot be read.
fn answer(request: &Value) -> Value {
    let text = |name: &str| request.get(name).and_then(Value::as_str).unwrap_or_default();
    let entry = generated::VALIDATORS.iter().find(|entry| entry.package == text("package") && entry.name == text("type"));
    let Some(entry) = entry else { return Value::array() };
    let options: Options = request
        .get("options")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|options| options.iter())
        .map(|(name, on)| (name.as_str(), on.as_bool() == Some(true)))
        .collect();
    let op = if text("op") == "update" { Op::Update } else { Op::Create };
    let context = Request { op, options: &options, subresource: text("subresource"), beta: request.get("beta").and_then(Value::as_bool) == Some(true) };
    let null = Value::Null;
    let old = request.get("old").filter(|old| !old.is_null());
    let mut errors = Errors::new();
    match (entry.validate)(&context, request.get("obj").unwrap_or(&null), old, &mut errors) {
        Ok(()) => errors.iter().map(error).collect(),
        Err(failure) => Value::from(failure.to_string()),
    }
}

fn error(error: &sprag_field::Error) -> Value {
    let mut value = Value::object();
    value.insert("type", error.kind.reason());
    value.insert("field", error.field.as_str());
    value.insert("detail", error.detail.as_ref());
    value.insert("origin", error.origin.as_ref());
    value.insert("message", error.to_string());
    value.insert("shortCircuit", error.short_circuit);
    value.insert("level", if error.stage == Stage::Stable { "" } else { error.stage.name() });
    value
}
