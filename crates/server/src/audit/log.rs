//! The audit log: lines that a thread of its own writes, bounded in memory and in the time that a request waits for it.

use std::io::{self, Write as _};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::file::File;
use crate::metrics::Metrics;
use crate::shares::{Share, Shares};

/// Bytes of lines that wait to be written, at most; those of one user's requests are half of them, at most.
const QUEUE: u32 = 32 << 20;
/// A line counts as this many bytes at least, for what it needs beside its text.
const LEAST: usize = 256;
/// The time that a request waits for a log that writes nothing, at most.
const PATIENCE: Duration = Duration::from_secs(1);

/// The destination of lines.
pub(super) enum Output {
    Standard,
    File(File),
}

impl io::Write for Output {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match self {
            Output::Standard => io::stdout().lock().write(line),
            Output::File(file) => file.write(line),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Standard => io::stdout().lock().flush(),
            Output::File(file) => file.flush(),
        }
    }
}

/// The audit log.
pub(crate) struct Log {
    lines: Option<UnboundedSender<Line>>,
    /// Room in the queue, in bytes.
    room: Shares,
    health: Arc<Health>,
    writer: Option<JoinHandle<()>>,
}

struct Line {
    text: String,
    /// Told when the line is written.
    written: Option<oneshot::Sender<()>>,
    _room: Share,
}

/// The state of the writer.
struct Health {
    /// True after a request has waited in vain, until a line is written: others do not wait then.
    stalled: AtomicBool,
    /// True after an error, until a line is written: it is said once.
    failing: AtomicBool,
    /// The lines that were written or failed.
    done: AtomicU64,
    metrics: Arc<Metrics>,
}

impl Log {
    /// Starts the thread that writes.
    pub(super) fn start(output: Output, metrics: Arc<Metrics>) -> io::Result<Log> {
        let (lines, received) = unbounded_channel();
        let health = Arc::new(Health {
            stalled: AtomicBool::new(false),
            failing: AtomicBool::new(false),
            done: AtomicU64::new(0),
            metrics,
        });
        let writer = std::thread::Builder::new().name("audit".to_owned()).spawn({
            let health = health.clone();
            move || write_all(output, received, &health)
        })?;
        let room = Shares::new(QUEUE, QUEUE / 2);
        Ok(Log { lines: Some(lines), room, health, writer: Some(writer) })
    }

    /// Has a line about a user's request written, and waits until it is, as long as any lines are written. One that finds no room
    /// is counted as an error.
    // As upstream's log backend in the mode `blocking`, which waits without a limit.
    pub(super) async fn write(&self, user: &str, text: String) {
        let units = units(&text);
        let room = match self.room.try_take(user, units) {
            Some(room) => Some(room),
            None if self.health.stalled.load(Ordering::Relaxed) => None,
            None => self.while_it_writes(self.room.take(user, units)).await.flatten(),
        };
        let Some(room) = room else { return self.drop_line() };
        let (written, done) = oneshot::channel();
        self.send(Line { text, written: Some(written), _room: room });
        if !self.health.stalled.load(Ordering::Relaxed) && self.while_it_writes(done).await.is_none() {
            self.health.stalled.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for as long as lines are written.
    async fn while_it_writes<F: Future>(&self, waiting: F) -> Option<F::Output> {
        let mut waiting = pin!(waiting);
        loop {
            let before = self.health.done.load(Ordering::Relaxed);
            match timeout(PATIENCE, waiting.as_mut()).await {
                Ok(output) => return Some(output),
                Err(_) if self.health.done.load(Ordering::Relaxed) == before => return None,
                Err(_) => {}
            }
        }
    }

    /// Has a line written without waiting for that; returns it if there is no room.
    pub(super) fn offer(&self, user: &str, text: String) -> Option<String> {
        let Some(room) = self.room.try_take(user, units(&text)) else { return Some(text) };
        self.send(Line { text, written: None, _room: room });
        None
    }

    fn send(&self, line: Line) {
        let is_sent = self.lines.as_ref().is_some_and(|lines| lines.send(line).is_ok());
        if !is_sent {
            self.health.failed(&"the log is closed");
        }
    }

    /// Notes that a line was dropped.
    pub(super) fn drop_line(&self) {
        self.health.stalled.store(true, Ordering::Relaxed);
        self.health.failed(&format_args!("{QUEUE} bytes of events wait to be written"));
    }
}

impl Drop for Log {
    /// Writes the lines that wait, but not for ever.
    fn drop(&mut self) {
        self.lines = None;
        let Some(writer) = self.writer.take() else { return };
        let end = std::time::Instant::now() + PATIENCE;
        while !writer.is_finished() && std::time::Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        if !writer.is_finished() {
            tracing::error!("audit events were still to be written when the server stopped");
        }
    }
}

impl Health {
    // As upstream's audit.HandlePluginError, which says every one.
    fn failed(&self, why: &dyn std::fmt::Display) {
        self.metrics.count_audit_error();
        if !self.failing.swap(true, Ordering::Relaxed) {
            tracing::error!("Error in audit plugin 'log': {why}; more are counted in apiserver_audit_error_total");
        }
    }

    fn wrote(&self) {
        self.failing.store(false, Ordering::Relaxed);
        self.stalled.store(false, Ordering::Relaxed);
    }
}

fn units(text: &str) -> u32 {
    u32::try_from(text.len().max(LEAST)).unwrap_or(QUEUE).min(QUEUE)
}

fn write_all(mut output: Output, mut lines: UnboundedReceiver<Line>, health: &Health) {
    while let Some(line) = lines.blocking_recv() {
        match output.write_all(line.text.as_bytes()).and_then(|()| output.flush()) {
            Ok(()) => health.wrote(),
            Err(error) => health.failed(&error),
        }
        health.done.fetch_add(1, Ordering::Relaxed);
        if let Some(written) = line.written {
            // Nobody waits any more if it took too long.
            let _ = written.send(());
        }
    }
}
