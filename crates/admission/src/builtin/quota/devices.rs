//! Quota usage of resource claims through extended resources of device classes.

use sprag_registry::Registry;
use sprag_rest::{GroupResource, ListOptions, Request, Result, User, meta};
use sprag_value::Value;

use super::super::amounts::Amounts;
use super::super::members::annotation;
use super::evaluator::Evaluator;
use super::pods;

const GROUP: &str = "resource.k8s.io";
/// Marks claims that were made for the extended resources of a pod.
const EXTENDED_CLAIM: &str = "resource.kubernetes.io/extended-resource-claim";

/// Device classes and the extended resources that they stand for.
#[derive(Default)]
pub(super) struct Devices {
    classes: Vec<(String, String)>,
    /// Usage already charged to the pod that owns the claim.
    charged: Amounts,
}

impl Devices {
    /// Loads the data needed to count claims; empty for other objects.
    pub(super) async fn load(registry: &Registry, evaluator: &Evaluator, claim: Option<&Value>) -> Result<Devices> {
        if !matches!(evaluator, Evaluator::ResourceClaims) || !registry.gates().enabled("DRAExtendedResource") {
            return Ok(Devices::default());
        }
        let classes = list(registry, (GROUP, "deviceclasses"), "").await?;
        let mut devices = Devices { classes: classes.iter().map(extended).collect(), charged: Amounts::new() };
        if let Some(claim) = claim {
            devices.charged = charged(registry, claim).await?;
        }
        Ok(devices)
    }

    /// The same for another claim.
    pub(super) async fn for_claim(&self, registry: &Registry, claim: &Value) -> Result<Devices> {
        Ok(Devices { classes: self.classes.clone(), charged: charged(registry, claim).await? })
    }

    /// The extended resource of a class; empty for none.
    pub(super) fn resource_of(&self, class: &str) -> &str {
        self.classes.iter().find(|(name, _)| name == class).map_or("", |(_, resource)| resource)
    }

    /// True if a class stands for an extended resource.
    pub(super) fn has_class_for(&self, resource: &str) -> bool {
        let implicit = resource.strip_prefix("deviceclass.resource.kubernetes.io/");
        self.classes.iter().any(|(class, name)| name == resource || implicit == Some(class.as_str()))
    }

    /// The usage of a claim as extended resources, minus the usage charged to its pod.
    // As upstream's claimEvaluator.addExtendedResourceQuota.
    pub(super) fn add_extended(&self, usage: &mut Amounts) {
        let suffix = super::evaluator::PER_CLASS;
        let mut extended = Amounts::new();
        for (name, amount) in usage.iter() {
            let Some(class) = name.strip_suffix(suffix).filter(|class| !class.is_empty()) else { continue };
            extended.insert(format!("requests.deviceclass.resource.kubernetes.io/{class}"), amount.clone());
            let resource = self.resource_of(class);
            if !resource.is_empty() {
                extended.insert(format!("requests.{resource}"), amount.clone());
            }
        }
        for (name, amount) in extended {
            let left = match self.charged.get(&name) {
                Some(charged) => amount.checked_sub(charged).unwrap_or(amount),
                None => amount,
            };
            if left.sign().is_gt() {
                usage.insert(name, left);
            }
        }
    }
}

fn extended(class: &Value) -> (String, String) {
    (meta::name(class).to_owned(), class.text_at(&["spec", "extendedResourceName"]).to_owned())
}

/// The usage charged to the pod of a claim, if the claim represents its extended resources.
// As upstream's claimEvaluator.getVerifiedPodUsage.
async fn charged(registry: &Registry, claim: &Value) -> Result<Amounts> {
    let nothing = Ok(Amounts::new());
    if annotation(claim, EXTENDED_CLAIM) != Some("true") {
        return nothing;
    }
    let Some(owner) = pod_owner(claim) else { return nothing };
    let user = User::default();
    let namespace = meta::namespace(claim);
    let name = owner.text("name");
    let subresource = "";
    let request = Request { group: "", version: "v1", resource: "pods", namespace, name, subresource, user: &user };
    let Ok(pod) = registry.get(&request, "").await else { return nothing };
    if meta::uid(&pod) != owner.text("uid") {
        return nothing;
    }
    match pod.lookup(&["status", "extendedResourceClaimStatus"]) {
        Some(status) if status.text("resourceClaimName") != meta::name(claim) => return nothing,
        Some(_) => {}
        None => {
            let age = |claim: &Value| (meta::text(claim, "creationTimestamp").to_owned(), meta::name(claim).to_owned());
            let claims = list(registry, (GROUP, "resourceclaims"), namespace).await?;
            let rivals = claims.iter().filter(|other| {
                annotation(other, EXTENDED_CLAIM) == Some("true")
                    && pod_owner(other).is_some_and(|other| other.text("uid") == owner.text("uid"))
            });
            if rivals.into_iter().any(|other| age(other) < age(claim)) {
                return nothing;
            }
        }
    }
    Ok(pods::usage(&pod, registry.now(), registry.gates().enabled("PodLevelResources")))
}

fn pod_owner(claim: &Value) -> Option<&Value> {
    let owners = meta::owner_references(claim).iter();
    let mut controllers = owners.filter(|owner| owner.get("controller").and_then(Value::as_bool) == Some(true));
    controllers.next().filter(|owner| owner.text("kind") == "Pod" && owner.text("apiVersion") == "v1")
}

/// All objects of a resource in any version that is served; none of one that is not.
pub(super) async fn list(registry: &Registry, (group, resource): (&str, &str), namespace: &str) -> Result<Vec<Value>> {
    let Some(definition) = registry.definition(&GroupResource::new(group, resource)) else { return Ok(Vec::new()) };
    let served = definition.versions.iter().filter(|version| version.served);
    let stored = served.clone().find(|version| version.name == definition.storage_version);
    let Some(version) = stored.or_else(|| served.clone().next()) else { return Ok(Vec::new()) };
    let user = User::default();
    let request =
        Request { group, version: &version.name, resource, namespace, name: "", subresource: "", user: &user };
    Ok(registry.list(&request, &ListOptions::default()).await?.items)
}
