//! Entries of `managedFields`, whose order depends on the second in which each was written.

use sprag_value::{Array, Value};

const MANAGED_FIELDS: &str = "managedFields";

/// Brings the entries of both sides into one order wherever ours were not all written in the same second.
pub(super) fn align(want: &mut Value, got: &mut Value) {
    match (want, got) {
        (Value::Array(want), Value::Array(got)) => {
            want.as_mut_slice().iter_mut().zip(got.as_mut_slice()).for_each(|(want, got)| align(want, got));
        }
        (Value::Object(want), Value::Object(got)) => {
            for (key, got) in got.iter_mut() {
                let Some(want) = want.get_mut(key) else { continue };
                if key.as_str() != MANAGED_FIELDS {
                    align(want, got);
                } else if have_several_times(got) {
                    sort(want);
                    sort(got);
                }
            }
        }
        _ => {}
    }
}

fn have_several_times(entries: &Value) -> bool {
    let mut times = entries.as_array().into_iter().flatten().map(|entry| entry.get("time"));
    let first = times.next();
    times.any(|time| Some(time) != first)
}

fn sort(entries: &mut Value) {
    let mut sorted: Vec<Value> = entries.as_array().into_iter().flatten().cloned().collect();
    sorted.sort_by_cached_key(|entry| {
        ["operation", "manager", "apiVersion", "subresource"]
            .map(|name| entry.get(name).and_then(Value::as_str).unwrap_or_default().to_owned())
    });
    *entries = Value::Array(Array::from(sorted));
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn entries_of_several_seconds_have_no_order() {
        let parse = |text: &str| json::parse(text.as_bytes()).expect("valid JSON");
        let entry = |manager: &str, time: &str| format!(r#"{{"manager":"{manager}","time":"{time}"}}"#);
        let object = |a: String, b: String| parse(&format!(r#"[{{"managedFields":[{a},{b}]}}]"#));
        let mut want = object(entry("a", "<volatile>"), entry("b", "<volatile>"));
        let mut one = object(entry("b", "1"), entry("a", "1"));
        align(&mut want, &mut one);
        assert!(!crate::volatile::same(&want, &one));
        let mut two = object(entry("b", "1"), entry("a", "2"));
        align(&mut want, &mut two);
        assert!(crate::volatile::same(&want, &two));
    }
}
