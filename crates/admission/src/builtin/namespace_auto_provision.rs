//! The plug-in `NamespaceAutoProvision`: namespaces are created with the first object in them.

use sprag_registry::{AdmissionPlugin, Attributes};

/// Lets the registry create the namespace of a new object.
// As upstream's plugin/pkg/admission/namespace/autoprovision.
#[derive(Clone, Copy, Debug, Default)]
pub struct NamespaceAutoProvision;

impl AdmissionPlugin for NamespaceAutoProvision {
    fn handles(&self, _: &Attributes<'_>) -> bool {
        false
    }

    fn provisions_namespaces(&self) -> bool {
        true
    }
}
