//! `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type`.

use std::collections::HashSet;

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::Text;

use super::options::Options;
use crate::crd::show;
use crate::props::{Items, Props};

/// Maximum number of keys of a list that are looked at; errors about each repeat all of them.
const MAX_KEYS: usize = 64;

pub(super) fn validate(props: &Props, options: &Options<'_>, path: &Path<'_>, errors: &mut Errors) {
    map_type(props, path, errors);
    list_type(props, options, path, errors);
    if !props.list_map_keys.is_empty() {
        let at = path.child("x-kubernetes-list-type");
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        match props.list_type.as_deref() {
            None => errors.push(Error::required(&at, detail)),
            Some("map") => {}
            Some(other) => errors.push(Error::invalid(&at, other, detail)),
        }
    }
    if props.list_type.as_deref() == Some("map") {
        list_map(props, path, errors);
    }
    if options.list_keys {
        loose_keys(props, path, errors);
    }
}

/// True if this is a set whose elements could be changed from inside.
pub(super) fn is_set_of_changeable(props: &Props) -> bool {
    props.list_type.as_deref() == Some("set") && props.item_schema().is_some_and(|item| changeable(item).is_some())
}

/// Reports whether keys of this list may be absent or null.
pub(super) fn has_loose_keys(props: &Props) -> bool {
    let mut errors = Errors::new();
    loose_keys(props, &Path::ROOT, &mut errors);
    !errors.is_empty()
}

fn map_type(props: &Props, path: &Path<'_>, errors: &mut Errors) {
    let Some(map_type) = props.map_type.as_deref() else { return };
    require_type(props, "object", "must be object if x-kubernetes-map-type is specified", path, errors);
    if !matches!(map_type, "atomic" | "granular") {
        let at = path.child("x-kubernetes-map-type");
        errors.push(Error::not_supported(&at, map_type, &["atomic", "granular"]));
    }
}

fn list_type(props: &Props, options: &Options<'_>, path: &Path<'_>, errors: &mut Errors) {
    let Some(list_type) = props.list_type.as_deref() else { return };
    if props.ty.as_str() != "array" {
        require_type(props, "array", "must be array if x-kubernetes-list-type is specified", path, errors);
    } else if options.atomic_sets
        && list_type == "set"
        && let Some(item) = props.item_schema()
        && let Some(keyword) = changeable(item)
    {
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let shown = item.list_type.as_deref().map_or(BadValue::Nil, BadValue::json_str);
        let items = path.child("items");
        errors.push(Error::invalid(&items.child(keyword), shown, detail));
    }
    if !matches!(list_type, "atomic" | "set" | "map") {
        let at = path.child("x-kubernetes-list-type");
        errors.push(Error::not_supported(&at, list_type, &["atomic", "set", "map"]));
    }
}

fn require_type(props: &Props, ty: &str, detail: &'static str, path: &Path<'_>, errors: &mut Errors) {
    let at = path.child("type");
    match props.ty.as_str() {
        "" => errors.push(Error::required(&at, detail)),
        found if found == ty => {}
        found => errors.push(Error::invalid(&at, found, detail)),
    }
}

/// The keyword that should say that a value is taken as a whole, but does not.
fn changeable(item: &Props) -> Option<&'static str> {
    match item.ty.as_str() {
        "array" if item.list_type.as_deref().is_some_and(|list| list != "atomic") => Some("x-kubernetes-list-type"),
        "object" if item.map_type.as_deref() != Some("atomic") => Some("x-kubernetes-map-type"),
        _ => None,
    }
}

fn list_map(props: &Props, path: &Path<'_>, errors: &mut Errors) {
    if props.list_map_keys.is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        errors.push(Error::required(&path.child("x-kubernetes-list-map-keys"), detail));
    }
    let items = path.child("items");
    match &props.items {
        None => errors.push(Error::required(&items, "must have a schema if x-kubernetes-list-type is map")),
        Some(many @ Items::Many(_)) => {
            let detail = "must only have a single schema if x-kubernetes-list-type is map";
            errors.push(Error::invalid(
                &items,
                show::bad_value(many, "[]apiextensions.JSONSchemaProps", errors.release()),
                detail,
            ));
        }
        Some(Items::One(item)) if item.ty.as_str() != "object" => {
            let detail = "must be object if parent array's x-kubernetes-list-type is map";
            errors.push(Error::invalid(&items.child("type"), item.ty.as_str(), detail));
        }
        Some(Items::One(item)) => list_map_keys(props, item, path, errors),
    }
}

fn list_map_keys(props: &Props, item: &Props, path: &Path<'_>, errors: &mut Errors) {
    let items = path.child("items");
    let properties = items.child("properties");
    let at = path.child("x-kubernetes-list-map-keys");
    let mut seen = HashSet::new();
    for key in props.list_map_keys.iter().take(MAX_KEYS) {
        match item.properties.get(key) {
            None => {
                let shown = show::bad_value(&props.list_map_keys, "[]string", errors.release());
                errors.push(Error::invalid(&at, shown, "entries must all be names of item properties"));
            }
            Some(property) if matches!(property.ty.as_str(), "array" | "object") => {
                let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                let property = properties.key(key);
                // Upstream shows the type of the item here.
                errors.push(Error::invalid(&property.child("type"), item.ty.as_str(), detail));
            }
            Some(_) => {}
        }
        if !seen.insert(key) {
            let shown = show::bad_value(&props.list_map_keys, "[]string", errors.release());
            errors.push(Error::invalid(&at, shown, "must not contain duplicate entries"));
        }
    }
}

fn loose_keys(props: &Props, path: &Path<'_>, errors: &mut Errors) {
    let (Some(item), Some(list_type @ ("set" | "map"))) = (props.item_schema(), props.list_type.as_deref()) else {
        return;
    };
    let items = path.child("items");
    if item.nullable {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.push(Error::forbidden(&items.child("nullable"), detail));
    }
    if list_type == "set" {
        return;
    }
    let properties = items.child("properties");
    let required: HashSet<&str> = item.required.iter().map(Text::as_str).collect();
    for key in &props.list_map_keys {
        let Some(property) = item.properties.get(key) else { continue };
        let at = properties.key(key);
        if !required.contains(key.as_str()) && property.default.is_none() {
            let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required \
                          property";
            errors.push(Error::required(&at.child("default"), detail));
        }
        if property.nullable {
            let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            errors.push(Error::forbidden(&at.child("nullable"), detail));
        }
    }
}
