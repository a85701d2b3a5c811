//! Warnings on custom resource definitions.

use std::collections::{BTreeSet, HashSet};

use sprag_field::quote;
use sprag_value::Text;

use super::hub::Hub;
use super::walk;
use crate::format;

/// Warnings about a new definition.
pub(super) fn all(hub: &Hub<'_>) -> Vec<String> {
    let formats = unknown_formats(hub);
    formats.iter().map(unknown_format).chain(changeable_sets(hub)).collect()
}

/// Warnings about what an update brings in.
pub(super) fn added(new: &Hub<'_>, old: &Hub<'_>) -> Vec<String> {
    let known: HashSet<Text> = unknown_formats(old).into_iter().collect();
    let known_sets = changeable_sets(old);
    let formats = unknown_formats(new).into_iter().filter(|format| !known.contains(format));
    let sets = changeable_sets(new).into_iter().filter(|warning| !known_sets.contains(warning));
    formats.map(|format| unknown_format(&format)).chain(sets).collect()
}

fn unknown_format(format: &Text) -> String {
    format!("unrecognized format {}", quote::go(format))
}

fn unknown_formats(hub: &Hub<'_>) -> Vec<Text> {
    let mut formats = Vec::new();
    for props in hub.all_props() {
        walk::each(props, &mut |props| {
            if !props.format.is_empty() && !format::is_known_for(&props.ty, &props.format) {
                formats.push(props.format.clone());
            }
        });
    }
    formats
}

fn changeable_sets(hub: &Hub<'_>) -> BTreeSet<String> {
    let mut warnings = BTreeSet::new();
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
