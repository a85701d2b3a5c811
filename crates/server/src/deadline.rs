//! The time that a request has: that of the server, or less if its `timeout` says so.
// As upstream's filters.WithRequestDeadline, filters.WithTimeoutForNonLongRunningRequests and handlers' requestTimeoutUpperBound.

use std::pin::Pin;
use std::time::Duration;

use http::StatusCode;
use http::request::Parts;
use sprag_rest::ApiError;
use sprag_webhook::deadline;
use tokio::time::{Instant, timeout_at};

use crate::answer::{self, Answer};
use crate::api::Verb;
use crate::audit;
use crate::filter::Head;
use crate::limits::Limits;
use crate::negotiate::{self, Output};
use crate::query::Query;
use crate::refuse;
use crate::route::Route;

/// What a request that is not done in time is answered with, whatever form it asks for.
// As upstream's timeoutWriter.timeout, which encodes a status without a type.
const ALLOTTED: &str = r#"{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}
"#;

/// The `timeout` of a request that means something: others leave the time to the server.
pub(crate) fn asked(query: &Query<'_>) -> Result<Option<Duration>, ApiError> {
    let text = query.text("timeout");
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = text.parse::<sprag_value::Duration>();
    let time = parsed
        .map_err(|error| ApiError::bad_request(format!("invalid timeout specified in the request URL - {error}")))?;
    Ok(u64::try_from(time.as_nanos()).ok().filter(|nanos| *nanos > 0).map(Duration::from_nanos))
}

/// The time by which a request must be answered, and whose limit that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deadline {
    at: Instant,
    /// True if it is that of writes, which is shorter than that of any request.
    is_of_write: bool,
}

impl Deadline {
    /// The deadline of a request; those that run for long have none.
    pub(crate) fn of(limits: &Limits, head: &Head<'_>) -> Option<Deadline> {
        let verb = match head.route {
            Route::Resource(path) => Verb::of(&head.parts.method, path, head.query),
            _ => Verb::None,
        };
        let asked = asked(head.query).ok().filter(|_| !head.info.is_long_running())?;
        Some(Deadline::new(limits, verb, asked, Instant::now()))
    }

    /// The deadline of a request that began at a time. What deletes many objects has the time of a list.
    fn new(limits: &Limits, verb: Verb, asked: Option<Duration>, began: Instant) -> Deadline {
        let time = asked.map_or(limits.request, |asked| asked.min(limits.request));
        let is_write = matches!(verb, Verb::Create | Verb::Update | Verb::Patch | Verb::Delete);
        let is_of_write = is_write && limits.write < time;
        Deadline { at: began + if is_of_write { limits.write } else { time }, is_of_write }
    }

    fn exceeded(self, head: &Parts, query: &Query<'_>) -> Answer {
        if self.is_of_write {
            let output = Output::of_failure(&head.headers, negotiate::is_for_people(&head.headers, query));
            return answer::failure(&refuse::timeout(), output, &[]);
        }
        audit::answered(&ApiError::timeout("request did not complete within the allotted timeout").to_status());
        answer::text(StatusCode::GATEWAY_TIMEOUT, ALLOTTED)
    }
}

/// The answer to a request if it comes before its deadline, or else the answer that it did not: what is under way is given up.
pub(crate) async fn in_time(
    deadline: Option<Deadline>,
    (head, query): (&Parts, &Query<'_>),
    answering: Pin<&mut impl Future<Output = Answer>>,
) -> Answer {
    let Some(deadline) = deadline else { return answering.await };
    match timeout_at(deadline.at, deadline::within(Some(deadline.at), answering)).await {
        // An error at the end of the time comes of it.
        Ok(answer) if !answer.status().is_server_error() || Instant::now() < deadline.at => answer,
        _ => deadline.exceeded(head, query),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_of_three_limits_counts() {
        let check = |verb: Verb, timeout: &str, (seconds, is_of_write): (u64, bool)| {
            let text = format!("timeout={timeout}");
            let asked = asked(&Query::parse(Some(&text))).unwrap();
            let now = Instant::now();
            let at = now + Duration::from_secs(seconds);
            assert_eq!(
                Deadline::new(&Limits::default(), verb, asked, now),
                Deadline { at, is_of_write },
                "{verb:?} {timeout}"
            );
        };
        for verb in [Verb::Get, Verb::List, Verb::DeleteCollection, Verb::None] {
            check(verb, "", (60, false));
            check(verb, "5s", (5, false));
            check(verb, "50s", (50, false));
            check(verb, "1h", (60, false));
        }
        for verb in [Verb::Create, Verb::Update, Verb::Patch, Verb::Delete] {
            check(verb, "", (34, true));
            check(verb, "5s", (5, false));
            check(verb, "34s", (34, false));
            check(verb, "50s", (34, true));
        }
        for nothing in ["0", "0s", "-5s", "-2562047h"] {
            check(Verb::Get, nothing, (60, false));
        }
    }

    #[test]
    fn a_timeout_must_be_a_duration() {
        let error = asked(&Query::parse(Some("timeout=soon"))).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"invalid timeout specified in the request URL - time: invalid duration "soon""#
        );
    }
}
