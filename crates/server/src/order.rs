//! The order of members in answers whose types are the machinery's: that of upstream's Go types. All others are sorted.

use sprag_value::json::{Escape, write_string, write_value};
use sprag_value::{Object, Value};

use crate::message::{Place, type_of};

/// The members of a type, each with the order of its own. Members that are not named follow, sorted.
pub(crate) struct Order(&'static [(&'static str, &'static Order)]);

pub(crate) static SORTED: Order = Order(&[]);

static STATUS: Order = Order(&[
    ("kind", &SORTED),
    ("apiVersion", &SORTED),
    ("metadata", &LIST_META),
    ("status", &SORTED),
    ("message", &SORTED),
    ("reason", &SORTED),
    ("details", &DETAILS),
    ("code", &SORTED),
]);
static DETAILS: Order = Order(&[
    ("name", &SORTED),
    ("group", &SORTED),
    ("kind", &SORTED),
    ("uid", &SORTED),
    ("causes", &CAUSE),
    ("retryAfterSeconds", &SORTED),
]);
static CAUSE: Order = Order(&[("reason", &SORTED), ("message", &SORTED), ("field", &SORTED)]);
static LIST: Order = Order(&[("kind", &SORTED), ("apiVersion", &SORTED), ("metadata", &LIST_META), ("items", &SORTED)]);
static LIST_META: Order =
    Order(&[("resourceVersion", &SORTED), ("continue", &SORTED), ("remainingItemCount", &SORTED)]);
static TABLE: Order = Order(&[
    ("kind", &SORTED),
    ("apiVersion", &SORTED),
    ("metadata", &LIST_META),
    ("columnDefinitions", &COLUMN),
    ("rows", &SORTED),
]);
static COLUMN: Order = Order(&[
    ("name", &SORTED),
    ("type", &SORTED),
    ("format", &SORTED),
    ("description", &SORTED),
    ("priority", &SORTED),
]);

static API_VERSIONS: Order =
    Order(&[("kind", &SORTED), ("versions", &SORTED), ("serverAddressByClientCIDRs", &SORTED)]);
static API_GROUP_LIST: Order = Order(&[("kind", &SORTED), ("apiVersion", &SORTED), ("groups", &API_GROUP)]);
static API_GROUP: Order = Order(&[
    ("kind", &SORTED),
    ("apiVersion", &SORTED),
    ("name", &SORTED),
    ("versions", &SORTED),
    ("preferredVersion", &SORTED),
    ("serverAddressByClientCIDRs", &SORTED),
]);
static API_RESOURCE_LIST: Order =
    Order(&[("kind", &SORTED), ("apiVersion", &SORTED), ("groupVersion", &SORTED), ("resources", &API_RESOURCE)]);
static API_RESOURCE: Order = Order(&[
    ("name", &SORTED),
    ("singularName", &SORTED),
    ("namespaced", &SORTED),
    ("group", &SORTED),
    ("version", &SORTED),
    ("kind", &SORTED),
    ("verbs", &SORTED),
    ("shortNames", &SORTED),
    ("categories", &SORTED),
    ("storageVersionHash", &SORTED),
]);
static GROUP_DISCOVERY_LIST: Order =
    Order(&[("kind", &SORTED), ("apiVersion", &SORTED), ("metadata", &LIST_META), ("items", &GROUP_DISCOVERY)]);
static GROUP_DISCOVERY: Order = Order(&[("metadata", &SORTED), ("versions", &VERSION_DISCOVERY)]);
static VERSION_DISCOVERY: Order =
    Order(&[("version", &SORTED), ("resources", &RESOURCE_DISCOVERY), ("freshness", &SORTED)]);
static RESOURCE_DISCOVERY: Order = Order(&[
    ("resource", &SORTED),
    ("responseKind", &RESPONSE_KIND),
    ("scope", &SORTED),
    ("singularResource", &SORTED),
    ("verbs", &SORTED),
    ("shortNames", &SORTED),
    ("categories", &SORTED),
    ("subresources", &SUBRESOURCE_DISCOVERY),
]);
static RESPONSE_KIND: Order = Order(&[("group", &SORTED), ("version", &SORTED), ("kind", &SORTED)]);
static SUBRESOURCE_DISCOVERY: Order = Order(&[
    ("subresource", &SORTED),
    ("responseKind", &RESPONSE_KIND),
    ("acceptedTypes", &RESPONSE_KIND),
    ("verbs", &SORTED),
]);

impl Order {
    /// The order of an answer.
    pub(crate) fn of(value: &Value, place: Option<Place<'_>>) -> &'static Order {
        match type_of(value) {
            ("v1", "Status") => &STATUS,
            ("" | "v1", "APIVersions") => &API_VERSIONS,
            ("v1", "APIGroupList") => &API_GROUP_LIST,
            ("v1", "APIGroup") => &API_GROUP,
            ("v1", "APIResourceList") => &API_RESOURCE_LIST,
            ("apidiscovery.k8s.io/v2", "APIGroupDiscoveryList") => &GROUP_DISCOVERY_LIST,
            ("meta.k8s.io/v1" | "meta.k8s.io/v1beta1", "PartialObjectMetadataList") => &LIST,
            ("meta.k8s.io/v1" | "meta.k8s.io/v1beta1", "Table") => &TABLE,
            // Lists of custom resources are maps upstream, and sorted.
            (_, kind)
                if place.is_some_and(|Place { definition, .. }| {
                    kind == definition.list_kind && !definition.conventions.list_items_say_type
                }) =>
            {
                &LIST
            }
            _ => &SORTED,
        }
    }

    /// The members of an object in this order, each with its own.
    pub(crate) fn members<'v>(
        &'static self,
        object: &'v Object,
    ) -> impl Iterator<Item = (&'v str, &'v Value, &'static Order)> {
        let named = self.0.iter().filter_map(|(name, order)| Some((*name, object.get(name)?, *order)));
        let is_named = |key: &str| self.0.iter().any(|(name, _)| *name == key);
        let others = object.iter().filter(move |(key, _)| !is_named(key.as_str()));
        named.chain(others.map(|(key, value)| (key.as_str(), value, &SORTED)))
    }

    /// Appends the value as JSON.
    pub(crate) fn write(&'static self, out: &mut String, value: &Value) {
        match value {
            Value::Object(members) if !self.0.is_empty() => {
                out.push('{');
                for (at, (name, member, order)) in self.members(members).enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_string(out, name, Escape::Html);
                    out.push(':');
                    order.write(out, member);
                }
                out.push('}');
            }
            Value::Array(elements) if !self.0.is_empty() => {
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    self.write(out, element);
                }
                out.push(']');
            }
            other => write_value(out, other, Escape::Html),
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn named_members_come_first_and_others_are_sorted() {
        let text = r#"{"apiVersion":"v1","code":404,"details":{"causes":[{"field":"f","message":"<","reason":"r"},{}],"kind":"pods","name":"p"},"extra":{"b":1,"a":2},"kind":"Status","metadata":{}}"#;
        let value = json::parse(text.as_bytes()).unwrap();
        let mut out = String::new();
        Order::of(&value, None).write(&mut out, &value);
        assert_eq!(
            out,
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"details":{"name":"p","kind":"pods","causes":[{"reason":"r","message":"\u003c","field":"f"},{}]},"code":404,"extra":{"a":2,"b":1}}"#
        );
        let other = json::parse(br#"{"kind":"Status","apiVersion":"example.com/v1"}"#).unwrap();
        let mut out = String::new();
        Order::of(&other, None).write(&mut out, &other);
        assert_eq!(out, r#"{"apiVersion":"example.com/v1","kind":"Status"}"#);
    }
}
