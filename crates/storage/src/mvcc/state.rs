//! All tables at one revision, and the history they share.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::task::Waker;

use super::retention::{History, Limit, Retention};
use super::table::Table;
use crate::{Entry, Error, Event, Key, ListOptions, Page, Result, Revision, Scope};

/// Maximum number of events dropped under one lock: writers and readers wait for it meanwhile.
const PORTION: usize = 1000;

/// Everything a store holds in memory.
#[derive(Debug)]
pub(crate) struct State {
    revision: Revision,
    /// The history before this revision is gone.
    compacted: Revision,
    /// The revision to compact to once no reader needs older ones.
    compact_to: Revision,
    names: BTreeMap<Box<str>, usize>,
    tables: Vec<Table>,
    /// One per kept event of any table, oldest first.
    stamps: VecDeque<Stamp>,
    history_bytes: usize,
    /// The number of events that were dropped before their time.
    cut: u64,
    live_bytes: usize,
    live: usize,
    deadlines: BTreeSet<(u64, Key)>,
    /// Revisions in use, with the number of readers.
    pins: BTreeMap<Revision, usize>,
    closed: bool,
}

/// The position of a kept event in its table.
#[derive(Debug)]
struct Stamp {
    revision: Revision,
    table: usize,
    cost: usize,
    /// The time at which it happened.
    at: u64,
}

/// What was dropped.
pub(crate) struct Trimmed {
    /// There may be more to drop.
    pub(crate) is_behind: bool,
    /// Events went before their time.
    pub(crate) cut: Option<Cut>,
}

/// Events that were dropped before their time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// The age of the last of them in milliseconds.
    pub(crate) age: u64,
    /// The size of the history before.
    pub(crate) bytes: usize,
}

impl State {
    pub(crate) fn new() -> State {
        State {
            revision: Revision::FIRST,
            compacted: Revision::default(),
            compact_to: Revision::default(),
            names: BTreeMap::new(),
            tables: Vec::new(),
            stamps: VecDeque::new(),
            history_bytes: 0,
            cut: 0,
            live_bytes: 0,
            live: 0,
            deadlines: BTreeSet::new(),
            pins: BTreeMap::new(),
            closed: false,
        }
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    pub(crate) fn compacted(&self) -> Revision {
        self.compacted
    }

    /// The number of entries and the size of their keys and values.
    pub(crate) fn live(&self) -> (usize, usize) {
        (self.live, self.live_bytes)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&Arc<Entry>> {
        self.table(key.table())?.get(key)
    }

    pub(crate) fn list(&self, scope: &Scope, options: &ListOptions) -> Result<Page> {
        let revision = options.at.unwrap_or(self.revision);
        if revision > self.revision {
            return Err(Error::Future { requested: revision, current: self.revision });
        }
        if revision < self.compacted {
            return Err(Error::Gone { requested: revision, oldest: self.compacted });
        }
        let Some(table) = self.table(scope.table()) else {
            return Ok(Page { entries: Vec::new(), revision, remaining: 0 });
        };
        let mut range = table.range(scope, options.after.as_ref(), revision);
        let limit = options.limit.map_or(usize::MAX, std::num::NonZeroUsize::get);
        let entries = range.by_ref().take(limit).cloned().collect();
        Ok(Page { entries, revision, remaining: range.count() })
    }

    /// So many entries of a scope behind a key as they were at a revision, or all that are left. Counts no others.
    pub(crate) fn portion(&self, scope: &Scope, after: Option<&Key>, at: Revision, most: usize) -> Vec<Arc<Entry>> {
        let entries = self.table(scope.table()).map(|table| table.range(scope, after, at));
        entries.into_iter().flatten().take(most).cloned().collect()
    }

    pub(crate) fn count(&self, scope: &Scope) -> usize {
        self.table(scope.table()).map_or(0, |table| table.range(scope, None, self.revision).count())
    }

    /// The scopes of all resources that ever had an entry.
    pub(crate) fn table_names(&self) -> Vec<Box<str>> {
        self.names.keys().cloned().collect()
    }

    /// The number of a resource's table, which is created if missing.
    pub(super) fn table_id(&mut self, name: &str) -> usize {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        self.tables.push(Table::default());
        self.names.insert(name.into(), self.tables.len() - 1);
        self.tables.len() - 1
    }

    pub(super) fn table_by_id(&self, id: usize) -> Option<&Table> {
        self.tables.get(id)
    }

    fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(*self.names.get(name)?)
    }

    /// Makes an event happen; returns the table it happened to.
    pub(crate) fn apply(&mut self, event: Event, at: u64) -> usize {
        self.revision = event.revision;
        self.count_out(event.previous.as_deref());
        self.count_in(event.entry.as_deref());
        let replaced = event.previous.as_ref().map_or(0, |entry| entry.value.len());
        let cost = Retention::EVENT_BYTES + replaced;
        self.history_bytes += cost;
        let table = self.table_id(event.key.table());
        self.stamps.push_back(Stamp { revision: event.revision, table, cost, at });
        if let Some(table) = self.tables.get_mut(table) {
            table.push(event);
        }
        table
    }

    /// Puts in an entry that was there when the history began.
    pub(crate) fn restore(&mut self, entry: Arc<Entry>) {
        self.count_in(Some(&entry));
        let table = self.table_id(entry.key.table());
        if let Some(table) = self.tables.get_mut(table) {
            table.restore(entry);
        }
    }

    /// Says at which revision the restored entries were true.
    pub(crate) fn restored_at(&mut self, revision: Revision) {
        self.revision = revision;
        self.compacted = revision;
    }

    fn count_in(&mut self, entry: Option<&Entry>) {
        let Some(entry) = entry else { return };
        self.live += 1;
        self.live_bytes += entry.key.as_str().len() + entry.value.len();
        if entry.deadline != 0 {
            self.deadlines.insert((entry.deadline, entry.key.clone()));
        }
    }

    fn count_out(&mut self, entry: Option<&Entry>) {
        let Some(entry) = entry else { return };
        self.live -= 1;
        self.live_bytes -= entry.key.as_str().len() + entry.value.len();
        if entry.deadline != 0 {
            self.deadlines.remove(&(entry.deadline, entry.key.clone()));
        }
    }

    /// The first entries whose time is over.
    pub(crate) fn expired(&self, now: u64, most: usize) -> Vec<Arc<Entry>> {
        let due = self.deadlines.iter().take_while(|(deadline, _)| *deadline <= now).take(most);
        due.filter_map(|(_, key)| self.get(key).cloned()).collect()
    }

    /// Asks for the history before a revision to go.
    pub(crate) fn compact(&mut self, before: Revision) -> Result<()> {
        if before > self.revision {
            return Err(Error::Future { requested: before, current: self.revision });
        }
        self.compact_to = self.compact_to.max(before);
        Ok(())
    }

    /// Drops all history beyond the retention or below the compaction revision, as far as no reader needs it.
    pub(crate) fn trim_all(&mut self, retention: &Retention, now: u64) {
        while self.trim(retention, now).is_behind {}
    }

    /// The same for a portion of it.
    pub(crate) fn trim(&mut self, retention: &Retention, now: u64) -> Trimmed {
        let pinned = self.pins.keys().next().copied().unwrap_or(self.revision);
        let mut trimmed = Trimmed { is_behind: true, cut: None };
        for _ in 0..PORTION {
            let kept = self.stamps.front().filter(|stamp| stamp.revision <= pinned);
            let Some((stamp, limit)) = kept.and_then(|stamp| Some((stamp, self.exceeded(stamp, retention, now)?)))
            else {
                trimmed.is_behind = false;
                break;
            };
            if limit == Limit::Size {
                self.cut += 1;
                trimmed.cut = Some(Cut { age: now.saturating_sub(stamp.at), bytes: self.history_bytes });
            }
            self.forget_oldest();
        }
        self.compacted = self.compacted.max(self.compact_to.min(pinned));
        if self.stamps.len() < self.stamps.capacity() / 4 {
            self.stamps.shrink_to(self.stamps.capacity() / 2);
        }
        trimmed
    }

    /// The limit that the oldest event exceeds.
    fn exceeded(&self, oldest: &Stamp, retention: &Retention, now: u64) -> Option<Limit> {
        let age = now.saturating_sub(oldest.at);
        let history = History { events: self.stamps.len(), bytes: self.history_bytes, age };
        if oldest.revision <= self.compact_to { Some(Limit::Age) } else { retention.exceeded(history) }
    }

    /// The size of the history in bytes, and the number of events that were dropped before their time.
    pub(crate) fn history(&self) -> (usize, u64) {
        (self.history_bytes, self.cut)
    }

    fn forget_oldest(&mut self) {
        let Some(stamp) = self.stamps.pop_front() else { return };
        self.history_bytes -= stamp.cost;
        self.compacted = stamp.revision;
        if let Some(table) = self.tables.get_mut(stamp.table) {
            table.forget_oldest();
        }
    }

    /// Keeps a revision readable until it is let go.
    pub(crate) fn pin(&mut self, revision: Revision) {
        *self.pins.entry(revision).or_default() += 1;
    }

    pub(crate) fn unpin(&mut self, revision: Revision) {
        if let Some(readers) = self.pins.get_mut(&revision) {
            *readers -= 1;
            if *readers == 0 {
                self.pins.remove(&revision);
            }
        }
    }

    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    /// Those who wait for any table to change.
    pub(super) fn take_all_waiters(&self) -> Vec<Waker> {
        let mut wakers = Vec::new();
        self.tables.iter().for_each(|table| table.waiters.take_all(self.revision, &mut wakers));
        wakers
    }
}
