//! The group `networking.k8s.io`.

mod ingress;
mod ingress_class;
mod ip_address;
mod network_policy;
mod service_cidr;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::{Definition, Release};

/// The name of the group.
pub(crate) const GROUP: &str = "networking.k8s.io";

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![
        ingress::ingresses(release),
        ingress_class::ingress_classes(release),
        ip_address::ip_addresses(release),
        network_policy::network_policies(release),
        service_cidr::service_cidrs(release),
    ]
}
