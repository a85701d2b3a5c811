//! Label selectors of objects as text, as `/scale` and tables show them.

use sprag_field::quote;
use sprag_value::{Object, Value};

/// The text of a `LabelSelector` of an object: requirements sorted by key, empty for none. An unknown operator is an error.
// As upstream's metav1.LabelSelectorAsSelector and Selector.String.
pub fn selector_text(selector: Option<&Value>) -> Result<String, String> {
    let member = |name| selector.and_then(|selector| selector.get(name));
    let mut requirements: Vec<(&str, String)> = equalities(member("matchLabels")).collect();
    for requirement in member("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
        let key = text(requirement.get("key"));
        requirements.push((key, requirement_text(key, requirement)?));
    }
    requirements.sort_by_key(|(key, _)| *key);
    Ok(join(requirements.into_iter().map(|(_, text)| text)))
}

/// The text of the selector of objects that have all of these labels.
// As upstream's labels.SelectorFromSet and labels.Set.String.
pub fn labels_text(labels: Option<&Value>) -> String {
    join(equalities(labels).map(|(_, text)| text))
}

fn equalities(labels: Option<&Value>) -> impl Iterator<Item = (&str, String)> {
    let entries = labels.and_then(Value::as_object).map(Object::entries).unwrap_or_default();
    entries.iter().map(|entry| {
        let key = entry.key().as_str();
        (key, format!("{key}={}", text(Some(entry.value()))))
    })
}

fn requirement_text(key: &str, requirement: &Value) -> Result<String, String> {
    let values = || {
        let values = requirement.get("values").and_then(Value::as_array).into_iter().flatten();
        let mut values: Vec<&str> = values.map(|value| text(Some(value))).collect();
        values.sort_unstable();
        values.join(",")
    };
    Ok(match text(requirement.get("operator")) {
        "In" => format!("{key} in ({})", values()),
        "NotIn" => format!("{key} notin ({})", values()),
        "Exists" => key.to_owned(),
        "DoesNotExist" => format!("!{key}"),
        other => return Err(format!("{} is not a valid label selector operator", quote::go(other))),
    })
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

fn join(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(selector: &str, expected: Result<&str, &str>) {
        let selector = json::parse(selector.as_bytes()).unwrap();
        let text = selector_text(Some(&selector));
        assert_eq!(text.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn requirements_are_sorted_by_key_and_values() {
        let selector = r#"{"matchLabels":{"m":"1","a":""},"matchExpressions":[
            {"key":"z","operator":"In","values":["y","x"]},{"key":"b","operator":"NotIn","values":["q"]},
            {"key":"d","operator":"DoesNotExist"},{"key":"c","operator":"Exists"}]}"#;
        check(selector, Ok("a=,b notin (q),c,!d,m=1,z in (x,y)"));
        check("{}", Ok(""));
        let unknown = r#"{"matchExpressions":[{"key":"z","operator":"Near"}]}"#;
        check(unknown, Err(r#""Near" is not a valid label selector operator"#));
        assert_eq!(selector_text(None).as_deref(), Ok(""));
        let labels = json::parse(br#"{"b":"2","a":"1"}"#).unwrap();
        assert_eq!(labels_text(Some(&labels)), "a=1,b=2");
    }
}
