//! The webhooks of all configurations.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use sprag_authorization::Access;
use sprag_registry::{Attributes, Follower};
use sprag_rest::{Definition, Release};
use sprag_storage::Key;
use sprag_value::Value;
use sprag_webhook::{Client, ClientConfig};

use super::metrics::WebhookObserver;
use crate::audit::{Audit, AuditSink};
use crate::matching::{Indexed, MatchResources, Namespaces, is_exempt};
use crate::policy::Conditions;

const GROUP: &str = "admissionregistration.k8s.io";

/// The timeout of a webhook that has none.
const DEFAULT_TIMEOUT: i64 = 10;

/// The dependencies of webhook calls.
pub struct Webhooks {
    /// The group and resource of their configurations.
    resource: [(&'static str, &'static str); 1],
    pub(super) namespaces: Arc<Namespaces>,
    pub(super) access: Arc<Access>,
    pub(super) client: Arc<Client>,
    pub(super) observer: Arc<dyn WebhookObserver>,
    pub(super) audit: Audit,
    /// The release whose language match conditions are written in.
    release: Release,
    /// The webhooks of each configuration.
    configurations: Mutex<BTreeMap<String, Vec<Hook>>>,
    /// All of them, by the names of their configurations.
    current: RwLock<Arc<Indexed<Hook>>>,
}

/// A webhook of a configuration.
#[derive(Clone)]
pub(super) struct Hook(Arc<Compiled>);

pub(super) struct Compiled {
    pub(super) name: String,
    /// The name of its configuration.
    pub(super) configuration: String,
    /// The unique ID.
    pub(super) uid: String,
    pub(super) resources: MatchResources,
    pub(super) conditions: Conditions,
    pub(super) client: Result<ClientConfig, String>,
    /// True if requests pass when it cannot be called.
    pub(super) fails_open: bool,
    pub(super) timeout: Duration,
    pub(super) side_effects: Option<String>,
    /// The first version of reviews that it takes and that is known.
    pub(super) review: Option<ReviewVersion>,
    /// True if it is called again when others change the object after it.
    pub(super) reinvokes: bool,
}

/// A version of `AdmissionReview`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReviewVersion {
    V1,
    V1Beta1,
}

impl std::ops::Deref for Hook {
    type Target = Compiled;

    fn deref(&self) -> &Compiled {
        &self.0
    }
}

impl AsRef<MatchResources> for Hook {
    fn as_ref(&self) -> &MatchResources {
        &self.0.resources
    }
}

impl Webhooks {
    /// The mutating ones.
    pub fn mutating(
        namespaces: Arc<Namespaces>,
        access: Arc<Access>,
        client: Arc<Client>,
        observer: Arc<dyn WebhookObserver>,
    ) -> Webhooks {
        Webhooks::of("mutatingwebhookconfigurations", namespaces, access, client, observer)
    }

    /// The validating ones.
    pub fn validating(
        namespaces: Arc<Namespaces>,
        access: Arc<Access>,
        client: Arc<Client>,
        observer: Arc<dyn WebhookObserver>,
    ) -> Webhooks {
        Webhooks::of("validatingwebhookconfigurations", namespaces, access, client, observer)
    }

    fn of(
        resource: &'static str,
        namespaces: Arc<Namespaces>,
        access: Arc<Access>,
        client: Arc<Client>,
        observer: Arc<dyn WebhookObserver>,
    ) -> Webhooks {
        Webhooks {
            resource: [(GROUP, resource)],
            namespaces,
            access,
            client,
            observer,
            audit: Audit::default(),
            release: Release::NEWEST,
            configurations: Mutex::default(),
            current: RwLock::default(),
        }
    }

    /// The same with a receiver of audit annotations.
    #[must_use]
    pub fn audited_by(self, audit: Arc<dyn AuditSink>) -> Webhooks {
        Webhooks { audit: Audit::new(audit), ..self }
    }

    /// The same with match conditions in the language of a release.
    #[must_use]
    pub fn of_release(self, release: Release) -> Webhooks {
        Webhooks { release, ..self }
    }

    /// All webhooks, in the order in which they are called.
    pub(super) fn current(&self) -> Arc<Indexed<Hook>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// True if the rules of any of them can match a request.
    pub(super) fn may_match(&self, attributes: &Attributes<'_>) -> bool {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        !current.is_empty()
            && !is_exempt(attributes.definition)
            && !is_excluded(attributes)
            && current.candidates(attributes).next().is_some()
    }

    // As upstream's configuration.mergeMutatingWebhookConfigurations, which sorts configurations by name.
    fn publish(&self, configurations: &BTreeMap<String, Vec<Hook>>) {
        let hooks = configurations.values().flatten().cloned().collect();
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Indexed::new(hooks));
    }
}

impl Follower for Webhooks {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        &self.resource
    }

    fn replace(&self, objects: Vec<(Key, Value)>) {
        let mut configurations = self.configurations.lock().unwrap_or_else(PoisonError::into_inner);
        *configurations = objects
            .iter()
            .map(|(key, object)| (key.name().to_owned(), compile(key.name(), object, self.release)))
            .collect();
        self.publish(&configurations);
    }

    fn set(&self, key: &Key, object: Option<Value>) {
        let mut configurations = self.configurations.lock().unwrap_or_else(PoisonError::into_inner);
        match object {
            Some(object) => configurations.insert(key.name().to_owned(), compile(key.name(), &object, self.release)),
            None => configurations.remove(key.name()),
        };
        self.publish(&configurations);
    }
}

/// True if no webhook is asked about a request.
// As upstream's Webhook.isExcludedFromAllHooks.
fn is_excluded(attributes: &Attributes<'_>) -> bool {
    is_virtual(attributes.definition) && attributes.registry.gates().enabled("ExcludeAdmissionWebhookVirtualResources")
}

/// Reviews of who may do what: a webhook that is asked about them could lock everybody out.
fn is_virtual(definition: &Definition) -> bool {
    definition.only_creates() && matches!(definition.group(), "authentication.k8s.io" | "authorization.k8s.io")
}

fn compile(configuration: &str, object: &Value, release: Release) -> Vec<Hook> {
    let hooks = object.get("webhooks").and_then(Value::as_array).into_iter().flatten();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    hooks
        .map(|hook| {
            let text = |name: &str| hook.get(name).and_then(Value::as_str);
            let name = text("name").unwrap_or_default().to_owned();
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            let uid = format!("{configuration}/{name}/{}", *count - 1);
            let resources = MatchResources::of_webhook(hook).unwrap_or_else(|error| {
                tracing::error!(%error, configuration, name, "a webhook cannot be read and has no effect");
                MatchResources::default()
            });
            let seconds = hook.get("timeoutSeconds").and_then(Value::as_i64).unwrap_or(DEFAULT_TIMEOUT);
            let versions = hook.get("admissionReviewVersions").and_then(Value::as_array).into_iter().flatten();
            let known = |version: &Value| match version.as_str() {
                Some("v1") => Some(ReviewVersion::V1),
                Some("v1beta1") => Some(ReviewVersion::V1Beta1),
                _ => None,
            };
            Hook(Arc::new(Compiled {
                configuration: configuration.to_owned(),
                uid,
                resources,
                conditions: Conditions::of_webhook(hook.get("matchConditions"), release),
                client: ClientConfig::read(hook.get("clientConfig")),
                fails_open: text("failurePolicy") == Some("Ignore"),
                timeout: Duration::from_secs(u64::try_from(seconds).unwrap_or_default()),
                side_effects: text("sideEffects").map(str::to_owned),
                review: versions.into_iter().find_map(known),
                reinvokes: text("reinvocationPolicy") == Some("IfNeeded"),
                name,
            }))
        })
        .collect()
}
