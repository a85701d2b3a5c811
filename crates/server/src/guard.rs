//! Deadlines of connections and streams: a client that neither sends nor reads is let go.
//!
//! Connections of HTTP/1 and streams of HTTP/2 are tasks. Each has a [`Guard`]; what happens to the request in it moves the
//! deadline, always while the task itself is polled, so that nothing has to be woken for it. A task whose deadline
//! passes is dropped: that closes the connection, or resets the stream.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::server::State;

/// Interval at which a task without a deadline checks for one: the last stream of a connection may have ended.
const LOOK: Duration = Duration::from_secs(15);
/// Idle timeout of clients once the server stops.
const WHILE_STOPPING: Duration = Duration::from_secs(1);

tokio::task_local! {
    /// The guard of the stream that is polled.
    pub(crate) static STREAM: Arc<Guard>;
}

/// The deadline of a task, after which it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Guard(Mutex<Deadline>);

#[derive(Clone, Copy, Debug, Default)]
struct Deadline {
    /// Since when the client has had its turn, and for how long; none while it is the server's turn.
    turn: Option<(Instant, Duration)>,
    /// The time at which it ends in any case.
    end: Option<Instant>,
}

impl Guard {
    /// Waits for the client, with this timeout.
    pub(crate) fn wait_for_client(&self, limit: Duration) {
        self.lock().turn = Some((Instant::now(), limit));
    }

    /// It is the server's turn.
    pub(crate) fn wait_for_server(&self) {
        self.lock().turn = None;
    }

    /// The request is complete; waits for the client, with this timeout.
    pub(crate) fn wait_for_request(&self, limit: Duration) {
        *self.lock() = Deadline { turn: Some((Instant::now(), limit)), end: None };
    }

    /// The task is dropped at that time, in any state.
    pub(crate) fn end_at(&self, end: Instant) {
        self.lock().end = Some(end);
    }

    fn deadline(&self, stopping_since: Option<Instant>) -> Option<Instant> {
        let Deadline { turn, end } = *self.lock();
        let turn = turn.and_then(|(since, limit)| match stopping_since {
            None => since.checked_add(limit),
            Some(stop) => since.max(stop).checked_add(limit.min(WHILE_STOPPING)),
        });
        [turn, end].into_iter().flatten().min()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Deadline> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a task until it ends or its deadline passes.
pub(crate) async fn guarded<F: Future>(guard: &Guard, state: &Arc<State>, task: F) -> Option<F::Output> {
    let mut task = pin!(task);
    let mut alarm: Option<Pin<Box<Sleep>>> = None;
    let mut stopped: Option<Pin<Box<dyn Future<Output = ()> + Send>>> = None;
    let mut stopping_since = None;
    poll_fn(|cx| {
        if let Poll::Ready(output) = task.as_mut().poll(cx) {
            return Poll::Ready(Some(output));
        }
        if stopping_since.is_none() && guard.deadline(None).is_some() {
            let stopped = stopped.get_or_insert_with(|| {
                let state = state.clone();
                Box::pin(async move { state.stopped().await })
            });
            if stopped.as_mut().poll(cx).is_ready() {
                stopping_since = Some(Instant::now());
            }
        }
        let deadline = guard.deadline(stopping_since);
        if deadline.is_none() && alarm.is_none() {
            return Poll::Pending;
        }
        let next = deadline.unwrap_or_else(|| Instant::now() + LOOK);
        let alarm = alarm.get_or_insert_with(|| Box::pin(sleep_until(next)));
        // A deadline that moves away is looked at again when the old one passes.
        if next < alarm.deadline() {
            alarm.as_mut().reset(next);
        }
        while alarm.as_mut().poll(cx).is_ready() {
            if guard.deadline(stopping_since).is_some_and(|deadline| deadline <= Instant::now()) {
                return Poll::Ready(None);
            }
            alarm.as_mut().reset(guard.deadline(stopping_since).unwrap_or_else(|| Instant::now() + LOOK));
        }
        Poll::Pending
    })
    .await
}
