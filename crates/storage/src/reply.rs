//! The future that every operation returns: often it is ready at once.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::sync::oneshot;

use crate::{Error, Result};

/// An answer that may take a while. A read from memory costs no allocation and no task switch.
#[must_use = "nothing is known before the answer"]
pub struct Reply<'a, T>(State<'a, T>);

enum State<'a, T> {
    Ready(Option<Result<T>>),
    Queued(oneshot::Receiver<Result<T>>),
    Running(Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>),
}

impl<'a, T> Reply<'a, T> {
    /// An answer that is already there.
    pub fn ready(result: Result<T>) -> Reply<'a, T> {
        Reply(State::Ready(Some(result)))
    }

    /// An answer that a future works out.
    pub fn running(future: impl Future<Output = Result<T>> + Send + 'a) -> Reply<'a, T> {
        Reply(State::Running(Box::pin(future)))
    }

    /// An answer that a thread of the store will send.
    pub(crate) fn queued(receiver: oneshot::Receiver<Result<T>>) -> Reply<'a, T> {
        Reply(State::Queued(receiver))
    }

    /// Blocks the thread until the answer is there: for callers outside any runtime. The memory and embedded stores need
    /// none; etcd's answers need the runtime it was connected on to run on other threads.
    pub fn wait(mut self) -> Result<T> {
        if let Poll::Ready(result) = Pin::new(&mut self).poll(&mut Context::from_waker(Waker::noop())) {
            return result;
        }
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut cx = Context::from_waker(&waker);
        loop {
            match Pin::new(&mut self).poll(&mut cx) {
                Poll::Ready(result) => return result,
                Poll::Pending => thread::park(),
            }
        }
    }
}

/// Nothing in a reply is pinned in place: the one future that must not move is in a box.
impl<T> Unpin for Reply<'_, T> {}

impl<T> Future for Reply<'_, T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        match &mut self.get_mut().0 {
            State::Ready(result) => Poll::Ready(result.take().unwrap_or(Err(Error::Closed))),
            State::Queued(receiver) => Pin::new(receiver).poll(cx).map(|sent| sent.unwrap_or(Err(Error::Closed))),
            State::Running(future) => future.as_mut().poll(cx),
        }
    }
}

impl<T> fmt::Debug for Reply<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}

/// Wakes a blocked thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
