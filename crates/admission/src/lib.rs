//! Admission: the plug-ins that change and refuse requests of a Kubernetes API server.
//!
//! - [`builtin`]: the plug-ins that upstream compiles in, as `LimitRanger` and `ResourceQuota`.
//! - [`policy`]: `ValidatingAdmissionPolicy` and `MutatingAdmissionPolicy`.
//! - [`webhook`]: validating and mutating admission webhooks.
//! - [`offline`]: policies without a server.
//! - [`matching`]: which requests a policy or a webhook is about.

mod audit;
pub mod builtin;
mod claim_access;
pub mod matching;
pub mod offline;
pub mod policy;
pub mod webhook;

pub use self::audit::AuditSink;
pub use self::claim_access::ClaimAccess;
