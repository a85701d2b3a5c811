//! Reading a [`Crd`] from a value.

use std::sync::Arc;

use sprag_value::{Text, Value};

use super::{
    API_VERSION, ClientConfig, Column, Conversion, Crd, KIND, Names, ReadError, Scale, Service, Status, Subresources,
    Version, VersionSchema,
};
use crate::props::{Props, TooDeep};

pub(super) fn crd(value: &Value) -> Result<Crd, ReadError> {
    check_type(value)?;
    let spec = member(value, "spec");
    Ok(Crd {
        metadata: value.get("metadata").cloned().unwrap_or_default(),
        group: text(spec, "group"),
        names: names(member(spec, "names")),
        scope: text(spec, "scope"),
        versions: list(spec, "versions").iter().map(version).collect::<Result<_, _>>()?,
        has_versions: present(spec, "versions").is_some(),
        conversion: present(spec, "conversion").map(conversion),
        preserve_unknown_fields: flag(spec, "preserveUnknownFields"),
        status: status(member(value, "status")),
    })
}

fn check_type(value: &Value) -> Result<(), ReadError> {
    let api_version = text(value, "apiVersion");
    let kind = text(value, "kind");
    match (api_version.as_str(), kind.as_str()) {
        (API_VERSION, KIND) => Ok(()),
        ("apiextensions.k8s.io/v1beta1", KIND) => Err(ReadError::OldVersion { api_version: api_version.to_string() }),
        _ => Err(ReadError::OtherType { api_version: api_version.to_string(), kind: kind.to_string() }),
    }
}

fn names(value: &Value) -> Names {
    Names {
        plural: text(value, "plural"),
        singular: text(value, "singular"),
        short_names: texts(value, "shortNames"),
        kind: text(value, "kind"),
        list_kind: text(value, "listKind"),
        categories: texts(value, "categories"),
    }
}

fn version(value: &Value) -> Result<Version, TooDeep> {
    Ok(Version {
        name: text(value, "name"),
        served: flag(value, "served"),
        storage: flag(value, "storage"),
        deprecated: flag(value, "deprecated"),
        deprecation_warning: present(value, "deprecationWarning").map(as_text),
        schema: present(value, "schema").map(version_schema).transpose()?,
        subresources: present(value, "subresources").map(subresources),
        columns: present(value, "additionalPrinterColumns").map(|value| elements(value).iter().map(column).collect()),
        selectable_fields: present(value, "selectableFields")
            .map(|value| elements(value).iter().map(|field| text(field, "jsonPath")).collect()),
    })
}

fn version_schema(value: &Value) -> Result<VersionSchema, TooDeep> {
    let props = present(value, "openAPIV3Schema").map(Props::read).transpose()?;
    Ok(VersionSchema { open_api_v3_schema: props.map(Arc::new) })
}

fn subresources(value: &Value) -> Subresources {
    let scale = |value: &Value| Scale {
        spec_replicas_path: text(value, "specReplicasPath"),
        status_replicas_path: text(value, "statusReplicasPath"),
        label_selector_path: present(value, "labelSelectorPath").map(as_text),
    };
    Subresources { status: present(value, "status").is_some(), scale: present(value, "scale").map(scale) }
}

fn column(value: &Value) -> Column {
    Column {
        name: text(value, "name"),
        ty: text(value, "type"),
        format: text(value, "format"),
        description: text(value, "description"),
        priority: value.get("priority").and_then(Value::as_i64).unwrap_or(0),
        json_path: text(value, "jsonPath"),
    }
}

fn conversion(value: &Value) -> Conversion {
    let webhook = member(value, "webhook");
    Conversion {
        strategy: text(value, "strategy"),
        client_config: present(webhook, "clientConfig").map(client_config),
        review_versions: texts(webhook, "conversionReviewVersions"),
    }
}

fn client_config(value: &Value) -> ClientConfig {
    let service = |value: &Value| Service {
        namespace: text(value, "namespace"),
        name: text(value, "name"),
        path: present(value, "path").map(as_text),
        port: value.get("port").and_then(Value::as_i64).unwrap_or(0),
    };
    ClientConfig {
        url: present(value, "url").map(as_text),
        service: present(value, "service").map(service),
        ca_bundle: text(value, "caBundle"),
    }
}

fn status(value: &Value) -> Status {
    let conditions = list(value, "conditions");
    let established = conditions.iter().find(|condition| text(condition, "type").as_str() == "Established");
    Status {
        accepted_names: names(member(value, "acceptedNames")),
        stored_versions: present(value, "storedVersions").map(|value| elements(value).iter().map(as_text).collect()),
        established: established.is_some_and(|condition| text(condition, "status").as_str() == "True"),
    }
}

fn member<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

/// The member, unless it is null: Go takes both for nil.
fn present<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.get(name).filter(|value| !value.is_null())
}

fn as_text(value: &Value) -> Text {
    if let Value::String(text) = value { text.clone() } else { Text::new() }
}

fn text(value: &Value, name: &str) -> Text {
    value.get(name).map(as_text).unwrap_or_default()
}

fn flag(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool) == Some(true)
}

fn elements(value: &Value) -> &[Value] {
    value.as_array().map(|array| &array[..]).unwrap_or_default()
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).map(elements).unwrap_or_default()
}

fn texts(value: &Value, name: &str) -> Vec<Text> {
    list(value, name).iter().map(as_text).collect()
}
