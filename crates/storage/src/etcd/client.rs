//! Calls to whichever server of the cluster answers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::uri::PathAndQuery;
use prost::Message;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;
use tonic::{Code, Request, Status, Streaming};
use tonic_prost::ProstCodec;

use super::options::{EtcdOptions, EtcdUser, with_causes};
use super::wire;
use crate::{Error, Result, Revision};

/// Timeout of one attempt before the next endpoint is tried.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);
/// The first and the longest pause between attempts.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));
/// The largest message taken from a server: a full portion of a list with values of the largest size.
const MAX_MESSAGE_BYTES: usize = 2 << 30;

/// The effect of repeating a call that may already have been executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// The same again.
    Harmless,
    /// Something else, so it must not be repeated.
    Harmful,
}

/// The consequence of a failed attempt.
enum Verdict {
    /// The call did not happen.
    NotDone(String),
    /// It may have happened.
    Unclear(String),
    /// It will not work elsewhere either.
    Final(Error),
}

/// The servers of a cluster.
#[derive(Debug)]
pub(super) struct Client {
    channels: Vec<Channel>,
    /// The one that worked last.
    current: AtomicUsize,
    timeout: Duration,
    user: Option<EtcdUser>,
    /// The authentication token of the etcd user, until it expires.
    token: Mutex<Option<MetadataValue<Ascii>>>,
}

impl Client {
    pub(super) fn new(options: &EtcdOptions) -> Result<Client> {
        Ok(Client {
            channels: options.channels()?,
            current: AtomicUsize::new(0),
            timeout: options.timeout,
            user: options.user.clone(),
            token: Mutex::new(None),
        })
    }

    /// Calls a method on one server after the other until one answers or the time is over.
    pub(super) async fn call<Q, A>(&self, path: &'static str, message: Q, repeat: Repeat) -> Result<A>
    where
        Q: Message + Clone + 'static,
        A: Message + Default + 'static,
    {
        let deadline = Instant::now() + self.timeout;
        let mut pause = PAUSE.0;
        loop {
            let index = self.current.load(Ordering::Relaxed);
            let reason = match self.attempt(index, path, message.clone(), deadline).await {
                Ok(answer) => return Ok(answer),
                Err(Verdict::Final(error)) => return Err(error),
                Err(Verdict::Unclear(reason)) if repeat == Repeat::Harmful => {
                    self.leave(index);
                    return Err(Error::Uncertain { reason });
                }
                Err(Verdict::Unclear(reason) | Verdict::NotDone(reason)) => reason,
            };
            self.leave(index);
            if Instant::now() + pause >= deadline {
                return Err(Error::Unavailable { reason });
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    async fn attempt<Q, A>(&self, index: usize, path: &'static str, message: Q, deadline: Instant) -> Result<A, Verdict>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = self.grpc(index);
        // Without a ready connection nothing was sent.
        let ready = timeout_at(deadline, grpc.ready()).await;
        ready
            .map_err(|_| Verdict::NotDone("no connection".into()))?
            .map_err(|error| Verdict::NotDone(with_causes(&error)))?;
        let token = self.token(index).await?;
        let call = grpc.unary(request(message, token), PathAndQuery::from_static(path), ProstCodec::<Q, A>::default());
        match timeout(ATTEMPT_TIMEOUT, call).await {
            Ok(Ok(answer)) => Ok(answer.into_inner()),
            Ok(Err(status)) => Err(self.judge(&status)),
            Err(_) => Err(Verdict::Unclear("no answer in time".into())),
        }
    }

    /// The authentication token for requests; `None` without a user.
    async fn token(&self, index: usize) -> Result<Option<MetadataValue<Ascii>>, Verdict> {
        let Some(EtcdUser { name, password }) = &self.user else { return Ok(None) };
        if let Some(token) = &*self.known_token() {
            return Ok(Some(token.clone()));
        }
        let message = wire::AuthenticateRequest { name: name.clone(), password: password.clone() };
        let codec = ProstCodec::<_, wire::AuthenticateResponse>::default();
        let mut grpc = self.grpc(index);
        let call = async {
            grpc.ready().await.map_err(|error| Verdict::NotDone(with_causes(&error)))?;
            let path = PathAndQuery::from_static("/etcdserverpb.Auth/Authenticate");
            grpc.unary(request(message, None), path, codec).await.map_err(|status| self.judge(&status))
        };
        // Whatever became of it, the call that it was for has not begun.
        let answer = timeout(ATTEMPT_TIMEOUT, call).await.unwrap_or(Err(Verdict::NotDone("no answer in time".into())));
        let answer = answer.map_err(|verdict| match verdict {
            Verdict::Unclear(reason) => Verdict::NotDone(reason),
            verdict => verdict,
        })?;
        let token = MetadataValue::try_from(answer.into_inner().token).map_err(|_| {
            Verdict::Final(Error::Refused { reason: "etcd sent a token that cannot be sent back".into() })
        })?;
        *self.known_token() = Some(token.clone());
        Ok(Some(token))
    }

    fn known_token(&self) -> std::sync::MutexGuard<'_, Option<MetadataValue<Ascii>>> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the next call show the password again.
    pub(super) fn forget_token(&self) {
        *self.known_token() = None;
    }

    /// The consequence of a gRPC status. An expired token is dropped.
    fn judge(&self, status: &Status) -> Verdict {
        let forgotten = self.user.is_some()
            && (status.code() == Code::Unauthenticated || status.message().contains("revision of auth store is old"));
        if forgotten {
            self.forget_token();
            return Verdict::NotDone(with_causes(status));
        }
        judge(status)
    }

    /// Asks every server; those that do not answer are left out.
    pub(super) async fn versions(&self) -> Vec<String> {
        let mut versions = Vec::new();
        for index in 0..self.channels.len() {
            let deadline = Instant::now() + ATTEMPT_TIMEOUT;
            let path = "/etcdserverpb.Maintenance/Status";
            let status = self.attempt::<_, wire::StatusResponse>(index, path, wire::StatusRequest {}, deadline).await;
            versions.extend(status.map(|status| status.version));
        }
        versions
    }

    pub(super) fn servers(&self) -> usize {
        self.channels.len()
    }

    /// Opens a stream on the current server. On failure the next call tries another one.
    pub(super) async fn watch<S>(&self, requests: S) -> Result<Streaming<wire::WatchResponse>>
    where
        S: futures_core::Stream<Item = wire::WatchRequest> + Send + 'static,
    {
        let index = self.current.load(Ordering::Relaxed);
        let mut grpc = self.grpc(index);
        let path = PathAndQuery::from_static("/etcdserverpb.Watch/Watch");
        let opening = async {
            grpc.ready().await.map_err(|error| Verdict::NotDone(with_causes(&error)))?;
            let token = self.token(index).await?;
            let codec = ProstCodec::<wire::WatchRequest, wire::WatchResponse>::default();
            grpc.streaming(request(requests, token), path, codec).await.map_err(|status| self.judge(&status))
        };
        let verdict = match timeout(ATTEMPT_TIMEOUT, opening).await {
            Ok(Ok(stream)) => return Ok(stream.into_inner()),
            Ok(Err(verdict)) => verdict,
            Err(_) => Verdict::Unclear("no answer in time".into()),
        };
        self.leave(index);
        Err(verdict.into_error())
    }

    /// Has the next call try another server than the current one.
    pub(super) fn leave_current(&self) {
        self.leave(self.current.load(Ordering::Relaxed));
    }

    fn leave(&self, index: usize) {
        let next = (index + 1) % self.channels.len().max(1);
        // Somebody else may have left it already.
        let _ = self.current.compare_exchange(index, next, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn grpc(&self, index: usize) -> tonic::client::Grpc<Channel> {
        let channel = self.channels[index % self.channels.len()].clone();
        tonic::client::Grpc::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }
}

/// Servers that are cut off from the rest shall say so instead of waiting.
fn request<T>(message: T, token: Option<MetadataValue<Ascii>>) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(token) = token {
        request.metadata_mut().insert("token", token);
    }
    request.metadata_mut().insert("hasleader", MetadataValue::from_static("true"));
    request
}

/// The error for a gRPC status.
pub(super) fn into_error(status: &Status) -> Error {
    judge(status).into_error()
}

impl Verdict {
    fn into_error(self) -> Error {
        match self {
            Verdict::NotDone(reason) | Verdict::Unclear(reason) => Error::Unavailable { reason },
            Verdict::Final(error) => error,
        }
    }
}

fn judge(status: &Status) -> Verdict {
    let message = status.message();
    // The status prints its source as a Rust value; the causes alone read better.
    let reason = || match std::error::Error::source(status) {
        Some(cause) => with_causes(cause),
        None => with_causes(status),
    };
    match status.code() {
        Code::OutOfRange if message.contains("compacted") => {
            Verdict::Final(Error::Gone { requested: Revision::default(), oldest: Revision::default() })
        }
        Code::OutOfRange if message.contains("future") => {
            Verdict::Final(Error::Future { requested: Revision::default(), current: Revision::default() })
        }
        Code::InvalidArgument if message.contains("request is too large") => {
            Verdict::Final(Error::TooLarge { bytes: 0 })
        }
        Code::ResourceExhausted if message.contains("too many requests") => Verdict::NotDone(reason()),
        // Answered before the request is looked at, because every request asks for it.
        Code::Unavailable if message == "etcdserver: no leader" => Verdict::NotDone(reason()),
        Code::Unavailable if never_connected(status) => Verdict::NotDone(reason()),
        Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled | Code::DeadlineExceeded => {
            Verdict::Unclear(reason())
        }
        _ => Verdict::Final(Error::Refused { reason: message.to_owned() }),
    }
}

fn never_connected(status: &Status) -> bool {
    let first = std::error::Error::source(status);
    std::iter::successors(first, |error| error.source()).any(<dyn std::error::Error>::is::<tonic::ConnectError>)
}
