//! Custom resources: definitions served as resources, and the resources they define.
//!
//! [`definitions`] is `customresourcedefinitions.apiextensions.k8s.io` itself, [`resource`] what one of its objects defines,
//! and a [`Controller`] keeps what a registry serves in step with the definitions in its store.
//!
//! What the API server says of definitions and objects is known to `sprag-schema`; this crate makes resources of it.
//! Schemas are compiled when the first object needs them.
//!
//! Does not know: HTTP, databases, conversion webhooks.

mod condition;
mod controller;
mod definition;
mod instance;
mod json_path;
mod load;

pub use crate::controller::Controller;
pub use crate::definition::definitions;
pub use crate::instance::{resource, resource_of};
pub use crate::load::load;
