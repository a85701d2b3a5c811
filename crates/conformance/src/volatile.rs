//! Recorded values beside ours, where `<volatile>` stands for whatever changes from run to run.

use sprag_value::{Value, json};

/// What stands for a text that no two runs share.
pub(crate) const VOLATILE: &str = "<volatile>";

/// What stands for a text that was blanked: any text is as good.
pub(crate) const NOT_COMPARED: &str = "<not compared>";

/// One place where two values differ.
pub(crate) struct Difference {
    /// Where, as `metadata.labels.a` or `items[0]`; empty at the root.
    pub(crate) path: String,
    /// The recorded value; `None` if nothing was recorded there.
    pub(crate) want: Option<String>,
    /// Our value; `None` if there is none.
    pub(crate) got: Option<String>,
}

/// Whether a value is the recorded one.
pub(crate) fn same(recorded: &Value, ours: &Value) -> bool {
    let mut found = Vec::new();
    differences(recorded, ours, &mut String::new(), &mut found);
    found.is_empty()
}

/// All places where a value is not the recorded one, in the order of their paths.
pub(crate) fn diff(recorded: &Value, ours: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    differences(recorded, ours, &mut String::new(), &mut found);
    found
}

fn differences(recorded: &Value, ours: &Value, path: &mut String, found: &mut Vec<Difference>) {
    match (recorded, ours) {
        (Value::String(text), _) if text.as_str() == VOLATILE && !ours.is_null() && ours.as_str() != Some("") => {}
        (Value::String(recorded), Value::String(ours)) if is_blanked(recorded) || same_text(recorded, ours) => {}
        (Value::Array(recorded), Value::Array(ours)) => {
            for index in 0..recorded.len().max(ours.len()) {
                within(path, &format!("[{index}]"), |path| {
                    either(recorded.get(index), ours.get(index), path, found);
                });
            }
        }
        (Value::Object(recorded), Value::Object(ours)) => {
            let keys: std::collections::BTreeSet<_> = recorded.keys().chain(ours.keys()).collect();
            for key in keys {
                let part = if path.is_empty() { key.to_string() } else { format!(".{key}") };
                within(path, &part, |path| either(recorded.get(key), ours.get(key), path, found));
            }
        }
        _ if recorded == ours => {}
        _ => found.push(Difference { path: path.clone(), want: shown(recorded), got: shown(ours) }),
    }
}

fn either(recorded: Option<&Value>, ours: Option<&Value>, path: &mut String, found: &mut Vec<Difference>) {
    match (recorded, ours) {
        (Some(recorded), Some(ours)) => differences(recorded, ours, path, found),
        (recorded, ours) => {
            found.push(Difference { path: path.clone(), want: recorded.and_then(shown), got: ours.and_then(shown) });
        }
    }
}

fn within(path: &mut String, part: &str, visit: impl FnOnce(&mut String)) {
    let len = path.len();
    path.push_str(part);
    visit(path);
    path.truncate(len);
}

#[expect(clippy::unnecessary_wraps, reason = "what is absent is not shown")]
fn shown(value: &Value) -> Option<String> {
    Some(json::to_string_plain(value))
}

fn is_blanked(recorded: &str) -> bool {
    recorded == NOT_COMPARED
}

/// Whether a text is the recorded one; `<volatile>` in it stands for one character or more.
pub(crate) fn same_text(recorded: &str, ours: &str) -> bool {
    let Some((recorded, last)) = recorded.rsplit_once(VOLATILE) else { return recorded == ours };
    let mut parts = recorded.split(VOLATILE);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = ours.strip_prefix(first) else { return false };
    for part in parts {
        let Some(skipped) = rest.chars().next().map(char::len_utf8) else { return false };
        let Some(at) = rest[skipped..].find(part) else { return false };
        rest = &rest[skipped + at + part.len()..];
    }
    rest.strip_suffix(last).is_some_and(|between| !between.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volatile_stands_for_some_text() {
        assert!(same_text("a", "a"));
        assert!(!same_text("a", "ab"));
        assert!(same_text("a-<volatile>", "a-xyz"));
        assert!(!same_text("a-<volatile>", "a-"));
        assert!(same_text("<volatile> and <volatile>.", "one and and two."));
        assert!(!same_text("<volatile> and <volatile>.", "one and ."));
    }

    #[test]
    fn differences_are_found_where_they_are() {
        let parse = |text: &str| json::parse(text.as_bytes()).expect("valid JSON");
        let found =
            diff(&parse(r#"{"a":[1,{"b":"x"}],"c":"<volatile>"}"#), &parse(r#"{"a":[1,{"b":"y"}],"c":"z","d":1}"#));
        let paths: Vec<_> = found.iter().map(|difference| difference.path.as_str()).collect();
        assert_eq!(paths, ["a[1].b", "d"]);
        assert_eq!(found[1].want, None);
    }

    #[test]
    fn any_text_is_as_good_as_one_that_was_blanked() {
        let blanked = Value::from(NOT_COMPARED);
        assert!(same(&blanked, &"x".into()));
        assert!(same(&blanked, &"".into()));
        assert!(!same(&blanked, &Value::Null));
        assert!(!same(&[blanked].into_iter().collect(), &Value::array()));
    }
}
