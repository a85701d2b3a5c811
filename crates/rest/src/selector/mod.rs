//! Selectors of a list or watch: by labels, by fields.

mod fields;
mod labels;
mod lexer;

pub use self::fields::{FieldSelector, FieldTerm};
pub use self::labels::{LabelSelector, Operator, Requirement};

/// The most bytes the text of a selector may have.
pub const MAX_SELECTOR_BYTES: usize = 64 << 10;

/// Upstream's error for a malformed selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SelectorError(pub(crate) String);

fn check_size(text: &str) -> Result<(), SelectorError> {
    if text.len() > MAX_SELECTOR_BYTES {
        return Err(SelectorError(format!("a selector may not be longer than {MAX_SELECTOR_BYTES} bytes")));
    }
    Ok(())
}
