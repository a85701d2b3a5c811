//! Limits of clients: connections, timeouts and concurrent requests.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use sprag_registry::{HEAVY_BYTES, Offload};
use sprag_webhook::deadline;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::api::Verb;
use crate::audit;
use crate::hold;
use crate::memory::{self, Memory};
use crate::serve::STACK;
use crate::shares::{Share, Shares};
use crate::turns::{Turn, Turns};

/// Time a request waits in the queue before it is rejected.
// As upstream's `requestWaitLimitLowerBound`-clamped quarter of the request timeout.
pub(crate) const QUEUE_TIME: Duration = Duration::from_secs(15);
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
    pub(crate) heavy: Arc<Turns>,
    pub(crate) memory: Arc<Memory>,
}

/// Requests of one class, and those that wait for their turn.
struct Lane {
    turns: Shares,
    waiting: AtomicUsize,
    /// Maximum number that may wait.
    queue: usize,
}

impl InFlight {
    pub(crate) fn new(limits: &Limits) -> InFlight {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        InFlight {
            reads: Lane::new(limits.reads),
            writes: Lane::new(limits.writes),
            // One processor is left for requests of others, whose answers would take many times as long without.
            heavy: Turns::new(cores.saturating_sub(1).max(1)),
            memory: Arc::new(Memory::new()),
        }
    }

    /// The turn of a user's request; refused when too many others wait. Watches need none.
    // As upstream's filters.WithMaxInFlightLimit, with a queue as its filters.WithPriorityAndFairness has.
    pub(crate) async fn enter(&self, user: &str, verb: Verb) -> Result<Option<Share>, TooMany> {
        match verb {
            Verb::Watch => Ok(None),
            Verb::Get | Verb::List | Verb::None => self.reads.enter(user).await.map(Some),
            _ => self.writes.enter(user).await.map(Some),
        }
    }

    /// Runs work on so many bytes: off the threads of the runtime when they are many, and only some at once. While it waits for
    /// others, such as a webhook, it takes neither a thread nor a turn.
    ///
    /// The work is pinned by the caller: every request has room for one copy of it, not for two.
    pub(crate) async fn run<F>(&self, user: &str, bytes: usize, work: Pin<&mut F>) -> F::Output
    where
        F: Future<Output: Send> + Send,
    {
        run(&self.heavy, user, bytes, work).await
    }

    /// Makes something of so many bytes, in the same way.
    pub(crate) async fn make<T: Send>(&self, user: &str, bytes: usize, make: impl FnOnce() -> T + Send) -> T {
        self.run(user, bytes, pin!(async { make() })).await
    }
}

impl Lane {
    /// A lane for so many requests, of which a quarter is not for one user alone: requests may wait for long, for their bodies or
    /// for a webhook.
    fn new(most: usize) -> Lane {
        let requests = u32::try_from(most).unwrap_or(u32::MAX);
        Lane { turns: Shares::new(requests, requests - requests / 4), waiting: AtomicUsize::new(0), queue: most }
    }

    async fn enter(&self, user: &str) -> Result<Share, TooMany> {
        if let Some(turn) = self.turns.try_take(user, 1) {
            return Ok(turn);
        }
        let waiting = Waiting::new(&self.waiting);
        if waiting.before >= self.queue {
            return Err(TooMany);
        }
        timeout(QUEUE_TIME, self.turns.take(user, 1)).await.ok().flatten().ok_or(TooMany)
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

async fn run<F>(turns: &Arc<Turns>, user: &str, bytes: usize, mut work: Pin<&mut F>) -> F::Output
where
    F: Future<Output: Send> + Send + ?Sized,
{
    if bytes < HEAVY_BYTES || !hold::can_leave() {
        return work.await;
    }
    loop {
        let mut turn = Some(turns.enter(user).await);
        let step = poll_fn(|cx| {
            let step = turn.take().map(|turn| hold::aside(|| step(bytes, turn, work.as_mut(), cx)));
            Poll::Ready(step.unwrap_or(Poll::Pending))
        });
        match step.await {
            Poll::Ready(output) => return output,
            Poll::Pending => woken().await,
        }
    }
}

/// Does work in a turn as far as it goes without waiting.
fn step<F>(bytes: usize, turn: Turn, mut work: Pin<&mut F>, cx: &mut Context<'_>) -> Poll<F::Output>
where
    F: Future<Output: Send> + Send + ?Sized,
{
    if bytes < LARGE_BODY {
        return turn.work(|| work.poll(cx));
    }
    let waker = cx.waker().clone();
    let step = poll_fn(|_| Poll::Ready(work.as_mut().poll(&mut Context::from_waker(&waker))));
    let step = audit::with(audit::current(), memory::with_decoded(deadline::within(deadline::current(), step)));
    let runtime = Handle::current();
    on_thread(|| turn.work(|| runtime.block_on(step)))
}

/// Runs work on a thread of its own, to which the system prefers those of other requests. The memory that it has used goes back with
/// the thread: one that lived on would keep some for the next work, and there are many threads.
pub(crate) fn on_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("heavy".to_owned()).stack_size(STACK);
        let running = thread.spawn_scoped(scope, move || {
            // Linux counts this per thread. Where it fails, others wait a little longer.
            #[cfg(target_os = "linux")]
            let _ = rustix::process::nice(NICE);
            hold::within_aside(work)
        });
        running.expect("a thread can be started").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Waits for the next wake of the task.
async fn woken() {
    let mut is_polled = false;
    poll_fn(|_| if std::mem::replace(&mut is_polled, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// Work of the registry on much data, or that takes long: done as that on large bodies is. A runtime with one thread has nowhere else, so there
/// it is work as any other.
pub(crate) fn offload(turns: Arc<Turns>) -> Arc<Offload> {
    Arc::new(move |user, bytes, mut work| {
        let turns = turns.clone();
        Box::pin(async move { run(&turns, user, bytes, work.as_mut()).await })
    })
}
