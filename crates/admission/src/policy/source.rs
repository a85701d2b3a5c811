//! Policies with their bindings, compiled when they change.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use sprag_rest::Release;
use sprag_rest::selector::LabelSelector;
use sprag_storage::Key;
use sprag_value::Value;

use super::params::Kept;
use crate::matching::{Indexed, MatchResources, selector};

/// The differences between validating and mutating policies.
pub(crate) trait Compile: Send + Sync + Sized + 'static {
    /// Compiles the `spec` of a policy.
    fn compile(spec: &Value, has_params: bool, release: Release) -> Self;
}

/// A policy, compiled.
pub(crate) struct Policy<P> {
    pub(crate) name: String,
    /// True if failures of the policy deny a request, as upstream's `Fail` has it.
    pub(crate) fails: bool,
    pub(crate) matching: MatchResources,
    /// The error of an invalid policy.
    pub(crate) flaw: Option<String>,
    pub(crate) params: Option<ParamKind>,
    pub(crate) body: P,
}

/// The kind of the parameters of a policy.
pub(crate) struct ParamKind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

/// A binding of a policy.
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) policy: String,
    /// The requests it applies to; `None` for those of the policy.
    pub(crate) matching: Option<MatchResources>,
    pub(crate) flaw: Option<String>,
    pub(crate) params: Option<ParamRef>,
    /// `Deny`, `Warn`, `Audit`, as they are written.
    pub(crate) actions: Vec<String>,
}

/// The parameters of a binding.
pub(crate) struct ParamRef {
    pub(crate) name: String,
    pub(crate) namespace: String,
    /// The selector and its text.
    pub(crate) selector: Option<Result<LabelSelector, String>>,
    /// True if it denies requests when there are none.
    pub(crate) denies_missing: bool,
    /// Those with the name, as they were read last.
    pub(crate) kept: Kept,
}

/// A policy with the bindings that put it in force, sorted by name.
pub(crate) struct Hook<P> {
    pub(crate) policy: Arc<Policy<P>>,
    pub(crate) bindings: Vec<Arc<Binding>>,
}

impl<P> AsRef<MatchResources> for Hook<P> {
    fn as_ref(&self) -> &MatchResources {
        &self.policy.matching
    }
}

/// All policies of a kind with their bindings.
// As upstream's generic.policySource, which re-reads them once a second.
pub(crate) struct Source<P> {
    objects: Mutex<Objects<P>>,
    hooks: RwLock<Arc<Indexed<Hook<P>>>>,
}

struct Objects<P> {
    /// The release whose language expressions are written in.
    release: Release,
    policies: BTreeMap<String, Arc<Policy<P>>>,
    bindings: BTreeMap<String, Arc<Binding>>,
}

impl<P: Compile> Source<P> {
    pub(crate) fn new(release: Release) -> Source<P> {
        let objects = Objects { release, policies: BTreeMap::new(), bindings: BTreeMap::new() };
        Source { objects: Mutex::new(objects), hooks: RwLock::default() }
    }

    /// The policies that are in force, sorted by name.
    pub(crate) fn hooks(&self) -> Arc<Indexed<Hook<P>>> {
        self.hooks.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn replace(&self, objects: Vec<(Key, Value)>) {
        let mut known = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        known.policies.clear();
        known.bindings.clear();
        for (key, object) in objects {
            known.set(&key, Some(&object));
        }
        self.publish(&known);
    }

    pub(crate) fn set(&self, key: &Key, object: Option<&Value>) {
        let mut known = self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        known.set(key, object);
        self.publish(&known);
    }

    fn publish(&self, objects: &Objects<P>) {
        let mut of_policy: BTreeMap<&str, Vec<Arc<Binding>>> = BTreeMap::new();
        for binding in objects.bindings.values() {
            of_policy.entry(&binding.policy).or_default().push(binding.clone());
        }
        let hooks = of_policy.into_iter().filter_map(|(policy, bindings)| {
            let policy = objects.policies.get(policy)?.clone();
            Some(Hook { policy, bindings })
        });
        let hooks = Arc::new(Indexed::new(hooks.collect()));
        *self.hooks.write().unwrap_or_else(PoisonError::into_inner) = hooks;
    }
}

impl<P: Compile> Objects<P> {
    fn set(&mut self, key: &Key, object: Option<&Value>) {
        let name = key.name().to_owned();
        let spec = object.map(|object| object.get("spec").unwrap_or(&Value::Null));
        let is_binding = key.resource().ends_with("bindings");
        match spec {
            Some(spec) if is_binding => {
                let binding = Arc::new(Binding::read(&name, spec));
                self.bindings.insert(name, binding);
            }
            Some(spec) => {
                let policy = Arc::new(Policy::read(&name, spec, self.release));
                self.policies.insert(name, policy);
            }
            None if is_binding => drop(self.bindings.remove(&name)),
            None => drop(self.policies.remove(&name)),
        }
    }
}

impl<P: Compile> Policy<P> {
    pub(crate) fn read(name: &str, spec: &Value, release: Release) -> Policy<P> {
        let params = spec.get("paramKind").filter(|kind| !kind.is_null()).map(ParamKind::read);
        let constraints = spec.get("matchConstraints").filter(|constraints| !constraints.is_null());
        let missing = || Err("policy contained no match constraints, a required field".to_owned());
        let (matching, flaw) = split(constraints.map_or_else(missing, MatchResources::of_policy));
        let fails = spec.text("failurePolicy") != "Ignore";
        let body = P::compile(spec, params.is_some(), release);
        Policy { name: name.to_owned(), fails, matching, flaw, params, body }
    }
}

impl ParamKind {
    pub(crate) fn read(kind: &Value) -> ParamKind {
        let (group, version) = sprag_rest::split_api_version(kind.text("apiVersion"));
        ParamKind { group: group.to_owned(), version: version.to_owned(), kind: kind.text("kind").to_owned() }
    }
}

impl Binding {
    fn read(name: &str, spec: &Value) -> Binding {
        let resources = spec.get("matchResources").filter(|resources| !resources.is_null());
        let (matching, flaw) = resources.map_or((None, None), |resources| {
            let (matching, flaw) = split(MatchResources::of_policy(resources));
            (Some(matching), flaw)
        });
        let actions = spec.get("validationActions").and_then(Value::as_array).into_iter().flatten();
        Binding {
            name: name.to_owned(),
            policy: spec.text("policyName").to_owned(),
            matching,
            flaw,
            params: spec.get("paramRef").filter(|params| !params.is_null()).map(ParamRef::read),
            actions: actions.filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }
}

impl ParamRef {
    fn read(params: &Value) -> ParamRef {
        ParamRef {
            name: params.text("name").to_owned(),
            namespace: params.text("namespace").to_owned(),
            selector: params.get("selector").filter(|given| !given.is_null()).map(|given| selector(Some(given))),
            denies_missing: params.text("parameterNotFoundAction") == "Deny",
            kept: Kept::default(),
        }
    }
}

fn split(matching: Result<MatchResources, String>) -> (MatchResources, Option<String>) {
    match matching {
        Ok(matching) => (matching, None),
        Err(flaw) => (MatchResources::default(), Some(flaw)),
    }
}
