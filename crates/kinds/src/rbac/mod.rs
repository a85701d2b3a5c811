//! The group `rbac.authorization.k8s.io`.

mod binding;
mod role;
pub mod v1;

use sprag_registry::Definition;

/// The name of the group.
const GROUP: &str = "rbac.authorization.k8s.io";

/// The kinds of this group.
pub(crate) fn definitions() -> [Definition; 4] {
    [role::roles(), role::cluster_roles(), binding::role_bindings(), binding::cluster_role_bindings()]
}
