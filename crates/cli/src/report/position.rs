//! Texts of findings whose place is printed beside them.

use std::borrow::Cow;

use sprag_analysis::{Finding, Origin};

/// The message of a finding with the releases that have it, without the line or offset that a decoding error begins with if its place is known: that is said once.
pub(crate) fn message(finding: &Finding) -> Cow<'_, str> {
    let is_said_beside = finding.origin == Origin::Decode && finding.place.is_some();
    let message = &finding.message;
    finding.naming_releases(if is_said_beside { without_position(message) } else { Cow::Borrowed(message) })
}

fn without_position(text: &str) -> Cow<'_, str> {
    let start = ["yaml: ", "json: "].iter().find_map(|word| Some(text.find(word)? + word.len())).unwrap_or(0);
    let (before, rest) = text.split_at(start);
    match ["line ", "offset "].iter().find_map(|begin| behind_number(rest.strip_prefix(begin)?)) {
        Some(behind) => Cow::Owned(format!("{before}{behind}")),
        None => Cow::Borrowed(text),
    }
}

/// The text behind a number and a colon.
fn behind_number(text: &str) -> Option<&str> {
    let (number, behind) = text.split_once(": ")?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::without_position;

    #[test]
    fn lines_and_offsets_are_left_out() {
        assert_eq!(
            without_position("error converting YAML to JSON: yaml: line 6: no"),
            "error converting YAML to JSON: yaml: no"
        );
        assert_eq!(without_position("json: offset 49: invalid"), "json: invalid");
        assert_eq!(without_position("line 13: key \"port\" already set in map"), "key \"port\" already set in map");
        assert_eq!(without_position("yaml: unknown anchor: line 6: x"), "yaml: unknown anchor: line 6: x");
    }
}
