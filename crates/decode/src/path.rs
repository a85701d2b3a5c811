//! Paths of members as strict decoding prints them.

use std::fmt::{self, Write as _};

/// A path under construction: names joined by dots, indices in brackets.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldPath(String);

impl FieldPath {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    pub(crate) fn push_key(&mut self, key: &str) {
        if !self.0.is_empty() {
            self.0.push('.');
        }
        self.0.push_str(key);
    }

    pub(crate) fn push_index(&mut self, index: usize) {
        let written = write!(self.0, "[{index}]");
        debug_assert!(written.is_ok(), "writing to a string does not fail");
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
