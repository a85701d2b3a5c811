//! Work on all cores with results in the order of the work.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// Maximum lead of the workers over the result that is printed next, per worker: this bounds memory.
const AHEAD: usize = 8;

/// Applies `job` to every item on `count` threads and hands the results to `take` in the order of the items. Items are made
/// when a worker asks for one; one worker is this thread. Stops early when `take` fails.
pub fn in_order<T: Send, R: Send, E>(
    count: usize,
    items: impl Iterator<Item = T> + Send,
    job: impl Fn(T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    if count <= 1 {
        return items.map(job).try_for_each(take);
    }
    let queue =
        Queue { state: Mutex::new(State { items, handed_out: 0, taken: 0, stopped: false }), moved: Condvar::new() };
    let (results, inbox) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..count {
            let queue = &queue;
            let job = &job;
            let results = results.clone();
            scope.spawn(move || {
                while let Some((number, item)) = queue.next(count * AHEAD) {
                    // The other end is gone only when nobody wants more.
                    let _ = results.send((number, job(item)));
                }
            });
        }
        drop(results);
        let mut waiting = BTreeMap::new();
        let mut expected = 0;
        for (number, result) in inbox {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&expected) {
                expected += 1;
                if let Err(error) = take(result) {
                    queue.stop();
                    return Err(error);
                }
                queue.taken(expected);
            }
        }
        Ok(())
    })
}

/// As many workers as the machine runs at once.
pub fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

struct Queue<I> {
    state: Mutex<State<I>>,
    moved: Condvar,
}

struct State<I> {
    items: I,
    handed_out: usize,
    taken: usize,
    stopped: bool,
}

impl<I: Iterator> Queue<I> {
    fn next(&self, ahead: usize) -> Option<(usize, I::Item)> {
        let state = self.lock();
        let is_full = |state: &mut State<I>| !state.stopped && state.handed_out >= state.taken + ahead;
        let mut state = self.moved.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner);
        if state.stopped {
            return None;
        }
        let item = state.items.next()?;
        state.handed_out += 1;
        Some((state.handed_out - 1, item))
    }

    fn taken(&self, taken: usize) {
        self.lock().taken = taken;
        self.moved.notify_all();
    }

    fn stop(&self) {
        self.lock().stopped = true;
        self.moved.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, 3, 8] {
            let mut seen = Vec::new();
            let job = |item: u64| {
                thread::sleep(Duration::from_micros(item * 7919 % 100));
                item
            };
            in_order(count, 0..200, job, |item| {
                seen.push(item);
                Ok::<(), ()>(())
            })
            .unwrap();
            assert_eq!(seen, (0..200).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_reader_that_is_gone_ends_the_work() {
        let mut taken = 0;
        let result = in_order(
            4,
            0..,
            |item: u64| item,
            |item| {
                taken += 1;
                if item == 10 { Err("gone") } else { Ok(()) }
            },
        );
        assert_eq!((result, taken), (Err("gone"), 11));
    }
}
