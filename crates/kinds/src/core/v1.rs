//! Types of version `v1`, one file for each concept.
//!
//! +groupName=

mod cloud_volume;
mod condition;
mod config;
mod container;
mod container_status;
mod driver_volume;
mod endpoints;
mod env;
mod event;
mod namespace;
mod network_volume;
mod node;
mod persistent_volume;
mod pod;
mod pod_status;
mod probe;
mod projected_volume;
mod reference;
mod replication_controller;
mod resource;
mod scheduling;
mod security;
mod service;
mod volume;

pub use cloud_volume::*;
pub use condition::*;
pub use config::*;
pub use container::*;
pub use container_status::*;
pub use driver_volume::*;
pub use endpoints::*;
pub use env::*;
pub use event::*;
pub use namespace::*;
pub use network_volume::*;
pub use node::*;
pub use persistent_volume::*;
pub use pod::*;
pub use pod_status::*;
pub use probe::*;
pub use projected_volume::*;
pub use reference::*;
pub use replication_controller::*;
pub use resource::*;
pub use scheduling::*;
pub use security::*;
pub use service::*;
pub use volume::*;
