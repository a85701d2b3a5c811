//! Errors as the parts of a Kubernetes `Status` response.

use std::collections::BTreeSet;

use crate::{Error, quote};

/// One entry of `status.details.causes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The kind of error.
    pub reason: &'static str,
    /// The message without the field.
    pub message: String,
    /// The rendered path.
    pub field: String,
}

impl From<&Error> for Cause {
    fn from(error: &Error) -> Self {
        Cause { reason: error.kind.reason(), message: error.body().to_string(), field: error.field.clone() }
    }
}

/// The most errors that an answer lists.
pub const MAX_LISTED: usize = 1_000;
/// The most bytes of errors in an answer, which has each twice, in its message and as a cause, and is to be below 1 MiB.
const MAX_LISTED_BYTES: usize = 448 << 10;

/// The errors that are listed, and how many are left out.
///
/// ```
/// use sprag_field::{Error, Path, status};
///
/// let errors = vec![Error::required(&Path::new("a"), ""); 1234];
/// let (listed, left_out) = status::listed(&errors);
/// assert_eq!((listed.len(), left_out), (1000, 234));
/// ```
pub fn listed(errors: &[Error]) -> (&[Error], usize) {
    let mut count = 0;
    let mut bytes = 0;
    for error in errors.iter().take(MAX_LISTED) {
        bytes += json_bytes(&error.to_string());
        if error.count_left_out().is_some() || (bytes > MAX_LISTED_BYTES && count > 0) {
            break;
        }
        count += 1;
    }
    let left_out = errors[count..].iter().map(|error| error.count_left_out().unwrap_or(1)).sum();
    (&errors[..count], left_out)
}

/// The length of a text in JSON.
fn json_bytes(text: &str) -> usize {
    text.len() + text.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count()
}

/// The errors that are listed; the last one says how many are left out, if any are.
pub fn bounded(mut errors: Vec<Error>) -> Vec<Error> {
    let (listed, left_out) = listed(&errors);
    if left_out > 0 {
        errors.truncate(listed.len());
        errors.push(Error::left_out(left_out));
    }
    errors
}

/// The causes of an `Invalid` status: one per error that is listed, duplicates included.
pub fn causes(errors: &[Error]) -> Vec<Cause> {
    listed(errors).0.iter().map(Cause::from).collect()
}

/// The message of an `Invalid` status.
///
/// ```
/// use sprag_field::{Error, Path, status};
///
/// let errors = [Error::required(&Path::new("a"), ""), Error::required(&Path::new("b"), "")];
/// assert_eq!(
///     status::invalid_message("Widget", "example.dev", "w", &errors),
///     r#"Widget.example.dev "w" is invalid: [a: Required value, b: Required value]"#,
/// );
/// ```
pub fn invalid_message(kind: &str, group: &str, name: &str, errors: &[Error]) -> String {
    let mut message = String::from(kind);
    if !group.is_empty() {
        message.push('.');
        message.push_str(group);
    }
    message.push(' ');
    quote::push_go(&mut message, name);
    message.push_str(" is invalid");
    if !errors.is_empty() {
        message.push_str(": ");
        message.push_str(&aggregate(errors));
    }
    message
}

/// All messages that are listed in one text: each once, in brackets when there are several, empty when there are none. The
/// last one says how many are left out.
pub fn aggregate(errors: &[Error]) -> String {
    let (errors, left_out) = listed(errors);
    let mut seen = BTreeSet::new();
    let mut messages: Vec<String> = Vec::new();
    for error in errors {
        let message = error.to_string();
        if seen.insert(message.clone()) {
            messages.push(message);
        }
    }
    if left_out > 0 {
        messages.push(format!("{left_out} more errors were left out"));
    }
    let joined = messages.join(", ");
    if messages.len() > 1 { format!("[{joined}]") } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Path;

    fn required(name: &str) -> Error {
        Error::required(&Path::new(name), "why")
    }

    #[test]
    fn one_error_stands_without_brackets() {
        let message = invalid_message("Pod", "", "p", &[required("a")]);
        assert_eq!(message, r#"Pod "p" is invalid: a: Required value: why"#);
    }

    #[test]
    fn repeated_messages_are_said_once_and_counted_twice() {
        let errors = [required("a"), required("b"), required("a")];
        assert_eq!(aggregate(&errors), "[a: Required value: why, b: Required value: why]");
        assert_eq!(aggregate(&[required("a"), required("a")]), "a: Required value: why");
        assert_eq!(causes(&errors).len(), 3);
    }

    #[test]
    fn an_answer_says_how_many_errors_are_left_out() {
        let errors: Vec<Error> = (0..1001).map(|at| required(&format!("a{at}"))).collect();
        assert_eq!(listed(&errors[..1000]), (&errors[..1000], 0));
        assert_eq!(listed(&errors).1, 1);
        assert!(aggregate(&errors).ends_with(", a999: Required value: why, 1 more errors were left out]"));
        let large: Vec<Error> = (0..300)
            .map(|at| Error::invalid(&Path::new("a"), at, "x".repeat(8 << 10)))
            .chain([Error::left_out(7)])
            .collect();
        let (listed, left_out) = listed(&large);
        assert_eq!(listed.len() + left_out, 307);
        assert!(aggregate(&large).len() < 600 << 10);
    }

    #[test]
    fn no_error_is_still_invalid() {
        assert_eq!(invalid_message("Pod", "", "a\"b", &[]), r#"Pod "a\"b" is invalid"#);
    }

    #[test]
    fn a_cause_has_no_field_in_its_message() {
        let cause = Cause::from(&required("a"));
        assert_eq!(
            (cause.reason, cause.message.as_str(), cause.field.as_str()),
            ("FieldValueRequired", "Required value: why", "a")
        );
    }
}
