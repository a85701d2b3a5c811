//! Patterns, read when they are first used and shared between the places that have the same.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use sprag_regexp::Regexp;
use sprag_value::Text;

/// A regular expression in Go's syntax.
#[derive(Clone)]
pub(crate) struct Pattern(Arc<Lazy>);

struct Lazy {
    text: Text,
    read: OnceLock<Result<Regexp, String>>,
}

impl Pattern {
    pub(crate) fn new(text: Text) -> Self {
        Self(Arc::new(Lazy { text, read: OnceLock::new() }))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0.text
    }

    /// Reports whether a text contains a match; the error is Go's about the pattern, or that it takes too much work.
    pub(crate) fn is_match(&self, text: &str) -> Result<bool, Cow<'_, str>> {
        let read = || Regexp::new(&self.0.text).map_err(|error| error.to_string());
        let searched = match self.0.read.get_or_init(read) {
            Ok(regexp) => regexp.charged().is_match(text),
            Err(error) => return Err(error.into()),
        };
        searched.map_err(|stopped| stopped.to_string().into())
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.0.text).finish()
    }
}
