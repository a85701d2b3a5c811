//! Requests for objects: which verb a method means on a path, and what the registry has to do for it.

mod connect;
mod delete;
mod delete_options;
mod read;
mod watch;
mod write;

pub(crate) use self::write::APPLY_PATCH;

use std::borrow::Cow;
use std::sync::Arc;

use http::header::USER_AGENT;
use http::request::Parts;
use http::{HeaderMap, Method};
use sprag_rest::{ApiError, Definition, Request, SubresourceKind, Unstored, Version, weight};
use sprag_value::Value;

use crate::answer::{self, Answer};
use crate::audit;
use crate::body::RequestBody;
use crate::filter::Grant;
use crate::message::Place;
use crate::negotiate::{self, LIST_TYPES, MEDIA_TYPES, Media, Offer, Output};
use crate::query::Query;
use crate::refuse;
use crate::route::ResourcePath;
use crate::server::State;
use crate::view::{Include, Lens, Subject};

const NO_NAME: &str = "name must be provided";

/// The verb of a resource request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Delete,
    DeleteCollection,
    /// Nothing that a resource knows.
    None,
}

impl Verb {
    /// The verb as the reference guesses it, before it knows the resource.
    pub(crate) fn of(method: &Method, path: &ResourcePath<'_>, query: &Query<'_>) -> Verb {
        let one = !path.name.is_empty();
        match *method {
            _ if path.watch => Verb::Watch,
            Method::GET | Method::HEAD if one => Verb::Get,
            Method::GET | Method::HEAD if query.switch("watch") == Some(true) => Verb::Watch,
            Method::GET | Method::HEAD => Verb::List,
            Method::POST => Verb::Create,
            Method::PUT => Verb::Update,
            Method::PATCH => Verb::Patch,
            Method::DELETE if one => Verb::Delete,
            Method::DELETE => Verb::DeleteCollection,
            _ => Verb::None,
        }
    }

    /// The name in errors and metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Verb::Get => "get",
            Verb::List => "list",
            Verb::Watch => "watch",
            Verb::Create => "create",
            Verb::Update => "update",
            Verb::Patch => "patch",
            Verb::Delete => "delete",
            Verb::DeleteCollection => "deletecollection",
            Verb::None => "",
        }
    }
}

/// A resource request, from its path, query and headers.
pub(crate) struct Asked<'h> {
    pub(crate) path: ResourcePath<'h>,
    pub(crate) query: Query<'h>,
    pub(crate) verb: Verb,
    /// `None` for an unknown resource.
    pub(crate) definition: Option<Arc<Definition>>,
}

/// A request for objects of a resource that is served.
pub(crate) struct Call<'c> {
    pub(crate) state: &'c Arc<State>,
    pub(crate) definition: Arc<Definition>,
    pub(crate) path: &'c ResourcePath<'c>,
    pub(crate) query: &'c Query<'c>,
    pub(crate) headers: &'c HeaderMap,
    pub(crate) head: &'c Parts,
    pub(crate) grant: &'c Arc<Grant>,
    pub(crate) verb: Verb,
    /// The form of the answer; not known to be acceptable until the verb asks.
    output: Result<Output, ApiError>,
    /// Warnings on the request, sent whether it succeeds or not.
    warnings: Vec<String>,
}

/// Answers a request for objects.
pub(crate) async fn serve(
    state: &Arc<State>,
    head: &Parts,
    body: &mut RequestBody,
    asked: &Asked<'_>,
    grant: &Arc<Grant>,
) -> Answer {
    let Asked { path, query, verb, .. } = asked;
    let pretty = negotiate::is_for_people(&head.headers, query);
    let definition = match reachable(state, asked, || Output::of_failure(&head.headers, pretty)) {
        Ok(definition) => definition,
        Err(answer) => return *answer,
    };
    let mut call = Call {
        state,
        path,
        query,
        head,
        headers: &head.headers,
        grant,
        verb: *verb,
        output: Output::negotiate(&head.headers, pretty, offer(&definition, path), || {
            place(&definition, path).answers_protobuf()
        }),
        warnings: Vec::new(),
        definition,
    };
    call.warnings = call.deprecation_warning();
    call.perform(&head.method, body).await.unwrap_or_else(|error| call.failure(&error))
}

fn place<'d>(definition: &'d Definition, path: &'d ResourcePath<'_>) -> Place<'d> {
    Place { definition, version: path.version, subresource: path.subresource }
}

/// Returns the endpoints beside plain objects. Upstream knows no columns for what is only ever created, and for some
/// parts.
fn offer(definition: &Definition, path: &ResourcePath<'_>) -> Offer {
    let subresource = definition.version(path.version).and_then(|version| version.subresource(path.subresource));
    match subresource.map(|subresource| &subresource.kind) {
        Some(SubresourceKind::Part(part)) if !part.has_table() => Offer::Metadata,
        Some(SubresourceKind::Create(_)) => Offer::Metadata,
        None if definition.only_creates() => Offer::Metadata,
        _ => Offer::Objects,
    }
}

/// The resource of the path; otherwise a 404 response.
fn reachable(state: &State, asked: &Asked<'_>, output: impl Fn() -> Output) -> Result<Arc<Definition>, Box<Answer>> {
    let Asked { path, verb, definition, .. } = asked;
    let served = |definition: &Definition| definition.version(path.version).is_some_and(|version| version.served);
    let Some(definition) = definition.clone().filter(|definition| served(definition)) else {
        return Err(Box::new(answer::nothing_there(state.has_routes(path.group), output())));
    };
    let across = matches!(verb, Verb::List | Verb::Watch);
    let fits = if definition.namespaced() { !path.namespace.is_empty() || across } else { path.namespace.is_empty() };
    match (fits, definition.conventions.has_routes) {
        (true, _) => Ok(definition),
        (false, false) => Err(Box::new(answer::page_not_found())),
        (false, true) if definition.namespaced() && path.name.is_empty() => {
            Err(Box::new(answer::failure(&refuse::method_not_allowed(), output(), &[])))
        }
        (false, true) => Err(Box::new(answer::failure(&ApiError::no_such_resource(), output(), &[]))),
    }
}

impl Call<'_> {
    async fn perform(&self, method: &Method, body: &mut RequestBody) -> Result<Answer, ApiError> {
        self.check_method()?;
        if self.is_connection() {
            return Box::pin(self.connect()).await;
        }
        let is_unknown = *method == Method::HEAD || (self.verb == Verb::Watch && *method != Method::GET);
        if is_unknown && self.definition.conventions.has_routes {
            return Err(refuse::method_not_allowed());
        }
        if self.verb != Verb::Patch {
            self.check_route()?;
        }
        // Each verb has as much room as it needs: a request that reads does not pay for one that writes.
        match self.verb {
            Verb::Get => self.get().await,
            Verb::List => Box::pin(self.list()).await,
            Verb::Watch => Box::pin(self.watch()).await,
            Verb::Create => Box::pin(self.create(body)).await,
            Verb::Update => Box::pin(self.update(body)).await,
            Verb::Patch => Box::pin(self.patch(body)).await,
            Verb::Delete => Box::pin(self.delete(body)).await,
            Verb::DeleteCollection => Box::pin(self.delete_collection(body)).await,
            Verb::None => Err(self.unsupported("")),
        }
    }

    /// The warning about a deprecated version. As upstream's handlers add it, none is sent where the router finds no handler.
    fn deprecation_warning(&self) -> Vec<String> {
        let version = self.definition.version(self.path.version);
        let warning = version.map(|version| &version.deprecation_warning).filter(|warning| !warning.is_empty());
        let is_handled = || !self.definition.conventions.has_routes || self.check_method().is_ok();
        warning.filter(|_| is_handled()).cloned().into_iter().collect()
    }

    /// Refuses forms of the answer that the reference's router refuses.
    fn check_route(&self) -> Result<(), ApiError> {
        match self.verb {
            _ if !self.definition.conventions.has_routes => Ok(()),
            Verb::List | Verb::Watch => negotiate::check_route(self.headers, &LIST_TYPES),
            _ => negotiate::check_route(self.headers, &MEDIA_TYPES),
        }
    }

    /// Refuses verbs that the path does not know.
    fn check_method(&self) -> Result<(), ApiError> {
        let verb = self.verb;
        let one = !self.path.name.is_empty();
        if !self.path.subresource.is_empty() {
            return self.check_subresource();
        }
        if self.path.excess {
            return Err(ApiError::no_such_resource());
        }
        // Upstream has no route to one of what is only ever created.
        if one && self.definition.only_creates() {
            return Err(ApiError::no_such_resource());
        }
        match (verb, one) {
            (Verb::Update | Verb::Patch, false) | (Verb::Create, true) if self.definition.conventions.has_routes => {
                Err(refuse::method_not_allowed())
            }
            (Verb::Update, false) => Err(ApiError::bad_request(NO_NAME)),
            // The content type of the patch is checked first.
            (Verb::Patch, false) => Ok(()),
            // As upstream's handlers.ListResource, whose route is there for lists.
            (Verb::Watch, false) if matches!(self.definition.unstored, Some(Unstored::Observed(_))) => {
                Err(ApiError::method_not_supported(&self.definition.resource, verb.name()))
            }
            (verb, _) if !self.definition.verbs().any(|known| known == verb.name()) => {
                Err(self.unsupported(verb.name()))
            }
            _ => Ok(()),
        }
    }

    fn check_subresource(&self) -> Result<(), ApiError> {
        let version = self.version()?;
        let found = version.subresource(self.path.subresource);
        match found {
            None if self.definition.conventions.refusals_name_resource => {
                Err(ApiError::not_found(&self.definition.resource, self.path.name))
            }
            None => Err(ApiError::no_such_resource()),
            Some(found) if !found.verbs().contains(&self.verb.name()) => Err(self.unsupported(self.verb.name())),
            Some(_) if self.path.excess && self.definition.conventions.has_routes && !self.is_connection() => {
                Err(ApiError::no_such_resource())
            }
            Some(_) => Ok(()),
        }
    }

    fn unsupported(&self, verb: &str) -> ApiError {
        if self.definition.conventions.refusals_name_resource {
            ApiError::method_not_supported(&self.definition.resource, verb)
        } else {
            refuse::method_not_allowed()
        }
    }

    pub(crate) fn request(&self) -> Request<'_> {
        let path = self.path;
        Request {
            group: path.group,
            version: path.version,
            resource: path.resource,
            namespace: path.namespace,
            name: path.name,
            subresource: path.subresource,
            user: &self.grant.user,
        }
    }

    pub(crate) fn version(&self) -> Result<&Version, ApiError> {
        self.definition.version(self.path.version).ok_or_else(ApiError::no_such_resource)
    }

    /// The form of the answer.
    pub(crate) fn output(&self) -> Result<Output, ApiError> {
        self.output.clone()
    }

    /// The media type of the request body.
    fn input(&self) -> Result<Media, ApiError> {
        negotiate::input(self.headers, || place(&self.definition, self.path).reads_protobuf())
    }

    /// An answer with what was made of an object or a list.
    async fn object(
        &self,
        code: u16,
        value: &Value,
        output: Output,
        warnings: Vec<String>,
    ) -> Result<Answer, ApiError> {
        let encode = || self.encoded(value, output);
        let body = self.state.in_flight.make(&self.grant.user.name, weight::text_of(value), encode).await?;
        Ok(answer::encoded(code, body, output, &self.warnings(warnings)))
    }

    /// The bytes of an answer, which the audit log has, too.
    fn encoded(&self, value: &Value, output: Output) -> Result<Vec<u8>, ApiError> {
        audit::answered(value);
        answer::encode(value, output, Some(place(&self.definition, self.path)))
    }

    pub(crate) fn lens(&self, output: Output) -> Result<Lens<'_>, ApiError> {
        let version = self.version()?;
        let include = Include::parse(self.query.text("includeObject"));
        let include = if matches!(output.view, negotiate::View::Table(_)) { include? } else { Include::Nothing };
        let subject = match version.subresource(self.path.subresource).map(|found| &found.kind) {
            Some(SubresourceKind::Scale(_)) => Subject::Scale,
            _ => Subject::Resource,
        };
        let now = self.state.registry.now();
        Ok(Lens { definition: &self.definition, version, subject, view: output.view, include, now })
    }

    pub(crate) fn agent(&self) -> Cow<'_, str> {
        let agent = self.headers.get(USER_AGENT).map(http::HeaderValue::as_bytes).unwrap_or_default();
        String::from_utf8_lossy(agent)
    }

    /// The warnings on the request and on its outcome.
    pub(crate) fn warnings(&self, more: Vec<String>) -> Vec<String> {
        self.warnings.iter().cloned().chain(more).collect()
    }

    fn failure(&self, error: &ApiError) -> Answer {
        let output = Output::of_failure(self.headers, negotiate::is_for_people(self.headers, self.query));
        answer::failure(error, output, &self.warnings)
    }
}
