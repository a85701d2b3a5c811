//! The service range `kubernetes`: the ranges of the flags, from which services get their addresses.

use sprag_kinds::{ServiceCidrs, ServiceRanges};
use sprag_registry::{Follower, Registry};
use sprag_rest::{Patch, Request, Result, User, WriteOptions, meta};
use sprag_storage::Key;
use sprag_value::Value;

const GROUP: &str = "networking.k8s.io";
const RESOURCE: &str = "servicecidrs";
const NAME: &str = "kubernetes";
/// The field manager of the object.
const MANAGER: &str = "kube-apiserver";
/// The field manager of its status.
const STATUS_MANAGER: &str = "kubernetes-service-cidr-controller";

/// Keeps ranges of service addresses in step with stored `ServiceCIDR`s.
pub struct ServiceCidrFollower(pub ServiceCidrs);

impl Follower for ServiceCidrFollower {
    fn resources(&self) -> &[(&'static str, &'static str)] {
        &[(GROUP, RESOURCE)]
    }

    fn replace(&self, objects: Vec<(Key, Value)>) {
        self.0.replace(objects.iter().map(|(key, object)| (key.name(), object)));
    }

    fn set(&self, key: &Key, object: Option<Value>) {
        self.0.set(key.name(), object.as_ref());
    }
}

/// Creates the object, gives it a second family where the flags have one more, and says that it is ready.
// As upstream's defaultservicecidr.Controller.sync. One with other ranges than those of the flags is left alone.
pub async fn ensure(registry: &Registry, ranges: &ServiceRanges) -> Result<()> {
    let user = User { name: "system:apiserver".into(), groups: vec!["system:masters".into()], ..User::default() };
    let request = Request {
        group: GROUP,
        version: "v1",
        resource: RESOURCE,
        namespace: "",
        name: NAME,
        subresource: "",
        user: &user,
    };
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
    let now = registry.now();
    let ready = format!(
        r#"{{"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{{"name":"{NAME}"}},"status":{{"conditions":[{{"type":"Ready","status":"True","message":"Kubernetes default Service CIDR is ready","lastTransitionTime":"{now}"}}]}}}}"#
    );
    let request = Request { subresource: "status", ..request };
    let options = WriteOptions { force: Some(true), ..WriteOptions::by(STATUS_MANAGER) };
    ignore_conflict(registry.patch(&request, Patch::Apply(ready.as_bytes()), &options).await.map(drop))
}

/// True if the wanted ranges are the known one and one more.
fn is_extended(known: &Value, wanted: &Value) -> bool {
    let (Some(known), Some(wanted)) = (known.as_array(), wanted.as_array()) else { return false };
    known.len() == 1 && wanted.len() == 2 && known.first() == wanted.first()
}

/// True if somebody has said whether it is ready.
fn is_decided(stored: &Value) -> bool {
    let conditions = stored.lookup(&["status", "conditions"]).and_then(Value::as_array).into_iter().flatten();
    let text = |condition: &Value, member: &str| condition.get(member).and_then(Value::as_str).map(str::to_owned);
    let mut ready = conditions.filter(|condition| text(condition, "type").as_deref() == Some("Ready"));
    ready.any(|condition| matches!(text(condition, "status").as_deref(), Some("True" | "False")))
}

/// Another server or a user was faster: the next look sees how.
fn ignore_conflict(outcome: Result<()>) -> Result<()> {
    match outcome {
        Err(error) if error.is_conflict() || error.is_not_found() => Ok(()),
        outcome => outcome,
    }
}
