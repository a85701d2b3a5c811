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
        match table.events_after(&self.scope, self.position) {
            Err(oldest) => return gone(oldest),
            Ok(events) => {
                let mut bytes = 0;
                let name = self.name.as_deref();
                let wanted = events.filter(|event| name.is_none_or(|name| event.key.name() == name));
                for event in wanted.take(READ_AHEAD) {
                    bytes += event.bytes();
                    self.buffer.push_back(event.clone());
                    if bytes >= READ_AHEAD_BYTES {
                        break;
                    }
                }
            }
        }
        self.position = match self.buffer.back() {
            Some(last) if self.buffer.len() == READ_AHEAD => last.revision,
            _ => self.position.max(state.revision()),
        };
        if let Some(event) = self.buffer.pop_front() {
            return Poll::Ready(Some(Ok(Notice::Event(event))));
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
