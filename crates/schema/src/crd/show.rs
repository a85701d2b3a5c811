//! Definitions as Go prints them in error values: the JSON of its internal types, which have no JSON names.

use std::collections::BTreeMap;

use sprag_field::BadValue;
use sprag_value::json::{Escape, write_float, write_int, write_string, write_value};
use sprag_value::{Text, Value};

use super::{Column, Scale, Subresources, Version, VersionSchema};
use crate::props::{Dependency, ExternalDocs, Items, Props, PropsOrBool, Rule};

/// Values that can be printed.
pub(crate) trait Show {
    fn write(&self, out: &mut String);
}

/// The value as an error keeps it.
pub(crate) fn bad_value(value: &(impl Show + ?Sized)) -> BadValue {
    let mut out = String::new();
    value.write(&mut out);
    BadValue::Json(out)
}

/// Writes the members of a struct in declared order.
struct Record<'o> {
    out: &'o mut String,
    separator: char,
}

impl<'o> Record<'o> {
    fn new(out: &'o mut String) -> Self {
        Record { out, separator: '{' }
    }

    fn member(&mut self, name: &str, value: &(impl Show + ?Sized)) -> &mut Self {
        self.out.push(self.separator);
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
        value.write(self.out);
        self.separator = ',';
        self
    }

    fn end(&mut self) {
        self.out.push('}');
    }
}

impl Show for Text {
    fn write(&self, out: &mut String) {
        write_string(out, self, Escape::Html);
    }
}

impl Show for bool {
    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl Show for i64 {
    fn write(&self, out: &mut String) {
        write_int(out, *self);
    }
}

impl Show for f64 {
    fn write(&self, out: &mut String) {
        write_float(out, *self);
    }
}

impl Show for Value {
    fn write(&self, out: &mut String) {
        write_value(out, self, Escape::Html);
    }
}

impl<T: Show> Show for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

impl<T: Show + ?Sized> Show for &T {
    fn write(&self, out: &mut String) {
        (**self).write(out);
    }
}

impl<T: Show> Show for [T] {
    fn write(&self, out: &mut String) {
        let mut separator = '[';
        for value in self {
            out.push(separator);
            value.write(out);
            separator = ',';
        }
        out.push_str(if self.is_empty() { "[]" } else { "]" });
    }
}

impl<T: Show> Show for Vec<T> {
    fn write(&self, out: &mut String) {
        self[..].write(out);
    }
}

impl<T: Show> Show for BTreeMap<Text, T> {
    fn write(&self, out: &mut String) {
        let mut separator = '{';
        for (name, value) in self {
            out.push(separator);
            name.write(out);
            out.push(':');
            value.write(out);
            separator = ',';
        }
        out.push_str(if self.is_empty() { "{}" } else { "}" });
    }
}

impl Show for Version {
    fn write(&self, out: &mut String) {
        Record::new(out)
            .member("Name", &self.name)
            .member("Served", &self.served)
            .member("Storage", &self.storage)
            .member("Deprecated", &self.deprecated)
            .member("DeprecationWarning", &self.deprecation_warning)
            .member("Schema", &self.schema)
            .member("Subresources", &self.subresources)
            .member("AdditionalPrinterColumns", &self.columns)
            .member("SelectableFields", &self.selectable_fields.as_ref().map(|fields| SelectableFields(fields)))
            .end();
    }
}

impl Show for VersionSchema {
    fn write(&self, out: &mut String) {
        Record::new(out).member("OpenAPIV3Schema", &self.open_api_v3_schema.as_deref()).end();
    }
}

impl Show for Subresources {
    fn write(&self, out: &mut String) {
        let status = self.status.then(Value::object);
        Record::new(out).member("Status", &status).member("Scale", &self.scale).end();
    }
}

impl Show for Scale {
    fn write(&self, out: &mut String) {
        Record::new(out)
            .member("SpecReplicasPath", &self.spec_replicas_path)
            .member("StatusReplicasPath", &self.status_replicas_path)
            .member("LabelSelectorPath", &self.label_selector_path)
            .end();
    }
}

impl Show for Column {
    fn write(&self, out: &mut String) {
        Record::new(out)
            .member("Name", &self.name)
            .member("Type", &self.ty)
            .member("Format", &self.format)
            .member("Description", &self.description)
            .member("Priority", &self.priority)
            .member("JSONPath", &self.json_path)
            .end();
    }
}

struct SelectableFields<'a>(&'a [Text]);

struct SelectableField<'a>(&'a Text);

impl Show for SelectableFields<'_> {
    fn write(&self, out: &mut String) {
        self.0.iter().map(SelectableField).collect::<Vec<_>>().write(out);
    }
}

impl Show for SelectableField<'_> {
    fn write(&self, out: &mut String) {
        Record::new(out).member("JSONPath", self.0).end();
    }
}

impl Show for Props {
    fn write(&self, out: &mut String) {
        let mut record = Record::new(out);
        self.write_scalars(&mut record);
        self.write_schemas(&mut record);
        self.write_extensions(&mut record);
        record.end();
    }
}

impl Props {
    fn write_scalars(&self, record: &mut Record<'_>) {
        record
            .member("ID", &self.id)
            .member("Schema", &self.schema)
            .member("Ref", &self.reference)
            .member("Description", &self.description)
            .member("Type", &self.ty)
            .member("Nullable", &self.nullable)
            .member("Format", &self.format)
            .member("Title", &self.title)
            .member("Default", &self.default)
            .member("Maximum", &self.maximum)
            .member("ExclusiveMaximum", &self.exclusive_maximum)
            .member("Minimum", &self.minimum)
            .member("ExclusiveMinimum", &self.exclusive_minimum)
            .member("MaxLength", &self.max_length)
            .member("MinLength", &self.min_length)
            .member("Pattern", &self.pattern)
            .member("MaxItems", &self.max_items)
            .member("MinItems", &self.min_items)
            .member("UniqueItems", &self.unique_items)
            .member("MultipleOf", &self.multiple_of)
            .member("Enum", &self.unless_absent("enum", &self.enumeration))
            .member("MaxProperties", &self.max_properties)
            .member("MinProperties", &self.min_properties)
            .member("Required", &self.unless_absent("required", &self.required));
    }

    fn write_schemas(&self, record: &mut Record<'_>) {
        record
            .member("Items", &self.items)
            .member("AllOf", &self.unless_absent("allOf", &self.all_of))
            .member("OneOf", &self.unless_absent("oneOf", &self.one_of))
            .member("AnyOf", &self.unless_absent("anyOf", &self.any_of))
            .member("Not", &self.not.as_deref())
            .member("Properties", &self.map_unless_absent("properties", &self.properties))
            .member("AdditionalProperties", &self.additional_properties)
            .member("PatternProperties", &self.map_unless_absent("patternProperties", &self.pattern_properties))
            .member("Dependencies", &self.map_unless_absent("dependencies", &self.dependencies))
            .member("AdditionalItems", &self.additional_items)
            .member("Definitions", &self.map_unless_absent("definitions", &self.definitions))
            .member("ExternalDocs", &self.external_docs)
            .member("Example", &self.example);
    }

    fn write_extensions(&self, record: &mut Record<'_>) {
        record
            .member("XPreserveUnknownFields", &self.preserve_unknown_fields)
            .member("XEmbeddedResource", &self.embedded_resource)
            .member("XIntOrString", &self.int_or_string)
            .member("XListMapKeys", &self.unless_absent("x-kubernetes-list-map-keys", &self.list_map_keys))
            .member("XListType", &self.list_type)
            .member("XMapType", &self.map_type)
            .member("XValidations", &self.unless_absent("x-kubernetes-validations", &self.validations));
    }

    /// The list, unless the keyword is absent.
    fn unless_absent<'a, T>(&self, keyword: &str, list: &'a [T]) -> Option<&'a [T]> {
        (!list.is_empty() || self.empty.has(keyword)).then_some(list)
    }

    fn map_unless_absent<'a, T>(&self, keyword: &str, map: &'a BTreeMap<Text, T>) -> Option<&'a BTreeMap<Text, T>> {
        (!map.is_empty() || self.empty.has(keyword)).then_some(map)
    }
}

impl Show for Items {
    fn write(&self, out: &mut String) {
        let (one, many) = match self {
            Items::One(props) => (Some(&**props), None),
            Items::Many(props) => (None, Some(props)),
        };
        Record::new(out).member("Schema", &one).member("JSONSchemas", &many).end();
    }
}

impl Show for PropsOrBool {
    fn write(&self, out: &mut String) {
        let (allows, schema) = match self {
            PropsOrBool::Bool(allows) => (*allows, None),
            PropsOrBool::Props(props) => (true, Some(&**props)),
        };
        Record::new(out).member("Allows", &allows).member("Schema", &schema).end();
    }
}

impl Show for Dependency {
    fn write(&self, out: &mut String) {
        let (schema, names) = match self {
            Dependency::Names(names) => (None, Some(names)),
            Dependency::Props(props) => (Some(&**props), None),
        };
        Record::new(out).member("Schema", &schema).member("Property", &names).end();
    }
}

impl Show for ExternalDocs {
    fn write(&self, out: &mut String) {
        Record::new(out).member("Description", &self.description).member("URL", &self.url).end();
    }
}

impl Show for Rule {
    fn write(&self, out: &mut String) {
        Record::new(out)
            .member("Rule", &self.rule)
            .member("Message", &self.message)
            .member("MessageExpression", &self.message_expression)
            .member("Reason", &self.reason)
            .member("FieldPath", &self.field_path)
            .member("OptionalOldSelf", &self.optional_old_self)
            .end();
    }
}
