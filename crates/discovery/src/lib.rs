//! What a server tells clients about itself: discovery documents and `OpenAPI` v2 and v3.
//!
//! Pure functions from the definitions of a registry to documents. Does not know: HTTP, content types, caches.

#[macro_use]
mod object;

mod aggregated;
mod groups;
mod hash;
pub mod openapi;
mod order;
mod resources;
mod root;

pub use crate::aggregated::{aggregated_api, aggregated_apis};
pub use crate::groups::{api_group, api_group_list, api_versions};
pub use crate::hash::content_hash;
pub use crate::order::compare_groups;
pub use crate::resources::api_resource_list;
pub use crate::root::root_paths;
