//! Lets go of deleted volumes and claims that nothing uses any more.
//!
//! The plug-in `StorageObjectInUseProtection` gives each a finalizer, which only this removes.

use sprag_registry::Registry;
use sprag_rest::{ListOptions, Result, User, WriteOptions, meta};
use sprag_value::Value;

use crate::namespace_accounts::{MANAGER, request};

const CLAIM_FINALIZER: &str = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER: &str = "kubernetes.io/pv-protection";

/// Removes the finalizers of deleted volumes and claims that are not in use.
// As upstream's pvcprotection.Controller and pvprotection.Controller.
pub async fn release(registry: &Registry) -> Result<()> {
    for claim in deleted(registry, "persistentvolumeclaims", CLAIM_FINALIZER).await? {
        if !is_mounted(registry, &claim).await? {
            release_one(registry, "persistentvolumeclaims", claim, CLAIM_FINALIZER).await?;
        }
    }
    for volume in deleted(registry, "persistentvolumes", VOLUME_FINALIZER).await? {
        if volume.lookup(&["status", "phase"]).and_then(Value::as_str) != Some("Bound") {
            release_one(registry, "persistentvolumes", volume, VOLUME_FINALIZER).await?;
        }
    }
    Ok(())
}

/// The objects that would be gone but for the finalizer.
// As upstream's protectionutil.IsDeletionCandidate.
async fn deleted(registry: &Registry, resource: &str, finalizer: &str) -> Result<Vec<Value>> {
    let user = User::default();
    let mut objects = match registry.list(&request(resource, "", "", &user), &ListOptions::default()).await {
        // A server need not have volumes.
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        listed => listed?.items,
    };
    objects.retain(|object| {
        meta::get(object, "deletionTimestamp").is_some() && meta::finalizers(object).any(|known| known == finalizer)
    });
    Ok(objects)
}

async fn is_mounted(registry: &Registry, claim: &Value) -> Result<bool> {
    let user = User::default();
    let pods = registry.list(&request("pods", meta::namespace(claim), "", &user), &ListOptions::default()).await?;
    Ok(pods.items.iter().any(|pod| uses(pod, claim)))
}

/// True if a pod on a node mounts the claim.
// As upstream's podUsesPVCForDeletion.
fn uses(pod: &Value, claim: &Value) -> bool {
    let is_on_node = pod.lookup(&["spec", "nodeName"]).and_then(Value::as_str).is_some_and(|node| !node.is_empty());
    let volumes = pod.lookup(&["spec", "volumes"]).and_then(Value::as_array);
    is_on_node
        && volumes.is_some_and(|volumes| {
            volumes.iter().any(|volume| {
                let named = volume.lookup(&["persistentVolumeClaim", "claimName"]).and_then(Value::as_str);
                named == Some(meta::name(claim)) || (!is_shut_down(pod) && is_ephemeral(pod, volume, claim))
            })
        })
}

/// True if the claim was made for this volume of the pod.
// As upstream's ephemeral.VolumeClaimName and VolumeIsForPod.
fn is_ephemeral(pod: &Value, volume: &Value, claim: &Value) -> bool {
    let name = volume.get("name").and_then(Value::as_str).unwrap_or_default();
    let owners = meta::get(claim, "ownerReferences").and_then(Value::as_array);
    volume.get("ephemeral").is_some()
        && meta::name(claim) == format!("{}-{name}", meta::name(pod))
        && owners.is_some_and(|owners| {
            owners.iter().any(|owner| {
                owner.get("controller").and_then(Value::as_bool) == Some(true)
                    && owner.get("uid") == meta::get(pod, "uid")
            })
        })
}

// As upstream's podIsShutDown.
fn is_shut_down(pod: &Value) -> bool {
    meta::get(pod, "deletionTimestamp").is_some()
        && meta::get(pod, "deletionGracePeriodSeconds").and_then(Value::as_i64) == Some(0)
}

async fn release_one(registry: &Registry, resource: &str, mut object: Value, finalizer: &str) -> Result<()> {
    if let Some(Value::Array(finalizers)) =
        object.get_mut("metadata").and_then(|metadata| metadata.get_mut("finalizers"))
    {
        let others = finalizers.iter().filter(|known| known.as_str() != Some(finalizer));
        *finalizers = others.cloned().collect();
    }
    let namespace = meta::namespace(&object).to_owned();
    let name = meta::name(&object).to_owned();
    let user = User::default();
    let request = request(resource, &namespace, &name, &user);
    match registry.update(&request, object, &WriteOptions::by(MANAGER)).await {
        // Somebody else changed it: the next pass sees how.
        Err(error) if error.is_conflict() || error.is_not_found() => Ok(()),
        outcome => outcome.map(drop),
    }
}
