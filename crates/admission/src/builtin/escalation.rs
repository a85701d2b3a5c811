//! Privilege escalation checks.

use std::sync::Arc;

use sprag_authorization::Access;
use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};

/// Refuses roles and bindings that give more than who writes them has.
///
/// Upstream does so in its storage of roles and bindings, after mutating admission and before validation: as the last mutating
/// plug-in it runs at the same moment.
pub struct EscalationCheck(pub Arc<Access>);

impl AdmissionPlugin for EscalationCheck {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.object.is_some()
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        let checked = self.0.check_escalation(attributes.request, attributes.new_object(), attributes.old);
        Box::pin(std::future::ready(checked.map(|()| Mutation::default())))
    }
}
