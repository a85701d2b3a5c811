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

/// The causes of an `Invalid` status: one per error, duplicates included.
pub fn causes(errors: &[Error]) -> Vec<Cause> {
    errors.iter().map(Cause::from).collect()
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

/// All messages in one text: each once, in brackets when there are several, empty when there are none.
pub fn aggregate(errors: &[Error]) -> String {
    let mut seen = BTreeSet::new();
    let mut messages: Vec<String> = Vec::new();
    for error in errors {
        let message = error.to_string();
        if seen.insert(message.clone()) {
            messages.push(message);
        }
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
