//! The time by which a request must be answered: no call that is made for the request lasts longer.
//!
//! It belongs to the task, as the context of a request does upstream, since conversions are called from deep inside of code that
//! knows no requests. Work of the request on another thread has to [take it along](within).

use std::time::Duration;

use tokio::time::Instant;

tokio::task_local! {
    static DEADLINE: Option<Instant>;
}

/// Runs a future whose calls have to be over at a time, if at any.
pub async fn within<F: Future>(deadline: Option<Instant>, future: F) -> F::Output {
    DEADLINE.scope(deadline, future).await
}

/// The time by which the request of this task must be answered.
pub fn current() -> Option<Instant> {
    DEADLINE.try_with(|deadline| *deadline).ok().flatten()
}

/// True if the request of this task is too late to be answered.
pub fn is_over() -> bool {
    current().is_some_and(|deadline| deadline <= Instant::now())
}

/// The part of some time that is left.
pub(crate) fn left(now: Instant, time: Duration) -> Duration {
    current().map_or(time, |deadline| time.min(deadline.saturating_duration_since(now)))
}
