//! What types of several groups are made of.

mod label_selector;
pub mod types;
pub mod v1;

use sprag_field::{Error, Errors, Path};
use sprag_rest::{ObjectMeta, meta};
use sprag_validate::object_meta::{NameRule, Usage, standard_finalizer};
use sprag_value::Value;

pub(crate) use self::label_selector::{
    has_bad_label_values, has_bad_values, is_valid_selector, selector_matches, validate, validate_label_selector,
};

/// Refuses a base for names from which no name of a new object could be made.
pub(crate) fn check_generate_name(metadata: &ObjectMeta, rule: &NameRule<'_>, errors: &mut Errors) {
    check_base(&metadata.generate_name, rule, errors);
}

/// The same of a whole object.
pub(crate) fn validate_generate_name(object: &Value, rule: &NameRule<'_>, errors: &mut Errors) {
    check_base(meta::text(object, "generateName"), rule, errors);
}

fn check_base(base: &str, rule: &NameRule<'_>, errors: &mut Errors) {
    let parent = Path::new("metadata");
    if !base.is_empty() {
        rule(base, Usage::Prefix, &mut |flaw| {
            errors.push(Error::invalid(&parent.child("generateName"), base, flaw));
        });
    }
}

/// Refuses finalizers that are neither qualified nor known.
pub(crate) fn check_finalizers(metadata: &ObjectMeta, errors: &mut Errors) {
    check_finalizer_names(metadata.finalizers.iter().map(String::as_str), errors);
}

/// The same of a whole object.
pub(crate) fn validate_finalizers(object: &Value, errors: &mut Errors) {
    check_finalizer_names(meta::finalizers(object), errors);
}

fn check_finalizer_names<'n>(names: impl Iterator<Item = &'n str>, errors: &mut Errors) {
    let parent = Path::new("metadata");
    let path = parent.child("finalizers");
    for (at, name) in names.enumerate() {
        standard_finalizer(name, &path.index(at), errors);
    }
}
