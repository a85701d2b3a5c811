//! Authorization: roles, bindings, and the decisions made from them.
//!
//! Does not know: HTTP, storage, authentication.
//!
//! ```
//! use sprag_authorization::{Attributes, Authorizer, Decision, Rbac, ResourceTarget, Target};
//! use sprag_rest::User;
//! use sprag_value::json;
//!
//! let mut rbac = Rbac::default();
//! let role = json::parse(br#"{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}"#)?;
//! let binding = br#"{"roleRef":{"kind":"Role","name":"reader"},"subjects":[{"kind":"User","name":"ann"}]}"#;
//! rbac.set("Role", "team", "reader", Some(&role));
//! rbac.set("RoleBinding", "team", "readers", Some(&json::parse(binding)?));
//!
//! let ann = User { name: "ann".into(), ..User::default() };
//! let pod = ResourceTarget { resource: "pods", namespace: "team", name: "web", ..ResourceTarget::default() };
//! let get = Attributes { user: &ann, verb: "get", target: Target::Resource(pod) };
//! let why = r#"RBAC: allowed by RoleBinding "readers/team" of Role "reader" to User "ann""#;
//! assert_eq!(rbac.authorize(&get), Decision::Allow(why.into()));
//!
//! let delete = Attributes { verb: "delete", ..get };
//! assert_eq!(rbac.authorize(&delete), Decision::NoOpinion(String::new()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod aggregate;
mod attributes;
mod escalation;
mod policy;
mod reconcile;
mod rule;

pub use access::{Access, AuthorizationMode, UnknownMode, is_master};
pub use aggregate::aggregated;
pub use attributes::{Attributes, ResourceTarget, Target};
pub use escalation::changes_ownership_only;
pub use policy::{Authorizer, Decision, MASTERS, NoRole, Rbac, RoleRef, UserRules};
pub use reconcile::{Reconciled, reconcile};
pub use rule::{PolicyRule, missing, quoted};
