//! The plug-in `DefaultStorageClass`: claims without a class get the default one.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_value::Value;

use super::members::{annotation, spec};
use super::request::{changed, creates, default_class, is, list_all};

/// The annotation that named the class of a claim before there was a field.
const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
/// Annotations of the default class.
const MARKS: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/// Sets the default storage class of claims.
// As upstream's plugin/pkg/admission/storage/storageclass/setdefault.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultStorageClass;

impl AdmissionPlugin for DefaultStorageClass {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        creates(attributes) && is(attributes, "", "persistentvolumeclaims") && !has_class(attributes.new_object())
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        Box::pin(async move {
            let classes = list_all(&attributes, ("storage.k8s.io", "v1", "storageclasses"), "").await?;
            let Some(class) = default_class(classes, &MARKS) else { return Ok(Mutation::default()) };
            let mut claim = attributes.new_object().clone();
            if let Some(spec) = claim.get_mut("spec") {
                spec.insert("storageClassName", class);
            }
            Ok(changed(claim))
        })
    }
}

/// As upstream's `helper.PersistentVolumeClaimHasClass`.
fn has_class(claim: &Value) -> bool {
    annotation(claim, BETA_CLASS).is_some() || spec(claim).get("storageClassName").is_some_and(|class| !class.is_null())
}

/// As upstream's `helper.GetPersistentVolumeClaimClass`.
pub(super) fn class_of(claim: &Value) -> &str {
    annotation(claim, BETA_CLASS).unwrap_or_else(|| spec(claim).text("storageClassName"))
}
