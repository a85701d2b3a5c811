//! Checks that a schema is structural: types in the spine, value validations in combinators, nothing else anywhere.

use sprag_field::{Error, Errors, Path};
use sprag_regexp::Regexp;

use super::unsupported;
use crate::props::Props;

/// The position of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Reports what keeps a schema without unsupported keywords from being structural, sorted by text.
pub(super) fn validate(props: &Props, path: &Path<'_>, errors: &mut Errors) {
    let mut found = Errors::new();
    spine(props, Level::Root, path, &mut found);
    complete(props, props, path, path, &mut found);
    let mut found = found.into_vec();
    found.sort_by_cached_key(Error::to_string);
    errors.extend(found);
}

/// Reports whether a schema fails the check or cannot even be checked.
pub(super) fn is_not_structural(props: &Props) -> bool {
    let mut errors = Errors::new();
    unsupported::find(props).is_some() || {
        validate(props, &Path::ROOT, &mut errors);
        !errors.is_empty()
    }
}

fn spine(props: &Props, level: Level, path: &Path<'_>, errors: &mut Errors) {
    match props.item_schema() {
        Some(item) => spine(item, Level::Item, &path.child("items"), errors),
        None if props.ty.as_str() == "array" => {
            errors.push(Error::required(&path.child("items"), "must be specified"));
        }
        None => {}
    }
    let properties = path.child("properties");
    for (name, property) in &props.properties {
        spine(property, Level::Field, &properties.key(name), errors);
    }
    if props.additional_properties.is_some() {
        let at = path.child("additionalProperties");
        if level == Level::Root {
            errors.push(Error::forbidden(&at, "must not be used at the root"));
        }
        if let Some(schema) = props.additional_schema() {
            spine(schema, Level::Field, &at, errors);
        }
    }
    extensions(props, path, errors);
    let skip = Skip { any_of: is_int_or_string(&props.any_of), all_of_any_of: true };
    values(props, skip, path, errors);
    types(props, level, path, errors);
    resource(props, level, path, errors);
}

fn extensions(props: &Props, path: &Path<'_>, errors: &mut Errors) {
    let detail = "must be false if x-kubernetes-int-or-string is true";
    if props.int_or_string && props.preserve_unknown_fields == Some(true) {
        errors.push(Error::invalid(&path.child("x-kubernetes-preserve-unknown-fields"), true, detail));
    }
    if props.int_or_string && props.embedded_resource {
        errors.push(Error::invalid(&path.child("x-kubernetes-embedded-resource"), true, detail));
    }
}

fn types(props: &Props, level: Level, path: &Path<'_>, errors: &mut Errors) {
    let at = path.child("type");
    let ty = props.ty.as_str();
    if props.embedded_resource && ty != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(if ty.is_empty() { Error::required(&at, detail) } else { Error::invalid(&at, ty, detail) });
    } else if ty.is_empty() && !props.int_or_string && props.preserve_unknown_fields != Some(true) {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        errors.push(Error::required(&at, detail));
    }
    if props.embedded_resource && props.additional_properties.is_some() {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        errors.push(Error::forbidden(&path.child("additionalProperties"), detail));
    }
    if level == Level::Root && !ty.is_empty() && ty != "object" {
        errors.push(Error::invalid(&at, ty, "must be object at the root"));
    }
}

/// Checks the schema of a whole resource for the members that every resource has.
fn resource(props: &Props, level: Level, path: &Path<'_>, errors: &mut Errors) {
    let is_resource = level == Level::Root || props.embedded_resource;
    let properties = path.child("properties");
    for name in ["kind", "apiVersion"] {
        if let Some(schema) = props.properties.get(name).filter(|schema| is_resource && schema.ty.as_str() != "string")
        {
            let at = properties.key(name);
            errors.push(Error::invalid(&at.child("type"), schema.ty.as_str(), "must be string"));
        }
    }
    if let Some(metadata) = props.properties.get("metadata") {
        let at = properties.key("metadata");
        if is_resource && metadata.ty.as_str() != "object" {
            errors.push(Error::invalid(&at.child("type"), metadata.ty.as_str(), "must be object"));
        }
        if level == Level::Root && !says_only_names(metadata) {
            let detail = "must not specify anything other than name and generateName, but metadata is implicitly \
                          specified";
            errors.push(Error::forbidden(&at, detail));
        }
    }
    if props.embedded_resource && props.preserve_unknown_fields != Some(true) && props.properties.is_empty() {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                      x-kubernetes-preserve-unknown-fields";
        errors.push(Error::required(&properties, detail));
    }
}

/// True if the schema of `metadata` only restricts `name` and `generateName`.
fn says_only_names(metadata: &Props) -> bool {
    let only_names = metadata.properties.keys().all(|name| matches!(name.as_str(), "name" | "generateName"));
    if !only_names
        || ["required", "x-kubernetes-list-map-keys", "x-kubernetes-validations"]
            .iter()
            .any(|keyword| metadata.empty.has(keyword))
    {
        return false;
    }
    let rest =
        Props { ty: "".into(), default: None, properties: std::collections::BTreeMap::new(), ..metadata.clone() };
    says_nothing(rest)
}

/// True if nothing of a schema without unsupported keywords makes it into its structural form.
fn says_nothing(props: Props) -> bool {
    let items = props.items.filter(|items| matches!(items, crate::props::Items::One(_)));
    Props { reference: None, items, ..props } == Props::default()
}

/// The one way in which combinators may have types: `anyOf: [{type: integer}, {type: string}]`.
fn is_int_or_string(any_of: &[Props]) -> bool {
    let is = |props: &Props, ty: &str| {
        let keywords = ["required", "properties", "x-kubernetes-list-map-keys", "x-kubernetes-validations"];
        props.ty.as_str() == ty
            && !keywords.iter().any(|keyword| props.empty.has(keyword))
            && says_nothing(Props {
                ty: "".into(),
                additional_properties: props
                    .additional_properties
                    .clone()
                    .filter(|additional| *additional != crate::props::PropsOrBool::Bool(false)),
                ..props.clone()
            })
    };
    matches!(any_of, [first, second] if is(first, "integer") && is(second, "string"))
}

/// The combinators that may have types, when they have the form for integers or strings.
#[derive(Clone, Copy, Default)]
struct Skip {
    /// `anyOf` has that form.
    any_of: bool,
    /// `anyOf` in the first `allOf` may have it.
    all_of_any_of: bool,
}

fn values(props: &Props, skip: Skip, path: &Path<'_>, errors: &mut Errors) {
    if !skip.any_of {
        combinator(&props.any_of, &path.child("anyOf"), errors);
    }
    let at = path.child("allOf");
    for (index, schema) in props.all_of.iter().enumerate() {
        let any_of = index == 0 && skip.all_of_any_of && is_int_or_string(&schema.any_of);
        nested(schema, Skip { any_of, all_of_any_of: false }, &at.index(index), errors);
    }
    combinator(&props.one_of, &path.child("oneOf"), errors);
    if let Some(not) = &props.not {
        nested(not, Skip::default(), &path.child("not"), errors);
    }
    if !props.pattern.is_empty()
        && let Err(error) = Regexp::new(&props.pattern)
    {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        errors.push(Error::invalid(&path.child("pattern"), props.pattern.as_str(), detail));
    }
}

fn combinator(schemas: &[Props], path: &Path<'_>, errors: &mut Errors) {
    for (index, schema) in schemas.iter().enumerate() {
        nested(schema, Skip::default(), &path.index(index), errors);
    }
}

/// A schema in a combinator, which validates values and does not describe them.
fn nested(props: &Props, skip: Skip, path: &Path<'_>, errors: &mut Errors) {
    values(props, skip, path, errors);
    if let Some(item) = props.item_schema() {
        nested(item, Skip::default(), &path.child("items"), errors);
    }
    let properties = path.child("properties");
    for (name, property) in &props.properties {
        nested(property, Skip::default(), &properties.key(name), errors);
    }
    let additional = matches!(
        props.additional_properties,
        Some(crate::props::PropsOrBool::Props(_) | crate::props::PropsOrBool::Bool(true))
    );
    let empty = "must be empty to be structural";
    let undefined = "must be undefined to be structural";
    let off = "must be false to be structural";
    let forbidden = [
        (!props.ty.is_empty(), "type", empty),
        (additional, "additionalProperties", undefined),
        (props.default.is_some(), "default", undefined),
        (!props.title.is_empty(), "title", empty),
        (!props.description.is_empty(), "description", empty),
        (props.nullable, "nullable", off),
        (props.preserve_unknown_fields == Some(true), "x-kubernetes-preserve-unknown-fields", off),
        (props.embedded_resource, "x-kubernetes-embedded-resource", off),
        (props.int_or_string, "x-kubernetes-int-or-string", off),
        (!props.list_map_keys.is_empty(), "x-kubernetes-list-map-keys", empty),
        (props.list_type.is_some(), "x-kubernetes-list-type", undefined),
        (props.map_type.is_some(), "x-kubernetes-map-type", undefined),
        (!props.validations.is_empty(), "x-kubernetes-validations", empty),
    ];
    for (_, keyword, detail) in forbidden.into_iter().filter(|(found, _, _)| *found) {
        errors.push(Error::forbidden(&path.child(keyword), detail));
    }
    if props.properties.contains_key("metadata") {
        errors.push(Error::forbidden(&properties.key("metadata"), "must not be specified in a nested context"));
    }
}

/// Checks that everything in the combinators at the root is described in the spine. Upstream asks only there.
fn complete(values: &Props, spine: &Props, spine_path: &Path<'_>, path: &Path<'_>, errors: &mut Errors) {
    if let Some(not) = &values.not {
        complete_nested(not, Some(spine), spine_path, &path.child("not"), errors);
    }
    let combinators = [("allOf", &values.all_of), ("anyOf", &values.any_of), ("oneOf", &values.one_of)];
    for (keyword, schemas) in combinators {
        let at = path.child(keyword);
        for (index, schema) in schemas.iter().enumerate() {
            complete_nested(schema, Some(spine), spine_path, &at.index(index), errors);
        }
    }
}

fn complete_nested(values: &Props, spine: Option<&Props>, spine_path: &Path<'_>, path: &Path<'_>, errors: &mut Errors) {
    let Some(spine) = spine else {
        return errors.push(Error::required(spine_path, format!("because it is defined in {path}")));
    };
    complete(values, spine, spine_path, path, errors);
    if let Some(item) = values.item_schema() {
        complete_nested(item, spine.item_schema(), &spine_path.child("items"), &path.child("items"), errors);
    }
    let spine_properties = spine_path.child("properties");
    let properties = path.child("properties");
    for (name, property) in &values.properties {
        let in_spine = spine.properties.get(name);
        complete_nested(property, in_spine, &spine_properties.key(name), &properties.key(name), errors);
    }
}
