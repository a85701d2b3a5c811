//! Audit annotations of policies.

use sprag_value::Value;

use crate::audit::object;

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
        let texts: Vec<String> = failures.iter().take(MAX_LISTED).map(Failure::text).collect();
        format!("[{}]", texts.join(","))
    }

    fn text(&self) -> String {
        object(&[
            ("message", &Value::from(self.message.as_str())),
            ("policy", &Value::from(self.policy.as_str())),
            ("binding", &Value::from(self.binding.as_str())),
            ("expressionIndex", &Value::from(self.expression_index)),
            ("validationActions", &self.validation_actions.iter().map(|action| Value::from(action.as_str())).collect()),
        ])
    }
}
