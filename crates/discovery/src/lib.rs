//! Discovery documents and `OpenAPI` v2 and v3 of a server.
//!
//! Pure functions from the definitions of a registry, sorted by group as it has them, to documents. Does not know: HTTP, content types, caches.
//!
//! ```
//! use std::sync::Arc;
//!
//! use sprag_discovery::api_resource_list;
//!
//! # fn example(widgets: sprag_rest::Definition) {
//! let definitions = [Arc::new(widgets)];
//! let list = api_resource_list(&definitions, "example.com", "v1").unwrap();
//! let resources = list.get("resources").and_then(|resources| resources.as_array()).unwrap();
//! let names: Vec<&str> = resources.iter().filter_map(|resource| resource.get("name")?.as_str()).collect();
//! assert_eq!(names, ["widgets", "widgets/status"]);
//! # }
//! ```

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
