//! Warnings on custom resource definitions.

use std::collections::{BTreeSet, HashSet};

use sprag_field::quote;
use sprag_release::{Fact, Release};
use sprag_value::Text;

use super::hub::Hub;
use super::walk;
use crate::format;

/// Warnings about a new definition.
pub(super) fn all(hub: &Hub<'_>, release: Release) -> Vec<String> {
    let formats = unknown_formats(hub, release);
    formats.iter().map(unknown_format).chain(changeable_sets(hub, release)).collect()
}

/// Warnings about what an update brings in.
pub(super) fn added(new: &Hub<'_>, old: &Hub<'_>, release: Release) -> Vec<String> {
    let known: HashSet<Text> = unknown_formats(old, release).into_iter().collect();
    let known_sets = changeable_sets(old, release);
    let formats = unknown_formats(new, release).into_iter().filter(|format| !known.contains(format));
    let sets = changeable_sets(new, release).into_iter().filter(|warning| !known_sets.contains(warning));
    formats.map(|format| unknown_format(&format)).chain(sets).collect()
}

fn unknown_format(format: &Text) -> String {
    format!("unrecognized format {}", quote::go(format))
}

fn unknown_formats(hub: &Hub<'_>, release: Release) -> Vec<Text> {
    let mut formats = Vec::new();
    if !release.has(Fact::WarnsOfFormats) {
        return formats;
    }
    for props in hub.all_props() {
        walk::each(props, &mut |props| {
            // As apiextensions' GetUnrecognizedFormats, which looked at strings alone.
            let is_looked_at = release.has(Fact::FormatsHaveTypes) || props.ty.as_str() == "string";
            let has_format = is_looked_at && !props.format.is_empty();
            if has_format && !format::is_known_for(&props.ty, &props.format, release) {
                formats.push(props.format.clone());
            }
        });
    }
    formats
}

fn changeable_sets(hub: &Hub<'_>, release: Release) -> BTreeSet<String> {
    let mut warnings = BTreeSet::new();
    if !release.has(Fact::WarnsOfSetsOfObjects) {
        return warnings;
    }
    for props in hub.all_props() {
        walk::each(props, &mut |props| {
            if let Some(item) = props.item_schema().filter(|_| props.list_type.as_deref() == Some("set"))
                && matches!(item.ty.as_str(), "object" | "array")
            {
                warnings.insert(format!(
                    "x-kubernetes-list-type: set for items of type {} is not supported by server-side apply or CEL \
                     validation rules",
                    quote::go(&item.ty)
                ));
            }
        });
    }
    warnings
}
