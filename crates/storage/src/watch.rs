//! The stream of events that a watcher reads.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::{Event, Result, Revision};

/// An item of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A change of a key in the scope. Events come in the order of their revisions, each exactly once.
    Event(Event),
    /// Every event up to this revision has been delivered.
    Progress(Revision),
}

/// Events of a scope from a revision on. Ends after the first error.
///
/// Dropping it ends the watch.
pub struct Watch {
    feed: Option<Box<dyn Feed>>,
}

/// The source of a watch.
pub(crate) trait Feed: Send {
    /// The next notice, an error (the last thing it says), or none if the store was closed.
    fn poll_notice(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Notice>>>;
}

impl Watch {
    pub(crate) fn new(feed: impl Feed + 'static) -> Watch {
        Watch { feed: Some(Box::new(feed)) }
    }

    /// Waits for the next notice; none once the store is closed or an error was yielded.
    pub async fn next(&mut self) -> Option<Result<Notice>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl Stream for Watch {
    type Item = Result<Notice>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Notice>>> {
        let Some(feed) = &mut self.feed else { return Poll::Ready(None) };
        let polled = feed.poll_notice(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.feed = None;
        }
        polled
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}
