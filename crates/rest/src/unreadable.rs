//! Errors of decoding an object into its type.

use std::fmt;

use sprag_decode::typed::{Misfit, TypedError};

/// Upstream's decoding error for a text or value that does not fit its type, and the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The words of upstream's decoder.
    pub text: String,
    /// The path of the value that does not fit: `spec.list[0].name`; empty where the whole is at fault.
    pub field: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<String> for Unreadable {
    fn from(text: String) -> Self {
        Unreadable { text, field: String::new() }
    }
}

impl From<Misfit> for Unreadable {
    fn from(misfit: Misfit) -> Self {
        Unreadable { text: misfit.text, field: misfit.path }
    }
}

impl From<TypedError> for Unreadable {
    fn from(error: TypedError) -> Self {
        match error {
            TypedError::Misfit(misfit) => misfit.into(),
            error => error.to_string().into(),
        }
    }
}

impl From<Unreadable> for String {
    fn from(unreadable: Unreadable) -> Self {
        unreadable.text
    }
}
