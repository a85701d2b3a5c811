//! Watches: one line of JSON for each event, until the time is over or the server stops.

use std::future::pending;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use sprag_decode::protobuf;
use sprag_registry::{WatchEvent, WatchKind, WatchLine, WatchStream};
use sprag_rest::{ApiError, Definition, User, Version, weight};
use sprag_value::{Object, Value};
use tokio::time::{Instant, Sleep, sleep_until};

use super::Call;
use crate::answer::{self, Answer};
use crate::filter::{Grant, Ongoing};
use crate::handler::caught;
use crate::memory::Given;
use crate::message::{self, Place};
use crate::metrics;
use crate::negotiate::{Media, Output, View};
use crate::payload::Payload;
use crate::server::State;
use crate::view::{Include, Lens, Subject};

/// Minimum duration of a watch without `timeoutSeconds`; the actual one is random, up to twice as long.
const MIN_WATCH: Duration = Duration::from_mins(30);
/// Grace period after a watch ends before a client that does not read is disconnected.
const AFTER_END: Duration = Duration::from_secs(1);

impl Call<'_> {
    pub(super) async fn watch(&self) -> Result<Answer, ApiError> {
        let output = self.output()?;
        let options = self.query.list_options()?;
        let timeout = match self.query.number("timeoutSeconds")?.and_then(|seconds| u64::try_from(seconds).ok()) {
            Some(0) | None => MIN_WATCH + self.state.jitter(MIN_WATCH),
            Some(seconds) => Duration::from_secs(seconds),
        };
        let selectors = options.label_selector.len() + options.field_selector.len();
        let user = &self.grant.user.name;
        let memory = self.state.in_flight.memory.to_watch(user, selectors)?;
        let events = self.state.registry.watch(&self.request(), &options).await?;
        let initial = self.state.in_flight.memory.to_list(user, events.owned_bytes()).await?;
        let output = output.of_events()?;
        let lens = self.lens(output)?;
        let version = lens.version.clone();
        let include = lens.include;
        let shown = Shown {
            state: self.state.clone(),
            user: self.grant.user.clone(),
            definition: self.definition.clone(),
            version,
            include,
            output,
        };
        // A time that no clock reaches is not a limit.
        let until = Instant::now().checked_add(timeout);
        let request = Ongoing { method: self.head.method.clone(), uri: self.head.uri.clone() };
        let watch = Watching::new(shown, events, until, (self.grant.clone(), request));
        let watch = Watching { initial, _memory: Some(memory), ..watch };
        let lines = stream::unfold(watch, async |mut watch| {
            let line = watch.next().await?;
            Some((Ok(line), watch))
        });
        let payload = Payload::pieces(Box::pin(lines)).ending_at(until.and_then(|until| until.checked_add(AFTER_END)));
        let mut answer = answer::encoded(200, payload, output, &self.warnings(Vec::new()));
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(output.stream_type()));
        Ok(answer)
    }
}

/// A watch that is under way. Events are made as the client reads them, so none wait for it in memory.
struct Watching {
    shown: Shown,
    events: WatchStream,
    until: Option<Pin<Box<Sleep>>>,
    /// The server stops, or the client may not watch any more.
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
    first: bool,
    over: bool,
    /// The memory of the initial events, until they are sent.
    initial: Option<Given>,
    _memory: Option<Given>,
    _counted: metrics::Watching,
}

/// The form in which events are sent.
struct Shown {
    state: Arc<State>,
    user: Arc<User>,
    definition: Arc<Definition>,
    version: Version,
    include: Include,
    output: Output,
}

impl Watching {
    fn new(
        shown: Shown,
        events: WatchStream,
        until: Option<Instant>,
        (grant, request): (Arc<Grant>, Ongoing),
    ) -> Watching {
        let state = shown.state.clone();
        let counted = state.metrics.count_watch();
        Watching {
            shown,
            events,
            until: until.map(|until| Box::pin(sleep_until(until))),
            ended: Box::pin(async move {
                tokio::select! {
                    () = state.stopped() => {}
                    () = grant.lost(&state, &request) => {}
                }
            }),
            first: true,
            over: false,
            initial: None,
            _memory: None,
            _counted: counted,
        }
    }

    /// The next event as text; none when the watch is over.
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        let Watching { shown, events, until, ended, first, .. } = self;
        let over = async {
            match until {
                Some(until) => until.as_mut().await,
                None => pending().await,
            }
        };
        let line = tokio::select! {
            biased;
            () = over => return None,
            () = ended => return None,
            line = caught(next(events, shown, first)) => line,
        };
        let line = if let Some(line) = line {
            line?
        } else {
            shown.state.metrics.count_panic();
            shown.failed(&ApiError::panicked())
        };
        self.over = line.kind == WatchKind::Error;
        if !self.events.has_initial() {
            self.initial = None;
        }
        Some(line.text)
    }
}

/// The next event as text. An object cannot be a list of metadata, so such a watch ends with its first one.
async fn next(events: &mut WatchStream, shown: &Shown, first: &mut bool) -> Option<WatchLine> {
    if shown.output.is_plain() {
        return events.next_encoded().await;
    }
    let can_be_shown =
        |event: &WatchEvent| event.kind == WatchKind::Error || !matches!(shown.output.view, View::MetadataList(_));
    let event = events.next().await.filter(can_be_shown)?;
    let bytes = weight::text_of(&event.object);
    Some(shown.state.in_flight.make(&shown.user.name, bytes, || shown.line(event, first)).await)
}

impl Shown {
    fn line(&self, event: WatchEvent, first: &mut bool) -> WatchLine {
        let WatchEvent { kind, object } = event;
        let lens = Lens {
            definition: &self.definition,
            version: &self.version,
            subject: Subject::Resource,
            view: self.output.view,
            include: self.include,
            now: self.state.registry.now(),
        };
        let object = if kind == WatchKind::Error { object } else { lens.event(object, std::mem::take(first)) };
        self.encoded(kind, object).unwrap_or_else(|error| self.failed(&error))
    }

    fn encoded(&self, kind: WatchKind, object: Value) -> Result<WatchLine, ApiError> {
        let text = if self.output.media == Media::Protobuf {
            let place = Place { definition: &self.definition, version: &self.version.name, subresource: "" };
            protobuf::watch_event(kind.name(), &message::encode(&object, Some(place))?)
        } else if self.output.media == Media::Json {
            let object = answer::encode(&object, Output { pretty: false, ..self.output }, None)?;
            // The end of the line comes behind the event.
            [format!(r#"{{"type":"{}","object":"#, kind.name()).as_bytes(), object.trim_ascii_end(), b"}\n"].concat()
        } else {
            let event = Value::Object(Object::from([("type", Value::from(kind.name())), ("object", object)]));
            answer::encode(&event, self.output, None)?
        };
        Ok(WatchLine { kind, text: text.into() })
    }

    /// The end of a watch whose object cannot be written.
    fn failed(&self, error: &ApiError) -> WatchLine {
        let line = self.encoded(WatchKind::Error, error.to_status());
        line.unwrap_or_else(|_| WatchLine { kind: WatchKind::Error, text: Bytes::new() })
    }
}
