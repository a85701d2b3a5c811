//! The record of one request, from its head to the end of its answer.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use http::header::USER_AGENT;
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use sprag_admission::AuditSink;
use sprag_registry::HEAVY_BYTES;
use sprag_rest::{Body, Definition, User, meta};
use sprag_value::{MicroTime, Value};
use tokio::runtime::Handle;

use super::bodies::{self, MAX_BODY};
use super::event::{Event, ObjectReference, ResponseStatus};
use super::policy::{Config, Level, Stage};
use super::source_ips::source_ips;
use super::{Audit, Format};
use crate::clock::now;
use crate::hold;
use crate::limits::on_thread;
use crate::memory::Given;
use crate::request_info::RequestInfo;

/// A longer user agent is cut, as upstream's `maxUserAgentLength` has it.
const MAX_USER_AGENT: usize = 1024;
/// The annotation of an event whose bodies are left out.
const TRUNCATED: &str = "audit.k8s.io/truncated";

tokio::task_local! {
    /// The record of the request that is answered.
    static CURRENT: Arc<Record>;
}

/// The record of the request that this task answers; none without an audit log.
pub(crate) fn current() -> Option<Arc<Record>> {
    CURRENT.try_with(Arc::clone).ok()
}

/// The future on the heap, which has this record if there is one. It takes no more room for that.
pub(crate) fn boxed<'f, F>(
    record: Option<Arc<Record>>,
    future: F,
) -> Pin<Box<dyn Future<Output = F::Output> + Send + 'f>>
where
    F: Future + Send + 'f,
{
    match record {
        Some(record) => Box::pin(CURRENT.scope(record, future)),
        None => Box::pin(future),
    }
}

/// The future, which has this record wherever it runs.
pub(crate) async fn with<F: Future>(record: Option<Arc<Record>>, future: F) -> F::Output {
    match record {
        Some(record) => CURRENT.scope(record, future).await,
        None => future.await,
    }
}

/// Records the object of an answer, as upstream's `audit.LogResponseObject`.
pub(crate) fn answered(object: &Value) {
    if let Ok(record) = CURRENT.try_with(Arc::clone) {
        record.answered(object);
    }
}

/// The same for an object that is answered as stored text.
pub(crate) fn answered_text(text: &[u8]) {
    let Ok(record) = CURRENT.try_with(Arc::clone) else { return };
    if !record.has(Level::RequestResponse) {
        return;
    }
    if text.len() > MAX_BODY {
        return record.truncate();
    }
    if let Ok(object) = sprag_value::json::parse(text) {
        record.answered(&object);
    }
}

/// Gives annotations of admission plug-ins to the record of the request that is answered.
pub(crate) struct CurrentRecord;

impl AuditSink for CurrentRecord {
    fn annotate(&self, key: &str, value: &str) {
        if let Ok(record) = CURRENT.try_with(Arc::clone) {
            record.annotate(key, value);
        }
    }

    fn records_requests(&self) -> bool {
        CURRENT.try_with(|record| record.has(Level::Request)).unwrap_or(false)
    }
}

/// The record of a request.
pub(crate) struct Record {
    audit: Arc<Audit>,
    /// Set once the policy is evaluated.
    config: OnceLock<Config>,
    /// True if it was refused before anything was known of the user: there is one event, of the stage `ResponseStarted`.
    // As upstream's WithFailedAuthenticationAudit and withFailedRequestAudit.
    is_refused: AtomicBool,
    event: Mutex<Event>,
    /// The memory of the body of the answer.
    memory: Mutex<Option<Given>>,
}

/// The part of a request that is over once the head of its answer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All of it.
    Whole,
    /// The answer is sent in pieces.
    Head,
    /// It panicked.
    Panicked,
}

impl Record {
    pub(super) fn new(audit: Arc<Audit>, id: &HeaderValue) -> Record {
        let event = Event {
            id: String::from_utf8_lossy(id.as_bytes()).into_owned(),
            level: Level::None,
            uri: String::new(),
            verb: String::new(),
            user: User::default(),
            impersonated: None,
            impersonation_constraint: String::new(),
            source_ips: Vec::new(),
            user_agent: String::new(),
            object: None,
            status: None,
            request: None,
            response: None,
            received: now(),
            annotations: BTreeMap::new(),
        };
        Record {
            audit,
            config: OnceLock::new(),
            is_refused: AtomicBool::new(false),
            event: Mutex::new(event),
            memory: Mutex::default(),
        }
    }

    /// Evaluates the policy for a request of a user, and notes what its head says.
    // As upstream's evaluatePolicyAndCreateAuditEvent and audit.LogRequestMetadata.
    pub(crate) fn begin(&self, user: &User, info: &RequestInfo<'_>, head: &Parts, remote: Option<IpAddr>) {
        let config = self.audit.policy.evaluate(&info.attributes(user));
        if self.config.set(config).is_err() {
            return;
        }
        self.audit.metrics.count_audit_level(config.level.name());
        if config.level == Level::None {
            return;
        }
        let mut event = self.event();
        event.level = config.level;
        event.verb = info.verb.to_string();
        head.uri.path_and_query().map_or("/", |uri| uri.as_str()).clone_into(&mut event.uri);
        event.user_agent = user_agent(head);
        event.source_ips = source_ips(&head.headers, remote);
        event.user = user.clone();
        event.object = info.resource.as_ref().map(|resource| ObjectReference {
            resource: resource.resource.to_owned(),
            namespace: resource.namespace.to_owned(),
            name: resource.name.to_string(),
            group: resource.group.to_owned(),
            version: resource.version.to_owned(),
            subresource: resource.subresource.to_owned(),
            ..ObjectReference::default()
        });
    }

    fn event(&self) -> MutexGuard<'_, Event> {
        self.event.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn config(&self) -> Option<Config> {
        self.config.get().copied().filter(|config| config.level > Level::None)
    }

    /// True if the request is recorded at this level, or at a higher one.
    pub(crate) fn has(&self, level: Level) -> bool {
        self.config().is_some_and(|config| config.level >= level)
    }

    /// Adds an annotation. Of several values the first counts.
    // As upstream's addAuditAnnotationLocked.
    pub(crate) fn annotate(&self, key: &str, value: &str) {
        if self.config.get().is_some_and(|config| config.level == Level::None) {
            return;
        }
        let mut event = self.event();
        match event.annotations.get(key) {
            Some(known) if known != value => {
                let id = &event.id;
                tracing::warn!("Failed to set annotations[{key:?}] for audit:{id:?}, it has already been set");
            }
            Some(_) => {}
            None => drop(event.annotations.insert(key.to_owned(), value.to_owned())),
        }
    }

    /// Notes the user that the request is answered for.
    pub(crate) fn impersonated(&self, user: &User, constraint: &str) {
        if self.has(Level::Metadata) {
            let mut event = self.event();
            event.impersonated = Some(user.clone());
            constraint.clone_into(&mut event.impersonation_constraint);
        }
    }

    /// Records the object of a create or an update, with defaults.
    // As upstream's audit.LogRequestObject, which encodes what was decoded.
    pub(crate) fn request_body(&self, body: &Body, definition: &Definition, version: &str, subresource: &str) {
        if !self.has(Level::Metadata) {
            return;
        }
        self.refer_to(body.object());
        if !self.has(Level::Request) {
            return;
        }
        let mut object = body.object().clone();
        if subresource.is_empty() && definition.complete(version, &mut object).is_err() {
            object = body.object().clone();
        }
        self.request_object(&object);
    }

    fn refer_to(&self, object: &Value) {
        let mut event = self.event();
        let Some(reference) = &mut event.object else { return };
        let text = |member| meta::text(object, member).to_owned();
        for (known, member) in [
            (&mut reference.namespace, "namespace"),
            (&mut reference.name, "name"),
            (&mut reference.uid, "uid"),
            (&mut reference.resource_version, "resourceVersion"),
        ] {
            if known.is_empty() {
                *known = text(member);
            }
        }
    }

    /// Records an object as the body of the request.
    pub(crate) fn request_object(&self, object: &Value) {
        let Some(config) = self.config().filter(|config| config.level >= Level::Request) else { return };
        let text = bodies::encode(object, config.omit_managed_fields);
        self.event().request = Some(text);
    }

    /// Records a patch, if it is JSON.
    // As upstream's audit.LogRequestPatch.
    pub(crate) fn request_patch(&self, patch: &[u8]) {
        if self.has(Level::Request)
            && let Some(text) = bodies::compact(patch)
        {
            self.event().request = Some(text);
        }
    }

    fn answered(&self, object: &Value) {
        let Some(config) = self.config() else { return };
        let is_status = object.get("kind").and_then(Value::as_str) == Some("Status");
        if is_status {
            self.event().status = Some(ResponseStatus { status: Some(object.clone()), code: 0 });
        }
        if config.level < Level::RequestResponse {
            return;
        }
        let text = bodies::encode(object, config.omit_managed_fields);
        if text.len() > MAX_BODY {
            return self.truncate();
        }
        self.event().response = Some(text);
    }

    /// Keeps memory for as long as there is a record.
    pub(crate) fn keep(&self, memory: Given) {
        *self.memory.lock().unwrap_or_else(PoisonError::into_inner) = Some(memory);
    }

    /// Leaves out a body that is too large.
    // As upstream's truncate backend.
    pub(crate) fn truncate(&self) {
        self.annotate(TRUNCATED, "true");
    }

    /// There is no user.
    pub(crate) fn refuse(&self) {
        self.is_refused.store(true, Ordering::Relaxed);
    }

    /// Records that the request was received.
    pub(crate) async fn received(&self) {
        self.stage(Stage::RequestReceived).await;
    }

    /// Records the head of the answer, and its end if it has ended. Otherwise what is returned records the end.
    pub(crate) async fn head(self: Arc<Self>, code: StatusCode, ended: Ended, is_long: bool) -> Option<Completion> {
        self.config()?;
        self.event().status.get_or_insert_default().code = code.as_u16();
        if ended == Ended::Panicked {
            self.event().status = Some(panicked());
            self.stage(Stage::Panic).await;
            return None;
        }
        let is_refused = self.is_refused.load(Ordering::Relaxed);
        if is_long || is_refused {
            self.stage(Stage::ResponseStarted).await;
        }
        if is_refused {
            return None;
        }
        if ended == Ended::Head {
            return Some(Completion(self));
        }
        self.stage(Stage::ResponseComplete).await;
        None
    }

    async fn stage(&self, stage: Stage) {
        if let Some(line) = self.line(stage) {
            self.write(line).await;
        }
    }

    async fn write(&self, line: String) {
        let user = self.event().user.name.clone();
        self.audit.log.write(&user, line).await;
    }

    /// The line of an event; none if the stage is omitted.
    // As upstream's AuditContext.ProcessEventStage.
    fn line(&self, stage: Stage) -> Option<String> {
        let config = self.config().filter(|config| !config.omits(stage))?;
        debug_assert!(config.level > Level::None, "what is not recorded has no lines");
        let mut event = self.event();
        let at: MicroTime = if stage == Stage::RequestReceived { event.received } else { now() };
        self.audit.metrics.count_audit_event();
        let line = match self.audit.format {
            Format::Json => event.json(stage, at),
            Format::Legacy => event.legacy(stage),
        };
        // No event follows.
        if matches!(stage, Stage::ResponseComplete | Stage::Panic) {
            (event.request, event.response) = (None, None);
        }
        Some(line)
    }

    fn body_bytes(&self) -> usize {
        let event = self.event();
        [&event.request, &event.response].iter().filter_map(|body| body.as_ref()).map(String::len).sum()
    }
}

/// Records the end of an answer that is sent in pieces, when it is dropped.
pub(crate) struct Completion(Arc<Record>);

impl Drop for Completion {
    fn drop(&mut self) {
        let record = self.0.clone();
        let can_wait = Handle::try_current().is_ok();
        if can_wait && record.body_bytes() >= HEAVY_BYTES {
            hold::spawn(async move {
                let make = || on_thread(|| record.line(Stage::ResponseComplete));
                if let Some(line) = hold::aside(make) {
                    record.write(line).await;
                }
            });
            return;
        }
        let Some(line) = record.line(Stage::ResponseComplete) else { return };
        let user = record.event().user.name.clone();
        let Some(line) = record.audit.log.offer(&user, line) else { return };
        if can_wait {
            hold::spawn(async move { record.write(line).await });
        } else {
            record.audit.log.drop_line();
        }
    }
}

// As upstream's filters.WithAudit.
fn panicked() -> ResponseStatus {
    let mut status = Value::object();
    status.insert("status", "Failure");
    status.insert("message", "APIServer panic'd");
    status.insert("reason", "InternalError");
    ResponseStatus { status: Some(status), code: 500 }
}

// As upstream's audit.maybeTruncateUserAgent.
fn user_agent(head: &Parts) -> String {
    let agent = head.headers.get(USER_AGENT).map(HeaderValue::as_bytes).unwrap_or_default();
    match agent.get(..MAX_USER_AGENT) {
        Some(start) if agent.len() > MAX_USER_AGENT => format!("{}...TRUNCATED", String::from_utf8_lossy(start)),
        _ => String::from_utf8_lossy(agent).into_owned(),
    }
}
