//! A store on disk for one process.
//!
//! Everything is in memory and every commit is in a log: reads never touch the disk, and opening the store reads the last
//! snapshot and the logs after it. Concurrent writers share one commit, and are answered once it is on disk.
//! A write blocks its thread for one commit when no other is under way, except on a runtime that has no other thread.
//!
//! - Stopped at any moment, the store opens with every acknowledged write. What is left of a commit that was never
//!   acknowledged is removed, see [`Status::cut`]. Any other damage is [`Error::Corrupt`], which names file and byte.
//! - On a full disk writes fail with an error that says so, reads go on, and writes work again when there is room.
//! - History for watches survives a restart, as far as [`Retention`] keeps it.

mod commit;
mod files;
mod frame;
mod medium;
mod reader;
mod recovery;
mod segment;
mod snapshot;
mod upkeep;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

pub use self::recovery::Cut;

use self::commit::{Command, Commits, Log};
use self::files::Folder;
use self::recovery::ClosedLog;
use self::segment::Segment;
use self::upkeep::Upkeep;
use crate::clock::{Clock, SystemClock};
use crate::failures::Failures;
use crate::mvcc::{Core, Retention, State};
use crate::{Error, Event, Found, Health, Key, ListOptions, Page, Reply, Result, Revision, Scope, Store, Watch, Write};

/// Options of an [`Embedded`] store.
#[derive(Clone)]
pub struct EmbeddedOptions {
    /// The history to keep.
    pub retention: Retention,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// A log is closed when it has this many bytes.
    pub segment_bytes: u64,
    /// A snapshot is written when the logs it replaces have this many bytes, and more than the snapshot before.
    pub snapshot_after: u64,
}

impl EmbeddedOptions {
    /// Long enough that files are few, short enough that disk space is given back soon.
    pub const DEFAULT_SEGMENT_BYTES: u64 = 16 << 20;
    /// Small stores need not write snapshots often.
    pub const DEFAULT_SNAPSHOT_AFTER: u64 = 64 << 20;
}

impl Default for EmbeddedOptions {
    fn default() -> EmbeddedOptions {
        EmbeddedOptions {
            retention: Retention::default(),
            clock: Arc::new(SystemClock),
            segment_bytes: Self::DEFAULT_SEGMENT_BYTES,
            snapshot_after: Self::DEFAULT_SNAPSHOT_AFTER,
        }
    }
}

impl fmt::Debug for EmbeddedOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedOptions").field("retention", &self.retention).finish_non_exhaustive()
    }
}

/// A store in a folder, which no other process can open meanwhile.
///
/// Dropping it finishes all writes and gives the folder free.
pub struct Embedded {
    core: Arc<Core>,
    shared: Arc<Shared>,
    cut: Option<Cut>,
    /// There until the store is dropped.
    commits: Option<Arc<Commits>>,
    /// The one that commits and the one that writes snapshots.
    threads: Option<(JoinHandle<()>, JoinHandle<()>)>,
}

/// The status of a store.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Status {
    /// The current revision.
    pub revision: Revision,
    /// The oldest revision that can be read and watched from.
    pub oldest: Revision,
    /// The number of entries.
    pub entries: usize,
    /// The size of their keys and values in bytes.
    pub bytes: usize,
    /// The current error of writes, or else of snapshots.
    pub problem: Option<Error>,
    /// The incomplete tail that was removed when the store was opened.
    pub cut: Option<Cut>,
}

/// The content of a backup or a restored store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The revision that was copied.
    pub revision: Revision,
    /// The number of entries.
    pub entries: usize,
    /// The size of their keys and values in bytes.
    pub bytes: usize,
}

/// State shared by the threads of a store.
struct Shared {
    folder: Folder,
    files: Mutex<Files>,
    failures: Failures,
}

/// The files that are no longer written to.
#[derive(Default)]
struct Files {
    logs: Vec<ClosedLog>,
    /// With its length.
    snapshot: Option<(PathBuf, u64)>,
}

impl Shared {
    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number for the checksums of a new file. It need not be secret, only different.
fn salt(now: u64, revision: Revision) -> u64 {
    let pid = u64::from(std::process::id());
    (now ^ pid.rotate_left(40) ^ revision.0.rotate_left(20)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Embedded {
    /// Opens the store in a folder, which is created if missing.
    pub fn open(path: impl AsRef<Path>) -> Result<Embedded> {
        Embedded::open_with(path, EmbeddedOptions::default())
    }

    /// Opens the store in a folder the way the options say.
    pub fn open_with(path: impl AsRef<Path>, options: EmbeddedOptions) -> Result<Embedded> {
        let folder = Folder::open(path.as_ref())?;
        let now = options.clock.now();
        let recovered = recovery::recover(&folder, &options.retention, now)?;
        recovered.report();
        let files = Files { logs: recovered.logs, snapshot: recovered.snapshot };
        let shared = Arc::new(Shared { folder, files: Mutex::new(files), failures: Failures::default() });
        let revision = recovered.state.revision();
        let segment = match recovered.segment {
            Some(segment) => segment,
            None => Segment::create(shared.folder.path(), revision, salt(now, revision))?,
        };
        let core = Core::new(recovered.state, options.retention, options.clock);
        let (upkeep, snapshots) = Upkeep::start(shared.clone(), options.snapshot_after)?;
        upkeep.consider(&core, &shared);
        let log = Log::new(segment, options.segment_bytes, upkeep);
        let commits = Arc::new(Commits::new(core.clone(), shared.clone(), log));
        let committer = commits.clone();
        let thread = thread::Builder::new().name("sprag-commit".into()).spawn(move || committer.run());
        let thread = thread.map_err(|error| Error::Refused { reason: format!("cannot start a thread: {error}") })?;
        let threads = Some((thread, snapshots));
        Ok(Embedded { core, shared, cut: recovered.cut, commits: Some(commits), threads })
    }

    /// Writes a copy of the store as it is now into a folder that must be empty or missing; the copy can be opened like
    /// the store. Writers are not held up. Blocks for as long as the disk takes.
    pub fn backup(&self, to: impl AsRef<Path>) -> Result<Revision> {
        let to = to.as_ref();
        files::create_folder(to)?;
        let mut present = std::fs::read_dir(to).map_err(Error::io("list", to))?;
        if present.next().is_some() {
            return Err(Error::Config { reason: format!("{} is not empty", to.display()) });
        }
        let pin = snapshot::Pin::newest(&self.core);
        snapshot::write(to, &pin, salt(self.core.now(), pin.revision()))?;
        Ok(pin.revision())
    }

    /// Writes a copy of the store in a folder to a file, also while another process has it open: of everything that was
    /// acknowledged before. A file that is there is replaced once the copy is whole.
    pub fn backup_folder(folder: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<Copied> {
        let folder = folder.as_ref();
        let to = to.as_ref();
        let state = recovery::read_only(folder)?;
        let (entries, bytes) = state.live();
        let core = Core::new(state, Retention::default(), Arc::new(SystemClock));
        let pin = snapshot::Pin::newest(&core);
        let revision = pin.revision();
        snapshot::write_file(to, &pin, salt(core.now(), revision))?;
        Ok(Copied { revision, entries, bytes })
    }

    /// Puts what [`backup_folder`](Embedded::backup_folder) wrote into a folder that must hold no store, after reading all
    /// of it.
    pub fn restore_folder(folder: impl AsRef<Path>, from: impl AsRef<Path>) -> Result<Copied> {
        let folder = folder.as_ref();
        let from = from.as_ref();
        let mut state = State::new();
        let (revision, _) = snapshot::read(from, &mut state)?;
        let folder = Folder::open(folder)?;
        if !folder.list()?.is_empty() {
            let reason = format!("{} holds a store already: move it away first", folder.path().display());
            return Err(Error::Config { reason });
        }
        snapshot::copy(from, folder.path(), revision)?;
        let (entries, bytes) = state.live();
        Ok(Copied { revision, entries, bytes })
    }

    /// The status of the store.
    pub fn status(&self) -> Status {
        let state = self.core.read();
        let (entries, bytes) = state.live();
        Status {
            revision: state.revision(),
            oldest: state.compacted(),
            entries,
            bytes,
            problem: self.shared.failures.of_commits().or_else(|| self.shared.failures.of_snapshots()),
            cut: self.cut.clone(),
        }
    }

    fn send<T>(&self, command: impl FnOnce(oneshot::Sender<Result<T>>) -> Command) -> Reply<'_, T> {
        let (answer, receiver) = oneshot::channel();
        let Some(commits) = &self.commits else { return Reply::ready(Err(Error::Closed)) };
        commits.submit(command(answer));
        Reply::queued(receiver)
    }
}

impl Store for Embedded {
    fn get<'a>(&'a self, key: &'a Key) -> Reply<'a, Found> {
        Reply::ready(Ok(self.core.get(key)))
    }

    fn list<'a>(&'a self, scope: &'a Scope, options: ListOptions) -> Reply<'a, Page> {
        Reply::ready(self.core.read().list(scope, &options))
    }

    fn count<'a>(&'a self, scope: &'a Scope) -> Reply<'a, usize> {
        Reply::ready(Ok(self.core.read().count(scope)))
    }

    fn write(&self, write: Write) -> Reply<'_, Event> {
        match write.check_size() {
            Ok(()) => self.send(|answer| Command::Write(write, answer)),
            Err(error) => Reply::ready(Err(error)),
        }
    }

    fn watch(&self, scope: &Scope, after: Revision) -> Watch {
        self.core.watch(scope, None, after)
    }

    fn watch_name(&self, scope: &Scope, name: &str, after: Revision) -> Watch {
        self.core.watch(scope, Some(name), after)
    }

    fn request_progress(&self) {
        self.core.request_progress();
    }

    fn shares_entries(&self) -> bool {
        true
    }

    fn answers_progress_requests(&self) -> bool {
        true
    }

    fn revision(&self) -> Reply<'_, Revision> {
        Reply::ready(Ok(self.core.read().revision()))
    }

    fn compact(&self, before: Revision) -> Reply<'_, ()> {
        self.send(|answer| Command::Compact(before, answer))
    }

    fn health(&self) -> Health {
        Health {
            problem: self.shared.failures.of_commits(),
            snapshot_problem: self.shared.failures.of_snapshots(),
            failed_writes: self.shared.failures.failed_writes(),
            cut_bytes: self.cut.as_ref().map_or(0, |cut| cut.bytes),
            history: self.core.history(),
        }
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        let (Some(commits), Some((committer, snapshots))) = (self.commits.take(), self.threads.take()) else { return };
        commits.close();
        // A thread that panicked has nothing left to finish.
        let _ = committer.join();
        // The thread for snapshots ends when nobody can ask it for one.
        drop(commits);
        let _ = snapshots.join();
        self.core.close();
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded").field("folder", &self.shared.folder.path()).finish_non_exhaustive()
    }
}
