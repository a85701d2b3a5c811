//! Memory for bodies of requests and the work on them: limited in all and for each user. Who finds none waits, and is refused
//! after a while.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use sprag_registry::{HEAVY_BYTES, Reservation, Reserve};
use sprag_rest::{ApiError, Details, weight};
use tokio::time::timeout;

use crate::limits::QUEUE_TIME;
use crate::shares::{Share, Shares};

/// The memory for objects that requests of one user work on: the largest object, or many that are smaller. A third as much
/// is left to others, since a request may wait for a webhook meanwhile.
const WORK: usize = weight::MOST;
/// The memory for bodies of one user that are decoded, or wait for memory to work on their objects: one of the largest, or many that
/// are smaller. One of the largest is left to others.
const DECODING: usize = 96 << 20;
/// The memory for large bodies of one user that were not answered yet: ten of the largest. Half as much is left to others.
const BODIES: usize = 32 << 20;
/// The memory for lists of one user that only their readers need: of a store that shares none, or converted by a webhook. A
/// third as much is left to others.
const LISTS: usize = 192 << 20;
/// The memory for watches of one user, and that for those of all.
const WATCHES: usize = 64 << 20;
const ALL_WATCHES: usize = 16 * WATCHES;
/// The memory that a watch takes: a task, its buffers, and a stream of a connection.
const WATCH: usize = 16 << 10;
/// The memory that a byte of a selector takes: each value is a text of its own.
const SELECTOR_PER_BYTE: usize = 8;
/// The memory for lists in audit events of one user that are not written yet: two of the largest. Half as much is left to
/// others.
const AUDITED: usize = 32 << 20;
/// The memory that a byte of a list takes in its event: once as JSON, and once in the line.
const AUDITED_PER_BYTE: usize = 2;
/// The memory that a byte of a body may become when it is decoded: a value has 24 bytes and can be sent as two, and lists grow
/// by doubling.
const DECODED_PER_BYTE: usize = 24;
/// The unit in which memory is given out.
const UNIT: usize = 1 << 10;

tokio::task_local! {
    /// The memory to decode the body of the request, until there is memory to work on its object.
    static DECODED: Arc<Mutex<Option<Given>>>;
}

/// The future, in which memory that is [kept](keep_decoded) is given back once memory for work is there.
pub(crate) async fn decoding<F: Future>(future: F) -> F::Output {
    DECODED.scope(Arc::default(), future).await
}

/// The future, in which the same memory is kept wherever it runs.
pub(crate) async fn with_decoded<F: Future>(future: F) -> F::Output {
    match DECODED.try_with(Arc::clone) {
        Ok(kept) => DECODED.scope(kept, future).await,
        Err(_) => future.await,
    }
}

/// Keeps memory for a decoded object that waits for memory to work on it.
pub(crate) fn keep_decoded(memory: Option<Given>) {
    // Dropped where nobody waits.
    let _ = DECODED.try_with(|kept| *kept.lock().unwrap_or_else(PoisonError::into_inner) = memory);
}

/// Memory for requests.
pub(crate) struct Memory {
    work: Arc<Pool>,
    decoding: Arc<Pool>,
    bodies: Arc<Pool>,
    audited: Arc<Pool>,
    lists: Arc<Pool>,
    watches: Arc<Pool>,
}

struct Pool {
    shares: Shares,
    given: AtomicUsize,
}

/// Memory that was given out, until this is dropped.
pub(crate) struct Given {
    pool: Arc<Pool>,
    bytes: usize,
    _share: Share,
}

impl Memory {
    pub(crate) fn new() -> Memory {
        Memory {
            work: Pool::new(WORK + WORK / 3, WORK),
            decoding: Pool::new(DECODING + DECODING / 4 * 3, DECODING),
            bodies: Pool::new(BODIES + BODIES / 2, BODIES),
            audited: Pool::new(AUDITED + AUDITED / 2, AUDITED),
            lists: Pool::new(LISTS + LISTS / 3, LISTS),
            watches: Pool::new(ALL_WATCHES, WATCHES),
        }
    }

    /// The bytes that are given out.
    pub(crate) fn given(&self) -> usize {
        let pools = [&self.work, &self.decoding, &self.bodies, &self.audited, &self.lists, &self.watches];
        pools.iter().map(|pool| pool.given.load(Ordering::Relaxed)).sum()
    }

    /// Memory to receive a body of so many bytes.
    pub(crate) async fn to_receive(&self, user: &str, bytes: usize) -> Result<Given, ApiError> {
        Pool::give(self.bodies.clone(), user, bytes).await
    }

    /// Memory to decode a body of so many bytes; small ones need none.
    pub(crate) async fn for_body(&self, user: &str, bytes: usize) -> Result<Option<Given>, ApiError> {
        if bytes < HEAVY_BYTES {
            return Ok(None);
        }
        Pool::give(self.decoding.clone(), user, bytes * DECODED_PER_BYTE).await.map(Some)
    }

    /// Memory for a list of so many bytes that only its reader needs.
    pub(crate) async fn to_list(&self, user: &str, bytes: usize) -> Result<Option<Given>, ApiError> {
        if bytes == 0 {
            return Ok(None);
        }
        Pool::give(self.lists.clone(), user, bytes).await.map(Some)
    }

    /// Memory for a watch with selectors of so many bytes. There is no use in waiting for it: watches go on for long.
    pub(crate) fn to_watch(&self, user: &str, selectors: usize) -> Result<Given, ApiError> {
        Pool::give(self.watches.clone(), user, WATCH + selectors * SELECTOR_PER_BYTE)
            .now_or_never()
            .unwrap_or_else(|| Err(no_memory()))
    }

    /// Memory to keep a list of so many bytes for its audit event.
    pub(crate) async fn to_audit(&self, user: &str, bytes: usize) -> Result<Given, ApiError> {
        Pool::give(self.audited.clone(), user, bytes * AUDITED_PER_BYTE).await
    }

    /// Gives the registry memory for work on objects.
    pub(crate) fn reserve(&self) -> Arc<Reserve> {
        let work = self.work.clone();
        Arc::new(move |user, bytes| {
            let given = Pool::give(work.clone(), user, bytes);
            Box::pin(async move {
                let given = given.await?;
                keep_decoded(None);
                Ok(Box::new(given) as Reservation)
            })
        })
    }
}

impl Pool {
    fn new(most: usize, of_one: usize) -> Arc<Pool> {
        let shares = Shares::new(units(most), units(of_one));
        Arc::new(Pool { shares, given: AtomicUsize::new(0) })
    }

    async fn give(pool: Arc<Pool>, user: &str, bytes: usize) -> Result<Given, ApiError> {
        let units = units(bytes).min(pool.shares.of_one());
        let bytes = units as usize * UNIT;
        let share = timeout(QUEUE_TIME, pool.shares.take(user, units)).await.ok().flatten().ok_or_else(no_memory)?;
        pool.given.fetch_add(bytes, Ordering::Relaxed);
        Ok(Given { pool, bytes, _share: share })
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes / UNIT).unwrap_or(u32::MAX)
}

impl Drop for Given {
    fn drop(&mut self) {
        self.pool.given.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Other requests have all the memory.
// As upstream's errors.NewTooManyRequests.
fn no_memory() -> ApiError {
    let details = Details { retry_after_seconds: 1, ..Details::default() };
    let message = "Too many large requests, please try again later.".to_owned();
    ApiError::new(429, "TooManyRequests", message, Some(details))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn memory_is_given_out_up_to_the_limit() {
        let memory = Memory::new();
        let reserve = memory.reserve();
        let half = reserve("eve", WORK / 2).await.unwrap_or_else(|error| panic!("{error}"));
        let rest = reserve("eve", WORK).now_or_never();
        assert!(rest.is_none());
        let other_half = reserve("eve", WORK / 2).now_or_never().expect("there is enough");
        assert_eq!(memory.given(), WORK);
        assert!(reserve("eve", UNIT).now_or_never().is_none());
        drop((half, other_half));
        assert_eq!(memory.given(), 0);
        // A request for more gets all that one user gets.
        let all = reserve("eve", WORK * 2).now_or_never().expect("there is enough");
        assert!(all.is_ok());
        assert_eq!(memory.given(), WORK);
        assert!(reserve("eve", UNIT).now_or_never().is_none());
        let of_another = reserve("bob", WORK / 3).now_or_never().expect("there is enough");
        assert!(of_another.is_ok());
    }

    #[tokio::test]
    async fn small_bodies_need_no_memory() {
        let memory = Memory::new();
        let small = memory.for_body("eve", HEAVY_BYTES - 1).await;
        assert!(small.is_ok_and(|given| given.is_none()));
        let large = memory.for_body("eve", HEAVY_BYTES).await;
        assert!(large.is_ok_and(|given| given.is_some()));
    }

    #[tokio::test]
    async fn bodies_of_one_user_leave_room_for_those_of_others() {
        let memory = Memory::new();
        let held: Vec<_> = (0..BODIES >> 20).filter_map(|_| memory.to_receive("eve", 1 << 20).now_or_never()).collect();
        assert_eq!(memory.given(), BODIES);
        assert!(memory.to_receive("eve", UNIT).now_or_never().is_none());
        assert!(memory.to_receive("bob", 1 << 20).now_or_never().is_some());
        drop(held);
    }
}
