//! Recorded values beside ours, where `<volatile>` stands for whatever changes from run to run.

use std::fmt::Write as _;

use sprag_value::{Value, json};

/// The placeholder of a text that no two runs share.
pub(crate) const VOLATILE: &str = "<volatile>";

/// The placeholder of a blanked text: it matches any text.
pub(crate) const NOT_COMPARED: &str = "<not compared>";

/// Texts in recorded answers that stand for whatever changes from run to run.
#[derive(Clone, Copy)]
pub(crate) struct Placeholders {
    /// The texts: `<volatile>`.
    pub(crate) names: &'static [&'static str],
    /// True if a value of ours can be what one of them stands for, where it is the whole of a value.
    pub(crate) fits: fn(&str, &Value) -> bool,
}

/// Those of transcripts.
const TRANSCRIPTS: Placeholders =
    Placeholders { names: &[VOLATILE], fits: |_, ours| !ours.is_null() && ours.as_str() != Some("") };

/// One place where two values differ.
pub(crate) struct Difference {
    /// The path, as `metadata.labels.a` or `items[0]`; empty at the root.
    pub(crate) path: String,
    /// The recorded value; `None` if nothing was recorded there.
    pub(crate) want: Option<String>,
    /// Our value; `None` if absent.
    pub(crate) got: Option<String>,
}

/// True if a value is the recorded one.
pub(crate) fn same(recorded: &Value, ours: &Value) -> bool {
    diff(recorded, ours).is_empty()
}

/// All places where a value is not the recorded one, in the order of their paths.
pub(crate) fn diff(recorded: &Value, ours: &Value) -> Vec<Difference> {
    TRANSCRIPTS.diff(recorded, ours)
}

/// True if a text is the recorded one; `<volatile>` in it stands for one character or more.
pub(crate) fn same_text(recorded: &str, ours: &str) -> bool {
    TRANSCRIPTS.same_text(recorded, ours)
}

/// Reports whether a value can be what `<uid>` or `<time>` stands for; any text that is not empty for other
/// placeholders.
pub(crate) fn fits_kind(name: &str, ours: &Value) -> bool {
    let text = ours.as_str().unwrap_or_default();
    match name {
        "<uid>" => text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12]),
        "<time>" => text.contains('T') && text.ends_with('Z') || ours.as_i64().is_some(),
        _ => !text.is_empty(),
    }
}

impl Placeholders {
    /// The places where a value is not the recorded one, one a line.
    pub(crate) fn lines(self, prefix: &str, recorded: &Value, ours: &Value, text: &mut String) {
        for difference in self.diff(recorded, ours) {
            let shown = |value: Option<String>| value.unwrap_or_else(|| "nothing".to_owned());
            let want = shown(difference.want);
            let got = shown(difference.got);
            let _ = writeln!(text, "  {prefix}{}: {want} recorded, {got} ours", difference.path);
        }
    }

    /// All places where a value is not the recorded one, in the order of their paths.
    pub(crate) fn diff(self, recorded: &Value, ours: &Value) -> Vec<Difference> {
        let mut found = Vec::new();
        self.differences(recorded, ours, &mut String::new(), &mut found);
        found
    }

    /// True if a text is the recorded one; a placeholder in it stands for one character or more.
    pub(crate) fn same_text(self, recorded: &str, ours: &str) -> bool {
        let (first, rest) = self.split(recorded);
        let Some(rest) = rest else { return first == ours };
        ours.strip_prefix(first).is_some_and(|ours| self.same_rest(rest, ours))
    }

    /// True if a text is what follows a placeholder, with at least one character before it.
    fn same_rest(self, recorded: &str, ours: &str) -> bool {
        let Some(skipped) = ours.chars().next().map(char::len_utf8) else { return false };
        let ours = &ours[skipped..];
        match self.split(recorded) {
            (last, None) => ours.ends_with(last),
            (part, Some(rest)) => {
                ours.match_indices(part).any(|(at, _)| self.same_rest(rest, &ours[at + part.len()..]))
            }
        }
    }

    /// The text up to the first placeholder, and what follows that.
    fn split(self, recorded: &str) -> (&str, Option<&str>) {
        let first = self.names.iter().filter_map(|name| Some((recorded.find(name)?, name.len()))).min();
        first.map_or((recorded, None), |(at, len)| (&recorded[..at], Some(&recorded[at + len..])))
    }

    fn differences(self, recorded: &Value, ours: &Value, path: &mut String, found: &mut Vec<Difference>) {
        match (recorded, ours) {
            (Value::String(text), _) if self.names.contains(&text.as_str()) => {
                if !(self.fits)(text, ours) {
                    found.push(Difference { path: path.clone(), want: shown(recorded), got: shown(ours) });
                }
            }
            (Value::String(recorded), Value::String(ours))
                if is_blanked(recorded) || self.same_text(recorded, ours) => {}
            (Value::Array(recorded), Value::Array(ours)) => {
                for index in 0..recorded.len().max(ours.len()) {
                    within(path, &format!("[{index}]"), |path| {
                        self.either(recorded.get(index), ours.get(index), path, found);
                    });
                }
            }
            (Value::Object(recorded), Value::Object(ours)) => {
                let keys: std::collections::BTreeSet<_> = recorded.keys().chain(ours.keys()).collect();
                for key in keys {
                    let part = if path.is_empty() { key.to_string() } else { format!(".{key}") };
                    within(path, &part, |path| self.either(recorded.get(key), ours.get(key), path, found));
                }
            }
            _ if recorded == ours => {}
            _ => found.push(Difference { path: path.clone(), want: shown(recorded), got: shown(ours) }),
        }
    }

    fn either(self, recorded: Option<&Value>, ours: Option<&Value>, path: &mut String, found: &mut Vec<Difference>) {
        match (recorded, ours) {
            (Some(recorded), Some(ours)) => self.differences(recorded, ours, path, found),
            (recorded, ours) => {
                found.push(Difference {
                    path: path.clone(),
                    want: recorded.and_then(shown),
                    got: ours.and_then(shown),
                });
            }
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
