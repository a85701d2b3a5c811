//! Controllers: what keeps stored objects, and what is decided by them, in step.
//!
//! - [`DefinitionController`]: serves what definitions define, and ends definitions with their objects.
//! - [`Followers`]: hand what is stored to those who decide by it; [`RbacFollower`], [`Services`] and [`PolicyChanges`] are such.
//! - [`bootstrap`]: objects that every server has, and rules that are put together of others'.
//! - [`NamespaceAccounts`], [`KubernetesService`], [`IdentityLease`], [`service_cidr`]: objects that a control plane makes.
//! - [`policy_status`], [`protection`]: what a control plane writes into the objects of others.
//!
//! Garbage and the end of namespaces are requests of the registry, counts of quotas belong to their plug-in.
//!
//! Does not know: HTTP, when anything runs. The server calls these and waits in between.

pub mod bootstrap;
mod definitions;
mod follow;
mod identity_lease;
mod kubernetes_service;
mod namespace_accounts;
pub mod policy_status;
pub mod protection;
mod rbac;
pub mod service_cidr;
mod services;

pub use self::definitions::{DefinitionController, load};
pub use self::follow::{FollowedStore, Followers};
pub use self::identity_lease::{IdentityLease, RENEWALS_PER_LOOK, RENEWED_EVERY};
pub use self::kubernetes_service::KubernetesService;
pub use self::namespace_accounts::NamespaceAccounts;
pub use self::policy_status::PolicyChanges;
pub use self::rbac::RbacFollower;
pub use self::service_cidr::ServiceCidrFollower;
pub use self::services::Services;
