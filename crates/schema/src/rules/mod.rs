//! Expressions of a schema (`x-kubernetes-validations`): what they see and what they are called.

mod compile;
mod decl;
mod escape;
mod run;
mod scope;
mod tree;

pub(crate) use self::decl::{Root, declare, most_in_request};
pub(crate) use self::escape::escape;
pub use self::escape::{escape as cel_name, is_reserved as is_cel_reserved};
pub use self::run::{OBJECT_COST_LIMIT, RULE_ORIGIN};
pub(crate) use self::run::{Ratcheting, run, run_within};
pub use self::scope::{PlaceStep, RuleScope, ScopeError};
pub(crate) use self::tree::RuleTree;

/// The variable that holds the value a rule stands at.
pub(crate) const SELF: &str = "self";
/// The variable that holds what the value was before.
pub(crate) const OLD_SELF: &str = "oldSelf";
