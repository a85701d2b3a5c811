//! Values as Go prints those of internal types, whose fields have Go's names and are all there.

mod go_source;
mod go_types;
mod layout;

use sprag_field::BadValue;
use sprag_rest::{Fact, Release};
use sprag_shape::{Change, Field as ShapeField, InternalField, Kind, TypeRef, TypeShape, to_internal_go_json};
use sprag_value::{Quantity, Value, json};

pub(crate) use self::go_source::show_values;
use crate::program;

/// Fields whose name in Go is not their JSON name with a capital letter. Internal types have the fields of version `v1`.
const GO_NAMES: [(&str, &str); 59] = [
    ("apiGroup", "APIGroup"),
    ("apiGroups", "APIGroups"),
    ("apiVersion", "APIVersion"),
    ("apiVersions", "APIVersions"),
    ("awsElasticBlockStore", "AWSElasticBlockStore"),
    ("caBundle", "CABundle"),
    ("cel", "CEL"),
    ("cephfs", "CephFS"),
    ("chapAuthDiscovery", "DiscoveryCHAPAuth"),
    ("chapAuthSession", "SessionCHAPAuth"),
    ("cidr", "CIDR"),
    ("cidrs", "CIDRs"),
    ("csi", "CSI"),
    ("diskURI", "DataDiskURI"),
    ("dnsConfig", "DNSConfig"),
    ("dnsPolicy", "DNSPolicy"),
    ("externalID", "DoNotUseExternalID"),
    ("fc", "FC"),
    ("fsGroup", "FSGroup"),
    ("fsGroupChangePolicy", "FSGroupChangePolicy"),
    ("fsGroupPolicy", "FSGroupPolicy"),
    ("fsType", "FSType"),
    ("gcePersistentDisk", "GCEPersistentDisk"),
    ("gid", "GID"),
    ("gmsaCredentialSpec", "GMSACredentialSpec"),
    ("gmsaCredentialSpecName", "GMSACredentialSpecName"),
    ("grpc", "GRPC"),
    ("http", "HTTP"),
    ("httpGet", "HTTPGet"),
    ("httpHeaders", "HTTPHeaders"),
    ("ip", "IP"),
    ("ipBlock", "IPBlock"),
    ("ipFamilies", "IPFamilies"),
    ("ipFamilyPolicy", "IPFamilyPolicy"),
    ("ipMode", "IPMode"),
    ("iqn", "IQN"),
    ("iscsi", "ISCSI"),
    ("iscsiInterface", "ISCSIInterface"),
    ("lastState", "LastTerminationState"),
    ("nfs", "NFS"),
    ("os", "OS"),
    ("osImage", "OSImage"),
    ("pdName", "PDName"),
    ("qosClass", "QOSClass"),
    ("rbd", "RBD"),
    ("reportingComponent", "ReportingController"),
    ("seLinuxChangePolicy", "SELinuxChangePolicy"),
    ("seLinuxMount", "SELinuxMount"),
    ("seLinuxOptions", "SELinuxOptions"),
    ("serviceAccount", "DeprecatedServiceAccount"),
    ("sslEnabled", "SSLEnabled"),
    ("storageos", "StorageOS"),
    ("tcpSocket", "TCPSocket"),
    ("tls", "TLS"),
    ("ttlSecondsAfterFinished", "TTLSecondsAfterFinished"),
    ("tty", "TTY"),
    ("uid", "UID"),
    ("url", "URL"),
    ("wwids", "WWIDs"),
];

/// The same for fields whose JSON names other types have, too.
const GO_NAMES_OF_TYPES: [(&str, &str, &str); 18] = [
    ("v1.DeviceAttribute", "bool", "BoolValue"),
    ("v1.DeviceAttribute", "bools", "BoolValues"),
    ("v1.DeviceAttribute", "int", "IntValue"),
    ("v1.DeviceAttribute", "ints", "IntValues"),
    ("v1.DeviceAttribute", "string", "StringValue"),
    ("v1.DeviceAttribute", "strings", "StringValues"),
    ("v1.DeviceAttribute", "version", "VersionValue"),
    ("v1.DeviceAttribute", "versions", "VersionValues"),
    ("v1.GlusterfsPersistentVolumeSource", "endpoints", "EndpointsName"),
    ("v1.GlusterfsVolumeSource", "endpoints", "EndpointsName"),
    ("v1.RBDPersistentVolumeSource", "image", "RBDImage"),
    ("v1.RBDPersistentVolumeSource", "monitors", "CephMonitors"),
    ("v1.RBDPersistentVolumeSource", "pool", "RBDPool"),
    ("v1.RBDPersistentVolumeSource", "user", "RadosUser"),
    ("v1.RBDVolumeSource", "image", "RBDImage"),
    ("v1.RBDVolumeSource", "monitors", "CephMonitors"),
    ("v1.RBDVolumeSource", "pool", "RBDPool"),
    ("v1.RBDVolumeSource", "user", "RadosUser"),
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
    if !release.has(Fact::PrintsValuesAsJson) {
        return go_source::of_type(type_name, &value);
    }
    BadValue::Json(to_internal_go_json(shapes, id, &value, &internal_field))
}

/// An amount as an error shows it; `was_printed` if upstream has printed it before, which gives it a text of its own.
pub(crate) fn shown_quantity(release: Release, amount: &Quantity, was_printed: bool) -> BadValue {
    match (release.has(Fact::PrintsValuesAsJson), was_printed) {
        (true, _) => BadValue::json_str(&amount.to_string()),
        (false, true) => go_source::quantity(&amount.clone().printed()),
        (false, false) => go_source::quantity(amount),
    }
}

/// A field of a value of a declared type, as an error about the value shows it.
pub(crate) fn shown_field(release: Release, type_name: &str, field: &str, owner: &Value) -> BadValue {
    if release.has(Fact::PrintsValuesAsJson) {
        internal_value(owner.get(field), Form::Plain)
    } else {
        go_source::of_field(type_name, field, owner)
    }
}

/// The name of a resource as an error shows it: its type prints itself in releases that print Go source.
pub(crate) fn shown_resource_name(release: Release, name: &str) -> BadValue {
    if release.has(Fact::PrintsValuesAsJson) { BadValue::json_str(name) } else { BadValue::Go(name.to_owned()) }
}

/// A path as an error shows it that has one in place of a value.
pub(crate) fn shown_path(release: Release, last: &str) -> BadValue {
    if release.has(Fact::PrintsValuesAsJson) { BadValue::Json("{}".to_owned()) } else { go_source::path(last) }
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
        value if !release.has(Fact::PrintsValuesAsJson) => go_source::of_ref(change.ty, value.unwrap_or(&Value::Null)),
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
    InternalField::Named(go_name(&ty.name, field))
}

/// The name in Go of a field of a type.
fn go_name(owner: &str, field: &ShapeField) -> String {
    let json = &*field.json;
    let of_type = GO_NAMES_OF_TYPES.iter().find(|(known, name, _)| *known == owner && *name == json);
    let known = of_type.map(|(.., go)| *go).or_else(|| {
        let at = GO_NAMES.binary_search_by_key(&json, |(name, _)| *name).ok()?;
        Some(GO_NAMES[at].1)
    });
    known.map_or_else(|| capitalized(json), str::to_owned)
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
