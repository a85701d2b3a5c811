//! The body of a delete.

use std::sync::LazyLock;

use sprag_decode::object::{self, Declared, ObjectError};
use sprag_decode::protobuf::{self, ProtobufError};
use sprag_decode::typed;
use sprag_rest::{ApiError, DeleteOptions, Format, GroupVersionKind, UNVERSIONED_KINDS, split_api_version};
use sprag_shape::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape};
use sprag_value::Value;

use crate::negotiate::Media;

const OPTIONS: TypeId = TypeId(7);
const META_GROUP: &str = "meta.k8s.io";
/// The position in upstream's source that its error names for unregistered option kinds.
const SCHEME: &str = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";
const IGNORE_READ_ERROR: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

/// The types that upstream decodes the body into.
static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let text = TypeRef::value(TypeId(0));
    let [some_text, number, switch, texts, uid, policy, preconditions] =
        [0, 1, 2, 3, 4, 5, 6].map(TypeId).map(TypeRef::pointer);
    let fields = |fields: Vec<Field>| Kind::of_fields(fields.into());
    Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Int { bits: 64, signed: true }),
        TypeShape::new("", Kind::Bool),
        TypeShape::new("", Kind::List { elem: text, list: ListType::Unset }),
        TypeShape::new("types.UID", Kind::String),
        TypeShape::new("v1.DeletionPropagation", Kind::String),
        TypeShape::new(
            "v1.Preconditions",
            fields(vec![
                Field::new("uid", "UID", uid).protobuf(1),
                Field::new("resourceVersion", "ResourceVersion", some_text).protobuf(2),
            ]),
        ),
        TypeShape::new(
            "v1.DeleteOptions",
            fields(vec![
                Field::new("kind", "Kind", text),
                Field::new("apiVersion", "APIVersion", text),
                Field::new("gracePeriodSeconds", "GracePeriodSeconds", number).protobuf(1),
                Field::new("preconditions", "Preconditions", preconditions).protobuf(2),
                Field::new("orphanDependents", "OrphanDependents", switch).protobuf(3),
                Field::new("propagationPolicy", "PropagationPolicy", policy).protobuf(4),
                Field::new("dryRun", "DryRun", texts).protobuf(5),
                Field::new(IGNORE_READ_ERROR, "IgnoreStoreReadErrorWithClusterBreakingPotential", switch).protobuf(6),
            ]),
        ),
    ])
});

/// Reads the options of a delete. Each group has options of its own, which are all the same.
pub(super) fn read(body: &[u8], media: Media) -> Result<DeleteOptions, ApiError> {
    let format = match media {
        Media::Json => Format::Json,
        Media::Yaml => Format::Yaml,
        Media::Protobuf => return read_message(body),
    };
    let declared = object::declared(format, body).map_err(|error| ApiError::bad_request(error.to_string()))?;
    check_kind(&declared, body)?;
    let decode = match format {
        Format::Json => typed::decode_json,
        Format::Yaml => typed::decode_yaml,
    };
    let options = decode(&SHAPES, OPTIONS, body).map_err(|error| ApiError::bad_request(error.to_string()))?;
    Ok(options_of(&options.value))
}

/// Reads options in protobuf.
fn read_message(body: &[u8]) -> Result<DeleteOptions, ApiError> {
    let refused = |error: ProtobufError| ApiError::bad_request(error.to_string());
    let envelope = protobuf::open(body).map_err(refused)?;
    let declared = Declared { api_version: envelope.api_version.into_owned(), kind: envelope.kind.into_owned() };
    check_kind(&declared, body)?;
    protobuf::decode(&SHAPES, OPTIONS, envelope.message).map(|options| options_of(&options)).map_err(refused)
}

/// Refuses a body that says it is something else than options of a delete.
fn check_kind(declared: &Declared, body: &[u8]) -> Result<(), ApiError> {
    let kind = match declared.kind.as_str() {
        "" => "DeleteOptions",
        kind => kind,
    };
    let (group, version) = match split_api_version(&declared.api_version) {
        ("", "") => (META_GROUP, "v1"),
        (_, "") => {
            let missing = ObjectError::MissingVersion(String::from_utf8_lossy(body).into_owned());
            return Err(ApiError::bad_request(missing.to_string()));
        }
        said => said,
    };
    let why = if kind == "DeleteOptions" {
        return Ok(());
    } else if let Some(package) = package(group, version, kind) {
        format!("converting ({package}.{kind}) to (v1.DeleteOptions): unknown conversion")
    } else {
        GroupVersionKind::new(group, version, kind).not_registered(SCHEME)
    };
    Err(ApiError::bad_request(why))
}

/// The Go package of a kind that upstream knows beside the options of a delete.
fn package(group: &str, version: &str, kind: &str) -> Option<&'static str> {
    match (version, kind) {
        (_, "CreateOptions" | "UpdateOptions") => Some("v1"),
        (_, kind) if UNVERSIONED_KINDS.contains(&kind) => Some("v1"),
        _ if group != META_GROUP => None,
        ("v1", "GetOptions" | "ListOptions" | "PatchOptions" | "PartialObjectMetadataList" | "WatchEvent")
        | ("v1" | "v1beta1", "PartialObjectMetadata" | "Table" | "TableOptions") => Some("v1"),
        ("v1beta1", "PartialObjectMetadataList") => Some("v1beta1"),
        _ => None,
    }
}

fn options_of(body: &Value) -> DeleteOptions {
    let text = |path: &[&str]| body.lookup(path).and_then(Value::as_str).map(str::to_owned);
    let dry_run = body.get("dryRun").and_then(Value::as_array).into_iter().flatten();
    DeleteOptions {
        dry_run: dry_run.filter_map(Value::as_str).map(str::to_owned).collect(),
        grace_period_seconds: body.get("gracePeriodSeconds").and_then(Value::as_i64),
        uid: text(&["preconditions", "uid"]),
        resource_version: text(&["preconditions", "resourceVersion"]),
        orphan_dependents: body.get("orphanDependents").and_then(Value::as_bool),
        propagation_policy: text(&["propagationPolicy"]),
        ignore_store_read_error: body.get(IGNORE_READ_ERROR).and_then(Value::as_bool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_options_are_read() {
        let body =
            br#"{"gracePeriodSeconds":3,"preconditions":{"uid":"u"},"orphanDependents":true,"dryRun":["All"],"x":1}"#;
        let options = read(body, Media::Json).unwrap();
        assert_eq!((options.grace_period_seconds, options.uid.as_deref()), (Some(3), Some("u")));
        assert_eq!((options.orphan_dependents, options.dry_run.len()), (Some(true), 1));
        assert_eq!(options.propagation_policy, None);
    }

    #[test]
    fn something_else_is_refused() {
        for (body, why) in [
            (r#"{"kind":"#, "couldn't get version/kind; json parse error: unexpected end of JSON input"),
            (
                r#"{"gracePeriodSeconds":"x"}"#,
                "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
            ),
            (
                r#"{"propagationPolicy":1}"#,
                "json: cannot unmarshal number into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation",
            ),
            (
                r#"{"preconditions":{"uid":1}}"#,
                "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID",
            ),
            (
                r#"{"kind":1}"#,
                "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
            ),
            (r#"{"apiVersion":"a/b/c"}"#, "unexpected GroupVersion string: a/b/c"),
            (r#"{"apiVersion":"v1/"}"#, r#"Object 'apiVersion' is missing in '{"apiVersion":"v1/"}'"#),
            (
                r#"{"gracePeriodSeconds":99999999999999999999}"#,
                "json: cannot unmarshal number 99999999999999999999 into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
            ),
            (
                r#"{"KIND":"Pod"}"#,
                r#"no kind "Pod" is registered for version "meta.k8s.io/v1" in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27""#,
            ),
            (
                r#"{"kind":"Status","apiVersion":"v1"}"#,
                "converting (v1.Status) to (v1.DeleteOptions): unknown conversion",
            ),
        ] {
            assert_eq!(read(body.as_bytes(), Media::Json).unwrap_err().to_string(), why);
        }
        let broken = read(b"kind: [", Media::Yaml).unwrap_err();
        assert_eq!(
            (broken.code(), broken.to_string().as_str()),
            (400, "yaml: line 1: did not find expected node content")
        );
    }
}
