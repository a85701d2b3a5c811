//! Definitions as Go prints them in error values: the JSON of its internal types, which have no JSON names.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sprag_field::{BadValue, quote};
use sprag_release::{Fact, Release};
use sprag_value::json::{Escape, write_float, write_int, write_string, write_value};
use sprag_value::{Text, Value};

use super::{Column, Scale, Subresources, Version, VersionSchema};
use crate::go_syntax;
use crate::props::{Dependency, ExternalDocs, Items, Props, PropsOrBool, Rule};

/// Values that can be printed.
pub(crate) trait Show {
    /// The name of its type in Go, where it is a struct.
    const GO: &'static str = "";

    /// Writes the value. `ty` is its type in Go, where it is a pointer, a list or a map.
    fn write(&self, out: &mut Out, ty: &str);
}

/// A text in the making.
pub(crate) struct Out {
    text: String,
    /// True if values are printed as Go source, as `%#v` does.
    is_go: bool,
}

/// The value as an error of a release keeps it. `ty` is its type in Go, where it is a list.
pub(crate) fn bad_value(value: &(impl Show + ?Sized), ty: &str, release: Release) -> BadValue {
    let is_go = !release.has(Fact::PrintsValuesAsJson);
    let mut out = Out { text: String::new(), is_go };
    value.write(&mut out, ty);
    if is_go { BadValue::Go(out.text) } else { BadValue::Json(out.text) }
}

/// Writes the members of a struct in declared order.
struct Record<'o> {
    out: &'o mut Out,
    separator: &'static str,
}

impl<'o> Record<'o> {
    fn new(out: &'o mut Out, ty: &str) -> Self {
        if out.is_go {
            out.text.push_str(ty);
        }
        Record { out, separator: "{" }
    }

    fn member(&mut self, name: &str, value: &(impl Show + ?Sized)) -> &mut Self {
        self.typed(name, "", value)
    }

    /// A member that is a pointer, a list or a map in Go.
    fn typed(&mut self, name: &str, ty: &str, value: &(impl Show + ?Sized)) -> &mut Self {
        self.out.text.push_str(self.separator);
        if self.out.is_go {
            self.out.text.push_str(name);
            self.out.text.push(':');
            self.separator = ", ";
        } else {
            let _ = write!(self.out.text, "\"{name}\":");
            self.separator = ",";
        }
        value.write(self.out, ty);
        self
    }

    fn end(&mut self) {
        self.out.text.push('}');
    }
}

impl Show for Text {
    const GO: &'static str = "string";

    fn write(&self, out: &mut Out, _: &str) {
        if out.is_go {
            let _ = write!(out.text, "{}", quote::go(self));
        } else {
            write_string(&mut out.text, self, Escape::Html);
        }
    }
}

impl Show for bool {
    fn write(&self, out: &mut Out, _: &str) {
        out.text.push_str(if *self { "true" } else { "false" });
    }
}

impl Show for i64 {
    fn write(&self, out: &mut Out, _: &str) {
        write_int(&mut out.text, *self);
    }
}

impl Show for f64 {
    fn write(&self, out: &mut Out, _: &str) {
        if out.is_go {
            let _ = write!(out.text, "{}", BadValue::Float(*self));
        } else {
            write_float(&mut out.text, *self);
        }
    }
}

impl Show for Value {
    fn write(&self, out: &mut Out, _: &str) {
        if out.is_go {
            go_syntax::write(&mut out.text, self);
        } else {
            write_value(&mut out.text, self, Escape::Html);
        }
    }
}

impl<T: Show> Show for Option<T> {
    fn write(&self, out: &mut Out, ty: &str) {
        let _ = match self {
            Some(_) if out.is_go && ty.starts_with('*') => write!(out.text, "({ty})({})", go_syntax::ADDRESS),
            Some(value) => return value.write(out, ty),
            None if !out.is_go => write!(out.text, "null"),
            None if ty.starts_with('*') => write!(out.text, "({ty})(nil)"),
            None => write!(out.text, "{ty}(nil)"),
        };
    }
}

impl<T: Show + ?Sized> Show for &T {
    const GO: &'static str = T::GO;

    fn write(&self, out: &mut Out, ty: &str) {
        (**self).write(out, ty);
    }
}

impl<T: Show> Show for [T] {
    fn write(&self, out: &mut Out, ty: &str) {
        out.begin(ty, '[');
        for (at, value) in self.iter().enumerate() {
            out.separate(at);
            value.write(out, T::GO);
        }
        out.end(']');
    }
}

impl<T: Show> Show for Vec<T> {
    fn write(&self, out: &mut Out, ty: &str) {
        self[..].write(out, ty);
    }
}

impl<T: Show> Show for BTreeMap<Text, T> {
    fn write(&self, out: &mut Out, ty: &str) {
        out.begin(ty, '{');
        for (at, (name, value)) in self.iter().enumerate() {
            out.separate(at);
            name.write(out, Text::GO);
            out.text.push(':');
            value.write(out, T::GO);
        }
        out.end('}');
    }
}

impl Out {
    fn begin(&mut self, ty: &str, bracket: char) {
        if self.is_go {
            self.text.push_str(ty);
            self.text.push('{');
        } else {
            self.text.push(bracket);
        }
    }

    fn separate(&mut self, at: usize) {
        if at > 0 {
            self.text.push_str(if self.is_go { ", " } else { "," });
        }
    }

    fn end(&mut self, bracket: char) {
        self.text.push(if self.is_go { '}' } else { bracket });
    }
}

impl Show for Version {
    const GO: &'static str = "apiextensions.CustomResourceDefinitionVersion";

    fn write(&self, out: &mut Out, _: &str) {
        Record::new(out, Self::GO)
            .member("Name", &self.name)
            .member("Served", &self.served)
            .member("Storage", &self.storage)
            .member("Deprecated", &self.deprecated)
            .typed("DeprecationWarning", "*string", &self.deprecation_warning)
            .typed("Schema", "*apiextensions.CustomResourceValidation", &self.schema)
            .typed("Subresources", "*apiextensions.CustomResourceSubresources", &self.subresources)
            .typed("AdditionalPrinterColumns", "[]apiextensions.CustomResourceColumnDefinition", &self.columns)
            .typed(
                "SelectableFields",
                "[]apiextensions.SelectableField",
                &self.selectable_fields.as_ref().map(|fields| SelectableFields(fields)),
            )
            .end();
    }
}

impl Show for VersionSchema {
    const GO: &'static str = "apiextensions.CustomResourceValidation";

    fn write(&self, out: &mut Out, _: &str) {
        Record::new(out, Self::GO)
            .typed("OpenAPIV3Schema", "*apiextensions.JSONSchemaProps", &self.open_api_v3_schema.as_deref())
            .end();
    }
}

impl Show for Subresources {
    const GO: &'static str = "apiextensions.CustomResourceSubresources";

    fn write(&self, out: &mut Out, _: &str) {
        let status = self.status.then(Value::object);
        Record::new(out, Self::GO)
            .typed("Status", "*apiextensions.CustomResourceSubresourceStatus", &status)
            .typed("Scale", "*apiextensions.CustomResourceSubresourceScale", &self.scale)
            .end();
    }
}

impl Show for Scale {
    const GO: &'static str = "apiextensions.CustomResourceSubresourceScale";

    fn write(&self, out: &mut Out, _: &str) {
        Record::new(out, Self::GO)
            .member("SpecReplicasPath", &self.spec_replicas_path)
            .member("StatusReplicasPath", &self.status_replicas_path)
            .typed("LabelSelectorPath", "*string", &self.label_selector_path)
            .end();
    }
}

impl Show for Column {
    const GO: &'static str = "apiextensions.CustomResourceColumnDefinition";

    fn write(&self, out: &mut Out, _: &str) {
        Record::new(out, Self::GO)
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
    fn write(&self, out: &mut Out, ty: &str) {
        self.0.iter().map(SelectableField).collect::<Vec<_>>().write(out, ty);
    }
}

impl Show for SelectableField<'_> {
    const GO: &'static str = "apiextensions.SelectableField";

    fn write(&self, out: &mut Out, _: &str) {
        Record::new(out, Self::GO).member("JSONPath", self.0).end();
    }
}

impl Show for Props {
    const GO: &'static str = "apiextensions.JSONSchemaProps";

    fn write(&self, out: &mut Out, _: &str) {
        let mut record = Record::new(out, Self::GO);
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
            .typed("Ref", "*string", &self.reference)
            .member("Description", &self.description)
            .member("Type", &self.ty)
            .member("Nullable", &self.nullable)
            .member("Format", &self.format)
            .member("Title", &self.title)
            .typed("Default", "*apiextensions.JSON", &self.default)
            .typed("Maximum", "*float64", &self.maximum)
            .member("ExclusiveMaximum", &self.exclusive_maximum)
            .typed("Minimum", "*float64", &self.minimum)
            .member("ExclusiveMinimum", &self.exclusive_minimum)
            .typed("MaxLength", "*int64", &self.max_length)
            .typed("MinLength", "*int64", &self.min_length)
            .member("Pattern", &self.pattern)
            .typed("MaxItems", "*int64", &self.max_items)
            .typed("MinItems", "*int64", &self.min_items)
            .member("UniqueItems", &self.unique_items)
            .typed("MultipleOf", "*float64", &self.multiple_of)
            .typed("Enum", "[]apiextensions.JSON", &self.unless_absent("enum", &self.enumeration))
            .typed("MaxProperties", "*int64", &self.max_properties)
            .typed("MinProperties", "*int64", &self.min_properties)
            .typed("Required", "[]string", &self.unless_absent("required", &self.required));
    }

    fn write_schemas(&self, record: &mut Record<'_>) {
        record
            .typed("Items", "*apiextensions.JSONSchemaPropsOrArray", &self.items)
            .typed("AllOf", "[]apiextensions.JSONSchemaProps", &self.unless_absent("allOf", &self.all_of))
            .typed("OneOf", "[]apiextensions.JSONSchemaProps", &self.unless_absent("oneOf", &self.one_of))
            .typed("AnyOf", "[]apiextensions.JSONSchemaProps", &self.unless_absent("anyOf", &self.any_of))
            .typed("Not", "*apiextensions.JSONSchemaProps", &self.not.as_deref())
            .typed(
                "Properties",
                "map[string]apiextensions.JSONSchemaProps",
                &self.map_unless_absent("properties", &self.properties),
            )
            .typed("AdditionalProperties", "*apiextensions.JSONSchemaPropsOrBool", &self.additional_properties)
            .typed(
                "PatternProperties",
                "map[string]apiextensions.JSONSchemaProps",
                &self.map_unless_absent("patternProperties", &self.pattern_properties),
            )
            .typed(
                "Dependencies",
                "apiextensions.JSONSchemaDependencies",
                &self.map_unless_absent("dependencies", &self.dependencies),
            )
            .typed("AdditionalItems", "*apiextensions.JSONSchemaPropsOrBool", &self.additional_items)
            .typed(
                "Definitions",
                "apiextensions.JSONSchemaDefinitions",
                &self.map_unless_absent("definitions", &self.definitions),
            )
            .typed("ExternalDocs", "*apiextensions.ExternalDocumentation", &self.external_docs)
            .typed("Example", "*apiextensions.JSON", &self.example);
    }

    fn write_extensions(&self, record: &mut Record<'_>) {
        record
            .typed("XPreserveUnknownFields", "*bool", &self.preserve_unknown_fields)
            .member("XEmbeddedResource", &self.embedded_resource)
            .member("XIntOrString", &self.int_or_string)
            .typed("XListMapKeys", "[]string", &self.unless_absent("x-kubernetes-list-map-keys", &self.list_map_keys))
            .typed("XListType", "*string", &self.list_type)
            .typed("XMapType", "*string", &self.map_type)
            .typed(
                "XValidations",
                "apiextensions.ValidationRules",
                &self.unless_absent("x-kubernetes-validations", &self.validations),
            );
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
    const GO: &'static str = "apiextensions.JSONSchemaPropsOrArray";

    fn write(&self, out: &mut Out, _: &str) {
        let (one, many) = match self {
            Items::One(props) => (Some(&**props), None),
            Items::Many(props) => (None, Some(props)),
        };
        Record::new(out, Self::GO)
            .typed("Schema", "*apiextensions.JSONSchemaProps", &one)
            .typed("JSONSchemas", "[]apiextensions.JSONSchemaProps", &many)
            .end();
    }
}

impl Show for PropsOrBool {
    const GO: &'static str = "apiextensions.JSONSchemaPropsOrBool";

    fn write(&self, out: &mut Out, _: &str) {
        let (allows, schema) = match self {
            PropsOrBool::Bool(allows) => (*allows, None),
            PropsOrBool::Props(props) => (true, Some(&**props)),
        };
        Record::new(out, Self::GO)
            .member("Allows", &allows)
            .typed("Schema", "*apiextensions.JSONSchemaProps", &schema)
            .end();
    }
}

impl Show for Dependency {
    const GO: &'static str = "apiextensions.JSONSchemaPropsOrStringArray";

    fn write(&self, out: &mut Out, _: &str) {
        let (schema, names) = match self {
            Dependency::Names(names) => (None, Some(names)),
            Dependency::Props(props) => (Some(&**props), None),
        };
        Record::new(out, Self::GO)
            .typed("Schema", "*apiextensions.JSONSchemaProps", &schema)
            .typed("Property", "[]string", &names)
            .end();
    }
}

impl Show for ExternalDocs {
    const GO: &'static str = "apiextensions.ExternalDocumentation";

    fn write(&self, out: &mut Out, _: &str) {
        Record::new(out, Self::GO).member("Description", &self.description).member("URL", &self.url).end();
    }
}

impl Show for Rule {
    const GO: &'static str = "apiextensions.ValidationRule";

    fn write(&self, out: &mut Out, _: &str) {
        Record::new(out, Self::GO)
            .member("Rule", &self.rule)
            .member("Message", &self.message)
            .member("MessageExpression", &self.message_expression)
            .typed("Reason", "*apiextensions.FieldValueErrorReason", &self.reason)
            .member("FieldPath", &self.field_path)
            .typed("OptionalOldSelf", "*bool", &self.optional_old_self)
            .end();
    }
}
