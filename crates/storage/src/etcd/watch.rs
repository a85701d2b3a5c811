//! A watch that survives the servers it runs on.

use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::client;
use super::hub::{Hub, HubEnd};
use super::{Inner, revision, wire};
use crate::watch::Feed;
use crate::{Error, Event, Notice, Result, Revision, Scope};

/// Queue length for a slow reader; when it is full, the sender waits.
const QUEUE: usize = 64;
/// Maximum bytes of values in the queue; one event always fits.
const QUEUE_BYTES: u32 = 256 << 10;
/// The first and the longest pause before a broken watch is opened again.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// The receiving end of a watch.
pub(super) struct EtcdFeed {
    notices: mpsc::Receiver<Queued>,
    task: AbortHandle,
}

impl EtcdFeed {
    /// Starts to watch on the runtime that the store was connected on.
    pub(super) fn start(
        inner: &Arc<Inner>,
        scope: &Scope,
        after: Revision,
        progress: watch::Receiver<u64>,
    ) -> EtcdFeed {
        let (sender, notices) = mpsc::channel(QUEUE);
        let listener = Listener::Queue { sender, room: Arc::new(Semaphore::new(QUEUE_BYTES as usize)) };
        let task = Task { inner: inner.clone(), scope: scope.clone(), position: after, listener, progress };
        EtcdFeed { notices, task: inner.runtime.spawn(task.run()).abort_handle() }
    }
}

/// Watches for a hub, as long as it is there.
pub(super) fn follow_for(
    inner: &Arc<Inner>,
    scope: &Scope,
    after: Revision,
    hub: Weak<Hub>,
    progress: watch::Receiver<u64>,
) -> impl Future<Output = ()> + use<> {
    let listener = Listener::Hub(hub);
    Task { inner: inner.clone(), scope: scope.clone(), position: after, listener, progress }.run()
}

impl Feed for EtcdFeed {
    fn poll_notice(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Notice>>> {
        self.notices.poll_recv(cx).map(|queued| queued.map(|(notice, _room)| notice))
    }
}

impl Drop for EtcdFeed {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A notice that waits for its reader, with the room that it takes up.
type Queued = (Result<Notice>, Option<OwnedSemaphorePermit>);

/// The sending end of a watch.
struct Task {
    inner: Arc<Inner>,
    scope: Scope,
    /// Everything up to here was sent.
    position: Revision,
    listener: Listener,
    /// Changes on a progress request; closes with the store.
    progress: watch::Receiver<u64>,
}

/// The receiver of events.
enum Listener {
    /// One watch.
    Queue {
        sender: mpsc::Sender<Queued>,
        /// The bytes that the queue has room for.
        room: Arc<Semaphore>,
    },
    /// All watches of a resource.
    Hub(Weak<Hub>),
}

/// The reason why a stream ended.
enum End {
    /// Another one can go on.
    Broken,
    /// The receiver is gone, or the stream is complete.
    Over,
}

impl Task {
    async fn run(mut self) {
        let mut pause = PAUSE.0;
        loop {
            let before = self.position;
            if let End::Over = self.follow().await {
                return self.listener.end(HubEnd::Closed);
            }
            if self.position > before {
                pause = PAUSE.0;
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    /// Follows one stream until it ends.
    async fn follow(&mut self) -> End {
        let (requests, receiver) = mpsc::channel(2);
        // The channel is empty and has room for it.
        let _ = requests.try_send(self.create());
        let mut stream = match self.inner.client.watch(Requests(receiver)).await {
            Ok(stream) => stream,
            Err(error) => return self.fail(error).await,
        };
        loop {
            let message = tokio::select! {
                message = stream.message() => message,
                asked = self.progress.changed() => {
                    if asked.is_err() {
                        return End::Over;
                    }
                    if self.inner.answers_progress {
                        let progress = wire::WatchUnion::Progress(wire::WatchProgressRequest {});
                        // With one request on its way, another one adds nothing.
                        let _ = requests.try_send(wire::WatchRequest { request_union: Some(progress) });
                    }
                    continue;
                }
            };
            let end = match message {
                Ok(Some(response)) => self.take(response).await,
                Ok(None) => Some(End::Broken),
                Err(status) => Some(self.fail(client::into_error(&status)).await),
            };
            if let Some(end) = end {
                self.inner.client.leave_current();
                return end;
            }
        }
    }

    fn create(&self) -> wire::WatchRequest {
        let (key, range_end) = self.inner.range(&self.scope);
        let create = wire::WatchCreateRequest {
            key,
            range_end,
            start_revision: super::number(self.position.next()),
            progress_notify: true,
            prev_kv: true,
        };
        wire::WatchRequest { request_union: Some(wire::WatchUnion::Create(create)) }
    }

    /// Passes a response on; some end if it was the last of this stream.
    async fn take(&mut self, response: wire::WatchResponse) -> Option<End> {
        if response.canceled || response.compact_revision != 0 {
            if response.compact_revision == 0 {
                // A token that is not known any more is one of the reasons.
                self.inner.client.forget_token();
                return Some(End::Broken);
            }
            let oldest = revision(response.compact_revision);
            return Some(self.fail(Error::Gone { requested: self.position, oldest }).await);
        }
        let at = revision(response.header.map_or(0, |header| header.revision));
        if response.events.is_empty() && !response.created && at > Revision::default() {
            self.position = self.position.max(at);
            return self.listener.progress(at).await;
        }
        let mut events: Vec<Event> = response.events.into_iter().filter_map(|event| self.event(event)).collect();
        let halved = events.iter().position(is_halved);
        let oldest = halved.map(|halved| events[halved].revision);
        events.truncate(halved.unwrap_or(events.len()));
        if let Some(last) = events.last() {
            self.position = last.revision;
        }
        if let Some(end) = self.listener.events(events).await {
            return Some(end);
        }
        match oldest {
            Some(oldest) => Some(self.fail(Error::Gone { requested: self.position, oldest }).await),
            None => None,
        }
    }

    /// An event of ours; none for keys that are not.
    fn event(&self, event: wire::Event) -> Option<Event> {
        let kv = event.kv?;
        let revision = revision(kv.mod_revision);
        let key = self.inner.key(&kv.key)?;
        let previous = event.prev_kv.and_then(|previous| self.inner.entry(previous));
        let entry = if event.kind == wire::Event::DELETE { None } else { self.inner.entry(kv) };
        Some(Event { revision, key, entry, previous })
    }

    /// Tells the listener of an error that no other server can help with.
    async fn fail(&self, error: Error) -> End {
        if let Error::Unavailable { .. } = error {
            return End::Broken;
        }
        self.listener.fail(error).await;
        End::Over
    }
}

impl Listener {
    /// Forwards the events of one response; ends if the receiver is gone.
    async fn events(&self, events: Vec<Event>) -> Option<End> {
        match self {
            Listener::Queue { sender, room } => {
                for event in events {
                    let bytes = u32::try_from(event.bytes()).unwrap_or(u32::MAX).min(QUEUE_BYTES);
                    // The semaphore is never closed.
                    let room = room.clone().acquire_many_owned(bytes).await.ok();
                    if sender.send((Ok(Notice::Event(event)), room)).await.is_err() {
                        return Some(End::Over);
                    }
                }
                None
            }
            Listener::Hub(hub) => tell(hub, |hub| hub.add(events)),
        }
    }

    async fn progress(&self, at: Revision) -> Option<End> {
        match self {
            Listener::Queue { sender, .. } => {
                sender.send((Ok(Notice::Progress(at)), None)).await.is_err().then_some(End::Over)
            }
            Listener::Hub(hub) => tell(hub, |hub| hub.progress(at)),
        }
    }

    async fn fail(&self, error: Error) {
        match self {
            // Without a listener there is nobody to tell.
            Listener::Queue { sender, .. } => _ = sender.send((Err(error), None)).await,
            Listener::Hub(_) => self.end(HubEnd::Failed),
        }
    }

    fn end(&self, why: HubEnd) {
        if let Listener::Hub(hub) = self {
            tell(hub, |hub| hub.end(why));
        }
    }
}

fn tell(hub: &Weak<Hub>, what: impl FnOnce(&Hub)) -> Option<End> {
    let Some(hub) = hub.upgrade() else { return Some(End::Over) };
    what(&hub);
    None
}

/// True if an event lacks what it replaced, because that is compacted already: it would look like a creation. Upstream's
/// `etcd3.parseEvent` ends the watch then, too.
fn is_halved(event: &Event) -> bool {
    let is_new = event.entry.as_ref().is_some_and(|entry| entry.created == entry.revision);
    event.previous.is_none() && !is_new
}

/// The requests of one stream.
struct Requests(mpsc::Receiver<wire::WatchRequest>);

impl Stream for Requests {
    type Item = wire::WatchRequest;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<wire::WatchRequest>> {
        self.0.poll_recv(cx)
    }
}
