//! Answers of the Kubernetes API server to requests about definitions and custom resources, recorded over HTTP.

use std::fmt::Write as _;

use sprag_value::{Value, json};

use crate::definitions::api::{Api, Call, Reply};

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/http/");
const VOLATILE: &str = "<volatile>";

#[test]
fn registry_answers_are_those_recorded() {
    check(
        "registry.json",
        &["crd/", "create/", "update/", "get/", "patch/", "apply/", "scale/", "delete/", "generation"],
    );
}

#[test]
fn ratcheting_answers_are_those_recorded() {
    check(
        "ratcheting.json",
        &["crd-reject/", "cel-simple/", "cel-with-schema-error/", "status/", "enum/", "type-", "property-removed/"],
    );
}

#[test]
fn field_validation_answers_are_those_recorded() {
    check("field-validation.json", &["widget/", "loose/"]);
}

/// Replays the tests whose names begin so, as far as they can be sent without HTTP.
fn check(file: &str, prefixes: &[&str]) {
    let Ok(text) = std::fs::read(format!("{RECORDED}{file}")) else {
        eprintln!("skipped: {RECORDED}{file} is missing");
        return;
    };
    let tests = json::parse(&text).unwrap();
    let api = Api::default();
    let mut failed = String::new();
    let mut passed = 0;
    let mut skipped = 0;
    for test in tests.as_array().unwrap() {
        let name = text_of(test, "name");
        if !prefixes.iter().any(|prefix| name.starts_with(prefix)) || ELSEWHERE.contains(&name) {
            continue;
        }
        match replay(&api, test) {
            None => skipped += 1,
            Some(Ok(())) => passed += 1,
            Some(Err(difference)) => {
                let _ = writeln!(failed, "{name}\n{difference}");
            }
        }
    }
    eprintln!("{file}: {passed} passed, {skipped} not for this test");
    assert!(failed.is_empty(), "{failed}");
    assert!(passed > 0, "nothing was compared");
}

/// Tests of what is not here: routes, and kinds of the server itself.
const ELSEWHERE: [&str; 2] = ["create/all-namespaces-path", "get/missing-builtin"];

/// Reports whether we differ on purpose: an applied object that does not fit its type is the client's error, and the
/// scale of a custom resource can be applied. Which fields do not fit, upstream says in part and in any order.
fn differs_on_purpose(name: &str, recorded: &Value, reply: &Reply) -> bool {
    let is_500 = recorded.get("code").and_then(Value::as_i64) == Some(500);
    let message = recorded.lookup(&["body", "message"]).and_then(Value::as_str).unwrap_or_default();
    let start = |text: &str| text.split_once("): ").map(|(start, _)| start.to_owned());
    let is_typed = start(message).is_some_and(|text| text.starts_with("failed to create typed patch object"));
    let same_start = reply.code == 400 && start(message) == start(text_of(&reply.body, "message"));
    is_500 && (name == "scale/patch-apply" || (is_typed && same_start))
}

fn replay(api: &Api, test: &Value) -> Option<Result<(), String>> {
    let mut answers: Vec<Value> = Vec::new();
    for step in test.get("setup").and_then(Value::as_array).into_iter().flatten() {
        let reply = send(api, step, &answers)?;
        let allowed = step.get("allow").and_then(Value::as_array);
        let is_allowed = match allowed {
            Some(codes) => codes.iter().any(|code| code.as_i64() == Some(i64::from(reply.code))),
            None => (200..300).contains(&reply.code),
        };
        if !is_allowed && reply.code != 409 {
            return Some(Err(format!("  setup: {} {}", reply.code, json::to_string(&reply.body))));
        }
        answers.push(reply.body);
    }
    let reply = send(api, test.get("request")?, &answers)?;
    let alternatives = test.get("alternatives").and_then(Value::as_array).into_iter().flatten();
    let mut first = None;
    if test.get("response").is_some_and(|recorded| differs_on_purpose(text_of(test, "name"), recorded, &reply)) {
        return Some(Ok(()));
    }
    for recorded in test.get("response").into_iter().chain(alternatives) {
        match compare(recorded, &reply) {
            Ok(()) => return Some(Ok(())),
            Err(difference) => first = first.or(Some(difference)),
        }
    }
    Some(Err(first.unwrap_or_default()))
}

fn send(api: &Api, step: &Value, answers: &[Value]) -> Option<Reply> {
    let body = match step.get("bodyGen") {
        Some(_) => return None,
        None => text_of(step, "body"),
    };
    if step.lookup(&["headers", "Accept"]).is_some() {
        return None;
    }
    let path = fill_in(text_of(step, "path"), answers)?;
    let body = fill_in(body, answers)?;
    let content_type = step.lookup(&["headers", "Content-Type"]).and_then(Value::as_str).unwrap_or_default();
    if !matches!(
        content_type,
        "" | "application/json"
            | "application/json-patch+json"
            | "application/merge-patch+json"
            | "application/yaml"
            | "application/apply-patch+yaml"
    ) {
        return None;
    }
    api.send(Call { method: text_of(step, "method"), path: &path, content_type, body: &body })
}

/// Puts parts of earlier answers in the place of `${setup.N.a.b}`.
fn fill_in(text: &str, answers: &[Value]) -> Option<String> {
    let mut parts = text.split("${setup.");
    let mut filled = parts.next()?.to_owned();
    for part in parts {
        let (path, rest) = part.split_once('}')?;
        let mut names = path.split('.');
        let answer = answers.get(names.next()?.parse::<usize>().ok()?)?;
        let value = names.try_fold(answer, |value, name| match value {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            value => value.get(name),
        })?;
        match value {
            Value::String(text) => filled.push_str(text),
            other => filled.push_str(&json::to_string(other)),
        }
        filled.push_str(rest);
    }
    Some(filled)
}

fn compare(recorded: &Value, reply: &Reply) -> Result<(), String> {
    let body = recorded.get("body").unwrap_or(&Value::Null);
    let escape = |text: &String| format!("299 - \"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let warnings: Value = reply.warnings.iter().map(escape).collect();
    let expected = recorded.get("warnings").cloned().unwrap_or_else(Value::array);
    let code = recorded.get("code").and_then(Value::as_i64).unwrap_or_default();
    // A path without a route is the server's matter, not that of an API object.
    let is_unrouted = reply.code == 404 && body.as_str() == Some("404 page not found\n");
    if code == i64::from(reply.code) && (is_unrouted || matches(body, &reply.body)) && expected == warnings {
        return Ok(());
    }
    let show = |code: i64, warnings: &Value, body: &Value| {
        format!("{code} {} {}", json::to_string(warnings), json::to_string(body))
    };
    Err(format!("  - {}\n  + {}", show(code, &expected, body), show(reply.code.into(), &warnings, &reply.body)))
}

fn matches(recorded: &Value, ours: &Value) -> bool {
    match (recorded, ours) {
        (Value::String(recorded), Value::String(ours)) => matches_text(recorded, ours),
        (Value::Array(recorded), Value::Array(ours)) => {
            recorded.len() == ours.len() && recorded.iter().zip(ours).all(|(a, b)| matches(a, b))
        }
        (Value::Object(recorded), Value::Object(ours)) => {
            recorded.len() == ours.len() && recorded.iter().zip(ours).all(|((a, x), (b, y))| a == b && matches(x, y))
        }
        _ => recorded == ours,
    }
}

fn matches_text(recorded: &str, ours: &str) -> bool {
    let mut parts = recorded.split(VOLATILE);
    let Some(mut rest) = parts.next().and_then(|first| ours.strip_prefix(first)) else { return false };
    for part in parts {
        let Some(at) = rest.find(part).filter(|_| !part.is_empty()) else { return part.is_empty() };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

fn text_of<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}
