//! Observers of webhook calls, for metrics.

use std::time::Duration;

/// Receives the outcome and duration of every call of a webhook.
// As upstream's AdmissionMetrics.
pub trait WebhookObserver: Send + Sync {
    /// A webhook was called, or could not be.
    fn called(&self, called: &Called<'_>);

    /// A webhook could not be called, and its failure policy let the request pass.
    fn failed_open(&self, name: &str, kind: &'static str);

    /// The match conditions of a webhook left a request out.
    fn excluded(&self, name: &str, kind: &'static str, operation: &'static str);
}

/// One call of a webhook.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// The name of the webhook.
    pub name: &'a str,
    /// `admit` or `validating`.
    pub kind: &'static str,
    /// The operation.
    pub operation: &'static str,
    /// The error type of a rejected request, `None` if it is admitted: `calling_webhook_error`,
    /// `apiserver_internal_error` or `no_error`.
    pub rejection: Option<&'static str>,
    /// The status code.
    pub code: u16,
    /// The duration.
    pub elapsed: Duration,
}
