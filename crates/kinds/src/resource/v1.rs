//! Types of version `v1`, one file for each concept.
//!
//! +groupName=resource.k8s.io

mod allocation;
mod device;
mod device_class;
mod device_request;
mod device_taint;
mod resource_claim;
mod resource_slice;

pub use allocation::*;
pub use device::*;
pub use device_class::*;
pub use device_request::*;
pub use device_taint::*;
pub use resource_claim::*;
pub use resource_slice::*;
