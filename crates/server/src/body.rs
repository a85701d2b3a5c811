//! Bodies of requests, up to a limit.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Either, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use sprag_rest::ApiError;
use tokio::time::timeout;

use crate::refuse;

/// The body of a request: from a connection, or of a request that is made in this process.
pub(crate) type RequestBody = Either<Incoming, Full<Bytes>>;

/// The largest body that is read.
const MAX_BODY: usize = 3 * 1024 * 1024;

/// How much of a larger body is thrown away, and for how long, so that the client is not cut off before it hears why.
const MAX_DRAINED: usize = 4 * MAX_BODY;
const DRAIN: Duration = Duration::from_secs(5);

/// All of a body.
pub(crate) async fn read(mut body: RequestBody) -> Result<Bytes, ApiError> {
    if body.size_hint().lower() <= MAX_BODY as u64 {
        match Limited::new(&mut body, MAX_BODY).collect().await {
            Ok(body) => return Ok(body.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => {}
            Err(error) => {
                return Err(ApiError::bad_request(format!("the body of the request ended early: {error}")));
            }
        }
    }
    // Whatever comes of it, the answer is the same.
    let _ = timeout(DRAIN, drain(body)).await;
    Err(refuse::body_too_large(MAX_BODY))
}

async fn drain(mut body: RequestBody) {
    let mut drained = 0;
    while let Some(Ok(frame)) = body.frame().await {
        drained += frame.data_ref().map_or(0, Bytes::len);
        if drained > MAX_DRAINED {
            return;
        }
    }
}
