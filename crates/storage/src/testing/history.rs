//! Checks what clients saw against one linear history.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use crate::{Entry, Error, Event, Found, Key, Page, Result, Revision, Scope};

/// Every operation of a run: when it began and ended, and what came of it.
#[derive(Debug, Default)]
pub struct History {
    time: AtomicU64,
    operations: Mutex<Vec<Operation>>,
}

#[derive(Debug)]
struct Operation {
    start: u64,
    end: u64,
    what: What,
}

#[derive(Debug)]
enum What {
    Write { key: Key, expected: Option<Revision>, value: Option<Bytes>, outcome: Outcome },
    Get { key: Key, found: Found },
    List { scope: Scope, limit: Option<usize>, after: Option<Key>, page: Page },
}

/// The outcome of a write.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It happened.
    Done(Event),
    /// It did not, because this was there.
    Conflict(Option<Arc<Entry>>),
    /// Unknown.
    Unknown,
    /// It did not.
    Failed,
}

impl Outcome {
    /// The outcome of a store's answer.
    pub fn of(result: &Result<Event>) -> Outcome {
        match result {
            Ok(event) => Outcome::Done(event.clone()),
            Err(Error::Conflict { current }) => Outcome::Conflict(current.clone()),
            Err(Error::Uncertain { .. } | Error::Closed) => Outcome::Unknown,
            Err(_) => Outcome::Failed,
        }
    }
}

impl History {
    /// A logical clock that advances on each read.
    pub(super) fn tick(&self) -> u64 {
        self.time.fetch_add(1, Ordering::SeqCst)
    }

    fn record(&self, start: u64, what: What) {
        let end = self.tick();
        self.operations.lock().unwrap_or_else(PoisonError::into_inner).push(Operation { start, end, what });
    }

    pub(super) fn write(&self, start: u64, write: &crate::Write, outcome: Outcome) {
        let key = write.key.clone();
        let expected = write.expected;
        let value = write.value.clone();
        self.record(start, What::Write { key, expected, value, outcome });
    }

    pub(super) fn get(&self, start: u64, key: Key, found: Found) {
        self.record(start, What::Get { key, found });
    }

    pub(super) fn list(&self, start: u64, scope: Scope, limit: Option<usize>, after: Option<Key>, page: Page) {
        self.record(start, What::List { scope, limit, after, page });
    }

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// True if nothing was done yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks that everything the clients saw fits the log, which is what watches of all that was written to yielded,
    /// in the order of revisions:
    /// - the log is a chain: revisions grow, every event follows from the one before on its key;
    /// - every acknowledged write is in the log exactly once, and nothing else is, but for writes whose outcome is unknown;
    /// - reads saw what the log says of their revision;
    /// - what ended before something else began comes before it (linearizability).
    pub fn check(&self, log: &[Event]) -> Result<(), String> {
        let mut operations = self.operations.lock().unwrap_or_else(PoisonError::into_inner);
        operations.sort_by_key(|operation| operation.start);
        let model = Model::new(log)?;
        model.check_writes(&operations)?;
        let windows = Windows::new(&operations);
        for operation in operations.iter() {
            model.check_seen(operation, windows.of(operation))?;
        }
        Ok(())
    }
}

/// The log by key.
struct Model<'a> {
    log: &'a [Event],
    keys: BTreeMap<&'a Key, Vec<&'a Event>>,
}

impl<'a> Model<'a> {
    fn new(log: &'a [Event]) -> Result<Model<'a>, String> {
        let mut keys: BTreeMap<&Key, Vec<&Event>> = BTreeMap::new();
        let mut last = Revision::default();
        for event in log {
            if event.revision <= last {
                return Err(format!("{event:?} comes after revision {last}"));
            }
            last = event.revision;
            let chain = keys.entry(&event.key).or_default();
            let before = chain.last().and_then(|event| event.entry.clone());
            if event.previous != before {
                return Err(format!("{event:?} does not follow from {before:?}"));
            }
            if let Some(entry) = &event.entry {
                let created = before.map_or(event.revision, |before| before.created);
                if (entry.created, entry.revision) != (created, event.revision) {
                    return Err(format!("{event:?} has an entry of {}, created at {}", entry.revision, entry.created));
                }
            }
            chain.push(event);
        }
        Ok(Model { log, keys })
    }

    /// Every event has one write, and every acknowledged write has its event.
    fn check_writes(&self, operations: &[Operation]) -> Result<(), String> {
        let mut unexplained: BTreeMap<Revision, &Event> =
            self.log.iter().map(|event| (event.revision, event)).collect();
        let mut unknown = Vec::new();
        for operation in operations {
            let What::Write { key, expected, value, outcome } = &operation.what else { continue };
            match outcome {
                Outcome::Done(done) => {
                    let logged = unexplained.remove(&done.revision);
                    let written = done.entry.as_ref().map(|entry| &entry.value);
                    if logged != Some(done) || done.key != *key || written != value.as_ref() {
                        return Err(format!("the write of {key} was answered {done:?}, the log has {logged:?}"));
                    }
                    if done.previous.as_ref().map(|entry| entry.revision) != *expected {
                        return Err(format!("{done:?} happened although {expected:?} was expected"));
                    }
                }
                Outcome::Unknown => unknown.push((key, expected, value)),
                Outcome::Conflict(_) | Outcome::Failed => {}
            }
        }
        for event in unexplained.values() {
            let value = event.entry.as_ref().map(|entry| entry.value.clone());
            let expected = event.previous.as_ref().map(|entry| entry.revision);
            let writer = unknown.iter().position(|write| *write == (&event.key, &expected, &value));
            let Some(writer) = writer else { return Err(format!("{event:?} was written by nobody")) };
            unknown.swap_remove(writer);
        }
        Ok(())
    }

    /// Checks that a read was true at some moment between request and response.
    fn check_seen(&self, operation: &Operation, window: (Revision, Revision)) -> Result<(), String> {
        let within = |revision: Revision| {
            if window.0 <= revision && revision <= window.1 {
                return Ok(());
            }
            Err(format!("{operation:?} is at revision {revision}, outside {window:?}"))
        };
        match &operation.what {
            What::Write { outcome: Outcome::Done(event), .. } => within(event.revision),
            What::Write { key, expected, outcome: Outcome::Conflict(current), .. } => {
                let found = current.as_ref().map(|entry| entry.revision);
                let possible = found != *expected && self.was_current(key, current.as_ref(), window);
                if possible { Ok(()) } else { Err(format!("{operation:?} conflicts with nothing in {window:?}")) }
            }
            What::Write { .. } => Ok(()),
            What::Get { key, found } => {
                within(found.revision)?;
                let expected = self.at(key, found.revision);
                if expected == found.entry.as_ref() { Ok(()) } else { Err(format!("{operation:?}, not {expected:?}")) }
            }
            What::List { scope, limit, after, page } => {
                within(page.revision)?;
                let all =
                    self.keys.keys().filter(|key| scope.contains(key) && after.as_ref().is_none_or(|a| a < **key));
                let all = all.filter_map(|key| self.at(key, page.revision)).collect::<Vec<_>>();
                let (seen, rest) = all.split_at(limit.unwrap_or(usize::MAX).min(all.len()));
                let same = page.entries.iter().eq(seen.iter().copied()) && page.remaining == rest.len();
                if same { Ok(()) } else { Err(format!("{operation:?}, not {seen:?} and {} more", rest.len())) }
            }
        }
    }

    fn at(&self, key: &Key, revision: Revision) -> Option<&Arc<Entry>> {
        let chain = self.keys.get(key)?;
        chain.iter().rev().find(|event| event.revision <= revision)?.entry.as_ref()
    }

    /// True if a key was this at some moment of the window.
    fn was_current(&self, key: &Key, entry: Option<&Arc<Entry>>, window: (Revision, Revision)) -> bool {
        if self.at(key, window.0) == entry {
            return true;
        }
        let chain = self.keys.get(key).into_iter().flatten();
        let mut inside = chain.filter(|event| window.0 < event.revision && event.revision <= window.1);
        inside.any(|event| event.entry.as_ref() == entry)
    }
}

/// Between which revisions an operation must lie, given what ended before it began and what began after it ended.
struct Windows {
    /// Ends with the greatest revision seen by then, in order.
    seen: Vec<(u64, Revision)>,
    /// Starts with the least revision written from then on, in order.
    written: Vec<(u64, Revision)>,
}

impl Windows {
    fn new(operations: &[Operation]) -> Windows {
        let mut seen: Vec<_> = operations.iter().filter_map(|op| Some((op.end, op.revision()?))).collect();
        seen.sort_unstable();
        let mut greatest = Revision::default();
        for (_, revision) in &mut seen {
            greatest = greatest.max(*revision);
            *revision = greatest;
        }
        let written = operations.iter().filter(|op| matches!(op.what, What::Write { .. }));
        let mut written: Vec<_> = written.filter_map(|op| Some((op.start, op.revision()?))).collect();
        written.sort_unstable();
        let mut least = Revision(u64::MAX);
        for (_, revision) in written.iter_mut().rev() {
            least = least.min(*revision);
            *revision = least;
        }
        Windows { seen, written }
    }

    /// The first and last revision at which the operation can have happened.
    fn of(&self, operation: &Operation) -> (Revision, Revision) {
        let before = self.seen.partition_point(|(end, _)| *end < operation.start);
        let first = before.checked_sub(1).map_or(Revision::default(), |index| self.seen[index].1);
        let after = self.written.partition_point(|(start, _)| *start <= operation.end);
        let last = self.written.get(after).map_or(Revision(u64::MAX), |(_, revision)| Revision(revision.0 - 1));
        (first, last)
    }
}

impl Operation {
    /// The revision it is known to have happened at.
    fn revision(&self) -> Option<Revision> {
        match &self.what {
            What::Write { outcome: Outcome::Done(event), .. } => Some(event.revision),
            What::Write { .. } => None,
            What::Get { found, .. } => Some(found.revision),
            What::List { page, .. } => Some(page.revision),
        }
    }
}
