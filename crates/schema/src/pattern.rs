//! Patterns, compiled when they are first used and shared between the places that have the same.

use std::fmt;
use std::sync::{Arc, OnceLock};

use sprag_regexp::Regexp;
use sprag_value::Text;

/// A regular expression in Go's syntax.
#[derive(Clone)]
pub(crate) struct Pattern(Arc<Lazy>);

struct Lazy {
    text: Text,
    compiled: OnceLock<Result<Regexp, String>>,
}

impl Pattern {
    pub(crate) fn new(text: Text) -> Self {
        Self(Arc::new(Lazy { text, compiled: OnceLock::new() }))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0.text
    }

    /// Reports whether a text contains a match; the error is Go's about the pattern.
    pub(crate) fn is_match(&self, text: &str) -> Result<bool, &str> {
        let compile = || Regexp::new(&self.0.text).map_err(|error| error.to_string());
        match self.0.compiled.get_or_init(compile) {
            Ok(regexp) => Ok(regexp.is_match(text)),
            Err(error) => Err(error),
        }
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.0.text).finish()
    }
}
