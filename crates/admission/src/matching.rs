//! The requests a policy or a webhook applies to: rules, namespace and object selectors, match policy.
//!
//! [`MatchResources`] is read once, when a policy or a webhook configuration changes; [`MatchResources::matches`] runs for each
//! request. [`Indexed`] keeps many of them, and finds those whose rules can match a request in one lookup.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use sprag_registry::{Attributes, Follower, Operation, kind_of};
use sprag_rest::selector::LabelSelector;
use sprag_rest::{ApiError, Definition, GroupResource, GroupVersionKind, Result, meta, selector_text};
use sprag_storage::Key;
use sprag_value::Value;

/// The namespaces of the server, as selectors and expressions see them.
#[derive(Default)]
pub struct Namespaces(RwLock<HashMap<String, Arc<Value>>>);

impl Namespaces {
    /// The namespace of this name.
    pub fn get(&self, name: &str) -> Option<Arc<Value>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

impl Follower for Namespaces {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        &[("", "namespaces")]
    }

    fn replace(&self, objects: Vec<(Key, Value)>) {
        let objects = objects.into_iter().map(|(key, object)| (key.name().to_owned(), Arc::new(object)));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = objects.collect();
    }

    fn set(&self, key: &Key, object: Option<Value>) {
        let mut namespaces = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match object {
            Some(object) => namespaces.insert(key.name().to_owned(), Arc::new(object)),
            None => namespaces.remove(key.name()),
        };
    }
}

/// A resource in a version.
// As upstream's schema.GroupVersionResource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupVersionResource {
    /// The API group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The plural name.
    pub resource: String,
}

/// The resource that a request matched: its own, or another version to convert its objects to.
#[derive(Clone, Debug, Default)]
pub struct Matched(Option<Arc<Equivalent>>);

/// A resource that stands for that of the request.
#[derive(Debug)]
struct Equivalent {
    resource: GroupVersionResource,
    kind: GroupVersionKind,
}

impl Matched {
    /// The resource that a rule names.
    pub fn resource(&self, attributes: &Attributes<'_>) -> GroupVersionResource {
        match &self.0 {
            Some(other) => other.resource.clone(),
            None => resource_of(attributes.definition, attributes.request.version),
        }
    }

    /// The version of the resource.
    pub fn version<'m>(&'m self, attributes: &Attributes<'m>) -> &'m str {
        self.0.as_ref().map_or(attributes.request.version, |other| &other.resource.version)
    }

    /// The kind of objects there.
    pub fn kind(&self, attributes: &Attributes<'_>) -> GroupVersionKind {
        self.0.as_ref().map_or_else(|| attributes.kind(), |other| other.kind.clone())
    }
}

/// The requests a policy, a binding or a webhook applies to.
#[derive(Clone, Debug, Default)]
pub struct MatchResources {
    namespace_selector: LabelSelector,
    object_selector: LabelSelector,
    rules: Vec<Rule>,
    excluded: Vec<Rule>,
    /// True if requests to other versions of the resource match, too.
    is_equivalent: bool,
    /// True if no rule means every request.
    matches_without_rules: bool,
}

impl MatchResources {
    /// Reads one of the `webhooks` of a configuration.
    pub fn of_webhook(webhook: &Value) -> Result<MatchResources, String> {
        MatchResources::read(webhook, "rules")
    }

    /// Reads the `matchConstraints` of a policy, or the `matchResources` of a binding: without rules they are about every request.
    pub fn of_policy(resources: &Value) -> Result<MatchResources, String> {
        Ok(MatchResources { matches_without_rules: true, ..MatchResources::read(resources, "resourceRules")? })
    }

    fn read(value: &Value, rules: &str) -> Result<MatchResources, String> {
        let list = |name: &str| {
            value.get(name).and_then(Value::as_array).into_iter().flatten().map(Rule::read).collect::<Vec<_>>()
        };
        Ok(MatchResources {
            namespace_selector: selector(value.get("namespaceSelector"))?,
            object_selector: selector(value.get("objectSelector"))?,
            rules: list(rules),
            excluded: list("excludeResourceRules"),
            is_equivalent: value.get("matchPolicy").and_then(Value::as_str) == Some("Equivalent"),
            matches_without_rules: false,
        })
    }

    /// The resource that a request matches, if any. A missing namespace is an error if a selector needs it.
    // As upstream's matching.Matcher.Matches and generic.Webhook.ShouldCallHook.
    pub fn matches(&self, attributes: &Attributes<'_>, namespaces: &Namespaces) -> Result<Option<Matched>> {
        let in_namespace = self.matches_namespace(attributes, namespaces);
        if matches!(in_namespace, Ok(false)) || !self.matches_objects(attributes) {
            return Ok(None);
        }
        if self.matched_by(&self.excluded, attributes).is_some() {
            return Ok(None);
        }
        let matched = if self.rules.is_empty() && self.matches_without_rules {
            Some(Matched::default())
        } else {
            self.matched_by(&self.rules, attributes)
        };
        let Some(matched) = matched else { return Ok(None) };
        in_namespace?;
        Ok(Some(matched))
    }

    /// True if the rules can match a request, whatever its version, its namespace and its labels.
    pub fn may_match(&self, attributes: &Attributes<'_>) -> bool {
        let subresource = attributes.request.subresource;
        let group = attributes.definition.group();
        let resource = attributes.definition.resource.resource.as_str();
        self.rules.is_empty() && self.matches_without_rules
            || self.rules.iter().any(|rule| {
                rule.has_operation(&attributes.operation)
                    && rule.has_resource(resource, subresource)
                    && (self.is_equivalent || has(&rule.groups, group))
            })
    }

    // As upstream's namespace.Matcher.MatchNamespaceSelector.
    fn matches_namespace(&self, attributes: &Attributes<'_>, namespaces: &Namespaces) -> Result<bool> {
        let name = attributes.namespace();
        if self.namespace_selector.is_empty() || name.is_empty() && !attributes.is_namespace() {
            return Ok(true);
        }
        let writes = matches!(attributes.operation, Operation::Create(_) | Operation::Update(_));
        if attributes.is_namespace() && attributes.request.subresource.is_empty() && writes {
            return Ok(has_labels(&self.namespace_selector, attributes.new_object()));
        }
        match namespaces.get(name) {
            Some(namespace) => Ok(has_labels(&self.namespace_selector, &namespace)),
            None => Err(ApiError::not_found(&GroupResource::new("", "namespaces"), name)),
        }
    }

    // As upstream's object.Matcher.MatchObjectSelector.
    fn matches_objects(&self, attributes: &Attributes<'_>) -> bool {
        if self.object_selector.is_empty() {
            return true;
        }
        let mut objects = attributes.object.into_iter().chain(attributes.old);
        objects.any(|object| object.get("metadata").is_some() && has_labels(&self.object_selector, object))
    }

    // As upstream's matching.matchesResourceRules: rules in order, first the resource of the request itself.
    fn matched_by(&self, rules: &[Rule], attributes: &Attributes<'_>) -> Option<Matched> {
        let request = attributes.request;
        if rules.iter().any(|rule| rule.matches(attributes, attributes.definition, request.version)) {
            return Some(Matched::default());
        }
        if !self.is_equivalent || rules.is_empty() {
            return None;
        }
        let equivalents = equivalents(attributes);
        rules.iter().find_map(|rule| {
            let found = equivalents.iter().find(|(definition, version)| rule.matches(attributes, definition, version));
            found.map(|(definition, version)| {
                let resource = resource_of(definition, version);
                let kind = kind_of(definition, version, request.subresource);
                Matched(Some(Arc::new(Equivalent { resource, kind })))
            })
        })
    }
}

/// The other versions in which the objects of a request are served, in order.
// As upstream's EquivalentResourceMapper.EquivalentResourcesFor: resources that are stored in one place are equivalent.
fn equivalents(attributes: &Attributes<'_>) -> Vec<(Arc<Definition>, String)> {
    let definition = attributes.definition;
    let request = attributes.request;
    let is_same = |other: &Definition| other.resource == definition.resource;
    let mut definitions = attributes.registry.definitions_like(|other| other.place() == definition.place());
    definitions.sort_by_key(|other| !is_same(other));
    let mut found = Vec::new();
    for other in definitions {
        for version in other.versions.iter().filter(|version| version.served) {
            let has_endpoint = request.subresource.is_empty() || version.subresource(request.subresource).is_some();
            if has_endpoint && !(is_same(&other) && version.name == request.version) {
                found.push((other.clone(), version.name.clone()));
            }
        }
    }
    found
}

/// One of `rules`, `resourceRules` or `excludeResourceRules`.
#[derive(Clone, Debug)]
struct Rule {
    operations: Vec<String>,
    groups: Vec<String>,
    versions: Vec<String>,
    /// Resources and what is below them.
    resources: Vec<(String, String)>,
    scope: Scope,
    /// Names of objects; none for all.
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    All,
    Namespaced,
    Cluster,
    /// A word that upstream does not know matches nothing.
    Unknown,
}

impl Rule {
    fn read(rule: &Value) -> Rule {
        let list = |name: &str| {
            let items = rule.get(name).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<String>>()
        };
        let split = |text: String| match text.split_once('/') {
            Some((resource, below)) => (resource.to_owned(), below.to_owned()),
            None => (text, String::new()),
        };
        Rule {
            operations: list("operations"),
            groups: list("apiGroups"),
            versions: list("apiVersions"),
            resources: list("resources").into_iter().map(split).collect(),
            scope: match rule.get("scope").and_then(Value::as_str) {
                None | Some("*") => Scope::All,
                Some("Namespaced") => Scope::Namespaced,
                Some("Cluster") => Scope::Cluster,
                Some(_) => Scope::Unknown,
            },
            names: list("resourceNames"),
        }
    }

    /// True if it matches a request as one to a resource in a version.
    // As upstream's rules.Matcher.Matches.
    fn matches(&self, attributes: &Attributes<'_>, definition: &Definition, version: &str) -> bool {
        self.has_scope(attributes)
            && self.has_operation(&attributes.operation)
            && has(&self.groups, definition.group())
            && has(&self.versions, version)
            && self.has_resource(&definition.resource.resource, attributes.request.subresource)
            && (self.names.is_empty() || self.names.iter().any(|name| name == attributes.name()))
    }

    fn has_operation(&self, operation: &Operation<'_>) -> bool {
        has(&self.operations, operation.name())
    }

    fn has_resource(&self, resource: &str, subresource: &str) -> bool {
        let is = |given: &str, requested: &str| given == "*" || given == requested;
        self.resources.iter().any(|(its, below)| is(its, resource) && is(below, subresource))
    }

    fn has_scope(&self, attributes: &Attributes<'_>) -> bool {
        // A namespace counts as an object of the cluster.
        let is_cluster = attributes.is_namespace() || attributes.namespace().is_empty();
        match self.scope {
            Scope::All => true,
            Scope::Namespaced => !is_cluster,
            Scope::Cluster => is_cluster,
            Scope::Unknown => false,
        }
    }
}

/// True if requests for this kind are never seen by webhooks and policies, so that they cannot lock everybody out.
// As upstream's rules.IsExemptAdmissionConfigurationResource.
pub fn is_exempt(definition: &Definition) -> bool {
    definition.group() == "admissionregistration.k8s.io"
        && matches!(
            definition.kind.as_str(),
            "ValidatingWebhookConfiguration"
                | "MutatingWebhookConfiguration"
                | "ValidatingAdmissionPolicy"
                | "ValidatingAdmissionPolicyBinding"
                | "MutatingAdmissionPolicy"
                | "MutatingAdmissionPolicyBinding"
        )
}

/// Things with [`MatchResources`], of which those that can match a request are found in one lookup.
pub struct Indexed<T> {
    items: Vec<T>,
    /// The numbers of items whose rules name a resource, or all resources.
    by_resource: BTreeMap<String, Candidates>,
    /// The numbers of items whose rules name all resources.
    of_all: Candidates,
}

/// Numbers of items in order, for each of [`OPERATIONS`].
type Candidates = [Vec<usize>; OPERATIONS.len()];

const OPERATIONS: [&str; 4] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

impl<T: AsRef<MatchResources>> Default for Indexed<T> {
    fn default() -> Indexed<T> {
        Indexed::new(Vec::new())
    }
}

impl<T: AsRef<MatchResources>> Indexed<T> {
    /// These things, in this order.
    pub fn new(items: Vec<T>) -> Indexed<T> {
        let mut by_resource: BTreeMap<String, Candidates> = BTreeMap::new();
        let mut of_all = Candidates::default();
        for (at, item) in items.iter().enumerate() {
            let resources = item.as_ref();
            if resources.rules.is_empty() && resources.matches_without_rules {
                for numbers in &mut of_all {
                    numbers.push(at);
                }
            }
            for (rule, resource) in
                resources.rules.iter().flat_map(|rule| rule.resources.iter().map(move |r| (rule, r)))
            {
                let candidates = match resource.0.as_str() {
                    "*" => &mut of_all,
                    name => by_resource.entry(name.to_owned()).or_default(),
                };
                for (operation, numbers) in OPERATIONS.iter().zip(candidates) {
                    if has(&rule.operations, operation) && numbers.last() != Some(&at) {
                        numbers.push(at);
                    }
                }
            }
        }
        for candidates in by_resource.values_mut() {
            for (numbers, more) in candidates.iter_mut().zip(&of_all) {
                numbers.extend(more);
                numbers.sort_unstable();
                numbers.dedup();
            }
        }
        Indexed { items, by_resource, of_all }
    }

    /// Reports whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Those whose rules can match a request, in order.
    pub fn candidates<'i>(&'i self, attributes: &Attributes<'i>) -> impl Iterator<Item = &'i T> + use<'i, T> {
        self.numbered(attributes).map(|(_, item)| item)
    }

    /// The same, with their numbers among all.
    pub fn numbered<'i>(&'i self, attributes: &Attributes<'i>) -> impl Iterator<Item = (usize, &'i T)> + use<'i, T> {
        let resource = attributes.definition.resource.resource.as_str();
        let candidates = self.by_resource.get(resource).unwrap_or(&self.of_all);
        let numbers = match attributes.operation {
            Operation::Create(_) => &candidates[0],
            Operation::Update(_) => &candidates[1],
            Operation::Delete(_) => &candidates[2],
            Operation::Connect => &candidates[3],
        };
        let attributes = *attributes;
        let numbered = numbers.iter().map(|at| (*at, &self.items[*at]));
        numbered.filter(move |(_, item)| item.as_ref().may_match(&attributes))
    }
}

fn resource_of(definition: &Definition, version: &str) -> GroupVersionResource {
    GroupVersionResource {
        group: definition.group().to_owned(),
        version: version.to_owned(),
        resource: definition.resource.resource.clone(),
    }
}

/// Reports whether a list has a value, or everything.
fn has(items: &[String], wanted: &str) -> bool {
    items.iter().any(|item| item == "*" || item == wanted)
}

/// True if the labels of an object are what a selector asks for.
pub fn has_labels(selector: &LabelSelector, object: &Value) -> bool {
    let labels = meta::get(object, "labels");
    selector.matches(|key| labels.and_then(|labels| labels.get(key)).and_then(Value::as_str))
}

/// Reads a `LabelSelector` of an object.
pub fn selector(selector: Option<&Value>) -> Result<LabelSelector, String> {
    let text = selector_text(selector)?;
    LabelSelector::parse(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
