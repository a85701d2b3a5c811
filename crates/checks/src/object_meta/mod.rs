//! `metadata` of any object, as Kubernetes checks it whatever the type.
//!
//! Works on metadata in canonical form (right types, no unknown members), as decoding leaves it. Valid metadata
//! costs no allocation.
//!
//! ```
//! use sprag_field::{Errors, Path};
//! use sprag_checks::object_meta::{self, Rules, Undeclared};
//! use sprag_value::json;
//!
//! let metadata = json::parse(br#"{"name": "Web", "namespace": "default"}"#)?;
//! let mut errors = Errors::new();
//! let rules = Rules { namespaced: true, name: &object_meta::dns_subdomain, declares_name: false, fields: &Undeclared };
//! object_meta::validate_create(&metadata, &rules, &Path::new("metadata"), &mut errors);
//! assert!(errors.iter().next().unwrap().to_string().starts_with(r#"metadata.name: Invalid value: "Web": a lowercase"#));
//! # Ok::<(), json::JsonError>(())
//! ```

mod managed_fields;
mod names;
mod owners;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use sprag_field::{BadValue, Error, Errors, Path, quote};
use sprag_value::Value;

use self::read::{items, string_map};
use crate::format::Format;

pub use self::managed_fields::{field_manager, is_printable};
pub use self::names::{NameRule, Usage, dns_1035_label, dns_label, dns_subdomain, path_segment, path_segment_flaws};

/// The bytes all annotations of an object may have together.
const MAX_ANNOTATION_BYTES: usize = 256 << 10;
/// Errors that each repeat a whole list or text end when they have repeated this much.
const MAX_SHOWN_BYTES: usize = 1 << 20;
/// Longer lists of finalizers are sorted before they are searched.
const LINEAR_SEARCH: usize = 64;
const ORPHAN_DEPENDENTS: &str = "orphan";
const DELETE_DEPENDENTS: &str = "foregroundDeletion";

/// The metadata rules of an object's type.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// True if objects live in a namespace.
    pub namespaced: bool,
    /// The rule for names.
    pub name: &'a NameRule<'a>,
    /// True if a tag declares that rule: its errors are those of a tag.
    pub declares_name: bool,
    /// The rules of fields that all objects have.
    pub fields: &'a dyn FieldRules,
}

/// The rules of those fields of metadata that a declaration may have as tags.
pub trait FieldRules: Sync {
    /// Judges the generation.
    fn validate_generation(&self, meta: &Value, path: &Path<'_>, errors: &mut Errors);

    /// Judges labels and annotations.
    fn validate(&self, meta: &Value, path: &Path<'_>, errors: &mut Errors);

    /// Judges each finalizer by itself; errors lie at the list.
    fn validate_finalizers(&self, meta: &Value, path: &Path<'_>, errors: &mut Errors);

    /// Judges the changes of an update.
    fn validate_changes(&self, new: &Value, old: &Value, path: &Path<'_>, errors: &mut Errors);
}

/// The rules of metadata without a declaration.
#[derive(Clone, Copy, Debug)]
pub struct Undeclared;

impl FieldRules for Undeclared {
    fn validate_generation(&self, meta: &Value, path: &Path<'_>, errors: &mut Errors) {
        let generation = generation(meta);
        if generation < 0 {
            let detail = "must be greater than or equal to 0";
            let error = Error::invalid(&path.child("generation"), generation, detail).with_origin("minimum");
            errors.push(error.with_covered_by_declarative());
        }
    }

    fn validate(&self, meta: &Value, path: &Path<'_>, errors: &mut Errors) {
        validate_labels(meta.get("labels"), &path.child("labels"), errors);
        validate_annotations(meta.get("annotations"), &path.child("annotations"), errors);
    }

    fn validate_finalizers(&self, meta: &Value, path: &Path<'_>, errors: &mut Errors) {
        let path = path.child("finalizers");
        for name in items(meta.get("finalizers")).iter().filter_map(Value::as_str) {
            Format::LabelKey.check(name, &mut |flaw| errors.push(Error::invalid(&path, name, flaw.detail)));
        }
    }

    fn validate_changes(&self, new: &Value, old: &Value, path: &Path<'_>, errors: &mut Errors) {
        validate_immutable(new, old, path, errors);
    }
}

/// Checks the metadata of a new object.
pub fn validate_create(meta: &Value, rules: &Rules<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mark = errors.len();
    validate_names(meta, rules.name, path, errors);
    if rules.declares_name {
        errors.called_since(mark);
    }
    validate_namespace(meta.text("namespace"), rules.namespaced, &path.child("namespace"), errors);
    rules.fields.validate_generation(meta, path, errors);
    rules.fields.validate(meta, path, errors);
    owners::validate(meta.get("ownerReferences"), &path.child("ownerReferences"), errors);
    rules.fields.validate_finalizers(meta, path, errors);
    refuse_opposite_finalizers(meta.get("finalizers"), &path.child("finalizers"), errors);
    managed_fields::validate(meta.get("managedFields"), &path.child("managedFields"), errors);
}

/// Checks the metadata of an object that replaces another.
pub fn validate_update(new: &Value, old: &Value, fields: &dyn FieldRules, path: &Path<'_>, errors: &mut Errors) {
    let has_changed = new != old;
    if has_changed && member(old, "deletionTimestamp").is_some() {
        refuse_new_finalizers(new.get("finalizers"), old.get("finalizers"), &path.child("finalizers"), errors);
    }
    if new.text("resourceVersion").is_empty() {
        errors.push(Error::invalid(&path.child("resourceVersion"), "", "must be specified for an update"));
    }
    fields.validate_generation(new, path, errors);
    if has_changed && generation(new) < generation(old) {
        errors.push(Error::invalid(&path.child("generation"), generation(new), "must not be decremented"));
    }
    if has_changed {
        fields.validate_changes(new, old, path, errors);
    }
    fields.validate(new, path, errors);
    owners::validate(new.get("ownerReferences"), &path.child("ownerReferences"), errors);
    managed_fields::validate(new.get("managedFields"), &path.child("managedFields"), errors);
}

/// Drops errors since `mark` that read like an earlier one, as upstream does for the metadata of definitions, of
/// custom resources and of what they embed.
pub fn drop_repeated(errors: &mut Errors, mark: usize) {
    if errors.since(mark).len() < 2 {
        return;
    }
    let found = errors.since(mark).to_vec();
    errors.truncate(mark);
    let mut texts = BTreeSet::new();
    errors.extend(found.into_iter().filter(|error| texts.insert(error.to_string())));
}

fn validate_names(meta: &Value, rule: &NameRule<'_>, path: &Path<'_>, errors: &mut Errors) {
    let prefix = meta.text("generateName");
    if !prefix.is_empty() {
        rule(prefix, Usage::Prefix, &mut |detail| {
            errors.push(Error::invalid(&path.child("generateName"), prefix, detail));
        });
    }
    let name = meta.text("name");
    if name.is_empty() {
        errors.push(Error::required(&path.child("name"), "name or generateName is required"));
    } else {
        rule(name, Usage::Name, &mut |detail| errors.push(Error::invalid(&path.child("name"), name, detail)));
    }
}

fn validate_namespace(namespace: &str, namespaced: bool, path: &Path<'_>, errors: &mut Errors) {
    match (namespaced, namespace.is_empty()) {
        (true, true) => errors.push(Error::required(path, "")),
        (true, false) => {
            dns_label(namespace, Usage::Name, &mut |detail| errors.push(Error::invalid(path, namespace, detail)));
        }
        (false, false) => errors.push(Error::forbidden(path, "not allowed on this type")),
        (false, true) => {}
    }
}

fn generation(meta: &Value) -> i64 {
    meta.get("generation").and_then(Value::as_i64).unwrap_or(0)
}

/// Checks the names and values of a map of labels.
pub fn validate_labels(labels: Option<&Value>, path: &Path<'_>, errors: &mut Errors) {
    for (key, value) in string_map(labels) {
        Format::LabelKey.push_errors(path, key, || key.into(), errors);
        Format::LabelValue.push_errors(path, value, || value.into(), errors);
    }
}

/// Checks the keys and the size of a map of annotations.
pub fn validate_annotations(annotations: Option<&Value>, path: &Path<'_>, errors: &mut Errors) {
    for (key, _) in string_map(annotations) {
        // Case does not matter, and a key that is valid as it stands is so in lower case.
        if !Format::LabelKey.is_valid(key) {
            Format::LabelKey.push_errors(path, &lower_case(key), || key.into(), errors);
        }
    }
    validate_annotations_size(string_map(annotations), path, errors);
}

/// Refuses annotations that have too many bytes together.
pub fn validate_annotations_size<'v>(
    annotations: impl Iterator<Item = (&'v str, &'v str)>,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let bytes = annotations.map(|(key, value)| key.len() + value.len()).fold(0, usize::saturating_add);
    if bytes > MAX_ANNOTATION_BYTES {
        errors.push(Error::too_long(path, 256 << 10));
    }
}

/// The text in lower case, character by character as Go maps them.
pub fn lower_case(text: &str) -> String {
    text.chars().filter_map(|c| c.to_lowercase().next()).collect()
}

fn refuse_opposite_finalizers(finalizers: Option<&Value>, path: &Path<'_>, errors: &mut Errors) {
    let finalizers = items(finalizers);
    let has = |name: &str| finalizers.iter().any(|finalizer| *finalizer == *name);
    if has(ORPHAN_DEPENDENTS) && has(DELETE_DEPENDENTS) {
        let detail = format!("finalizer {ORPHAN_DEPENDENTS} and {DELETE_DEPENDENTS} cannot be both set");
        let list = finalizers.iter().cloned().collect::<Value>();
        errors.push(Error::invalid(path, BadValue::Json(sprag_value::json::to_string(&list)), detail));
    }
}

/// Refuses a finalizer without a prefix that is not one of Kubernetes' own, which most built-in kinds do beside the rules
/// for all objects.
pub fn standard_finalizer(name: &str, path: &Path<'_>, errors: &mut Errors) {
    if !name.contains('/') && !matches!(name, "kubernetes" | "orphan" | "foregroundDeletion") {
        let detail = "name is neither a standard finalizer name nor is it fully qualified";
        errors.push(Error::invalid(path, name, detail));
    }
}

fn refuse_new_finalizers(new: Option<&Value>, old: Option<&Value>, path: &Path<'_>, errors: &mut Errors) {
    let old = items(old);
    let sorted: BTreeSet<&str> =
        if old.len() > LINEAR_SEARCH { old.iter().filter_map(Value::as_str).collect() } else { BTreeSet::new() };
    let known =
        |name: &str| if sorted.is_empty() { old.iter().any(|old| *old == *name) } else { sorted.contains(name) };
    let mut added: Vec<&str> = items(new).iter().filter_map(Value::as_str).filter(|name| !known(name)).collect();
    if added.is_empty() {
        return;
    }
    added.sort_unstable();
    added.dedup();
    let list: Vec<String> = added.into_iter().map(|name| quote::go(name).to_string()).collect();
    errors.push(Error::forbidden(
        path,
        format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            list.join(", ")
        ),
    ));
}

/// Members that stay as they are, and how Go shows them: as plain text, or as JSON with this for nothing.
const IMMUTABLE: [(&str, Option<&str>); 6] = [
    ("name", None),
    ("namespace", None),
    ("uid", Some("\"\"")),
    ("creationTimestamp", Some("null")),
    ("deletionTimestamp", Some("null")),
    ("deletionGracePeriodSeconds", Some("null")),
];

fn validate_immutable(new: &Value, old: &Value, path: &Path<'_>, errors: &mut Errors) {
    for (name, shown_as_json) in IMMUTABLE {
        let value = member(new, name);
        if value == member(old, name) {
            continue;
        }
        let path = path.child(name);
        errors.push(match shown_as_json {
            None => Error::invalid(&path, new.text(name), "field is immutable"),
            Some(nothing) => {
                let shown = value.map_or_else(|| nothing.to_owned(), sprag_value::json::to_string);
                let error = Error::invalid(&path, BadValue::Json(shown), "field is immutable");
                error.with_origin("immutable").with_covered_by_declarative()
            }
        });
    }
}

/// A member that is there and neither null nor the empty text.
fn member<'v>(meta: &'v Value, name: &str) -> Option<&'v Value> {
    meta.get(name).filter(|value| !value.is_null() && **value != *"")
}
