//! Authentication, impersonation and authorization of every request.
// As upstream's server.DefaultBuildHandlerChain: WithRequestDeadline, WithAuthentication, WithImpersonation, WithAuthorization.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

use http::Method;
use http::request::Parts;
use sprag_authorization::{Access, Attributes, Authorizer as _, Decision, ResourceTarget, Target};
use sprag_rest::{ApiError, GroupResource, Request, User};
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::answer::{self, Answer};
use crate::audit::{self, Level, Record};
use crate::authentication::{Identity, Peer};
use crate::connection::Seat;
use crate::deadline;
use crate::go;
use crate::impersonation;
use crate::negotiate::{self, Output};
use crate::query::Query;
use crate::request_info::RequestInfo;
use crate::route::Route;
use crate::server::State;
use crate::unread::Reader;
use crate::warnings;

/// The gate of what keeps those who are not known from holding connections.
const CLOSES_UNAUTHENTICATED: &str = "UnauthenticatedHTTP2DOSMitigation";

/// The right to make a request.
pub(crate) struct Grant {
    /// The effective user, after impersonation.
    pub(crate) user: Arc<User>,
    /// The authenticated user.
    identity: Identity,
    /// The impersonated user.
    wanted: Option<User>,
    /// The client as a reader of answers; none for requests of this process.
    reader: Option<Arc<Reader>>,
}

/// The connection that a request came on.
pub(crate) struct Origin<'c> {
    pub(crate) seat: Seat,
    /// The certificates of the client.
    pub(crate) peer: Option<&'c Peer>,
    /// The address of the client.
    pub(crate) remote: Option<IpAddr>,
    /// The client as a reader of answers; none for requests of this process.
    pub(crate) reader: Option<&'c Arc<Reader>>,
    /// Lets a connection of HTTP/2 take no further requests.
    pub(crate) close: Option<&'c Notify>,
}

/// A request as far as its head tells.
pub(crate) struct Head<'h> {
    pub(crate) parts: &'h Parts,
    pub(crate) route: &'h Route<'h>,
    pub(crate) query: &'h Query<'h>,
    pub(crate) info: &'h RequestInfo<'h>,
    /// The connection of the client.
    pub(crate) from: &'h Origin<'h>,
}

impl Head<'_> {
    /// The authorization of the request, or its rejection; and the warnings sent in either case.
    pub(crate) async fn grant(&self, state: &State) -> (Result<Arc<Grant>, Answer>, Option<&'static str>) {
        let record = audit::current();
        if let Err(error) = self.check_timeout() {
            self.refuse(record.as_deref());
            return (Err(self.failure(&error)), None);
        }
        let shown = state.authenticator.authenticate(&self.parts.headers, self.from.peer, self.route).await;
        // As upstream's filters.withAuthentication: such a connection is closed behind the requests that it has.
        if let Some(close) = self.from.close
            && shown.identity.as_ref().map_or(true, Identity::is_anonymous)
            && state.registry.gates().enabled(CLOSES_UNAUTHENTICATED)
        {
            close.notify_one();
        }
        let granted = match shown.identity {
            Ok(identity) => {
                if let Some(record) = &record {
                    record.begin(&identity.user, self.info, self.parts, self.from.remote);
                    record.received().await;
                }
                let recorded = record.as_deref().filter(|record| record.has(Level::Metadata));
                let authorized = self.authorized(state, identity, recorded);
                authorized.map_err(|error| answer::unsniffed(self.failure(&error)))
            }
            Err(error) => {
                self.refuse(record.as_deref());
                Err(self.failure(&error))
            }
        };
        (granted, shown.warning)
    }

    /// Records a request that is refused before its user is known.
    fn refuse(&self, record: Option<&Record>) {
        if let Some(record) = record {
            record.begin(&User::default(), self.info, self.parts, self.from.remote);
            record.refuse();
        }
    }

    fn authorized(&self, state: &State, identity: Identity, record: Option<&Record>) -> Result<Arc<Grant>, ApiError> {
        let wanted = impersonation::wanted(&self.parts.headers)?;
        let user = acting_user(state, &identity, wanted.as_ref(), self.info, record)?;
        match record {
            None => authorize(state, &user, self.info)?,
            Some(record) => authorize_recorded(state, &user, self.info, record)?,
        }
        Ok(Arc::new(Grant { user, identity, wanted, reader: self.from.reader.cloned() }))
    }

    /// Rejects an unparsable `timeout` parameter, which means nothing to a watch and its like.
    fn check_timeout(&self) -> Result<(), ApiError> {
        if self.info.is_long_running() { Ok(()) } else { deadline::asked(self.query).map(drop) }
    }

    fn failure(&self, error: &ApiError) -> Answer {
        let headers = &self.parts.headers;
        let output = Output::of_failure(headers, negotiate::is_for_people(headers, self.query));
        answer::failure(error, output, &[])
    }
}

/// Returns the user that a request is answered for: the authenticated one, or the impersonated one, if that is
/// permitted.
fn acting_user(
    state: &State,
    identity: &Identity,
    wanted: Option<&User>,
    info: &RequestInfo<'_>,
    record: Option<&Record>,
) -> Result<Arc<User>, ApiError> {
    let Some(wanted) = wanted else { return Ok(identity.user.clone()) };
    let request = info.attributes(&identity.user);
    let impersonated = impersonation::impersonate(&*state.policy.access, state.registry.gates(), &request, wanted)?;
    if let Some(record) = record {
        record.impersonated(&impersonated.user, &impersonated.constraint);
    }
    Ok(Arc::new(impersonated.user))
}

/// Rejects unauthorized requests.
fn authorize(state: &State, user: &User, info: &RequestInfo<'_>) -> Result<(), ApiError> {
    let attributes = info.attributes(user);
    let access = &state.policy.access;
    if access.allows(&attributes) {
        return Ok(());
    }
    decide(access, &attributes)
}

/// The same, with the decision in the audit log.
// As upstream's filters.WithAuthorization.
fn authorize_recorded(state: &State, user: &User, info: &RequestInfo<'_>, record: &Record) -> Result<(), ApiError> {
    let attributes = info.attributes(user);
    let (word, reason, outcome) = match state.policy.access.authorize(&attributes) {
        Decision::Allow(reason) => ("allow", reason, Ok(())),
        Decision::Deny(reason) | Decision::NoOpinion(reason) => {
            let refusal = attributes.refusal(&reason);
            ("forbid", reason, Err(refusal))
        }
    };
    record.annotate("authorization.k8s.io/decision", word);
    record.annotate("authorization.k8s.io/reason", &reason);
    outcome
}

/// Rejects a PUT or an apply that would create an object its user may not create.
// As upstream's handlers.withAuthorization.
pub(crate) fn authorize_create(access: &Access, request: &Request<'_>) -> Result<(), ApiError> {
    decide(access, &attributes(request, "create"))
}

/// Rejects a connection over a WebSocket, which is a GET, of a user who may not make one by POST.
// As upstream's rest.ensureAuthorizedForVerb.
pub(crate) fn authorize_connect(access: &Access, request: &Request<'_>) -> Result<(), ApiError> {
    reason(access, &attributes(request, "create")).map_err(|reason| forbidden(request, &reason))
}

/// Rejects the deletion of an object that cannot be read, whose finalizers and admission do not count.
// As upstream's handlers.authorizeUnsafeDelete.
pub(crate) fn authorize_unsafe_delete(access: &Access, request: &Request<'_>) -> Result<(), ApiError> {
    const VERB: &str = "unsafe-delete-ignore-read-errors";
    reason(access, &attributes(request, VERB))
        .map_err(|reason| forbidden(request, &format!("not permitted to do \"{VERB}\", reason: {reason}")))
}

fn forbidden(request: &Request<'_>, why: &str) -> ApiError {
    ApiError::forbidden(&GroupResource::new(request.group, request.resource), request.name, why)
}

/// A request with another verb.
fn attributes<'r>(request: &Request<'r>, verb: &'r str) -> Attributes<'r> {
    let is_namespace = request.group.is_empty() && request.resource == "namespaces";
    let target = ResourceTarget {
        group: request.group,
        resource: request.resource,
        subresource: request.subresource,
        // As upstream's RequestInfoFactory.NewRequestInfo: a namespace is in itself.
        namespace: if is_namespace { request.name } else { request.namespace },
        name: request.name,
    };
    Attributes { user: request.user, verb, target: Target::Resource(target) }
}

/// The reason why a request is not allowed.
fn reason(access: &Access, attributes: &Attributes<'_>) -> Result<(), String> {
    match access.authorize(attributes) {
        Decision::Allow(_) => Ok(()),
        Decision::Deny(reason) | Decision::NoOpinion(reason) => Err(reason),
    }
}

fn decide(access: &Access, attributes: &Attributes<'_>) -> Result<(), ApiError> {
    reason(access, attributes).map_err(|reason| attributes.refusal(&reason))
}

impl Grant {
    /// Waits until there is room for an answer.
    pub(crate) async fn room(&self) {
        if let Some(reader) = &self.reader {
            reader.clone().room().await;
        }
    }

    /// True if there is room for an answer.
    pub(crate) fn has_room(&self) -> bool {
        self.reader.as_ref().is_none_or(|reader| reader.has_room())
    }

    /// Waits until the right to make a request that goes on is lost: at once when roles and bindings take it away, within
    /// [`Limits::recheck`](crate::Limits::recheck) when credentials end or what a token depends on goes.
    pub(crate) async fn lost(&self, state: &State, request: &Ongoing) {
        let mut changes = state.policy.changes();
        loop {
            tokio::select! {
                // The sender is part of the state.
                _ = changes.changed() => {}
                () = sleep(state.limits.recheck) => {
                    if !state.authenticator.still_good(&self.identity).await {
                        return;
                    }
                }
            }
            if !self.covers(state, request) {
                return;
            }
        }
    }

    fn covers(&self, state: &State, request: &Ongoing) -> bool {
        let query = Query::parse(request.uri.query());
        let path = go::unescape_path(request.uri.path()).unwrap_or(Cow::Borrowed(""));
        let Ok(info) = RequestInfo::new(&request.method, &path, &query) else { return false };
        let user = acting_user(state, &self.identity, self.wanted.as_ref(), &info, None);
        user.and_then(|user| authorize(state, &user, &info)).is_ok()
    }
}

/// A long-running request, such as a watch.
pub(crate) struct Ongoing {
    pub(crate) method: Method,
    pub(crate) uri: http::Uri,
}

/// The response with the warnings about the client's credentials.
pub(crate) fn with_warning(mut answer: Answer, warning: Option<&'static str>) -> Answer {
    if let Some(warning) = warning {
        warnings::add(answer.headers_mut(), &[warning.to_owned()]);
    }
    answer
}
