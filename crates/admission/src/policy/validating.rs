//! The plug-in `ValidatingAdmissionPolicy`.

use std::collections::BTreeMap;
use std::sync::Arc;

use sprag_authorization::Authorizer;
use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Follower};
use sprag_rest::{ApiError, Cause, GroupResource, Release, Result};
use sprag_storage::Key;
use sprag_value::Value;

use super::audit::Failure;
use super::dispatch;
use super::metrics::{Check, PolicyObserver};
use super::request::{AskAccess, Subject};
use super::source::{Policy, Source};
use super::validation::{Decision, Reason, Validator};
use crate::audit::{Audit, AuditSink};
use crate::matching::Namespaces;

/// Judges requests by the `ValidatingAdmissionPolicy` objects that are stored and bound.
pub struct ValidatingPolicies {
    source: Source<Validator>,
    namespaces: Arc<Namespaces>,
    access: Arc<dyn Authorizer>,
    metrics: Arc<dyn PolicyObserver>,
    audit: Audit,
}

/// A decision against a request, with who took it.
struct Denial<'a> {
    policy: &'a str,
    binding: Option<&'a str>,
    decision: Decision,
}

impl ValidatingPolicies {
    /// Without any policies yet.
    pub fn new(namespaces: Arc<Namespaces>, access: Arc<dyn Authorizer>, metrics: Arc<dyn PolicyObserver>) -> Self {
        ValidatingPolicies {
            source: Source::new(Release::NEWEST),
            namespaces,
            access,
            metrics,
            audit: Audit::default(),
        }
    }

    /// The same with expressions in the language of a release; without any policies yet.
    #[must_use]
    pub fn of_release(self, release: Release) -> Self {
        Self { source: Source::new(release), ..self }
    }

    /// The same with a receiver of audit annotations.
    #[must_use]
    pub fn audited_by(self, audit: Arc<dyn AuditSink>) -> Self {
        ValidatingPolicies { audit: Audit::new(audit), ..self }
    }

    // As upstream's validating.dispatcher.Dispatch, which takes policies in random order; here they are sorted by name.
    async fn dispatch(&self, attributes: &Attributes<'_>) -> Result<Vec<String>> {
        let hooks = self.source.hooks();
        let authorizer = AskAccess { access: &*self.access, user: attributes.request.user };
        let mut outcome = Outcome::default();
        for hook in hooks.candidates(attributes) {
            let policy = &*hook.policy;
            let call = match dispatch::call(hook, attributes, &self.namespaces) {
                Ok(Some(call)) => call,
                Ok(None) => continue,
                Err(why) => {
                    outcome.fail(policy, None, why);
                    continue;
                }
            };
            let mut annotations = Annotations::default();
            for binding in &hook.bindings {
                let mut params = match call.params(hook, binding, attributes, &self.namespaces).await {
                    Ok(Some(params)) => params,
                    Ok(None) => continue,
                    Err(why) => {
                        outcome.fail(policy, Some(&binding.name), why);
                        continue;
                    }
                };
                let objects = match dispatch::versioned(attributes, &call.matched) {
                    Ok(objects) => objects,
                    Err(why) => {
                        let why = format!("failed to configure binding: failed to convert object version: {why}");
                        outcome.fail(policy, Some(&binding.name), why);
                        continue;
                    }
                };
                let namespace = dispatch::namespace(attributes, &self.namespaces)?;
                let subject = Subject {
                    object: objects.object.as_deref(),
                    old: objects.old.as_deref(),
                    ..Subject::new(attributes, &authorizer)
                };
                loop {
                    let few = match params.next(attributes).await {
                        Ok(Some(few)) => few,
                        Ok(None) => break,
                        Err(why) => {
                            outcome.fail(policy, Some(&binding.name), dispatch::of_binding(why));
                            break;
                        }
                    };
                    for params in &*few {
                        let params = params.as_deref();
                        let space = namespace.as_deref();
                        let judge = || policy.body.judge(&subject, &call.matched, params, space, policy.fails);
                        let findings = attributes.work(judge).await;
                        for decision in findings.decisions {
                            self.take(&policy.name, binding, &decision, &mut outcome);
                        }
                        for (key, value) in findings.annotations {
                            match value {
                                Ok(value) => annotations.add(key, value),
                                Err(why) => {
                                    let decision = Decision::error(0, why, true, std::time::Duration::ZERO);
                                    self.observe(&policy.name, &binding.name, &decision, "deny");
                                    let binding = Some(binding.name.as_str());
                                    outcome.denials.push(Denial { policy: &policy.name, binding, decision });
                                }
                            }
                        }
                    }
                }
            }
            annotations.publish(&policy.name, &self.audit);
        }
        if !outcome.failures.is_empty() && self.audit.is_on() {
            self.audit.annotate(Failure::KEY, &Failure::list(&outcome.failures));
        }
        outcome.answer(attributes)
    }

    fn observe(&self, policy: &str, binding: &str, decision: &Decision, action: &'static str) {
        let index = decision.index;
        let error_type = decision.error_type();
        let elapsed = decision.elapsed;
        self.metrics.validated(&Check { policy, binding, index, error_type, action, elapsed });
    }

    /// Does with a decision what the binding says.
    fn take<'a>(
        &self,
        policy: &'a str,
        binding: &'a super::source::Binding,
        decision: &Decision,
        outcome: &mut Outcome<'a>,
    ) {
        if !decision.denies {
            return self.observe(policy, &binding.name, decision, "allow");
        }
        for action in &binding.actions {
            let name = &binding.name;
            let action = match action.as_str() {
                "Deny" => {
                    let decision = decision.clone();
                    outcome.denials.push(Denial { policy, binding: Some(name), decision });
                    "deny"
                }
                "Audit" => {
                    outcome.failures.push(Failure {
                        message: decision.message.clone(),
                        policy: binding.policy.clone(),
                        binding: name.clone(),
                        expression_index: decision.index,
                        validation_actions: binding.actions.clone(),
                    });
                    "audit"
                }
                "Warn" => {
                    let message = &decision.message;
                    outcome.warnings.push(format!(
                        "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{name}': {message}"
                    ));
                    "warn"
                }
                _ => continue,
            };
            self.observe(policy, name, decision, action);
        }
    }
}

impl AdmissionPlugin for ValidatingPolicies {
    fn mutates(&self) -> bool {
        false
    }

    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        !dispatch::is_excluded(attributes.definition) && self.source.hooks().candidates(attributes).next().is_some()
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move { self.dispatch(&attributes).await })
    }
}

impl Follower for ValidatingPolicies {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        &[
            ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
            ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
        ]
    }

    fn replace(&self, objects: Vec<(Key, Value)>) {
        self.source.replace(objects);
    }

    fn set(&self, key: &Key, object: Option<Value>) {
        self.source.set(key, object.as_ref());
    }
}

/// The combined outcome of all policies.
#[derive(Default)]
struct Outcome<'a> {
    denials: Vec<Denial<'a>>,
    failures: Vec<Failure>,
    warnings: Vec<String>,
}

impl<'a> Outcome<'a> {
    /// A policy cannot be evaluated, which denies the request unless failures are ignored.
    fn fail(&mut self, policy: &'a Policy<Validator>, binding: Option<&'a str>, why: String) {
        if policy.fails {
            let decision = Decision::error(0, why, true, std::time::Duration::ZERO);
            self.denials.push(Denial { policy: &policy.name, binding, decision });
        }
    }

    /// The first denial is the answer.
    fn answer(self, attributes: &Attributes<'_>) -> Result<Vec<String>> {
        let Some(Denial { policy, binding, decision }) = self.denials.into_iter().next() else {
            return Ok(self.warnings);
        };
        let binding = binding.map(|binding| format!(" with binding '{binding}'")).unwrap_or_default();
        let message = format!("ValidatingAdmissionPolicy '{policy}'{binding} denied request: {}", decision.message);
        let Reason { name, code } = decision.reason;
        let refused = forbidden(attributes, &message).with_cause(Cause { message, ..Cause::default() });
        let parts = refused.parts();
        let error = ApiError::new(code, name, parts.message.clone(), parts.details.clone());
        Err(error.with_warnings(self.warnings))
    }
}

/// The refusal of a request by a plug-in.
// As upstream's admission.NewForbidden.
pub(crate) fn forbidden(attributes: &Attributes<'_>, why: &str) -> ApiError {
    let metadata = |member| attributes.object.map_or("", |object| sprag_rest::meta::text(object, member));
    let names = [attributes.name(), metadata("name"), metadata("generateName"), "Unknown"];
    let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let resource = &attributes.definition.resource;
    ApiError::forbidden(&GroupResource::new(resource.group.as_str(), resource.resource.as_str()), name, why)
}

/// The annotations of one policy: different values of several bindings or parameters are joined.
// As upstream's auditAnnotationCollector.
#[derive(Default)]
struct Annotations(BTreeMap<String, Vec<String>>);

/// The longest annotation, in bytes.
const MAX_ANNOTATION: usize = 10 * 1024;

impl Annotations {
    fn add(&mut self, key: String, mut value: String) {
        value.truncate(value.floor_char_boundary(MAX_ANNOTATION));
        let values = self.0.entry(key).or_default();
        if !values.contains(&value) {
            values.push(value);
        }
    }

    fn publish(self, policy: &str, audit: &Audit) {
        if !audit.is_on() {
            return;
        }
        for (key, values) in self.0 {
            audit.annotate(&format!("{policy}/{key}"), &values.join(", "));
        }
    }
}
