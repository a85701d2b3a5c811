//! Bodies of requests, up to a limit.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::header::EXPECT;
use http::request::Parts;
use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Body, Incoming};
use sprag_rest::ApiError;
use tokio::time::{sleep, timeout};

use crate::hold;
use crate::limits::LARGE_BODY;
use crate::memory::Given;
use crate::refuse;
use crate::server::State;

/// The body of a request: from a connection, or of a request that is made in this process.
pub(crate) type RequestBody = Either<Incoming, Full<Bytes>>;

/// The largest body that is read.
const MAX_BODY: usize = 3 * 1024 * 1024;

/// Maximum size of an unread request body that is drained, and for how long if it is larger than the body limit.
const MAX_DRAINED: usize = 16 * MAX_BODY;
const DRAIN: Duration = Duration::from_secs(5);
/// Time left to send a request body once the server stops.
const WHILE_STOPPING: Duration = Duration::from_secs(1);

/// All of a body of a user's request, and what it holds while it is in memory.
pub(crate) async fn read(state: &State, user: &str, body: &mut RequestBody) -> Result<Received, ApiError> {
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(refuse::body_too_large(MAX_BODY));
    }
    let stopped = async {
        state.stopped().await;
        sleep(WHILE_STOPPING).await;
    };
    tokio::select! {
        biased;
        received = timeout(state.limits.body, collect(state, user, body)) => {
            received.unwrap_or_else(|_| Err(refuse::timeout()))
        }
        () = stopped => Err(refuse::timeout()),
    }
}

/// A body that was read.
pub(crate) struct Received {
    pub(crate) bytes: Bytes,
    /// The memory of a large body.
    _memory: Option<Given>,
}

async fn collect(state: &State, user: &str, body: &mut RequestBody) -> Result<Received, ApiError> {
    let (mut pieces, mut size, mut memory) = (Vec::new(), 0, None);
    let announced = body.size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
    loop {
        let frame = match timeout(state.limits.body_pause, body.frame()).await {
            Ok(None) => break,
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(error))) => {
                return Err(ApiError::bad_request(format!("the body of the request ended early: {error}")));
            }
            Err(_) => return Err(refuse::timeout()),
        };
        let Ok(piece) = frame.into_data() else { continue };
        size += piece.len();
        if size > MAX_BODY {
            return Err(refuse::body_too_large(MAX_BODY));
        }
        if size >= LARGE_BODY && memory.is_none() {
            memory = Some(state.in_flight.memory.to_receive(user, announced.unwrap_or(MAX_BODY)).await?);
        }
        pieces.push(piece);
    }
    let bytes = if pieces.len() == 1 { pieces.swap_remove(0) } else { pieces.concat().into() };
    Ok(Received { bytes, _memory: memory })
}

/// Throws away what is left of the body of a request while its answer is sent, so that the client hears the answer and the next
/// request on the connection is found. Says whether the connection can be used further. A client that waits to hear whether
/// it may send its body is not asked for it.
pub(crate) fn discard(state: &Arc<State>, mut body: RequestBody, head: &Parts) -> bool {
    if body.is_end_stream() || matches!(body.frame().now_or_never(), Some(None)) {
        return true;
    }
    if head.headers.contains_key(EXPECT) {
        return false;
    }
    let ends = body.size_hint().lower() <= MAX_BODY as u64;
    let (state, limit) = (state.clone(), if ends { state.limits.body } else { DRAIN });
    hold::spawn(async move {
        tokio::select! {
            _ = timeout(limit, drain(body)) => {}
            () = state.stopped() => {}
        }
    });
    ends
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
