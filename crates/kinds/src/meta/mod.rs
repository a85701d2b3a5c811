//! Types that several groups use.

mod conditions;
mod label_selector;
#[cfg(feature = "types")]
pub mod types;
#[cfg(feature = "types")]
pub mod v1;

use sprag_checks::object_meta::{NameRule, Usage, standard_finalizer};
use sprag_field::{Error, Errors, Path};
use sprag_rest::meta;
use sprag_value::Value;

pub(crate) use self::conditions::{reason_flaw, validate_conditions};
pub(crate) use self::label_selector::{
    RequirementOptions, has_bad_label_values, is_valid_selector, selector_matches, validate_label_selector,
    validate_requirement,
};

/// Refuses a base for names from which no name of a new object could be made.
pub(crate) fn validate_generate_name(object: &Value, rule: &NameRule<'_>, errors: &mut Errors) {
    let (base, parent) = (meta::text(object, "generateName"), Path::new("metadata"));
    if !base.is_empty() {
        rule(base, Usage::Prefix, &mut |flaw| {
            errors.push(Error::invalid(&parent.child("generateName"), base, flaw));
        });
    }
}

/// Runs a check of names whose errors come before those of the rest of the metadata, which was checked before.
// As upstream's ValidateObjectMeta, which is called with the rule of names.
pub(crate) fn validate_names_first(errors: &mut Errors, validate_names: impl FnOnce(&mut Errors)) {
    let of_metadata = errors.since(0).to_vec();
    errors.truncate(0);
    validate_names(errors);
    errors.extend(of_metadata);
}

/// Refuses finalizers that are neither qualified nor known.
pub(crate) fn validate_finalizers(object: &Value, errors: &mut Errors) {
    let parent = Path::new("metadata");
    let path = parent.child("finalizers");
    for (at, name) in meta::finalizers(object).enumerate() {
        standard_finalizer(name, &path.index(at), errors);
    }
}
