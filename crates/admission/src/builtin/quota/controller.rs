//! Counts what is used anew, for quotas that are new or changed and after objects are gone.

use std::collections::BTreeSet;
use std::sync::Arc;

use sprag_registry::Registry;
use sprag_rest::{Definition, GroupResource, Request, Result, User, WriteOptions};
use sprag_value::{Format, Quantity};

use super::super::amounts::{Amounts, add};
use super::devices::{self, Devices};
use super::evaluator::Evaluator;
use super::namespaces::QuotaNamespaces;
use super::quota::Quota;

/// The field manager of usage.
const MANAGER: &str = "kube-controller-manager";

/// Keeps the status of quotas, as upstream's controller `resourcequota` does.
#[derive(Clone)]
pub struct QuotaController {
    registry: Registry,
    namespaces: Arc<QuotaNamespaces>,
}

impl QuotaController {
    /// A controller of the quotas of a registry, whose plug-in charges these.
    pub fn new(registry: Registry, namespaces: Arc<QuotaNamespaces>) -> QuotaController {
        QuotaController { registry, namespaces }
    }

    /// Counts what is used in a namespace, and stores it in the status of each of its quotas. Where requests are charged for meanwhile,
    /// the count would be too low: nothing is stored, and it returns `false`.
    pub async fn sync(&self, namespace: &str) -> Result<bool> {
        let charges = &self.namespaces.charges;
        let Some(before) = charges.settled(namespace) else { return Ok(false) };
        self.count(namespace, || charges.settled(namespace) == Some(before)).await
    }

    /// The same, while no request is charged for.
    pub async fn sync_alone(&self, namespace: &str) -> Result<bool> {
        let charges = &self.namespaces.charges;
        let _turn = charges.turn(namespace).lock().await;
        if charges.settled(namespace).is_none() {
            return Ok(false);
        }
        self.count(namespace, || true).await
    }

    // As upstream's Controller.syncResourceQuota.
    async fn count(&self, namespace: &str, is_settled: impl Fn() -> bool) -> Result<bool> {
        let mut outcome = Ok(true);
        for stored in devices::list(&self.registry, ("", "resourcequotas"), namespace).await? {
            let before = Quota::new(stored);
            let mut quota = Quota { hard: before.wanted(), ..before.clone() };
            let counted = self.usage(&quota, namespace).await?;
            quota.used.extend(counted);
            quota.used.retain(|name, _| quota.hard.contains_key(name));
            if !is_settled() {
                return Ok(false);
            }
            if before.has_status() && before.hard == quota.hard && before.used == quota.used {
                continue;
            }
            if let Err(error) = self.store(&quota, namespace).await
                && !error.is_not_found()
            {
                outcome = Err(error);
            }
        }
        outcome
    }

    async fn store(&self, quota: &Quota, namespace: &str) -> Result<()> {
        let user = User { name: "system:kube-controller-manager".into(), ..User::default() };
        let group = "";
        let version = "v1";
        let resource = "resourcequotas";
        let name = quota.name();
        let subresource = "status";
        let request = Request { group, version, resource, namespace, name, subresource, user: &user };
        self.registry.update(&request, quota.to_value(), &WriteOptions::by(MANAGER)).await.map(drop)
    }

    /// As upstream's `quota.CalculateUsage`.
    async fn usage(&self, quota: &Quota, namespace: &str) -> Result<Amounts> {
        let mut total = Amounts::new();
        let mut matched = BTreeSet::new();
        for (resource, evaluator) in self.evaluators(&quota.hard) {
            let devices = Devices::load(&self.registry, &evaluator, None).await?;
            let names = evaluator.matching(&quota.hard, &devices);
            if names.is_empty() {
                continue;
            }
            let zero = Quantity::new(0, Format::DecimalSi);
            let mut used: Amounts = names.iter().map(|name| (name.clone(), zero.clone())).collect();
            for object in devices::list(&self.registry, (&resource.group, &resource.resource), namespace).await? {
                if quota.scopes.iter().all(|scope| evaluator.is_in_scope(&self.registry, &object, scope)) {
                    let devices = match evaluator {
                        Evaluator::ResourceClaims => devices.for_claim(&self.registry, &object).await?,
                        _ => Devices::default(),
                    };
                    add(&mut used, &evaluator.usage(&object, &self.registry, self.registry.now(), &devices));
                }
            }
            add(&mut total, &used);
            matched.extend(names);
        }
        total.retain(|name, _| matched.contains(name));
        Ok(total)
    }

    /// The evaluators that may know something of what a quota is about.
    fn evaluators(&self, hard: &Amounts) -> Vec<(GroupResource, Evaluator)> {
        let counts = |definition: &Definition| {
            let is_stored = definition.unstored.is_none();
            let evaluator = Evaluator::of(&definition.resource).filter(|_| definition.namespaced() && is_stored)?;
            let may_know = match &evaluator {
                Evaluator::Count(names) => names.iter().any(|name| hard.contains_key(name)),
                _ => true,
            };
            may_know.then(|| (definition.resource.clone(), evaluator))
        };
        self.registry.definitions().iter().filter_map(|definition| counts(definition)).collect()
    }
}
