//! Turns of users: so many at once, and when users wait, each in its turn however many requests it has. Who waits for somebody
//! else meanwhile has no turn.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot::{self, Receiver, Sender};

thread_local! {
    /// The turn in which this thread works.
    static CURRENT: RefCell<Option<Turn>> = const { RefCell::new(None) };
}

/// A number of turns that requests take.
pub(crate) struct Turns(Mutex<State>);

struct State {
    free: usize,
    /// The users who wait, the next one first, with their requests in the order in which they came.
    waiting: VecDeque<(String, VecDeque<Sender<()>>)>,
}

/// A turn, over when it is dropped.
pub(crate) struct Turn {
    turns: Arc<Turns>,
    user: String,
}

/// A request that waits for its turn.
struct Waiting<'t> {
    turns: &'t Turns,
    /// Nothing once it was called.
    call: Option<Receiver<()>>,
}

impl Turns {
    pub(crate) fn new(most: usize) -> Arc<Turns> {
        Arc::new(Turns(Mutex::new(State { free: most, waiting: VecDeque::new() })))
    }

    /// Waits for a turn.
    pub(crate) async fn enter(self: &Arc<Turns>, user: &str) -> Turn {
        let mut waiting = Waiting { turns: self, call: self.ask(user) };
        if let Some(call) = &mut waiting.call {
            // Who waits is called: nothing else drops the other end.
            let _ = call.await;
        }
        waiting.call = None;
        Turn { turns: self.clone(), user: user.to_owned() }
    }

    /// Takes a turn if one is free, else what tells when it is.
    fn ask(&self, user: &str) -> Option<Receiver<()>> {
        let mut state = self.state();
        if state.free > 0 {
            state.free -= 1;
            return None;
        }
        let (call, called) = oneshot::channel();
        match state.waiting.iter_mut().find(|(known, _)| known == user) {
            Some((_, requests)) => requests.push_back(call),
            None => state.waiting.push_back((user.to_owned(), VecDeque::from([call]))),
        }
        Some(called)
    }

    /// Passes a turn on to the user who has waited for one longest.
    fn pass(&self) {
        let mut state = self.state();
        while let Some((user, mut requests)) = state.waiting.pop_front() {
            let call = requests.pop_front();
            if !requests.is_empty() {
                state.waiting.push_back((user, requests));
            }
            // Some requests do not wait any more.
            if call.is_some_and(|call| call.send(()).is_ok()) {
                return;
            }
        }
        state.free += 1;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Works in this turn, on this thread.
    pub(crate) fn work<T>(self, work: impl FnOnce() -> T) -> T {
        CURRENT.set(Some(self));
        let _end = End;
        work()
    }
}

/// Waits for somebody else. Others may have the turn of this thread meanwhile, if it has one.
pub(crate) async fn without<F: Future>(waiting: F) -> F::Output {
    let Some(turn) = CURRENT.take() else { return waiting.await };
    let turns = turn.turns.clone();
    let user = turn.user.clone();
    drop(turn);
    let output = waiting.await;
    CURRENT.set(Some(turns.enter(&user).await));
    output
}

/// The turn of this thread is over when this is dropped.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        drop(CURRENT.take());
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.pass();
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(call) = &mut self.call else { return };
        call.close();
        // It may have been called just before.
        if call.try_recv().is_ok() {
            self.turns.pass();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use super::*;

    type Entering<'t> = Pin<Box<dyn Future<Output = Turn> + 't>>;

    fn poll(entering: &mut Entering<'_>) -> Poll<Turn> {
        entering.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_user_with_many_requests_waits_as_long_as_others() {
        let turns = Turns::new(1);
        let users = ["eve", "eve", "eve", "eve", "bob", "amy", "bob"];
        let mut entering: Vec<(&str, Entering<'_>)> =
            users.iter().map(|user| (*user, Box::pin(turns.enter(user)) as Entering<'_>)).collect();
        let mut order = Vec::new();
        while !entering.is_empty() {
            let mut done = None;
            for (at, (_, request)) in entering.iter_mut().enumerate() {
                if let Poll::Ready(turn) = poll(request) {
                    assert!(done.replace((at, turn)).is_none(), "one at once");
                }
            }
            let (at, turn) = done.expect("somebody is next");
            order.push(entering.remove(at).0);
            drop(turn);
        }
        assert_eq!(order, ["eve", "eve", "bob", "amy", "eve", "bob", "eve"]);
        assert_eq!(turns.state().free, 1);
    }

    #[test]
    fn as_many_as_there_are_turns_go_at_once() {
        let turns = Turns::new(2);
        let [mut one, mut two, mut three] = [(); 3].map(|()| Box::pin(turns.enter("eve")) as Entering<'_>);
        let held = [poll(&mut one), poll(&mut two)];
        assert!(held.iter().all(Poll::is_ready));
        assert!(poll(&mut three).is_pending());
        drop(held);
        assert!(poll(&mut three).is_ready());
        assert_eq!(turns.state().free, 2);
    }

    #[test]
    fn who_waits_for_somebody_else_has_no_turn() {
        let turns = Turns::new(1);
        let mut first: Entering<'_> = Box::pin(turns.enter("eve"));
        let Poll::Ready(turn) = poll(&mut first) else { panic!("a turn is free") };
        let mut other: Entering<'_> = Box::pin(turns.enter("bob"));
        assert!(poll(&mut other).is_pending());
        turn.work(|| {
            let mut is_asked = false;
            let answer = std::future::poll_fn(|_| {
                let Poll::Ready(of_other) = poll(&mut other) else { panic!("bob waits for nobody") };
                drop(of_other);
                is_asked = true;
                Poll::Ready("answer")
            });
            let mut waiting = pin!(without(answer));
            let polled = waiting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(polled, Poll::Ready("answer"));
            assert_eq!(turns.state().free, 0, "it has a turn again");
        });
        assert_eq!(turns.state().free, 1);
    }

    #[test]
    fn requests_that_went_away_keep_no_turn() {
        let turns = Turns::new(1);
        let mut first: Entering<'_> = Box::pin(turns.enter("eve"));
        let held = poll(&mut first);
        let mut gone: Entering<'_> = Box::pin(turns.enter("eve"));
        let mut called: Entering<'_> = Box::pin(turns.enter("bob"));
        assert!(poll(&mut gone).is_pending());
        assert!(poll(&mut called).is_pending());
        drop(gone);
        drop(held);
        assert_eq!(turns.state().free, 0, "bob was called");
        drop(called);
        assert_eq!(turns.state().free, 1);
        let again = pin!(turns.enter("amy"));
        assert!(again.poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }
}
