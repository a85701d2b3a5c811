//! Types of version `v1`, one file for each concept.
//!
//! +groupName=flowcontrol.apiserver.k8s.io

mod flow_schema;
mod priority_level_configuration;

pub use flow_schema::*;
pub use priority_level_configuration::*;
