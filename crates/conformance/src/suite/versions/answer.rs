//! Answers of `crd.json`, and how ours are compared with them.

use std::fmt::Write as _;

use serde::Deserialize;
use sprag_value::{Value, json};

use crate::suite::native::Reply;

/// An answer as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    code: u16,
    /// Sorted.
    #[serde(default)]
    warnings: Vec<String>,
    #[serde(default)]
    reason: String,
    /// Reason, field and message; sorted.
    #[serde(default)]
    causes: Vec<[String; 3]>,
    /// The message of a refusal without causes.
    #[serde(default)]
    message: String,
    #[serde(default)]
    object: Option<Value>,
}

/// The metadata that is not recorded.
const VOLATILE: [&str; 4] = ["uid", "creationTimestamp", "managedFields", "resourceVersion"];
/// The characters that a server adds to `generateName`.
const SUFFIX: usize = 5;
/// The beginning of messages that print a value.
const INVALID: &str = "Invalid value: ";

impl Answer {
    /// Our answer in the recorded form.
    pub(super) fn of(reply: &Reply) -> Answer {
        let mut body = reply.json();
        let mut answer = Answer { code: reply.code, warnings: reply.warnings.clone(), ..Answer::default() };
        answer.warnings.sort();
        if reply.code == 201 {
            if let Some(metadata) = body.get_mut("metadata") {
                for name in VOLATILE {
                    metadata.remove(name);
                }
            }
            answer.object = Some(body);
            return answer;
        }
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        answer.reason = text(&body, "reason");
        let causes = body.lookup(&["details", "causes"]).and_then(Value::as_array);
        let cause = |cause: &Value| ["reason", "field", "message"].map(|name| text(cause, name));
        answer.causes = causes.into_iter().flatten().map(cause).collect();
        answer.causes.sort();
        if answer.causes.is_empty() {
            answer.message = text(&body, "message");
        }
        answer
    }

    /// True if the request was granted.
    pub(super) fn is_acceptance(&self) -> bool {
        self.code == 201
    }

    /// The same with `…` in place of what a server adds to a generated name, and of addresses in values that 1.33 prints.
    pub(super) fn without_volatile(mut self, name: &str) -> Answer {
        for text in self.causes.iter_mut().flatten() {
            while let Some(at) = text.find("(0x") {
                let end = text[at..].find(')').map_or(text.len(), |len| at + len);
                text.replace_range(at + 1..end, "…");
            }
        }
        let texts = self.causes.iter_mut().flatten().chain([&mut self.message]);
        for text in texts.filter(|_| !name.is_empty()) {
            let quoted = format!("\"{name}");
            let Some(at) = text.find(&quoted).map(|at| at + quoted.len()) else { continue };
            if text.get(at + SUFFIX..).is_some_and(|rest| rest.starts_with('"')) {
                text.replace_range(at..at + SUFFIX, "…");
            }
        }
        self
    }
}

/// Our answer beside the recorded one; empty if they are the same.
pub(super) fn differences(want: &Answer, got: &Answer) -> String {
    let mut text = String::new();
    let mut differ = |what: &str, want: &dyn std::fmt::Debug, got: &dyn std::fmt::Debug| {
        let _ = write!(text, "  {what}\n    expected {want:?}\n    actual   {got:?}\n");
    };
    if (want.code, &want.reason) != (got.code, &got.reason) {
        differ("code", &(want.code, &want.reason), &(got.code, &got.reason));
    }
    if want.warnings != got.warnings {
        differ("warnings", &want.warnings, &got.warnings);
    }
    if want.message != got.message {
        differ("message", &want.message, &got.message);
    }
    // Definitions that are accepted are recorded without the object.
    if want.object.is_some() && want.object != got.object {
        let shown = |answer: &Answer| answer.object.as_ref().map(json::to_string);
        differ("object", &shown(want), &shown(got));
    }
    let missing = without(&want.causes, &got.causes);
    let added = without(&got.causes, &want.causes);
    if !missing.is_empty() || !added.is_empty() {
        differ("causes", &missing, &added);
    }
    text
}

/// The first list without what is in the second, counted.
fn without<'c>(causes: &'c [[String; 3]], others: &[[String; 3]]) -> Vec<&'c [String; 3]> {
    let mut others: Vec<&[String; 3]> = others.iter().collect();
    let mut rest = Vec::new();
    for cause in causes {
        match others.iter().position(|other| *other == cause) {
            Some(at) => _ = others.swap_remove(at),
            None => rest.push(cause),
        }
    }
    rest
}

/// True if the answers are the same but for the values in messages, which 1.33 prints as Go does.
pub(super) fn same_but_for_values(want: &Answer, got: &Answer) -> bool {
    let strip = |answer: &Answer| Answer { causes: Vec::new(), ..answer.clone() };
    let mut others: Vec<&[String; 3]> = got.causes.iter().collect();
    let all_found = want.causes.iter().all(|[reason, field, message]| {
        let is_same = |other: &&[String; 3]| {
            other[0] == *reason && other[1] == *field && same_but_for_value(message, &other[2])
        };
        others.iter().position(is_same).map(|at| others.swap_remove(at)).is_some()
    });
    let want = strip(want);
    let mut got = strip(got);
    if want.object.is_none() {
        got.object = None;
    }
    all_found && others.is_empty() && want == got
}

/// True if two messages are the same but for the value after `Invalid value: `.
pub(super) fn same_but_for_value(want: &str, got: &str) -> bool {
    let (Some(recorded), Some(ours)) = (want.strip_prefix(INVALID), got.strip_prefix(INVALID)) else {
        return want == got;
    };
    recorded == ours || detail(ours).is_some_and(|detail| recorded == &detail[2..] || recorded.ends_with(detail))
}

/// The text behind the JSON value that it begins with, colon included; the whole text if it begins with no value.
fn detail(text: &str) -> Option<&str> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => text.get(values.byte_offset()..).filter(|rest| rest.starts_with(": ")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_do_not_count() {
        let same = same_but_for_value;
        assert!(same("Invalid value: []string{\"a\"}: too odd", "Invalid value: [\"a\"]: too odd"));
        assert!(same("Invalid value: \"object\": no", "Invalid value: {\"a\":\"b: c\"}: no"));
        assert!(!same("Invalid value: \"object\": no", "Invalid value: {}: yes"));
        assert!(!same("Required value: x", "Required value: y"));
    }

    #[test]
    fn generated_names_are_left_out() {
        let causes = vec![["FieldValueInvalid", "metadata.name", "Invalid value: \"Bad_f9g22\": no"].map(str::to_owned)];
        let answer = Answer { causes, ..Answer::default() };
        assert_eq!(answer.clone().without_volatile("Bad_").causes[0][2], "Invalid value: \"Bad_…\": no");
        assert_eq!(answer.clone().without_volatile("").causes, answer.causes);
    }

    #[test]
    fn addresses_are_left_out() {
        let causes = vec![["FieldValueInvalid", "a", "Invalid value: X{A:(*bool)(0x1367a99de388)}: no"].map(str::to_owned)];
        let answer = Answer { causes, ..Answer::default() };
        assert_eq!(answer.without_volatile("").causes[0][2], "Invalid value: X{A:(*bool)(…)}: no");
    }
}
