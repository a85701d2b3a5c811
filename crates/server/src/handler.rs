//! One request from its head to its answer, and what is noted about it.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use http::header::CONNECTION;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, Version};
use hyper::body::Body;
use sprag_rest::ApiError;

use crate::answer::{self, Answer};
use crate::api::{self, APPLY_PATCH, Asked, Verb};
use crate::audit::{self, Ended, Record};
use crate::body::{self, RequestBody};
use crate::connection::Seat;
use crate::deadline::{self, Deadline};
use crate::documents;
use crate::filter::{self, Grant, Origin};
use crate::go;
use crate::limits::TooMany;
use crate::metrics::Done;
use crate::negotiate::{self, Output};
use crate::query::Query;
use crate::request_info::RequestInfo;
use crate::route::Route;
use crate::server::State;

/// The header by which a request is found in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("audit-id");
/// A longer request id of a client is not taken over.
const MAX_ID: usize = 64;

/// Answers a request.
pub(crate) async fn answer(state: &Arc<State>, request: Request<RequestBody>, from: &Origin<'_>) -> Answer {
    let started = Instant::now();
    let (head, mut body) = request.into_parts();
    let body_bytes = body.size_hint().exact().unwrap_or(0);
    let id = request_id(state, &head);
    let record = state.audit.as_ref().map(|audit| audit.record(&id));
    let path = go::unescape_path(head.uri.path());
    let mut is_panic = false;
    let (mut answer, asked) = match &path {
        Some(path) => {
            let routed = audit::boxed(record.clone(), route(state, &head, path, &mut body, from));
            caught(routed).await.unwrap_or_else(|| {
                state.metrics.count_panic();
                is_panic = true;
                (answer::failure(&ApiError::panicked(), Output::of_failure(&head.headers, false), &[]), None)
            })
        }
        None => (answer::page_not_found(), None),
    };
    if let (Some(record), Some(path)) = (record, &path) {
        answer = recorded(record, (&head, path), answer, asked.as_ref(), is_panic).await;
    }
    // An unread rest of a body precedes the next request on the connection; one that did not come in time is not waited
    // for again.
    let is_late = answer.status() == StatusCode::GATEWAY_TIMEOUT && !body.is_end_stream();
    let is_read = !is_late && body::discard(state, body, &head);
    if head.version < Version::HTTP_2 && !is_read {
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if head.method == Method::GET && !asked.as_ref().is_some_and(|asked| asked.verb == Verb::Watch) {
        answer = answer::compress(answer, &head.headers, state.registry.gates());
    }
    // Over HTTP/1 the body of such an answer is left out by hyper.
    if head.method == Method::HEAD && head.version == Version::HTTP_2 {
        answer = answer::head_only(answer);
    }
    let took = started.elapsed();
    if let Some(asked) = asked {
        note(state, &head, &asked, answer.status(), body_bytes, took);
    }
    tracing::info!(
        target: "access",
        id = id.to_str().unwrap_or_default(),
        method = %head.method,
        // Without the query: selectors and continue tokens can hold what nobody should find in a log.
        path = head.uri.path(),
        code = answer.status().as_u16(),
        micros = took.as_micros(),
    );
    answer.headers_mut().insert(REQUEST_ID, id);
    answer
}

/// The answer, whose head is in the audit log, and whose end will be.
async fn recorded(
    record: Arc<Record>,
    (head, path): (&Parts, &str),
    answer: Answer,
    asked: Option<&Asked<'_>>,
    is_panic: bool,
) -> Answer {
    let query = Query::parse(head.uri.query());
    let is_long = RequestInfo::new(&head.method, path, &query).is_ok_and(|info| info.is_long_running());
    let version = asked.and_then(|asked| asked.definition.as_ref()?.version(asked.path.version));
    if version.is_some_and(|version| !version.deprecation_warning.is_empty()) {
        record.annotate("k8s.io/deprecated", "true");
    }
    let ended = match answer.body().size() {
        _ if is_panic => Ended::Panicked,
        Some(_) => Ended::Whole,
        None => Ended::Head,
    };
    let completion = record.head(answer.status(), ended, is_long).await;
    answer.map(|payload| payload.audited(completion))
}

/// The id that the client gave the request, or a new one.
fn request_id(state: &State, head: &Parts) -> HeaderValue {
    let given = head.headers.get(REQUEST_ID).filter(|id| id.len() <= MAX_ID && id.to_str().is_ok());
    given.cloned().unwrap_or_else(|| state.new_id())
}

async fn route<'h>(
    state: &Arc<State>,
    head: &'h Parts,
    path: &'h str,
    body: &mut RequestBody,
    from: &Origin<'_>,
) -> (Answer, Option<Asked<'h>>) {
    let route = Route::parse(path);
    let is_health = matches!(route, Route::Health(_));
    if from.seat == Seat::Reserve && !is_health {
        return (answer::too_many_requests(), None);
    }
    if let Some(reader) = from.reader
        && !is_health
    {
        reader.clone().room().await;
    }
    let query = Query::parse(head.uri.query());
    let Ok(info) = RequestInfo::new(&head.method, path, &query) else {
        return (answer::no_kind(&head.uri), None);
    };
    let asked = filter::Head { parts: head, route: &route, query: &query, info: &info, from };
    let deadline = Deadline::of(&state.limits, &asked);
    let (granted, warning) = asked.grant(state).await;
    let (answer, asked) = match granted {
        Ok(grant) => serve(state, head, body, (route, query), &grant, deadline).await,
        Err(refusal) => (refusal, None),
    };
    (filter::with_warning(answer, warning), asked)
}

/// Answers a request that may be made.
async fn serve<'h>(
    state: &Arc<State>,
    head: &'h Parts,
    body: &mut RequestBody,
    (route, query): (Route<'h>, Query<'h>),
    grant: &Arc<Grant>,
    deadline: Option<Deadline>,
) -> (Answer, Option<Asked<'h>>) {
    match route {
        Route::Resource(path) => {
            let verb = Verb::of(&head.method, &path, &query);
            let definition = state.registry.definition_of(path.group, path.resource);
            let asked = Asked { path, query, verb, definition };
            let answer = {
                let answering = pin!(async {
                    match state.in_flight.enter(&grant.user.name, verb).await {
                        Ok(_turn) => api::serve(state, head, body, &asked, grant).await,
                        Err(TooMany) => answer::too_many_requests(),
                    }
                });
                deadline::in_time(deadline, (head, &asked.query), answering).await
            };
            (answer, Some(asked))
        }
        Route::Unknown => (answer::page_not_found(), None),
        route @ Route::Health(_) => (Box::pin(documents::serve(state, head, &query, route)).await, None),
        route => {
            let answering = pin!(async {
                match state.in_flight.enter(&grant.user.name, Verb::None).await {
                    Ok(_turn) => Box::pin(documents::serve(state, head, &query, route)).await,
                    Err(TooMany) => answer::too_many_requests(),
                }
            });
            (deadline::in_time(deadline, (head, &query), answering).await, None)
        }
    }
}

/// The output of a future; none if it panics.
pub(crate) async fn caught<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(polled) => polled.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

/// Counts a request for objects of a resource that is known.
fn note(state: &State, head: &Parts, asked: &Asked<'_>, code: StatusCode, body_bytes: u64, took: Duration) {
    let Asked { path, query, verb, definition: Some(definition) } = asked else { return };
    let scope = match (path.name.is_empty(), path.namespace.is_empty()) {
        (false, _) => "resource",
        (true, false) => "namespace",
        (true, true) => "cluster",
    };
    let writes = matches!(verb, Verb::Create | Verb::Update | Verb::Patch);
    let field_validation = match query.text("fieldValidation") {
        _ if !writes => None,
        "" => Some("Warn"),
        known @ ("Strict" | "Warn" | "Ignore") => Some(known),
        _ => None,
    };
    state.metrics.count(&Done {
        definition,
        version: path.version,
        subresource: path.subresource,
        verb: metric_verb(*verb, head),
        scope,
        dry_run: !query.text("dryRun").is_empty(),
        field_validation,
        code,
        body_bytes,
        took,
    });
}

fn metric_verb(verb: Verb, head: &Parts) -> &'static str {
    match verb {
        Verb::Get => "GET",
        Verb::List => "LIST",
        Verb::Watch => "WATCH",
        Verb::Create => "POST",
        Verb::Update => "PUT",
        Verb::Patch if negotiate::patch_type(&head.headers) == APPLY_PATCH => "APPLY",
        Verb::Patch => "PATCH",
        Verb::Delete => "DELETE",
        Verb::DeleteCollection => "DELETECOLLECTION",
        Verb::None => "other",
    }
}
