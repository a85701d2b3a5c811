//! Connections: accepted, encrypted, served, and let go when the server stops.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::body::RequestBody;
use crate::eager::eager;
use crate::handler;
use crate::server::State;

/// More connections than this wait until others are closed.
const MAX_CONNECTIONS: usize = 10_000;
/// A client has so long to say hello.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// A client has so long to send the head of a request.
const REQUEST_HEAD: Duration = Duration::from_secs(30);
/// Requests at once on one connection.
const MAX_STREAMS: u32 = 250;
/// How long to wait after the system could not accept a connection.
const AFTER_FAILURE: Duration = Duration::from_millis(50);

static CONNECTIONS: Semaphore = Semaphore::const_new(MAX_CONNECTIONS);

/// Serves connections until the server stops; then waits until those that are busy are done, but not for ever.
pub(crate) async fn serve(listener: TcpListener, tls: TlsAcceptor, state: Arc<State>, drain: Duration) {
    let open = GracefulShutdown::new();
    loop {
        let Ok(permit) = CONNECTIONS.acquire().await else { break };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = state.stopped() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let watcher = open.watcher();
                tokio::spawn(connection(stream, tls.clone(), state.clone(), watcher, permit));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(AFTER_FAILURE).await;
            }
        }
    }
    drop(listener);
    if timeout(drain, open.shutdown()).await.is_err() {
        tracing::warn!("requests were still under way when the server stopped");
    }
}

async fn connection(
    stream: TcpStream,
    tls: TlsAcceptor,
    state: Arc<State>,
    watcher: hyper_util::server::graceful::Watcher,
    _permit: SemaphorePermit<'static>,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "the connection is slow");
    }
    let stream = match timeout(HANDSHAKE, tls.accept(stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::debug!(%error, "no TLS"),
        Err(_) => return tracing::debug!("the client does not say hello"),
    };
    let service = service_fn(move |request: Request<Incoming>| {
        let state = state.clone();
        async move { Ok::<_, Infallible>(handler::answer(&state, request.map(RequestBody::Left)).await) }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(REQUEST_HEAD);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(MAX_STREAMS);
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    if let Err(error) = eager(watcher.watch(connection)).await {
        tracing::debug!(%error, "the connection broke");
    }
}
