//! Posts reviews.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, LOCATION, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use sprag_field::quote;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::answer::{CallError, LargeTurn, Reply};
use crate::config::{ClientConfig, ResolveService};
use crate::connection::{self, Connection};
use crate::deadline;
use crate::trust;
use crate::url::Url;

/// The longest answer that is read, in bytes: more than an object in a patch needs, or as many as are converted at once. Upstream has no
/// limit.
pub const MAX_ANSWER: usize = 4 << 20;
/// Answers from this size on are in memory one at a time; webhooks take turns.
const LARGE_ANSWER: usize = 256 << 10;
/// Maximum number of large answers in memory at once.
const LARGE_ANSWERS: usize = 1;
/// The most values in an answer: decoded, each takes up to 130 bytes, of which its text needs two.
const MAX_VALUES: usize = 1_000_000;
/// The time for the rest of a large answer: others wait.
const LARGE_TIME: Duration = Duration::from_secs(10);

/// Maximum number of answers with `Retry-After` that lead to another attempt.
// As client-go's rest.Request, whose maxRetries is 10.
const MAX_RETRIES: usize = 10;
/// Maximum number of redirects that are followed.
// As Go's http.defaultCheckRedirect.
const MAX_REDIRECTS: usize = 10;
/// Maximum number of idle connections that are kept to each host.
const MAX_IDLE: usize = 8;
/// Maximum number of configurations with trusted certificates and open connections.
// As upstream's webhook.defaultCacheSize.
const MAX_TARGETS: usize = 200;

/// Timeout of a call without a deadline of its own.
// As upstream's webhook timeouts, which are 30 seconds at most.
const MAX_TIME: Duration = Duration::from_secs(30);

/// Maximum number of calls of one webhook at once.
// Upstream has no such limit: a webhook that waits for a write it is called for takes all requests in flight there.
const MAX_CALLS: usize = 80;

/// Calls webhooks.
pub struct Client {
    services: Arc<dyn ResolveService>,
    user_agent: String,
    calls: usize,
    /// Turns of large answers.
    large: Arc<Semaphore>,
    targets: Mutex<HashMap<ClientConfig, Arc<Target>>>,
}

/// The connection state of a configuration.
struct Target {
    tls: Arc<rustls::ClientConfig>,
    /// Calls that may begin.
    turns: Semaphore,
    /// The turn of a large answer.
    large: Arc<Semaphore>,
    /// Connections without a request, by the place they lead to.
    idle: Mutex<HashMap<String, Vec<Connection>>>,
}

/// One request of a call, which can have several.
struct Attempt {
    url: Url,
    method: Method,
    body: Bytes,
}

impl Client {
    /// A client that finds services here, and names itself so.
    pub fn new(services: Arc<dyn ResolveService>, user_agent: impl Into<String>) -> Client {
        let large = Arc::new(Semaphore::new(LARGE_ANSWERS));
        Client { services, user_agent: user_agent.into(), calls: MAX_CALLS, large, targets: Mutex::default() }
    }

    /// The same with so many calls of one webhook at once. Others wait for half of their time, and fail then.
    #[must_use]
    pub fn calls_at_once(self, calls: usize) -> Client {
        Client { calls: calls.max(1), ..self }
    }

    /// Posts a body as JSON, and waits no longer than the request has [time](deadline). The timeout is also sent to the webhook.
    pub async fn post(
        &self,
        config: &ClientConfig,
        body: impl Into<Bytes>,
        timeout: Option<Duration>,
    ) -> Result<Reply, CallError> {
        let mut url = config.url().ok_or_else(|| CallError::new("unparsable URL"))?;
        let now = Instant::now();
        let time = deadline::left(now, timeout.unwrap_or(MAX_TIME));
        if timeout.is_some() {
            url.query = format!("timeout={}s", whole_seconds(time));
        }
        let deadline = now + time;
        if time.is_zero() {
            return Err(failed(&url, DEADLINE));
        }
        let target = self.target(config).map_err(CallError::new)?;
        // A webhook that waits for a write it is called for gets an error while the first of its calls has time to tell it.
        let Some(_turn) = target.turn(now + time / 2).await else {
            return Err(failed(&url, &format!("{} calls of this webhook have no answer yet", self.calls)));
        };
        let body = body.into();
        for retry in 0..=MAX_RETRIES {
            let attempt = Attempt { url: url.clone(), method: Method::POST, body: body.clone() };
            let (answer, headers) = self.follow(config, &target, attempt, deadline).await?;
            let Some(wait) = retry_after(&answer, &headers).filter(|_| retry < MAX_RETRIES) else { return Ok(answer) };
            let Some(at) = next_attempt(Instant::now(), wait, deadline) else {
                sleep_until(deadline).await;
                return Err(failed(&url, DEADLINE));
            };
            sleep_until(at).await;
        }
        Err(failed(&url, DEADLINE))
    }

    fn target(&self, config: &ClientConfig) -> Result<Arc<Target>, String> {
        let mut targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(target) = targets.get(config) {
            return Ok(target.clone());
        }
        if targets.len() >= MAX_TARGETS {
            targets.clear();
        }
        let tls = trust::client_config(&config.ca_bundle)?;
        let large = Arc::new(Semaphore::new(1));
        let target = Arc::new(Target { tls, turns: Semaphore::new(self.calls), large, idle: Mutex::default() });
        targets.insert(config.clone(), target.clone());
        Ok(target)
    }

    /// Makes a request, and those that its answers redirect to.
    // As Go's http.Client.do.
    async fn follow(
        &self,
        config: &ClientConfig,
        target: &Target,
        mut attempt: Attempt,
        deadline: Instant,
    ) -> Result<(Reply, HeaderMap), CallError> {
        for _ in 0..MAX_REDIRECTS {
            let response = match timeout_at(deadline, self.send(config, target, &attempt)).await {
                Ok(response) => response.map_err(|why| failed(&attempt.url, &why))?,
                Err(_) => return Err(failed(&attempt.url, DEADLINE)),
            };
            let Some(next) = redirect(&attempt, &response.response)? else {
                return self.read(target, response, deadline).await;
            };
            attempt = next;
        }
        Err(failed(&attempt.url, "stopped after 10 redirects"))
    }

    async fn send(&self, config: &ClientConfig, target: &Target, attempt: &Attempt) -> Result<Received, String> {
        let place = self.place(config, &attempt.url)?;
        while let Some(mut connection) = target.take(&place) {
            if connection.ready().await.is_err() {
                continue;
            }
            match connection.try_send_request(self.request(attempt)?).await {
                Ok(response) => return Ok(Received { response, connection, place }),
                // The other side has closed a connection that was kept: the request was not sent.
                Err(error) if error.message().is_some() => {}
                Err(error) => return Err(sent_error(&error.into_error())),
            }
        }
        let tls = attempt.url.is_tls.then(|| target.tls.clone());
        let mut connection = connection::connect(&place, attempt.url.host(), tls).await?;
        let response = connection.send_request(self.request(attempt)?).await.map_err(|error| sent_error(&error))?;
        Ok(Received { response, connection, place })
    }

    /// Reads an answer, and keeps the connection for another request.
    async fn read(
        &self,
        target: &Target,
        received: Received,
        mut deadline: Instant,
    ) -> Result<(Reply, HeaderMap), CallError> {
        let Received { response, connection, place } = received;
        let (head, mut incoming) = response.into_parts();
        let mut body = Vec::new();
        let mut turn = None;
        loop {
            let frame = match timeout_at(deadline, incoming.frame()).await {
                Ok(None) => break,
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(_))) => return Err(unread("unexpected EOF")),
                Err(_) => return Err(unread(DEADLINE)),
            };
            let Ok(data) = frame.into_data() else { continue };
            if body.len() + data.len() > MAX_ANSWER {
                return Err(unread(&format!("the answer is longer than {MAX_ANSWER} bytes")));
            }
            if turn.is_none() && body.len() + data.len() > LARGE_ANSWER {
                let next = timeout_at(deadline, self.large_turn(target)).await;
                turn = Some(next.ok().flatten().ok_or_else(|| unread(DEADLINE))?);
                deadline = deadline.min(Instant::now() + LARGE_TIME);
            }
            body.extend_from_slice(&data);
        }
        if values(&body) > MAX_VALUES {
            return Err(unread(&format!("the answer has more than {MAX_VALUES} values")));
        }
        target.keep(place, connection);
        let content_type = head.headers.get(CONTENT_TYPE);
        let content_type = content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        Ok((Reply { code: head.status.as_u16(), content_type, body, _turn: turn }, head.headers))
    }

    async fn large_turn(&self, target: &Target) -> Option<Arc<LargeTurn>> {
        let own = target.large.clone().acquire_owned().await.ok()?;
        let any = self.large.clone().acquire_owned().await.ok()?;
        Some(Arc::new((own, any)))
    }

    /// The address that a URL leads to.
    fn place(&self, config: &ClientConfig, url: &Url) -> Result<String, String> {
        if let Some(service) =
            config.service.as_ref().filter(|_| config.url().is_some_and(|own| own.authority == url.authority))
        {
            return self.services.resolve(&service.namespace, &service.name, service.port);
        }
        Ok(url.address())
    }

    fn request(&self, attempt: &Attempt) -> Result<Request<Full<Bytes>>, String> {
        let mut request = Request::builder()
            .method(&attempt.method)
            .uri(attempt.url.target())
            .header(HOST, &attempt.url.authority)
            .header(USER_AGENT, &self.user_agent)
            .header(ACCEPT, "application/json, */*");
        if attempt.method == Method::POST {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        request.body(Full::new(attempt.body.clone())).map_err(|error| error.to_string())
    }
}

/// The number of values in a text, or a little more: what looks like the beginning of one inside of a string counts as well.
fn values(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count()
}

/// An answer whose body is not read yet.
struct Received {
    response: Response<Incoming>,
    connection: Connection,
    place: String,
}

impl Target {
    /// The turn of a call; nothing if none of the others ends in time.
    async fn turn(&self, deadline: Instant) -> Option<SemaphorePermit<'_>> {
        timeout_at(deadline, self.turns.acquire()).await.ok()?.ok()
    }

    fn take(&self, place: &str) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let connections = idle.get_mut(place)?;
        while let Some(connection) = connections.pop() {
            if !connection.is_closed() {
                return Some(connection);
            }
        }
        None
    }

    fn keep(&self, place: String, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let connections = idle.entry(place).or_default();
        connections.retain(|connection| !connection.is_closed());
        if connections.len() < MAX_IDLE {
            connections.push(connection);
        }
    }
}

const DEADLINE: &str = "context deadline exceeded";

/// A time in seconds, of which a part is one more.
// As upstream's mutatingDispatcher.callAttrMutatingHook.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// An error of a request as Go's `url.Error` tells it.
fn failed(url: &Url, why: &str) -> CallError {
    CallError::new(format!("Post {}: {why}", quote::go(&url.to_string())))
}

// As client-go's Request.transformResponse.
fn unread(why: &str) -> CallError {
    CallError::new(format!("unexpected error when reading response body. Please retry. Original error: {why}"))
}

pub(crate) fn sent_error(error: &hyper::Error) -> String {
    use std::error::Error as _;

    if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        return "EOF".to_owned();
    }
    let source = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
    match source {
        Some(source) if source.kind() == std::io::ErrorKind::UnexpectedEof => "EOF".to_owned(),
        Some(source) => connection::io_text(source),
        None if error.is_parse() => {
            "net/http: HTTP/1.x transport connection broken: malformed HTTP response".to_owned()
        }
        None => error.to_string(),
    }
}

/// The request that follows an answer which redirects.
// As Go's http.redirectBehavior: only 307 and 308 keep the method and the body.
fn redirect(attempt: &Attempt, response: &Response<Incoming>) -> Result<Option<Attempt>, CallError> {
    let keeps = match response.status().as_u16() {
        301..=303 => false,
        307 | 308 => true,
        _ => return Ok(None),
    };
    let Some(location) = response.headers().get(LOCATION) else { return Ok(None) };
    let location = String::from_utf8_lossy(location.as_bytes());
    let wrong = || failed(&attempt.url, &format!("failed to parse Location header {}", quote::go(&location)));
    let url = attempt.url.redirected(&location).ok_or_else(wrong)?;
    // What a review holds is for the place that the configuration names, and answers of other places are nobody's business. Upstream
    // follows anywhere (CVE-2020-8561).
    if (url.is_tls, &url.authority) != (attempt.url.is_tls, &attempt.url.authority) {
        return Err(failed(&attempt.url, "a redirect to another host is not followed"));
    }
    Ok(Some(if keeps {
        Attempt { url, method: attempt.method.clone(), body: attempt.body.clone() }
    } else {
        Attempt { url, method: Method::GET, body: Bytes::new() }
    }))
}

/// Returns the time to wait before another attempt; `None` if there is to be none.
// As client-go's checkWait and retryAfterSeconds.
fn retry_after(answer: &Reply, headers: &HeaderMap) -> Option<Duration> {
    if answer.code != 429 && answer.code < 500 {
        return None;
    }
    // As Go's strconv.Atoi: what does not fit into 64 bits with a sign is not a number.
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse::<i64>().ok()?;
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()))
}

/// The time of the next attempt; `None` if it is not before the deadline, or is a time that no clock reaches.
fn next_attempt(now: Instant, wait: Duration, deadline: Instant) -> Option<Instant> {
    now.checked_add(wait).filter(|at| *at < deadline)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn values_of_a_text_are_counted_without_reading_it() {
        assert_eq!([values(b"{}"), values(b"[0,0,0]"), values(br#"{"a":{"b":[1,2]}}"#)], [1, 3, 4]);
        assert_eq!(values("[".repeat(MAX_VALUES).as_bytes()), MAX_VALUES);
    }

    #[test]
    fn waits_that_no_clock_reaches_end_at_the_deadline() {
        let now = Instant::now();
        let deadline = now + MAX_TIME;
        let next = |code: u16, wait: &'static str| {
            let answer = Reply { code, ..Reply::default() };
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(wait))]);
            retry_after(&answer, &headers).map(|wait| next_attempt(now, wait, deadline))
        };
        assert_eq!(next(503, "2"), Some(Some(now + Duration::from_secs(2))));
        assert_eq!(next(429, "-5"), Some(Some(now)));
        assert_eq!(next(200, "2"), None);
        assert_eq!(next(503, "30"), Some(None));
        assert_eq!(next(503, "9223372036854775807"), Some(None));
        assert_eq!(next(503, "18446744073709551615"), None, "not a number of client-go");
        assert_eq!(next(503, "soon"), None);
    }
}
