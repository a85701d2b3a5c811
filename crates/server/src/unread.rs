//! Answers that clients have not read yet: counted for each connection and in all, and limited.
//!
//! A connection that holds too much gets no further answers until it has read some. When all connections together hold too
//! much, those that have stopped reading are closed, the largest and longest first; others wait until there is room.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::Context;
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::task::AtomicWaker;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// The most bytes of answers that all clients together leave unread. A tenth of a small machine's memory, and far more than
/// clients that read ever have.
pub(crate) const MOST: usize = 64 << 20;
/// As many more are left to connections that hold nothing yet, so that who reads does not wait for who does not.
const SPARE: usize = 32 << 20;
/// The most bytes of answers that one connection leaves unread before it gets another one: a few of the largest objects.
pub(crate) const MOST_OF_ONE: usize = 4 << 20;
/// A connection that took nothing for so long has stopped reading, when others need the room. Longer than a round trip on
/// most networks, and shorter than people wait for.
const STALE: Duration = Duration::from_millis(250);
/// Interval at which stale connections are looked for while there is no room.
const LOOK: Duration = Duration::from_millis(50);

/// The answers that all clients have not read.
pub(crate) struct Unread {
    bytes: AtomicUsize,
    closed: AtomicU64,
    /// Those of connections that are open.
    readers: Mutex<BTreeMap<u64, Weak<Reader>>>,
    next: AtomicU64,
    started: Instant,
    /// There is room again.
    freed: Notify,
    /// There is no room.
    full: Notify,
}

/// A connection as a reader of answers.
pub(crate) struct Reader {
    unread: Arc<Unread>,
    id: u64,
    bytes: AtomicUsize,
    /// The milliseconds from the start of the server to when it last took something.
    took: AtomicU64,
    is_closed: AtomicBool,
    close: Notify,
}

/// Memory that an answer takes until it is read.
pub(crate) struct Held {
    reader: Arc<Reader>,
    bytes: usize,
    /// Who waits until it is read.
    sent: AtomicWaker,
}

/// A piece of an answer on its way to the client.
pub(crate) struct Chunk {
    bytes: Bytes,
    held: Option<Arc<Held>>,
}

impl Unread {
    pub(crate) fn new() -> Arc<Unread> {
        Arc::new(Unread {
            bytes: AtomicUsize::new(0),
            closed: AtomicU64::new(0),
            readers: Mutex::default(),
            next: AtomicU64::new(0),
            started: Instant::now(),
            freed: Notify::new(),
            full: Notify::new(),
        })
    }

    /// The bytes that are unread.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The number of connections that were closed because they did not read.
    pub(crate) fn closed(&self) -> u64 {
        self.closed.load(Ordering::Relaxed)
    }

    /// A reader for a connection.
    pub(crate) fn reader(self: &Arc<Unread>) -> Arc<Reader> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let reader = Arc::new(Reader {
            unread: self.clone(),
            id,
            bytes: AtomicUsize::new(0),
            took: AtomicU64::new(0),
            is_closed: AtomicBool::new(false),
            close: Notify::new(),
        });
        self.readers().insert(id, Arc::downgrade(&reader));
        reader
    }

    /// Closes connections that do not read, whenever others need the room.
    pub(crate) async fn keep_room(&self) {
        loop {
            if self.bytes() < MOST {
                self.full.notified().await;
            } else {
                self.close_stale(self.now());
                sleep(LOOK).await;
            }
        }
    }

    /// Closes stale connections until half of the room is free, those first that hold much for long.
    fn close_stale(&self, now: u64) {
        let open: Vec<Arc<Reader>> = self.readers().values().filter_map(Weak::upgrade).collect();
        let held = |reader: &Reader| reader.bytes.load(Ordering::Relaxed);
        let mut left = self.bytes();
        let mut stale = Vec::new();
        for reader in open {
            let waited = now.saturating_sub(reader.took.load(Ordering::Relaxed));
            if reader.is_closed.load(Ordering::Relaxed) {
                left = left.saturating_sub(held(&reader));
            } else if held(&reader) > 0 && u128::from(waited) >= STALE.as_millis() {
                stale.push((waited.saturating_mul(held(&reader) as u64), reader));
            }
        }
        stale.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        for (_, reader) in stale {
            if left <= MOST / 2 {
                break;
            }
            left = left.saturating_sub(held(&reader));
            reader.is_closed.store(true, Ordering::Relaxed);
            reader.close.notify_one();
            let before = self.closed.fetch_add(1, Ordering::Relaxed);
            if before.is_power_of_two() || before == 0 {
                tracing::warn!(connections = before + 1, "closed connections that do not read their answers");
            }
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn readers(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Weak<Reader>>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    /// Counts memory until what is returned is dropped.
    pub(crate) fn hold(self: &Arc<Reader>, bytes: usize) -> Arc<Held> {
        if self.bytes.fetch_add(bytes, Ordering::Relaxed) == 0 {
            self.took();
        }
        if self.unread.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes >= MOST {
            self.unread.full.notify_one();
        }
        Arc::new(Held { reader: self.clone(), bytes, sent: AtomicWaker::new() })
    }

    /// Waits until the client may have another answer.
    pub(crate) async fn room(self: Arc<Reader>) {
        loop {
            let freed = self.unread.freed.notified();
            if self.has_room() {
                return;
            }
            freed.await;
        }
    }

    /// True if the client may have another answer.
    pub(crate) fn has_room(&self) -> bool {
        let own = self.bytes.load(Ordering::Relaxed);
        let most = if own == 0 { MOST + SPARE } else { MOST };
        own < MOST_OF_ONE && self.unread.bytes() < most
    }

    /// Waits until the connection is to be closed.
    pub(crate) async fn closed(&self) {
        self.close.notified().await;
    }

    fn took(&self) {
        self.took.store(self.unread.now(), Ordering::Relaxed);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.unread.readers().remove(&self.id);
    }
}

impl Held {
    /// Wakes the task once this is read.
    pub(crate) fn wake(&self, cx: &Context<'_>) {
        self.sent.register(cx.waker());
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Held { reader, bytes, sent } = self;
        let own = reader.bytes.fetch_sub(*bytes, Ordering::Relaxed);
        let all = reader.unread.bytes.fetch_sub(*bytes, Ordering::Relaxed);
        reader.took();
        if own >= MOST_OF_ONE || all >= MOST {
            reader.unread.freed.notify_waiters();
        }
        sent.wake();
    }
}

impl Chunk {
    pub(crate) fn new(bytes: Bytes, held: Option<Arc<Held>>) -> Chunk {
        Chunk { bytes, held }
    }

    /// The bytes, no longer counted.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

impl Buf for Chunk {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        if let Some(held) = &self.held {
            held.reader.took();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const MIB: usize = 1 << 20;

    #[tokio::test]
    async fn a_connection_gets_no_more_than_its_limit() {
        let unread = Unread::new();
        let reader = unread.reader();
        let most = reader.hold(MOST_OF_ONE - 1);
        assert!(reader.has_room());
        let last = reader.hold(1);
        assert!(!reader.has_room());
        assert!(unread.reader().has_room());
        let mut room = Box::pin(reader.clone().room());
        assert!(room.as_mut().now_or_never().is_none());
        drop(last);
        assert!(room.now_or_never().is_some());
        drop(most);
        assert_eq!(unread.bytes(), 0);
    }

    #[tokio::test]
    async fn all_connections_get_no_more_than_their_limit() {
        let unread = Unread::new();
        let readers: Vec<_> = (0..MOST / MIB).map(|_| unread.reader()).collect();
        let mut held: Vec<_> = readers.iter().map(|reader| reader.hold(MIB)).collect();
        assert!(readers.iter().all(|reader| !reader.has_room()));
        let fresh: Vec<_> = (0..SPARE / MIB).map(|_| unread.reader()).collect();
        for reader in &fresh {
            assert!(reader.has_room());
            held.push(reader.hold(MIB));
        }
        assert!(!unread.reader().has_room());
        drop(held);
        assert!(readers.iter().all(|reader| reader.has_room()));
    }

    #[test]
    fn stale_connections_are_closed_when_others_need_the_room() {
        let unread = Unread::new();
        let readers = [unread.reader(), unread.reader(), unread.reader()];
        let [large, small, reading] = &readers;
        let held = [large.hold(MOST * 3 / 4), small.hold(MIB), reading.hold(MOST / 4)];
        let is_closed = || readers.each_ref().map(|reader| reader.closed().now_or_never().is_some());
        unread.close_stale(unread.now());
        assert_eq!(is_closed(), [false, false, false]);
        let later = unread.now() + u64::try_from(STALE.as_millis()).unwrap();
        let mut chunk = Chunk::new(Bytes::from_static(b"text"), Some(reading.hold(0)));
        chunk.advance(1);
        reading.took.store(later, Ordering::Relaxed);
        unread.close_stale(later);
        assert_eq!(is_closed(), [true, false, false]);
        assert_eq!(unread.closed(), 1);
        // What leaves is not counted again.
        unread.close_stale(later);
        assert_eq!(is_closed(), [false, false, false]);
        drop((held, chunk));
        assert_eq!(unread.bytes(), 0);
    }
}
