//! Types of version `v1`, one file for each concept.
//!
//! +groupName=

#[cfg(feature = "types")]
mod cloud_volume;
mod condition;
mod config;
#[cfg(feature = "types")]
mod container;
#[cfg(feature = "types")]
mod container_status;
#[cfg(feature = "types")]
mod endpoints;
#[cfg(feature = "types")]
mod env;
mod event;
mod namespace;
#[cfg(feature = "types")]
mod network_volume;
#[cfg(feature = "types")]
mod node;
#[cfg(feature = "types")]
mod persistent_volume;
#[cfg(feature = "types")]
mod pod;
#[cfg(feature = "types")]
mod pod_status;
#[cfg(feature = "types")]
mod probe;
mod reference;
#[cfg(feature = "types")]
mod replication_controller;
#[cfg(feature = "types")]
mod resource;
#[cfg(feature = "types")]
mod scheduling;
#[cfg(feature = "types")]
mod security;
#[cfg(feature = "types")]
mod service;
#[cfg(feature = "types")]
mod volume;

#[cfg(feature = "types")]
pub use cloud_volume::*;
pub use condition::*;
pub use config::*;
#[cfg(feature = "types")]
pub use container::*;
#[cfg(feature = "types")]
pub use container_status::*;
#[cfg(feature = "types")]
pub use endpoints::*;
#[cfg(feature = "types")]
pub use env::*;
pub use event::*;
pub use namespace::*;
#[cfg(feature = "types")]
pub use network_volume::*;
#[cfg(feature = "types")]
pub use node::*;
#[cfg(feature = "types")]
pub use persistent_volume::*;
#[cfg(feature = "types")]
pub use pod::*;
#[cfg(feature = "types")]
pub use pod_status::*;
#[cfg(feature = "types")]
pub use probe::*;
pub use reference::*;
#[cfg(feature = "types")]
pub use replication_controller::*;
#[cfg(feature = "types")]
pub use resource::*;
#[cfg(feature = "types")]
pub use scheduling::*;
#[cfg(feature = "types")]
pub use security::*;
#[cfg(feature = "types")]
pub use service::*;
#[cfg(feature = "types")]
pub use volume::*;
