//! Answers beside the recorded ones.

use std::fmt::Write as _;

use sprag_value::{Array, Value, json};

use super::client::Received;
use super::owners;
use super::reduce::{self, Ask};
use super::wire::{Recorded, Test};
use crate::volatile;

/// Headers that are recorded where they are present.
const HEADERS: [&str; 3] = ["Allow", "Retry-After", "Accept-Patch"];

/// The most differences that are shown of one answer.
const MAX_SHOWN: usize = 6;

/// The longest text that is shown in full.
const MAX_TEXT: usize = 300;

/// An answer, with its body read as the test asks.
pub(super) struct Reply {
    pub(super) code: u16,
    pub(super) warnings: Vec<String>,
    pub(super) content_type: Option<String>,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Value,
}

impl Reply {
    pub(super) fn of(test: &Test, answer: &Received) -> Reply {
        let text = String::from_utf8_lossy(&answer.body);
        let body = if test.stream { events(&answer.body) } else { plain_body(test, answer, &text) };
        let header = |name: &&'static str| Some((*name, answer.header(name)?));
        Reply {
            code: answer.code,
            warnings: answer.warnings(),
            content_type: answer.content_type(),
            headers: HEADERS.iter().filter_map(header).collect(),
            body,
        }
    }

    /// The message of a status.
    pub(super) fn message(&self) -> &str {
        message(&self.body)
    }
}

pub(super) fn message(body: &Value) -> &str {
    body.get("message").and_then(Value::as_str).unwrap_or_default()
}

fn plain_body(test: &Test, answer: &Received, text: &str) -> Value {
    let is_text = matches!(test.response.body, Value::String(_));
    let parsed = if is_text { None } else { json::parse(&answer.body).ok() };
    reduce::body(test, &test.response, text, parsed)
}

fn events(body: &[u8]) -> Value {
    let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| json::parse(line).unwrap_or_else(|_| String::from_utf8_lossy(line).into_owned().into())).collect()
}

/// Returns the difference from the recorded answer and all its alternatives; `None` if one of them matches.
pub(super) fn diff(test: &Test, reply: &Reply, lenient: bool) -> Option<String> {
    if test.nondeterministic && is_other_subset(test, reply) {
        return None;
    }
    let first = diff_one(test, &test.response, reply, lenient)?;
    let met = test.alternatives.iter().any(|recorded| diff_one(test, recorded, reply, lenient).is_none());
    if met { None } else { Some(first) }
}

fn diff_one(test: &Test, recorded: &Recorded, reply: &Reply, lenient: bool) -> Option<String> {
    let mut text = String::new();
    let ask = Ask::of(&test.note);
    if recorded.code != reply.code {
        line(&mut text, "code", &recorded.code.to_string(), &reply.code.to_string());
    }
    if ask == Ask::Code {
        return Some(text).filter(|text| !text.is_empty());
    }
    if recorded.warnings != reply.warnings {
        line(&mut text, "warnings", &format!("{:?}", recorded.warnings), &format!("{:?}", reply.warnings));
    }
    if !lenient {
        diff_headers(test, recorded, reply, &mut text);
    }
    let mut want = reduce::in_order(&test.note, &recorded.body);
    let mut got = reply.body.clone();
    if ask == Ask::NotOlder {
        cut_to_shorter(&mut want, &mut got);
    }
    owners::align(&mut want, &mut got);
    if !test.alternatives.is_empty() {
        sort_status(&mut want);
        sort_status(&mut got);
    }
    if lenient && recorded.code >= 300 {
        (want, got) = (essence(&want), essence(&got));
    }
    diff_bodies(&want, &got, &mut text);
    Some(text).filter(|text| !text.is_empty())
}

fn diff_headers(test: &Test, recorded: &Recorded, reply: &Reply, text: &mut String) {
    let is_alternative = !std::ptr::eq(recorded, &raw const test.response);
    if !is_alternative && recorded.content_type != reply.content_type {
        line(text, "Content-Type", &format!("{:?}", recorded.content_type), &format!("{:?}", reply.content_type));
    }
    for name in HEADERS {
        let want = recorded.headers.get(name).or_else(|| test.response.headers.get(name)).map(String::as_str);
        let got = reply.headers.iter().find(|(header, _)| *header == name).map(|(_, value)| value.as_str());
        if want != got {
            line(text, name, &format!("{want:?}"), &format!("{got:?}"));
        }
    }
}

fn diff_bodies(want: &Value, got: &Value, text: &mut String) {
    let found = volatile::diff(want, got);
    for difference in found.iter().take(MAX_SHOWN) {
        let path = if difference.path.is_empty() { "body" } else { &difference.path };
        let show = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        line(text, path, &show(&difference.want), &show(&difference.got));
    }
    if found.len() > MAX_SHOWN {
        let _ = writeln!(text, "  … and {} more places", found.len() - MAX_SHOWN);
    }
}

/// Shows two texts from where they begin to differ if they are long.
fn line(text: &mut String, path: &str, want: &str, got: &str) {
    let common = want.chars().zip(got.chars()).take_while(|(a, b)| a == b).count();
    let skip = if want.len().max(got.len()) > MAX_TEXT { common.saturating_sub(40) } else { 0 };
    let cut = |text: &str| {
        let start = if skip > 0 { "…" } else { "" };
        let shown: String = text.chars().skip(skip).take(MAX_TEXT).collect();
        let end = if text.chars().count() > skip + MAX_TEXT { "…" } else { "" };
        format!("{start}{shown}{end}")
    };
    let _ = writeln!(text, "  {path}\n    want {}\n    got  {}", cut(want), cut(got));
}

/// Typed apply stops at a random one of several faults: any of them, in any order, is as good.
fn is_other_subset(test: &Test, reply: &Reply) -> bool {
    let (Some((want, _)), Some((got, faults))) =
        (message(&test.response.body).split_once("): "), reply.message().split_once("): "))
    else {
        return false;
    };
    let sent = test.request.text();
    let faults = faults.strip_prefix("errors:\n").unwrap_or(faults);
    let is_sent = |fault: &str| {
        let path = fault.trim_start().split(": ").next().unwrap_or_default();
        let field = path.rsplit(['.', ']']).next().unwrap_or_default();
        sent.contains(field.trim_end_matches('"'))
    };
    test.response.code == reply.code && want == got && faults.lines().all(is_sent)
}

/// Lists of which one may go on where the other ends.
fn cut_to_shorter(want: &mut Value, got: &mut Value) {
    let len = |body: &Value| body.get("items").and_then(Value::as_array).map_or(0, |items| items.len());
    let shorter = len(want).min(len(got));
    for body in [want, got] {
        if let Some(items) = body.get_mut("items").and_then(Value::as_array_mut) {
            items.truncate(shorter);
        }
    }
}

/// Brings the parts of a status into one order, where the recorded one is by chance.
fn sort_status(body: &mut Value) {
    if let Some(text) = body.get("message").and_then(Value::as_str) {
        let mut parts: Vec<_> = text.split('\n').flat_map(|line| line.split(", ")).map(|part| part.trim_matches(['[', ']'])).collect();
        parts.sort_unstable();
        let sorted = parts.join("\n");
        body.insert("message", sorted);
    }
    let causes = body.get_mut("details").and_then(|details| details.get_mut("causes"));
    if let Some(causes) = causes {
        let mut sorted: Vec<Value> = causes.as_array().into_iter().flatten().cloned().collect();
        sorted.sort_by_key(json::to_string);
        *causes = Value::Array(Array::from(sorted));
    }
}

/// Returns the parts that a lenient comparison looks at: reason, and the field and reason of each cause.
fn essence(body: &Value) -> Value {
    let mut kept = Value::object();
    kept.insert("reason", body.get("reason").cloned().unwrap_or_default());
    let causes = body.lookup(&["details", "causes"]).and_then(Value::as_array).into_iter().flatten();
    let of_cause = |cause: &Value| {
        let mut kept = Value::object();
        for name in ["field", "reason"] {
            kept.insert(name, cause.get(name).cloned().unwrap_or_default());
        }
        kept
    };
    kept.insert("causes", causes.map(of_cause).collect::<Value>());
    kept
}
