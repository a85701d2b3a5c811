//! The longest time that one task kept a thread of the runtime, while whose other tasks waited.
//!
//! Every task of the server is [spawned](spawn) here, and each of its polls is timed. Work that leaves the runtime
//! ([`aside`]) does not count: the runtime goes on with another thread meanwhile. Nor does time in which the system ran something
//! else in place of the thread: that says how busy the machine is, and not what a task does.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinHandle;

/// The longest hold of the process, in microseconds.
static LONGEST: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place::Elsewhere) };
    static WAITED: Cell<Option<Waited>> = const { Cell::new(None) };
}

/// The time that this thread waited for a processor is looked at this often, so that it costs next to nothing.
const LOOK: Duration = Duration::from_millis(5);

/// The time that a thread had waited for a processor, and when it was looked at.
#[derive(Clone, Copy)]
struct Waited {
    seen: Instant,
    waited: Duration,
}

/// The place where a thread works.
#[derive(Clone, Copy)]
enum Place {
    /// On the runtime, in a task that has been polled since this time.
    Runtime(Instant),
    /// Off the runtime, for a request that has its turn there.
    Aside,
    /// In no task that is timed.
    Elsewhere,
}

/// The longest hold of the process.
pub(crate) fn longest() -> Duration {
    Duration::from_micros(LONGEST.load(Ordering::Relaxed))
}

/// Spawns a task, each poll of which is timed.
pub(crate) fn spawn<F>(task: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    tokio::spawn(timed(task))
}

/// The output of a task, each poll of which is timed.
async fn timed<F: Future>(task: F) -> F::Output {
    let mut task = pin!(task);
    poll_fn(|cx| {
        let _stay = Stay::begin(Place::begin());
        task.as_mut().poll(cx)
    })
    .await
}

/// True if this thread can leave the runtime: it belongs to one that has others, and has not left it.
pub(crate) fn can_leave() -> bool {
    !matches!(PLACE.get(), Place::Aside) && has_other_threads()
}

fn has_other_threads() -> bool {
    Handle::try_current().is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread)
}

/// Does work on this thread, whose other tasks go elsewhere. A runtime with one thread has nowhere else.
pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
    if !has_other_threads() {
        return work();
    }
    let before = PLACE.get();
    note(before);
    let _back = Back(matches!(before, Place::Runtime(_)));
    tokio::task::block_in_place(|| within_aside(work))
}

/// Does work on a thread that belongs to a request and not to the runtime.
pub(crate) fn within_aside<T>(work: impl FnOnce() -> T) -> T {
    let _stay = Stay::begin(Place::Aside);
    work()
}

/// A thread works at a place until this is dropped.
struct Stay(Place);

impl Stay {
    fn begin(place: Place) -> Stay {
        Stay(PLACE.replace(place))
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        note(PLACE.replace(self.0));
    }
}

/// A task that was on the runtime before is timed from the end of what it did aside.
struct Back(bool);

impl Drop for Back {
    fn drop(&mut self) {
        if self.0 {
            PLACE.set(Place::begin());
        }
    }
}

impl Place {
    /// On the runtime from now on.
    fn begin() -> Place {
        let now = Instant::now();
        if WAITED.get().is_none_or(|waited| now.duration_since(waited.seen) >= LOOK) {
            WAITED.set(Some(Waited { seen: now, waited: waited() }));
        }
        Place::Runtime(now)
    }
}

fn note(place: Place) {
    let Place::Runtime(since) = place else { return };
    let took = since.elapsed();
    // Only of what would be the longest: a look costs a call of the system.
    if took <= longest() {
        return;
    }
    let waited = WAITED.get().map_or(Duration::ZERO, |before| waited().saturating_sub(before.waited));
    let held = u64::try_from(took.saturating_sub(waited).as_micros()).unwrap_or(u64::MAX);
    LONGEST.fetch_max(held, Ordering::Relaxed);
}

/// The time that this thread has waited for a processor since it was started; nothing where the system does not tell.
fn waited() -> Duration {
    #[cfg(target_os = "linux")]
    let nanos = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse().ok());
    #[cfg(not(target_os = "linux"))]
    let nanos = None;
    Duration::from_nanos(nanos.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLD: Duration = Duration::from_millis(5);

    #[tokio::test(flavor = "multi_thread")]
    async fn a_task_that_keeps_its_thread_is_noticed() {
        spawn(async { std::thread::sleep(HOLD) }).await.unwrap();
        assert!(longest() >= HOLD);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_aside_is_done_off_the_runtime_and_does_not_count() {
        let held = spawn(async {
            assert!(can_leave());
            let since = aside(|| {
                assert!(!can_leave(), "it has left");
                std::thread::sleep(HOLD);
                aside(Instant::now)
            });
            let Place::Runtime(timed_since) = PLACE.get() else { return false };
            timed_since >= since
        });
        assert!(held.await.unwrap());
    }

    #[tokio::test]
    async fn a_runtime_with_one_thread_has_nowhere_else() {
        let stays = spawn(async { !can_leave() && aside(|| matches!(PLACE.get(), Place::Runtime(_))) });
        assert!(stays.await.unwrap());
    }
}
