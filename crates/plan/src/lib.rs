//! The plan: which rules to check on the values of a set of types, as data.
//!
//! Does not know: source languages, tags. `rules` makes a plan of tagged types, `codegen` prints it.

mod ids;
mod plan;
mod rule;

pub use crate::ids::{DefId, FieldRef, TypeId};
pub use crate::plan::{Check, Cohort, FieldPlan, Hook, Plan, Root, Step, TypePlan, Warning};
pub use crate::rule::{
    Demand, DependentRule, EnumRule, Exclusion, Identity, Limit, LimitByField, Literal, MemberPath, Members, Mode,
    ModeRule, Rule, Term, UnionRule, UpdateRule,
};
