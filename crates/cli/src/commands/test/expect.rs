//! Compares expected with actual findings of a test.

use sprag_analysis::{Cause, Finding};
use sprag_field::ErrorKind;
use sprag_value::Value;

use crate::config::{Section, wrong};

/// One expected finding: its whole text, or some of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Text(String),
    Parts {
        kind: Option<String>,
        field: Option<String>,
        /// A part of the detail.
        detail: Option<String>,
    },
}

impl Expected {
    /// Reads a text or a map of parts.
    pub(super) fn read(place: &str, value: &Value) -> anyhow::Result<Expected> {
        if let Some(text) = value.as_str() {
            return Ok(Expected::Text(text.to_owned()));
        }
        let parts = Section::new(place, value, &["type", "field", "detail"])?;
        let kind = parts.text("type")?;
        if let Some(kind) = &kind
            && ErrorKind::from_reason(kind).is_none()
        {
            let known: Vec<&str> = ErrorKind::ALL.iter().map(|kind| kind.reason()).collect();
            let text = format!("{place}.type: there is no type {kind:?}, only {}", known.join(", "));
            return Err(wrong(format!("{place}.type"), text));
        }
        Ok(Expected::Parts { kind, field: parts.text("field")?, detail: parts.text("detail")? })
    }

    fn matches(&self, finding: &Finding) -> bool {
        match self {
            Expected::Text(text) => finding.message == *text,
            Expected::Parts { kind, field, detail } => {
                let Some(Cause { kind: of, field: at, detail: why, .. }) = &finding.cause else { return false };
                kind.as_deref().is_none_or(|kind| kind == *of)
                    && field.as_deref().is_none_or(|field| field == at)
                    && detail.as_deref().is_none_or(|detail| why.contains(detail))
            }
        }
    }

    fn show(&self) -> String {
        match self {
            Expected::Text(text) => text.clone(),
            Expected::Parts { kind, field, detail } => {
                let part = |name: &str, part: &Option<String>| part.as_ref().map(|part| format!("{name}: {part}"));
                let parts = [part("type", kind), part("field", field), part("detail", detail)];
                format!("{{{}}}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// The differences between what is expected and what was found, a line each. Every expectation stands for one finding.
pub(super) fn differences(sort: &str, expected: &[Expected], found: &[&Finding]) -> Vec<String> {
    let mut open: Vec<&Finding> = found.to_vec();
    let mut lines = Vec::new();
    // Whole texts first, so that parts do not take what a text stands for.
    let (texts, parts): (Vec<_>, Vec<_>) = expected.iter().partition(|expected| matches!(expected, Expected::Text(_)));
    for expected in texts.into_iter().chain(parts) {
        match open.iter().position(|finding| expected.matches(finding)) {
            Some(index) => _ = open.remove(index),
            None => lines.push(format!("expected {sort}: {}", expected.show())),
        }
    }
    // The note follows from errors that are expected, so it need not be listed beside them.
    if open.len() < found.len() {
        open.retain(|finding| !is_unchecked_note(finding));
    }
    lines.extend(open.iter().map(|finding| format!("unexpected {sort}: {}", finding.message)));
    lines
}

/// True for the error that stands for the CEL rules of an object whose schema errors keep them from running.
fn is_unchecked_note(finding: &Finding) -> bool {
    finding.cause.as_ref().is_some_and(|cause| cause.detail.starts_with(UNCHECKED))
}

/// As upstream's customresource strategy words it.
const UNCHECKED: &str = "some validation rules were not checked because the object was invalid";

#[cfg(test)]
mod tests {
    use sprag_analysis::{Origin, Severity};

    use super::*;

    fn finding(field: &str, detail: &str) -> Finding {
        let error = sprag_field::Error::invalid(&sprag_field::Path::new(field), 1_i64, detail.to_owned());
        Finding::of_error(Severity::Error, Origin::Schema, &error)
    }

    fn parts(field: &str) -> Expected {
        Expected::Parts { kind: None, field: Some(field.to_owned()), detail: None }
    }

    #[test]
    fn each_expectation_stands_for_one_finding() {
        let one = finding("a", "one");
        let two = finding("a", "two");
        assert_eq!(differences("error", &[parts("a"), parts("a")], &[&one, &two]), Vec::<String>::new());
        assert_eq!(differences("error", &[parts("a")], &[&one, &two]), ["unexpected error: a: Invalid value: 1: two"]);
        assert_eq!(differences("error", &[parts("b")], &[]), ["expected error: {field: b}"]);
    }

    #[test]
    fn the_note_that_rules_were_not_checked_comes_with_the_errors_it_follows_from() {
        let one = finding("a", "one");
        let note = finding("", &format!("{UNCHECKED}; correct the existing errors"));
        let found = [&one, &note];
        assert_eq!(differences("error", &[parts("a")], &found), Vec::<String>::new());
        let listed = Expected::Text(note.message.clone());
        assert_eq!(differences("error", &[parts("a"), listed.clone()], &found), Vec::<String>::new());
        assert_eq!(differences("error", &[listed], &[&one]).len(), 2);
        assert_eq!(differences("error", &[], &found).len(), 2);
    }

    #[test]
    fn texts_take_their_finding_before_parts_do() {
        let one = finding("a", "one");
        let two = finding("a", "two");
        let text = Expected::Text(one.message.clone());
        assert_eq!(differences("error", &[parts("a"), text], &[&one, &two]), Vec::<String>::new());
    }
}
