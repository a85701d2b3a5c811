//! One resource as the server, discovery and API documents read it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

use crate::allocate::Allocator;
use crate::column::{Column, lookup, split};
use crate::conventions::Conventions;
use crate::gated::Gated;
use crate::names::{GroupResource, GroupVersionKind, NameGenerator, NameRule, api_version};
use crate::strategy::{Scheme, Strategy};
use crate::subresource::{AnswerCreate, Observe, Subresource};

/// The scope of objects: namespaced or cluster-wide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// They do.
    #[default]
    Namespaced,
    /// They do not.
    Cluster,
}

/// A field that selectors may name beside the name and namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selectable {
    /// The name in selectors: `spec.color`.
    pub name: Cow<'static, str>,
    /// The path of member names to the value.
    pub path: Cow<'static, [Cow<'static, str>]>,
    /// The path to the value if the first path has none; empty for no second path.
    pub otherwise: Cow<'static, [Cow<'static, str>]>,
    /// The value if neither path has one.
    pub default: &'static str,
}

/// One version of a resource.
#[derive(Clone)]
pub struct Version {
    /// The name: `v1`, `v1beta1`.
    pub name: String,
    /// True if requests for it are answered.
    pub served: bool,
    /// The deprecation warning of the version; empty if it is not deprecated.
    pub deprecation_warning: String,
    /// Columns of tables beside the name, in order; the age alone when there are none.
    pub columns: Vec<Column>,
    /// The `conditions` of the object's table row; null for none.
    pub row_conditions: Option<fn(&Value) -> Value>,
    /// Fields that selectors may name.
    pub selectable: Vec<Selectable>,
    /// The error for unsupported field selectors, where the kind has its own field label conversion.
    pub unsupported_field: fn(&str) -> String,
    /// The subresources.
    pub subresources: Vec<Subresource>,
    /// The `OpenAPI` schema as its author wrote it, for API documents; none where the shape says it all.
    pub schema: Option<Arc<Value>>,
}

/// The handling of objects that are never stored.
#[derive(Clone)]
pub enum Unstored {
    /// They are only created: posted to a subresource of another resource, as `bindings` are posted to `pods/binding`.
    Below(GroupResource, &'static str),
    /// They are only created, and answered, as reviews are.
    Answered(Arc<dyn AnswerCreate>),
    /// They are only read, and observed when they are, as component statuses are.
    Observed(Arc<dyn Observe>),
}

/// One resource: its names, versions and behaviour.
#[derive(Clone)]
pub struct Definition {
    /// Group and plural name.
    pub resource: GroupResource,
    /// The kind.
    pub kind: String,
    /// The kind of lists.
    pub list_kind: String,
    /// The singular name.
    pub singular: String,
    /// Other names that clients may type.
    pub short_names: Vec<String>,
    /// Groups of resources that clients may name at once.
    pub categories: Vec<String>,
    /// The scope of objects: namespaced or cluster-wide.
    pub scope: Scope,
    /// The versions, in the order of their priority.
    pub versions: Vec<Version>,
    /// The version in which objects are stored.
    pub storage_version: String,
    /// The prefix of upstream's storage keys, as its storage errors name them.
    pub storage_prefix: String,
    /// The rule for names.
    pub name_rule: Arc<NameRule>,
    /// The generator for `generateName`.
    pub name_generator: Arc<dyn NameGenerator>,
    /// Defaulting and conversion.
    pub scheme: Arc<dyn Scheme>,
    /// The strategy of creates.
    pub create: Arc<dyn Strategy>,
    /// The strategy of updates.
    pub update: Arc<dyn Strategy>,
    /// The strategy of deletes.
    pub delete: Arc<dyn Strategy>,
    /// True if a delete answers with the object that is gone, not with a status.
    pub returns_deleted_object: bool,
    /// The handling of objects that are never stored; `None` for those that are.
    pub unstored: Option<Unstored>,
    /// True if upstream reads any state of it from memory, where limits count for nothing.
    pub is_cached: bool,
    /// The allocator of values unique to an object, such as cluster IPs and node ports.
    pub allocator: Option<Arc<dyn Allocator>>,
    /// The feature gates that its fields and rules depend on.
    pub feature_gates: Vec<String>,
    /// The fields that belong to features, in the version that hooks are written for.
    pub gated_fields: Vec<Gated>,
    /// True if code of its own prepares objects, drops fields or deletes; settings, rules and warnings are no such
    /// code.
    pub has_own_strategy: bool,
    /// Upstream's conventions for built-in or for custom resources.
    pub conventions: &'static Conventions,
}

impl Definition {
    /// The API group.
    pub fn group(&self) -> &str {
        &self.resource.group
    }

    /// True if objects live in namespaces.
    pub fn namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    /// The resource in whose place objects are stored: this one, unless it is a view of another's objects.
    pub fn place(&self) -> &GroupResource {
        self.scheme.stored_as().unwrap_or(&self.resource)
    }

    /// The version of this name.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// The kind in a version.
    pub fn gvk(&self, version: &str) -> GroupVersionKind {
        GroupVersionKind::new(self.group(), version, self.kind.as_str())
    }

    /// The `apiVersion` of objects in a version.
    pub fn api_version(&self, version: &str) -> String {
        api_version(self.group(), version)
    }

    /// The verbs of the resource itself, as discovery lists them.
    pub fn verbs(&self) -> impl Iterator<Item = &'static str> {
        self.conventions.verbs.iter().copied().filter(move |verb| match &self.unstored {
            None => *verb != "deletecollection" || self.delete.allow_delete_collection(),
            Some(Unstored::Below(..) | Unstored::Answered(_)) => *verb == "create",
            Some(Unstored::Observed(_)) => matches!(*verb, "get" | "list"),
        })
    }

    /// True if objects are only ever created.
    pub fn only_creates(&self) -> bool {
        matches!(self.unstored, Some(Unstored::Below(..) | Unstored::Answered(_)))
    }

    /// The shape by which objects of a version are written, zero values included; none where they are written as they are.
    pub fn written_shape(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        if self.conventions.writes_zero_values { self.scheme.shape(version) } else { None }
    }

    /// The type whose protobuf messages objects of a version are; none for kinds without numbered fields.
    pub fn message(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        self.scheme.shape(version).filter(|(shapes, id)| shapes.get(*id).is_message())
    }

    /// The kind as a resource: upstream uses it in the errors of deletes.
    pub fn kind_as_resource(&self) -> GroupResource {
        GroupResource::new(self.place().group.as_str(), self.kind.as_str())
    }
}

impl Version {
    /// A served version without anything special.
    pub fn new(name: impl Into<String>) -> Version {
        Version {
            name: name.into(),
            served: true,
            deprecation_warning: String::new(),
            columns: Vec::new(),
            row_conditions: None,
            selectable: Vec::new(),
            // As almost all functions that upstream passes to `Scheme.AddFieldLabelConversionFunc`.
            unsupported_field: |field| format!("field label not supported: {field}"),
            subresources: Vec::new(),
            schema: None,
        }
    }

    /// The subresource of this name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|subresource| subresource.name == name)
    }
}

impl Selectable {
    /// The field at a path like `spec.color`.
    pub fn new(path: &str) -> Selectable {
        Selectable { name: Cow::Owned(path.to_owned()), path: split(path), otherwise: Cow::Borrowed(&[]), default: "" }
    }

    /// The same with another name in selectors.
    #[must_use]
    pub fn named(self, name: &'static str) -> Selectable {
        Selectable { name: Cow::Borrowed(name), ..self }
    }

    /// The same with the field to look at where this one is empty.
    #[must_use]
    pub fn or(self, path: &str) -> Selectable {
        Selectable { otherwise: split(path), ..self }
    }

    /// The same with the value where the field is empty.
    #[must_use]
    pub fn or_text(self, default: &'static str) -> Selectable {
        Selectable { default, ..self }
    }

    /// The value in an object as selectors compare it.
    pub fn value_in(&self, object: &Value) -> String {
        let mut paths = [&self.path, &self.otherwise].into_iter().filter(|path| !path.is_empty());
        let found = paths.find_map(|path| Some(as_text(lookup(object, path))).filter(|text| !text.is_empty()));
        found.unwrap_or_else(|| self.default.to_owned())
    }
}

fn as_text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.to_string(),
        Some(Value::Bool(value)) => value.to_string(),
        Some(Value::Int(value)) => value.to_string(),
        _ => String::new(),
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition").field("resource", &self.resource).field("kind", &self.kind).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn selectors_compare_scalars_as_text() {
        let object = json::parse(br#"{"spec":{"a":"x","b":true,"c":7,"d":{}}}"#).unwrap();
        let value = |path: &str| Selectable::new(path).value_in(&object);
        assert_eq!(["spec.a", "spec.b", "spec.c", "spec.d", "spec.e"].map(value), ["x", "true", "7", "", ""]);
        let with_default = |path: &str| Selectable::new(path).or_text("false").value_in(&object);
        assert_eq!(["spec.b", "spec.e"].map(with_default), ["true", "false"]);
    }
}
