//! Memory for bodies of requests and the work on them: limited in all. Who finds none waits, and is refused after a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sprag_registry::{HEAVY_BYTES, Reservation, Reserve};
use sprag_rest::{ApiError, Details, weight};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::QUEUE_TIME;

/// The memory for objects that requests work on: the largest object, or many that are smaller.
const WORK: usize = weight::MOST;
/// The memory for bodies that are decoded: one of the largest, or many that are smaller.
const DECODING: usize = 96 << 20;
/// The memory that a byte of a body may become when it is decoded: a value has 24 bytes and can be sent as two, and lists grow
/// by doubling.
const DECODED_PER_BYTE: usize = 24;
/// The unit in which memory is given out.
const UNIT: usize = 1 << 10;

/// Memory for requests.
pub(crate) struct Memory {
    work: Arc<Pool>,
    decoding: Arc<Pool>,
}

struct Pool {
    most: usize,
    free: Arc<Semaphore>,
    given: AtomicUsize,
}

/// Memory that was given out, until this is dropped.
pub(crate) struct Given {
    pool: Arc<Pool>,
    bytes: usize,
    _permit: OwnedSemaphorePermit,
}

impl Memory {
    pub(crate) fn new() -> Memory {
        Memory { work: Pool::new(WORK), decoding: Pool::new(DECODING) }
    }

    /// The bytes that are given out.
    pub(crate) fn given(&self) -> usize {
        self.work.given.load(Ordering::Relaxed) + self.decoding.given.load(Ordering::Relaxed)
    }

    /// Memory to decode a body of so many bytes; small ones need none.
    pub(crate) async fn for_body(&self, bytes: usize) -> Result<Option<Given>, ApiError> {
        if bytes < HEAVY_BYTES {
            return Ok(None);
        }
        Pool::give(self.decoding.clone(), bytes * DECODED_PER_BYTE).await.map(Some)
    }

    /// Gives the registry memory for work on objects.
    pub(crate) fn reserve(&self) -> Arc<Reserve> {
        let work = self.work.clone();
        Arc::new(move |bytes| {
            let given = Pool::give(work.clone(), bytes);
            Box::pin(async move { given.await.map(|given| Box::new(given) as Reservation) })
        })
    }
}

impl Pool {
    fn new(most: usize) -> Arc<Pool> {
        Arc::new(Pool { most, free: Arc::new(Semaphore::new(most / UNIT)), given: AtomicUsize::new(0) })
    }

    async fn give(pool: Arc<Pool>, bytes: usize) -> Result<Given, ApiError> {
        let bytes = bytes.min(pool.most);
        let units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        match timeout(QUEUE_TIME, pool.free.clone().acquire_many_owned(units)).await {
            Ok(Ok(permit)) => {
                pool.given.fetch_add(bytes, Ordering::Relaxed);
                Ok(Given { pool, bytes, _permit: permit })
            }
            _ => Err(no_memory()),
        }
    }
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
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn memory_is_given_out_up_to_the_limit() {
        let memory = Memory::new();
        let reserve = memory.reserve();
        let half = reserve(WORK / 2).await.unwrap_or_else(|error| panic!("{error}"));
        let rest = reserve(WORK).now_or_never();
        assert!(rest.is_none());
        let other_half = reserve(WORK / 2).now_or_never().expect("there is enough");
        assert_eq!(memory.given(), WORK);
        assert!(reserve(UNIT).now_or_never().is_none());
        drop((half, other_half));
        assert_eq!(memory.given(), 0);
        // What is more than all there is gets all there is.
        let all = reserve(WORK + UNIT).now_or_never().expect("there is enough");
        assert!(all.is_ok());
        assert!(reserve(UNIT).now_or_never().is_none());
    }

    #[tokio::test]
    async fn small_bodies_need_no_memory() {
        let memory = Memory::new();
        let small = memory.for_body(HEAVY_BYTES - 1).await;
        assert!(small.is_ok_and(|given| given.is_none()));
        let large = memory.for_body(HEAVY_BYTES).await;
        assert!(large.is_ok_and(|given| given.is_some()));
    }
}
