//! The thread that writes the log. Writers that come while it waits for the disk share the next commit.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};

use tokio::sync::oneshot;

use super::Shared;
use super::frame::{FrameBuilder, Record};
use super::recovery::ClosedLog;
use super::segment::Segment;
use super::upkeep::Upkeep;
use crate::memory::EXPIRY_INTERVAL;
use crate::mvcc::{self, Core};
use crate::{Entry, Error, Event, Key, Result, Revision, Write};

/// A commit takes in no more writes once it has this many bytes.
const MAX_COMMIT_BYTES: usize = 4 << 20;

/// What the thread is asked to do.
pub(super) enum Command {
    Write(Write, oneshot::Sender<Result<Event>>),
    Compact(Revision, oneshot::Sender<Result<()>>),
    /// Finish what was asked before, and stop.
    Close,
}

/// The owner of the log.
pub(super) struct Committer {
    pub(super) core: Arc<Core>,
    pub(super) shared: Arc<Shared>,
    pub(super) inbox: Receiver<Command>,
    pub(super) segment: Segment,
    pub(super) segment_bytes: u64,
    pub(super) upkeep: Upkeep,
}

/// The writes of one commit.
struct Batch {
    frame: FrameBuilder,
    now: u64,
    revision: Revision,
    /// What the keys become that this commit changes.
    changed: BTreeMap<Key, Option<Arc<Entry>>>,
    events: Vec<Event>,
    /// Answers that hold once the commit is on disk.
    answers: Vec<(oneshot::Sender<Result<Event>>, Result<Event>)>,
    compactions: Vec<(Revision, oneshot::Sender<Result<()>>)>,
}

impl Committer {
    /// Works until told to stop; then everything acknowledged is on disk, and the folder says so.
    pub(super) fn run(mut self) {
        let mut batch = Batch::new();
        loop {
            batch.begin(&self.core);
            let go_on = self.collect(&mut batch);
            self.commit(&mut batch);
            if !go_on {
                break;
            }
        }
        let finished = self.segment.finish().and_then(|()| self.shared.folder.mark_clean(self.core.read().revision()));
        if let Err(error) = finished {
            // The next opening reads the log to its end, as after a crash.
            self.shared.note_problem(error);
        }
    }

    /// Waits for something to do, then takes what else is there; false if it is time to stop.
    fn collect(&self, batch: &mut Batch) -> bool {
        let first = if self.core.read().expects_expiry() {
            self.inbox.recv_timeout(EXPIRY_INTERVAL)
        } else {
            self.inbox.recv().map_err(RecvTimeoutError::from)
        };
        batch.now = self.core.now();
        let mut next = match first {
            Ok(command) => Some(command),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return false,
        };
        while let Some(command) = next {
            match command {
                Command::Write(write, answer) => batch.write(&self.core, write, Some(answer)),
                Command::Compact(before, answer) => batch.compact(before, answer),
                Command::Close => return false,
            }
            next = match self.inbox.try_recv() {
                _ if batch.frame.len() >= MAX_COMMIT_BYTES => None,
                Ok(command) => Some(command),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => None,
            };
        }
        for expiry in self.core.expiries() {
            batch.write(&self.core, expiry, None);
        }
        true
    }

    fn commit(&mut self, batch: &mut Batch) {
        if batch.frame.is_empty() {
            return batch.answer();
        }
        let salt = self.segment.salt();
        if let Err(error) = self.segment.append(batch.frame.finish(salt, batch.now)) {
            self.shared.note_problem(error.clone());
            return batch.fail(&error);
        }
        self.core.publish(batch.events.drain(..), batch.now);
        for (before, answer) in batch.compactions.drain(..) {
            // Whoever asked may have stopped waiting, here and below.
            let _ = answer.send(self.core.compact(before));
        }
        batch.answer();
        self.rotate();
    }

    /// Starts a new log when this one is long enough. If that fails, this one goes on.
    fn rotate(&mut self) {
        if self.segment.len() < self.segment_bytes {
            return;
        }
        let revision = self.core.read().revision();
        let salt = self.shared.salt(self.core.now(), revision);
        let next = match self.segment.finish().and_then(|()| Segment::create(self.shared.folder.path(), revision, salt))
        {
            Ok(next) => next,
            Err(error) => return self.shared.note_problem(error),
        };
        let full = std::mem::replace(&mut self.segment, next);
        let log = ClosedLog { path: full.path().to_owned(), last: revision, bytes: full.len() };
        self.shared.files().logs.push(log);
        self.upkeep.consider(&self.core, &self.shared);
    }
}

impl Batch {
    fn new() -> Batch {
        Batch {
            frame: FrameBuilder::new(),
            now: 0,
            revision: Revision::default(),
            changed: BTreeMap::new(),
            events: Vec::new(),
            answers: Vec::new(),
            compactions: Vec::new(),
        }
    }

    fn begin(&mut self, core: &Core) {
        self.frame.clear();
        self.changed.clear();
        self.events.clear();
        self.revision = core.read().revision();
    }

    fn write(&mut self, core: &Core, write: Write, answer: Option<oneshot::Sender<Result<Event>>>) {
        let current = match self.changed.get(&write.key) {
            Some(changed) => changed.clone(),
            None => core.read().get(&write.key).cloned(),
        };
        let outcome = mvcc::judge(write, current.as_ref(), self.revision.next(), self.now);
        if let Ok(event) = &outcome {
            self.revision = event.revision;
            self.frame.push(record(event));
            self.changed.insert(event.key.clone(), event.entry.clone());
            self.events.push(event.clone());
        }
        self.answers.extend(answer.map(|answer| (answer, outcome)));
    }

    fn compact(&mut self, before: Revision, answer: oneshot::Sender<Result<()>>) {
        if before > self.revision {
            let _ = answer.send(Err(Error::Future { requested: before, current: self.revision }));
            return;
        }
        self.frame.push(Record::Compact { before });
        self.compactions.push((before, answer));
    }

    fn answer(&mut self) {
        for (answer, outcome) in self.answers.drain(..) {
            let _ = answer.send(outcome);
        }
    }

    /// Nothing of this happened. A conflict with a write of the same commit did not either.
    fn fail(&mut self, error: &Error) {
        for (answer, _) in self.answers.drain(..) {
            let _ = answer.send(Err(error.clone()));
        }
        for (_, answer) in self.compactions.drain(..) {
            let _ = answer.send(Err(error.clone()));
        }
    }
}

fn record(event: &Event) -> Record<'_> {
    let key = event.key.as_str();
    match &event.entry {
        None => Record::Delete { revision: event.revision, key },
        Some(entry) => Record::Put {
            revision: entry.revision,
            created: entry.created,
            deadline: entry.deadline,
            key,
            value: &entry.value,
        },
    }
}
