//! One stream of etcd for all watches of a resource, as upstream's `cacher.Cacher` has it.
//!
//! A [`Hub`] keeps the latest events of a resource, and watches read them there. One that begins before those, or falls behind, has a
//! stream of its own until it has caught up.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use tokio::sync::watch as latest;
use tokio::task::AbortHandle;

use super::Inner;
use super::watch::{EtcdFeed, follow_for};
use crate::mvcc::{Waiters, Woken};
use crate::watch::Feed;
use crate::{Event, Notice, Result, Revision, Scope};

/// The most events that a hub keeps, and the most bytes of their values.
const MOST_EVENTS: usize = 4096;
const MOST_BYTES: usize = 8 << 20;
/// Maximum number and bytes of events that a watch takes per lock.
const READ_AHEAD: usize = 64;
const READ_AHEAD_BYTES: usize = 256 << 10;

/// The hubs of resources that are watched.
#[derive(Default)]
pub(super) struct Hubs(Mutex<HashMap<String, Weak<Hub>>>);

impl Hubs {
    /// A watch of a scope.
    pub(super) fn watch(
        &self,
        inner: &Arc<Inner>,
        scope: &Scope,
        after: Revision,
        progress: latest::Receiver<u64>,
    ) -> SharedFeed {
        let hub = self.hub(inner, scope, after, progress.clone());
        let seen = hub.kept().progress;
        let id = hub.watches.fetch_add(1, Ordering::Relaxed);
        let inner = inner.clone();
        let scope = scope.clone();
        SharedFeed { hub, inner, scope, position: after, id, buffer: VecDeque::new(), seen, own: None, progress }
    }

    /// The hub of the resource of a scope. A new one begins where its first watch does.
    fn hub(&self, inner: &Arc<Inner>, scope: &Scope, after: Revision, progress: latest::Receiver<u64>) -> Arc<Hub> {
        let mut hubs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = hubs.get(scope.table()).and_then(Weak::upgrade);
        if let Some(hub) = known.filter(|hub| hub.kept().end.is_none()) {
            return hub;
        }
        hubs.retain(|_, hub| hub.strong_count() > 0);
        let hub = Arc::new(Hub::new(after));
        let stream = follow_for(inner, &scope.whole_table(), after, Arc::downgrade(&hub), progress);
        let _ = hub.task.set(inner.runtime.spawn(stream).abort_handle());
        hubs.insert(scope.table().to_owned(), Arc::downgrade(&hub));
        hub
    }
}

/// The latest events of a resource. Its stream ends with its last watch.
pub(super) struct Hub {
    kept: Mutex<Kept>,
    waiters: Waiters,
    watches: AtomicU64,
    task: OnceLock<AbortHandle>,
}

struct Kept {
    events: VecDeque<Event>,
    bytes: usize,
    /// Every event after this revision, up to the position, is kept.
    after: Revision,
    position: Revision,
    /// Counts the notices of progress.
    progress: u64,
    end: Option<HubEnd>,
}

/// The reason why a hub ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HubEnd {
    /// The store is closed.
    Closed,
    /// Its stream failed. Watches find out on streams of their own what that means for them.
    Failed,
}

impl Hub {
    fn new(after: Revision) -> Hub {
        let events = VecDeque::new();
        let bytes = 0;
        let progress = 0;
        let kept = Kept { events, bytes, after, position: after, progress, end: None };
        Hub { kept: Mutex::new(kept), waiters: Waiters::default(), watches: AtomicU64::new(0), task: OnceLock::new() }
    }

    /// No code that can panic runs between two steps of a change, so a poisoned lock guards a whole state.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the events of one response. Those of one revision, as of a lease that ran out, come together.
    pub(super) fn add(&self, events: Vec<Event>) {
        let mut kept = self.kept();
        let mut wakers = Vec::new();
        for event in events {
            self.waiters.take(&event.key, event.revision, &mut wakers);
            kept.position = kept.position.max(event.revision);
            kept.bytes += event.bytes();
            kept.events.push_back(event);
        }
        kept.trim();
        drop(kept);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Notes that every event up to a revision was taken.
    pub(super) fn progress(&self, at: Revision) {
        self.change(|kept| {
            kept.position = kept.position.max(at);
            kept.progress += 1;
        });
    }

    pub(super) fn end(&self, why: HubEnd) {
        self.change(|kept| _ = kept.end.get_or_insert(why));
    }

    /// Changes what all watches have to know.
    fn change(&self, change: impl FnOnce(&mut Kept)) {
        let mut kept = self.kept();
        let mut wakers = Vec::new();
        change(&mut kept);
        self.waiters.take_all(kept.position, &mut wakers);
        drop(kept);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Kept {
    /// True if a watch that has seen everything up to a revision can go on here.
    fn covers(&self, position: Revision) -> bool {
        self.after <= position && self.end != Some(HubEnd::Failed)
    }

    fn trim(&mut self) {
        while self.events.len() > MOST_EVENTS || self.bytes > MOST_BYTES {
            let Some(oldest) = self.events.pop_front() else { return };
            self.bytes -= oldest.bytes();
            self.after = oldest.revision;
        }
    }

    /// Takes the next events of a scope; returns up to where that is all.
    fn read(&self, scope: &Scope, position: Revision, buffer: &mut VecDeque<Event>) -> Revision {
        let from = self.events.partition_point(|event| event.revision <= position);
        let mut bytes = 0;
        for event in self.events.range(from..).filter(|event| scope.contains(&event.key)) {
            let is_full = buffer.len() >= READ_AHEAD || bytes >= READ_AHEAD_BYTES;
            if let Some(last) = buffer.back().filter(|last| is_full && last.revision != event.revision) {
                return last.revision;
            }
            bytes += event.bytes();
            buffer.push_back(event.clone());
        }
        position.max(self.position)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

/// A watch that reads from a hub, or from a stream of its own while the hub does not have what it needs.
pub(super) struct SharedFeed {
    hub: Arc<Hub>,
    inner: Arc<Inner>,
    scope: Scope,
    /// Everything in the scope up to here is delivered or in the buffer.
    position: Revision,
    id: u64,
    buffer: VecDeque<Event>,
    /// The last notice of progress that was passed on.
    seen: u64,
    own: Option<EtcdFeed>,
    progress: latest::Receiver<u64>,
}

impl SharedFeed {
    /// The next notice of the hub. Nothing if the watch needs a stream of its own.
    fn poll_hub(&mut self, cx: &mut Context<'_>) -> Option<Poll<Option<Result<Notice>>>> {
        let kept = self.hub.kept();
        if !kept.covers(self.position) {
            return None;
        }
        self.position = kept.read(&self.scope, self.position, &mut self.buffer);
        if let Some(event) = self.buffer.pop_front() {
            return Some(Poll::Ready(Some(Ok(Notice::Event(event)))));
        }
        if kept.end.is_some() {
            return Some(Poll::Ready(None));
        }
        if self.seen != kept.progress && self.position == kept.position {
            self.seen = kept.progress;
            return Some(Poll::Ready(Some(Ok(Notice::Progress(self.position)))));
        }
        // Changes need the lock that is held here, so none can slip in before the waker is known.
        self.hub.waiters.add(self.id, &self.scope, None, cx.waker(), &Arc::new(Woken::default()));
        Some(Poll::Pending)
    }

    /// The next notice of its own stream. Nothing if it has none, or once the hub has the notice, too.
    fn poll_own(&mut self, cx: &mut Context<'_>) -> Option<Poll<Option<Result<Notice>>>> {
        let polled = self.own.as_mut()?.poll_notice(cx);
        if let Poll::Ready(Some(Ok(notice))) = &polled {
            let at = match notice {
                Notice::Event(event) => event.revision,
                Notice::Progress(at) => *at,
            };
            // All events of the position were delivered, now that there is one of a later revision.
            if at > self.position && self.hub.kept().covers(self.position) {
                self.own = None;
                return None;
            }
            self.position = self.position.max(at);
        }
        Some(polled)
    }
}

impl Feed for SharedFeed {
    fn poll_notice(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Notice>>> {
        if let Some(event) = self.buffer.pop_front() {
            return Poll::Ready(Some(Ok(Notice::Event(event))));
        }
        loop {
            if let Some(polled) = self.poll_own(cx).or_else(|| self.poll_hub(cx)) {
                return polled;
            }
            let progress = self.progress.clone();
            self.own = Some(EtcdFeed::start(&self.inner, &self.scope, self.position, progress));
        }
    }
}

impl Drop for SharedFeed {
    fn drop(&mut self) {
        self.hub.waiters.remove(self.id, &self.scope);
    }
}
