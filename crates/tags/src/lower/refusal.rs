//! Rejections of tags, collected per place.

use sprag_idl::{Finding, Span};

/// The rejection of one or more tags of a place.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    /// The reasons, at least one, in the order in which they were found.
    reasons: Vec<Reason>,
}

#[derive(Clone, Debug)]
struct Reason {
    message: String,
    span: Option<Span>,
    help: Option<String>,
}

impl Refusal {
    pub(crate) fn at(span: Span, message: impl Into<String>) -> Refusal {
        Refusal { reasons: vec![Reason { message: message.into(), span: Some(span), help: None }] }
    }

    /// The same refusal with advice on how to mend it.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Refusal {
        let help = help.into();
        for reason in &mut self.reasons {
            reason.help.get_or_insert_with(|| help.clone());
        }
        self
    }

    /// The same refusal, seen from the tag around it.
    pub(crate) fn inside(mut self, tag: &str, span: Span) -> Refusal {
        for reason in &mut self.reasons {
            reason.span.get_or_insert(span);
        }
        self.prefixed(&format!("tag {tag:?}: "))
    }

    /// The same refusal with a text before every reason.
    pub(crate) fn prefixed(mut self, prefix: &str) -> Refusal {
        for reason in &mut self.reasons {
            reason.message.insert_str(0, prefix);
        }
        self
    }

    /// The findings; a reason without a place of its own is found at `fallback`.
    pub(crate) fn into_findings(self, fallback: Span) -> impl Iterator<Item = Finding> {
        self.reasons.into_iter().map(move |reason| {
            let span = reason.span.filter(|span| span.is_some()).unwrap_or(fallback);
            Finding { help: reason.help, ..Finding::error(span, reason.message) }
        })
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Refusal { reasons: vec![Reason { message, span: None, help: None }] }
    }
}

impl From<&str> for Refusal {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

/// The refusals of several steps, of which none keeps the others from being taken.
#[derive(Default)]
pub(crate) struct Refusals {
    reasons: Vec<Reason>,
}

impl Refusals {
    /// Returns the result of a step; its rejection is collected.
    pub(crate) fn take<T>(&mut self, result: Result<T, Refusal>) -> Option<T> {
        result.map_err(|refusal| self.reasons.extend(refusal.reasons)).ok()
    }

    /// The value, unless a step was refused.
    pub(crate) fn or<T>(self, value: T) -> Result<T, Refusal> {
        if self.reasons.is_empty() { Ok(value) } else { Err(Refusal { reasons: self.reasons }) }
    }
}
