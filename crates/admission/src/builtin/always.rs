//! The plug-ins `AlwaysAdmit` and `AlwaysDeny`, for tests of clients.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};

use super::request::{forbidden, judged, mutated};

const DENIED: &str = "admission control is denying all modifications";

/// Lets everything pass.
// As upstream's plugin/pkg/admission/admit.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlwaysAdmit;

impl AdmissionPlugin for AlwaysAdmit {
    fn handles(&self, _: &Attributes<'_>) -> bool {
        false
    }
}

/// Lets nothing pass.
// As upstream's plugin/pkg/admission/deny.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlwaysDeny;

impl AdmissionPlugin for AlwaysDeny {
    /// Objects of the server itself, such as the namespace `default`, are exempt: the server needs them to start.
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        !["", "system:apiserver"].contains(&attributes.request.user.name.as_str())
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        mutated(Err(forbidden(&attributes, DENIED)))
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        judged(Err(forbidden(&attributes, DENIED)))
    }
}
