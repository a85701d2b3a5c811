//! The checks of resources, one practice each.

mod deletion;
mod fields;
mod generation;
mod metadata;
mod names;
mod owners;
mod served;
mod status;
mod update;
mod versions;

use sprag_value::{Value, json};

use super::case::Case;
use super::practice::{self, Practice};

pub(super) use self::fields::Features;
pub(super) use self::served::{generated_code, openapi, standard_strategy};

/// A violation of a practice.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) field: Option<String>,
    pub(super) message: String,
}

/// A check of one resource. An error means that the check could not be made, which is as bad as a problem.
pub(super) type Check = fn(&Case<'_>) -> Result<Vec<Problem>, String>;

/// The checks that need nothing but a server as it runs.
pub(super) const CHECKS: &[(Practice, Check)] = &[
    (practice::CREATE_ON_UPDATE, update::create_on_update),
    (practice::DELETE_DEPENDENTS, deletion::delete_dependents),
    (practice::GENERATE_NAME, names::generate_name),
    (practice::GENERATION_COUNTS, generation::counts_spec),
    (practice::GENERATION_STARTS, generation::starts_at_one),
    (practice::METADATA_ON_CREATE, metadata::reset_on_create),
    (practice::METADATA_ON_STATUS, status::metadata_reset),
    (practice::METADATA_ON_UPDATE, metadata::reset_on_update),
    (practice::ROUND_TRIP, versions::round_trip),
    (practice::SPEC_ON_STATUS, status::spec_reset),
    (practice::STATUS_ON_CREATE, status::wiped_on_create),
    (practice::STATUS_ON_UPDATE, status::wiped_on_update),
    (practice::UNCONDITIONAL_UPDATE, update::unconditional),
    (practice::WIPED_UNOWNED, owners::wiped_fields_unowned),
];

impl Problem {
    pub(super) fn new(message: impl Into<String>) -> Problem {
        Problem { field: None, message: message.into() }
    }

    pub(super) fn of(field: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem { field: Some(field.into()), message: message.into() }
    }
}

/// A value, written as JSON.
fn parsed(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap_or_default()
}

/// A member of the metadata.
fn meta<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    object.lookup(&["metadata", name])
}

fn set_meta(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Some(metadata) = object.get_mut("metadata") {
        metadata.insert(name, value);
    }
}

/// Adds a label or annotation of this name.
fn add_entry(object: &mut Value, member: &str, name: &str) {
    if let Some(metadata) = object.get_mut("metadata") {
        if metadata.get(member).is_none() {
            metadata.insert(member, Value::object());
        }
        if let Some(entries) = metadata.get_mut(member) {
            entries.insert(name, "enforce");
        }
    }
}
