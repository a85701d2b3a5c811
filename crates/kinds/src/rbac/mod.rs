//! The group `rbac.authorization.k8s.io`.

mod binding;
mod bootstrap;
mod role;
#[cfg(feature = "types")]
pub mod v1;

use sprag_checks::object_meta::{Usage, path_segment};
use sprag_field::Errors;
use sprag_rest::{Definition, Release};
use sprag_value::Value;

pub use self::bootstrap::bootstrap_policy;
use crate::meta::{validate_finalizers, validate_generate_name};

/// The name of the group.
const GROUP: &str = "rbac.authorization.k8s.io";

/// The rules on metadata of this group. A base for names is asked for what a name is: upstream does not tell them apart.
fn validate_metadata(object: &Value, errors: &mut Errors) {
    validate_generate_name(object, &|base, _, report| path_segment(base, Usage::Name, report), errors);
    validate_finalizers(object, errors);
}

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![
        role::roles(release),
        role::cluster_roles(release),
        binding::role_bindings(release),
        binding::cluster_role_bindings(release),
    ]
}
