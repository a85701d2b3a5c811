//! The log and who writes it. A writer that is alone commits by itself, so that it waits for nothing but the disk. Where
//! there are several, a thread of the store commits, and those that come meanwhile share the next commit.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::runtime::Handle;
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

/// A command of a writer.
pub(super) enum Command {
    Write(Write, oneshot::Sender<Result<Event>>),
    Compact(Revision, oneshot::Sender<Result<()>>),
}

/// The way to the log.
pub(super) struct Commits {
    core: Arc<Core>,
    shared: Arc<Shared>,
    queue: Mutex<Queue>,
    /// There is something to do for the thread.
    work: Condvar,
    /// Held by the committing thread; only tried, never waited for.
    log: Mutex<Log>,
}

/// Commands that are not yet part of a commit.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Queue {
    commands: VecDeque<Command>,
    /// A commit is in progress.
    busy: bool,
    /// The last commit had several commands, or some came meanwhile.
    crowded: bool,
    /// The thread has been woken and has not taken the work yet.
    woken: bool,
    closed: bool,
}

/// The file that is written to, and the commit that goes there next.
pub(super) struct Log {
    segment: Segment,
    segment_bytes: u64,
    upkeep: Upkeep,
    batch: Batch,
}

/// The writes of one commit.
struct Batch {
    frame: FrameBuilder,
    now: u64,
    revision: Revision,
    /// The new entries of the keys that this commit changes.
    changed: BTreeMap<Key, Option<Arc<Entry>>>,
    events: Vec<Event>,
    /// Answers that hold once the commit is on disk.
    answers: Vec<(oneshot::Sender<Result<Event>>, Result<Event>)>,
    compactions: Vec<(Revision, oneshot::Sender<Result<()>>)>,
}

impl Commits {
    pub(super) fn new(core: Arc<Core>, shared: Arc<Shared>, log: Log) -> Commits {
        Commits { core, shared, queue: Mutex::default(), work: Condvar::new(), log: Mutex::new(log) }
    }

    /// Takes a command; blocks for one commit when the writer is alone, and others can come meanwhile.
    pub(super) fn submit(&self, command: Command) {
        let mut queue = self.queue();
        queue.commands.push_back(command);
        if queue.busy {
            return;
        }
        if queue.crowded || !may_block() {
            return self.tell(queue);
        }
        self.turn(queue, Who::Writer).commit(Vec::new());
    }

    /// Tells the thread that there is work. Telling costs a call of the system, heard or not.
    fn tell(&self, mut queue: MutexGuard<'_, Queue>) {
        let woken = std::mem::replace(&mut queue.woken, true);
        drop(queue);
        if !woken {
            self.work.notify_one();
        }
    }

    /// Commits what writers leave behind and what expires, until it is time to stop; then everything acknowledged is on
    /// disk, and the folder says so.
    pub(super) fn run(&self) {
        loop {
            let queue = self.wait();
            if queue.closed && queue.commands.is_empty() {
                break;
            }
            if queue.busy {
                continue;
            }
            let crowded = queue.crowded;
            let turn = self.turn(queue, Who::Thread);
            if crowded {
                // Whoever is about to write and waits for this core shares the commit.
                thread::yield_now();
            }
            turn.commit(self.core.expiries());
            self.core.tidy();
            self.try_again();
        }
        let finished = self.log().segment.finish();
        let finished = finished.and_then(|()| self.shared.folder.mark_clean(self.core.read().revision()));
        if let Err(error) = finished {
            // The next opening reads the log to its end, as after a crash.
            self.shared.failures.commit_failed(&error, 0);
        }
    }

    /// Looks whether the log can be written again, if it could not: nobody may write before the store says that it works.
    fn try_again(&self) {
        if !self.shared.failures.is_failing() {
            return;
        }
        let queue = self.queue();
        if queue.busy {
            return;
        }
        let _turn = self.turn(queue, Who::Thread);
        match self.log().segment.make_room() {
            Ok(()) => self.shared.failures.commit_worked(),
            Err(error) => self.shared.failures.commit_failed(&error, 0),
        }
    }

    /// Lets the thread stop.
    pub(super) fn close(&self) {
        let mut queue = self.queue();
        queue.closed = true;
        self.tell(queue);
    }

    /// Waits until there is something to do, or until something may have expired.
    fn wait(&self) -> MutexGuard<'_, Queue> {
        let queue = self.queue();
        let idle = |queue: &mut Queue| {
            queue.woken = false;
            !queue.closed && (queue.busy || queue.commands.is_empty())
        };
        self.work.wait_timeout_while(queue, EXPIRY_INTERVAL, idle).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Makes this thread the one who commits.
    fn turn<'c>(&'c self, mut queue: MutexGuard<'c, Queue>, who: Who) -> Turn<'c> {
        queue.busy = true;
        Turn { commits: self, who }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to commit, until it is dropped.
struct Turn<'c> {
    commits: &'c Commits,
    who: Who,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Writer,
    /// Looks for more work by itself.
    Thread,
}

impl Turn<'_> {
    /// Commits what is asked for, and these expiries.
    fn commit(self, expiries: Vec<Write>) {
        let Commits { core, shared, .. } = self.commits;
        let mut log = self.commits.log();
        log.batch.begin(core);
        let mut taken = 0;
        while log.batch.frame.len() < MAX_COMMIT_BYTES
            && let Some(command) = self.next(taken)
        {
            log.batch.take(core, command);
            taken += 1;
        }
        for expiry in expiries {
            log.batch.write(core, expiry, None);
        }
        log.commit(core, shared);
    }

    /// The next command after so many that were taken.
    fn next(&self, taken: usize) -> Option<Command> {
        let mut queue = self.commits.queue();
        queue.crowded = taken + queue.commands.len() > 1;
        queue.commands.pop_front()
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = self.commits.queue();
        queue.busy = false;
        queue.crowded |= !queue.commands.is_empty();
        if self.who == Who::Writer && (queue.closed || !queue.commands.is_empty()) {
            self.commits.tell(queue);
        }
    }
}

impl Log {
    pub(super) fn new(segment: Segment, segment_bytes: u64, upkeep: Upkeep) -> Log {
        Log { segment, segment_bytes, upkeep, batch: Batch::new() }
    }

    fn commit(&mut self, core: &Arc<Core>, shared: &Shared) {
        let batch = &mut self.batch;
        if batch.frame.is_empty() {
            return batch.answer();
        }
        let salt = self.segment.salt();
        if let Err(error) = self.segment.append(batch.frame.finish(salt, batch.now)) {
            shared.failures.commit_failed(&error, batch.events.len() as u64);
            return batch.fail(&error);
        }
        shared.failures.commit_worked();
        core.publish(batch.events.drain(..), batch.now);
        for (before, answer) in batch.compactions.drain(..) {
            // Whoever asked may have stopped waiting, here and below.
            let _ = answer.send(core.compact(before));
        }
        batch.answer();
        self.rotate(core, shared);
    }

    /// Starts a new log when this one is long enough. If that fails, this one goes on.
    fn rotate(&mut self, core: &Arc<Core>, shared: &Shared) {
        if self.segment.len() < self.segment_bytes {
            return;
        }
        let revision = core.read().revision();
        let salt = super::salt(core.now(), revision);
        let next = match self.segment.finish().and_then(|()| Segment::create(shared.folder.path(), revision, salt)) {
            Ok(next) => next,
            Err(error) => return shared.failures.snapshot_failed(error, self.segment.len()),
        };
        let full = std::mem::replace(&mut self.segment, next);
        let log = ClosedLog { path: full.path().to_owned(), last: revision, bytes: full.len() };
        shared.files().logs.push(log);
        self.upkeep.consider(core, shared);
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
        self.answers.clear();
        self.compactions.clear();
        self.revision = core.read().revision();
        self.now = core.now();
    }

    fn take(&mut self, core: &Core, command: Command) {
        match command {
            Command::Write(write, answer) => self.write(core, write, Some(answer)),
            Command::Compact(before, answer) => self.compact(before, answer),
        }
    }

    fn write(&mut self, core: &Core, write: Write, answer: Option<oneshot::Sender<Result<Event>>>) {
        let get = |key: &Key| match self.changed.get(key) {
            Some(changed) => changed.clone(),
            None => core.read().get(key).cloned(),
        };
        let outcome = mvcc::judge(write, get, self.revision.next(), self.now);
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

/// True if other writers get on while this thread waits: not when all tasks of a runtime share it.
fn may_block() -> bool {
    Handle::try_current().map_or(true, |runtime| runtime.metrics().num_workers() > 1)
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
