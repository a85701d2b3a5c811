//! Connections: accepted, encrypted, served, and let go when they are silent for too long or the server stops.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::answer::Answer;
use crate::authentication::Peer;
use crate::body::RequestBody;
use crate::eager::eager;
use crate::filter::Origin;
use crate::guard::{Guard, STREAM, guarded};
use crate::handler;
use crate::hold;
use crate::limits::Limits;
use crate::payload::Client;
use crate::server::State;
use crate::unread::Reader;

/// Timeout for the head of a request.
// Upstream has 32 s, as SecureServingInfo.Serve says.
const REQUEST_HEAD: Duration = Duration::from_secs(30);
/// Requests at once on one connection.
// As upstream's SecureServingInfo.Serve.
const MAX_STREAMS: u32 = 100;
/// Heads of requests from this size on count as memory of their connection while their answers are made.
const LARGE_HEAD: usize = 4 << 10;
/// The most bytes of answers that one stream keeps for its client.
const STREAM_BUFFER: usize = 64 << 10;
/// Pause after a failed `accept`.
const AFTER_FAILURE: Duration = Duration::from_millis(50);
/// The limits to time of connections for health checks.
const RESERVE_TIME: Duration = Duration::from_secs(2);
/// The time that a connection on the reserve has at least to send something.
const BEFORE_LEAVING: Duration = Duration::from_millis(10);
/// Maximum number of connections that wait until they are accepted. Beyond, clients try again after a second.
const MOST_WAITING: u32 = 4096;
/// Files that the process needs beside connections.
const OTHER_FILES: u64 = 64;

/// The class of a connection: any request, or health checks only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    /// Everything.
    Any,
    /// Health checks: all other seats are taken.
    Reserve,
}

/// The seats of all connections.
struct Seats {
    any: Arc<Semaphore>,
    /// Connections on the reserve, the oldest first.
    reserve: VecDeque<Reserved>,
    most_reserve: usize,
}

/// A connection on the reserve.
struct Reserved {
    task: AbortHandle,
    /// True once the client has sent anything.
    spoke: Arc<AtomicBool>,
}

impl Seats {
    fn new(limits: &Limits) -> Seats {
        let files = usize::try_from(open_files().saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX);
        let any = limits.connections.min(files.saturating_sub(limits.reserve)).max(1);
        Seats { any: Arc::new(Semaphore::new(any)), reserve: VecDeque::new(), most_reserve: limits.reserve.max(1) }
    }

    /// Makes room on the reserve if all seats are taken: the oldest half of those who are silent have to leave, else the oldest
    /// connection. A health check takes milliseconds, so those who stay long want something else.
    async fn make_room(&mut self) {
        let is_full = |seats: &mut Seats| {
            seats.reserve.retain(|reserved| !reserved.task.is_finished());
            seats.any.available_permits() == 0 && seats.reserve.len() >= seats.most_reserve
        };
        if !is_full(self) {
            return;
        }
        // Data that clients have sent is seen once their tasks have run.
        sleep(BEFORE_LEAVING).await;
        if !is_full(self) {
            return;
        }
        let mut leaving = self.most_reserve.div_ceil(2);
        self.reserve.retain(|reserved| {
            let leaves = leaving > 0 && !reserved.spoke.load(Ordering::Relaxed);
            if leaves {
                leaving -= 1;
                reserved.task.abort();
            }
            !leaves
        });
        while self.reserve.len() >= self.most_reserve
            && let Some(oldest) = self.reserve.pop_front()
        {
            oldest.task.abort();
        }
    }

    /// Serves a connection on a free seat, or on one of the reserve when all others are taken.
    fn serve<F>(&mut self, connection: impl FnOnce(Option<OwnedSemaphorePermit>, Arc<AtomicBool>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let seat = self.any.clone().try_acquire_owned().ok();
        let is_reserve = seat.is_none();
        let spoke = Arc::<AtomicBool>::default();
        let task = hold::spawn(connection(seat, spoke.clone())).abort_handle();
        if is_reserve {
            self.reserve.push_back(Reserved { task, spoke });
        }
    }
}

/// The limit of open files of the process.
fn open_files() -> u64 {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit};
        getrlimit(Resource::RLIMIT_NOFILE).map_or(1024, |(soft, _)| soft)
    }
    #[cfg(not(unix))]
    u64::MAX
}

/// Lets the process have as many open files as the system permits.
pub(crate) fn raise_open_files() {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit, setrlimit};
        let raised = getrlimit(Resource::RLIMIT_NOFILE)
            .and_then(|(soft, hard)| if soft < hard { setrlimit(Resource::RLIMIT_NOFILE, hard, hard) } else { Ok(()) });
        if let Err(error) = raised {
            tracing::warn!(%error, "the number of open files could not be raised");
        }
    }
}

/// Listens at an address.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // As TcpListener::bind has it.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(MOST_WAITING)
}

/// Serves connections until the server stops; then waits until those that are busy are done, but not for ever.
pub(crate) async fn serve(listener: TcpListener, tls: TlsAcceptor, state: Arc<State>, drain: Duration) {
    // Each connection has a sender, so that the last one closes the channel.
    let (open, mut all_closed) = mpsc::channel::<Infallible>(1);
    let mut seats = Seats::new(&state.limits);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = state.stopped() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(AFTER_FAILURE).await;
                continue;
            }
        };
        let tls = tls.clone();
        let state = state.clone();
        let open = open.clone();
        seats.make_room().await;
        seats.serve(|permit, spoke| async move {
            let seat = if permit.is_some() { Seat::Any } else { Seat::Reserve };
            if seat == Seat::Reserve {
                // The time that the handshake may take is the limit to this, too.
                let sent = timeout(RESERVE_TIME, stream.peek(&mut [0])).await;
                spoke.store(matches!(sent, Ok(Ok(1..))), Ordering::Relaxed);
            }
            connection(stream, tls, state, seat).await;
            drop((permit, open));
        });
    }
    drop((listener, open));
    if timeout(drain, all_closed.recv()).await.is_err() {
        tracing::warn!("requests were still under way when the server stopped");
    }
}

async fn connection(stream: TcpStream, tls: TlsAcceptor, state: Arc<State>, seat: Seat) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "the connection is slow");
    }
    let handshake = match seat {
        Seat::Any => state.limits.handshake,
        Seat::Reserve => RESERVE_TIME,
    };
    let accepted = tokio::select! {
        accepted = timeout(handshake, tls.accept(stream)) => accepted,
        () = state.stopped() => return,
    };
    let stream = match accepted {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::debug!(%error, "no TLS"),
        Err(_) => return tracing::debug!("TLS handshake timeout"),
    };
    let remote = stream.get_ref().0.peer_addr().ok().map(|address| address.ip());
    let peer = Peer::new(stream.get_ref().1.peer_certificates());
    let connection = Arc::new(Connection::new(state, seat, peer, remote));
    let reader = connection.reader.clone();
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    let served =
        async { if is_http2 { connection.serve_http2(stream).await } else { connection.serve_http1(stream).await } };
    tokio::select! {
        ended = served => match ended {
            Some(Ok(())) => {}
            Some(Err(error)) => tracing::debug!(%error, "the connection broke"),
            None => tracing::debug!("the client was silent for too long"),
        },
        () = reader.closed() => tracing::debug!("the client does not read its answers"),
    }
}

/// Runs a connection until it ends. Once it is to be closed, it takes no further requests.
async fn until_closed<C: Future>(
    mut connection: Pin<Box<C>>,
    close: impl Future<Output = ()>,
    take_no_more: impl Fn(Pin<&mut C>),
) -> C::Output {
    let mut close = pin!(close);
    let mut is_closing = false;
    poll_fn(|cx| {
        if !is_closing && close.as_mut().poll(cx).is_ready() {
            is_closing = true;
            take_no_more(connection.as_mut());
        }
        connection.as_mut().poll(cx)
    })
    .await
}

/// A connection with its requests.
pub(crate) struct Connection {
    state: Arc<State>,
    seat: Seat,
    /// The certificates of the client.
    peer: Option<Peer>,
    /// The address of the client.
    remote: Option<IpAddr>,
    guard: Arc<Guard>,
    reader: Arc<Reader>,
    /// It is to take no further requests.
    close: Arc<Notify>,
    requests: AtomicUsize,
}

impl Connection {
    fn new(state: Arc<State>, seat: Seat, peer: Option<Peer>, remote: Option<IpAddr>) -> Connection {
        let guard = Arc::new(Guard::default());
        let first = match seat {
            Seat::Any => state.limits.first_request,
            Seat::Reserve => RESERVE_TIME,
        };
        guard.wait_for_client(first);
        let reader = state.unread.reader();
        let close = Arc::<Notify>::default();
        Connection { state, seat, peer, remote, guard, reader, close, requests: AtomicUsize::new(0) }
    }

    async fn serve_http1(self: Arc<Self>, stream: TlsStream<TcpStream>) -> Option<hyper::Result<()>> {
        let guard = self.guard.clone();
        let state = self.state.clone();
        let is_reserve = self.seat == Seat::Reserve;
        let service = service_fn(move |request| self.clone().answer(request, None));
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(REQUEST_HEAD).keep_alive(!is_reserve);
        let connection = Box::pin(builder.serve_connection(TokioIo::new(stream), service));
        let connection = until_closed(connection, state.stopped(), http1::Connection::graceful_shutdown);
        guarded(&guard, &state, eager(connection)).await
    }

    async fn serve_http2(self: Arc<Self>, stream: TlsStream<TcpStream>) -> Option<hyper::Result<()>> {
        let guard = self.guard.clone();
        let state = self.state.clone();
        let close = self.close.clone();
        let service = service_fn(move |request| {
            let connection = self.clone();
            async move {
                let stream = STREAM.try_with(Arc::clone).ok();
                connection.answer(request, stream).await
            }
        });
        let mut builder = http2::Builder::new(Streams(state.clone()));
        builder.timer(TokioTimer::new()).max_concurrent_streams(MAX_STREAMS).max_send_buf_size(STREAM_BUFFER);
        let connection = Box::pin(builder.serve_connection(TokioIo::new(stream), service));
        let to_close = async {
            tokio::select! {
                () = state.stopped() => {}
                () = close.notified() => {}
            }
        };
        let connection = until_closed(connection, to_close, http2::Connection::graceful_shutdown);
        guarded(&guard, &state, eager(connection)).await
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        stream: Option<Arc<Guard>>,
    ) -> Result<Answer, Infallible> {
        let underway = Underway::new(self.clone());
        let head = head_size(&request);
        let _head = (head >= LARGE_HEAD).then(|| self.reader.hold(head));
        let request = request.map(RequestBody::Left);
        let is_stream = stream.is_some();
        let answer = {
            let close = is_stream.then_some(&*self.close);
            let peer = self.peer.as_ref();
            let from = Origin { seat: self.seat, peer, remote: self.remote, reader: Some(&self.reader), close };
            handler::answer(&self.state, request, &from).await
        };
        let guard = stream.unwrap_or_else(|| self.guard.clone());
        let client = Client::new(self.reader.clone(), guard, self.state.limits.stall, is_stream);
        Ok(answer.map(|payload| payload.sent_to(client, underway)))
    }
}

/// The bytes of the head of a request.
fn head_size<B>(request: &Request<B>) -> usize {
    let path = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    request.headers().iter().fold(path, |size, (name, value)| size + name.as_str().len() + value.len())
}

/// A request that is under way on a connection.
pub(crate) struct Underway(Arc<Connection>);

impl Underway {
    fn new(connection: Arc<Connection>) -> Underway {
        connection.requests.fetch_add(1, Ordering::Relaxed);
        connection.guard.wait_for_server();
        Underway(connection)
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        let Connection { requests, guard, state, seat, .. } = &*self.0;
        if requests.fetch_sub(1, Ordering::Relaxed) == 1 {
            guard.wait_for_request(if *seat == Seat::Reserve { RESERVE_TIME } else { state.limits.idle });
        }
    }
}

/// Runs the streams of an HTTP/2 connection, each with a guard of its own.
#[derive(Clone)]
struct Streams(Arc<State>);

impl<F> Executor<F> for Streams
where
    F: Future + Send + 'static,
{
    fn execute(&self, stream: F) {
        let guard = Arc::new(Guard::default());
        let state = self.0.clone();
        hold::spawn(STREAM.scope(guard.clone(), async move {
            guarded(&guard, &state, stream).await;
        }));
    }
}
