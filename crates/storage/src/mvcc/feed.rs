//! A watch that reads the kept events in place: nothing is queued per watcher.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::Core;
use super::waiters::Woken;
use crate::watch::Feed;
use crate::{Error, Event, Notice, Result, Revision, Scope};

/// Maximum number of events taken per lock.
const READ_AHEAD: usize = 64;
/// Maximum bytes of their values: a watcher that stops reading keeps them in memory.
const READ_AHEAD_BYTES: usize = 256 << 10;
/// Maximum number of events looked at per lock, which writers wait for.
const MAX_LOOKED_AT: usize = 10_000;

/// The position of one watcher in the history.
pub(super) struct CoreFeed {
    core: Arc<Core>,
    id: u64,
    table: usize,
    scope: Scope,
    /// The name of the objects that are watched, if not of all.
    name: Option<Arc<str>>,
    /// Everything in the scope up to here is delivered or in the buffer.
    position: Revision,
    woken: Arc<Woken>,
    /// Nothing in the scope happened since the position, up to where `woken` says.
    waits: bool,
    buffer: VecDeque<Event>,
    /// The last request for progress that was answered.
    progress: u64,
    started: bool,
}

impl CoreFeed {
    pub(super) fn new(core: &Arc<Core>, scope: &Scope, name: Option<&str>, after: Revision) -> CoreFeed {
        CoreFeed {
            id: core.next_watch(),
            table: core.write().table_id(scope.table()),
            scope: scope.clone(),
            name: name.map(Arc::from),
            position: after,
            woken: Arc::default(),
            waits: false,
            buffer: VecDeque::new(),
            progress: core.progress_requests(),
            started: false,
            core: core.clone(),
        }
    }

    /// Takes the next events into the buffer; without any, answers a request for progress or waits.
    fn refill(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Notice>>> {
        let state = self.core.read();
        if std::mem::take(&mut self.waits) {
            self.position = self.position.max(self.woken.take().unwrap_or(state.revision()));
        }
        let gone = |oldest| Poll::Ready(Some(Err(Error::Gone { requested: self.position, oldest })));
        if !self.started && self.position < state.compacted() {
            return gone(state.compacted());
        }
        self.started = true;
        let Some(table) = state.table_by_id(self.table) else { return Poll::Ready(None) };
        match table.events_after(self.position) {
            Err(oldest) => return gone(oldest),
            Ok(events) => {
                let wanted = |event: &Event| {
                    self.scope.contains(&event.key) && self.name.as_deref().is_none_or(|name| event.key.name() == name)
                };
                let last = take(events, wanted, &mut self.buffer);
                self.position = last.unwrap_or(self.position.max(state.revision()));
            }
        }
        if let Some(event) = self.buffer.pop_front() {
            return Poll::Ready(Some(Ok(Notice::Event(event))));
        }
        if self.position < state.revision() {
            // Others have their turn before the next look.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if state.is_closed() {
            return Poll::Ready(None);
        }
        let requests = self.core.progress_requests();
        if self.progress != requests {
            self.progress = requests;
            return Poll::Ready(Some(Ok(Notice::Progress(state.revision()))));
        }
        // Changes need the lock that is held for reading here, so none can slip in before the waker is known.
        table.waiters.add(self.id, &self.scope, self.name.as_ref(), cx.waker(), &self.woken);
        self.waits = true;
        Poll::Pending
    }
}

/// Takes the wanted events into the buffer; returns the last that was looked at, if there may be more.
fn take<'e>(
    events: impl Iterator<Item = &'e Event>,
    wanted: impl Fn(&Event) -> bool,
    buffer: &mut VecDeque<Event>,
) -> Option<Revision> {
    let mut bytes = 0;
    for (at, event) in events.enumerate() {
        if wanted(event) {
            bytes += event.bytes();
            buffer.push_back(event.clone());
        }
        if buffer.len() >= READ_AHEAD || bytes >= READ_AHEAD_BYTES || at + 1 >= MAX_LOOKED_AT {
            return Some(event.revision);
        }
    }
    None
}

impl Feed for CoreFeed {
    fn poll_notice(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Notice>>> {
        match self.buffer.pop_front() {
            Some(event) => Poll::Ready(Some(Ok(Notice::Event(event)))),
            None => self.refill(cx),
        }
    }
}

impl Drop for CoreFeed {
    fn drop(&mut self) {
        if let Some(table) = self.core.read().table_by_id(self.table) {
            table.waiters.remove(self.id, &self.scope);
        }
    }
}
