//! Expressions of a schema (`x-kubernetes-validations`): what they see and what they are called.

mod decl;
mod escape;

pub(crate) use self::decl::{Root, declare, most_in_request};
pub(crate) use self::escape::escape;

/// The variable that holds the value a rule stands at.
pub(crate) const SELF: &str = "self";
/// The variable that holds what the value was before.
pub(crate) const OLD_SELF: &str = "oldSelf";
