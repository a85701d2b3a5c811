//! Answers beside the recorded ones.

use std::fmt::Write as _;

use sprag_value::{Value, json};

use super::wire::{Answer, Review, Step};
use crate::suite::access::compare::sorted_errors;
use crate::suite::http::client::Received;
use crate::volatile::{Difference, Placeholders, fits_kind};

/// The placeholders of values that change from run to run.
pub(super) const PLACEHOLDERS: Placeholders =
    Placeholders { names: &["<uid>", "<time>", "<rv>", "<gen>", "<ip>"], fits: fits_kind };

/// Returns the differences from the recorded answer of a step, as printable lines; empty if there are none.
pub(super) fn differences(step: &Step, random_order: bool, got: &Received) -> String {
    let unordered = step.unordered_warnings || random_order;
    if random_order && is_possible(&step.answer, got) {
        return String::new();
    }
    let text = answer_differences(&step.answer, got, unordered, random_order);
    let as_good =
        |answer: &Answer| answer_differences(answer, got, unordered, random_order).is_empty();
    if step.alternatives.iter().any(as_good) { String::new() } else { text }
}

/// True if an answer can be that of the reference in another order of policies: another policy refuses the request, with its own
/// words and code, or texts differ that policies have made of each other's.
fn is_possible(recorded: &Answer, got: &Received) -> bool {
    let is_refusal = |code: u16| code >= 400;
    let (Some(want), Ok(ours)) = (&recorded.body, json::parse(&got.body)) else { return false };
    let want = sorted_texts(want.clone());
    let ours = sorted_texts(without_managed_fields(ours));
    let is_text = |value: &Option<String>| value.as_ref().is_some_and(|value| value.starts_with('"'));
    let is_free = |difference: &Difference| {
        is_text(&difference.want) && is_text(&difference.got) || difference.path == "code" && is_refusal(got.code)
    };
    let same_kind = recorded.code == got.code || is_refusal(recorded.code) && is_refusal(got.code);
    same_kind && recorded.warnings.len() == got.warnings().len() && PLACEHOLDERS.diff(&want, &ours).iter().all(is_free)
}

/// Adds what differs between the reviews that were recorded and those that arrived.
pub(super) fn reviews(step: &Step, asked: &[Review], text: &mut String) {
    let Some(recorded) = step.reviews_sent.as_ref().filter(|_| !step.reviews_differ) else { return };
    let mut want = recorded.clone();
    let mut ours = asked.to_vec();
    // Reviews of several webhooks were recorded one webhook after the other, whenever they were called.
    for reviews in [&mut want, &mut ours] {
        reviews.sort_by(|a, b| a.path.cmp(&b.path));
    }
    // One webhook that is asked again every second until its deadline: on a busy machine the last attempt comes too late.
    let is_retried = want.len() > 2 && want.iter().all(|review| review.path == want[0].path);
    if is_retried && ours.len() + 1 == want.len() {
        want.pop();
    }
    if want.len() != ours.len() {
        let paths = |reviews: &[Review]| reviews.iter().map(|review| review.path.clone()).collect::<Vec<_>>();
        let _ = writeln!(text, "  reviews: {:?} recorded, {:?} ours", paths(&want), paths(&ours));
        return;
    }
    for (at, (want, ours)) in want.iter().zip(&ours).enumerate() {
        if want.path != ours.path {
            let _ = writeln!(text, "  review {at}: {} recorded, {} ours", want.path, ours.path);
        }
        if want.headers != ours.headers {
            let _ = writeln!(text, "  review {at}: {:?} recorded, {:?} ours", want.headers, ours.headers);
        }
        let body = without_managed_fields(ours.body.clone());
        PLACEHOLDERS.lines(&format!("review {at}."), &want.body, &body, text);
    }
}

fn answer_differences(recorded: &Answer, got: &Received, unordered: bool, random_order: bool) -> String {
    let mut text = String::new();
    if recorded.code != got.code {
        let _ = writeln!(text, "  code: {} recorded, {} ours", recorded.code, got.code);
    }
    let mut want = recorded.warnings.clone();
    let mut ours = got.warnings();
    if unordered {
        want.sort_unstable();
        ours.sort_unstable();
    }
    let same = |(want, ours): (&String, &String)| PLACEHOLDERS.same_text(want, ours);
    if want.len() != ours.len() || !want.iter().zip(&ours).all(same) {
        let _ = writeln!(text, "  warnings: {want:?} recorded, {ours:?} ours");
    }
    let Some(want) = &recorded.body else { return text };
    let Ok(ours) = json::parse(&got.body) else {
        let want = json::to_string_plain(want);
        let ours = String::from_utf8_lossy(&got.body);
        let _ = writeln!(text, "  body: {want} recorded, {ours:?} ours");
        return text;
    };
    let mut want = want.clone();
    let mut ours = without_managed_fields(ours);
    compare_storage_error(&mut want, &mut ours);
    if random_order {
        (want, ours) = (sorted_texts(want), sorted_texts(ours));
    }
    restore(&mut want, &ours);
    PLACEHOLDERS.lines("", &want, &ours, &mut text);
    text
}

/// The value without managed fields, at any depth.
pub(super) fn without_managed_fields(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut kept = Value::object();
            for (key, value) in &object {
                if key.as_str() != "managedFields" {
                    kept.insert(key.as_str(), without_managed_fields(value.clone()));
                }
            }
            kept
        }
        Value::Array(items) => items.iter().cloned().map(without_managed_fields).collect(),
        value => value,
    }
}

/// Of an object that cannot be converted when it is read, only the error of the conversion counts.
fn compare_storage_error(want: &mut Value, ours: &mut Value) {
    const CORRUPT: &str = "StorageError: corrupt object";
    let message = |value: &Value| value.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !message(want).contains(CORRUPT) {
        return;
    }
    for value in [want, ours] {
        let text = message(value);
        let text = text.find("conversion webhook for").map_or(text.as_str(), |at| &text[at..]);
        let text = text.split(" (and ").next().unwrap_or_default().to_owned();
        value.insert("message", text);
        value.remove("details");
    }
}

/// The value with errors between brackets, and causes, in one order.
fn sorted_texts(value: Value) -> Value {
    match value {
        Value::String(text) => Value::from(sorted_errors(text.as_str())),
        Value::Object(object) => {
            let mut made = Value::object();
            for (key, value) in &object {
                let mut value = sorted_texts(value.clone());
                if key.as_str() == "causes"
                    && let Value::Array(items) = value
                {
                    let mut items: Vec<Value> = items.iter().cloned().collect();
                    items.sort_by_cached_key(json::to_string_plain);
                    value = items.into_iter().collect();
                }
                made.insert(key.as_str(), value);
            }
            made
        }
        Value::Array(items) => items.iter().cloned().map(sorted_texts).collect(),
        value => value,
    }
}

/// Puts our text in place of a recorded one that was cut, `begin<… 5000 characters>`, if it begins and counts the same.
fn restore(want: &mut Value, ours: &Value) {
    match (&mut *want, ours) {
        (Value::String(text), Value::String(whole)) => {
            let Some((begin, rest)) = text.as_str().split_once("<… ") else { return };
            let count = rest.strip_suffix(" characters>").and_then(|count| count.parse::<usize>().ok());
            let Some(count) = count else { return };
            if whole.as_str().starts_with(begin) && whole.as_str().chars().count() == count {
                *want = ours.clone();
            }
        }
        (Value::Object(_), Value::Object(whole)) => {
            for (key, value) in whole {
                if let Some(want) = want.get_mut(key.as_str()) {
                    restore(want, value);
                }
            }
        }
        (Value::Array(_), Value::Array(whole)) => {
            if let Value::Array(items) = want {
                let mut restored: Vec<Value> = items.iter().cloned().collect();
                restored.iter_mut().zip(whole.iter()).for_each(|(want, ours)| restore(want, ours));
                *want = restored.into_iter().collect();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Value {
        json::parse(text.as_bytes()).expect("valid JSON")
    }

    #[test]
    fn cut_texts_count_their_characters() {
        let ours = parse(r#"{"a":["xyzzy"]}"#);
        for (want, same) in [("xy<… 5 characters>", true), ("xy<… 6 characters>", false), ("z<… 5 characters>", false)] {
            let mut want = parse(&format!(r#"{{"a":["{want}"]}}"#));
            restore(&mut want, &ours);
            assert_eq!(want == ours, same);
        }
    }

    #[test]
    fn managed_fields_are_left_out_everywhere() {
        let value = parse(r#"{"items":[{"metadata":{"name":"a","managedFields":[]}}]}"#);
        assert_eq!(without_managed_fields(value), parse(r#"{"items":[{"metadata":{"name":"a"}}]}"#));
    }
}
