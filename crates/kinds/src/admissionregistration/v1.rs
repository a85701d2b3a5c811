//! Types of version `v1`, one file for each concept.
//!
//! +groupName=admissionregistration.k8s.io

mod binding;
mod mutating_policy;
mod rule;
mod validating_policy;
mod webhook;

pub use binding::*;
pub use mutating_policy::*;
pub use rule::*;
pub use validating_policy::*;
pub use webhook::*;
