//! The answers of conversion webhooks: `ConversionReview`, decoded as upstream's Go types are.

use std::borrow::Cow;
use std::sync::LazyLock;

use sprag_decode::{Format, json as decode_json, object, yaml};
use sprag_field::quote;
use sprag_rest::{GroupVersionKind, read_typed, split_api_version};
use sprag_shape::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape, messages};
use sprag_value::Value;

use super::{GROUP, REVIEW};

/// The place of upstream's scheme of reviews, as its errors say it.
const SCHEME: &str = "k8s.io/apiserver/pkg/util/webhook/client.go:74";

/// The types of a review in one of its versions.
struct ReviewShapes {
    shapes: Shapes,
    status: TypeId,
    review: TypeId,
}

static V1: LazyLock<ReviewShapes> =
    LazyLock::new(|| shapes(["v1.ConversionRequest", "v1.ConversionResponse", "v1.ConversionReview"]));
static V1BETA1: LazyLock<ReviewShapes> =
    LazyLock::new(|| shapes(["v1beta1.ConversionRequest", "v1beta1.ConversionResponse", "v1beta1.ConversionReview"]));

/// The types of a review, with their names in Go.
fn shapes([request, response, review]: [&'static str; 3]) -> ReviewShapes {
    let mut types = messages::shapes().types().to_vec();
    let status = messages::of_kind("Status").expect("it is one of the messages");
    let mut add = |name: &'static str, kind| {
        types.push(TypeShape::new(name, kind));
        TypeId(u32::try_from(types.len() - 1).expect("there are few types"))
    };
    let structure = |fields: Vec<Field>| Kind::of_fields(Cow::Owned(fields));
    let optional = |json, name, ty| Field::new(json, name, ty).omit_empty();
    let value = TypeRef::value;
    let string = add("", Kind::String);
    let uid = add("types.UID", Kind::String);
    let raw = add("runtime.RawExtension", Kind::RawExtension);
    let raws = add("", Kind::List { elem: value(raw), list: ListType::Unset });
    let request = add(
        request,
        structure(vec![
            Field::new("uid", "UID", value(uid)),
            Field::new("desiredAPIVersion", "DesiredAPIVersion", value(string)),
            Field::new("objects", "Objects", value(raws)),
        ]),
    );
    let response = add(
        response,
        structure(vec![
            Field::new("uid", "UID", value(uid)),
            Field::new("convertedObjects", "ConvertedObjects", value(raws)),
            Field::new("result", "Result", value(status)),
        ]),
    );
    let review = add(
        review,
        structure(vec![
            optional("kind", "Kind", value(string)),
            optional("apiVersion", "APIVersion", value(string)),
            optional("request", "Request", TypeRef::pointer(request)),
            optional("response", "Response", TypeRef::pointer(response)),
        ]),
    );
    ReviewShapes { shapes: Shapes::new(types), status, review }
}

/// The review in an answer.
// As client-go's Result.Into with upstream's codec of reviews.
fn read(version: &str, answer: &[u8]) -> Result<Value, String> {
    let format = Format::guess(answer);
    let declared = object::declared(format, answer).map_err(|error| error.to_string())?;
    let own = format!("{GROUP}/{version}");
    let said = |text: &str, default: &str| if text.is_empty() { default.to_owned() } else { text.to_owned() };
    let api_version = said(&declared.api_version, &own);
    let kind = said(&declared.kind, REVIEW);
    let ReviewShapes { shapes, status, review } = if version == "v1" { &*V1 } else { &*V1BETA1 };
    let check = |ty: TypeId| read_typed(shapes, ty, answer, format).map(drop).map_err(|error| error.to_string());
    if api_version == own && kind == REVIEW {
        // The objects are kept as they came.
        check(*review)?;
        return match format {
            Format::Json => decode_json::decode(answer).map_err(|error| error.to_string()),
            Format::Yaml => yaml::decode(answer).map_err(|error| error.to_string()),
        };
    }
    if matches!(api_version.as_str(), "v1" | "meta.k8s.io/v1") && kind == "Status" {
        check(*status)?;
        return Err(format!("converting (v1.Status) to ({version}.{REVIEW}): unknown conversion"));
    }
    let (group, other) = split_api_version(&api_version);
    if group == GROUP && kind == REVIEW && matches!(other, "v1" | "v1beta1") {
        return Err(format!("converting ({other}.{REVIEW}) to ({version}.{REVIEW}): unknown conversion"));
    }
    Err(GroupVersionKind::new(group, other, kind).not_registered(SCHEME))
}

/// The objects in an answer, or the reason why it cannot be used.
// As upstream's getConvertedObjectsFromResponse.
pub(super) fn converted_objects(version: &str, uid: &str, answer: &[u8]) -> Result<Vec<Value>, String> {
    let review = &read(version, answer)?;
    if version == "v1" {
        let api_version = review.text("apiVersion");
        let kind = review.text("kind");
        if (api_version, kind) != ("apiextensions.k8s.io/v1", REVIEW) {
            let (group, version) = split_api_version(api_version);
            return Err(format!(
                "expected webhook response of {GROUP}/v1, Kind={REVIEW}, got {group}/{version}, Kind={kind}"
            ));
        }
    }
    let response = review.get("response").filter(|response| !response.is_null()).ok_or("no response provided")?;
    if version == "v1" && response.text("uid") != uid {
        return Err(format!("expected response.uid={}, got {}", quote::go(uid), quote::go(response.text("uid"))));
    }
    let result = response.get("result").unwrap_or(&Value::Null);
    if result.text("status") != "Success" {
        return Err(match result.text("message") {
            "" => format!("response.result.status was '{}', not 'Success'", result.text("status")),
            message => message.to_owned(),
        });
    }
    let objects = response.get("convertedObjects").and_then(Value::as_array).into_iter().flatten();
    Ok(objects.cloned().collect())
}
