//! Audit annotations of policies.

use sprag_value::{Object, Value, json};

/// Takes annotations of requests for the audit log.
pub trait AuditSink: Send + Sync {
    /// Takes one.
    fn annotate(&self, key: &str, value: &str);
}

/// A validation that failed under a binding with the action `Audit`.
// As upstream's validating.ValidationFailureValue.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) policy: String,
    pub(crate) binding: String,
    pub(crate) expression_index: usize,
    pub(crate) validation_actions: Vec<String>,
}

/// The most failures that one annotation lists.
const MAX_LISTED: usize = 50;

impl Failure {
    /// The key of the annotation that lists failures.
    pub(crate) const KEY: &'static str = "validation.policy.admission.k8s.io/validation_failure";

    /// The value of the annotation.
    pub(crate) fn list(failures: &[Failure]) -> String {
        let values: Value = failures.iter().take(MAX_LISTED).map(Failure::to_value).collect();
        json::to_string(&values)
    }

    fn to_value(&self) -> Value {
        let actions: Value = self.validation_actions.iter().map(|action| Value::from(action.as_str())).collect();
        Value::Object(Object::from([
            ("message", Value::from(self.message.as_str())),
            ("policy", Value::from(self.policy.as_str())),
            ("binding", Value::from(self.binding.as_str())),
            ("expressionIndex", Value::from(self.expression_index)),
            ("validationActions", actions),
        ]))
    }
}
