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
use sprag_rest::{ApiError, GroupResource, Request as ObjectRequest, User, meta};

use crate::answer::{self, Answer};
use crate::api::{self, APPLY_PATCH, Asked, Verb};
use crate::auth::Asker;
use crate::body::{self, RequestBody};
use crate::connection::Seat;
use crate::documents;
use crate::go;
use crate::limits::TooMany;
use crate::metrics::Done;
use crate::negotiate::{self, Output};
use crate::query::Query;
use crate::refuse;
use crate::route::Route;
use crate::server::State;
use crate::tokens::Account;

/// The header by which a request is found in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("audit-id");
/// A longer request id of a client is not taken over.
const MAX_ID: usize = 64;

/// Answers a request.
pub(crate) async fn answer(state: &Arc<State>, request: Request<RequestBody>, seat: Seat) -> Answer {
    let started = Instant::now();
    let (head, mut body) = request.into_parts();
    let body_bytes = body.size_hint().exact().unwrap_or(0);
    let id = request_id(state, &head);
    let path = go::unescape_path(head.uri.path());
    let (mut answer, asked) = match &path {
        Some(path) => caught(Box::pin(route(state, &head, path, &mut body, seat))).await.unwrap_or_else(|| {
            state.metrics.count_panic();
            (answer::failure(&ApiError::panicked(), Output::of_failure(&head.headers, false), &[]), None)
        }),
        None => (answer::page_not_found(), None),
    };
    // What is not read of a body stands before the next request on the connection; what did not come in time is not waited
    // for again.
    let is_late = answer.status() == StatusCode::GATEWAY_TIMEOUT && !body.is_end_stream();
    let is_read = !is_late && body::discard(state, body, &head);
    if head.version < Version::HTTP_2 && !is_read {
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if head.method == Method::GET && !asked.as_ref().is_some_and(|asked| asked.verb == Verb::Watch) {
        answer = answer::compress(answer, &head.headers);
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
    seat: Seat,
) -> (Answer, Option<Asked<'h>>) {
    let route = Route::parse(path);
    let is_health = matches!(route, Route::Health(_));
    if seat == Seat::Reserve && !is_health {
        return (answer::too_many_requests(), None);
    }
    let verb = head.method.as_str().to_ascii_lowercase();
    let query = Query::parse(head.uri.query());
    let checked = check_timeout(&head.method, &route, &query)
        .and_then(|()| state.auth.check(&head.headers, &route, &verb, path, state.registry.now()));
    let account;
    let known = match checked {
        Ok(Asker::Known(user)) => Ok(user),
        Ok(Asker::Account(shown)) => match account_user(state, &shown).await {
            Ok(user) => {
                account = user;
                Ok(&account)
            }
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    let user: &User = match known {
        Ok(user) => user,
        Err(error) => {
            let output = Output::of_failure(&head.headers, negotiate::is_for_people(&head.headers, &query));
            return (answer::failure(&error, output, &[]), None);
        }
    };
    match route {
        Route::Resource(path) => {
            let verb = Verb::of(&head.method, &path, &query);
            let definition = state.registry.definition(&GroupResource::new(path.group, path.resource));
            let asked = Asked { path, query, verb, definition };
            match state.in_flight.enter(verb).await {
                Ok(_turn) => (api::serve(state, head, body, &asked, user).await, Some(asked)),
                Err(TooMany) => (answer::too_many_requests(), Some(asked)),
            }
        }
        Route::Unknown => (answer::page_not_found(), None),
        route if is_health => (documents::serve(state, head, &query, route).await, None),
        route => match state.in_flight.enter(Verb::None).await {
            Ok(_turn) => (documents::serve(state, head, &query, route).await, None),
            Err(TooMany) => (answer::too_many_requests(), None),
        },
    }
}

/// The user behind the token of a service account, which must still be the one that the token is of.
// As upstream's serviceaccount.validator.Validate.
async fn account_user(state: &State, account: &Account) -> Result<User, ApiError> {
    let nobody = User::default();
    let request = ObjectRequest {
        group: "",
        version: "v1",
        resource: "serviceaccounts",
        namespace: &account.namespace,
        name: &account.name,
        subresource: "",
        user: &nobody,
    };
    match state.registry.get(&request, "").await {
        Ok(found) if meta::uid(&found) == account.uid && !meta::is_deleting(&found) => Ok(account.user()),
        _ => Err(refuse::unauthorized()),
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

/// Refuses a time limit that is none. The limit itself means nothing: no request but a watch takes long.
fn check_timeout(method: &Method, route: &Route<'_>, query: &Query<'_>) -> Result<(), ApiError> {
    let limit = query.text("timeout");
    let is_watch = || matches!(route, Route::Resource(path) if Verb::of(method, path, query) == Verb::Watch);
    if limit.is_empty() || is_watch() {
        return Ok(());
    }
    let parsed = limit.parse::<sprag_value::Duration>().map(drop);
    parsed.map_err(|error| ApiError::bad_request(format!("invalid timeout specified in the request URL - {error}")))
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
