//! Values as Kubernetes 1.33 prints them in errors: as Go source (`%#v`), but for scalars, times and names of resources.

use std::fmt::Write as _;

use sprag_field::{BadValue, Error, quote};
use sprag_rest::Release;
use sprag_shape::{Kind, Shapes, TypeId, TypeRef};
use sprag_value::{ByteString, Duration, MAX_DEPTH, MicroTime, Object, Quantity, Time, Value, from_value, json};

use super::go_types::types;
use crate::program;

/// Where pointers point to, which nobody can rely on.
const ADDRESS: &str = "0xc000000000";
/// The name of a resource, which prints itself.
const RESOURCE_NAME: &str = "core.ResourceName";
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Gives errors about an object of a type the values that they print.
// As upstream's field.Error.ErrorBody of 1.33.
pub(crate) fn show_values(root: TypeId, errors: &mut [Error]) {
    let root = internal_root(root);
    for error in errors {
        let value = match &error.value {
            BadValue::Nil => Value::Null,
            BadValue::Json(text) => match json::parse(text.as_bytes()) {
                Ok(value) => value,
                // Texts that were cut stay as they are.
                Err(_) => continue,
            },
            _ => continue,
        };
        error.value = BadValue::Go(Place::find(root, &error.field).show(&value));
    }
}

/// The type whose fields paths name: events of both groups are those of the core inside.
fn internal_root(root: TypeId) -> TypeId {
    let program = program::of_release(Release::V1_33);
    let shape = |group: &str| program.find(group, "v1", "Event").map(|resource| resource.shape);
    if shape("events.k8s.io") == Some(root) { shape("").unwrap_or(root) } else { root }
}

/// A value of a declared type (`v1.PodTemplateSpec`).
pub(super) fn of_type(type_name: &str, value: &Value) -> BadValue {
    let id = program::of_release(Release::V1_33).shapes().by_name(type_name);
    BadValue::Go(id.map_or_else(String::new, |id| shown(TypeRef::value(id), value)))
}

/// A value of a type in the program of the release.
pub(super) fn of_ref(ty: TypeRef, value: &Value) -> BadValue {
    BadValue::Go(shown(ty, value))
}

/// A field of a value of a declared type.
pub(super) fn of_field(type_name: &str, field: &str, owner: &Value) -> BadValue {
    let shapes = program::of_release(Release::V1_33).shapes();
    let ty = shapes.by_name(type_name).and_then(|id| shapes.field(id, field)).map(|field| field.ty);
    let value = owner.get(field).unwrap_or(&Value::Null);
    BadValue::Go(Place { ty, ..Place::default() }.show(value))
}

/// An amount with the text that it has.
pub(super) fn quantity(amount: &Quantity) -> BadValue {
    BadValue::Go(amount.to_go_syntax(ADDRESS))
}

/// A path that ends in a member.
pub(super) fn path(last: &str) -> BadValue {
    BadValue::Go(format!("field.Path{{name:{}, index:\"\", parent:(*field.Path)({ADDRESS})}}", quote::go(last)))
}

/// The type that a path leads to, and what it is a part of.
#[derive(Clone, Copy, Default)]
struct Place<'p> {
    ty: Option<TypeRef>,
    parent: Option<TypeRef>,
    /// What the last brackets hold.
    key: Option<&'p str>,
}

impl<'p> Place<'p> {
    /// Follows the path of an error. Some of upstream leave out the spec, or have the metadata in its place.
    fn find(root: TypeId, path: &'p str) -> Place<'p> {
        let root = Place { ty: Some(TypeRef::value(root)), ..Place::default() };
        let place = root.follow(path);
        if place.ty.is_some() {
            return place;
        }
        let spec = root.follow("spec");
        let below = path.split_once('.').map_or(path, |(_, below)| below);
        let places = [spec.follow(path), spec.follow(below)];
        places.into_iter().find(|place| place.ty.is_some()).unwrap_or(place)
    }

    fn follow(self, path: &'p str) -> Place<'p> {
        let mut place = self;
        let mut left = path;
        while !left.is_empty() && place.ty.is_some() {
            if let Some(rest) = left.strip_prefix('[') {
                let (key, after) = rest.split_once(']').unwrap_or((rest, ""));
                place = place.element(key);
                left = after;
            } else {
                let name = left.strip_prefix('.').unwrap_or(left);
                let end = name.find(['.', '[']).unwrap_or(name.len());
                place = place.member(&name[..end]);
                left = &name[end..];
            }
        }
        if let Some(key) = left.strip_suffix(']').and_then(|left| left.rsplit_once('[')) {
            place.key = Some(key.1);
        }
        place
    }

    fn element(self, key: &'p str) -> Place<'p> {
        let Some(ty) = self.ty else { return self };
        match declared().get(ty.id).kind {
            Kind::List { elem, .. } => Place { ty: Some(elem), parent: Some(ty), key: Some(key) },
            Kind::Map { value, .. } => Place { ty: Some(value), parent: Some(ty), key: Some(key) },
            _ => Place { ty: None, ..self },
        }
    }

    fn member(self, name: &str) -> Place<'p> {
        let Some(ty) = self.ty else { return self };
        let field = declared().field(ty.id, name).map(|field| field.ty);
        match (field, &declared().get(ty.id).kind) {
            (Some(field), _) => Place { ty: Some(field), parent: Some(ty), key: None },
            // Paths of overhead go on as if the list of resources was a struct.
            (None, Kind::Map { .. }) => Place { ty: None, parent: Some(ty), key: None },
            (None, _) => Place { ty: None, ..self },
        }
    }

    /// A value of an error about this place: mostly the one that is there, or an element of it, or what it is a part of.
    fn show(self, value: &Value) -> String {
        if let (Some(key), Some(name)) = (self.parent.and_then(key_of), value.as_str())
            && self.key == Some(name)
        {
            return shown(key, value);
        }
        if value.is_null() {
            let is_list =
                |ty: &TypeRef| matches!(types().get(ty.id).kind, Kind::List { .. } | Kind::Map { .. } | Kind::Bytes);
            return self.ty.filter(is_list).map_or_else(|| r#""null""#.to_owned(), |ty| shown(ty, value));
        }
        let candidates = [self.ty, self.ty.and_then(element_of), self.parent, self.parent.and_then(element_of)];
        if let Some(ty) = candidates.into_iter().flatten().find(|ty| fits(ty.id, value, MAX_DEPTH)) {
            return shown(ty, value);
        }
        let elements = value.as_array().into_iter().flatten();
        match self.ty.filter(|ty| elements.into_iter().all(|element| fits(ty.id, element, MAX_DEPTH))) {
            Some(ty) if value.as_array().is_some() => {
                let mut out = String::new();
                write_list(&mut out, ty, value, MAX_DEPTH);
                out
            }
            _ => untyped(value),
        }
    }
}

/// The types with the names that paths have.
fn declared() -> &'static Shapes {
    program::of_release(Release::V1_33).shapes()
}

fn key_of(ty: TypeRef) -> Option<TypeRef> {
    if let Kind::Map { key, .. } = types().get(ty.id).kind { Some(key) } else { None }
}

fn element_of(ty: TypeRef) -> Option<TypeRef> {
    if let Kind::List { elem, .. } = types().get(ty.id).kind { Some(elem) } else { None }
}

/// True if a value can be of a type. Members of structs have the names of versions, or those of Go.
fn fits(id: TypeId, value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match (&types().get(id).kind, value) {
        (Kind::Struct { .. }, Value::Object(members)) => members
            .iter()
            .all(|(name, member)| field_of(id, name, MAX_DEPTH).is_some_and(|ty| fits(ty.id, member, depth))),
        (Kind::Map { value, .. }, Value::Object(members)) => {
            members.iter().all(|(_, member)| fits(value.id, member, depth))
        }
        (Kind::List { elem, .. }, Value::Array(elements)) => {
            elements.iter().all(|element| fits(elem.id, element, depth))
        }
        (Kind::Quantity, Value::String(text)) => text.parse::<Quantity>().is_ok(),
        (Kind::Time, Value::String(text)) => text.parse::<Time>().is_ok(),
        (Kind::MicroTime, Value::String(text)) => text.parse::<MicroTime>().is_ok(),
        (_, Value::Null)
        | (Kind::Any | Kind::RawExtension, _)
        | (Kind::String | Kind::Bytes | Kind::Duration | Kind::IntOrString | Kind::Scalar, Value::String(_))
        | (Kind::Bool | Kind::Scalar, Value::Bool(_))
        | (Kind::Int { .. } | Kind::Float { .. } | Kind::IntOrString | Kind::Scalar, Value::Int(_))
        | (Kind::Float { .. } | Kind::Scalar, Value::Float(_)) => true,
        _ => false,
    }
}

/// The field of a struct, or of one that is embedded in it.
fn field_of(id: TypeId, name: &str, depth: usize) -> Option<TypeRef> {
    let depth = depth.checked_sub(1)?;
    let fields = types().get(id).fields();
    fields
        .iter()
        .find(|field| !field.inline && (field.json == name || field.name == name))
        .map(|field| field.ty)
        .or_else(|| {
            let mut embedded = fields.iter().filter(|field| field.inline || field.json == "metadata");
            embedded.find_map(|field| field_of(field.ty.id, name, depth))
        })
}

/// A value as an error prints it: without the pointer that it is behind.
fn shown(ty: TypeRef, value: &Value) -> String {
    let shape = types().get(ty.id);
    match (&shape.kind, value) {
        (Kind::String, Value::String(text)) if shape.name == RESOURCE_NAME => text.to_string(),
        (Kind::Time | Kind::MicroTime, value) => date(value).map_or_else(|| untyped(value), |date| date.displayed()),
        (Kind::Duration, Value::String(text)) => text.to_string(),
        (Kind::Bytes, value) if shape.name.is_empty() => bytes("[]byte", value),
        _ => {
            let mut out = String::new();
            write(&mut out, TypeRef::value(ty.id), Some(value), MAX_DEPTH);
            out
        }
    }
}

/// Writes a value as a part of another one.
fn write(out: &mut String, ty: TypeRef, value: Option<&Value>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let value = value.unwrap_or(&Value::Null);
    let kind = &types().get(ty.id).kind;
    match kind {
        Kind::List { elem, .. } => return write_typed_list(out, &types().go_type(ty.id), *elem, value, depth),
        Kind::Map { value: elem, .. } => return write_map(out, ty.id, *elem, value, depth),
        Kind::Bytes => return out.push_str(&bytes(&types().go_type(ty.id), value)),
        Kind::Time | Kind::MicroTime => {
            let date = date(value).filter(|_| !value.is_null());
            let zero = if ty.nullable { "<nil>" } else { "time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)" };
            return out.push_str(&date.map_or_else(|| zero.to_owned(), |date| date.go_source()));
        }
        Kind::Any => {
            return out.push_str(&if value.is_null() { "interface {}(nil)".to_owned() } else { untyped(value) });
        }
        _ => {}
    }
    if ty.nullable {
        let address = if value.is_null() { "nil" } else { ADDRESS };
        return push(out, format_args!("(*{})({address})", types().go_type(ty.id)));
    }
    if let Kind::Struct { .. } = kind {
        let none = Object::new();
        return write_struct(out, ty.id, value.as_object().unwrap_or(&none), depth);
    }
    write_scalar(out, kind, value);
}

fn write_scalar(out: &mut String, kind: &Kind, value: &Value) {
    match (kind, value) {
        (Kind::String, Value::Null) => out.push_str("\"\""),
        (Kind::Bool, Value::Null) => out.push_str("false"),
        (Kind::Int { .. } | Kind::Float { .. }, Value::Null) => out.push('0'),
        (Kind::Quantity, Value::Null) => out.push_str(
            "resource.Quantity{i:resource.int64Amount{value:0, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, \
             s:\"\", Format:\"\"}",
        ),
        (Kind::Quantity, Value::String(text)) => match text.parse::<Quantity>() {
            Ok(amount) => out.push_str(&amount.to_go_syntax(ADDRESS)),
            Err(_) => out.push_str(&untyped(value)),
        },
        (Kind::IntOrString, Value::String(text)) => {
            push(out, format_args!("intstr.IntOrString{{Type:1, IntVal:0, StrVal:{}}}", quote::go(text)));
        }
        (Kind::IntOrString, value) => {
            let number = value.as_i64().unwrap_or_default();
            push(out, format_args!("intstr.IntOrString{{Type:0, IntVal:{number}, StrVal:\"\"}}"));
        }
        (Kind::Duration, value) => {
            let nanos = from_value::<Duration>(value).map(|duration| duration.as_nanos()).unwrap_or_default();
            push(out, format_args!("v1.Duration{{Duration:{nanos}}}"));
        }
        (Kind::RawExtension, value) => {
            let text = if value.is_null() { String::new() } else { json::to_string(value) };
            let raw = if value.is_null() { "[]uint8(nil)".to_owned() } else { bytes_of("[]uint8", text.as_bytes()) };
            push(out, format_args!("runtime.RawExtension{{Raw:{raw}, Object:runtime.Object(nil)}}"));
        }
        (_, value) => out.push_str(&untyped(value)),
    }
}

fn write_struct(out: &mut String, id: TypeId, members: &Object, depth: usize) {
    let ty = types().get(id);
    push(out, format_args!("{}{{", types().go_type(id)));
    for (at, field) in ty.fields().iter().enumerate() {
        push(out, format_args!("{}{}:", if at > 0 { ", " } else { "" }, field.name));
        let named = members.get(&field.json).or_else(|| members.get(&field.name));
        // Values may have the fields of embedded structs among their own.
        if field.inline || field.json == "metadata" && named.is_none() {
            write_struct_within(out, field.ty.id, members, depth);
        } else {
            write(out, field.ty, named, depth);
        }
    }
    out.push('}');
}

fn write_struct_within(out: &mut String, id: TypeId, members: &Object, depth: usize) {
    if let Some(depth) = depth.checked_sub(1) {
        write_struct(out, id, members, depth);
    }
}

fn write_list(out: &mut String, elem: TypeRef, value: &Value, depth: usize) {
    let star = if elem.nullable { "*" } else { "" };
    write_typed_list(out, &format!("[]{star}{}", types().go_type(elem.id)), elem, value, depth);
}

fn write_typed_list(out: &mut String, name: &str, elem: TypeRef, value: &Value, depth: usize) {
    let Some(elements) = value.as_array() else { return push(out, format_args!("{name}(nil)")) };
    push(out, format_args!("{name}{{"));
    for (at, element) in elements.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        write(out, elem, Some(element), depth);
    }
    out.push('}');
}

fn write_map(out: &mut String, id: TypeId, elem: TypeRef, value: &Value, depth: usize) {
    let name = types().go_type(id);
    let Some(members) = value.as_object() else { return push(out, format_args!("{name}(nil)")) };
    push(out, format_args!("{name}{{"));
    for (at, (key, member)) in members.iter().enumerate() {
        push(out, format_args!("{}{}:", if at > 0 { ", " } else { "" }, quote::go(key)));
        write(out, elem, Some(member), depth);
    }
    out.push('}');
}

/// A value without a type: texts, and lists and maps of them.
fn untyped(value: &Value) -> String {
    let parts = |parts: Vec<String>, name: &str| format!("{name}{{{}}}", parts.join(", "));
    match value {
        Value::Null => r#""null""#.to_owned(),
        Value::String(text) => quote::go(text).to_string(),
        Value::Float(number) => BadValue::Float(*number).to_string(),
        Value::Bool(_) | Value::Int(_) => json::to_string(value),
        Value::Array(elements) => parts(elements.iter().map(untyped).collect(), "[]string"),
        Value::Object(members) => {
            let members = members.iter().map(|(key, member)| format!("{}:{}", quote::go(key), untyped(member)));
            parts(members.collect(), "map[string]string")
        }
    }
}

/// Bytes, which are base64 text in objects.
fn bytes(name: &str, value: &Value) -> String {
    match from_value::<ByteString>(value) {
        Ok(decoded) if !value.is_null() => bytes_of(name, &decoded.0),
        _ => format!("{name}(nil)"),
    }
}

fn bytes_of(name: &str, bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#x}")).collect();
    format!("{name}{{{}}}", bytes.join(", "))
}

/// A point in time: date and time of day in UTC, and nanoseconds.
struct Date {
    text: String,
    nanos: u32,
}

/// The time of a value; Go's zero time for none.
fn date(value: &Value) -> Option<Date> {
    let time: MicroTime = match value {
        Value::Null => return Some(Date { text: "0001-01-01T00:00:00Z".to_owned(), nanos: 0 }),
        value => value.as_str()?.parse().ok().or_else(|| {
            let time: Time = value.as_str()?.parse().ok()?;
            Some(MicroTime::from_unix(time.unix_seconds(), time.subsec_nanos()))
        })?,
    };
    Some(Date { text: Time::from_unix(time.unix_seconds(), 0).to_string(), nanos: time.subsec_nanos() })
}

impl Date {
    // As Go's time.Time.String.
    fn displayed(&self) -> String {
        let text = self.text.replace('T', " ");
        let mut fraction = String::new();
        if self.nanos > 0 {
            format!(".{:09}", self.nanos).trim_end_matches('0').clone_into(&mut fraction);
        }
        format!("{}{fraction} +0000 UTC", text.trim_end_matches('Z'))
    }

    // As Go's time.Time.GoString.
    fn go_source(&self) -> String {
        let parts: Vec<usize> = self.text.split(['-', 'T', ':', 'Z']).filter_map(|part| part.parse().ok()).collect();
        let &[year, month, day, hour, minute, second] = parts.as_slice() else { return String::new() };
        let month = MONTHS.get(month.wrapping_sub(1)).unwrap_or(&"January");
        format!("time.Date({year}, time.{month}, {day}, {hour}, {minute}, {second}, {}, time.Local)", self.nanos)
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests;
