//! Policies without a server: their verdict on an object.
//!
//! [`OfflinePolicies`] has a registry of its own in memory. An object is written there as a client would write it, by the very
//! plug-ins of the server, and what is stored by that is forgotten.

mod draft;

use std::cell::RefCell;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use sprag_authorization::{Access, AuthorizationMode};
use sprag_registry::{Follower, Registry};
use sprag_rest::{ApiError, DEFAULT_NAMESPACE, Definition, Request, User, WriteOptions, meta, split_api_version};
use sprag_storage::Key;
use sprag_value::Value;

use self::draft::DraftStore;
use crate::matching::Namespaces;
use crate::policy::{Check, MutatingPolicies, PolicyObserver, ValidatingPolicies};

/// The group of policies and bindings.
const GROUP: &str = "admissionregistration.k8s.io";

/// Judges objects by policies, without a server.
pub struct OfflinePolicies {
    registry: Registry,
    namespaces: Arc<Namespaces>,
    validating: Arc<ValidatingPolicies>,
    mutating: Arc<MutatingPolicies>,
    user: User,
    count: usize,
}

/// The verdict of policies on an object.
#[derive(Debug, Default)]
pub struct OfflineVerdict {
    /// The rejection.
    pub error: Option<ApiError>,
    /// Warnings that the client would receive in any case.
    pub warnings: Vec<String>,
    /// The expressions that are behind errors and warnings, in order.
    pub checks: Vec<OfflineCheck>,
}

/// An expression of a policy that had something to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfflineCheck {
    /// The policy.
    pub policy: String,
    /// The field of the policy: `spec.validations[0].expression`.
    pub field: String,
    /// `deny`, `warn`, `audit` or `allow`; empty for mutations.
    pub action: &'static str,
    /// The error type, if the expression failed rather than evaluating to false.
    pub error_type: &'static str,
}

impl OfflinePolicies {
    /// Policies and bindings, with the kinds that there are and the namespaces and parameters that they look at. Returned beside are
    /// the numbers of objects that a server would not take, with what it would say.
    ///
    /// # Panics
    /// If the registry in memory does not answer, which it always does.
    pub fn new(definitions: Vec<Definition>, objects: &[Value]) -> (OfflinePolicies, Vec<(usize, ApiError)>) {
        let namespaces = Arc::new(Namespaces::default());
        let access = Arc::new(Access::new(AuthorizationMode::AlwaysAllow));
        let validating = Arc::new(ValidatingPolicies::new(namespaces.clone(), access.clone(), Arc::new(Collector)));
        let mutating = Arc::new(MutatingPolicies::new(namespaces.clone(), access, Arc::new(Collector)));
        let mut registry = Registry::builder(Arc::new(DraftStore::default()));
        for definition in definitions {
            registry = registry.resource(definition);
        }
        let registry = registry.admission(mutating.clone()).admission(validating.clone()).build();
        let user = User {
            name: "kubernetes-admin".to_owned(),
            groups: vec!["system:masters".to_owned(), "system:authenticated".to_owned()],
            ..User::default()
        };
        let mut policies = OfflinePolicies { registry, namespaces, validating, mutating, user, count: 0 };
        let problems = policies.fill(objects);
        (policies, problems)
    }

    /// True if no policy is bound.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The verdict of policies on a create or update; `None` for unknown kinds.
    pub fn judge(&self, object: &Value, old: Option<&Value>) -> Option<OfflineVerdict> {
        self.judge_as(&self.user, object, old)
    }

    /// The same for a request of this user.
    pub fn judge_as(&self, user: &User, object: &Value, old: Option<&Value>) -> Option<OfflineVerdict> {
        let (definition, version) = self.definition_of(object)?;
        let namespace = namespace_of(&definition, object);
        self.ensure_namespace(namespace);
        let stored = match old.map(|old| self.stored(&definition, old)).transpose() {
            Ok(stored) => stored,
            Err(error) => return Some(OfflineVerdict { error: Some(error), ..OfflineVerdict::default() }),
        };
        let request = Request {
            group: definition.group(),
            version: &version,
            resource: &definition.resource.resource,
            namespace,
            name: if stored.is_some() { meta::name(object) } else { "" },
            subresource: "",
            user,
        };
        COLLECTED.with_borrow_mut(Vec::clear);
        let is_update = stored.is_some();
        let outcome = draft::drafting(stored, || {
            let options = WriteOptions::default();
            let mut body = object.clone();
            if is_update {
                meta::remove(&mut body, "resourceVersion");
                ready(self.registry.update(&request, body, &options))
            } else {
                ready(self.registry.create(&request, body, &options))
            }
        });
        let checks = COLLECTED.take();
        let of_policies = |warnings: &[String]| {
            let warnings = warnings.iter().filter(|warning| warning.starts_with("Validation failed for Validating"));
            warnings.cloned().collect()
        };
        Some(match outcome {
            Ok(answer) => OfflineVerdict { error: None, warnings: of_policies(&answer.warnings), checks },
            Err(error) => OfflineVerdict { warnings: of_policies(&error.parts().warnings), error: Some(error), checks },
        })
    }

    /// Loads namespaces first, then possible parameters, then policies.
    fn fill(&mut self, objects: &[Value]) -> Vec<(usize, ApiError)> {
        let mut problems = Vec::new();
        let mut namespaces = Vec::new();
        let mut others = Vec::new();
        let mut bound = Vec::new();
        for (index, object) in objects.iter().enumerate() {
            let (group, _) = split_api_version(object.text("apiVersion"));
            match (group, object.text("kind")) {
                ("", "Namespace") => namespaces.push(index),
                (GROUP, kind) if is_policy(kind) => bound.push(index),
                _ => others.push(index),
            }
        }
        let mut stored = Vec::new();
        for index in namespaces.into_iter().chain(others).chain(bound) {
            match self.put(&objects[index]) {
                Ok(Some(object)) => stored.push(object),
                Ok(None) => {}
                Err(error) => problems.push((index, error)),
            }
        }
        for object in stored {
            let kind = object.text("kind");
            let is_binding = kind.ends_with("Binding");
            let name = meta::name(&object).to_owned();
            let plural = if is_binding { "admissionpolicybindings" } else { "admissionpolicies" };
            let (prefix, follower): (_, &dyn Follower) = if kind.starts_with("Validating") {
                ("validating", &*self.validating)
            } else {
                ("mutating", &*self.mutating)
            };
            let Ok(key) = Key::cluster(GROUP, &format!("{prefix}{plural}"), &name) else { continue };
            follower.set(&key, Some(object));
            self.count += usize::from(is_binding);
        }
        problems.sort_by_key(|(index, _)| *index);
        problems
    }

    /// Stores an object; returns policies and bindings, completed.
    fn put(&self, object: &Value) -> Result<Option<Value>, ApiError> {
        let Some((definition, version)) = self.definition_of(object) else { return Ok(None) };
        let namespace = namespace_of(&definition, object);
        self.ensure_namespace(namespace);
        let request = Request {
            group: definition.group(),
            version: &version,
            resource: &definition.resource.resource,
            namespace,
            name: "",
            subresource: "",
            user: &self.user,
        };
        let created = ready(self.registry.create(&request, object.clone(), &WriteOptions::default()));
        let answer = match created {
            Ok(answer) => answer,
            // The same object in two places.
            Err(error) if error.is_already_exists() => return Ok(None),
            Err(error) => return Err(error),
        };
        if definition.group().is_empty() && definition.kind == "Namespace" {
            self.know_namespace(answer.object);
            return Ok(None);
        }
        Ok((definition.group() == GROUP && is_policy(&definition.kind)).then_some(answer.object))
    }

    fn know_namespace(&self, namespace: Value) {
        if let Ok(key) = Key::cluster("", "namespaces", meta::name(&namespace)) {
            self.namespaces.set(&key, Some(namespace));
        }
    }

    /// A namespace that nothing is said about has its name, and the label that all namespaces have.
    fn ensure_namespace(&self, name: &str) {
        if name.is_empty() || self.namespaces.get(name).is_some() {
            return;
        }
        // An invalid namespace name is reported when the object is written.
        let _ = self.put(&meta::bare("v1", "Namespace", name));
    }

    fn definition_of(&self, object: &Value) -> Option<(Arc<Definition>, String)> {
        let (group, version) = split_api_version(object.text("apiVersion"));
        let kind = object.text("kind");
        let found = self.registry.definitions().into_iter().find(|definition| {
            definition.group() == group && definition.kind == kind && definition.unstored.is_none()
        })?;
        found.version(version).filter(|version| version.served)?;
        Some((found, version.to_owned()))
    }

    /// An old object as it would be stored.
    fn stored(&self, definition: &Definition, old: &Value) -> Result<(Key, Value), ApiError> {
        let (_, version) = split_api_version(old.text("apiVersion"));
        let mut object = old.clone();
        if definition.namespaced() {
            meta::set(&mut object, "namespace", namespace_of(definition, old));
        }
        meta::remove(&mut object, "resourceVersion");
        let scheme = &definition.scheme;
        let mut object = scheme.read_stored(version, object).map_err(ApiError::internal)?;
        scheme.complete_stored(version, &mut object).map_err(ApiError::internal)?;
        if meta::uid(&object).is_empty() {
            meta::fill_system_fields(&mut object, self.registry.now(), self.registry.entropy());
        }
        let object = definition.convert(object, version, &definition.storage_version)?;
        let place = definition.place();
        let key = match namespace_of(definition, old) {
            "" => Key::cluster(&place.group, &place.resource, meta::name(old)),
            namespace => Key::namespaced(&place.group, &place.resource, namespace, meta::name(old)),
        };
        Ok((key.map_err(ApiError::internal)?, object))
    }
}

fn is_policy(kind: &str) -> bool {
    let kind = kind.strip_suffix("Binding").unwrap_or(kind);
    matches!(kind, "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy")
}

fn namespace_of<'v>(definition: &Definition, object: &'v Value) -> &'v str {
    match (definition.namespaced(), meta::namespace(object)) {
        (false, _) => "",
        (true, "") => DEFAULT_NAMESPACE,
        (true, namespace) => namespace,
    }
}

thread_local! {
    /// The results of policies on the object that this thread validates.
    static COLLECTED: RefCell<Vec<OfflineCheck>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the findings of policies on the object that this thread validates.
struct Collector;

impl PolicyObserver for Collector {
    fn validated(&self, check: &Check<'_>) {
        COLLECTED.with_borrow_mut(|checks| {
            checks.push(OfflineCheck {
                policy: check.policy.to_owned(),
                field: format!("spec.validations[{}].expression", check.index),
                action: check.action,
                error_type: check.error_type,
            });
        });
    }

    fn mutated(&self, check: &Check<'_>) {
        if check.error_type == "no_error" {
            return;
        }
        COLLECTED.with_borrow_mut(|checks| {
            checks.push(OfflineCheck {
                policy: check.policy.to_owned(),
                field: format!("spec.mutations[{}]", check.index),
                action: "",
                error_type: check.error_type,
            });
        });
    }
}

/// The result of work on memory alone, which never waits.
fn ready<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => return result,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}
