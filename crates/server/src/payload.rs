//! The bodies of answers: known bytes, or events as they come.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::mpsc;

/// The body of an answer.
pub(crate) enum Payload {
    /// Bytes that are known, in pieces.
    Known(VecDeque<Bytes>),
    /// Lines of a watch.
    Stream(mpsc::Receiver<Bytes>),
}

impl Payload {
    fn remaining(&self) -> Option<u64> {
        match self {
            Payload::Known(pieces) => Some(pieces.iter().map(|piece| piece.len() as u64).sum()),
            Payload::Stream(_) => None,
        }
    }
}

impl<B: Into<Bytes>> From<B> for Payload {
    fn from(bytes: B) -> Self {
        let bytes = bytes.into();
        Payload::Known(if bytes.is_empty() { VecDeque::new() } else { VecDeque::from([bytes]) })
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = match self.get_mut() {
            Payload::Known(pieces) => pieces.pop_front(),
            Payload::Stream(lines) => match lines.poll_recv(cx) {
                Poll::Ready(line) => line,
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Payload::Known(pieces) if pieces.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        self.remaining().map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
