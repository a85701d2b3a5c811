//! Mutating webhooks: one after the other, and once more where one changes what another has seen.

use std::collections::BTreeSet;
use std::time::Instant;

use sprag_field::quote;
use sprag_patch::{PatchError, json_patch};
use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Follower, Mutation};
use sprag_rest::{ApiError, Result};
use sprag_storage::Key;
use sprag_value::{Value, json};

use super::audit::Place;
use super::call::{Failure, Invocation};
use super::review::Response;
use super::source::Webhooks;

/// Upstream's name of this kind in metrics.
pub(super) const KIND: &str = "admit";

/// The name under which the plug-in remembers what it did.
const PLUGIN: &str = "MutatingAdmissionWebhook";

/// The plug-in `MutatingAdmissionWebhook`.
pub struct MutatingWebhooks(Webhooks);

/// The state that the first run leaves for reinvocation.
// As upstream's webhookReinvokeContext.
#[derive(Default)]
struct Reinvoked {
    /// The object as the webhooks left it.
    last: Option<Value>,
    /// Webhooks that were called, and may be called again.
    called: BTreeSet<String>,
    /// Those that are to be called again.
    again: BTreeSet<String>,
}

impl Reinvoked {
    fn require(&mut self) {
        self.again.append(&mut self.called);
    }
}

/// The object as webhooks have changed it so far, in the version of the last of them.
struct Current {
    object: Value,
    version: String,
}

impl MutatingWebhooks {
    /// A plug-in that calls these.
    pub fn new(webhooks: Webhooks) -> MutatingWebhooks {
        MutatingWebhooks(webhooks)
    }

    // As upstream's mutatingDispatcher.Dispatch.
    async fn dispatch(&self, attributes: Attributes<'_>) -> Result<Mutation> {
        let reinvocation = attributes.reinvocation;
        if reinvocation.is_second() {
            reinvocation.with(PLUGIN, |noted: &mut Reinvoked| {
                if noted.last.as_ref() != attributes.object {
                    noted.require();
                }
            });
        }
        let mut warnings = Vec::new();
        match self.run(&attributes, &mut warnings).await {
            Ok(object) => {
                let left = object.as_ref().or(attributes.object).cloned();
                reinvocation.with(PLUGIN, |noted: &mut Reinvoked| noted.last = left);
                Ok(Mutation { object, warnings })
            }
            Err(error) => Err(error.with_warnings(warnings)),
        }
    }

    /// Calls all webhooks that match, and returns the object if one of them changed it.
    async fn run(&self, attributes: &Attributes<'_>, warnings: &mut Vec<String>) -> Result<Option<Value>> {
        let hooks = self.0.current();
        let reinvocation = attributes.reinvocation;
        let mut current: Option<Current> = None;
        for (index, hook) in hooks.numbered(attributes) {
            let old = match &current {
                Some(current) => attributes.old.map(|old| attributes.in_version(old, &current.version)).transpose()?,
                None => None,
            };
            let mut shown = *attributes;
            if let Some(current) = &current {
                (shown.object, shown.old, shown.version) = (Some(&current.object), old.as_deref(), &current.version);
            }
            let Some(invocation) = self.0.invocation(hook, &shown, KIND).await? else { continue };
            let is_due = |noted: &mut Reinvoked| noted.again.contains(&hook.uid);
            if reinvocation.is_second() && !reinvocation.with(PLUGIN, is_due) {
                continue;
            }
            let started = Instant::now();
            let outcome = self.0.ask(&invocation, &shown, true, warnings).await;
            let outcome = match outcome {
                Ok(response) => {
                    let bytes = response.patch.len();
                    let work = || apply(&invocation, &shown, response);
                    let given_up = || Err(Failure::Calling("the patch was given up".to_owned(), 500));
                    attributes.registry.heavy(&attributes.request.user.name, bytes, work).await.unwrap_or_else(given_up)
                }
                Err(failure) => Err(failure),
            };
            let is_changed = matches!(&outcome, Ok(Some(patched)) if patched.is_changed);
            let place = Place { kind: "mutation", round: u8::from(reinvocation.is_second()), index };
            if let Ok(Some(patched)) = &outcome {
                self.0.audit_patch(place, hook, &patched.patch);
            }
            self.0.audit_mutation(place, hook, is_changed);
            reinvocation.with(PLUGIN, |noted: &mut Reinvoked| {
                if is_changed {
                    noted.require();
                }
                if hook.reinvokes {
                    noted.called.insert(hook.uid.clone());
                }
            });
            if is_changed {
                reinvocation.request();
            }
            let patched = self.0.settle(hook, &shown, (KIND, place), started, outcome)?.flatten();
            if let Some(patched) = patched {
                let version = invocation.matched.version(&shown).to_owned();
                current = Some(Current { object: patched.object, version });
            }
        }
        let Some(current) = current else { return Ok(None) };
        let mut changed = *attributes;
        changed.version = &current.version;
        Ok(Some(changed.in_version(&current.object, attributes.version)?.into_owned()))
    }
}

/// An object after a patch.
struct Patched {
    object: Value,
    is_changed: bool,
    patch: Vec<u8>,
}

/// Applies the patch of an answer, if it has one.
fn apply(
    invocation: &Invocation<'_>,
    attributes: &Attributes<'_>,
    response: Response,
) -> Result<Option<Patched>, Failure> {
    if response.patch.is_empty() {
        return Ok(None);
    }
    if is_empty_patch(&response.patch) {
        return Ok(None);
    }
    let name = &invocation.hook.name;
    let object = invocation.object.as_deref();
    let version = invocation.matched.version(attributes);
    // A patch that cannot be read comes before one that has nothing to be applied to.
    let text = object.map_or_else(|| "{}".to_owned(), |object| attributes.encode(object, version));
    let patched = json_patch::apply(&text, &response.patch);
    if let Err(PatchError::BadRequest(why)) = patched {
        return Err(Failure::Calling(format!("received undecodable patch in webhook response: {why}"), 503));
    }
    let Some(object) = object else {
        let why = format!(
            "admission webhook {} attempted to modify the object, which is not supported for this operation",
            quote::go(name)
        );
        return Err(Failure::Internal(ApiError::internal(why)));
    };
    if response.patch_type != "JSONPatch" {
        let why = format!("unsupported patch type {}", quote::go(&response.patch_type));
        return Err(Failure::Calling(why, 400));
    }
    let patched = patched.map_err(|error| Failure::Internal(ApiError::internal(error)))?;
    let mut new = attributes.decode(&patched, version).map_err(Failure::Internal)?;
    let is_changed = new != *object;
    attributes.complete(&mut new, version).map_err(Failure::Internal)?;
    Ok(Some(Patched { object: new, is_changed, patch: response.patch }))
}

/// True if a patch has no operations.
fn is_empty_patch(patch: &[u8]) -> bool {
    json::parse(patch).is_ok_and(|patch| patch.is_null() || patch.as_array().is_some_and(|patch| patch.is_empty()))
}

impl AdmissionPlugin for MutatingWebhooks {
    fn validates(&self) -> bool {
        false
    }

    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        self.0.may_match(attributes)
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        Box::pin(self.dispatch(attributes))
    }
}

impl Follower for MutatingWebhooks {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        self.0.resources()
    }

    fn replace(&self, objects: Vec<(Key, Value)>) {
        self.0.replace(objects);
    }

    fn set(&self, key: &Key, object: Option<Value>) {
        self.0.set(key, object);
    }
}
