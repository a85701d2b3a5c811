//! The plug-in `MutatingAdmissionPolicy`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use sprag_authorization::Authorizer;
use sprag_field::quote;
use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Follower, Mutation as Mutated, Operation};
use sprag_rest::{ApiError, Cause, Details, Release, Result, meta};
use sprag_storage::Key;
use sprag_value::Value;

use super::conditions::Verdict;
use super::dispatch;
use super::metrics::{Check, PolicyObserver};
use super::mutation::{MutationError, Mutator};
use super::request::{AskAccess, Params, Subject};
use super::source::{Binding, Policy, Source};
use super::validating::forbidden;
use super::validation::error_type;
use crate::matching::{Matched, Namespaces};

/// The name under which the plug-in remembers what it did.
const NAME: &str = "MutatingAdmissionPolicy";

/// Changes objects by the `MutatingAdmissionPolicy` objects that are stored and bound.
pub struct MutatingPolicies {
    source: Source<Mutator>,
    namespaces: Arc<Namespaces>,
    access: Arc<dyn Authorizer>,
    metrics: Arc<dyn PolicyObserver>,
}

/// A failure of a policy.
// As upstream's generic.PolicyError.
struct Failure {
    message: String,
    reason: Option<&'static str>,
}

/// One run of a policy: under a binding, with one of the parameters.
struct Invocation<'h> {
    policy: &'h Policy<Mutator>,
    binding: &'h Binding,
    matched: Matched,
    params: Option<Arc<Value>>,
}

/// The key of a run: policy, binding, namespace and name of the parameters.
type RunKey = (String, String, String, String);

/// The state of the plug-in between the runs of one request.
// As upstream's mutating.policyReinvokeContext.
#[derive(Default)]
struct Memory {
    output: Option<Value>,
    invoked: BTreeSet<RunKey>,
    due: BTreeSet<RunKey>,
}

impl Memory {
    /// Whatever ran before runs again.
    fn require_reinvocation(&mut self) {
        self.due.append(&mut self.invoked);
    }
}

/// The object in a version that some policy matches.
struct Versioned {
    matched: Matched,
    object: Option<Value>,
    old: Option<Value>,
    is_changed: bool,
}

impl MutatingPolicies {
    /// Without any policies yet.
    pub fn new(namespaces: Arc<Namespaces>, access: Arc<dyn Authorizer>, metrics: Arc<dyn PolicyObserver>) -> Self {
        MutatingPolicies { source: Source::new(Release::NEWEST), namespaces, access, metrics }
    }

    /// The same with expressions in the language of a release; without any policies yet.
    #[must_use]
    pub fn of_release(self, release: Release) -> Self {
        Self { source: Source::new(release), ..self }
    }

    // As upstream's generic.policyDispatcher.Dispatch; policies are sorted by name, where upstream has no order.
    async fn dispatch(&self, attributes: &Attributes<'_>) -> Result<Mutated> {
        let hooks = self.source.hooks();
        let mut invocations = Vec::new();
        let mut failures = Vec::new();
        for hook in hooks.candidates(attributes) {
            let policy = &*hook.policy;
            let call = match dispatch::call(hook, attributes, &self.namespaces) {
                Ok(Some(call)) => call,
                Ok(None) => continue,
                Err(why) => {
                    add(&mut failures, policy, None, &why, None);
                    continue;
                }
            };
            for binding in &hook.bindings {
                let mut params = match call.params(hook, binding, attributes, &self.namespaces).await {
                    Ok(None) => continue,
                    Ok(Some(params)) => params,
                    Err(why) => {
                        add(&mut failures, policy, Some(&binding.name), &why, None);
                        continue;
                    }
                };
                let of_params = |params| Invocation { policy, binding, matched: call.matched.clone(), params };
                loop {
                    match params.next(attributes).await {
                        Ok(None) => break,
                        Ok(Some(few)) => invocations.extend(few.into_owned().into_iter().map(of_params)),
                        Err(why) => {
                            add(&mut failures, policy, Some(&binding.name), &dispatch::of_binding(why), None);
                            break;
                        }
                    }
                }
            }
        }
        let object =
            if invocations.is_empty() { None } else { self.invoke(attributes, &invocations, &mut failures).await? };
        match refusal(attributes, failures) {
            Some(error) => Err(error),
            None => Ok(Mutated { object, warnings: Vec::new() }),
        }
    }

    // As upstream's mutating.dispatcher.dispatchInvocations.
    async fn invoke(
        &self,
        attributes: &Attributes<'_>,
        invocations: &[Invocation<'_>],
        failures: &mut Vec<Failure>,
    ) -> Result<Option<Value>> {
        let is_second = attributes.reinvocation.is_second();
        let namespace = dispatch::namespace(attributes, &self.namespaces)?;
        let mut memory = attributes.reinvocation.with(NAME, |memory: &mut Memory| std::mem::take(memory));
        if is_second && memory.output.as_ref() != attributes.object {
            memory.require_reinvocation();
        }
        let mut versions: Vec<Versioned> = Vec::new();
        let mut last = None;
        for invocation in invocations {
            let at = version_of(&mut versions, attributes, &invocation.matched)?;
            let versioned = &mut versions[at];
            match self.judge_conditions(attributes, invocation, versioned).await {
                Verdict::Matches => {}
                Verdict::Differs => continue,
                Verdict::Failed(why) => {
                    if invocation.policy.fails {
                        let policy = invocation.policy;
                        let binding = Some(invocation.binding.name.as_str());
                        add(failures, policy, binding, &why, Some("Invalid"));
                    }
                    continue;
                }
            }
            let key = invocation.key();
            if is_second && !memory.due.contains(&key) {
                continue;
            }
            let before = versioned.object.clone();
            last = Some(at);
            self.run(attributes, invocation, versioned, namespace.as_deref(), failures).await?;
            if versioned.object != before {
                memory.require_reinvocation();
                attributes.reinvocation.request();
            }
            if invocation.policy.body.is_reinvoked {
                memory.invoked.insert(key);
            }
        }
        let changed = last.map(|at| versions.swap_remove(at)).filter(|versioned| versioned.is_changed);
        let object = match changed {
            Some(Versioned { object: Some(object), matched, .. }) => {
                memory.require_reinvocation();
                attributes.reinvocation.request();
                Some(back(attributes, object, &matched)?)
            }
            _ => None,
        };
        memory.output = object.clone().or_else(|| attributes.object.cloned());
        attributes.reinvocation.with(NAME, |known: &mut Memory| *known = memory);
        Ok(object)
    }

    async fn judge_conditions(
        &self,
        attributes: &Attributes<'_>,
        run: &Invocation<'_>,
        versioned: &Versioned,
    ) -> Verdict {
        let policy = &run.policy.body;
        if policy.conditions.is_empty() {
            return Verdict::Matches;
        }
        let authorizer = AskAccess { access: &*self.access, user: attributes.request.user };
        let subject = versioned.subject(attributes, &authorizer);
        let params = Params::new(policy.has_params, run.params.as_deref());
        let judge = || policy.conditions.judge_subject(&subject, &run.matched, params, &policy.variables);
        match attributes.work(judge).await {
            Verdict::Failed(_) if !run.policy.fails => Verdict::Differs,
            verdict => verdict,
        }
    }

    /// Makes the mutations of a policy, one after the other.
    async fn run(
        &self,
        attributes: &Attributes<'_>,
        run: &Invocation<'_>,
        versioned: &mut Versioned,
        namespace: Option<&Value>,
        failures: &mut Vec<Failure>,
    ) -> Result<()> {
        let authorizer = AskAccess { access: &*self.access, user: attributes.request.user };
        for (index, mutation) in run.policy.body.mutations.iter().enumerate() {
            if versioned.object.is_none() {
                continue;
            }
            let started = Instant::now();
            let subject = versioned.subject(attributes, &authorizer);
            let params = run.params.as_deref();
            let mutate = || run.policy.body.mutate(mutation, &subject, &run.matched, params, namespace);
            let made = attributes.work(mutate).await;
            let error_type = match &made {
                Ok(_) => "no_error",
                Err(MutationError::Policy(why)) => error_type(why),
                Err(MutationError::Status(_)) => "invalid_error",
            };
            let policy = run.policy.name.as_str();
            let binding = run.binding.name.as_str();
            let elapsed = started.elapsed();
            self.metrics.mutated(&Check { policy, binding, index, error_type, action: "", elapsed });
            match made {
                Ok(object) => (versioned.object, versioned.is_changed) = (Some(object), true),
                Err(MutationError::Policy(why)) => add(failures, run.policy, Some(binding), &why, Some("Invalid")),
                Err(MutationError::Status(error)) => return Err(error),
            }
        }
        Ok(())
    }
}

impl AdmissionPlugin for MutatingPolicies {
    fn validates(&self) -> bool {
        false
    }

    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        !matches!(attributes.operation, Operation::Delete(_))
            && !dispatch::is_excluded(attributes.definition)
            && self.source.hooks().candidates(attributes).next().is_some()
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutated> {
        Box::pin(async move { self.dispatch(&attributes).await })
    }
}

impl Follower for MutatingPolicies {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        &[
            ("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
            ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
        ]
    }

    fn replace(&self, objects: Vec<(Key, Value)>) {
        self.source.replace(objects);
    }

    fn set(&self, key: &Key, object: Option<Value>) {
        self.source.set(key, object.as_ref());
    }
}

impl Invocation<'_> {
    fn key(&self) -> RunKey {
        let of_params = |read: fn(&Value) -> &str| self.params.as_deref().map(read).unwrap_or_default().to_owned();
        (self.policy.name.clone(), self.binding.name.clone(), of_params(meta::namespace), of_params(meta::name))
    }
}

impl Versioned {
    fn subject<'a>(&'a self, attributes: &'a Attributes<'a>, authorizer: &'a AskAccess<'a>) -> Subject<'a> {
        Subject { object: self.object.as_ref(), old: self.old.as_ref(), ..Subject::new(attributes, authorizer) }
    }
}

/// The place of the object in the version that a policy matches. Upstream keeps one object for each version, too.
fn version_of(versions: &mut Vec<Versioned>, attributes: &Attributes<'_>, matched: &Matched) -> Result<usize> {
    let kind = matched.kind(attributes);
    if let Some(at) = versions.iter().position(|known| known.matched.kind(attributes) == kind) {
        return Ok(at);
    }
    let objects = dispatch::versioned(attributes, matched)?;
    let [object, old] = [objects.object, objects.old].map(|object| object.map(std::borrow::Cow::into_owned));
    versions.push(Versioned { matched: matched.clone(), object, old, is_changed: false });
    Ok(versions.len() - 1)
}

/// The object in the version of the request.
fn back(attributes: &Attributes<'_>, object: Value, matched: &Matched) -> Result<Value> {
    let version = matched.version(attributes);
    if version == attributes.version || !attributes.is_versioned() {
        return Ok(object);
    }
    attributes.definition.convert(object, version, attributes.version)
}

fn add(
    failures: &mut Vec<Failure>,
    policy: &Policy<Mutator>,
    binding: Option<&str>,
    why: &str,
    reason: Option<&'static str>,
) {
    if !policy.fails {
        return;
    }
    let name = &policy.name;
    let message = match binding {
        Some(binding) => format!("policy '{name}' with binding '{binding}' denied request: {why}"),
        None => format!("policy {} denied request: {why}", quote::go(name)),
    };
    failures.push(Failure { message, reason });
}

/// The answer to a request where policies failed.
fn refusal(attributes: &Attributes<'_>, failures: Vec<Failure>) -> Option<ApiError> {
    let first = failures.first()?;
    let base = forbidden(attributes, "");
    let reason = first.reason.unwrap_or("Forbidden");
    let message = first.message.clone();
    let cause = |failure: Failure| Cause { message: failure.message, ..Cause::default() };
    let details = base.parts().details.clone().unwrap_or_default();
    let details = Details { causes: failures.into_iter().map(cause).collect(), ..details };
    Some(ApiError::new(403, reason, message, Some(details)))
}
