//! Quota evaluators by kind.

use std::collections::BTreeSet;

use sprag_registry::{Attributes, Registry};
use sprag_rest::GroupResource;
use sprag_value::{Format, Quantity, Time, Value};

use super::super::amounts::{Amounts, add, amount, sum};
use super::super::default_storage_class::class_of;
use super::super::members::spec;
use super::super::request::{creates, updates};
use super::devices::Devices;
use super::pods;
use super::quota::Scope;

const SERVICES: [&str; 4] = ["count/services", "services", "services.nodeports", "services.loadbalancers"];
const CLAIMS: [&str; 2] = ["persistentvolumeclaims", "requests.storage"];
const BY_CLASS: &str = ".storageclass.storage.k8s.io/";
const CLAIM_COUNT: &str = "count/persistentvolumeclaims";
const RESOURCE_CLAIM_COUNT: &str = "count/resourceclaims.resource.k8s.io";
/// The suffix of device quotas, after the device class.
pub(super) const PER_CLASS: &str = ".deviceclass.resource.k8s.io/devices";
/// Maximum devices of a claim with allocation mode `All`.
// As upstream's resourceapi.AllocationResultsMaxSize.
const MAX_DEVICES: i64 = 32;
/// Resources that have a second name in quotas: their own.
const ALIASED: [&str; 4] = ["configmaps", "resourcequotas", "replicationcontrollers", "secrets"];
/// Resources that are not stored or never counted.
// As upstream's install.DefaultIgnoredResources.
const IGNORED: [(&str, &str); 10] = [
    ("", "bindings"),
    ("", "componentstatuses"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("", "events"),
    ("events.k8s.io", "events"),
];

/// Knows what objects of a resource count for, as upstream's `quota.Evaluator`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Evaluator {
    Pods,
    Services,
    VolumeClaims,
    ResourceClaims,
    /// Objects of any other resource, under these names.
    Count(Vec<String>),
}

/// The amount of a single object.
pub(super) fn one() -> Quantity {
    Quantity::new(1, Format::DecimalSi)
}

impl Evaluator {
    /// The evaluator of a resource; none for those that are never counted.
    pub(super) fn of(resource: &GroupResource) -> Option<Evaluator> {
        let group = resource.group.as_str();
        let resource = resource.resource.as_str();
        Some(match (group, resource) {
            ("", "pods") => Evaluator::Pods,
            ("", "services") => Evaluator::Services,
            ("", "persistentvolumeclaims") => Evaluator::VolumeClaims,
            ("resource.k8s.io", "resourceclaims") => Evaluator::ResourceClaims,
            _ if IGNORED.contains(&(group, resource)) => return None,
            ("", _) if ALIASED.contains(&resource) => {
                Evaluator::Count(vec![format!("count/{resource}"), resource.to_owned()])
            }
            ("", _) => Evaluator::Count(vec![format!("count/{resource}")]),
            _ => Evaluator::Count(vec![format!("count/{resource}.{group}")]),
        })
    }

    /// True if a request can change what is used.
    pub(super) fn handles(&self, attributes: &Attributes<'_>) -> bool {
        let writes = creates(attributes) || updates(attributes);
        match (self, attributes.request.subresource) {
            (Evaluator::Pods, "") => {
                let changes_scope =
                    |old: &Value| pods::is_terminating(old) != pods::is_terminating(attributes.new_object());
                creates(attributes) || updates(attributes) && attributes.old.is_some_and(changes_scope)
            }
            (Evaluator::Pods, "resize") => updates(attributes),
            // For the status as upstream's RequiresQuotaReplenish, which compares pointers.
            (Evaluator::VolumeClaims, "" | "status") | (Evaluator::Services | Evaluator::ResourceClaims, "") => writes,
            (Evaluator::Count(_), "") => creates(attributes),
            _ => false,
        }
    }

    /// Those resource names of quotas that this is about.
    // As upstream's Evaluator.MatchingResources.
    pub(super) fn matching(&self, hard: &Amounts, devices: &Devices) -> BTreeSet<String> {
        hard.keys().filter(|name| self.matches(name, devices)).cloned().collect()
    }

    fn matches(&self, name: &str, devices: &Devices) -> bool {
        match self {
            Evaluator::Pods => pods::matches(name),
            Evaluator::Services => SERVICES.contains(&name),
            Evaluator::VolumeClaims => {
                name == CLAIM_COUNT
                    || CLAIMS.contains(&name)
                    || CLAIMS
                        .iter()
                        .any(|claim| name.strip_suffix(claim).is_some_and(|class| class.ends_with(BY_CLASS)))
            }
            Evaluator::ResourceClaims => {
                let class = name.strip_prefix("requests.deviceclass.resource.kubernetes.io/");
                name == RESOURCE_CLAIM_COUNT
                    || name.ends_with(PER_CLASS)
                    || class.is_some_and(|class| !devices.resource_of(class).is_empty())
                    || pods::is_extended_for_quota(name)
                        && name.strip_prefix("requests.").is_some_and(|name| devices.has_class_for(name))
            }
            Evaluator::Count(names) => names.iter().any(|own| own == name),
        }
    }

    /// True if an object is in a scope.
    pub(super) fn is_in_scope(&self, registry: &Registry, object: &Value, scope: &Scope) -> bool {
        match self {
            Evaluator::Pods => pods::is_in_scope(registry.gates(), object, scope),
            Evaluator::VolumeClaims => {
                scope.name == "VolumeAttributesClass" && scope.selects(&attribute_classes(object))
            }
            _ => false,
        }
    }

    /// The error for an object that lacks requests or limits required by a quota.
    pub(super) fn missing(&self, object: &Value, restricted: &BTreeSet<String>, registry: &Registry) -> Option<String> {
        match self {
            Evaluator::Pods => pods::missing(object, restricted, registry.gates().enabled("PodLevelResources")),
            _ => None,
        }
    }

    /// The quota usage of an object.
    pub(super) fn usage(&self, object: &Value, registry: &Registry, now: Time, devices: &Devices) -> Amounts {
        match self {
            Evaluator::Pods => pods::usage(object, now, registry.gates().enabled("PodLevelResources")),
            Evaluator::Services => service_usage(object),
            Evaluator::VolumeClaims => claim_usage(object),
            Evaluator::ResourceClaims => {
                let mut usage = device_usage(object);
                if registry.gates().enabled("DRAExtendedResource") {
                    devices.add_extended(&mut usage);
                }
                usage
            }
            Evaluator::Count(names) => names.iter().map(|name| (name.clone(), one())).collect(),
        }
    }
}

/// As upstream's `getReferencedVolumeAttributesClassNames`.
fn attribute_classes(claim: &Value) -> Vec<&str> {
    let names: BTreeSet<&str> = [
        spec(claim).text("volumeAttributesClassName"),
        claim.text_at(&["status", "currentVolumeAttributesClassName"]),
        claim.text_at(&["status", "modifyVolumeStatus", "targetVolumeAttributesClassName"]),
    ]
    .into();
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

/// As upstream's `serviceEvaluator.Usage`.
fn service_usage(service: &Value) -> Amounts {
    let count = |count: usize| Quantity::new(i64::try_from(count).unwrap_or(i64::MAX), Format::DecimalSi);
    let ports = spec(service).list("ports");
    let mut usage: Amounts = SERVICES[..2].iter().map(|name| ((*name).to_owned(), one())).collect();
    let mut node_ports = 0;
    let mut balancers = 0;
    match spec(service).text("type") {
        "NodePort" => node_ports = ports.len(),
        "LoadBalancer" => {
            balancers = 1;
            let allocates = spec(service).get("allocateLoadBalancerNodePorts").and_then(Value::as_bool);
            let has_port = |port: &&Value| port.get("nodePort").and_then(Value::as_i64).is_some_and(|port| port != 0);
            node_ports = if allocates == Some(false) { ports.iter().filter(has_port).count() } else { ports.len() };
        }
        _ => {}
    }
    usage.insert("services.nodeports".to_owned(), count(node_ports));
    usage.insert("services.loadbalancers".to_owned(), count(balancers));
    usage
}

/// As upstream's `pvcEvaluator.Usage`.
fn claim_usage(claim: &Value) -> Amounts {
    let class = class_of(claim);
    let mut usage = Amounts::from([("persistentvolumeclaims".to_owned(), one()), (CLAIM_COUNT.to_owned(), one())]);
    if !class.is_empty() {
        usage.insert(format!("{class}{BY_CLASS}persistentvolumeclaims"), one());
    }
    if let Some(storage) = storage(claim) {
        if !class.is_empty() {
            usage.insert(format!("{class}{BY_CLASS}requests.storage"), storage.clone());
        }
        usage.insert("requests.storage".to_owned(), storage);
    }
    usage
}

/// As upstream's `pvcEvaluator.getStorageUsage`.
fn storage(claim: &Value) -> Option<Quantity> {
    let whole = |amount: Quantity| {
        let rounded = amount.rounded_up(0);
        if rounded == amount { amount } else { rounded }
    };
    let requested = whole(amount(claim.lookup(&["spec", "resources", "requests"]), "storage")?);
    match amount(claim.lookup(&["status", "allocatedResources"]), "storage") {
        Some(allocated) if allocated > requested => Some(whole(allocated)),
        _ => Some(requested),
    }
}

/// As upstream's `claimEvaluator.Usage`.
fn device_usage(claim: &Value) -> Amounts {
    let mut usage = Amounts::from([(RESOURCE_CLAIM_COUNT.to_owned(), one())]);
    for request in claim.list_at(&["spec", "devices", "requests"]) {
        let alternatives = request.list("firstAvailable");
        let mut most = Amounts::new();
        for wish in alternatives {
            let (name, amount) = devices(wish);
            if most.get(&name).is_none_or(|before| amount > *before) && !amount.is_zero() {
                most.insert(name, amount);
            }
        }
        add(&mut usage, &most);
        if let Some(exactly) = request.get("exactly").filter(|_| alternatives.is_empty()) {
            let (name, amount) = devices(exactly);
            let before = usage.get(&name).cloned().unwrap_or_default();
            usage.insert(name, sum(&before, &amount));
        }
    }
    usage
}

/// The requested device class and count.
fn devices(wish: &Value) -> (String, Quantity) {
    let count = match wish.text("allocationMode") {
        "ExactCount" => wish.get("count").and_then(Value::as_i64).unwrap_or_default(),
        "All" => MAX_DEVICES,
        _ => 0,
    };
    (format!("{}{PER_CLASS}", wish.text("deviceClassName")), Quantity::new(count, Format::DecimalSi))
}
