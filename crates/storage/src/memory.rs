//! A store that lives as long as the process.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::clock::{Clock, SystemClock};
use crate::mvcc::{self, Core, Retention, State};
use crate::{Error, Event, Found, Health, Key, ListOptions, Page, Reply, Result, Revision, Scope, Store, Watch, Write};

/// Interval of checks for expired entries.
pub(crate) const EXPIRY_INTERVAL: Duration = Duration::from_millis(250);

/// A store without a disk: for tests, and for servers whose state may be lost.
pub struct Memory {
    core: Arc<Core>,
    /// Started by the first write with a time to live, or when there is more history to drop than writers have time for.
    sweeper: Mutex<Option<Sweeper>>,
}

/// The thread that deletes entries and drops history whose time is over.
struct Sweeper {
    stop: std::sync::mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Memory {
    /// An empty store.
    pub fn new() -> Memory {
        Memory::with(Retention::default(), Arc::new(SystemClock))
    }

    /// An empty store that keeps this much history and takes the time from here.
    pub fn with(retention: Retention, clock: Arc<dyn Clock>) -> Memory {
        Memory { core: Core::new(State::new(), retention, clock), sweeper: Mutex::new(None) }
    }

    fn commit(&self, write: Write) -> Result<Event> {
        write.check_size()?;
        if write.ttl.is_some() || self.core.is_behind() {
            self.start_sweeper()?;
        }
        commit(&self.core, write)
    }

    fn start_sweeper(&self) -> Result<()> {
        let mut sweeper = self.sweeper.lock().unwrap_or_else(PoisonError::into_inner);
        if sweeper.is_some() {
            return Ok(());
        }
        let (stop, stopped) = std::sync::mpsc::channel();
        let core = self.core.clone();
        let sweep = move || {
            while let Err(std::sync::mpsc::RecvTimeoutError::Timeout) = stopped.recv_timeout(EXPIRY_INTERVAL) {
                for expiry in core.expiries() {
                    // A conflict means that somebody was faster and the entry lives on.
                    let _ = commit(&core, expiry);
                }
                core.tidy();
            }
        };
        let thread = thread::Builder::new().name("sprag-expiry".into()).spawn(sweep);
        let thread = thread.map_err(|error| Error::Refused { reason: format!("cannot start a thread: {error}") })?;
        *sweeper = Some(Sweeper { stop, thread });
        Ok(())
    }
}

fn commit(core: &Core, write: Write) -> Result<Event> {
    let now = core.now();
    let mut state = core.write();
    let event = mvcc::judge(write, |key| state.get(key).cloned(), state.revision().next(), now)?;
    let applied = core.apply(&mut state, [event.clone()], now);
    drop(state);
    core.announce(applied);
    Ok(event)
}

impl Store for Memory {
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
        Reply::ready(self.commit(write))
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
        Reply::ready(self.core.compact(before))
    }

    fn health(&self) -> Health {
        Health { history: self.core.history(), ..Health::default() }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.core.close();
        if let Some(sweeper) = self.sweeper.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            drop(sweeper.stop);
            // The thread runs no code that panics; if it did, there is nobody left to tell.
            let _ = sweeper.thread.join();
        }
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("revision", &self.core.read().revision()).finish_non_exhaustive()
    }
}
