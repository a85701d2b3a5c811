//! Types, fields and values of `OpenAPI` documents, and which of two documents has them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;
use sprag_rest::MinorVersion;

/// The types of a set of documents, by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Types(BTreeMap<String, Type>);

/// A type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Type {
    /// The API versions with kinds that it is the type of.
    kinds: BTreeSet<String>,
    required: BTreeSet<String>,
    fields: BTreeMap<String, Field>,
    values: BTreeSet<String>,
}

/// A field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Field {
    /// The type in words.
    ty: String,
    /// The default as JSON.
    default: Option<String>,
    values: BTreeSet<String>,
    /// The tags about lists and patches.
    extensions: BTreeMap<String, String>,
}

/// The extensions that are declarations.
const EXTENSIONS: [&str; 5] = [
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-patch-merge-key",
];

impl Types {
    /// Reads a document, or all documents of a folder.
    pub(super) fn read(path: &Path) -> Result<Types, String> {
        let mut types = Types::default();
        if !path.is_dir() {
            types.add(path)?;
            return Ok(types);
        }
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let entries = fs::read_dir(path).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        files.iter().try_for_each(|file| types.add(file))?;
        Ok(types)
    }

    fn add(&mut self, path: &Path) -> Result<(), String> {
        let document: Value =
            serde_json::from_str(&super::text(path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        let schemas = document.get("definitions").or_else(|| document.pointer("/components/schemas"));
        let schemas = schemas.and_then(Value::as_object).ok_or_else(|| {
            format!("{}: not an OpenAPI document: there is neither definitions nor components.schemas", path.display())
        })?;
        self.0.extend(schemas.iter().map(|(name, schema)| (short(name), Type::of(schema))));
        Ok(())
    }
}

impl Type {
    fn of(schema: &Value) -> Type {
        let gvks = schema.get("x-kubernetes-group-version-kind").and_then(Value::as_array).into_iter().flatten();
        let text = |value: &Value, member: &str| value[member].as_str().unwrap_or_default().to_owned();
        let kind = |gvk: &Value| {
            let group = text(gvk, "group");
            let slash = if group.is_empty() { "" } else { "/" };
            format!("{group}{slash}{} {}", text(gvk, "version"), text(gvk, "kind"))
        };
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        Type {
            // Options are of every group.
            kinds: gvks.map(kind).filter(|kind| !kind.ends_with("Options") && !kind.ends_with("WatchEvent")).collect(),
            required: texts(schema.get("required")),
            fields: fields.map(|(name, schema)| (name.clone(), Field::of(schema))).collect(),
            values: texts(schema.get("enum")),
        }
    }
}

impl Field {
    fn of(schema: &Value) -> Field {
        let extension = |name: &&str| Some(((*name).to_owned(), schema.get(*name)?.to_string()));
        Field {
            ty: type_of(schema),
            default: schema.get("default").filter(|value| !is_zero(value)).map(Value::to_string),
            values: texts(schema.get("enum")),
            extensions: EXTENSIONS.iter().filter_map(extension).collect(),
        }
    }
}

/// Version 3 has defaults that are the zero value of the type; version 2 leaves them out.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

/// The type of a schema in words: `string`, `[]v1.Container`, `map of string`.
fn type_of(schema: &Value) -> String {
    // Version 3 wraps references that have more to say.
    let wrapped = schema.get("allOf").and_then(|all| all.get(0)).unwrap_or(schema);
    if let Some(reference) = wrapped.get("$ref").and_then(Value::as_str) {
        return short(reference.rsplit('/').next().unwrap_or_default());
    }
    let name = schema["type"].as_str().unwrap_or("any");
    match (name, schema.get("items"), schema.get("additionalProperties")) {
        ("array", Some(items), _) => format!("[]{}", type_of(items)),
        ("object", _, Some(values)) => format!("map of {}", type_of(values)),
        _ => match schema["format"].as_str() {
            Some(format) => format!("{name} ({format})"),
            None => name.to_owned(),
        },
    }
}

/// A name of a type without what all have in common.
fn short(name: &str) -> String {
    name.strip_prefix("io.k8s.api.").unwrap_or(name).to_owned()
}

fn texts(list: Option<&Value>) -> BTreeSet<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| Some(item.as_str()?.to_owned())).collect()
}

/// The declarations that make the old types the new ones.
pub(super) fn declarations(old: &Types, new: &Types, since: MinorVersion) -> String {
    let mut out = Out { text: String::new(), since, until: super::before(since) };
    let names: BTreeSet<&String> = old.0.keys().chain(new.0.keys()).collect();
    for name in names {
        match (old.0.get(name), new.0.get(name)) {
            (None, Some(ty)) => out.new_type(name, ty),
            (Some(ty), None) => out.gone_type(name, ty),
            (Some(before), Some(after)) if before != after => out.changed_type(name, before, after),
            _ => {}
        }
    }
    out.text
}

struct Out {
    text: String,
    since: MinorVersion,
    until: MinorVersion,
}

impl Out {
    fn line(&mut self, line: impl std::fmt::Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// Prints a declaration of something that one release has and the other has not.
    fn tagged(&mut self, is_new: bool, what: impl std::fmt::Display) {
        let tag = if is_new {
            format!("+sprag:since(\"{}\")", self.since)
        } else {
            format!("+sprag:until(\"{}\")", self.until)
        };
        self.line(format_args!("    /// {tag}\n    {what}"));
    }

    fn new_type(&mut self, name: &str, ty: &Type) {
        self.line(format_args!("{name} (new)"));
        for kind in &ty.kinds {
            self.tagged(true, format_args!("kind {kind}"));
        }
        for (name, field) in &ty.fields {
            self.line(format_args!("    {}", declared(name, field, ty)));
        }
        self.listed_values(&ty.values);
    }

    fn gone_type(&mut self, name: &str, ty: &Type) {
        self.line(format_args!("{name} (gone)"));
        for kind in &ty.kinds {
            self.tagged(false, format_args!("kind {kind} (and a row of crate removals)"));
        }
    }

    fn changed_type(&mut self, name: &str, before: &Type, after: &Type) {
        let start = self.text.len();
        self.line(name);
        let head = self.text.len();
        for (is_new, kinds) in
            [(true, after.kinds.difference(&before.kinds)), (false, before.kinds.difference(&after.kinds))]
        {
            for kind in kinds {
                self.tagged(is_new, format_args!("kind {kind}"));
            }
        }
        for (field, now) in &after.fields {
            match before.fields.get(field) {
                None => self.tagged(true, declared(field, now, after)),
                Some(then) => self.changed_field(field, then, now),
            }
        }
        for (field, then) in before.fields.iter().filter(|(field, _)| !after.fields.contains_key(*field)) {
            self.tagged(false, declared(field, then, before));
        }
        // A field that is new is required from the first moment.
        let is_old = |name: &&String| before.fields.contains_key(*name) && after.fields.contains_key(*name);
        for name in after.required.difference(&before.required).filter(is_old) {
            self.tagged(true, format_args!("=+k8s:required   on {name}"));
        }
        for name in before.required.difference(&after.required).filter(is_old) {
            self.tagged(false, format_args!("=+k8s:required   on {name}"));
        }
        self.changed_values("", &before.values, &after.values);
        if self.text.len() == head {
            self.text.truncate(start);
        }
    }

    fn changed_field(&mut self, name: &str, then: &Field, now: &Field) {
        if then.ty != now.ty {
            self.line(format_args!("    {name}: {} becomes {}: declare both, with since and until", then.ty, now.ty));
        }
        if then.default != now.default {
            for (is_new, default) in [(false, &then.default), (true, &now.default)] {
                if let Some(default) = default {
                    self.tagged(is_new, format_args!("=+default={default}   on {name}"));
                }
            }
        }
        for extension in EXTENSIONS {
            let values = (then.extensions.get(extension), now.extensions.get(extension));
            if values.0 != values.1 {
                let shown = |value: Option<&String>| value.map_or("nothing", String::as_str).to_owned();
                self.line(format_args!("    {name}: {extension} {} becomes {}", shown(values.0), shown(values.1)));
            }
        }
        self.changed_values(name, &then.values, &now.values);
    }

    fn changed_values(&mut self, field: &str, then: &BTreeSet<String>, now: &BTreeSet<String>) {
        let on = if field.is_empty() { String::new() } else { format!("   of {field}") };
        for value in now.difference(then) {
            self.tagged(true, format_args!("value {value:?}{on}"));
        }
        for value in then.difference(now) {
            self.tagged(false, format_args!("value {value:?}{on}"));
        }
    }

    fn listed_values(&mut self, values: &BTreeSet<String>) {
        for value in values {
            self.line(format_args!("    value {value:?}"));
        }
    }
}

/// A field as a line.
fn declared(name: &str, field: &Field, ty: &Type) -> String {
    let mut line = format!("{name}: {}", field.ty);
    if ty.required.contains(name) {
        line += ", required";
    }
    if let Some(default) = &field.default {
        let _ = write!(line, ", default {default}");
    }
    for (extension, value) in &field.extensions {
        let _ = write!(line, ", {} {value}", extension.trim_start_matches("x-kubernetes-"));
    }
    if !field.values.is_empty() {
        let values: Vec<&str> = field.values.iter().map(String::as_str).collect();
        let _ = write!(line, ", one of {}", values.join(", "));
    }
    line
}
