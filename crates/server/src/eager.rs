//! Futures that wake themselves are polled again at once.
//!
//! The body of a request passes between two ends of one task, which wakes itself for each of them. Left to the
//! runtime, that task would go through its queue, and another thread would be woken to look for work that is not there.
//!
//! Skips: the runtime's queue, for a task that has just woken itself.
//! Safe: after a few rounds the task yields as any other does, and wakes from elsewhere reach the runtime as before.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Maximum polls of a future before it yields to others.
const MAX_ROUNDS: usize = 8;

const IDLE: u8 = 0;
const POLLED: u8 = 1;
const WOKEN: u8 = 2;

/// The output of a future that is polled again at once when it wakes itself.
pub(crate) async fn eager<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let alarm = Arc::new(Alarm { state: AtomicU8::new(IDLE), task: Mutex::new(Waker::noop().clone()) });
    let waker = Waker::from(alarm.clone());
    poll_fn(|task| {
        alarm.belongs_to(task.waker());
        for _ in 0..MAX_ROUNDS {
            alarm.state.store(POLLED, Ordering::Release);
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Poll::Ready(output);
            }
            if alarm.state.compare_exchange(POLLED, IDLE, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return Poll::Pending;
            }
        }
        alarm.state.store(IDLE, Ordering::Release);
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

/// Wakes the task, unless it is being polled and will be again.
struct Alarm {
    state: AtomicU8,
    task: Mutex<Waker>,
}

impl Alarm {
    fn belongs_to(&self, task: &Waker) {
        self.task.lock().unwrap_or_else(PoisonError::into_inner).clone_from(task);
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        match self.state.compare_exchange(POLLED, WOKEN, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) | Err(WOKEN) => {}
            Err(_) => self.task.lock().unwrap_or_else(PoisonError::into_inner).wake_by_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Wakes itself so many times; then it is done, or waits for others.
    #[track_caller]
    fn check(wakes: usize, done: bool, polls_expected: usize, task_wakes: usize) {
        let mut polls = 0;
        let mut seen = None;
        let future = poll_fn(|cx| {
            polls += 1;
            seen = Some(cx.waker().clone());
            if polls <= wakes {
                cx.waker().wake_by_ref();
            }
            if polls > wakes && done { Poll::Ready(()) } else { Poll::Pending }
        });
        let count = Arc::new(Count::default());
        let task = Waker::from(count.clone());
        {
            let mut eager = pin!(eager(future));
            let is_ready = eager.as_mut().poll(&mut Context::from_waker(&task)).is_ready();
            assert_eq!(is_ready, done && wakes < MAX_ROUNDS);
        }
        assert_eq!(polls, polls_expected);
        assert_eq!(count.0.load(Ordering::Relaxed), task_wakes);
        seen.expect("it was polled").wake();
        assert_eq!(count.0.load(Ordering::Relaxed), task_wakes + usize::from(!done || wakes >= MAX_ROUNDS));
    }

    #[test]
    fn a_future_that_wakes_itself_does_not_wake_its_task() {
        check(0, true, 1, 0);
        check(3, true, 4, 0);
        check(3, false, 4, 0);
    }

    #[test]
    fn others_have_their_turn() {
        check(1000, false, MAX_ROUNDS, 1);
    }
}
