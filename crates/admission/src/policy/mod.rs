//! `ValidatingAdmissionPolicy` and `MutatingAdmissionPolicy`, evaluated.
//!
//! Policies and bindings are compiled when they change (`source`). A request finds those whose rules can match it in one lookup,
//! is matched with each binding and its parameters (`dispatch`, `params`), and judged by the compiled expressions
//! (`validation`, `mutation`) over what expressions can read (`request`, `activation`).

mod activation;
mod audit;
mod conditions;
mod dispatch;
mod expression;
mod metrics;
mod mutating;
mod mutation;
mod native;
mod param_access;
mod params;
mod request;
mod source;
mod typecheck;
mod validating;
mod validation;

pub use self::conditions::{Conditions, Verdict};
pub use self::metrics::{Check, PolicyObserver, Unobserved};
pub use self::mutating::MutatingPolicies;
pub use self::param_access::ParamAccess;
pub use self::request::AskAccess;
pub(crate) use self::request::value as request_value;
pub use self::typecheck::{ExpressionWarning, check_types};
pub use self::validating::ValidatingPolicies;
