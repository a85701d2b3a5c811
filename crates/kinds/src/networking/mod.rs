//! The group `networking.k8s.io`.

mod ingress;
mod ingress_class;
mod ip_address;
mod network_policy;
mod service_cidr;
#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::Definition;

/// The name of the group.
pub(crate) const GROUP: &str = "networking.k8s.io";

/// The kinds of this group.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![
        ingress::ingresses(),
        ingress_class::ingress_classes(),
        ip_address::ip_addresses(),
        network_policy::network_policies(),
        service_cidr::service_cidrs(),
    ]
}
