//! Lists in any form, in pieces: only what the client is about to read is in memory.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream;
use sprag_decode::protobuf;
use sprag_registry::{List, Listing};
use sprag_rest::{ApiError, Definition, Version, weight};
use sprag_value::{Object, Time, Value};

use crate::answer;
use crate::filter::Grant;
use crate::memory::Given;
use crate::message::{self, Place};
use crate::negotiate::{Media, Output, View};
use crate::payload::Payload;
use crate::server::State;
use crate::view::{Include, Lens, Subject};

/// About as many bytes of objects as make one piece.
const PIECE: usize = 64 << 10;
/// Lists in protobuf are made as a whole up to this size. The length of a message stands at its beginning, so larger ones are
/// encoded twice: once for their length, and once to be sent in pieces.
const WHOLE_MESSAGE: usize = 1 << 20;
/// Stands for the items where a list is written without them.
const MARK: &str = "items-of-this-list";

/// The form in which list items are sent.
pub(crate) struct Form {
    pub(crate) definition: Arc<Definition>,
    pub(crate) version: Version,
    pub(crate) include: Include,
    pub(crate) now: Time,
    pub(crate) output: Output,
}

/// The request for which a list is made, on the threads of this server.
pub(crate) struct Maker {
    pub(crate) state: Arc<State>,
    pub(crate) grant: Arc<Grant>,
    /// The memory of the list.
    pub(crate) _memory: Option<Given>,
}

impl Maker {
    async fn make<T: Send>(&self, bytes: usize, make: impl FnOnce() -> T + Send) -> T {
        self.state.in_flight.make(&self.grant.user.name, bytes, make).await
    }

    /// Makes what is there before anything is sent. Who has waited for a turn waits again if there is no room any more.
    async fn make_first<T: Send>(&self, bytes: usize, mut make: impl FnMut() -> T + Send) -> T {
        loop {
            self.grant.room().await;
            if let Some(made) = self.make(bytes, || self.grant.has_room().then(&mut make)).await {
                return made;
            }
        }
    }
}

/// A list as it is stored. One that fits into a piece is known before it is sent, so that what cannot be shown is an error.
pub(crate) async fn plain(mut listing: Listing, maker: Maker) -> Result<Payload, ApiError> {
    if listing.bytes() <= PIECE {
        let work = listing.next_work(usize::MAX);
        let text = maker.make(work, || listing.next_text(usize::MAX)).await?;
        return Ok(Payload::from(text.unwrap_or_default()));
    }
    let pieces = stream::unfold((listing, maker), async |(mut listing, maker)| {
        let work = listing.next_work(PIECE);
        let piece = maker.make(work, || listing.next_text(PIECE)).await.transpose()?;
        Some((piece, (listing, maker)))
    });
    Ok(Payload::pieces(Box::pin(pieces)))
}

/// A list in another form, or of other views of its objects.
pub(crate) async fn shown(mut listing: Listing, form: Form, maker: Maker) -> Result<Payload, ApiError> {
    let is_message = form.output.media == Media::Protobuf;
    let is_whole = listing.bytes() <= if is_message { WHOLE_MESSAGE } else { PIECE };
    let first_bytes = if is_whole { usize::MAX } else { PIECE };
    let bytes = listing.next_bytes(first_bytes);
    let first = || {
        let items = listing.next_items(first_bytes)?;
        form.list(&listing, items)
    };
    let first = maker.make_first(bytes, first).await?;
    if is_whole {
        let encode = || answer::encode(&first, form.output, Some(form.place()));
        return Ok(Payload::from(maker.make(weight::text_of(&first), encode).await?));
    }
    let frame =
        if is_message { Frame::message(&first, &listing, &form, &maker).await? } else { Frame::text(&first, &form)? };
    let weight = weight::text_of(&first);
    let pieces = Pieces { listing, form, frame, first: Some(first), over: false };
    let pieces = stream::unfold((pieces, maker), async |(mut pieces, maker)| {
        let piece = maker.make(pieces.next_bytes(), || pieces.next()).await?;
        Some((piece, (pieces, maker)))
    });
    Ok(Payload::pieces(Box::pin(pieces)).weighing(weight))
}

/// A list with all its items.
pub(crate) fn whole(mut listing: Listing, form: &Form) -> Result<Value, ApiError> {
    let items = listing.next_items(usize::MAX)?;
    form.list(&listing, items)
}

impl Form {
    /// The list with these items only.
    fn list(&self, listing: &Listing, items: Vec<Value>) -> Result<Value, ApiError> {
        let lens = Lens {
            definition: &self.definition,
            version: &self.version,
            subject: Subject::Resource,
            view: self.output.view,
            include: self.include,
            now: self.now,
        };
        lens.list(List { items, ..listing.head().clone() }.to_value())
    }

    fn place(&self) -> Place<'_> {
        Place { definition: &self.definition, version: &self.version.name, subresource: "" }
    }
}

/// The encoding of a list around its items.
struct Frame {
    /// The member that has the items.
    member: &'static str,
    /// The bytes before, between and after the items.
    head: Vec<u8>,
    separator: Vec<u8>,
    tail: Vec<u8>,
    /// Lengths of the bytes before and after an item that is encoded alone.
    alone: (usize, usize),
}

impl Frame {
    /// The frame of a message, which tells its length: that of the first items and of those that the listing has left.
    async fn message(first: &Value, listing: &Listing, form: &Form, maker: &Maker) -> Result<Frame, ApiError> {
        let message = |list: &Value| message::message(list, Some(form.place()));
        let mut empty = first.clone();
        empty.insert("items", Value::from(Vec::<Value>::new()));
        let metadata = message(&empty)?;
        let mut left = listing.clone();
        let mut bytes = message(first)?.len();
        loop {
            let work = left.next_bytes(PIECE);
            if work == 0 {
                break;
            }
            let length = || -> Result<usize, ApiError> {
                let items = left.next_items(PIECE)?;
                Ok(message(&form.list(&left, items)?)?.len())
            };
            bytes += maker.make(work, length).await? - metadata.len();
        }
        let (api_version, kind) = message::type_of(first);
        let (head, tail) = protobuf::around(api_version, kind, bytes);
        let before = metadata.len();
        let separator = Vec::new();
        Ok(Frame { member: "items", head: [head, metadata].concat(), separator, tail, alone: (before, 0) })
    }

    /// The frame of a text.
    fn text(list: &Value, form: &Form) -> Result<Frame, ApiError> {
        let output = form.output;
        let member = if matches!(output.view, View::Table(_)) { "rows" } else { "items" };
        let mark = Value::from(MARK);
        let of = |items: Vec<Value>| Value::Object(Object::from([(member, Value::from(items))]));
        let mut marked = list.clone();
        marked.insert(member, Value::from(vec![mark.clone()]));
        let mark_text = if output.media == Media::Yaml { MARK.to_owned() } else { format!("\"{MARK}\"") };
        let split = |value: &Value| -> Result<Vec<Vec<u8>>, ApiError> {
            let text = answer::encode(value, output, Some(form.place()))?;
            let text = String::from_utf8_lossy(&text);
            Ok(text.split(&mark_text).map(|part| part.as_bytes().to_vec()).collect())
        };
        let mut around = split(&marked)?.into_iter();
        let alone = split(&of(vec![mark.clone(), mark]))?;
        Ok(Frame {
            member,
            head: around.next().unwrap_or_default(),
            separator: alone.get(1).cloned().unwrap_or_default(),
            tail: around.next().unwrap_or_default(),
            alone: (alone.first().map_or(0, Vec::len), alone.last().map_or(0, Vec::len)),
        })
    }

    /// Encodes the items of a list.
    fn items(&self, mut list: Value, form: &Form) -> Result<Vec<u8>, ApiError> {
        let mut text = if form.output.media == Media::Protobuf {
            message::message(&list, Some(form.place()))?
        } else {
            let items = list.remove(self.member).unwrap_or_default();
            answer::encode(&Value::Object(Object::from([(self.member, items)])), form.output, None)?
        };
        text.truncate(text.len().saturating_sub(self.alone.1));
        text.drain(..self.alone.0.min(text.len()));
        Ok(text)
    }
}

/// The pieces of a list.
struct Pieces {
    listing: Listing,
    form: Form,
    frame: Frame,
    /// The first items, until they are sent.
    first: Option<Value>,
    over: bool,
}

impl Pieces {
    /// The bytes of the objects in the next piece.
    fn next_bytes(&self) -> usize {
        self.first.as_ref().map_or_else(|| self.listing.next_bytes(PIECE), weight::text_of)
    }

    fn piece(&mut self) -> Result<Vec<u8>, ApiError> {
        let (mut text, list) = if let Some(first) = self.first.take() {
            (self.frame.head.clone(), first)
        } else {
            let items = self.listing.next_items(PIECE)?;
            if items.is_empty() {
                self.over = true;
                return Ok(std::mem::take(&mut self.frame.tail));
            }
            (self.frame.separator.clone(), self.form.list(&self.listing, items)?)
        };
        text.append(&mut self.frame.items(list, &self.form)?);
        Ok(text)
    }
}

impl Iterator for Pieces {
    type Item = Result<Bytes, ApiError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let piece = self.piece();
        self.over |= piece.is_err();
        Some(piece.map(Bytes::from))
    }
}
