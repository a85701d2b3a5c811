//! Compares errors with the recorded ones.

use std::fmt::Write;

use sprag_field::{Error, Stage};

use crate::wire::CaseError;

/// The errors of a run, in the recorded form.
pub(crate) fn recorded(errors: &[Error]) -> Vec<CaseError> {
    errors
        .iter()
        .map(|error| CaseError {
            kind: error.kind.reason().to_owned(),
            field: error.field.clone(),
            detail: error.detail.clone().into_owned(),
            origin: error.origin.clone().into_owned(),
            message: error.to_string(),
            short_circuit: error.short_circuit,
            level: match error.stage {
                Stage::Stable => String::new(),
                stage => stage.name().to_owned(),
            },
        })
        .collect()
}

/// Returns the differences as a printable diff; `None` if there are none.
pub(crate) fn diff(want: &[CaseError], got: &[CaseError], any_order: bool) -> Option<String> {
    let mut want = want.to_vec();
    let mut got = got.to_vec();
    if any_order {
        let key = |error: &CaseError| format!("{error:?}");
        want.sort_by_key(key);
        got.sort_by_key(key);
    }
    if want == got {
        return None;
    }
    let mut text = String::new();
    for error in want.iter().filter(|error| !got.contains(error)) {
        let _ = writeln!(text, "  - {}", line(error));
    }
    for error in got.iter().filter(|error| !want.contains(error)) {
        let _ = writeln!(text, "  + {}", line(error));
    }
    if text.is_empty() {
        text.push_str("  same errors, other order or count:\n");
        for (sign, list) in [('-', &want), ('+', &got)] {
            for error in list {
                let _ = writeln!(text, "  {sign} {}", line(error));
            }
        }
    }
    Some(text)
}

/// The same errors with empty lists and maps in their texts shown as null.
pub(crate) fn empty_as_null(mut errors: Vec<CaseError>) -> Vec<CaseError> {
    for error in &mut errors {
        error.message = error.message.replace("[]", "null").replace("{}", "null");
    }
    errors
}

fn line(error: &CaseError) -> String {
    let stop = if error.short_circuit { " stops" } else { "" };
    let kind = &error.kind;
    let origin = &error.origin;
    let level = &error.level;
    format!("{} [{kind} origin={origin:?} level={level:?}{stop}]", error.message)
}
