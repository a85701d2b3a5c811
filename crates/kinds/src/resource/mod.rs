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

use sprag_rest::Definition;

pub(crate) use self::names::{validate_driver_name, validate_pool_name};

/// The name of the group.
const GROUP: &str = "resource.k8s.io";

/// The kinds of this group.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![
        device_class::device_classes(),
        taint::device_taint_rules(),
        claim::resource_claims(),
        template::resource_claim_templates(),
        slice::resource_slices(),
    ]
}
