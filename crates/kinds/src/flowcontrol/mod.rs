//! The group `flowcontrol.apiserver.k8s.io`.

mod flow_schema;
mod mandatory;
mod priority_level_configuration;
#[cfg(feature = "types")]
pub mod v1;

use sprag_field::{Error, Errors, Path};
use sprag_rest::Definition;

use crate::core::pod::Seen;

/// The name of the group.
const GROUP: &str = "flowcontrol.apiserver.k8s.io";

/// The kinds of this group.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![flow_schema::flow_schemas(), priority_level_configuration::priority_level_configurations()]
}

/// Refuses conditions of the same type and conditions without one.
fn validate_condition_types<'v>(types: impl Iterator<Item = &'v str>, errors: &mut Errors) {
    let (at, mut seen) = (Path::new("status"), Seen::new());
    let at = at.child("conditions");
    for (index, kind) in types.enumerate() {
        let at = at.index(index);
        if !seen.insert(kind) {
            errors.push(Error::duplicate(&at.child("type"), kind));
        }
        if kind.is_empty() {
            errors.push(Error::required(&at.child("type"), ""));
        }
    }
}
