//! `AdmissionReview`: what webhooks are sent, and what their answers say.

use std::borrow::Cow;
use std::sync::LazyLock;

use sprag_decode::{Format, object};
use sprag_field::quote;
use sprag_registry::Attributes;
use sprag_rest::{ApiError, Cause, Details, GroupVersionKind, read_typed};
use sprag_shape::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape, messages};
use sprag_value::{Value, base64, json};
use sprag_webhook::{CallError, Reply};

use super::source::ReviewVersion;
use crate::matching::Matched;
use crate::policy::request_value;

/// The place of upstream's scheme of reviews, as its errors say it.
const SCHEME: &str = "k8s.io/apiserver/pkg/util/webhook/client.go:74";

impl ReviewVersion {
    fn name(self) -> &'static str {
        match self {
            ReviewVersion::V1 => "v1",
            ReviewVersion::V1Beta1 => "v1beta1",
        }
    }

    fn api_version(self) -> String {
        format!("admission.k8s.io/{}", self.name())
    }
}

/// The text of a review about a request.
// As upstream's request.CreateV1AdmissionReview.
pub(super) fn request(
    version: ReviewVersion,
    uid: &str,
    attributes: &Attributes<'_>,
    matched: &Matched,
    objects: (Option<&Value>, Option<&Value>),
) -> String {
    let mut request = request_value(attributes, matched);
    request.insert("uid", uid);
    let mut text = json::to_string(&request);
    text.pop();
    for (name, object) in [("object", objects.0), ("oldObject", objects.1)] {
        let object = object.map(|object| attributes.encode(object, matched.version(attributes)));
        text.push_str(",\"");
        text.push_str(name);
        text.push_str("\":");
        text.push_str(object.as_deref().unwrap_or("null").trim_end());
    }
    let api_version = version.api_version();
    format!(r#"{{"kind":"AdmissionReview","apiVersion":"{api_version}","request":{text}}}}}"#)
}

/// The response of a webhook.
#[derive(Debug, Default)]
pub(super) struct Response {
    pub(super) is_allowed: bool,
    /// The patch; empty for none.
    pub(super) patch: Vec<u8>,
    pub(super) patch_type: String,
    pub(super) status: Option<Value>,
    pub(super) warnings: Vec<String>,
    /// Annotations for the audit log.
    pub(super) annotations: Vec<(String, String)>,
}

/// Errors of a webhook response: malformed, or not allowed.
pub(super) enum Wrong {
    Call(CallError),
    Invalid(String),
}

/// Reads the answer of a webhook.
pub(super) fn response(
    version: ReviewVersion,
    uid: &str,
    is_mutating: bool,
    answer: &Reply,
) -> Result<Response, Wrong> {
    let review = decode(version, answer).map_err(Wrong::Call)?;
    verify(version, uid, is_mutating, &review).map_err(Wrong::Invalid)
}

/// The review in an answer.
// As client-go's Result.Into with upstream's codec of reviews.
fn decode(version: ReviewVersion, answer: &Reply) -> Result<Value, CallError> {
    let text = answer.object()?;
    let format = Format::guess(text);
    let declared = object::declared(format, text).map_err(|error| CallError::new(error.to_string()))?;
    let own = version.api_version();
    let said = |text: &str, default: &str| if text.is_empty() { default.to_owned() } else { text.to_owned() };
    let api_version = said(&declared.api_version, &own);
    let kind = said(&declared.kind, "AdmissionReview");
    match (api_version.as_str(), kind.as_str()) {
        (api_version, "AdmissionReview") if api_version == own => {}
        // A status with a code of success is decoded, and is not what was asked for.
        ("v1" | "meta.k8s.io/v1", "Status") => {
            let ReviewShapes { shapes, status, .. } = &*SHAPES;
            read_typed(shapes, *status, text, format).map_err(|error| CallError::new(error.to_string()))?;
            let to = version.name();
            let why = format!("converting (v1.Status) to ({to}.AdmissionReview): unknown conversion");
            return Err(CallError::new(why));
        }
        ("admission.k8s.io/v1" | "admission.k8s.io/v1beta1", "AdmissionReview") => {
            let from = api_version.trim_start_matches("admission.k8s.io/");
            let to = version.name();
            let why = format!("converting ({from}.AdmissionReview) to ({to}.AdmissionReview): unknown conversion");
            return Err(CallError::new(why));
        }
        _ => {
            let (group, version) = sprag_rest::split_api_version(&api_version);
            let kind = GroupVersionKind::new(group, version, kind);
            return Err(CallError::new(kind.not_registered(SCHEME)));
        }
    }
    let read =
        read_typed(&SHAPES.shapes, SHAPES.review, text, format).map_err(|error| CallError::new(error.to_string()))?;
    let mut review = read.value;
    review.insert("apiVersion", declared.api_version);
    review.insert("kind", declared.kind);
    Ok(review)
}

// As upstream's request.VerifyAdmissionResponse.
fn verify(version: ReviewVersion, uid: &str, is_mutating: bool, review: &Value) -> Result<Response, String> {
    let response = review.get("response").filter(|response| !response.is_null());
    let response = response.ok_or("webhook response was absent")?;
    let text = |name: &str| response.get(name).and_then(Value::as_str).unwrap_or_default();
    let patch = base64::decode(text("patch")).unwrap_or_default();
    let patch_type = response.get("patchType").and_then(Value::as_str);
    if version == ReviewVersion::V1 {
        if text("uid") != uid {
            return Err(format!("expected response.uid={}, got {}", quote::go(uid), quote::go(text("uid"))));
        }
        check_kind(review)?;
        match (is_mutating, patch.is_empty(), patch_type) {
            (true, false, None) => return Err("webhook returned response.patch but not response.patchType".into()),
            (true, true, Some(_)) => return Err("webhook returned response.patchType but not response.patch".into()),
            (true, false, Some("")) => return Err(r#"webhook returned invalid response.patchType of """#.into()),
            (false, false, _) => return Err("validating webhook may not return response.patch".into()),
            (false, true, Some(_)) => return Err("validating webhook may not return response.patchType".into()),
            _ => {}
        }
    }
    let warnings = response.get("warnings").and_then(Value::as_array).into_iter().flatten();
    let annotations = response.get("auditAnnotations").and_then(Value::as_object).into_iter().flatten();
    Ok(Response {
        is_allowed: response.get("allowed").and_then(Value::as_bool) == Some(true),
        patch: if is_mutating { patch } else { Vec::new() },
        // Versions before v1 know no other.
        patch_type: match version {
            ReviewVersion::V1 => patch_type.unwrap_or_default().to_owned(),
            ReviewVersion::V1Beta1 => "JSONPatch".to_owned(),
        },
        status: response.get("status").filter(|status| !status.is_null()).cloned(),
        warnings: warnings.filter_map(Value::as_str).map(str::to_owned).collect(),
        annotations: annotations
            .map(|(key, value)| (key.to_string(), value.as_str().unwrap_or_default().to_owned()))
            .collect(),
    })
}

fn check_kind(review: &Value) -> Result<(), String> {
    let text = |name: &str| review.get(name).and_then(Value::as_str).unwrap_or_default();
    let api_version = text("apiVersion");
    let kind = text("kind");
    if (api_version, kind) == ("admission.k8s.io/v1", "AdmissionReview") {
        return Ok(());
    }
    // As upstream's schema.GroupVersionKind.String.
    let (group, version) = sprag_rest::split_api_version(api_version);
    Err(format!(
        "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {group}/{version}, Kind={kind}"
    ))
}

/// The refusal of a webhook.
// As upstream's errors.ToStatusErr.
pub(super) fn refusal(name: &str, status: Option<&Value>) -> ApiError {
    let text = |name: &str| status.and_then(|status| status.get(name)).and_then(Value::as_str).unwrap_or_default();
    let code = status.and_then(|status| status.get("code")).and_then(Value::as_i64).unwrap_or_default();
    let code = u16::try_from(code).ok().filter(|code| *code >= 400).unwrap_or(400);
    let denied = format!("admission webhook {} denied the request", quote::go(name));
    let message = match (text("message"), text("reason")) {
        ("", "") => format!("{denied} without explanation"),
        ("", why) | (why, _) => format!("{denied}: {why}"),
    };
    let details = status.and_then(|status| status.get("details")).filter(|details| !details.is_null());
    let token = status.and_then(|status| status.lookup(&["metadata", "continue"])).and_then(Value::as_str);
    ApiError::new(code, text("reason").to_owned(), message, details.map(details_of))
        .with_continue(token.unwrap_or_default().to_owned())
}

fn details_of(details: &Value) -> Details {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let causes = details.get("causes").and_then(Value::as_array).into_iter().flatten();
    let seconds = details.get("retryAfterSeconds").and_then(Value::as_i64).unwrap_or_default();
    Details {
        name: text(details, "name"),
        group: text(details, "group"),
        kind: text(details, "kind"),
        uid: text(details, "uid"),
        causes: causes
            .map(|cause| Cause {
                reason: text(cause, "reason").into(),
                message: text(cause, "message"),
                field: text(cause, "field"),
            })
            .collect(),
        retry_after_seconds: u32::try_from(seconds).unwrap_or_default(),
    }
}

/// The types of reviews, as far as answers have them.
struct ReviewShapes {
    shapes: Shapes,
    status: TypeId,
    review: TypeId,
}

static SHAPES: LazyLock<ReviewShapes> = LazyLock::new(|| {
    let mut types = messages::shapes().types().to_vec();
    let status = messages::of_kind("Status").expect("it is one of the messages");
    let mut add = |name, kind| {
        types.push(TypeShape::new(name, kind));
        TypeId(u32::try_from(types.len() - 1).expect("there are few types"))
    };
    let structure = |fields: Vec<Field>| Kind::of_fields(Cow::Owned(fields));
    let [text, boolean, bytes] = [Kind::String, Kind::Bool, Kind::Bytes].map(|kind| add("", kind));
    let value = TypeRef::value;
    let texts = add("", Kind::List { elem: value(text), list: ListType::Unset });
    let map = add("", Kind::Map { key: value(text), value: value(text) });
    let optional = |json, name, ty| Field::new(json, name, ty).omit_empty();
    let response = add(
        "v1.AdmissionResponse",
        structure(vec![
            Field::new("uid", "UID", value(text)),
            Field::new("allowed", "Allowed", value(boolean)),
            optional("status", "Result", TypeRef::pointer(status)),
            optional("patch", "Patch", value(bytes)),
            optional("patchType", "PatchType", TypeRef::pointer(text)),
            optional("auditAnnotations", "AuditAnnotations", value(map)),
            optional("warnings", "Warnings", value(texts)),
        ]),
    );
    // What is sent back of the request has to be an object, and is not looked at.
    let request = add("v1.AdmissionRequest", structure(Vec::new()));
    let review = add(
        "v1.AdmissionReview",
        structure(vec![
            optional("kind", "Kind", value(text)),
            optional("apiVersion", "APIVersion", value(text)),
            optional("request", "Request", TypeRef::pointer(request)),
            optional("response", "Response", TypeRef::pointer(response)),
        ]),
    );
    ReviewShapes { shapes: Shapes::new(types), status, review }
});
