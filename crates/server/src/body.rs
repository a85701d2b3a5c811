//! Bodies of requests, up to a limit.

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use sprag_registry::ApiError;

use crate::refuse;

/// The largest body that is read.
const MAX_BODY: usize = 3 * 1024 * 1024;

/// All of a body.
pub(crate) async fn read(body: Incoming) -> Result<Bytes, ApiError> {
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(refuse::body_too_large(MAX_BODY));
    }
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(refuse::body_too_large(MAX_BODY)),
        Err(error) => Err(ApiError::bad_request(format!("the body of the request ended early: {error}"))),
    }
}
