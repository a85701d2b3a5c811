//! The plug-in `PersistentVolumeClaimResize`: claims grow where their class allows it.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::Result;
use sprag_value::{Quantity, Value};

use super::amounts::amount;
use super::default_storage_class::class_of;
use super::request::{find, forbidden, is, updates};

const UNBOUND: &str = "Only bound persistent volume claims can be expanded";
const REFUSED: &str = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must \
                       support resize";

/// Refuses to let claims grow that are not bound, or whose class does not allow it.
// As upstream's plugin/pkg/admission/storage/persistentvolume/resize.
#[derive(Clone, Copy, Debug, Default)]
pub struct PersistentVolumeClaimResize;

impl AdmissionPlugin for PersistentVolumeClaimResize {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        updates(attributes) && is(attributes, "", "persistentvolumeclaims")
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            let Some(old) = attributes.old else { return Ok(Vec::new()) };
            let new = attributes.new_object();
            if size(new) <= size(old) {
                return Ok(Vec::new());
            }
            if old.text_at(&["status", "phase"]) != "Bound" {
                return Err(forbidden(&attributes, UNBOUND));
            }
            if !allows(&attributes, new, old).await? {
                return Err(forbidden(&attributes, REFUSED));
            }
            Ok(Vec::new())
        })
    }
}

fn size(claim: &Value) -> Quantity {
    amount(claim.lookup(&["spec", "resources", "requests"]), "storage").unwrap_or_default()
}

async fn allows(attributes: &Attributes<'_>, new: &Value, old: &Value) -> Result<bool> {
    let class = class_of(new);
    if class.is_empty() || class != class_of(old) {
        return Ok(false);
    }
    let class = find(attributes, ("storage.k8s.io", "v1", "storageclasses"), "", class).await?;
    Ok(class.is_some_and(|class| class.get("allowVolumeExpansion").and_then(Value::as_bool) == Some(true)))
}
