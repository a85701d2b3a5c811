//! Answers beside the recorded ones.

use std::fmt::Write as _;

use sprag_value::{Value, json};

use super::forge;
use super::wire::{Answer, Tolerance};
use crate::suite::http::client::Received;
use crate::volatile::{Placeholders, fits_kind};

/// The headers that were recorded, where any were.
const HEADERS: [&str; 10] = [
    "Content-Type",
    "Cache-Control",
    "WWW-Authenticate",
    "X-Content-Type-Options",
    "Allow",
    "Retry-After",
    "Location",
    "Vary",
    "Etag",
    "Warning",
];

/// The placeholders of values that change from run to run.
pub(super) const PLACEHOLDERS: Placeholders = Placeholders {
    names: &[
        "<uid>",
        "<time>",
        "<rv>",
        "<token>",
        "<kid>",
        "<modulus>",
        "<sha256>",
        "<port>",
        "<age>",
        "<volatile>",
        "<binary Status>",
        "<…>",
    ],
    fits,
};

/// True if a value can be what a placeholder stands for.
fn fits(name: &str, ours: &Value) -> bool {
    let text = ours.as_str().unwrap_or_default();
    match name {
        "<sha256>" => text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit()),
        _ => fits_kind(name, ours),
    }
}

/// Returns the differences from the recorded answer, as printable lines; empty if there are none.
pub(super) fn differences(recorded: &Answer, got: &Received, tolerance: Tolerance) -> String {
    let mut text = String::new();
    if recorded.code != got.code {
        let _ = writeln!(text, "  code: {} recorded, {} ours", recorded.code, got.code);
    }
    match &recorded.headers {
        Some(headers) => {
            for name in HEADERS {
                let want = texts(headers.get(name));
                let ours = got.headers(name);
                let same = |(want, ours): (&String, &String)| PLACEHOLDERS.same_text(want, ours);
                if want.len() != ours.len() || !want.iter().zip(&ours).all(same) {
                    let _ = writeln!(text, "  {name}: {want:?} recorded, {ours:?} ours");
                }
            }
        }
        None if recorded.warnings != got.warnings() => {
            let _ = writeln!(text, "  warnings: {:?} recorded, {:?} ours", recorded.warnings, got.warnings());
        }
        None => {}
    }
    body_differences(recorded, got, tolerance, &mut text);
    text
}

/// A text, or the texts of a list.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        value => value.and_then(Value::as_str).map(str::to_owned).into_iter().collect(),
    }
}

fn body_differences(recorded: &Answer, got: &Received, tolerance: Tolerance, text: &mut String) {
    let parsed = json::parse(&got.body).ok();
    if let Some(kind) = &recorded.kind {
        let ours = parsed.as_ref().map(|body| body.get("kind").cloned().unwrap_or_default());
        if ours.as_ref() != Some(kind) {
            let _ = writeln!(text, "  kind: {kind:?} recorded, {ours:?} ours");
        }
    }
    if recorded.text && parsed.is_some() {
        let _ = writeln!(text, "  body: a text recorded, JSON ours");
    }
    if let Some(jwt) = &recorded.jwt {
        let token = parsed.as_ref().and_then(|body| body.lookup(&["status", "token"])).and_then(Value::as_str);
        let ours = token.and_then(forge::parts).map(|(header, claims)| relative(header, claims)).unwrap_or_default();
        PLACEHOLDERS.lines("jwt.", jwt, &ours, text);
    }
    match (&recorded.body, parsed) {
        (Some(Value::String(want)), _) => {
            let ours = String::from_utf8_lossy(&got.body);
            if !PLACEHOLDERS.same_text(want, &ours) {
                let _ = writeln!(text, "  body: {want:?} recorded, {ours:?} ours");
            }
        }
        (Some(want), Some(ours)) => {
            let ordered = |value: &Value| tolerated(value.clone(), tolerance);
            PLACEHOLDERS.lines("", &ordered(want), &ordered(&ours), text);
        }
        (Some(want), None) => {
            let ours = String::from_utf8_lossy(&got.body);
            let _ = writeln!(text, "  body: {} recorded, {ours:?} ours", json::to_string_plain(want));
        }
        (None, _) => {}
    }
}

/// A token with times relative to when it was issued.
fn relative(header: Value, mut claims: Value) -> Value {
    let issued = claims.get("iat").and_then(Value::as_i64).unwrap_or_default();
    let relate = |object: Option<&mut Value>, name: &str| {
        let Some(object) = object else { return };
        let Some(at) = object.get(name).and_then(Value::as_i64) else { return };
        let text = if at == issued { "<iat>".to_owned() } else { format!("<iat+{}>", at - issued) };
        object.insert(name, text);
    };
    relate(Some(&mut claims), "exp");
    relate(Some(&mut claims), "nbf");
    relate(claims.get_mut("kubernetes.io"), "warnafter");
    let mut token = Value::object();
    token.insert("header", header);
    token.insert("claims", claims);
    token
}

/// The value with what may differ in one form, and without managed fields.
fn tolerated(mut value: Value, tolerance: Tolerance) -> Value {
    if let Some(metadata) = value.get_mut("metadata") {
        metadata.remove("managedFields");
    }
    if tolerance.unordered {
        value = sorted(value);
    }
    let change = |object: Option<&mut Value>, name: &str, change: &dyn Fn(&str) -> String| {
        let Some(object) = object else { return };
        if let Some(text) = object.get(name).and_then(Value::as_str).map(change) {
            object.insert(name, text);
        }
    };
    if tolerance.unordered_errors {
        change(Some(&mut value), "message", &sorted_errors);
        for name in ["reason", "evaluationError"] {
            change(value.get_mut("status"), name, &sorted_errors);
        }
    }
    if tolerance.any_binding {
        change(value.get_mut("status"), "reason", &|text| text.split(" by ").next().unwrap_or_default().to_owned());
    }
    value
}

/// The same text with the errors between brackets in one order.
pub(in crate::suite) fn sorted_errors(text: &str) -> String {
    let (Some(start), Some(end)) = (text.find('['), text.rfind(']')) else { return text.to_owned() };
    let Some(inner) = text.get(start + 1..end) else { return text.to_owned() };
    let mut parts: Vec<&str> = inner.split(", ").collect();
    parts.sort_unstable();
    format!("{}[{}]{}", &text[..start], parts.join(", "), &text[end + 1..])
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().cloned().map(sorted).collect();
            items.sort_by_cached_key(json::to_string_plain);
            items.into_iter().collect()
        }
        Value::Object(object) => {
            let mut made = Value::object();
            for (key, value) in &object {
                made.insert(key.as_str(), sorted(value.clone()));
            }
            made
        }
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_between_brackets_have_one_order() {
        assert_eq!(sorted_errors("x: [b, a, c] y"), "x: [a, b, c] y");
        assert_eq!(sorted_errors("x [\"b\" not found, a]"), sorted_errors("x [a, \"b\" not found]"));
        assert_eq!(sorted_errors("no list"), "no list");
    }

    #[test]
    fn placeholders_stand_for_values_of_their_kind() {
        assert!(fits("<uid>", &"6ba7b810-9dad-41d1-80b4-00c04fd430c8".into()));
        assert!(!fits("<uid>", &"nobody".into()));
        assert!(fits("<time>", &"2026-01-01T00:00:00Z".into()) && fits("<time>", &Value::from(7)));
        assert!(!fits("<token>", &"".into()));
    }
}
