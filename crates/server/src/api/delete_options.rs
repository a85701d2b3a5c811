//! The body of a delete.

use std::sync::LazyLock;

use sprag_decode::typed;
use sprag_field::quote;
use sprag_registry::{ApiError, DeleteOptions, Format, UNVERSIONED_KINDS};
use sprag_shape::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape};
use sprag_value::Value;

const OPTIONS: TypeId = TypeId(7);
const IGNORE_READ_ERROR: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

/// What upstream reads the body into.
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
            fields(vec![Field::new("uid", "UID", uid), Field::new("resourceVersion", "ResourceVersion", some_text)]),
        ),
        TypeShape::new(
            "v1.DeleteOptions",
            fields(vec![
                Field::new("kind", "Kind", text),
                Field::new("apiVersion", "APIVersion", text),
                Field::new("gracePeriodSeconds", "GracePeriodSeconds", number),
                Field::new("preconditions", "Preconditions", preconditions),
                Field::new("orphanDependents", "OrphanDependents", switch),
                Field::new("propagationPolicy", "PropagationPolicy", policy),
                Field::new("dryRun", "DryRun", texts),
                Field::new(IGNORE_READ_ERROR, "IgnoreStoreReadErrorWithClusterBreakingPotential", switch),
            ]),
        ),
    ])
});

/// Reads the options of a delete. Each group has options of its own, which are all the same.
pub(super) fn read(body: &[u8], format: Format) -> Result<DeleteOptions, ApiError> {
    let untyped = match format {
        Format::Json => sprag_decode::json::decode(body).map_err(|error| error.to_string()),
        Format::Yaml => sprag_decode::yaml::decode(body).map_err(|error| error.to_string()),
    };
    let untyped = untyped
        .map_err(|error| ApiError::bad_request(format!("couldn't get version/kind; json parse error: {error}")))?;
    check_type(&untyped)?;
    check_kind(&untyped)?;
    let options =
        typed::decode(&SHAPES, OPTIONS, &untyped).map_err(|error| ApiError::bad_request(error.to_string()))?;
    Ok(options_of(&options.value))
}

/// Refuses a body that cannot say its type; no body is one without members.
fn check_type(body: &Value) -> Result<(), ApiError> {
    let refuse = |value: &Value, target: &str| {
        let found = typed::json_kind(value);
        Err(ApiError::bad_request(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go {target}"
        )))
    };
    if !matches!(body, Value::Object(_) | Value::Null) {
        let target = r#"value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;
        return refuse(body, target);
    }
    let misfit = |member: &&str| !matches!(body.get(member), None | Some(Value::Null | Value::String(_)));
    match ["apiVersion", "kind"].into_iter().find(misfit) {
        Some(member) => {
            refuse(body.get(member).unwrap_or(&Value::Null), &format!("struct field .{member} of type string"))
        }
        None => Ok(()),
    }
}

fn check_kind(body: &Value) -> Result<(), ApiError> {
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
    if text("apiVersion").split('/').count() > 2 {
        return Err(ApiError::bad_request(format!("unexpected GroupVersion string: {}", text("apiVersion"))));
    }
    if matches!(text("kind"), "" | "DeleteOptions") {
        return Ok(());
    }
    if UNVERSIONED_KINDS.contains(&text("kind")) {
        let kind = text("kind");
        return Err(ApiError::bad_request(format!("converting (v1.{kind}) to (v1.DeleteOptions): unknown conversion")));
    }
    let (kind, version) = (quote::go(text("kind")), quote::go(text("apiVersion")));
    let scheme = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";
    Err(ApiError::bad_request(format!("no kind {kind} is registered for version {version} in scheme \"{scheme}\"")))
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
        let options = read(body, Format::Json).unwrap();
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
            (
                r#"{"kind":"Status","apiVersion":"v1"}"#,
                "converting (v1.Status) to (v1.DeleteOptions): unknown conversion",
            ),
        ] {
            assert_eq!(read(body.as_bytes(), Format::Json).unwrap_err().to_string(), why);
        }
        assert_eq!(read(br#"{"kind":"Pod"}"#, Format::Json).unwrap_err().code(), 400);
    }
}
