//! Answers: objects, lists, statuses and plain text.

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, VARY};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use sprag_decode::yaml;
use sprag_rest::{ApiError, FeatureGates};
use sprag_value::Value;

use crate::audit;
use crate::message::{self, Place};
use crate::negotiate::{Media, Output};
use crate::order::Order;
use crate::payload::Payload;
use crate::{pretty, warnings};

/// An answer to a request.
pub(crate) type Answer = Response<Payload>;

/// Answers from this size on are compressed for clients that ask for it.
const MIN_COMPRESSED: usize = 128 * 1024;

pub(crate) const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache, private");
pub(crate) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// An answer with an object that is not of a resource, in the form that was asked for.
pub(crate) fn object(code: u16, value: &Value, output: Output, warnings: &[String]) -> Answer {
    match encode(value, output, None) {
        Ok(body) => encoded(code, body, output, warnings),
        Err(error) => failure(&error, Output::JSON, warnings),
    }
}

/// An answer with an object that is encoded already.
pub(crate) fn encoded(code: u16, body: impl Into<Payload>, output: Output, warnings: &[String]) -> Answer {
    let mut answer = Response::new(body.into());
    *answer.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(output.content_type()));
    headers.insert(http::header::CACHE_CONTROL, NO_CACHE);
    warnings::add(headers, warnings);
    answer
}

/// An object in the form that was asked for.
pub(crate) fn encode(value: &Value, output: Output, place: Option<Place<'_>>) -> Result<Vec<u8>, ApiError> {
    let text = match output.media {
        Media::Protobuf => return message::encode(value, place),
        Media::Yaml => yaml::to_string(value),
        Media::Json if output.pretty => pretty::to_string(value, Order::of(value, place)),
        Media::Json => {
            let mut text = String::new();
            Order::of(value, place).write(&mut text, value);
            text.push('\n');
            text
        }
    };
    Ok(text.into_bytes())
}

/// The answer to a request that was not done.
pub(crate) fn failure(error: &ApiError, output: Output, warnings: &[String]) -> Answer {
    let parts = error.parts();
    let warnings: Vec<String> = warnings.iter().chain(&parts.warnings).cloned().collect();
    let status = error.to_status();
    audit::answered(&status);
    let mut answer = object(parts.code, &status, output, &warnings);
    let retry = parts.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    if retry > 0 {
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry));
    }
    answer
}

/// An answer in plain text.
pub(crate) fn text(code: StatusCode, text: impl Into<Payload>) -> Answer {
    let mut answer = Response::new(text.into());
    *answer.status_mut() = code;
    answer.headers_mut().insert(CONTENT_TYPE, TEXT);
    answer.headers_mut().insert(http::header::CACHE_CONTROL, NO_CACHE);
    answer
}

/// The answer to paths below a group that mean nothing: groups of the server's own answer for themselves.
pub(crate) fn nothing_there(has_routes: bool, output: Output) -> Answer {
    if has_routes { failure(&ApiError::no_such_resource(), output, &[]) } else { page_not_found() }
}

/// The answer to paths that mean nothing.
pub(crate) fn page_not_found() -> Answer {
    unsniffed(text(StatusCode::NOT_FOUND, "404 page not found\n"))
}

/// The answer to a path that begins like one of a resource and names none.
// As upstream's filters.WithRequestInfo.
pub(crate) fn no_kind(uri: &http::Uri) -> Answer {
    let path = uri.path_and_query().map_or("", |path| path.as_str());
    let asked = sprag_field::quote::go(path);
    let why = format!("failed to create RequestInfo: unable to determine kind and namespace from url, {path}");
    unsniffed(text(StatusCode::INTERNAL_SERVER_ERROR, format!("Internal Server Error: {asked}: {why}\n")))
}

/// The answer, with a word to browsers that it is what its type says.
pub(crate) fn unsniffed(mut answer: Answer) -> Answer {
    let no_sniff = HeaderName::from_static("x-content-type-options");
    answer.headers_mut().insert(no_sniff, HeaderValue::from_static("nosniff"));
    answer
}

/// The head of an answer, with the length of the body that a GET would have.
pub(crate) fn head_only(answer: Answer) -> Answer {
    let size = answer.body().size();
    let mut answer = answer.map(|_| Payload::from(Bytes::new()));
    if let Some(size) = size {
        answer.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(size));
    }
    answer
}

/// Compresses a large answer if the client can read that, unless it is compressed already.
pub(crate) fn compress(answer: Answer, request: &HeaderMap, gates: &FeatureGates) -> Answer {
    if answer.headers().contains_key(CONTENT_ENCODING) || !is_compressed(answer.body().size(), request, gates) {
        return answer;
    }
    compressed(answer.map(Payload::compressed))
}

/// True if an answer of this size is sent compressed.
pub(crate) fn is_compressed(size: Option<usize>, request: &HeaderMap, gates: &FeatureGates) -> bool {
    let accepts =
        request.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok()).any(|value| {
            value.split(',').any(|coding| coding.split(';').next().is_some_and(|name| name.trim() == "gzip"))
        });
    accepts && size.is_none_or(|size| size >= MIN_COMPRESSED) && gates.enabled("APIResponseCompression")
}

/// The answer, whose body is compressed.
pub(crate) fn compressed(mut answer: Answer) -> Answer {
    answer.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    answer.headers_mut().append(VARY, HeaderValue::from_static("Accept-Encoding"));
    answer
}

/// The answer when there are too many requests.
// As upstream's filters.tooManyRequests.
pub(crate) fn too_many_requests() -> Answer {
    let mut answer = unsniffed(text(StatusCode::TOO_MANY_REQUESTS, "Too many requests, please try again later.\n"));
    answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    answer
}
