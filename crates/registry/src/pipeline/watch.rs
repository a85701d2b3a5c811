//! Watching objects.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use sprag_decode::typed;
use sprag_rest::{ApiError, ListOptions, Request, Result, meta};
use sprag_storage::{Entry, Error as StoreError, Event, Notice, Revision, Scope, Watch};
use sprag_value::{Object, Value};

use super::kept::{self, Kept};
use super::{HEAVY_BYTES, get};
use crate::cache::{self, Selection};
use crate::encoded;
use crate::registry::{Installed, Registry, Target};

/// The annotation of the bookmark that follows the initial events of a watch.
pub const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// The type of a watch event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchKind {
    /// It is new, or new among those that are watched.
    Added,
    /// It changed.
    Modified,
    /// It is gone, or gone from those that are watched.
    Deleted,
    /// Nothing; this is how far the watch is.
    Bookmark,
    /// The watch ends.
    Error,
}

/// One event of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchEvent {
    /// The type of the event.
    pub kind: WatchKind,
    /// The object, or the status of an error.
    pub object: Value,
}

/// One event of a watch as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchLine {
    /// The type of the event.
    pub kind: WatchKind,
    /// `{"type":…,"object":…}` and the end of the line.
    pub text: Bytes,
}

/// A watch event before it is encoded.
enum Change {
    /// An entry as of a revision.
    Entry(WatchKind, Arc<Entry>, Revision),
    /// A bookmark.
    Bookmark(Value),
    /// The error that ends the watch.
    Error(ApiError),
}

/// Events of a resource. Dropping it ends the watch.
pub struct WatchStream {
    shown: Shown,
    selection: Selection,
    bookmarks: bool,
    initial: VecDeque<Kept>,
    /// The bookmark that ends the initial events, as of when.
    initial_end: Option<Revision>,
    /// The error that ends the watch before its first event.
    failure: Option<ApiError>,
    watch: Option<Watch>,
    /// The change to be shown next.
    pending: Option<Change>,
}

/// The form in which changes of a resource are shown to a user.
struct Shown {
    registry: Registry,
    installed: Arc<Installed>,
    version: String,
    user: String,
}

impl WatchKind {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            WatchKind::Added => "ADDED",
            WatchKind::Modified => "MODIFIED",
            WatchKind::Deleted => "DELETED",
            WatchKind::Bookmark => "BOOKMARK",
            WatchKind::Error => "ERROR",
        }
    }
}

impl WatchEvent {
    /// The event as text.
    pub fn to_line(&self) -> WatchLine {
        let mut text = format!(r#"{{"type":"{}","object":"#, self.kind.name());
        encoded::write(&self.object, &mut text);
        text.push_str("}\n");
        WatchLine { kind: self.kind, text: text.into() }
    }
}

impl Registry {
    /// Watches the objects that the options pick, or the one that the request names.
    pub async fn watch(&self, request: &Request<'_>, options: &ListOptions) -> Result<WatchStream> {
        let target = self.resolve(request)?;
        options.validate_watch(self.gates())?;
        let definition = target.definition();
        let mut selection =
            Selection::parse(definition, request.version, &options.label_selector, &options.field_selector)?;
        if !request.name.is_empty() {
            selection.narrow(request.name)?;
        }
        let from_scratch = matches!(options.resource_version.as_str(), "" | "0");
        let mut after = Revision(get::parse_revision(&options.resource_version)?);
        let shown = Shown {
            registry: self.clone(),
            installed: target.installed.clone(),
            version: request.version.to_owned(),
            user: request.user.name.clone(),
        };
        let mut stream = WatchStream {
            shown,
            selection,
            bookmarks: options.allow_watch_bookmarks,
            initial: VecDeque::new(),
            initial_end: None,
            failure: None,
            watch: None,
            pending: None,
        };
        if options.send_initial_events.unwrap_or(from_scratch) {
            if options.send_initial_events.is_some()
                && let Err(error) = target.check_reached(after.0).await
            {
                stream.failure = Some(error);
                return Ok(stream);
            }
            let (found, list) = target.list_selected(&ListOptions::default(), &stream.selection).await?;
            after = Revision(meta::parse_revision(&list.resource_version).map_err(ApiError::unknown)?);
            stream.initial = kept::keep(&*self.0.store, found).into();
            stream.initial_end = stream.bookmarks.then_some(after);
        } else if from_scratch {
            after = target.revision().await?;
        }
        let store = &self.0.store;
        stream.watch = target.watched(&stream.selection).map(|scope| match stream.selection.name() {
            Some(name) => store.watch_name(&scope, name, after),
            None => store.watch(&scope, after),
        });
        Ok(stream)
    }

    /// Asks every watch that wants bookmarks for one.
    pub fn request_bookmarks(&self) {
        self.0.store.request_progress();
    }
}

impl Target<'_> {
    /// The scope of the store that a selection is from; `None` if it cannot match anything. A watch of one object receives events of that
    /// one only.
    fn watched(&self, selection: &Selection) -> Option<Scope> {
        let namespace = self.write.namespace();
        let named = selection.name();
        if let Some(name) = named.filter(|_| !self.definition().namespaced() || !namespace.is_empty())
            && let Ok(key) = self.key(name)
        {
            return Some(Scope::object(&key));
        }
        self.scope(namespace)
    }
}

impl WatchStream {
    /// Waits for the next event; none once the watch is over.
    pub async fn next(&mut self) -> Option<WatchEvent> {
        self.await_change().await;
        let _turn = self.shown.conversion_turn().await;
        let change = self.pending.as_ref()?;
        let bytes = if let Change::Entry(_, entry, _) = change { entry.value.len() } else { 0 };
        let event = self.shown.heavy(bytes, || self.shown.event(change)).await;
        self.pending = None;
        event
    }

    /// The same as text, which is made once for all who watch alike.
    pub async fn next_encoded(&mut self) -> Option<WatchLine> {
        self.await_change().await;
        let _turn = self.shown.conversion_turn().await;
        let line = match self.pending.as_ref()? {
            Change::Entry(kind, entry, revision) => match self.shown.line(*kind, entry, *revision).await {
                Some(Ok(text)) => Some(WatchLine { kind: *kind, text }),
                Some(Err(error)) => Some(self.shown.event(&Change::Error(error)).to_line()),
                None => None,
            },
            other => Some(self.shown.event(other).to_line()),
        };
        self.pending = None;
        line
    }

    /// The memory that its initial events take, beside that of the store, until they are sent.
    pub fn owned_bytes(&self) -> usize {
        self.initial.iter().map(Kept::owned_bytes).sum()
    }

    /// True until its initial events are sent.
    pub fn has_initial(&self) -> bool {
        !self.initial.is_empty()
    }

    /// Waits for the next change, which is kept until it is shown: a wait may be given up.
    async fn await_change(&mut self) {
        if self.pending.is_none() {
            self.pending = self.next_change().await;
        }
    }

    async fn next_change(&mut self) -> Option<Change> {
        if let Some(error) = self.failure.take() {
            return Some(Change::Error(error));
        }
        if let Some(entry) = self.initial.pop_front() {
            return Some(match entry.take() {
                Ok(entry) => {
                    let revision = entry.revision;
                    Change::Entry(WatchKind::Added, entry, revision)
                }
                Err(error) => {
                    self.initial.clear();
                    Change::Error(error)
                }
            });
        }
        if let Some(revision) = self.initial_end.take() {
            let mut object = self.shown.bookmark(revision);
            let end = Object::from([(INITIAL_EVENTS_END, Value::from("true"))]);
            meta::set(&mut object, "annotations", Value::Object(end));
            return Some(Change::Bookmark(object));
        }
        loop {
            let notice = self.watch.as_mut()?.next().await?;
            if self.shown.installed.is_replaced() && !is_removal(&notice) {
                return None;
            }
            match notice {
                Ok(Notice::Progress(revision)) if self.bookmarks => {
                    return Some(Change::Bookmark(self.shown.bookmark(revision)));
                }
                Ok(Notice::Progress(_)) => {}
                Ok(Notice::Event(event)) => {
                    if let Some((kind, entry)) = self.translate(&event) {
                        return Some(Change::Entry(kind, entry, event.revision));
                    }
                }
                Err(error) => return Some(Change::Error(store_error(&error))),
            }
        }
    }

    /// Translates a change of the store into an event for the watchers of a selection. An object that stops matching is
    /// shown as it was while it matched.
    fn translate(&self, event: &Event) -> Option<(WatchKind, Arc<Entry>)> {
        let now = event.entry.as_ref().filter(|entry| self.picks(entry));
        let before = event.previous.as_ref().filter(|entry| self.picks(entry));
        let (kind, entry) = match (now, before) {
            (Some(now), None) => (WatchKind::Added, now),
            (Some(now), Some(_)) => (WatchKind::Modified, now),
            (None, Some(before)) => (WatchKind::Deleted, before),
            (None, None) => return None,
        };
        Some((kind, entry.clone()))
    }

    fn picks(&self, entry: &Arc<Entry>) -> bool {
        if self.selection.is_empty() {
            return true;
        }
        let definition = &self.shown.installed.definition;
        // An object that cannot be decoded matches only an empty selector.
        self.shown
            .installed
            .cache
            .get(definition, entry)
            .and_then(|index| index.matches(definition, &self.shown.version, entry, &self.selection))
            .unwrap_or(false)
    }
}

impl Shown {
    /// Waits for the turn to convert, if a webhook does that.
    async fn conversion_turn(&self) -> Option<Box<dyn Send>> {
        self.registry.conversion_turn(&self.installed.definition, &self.version).await
    }

    /// The line of an entry; nothing if making it was given up.
    async fn line(&self, kind: WatchKind, entry: &Entry, revision: Revision) -> Option<Result<Bytes>> {
        if entry.value.len() >= HEAVY_BYTES
            && let Some(line) = self.installed.recent_line(kind, &self.version, revision)
        {
            return Some(Ok(line));
        }
        let bytes = self.installed.decoded_for_text(&self.version, entry);
        self.heavy(bytes, || self.installed.line(kind, &self.version, entry, revision)).await
    }

    async fn heavy<T: Send>(&self, bytes: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
        self.registry.heavy(&self.user, bytes, work).await
    }

    fn event(&self, change: &Change) -> WatchEvent {
        let failed = |error: &ApiError| WatchEvent { kind: WatchKind::Error, object: error.to_status() };
        match change {
            Change::Entry(kind, entry, revision) => match self.object(entry, *revision) {
                Ok(object) => WatchEvent { kind: *kind, object },
                Err(error) => failed(&error),
            },
            Change::Bookmark(object) => WatchEvent { kind: WatchKind::Bookmark, object: object.clone() },
            Change::Error(error) => failed(error),
        }
    }

    fn object(&self, entry: &Entry, revision: Revision) -> Result<Value> {
        let definition = &self.installed.definition;
        let object = cache::decode(definition, entry)?;
        let mut object = definition.convert(object, &definition.storage_version, &self.version)?;
        meta::set_resource_version(&mut object, revision.0);
        Ok(object)
    }

    /// An object without anything but a resource version, and what objects of its type cannot be without.
    fn bookmark(&self, revision: Revision) -> Value {
        let definition = &self.installed.definition;
        let metadata = Object::from([("resourceVersion", Value::from(revision.to_string()))]);
        let bare = Value::Object(Object::from([
            ("apiVersion", Value::from(definition.api_version(&self.version))),
            ("kind", Value::from(definition.kind.as_str())),
            ("metadata", Value::Object(metadata)),
        ]));
        match definition.written_shape(&self.version) {
            Some((shapes, id)) => typed::round_trip(shapes, id, &bare),
            None => bare,
        }
    }
}

/// True for a deletion. Objects that are deleted with their definition are reported too: they cannot be looked up later.
fn is_removal(notice: &Result<Notice, StoreError>) -> bool {
    matches!(notice, Ok(Notice::Event(event)) if event.entry.is_none())
}

fn store_error(error: &StoreError) -> ApiError {
    match error {
        StoreError::Gone { .. } => ApiError::expired(error.to_string()),
        error => ApiError::internal(error.for_clients()),
    }
}
