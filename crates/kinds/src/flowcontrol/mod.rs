//! The group `flowcontrol.apiserver.k8s.io`.

mod flow_schema;
mod mandatory;
mod priority_level_configuration;
#[cfg(feature = "types")]
pub mod v1;

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors};
use sprag_rest::{Definition, Release, meta};
use sprag_value::Value;

use crate::core::pod::Seen;

/// The name of the group.
const GROUP: &str = "flowcontrol.apiserver.k8s.io";

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![flow_schema::flow_schemas(release), priority_level_configuration::priority_level_configurations(release)]
}

/// Makes metadata the old one but for managed fields, as upstream's `flowSchemaStatusStrategy.PrepareForUpdate`.
fn keep_metadata(new: &mut Value, old: &Value) {
    for member in ["name", "generateName", "uid", "creationTimestamp", "deletionGracePeriodSeconds"] {
        meta::copy(new, old, member);
    }
}

/// Refuses conditions of the same type, and judges each by its own rules.
fn validate_conditions<'v>(
    types: impl Iterator<Item = &'v str>,
    check: impl Fn(usize, &At<'_>, &mut Errors),
    root: &At<'_>,
    errors: &mut Errors,
) {
    let at = root.child("status");
    let mut seen = Seen::new();
    let at = at.child("conditions");
    for (index, kind) in types.enumerate() {
        let at = at.index(index);
        if !seen.insert(kind) {
            errors.push(Error::duplicate(&at.child("type"), BadValue::json_str(kind)));
        }
        check(index, &at, errors);
    }
}
