//! The group `resource.k8s.io`: devices, and claims to them.

mod admin;
mod claim;
mod device_class;
mod gates;
mod names;
mod selector;
mod sets;
mod slice;
mod taint;
mod template;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::{Definition, Release};

pub(crate) use self::names::{validate_driver_name, validate_pool_name};

/// The name of the group.
const GROUP: &str = "resource.k8s.io";

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![
        device_class::device_classes(release),
        taint::device_taint_rules(release),
        claim::resource_claims(release),
        template::resource_claim_templates(release),
        slice::resource_slices(release),
    ]
}
