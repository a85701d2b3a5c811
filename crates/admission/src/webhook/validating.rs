//! Validating webhooks: all that match are asked at once.

use std::time::Instant;

use futures_util::future::join_all;
use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Follower};
use sprag_rest::Result;
use sprag_storage::Key;
use sprag_value::Value;

use super::audit::Place;
use super::source::Webhooks;

/// Upstream's name of this kind in metrics.
const KIND: &str = "validating";

/// The plug-in `ValidatingAdmissionWebhook`.
pub struct ValidatingWebhooks(Webhooks);

impl ValidatingWebhooks {
    /// A plug-in that calls these.
    pub fn new(webhooks: Webhooks) -> ValidatingWebhooks {
        ValidatingWebhooks(webhooks)
    }

    // As upstream's validatingDispatcher.Dispatch. Of several failures upstream tells the first to arrive, we that of the first
    // webhook.
    async fn dispatch(&self, attributes: Attributes<'_>) -> Result<Vec<String>> {
        let hooks = self.0.current();
        let mut invocations = Vec::new();
        for hook in hooks.candidates(&attributes) {
            invocations.extend(self.0.invocation(hook, &attributes, KIND).await?);
        }
        let attributes = &attributes;
        let calls = invocations.iter().enumerate().map(|(index, invocation)| async move {
            let started = Instant::now();
            let mut warnings = Vec::new();
            let outcome = self.0.ask(invocation, attributes, false, &mut warnings).await;
            let place = Place { kind: KIND, round: 0, index };
            (self.0.settle(invocation.hook, attributes, (KIND, place), started, outcome), warnings)
        });
        let mut warnings = Vec::new();
        let mut first = None;
        for (outcome, more) in join_all(calls).await {
            warnings.extend(more);
            first = first.or(outcome.err());
        }
        match first {
            Some(error) => Err(error.with_warnings(warnings)),
            None => Ok(warnings),
        }
    }
}

impl AdmissionPlugin for ValidatingWebhooks {
    fn mutates(&self) -> bool {
        false
    }

    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        self.0.may_match(attributes)
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(self.dispatch(attributes))
    }
}

impl Follower for ValidatingWebhooks {
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
