//! The plug-in `ResourceQuota`: how much of anything a namespace may use, and the controller that keeps count of it.
//!
//! - [`quota`](self::quota): a quota as it is stored, and its scopes.
//! - [`evaluator`](self::evaluator): what each kind of object counts for.
//! - [`check`](self::check): whether an object fits.
//! - [`controller`](self::controller): what is used, counted anew.

mod charges;
mod check;
mod controller;
mod devices;
mod evaluator;
mod namespaces;
mod pods;
#[expect(clippy::module_inception, reason = "a quota of all quotas")]
mod quota;

use std::collections::BTreeSet;
use std::sync::Arc;

use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::{Request, Result, User, WriteOptions};
use sprag_storage::Key;

pub use self::controller::QuotaController;
pub use self::namespaces::QuotaNamespaces;

use self::devices::Devices;
use self::evaluator::Evaluator;
use self::quota::Quota;
use super::request::{creates, list_all};

/// Maximum retries of quota updates after a conflict.
// As upstream's quotaEvaluator.checkAttributes.
const RETRIES: usize = 3;
/// The field manager of usage.
const MANAGER: &str = "kube-apiserver";

/// Refuses what exceeds the quotas of its namespace, and charges them for the rest.
// As upstream's apiserver/pkg/admission/plugin/resourcequota.
pub struct ResourceQuota {
    namespaces: Arc<QuotaNamespaces>,
}

impl ResourceQuota {
    /// The plug-in for the namespaces that have quotas.
    pub fn new(namespaces: Arc<QuotaNamespaces>) -> ResourceQuota {
        ResourceQuota { namespaces }
    }

    /// Charges all quotas that a request counts for.
    // As upstream's quotaEvaluator.checkQuotas.
    async fn charge(&self, attributes: &Attributes<'_>, evaluator: &Evaluator) -> Result<()> {
        let namespace = attributes.request.namespace;
        let charges = &self.namespaces.charges;
        let _turn = charges.turn(namespace).lock().await;
        let place = attributes.definition.place();
        let key = Key::namespaced(&place.group, &place.resource, namespace, attributes.name()).ok();
        let mut again: Option<BTreeSet<String>> = None;
        for attempt in 0.. {
            let stored = list_all(attributes, ("", "v1", "resourcequotas"), namespace).await?;
            let mut quotas: Vec<Quota> = stored.into_iter().map(Quota::new).collect();
            quotas.retain(|quota| again.as_ref().is_none_or(|names| names.contains(quota.name())));
            if quotas.is_empty() {
                return Ok(());
            }
            let devices = Devices::load(attributes.registry, evaluator, attributes.object).await?;
            let charged = check::check(&quotas, attributes, evaluator, &devices)?;
            if attributes.operation.is_dry_run() {
                return Ok(());
            }
            let mut lost = BTreeSet::new();
            let mut failure = None;
            if let Some(key) = key.clone().filter(|_| !charged.is_empty()) {
                charges.begin(key);
            }
            for quota in charged {
                if let Err(error) = store(attributes, &quota).await {
                    lost.insert(quota.name().to_owned());
                    failure = Some(error);
                }
            }
            match failure {
                None => return Ok(()),
                Some(error) if attempt == RETRIES => {
                    if let Some(key) = &key {
                        charges.finish(key);
                    }
                    return Err(error);
                }
                Some(_) => again = Some(lost),
            }
        }
        Ok(())
    }
}

impl AdmissionPlugin for ResourceQuota {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.object.is_some()
            && self.namespaces.has_quota(attributes.request.namespace)
            && !(creates(attributes) && attributes.definition.kind == "Namespace")
            && Evaluator::of(&attributes.definition.resource).is_some_and(|evaluator| evaluator.handles(attributes))
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            if let Some(evaluator) = Evaluator::of(&attributes.definition.resource) {
                self.charge(&attributes, &evaluator).await?;
            }
            Ok(Vec::new())
        })
    }
}

/// Stores what is used, unless the quota was changed since it was read.
async fn store(attributes: &Attributes<'_>, quota: &Quota) -> Result<()> {
    let user = User { name: "system:apiserver".into(), ..User::default() };
    let request = Request {
        group: "",
        version: "v1",
        resource: "resourcequotas",
        namespace: attributes.request.namespace,
        name: quota.name(),
        subresource: "status",
        user: &user,
    };
    attributes.registry.update(&request, quota.to_value(), &WriteOptions::by(MANAGER)).await.map(drop)
}
