//! Declares a schema to CEL: types, maximum sizes and list types.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use sprag_cel::{DeclField, DeclType, Encoding, ListKind, Name, Type, TypeProvider};
use sprag_release::{Fact, Release};
use sprag_value::{Text, Value};

use super::escape;
use crate::props::Props;

/// The bytes of the largest request.
const MAX_REQUEST: i64 = 3 << 20;
/// The characters that `metadata.name` may have; a generated name adds at least one to its prefix.
const MAX_NAME: i64 = 253;
/// The name of the type at the top, from which those below are named.
const ROOT_NAME: &str = "selfType";

/// A declared type with the fewest bytes that a value of it takes in JSON.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) ty: Arc<DeclType>,
    pub(crate) min_size: i64,
}

/// Returns the declaration of the schema in a release; `None` if expressions cannot see its values.
///
/// Object types are named by their place below this schema, so that no two are the same.
pub(crate) fn declare(props: &Props, is_resource: bool, release: Release) -> Option<Declared> {
    schema(props, is_resource, &mut Place { name: String::from(ROOT_NAME), release })
}

/// The place of a schema, and the release whose declaration it is.
struct Place {
    name: String,
    release: Release,
}

/// The most values of a schema that fit a request, with at least a comma between them.
pub(crate) fn most_in_request(props: &Props, is_resource: bool) -> u64 {
    let min_size = min_size(props, is_resource).unwrap_or(0);
    (MAX_REQUEST / (min_size + 1)).cast_unsigned()
}

/// The fewest bytes that a value takes in JSON; `None` when expressions cannot see it. The same as declaring it, without
/// the types.
fn min_size(props: &Props, is_resource: bool) -> Option<i64> {
    let part = |part: &Props| min_size(part, part.embedded_resource);
    match props.ty.as_str() {
        _ if props.int_or_string => Some(1),
        "array" if !is_resource => part(props.item_schema()?).map(|_| 2),
        "object" if let Some(values) = props.additional_schema() => part(values).map(|_| 2),
        "object" => {
            // No name is so long that its limit matters.
            let implied = if is_resource { implied_members(props, Release::NEWEST) } else { Vec::new() };
            let size = |name: &Text| {
                let implied = implied.iter().find(|(implied, _)| *implied == name.as_str()).map(|(_, props)| props);
                let property = implied.or_else(|| props.properties.get(name))?;
                let size = part(property).filter(|_| property.default.is_none())?;
                Some(member_size(name, size))
            };
            let required: BTreeSet<_> = props.required.iter().collect();
            Some(2 + required.into_iter().filter_map(size).sum::<i64>())
        }
        "string" => Some(text_min_size(&props.format)),
        "boolean" => Some(4),
        "number" | "integer" => Some(1),
        _ => None,
    }
}

/// Returns the size that a member adds to its object: its name in quotes, a colon, its value and a comma.
fn member_size(name: &str, value: i64) -> i64 {
    signed(name.len()).saturating_add(value).saturating_add(4)
}

/// The types below a declared one, and the sizes below another.
pub(crate) struct Root<'a> {
    /// The scope of object types.
    pub(crate) types: &'a DeclType,
    /// The type of `self`.
    pub(crate) scope: &'a DeclType,
}

impl TypeProvider for Root<'_> {
    fn object(&self, name: &str) -> Option<&DeclType> {
        object_below(self.types, name)
    }

    fn sizes(&self) -> Option<&DeclType> {
        Some(self.scope)
    }
}

/// The object type with this name below a declared one.
pub(super) fn object_below<'a>(types: &'a DeclType, name: &str) -> Option<&'a DeclType> {
    let mut steps = name.split('.');
    let root = steps.next().filter(|root| *root == ROOT_NAME).map(|_| types);
    let found = steps.try_fold(root?, |ty, step| match step {
        "@idx" | "@elem" => ty.element.as_deref(),
        name => ty.field(name).map(|field| &*field.ty),
    });
    found.filter(|ty| matches!(ty.ty, Type::Object(_)))
}

/// Declares a schema at a place, which is left as it was.
fn schema(props: &Props, is_resource: bool, at: &mut Place) -> Option<Declared> {
    let declared = match props.ty.as_str() {
        _ if props.int_or_string => {
            let max = props.max_length.map_or(MAX_REQUEST - 2, bytes_of);
            Some(declared(DeclType::int_or_string(elements(max)), 1))
        }
        "array" if !is_resource => list(props, at),
        "object" if props.additional_schema().is_some() => map(props, at),
        "object" => Some(object(props, is_resource, at)),
        "string" => Some(text(props)),
        "boolean" => Some(declared(DeclType::scalar(Type::Bool, 0), 4)),
        "number" => Some(declared(DeclType::scalar(Type::Double, 0), 1)),
        "integer" => Some(declared(DeclType::scalar(Type::Int, 0), 1)),
        _ => None,
    }?;
    Some(if props.nullable { nullable(declared) } else { declared })
}

fn declared(ty: DeclType, min_size: i64) -> Declared {
    Declared { ty: Arc::new(ty), min_size }
}

fn nullable(declared: Declared) -> Declared {
    let ty = Arc::unwrap_or_clone(declared.ty).nullable();
    Declared { ty: Arc::new(ty), ..declared }
}

/// The schema at a step below `name`.
fn below(step: &str, props: &Props, at: &mut Place) -> Option<Declared> {
    let len = at.name.len();
    at.name.push('.');
    at.name.push_str(step);
    let declared = schema(props, props.embedded_resource, at);
    at.name.truncate(len);
    declared
}

fn list(props: &Props, at: &mut Place) -> Option<Declared> {
    let item = below("@idx", props.item_schema()?, at)?;
    let max = props.max_items.map_or_else(|| (MAX_REQUEST - 2) / (item.min_size + 1), |max| max.max(0));
    let kind = match props.list_type.as_deref() {
        Some("set") => ListKind::Set,
        Some("map") => ListKind::Map(props.list_map_keys.iter().map(ToString::to_string).collect()),
        _ => ListKind::Atomic,
    };
    Some(declared(DeclType::list(item.ty, elements(max), kind), 2))
}

fn map(props: &Props, at: &mut Place) -> Option<Declared> {
    let value = below("@elem", props.additional_schema()?, at)?;
    // Quotes, a colon, a comma and the key.
    let max = props.max_properties.map_or_else(|| (MAX_REQUEST - 2) / (value.min_size + 6), |max| max.max(0));
    let key = Arc::new(DeclType::scalar(Type::String, 0));
    Some(declared(DeclType::map(key, value.ty, elements(max)), 2))
}

fn object(props: &Props, is_resource: bool, at: &mut Place) -> Declared {
    let implied = if is_resource { implied_members(props, at.release) } else { Vec::new() };
    let required: HashSet<&str> = props.required.iter().map(Text::as_str).collect();
    let mut min_size = 2_i64;
    let mut fields = Vec::with_capacity(props.properties.len() + implied.len());
    let own = props.properties.iter().filter(|(key, _)| !implied.iter().any(|(name, _)| *name == key.as_str()));
    let own = own.map(|(key, property)| (key.as_str(), property));
    for (key, property) in own.chain(implied.iter().map(|(key, property)| (*key, property))) {
        let step = escape(key);
        let Some(declared) = below(step.as_deref().unwrap_or_default(), property, at) else { continue };
        if property.default.is_none() && required.contains(key) {
            min_size = min_size.saturating_add(member_size(key, declared.min_size));
        }
        if let Some(name) = step {
            fields.push(DeclField { name: name.into_owned(), key: key.to_owned(), ty: declared.ty });
        }
    }
    declared(DeclType::object(Name::from(at.name.as_str()), fields, 0), min_size)
}

/// Members that every resource has, unless the schema describes them all.
fn implied_members(props: &Props, release: Release) -> Vec<(&'static str, Props)> {
    let ty = |name: &str| props.properties.get(name).map_or("", |property| property.ty.as_str());
    let metadata = props.properties.get("metadata");
    let of_metadata = |name: &str| metadata.and_then(|metadata| metadata.properties.get(name));
    let is_text = |name: &str| of_metadata(name).is_some_and(|property| property.ty.as_str() == "string");
    let described = ty("kind") == "string" && ty("apiVersion") == "string" && ty("metadata") == "object";
    if described && is_text("name") && is_text("generateName") {
        return Vec::new();
    }
    let string = || Props { ty: "string".into(), ..Props::default() };
    let capped = |name: &str, max: i64| {
        let own = of_metadata(name).and_then(|property| property.max_length);
        let max_length = release.has(Fact::CelBoundsNames).then(|| own.map_or(max, |own| own.min(max)));
        Props { max_length, ..string() }
    };
    let names = [("generateName", capped("generateName", MAX_NAME - 1)), ("name", capped("name", MAX_NAME))];
    let properties = names.into_iter().map(|(name, property)| (name.into(), property)).collect();
    let metadata = Props { ty: "object".into(), properties, ..Props::default() };
    vec![("apiVersion", string()), ("kind", string()), ("metadata", metadata)]
}

fn text(props: &Props) -> Declared {
    let ty = match props.format.as_str() {
        "byte" => {
            let max = props.max_length.map_or(MAX_REQUEST - 2, |max| max.max(0));
            DeclType::encoded(Type::Bytes, Encoding::Base64, elements(max))
        }
        "duration" => DeclType::encoded(Type::Duration, Encoding::Duration, 32),
        "date" => DeclType::encoded(Type::Timestamp, Encoding::Date, 12),
        "date-time" => DeclType::encoded(Type::Timestamp, Encoding::DateTime, 32),
        _ => DeclType::scalar(Type::String, elements(max_text(props))),
    };
    declared(ty, text_min_size(&props.format))
}

/// The fewest bytes of a text with this format, its quotes included.
fn text_min_size(format: &str) -> i64 {
    match format {
        "duration" => 3,
        "date" => 12,
        "date-time" => 21,
        _ => 2,
    }
}

fn max_text(props: &Props) -> i64 {
    match props.max_length {
        Some(max) => bytes_of(max),
        None if props.enumeration.is_empty() => MAX_REQUEST - 2,
        None => props.enumeration.iter().filter_map(Value::as_str).map(|text| signed(text.len())).max().unwrap_or(0),
    }
}

/// The bytes that so many characters may take; as upstream, a number too large wraps around.
fn bytes_of(characters: i64) -> i64 {
    characters.max(0).wrapping_mul(4)
}

/// A size as the estimate takes it.
fn elements(max: i64) -> u64 {
    max.cast_unsigned()
}

fn signed(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}
