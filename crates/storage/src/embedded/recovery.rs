//! Opening a store: the last snapshot, then everything that happened since.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bytes::Bytes;

use super::files::{self, Folder, Listing};
use super::frame::{FileKind, FrameHead, Record, records};
use super::medium::LogFile;
use super::reader::{Frames, Next};
use super::segment::Segment;
use super::snapshot;
use crate::mvcc::{Retention, State};
use crate::{Entry, Error, Event, Key, Result, Revision};

/// Retries and pause when another process changes the store while it is read.
const READ_AGAIN: usize = 10;
const READ_AGAIN_AFTER: Duration = Duration::from_millis(50);

/// A log that is full.
#[derive(Clone, Debug)]
pub(super) struct ClosedLog {
    pub(super) path: PathBuf,
    /// The last revision in it.
    pub(super) last: Revision,
    pub(super) bytes: u64,
}

/// The state recovered from disk.
pub(super) struct Recovered {
    pub(super) state: State,
    pub(super) logs: Vec<ClosedLog>,
    pub(super) snapshot: Option<(PathBuf, u64)>,
    /// The log to go on with, if there is one.
    pub(super) segment: Option<Segment>,
    pub(super) cut: Option<Cut>,
    /// True if the store was closed properly or is new.
    is_clean: bool,
}

impl Recovered {
    /// Logs what was found of a store that was not closed.
    pub(super) fn report(&self) {
        if self.is_clean {
            return;
        }
        let entries = self.state.live().0;
        let revision = self.state.revision();
        let Some(Cut { path, offset, bytes }) = &self.cut else {
            tracing::warn!(entries, %revision, "the store was not closed: its log was read to the end");
            return;
        };
        tracing::warn!(
            path = %path.display(), offset, bytes, entries, %revision,
            "the store was not closed: the end of its log, a commit that was never acknowledged, was cut off"
        );
    }
}

/// The remains of a commit that was never acknowledged, which opening the store removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The log they were in.
    pub path: PathBuf,
    /// Their offset.
    pub offset: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

pub(super) fn recover(folder: &Folder, retention: &Retention, now: u64) -> Result<Recovered> {
    let listing = folder.list()?;
    let clean = folder.take_clean_mark()?;
    let mut state = State::new();
    let snapshot = read_snapshot(&listing, &mut state)?;
    let is_clean = clean.is_some() || listing.is_empty();
    let mut recovered = Recovered { state, logs: Vec::new(), snapshot, segment: None, cut: None, is_clean };
    let mut replay = Replay { state: &mut recovered.state, retention, now };
    for (index, (_, path)) in listing.logs.iter().enumerate() {
        let mut frames = Frames::open(path, FileKind::Log)?;
        replay.check_start(&frames)?;
        if index + 1 < listing.logs.len() {
            replay.whole(&mut frames)?;
            let last = replay.state.revision();
            recovered.logs.push(ClosedLog { path: path.clone(), last, bytes: frames.len() });
        } else {
            let torn = replay.last(&mut frames)?;
            recovered.cut = torn.map(|bytes| Cut { path: path.clone(), offset: frames.offset(), bytes });
            recovered.segment = Some(resume(&frames, torn.is_some())?);
        }
    }
    if let Some(clean) = clean
        && recovered.state.revision() < clean
    {
        let path = listing.logs.last().map_or(folder.path(), |(_, path)| path);
        let offset = recovered.segment.as_ref().map_or(0, Segment::len);
        let detail = format!("revisions {} to {clean} are missing", recovered.state.revision().next());
        return Err(Error::corrupt(path, offset, detail));
    }
    Ok(recovered)
}

/// The newest state in a folder that another process may be writing to.
pub(super) fn read_only(folder: &Path) -> Result<State> {
    let mut attempt = 0;
    loop {
        match try_read_only(folder) {
            // A log was removed for a snapshot, or a frame was seen in parts.
            Err(Error::Io { .. } | Error::Corrupt { .. }) if attempt < READ_AGAIN => {
                attempt += 1;
                thread::sleep(READ_AGAIN_AFTER);
            }
            done => return done,
        }
    }
}

fn try_read_only(folder: &Path) -> Result<State> {
    let listing = Listing::of(folder)?;
    if listing.is_empty() {
        return Err(Error::Config { reason: format!("{} holds no store", folder.display()) });
    }
    let mut state = State::new();
    if let Some((_, newest)) = listing.snapshots.last() {
        snapshot::read(newest, &mut state)?;
    }
    let retention = Retention { events: 0, ..Retention::default() };
    let mut replay = Replay { state: &mut state, retention: &retention, now: 0 };
    for (_, path) in &listing.logs {
        let mut frames = Frames::open(path, FileKind::Log)?;
        replay.check_start(&frames)?;
        // Each may have been the last one when it was listed.
        replay.last(&mut frames)?;
    }
    Ok(state)
}

/// Reads the newest snapshot and removes those it replaced.
fn read_snapshot(listing: &Listing, state: &mut State) -> Result<Option<(PathBuf, u64)>> {
    let Some(((_, newest), older)) = listing.snapshots.split_last() else { return Ok(None) };
    let (_, len) = snapshot::read(newest, state)?;
    older.iter().try_for_each(|(_, path)| files::remove(path))?;
    Ok(Some((newest.clone(), len)))
}

/// Continues a log after its last complete frame.
fn resume(frames: &Frames, torn: bool) -> Result<Segment> {
    let end = frames.offset();
    let allocated = frames.len();
    let salt = frames.head().salt;
    let path = frames.path().to_owned();
    let file = File::options().read(true).write(true).open(&path).map_err(Error::io("open", &path))?;
    let mut segment = Segment::at(Box::new(LogFile::new(file, &path)), path, salt, end, allocated.max(end));
    if torn {
        segment.finish()?;
    }
    Ok(segment)
}

/// Applies logs to a state.
struct Replay<'a> {
    state: &'a mut State,
    retention: &'a Retention,
    now: u64,
}

impl Replay<'_> {
    /// Refuses a log that does not begin where the ones before it end.
    fn check_start(&self, frames: &Frames) -> Result<()> {
        if frames.head().revision > self.state.revision() {
            let missing = format!("the log after revision {} is missing", self.state.revision());
            return Err(Error::corrupt(frames.path(), 0, missing));
        }
        Ok(())
    }

    /// A log that was full, so that a part of a frame is damage.
    fn whole(&mut self, frames: &mut Frames) -> Result<()> {
        match self.all(frames)? {
            Some(broken) => Err(broken.into_error(frames.path())),
            None if frames.judge_tail(None)?.is_some() => {
                Err(Error::corrupt(frames.path(), frames.offset(), "a frame is missing"))
            }
            None => Ok(()),
        }
    }

    /// The log that was written to last: how many bytes it has of a frame that is not whole, if it ends with one.
    fn last(&mut self, frames: &mut Frames) -> Result<Option<u64>> {
        let broken = self.all(frames)?;
        frames.judge_tail(broken.as_ref())
    }

    /// Applies frames up to the first place that holds none.
    fn all(&mut self, frames: &mut Frames) -> Result<Option<super::reader::Broken>> {
        let path = frames.path().to_owned();
        loop {
            match frames.next()? {
                Next::Blank => return Ok(None),
                Next::Broken(broken) => return Ok(Some(broken)),
                Next::Frame(frame) => {
                    let damaged = |detail: String| Error::corrupt(&path, frame.offset, detail);
                    self.frame(frame.head, frame.body).map_err(damaged)?;
                    self.state.trim_all(self.retention, self.now);
                }
            }
        }
    }

    fn frame(&mut self, head: FrameHead, body: &[u8]) -> Result<(), String> {
        for record in records(body) {
            let record = record.map_err(|at| format!("the record at byte {at} of the frame makes no sense"))?;
            self.record(record, head.at)?;
        }
        Ok(())
    }

    fn record(&mut self, record: Record<'_>, at: u64) -> Result<(), String> {
        let (revision, key, put) = match record {
            Record::Put { revision, created, deadline, key, value } => {
                (revision, key, Some((created, deadline, value)))
            }
            Record::Delete { revision, key } => (revision, key, None),
            Record::Compact { before } => return self.state.compact(before).map_err(|error| error.to_string()),
            Record::End { .. } => return Err("a record that belongs into a snapshot".into()),
        };
        let current = self.state.revision();
        if revision <= current {
            // The snapshot has it.
            return Ok(());
        }
        if revision != current.next() {
            return Err(format!("revision {revision} follows {current}"));
        }
        let key = Key::parse(key).map_err(|error| error.to_string())?;
        let previous = self.state.get(&key).cloned();
        // One key for all versions.
        let key = previous.as_ref().map_or(key, |previous| previous.key.clone());
        let entry = put.map(|(created, deadline, value)| {
            let value = Bytes::copy_from_slice(value);
            Arc::new(Entry { key: key.clone(), value, created, revision, deadline })
        });
        self.state.apply(Event { revision, key, entry, previous }, at);
        Ok(())
    }
}
