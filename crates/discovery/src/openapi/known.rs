//! The definitions and query parameters that all groups share, with the texts that clients see in Kubernetes.

use std::borrow::Cow;
use std::sync::LazyLock;

use sprag_rest::{Fact, Release};
use sprag_value::{Value, json};

use super::names::META;
use super::param::{Location, Parameter};

static KNOWN: LazyLock<Value> =
    LazyLock::new(|| json::parse(include_bytes!("known.json")).expect("the file is part of the program"));

/// The schema of a definition in terms of version 3.
pub(super) fn schema(name: &str) -> Option<&'static Value> {
    KNOWN.get("schemas")?.get(name)
}

/// The same as a release has it.
pub(super) fn schema_of(release: Release, name: &str) -> Option<Cow<'static, Value>> {
    let newest = schema(name)?;
    let properties = |schema: &mut Value, change: &dyn Fn(&mut Value)| {
        if let Some(properties) = schema.get_mut("properties") {
            change(properties);
        }
    };
    let mut older = Cow::Borrowed(newest);
    match name.strip_prefix(META) {
        Some("ListMeta") if !release.has(Fact::ListsHaveShards) => {
            properties(older.to_mut(), &|properties| drop(properties.remove("shardInfo")));
        }
        Some("Status") if release.has(Fact::DetailsOfStatusesAreAtomic) => {
            properties(older.to_mut(), &|properties| {
                if let Some(details) = properties.get_mut("details") {
                    details.insert("x-kubernetes-list-type", "atomic");
                }
            });
        }
        _ => {}
    }
    Some(older)
}

/// A property of one of the types of all metadata.
pub(super) fn meta_property(ty: &str, property: &str) -> Value {
    schema(&format!("{META}{ty}"))
        .and_then(|schema| schema.lookup(&["properties", property]))
        .cloned()
        .unwrap_or_default()
}

/// The query or path parameter of this name. Patches have a `fieldManager` of their own.
pub(super) fn parameter(key: &'static str) -> Parameter {
    let text = |member| KNOWN.lookup(&["parameters", key, member]).and_then(Value::as_str).unwrap_or_default();
    let name = key.split(' ').next().unwrap_or(key);
    let location = if name == "namespace" { Location::Path } else { Location::Query };
    Parameter { name: name.into(), location, ty: text("type"), description: text("description").into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_can_be_read() {
        assert!(schema("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta").is_some());
        assert_eq!(meta_property("Status", "kind").get("type").unwrap(), &"string");
        let manager = parameter("fieldManager of patches");
        assert_eq!((manager.name.as_ref(), manager.ty), ("fieldManager", "string"));
        assert!(manager.description.contains("required for apply requests"));
    }
}
