//! Errors of converting between a Rust type and a value.

use std::fmt;

/// The error of converting a value to a Rust type, or a Rust type to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BridgeError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    message: String,
    /// Steps from the root, innermost first.
    path: Vec<String>,
}

impl BridgeError {
    /// Returns the message, without the path.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the path of the misfit: `spec.ports[0].name`, empty at the root.
    pub fn path(&self) -> String {
        let mut path: String = self.0.path.iter().rev().map(String::as_str).collect();
        if path.starts_with('.') {
            path.remove(0);
        }
        path
    }

    pub(super) fn in_member(mut self, key: &str) -> Self {
        self.0.path.push(format!(".{key}"));
        self
    }

    pub(super) fn in_element(mut self, index: usize) -> Self {
        self.0.path.push(format!("[{index}]"));
        self
    }
}

impl fmt::Display for BridgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.path.is_empty() {
            f.write_str(&self.0.message)
        } else {
            write!(f, "{}: {}", self.path(), self.0.message)
        }
    }
}

impl std::error::Error for BridgeError {}

impl serde::de::Error for BridgeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Box::new(Inner { message: message.to_string(), path: Vec::new() }))
    }
}

impl serde::ser::Error for BridgeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        serde::de::Error::custom(message)
    }
}
