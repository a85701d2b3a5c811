//! The plug-in `LimitRanger`: limits of a namespace for each container, pod and claim, and defaults for what asks for nothing.

use std::collections::{BTreeMap, BTreeSet};

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_rest::{ApiError, Result, meta};
use sprag_value::{Object, Quantity, Value};

use super::amounts::{Amounts, aggregate, amount, amounts, of_container};
use super::members::{items_mut, spec};
use super::request::{self, changed, creates, forbidden, is, is_below, list_all, updates};

/// Says what was set.
const ANNOTATION: &str = "kubernetes.io/limit-ranger";
/// Lists of containers, and what the annotation calls their members.
const CONTAINERS: [(&str, &str); 2] = [("containers", "container"), ("initContainers", "init container")];
/// The greatest number of units that can be compared in thousandths, as upstream's `resource.MaxMilliValue`.
const MAX_IN_MILLI: i64 = i64::MAX / 1000;

/// Maximum number of amounts that limit ranges of a namespace give to one pod: each container is given all of them.
const MAX_DEFAULTS: usize = 20_000;
/// Maximum number of bounds that the amounts of one object are compared with.
const MAX_BOUNDS: usize = 1_000_000;
/// Work on an amount takes as long as that on so many bytes of an object.
const BYTES_PER_AMOUNT: usize = 8;

/// Enforces limit ranges.
// As upstream's plugin/pkg/admission/limitranger.
#[derive(Clone, Copy, Debug, Default)]
pub struct LimitRanger;

impl AdmissionPlugin for LimitRanger {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        if attributes.old.is_some_and(meta::is_deleting) {
            return false;
        }
        is_pod(attributes) || attributes.object.is_some() && is(attributes, "", "persistentvolumeclaims")
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        if !is_pod(&attributes) {
            return request::unchanged();
        }
        Box::pin(async move {
            let ranges = ranges(&attributes).await?;
            if ranges.is_empty() {
                return Ok(Mutation::default());
            }
            let amounts: usize = ranges.iter().map(|range| count_of(range, &["default", "defaultRequest"])).sum();
            let work = limited(containers(&attributes).count() * amounts, MAX_DEFAULTS, "amounts by default")?;
            let set = || {
                let mut pod = attributes.new_object().clone();
                for range in &ranges {
                    set_defaults(&mut pod, range);
                }
                pod
            };
            heavy(&attributes, work, set).await.map(changed)
        })
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            let ranges = ranges(&attributes).await?;
            let bounds: usize = ranges.iter().map(|range| count_of(range, &BOUNDS)).sum();
            let subjects = containers(&attributes).count().max(1);
            let work = limited(subjects * bounds, MAX_BOUNDS, "bounds of limit ranges")?;
            let why = heavy(&attributes, work, || ranges.iter().find_map(|range| refusal(&attributes, range))).await?;
            why.map_or_else(|| Ok(Vec::new()), |why| Err(forbidden(&attributes, &why)))
        })
    }
}

/// Work on so many amounts: off the threads of the runtime if they are many.
async fn heavy<T: Send>(attributes: &Attributes<'_>, amounts: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    let user = &attributes.request.user.name;
    let done = attributes.registry.heavy(user, amounts * BYTES_PER_AMOUNT, work).await;
    done.ok_or_else(|| ApiError::internal("work was given up"))
}

/// A count that is not greater than it may be.
fn limited(count: usize, most: usize, what: &str) -> Result<usize> {
    if count > most {
        return Err(ApiError::too_large(format_args!("limit is {most} {what}")));
    }
    Ok(count)
}

/// The number of amounts in these members of all limits of a range.
fn count_of(range: &Value, members: &[&str]) -> usize {
    let limits = range.list_at(&["spec", "limits"]).iter();
    let maps = limits.flat_map(|limit| members.iter().filter_map(|member| limit.get(member)?.as_object()));
    maps.map(Object::len).sum()
}

fn containers<'a>(attributes: &'a Attributes<'_>) -> impl Iterator<Item = &'a Value> {
    let spec = spec(attributes.new_object());
    CONTAINERS.iter().flat_map(|(member, _)| spec.list(member))
}

/// The reason for which a range refuses an object.
fn refusal(attributes: &Attributes<'_>, range: &Value) -> Option<String> {
    let mut errors = Texts::default();
    for limit in range.list_at(&["spec", "limits"]) {
        check(attributes, limit, &mut errors);
    }
    request::aggregate(errors.texts)
}

/// Texts in the order in which they came, each once: containers of one pod have much in common.
#[derive(Default)]
struct Texts {
    texts: Vec<String>,
    seen: BTreeSet<String>,
}

impl Texts {
    fn push(&mut self, text: String) {
        if self.seen.insert(text.clone()) {
            self.texts.push(text);
        }
    }
}

/// Reports whether the request creates a pod or changes its resources.
fn is_pod(attributes: &Attributes<'_>) -> bool {
    is_below(attributes, "", "pods")
        && match attributes.request.subresource {
            "" => creates(attributes),
            "resize" => updates(attributes),
            _ => false,
        }
}

async fn ranges(attributes: &Attributes<'_>) -> Result<Vec<Value>> {
    list_all(attributes, ("", "v1", "limitranges"), attributes.request.namespace).await
}

/// As upstream's `limitranger.PodMutateLimitFunc`.
fn set_defaults(pod: &mut Value, range: &Value) {
    let limits = defaults(range, "default");
    let requests = defaults(range, "defaultRequest");
    let mut notes = Vec::new();
    let Some(spec) = pod.get_mut("spec") else { return };
    for (kind, called) in CONTAINERS {
        for container in items_mut(spec, kind) {
            let name = container.text("name").to_owned();
            let set = [("requests", "request", &requests), ("limits", "limit", &limits)];
            for (member, noun, defaults) in set {
                let set = fill(container, member, defaults);
                if !set.is_empty() {
                    notes.push(format!("{} {noun} for {called} {name}", set.join(", ")));
                }
            }
        }
    }
    if !notes.is_empty() {
        let mut annotations = meta::get(pod, "annotations").cloned().unwrap_or_default();
        annotations.insert(ANNOTATION, format!("LimitRanger plugin set: {}", notes.join("; ")));
        meta::set(pod, "annotations", annotations);
    }
}

/// As upstream's `defaultContainerResourceRequirements`.
fn defaults(range: &Value, member: &str) -> BTreeMap<String, Value> {
    let containers = range.list_at(&["spec", "limits"]).iter().filter(|limit| limit.text("type") == "Container");
    let maps = containers.filter_map(|limit| limit.get(member).and_then(Value::as_object));
    maps.flatten().map(|(name, amount)| (name.as_str().to_owned(), amount.clone())).collect()
}

/// Sets amounts that a container does not have; returns their names.
fn fill(container: &mut Value, member: &str, defaults: &BTreeMap<String, Value>) -> Vec<String> {
    let present = amounts(container.lookup(&["resources", member]));
    let missing: Vec<_> = defaults.iter().filter(|(name, _)| !present.contains_key(*name)).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let mut resources = container.remove("resources").unwrap_or_default();
    let mut amounts = resources.remove(member).unwrap_or_default();
    for (name, amount) in &missing {
        amounts.insert(name.as_str(), (*amount).clone());
    }
    resources.insert(member, amounts);
    container.insert("resources", resources);
    missing.into_iter().map(|(name, _)| name.clone()).collect()
}

/// Compares an amount of a subject with a bound; says what is wrong.
type Constraint<'s> = fn(&Subject<'s>, &str, &Quantity) -> Option<String>;

/// The subject of a limit: a container, a pod, a claim.
struct Subject<'s> {
    kind: &'s str,
    requests: Amounts,
    limits: Amounts,
}

/// Members of a limit with bounds.
const BOUNDS: [&str; 3] = ["min", "max", "maxLimitRequestRatio"];

fn check(attributes: &Attributes<'_>, limit: &Value, errors: &mut Texts) {
    let object = attributes.new_object();
    let is_pod = is_pod(attributes);
    let bounds = BOUNDS.map(|member| amounts(limit.get(member)));
    match limit.text("type") {
        kind @ "Container" if is_pod => {
            for container in containers(attributes) {
                let requests = of_container(container, "requests");
                let limits = of_container(container, "limits");
                Subject { kind, requests, limits }.check(&bounds, errors);
            }
        }
        kind @ "Pod" if is_pod => {
            let pod_level = attributes.registry.gates().enabled("PodLevelResources");
            let requests = of_pod(object, "requests", pod_level);
            let limits = of_pod(object, "limits", pod_level);
            Subject { kind, requests, limits }.check(&bounds, errors);
        }
        kind @ "PersistentVolumeClaim" if !is_pod => {
            let requests = of_container(spec(object), "requests");
            Subject { kind, requests, limits: Amounts::new() }.check_claim(&bounds, errors);
        }
        _ => {}
    }
}

/// As upstream's `limitranger.podRequests` and `podLimits`.
fn of_pod(pod: &Value, which: &str, pod_level: bool) -> Amounts {
    let mut total = aggregate(pod, |container| of_container(container, which));
    if pod_level {
        for name in ["cpu", "memory"] {
            if let Some(amount) = amount(pod.lookup(&["spec", "resources", which]), name) {
                total.insert(name.to_owned(), amount);
            }
        }
    }
    total
}

impl Subject<'_> {
    fn check(&self, bounds: &[Amounts; 3], errors: &mut Texts) {
        let checks: [Constraint<'_>; 3] = [Self::min, Self::max, Self::ratio];
        for (bounds, check) in bounds.iter().zip(checks) {
            bounds.iter().filter_map(|(name, bound)| check(self, name, bound)).for_each(|error| errors.push(error));
        }
    }

    fn check_claim(&self, [min, max, _]: &[Amounts; 3], errors: &mut Texts) {
        min.iter().filter_map(|(name, bound)| self.min(name, bound)).for_each(|error| errors.push(error));
        max.iter().filter_map(|(name, bound)| self.max_request(name, bound)).for_each(|error| errors.push(error));
    }

    /// As upstream's `minConstraint`.
    fn min(&self, name: &str, bound: &Quantity) -> Option<String> {
        let request = self.requests.get(name);
        let limit = self.limits.get(name);
        let [request_value, limit_value, least] = comparable([request, limit, Some(bound)]);
        let says = |what: String| Some(format!("minimum {name} usage per {} is {bound}{what}", self.kind));
        match (request, limit) {
            (None, _) => says(".  No request is specified".to_owned()),
            (Some(request), _) if request_value < least => says(format!(", but request is {request}")),
            (_, Some(limit)) if limit_value < least => says(format!(", but limit is {limit}")),
            _ => None,
        }
    }

    /// As upstream's `maxConstraint`.
    fn max(&self, name: &str, bound: &Quantity) -> Option<String> {
        let request = self.requests.get(name);
        let limit = self.limits.get(name);
        let [request_value, limit_value, most] = comparable([request, limit, Some(bound)]);
        let says = |what: String| Some(format!("maximum {name} usage per {} is {bound}{what}", self.kind));
        match (request, limit) {
            (_, None) => says(".  No limit is specified".to_owned()),
            (_, Some(limit)) if limit_value > most => says(format!(", but limit is {limit}")),
            (Some(request), _) if request_value > most => says(format!(", but request is {request}")),
            _ => None,
        }
    }

    /// As upstream's `maxRequestConstraint`.
    fn max_request(&self, name: &str, bound: &Quantity) -> Option<String> {
        let request = self.requests.get(name);
        let [value, _, most] = comparable([request, None, Some(bound)]);
        let says = |what: String| Some(format!("maximum {name} usage per {} is {bound}{what}", self.kind));
        match request {
            None => says(".  No request is specified".to_owned()),
            Some(request) if value > most => says(format!(", but request is {request}")),
            _ => None,
        }
    }

    /// As upstream's `limitRequestRatioConstraint`.
    #[expect(clippy::cast_precision_loss, reason = "as upstream compares")]
    fn ratio(&self, name: &str, bound: &Quantity) -> Option<String> {
        let request = self.requests.get(name);
        let limit = self.limits.get(name);
        let [request_value, limit_value, _] = comparable([request, limit, Some(bound)]);
        let says =
            |what: String| Some(format!("{name} max limit to request ratio per {} is {bound}, but {what}", self.kind));
        if request.is_none() || request_value == 0 {
            return says("no request is specified or request is 0".to_owned());
        }
        if limit.is_none() || limit_value == 0 {
            return says("no limit is specified or limit is 0".to_owned());
        }
        let ratio = limit_value as f64 / request_value as f64;
        let exceeds = if bound.value() <= MAX_IN_MILLI {
            ratio * 1000.0 > bound.milli_value() as f64
        } else {
            ratio > bound.value() as f64
        };
        if exceeds { says(format!("provided ratio is {ratio:.6}")) } else { None }
    }
}

/// Amounts in thousandths where all of them fit, else in units. As upstream's `requestLimitEnforcedValues`.
fn comparable(amounts: [Option<&Quantity>; 3]) -> [i64; 3] {
    let amounts = amounts.map(|amount| amount.cloned().unwrap_or_default());
    let in_milli = amounts.iter().all(|amount| amount.value() <= MAX_IN_MILLI);
    amounts.map(|amount| if in_milli { amount.milli_value() } else { amount.value() })
}
