//! Limits of clients: connections, timeouts and concurrent requests.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use sprag_registry::{Aside, HEAVY_BYTES, Work};
use sprag_webhook::deadline;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use crate::api::Verb;
use crate::audit;
use crate::hold;
use crate::memory::Memory;
use crate::serve::STACK;
use crate::turns::Turns;

/// Time a request waits in the queue before it is rejected.
// As upstream's `requestWaitLimitLowerBound`-clamped quarter of the request timeout.
pub(crate) const QUEUE_TIME: Duration = Duration::from_secs(15);
/// So many bodies larger than [`LARGE_BODY`] are in memory at once.
const LARGE_BODIES: usize = 16;
/// Bodies from this size on are counted.
pub(crate) const LARGE_BODY: usize = 256 << 10;

/// The `nice` value of threads that handle large bodies.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// Limits of clients: connections, timeouts and concurrent requests.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once. Less where the system lets the process have fewer files.
    pub connections: usize,
    /// Connections beyond those, for health checks only.
    pub reserve: usize,
    /// Time for the TLS handshake.
    pub handshake: Duration,
    /// Time from the handshake to the first request.
    pub first_request: Duration,
    /// Time between two requests of a connection.
    pub idle: Duration,
    /// Time for a request, whatever its `timeout` says; watches and connections to pods are not limited.
    pub request: Duration,
    /// Time for a request that writes one object.
    pub write: Duration,
    /// Time for the body of a request.
    pub body: Duration,
    /// Time between two parts of a body.
    pub body_pause: Duration,
    /// Time for a client to take the next piece of an answer.
    pub stall: Duration,
    /// Requests at once that read, but for watches.
    pub reads: usize,
    /// Requests at once that write.
    pub writes: usize,
    /// Time after which credentials of an open watch are looked at again.
    pub recheck: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 10_000,
            reserve: 32,
            handshake: Duration::from_secs(10),
            first_request: Duration::from_secs(10),
            // As upstream's SecureServingInfo.Serve.
            idle: Duration::from_secs(90),
            // As upstream's --request-timeout and handlers' requestTimeoutUpperBound.
            request: Duration::from_mins(1),
            write: Duration::from_secs(34),
            body: Duration::from_mins(1),
            body_pause: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            // As upstream's --max-requests-inflight and --max-mutating-requests-inflight.
            reads: 400,
            writes: 200,
            // As long as upstream's cache of tokens trusts one.
            recheck: Duration::from_secs(10),
        }
    }
}

/// Requests that are under way, by what they do.
pub(crate) struct InFlight {
    reads: Lane,
    writes: Lane,
    pub(crate) large_bodies: Semaphore,
    pub(crate) heavy: Arc<Turns>,
    pub(crate) memory: Arc<Memory>,
}

/// Requests of one class, and those that wait for their turn.
struct Lane {
    turns: Semaphore,
    waiting: AtomicUsize,
    /// So many may wait.
    queue: usize,
}

impl InFlight {
    pub(crate) fn new(limits: &Limits) -> InFlight {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        InFlight {
            reads: Lane::new(limits.reads),
            writes: Lane::new(limits.writes),
            large_bodies: Semaphore::new(LARGE_BODIES),
            // One processor is left for requests of others, whose answers would take many times as long without.
            heavy: Arc::new(Turns::new(cores.saturating_sub(1).max(1))),
            memory: Arc::new(Memory::new()),
        }
    }

    /// The turn of a request; refused when too many others wait. Watches need none.
    // As upstream's filters.WithMaxInFlightLimit, with a queue as its filters.WithPriorityAndFairness has.
    pub(crate) async fn enter(&self, verb: Verb) -> Result<Option<SemaphorePermit<'_>>, TooMany> {
        match verb {
            Verb::Watch => Ok(None),
            Verb::Get | Verb::List | Verb::None => self.reads.enter().await.map(Some),
            _ => self.writes.enter().await.map(Some),
        }
    }

    /// Runs work on so many bytes: off the threads of the runtime when they are many, and only some at once. While it waits for
    /// others, such as a webhook, it takes neither a thread nor a turn.
    ///
    /// The work is pinned by the caller: every request has room for one copy of it, not for two.
    pub(crate) async fn run<F>(&self, user: &str, bytes: usize, mut work: Pin<&mut F>) -> F::Output
    where
        F: Future<Output: Send> + Send,
    {
        if bytes < HEAVY_BYTES || !hold::can_leave() {
            return work.await;
        }
        loop {
            let turn = self.heavy.enter(user).await;
            let step = poll_fn(|cx| Poll::Ready(hold::aside(|| step(bytes, work.as_mut(), cx)))).await;
            drop(turn);
            match step {
                Poll::Ready(output) => return output,
                Poll::Pending => woken().await,
            }
        }
    }
}

impl Lane {
    fn new(most: usize) -> Lane {
        Lane { turns: Semaphore::new(most), waiting: AtomicUsize::new(0), queue: most }
    }

    async fn enter(&self) -> Result<SemaphorePermit<'_>, TooMany> {
        if let Ok(turn) = self.turns.try_acquire() {
            return Ok(turn);
        }
        let waiting = Waiting::new(&self.waiting);
        if waiting.before >= self.queue {
            return Err(TooMany);
        }
        match timeout(QUEUE_TIME, self.turns.acquire()).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(TooMany),
        }
    }
}

/// More requests wait than may.
pub(crate) struct TooMany;

/// A request in the queue.
struct Waiting<'q> {
    queue: &'q AtomicUsize,
    before: usize,
}

impl Waiting<'_> {
    fn new(queue: &AtomicUsize) -> Waiting<'_> {
        Waiting { queue, before: queue.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.queue.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Does work as far as it goes without waiting.
fn step<F>(bytes: usize, mut work: Pin<&mut F>, cx: &mut Context<'_>) -> Poll<F::Output>
where
    F: Future<Output: Send> + Send,
{
    if bytes < LARGE_BODY {
        return work.poll(cx);
    }
    let waker = cx.waker().clone();
    let step = poll_fn(|_| Poll::Ready(work.as_mut().poll(&mut Context::from_waker(&waker))));
    on_thread(audit::with(audit::current(), deadline::within(deadline::current(), step)))
}

/// Waits for the next wake of the task.
async fn woken() {
    let mut is_polled = false;
    poll_fn(|_| if std::mem::replace(&mut is_polled, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// Runs work on a thread of its own, to which the system prefers those of other requests.
fn on_thread<F>(work: F) -> F::Output
where
    F: Future<Output: Send> + Send,
{
    let runtime = Handle::current();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("heavy".to_owned()).stack_size(STACK);
        let running = thread.spawn_scoped(scope, move || {
            // Linux counts this per thread. Where it fails, others wait a little longer.
            #[cfg(target_os = "linux")]
            let _ = rustix::process::nice(NICE);
            hold::within_aside(|| runtime.block_on(work))
        });
        running.expect("a thread can be started").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Work of the registry on much data: done at once on this thread, whose other tasks go elsewhere. A runtime with one
/// thread has nowhere else, so there it is work as any other.
pub(crate) fn offload(mut work: Work<'_>) -> Work<'_> {
    if !hold::can_leave() {
        return work;
    }
    Box::pin(poll_fn(move |cx| hold::aside(|| work.as_mut().poll(cx))))
}

/// Work of the registry that turned out to take long: done by a thread of its own once it is the user's turn.
pub(crate) fn aside(turns: Arc<Turns>) -> Arc<Aside> {
    Arc::new(move |user, work| {
        let turns = turns.clone();
        Box::pin(async move {
            if !hold::can_leave() {
                return work.await;
            }
            let _turn = turns.enter(user).await;
            let work = audit::with(audit::current(), deadline::within(deadline::current(), work));
            hold::aside(|| on_thread(work));
        })
    })
}
