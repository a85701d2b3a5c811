//! Answers that are about the server, not about objects.

use std::sync::Arc;

use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, EXPIRES, IF_NONE_MATCH, LOCATION, VARY};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use sprag_discovery::openapi::Document;
use sprag_rest::{ApiError, Definition, FeatureGates};
use sprag_value::{Array, Value, json};

use crate::answer::{self, Answer};
use crate::audit;
use crate::negotiate::{self, MEDIA_TYPES, Offer, Output, View};
use crate::payload::{self, Payload};
use crate::query::Query;
use crate::route::{Discovery, Route};
use crate::server::State;
use crate::{health, refuse};

/// Paths that the index lists beside the API.
const OTHER_PATHS: [&str; 10] = [
    "/.well-known/openid-configuration",
    "/healthz",
    "/livez",
    "/metrics",
    "/metrics/slis",
    "/openapi/v2",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
];

const JSON: &str = MEDIA_TYPES[0];
/// The document of version 2 in protobuf; answers have the newer of its names.
const OPENAPI_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const OPENAPI_PROTOBUF_ONCE: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
/// The same for version 3.
const OPENAPI_V3_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";
const OPENAPI_V3_PROTOBUF_ONCE: &str = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";

/// The format of metrics.
const METRICS_TEXT: HeaderValue =
    HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8; escaping=underscores");

/// Answers a request for a document.
pub(crate) async fn serve(state: &State, head: &Parts, query: &Query<'_>, route: Route<'_>) -> Answer {
    let pretty = negotiate::is_for_people(&head.headers, query);
    let failure = |error: &ApiError| answer::failure(error, Output::of_failure(&head.headers, pretty), &[]);
    match route {
        Route::Index => {
            let paths = sprag_discovery::root_paths(&state.registry.definitions(), OTHER_PATHS);
            answer::object(200, &paths, Output::JSON_FOR_PEOPLE, &[])
        }
        Route::Discovery(document) => discovery(state, head, pretty, &document).unwrap_or_else(|error| failure(&error)),
        Route::Version => match check_route(head, true, &MEDIA_TYPES[..1]) {
            Ok(()) => answer::object(200, &state.version.document(), Output::JSON_FOR_PEOPLE, &[]),
            Err(error) => failure(&error),
        },
        Route::BelowVersion => failure(&ApiError::no_such_resource()),
        Route::Health(check) => health::answer(state, check, query).await,
        Route::Metrics => metrics(state.metrics.text(state)),
        Route::HealthMetrics => metrics(state.metrics.health_text()),
        Route::OpenApiV2 => openapi_v2(state, &head.headers),
        Route::OpenApiV3("") => index(state),
        Route::OpenApiV3(path) => {
            let wanted = query.get("hash").filter(|hash| !hash.is_empty());
            openapi_v3(state, path, &head.headers, wanted)
        }
        Route::OpenIdConfiguration => {
            let document = state.accounts.configuration(&state.address());
            cached(head, JSON, &document).unwrap_or_else(|error| failure(&error))
        }
        Route::KeySet => {
            let keys = state.accounts.key_set();
            cached(head, "application/jwk-set+json", &keys).unwrap_or_else(|error| failure(&error))
        }
        Route::Resource(_) | Route::Unknown => answer::page_not_found(),
    }
}

fn discovery(state: &State, head: &Parts, pretty: bool, document: &Discovery<'_>) -> Result<Answer, ApiError> {
    let has_routes = match document {
        Discovery::Core => true,
        Discovery::Resources(group, _) => state.has_routes(group),
        Discovery::Groups | Discovery::Group(_) => false,
    };
    let definitions = state.registry.definitions();
    let described = describe(&definitions, document, &state.address());
    let Some(plain) = described.map(|plain| without_disabled(plain, state.registry.gates())) else {
        return Ok(answer::nothing_there(has_routes, Output::of_failure(&head.headers, pretty)));
    };
    check_route(head, has_routes, &MEDIA_TYPES)?;
    let aggregated = match document {
        Discovery::Core => Some(sprag_discovery::aggregated_api as fn(&[Arc<Definition>]) -> Value),
        Discovery::Groups => Some(sprag_discovery::aggregated_apis as fn(&[Arc<Definition>]) -> Value),
        _ => None,
    };
    let offer = if aggregated.is_some() { Offer::Aggregated } else { Offer::Plain };
    let output = Output::negotiate(&head.headers, pretty, offer, || true)?;
    if let Some(aggregated) = aggregated.filter(|_| output.view == View::Aggregated) {
        return Ok(tagged_discovery(&aggregated(&definitions), &head.headers, output));
    }
    audit::answered(&plain);
    Ok(answer::object(200, &plain, output, &[]))
}

/// A document about tokens, which clients may keep for an hour.
// As upstream's routes.OpenIDMetadataServer.
fn cached(head: &Parts, media_type: &'static str, document: &Value) -> Result<Answer, ApiError> {
    check_route(head, true, &[media_type])?;
    let mut answer = answer::encoded(200, json::to_string(document), Output::JSON, &[]);
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    Ok(answer)
}

/// Refuses what the reference's router refuses; documents that it does not know of take any method.
fn check_route(head: &Parts, has_routes: bool, produced: &[&str]) -> Result<(), ApiError> {
    match head.method {
        _ if !has_routes => Ok(()),
        Method::GET => negotiate::check_route(&head.headers, produced),
        _ => Err(refuse::method_not_allowed()),
    }
}

/// Everything about all groups, which clients keep until it changes.
fn tagged_discovery(document: &Value, headers: &HeaderMap, output: Output) -> Answer {
    let hash = sprag_discovery::content_hash(json::to_string(document).as_bytes());
    let tag = format!("\"{hash}\"");
    let mut answer = if knows(headers, &tag) {
        bare(StatusCode::NOT_MODIFIED)
    } else {
        audit::answered(document);
        let mut answer = answer::object(200, document, output, &[]);
        let form = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        if let Ok(content_type) = HeaderValue::try_from(format!("{};{form}", output.content_type())) {
            answer.headers_mut().insert(CONTENT_TYPE, content_type);
        }
        answer
    };
    answer = tagged(answer, tag);
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public"));
    answer
}

fn bare(code: StatusCode) -> Answer {
    let mut answer = Response::new(Payload::from(""));
    *answer.status_mut() = code;
    answer.headers_mut().insert(CACHE_CONTROL, answer::NO_CACHE);
    answer
}

/// True if the client has this edition of a document.
fn knows(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    known.flat_map(|value| value.split(',')).any(|value| value.trim() == "*" || value.trim() == tag)
}

fn tagged(answer: Answer, tag: String) -> Answer {
    let mut answer = varied(answer);
    if let Ok(tag) = HeaderValue::try_from(tag) {
        answer.headers_mut().insert(ETAG, tag);
    }
    answer
}

/// The answer, with a word to caches that others may get another one.
fn varied(mut answer: Answer) -> Answer {
    answer.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    answer
}

fn describe(definitions: &[Arc<Definition>], document: &Discovery<'_>, address: &str) -> Option<Value> {
    match document {
        Discovery::Core => Some(sprag_discovery::api_versions(definitions, address)),
        Discovery::Groups => Some(sprag_discovery::api_group_list(definitions)),
        Discovery::Group(group) => sprag_discovery::api_group(definitions, group),
        Discovery::Resources(group, version) => sprag_discovery::api_resource_list(definitions, group, version),
    }
}

/// The document without hashes of storage versions while their feature is off, as upstream's `APIInstaller`.
fn without_disabled(mut document: Value, gates: &FeatureGates) -> Value {
    if gates.enabled("StorageVersionHash") {
        return document;
    }
    let resources = document.get_mut("resources").and_then(Value::as_array_mut);
    for resource in resources.into_iter().flat_map(Array::as_mut_slice) {
        resource.remove("storageVersionHash");
    }
    document
}

/// Everything in one document of `OpenAPI`.
fn openapi_v2(state: &State, headers: &HeaderMap) -> Answer {
    match negotiate::choose(headers, &[JSON, OPENAPI_PROTOBUF_ONCE, OPENAPI_PROTOBUF]) {
        None => varied(bare(StatusCode::NOT_ACCEPTABLE)),
        Some(JSON) => tagged_document(state, &state.documents().v2(), JSON, headers),
        Some(_) => tagged_document(state, &state.documents().v2_protobuf(), OPENAPI_PROTOBUF, headers),
    }
}

/// A document of `OpenAPI` version 3. Those that are asked for by their hash never change; another hash leads to the
/// right one.
fn openapi_v3(state: &State, path: &str, headers: &HeaderMap, wanted: Option<&str>) -> Answer {
    let documents = state.documents();
    let (chosen, media_type) = match negotiate::choose(headers, &[JSON, OPENAPI_V3_PROTOBUF, OPENAPI_V3_PROTOBUF_ONCE])
    {
        None if documents.v3(path).is_some() => return varied(bare(StatusCode::NOT_ACCEPTABLE)),
        None | Some(JSON) => (documents.v3(path), JSON),
        Some(_) => (documents.v3_protobuf(path), OPENAPI_V3_PROTOBUF),
    };
    let Some(document) = chosen else { return bare(StatusCode::NOT_FOUND) };
    if wanted.is_some_and(|hash| hash != document.hash) {
        let mut answer = bare(StatusCode::MOVED_PERMANENTLY);
        let location = HeaderValue::try_from(format!("/openapi/v3/{path}?hash={}", document.hash));
        if let Ok(location) = location {
            answer.headers_mut().insert(LOCATION, location);
        }
        return answer;
    }
    let mut answer = tagged_document(state, &document, media_type, headers);
    if wanted.is_some() {
        answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, immutable"));
        answer.headers_mut().insert(EXPIRES, HeaderValue::from_static("Fri, 31 Dec 2100 23:59:59 GMT"));
    }
    answer
}

/// A document, unless the client has it. All answers share its bytes, also when they are compressed.
fn tagged_document(state: &State, document: &Document, media_type: &'static str, headers: &HeaderMap) -> Answer {
    let tag = format!("\"{}\"", document.hash);
    if knows(headers, &tag) {
        return tagged(bare(StatusCode::NOT_MODIFIED), tag);
    }
    let accepts = answer::is_compressed(Some(document.bytes.len()), headers, state.registry.gates());
    let compressed = if accepts { document.compressed(|bytes| payload::compress(bytes).ok()) } else { None };
    let is_compressed = compressed.is_some();
    let bytes = compressed.unwrap_or_else(|| document.bytes.clone());
    let mut answer = answer::encoded(200, Payload::shared(bytes), Output::JSON, &[]);
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    let answer = tagged(answer, tag);
    if is_compressed { answer::compressed(answer) } else { answer }
}

/// The list of documents, which the reference sends as if it were plain text, whatever is asked for.
fn index(state: &State) -> Answer {
    answer::text(StatusCode::OK, Payload::shared(state.documents().index().bytes.clone()))
}

fn metrics(text: String) -> Answer {
    let mut answer = answer::text(StatusCode::OK, text);
    answer.headers_mut().insert(CONTENT_TYPE, METRICS_TEXT);
    answer
}
