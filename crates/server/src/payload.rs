//! The bodies of answers: known bytes, or pieces that are made as the client reads them.

use std::collections::VecDeque;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::Stream;
use http_body::{Body, Frame, SizeHint};
use sprag_rest::ApiError;
use tokio::time::Instant;

use crate::audit::Completion;
use crate::connection::Underway;
use crate::guard::Guard;

/// After so many bytes that had to be made, other tasks have their turn.
const TURN: usize = 512 << 10;

/// The body of an answer.
pub(crate) struct Payload {
    source: Source,
    /// Ends a response whose client has stopped reading.
    guard: Option<(Arc<Guard>, Duration)>,
    /// Bytes encoded since the task last yielded.
    made: usize,
    /// The time at which it ends in any case.
    end: Option<Instant>,
    /// The audit log has the end of the answer when the body is gone.
    _audit: Option<Completion>,
    /// The request is under way until the body is gone.
    _underway: Option<Underway>,
}

/// Pieces of a body as they are made.
pub(crate) type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, ApiError>> + Send>>;

enum Source {
    /// Bytes that are known, in pieces.
    Known(VecDeque<Bytes>),
    /// Pieces of a list, or events of a watch.
    Pieces(Pieces),
}

impl Payload {
    /// Pieces as they are made. An error ends the body early: the client sees that it is cut.
    pub(crate) fn pieces(pieces: Pieces) -> Payload {
        Payload { source: Source::Pieces(pieces), guard: None, made: 0, end: None, _audit: None, _underway: None }
    }

    /// The same, cut off then even if the client reads nothing.
    pub(crate) fn ending_at(self, end: Option<Instant>) -> Payload {
        Payload { end, ..self }
    }

    /// The same with a limit to the time that the client takes for a piece, as part of a request that is under way.
    pub(crate) fn guarded(self, guard: Arc<Guard>, stall: Duration, underway: Underway) -> Payload {
        let takes_long = match &self.source {
            Source::Known(pieces) => pieces.len() > 1,
            Source::Pieces(_) => true,
        };
        if let Some(end) = self.end {
            guard.end_at(end);
        }
        let guard = takes_long.then_some((guard, stall));
        Payload { guard, _underway: Some(underway), ..self }
    }

    /// The same, with its end in the audit log.
    pub(crate) fn audited(self, completion: Option<Completion>) -> Payload {
        Payload { _audit: completion, ..self }
    }

    /// The size in bytes, if known.
    pub(crate) fn size(&self) -> Option<usize> {
        match &self.source {
            Source::Known(pieces) => Some(pieces.iter().map(Bytes::len).sum()),
            Source::Pieces(_) => None,
        }
    }

    /// The same, compressed piece by piece.
    pub(crate) fn compressed(self) -> Payload {
        let encoder = GzEncoder::new(Vec::new(), Compression::fast());
        Payload { source: Source::Pieces(Box::pin(Compressed { source: self.source, encoder: Some(encoder) })), ..self }
    }
}

impl<B: Into<Bytes>> From<B> for Payload {
    fn from(bytes: B) -> Self {
        let bytes = bytes.into();
        let known = if bytes.is_empty() { VecDeque::new() } else { VecDeque::from([bytes]) };
        Payload { source: Source::Known(known), guard: None, made: 0, end: None, _audit: None, _underway: None }
    }
}

impl Source {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, ApiError>>> {
        match self {
            Source::Known(pieces) => Poll::Ready(pieces.pop_front().map(Ok)),
            Source::Pieces(pieces) => {
                let polled = catch_unwind(AssertUnwindSafe(|| pieces.as_mut().poll_next(cx)));
                polled.unwrap_or_else(|_| Poll::Ready(Some(Err(ApiError::panicked()))))
            }
        }
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = ApiError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, ApiError>>> {
        let payload = self.get_mut();
        if payload.made >= TURN {
            payload.made = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let polled = payload.source.poll(cx);
        if let (Source::Pieces(_), Poll::Ready(Some(Ok(piece)))) = (&payload.source, &polled) {
            payload.made += piece.len();
        }
        if let Some((guard, stall)) = &payload.guard {
            match &polled {
                Poll::Ready(Some(_)) => guard.wait_for_client(*stall),
                Poll::Ready(None) | Poll::Pending => guard.wait_for_server(),
            }
        }
        polled.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.source, Source::Known(pieces) if pieces.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        self.size().map_or_else(SizeHint::default, |size| SizeHint::with_exact(size as u64))
    }
}

/// Pieces of a body in compressed form.
struct Compressed {
    source: Source,
    /// None once everything is written.
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl Stream for Compressed {
    type Item = Result<Bytes, ApiError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(encoder) = &mut self.encoder else { return Poll::Ready(None) };
        if encoder.get_ref().is_empty() {
            let written = match self.source.poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(Some(Ok(piece))) => {
                    self.encoder.as_mut().map_or(Ok(()), |encoder| encoder.write_all(&piece))
                }
                Poll::Ready(None) => {
                    let rest = self.encoder.take().map(GzEncoder::finish);
                    return Poll::Ready(rest.map(|rest| rest.map(Bytes::from).map_err(ApiError::internal)));
                }
            };
            if let Err(error) = written {
                return Poll::Ready(Some(Err(ApiError::internal(error))));
            }
        }
        match &mut self.encoder {
            Some(encoder) if !encoder.get_ref().is_empty() => {
                let piece = std::mem::take(encoder.get_mut());
                Poll::Ready(Some(Ok(piece.into())))
            }
            // Input that compresses well needs many pieces to fill one; other tasks run meanwhile.
            _ => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }
}
