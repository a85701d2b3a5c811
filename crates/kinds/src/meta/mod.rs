//! Types that several groups use.

mod conditions;
mod label_selector;
#[cfg(feature = "types")]
pub mod types;
#[cfg(feature = "types")]
pub mod v1;

use sprag_checks::object_meta::{FieldRules, NameRule, Usage};
use sprag_checks::{At, Request};
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Fact, meta};
use sprag_value::Value;
use sprag_value::view::View;

use crate::views::meta_v1::ObjectMeta;

pub(crate) use self::conditions::{reason_flaw, validate_conditions};
pub(crate) use self::label_selector::{
    RequirementOptions, has_bad_label_values, is_valid_selector, selector_matches, validate_label_selector,
    validate_requirement,
};

/// Refuses a base for names from which no name of a new object could be made. Releases that keep repeated errors find it when they check
/// all metadata as that of a new object.
pub(crate) fn validate_generate_name(object: &Value, rule: &NameRule<'_>, errors: &mut Errors) {
    if errors.release().has(Fact::KeepsRepeatedErrors) {
        return;
    }
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
    let request = Request::create();
    view(object.get("metadata")).check_finalizers_each_val(&At::root(&request).child("metadata"), errors);
}

fn view(metadata: Option<&Value>) -> ObjectMeta<'_> {
    View::view(metadata)
}

/// The tags of [`ObjectMeta`] that the metadata of every object is judged by.
pub(crate) struct Declared;

impl FieldRules for Declared {
    fn validate_generation(&self, meta: &Value, path: &Path<'_>, errors: &mut Errors) {
        let request = Request::create();
        view(Some(meta)).check_generation_minimum(&At { request: &request, path: *path }, errors);
    }

    fn validate(&self, meta: &Value, path: &Path<'_>, errors: &mut Errors) {
        let request = Request::create();
        let at = At { request: &request, path: *path };
        let meta = view(Some(meta));
        meta.check_labels(&at, errors);
        meta.check_annotations(&at, errors);
    }

    fn validate_finalizers(&self, meta: &Value, path: &Path<'_>, errors: &mut Errors) {
        let request = Request::create();
        view(Some(meta)).check_finalizers_format(&At { request: &request, path: *path }, errors);
    }

    fn validate_changes(&self, new: &Value, old: &Value, path: &Path<'_>, errors: &mut Errors) {
        let request = Request::create();
        let at = At { request: &request, path: *path };
        let new = view(Some(new));
        let old = view(Some(old));
        new.check_name_update(old, &at, errors);
        new.check_namespace_update(old, &at, errors);
        new.check_uid_update(old, &at, errors);
        new.check_creation_timestamp_update(old, &at, errors);
        new.check_deletion_timestamp_update(old, &at, errors);
        new.check_deletion_grace_period_seconds_update(old, &at, errors);
    }
}
