//! The ranges from which services get their addresses: `kubernetes`, which has those of the flags, and what all of them have: a
//! finalizer, and a condition that says if they are ready.

use std::time::Duration;

use sprag_kinds::{ServiceCidrs, ServiceRanges};
use sprag_registry::{Follower, Registry};
use sprag_rest::{ListOptions, Patch, Request, Result, User, WriteOptions, meta};
use sprag_storage::Key;
use sprag_value::{Object, Value, json};
use tokio::sync::Notify;

const GROUP: &str = "networking.k8s.io";
const RESOURCE: &str = "servicecidrs";
const NAME: &str = "kubernetes";
/// The field manager of the object.
const MANAGER: &str = "kube-apiserver";
/// The field manager of its status.
const STATUS_MANAGER: &str = "kubernetes-service-cidr-controller";
/// The field manager of what all of them have.
const CONTROLLER: &str = "service-cidr-controller";
/// Keeps a range from going while addresses of it are in use.
const FINALIZER: &str = "networking.k8s.io/service-cidr-finalizer";
/// The time after which every server knows that a range gives no more addresses.
// As upstream's servicecidrs.deletionGracePeriod.
const GRACE: Duration = Duration::from_secs(10);
/// Number of addresses that are read at once.
const PAGE: i64 = 500;

/// Keeps ranges of service addresses in step with stored `ServiceCIDR`s.
pub struct ServiceCidrFollower {
    cidrs: ServiceCidrs,
    changed: Notify,
}

impl ServiceCidrFollower {
    /// Keeps these in step.
    pub fn new(cidrs: ServiceCidrs) -> ServiceCidrFollower {
        ServiceCidrFollower { cidrs, changed: Notify::new() }
    }

    /// Waits for a change since it was waited for last.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }
}

impl Follower for ServiceCidrFollower {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        &[(GROUP, RESOURCE)]
    }

    fn replace(&self, objects: Vec<(Key, Value)>) {
        self.cidrs.replace(objects.iter().map(|(key, object)| (key.name(), object)));
        self.changed.notify_one();
    }

    fn set(&self, key: &Key, object: Option<Value>) {
        self.cidrs.set(key.name(), object.as_ref());
        self.changed.notify_one();
    }
}

/// Creates the object, gives it a second family where the flags have one more, and says that it is ready.
// As upstream's defaultservicecidr.Controller.sync. One with other ranges than those of the flags is left alone.
pub async fn ensure(registry: &Registry, ranges: &ServiceRanges) -> Result<()> {
    let user = User { name: "system:apiserver".into(), groups: vec!["system:masters".into()], ..User::default() };
    let request = request(RESOURCE, NAME, &user);
    let cidrs: Value = ranges.cidrs().iter().map(String::as_str).collect();
    let options = WriteOptions::by(MANAGER);
    let mut stored = match registry.get(&request, "").await {
        Err(error) if error.is_not_found() => {
            let mut object = meta::bare("networking.k8s.io/v1", "ServiceCIDR", NAME);
            object.insert("spec", sprag_value::Object::from([("cidrs", cidrs.clone())]));
            match registry.create(&Request { name: "", ..request }, object, &options).await {
                // Another server was faster.
                Err(error) if error.is_already_exists() => registry.get(&request, "").await?,
                created => created?.object,
            }
        }
        found => found?,
    };
    let known = stored.lookup(&["spec", "cidrs"]).cloned().unwrap_or_default();
    if is_extended(&known, &cidrs) {
        if let Some(spec) = stored.get_mut("spec") {
            spec.insert("cidrs", cidrs);
        }
        return ignore_conflict(registry.update(&request, stored, &options).await.map(drop));
    }
    if known != cidrs || meta::is_deleting(&stored) || is_decided(&stored) {
        return Ok(());
    }
    let ready = Ready { is_true: true, reason: "", message: "Kubernetes default Service CIDR is ready" };
    ready.apply(registry, &request, STATUS_MANAGER).await
}

/// Gives every range the finalizer and the condition that it should have, and lets go of those that are deleted and not needed.
/// Returns the time after which it should be called again, if nothing changes before.
// As upstream's servicecidrs.Controller.sync.
pub async fn reconcile(registry: &Registry) -> Result<Option<Duration>> {
    let user = User::default();
    let ranges = registry.list(&request(RESOURCE, "", &user), &ListOptions::default()).await?.items;
    let known = ServiceCidrs::default();
    known.replace(ranges.iter().map(|range| (meta::name(range), range)));
    let mut again: Option<Duration> = None;
    for range in ranges {
        let name = meta::name(&range).to_owned();
        let request = request(RESOURCE, &name, &user);
        let has_finalizer = meta::finalizers(&range).any(|finalizer| finalizer == FINALIZER);
        if !meta::is_deleting(&range) {
            if !has_finalizer {
                set_finalizer(registry, &request, range.clone(), true).await?;
            }
            READY.apply_if_needed(registry, &request, &range).await?;
        } else if has_finalizer && is_needed(registry, &known, &name).await? {
            TERMINATING.apply_if_needed(registry, &request, &range).await?;
        } else if has_finalizer {
            match grace_left(registry, &range) {
                Duration::ZERO => set_finalizer(registry, &request, range, false).await?,
                left => again = Some(again.map_or(left, |again| again.min(left))),
            }
        }
    }
    Ok(again)
}

const READY: Ready = Ready { is_true: true, reason: "", message: "Kubernetes Service CIDR is ready" };
const TERMINATING: Ready = Ready {
    is_true: false,
    reason: "Terminating",
    message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};

/// The condition `Ready` of a range.
struct Ready {
    is_true: bool,
    reason: &'static str,
    message: &'static str,
}

impl Ready {
    fn status(&self) -> &'static str {
        if self.is_true { "True" } else { "False" }
    }

    // As upstream's updateConditionIfNeeded.
    async fn apply_if_needed(&self, registry: &Registry, request: &Request<'_>, stored: &Value) -> Result<()> {
        let text = |condition: &Value, member: &str| condition.get(member).and_then(Value::as_str).map(str::to_owned);
        let is_this = |condition: &Value| {
            text(condition, "status").as_deref() == Some(self.status())
                && text(condition, "reason").unwrap_or_default() == self.reason
                && text(condition, "message").as_deref() == Some(self.message)
        };
        if ready_conditions(stored).next().is_some_and(is_this) {
            return Ok(());
        }
        self.apply(registry, request, CONTROLLER).await
    }

    async fn apply(&self, registry: &Registry, request: &Request<'_>, manager: &str) -> Result<()> {
        let mut condition = Object::from([
            ("type", Value::from("Ready")),
            ("status", Value::from(self.status())),
            ("message", Value::from(self.message)),
            ("lastTransitionTime", Value::from(registry.now().to_string())),
        ]);
        if !self.reason.is_empty() {
            condition.insert("reason", Value::from(self.reason));
        }
        let mut object = meta::bare("networking.k8s.io/v1", "ServiceCIDR", request.name);
        let conditions = Value::from(vec![Value::Object(condition)]);
        object.insert("status", Object::from([("conditions", conditions)]));
        let request = Request { subresource: "status", ..*request };
        let options = WriteOptions { force: Some(true), ..WriteOptions::by(manager) };
        let applied = json::to_string(&object);
        ignore_conflict(registry.patch(&request, Patch::Apply(applied.as_bytes()), &options).await.map(drop))
    }
}

/// True if addresses in use are in this range and in no other.
// As upstream's canDeleteCIDR.
async fn is_needed(registry: &Registry, known: &ServiceCidrs, name: &str) -> Result<bool> {
    if known.is_within_others(name) {
        return Ok(false);
    }
    let user = User::default();
    let label_selector = "ipaddress.kubernetes.io/managed-by=ipallocator.k8s.io".to_owned();
    let mut options = ListOptions { label_selector, limit: PAGE, ..ListOptions::default() };
    loop {
        let page = registry.list(&request("ipaddresses", "", &user), &options).await?;
        if page.items.iter().any(|address| known.alone_has(name, meta::name(address))) {
            return Ok(true);
        }
        if page.continue_token.is_empty() {
            return Ok(false);
        }
        options.continue_token = page.continue_token;
    }
}

/// The time to wait until a deleted range may go.
fn grace_left(registry: &Registry, range: &Value) -> Duration {
    let deleted = meta::deletion_time(range).map_or(0, sprag_value::Time::unix_seconds);
    let since = registry.now().unix_seconds().saturating_sub(deleted);
    GRACE.saturating_sub(Duration::from_secs(u64::try_from(since).unwrap_or(0)))
}

async fn set_finalizer(registry: &Registry, request: &Request<'_>, mut range: Value, present: bool) -> Result<()> {
    let others = meta::finalizers(&range).filter(|finalizer| *finalizer != FINALIZER);
    let finalizers = others.chain(present.then_some(FINALIZER)).map(str::to_owned).collect();
    meta::set_finalizers(&mut range, finalizers);
    ignore_conflict(registry.update(request, range, &WriteOptions::by(CONTROLLER)).await.map(drop))
}

fn request<'a>(resource: &'a str, name: &'a str, user: &'a User) -> Request<'a> {
    Request { group: GROUP, version: "v1", resource, namespace: "", name, subresource: "", user }
}

fn ready_conditions(stored: &Value) -> impl Iterator<Item = &Value> {
    let conditions = stored.lookup(&["status", "conditions"]).and_then(Value::as_array).into_iter().flatten();
    conditions.filter(|condition| condition.get("type").and_then(Value::as_str) == Some("Ready"))
}

/// True if the wanted ranges are the known one and one more.
fn is_extended(known: &Value, wanted: &Value) -> bool {
    let (Some(known), Some(wanted)) = (known.as_array(), wanted.as_array()) else { return false };
    known.len() == 1 && wanted.len() == 2 && known.first() == wanted.first()
}

/// True if somebody has said whether it is ready.
fn is_decided(stored: &Value) -> bool {
    let status = |condition: &Value| condition.get("status").and_then(Value::as_str).unwrap_or_default().to_owned();
    ready_conditions(stored).any(|condition| matches!(status(condition).as_str(), "True" | "False"))
}

/// Another server or a user was faster: the next look sees how.
fn ignore_conflict(outcome: Result<()>) -> Result<()> {
    match outcome {
        Err(error) if error.is_conflict() || error.is_not_found() => Ok(()),
        outcome => outcome,
    }
}
