//! Calling one webhook.

use std::borrow::Cow;
use std::time::Instant;

use sprag_field::quote;
use sprag_registry::Attributes;
use sprag_rest::{ApiError, Result, new_uid};
use sprag_value::Value;
use sprag_webhook::deadline;

use super::audit::Place;
use super::metrics::Called;
use super::mutating;
use super::review::{self, Response, Wrong};
use super::source::{Hook, Webhooks};
use crate::matching::Matched;
use crate::policy::{AskAccess, Verdict};

/// A request that a webhook is to be asked about.
pub(super) struct Invocation<'a> {
    pub(super) hook: &'a Hook,
    pub(super) matched: Matched,
    /// The object in the version of the webhook.
    pub(super) object: Option<Cow<'a, Value>>,
    /// The stored object in the same version.
    pub(super) old: Option<Cow<'a, Value>>,
}

/// The error of an object that cannot be converted to the version of a webhook.
// As upstream's versionedAttributeAccessor: that of mutating webhooks makes an internal error of it, of which the dispatcher, as that
// of validating ones, makes another.
fn not_converted(kind: &str, error: &ApiError) -> ApiError {
    let once = ApiError::internal(&error.parts().message);
    if kind == mutating::KIND { ApiError::internal(&once.parts().message) } else { once }
}

/// The failure of a webhook call.
pub(super) enum Failure {
    /// It could not be called, or gave no answer that can be used; the code is for metrics.
    Calling(String, u16),
    /// It refuses the request.
    Refused(ApiError),
    /// Its patch cannot be applied to the request.
    Internal(ApiError),
}

impl Webhooks {
    /// The review to send to a webhook; `None` if the webhook does not match.
    // As upstream's generic.Webhook.ShouldCallHook.
    pub(super) async fn invocation<'a>(
        &self,
        hook: &'a Hook,
        attributes: &Attributes<'a>,
        kind: &'static str,
    ) -> Result<Option<Invocation<'a>>> {
        let Some(matched) = hook.resources.matches(attributes, &self.namespaces)? else { return Ok(None) };
        let version = matched.version(attributes).to_owned();
        let converted = |object: Option<&'a Value>| -> Result<Option<Cow<'a, Value>>> {
            let converted = object.map(|object| attributes.in_version(object, &version));
            converted.transpose().map_err(|error| not_converted(kind, &error))
        };
        let invocation =
            Invocation { hook, object: converted(attributes.object)?, old: converted(attributes.old)?, matched };
        if hook.conditions.is_empty() {
            return Ok(Some(invocation));
        }
        let authorizer = AskAccess { access: &*self.access, user: attributes.request.user };
        let objects = (invocation.object.as_deref(), invocation.old.as_deref());
        let judge = || hook.conditions.judge(attributes, &invocation.matched, objects, &authorizer);
        match attributes.work(judge).await {
            Verdict::Matches => Ok(Some(invocation)),
            Verdict::Failed(why) if !hook.fails_open => {
                let resource = &attributes.definition.resource;
                Err(ApiError::forbidden(resource, attributes.name(), &why))
            }
            Verdict::Differs | Verdict::Failed(_) => {
                self.observer.excluded(&hook.name, kind, attributes.operation.name());
                Ok(None)
            }
        }
    }

    /// Asks a webhook, and adds its warnings.
    pub(super) async fn ask(
        &self,
        invocation: &Invocation<'_>,
        attributes: &Attributes<'_>,
        is_mutating: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Response, Failure> {
        let hook = invocation.hook;
        check_dry_run(hook, attributes)?;
        let version = hook.review.ok_or_else(|| {
            let why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
            Failure::Calling(format!("could not create admission objects: {why}"), 400)
        })?;
        let config = hook.client.as_ref();
        let config = config.map_err(|why| Failure::Calling(format!("could not get REST client: {why}"), 500))?;
        let uid = new_uid(attributes.registry.entropy());
        let objects = (invocation.object.as_deref(), invocation.old.as_deref());
        let body = review::request(version, uid.as_str(), attributes, &invocation.matched, objects);
        let response = match self.client.post(config, body, Some(hook.timeout)).await {
            Ok(answer) => {
                let read = || review::response(version, uid.as_str(), is_mutating, &answer);
                let given_up = || Err(Wrong::Invalid("it was given up".to_owned()));
                attributes
                    .registry
                    .heavy(&attributes.request.user.name, answer.body.len(), read)
                    .await
                    .unwrap_or_else(given_up)
            }
            Err(error) => Err(Wrong::Call(error)),
        };
        let response = response.map_err(|wrong| match wrong {
            Wrong::Call(error) => Failure::Calling(format!("failed to call webhook: {}", error.message), error.code),
            Wrong::Invalid(why) => Failure::Calling(format!("received invalid webhook response: {why}"), 503),
        })?;
        self.audit_response(hook, &response);
        warnings.extend_from_slice(&response.warnings);
        if !response.is_allowed {
            return Err(Failure::Refused(review::refusal(&hook.name, response.status.as_ref())));
        }
        Ok(response)
    }

    /// Decides what a failure means by the failure policy of the webhook, and tells metrics and the audit log.
    pub(super) fn settle<T>(
        &self,
        hook: &Hook,
        attributes: &Attributes<'_>,
        (kind, place): (&'static str, Place),
        started: Instant,
        outcome: Result<T, Failure>,
    ) -> Result<Option<T>> {
        let (rejection, code, settled) = match outcome {
            Ok(answer) => (None, 200, Ok(Some(answer))),
            Err(Failure::Calling(why, code)) if hook.fails_open => {
                tracing::warn!(webhook = hook.name, why, "failed calling webhook, failing open");
                self.observer.failed_open(&hook.name, kind);
                self.audit_failed_open(place, hook);
                // As upstream's dispatchers: who sets a short timeout must not get past a webhook by it.
                let late = || ApiError::timeout("request did not complete within requested timeout");
                (None, code, if deadline::is_over() { Err(late()) } else { Ok(None) })
            }
            Err(Failure::Calling(why, code)) => {
                let why = format!("failed calling webhook {}: {why}", quote::go(&hook.name));
                tracing::warn!(why, "failing closed");
                (Some("calling_webhook_error"), code, Err(ApiError::internal(why)))
            }
            Err(Failure::Refused(error)) => (Some("no_error"), error.code(), Err(error)),
            Err(Failure::Internal(error)) => (Some("apiserver_internal_error"), 0, Err(error)),
        };
        let name = hook.name.as_str();
        let operation = attributes.operation.name();
        let elapsed = started.elapsed();
        self.observer.called(&Called { name, kind, operation, rejection, code, elapsed });
        settled
    }
}

/// Refuses a dry run that a webhook could not tell from the real thing.
fn check_dry_run(hook: &Hook, attributes: &Attributes<'_>) -> Result<(), Failure> {
    if !attributes.operation.is_dry_run() {
        return Ok(());
    }
    match hook.side_effects.as_deref() {
        Some("None" | "NoneOnDryRun") => Ok(()),
        None => Err(Failure::Calling("Webhook SideEffects is nil".to_owned(), 400)),
        Some(_) => {
            let why = format!("admission webhook {} does not support dry run", quote::go(&hook.name));
            Err(Failure::Internal(ApiError::bad_request(why)))
        }
    }
}
