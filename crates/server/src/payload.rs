//! The bodies of answers: known bytes, or pieces that are made as the client reads them.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use flate2::{Compress, CompressError, Compression, Crc, FlushCompress};
use futures_util::Stream;
use http_body::{Body, Frame, SizeHint};
use sprag_rest::ApiError;
use tokio::time::Instant;

use crate::audit::Completion;
use crate::connection::Underway;
use crate::guard::Guard;
use crate::unread::{Chunk, Held, Reader};

/// After so many bytes that had to be made, other tasks have their turn.
const TURN: usize = 512 << 10;

/// The largest piece of known bytes.
const PIECE: usize = 64 << 10;
/// Answers of HTTP/2 from this size on end once the client has taken all of them: until then their streams can be reset.
const WATCHED_TO_THE_END: usize = 16 << 10;
/// The memory that any answer takes until it is read: a task, a stream of a connection, headers.
const OVERHEAD: usize = 4 << 10;
/// The first bytes of a compressed body: deflate, without a name or time, compressed for speed, on an unknown system.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff];
/// The compressed bytes that are made at once.
const OUTPUT: usize = 32 << 10;

/// The body of an answer.
pub(crate) struct Payload {
    source: Source,
    /// Memory that it takes beside its pieces.
    weight: usize,
    /// Bytes encoded since the task last yielded.
    made: usize,
    /// The time at which it ends in any case.
    end: Option<Instant>,
    /// The client, once the answer is on its way.
    client: Option<Client>,
    /// The audit log has the end of the answer when the body is gone.
    _audit: Option<Completion>,
    /// The request is under way until the body is gone.
    _underway: Option<Underway>,
}

/// Pieces of a body as they are made.
pub(crate) type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, ApiError>> + Send>>;

enum Source {
    /// Bytes that are known.
    Known(Bytes),
    /// Pieces of a list, or events of a watch.
    Pieces(Pieces),
}

/// The client that reads an answer.
pub(crate) struct Client {
    reader: Arc<Reader>,
    /// Ends a response whose client has stopped reading.
    guard: Arc<Guard>,
    stall: Duration,
    /// True over HTTP/2, where a connection has many answers.
    is_stream: bool,
    /// True if the answer ends only once the client has taken it.
    until_taken: bool,
    /// The memory of the whole answer.
    whole: Option<Arc<Held>>,
    /// The last piece, while it is on its way.
    last: Weak<Held>,
    /// Waits until there is room for another piece.
    room: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Payload {
    fn new(source: Source, weight: usize) -> Payload {
        Payload { source, weight, made: 0, end: None, client: None, _audit: None, _underway: None }
    }

    /// Pieces as they are made. An error ends the body early: the client sees that it is cut.
    pub(crate) fn pieces(pieces: Pieces) -> Payload {
        Payload::new(Source::Pieces(pieces), 0)
    }

    /// The same with so much memory beside its pieces.
    pub(crate) fn weighing(self, weight: usize) -> Payload {
        Payload { weight, ..self }
    }

    /// Bytes that many answers share, and that are there without them.
    pub(crate) fn shared(bytes: Bytes) -> Payload {
        Payload::new(Source::Known(bytes), 0)
    }

    /// The same, cut off then even if the client reads nothing.
    pub(crate) fn ending_at(self, end: Option<Instant>) -> Payload {
        Payload { end, ..self }
    }

    /// The same on its way to a client, as part of a request that is under way.
    pub(crate) fn sent_to(self, mut client: Client, underway: Underway) -> Payload {
        if let Some(end) = self.end {
            client.guard.end_at(end);
        }
        client.until_taken = client.is_stream && self.size().is_none_or(|size| size >= WATCHED_TO_THE_END);
        client.whole = Some(client.reader.hold(self.weight + OVERHEAD));
        Payload { client: Some(client), _underway: Some(underway), ..self }
    }

    /// The same, with its end in the audit log.
    pub(crate) fn audited(self, completion: Option<Completion>) -> Payload {
        Payload { _audit: completion, ..self }
    }

    /// The size in bytes, if known.
    pub(crate) fn size(&self) -> Option<usize> {
        match &self.source {
            Source::Known(bytes) => Some(bytes.len()),
            Source::Pieces(_) => None,
        }
    }

    /// The same, compressed piece by piece.
    pub(crate) fn compressed(self) -> Payload {
        let compressed = Compressed { source: self.source, sum: Crc::new(), is_begun: false, is_over: false };
        Payload { source: Source::Pieces(Box::pin(compressed)), ..self }
    }
}

impl<B: Into<Bytes>> From<B> for Payload {
    fn from(bytes: B) -> Self {
        let bytes = bytes.into();
        let weight = bytes.len();
        Payload::new(Source::Known(bytes), weight)
    }
}

impl Source {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, ApiError>>> {
        match self {
            Source::Known(bytes) if bytes.is_empty() => Poll::Ready(None),
            Source::Known(bytes) => Poll::Ready(Some(Ok(bytes.split_to(bytes.len().min(PIECE))))),
            Source::Pieces(pieces) => {
                let polled = catch_unwind(AssertUnwindSafe(|| pieces.as_mut().poll_next(cx)));
                polled.unwrap_or_else(|_| Poll::Ready(Some(Err(ApiError::panicked()))))
            }
        }
    }
}

impl Client {
    /// The client of a connection or stream with this guard, and the time that it may take for a piece.
    pub(crate) fn new(reader: Arc<Reader>, guard: Arc<Guard>, stall: Duration, is_stream: bool) -> Client {
        Client { reader, guard, stall, is_stream, until_taken: false, whole: None, last: Weak::new(), room: None }
    }

    /// Waits until there is room for a piece that is yet to be made.
    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.room.is_none() && self.reader.has_room() {
            return Poll::Ready(());
        }
        let room = self.room.get_or_insert_with(|| Box::pin(self.reader.clone().room()));
        let polled = room.as_mut().poll(cx);
        if polled.is_ready() {
            self.room = None;
        }
        polled
    }

    /// A piece that is counted until it is sent.
    fn chunk(&mut self, bytes: Bytes, is_made: bool) -> Chunk {
        self.guard.wait_for_client(self.stall);
        let held = if is_made { Some(self.reader.hold(bytes.len())) } else { self.whole.clone() };
        if self.until_taken {
            let last = held.unwrap_or_else(|| self.reader.hold(0));
            self.last = Arc::downgrade(&last);
            return Chunk::new(bytes, Some(last));
        }
        Chunk::new(bytes, held)
    }

    /// Waits until the client has taken everything.
    fn poll_taken(&mut self, cx: &Context<'_>) -> Poll<()> {
        self.whole = None;
        if let Some(last) = self.last.upgrade() {
            last.wake(cx);
            // It may have been taken meanwhile: then this was the last one who held it.
            return if Arc::strong_count(&last) == 1 { Poll::Ready(()) } else { Poll::Pending };
        }
        Poll::Ready(())
    }
}

impl Body for Payload {
    type Data = Chunk;
    type Error = ApiError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Chunk>, ApiError>>> {
        let payload = self.get_mut();
        if payload.made >= TURN {
            payload.made = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let is_made = matches!(payload.source, Source::Pieces(_));
        if let Some(client) = &mut payload.client
            && is_made
            && client.poll_room(cx).is_pending()
        {
            client.guard.wait_for_server();
            return Poll::Pending;
        }
        let polled = payload.source.poll(cx);
        if let (true, Poll::Ready(Some(Ok(piece)))) = (is_made, &polled) {
            payload.made += piece.len();
        }
        let Some(client) = &mut payload.client else {
            return polled.map(|piece| piece.map(|piece| piece.map(|bytes| Frame::data(Chunk::new(bytes, None)))));
        };
        match polled {
            Poll::Ready(Some(Ok(bytes))) => Poll::Ready(Some(Ok(Frame::data(client.chunk(bytes, is_made))))),
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error))),
            Poll::Ready(None) => {
                payload.source = Source::Known(Bytes::new());
                client.poll_taken(cx).map(|()| None)
            }
            Poll::Pending => {
                client.guard.wait_for_server();
                Poll::Pending
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        let is_taken = self.client.as_ref().is_none_or(|client| !client.until_taken);
        is_taken && matches!(&self.source, Source::Known(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        self.size().map_or_else(SizeHint::default, |size| SizeHint::with_exact(size as u64))
    }
}

/// Pieces of a body in compressed form. Each is compressed by itself, so that nothing is kept between them but a sum.
struct Compressed {
    source: Source,
    /// The checksum and length of what was compressed.
    sum: Crc,
    is_begun: bool,
    is_over: bool,
}

impl Compressed {
    /// The next piece, or the end of the body.
    fn compress(&mut self, piece: Option<&[u8]>) -> Result<Vec<u8>, CompressError> {
        let mut out = Vec::new();
        if !self.is_begun {
            self.is_begun = true;
            out.extend(GZIP_HEAD);
        }
        deflate(piece, &mut out)?;
        if let Some(piece) = piece {
            self.sum.update(piece);
        } else {
            self.is_over = true;
            out.extend(self.sum.sum().to_le_bytes());
            out.extend(self.sum.amount().to_le_bytes());
        }
        Ok(out)
    }
}

/// Appends a piece in compressed form up to the end of a byte; or the end of all pieces.
fn deflate(piece: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), CompressError> {
    thread_local!(static COMPRESSOR: RefCell<(Compress, Vec<u8>)> =
        RefCell::new((Compress::new(Compression::fast(), false), Vec::with_capacity(OUTPUT))));
    COMPRESSOR.with_borrow_mut(|(compressor, output)| {
        compressor.reset();
        let (mut rest, flush) = match piece {
            Some(piece) => (piece, FlushCompress::Sync),
            None => (&[][..], FlushCompress::Finish),
        };
        loop {
            let before = compressor.total_in();
            output.clear();
            compressor.compress_vec(rest, output, flush)?;
            // Copied, since a piece that nobody reads is not to keep the room that it did not need.
            out.extend_from_slice(output);
            let taken = usize::try_from(compressor.total_in() - before).unwrap_or(rest.len());
            rest = &rest[taken..];
            // Everything is written when there was room for more.
            if rest.is_empty() && output.len() < output.capacity() {
                return Ok(());
            }
        }
    })
}

impl Stream for Compressed {
    type Item = Result<Bytes, ApiError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let compressed = match self.source.poll(cx) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
            Poll::Ready(Some(Ok(piece))) => self.compress(Some(&piece)),
            Poll::Ready(None) => self.compress(None),
        };
        let exact = |compressed: Vec<u8>| Bytes::from(compressed.into_boxed_slice());
        Poll::Ready(Some(compressed.map(exact).map_err(ApiError::internal)))
    }
}

/// The compressed form of bytes that many answers share.
pub(crate) fn compress(bytes: &[u8]) -> Result<Bytes, CompressError> {
    let mut compressed =
        Compressed { source: Source::Known(Bytes::new()), sum: Crc::new(), is_begun: false, is_over: false };
    let mut out = compressed.compress(Some(bytes))?;
    out.append(&mut compressed.compress(None)?);
    Ok(out.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use futures_util::StreamExt as _;

    use super::*;

    /// Compresses pieces, and reads them with a decoder of whole bodies.
    #[track_caller]
    fn check(pieces: &[Bytes]) {
        let source = futures_util::stream::iter(pieces.iter().cloned().map(Ok).collect::<Vec<_>>());
        let source = Source::Pieces(Box::pin(source));
        let compressed = Compressed { source, sum: Crc::new(), is_begun: false, is_over: false };
        let compressed =
            futures_util::FutureExt::now_or_never(compressed.collect::<Vec<_>>()).expect("it waits for nothing");
        let compressed = compressed.into_iter().map(|piece| piece.expect("a piece")).collect::<Vec<_>>().concat();
        let mut read = Vec::new();
        GzDecoder::new(&*compressed).read_to_end(&mut read).expect("a compressed body");
        assert!(read == pieces.concat());
    }

    #[test]
    fn pieces_are_compressed_to_one_body() {
        check(&[]);
        check(&[Bytes::from_static(b"text")]);
        check(&[Bytes::from_static(b""), Bytes::from_static(b"a"), Bytes::from_static(b"b")]);
        let text = Bytes::from(b"0123456789".repeat(100_000));
        let mut state = 1_u64;
        let noise = (0..300_000).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        });
        let noise: Bytes = noise.collect();
        check(&[text.clone(), noise.clone(), text, noise]);
    }
}
