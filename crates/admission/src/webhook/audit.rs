//! Audit annotations of webhooks.

use sprag_value::{Value, json};

use super::review::Response;
use super::source::{Hook, Webhooks};
use crate::audit::object;

/// The place of a call among those of a request, which annotations are named by.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// `mutation` or `validating`.
    pub(super) kind: &'static str,
    /// One for calls of reinvoked webhooks.
    pub(super) round: u8,
    /// Among all mutating webhooks, or among the validating ones that match.
    pub(super) index: usize,
}

impl Place {
    fn key(self, prefix: &str) -> String {
        let Place { kind, round, index } = self;
        format!("{prefix}{kind}.webhook.admission.k8s.io/round_{round}_index_{index}")
    }
}

// As upstream's webhookAnnotator and validatingDispatcher.Dispatch.
impl Webhooks {
    /// The annotations that a webhook answers with.
    pub(super) fn audit_response(&self, hook: &Hook, response: &Response) {
        for (key, value) in &response.annotations {
            self.audit.annotate(&format!("{}/{key}", hook.name), value);
        }
    }

    /// A webhook cannot be called, and the request passes.
    pub(super) fn audit_failed_open(&self, place: Place, hook: &Hook) {
        if self.audit.is_on() {
            self.audit.annotate(&place.key("failed-open."), &hook.name);
        }
    }

    /// A mutating webhook was to be called.
    pub(super) fn audit_mutation(&self, place: Place, hook: &Hook, is_changed: bool) {
        if !self.audit.is_on() {
            return;
        }
        let value = object(&[
            ("configuration", &Value::from(hook.configuration.as_str())),
            ("webhook", &Value::from(hook.name.as_str())),
            ("mutated", &Value::Bool(is_changed)),
        ]);
        self.audit.annotate(&place.key(""), &value);
    }

    /// The patch of a mutating webhook was applied.
    pub(super) fn audit_patch(&self, place: Place, hook: &Hook, patch: &[u8]) {
        let Ok(patch) = json::parse(patch) else { return };
        self.audit.annotate_request(&Place { kind: "patch", ..place }.key(""), || {
            object(&[
                ("configuration", &Value::from(hook.configuration.as_str())),
                ("webhook", &Value::from(hook.name.as_str())),
                ("patch", &patch),
                ("patchType", &Value::from("JSONPatch")),
            ])
        });
    }
}
