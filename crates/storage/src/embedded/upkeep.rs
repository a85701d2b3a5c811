//! The thread that writes snapshots, so that old logs can be removed.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use super::{Shared, files, snapshot};
use crate::mvcc::Core;
use crate::{Error, Result};

/// Hands work to the thread.
pub(super) struct Upkeep {
    jobs: SyncSender<snapshot::Pin>,
    /// Logs that a snapshot would make superfluous may take up this much before one is written.
    pub(super) snapshot_after: u64,
}

impl Upkeep {
    pub(super) fn start(shared: Arc<Shared>, snapshot_after: u64) -> Result<(Upkeep, JoinHandle<()>)> {
        let (jobs, inbox) = sync_channel(1);
        let thread = thread::Builder::new().name("sprag-snapshot".into()).spawn(move || run(&inbox, &shared));
        let thread = thread.map_err(|error| Error::Refused { reason: format!("cannot start a thread: {error}") })?;
        Ok((Upkeep { jobs, snapshot_after }, thread))
    }

    /// Asks for a snapshot if the logs before the kept history are longer than the last one. So in the long run a snapshot at
    /// most doubles what is written.
    pub(super) fn consider(&self, core: &Arc<Core>, shared: &Shared) {
        let compacted = core.read().compacted();
        let files = shared.files();
        let superfluous: u64 = files.logs.iter().filter(|log| log.last <= compacted).map(|log| log.bytes).sum();
        let last = files.snapshot.as_ref().map_or(0, |(_, bytes)| *bytes);
        drop(files);
        if superfluous >= last.max(self.snapshot_after) {
            match self.jobs.try_send(snapshot::Pin::oldest(core)) {
                // One is already waiting; the thread ends only after this one.
                Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
            }
        }
    }
}

fn run(inbox: &Receiver<snapshot::Pin>, shared: &Shared) {
    for pin in inbox {
        match replace_logs(shared, &pin) {
            Ok(()) => shared.failures.snapshot_worked(),
            Err(error) => {
                let log_bytes = shared.files().logs.iter().map(|log| log.bytes).sum();
                shared.failures.snapshot_failed(error, log_bytes);
            }
        }
    }
}

/// Writes a snapshot and removes what it makes superfluous.
fn replace_logs(shared: &Shared, pin: &snapshot::Pin) -> Result<()> {
    let revision = pin.revision();
    let folder = shared.folder.path();
    let old = shared.files().snapshot.clone();
    if old.as_ref().is_some_and(|(path, _)| *path == files::path_of(folder, super::frame::FileKind::Snapshot, revision))
    {
        return Ok(());
    }
    let written = snapshot::write(folder, pin, super::salt(0, revision))?;
    let logs = {
        let mut files = shared.files();
        files.snapshot = Some(written);
        files.logs.extract_if(.., |log| log.last <= revision).collect::<Vec<_>>()
    };
    for path in logs.iter().map(|log| &log.path).chain(old.iter().map(|(path, _)| path)) {
        files::remove(path)?;
    }
    files::sync_folder(folder)
}
