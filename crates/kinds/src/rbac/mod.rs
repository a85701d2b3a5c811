//! The group `rbac.authorization.k8s.io`.

mod binding;
mod role;
pub mod v1;

use sprag_field::Errors;
use sprag_rest::{Definition, ObjectMeta};
use sprag_validate::object_meta::{Usage, path_segment};

use crate::meta::{check_finalizers, check_generate_name};

/// The name of the group.
const GROUP: &str = "rbac.authorization.k8s.io";

/// The rules on metadata of this group. A base for names is asked for what a name is: upstream does not tell them apart.
fn check_metadata(metadata: &ObjectMeta, errors: &mut Errors) {
    check_generate_name(metadata, &|base, _, report| path_segment(base, Usage::Name, report), errors);
    check_finalizers(metadata, errors);
}

/// The kinds of this group.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![role::roles(), role::cluster_roles(), binding::role_bindings(), binding::cluster_role_bindings()]
}
