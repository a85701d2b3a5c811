//! Compares answers with the recorded ones, as the README of the recordings says.

use std::fmt::Write as _;
use std::net::IpAddr;

use sprag_patch::json_patch;
use sprag_value::{Time, Value, json};

use super::wire::{Answer, Cause};
use super::world::Reply;
use crate::suite::http::{APPLIED_OBJECT, names_all_faults};
use crate::volatile::Placeholders;

/// The placeholders of values that the server makes up.
pub(super) const PLACEHOLDERS: Placeholders = Placeholders {
    names: &[
        "<uid>", "<time>", "<gen>", "<ip>", "<port>", "<age>", "<token>", "<diff>", "<rv>", "<continue>", "<n>", "<patched>",
        "<tmp>", "<editfile>", "<ptr>",
    ],
    fits,
};

/// True if a value can be what a placeholder stands for.
fn fits(name: &str, ours: &Value) -> bool {
    let text = ours.as_str();
    match name {
        "<uid>" => text.is_some_and(|text| text.len() == 36 && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())),
        "<time>" => text.is_some_and(|text| text.parse::<Time>().is_ok()),
        "<ip>" => text.is_some_and(|text| text.parse::<IpAddr>().is_ok()),
        // Dry runs of upstream give ports beyond the range of node ports, and take any that is asked for.
        "<port>" => ours.as_i64().is_some_and(|port| (1..=65_535).contains(&port)),
        "<n>" => ours.as_i64().is_some() || text.is_some_and(|text| !text.is_empty()),
        _ => text.is_some_and(|text| !text.is_empty()),
    }
}

/// The difference between an answer and the recorded one.
#[derive(Debug, Default)]
pub(in crate::suite) struct Verdict {
    /// Lines to show; empty when nothing differs.
    pub(in crate::suite) differences: String,
    /// For each recorded cause, whether ours has it.
    pub(super) causes: Vec<bool>,
    /// The reason why an answer may differ.
    pub(in crate::suite) diverges: Option<&'static str>,
    /// The number of differences that are more than a value printed in a message.
    pub(in crate::suite) beyond_values: usize,
    /// The causes are the recorded ones in another order.
    pub(super) other_order: bool,
}

impl Verdict {
    /// A case that cannot be run.
    pub(super) fn cannot_run(error: &str) -> Verdict {
        Verdict { differences: format!("  cannot be run: {error}\n"), beyond_values: 1, ..Verdict::default() }
    }

    /// Notes a difference.
    pub(super) fn add(&mut self, what: &str, want: impl std::fmt::Display, got: impl std::fmt::Display) {
        self.beyond_values += 1;
        let _ = writeln!(self.differences, "  {what}\n    expected {want}\n    actual   {got}");
    }

    /// Compares values, with placeholders.
    pub(super) fn values(&mut self, what: &str, want: &Value, got: &Value) {
        for found in PLACEHOLDERS.diff(want, got) {
            let separator = if found.path.is_empty() || found.path.starts_with('[') { "" } else { "." };
            let shown = |value: Option<String>| value.unwrap_or_else(|| "(absent)".to_owned());
            self.add(&format!("{what}{separator}{}", found.path), shown(found.want), shown(found.got));
        }
    }

    /// Compares texts, with placeholders.
    pub(super) fn texts(&mut self, what: &str, want: &str, got: &str) {
        if !PLACEHOLDERS.same_text(want, got) {
            self.add(what, want, got);
        }
    }
}

/// Compares code, warnings and status; for an answer that is a success, the caller compares the object.
pub(super) fn compare(want: &Answer<'_>, reply: &Reply) -> Verdict {
    let mut verdict = Verdict { causes: vec![false; want.causes.len()], ..Verdict::default() };
    if want.closed {
        if reply.code < 400 {
            verdict.add("code", "any error (the reference closes the connection)", reply.code);
        }
        return verdict;
    }
    if want.code != reply.code {
        let said = want.message.clone().unwrap_or_else(|| derived_message(want.details.as_ref(), &want.causes));
        let said = if want.code >= 300 { said } else { String::new() };
        let status = reply.json();
        verdict.diverges = divergence((want.code, &said), (reply.code, message_of(&status)));
        verdict.add("code", format!("{} {said}", want.code), format!("{} {}", reply.code, message_of(&status)));
        return verdict;
    }
    if want.warnings.len() != reply.warnings.len()
        || !want.warnings.iter().zip(&reply.warnings).all(|(want, got)| PLACEHOLDERS.same_text(want, got))
    {
        verdict.add("warnings", format!("{:?}", want.warnings), format!("{:?}", reply.warnings));
    }
    if let Some(text) = &want.text {
        verdict.texts("body", text, &String::from_utf8_lossy(&reply.body));
    } else if want.code >= 300 {
        compare_status(want, &reply.json(), &mut verdict);
    }
    verdict
}

fn compare_status(want: &Answer<'_>, status: &Value, verdict: &mut Verdict) {
    if let Some(reason) = &want.reason {
        verdict.texts("reason", reason, status.get("reason").and_then(Value::as_str).unwrap_or_default());
    }
    let causes: Vec<Cause> = status
        .lookup(&["details", "causes"])
        .and_then(|causes| sprag_value::from_value(causes).ok())
        .unwrap_or_default();
    let mut details = status.get("details").cloned().unwrap_or_else(Value::object);
    details.remove("causes");
    verdict.values("details", want.details.as_ref().unwrap_or(&Value::object()), &details);
    compare_causes(&want.causes, &causes, verdict);
    // The reference has conflicts in the order of a map.
    verdict.other_order &= want.code == 422;
    let message = message_of(status);
    match &want.message {
        // Causes have no order, so neither has a message that is made of them.
        None if want.code == 422 => verdict.texts("message", &derived_message(Some(&details), &causes), message),
        None => {}
        Some(want) => verdict.texts("message", &any_revision(want), message),
    }
}

/// Returns the reason why a code may differ, as `DIVERGENCES.md` lists it.
fn divergence(recorded: (u16, &str), ours: (u16, &str)) -> Option<&'static str> {
    let applied = recorded.1.starts_with("failed to create typed") || recorded.1.starts_with("failed to convert new object");
    match (recorded.0, ours.0) {
        (500, 400) if applied => names_all_faults(recorded.1, ours.1).then_some(APPLIED_OBJECT),
        (500, 400) => (recorded.1 == ours.1).then_some("a strategic merge patch that does not fit the type is a bad request"),
        _ => None,
    }
}

/// Compares causes as multisets.
fn compare_causes(want: &[Cause], got: &[Cause], verdict: &mut Verdict) {
    let mut left: Vec<&Cause> = got.iter().collect();
    let mut missing = Vec::new();
    for (at, cause) in want.iter().enumerate() {
        match left.iter().position(|ours| is_same_cause(cause, ours)) {
            Some(found) => {
                left.remove(found);
                verdict.causes[at] = true;
            }
            None => missing.push(cause),
        }
    }
    for cause in missing {
        match left.iter().position(|ours| is_same_but_value(cause, ours)) {
            Some(found) => {
                verdict.add("cause", shown(cause), shown(left.remove(found)));
                verdict.beyond_values -= 1;
            }
            None => verdict.add("cause", shown(cause), "(absent)"),
        }
    }
    for cause in left {
        verdict.add("cause", "(absent)", shown(cause));
    }
    verdict.other_order = verdict.differences.is_empty() && !want.iter().zip(got).all(|(a, b)| is_same_cause(a, b));
}

fn is_same_cause(want: &Cause, got: &Cause) -> bool {
    want.reason == got.reason && want.field == got.field && PLACEHOLDERS.same_text(&want.message, &got.message)
}

/// True if causes differ at most in the text between `Invalid value: ` and the detail.
fn is_same_but_value(want: &Cause, got: &Cause) -> bool {
    let rest = |cause: &Cause| cause.message.strip_prefix("Invalid value: ").map(str::to_owned);
    let (Some(wanted), Some(ours)) = (rest(want), rest(got)) else { return false };
    let common = wanted.bytes().rev().zip(ours.bytes().rev()).take_while(|(a, b)| a == b).count();
    let detail = wanted.get(wanted.len() - common..).unwrap_or_default();
    want.reason == got.reason && want.field == got.field && detail.contains(": ")
}

fn shown(cause: &Cause) -> String {
    format!("{} {}: {}", cause.reason, cause.field, cause.message)
}

/// The message of a 422 that was left out because the causes give it.
pub(super) fn derived_message(details: Option<&Value>, causes: &[Cause]) -> String {
    let text = |name: &str| details.and_then(|details| details.get(name)?.as_str()).unwrap_or_default();
    let kind = match text("group") {
        "" => text("kind").to_owned(),
        group => format!("{}.{group}", text("kind")),
    };
    let mut parts: Vec<String> = Vec::new();
    for cause in causes {
        let part = format!("{}: {}", cause.field, cause.message);
        // As `utilerrors.aggregate.Error` does.
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let all = match parts.as_slice() {
        [part] => part.clone(),
        parts => format!("[{}]", parts.join(", ")),
    };
    format!("{kind} {} is invalid: {all}", sprag_field::quote::go(text("name")))
}

/// The message with the revision of the reference's store left open.
fn any_revision(message: &str) -> String {
    match message.split_once(", current: ") {
        Some((before, _)) if before.starts_with("Timeout: Too large resource version") => format!("{before}, current: <n>"),
        _ => message.to_owned(),
    }
}

pub(super) fn message_of(status: &Value) -> &str {
    status.get("message").and_then(Value::as_str).unwrap_or_default()
}

/// The text of an object after a recorded JSON Patch.
pub(super) fn patched(object: &str, patch: &str) -> Result<String, String> {
    json_patch::apply(object, patch.as_bytes()).map_err(|error| format!("recorded patch: {error}"))
}

/// The text of an object with a resource version; of one without metadata as it is.
pub(super) fn with_version(object: &str, version: &str) -> String {
    let patch = format!(r#"[{{"op":"add","path":"/metadata/resourceVersion","value":"{version}"}}]"#);
    patched(object, &patch).unwrap_or_else(|_| object.to_owned())
}

/// An object as results are recorded: without `managedFields` and `resourceVersion`.
pub(super) fn without_versions(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata") {
        metadata.remove("managedFields");
        metadata.remove("resourceVersion");
    }
    object
}

/// Reads a recorded value.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    json::parse(text.as_bytes()).map_err(|error| format!("recorded value: {error}"))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn value(text: &str) -> Value {
        parse(text).expect("valid JSON")
    }

    fn verdict(want: &str, code: u16, warnings: &[&str], body: &str) -> String {
        let want: Answer<'_> = serde_json::from_str(want).expect("an answer");
        let warnings = warnings.iter().map(|text| (*text).to_owned()).collect();
        let body = Bytes::copy_from_slice(body.as_bytes());
        compare(&want, &Reply { code, warnings, content_type: String::new(), body }).differences
    }

    #[test]
    fn placeholders_stand_for_values_of_their_form() {
        let same = |want: &str, got: &str| PLACEHOLDERS.diff(&value(want), &value(got)).is_empty();
        assert!(same(r#""<uid>""#, r#""00000000-0000-4000-8000-000000000001""#));
        assert!(!same(r#""<uid>""#, r#""x""#));
        assert!(same(r#""<time>""#, r#""2026-01-01T00:00:00Z""#));
        assert!(!same(r#""<time>""#, "null"));
        assert!(same(r#""<port>""#, "30001"));
        assert!(same(r#""<port>""#, "32769"));
        assert!(!same(r#""<port>""#, "0"));
        assert!(same(r#""<ip>""#, r#""10.0.0.9""#));
        assert!(same(r#""a-<gen>""#, r#""a-x7k2q""#));
        assert!(!same(r#""a-<gen>""#, r#""a-""#));
        assert!(same(r#""immutable\n<diff>""#, r#""immutable\n  a\n- b""#));
        assert!(!same(r#""<none>""#, r#""x""#));
        assert!(same(r#"{"a":"<age>","b":["<rv>"]}"#, r#"{"b":["7"],"a":"5d"}"#));
    }

    #[test]
    fn recorded_patches_are_applied() {
        let stored = r#"{"a":{"x/y":1},"l":[1,2]}"#;
        let patch = r#"[{"op":"add","path":"/a/x~1z","value":2},{"op":"remove","path":"/l/0"},{"op":"replace","path":"/l/0","value":9}]"#;
        assert_eq!(value(&patched(stored, patch).expect("it applies")), value(r#"{"a":{"x/y":1,"x/z":2},"l":[9]}"#));
        assert!(patched(stored, r#"[{"op":"remove","path":"/nosuch"}]"#).is_err());
    }

    #[test]
    fn causes_are_a_multiset() {
        let cause = |field: &str| format!(r#"{{"reason":"FieldValueRequired","message":"Required value","field":"{field}"}}"#);
        let recorded = |causes: &[&str]| {
            let causes: Vec<String> = causes.iter().map(|field| cause(field)).collect();
            format!(r#"{{"code":422,"reason":"Invalid","details":{{"kind":"K","name":"n"}},"causes":[{}]}}"#, causes.join(","))
        };
        let status = |message: &str, causes: &[&str]| {
            let causes: Vec<String> = causes.iter().map(|field| cause(field)).collect();
            let causes = causes.join(",");
            format!(
                r#"{{"reason":"Invalid","message":{message:?},"details":{{"kind":"K","name":"n","causes":[{causes}]}}}}"#
            )
        };
        let message = r#"K "n" is invalid: [b: Required value, a: Required value]"#;
        assert_eq!(verdict(&recorded(&["a", "b"]), 422, &[], &status(message, &["b", "a"])), "");
        let twice = verdict(&recorded(&["a", "a"]), 422, &[], &status(r#"K "n" is invalid: a: Required value"#, &["a"]));
        assert_eq!(twice, "  cause\n    expected FieldValueRequired a: Required value\n    actual   (absent)\n");
        let other = verdict(&recorded(&["a"]), 422, &[], &status("wrong", &["a"]));
        assert_eq!(other, "  message\n    expected K \"n\" is invalid: a: Required value\n    actual   wrong\n");
    }

    #[test]
    fn messages_are_derived() {
        let cause = |field: &str| Cause { field: field.into(), message: "Required value".into(), ..Cause::default() };
        let details = value(r#"{"kind":"Role","group":"rbac.authorization.k8s.io","name":"a\"b"}"#);
        assert_eq!(
            derived_message(Some(&details), &[cause("x")]),
            r#"Role.rbac.authorization.k8s.io "a\"b" is invalid: x: Required value"#
        );
        let repeated = [cause("x"), cause("y"), cause("x")];
        assert_eq!(derived_message(None, &repeated), r#" "" is invalid: [x: Required value, y: Required value]"#);
    }

    #[test]
    fn warnings_are_a_list() {
        let want = r#"{"code":201,"warnings":["a","b"]}"#;
        assert_eq!(verdict(want, 201, &["a", "b"], "{}"), "");
        assert!(verdict(want, 201, &["b", "a"], "{}").starts_with("  warnings\n"));
        assert!(verdict(r#"{"code":201}"#, 201, &["a"], "{}").starts_with("  warnings\n"));
    }

    #[test]
    fn a_closed_connection_is_any_error() {
        assert_eq!(verdict(r#"{"code":0,"closed":true}"#, 500, &[], "{}"), "");
        assert!(!verdict(r#"{"code":0,"closed":true}"#, 200, &[], "{}").is_empty());
    }

    #[test]
    fn codes_come_first() {
        let found = verdict(r#"{"code":400,"reason":"BadRequest","message":"no"}"#, 422, &[], r#"{"message":"yes"}"#);
        assert_eq!(found, "  code\n    expected 400 no\n    actual   422 yes\n");
    }
}
