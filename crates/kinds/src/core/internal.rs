//! Values as Go prints those of internal types, whose fields have Go's names and are all there.

mod layout;

use sprag_field::BadValue;
use sprag_rest::Release;
use sprag_shape::{Change, Field as ShapeField, InternalField, Kind, TypeRef, TypeShape, to_internal_go_json};
use sprag_value::Value;
use sprag_value::json;

use crate::program;

/// Fields whose name in Go is not their JSON name with a capital letter. Internal types have the fields of version `v1`.
const GO_NAMES: [(&str, &str); 37] = [
    ("apiGroup", "APIGroup"),
    ("apiVersion", "APIVersion"),
    ("awsElasticBlockStore", "AWSElasticBlockStore"),
    ("cel", "CEL"),
    ("cephfs", "CephFS"),
    ("chapAuthDiscovery", "DiscoveryCHAPAuth"),
    ("chapAuthSession", "SessionCHAPAuth"),
    ("csi", "CSI"),
    ("diskURI", "DataDiskURI"),
    ("dnsConfig", "DNSConfig"),
    ("dnsPolicy", "DNSPolicy"),
    ("fc", "FC"),
    ("fsGroup", "FSGroup"),
    ("fsGroupChangePolicy", "FSGroupChangePolicy"),
    ("fsType", "FSType"),
    ("gcePersistentDisk", "GCEPersistentDisk"),
    ("gmsaCredentialSpec", "GMSACredentialSpec"),
    ("gmsaCredentialSpecName", "GMSACredentialSpecName"),
    ("grpc", "GRPC"),
    ("httpGet", "HTTPGet"),
    ("httpHeaders", "HTTPHeaders"),
    ("ip", "IP"),
    ("iqn", "IQN"),
    ("iscsi", "ISCSI"),
    ("iscsiInterface", "ISCSIInterface"),
    ("nfs", "NFS"),
    ("os", "OS"),
    ("pdName", "PDName"),
    ("rbd", "RBD"),
    ("seLinuxChangePolicy", "SELinuxChangePolicy"),
    ("seLinuxOptions", "SELinuxOptions"),
    ("serviceAccount", "DeprecatedServiceAccount"),
    ("sslEnabled", "SSLEnabled"),
    ("storageos", "StorageOS"),
    ("tcpSocket", "TCPSocket"),
    ("tty", "TTY"),
    ("wwids", "WWIDs"),
];

/// The same for fields whose JSON names other types have, too.
const GO_NAMES_OF_TYPES: [(&str, &str, &str); 14] = [
    ("v1.DeviceAttribute", "bool", "BoolValue"),
    ("v1.DeviceAttribute", "bools", "BoolValues"),
    ("v1.DeviceAttribute", "int", "IntValue"),
    ("v1.DeviceAttribute", "ints", "IntValues"),
    ("v1.DeviceAttribute", "string", "StringValue"),
    ("v1.DeviceAttribute", "strings", "StringValues"),
    ("v1.DeviceAttribute", "version", "VersionValue"),
    ("v1.DeviceAttribute", "versions", "VersionValues"),
    ("v1.GlusterfsVolumeSource", "endpoints", "EndpointsName"),
    ("v1.RBDVolumeSource", "image", "RBDImage"),
    ("v1.RBDVolumeSource", "monitors", "CephMonitors"),
    ("v1.RBDVolumeSource", "pool", "RBDPool"),
    ("v1.RBDVolumeSource", "user", "RadosUser"),
    ("v1.ResourceClaimConsumerReference", "uid", "UID"),
];

/// Types of apimachinery, which are the same inside.
const SHARED: [&str; 6] = [
    "v1.Condition",
    "v1.LabelSelector",
    "v1.LabelSelectorRequirement",
    "v1.ManagedFieldsEntry",
    "v1.ObjectMeta",
    "v1.OwnerReference",
];

/// Tells if two values of a declared type (`v1.PodSpec`) mean the same to Go.
pub(crate) fn same_struct(type_name: &str, a: &Value, b: &Value) -> bool {
    let shapes = program::shapes();
    shapes.by_name(type_name).is_some_and(|id| shapes.same(TypeRef::value(id), Some(a), Some(b)))
}

/// A value of a declared type (`v1.PodTemplateSpec`) as an error about its internal form shows it; `null` for none.
pub(crate) fn internal_struct(release: Release, type_name: &str, value: Option<&Value>) -> BadValue {
    let shapes = layout::shapes_of(release);
    let value = value.filter(|value| !value.is_null());
    let (Some(value), Some(id)) = (value, shapes.by_name(type_name)) else { return BadValue::Nil };
    let value = layout::moved(release, type_name, value);
    BadValue::Json(to_internal_go_json(shapes, id, &value, &internal_field))
}

/// A list of values of a declared type (`v1.Condition`) as an error about its internal form shows it; `null` for none.
pub(crate) fn internal_structs(release: Release, type_name: &str, list: Option<&Value>) -> BadValue {
    let Some(list) = list.and_then(Value::as_array) else { return BadValue::Nil };
    let items: Vec<String> =
        list.iter().map(|item| internal_struct(release, type_name, Some(item)).to_string()).collect();
    BadValue::Json(format!("[{}]", items.join(",")))
}

/// The new value of a field that changed as an error about it shows it.
pub(crate) fn shown_change(release: Release, change: &Change<'_>) -> BadValue {
    let shapes = layout::shapes_of(release);
    let value = change.new.filter(|value| !value.is_null());
    let is_string = matches!(shapes.get(change.ty.id).kind, Kind::String);
    match value {
        None if change.ty.nullable => BadValue::Nil,
        Some(Value::String(text)) if is_string && !change.is_named && !change.ty.nullable => text.as_str().into(),
        None if is_string && !change.is_named => "".into(),
        value => {
            let value = value.unwrap_or(&Value::Null);
            BadValue::Json(to_internal_go_json(shapes, change.ty.id, value, &internal_field))
        }
    }
}

fn internal_field(ty: &TypeShape, field: &ShapeField) -> InternalField {
    if SHARED.contains(&&*ty.name) {
        return InternalField::Tagged;
    }
    let json = &*field.json;
    // The type of a kind is an embedded struct of apimachinery, too.
    let is_kind = ty.fields().iter().any(|field| field.json == "metadata");
    if is_kind && matches!(json, "apiVersion" | "kind") {
        return InternalField::Tagged;
    }
    if json == "metadata" {
        return InternalField::Embedded;
    }
    let of_type = GO_NAMES_OF_TYPES.iter().find(|(owner, name, _)| *owner == ty.name && *name == json);
    let known = of_type.map(|(.., go)| *go).or_else(|| {
        let at = GO_NAMES.binary_search_by_key(&json, |(name, _)| *name).ok()?;
        Some(GO_NAMES[at].1)
    });
    InternalField::Named(known.map_or_else(|| capitalized(json), str::to_owned))
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// A field: its name in Go, its name in JSON, and how it is printed.
pub(crate) type Field = (&'static str, &'static str, Form);

/// The printed form of a field of an internal type.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// A text; `""` when unset.
    Text,
    /// A number, or a number or text; `0` when unset.
    Number,
    /// A pointer, list or map that has the same form inside and outside; `null` when unset.
    Plain,
    /// A pointer to a struct.
    Struct(&'static [Field]),
    /// A list of structs.
    Structs(&'static [Field]),
}

/// A value as an error about it shows it.
pub(crate) fn internal_value(value: Option<&Value>, form: Form) -> BadValue {
    let mut out = String::new();
    write(value, form, &mut out);
    BadValue::Json(out)
}

fn write(value: Option<&Value>, form: Form, out: &mut String) {
    let value = value.filter(|value| !value.is_null());
    match (form, value) {
        (Form::Text, None) => out.push_str("\"\""),
        (Form::Number, None) => out.push('0'),
        (_, None) => out.push_str("null"),
        (Form::Text | Form::Number | Form::Plain, Some(value)) => out.push_str(&json::to_string(value)),
        (Form::Struct(fields), Some(value)) => write_struct(value, fields, out),
        (Form::Structs(fields), Some(value)) => {
            out.push('[');
            for (index, item) in value.as_array().into_iter().flat_map(|items| items.iter()).enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_struct(item, fields, out);
            }
            out.push(']');
        }
    }
}

fn write_struct(value: &Value, fields: &[Field], out: &mut String) {
    out.push('{');
    for (index, (name, member, form)) in fields.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push('"');
        out.push_str(name);
        out.push_str("\":");
        write(value.get(member), *form, out);
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_are_printed_whole() {
        assert!(GO_NAMES.is_sorted());
        let volume = json::parse(br#"{"name":"v","rbd":{"monitors":["m"],"image":"i"}}"#).unwrap();
        let text = internal_struct(Release::NEWEST, "v1.Volume", Some(&volume)).to_string();
        assert!(text.starts_with(r#"{"Name":"v","HostPath":null,"EmptyDir":null,"GCEPersistentDisk":null,"#), "{text}");
        assert!(text.contains(r#""RBD":{"CephMonitors":["m"],"RBDImage":"i","FSType":"","RBDPool":"","#), "{text}");
        let template = json::parse(br#"{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[]}}"#).unwrap();
        let text = internal_struct(Release::NEWEST, "v1.PodTemplateSpec", Some(&template)).to_string();
        assert!(
            text.starts_with(r#"{"labels":{"a":"b"},"Spec":{"Volumes":null,"InitContainers":null,"Containers":[],"#),
            "{text}"
        );
        let claim = json::parse(br#"{"metadata":{"name":"c"}}"#).unwrap();
        let text = internal_struct(Release::NEWEST, "v1.PersistentVolumeClaim", Some(&claim)).to_string();
        assert!(text.starts_with(r#"{"name":"c","Spec":{"#), "{text}");
        assert_eq!(internal_struct(Release::NEWEST, "v1.Volume", None), BadValue::Nil);
    }

    #[test]
    fn all_fields_are_printed_with_their_names_in_go() {
        const INNER: &[Field] = &[("Type", "type", Form::Text), ("Values", "values", Form::Plain)];
        const OUTER: &[Field] = &[
            ("One", "one", Form::Struct(INNER)),
            ("Many", "many", Form::Structs(INNER)),
            ("No", "no", Form::Struct(INNER)),
        ];
        let value = json::parse(br#"{"one":{"type":"<"},"many":[{},{"values":["a"]}]}"#).unwrap();
        assert_eq!(
            internal_value(Some(&value), Form::Struct(OUTER)).to_string(),
            r#"{"One":{"Type":"\u003c","Values":null},"Many":[{"Type":"","Values":null},{"Type":"","Values":["a"]}],"No":null}"#
        );
        assert_eq!(internal_value(None, Form::Structs(INNER)).to_string(), "null");
    }
}
