//! Refusals that only a server makes.

use sprag_rest::{ApiError, Details};

/// The client wants nothing that there is.
pub(crate) fn not_acceptable(accepted: &[&str]) -> ApiError {
    let message = format!("only the following media types are accepted: {}", accepted.join(", "));
    ApiError::new(406, "NotAcceptable", message, None)
}

/// The media type of the body is not supported.
pub(crate) fn unsupported_media_type(accepted: &[&str]) -> ApiError {
    let message = format!(
        "the body of the request was in an unknown format - accepted media types include: {}",
        accepted.join(", ")
    );
    ApiError::new(415, "UnsupportedMediaType", message, None)
}

/// The body of a patch is in a format that the resource does not know, in the words of the reference's router.
pub(crate) fn unsupported_patch() -> ApiError {
    ApiError::new(415, "UnsupportedMediaType", "415: Unsupported Media Type".to_owned(), Some(Details::default()))
}

/// The client wants nothing that there is, in the words of the reference's router.
pub(crate) fn no_representation(produced: &[&str]) -> ApiError {
    let message = format!("406: Not Acceptable\n\nAvailable representations: {}", produced.join(", "));
    ApiError::new(406, "NotAcceptable", message, Some(Details::default()))
}

/// The method means nothing here.
pub(crate) fn method_not_allowed() -> ApiError {
    let message = "the server does not allow this method on the requested resource".to_owned();
    ApiError::new(405, "MethodNotAllowed", message, Some(Details::default()))
}

/// 401 Unauthorized.
pub(crate) fn unauthorized() -> ApiError {
    ApiError::new(401, "Unauthorized", "Unauthorized".to_owned(), None)
}

/// The body is larger than the server reads.
pub(crate) fn body_too_large(limit: usize) -> ApiError {
    ApiError::too_large(format_args!("limit is {limit}"))
}

/// The client wants what this kind of answer cannot be.
pub(crate) fn not_acceptable_because(message: String) -> ApiError {
    ApiError::new(406, "NotAcceptable", message, None)
}

/// The body of the request did not come in time, or the request was not done in time.
// As upstream's finisher.finishRequest.
pub(crate) fn timeout() -> ApiError {
    ApiError::timeout("request did not complete within requested timeout - context deadline exceeded")
}
